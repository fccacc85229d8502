// Files that must not change while they are in use, read piece by piece. They are not mapped: a mapped file that someone
// cuts off ends the program at the next look at it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace seqlab {

// A file is gone, cannot be read, or is not what it was when it was opened first; the message is its path.
struct FileChanged : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class CheckedFile {
public:
    explicit CheckedFile(std::string path);
    ~CheckedFile();
    CheckedFile(const CheckedFile&) = delete;
    CheckedFile& operator=(const CheckedFile&) = delete;

    const std::string& path() const { return path_; }
    std::size_t size() const { return static_cast<std::size_t>(stamp_[0]); }

    // Several readings, one after another. Nothing that was read may be used before check(), which throws if the file
    // has changed since it was opened.
    class Reading {
    public:
        explicit Reading(const CheckedFile& file);
        ~Reading();
        Reading(const Reading&) = delete;
        Reading& operator=(const Reading&) = delete;
        void read(std::size_t offset, std::size_t bytes, void* out);
        // Ask the system to read what is needed next.
        void ahead(std::size_t offset, std::size_t bytes) const;
        void check() const;

    private:
        const CheckedFile& file_;
        int fd_;
    };

    // One reading.
    void read(std::size_t offset, std::size_t bytes, void* out) const {
        Reading reading(*this);
        reading.read(offset, bytes, out);
        reading.check();
    }

private:
    using Stamp = std::array<std::int64_t, 5>;  // size, time of change, time of writing, device, number
    int opened() const;
    static Stamp stamp_of(int fd);
    [[noreturn]] void fail() const { throw FileChanged(path_); }

    std::string path_;
    Stamp stamp_{};
    int fd_ = -1;  // -1 where it is opened for each reading: a process may have some hundred files open
};

}  // namespace seqlab

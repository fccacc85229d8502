#include "base/files/checked_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

namespace seqlab {

namespace {

constexpr int open_at_most =
    256;  // of 1,024 that most systems allow; of others each reading costs some microseconds
std::atomic<int> open_files{0};

std::int64_t nanoseconds(const timespec& time) {
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::int64_t>(time.tv_nsec);
}

}  // namespace

CheckedFile::Stamp CheckedFile::stamp_of(int fd) {
    struct stat found{};
    if (fstat(fd, &found) != 0 || found.st_nlink == 0) return {-1, 0, 0, 0, 0};
#if defined(__APPLE__)
    const timespec &changed = found.st_ctimespec, &written = found.st_mtimespec;
#else
    const timespec &changed = found.st_ctim, &written = found.st_mtim;
#endif
    return {static_cast<std::int64_t>(found.st_size), nanoseconds(changed), nanoseconds(written),
            static_cast<std::int64_t>(found.st_dev), static_cast<std::int64_t>(found.st_ino)};
}

CheckedFile::CheckedFile(std::string path) : path_(std::move(path)) {
    const int fd = opened();
    stamp_ = stamp_of(fd);
    if (stamp_[0] < 0 || open_files.fetch_add(1) >= open_at_most) {
        if (stamp_[0] >= 0) --open_files;
        close(fd);
        if (stamp_[0] < 0) fail();
        return;
    }
    fd_ = fd;
}

CheckedFile::~CheckedFile() {
    if (fd_ < 0) return;
    close(fd_);
    --open_files;
}

int CheckedFile::opened() const {
    for (;;) {
        const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd >= 0) return fd;
        if (errno != EINTR) fail();
    }
}

CheckedFile::Reading::Reading(const CheckedFile& file)
    : file_(file), fd_(file.fd_ >= 0 ? file.fd_ : file.opened()) {}

CheckedFile::Reading::~Reading() {
    if (fd_ != file_.fd_) close(fd_);
}

void CheckedFile::Reading::read(std::size_t offset, std::size_t bytes, void* out) {
    auto* to = static_cast<char*>(out);
    while (bytes > 0) {
        const ssize_t done =
            pread(fd_, to, std::min(bytes, std::size_t{1} << 30), static_cast<off_t>(offset));
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) file_.fail();
        to += done;
        offset += static_cast<std::size_t>(done);
        bytes -= static_cast<std::size_t>(done);
    }
}

void CheckedFile::Reading::ahead([[maybe_unused]] std::size_t offset,
                                 [[maybe_unused]] std::size_t bytes) const {
#if defined(__linux__)
    posix_fadvise(fd_, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
#endif
}

void CheckedFile::Reading::check() const {
    if (stamp_of(fd_) != file_.stamp_) file_.fail();
}

}  // namespace seqlab

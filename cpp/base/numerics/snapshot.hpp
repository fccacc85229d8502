// State of an algorithm between two iterations, as named arrays: what a checkpoint stores.
//
//     void record(Snapshot& state) {
//         state("step", step_);
//         state("direction", d_, n_);
//     }
//
// is both directions. A snapshot that is taken has views of the members, valid until the algorithm goes on; one that is
// read copies its numbers into the members of an algorithm that was made from the same data and options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace seqlab {

// The numbers of a snapshot are not those of the algorithm that reads it.
struct SnapshotMismatch : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Snapshot {
public:
    enum class Type { float64, float32, int64, uint64, int32, uint32, uint8 };
    struct Entry {
        std::string name;
        Type type;
        std::size_t size;
        const void* data;
    };

    Snapshot() = default;
    // One to read from; the arrays must outlive it.
    explicit Snapshot(std::vector<Entry> entries) : entries_(std::move(entries)), reading_(true) {}

    bool reading() const { return reading_; }
    const std::vector<Entry>& entries() const { return entries_; }

    template <class X>
    void operator()(const std::string& name, X* data, std::size_t size) {
        if (!reading_) {
            entries_.push_back({name, type_of<X>(), size, data});
            return;
        }
        const Entry& entry = find(name, type_of<X>());
        if (entry.size != size) throw SnapshotMismatch(name + " has another length");
        copy(entry, data);
    }
    template <class X>
        requires std::is_arithmetic_v<X>
    void operator()(const std::string& name, X& number) {
        (*this)(name, &number, 1);
    }
    // A vector may have another length when it is read.
    template <class X>
    void operator()(const std::string& name, std::vector<X>& vector) {
        if (reading_) vector.resize(find(name, type_of<X>()).size);
        (*this)(name, vector.data(), vector.size());
    }

    // The two directions of members that are not arrays: arrays made for the purpose are kept, and read again.
    template <class X>
    void keep(const std::string& name, std::vector<X> made) {
        const auto owned = std::make_shared<std::vector<X>>(std::move(made));
        (*this)(name, *owned);
        owned_.push_back(owned);
    }
    template <class X>
    std::vector<X> take(const std::string& name) {
        std::vector<X> found;
        (*this)(name, found);
        return found;
    }

private:
    template <class X>
    static constexpr Type type_of() {
        if constexpr (std::is_same_v<X, double>) return Type::float64;
        if constexpr (std::is_same_v<X, float>) return Type::float32;
        if constexpr (std::is_same_v<X, bool> || std::is_same_v<X, std::uint8_t>) return Type::uint8;
        if constexpr (std::is_integral_v<X> && sizeof(X) == 8)
            return std::is_signed_v<X> ? Type::int64 : Type::uint64;
        if constexpr (std::is_integral_v<X> && sizeof(X) == 4)
            return std::is_signed_v<X> ? Type::int32 : Type::uint32;
    }

    const Entry& find(const std::string& name, Type type) const {
        for (const Entry& entry : entries_)
            if (entry.name == name) {
                if (entry.type != type) throw SnapshotMismatch(name + " has another type");
                return entry;
            }
        throw SnapshotMismatch(name + " is missing");
    }

    template <class X>
    static void copy(const Entry& entry, X* to) {
        if (entry.size == 0) return;
        if constexpr (std::is_same_v<X, bool>) {
            for (std::size_t i = 0; i < entry.size; ++i)
                to[i] = static_cast<const std::uint8_t*>(entry.data)[i] != 0;
        } else {
            std::memcpy(to, entry.data, entry.size * sizeof(X));
        }
    }

    std::vector<Entry> entries_;
    std::vector<std::shared_ptr<void>> owned_;
    bool reading_ = false;
};

// Record into a snapshot everything that an algorithm needs to go on from here.
using Recorded = std::function<void(Snapshot&)>;

}  // namespace seqlab

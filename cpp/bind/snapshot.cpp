#include "bind/snapshot.hpp"
#include "bind/stl.hpp"

#include <memory>
#include <string>

namespace seqlab::bind {

namespace {

using Type = Snapshot::Type;

template <class X>
nb::object array(const Snapshot::Entry& entry, nb::handle owner) {
    const auto* const data = static_cast<const X*>(entry.data);
    return nb::cast(nb::ndarray<nb::numpy, const X, nb::ndim<1>>(data, {entry.size}, owner));
}

nb::object array(const Snapshot::Entry& entry, nb::handle owner) {
    switch (entry.type) {
        case Type::float64:
            return array<double>(entry, owner);
        case Type::float32:
            return array<float>(entry, owner);
        case Type::int64:
            return array<std::int64_t>(entry, owner);
        case Type::uint64:
            return array<std::uint64_t>(entry, owner);
        case Type::int32:
            return array<std::int32_t>(entry, owner);
        case Type::uint32:
            return array<std::uint32_t>(entry, owner);
        case Type::uint8:
            break;
    }
    return array<std::uint8_t>(entry, owner);
}

Type type_of(const nb::dlpack::dtype& of, const std::string& name) {
    const auto is = [&](const nb::dlpack::dtype& other) { return of == other; };
    if (is(nb::dtype<double>())) return Type::float64;
    if (is(nb::dtype<float>())) return Type::float32;
    if (is(nb::dtype<std::int64_t>())) return Type::int64;
    if (is(nb::dtype<std::uint64_t>())) return Type::uint64;
    if (is(nb::dtype<std::int32_t>())) return Type::int32;
    if (is(nb::dtype<std::uint32_t>())) return Type::uint32;
    if (is(nb::dtype<std::uint8_t>())) return Type::uint8;
    throw SnapshotMismatch(name + " has another type");
}

}  // namespace

Arrays arrays_of(const Recorded& recorded) {
    auto state = std::make_unique<Snapshot>();
    recorded(*state);
    const Snapshot& taken = *state;
    const nb::capsule owner(state.release(), [](void* p) noexcept { delete static_cast<Snapshot*>(p); });
    Arrays found;
    for (const Snapshot::Entry& entry : taken.entries()) found[entry.name.c_str()] = array(entry, owner);
    return found;
}

Snapshot snapshot_of(const Arrays& arrays) {
    std::vector<Snapshot::Entry> entries;
    for (const auto& [key, value] : arrays) {
        const auto name = nb::cast<std::string>(key);
        const auto array = nb::cast<nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(value);
        entries.push_back({name, type_of(array.dtype(), name), array.size(), array.data()});
    }
    return Snapshot(std::move(entries));
}

nb::object recorder(const Recorded& recorded) {
    return nb::cpp_function([&recorded] { return arrays_of(recorded); });
}

}  // namespace seqlab::bind

// Conversion of strings between Python and C++: pools, and Python's str.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string_view>
#include <utility>
#include <vector>

#include "base/text/string_pool.hpp"
#include "bind/python_objects.hpp"

namespace seqlab::bind {

namespace nb = nanobind;
using namespace nb::literals;

template <class X>
using Vector = nb::ndarray<nb::numpy, X, nb::ndim<1>, nb::c_contig>;

// Make a NumPy array that owns the contents of the vector.
template <class X>
Vector<X> as_array(std::vector<X>&& values) {
    auto* kept = new std::vector<X>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<X>*>(p); });
    return Vector<X>(kept->data(), {kept->size()}, owner);
}

nb::object as_str(std::string_view text);

// Return (codes, lengths, bad sequence, bad position) of a list of lists or tuples of strings; the last two are -1 when
// there is no error, and position -1 means that the sequence itself is not a list.
nb::tuple intern_lists(StringPool& pool, const nb::list& sequences, bool missing = false);

}  // namespace seqlab::bind

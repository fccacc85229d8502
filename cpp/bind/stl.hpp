// nanobind's casters of strings, vectors, pairs, tuples, shared pointers and optional values.
//
// Their from_python() makes such values, and is noexcept nevertheless: where memory ends, the program would. The
// function that calls it catches exceptions and makes a MemoryError of std::bad_alloc, so the word is left out here.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif
#define noexcept
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#undef noexcept
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

// A training task from Python: arrays, kept alive as long as the task reads them.
#pragma once

#include <optional>

#include "bind/batch.hpp"
#include "bind/stl.hpp"
#include "linear/data/task.hpp"

namespace seqlab::bind {

template <class X>
std::span<const X> span_of(const std::optional<In<X>>& array) {
    return array ? span_of(*array) : std::span<const X>{};
}

template <class X>
const X* data_of(const std::optional<In<X>>& array) {
    return array ? array->data() : nullptr;
}

template <class X>
using Maybe = std::optional<In<X>>;

struct KeptTask {
    Task task;
    std::vector<nb::object> alive;
};

}  // namespace seqlab::bind

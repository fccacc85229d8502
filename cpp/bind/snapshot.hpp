// Snapshots as Python has them: arrays by name.
#pragma once

#include "base/numerics/snapshot.hpp"
#include "bind/batch.hpp"

namespace seqlab::bind {

using Arrays = nb::typed<nb::dict, nb::str, nb::any>;

// {name: array}; they are views of the algorithm, valid until it goes on.
Arrays arrays_of(const Recorded& recorded);

// A snapshot to read from; the arrays must outlive it.
Snapshot snapshot_of(const Arrays& arrays);

// snapshot_of, for an argument that may be None.
class Resumed {
public:
    explicit Resumed(const nb::object& arrays) : any_(!arrays.is_none()) {
        if (any_) state_ = snapshot_of(nb::cast<Arrays>(arrays));
    }
    Snapshot* get() { return any_ ? &state_ : nullptr; }

private:
    bool any_;
    Snapshot state_;
};

// A function of Python that takes the snapshot, for the time of one call.
nb::object recorder(const Recorded& recorded);

}  // namespace seqlab::bind

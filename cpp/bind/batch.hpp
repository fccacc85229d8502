// A ragged batch from Python: views of arrays, and the arrays themselves kept alive.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>
#include <vector>

#include "bind/stl.hpp"
#include "bind/unlocked.hpp"
#include "inference/plan.hpp"
#include "trellis/trellis.hpp"

namespace seqlab::bind {

namespace nb = nanobind;
using namespace nb::literals;

template <class X>
using In = nb::ndarray<const X, nb::c_contig, nb::device::cpu>;

template <class X>
std::span<const X> span_of(const In<X>& array) {
    return {array.data(), array.size()};
}
template <class X>
using Out = nb::ndarray<X, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class F>
class BatchOf {
public:
    void add(const In<F>& node, const In<F>& edge, std::size_t order, bool per_position,
             const std::vector<In<F>>& head, const In<std::int64_t>& where, const In<std::int64_t>& offset,
             const In<Label>& ids) {
        Trellis<F> trellis = shape(node, edge, order, per_position, head);
        trellis.T = node.shape(0);
        trellis.node = node.data();
        trellis.edge = edge.data();
        trellis.restricted = where.size();
        trellis.where = where.data();
        trellis.offset = offset.data();
        trellis.ids = ids.data();
        trellises_.push_back(trellis);
        keep(node, edge, head);
        alive_.push_back(nb::cast(where));
        alive_.push_back(nb::cast(offset));
        alive_.push_back(nb::cast(ids));
    }

    // Add sequences that lie one after another in one array; per-position edges likewise.
    void add_many(const In<F>& node, const In<std::int64_t>& lengths, const In<F>& edge, std::size_t order,
                  bool per_position, const std::vector<In<F>>& head) {
        Trellis<F> trellis = shape(node, edge, order, per_position, head);
        trellis.node = node.data();
        trellis.edge = edge.data();
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            trellis.T = static_cast<std::size_t>(lengths.data()[i]);
            trellises_.push_back(trellis);
            trellis.node += trellis.T * trellis.L;
            if (trellis.T > order) trellis.edge += (trellis.T - order) * trellis.slab;
        }
        keep(node, edge, head);
    }

    seqlab::Batch<F> view() const { return trellises_; }
    const Trellis<F>& at(std::size_t i) const { return trellises_.at(i); }

private:
    static Trellis<F> shape(const In<F>& node, const In<F>& edge, std::size_t order, bool per_position,
                            const std::vector<In<F>>& head) {
        if (node.ndim() != 2 || order < 1 || order > 3 || edge.ndim() < order + 1)
            throw std::invalid_argument("seqlab._core takes arrays that seqlab.Trellis has checked");
        Trellis<F> trellis;
        trellis.L = node.shape(1);
        trellis.order = order;
        if (per_position) {
            trellis.slab = 1;
            for (std::size_t i = 0; i <= order; ++i) trellis.slab *= trellis.L;
        }
        for (std::size_t i = 0; i < head.size() && i < 2; ++i) trellis.head[i] = head[i].data();
        return trellis;
    }
    void keep(const In<F>& node, const In<F>& edge, const std::vector<In<F>>& head) {
        alive_.push_back(nb::cast(node));
        alive_.push_back(nb::cast(edge));
        for (const In<F>& h : head) alive_.push_back(nb::cast(h));
    }

    std::vector<Trellis<F>> trellises_;
    std::vector<nb::object> alive_;
};

// Offset of each sequence's part in one flat output, `size(trellis)` entries each.
template <class X, class F, class Size>
std::vector<X*> parts(const Out<X>& flat, seqlab::Batch<F> batch, Size size) {
    std::vector<X*> out;
    std::size_t at = 0;
    for (const Trellis<F>& trellis : batch) {
        out.push_back(flat.data() + at);
        at += size(trellis);
    }
    if (at != flat.size()) throw std::invalid_argument("seqlab._core: an output array has the wrong size");
    return out;
}

template <class F>
std::size_t positions(const Trellis<F>& trellis) {
    return trellis.T;
}
template <class F>
std::size_t cells(const Trellis<F>& trellis) {
    return trellis.T * trellis.L;
}

template <class F>
std::size_t states(const Trellis<F>& trellis) {
    std::size_t size = trellis.T;
    for (std::size_t i = 0; i < trellis.order; ++i) size *= trellis.L;
    return size;
}

void bind_batches(nb::module_& m);
void bind_inference(nb::module_& m);
void bind_objects(nb::module_& m);
void bind_machine(nb::module_& m);
void bind_asking(nb::module_& m);
void bind_strings(nb::module_& m);
void bind_lists(nb::module_& m);
void bind_encode(nb::module_& m);
void bind_items(nb::module_& m);
void bind_task(nb::module_& m);
void bind_learn(nb::module_& m);
void bind_decode(nb::module_& m);
void bind_attributes(nb::module_& m);
void bind_crfsuite(nb::module_& m);
void bind_stochastic(nb::module_& m);
void bind_optimise(nb::module_& m);
void bind_online(nb::module_& m);
void bind_em(nb::module_& m);
void bind_corpus(nb::module_& m);
void bind_render(nb::module_& m);
void bind_json(nb::module_& m);
void bind_counted(nb::module_& m);
void bind_ngrams(nb::module_& m);
void bind_text(nb::module_& m);

}  // namespace seqlab::bind

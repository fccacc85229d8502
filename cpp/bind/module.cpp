#include "bind/batch.hpp"

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of seqlab. Everything here trusts its caller; use seqlab.inference.";
    // A corpus still held by a module, or by a daemon thread, at interpreter exit is not a leak to report.
    nanobind::set_leak_warnings(false);
    seqlab::bind::bind_batches(m);
    seqlab::bind::bind_inference(m);
    seqlab::bind::bind_objects(m);
    seqlab::bind::bind_machine(m);
    seqlab::bind::bind_asking(m);
    seqlab::bind::bind_strings(m);
    seqlab::bind::bind_lists(m);
    seqlab::bind::bind_encode(m);
    seqlab::bind::bind_items(m);
    seqlab::bind::bind_task(m);
    seqlab::bind::bind_learn(m);
    seqlab::bind::bind_decode(m);
    seqlab::bind::bind_attributes(m);
    seqlab::bind::bind_crfsuite(m);
    seqlab::bind::bind_stochastic(m);
    seqlab::bind::bind_optimise(m);
    seqlab::bind::bind_online(m);
    seqlab::bind::bind_em(m);
    seqlab::bind::bind_corpus(m);
    seqlab::bind::bind_render(m);
    seqlab::bind::bind_json(m);
    seqlab::bind::bind_counted(m);
    seqlab::bind::bind_ngrams(m);
    seqlab::bind::bind_text(m);
}

"""Inference on trellises, independent of any model.

Each function takes one Trellis, a TrellisBatch, or a list of trellises; for the latter two the answer is a sequence in
the same order, computed in one call into the compiled core, on `threads` threads, without holding Python's lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.inference.machine import fallback_count, kernel, kernels, use_kernel
from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.inference.decoding import NBest, Path, Samples, beam, max_marginal, nbest, sample, viterbi
    from seqlab.inference.messages import Semiring, backward, forward, log_partition
    from seqlab.inference.posteriors import ExpectedCounts, Posterior, expected_counts, posterior
    from seqlab.inference.spans import span_probabilities
    from seqlab.inference.streaming import Filter, Filtered, FilterStep, filter
    from seqlab.inference.tables import ViterbiTable, viterbi_table
else:  # otherwise a type checker would accept any attribute
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "decoding": ("NBest", "Path", "Samples", "beam", "max_marginal", "nbest", "sample", "viterbi"),
            "messages": ("Semiring", "backward", "forward", "log_partition"),
            "posteriors": ("ExpectedCounts", "Posterior", "expected_counts", "posterior"),
            "spans": ("span_probabilities",),
            "streaming": ("Filter", "Filtered", "FilterStep", "filter"),
            "tables": ("ViterbiTable", "viterbi_table"),
        },
    )

__all__ = ["ExpectedCounts", "Filter", "FilterStep", "Filtered", "NBest", "Path", "Posterior", "Samples"]
__all__ += ["Semiring", "backward", "beam", "expected_counts", "fallback_count", "filter", "forward"]
__all__ += ["kernel", "kernels", "log_partition", "max_marginal", "nbest", "posterior", "sample"]
__all__ += ["ViterbiTable", "span_probabilities", "use_kernel", "viterbi", "viterbi_table"]

"""Options of hidden Markov models: the classes that may be options, and their checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seqlab import _core, families
from seqlab.arrays import switch, whole_number
from seqlab.corpus import Corpus
from seqlab.corpus.columns import BagColumn, StringColumn, VectorColumn
from seqlab.errors import OptionError
from seqlab.families.hmm import emissions as kind
from seqlab.families.hmm.counting import Counting, SuffixModel
from seqlab.families.hmm.em import BaumWelch, HardEM
from seqlab.families.hmm.emissions import Categorical, Emission
from seqlab.families.hmm.emissions.symbols import Symbols
from seqlab.families.hmm.tables import Dirichlet
from seqlab.learning.smoothing import NAMES
from seqlab.store.values import OptionKind, kinds_of
from seqlab.tagging.model import COMMON

UNKNOWN = ("error", "missing", "suffix", "none")


def _corpus_fields(corpus: Corpus) -> dict[str, Any]:
    """Convert a corpus to plain arrays and strings, for storage; the path of its file is dropped."""
    columns: list[Any] = []
    for name in corpus.columns:
        data = corpus.data(name)
        if isinstance(data, VectorColumn):
            columns.append((name, data.vectors))
        elif isinstance(data, StringColumn):
            columns.append((name, data.codes, data.values))
        else:
            columns.append((name, data.codes, data.values, data.indptr, data.weights))
    return {"offsets": corpus.offsets, "columns": columns}


def _corpus(offsets: Any, columns: Any) -> Corpus:
    """Make a corpus from the result of _corpus_fields."""
    made: dict[str, Any] = {}
    for name, data, *more in columns:
        if not more:
            made[name] = VectorColumn(data)
            continue
        pool = _core.StringPool()
        for text in more[0]:
            pool.intern(text)
        made[name] = StringColumn(data, pool) if len(more) == 1 else BagColumn(more[1], data, more[2], pool)
    return Corpus(made, offsets)


def _streams(parts: Any) -> kind.Streams:
    return kind.Streams(parts)  # as a keyword, "parts" would be the name of a stream


OPTIONS: Mapping[str, OptionKind] = {
    **COMMON,
    **kinds_of(kind.Categorical, kind.FeatureBag, kind.Gaussian, kind.GaussianMixture),
    **kinds_of(kind.Poisson, Dirichlet, SuffixModel, BaumWelch, HardEM, Counting, Symbols),
    **kinds_of(*kind.DISTRIBUTIONS, *map(type, NAMES.values())),
    "Streams": OptionKind(kind.Streams, lambda streams: {"parts": streams.parts}, _streams),
    "Corpus": OptionKind(Corpus, _corpus_fields, _corpus),
}


def check_options(hmm: families.HMM) -> Emission:
    """Check options that do not depend on the data; return the emissions, or the default for None."""
    emissions = Categorical() if hmm.emissions is None else hmm.emissions
    if isinstance(emissions, type) or not isinstance(emissions, Emission):
        raise OptionError(f"emissions must be Categorical(), Gaussian(), ..., got {emissions!r:.60}")
    if hmm.n_states is not None:
        whole_number(hmm.n_states, "n_states", 1)
    named = isinstance(hmm.unknown, str) and hmm.unknown in UNKNOWN
    if hmm.unknown is not None and not isinstance(hmm.unknown, SuffixModel) and not named:
        raise OptionError(
            f"unknown must be 'error', 'missing', 'suffix', 'none', a SuffixModel or None, got {hmm.unknown!r:.60}"
        )
    if hmm.order not in (None, 1, 2, 3) or isinstance(hmm.order, bool):
        raise OptionError(f"order must be 1, 2 or 3, got {hmm.order!r}")
    if hmm.learner is not None and not isinstance(hmm.learner, (BaumWelch, HardEM, Counting)):
        raise OptionError(
            f"learner must be BaumWelch(...), HardEM(...) or Counting(...), got {hmm.learner!r:.60}"
        )
    switch(hmm.end, "end")
    whole_number(hmm.seed, "seed", 0)
    return emissions

"""From trellises to results: blocks of sentences, known labels, and errors that name the sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import inference
from seqlab.arrays import LabelIds, Probabilities, whole_number
from seqlab.corpus import Corpus
from seqlab.errors import ImpossibleError, LabelError, OptionError, SeqlabError, ShapeError
from seqlab.inference import NBest, Path
from seqlab.tagging.door.sentences import Gold
from seqlab.trellis import Trellis, TrellisBatch
from seqlab.trellis.constraints import PerPosition
from seqlab.trellis.labels import Label

Trellises = TrellisBatch | Sequence[Trellis]
Way = tuple[str, int | None]  # decoder, and the width of the beam
DECODERS = ("viterbi", "posterior", "beam")


def checked_way(decode: str | None, beam: int | None) -> Way:
    """Check that a decoder exists, and that a beam has a width."""
    if decode == "beam":
        if beam is None:
            raise OptionError("decode='beam' needs a width, for example beam=8")
        return decode, whole_number(beam, "beam", 1)
    if beam is not None:
        raise OptionError(f"beam={beam!r} is for decode='beam', but decode is {decode!r}")
    if decode not in DECODERS:
        raise OptionError(f"decode must be one of {', '.join(map(repr, DECODERS))}, got {decode!r}")
    return decode, None


def best(asked: Any, decode: str, beam: int | None, threads: int = 1) -> Any:
    """Find the path of a trellis, or of each of several, by this decoder."""
    if decode == "posterior":
        return inference.max_marginal(asked, threads=threads)
    if beam is not None:
        return inference.beam(asked, beam, threads=threads)
    return inference.viterbi(asked, threads=threads)


def blocks(corpus: Corpus, tokens: int) -> Iterator[tuple[int, Corpus]]:
    """Split a corpus into parts of about this many tokens, each with the number of its first sentence."""
    if corpus.token_count <= tokens and len(corpus):
        yield 0, corpus
        return
    begin = 0
    while begin < len(corpus):
        last = int(np.searchsorted(corpus.offsets, corpus.offsets[begin] + tokens, side="right")) - 1
        end = min(max(last, begin + 1), len(corpus))
        yield begin, corpus[begin:end]
        begin = end


@contextmanager
def located(begin: int) -> Iterator[None]:
    """Convert sentence numbers in errors of a part that starts with sentence `begin` to those of the whole corpus."""
    try:
        yield
    except SeqlabError as error:
        raise error.at(offset=begin, unit="sentence") from error.__cause__


def path_ids(paths: Sequence[Path]) -> LabelIds:
    """Join the label numbers of all paths."""
    return np.concatenate([np.zeros(0, dtype=np.int32), *(path.ids for path in paths)])


def labelled(rows: Probabilities, labels: Sequence[str]) -> list[dict[str, float]]:
    """Return probabilities (T, L) as a dict per position."""
    return [dict(zip(labels, row, strict=True)) for row in rows.tolist()]


# ------------------------------------------------------------------------------------------ known and allowed labels


def constrained(trellis: Trellis, known: Mapping[int, Label] | None, allowed: PerPosition | None) -> Trellis:
    """Mask a trellis by known and allowed labels."""
    if known is None and allowed is None:
        return trellis
    if known is not None:
        if not isinstance(known, Mapping):
            raise OptionError(f"known wants {{position: label}}, got {known!r:.60}")
        for position, label in known.items():
            _check_label(trellis, label, "known", position)
    if allowed is not None and not isinstance(allowed, np.ndarray):
        _check_allowed(trellis, allowed)
    return trellis.constrain(known=known, allowed=allowed)


def _check_allowed(trellis: Trellis, allowed: Any) -> None:
    if isinstance(allowed, (str, bytes)) or not isinstance(allowed, (Mapping, Sequence)):
        raise OptionError(
            f"allowed wants {{position: labels}}, or a list with None or labels for every position, got {allowed!r:.60}"
        )
    pairs = allowed.items() if isinstance(allowed, Mapping) else enumerate(allowed)
    for position, labels in pairs:
        if labels is None:
            continue
        if isinstance(labels, str) or not isinstance(labels, Iterable):
            raise LabelError(
                f"allowed, position {position}: a list of labels is wanted, got {labels!r}; write [{labels!r}]"
            )
        for label in labels:
            _check_label(trellis, label, "allowed", position)


def _check_label(trellis: Trellis, label: Any, what: str, position: Any) -> None:
    try:
        trellis.label_set.id(label, holder="the model")
    except LabelError as error:
        where = f"{what}, position {position}"
        raise error.at(position=position, item="", within=(where,), option=what) from None


def event_log_partition(trellis: Trellis, labels: Iterable[Any]) -> float:
    """Compute the log of the sum of exp(score) over the labellings that `labels` describes; -inf when there is none."""
    if isinstance(labels, (str, bytes, Mapping)) or not isinstance(labels, Iterable):
        raise LabelError(f"labels must be a list with one entry per token, got {labels!r:.60}")
    given = list(labels)
    if len(given) != trellis.T:
        raise ShapeError(f"the sentence has {trellis.T} tokens, but {len(given)} labels came")
    if all(isinstance(label, (str, int, np.integer)) for label in given):
        for position, label in enumerate(given):
            _check_label(trellis, label, "labels", position)
        return trellis.score(given)
    allowed: list[Any] = [[one] if isinstance(one, (str, int, np.integer)) else one for one in given]
    try:
        return float(inference.log_partition(constrained(trellis, None, allowed)))
    except ImpossibleError:
        return float("-inf")


# ------------------------------------------------------------------------------------- scores without probabilities


class _Unnormalised(NBest):
    """The n best paths of a model whose scores are not log-probabilities: log_prob is None."""

    def _more(self, m: int) -> list[Path]:
        fresh = super()._more(m)
        plain = [Path(path.ids, path.score, None, True, self.trellis.label_set) for path in fresh]
        if plain:
            self._found[-len(plain) :] = plain
        return plain


def unnormalised(trellis: Trellis, n: int) -> NBest:
    """Find the n best paths, without log-probabilities."""
    found = _Unnormalised(trellis, inference.log_partition(trellis))
    found.more(n)
    return found


def hits(gold: Gold, ids: LabelIds, labels: Sequence[str]) -> npt.NDArray[np.bool_]:
    """(tokens,) True where the label numbered `ids` among `labels` is the given one, or one of several."""
    place = {name: i for i, name in enumerate(labels)}
    number = np.array([*(place.get(name, -1) for name in gold.names), -1, -1], dtype=np.int32)
    right: npt.NDArray[np.bool_] = number[gold.ids] == ids
    for token, some in gold.sets.items():
        right[token] = ids[token] in number[list(some)]
    return right

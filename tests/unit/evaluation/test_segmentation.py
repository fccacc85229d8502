"""Tokens, words, sentences and layers of documents, compared by their places."""

import numpy as np
import pytest

from seqlab.errors import CorpusError
from seqlab.evaluation import Agreement, score_segmentation
from seqlab.text import Document

TEXT = "I don't. He did"


def cut(*tokens: tuple[int, int], sentences: tuple[int, ...] = (), joined: tuple[int, ...] = ()) -> Document:
    begins, ends = (np.array(side, dtype=np.int64) for side in zip(*tokens, strict=True))
    offsets = np.array([0, *sentences, len(tokens)], dtype=np.int64)
    return Document(TEXT, begins, ends, offsets, np.isin(np.arange(len(tokens)), joined) if joined else None)


GOLD = cut((0, 1), (2, 4), (4, 7), (7, 8), (9, 11), (12, 15), sentences=(4,), joined=(2,))


def test_a_token_reaches_over_its_parts() -> None:
    other = cut((0, 1), (2, 5), (5, 7), (7, 8), (9, 11), (12, 15), sentences=(4,), joined=(2,))
    whole = cut((0, 1), (2, 7), (7, 8), (9, 11), (12, 15), sentences=(3,))
    for one, words in ((other, Agreement(6, 6, 4)), (whole, Agreement(6, 5, 4))):
        report = score_segmentation([GOLD], [one])
        assert report.tokens == Agreement(5, 5, 5)
        assert report.words == words
        assert report.sentences == Agreement(2, 2, 2)
    loose = score_segmentation([GOLD], [cut((0, 1), (2, 4), (4, 7), (7, 8), (9, 11), (12, 15))])
    assert loose.tokens == Agreement(5, 6, 4)
    assert loose.sentences == Agreement(2, 1, 0)


def test_only_layers_with_labels_have_figures_of_labels() -> None:
    spans = GOLD.with_layer("entity", None, [(0, 1, "X")])
    report = score_segmentation([spans], [spans])
    assert (report.labels, report.spans) == ({}, {"entity": Agreement(1, 1, 1)})
    one, other = (GOLD.with_layer("pos", labels, ()) for labels in ("ABCDEF", "ABCDEE"))
    report = score_segmentation([one], [other])
    assert (report.labels, report.spans) == ({"pos": Agreement(6, 6, 5)}, {})
    assert score_segmentation([one], [spans]).labels == {}


def test_scores_of_an_agreement() -> None:
    some = Agreement(gold=5, predicted=4, correct=2)
    assert (some.precision, some.recall, some.f1) == (0.5, 0.4, pytest.approx(4 / 9))
    assert Agreement(4, 4, 2).f1 == 0.5
    nothing = Agreement(0, 0, 0)
    assert (nothing.precision, nothing.recall, nothing.f1) == (0.0, 0.0, 1.0)


def test_other_texts_are_refused() -> None:
    other = Document.from_offsets("I don't. Ho did", [(0, 1)])
    with pytest.raises(CorpusError, match=r"document 0: .*'edid' is compared with 'odid'"):
        score_segmentation([GOLD], [other])
    long, longer = (Document.from_offsets(first + "b" * 40, [(0, 1)]) for first in "cd")
    with pytest.raises(CorpusError, match=f"'c{'b' * 19}' is compared with 'd{'b' * 19}'"):
        score_segmentation([long], [longer])
    with pytest.raises(CorpusError, match="1 documents are compared with 0"):
        score_segmentation([GOLD], [])

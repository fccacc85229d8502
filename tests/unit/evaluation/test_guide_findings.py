"""The table of findings in the guide: every kind is there, with its severity."""

import re
from pathlib import Path

from seqlab.corpus import Corpus
from seqlab.evaluation.checking import check

PAGE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "checking.md"
ROW = re.compile(r"^\| `([^`]+)` \| (error|warning|note) \|", re.MULTILINE)


def corpus_of(words, labels):
    return Corpus.from_lists(word=words, label=labels)


def one_of_each():
    """Corpora that have, taken together, everything that check looks for."""
    odd = [["", " x", "a\x07b", "e\u0301", "a", "a"], [], ["x"]]
    labels = [["", "B-X", "b-x", "B-Y", "B-Z", "B-Z"], [], ["I-X"]]
    dull = corpus_of([["a"], ["b"], ["c"] * 1001], [["X"], ["X"], ["X"] * 1001])
    yield corpus_of([["a", "b"]], [["X", "Y"]])[:0], None
    yield corpus_of(odd, labels), corpus_of([["x"], ["new"]], [["I-X"], ["B-W"]])
    yield dull, None
    yield corpus_of([["a\u200b", "b"]], [["X\u00a0Y", None]]), None
    yield corpus_of(odd[:1], [["B-X"] * 4 + ["I-Y"] * 2]), None


def test_the_guide_lists_every_kind_of_finding_with_its_severity():
    found = {
        (finding.kind, finding.severity)
        for corpus, dev in one_of_each()
        for finding in check(corpus, dev=dev)
    }
    assert sorted(ROW.findall(PAGE.read_text(encoding="utf-8"))) == sorted(found)

"""Numbers in tables, whole numbers as labels (with names, as Hugging Face has them), and strings of letters."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from seqlab import HMM, Corpus, Gaussian, MarkovChain
from seqlab.errors import CorpusError

NAMES = ["O", "B-PER", "I-PER"]


def test_a_frame_of_numbers_becomes_vectors():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"sentence": [0, 0, 1], "x": [1, 2, 3], "y": [0.5, None, 2.0], "label": [1, 0, 1]}
    )
    corpus = Corpus.from_pandas(frame)
    assert corpus.columns == ("vector", "label")
    np.testing.assert_array_equal(corpus.column("vector")[0], [[1, 0.5], [2, np.nan]])
    assert corpus.column("label") == [["1", "0"], ["1"]]
    alone = Corpus.from_pandas(frame[["x"]], sentence=None)
    assert (alone.columns, alone.lengths.tolist()) == (("x",), [3])
    words = Corpus.from_pandas(frame.assign(word=["a", "b", "c"]))
    assert words.column("x") == [["1", "2"], ["3"]]
    with pytest.raises(
        CorpusError, match=r"there is no column 'sentence': .* sentence=None if all rows are one sequence"
    ):
        Corpus.from_pandas(frame[["x"]])


def test_an_hmm_takes_a_frame():
    pandas = pytest.importorskip("pandas")
    numbers = np.concatenate([np.random.default_rng(s).normal(9 * s, 1, (20, 2)) for s in (0, 1)])
    frame = pandas.DataFrame(numbers, columns=["x", "y"])
    hmm = HMM(states=["A", "B"], emissions=Gaussian(), seed=1).fit(frame)
    assert hmm.predict(frame) == HMM(states=["A", "B"], emissions=Gaussian(), seed=1).fit(numbers).predict(
        numbers
    )
    parts = HMM(states=["A", "B"], emissions=Gaussian(), seed=1).fit(
        frame.assign(sentence=[0] * 20 + [1] * 20)
    )
    assert len(parts.predict(frame.assign(sentence=[0] * 20 + [1] * 20))) == 2


def test_strings_are_sequences_of_letters():
    X = ["ACGT", "GGC", "ACG"]
    hmm = HMM(states=["A", "B"], seed=1).fit(X)
    assert [len(path) for path in hmm.predict(X)] == [4, 3, 3]
    assert hmm.predict(X) == HMM(states=["A", "B"], seed=1).fit([list(x) for x in X]).predict(
        [list(x) for x in X]
    )
    assert MarkovChain(smoothing=1.0).fit(X).log_prob(list("ACG")) == MarkovChain(smoothing=1.0).fit(
        [list(x) for x in X]
    ).log_prob(list("ACG"))
    for model in (HMM(states=["A", "B"]), MarkovChain()):
        with pytest.raises(CorpusError, match="is 'the dog', but a list of"):
            model.fit(["the dog"])


# ---------------------------------------------------------------------------------------------- whole numbers as labels


def tables():
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"id": ["0", "1"], "tokens": [["Ann", "left"], ["Bo"]], "ner_tags": [[1, 0], [-1]]})
    sequence = SimpleNamespace(feature=SimpleNamespace(names=NAMES))
    dataset = SimpleNamespace(
        data=table, features={"tokens": SimpleNamespace(feature=None), "ner_tags": sequence}
    )
    features = {"ner_tags": {"feature": {"names": NAMES, "_type": "ClassLabel"}, "_type": "Sequence"}}
    written = json.dumps({"info": {"features": features}})
    return table, dataset, table.replace_schema_metadata({"huggingface": written})


def test_labels_of_a_dataset_have_their_names():
    table, dataset, stored = tables()
    expected = {"tokens": [["Ann", "left"], ["Bo"]], "ner_tags": [["B-PER", "O"], [None]]}
    assert Corpus.from_arrow(dataset).to_lists() == expected
    assert Corpus.from_arrow(stored).to_lists() == expected
    assert Corpus.from_arrow(table, names={"ner_tags": NAMES}).to_lists() == expected


def test_whole_numbers_without_names_are_labels_as_they_are():
    table, _, _ = tables()
    assert Corpus.from_arrow(table).column("ner_tags") == [["1", "0"], ["-1"]]
    with pytest.raises(
        CorpusError, match="column 'ner_tags' has the label 1, but names were given for 0 to 0"
    ):
        Corpus.from_arrow(table, names={"ner_tags": ["O"]})

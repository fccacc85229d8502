import sys

import numpy as np
import pytest

from seqlab import Corpus
from seqlab.errors import CorpusError

CORPUS = Corpus.from_lists([[("the", "DT"), ("dog", "NN")], [("barks", "VBZ")]], columns=("word", "pos"))
BAGS = Corpus.from_lists([[{"a": 2.0}, ["b"]], [["a"]]], [["X", "Y"], ["X"]])
VECTORS = CORPUS.with_column("vector", np.arange(6.0).reshape(3, 2))


@pytest.fixture
def pandas():
    return pytest.importorskip("pandas")


@pytest.fixture
def arrow():
    return pytest.importorskip("pyarrow")


@pytest.mark.parametrize("corpus", [CORPUS, BAGS, VECTORS, CORPUS[1:]])
def test_pandas_there_and_back(pandas, corpus):
    frame = corpus.to_pandas()
    assert frame["sentence"].tolist() == np.repeat(np.arange(len(corpus)), corpus.lengths).tolist()
    assert Corpus.from_pandas(frame) == corpus


def test_pandas_gets_categories(pandas):
    frame = CORPUS.to_pandas()
    assert isinstance(frame["word"].dtype, pandas.CategoricalDtype)
    assert frame["word"].tolist() == ["the", "dog", "barks"]


def test_pandas_tables_that_name_a_sentence_once(pandas):
    frame = pandas.DataFrame({"Sentence #": ["s1", None, "s2"], "Word": ["a", "b", "c"], "x": [1, 2, 3]})
    assert Corpus.from_pandas(frame, "Sentence #", ["Word"]).column("Word") == [["a", "b"], ["c"]]
    with pytest.raises(
        CorpusError, match="there is no column 'sentence': the columns are 'Sentence #', 'Word'"
    ):
        Corpus.from_pandas(frame)
    assert Corpus.from_pandas(frame, "Sentence #", ["x"]).column("x")[0].tolist() == [[1], [2]]
    frame["x"] = [True, False, True]
    with pytest.raises(
        CorpusError, match=r"column 'x' holds .*True.*, but strings are wanted; convert it with astype\(str\)"
    ):
        Corpus.from_pandas(frame, "Sentence #", ["x"])
    frame.loc[1, "Word"] = None
    with pytest.raises(CorpusError, match="column 'Word' has an empty cell in row 1"):
        Corpus.from_pandas(frame, "Sentence #", ["Word"])


@pytest.mark.parametrize("corpus", [CORPUS, BAGS, VECTORS, CORPUS[1:], CORPUS[:0]])
def test_arrow_there_and_back(arrow, corpus):
    table = corpus.to_arrow()
    assert table.num_rows == len(corpus)
    assert Corpus.from_arrow(table) == corpus


def test_arrow_tables_of_others(arrow):
    table = arrow.table({"id": [1, 2], "word": [["the", "dog"], ["barks"]], "pos": [["DT", "NN"], ["VBZ"]]})
    assert Corpus.from_arrow(table) == CORPUS
    assert Corpus.from_arrow(table.slice(1)) == CORPUS[1:]
    assert Corpus.from_arrow(arrow.concat_tables([table, table])) == CORPUS + CORPUS
    assert Corpus.from_arrow(table, ["pos"]).columns == ("pos",)
    assert CORPUS.to_arrow().column("word").to_pylist() == [["the", "dog"], ["barks"]]
    for wrong, message in [
        ({"word": [["a"], None]}, "has a row without a list"),
        ({"word": [["a", None]]}, "has an empty cell"),
        ({"word": [[1]]}, "but strings are wanted"),
        ({"word": ["a"]}, "no column holds lists"),
        ({"a": [["x"]], "b": [["x", "y"]]}, "lists of different lengths"),
    ]:
        with pytest.raises(CorpusError, match=message):
            Corpus.from_arrow(arrow.table(wrong))


@pytest.mark.parametrize(
    ("name", "method", "hint"), [("pandas", "to_pandas", "pandas"), ("pyarrow", "to_arrow", "seqlab.arrow.")]
)
def test_what_is_not_installed_is_said(monkeypatch, name, method, hint):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=f"{name} is not installed; write `pip install '?{hint}"):
        getattr(CORPUS, method)()


def test_a_column_called_sentence_is_not_overwritten(pandas):
    with pytest.raises(CorpusError, match="rename it first"):
        CORPUS.rename(pos="sentence").to_pandas()


def test_arrow_columns_of_other_kinds_are_named(arrow):
    for values in ([[0.5, 2.0]], [[[1.0], [2.0]]]):
        with pytest.raises(
            CorpusError, match=r"column 'ids' holds .*, but strings are wanted; convert it, or leave"
        ):
            Corpus.from_arrow(arrow.table({"word": [["a", "b"]], "ids": values}))

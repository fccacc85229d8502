"""Labels that are not known: None in a column, null in JSON, a mark in columns."""

from __future__ import annotations

import io
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqlab
from seqlab import CRF, HMM, MEMM, Corpus, LinearTagger, MostFrequentTag, Template, check, evaluate, read
from seqlab.encode import Encoder
from seqlab.errors import CorpusError, OptionError

WORDS = [["the", "dog"], ["a", "_", "sat"]]
LABELS = [["D", None], [None, "N", "V"]]
CORPUS = Corpus.from_lists(word=WORDS, label=LABELS)
FILE = "the\tD\ndog\t_\n\na\t_\n_\tN\nsat\tV\n"
LINES = '{"tokens": ["the", "dog"], "tags": ["D", null]}\n{"tokens": ["a", "_", "sat"], "tags": [null, "N", "V"]}\n'


def written(corpus: Corpus, **options: object) -> str:
    out = io.BytesIO()
    corpus.write(out, **options)  # type: ignore[arg-type]
    return out.getvalue().decode()


# ---------------------------------------------------------------------------------------------- the column


def test_a_column_holds_none():
    assert CORPUS.column("label") == LABELS
    assert CORPUS[1]["label"] == LABELS[1]
    assert CORPUS[0][1].label is None
    assert repr(CORPUS[0][1]) == "Token(word='dog', label=None)"
    assert CORPUS.strings("label", missing=True).missing == 2


def test_parts_joins_and_copies_keep_it():
    assert CORPUS[1:].column("label") == LABELS[1:]
    assert (CORPUS[1:] + CORPUS[:1]).column("label") == [LABELS[1], LABELS[0]]
    other = Corpus.from_lists(word=WORDS, label=[["N", "V"], ["X", None, None]])
    assert (CORPUS + other).column("label") == [*LABELS, ["N", "V"], ["X", None, None]]
    assert pickle.loads(pickle.dumps(CORPUS)) == CORPUS
    assert Corpus.from_lists(CORPUS.to_lists()) == CORPUS


def test_a_missing_value_equals_no_string():
    one, other = (Corpus.from_lists(x=[["a", value]]) for value in (None, "b"))
    assert one != other
    assert other != one
    assert one == Corpus.from_lists(x=[["a", float("nan")]])


def test_none_in_place_of_a_sentence():
    assert Corpus.from_lists(word=WORDS, label=[["D", "N"], None]).column("label") == [["D", "N"], [None] * 3]
    assert CORPUS.with_column("label", [None, ["X", "Y", "Z"]]).column("label")[0] == [None, None]


def test_words_themselves_are_wanted():
    with pytest.raises(CorpusError, match="column 'word': sentence 0, token 1 must be a string, got None"):
        Corpus.from_lists([["a", None]])


def test_who_needs_every_value_says_so():
    with pytest.raises(
        CorpusError,
        match="sentence 0, token 1: column 'label' has no value here, but one is wanted for every token",
    ):
        CORPUS.strings("label")
    with pytest.raises(CorpusError, match="2 values of 5 missing"):
        seqlab.MarkovChain().fit(CORPUS, "label")


def test_frames_and_tables_hold_it():
    pytest.importorskip("pandas")
    frame = CORPUS.to_pandas()
    assert frame["label"].isna().tolist() == [False, True, True, False, False]
    assert Corpus.from_pandas(frame) == CORPUS
    frame["word"] = frame["word"].where(frame["word"] != "_")
    with pytest.raises(
        CorpusError, match=r"column 'word' has an empty cell in row 3; .* keep_default_na=False"
    ):
        Corpus.from_pandas(frame)


def test_arrow_holds_it():
    pytest.importorskip("pyarrow")
    assert Corpus.from_arrow(CORPUS.to_arrow()) == CORPUS


# ---------------------------------------------------------------------------------------------- files


def test_a_mark_in_columns_is_a_missing_value_but_no_missing_word():
    corpus = read(io.StringIO(FILE), missing="_")
    assert corpus == CORPUS
    assert written(corpus) == FILE
    assert read(io.StringIO(FILE)).column("label") == [["D", "_"], ["_", "N", "V"]]


def test_null_in_json_lines():
    corpus = read(io.StringIO(LINES))
    assert corpus == CORPUS
    assert written(corpus) == LINES
    assert written(corpus, format="conll", missing="_") == FILE + "\n"
    assert json.loads(written(read(io.StringIO(FILE), missing="_"), format="jsonl").splitlines()[0]) == {
        "word": ["the", "dog"],
        "label": ["D", None],
    }


@pytest.mark.parametrize(
    "line",
    [
        '{"tokens": ["a", "b"], "tags": null, "id": 7}',
        '{"tokens": ["a", "b"], "tags": [null, null]}',
        '[["a", null], ["b", "X"]]',
        '[{"word": "a", "pos": null, "n": 1}, {"word": "b", "pos": "X", "n": 2}]',
    ],
)
def test_every_shape_of_json_holds_null(line):
    corpus = read(io.StringIO(line + "\n"), "jsonl")
    assert corpus.column(corpus.columns[1])[0][0] is None
    assert written(corpus) == line + "\n"


def test_a_null_word_is_refused():
    with pytest.raises(CorpusError, match="field 'tokens', token 1 is None, but a string was wanted"):
        read(io.StringIO('{"tokens": ["a", null]}'), "jsonl")


def test_writing_without_a_mark_is_refused_with_a_way_out():
    with pytest.raises(
        CorpusError,
        match="sentence 0, token 1: CoNLL columns cannot hold a missing value, as there is in column 'label'; "
        "pass missing='_' or another mark to write there, or write another format such as 'jsonl'",
    ):
        written(CORPUS, format="conll")
    with pytest.raises(
        CorpusError,
        match="sentence 1, token 1: column 'label' has the value 'N' here, which is the mark of missing values "
        r"elsewhere; pass missing=\.\.\. with a mark that is no value",
    ):
        written(CORPUS, format="conll", missing="N")
    assert "\t_\t" in written(CORPUS.rename(label="upos"), format="conllu")
    with pytest.raises(OptionError, match="missing must be a string, the cell of a missing value, got 3"):
        read(io.StringIO(FILE), missing=3)  # type: ignore[arg-type]


CELL = st.none() | st.text("abc/", min_size=1, max_size=2)
PAIRS = st.lists(
    st.lists(st.tuples(st.text("abc_", min_size=1, max_size=2), CELL), min_size=1, max_size=4), min_size=1
)


@given(PAIRS, st.sampled_from(["conll", "jsonl", "slash"]))
def test_what_is_missing_is_missing_when_read_again(pairs, form):
    corpus = Corpus.from_lists(
        word=[[word for word, _ in one] for one in pairs], label=[[cell for _, cell in one] for one in pairs]
    )
    mark = None if form == "jsonl" else "?"
    text = written(corpus, format=form, missing=mark)
    again = read(io.StringIO(text), form, columns=("word", "label"), missing=mark)
    assert again == corpus
    assert written(again) == text


# ---------------------------------------------------------------------------------------------- models


@pytest.mark.parametrize(
    "tagger",
    [
        CRF("word[0]"),
        LinearTagger("word[0]"),
        MEMM("word[0]"),
        HMM(),
        MostFrequentTag(),
        HMM(smoothing="mle"),
    ],
    ids=lambda tagger: type(tagger).__name__,
)
def test_a_column_teaches_as_lists_do(tagger):
    by_column = tagger.fit(CORPUS, "label").predict(CORPUS)
    assert tagger.fit(WORDS, LABELS).predict(WORDS) == by_column
    assert tagger.labels_ == ("D", "N", "V")
    asked = [
        (a, b)
        for row, found in zip(LABELS, by_column, strict=True)
        for a, b in zip(row, found, strict=True)
        if a
    ]
    assert tagger.score(CORPUS, "label") == np.mean([a == b for a, b in asked])


def test_a_whole_sentence_without_labels_is_none_in_y():
    X, y = [["a", "b"], ["b", "a"]], [["A", "B"], None]
    for tagger in (CRF("word[0]"), HMM(), MEMM("word[0]")):
        assert tagger.fit(X, y).predict(X) == tagger.fit(X, [["A", "B"], [None, None]]).predict(X)


def test_an_absent_value_gives_no_feature():
    template = Template.parse("pos[0]\nlower(pos[-1]) & word[0]")
    corpus = Corpus.from_lists(word=[["a", "b", "c"]], pos=[["X", None, "Y"]])
    encoded = Encoder(template).fit(corpus)
    expected = [sorted(template.attributes(corpus[0], t)) for t in range(3)]
    names = encoded.encoder.attributes
    rows = encoded.node
    found = [sorted(names[i] for i in rows.ids[rows.indptr[t] : rows.indptr[t + 1]]) for t in range(3)]
    assert found == expected
    assert [len(row) for row in found] == [2, 1, 1]
    tagger = CRF(template).fit(corpus, [["A", "B", "A"]])
    assert len(tagger.predict(corpus)[0]) == 3


def test_an_hmm_takes_a_missing_observation_from_a_file():
    text = "sunny\tA\n?\tB\nrainy\tB\n\nrainy\tB\n"
    corpus = read(io.StringIO(text), columns=("weather", "label"), missing="?")
    tagger = HMM(column="weather").fit(corpus, "label")
    assert tagger.predict(corpus) == HMM().fit(
        [["sunny", None, "rainy"], ["rainy"]], [["A", "B", "B"], ["B"]]
    ).predict([["sunny", None, "rainy"], ["rainy"]])


# ---------------------------------------------------------------------------------------------- check and evaluate


def test_evaluate_leaves_out_tokens_without_a_gold_label():
    predicted = [["D", "D"], ["N", "V", "V"]]
    report = evaluate(CORPUS, predicted, "label")
    assert (report.tokens, report.missing, report.accuracy) == (3, 2, 2 / 3)
    assert str(report).startswith("2 sentences, 3 tokens; 2 tokens without a gold label left out")
    assert report.to_dict()["missing"] == 2
    assert report.figures == evaluate([["D"], ["N", "V"]], [["D"], ["V", "V"]]).figures
    with pytest.raises(
        seqlab.errors.LabelError, match=r"predicted\[0\]\[1\] is None, but a label is a string"
    ):
        evaluate(predicted, LABELS)


def test_check_counts_missing_labels():
    (found,) = check(CORPUS, "label").of("missing label")
    assert (found.severity, found.message) == ("note", "column 'label': 2 of 5 tokens without a label")
    assert found.places == ("sentence 0, token 1", "sentence 1, token 0")
    nothing = Corpus.from_lists(word=[["a"]], label=[[None]])
    assert not check(nothing, "label").ok

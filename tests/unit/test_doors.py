"""Arguments of the wrong kind give our errors: sequences, file names, lists of columns."""

import numpy as np
import pytest

import seqlab
from seqlab import (
    CRF,
    HMM,
    Corpus,
    MarkovChain,
    MostFrequentTag,
    Reranker,
    Template,
    Trellis,
    demo_corpus,
    inference,
    tune,
)
from seqlab.errors import CorpusError, EvaluationWarning, LabelError, SeqlabError
from seqlab.features import Lexicon

NUMBER, WORD = np.array(3.0), np.array("a")
X, Y = [["a", "b"]] * 3, [["N", "V"]] * 3
TAGGER = MostFrequentTag().fit(X, Y)
TRELLIS = Trellis(np.zeros((3, 2)), np.zeros((2, 2)))

SINGLE = {
    "predict": lambda: TAGGER.predict(NUMBER),
    "predict a word": lambda: TAGGER.predict(WORD),
    "predict in a list": lambda: TAGGER.predict([NUMBER]),
    "predict in lists": lambda: TAGGER.predict([[WORD]]),
    "tag": lambda: TAGGER.tag(NUMBER),
    "fit X": lambda: CRF("word[0]").fit(NUMBER, Y),
    "fit y": lambda: CRF("word[0]").fit(X, NUMBER),
    "fit weights": lambda: CRF("word[0]").fit(X, Y, sample_weight=NUMBER),
    "fit callbacks": lambda: CRF("word[0]").fit(X, Y, callbacks=NUMBER),
    "fit constraints": lambda: CRF("word[0]", constraints=NUMBER).fit(X, Y),
    "hmm": lambda: HMM(n_states=2).fit(NUMBER),
    "hmm in a list": lambda: HMM(n_states=2).fit([NUMBER]),
    "chain": lambda: MarkovChain().fit(NUMBER),
    "reranker": lambda: Reranker(TAGGER, folds=None).fit(NUMBER, NUMBER),
    "labels of a trellis": lambda: Trellis(np.zeros((3, 2)), np.zeros((2, 2)), labels=NUMBER),
    "a span": lambda: inference.posterior(TRELLIS).span(0, 1, NUMBER),
    "a column": lambda: demo_corpus("train")[:2].with_column("x", NUMBER),
    "from lists": lambda: Corpus.from_lists(NUMBER),
    "tune X": lambda: tune(TAGGER, NUMBER, NUMBER, search={"seed": [1]}),
    "tune y": lambda: tune(TAGGER, X, NUMBER, search={"seed": [1]}),
    "tune values": lambda: tune(CRF("word[0]"), X, Y, search={"min_count": NUMBER}),
    "columns": lambda: seqlab.read("absent", columns=NUMBER),
}


@pytest.mark.parametrize("name", SINGLE)
def test_an_array_of_no_dimension_is_no_sequence(name):
    with pytest.raises(SeqlabError):
        SINGLE[name]()


NAMED = {
    "read": seqlab.read,
    "stream": lambda path: list(seqlab.stream(path)),
    "write": lambda path: seqlab.write(demo_corpus("train")[:2], path),
    "load": seqlab.load,
    "save": TAGGER.save,
    "report": TAGGER.evaluate(X, Y).html,
    "picture": lambda path: seqlab.draw.graphical_model_picture("hmm").save(f"{path}.svg"),
    "template": Template.read,
    "crf++ template": lambda path: Template.from_crfpp(path, columns=["word"]),
    "wapiti patterns": lambda path: Template.from_wapiti(path, columns=["word"]),
    "lexicon": lambda path: Lexicon.read("x", path),
    "foreign model": seqlab.convert_model,
    "journal": lambda path: tune(CRF("word[0]"), X * 5, Y * 5, search={"min_count": [1]}, resume=path),
    "arpa": lambda path: MarkovChain().fit(X).save_arpa(path),
    "arpa back": MarkovChain.from_arpa,
}


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("odd", ["\ud800", "\0"])
def test_a_name_that_no_file_can_have(name, odd, tmp_path):
    with pytest.raises(SeqlabError) as caught:
        NAMED[name](f"{tmp_path}/a{odd}b")
    str(caught.value).encode("utf-8", "backslashreplace")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("template", ["word[0]\0", "wo\0rd[0]", "\0", "word[0] + \0"])
def test_nul_in_a_template(template):
    with pytest.raises(SeqlabError):
        CRF(template).fit(X, Y)


@pytest.mark.parametrize("name", ["x.jsonl", "x.txt", "absent"])
def test_columns_in_one_string_are_not_the_fault_of_a_file(name, tmp_path):
    (tmp_path / "x.jsonl").write_text('{"a": ["x"], "b": ["N"]}\n')
    (tmp_path / "x.txt").write_text("x N\n\n")
    with pytest.raises(CorpusError) as caught:
        seqlab.read(tmp_path / name, columns="a b")
    assert (
        str(caught.value) == "columns must be a list of names, got the single string 'a b'; write ('a', 'b')"
    )
    assert caught.value.path is None


@pytest.mark.parametrize(
    ("i", "j", "said"), [(2, 9, "lies outside"), (2, 1, "ends before"), (-1, 2, "lies outside")]
)
def test_bounds_of_a_span_are_blamed_on_the_bounds(i, j, said):
    trellis = Trellis(np.zeros((3, 3)), np.zeros((3, 3)), labels=["B-X", "I-X", "O"])
    for path in ("X", ["O"]):
        with pytest.raises(LabelError, match=said):
            inference.posterior(trellis).span(i, j, path)


def test_labels_that_the_model_has_never_heard_of():
    said = "the model knows none of the gold labels"
    for tagger in (TAGGER, Reranker(HMM().fit(X, Y), folds=None).fit(X, Y)):
        with pytest.warns(EvaluationWarning, match=said):
            report = tagger.evaluate(X, [["A", "B"]] * 3)
        assert report.accuracy == 0
        assert tagger.evaluate(X, [["A", "V"]] * 3).accuracy == 0.5  # some are known: no warning

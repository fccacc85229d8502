"""Constraints of a training: labels that break them are refused by every tagger, "auto" finds the tag scheme."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import seqlab
from seqlab import CRF, HMM, MEMM, BaumWelch, LinearTagger, LocalTagger, MostFrequentTag
from seqlab.errors import LabelError, OptionError
from seqlab.tags import Scheme

X = [["Ann", "Lee", "saw", "Rome"], ["it", "rains"], ["Rome", "fell"]] * 2
Y = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "O"], ["B-LOC", "O"]] * 2
BROKEN = [["B-PER", "I-LOC", "O", "B-LOC"], *Y[1:]]
FEATURES = "word[0]"
TAGGERS = {
    "crf": lambda **o: CRF(FEATURES, **o),
    "memm": lambda **o: MEMM(FEATURES, **o),
    "linear": lambda **o: LinearTagger(FEATURES, **o),
    "local": lambda **o: LocalTagger(LogisticRegression(), FEATURES, **o),
    "counted": HMM,
    "tables": lambda **o: HMM(smoothing=0.1, **o),
    "em": lambda **o: HMM(smoothing=0.1, learner=BaumWelch(max_iterations=2), **o),
    "baseline": MostFrequentTag,
}


@pytest.fixture(params=TAGGERS, ids=list(TAGGERS))
def make(request):
    return TAGGERS[request.param]


@pytest.mark.parametrize("constraints", ["IOB2", [("B-PER", "I-LOC")]], ids=["scheme", "moves"])
def test_training_labels_that_break_constraints_are_refused(make, constraints):
    if make is TAGGERS["local"]:
        pytest.skip("its classifier learns each label alone")
    with pytest.raises(LabelError, match="'I-LOC' after 'B-PER' breaks constraints") as told:
        make(constraints=constraints).fit(X, BROKEN)
    assert (told.value.place.sentence, told.value.place.position) == (0, 1)


def test_so_are_those_of_a_later_batch():
    for tagger in (MostFrequentTag(constraints="IOB2"), HMM(constraints="IOB2")):
        tagger.partial_fit(X, Y)
        before = tagger.predict(X)
        with pytest.raises(LabelError, match="'I-LOC' after 'B-PER'"):
            tagger.partial_fit(X[:1], BROKEN[:1])
        assert tagger.predict(X) == before


def test_labels_of_a_sentence_may_be_unknown():
    given = [[None, "I-PER", "O", {"B-LOC", "O"}], None, *Y[2:]]
    HMM(smoothing=0.1, constraints="IOB2").fit(X, given)
    with pytest.raises(LabelError, match="'I-PER' at the beginning breaks"):
        HMM(smoothing=0.1, constraints="IOB2").fit(X, [["I-PER", None, "O", "O"], None, *Y[2:]])


def test_auto_finds_the_scheme_of_the_labels(make, tmp_path):
    tagger = make(constraints="auto").fit(X, Y)
    named = make(constraints="IOB2").fit(X, Y)
    assert tagger.scheme_ == named.scheme_ == Scheme.of("IOB2")
    assert tagger.constraints == "auto"
    assert np.array_equal(tagger.rules_.forbidden, named.rules_.forbidden)
    assert tagger.rules_.no_start.tolist() == [label.startswith("I-") for label in tagger.labels_]
    tagger.save(tmp_path / "m.model")
    again = seqlab.load(tmp_path / "m.model")
    assert (again.constraints, again.scheme_) == ("auto", Scheme.of("IOB2"))
    assert again.predict(X) == tagger.predict(X)


def test_auto_without_a_scheme_is_refused(make):
    with pytest.raises(OptionError, match="constraints='auto': the labels 'D', 'N' follow no tag scheme"):
        make(constraints="auto").fit([["the", "dog"], ["dog", "the"]], [["D", "N"], ["N", "D"]])


def test_auto_reads_other_spellings_and_keeps_the_scheme_of_the_first_batch():
    spelt = [[label[2:] + "_" + label[0] if label != "O" else "O" for label in row] for row in Y]
    tagger = MostFrequentTag(constraints="auto").fit(X, spelt)
    assert (tagger.scheme_.name, tagger.scheme_.delimiter, tagger.scheme_.suffix) == ("IOB2", "_", True)
    tagger = CRF(FEATURES, constraints="auto").fit(X, Y)
    tagger.partial_fit([["no", "name"]], [["O", "O"]])
    assert tagger.scheme_ == Scheme.of("IOB2")
    assert tagger.rules_.forbidden.any()


def test_no_scheme_where_rules_were_given_otherwise():
    assert CRF(FEATURES).fit(X, Y).scheme_ is None
    assert MostFrequentTag(constraints=[("O", "I-PER")]).fit(X, Y).scheme_ is None


def test_auto_needs_labels():
    with pytest.raises(
        OptionError, match="constraints='auto' finds the tag scheme of labels, but there are none"
    ):
        HMM(2, constraints="auto").fit(X)
    with pytest.raises(OptionError, match="constraints='auto' finds the tag scheme of training labels"):
        HMM.from_tables([1.0], [[1.0]], [[1.0]], constraints="auto")

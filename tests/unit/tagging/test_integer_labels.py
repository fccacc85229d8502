"""Labels that are whole numbers: taken by every tagger, given back as they came."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score

import seqlab
from seqlab import CRF, HMM, MEMM, LinearTagger, LocalTagger, MostFrequentTag
from seqlab.errors import LabelError

X = [["a", "b", "c"], ["c"], ["b", "a"]] * 4
Y = [[2, 10, -1], [-1], [10, 2]] * 4
FEATURES = "word[0]"
TAGGERS = {
    "crf": lambda **o: CRF(FEATURES, **o),
    "memm": lambda **o: MEMM(FEATURES, **o),
    "linear": lambda **o: LinearTagger(FEATURES, **o),
    "local": lambda **o: LocalTagger(LogisticRegression(C=100.0), FEATURES, **o),
    "counted": HMM,
    "tables": lambda **o: HMM(smoothing=0.01, **o),
    "baseline": MostFrequentTag,
}


@pytest.fixture(params=TAGGERS, ids=list(TAGGERS))
def make(request):
    return TAGGERS[request.param]


def flat(rows):
    return [one for row in rows for one in row]


def test_numbers_come_back_as_numbers(make, tmp_path):
    tagger = make().fit(X, Y)
    assert sorted(tagger.classes_) == [-1, 2, 10]
    assert tagger.labels_ == tuple(map(str, tagger.classes_))
    assert isinstance(tagger, LocalTagger) or tagger.classes_ == [-1, 2, 10]
    assert tagger.predict(X) == Y
    assert all(type(one) is int for one in flat(tagger.predict(X)))
    assert accuracy_score(flat(Y), flat(tagger.predict(X))) == 1.0
    assert tagger.tag(X[0]) == Y[0] == tagger.predict_single(X[0])
    assert tagger.score(X, Y) == 1.0 == tagger.evaluate(X, Y).accuracy
    tagger.save(tmp_path / "m.model")
    again = seqlab.load(tmp_path / "m.model")
    assert again.predict(X) == Y
    assert again.classes_ == tagger.classes_


def test_numbers_of_numpy_in_lists_and_arrays(make):
    for given in ([list(map(np.int64, row)) for row in Y], [np.array(row, dtype=np.int16) for row in Y]):
        tagger = make().fit(X, given)
        assert tagger.predict(X) == Y
        assert tagger.score(X, given) == 1.0
    arrays = [np.array(row) for row in [["N", "V", "D"], ["D"], ["V", "N"]] * 4]
    assert make().fit(X, arrays).predict(X) == [row.tolist() for row in arrays]


def test_what_is_known_and_allowed_may_be_numbers(make):
    tagger = make(allowed={"c": [-1, 2]}).fit(X, Y)
    assert tagger.tag(["a", "b"], known={0: 10})[0] == 10
    assert tagger.tag(["a", "b"], allowed=[[-1, 10], None])[0] in (-1, 10)
    assert tagger.tag(["a"], allowed={0: {2}}) == [2]
    assert set(tagger.tag(["c"] * 3)) <= {-1, 2}


def test_probabilities_by_number():
    tagger = CRF(FEATURES, class_weight={2: 2.0, -1: 1.0}).fit(X, Y)
    assert sum(tagger.predict_marginals_single(["a"])[0][label] for label in (2, 10, -1)) == pytest.approx(1)
    each = [tagger.log_prob(["a"], [label]) for label in (2, 10, -1)]
    assert np.logaddexp.reduce(each) == pytest.approx(0, abs=1e-9)
    assert tagger.log_prob(["a"], [{2, 10}]) == pytest.approx(np.logaddexp(each[0], each[1]))
    assert HMM().fit(X, Y).log_joint(["a"], [2]) > HMM().fit(X, Y).log_joint(["a"], [10])


def test_labels_that_are_not_known_may_stand_among_them():
    given = [[2, None, {-1, 10}], [-1], None, *Y[3:]]
    assert HMM(smoothing=0.1).fit(X, given).predict(X) == Y
    assert CRF(FEATURES).fit(X, [[2, None, {-1, 10}], *Y[1:]]).predict(X) == Y


def test_moves_that_are_forbidden_may_be_numbers():
    for tagger in (CRF(FEATURES, constraints=[(2, -1)]), MostFrequentTag(constraints=[(2, -1)])):
        tagger.fit(X, Y)
        assert tagger.predict([["a", "c"]]) != [[2, -1]]
        with pytest.raises(LabelError, match="'-1' after '2' breaks constraints"):
            tagger.fit([["a", "c"]], [[2, -1]])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[1, "N"]], "the labels before are whole numbers, but this one is the string 'N'"),
        ([["N", 1]], "a label is a string, a whole number"),
        ([[True, False]], "got True"),
        ([[1.0, 2.0]], "got 1.0"),
        ([[1, 2.5]], "got 2.5"),
    ],
)
def test_other_labels_are_refused_with_their_place(make, given, message):
    with pytest.raises(LabelError, match=message) as told:
        make().fit([["a", "b"]], given)
    assert told.value.place.sentence == 0


def test_later_batches_keep_to_it():
    tagger = MostFrequentTag().partial_fit(X, Y).partial_fit([["d"]], [[7]])
    assert tagger.classes_ == [-1, 2, 7, 10]
    for other in (MostFrequentTag(), CRF(FEATURES)):
        other.partial_fit(X, Y)
        with pytest.raises(LabelError, match="were whole numbers, but these are strings"):
            other.partial_fit([["d"]], [["N"]])
    tagger = CRF(FEATURES).partial_fit(X, Y, classes=[5])
    assert tagger.classes_ == [-1, 2, 5, 10]


def test_a_development_set_of_numbers():
    tagger = CRF(FEATURES).fit(X, Y, dev=(X, Y), patience=2)
    assert tagger.predict(X) == Y

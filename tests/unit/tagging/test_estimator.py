"""Options: read, set, shown, and refused; without scikit-learn."""

import copy
import pickle

import numpy as np
import pytest

from oracle.toy_tagger import Inner, Learner, ToyTagger
from seqlab import LocalTagger, MarkovChain, Reranker
from seqlab.errors import NotFittedError, OptionError
from seqlab.families.local.baseline import MostFrequentTag
from seqlab.tagging.sklearn import Estimator

X = [["the", "dog"], ["dog"]]
Y = [["D", "N"], ["N"]]


def test_options_are_kept_as_they_came():
    learner, scale = Learner(l2=3.0), np.float64(2)
    tagger = ToyTagger(scale, learner=learner)
    assert tagger.get_params(deep=False) == {
        "scale": 2.0, "learner": learner, "probabilistic": True, "moves": True, "block": 50_000,
    }  # fmt: skip
    assert tagger.get_params()["learner"] is learner
    assert tagger.get_params()["scale"] is scale


def test_options_of_options_have_two_underscores():
    deep = ToyTagger(learner=Learner(l2=3.0)).get_params()
    assert deep["learner__l2"] == 3.0
    assert deep["learner__start"] == Inner()
    assert deep["learner__start__rate"] == 0.5


def test_setting_an_inner_option_leaves_the_others_and_the_given_object_alone():
    learner = Learner(l2=3.0, start=Inner(rate=0.1))
    tagger = ToyTagger(learner=learner)
    assert tagger.set_params(learner__start__rate=0.2, scale=4.0) is tagger
    assert tagger.learner == Learner(l2=3.0, start=Inner(rate=0.2))
    assert tagger.scale == 4.0
    assert learner == Learner(l2=3.0, start=Inner(rate=0.1))


def test_setting_an_option_and_its_inner_option_takes_the_new_one():
    tagger = ToyTagger().set_params(learner__l2=7.0, learner=Learner(l2=1.0, start=Inner(rate=9.0)))
    assert tagger.learner == Learner(l2=7.0, start=Inner(rate=9.0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sclae": 1}, "ToyTagger has no option 'sclae', only 'scale', 'learner', "),
        ({"learner__l3": 1}, "learner, a Learner, has no option 'l3', only 'l2', 'start'"),
        ({"learner__start__l3": 1}, "learner__start, a Inner, has no option 'l3', only 'rate'"),
        ({"scale__l2": 1}, "scale__l2 cannot be set, because scale is 1.0, which has no options of its own"),
        ({"learner": None, "learner__l2": 1}, "learner__l2 cannot be set, because learner is None"),
    ],
)
def test_options_that_do_not_exist_are_refused_and_nothing_is_set(options, message):
    tagger = ToyTagger()
    with pytest.raises(OptionError, match=message):
        tagger.set_params(moves=False, **options)
    assert tagger.get_params() == ToyTagger().get_params()


def test_repr_shows_what_differs_from_the_defaults():
    assert repr(ToyTagger()) == "ToyTagger()"
    assert repr(ToyTagger(2.0, learner=Learner(l2=1.0))) == "ToyTagger(scale=2.0)"
    assert (
        repr(MostFrequentTag("rare", constraints="IOB2"))
        == "MostFrequentTag(unknown='rare', constraints='IOB2')"
    )
    assert repr(ToyTagger(1)) == "ToyTagger(scale=1)"  # 1 is not 1.0: what was given is shown


def test_repr_copes_with_values_that_do_not_compare_and_with_long_ones():
    assert "array" in repr(ToyTagger(np.zeros(3)))
    long = repr(ToyTagger("x" * 1000))
    assert len(long) < 100
    assert "xxx...xxx" in long


def test_an_estimator_without_options_has_none():
    assert Estimator().get_params() == {}
    assert repr(Estimator()) == "Estimator()"
    with pytest.raises(OptionError, match="has no option 'a', only none at all"):
        Estimator().set_params(a=1)


def test_what_is_learned_is_not_there_before_fit():
    tagger = ToyTagger()
    assert not hasattr(tagger, "labels_")
    assert not hasattr(tagger, "classes_")
    with pytest.raises(
        NotFittedError, match=r"labels_ is learned by fit, but this ToyTagger .* call fit\(X, y\)"
    ):
        tagger.labels_  # noqa: B018
    with pytest.raises(AttributeError, match="'ToyTagger' object has no attribute 'labelz'"):
        tagger.labelz  # noqa: B018
    tagger.fit(X, Y)
    assert tagger.classes_ == ["D", "N"]
    with pytest.raises(AttributeError, match="no attribute 'weights_'") as caught:
        tagger.weights_  # noqa: B018
    assert not isinstance(caught.value, NotFittedError)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize("fitted", [False, True])
def test_copies_answer_alike(again, fitted):
    tagger = ToyTagger(2.0)
    if fitted:
        tagger.fit(X, Y)
    copied = again(tagger)
    assert copied is not tagger
    assert copied.get_params() == tagger.get_params()
    if fitted:
        assert copied.predict(X) == tagger.predict(X)
        assert copied.vocabulary_ == {"the", "dog"}
    else:
        with pytest.raises(NotFittedError):
            copied.predict(X)


@pytest.mark.parametrize(
    "kind", [MarkovChain, MostFrequentTag, lambda: LocalTagger(None), lambda: Reranker(None)]
)
def test_what_is_learned_is_absent_before_fit_and_says_so(kind):
    model = kind()
    learned = [name for name in dir(type(model)) if name.endswith("_") and not name.startswith("_")]
    assert len(learned) > 4
    for name in set(learned) - {"fit_"}:
        assert not hasattr(model, name), name
        with pytest.raises(NotFittedError, match=f"{name}.* has learned nothing yet; call fit"):
            getattr(model, name)

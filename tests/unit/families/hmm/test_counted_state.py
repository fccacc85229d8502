"""Saved = unsaved; and a file that somebody has tampered with is refused."""

import copy
import pickle

import numpy as np
import pytest

from oracle.counted import coded, counted
from seqlab import store
from seqlab.errors import StoreError
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.counting import SuffixModel
from seqlab.learning.smoothing import AddLambda, KneserNey, WittenBell
from seqlab.store.codec import state_of, value_of

TEXT = [[("the", "D"), ("dog", "N"), ("barks", "V")], [("Älg", "N"), ("barks", "N")], []]
ASKED = coded([["the", "dogs", "barks"], ["", "Älg"]])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"order": 1, "smoothing": "mle", "unknown": None, "end": True},
        {"order": 3, "smoothing": AddLambda(np.float64(0.5))},
        {"smoothing": KneserNey((0.1, 0.2, 0.3)), "unknown": SuffixModel(strength=None, rare=np.int64(3))},
        {"smoothing": WittenBell(), "unknown": SuffixModel(longest=2, known=1, folded=None, least=0.0)},
        {"weights": np.array([0.5, 0.1, 2.0, 0.0, 1.5])},
    ],
)
def test_what_was_saved_answers_alike(options):
    model = counted(TEXT, **options)
    again = value_of(CountedHMM, store.revived(store.as_bytes(state_of(model))))
    assert (again.labels, again.order, again.end) == (model.labels, model.order, model.end)
    assert again.unknown == model.unknown
    assert store.as_bytes(state_of(again)) == store.as_bytes(state_of(model))
    for one, other in zip(again.trellises(*ASKED), model.trellises(*ASKED), strict=True):
        assert np.array_equal(one.node, other.node)
        assert np.array_equal(one.edge, other.edge)


def test_models_travel_between_processes():
    model = counted(TEXT, order=2, end=True)
    asked = model.label_ids(*ASKED)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(again.label_ids(*ASKED), asked)
        assert (again.labels, again.smoothing, again.unknown) == (
            model.labels,
            model.smoothing,
            model.unknown,
        )


def told(name, **fields):
    return {"object": {"name": name, "fields": fields}}


def tampered(*, settings=None, **arrays):
    state = state_of(counted(TEXT))
    changed = {name.replace("__", "."): array for name, array in arrays.items()}
    return state.replaced(settings={**state.settings, **(settings or {})}, arrays={**state.arrays, **changed})


def array(name):
    return state_of(counted(TEXT)).arrays[name].copy()


def changed(name, place, value):
    found = array(name)
    found[place] = value
    return found


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (lambda: tampered(settings={"labels": []}), "the labels of a model should be there"),
        (lambda: tampered(settings={"labels": ["D", "N", "N"]}), "each of them once"),
        (
            lambda: tampered(settings={"labels": ["D", "N"]}),
            "should have shape|numbers from 0 to 1|lie between",
        ),
        (lambda: tampered(settings={"labels": [str(i) for i in range(600)]}), "take a lower order"),
        (lambda: tampered(settings={"order": 4}), "'order' should lie between 1 and 3"),
        (lambda: tampered(settings={"end": 1}), "'end' should be true or false"),
        (lambda: tampered(settings={"smoothing": told("x")}), "a 'x', which seqlab does not have"),
        (
            lambda: tampered(settings={"smoothing": told("AddLambda", value=-1)}),
            "the option smoothing of the model makes no sense",
        ),
        (
            lambda: tampered(settings={"smoothing": told("KneserNey", discounts={"list": [1]})}),
            "the option smoothing of the",
        ),
        (
            lambda: tampered(settings={"smoothing": told("KneserNey", discounts={"list": ["a", 1, 1]})}),
            "smoothing",
        ),
        (
            lambda: tampered(settings={"unknown": told("SuffixModel", luck=3)}),
            "unexpected keyword argument 'luck'",
        ),
        (lambda: tampered(settings={"unknown": told("MLE")}), "a 'MLE', which seqlab does not have"),
        (lambda: tampered(settings={"unknown": 3}), "makes no sense here"),
        (lambda: tampered(moves__place=changed("moves.place", 0, -1)), "places of moves"),
        (lambda: tampered(moves__place=changed("moves.place", -1, 10**9)), "places of moves"),
        (lambda: tampered(moves__place=changed("moves.place", 1, 0)), "places of moves"),
        (lambda: tampered(moves__count=changed("moves.count", 0, np.nan)), "NaN"),
        (lambda: tampered(moves__count=changed("moves.count", 0, -1)), "numbers from 0, found others"),
        (lambda: tampered(moves__count=changed("moves.count", 0, 1e305)), "their sum a number"),
        (lambda: tampered(last=np.zeros(2)), "should have shape"),
        (lambda: tampered(word__begin=changed("word.begin", 1, 99)), "never fall"),
        (lambda: tampered(word__begin=changed("word.begin", 1, 0)), "every word should have labels"),
        (lambda: tampered(word__label=changed("word.label", 0, 3)), "numbers from 0 to 2"),
        (lambda: tampered(word__label=array("word.label")[::-1].copy()), "in rising order"),
        (lambda: tampered(word__count=changed("word.count", 0, 0)), "above 0"),
        (lambda: tampered(word__count=changed("word.count", 0, np.inf)), "NaN or infinity"),
        (lambda: tampered(word__pool__bytes=changed("word.pool.bytes", 0, 255)), "sound UTF-8"),
    ],
)
def test_tampered_states_are_refused(state, message):
    with pytest.raises(StoreError, match=message):
        value_of(CountedHMM, state())


@pytest.mark.parametrize("value", [{"longest": "3"}, {"rare": None}, {"least": 7.0}, {"longest": 10**6}])
def test_tampered_options_are_refused(value):
    with pytest.raises(StoreError, match="the option unknown of the model makes no sense"):
        value_of(CountedHMM, tampered(settings={"unknown": told("SuffixModel", **value)}))

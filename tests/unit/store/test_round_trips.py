"""Saved = unsaved, bit for bit: encoders of every kind, models of every order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.stored import MIXED, OTHER, TRAIN, Toy, encoders, linear, own, toy
from seqlab import inference, store
from seqlab.encode import Encoder
from seqlab.errors import StoreError
from seqlab.families.linear.model import LinearModel
from seqlab.features import Template, presets
from seqlab.store.codec import state_of, value_of

KINDS = list(encoders())
FUNCTIONS = {"own": own}


def through_file(state, path):
    store.write(path, state)
    return store.read(path, verify=True)


def revived(encoder):
    state = store.revived(store.as_bytes(encoder.state()))
    return Encoder.from_state(store.State(state.kind, state.settings, state.arrays, {}, FUNCTIONS))


def same(one: Encoder, two: Encoder, corpus: object) -> None:
    assert (one.attributes, one.edge_attributes) == (two.attributes, two.edge_attributes)
    assert (one.labels, one.size, one.edge_size) == (two.labels, two.size, two.edge_size)
    assert (one.features, one.min_count) == (two.features, two.min_count)
    if corpus is None:
        return
    a, b = one.encode(corpus, threads=1), two.encode(corpus, threads=2)
    for name in ("offsets", "indptr", "ids", "values", "edge_indptr", "edge_ids"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("kind", KINDS)
def test_encoders_come_back(kind):
    encoder, corpus = encoders()[kind]
    same(encoder, revived(encoder), corpus)
    same(encoder, revived(revived(encoder)), corpus)
    assert store.as_bytes(encoder.state()) == store.as_bytes(revived(encoder).state())


@pytest.mark.parametrize("kind", ["template", "edges", "crfpp", "wapiti", "function", "mixed", "fresh"])
def test_encoders_that_came_back_learn_on_alike(kind):
    encoder = encoders()[kind][0]
    back = revived(encoder)
    corpus = MIXED if kind == "mixed" else OTHER
    one, two = (
        encoder.extend(corpus, "pos" if corpus is OTHER else None),
        back.extend(corpus, "pos" if corpus is OTHER else None),
    )
    np.testing.assert_array_equal(one.ids, two.ids)
    same(encoder, back, corpus)
    same(encoder, revived(back), corpus)


@pytest.mark.parametrize("name", presets.__all__)
def test_presets_come_back(name):
    template = getattr(presets, name)
    assert value_of(Template, store.revived(store.as_bytes(state_of(template)))) == template


def test_a_template_may_have_any_characters():
    from seqlab.features import Atom, Feature

    odd = Template((Feature((Atom("a\nb`c"), Atom("#1", -3, absolute=True)), ("x\n", "\0", '"🙂')),))
    assert value_of(Template, state_of(odd)) == odd


def test_a_lexicon_comes_back_without_its_file(tmp_path):
    path = tmp_path / "names.txt"
    path.write_text("old man\tX\nthe\n")
    encoder = Encoder(
        Template.parse(f'lexicon names = "{path}"\nin(word[0], names)\ngazetteer(word[0], names)')
    )
    encoder.fit(TRAIN, "pos")
    state = store.revived(store.as_bytes(encoder.state()))
    path.unlink()
    back = Encoder.from_state(state)
    same(encoder, back, TRAIN)
    assert back.features.lexicons["names"].path == str(path)


def test_a_function_is_stored_by_name_and_wanted_at_load(tmp_path):
    encoder = encoders()["function"][0]
    store.save(encoder, tmp_path / "m")
    kinds = {"encoder": Encoder.from_state}
    with pytest.raises(
        StoreError, match=r"own', and a model file holds no code; pass load\(\.\.\., functions="
    ):
        store.load(tmp_path / "m", kinds)
    same(encoder, store.load(tmp_path / "m", kinds, functions=FUNCTIONS), OTHER)


class Callable:
    def __call__(self, sentence, t):
        return ["x"]


@pytest.mark.parametrize("function", [lambda _, t: [str(t)], Callable()])
def test_a_function_without_a_name_cannot_be_stored(function):
    encoder = Encoder(function)
    encoder.fit(TRAIN)
    with pytest.raises(
        StoreError, match=r"cannot be stored: a model file holds no code, .* or use a template"
    ):
        encoder.state()


def test_labels_that_utf8_cannot_hold_are_refused():
    encoder = encoders()["bags"][0]
    encoder.labels = ("\ud800",)
    with pytest.raises(StoreError, match="lone surrogate"):
        store.as_bytes(encoder.state())


# ------------------------------------------------------------------------------------------------ models


def fields(model):
    found = {
        name: getattr(model, name)
        for name in model.__slots__
        if name not in {"_scorers", "coarse", "edge", "rules"}
    }
    for owner in ("edge", "rules"):
        part = getattr(model, owner)
        if part is not None:
            found.update({f"{owner}.{name}": getattr(part, name) for name in part.__slots__})
    return found


def assert_same_model(one, two):
    a, b = fields(one), fields(two)
    assert a.keys() == b.keys()
    for name in a:
        assert np.array_equal(a[name], b[name]), name
        assert getattr(a[name], "dtype", None) == getattr(b[name], "dtype", None), name
    assert (one.coarse is None) == (two.coarse is None)
    if one.coarse is not None:
        assert_same_model(one.coarse, two.coarse)


@settings(max_examples=50)
@given(st.integers(1, 4), st.integers(0, 6), st.booleans(), st.integers(0, 3))
def test_models_come_back_bit_for_bit(labels, attributes, second, edges):
    model = linear(tuple("ABCD"[:labels]), attributes, second=second, edges=edges)
    back = value_of(LinearModel, store.revived(store.as_bytes(state_of(model))), {"K": attributes})
    assert_same_model(model, back)


@pytest.mark.parametrize("second", [False, True])
def test_a_loaded_tagger_answers_as_the_one_that_was_saved(tmp_path, second):
    made = toy(second=second)
    store.save(made, tmp_path / "m")
    back = store.load(tmp_path / "m", {"toy": Toy.from_state}, verify=True)
    assert_same_model(made.model, back.model)
    for corpus in (TRAIN, OTHER):
        one = made.model.trellises(made.encoder.encode(corpus))
        two = back.model.trellises(back.encoder.encode(corpus))
        assert [p.labels for p in inference.viterbi(one)] == [p.labels for p in inference.viterbi(two)]
        assert [p.score for p in inference.viterbi(one)] == [p.score for p in inference.viterbi(two)]


def test_settings_and_record_are_there_to_be_looked_at(tmp_path):
    found = through_file(toy().state(), tmp_path / "m")
    assert found.kind == "toy"
    assert found.settings["options"] == {"l2": 0.1}
    assert found.record == {"epochs": 3}
    assert "edge: word[0]" in found.part("encoder", "encoder").part("template", "template").setting(
        "text", str
    )
    with pytest.raises(StoreError, match="the part 'model' is of kind 'linear model', 'hmm' is wanted"):
        found.part("model", "hmm")

"""Saved = unsaved; and a file that somebody has tampered with is refused."""

import numpy as np
import pytest

from oracle.toy_tagger import ToyTagger
from seqlab import store
from seqlab.corpus import Corpus
from seqlab.errors import StoreError
from seqlab.families.local.baseline import MostFrequentTag
from seqlab.tags import Scheme
from seqlab.trellis import Constraints

X = [["the", "run"], ["the", "dogs", "run"], ["run", "the"]]
Y = [["B-D", "I-D"], ["B-D", "O", "O"], ["O", "B-D"]]
CORPUS = Corpus.from_lists(word=X, lemma=X, chunk=Y)
KINDS = {"most frequent tag": MostFrequentTag.from_state}
OPTIONS = [
    {},
    {"unknown": "rare", "smoothing": 0, "column": "lemma"},
    {"constraints": "IOB2", "allowed": {"dogs": ["O", "B-D"], "new": ["B-D"]}},
    {"constraints": [("O", "I-D")], "class_weight": "balanced"},
    {"constraints": Constraints(forbidden_starts=["I-D"]), "class_weight": {"O": 2}},
    {"constraints": Scheme.of("IOB2"), "class_weight": {}, "smoothing": 1},
    {"constraints": (("O", "I-D"),), "allowed": {"dogs": ("O",), "new": {"B-D"}, "run": frozenset("O")}},
    {"constraints": [], "class_weight": {"O": 2, "B-D": 0.5}, "allowed": {}},
]


def exactly(value):
    """A value with the types of all that is inside."""
    if isinstance(value, dict):
        return {key: exactly(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value), [exactly(one) for one in value]
    return type(value), repr(value) if isinstance(value, Constraints) else value


@pytest.mark.parametrize("options", OPTIONS)
def test_what_was_saved_answers_alike(options, tmp_path):
    tagger = MostFrequentTag(**options).fit(CORPUS, "chunk")
    tagger.save(tmp_path / "model")
    again = store.load(tmp_path / "model", KINDS, verify=True)
    test = CORPUS + Corpus.from_lists(word=[["new", "run"]], lemma=[["new", "run"]], chunk=[["O", "O"]])
    assert again.predict(test) == tagger.predict(test)
    for one, other in zip(again.predict_proba(test), tagger.predict_proba(test), strict=True):
        assert np.array_equal(one, other)
    assert again.evaluate(test).figures == tagger.evaluate(test).figures
    assert again.evaluate(test).unseen == 1
    assert (again.column_, again.columns_, again.vocabulary_) == (
        tagger.column_,
        tagger.columns_,
        tagger.vocabulary_,
    )
    for name, value in tagger.get_params(deep=False).items():
        assert exactly(getattr(again, name)) == exactly(value), name
    assert store.as_bytes(again.state()) == store.as_bytes(tagger.state())


@pytest.mark.parametrize("options", OPTIONS)
def test_what_was_saved_learns_on_alike(options):
    if options.get("class_weight") == "balanced":
        return
    tagger = MostFrequentTag(**options).fit(CORPUS, "chunk")
    again = MostFrequentTag.from_state(store.revived(store.as_bytes(tagger.state())))
    more = Corpus.from_lists(
        word=[["Oslo", "run"], ["Rome"]], lemma=[["Oslo", "run"], ["Rome"]], chunk=[["B-D", "I-D"], ["B-X"]]
    )
    for one in (tagger, again):
        one.partial_fit(more, "chunk")
    assert again.labels_ == tagger.labels_ == ("B-D", "B-X", "I-D", "O")
    assert again.predict(CORPUS + more) == tagger.predict(CORPUS + more)


def changed(settings=None, **arrays):
    state = MostFrequentTag(allowed={"run": ["O"]}).fit(CORPUS, "chunk").state()
    return state.replaced(settings={**state.settings, **(settings or {})}, arrays={**state.arrays, **arrays})


def options(**changes):
    return {"options": {**changed().settings["options"], **changes}}


@pytest.mark.parametrize(
    "state",
    [
        changed(word=np.array([0, 0, 1, 9], dtype=np.int32)),
        changed(label=np.array([0, 1, 2, 3], dtype=np.int32)),
        changed(word=np.array([2, 1, 1, 0], dtype=np.int32)),
        changed(count=np.array([1, 1, np.nan, 1])),
        changed(count=np.array([1.0, 1, -1, 1])),
        changed(count=np.zeros(4)),
        changed(seen=np.array([-1, 1, 1])),
        changed(seen=np.array([1, 1])),
        changed(options(unknown="never")),
        changed(options(smoothing=-1.0)),
        changed(options(smoothing=None)),
        changed(options(colour="red")),
        changed(options(constraints={"code": "import os"})),
        changed({"word_column": 3}),
        changed({"parts": {}}),
        changed(**{"training.rules.forbidden": np.zeros((2, 2), dtype=bool)}),
        changed(**{"training.dictionary.rows": np.zeros((1, 3), dtype=bool)}),
        changed(**{"words.begins": np.array([0, 0, 0, 10])}),
    ],
)  # fmt: skip
def test_tampered_states_are_refused(state, tmp_path):
    store.write(tmp_path / "model", changed())
    assert store.load(tmp_path / "model", KINDS).tag(["run"]) == ["O"]
    store.write(tmp_path / "model", state)
    with pytest.raises(StoreError, match="model"):
        store.load(tmp_path / "model", KINDS)


class OwnTag(MostFrequentTag):
    pass


def test_a_class_of_ones_own_cannot_be_saved(tmp_path):
    for tagger, ours in ((ToyTagger(), "Tagger"), (OwnTag(), "MostFrequentTag")):
        with pytest.raises(StoreError, match=f"is a class of your own, and .* make a {ours} of it"):
            tagger.fit(X, Y).save(tmp_path / "model")

"""Saved = unsaved, bit for bit: linear taggers with every option; and what is refused."""

import copy
import pickle
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

import seqlab
from oracle.toy_tagger import ToyTagger
from seqlab import learning, store
from seqlab.corpus import Corpus
from seqlab.errors import NotFittedError, StoreError
from seqlab.families.linear import learners
from seqlab.families.linear.learners.batch import LBFGS
from seqlab.families.linear.memm import MEMM
from seqlab.families.linear.tagger import CRF, LinearTagger
from seqlab.families.local.baseline import MostFrequentTag
from seqlab.features import Template
from seqlab.features.own import FeatureFunction
from seqlab.store.values import Values
from seqlab.tags import Scheme
from seqlab.trellis import Constraints

WORDS = [["the", "old", "man", "runs"], ["Rio", "runs"], ["the", "Rio", "man", "the", "old"], ["runs"]]
TAGS = [["B-N", "I-N", "I-N", "O"], ["B-L", "O"], ["B-N", "B-L", "B-N", "B-N", "I-N"], ["O"]]
TRAIN = Corpus.from_lists(word=WORDS, chunk=TAGS)
TEST = Corpus.from_lists(
    word=[["the", "man", "Oslo", "runs"], ["old"], ["Rio"] * 3], chunk=[["O"] * 4, ["O"], ["O"] * 3]
)
MORE = Corpus.from_lists(word=[["the", "Nile", "runs"]], chunk=[["B-N", "B-R", "O"]])
QUICK = LBFGS(max_iterations=4)
EDGES = Template.parse("word[0]\nsuffix(word[0], 2)\nedge: word[0]\nboth: word[-1] & word[0]")


def endings(sentence, t):
    yield sentence["word"][t][-2:]
    yield "length", len(sentence["word"][t]) / 3


FUNCTIONS = {"endings": endings}
MASK = np.zeros((5, 5), dtype=bool)
MASK[4, 2] = True

OPTIONS = {
    "crf": (CRF, {"features": "word[0]\nword[-1]"}),
    "preset": (CRF, {"features": "pos", "min_count": 2}),
    "template": (CRF, {"features": EDGES, "seed": 3, "threads": 2}),
    "function": (CRF, {"features": endings}),
    "wrapped": (CRF, {"features": FeatureFunction(endings), "states": "all", "transitions": "all"}),
    "scheme": (CRF, {"features": "word[0]", "constraints": "bio"}),
    "own scheme": (CRF, {"features": "word[0]", "constraints": Scheme.of("IOB2", outside="O")}),
    "pairs": (CRF, {"features": "word[0]", "constraints": [("O", "I-N"), ("B-L", "I-N")]}),
    "set of pairs": (CRF, {"features": "word[0]", "constraints": {("O", "I-N"), ("I-N", "B-R")} - {("I-N", "B-R")}}),
    "rules": (
        CRF,
        {"features": "word[0]", "constraints": Constraints([("O", "I-N")], ("I-N",), frozenset(["B-L"]))},
    ),
    "second": (CRF, {"features": EDGES, "order": 2, "keep": 0.01}),
    "second, all": (CRF, {"features": "word[0]", "order": 2, "keep": 0, "constraints": "IOB2"}),
    "allowed": (
        CRF,
        {"features": "word[0]", "allowed": {"Oslo": ["B-L", "B-X"], "the": {"B-N", "O"}, "old": ("I-N", "B-N")}},
    ),
    "balanced": (CRF, {"features": "word[0]", "class_weight": "balanced"}),
    "weighed": (CRF, {"features": "word[0]", "class_weight": {"O": 2, "B-N": 0.5}}),
    "memm": (MEMM, {"features": EDGES, "constraints": "IOB2"}),
    "linear": (LinearTagger, {"features": "word[0]\nsuffix(word[0], 1)"}),
}  # fmt: skip


def fitted(name, corpus=TRAIN):
    kind, options = OPTIONS[name]
    return kind(**{"learner": QUICK, **options}).fit(corpus, "chunk")


def through_file(tagger, path):
    tagger.save(path)
    return seqlab.load(path, functions=FUNCTIONS, verify=True)


def arrays_of(model):
    found = {
        name: getattr(model, name) for name in ("begin", "label", "weights", "moves", "move_seen", "theta")
    }
    masks = ("forbidden", "no_start", "no_end")
    found |= {f"rules.{name}": getattr(model.rules, name) for name in masks}
    if model.edge is not None:
        found |= {f"edge.{name}": getattr(model.edge, name) for name in model.edge.__slots__}
    if model.coarse is not None:
        found |= {f"coarse.{name}": array for name, array in arrays_of(model.coarse).items()}
    return found


def assert_same(one, two, corpus=TEST):
    assert type(one) is type(two)
    assert sorted(repr(one)) == sorted(repr(two))  # sets have no order
    mine, other = arrays_of(one.model_), arrays_of(two.model_)
    assert mine.keys() == other.keys()
    for name, array in mine.items():
        assert array.dtype == other[name].dtype, name
        assert array.tobytes() == other[name].tobytes(), name
    assert one.model_.rules.spelling == two.model_.rules.spelling
    assert one.history_.to_dict() == two.history_.to_dict()
    assert (one.labels_, one.columns_, one.column_, one.vocabulary_) == (
        two.labels_,
        two.columns_,
        two.column_,
        two.vocabulary_,
    )
    assert one.encoder_.attributes == two.encoder_.attributes
    assert one.predict(corpus) == two.predict(corpus)
    for p, q in zip(one.predict_proba(corpus), two.predict_proba(corpus), strict=True):
        assert p.tobytes() == q.tobytes()


@pytest.mark.parametrize("name", OPTIONS)
def test_what_was_saved_is_what_comes_back(name, tmp_path):
    tagger = fitted(name)
    back = through_file(tagger, tmp_path / "model")
    assert_same(tagger, back)
    given, found = tagger.get_params(deep=False), back.get_params(deep=False)
    for option in given.keys() - {"constraints", "features"}:
        assert found[option] == given[option], option
        assert type(found[option]) is type(given[option]), option
    assert back.as_bytes() == tagger.as_bytes() == (tmp_path / "model").read_bytes()


@pytest.mark.parametrize("name", OPTIONS)
def test_what_was_saved_learns_on_alike(name):
    tagger = fitted(name)
    back = type(tagger).from_bytes(tagger.as_bytes(), functions=FUNCTIONS)
    fresh = [
        type(tagger)(**one.get_params(deep=False)).fit(MORE + TRAIN, "chunk", start=one)
        for one in (tagger, back)
    ]
    assert "B-R" in fresh[0].labels_
    for one in fresh:
        one.fit_ = replace(one.fit_, history=tagger.history_)  # seconds differ
    assert_same(*fresh)
    if name in {"balanced", "weighed"}:
        return  # the further data has not all of the labels
    for one in (tagger, back):
        one.partial_fit(MORE, "chunk")
        one.fit_ = replace(one.fit_, history=tagger.history_)
    assert_same(tagger, back)


@pytest.mark.parametrize("name", ["crf", "second", "allowed", "memm", "function"])
def test_taggers_can_be_pickled_and_copied(name):
    tagger = fitted(name)
    tagger.predict(TEST)
    for back in (pickle.loads(pickle.dumps(tagger)), copy.deepcopy(tagger), copy.copy(tagger)):
        assert_same(back, tagger)


def test_ready_made_attributes_vectors_and_plain_lists_come_back(tmp_path):
    X = [[{"a": 1.5, "b": 1}, ["c"]], [["a"]]]
    tagger = CRF(learner=QUICK).fit(X, [["X", "Y"], ["X"]])
    back = through_file(tagger, tmp_path / "model")
    assert_same(tagger, back, [[["c"], ["new"]], []])
    assert back.column_ is None
    vectors = TRAIN.with_column("v", [np.arange(2.0 * len(s)).reshape(-1, 2) for s in WORDS])
    tagger = CRF("word[0]", QUICK).fit(vectors, "chunk")
    assert_same(tagger, through_file(tagger, tmp_path / "model"), vectors)
    tagger = CRF("word[0]", QUICK).fit(WORDS, TAGS)
    assert_same(tagger, through_file(tagger, tmp_path / "model"), WORDS)


@pytest.mark.parametrize(
    "name",
    learners.__all__,
)
def test_every_learner_comes_back_with_its_options(name):
    learner = getattr(learners, name)()
    tagger = LinearTagger("word[0]", learner).fit(TRAIN, "chunk")
    back = LinearTagger.from_bytes(tagger.as_bytes())
    assert back.learner == learner
    assert type(back.learner) is type(learner)
    assert back.predict(TEST) == tagger.predict(TEST)


def test_dev_scores_and_the_reason_stand_in_the_history(tmp_path):
    tagger = CRF("word[0]", QUICK).fit(TRAIN, "chunk", dev=TRAIN, metric="accuracy")
    history = through_file(tagger, tmp_path / "model").history_
    assert history.metric == "accuracy"
    assert history.dev_score == tagger.history_.dev_score
    assert (history.reason, history.best) == (tagger.history_.reason, tagger.history_.best)
    assert repr(history) == repr(tagger.history_)


def test_sets_are_stored_in_one_order():
    labels = [f"B-{i}" for i in range(60)]
    one, other = set(labels), {f"B-{i}" for i in range(59, -1, -1)}
    assert list(one) != list(other)
    states = [store.State("one"), store.State("other")]
    for state, some in zip(states, (one, other), strict=True):
        state.settings["allowed"] = Values({}).put(state, "allowed", {"w": some})
    assert store.as_bytes(states[0].replaced(kind="it")) == store.as_bytes(states[1].replaced(kind="it"))


def test_rules_from_an_iterator_and_features_set_later_come_back():
    tagger = CRF("word[0]", QUICK, constraints=iter([("O", "I-N")])).fit(TRAIN, "chunk")
    back = CRF.from_bytes(tagger.as_bytes())
    assert back.constraints.forbidden_moves == (("O", "I-N"),)
    tagger = CRF("word[0]", QUICK, allowed={"Rio": iter(["B-L", "O"])}).fit(TRAIN, "chunk")
    assert CRF.from_bytes(tagger.as_bytes()).allowed == {"Rio": ["B-L", "O"]}
    tagger.set_params(features=EDGES, allowed=None)
    back = CRF.from_bytes(tagger.as_bytes())
    assert back.features == EDGES
    assert back.encoder_.features == Template.parse("word[0]")
    assert_same(tagger, back)


def test_masks_come_back():
    labels = ("B-L", "B-N", "I-N", "O")
    rules = Constraints(MASK[1:, 1:], np.array([False, False, True, False]))
    tagger = CRF("word[0]", QUICK, constraints=rules).fit(TRAIN, "chunk")
    assert tagger.labels_ == labels
    back = CRF.from_bytes(tagger.as_bytes())
    for name in ("forbidden_moves", "forbidden_starts"):
        found = getattr(back.constraints, name)
        np.testing.assert_array_equal(found, getattr(rules, name))
        assert found.dtype == bool


def test_a_baseline_comes_back_by_the_same_door(tmp_path):
    tagger = MostFrequentTag().fit(TRAIN, "chunk")
    assert through_file(tagger, tmp_path / "model").predict(TEST) == tagger.predict(TEST)
    assert MostFrequentTag.from_bytes(tagger.as_bytes()).tag(["the"]) == ["B-N"]


# ------------------------------------------------------------------------------------------------ refused


def test_kinds_are_kept_apart():
    memm, crf = fitted("memm"), fitted("crf")
    with pytest.raises(
        StoreError, match=r"these bytes hold a MEMM, a MostFrequentTag is wanted; call MEMM\.from_bytes"
    ):
        MostFrequentTag.from_bytes(memm.as_bytes())
    with pytest.raises(StoreError, match="these bytes hold a CRF, a MEMM is wanted"):
        MEMM.from_bytes(crf.as_bytes())
    assert type(LinearTagger.from_bytes(crf.as_bytes())) is CRF  # a CRF is one
    with pytest.raises(StoreError, match="a model of kind 'crf' is wanted, found one of kind 'memm'"):
        CRF.from_state(memm.state())
    with pytest.raises(StoreError, match="the bytes of a model are wanted, got 'model'"):
        CRF.from_bytes("model")


def test_files_that_hold_no_tagger_are_refused(tmp_path):
    path = tmp_path / "model"
    with pytest.raises(StoreError, match="cannot read") as caught:
        seqlab.load(path)
    assert caught.value.path == str(path)
    path.write_bytes(b"nothing of ours")
    with pytest.raises(StoreError, match="this is no model file"):
        seqlab.load(path)
    store.write(path, store.State("gardener"))
    with pytest.raises(
        StoreError, match="models of kind 'gardener' are unknown here, only 'crf', 'gaussian"
    ) as caught:
        seqlab.load(path)
    assert caught.value.path == str(path)


def test_functions_are_asked_for_by_name(tmp_path):
    fitted("function").save(tmp_path / "model")
    with pytest.raises(StoreError, match="endings', and a model file holds no code"):
        seqlab.load(tmp_path / "model")


class OwnCRF(CRF):
    pass


@dataclass(frozen=True)
class OwnLearner:
    likelihood: ClassVar[bool] = True

    def train(self, task, theta, *, threads, seed, report):
        return learning.monitor.Outcome(theta, "asked", 0, None)


def test_what_has_code_of_its_own_cannot_be_saved(tmp_path):
    with pytest.raises(
        StoreError, match=r"OwnCRF is a class of your own, and seqlab\.load would make a CRF of it"
    ):
        OwnCRF("word[0]", QUICK).fit(TRAIN, "chunk").save(tmp_path / "model")
    tagger = LinearTagger("word[0]", OwnLearner()).fit(TRAIN, "chunk")
    with pytest.raises(StoreError, match=r"the learner OwnLearner\(\) is of your own making"):
        tagger.as_bytes()
    with pytest.raises(StoreError, match="cannot be stored: a model file holds no code"):
        CRF(lambda s, t: [s["word"][t]], QUICK).fit(TRAIN, "chunk").as_bytes()
    scheme = replace(Scheme.of("IOB2"), first=Scheme.of("IOB1").first)
    with pytest.raises(StoreError, match="the tag scheme 'IOB2' is of your own making"):
        fitted("crf").set_params(constraints=scheme).as_bytes()
    with pytest.raises(StoreError, match="the option seed cannot be stored: <object"):
        fitted("crf").set_params(seed=object()).as_bytes()
    with pytest.raises(StoreError, match="ToyTagger is a class of your own"):
        ToyTagger().fit(WORDS, TAGS).as_bytes()
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_saved_before_fit(tmp_path):
    for question in (lambda: CRF().save(tmp_path / "m"), CRF().as_bytes, CRF().state, CRF().prune):
        with pytest.raises(NotFittedError):
            question()


SOUND = fitted("allowed").state()


def tampered(settings=None, record=None, **arrays):
    return SOUND.replaced(
        settings={**SOUND.settings, **(settings or {})},
        record={**SOUND.record, **(record or {})},
        arrays={**SOUND.arrays, **arrays},
    )


def options(**changes):
    return {"options": {**SOUND.settings["options"], **changes}}


REPORT = fitted("crf").prune().pruned_.to_dict()


def epochs(**changes):
    history = SOUND.record["history"]
    return {"history": {**history, "epochs": [{**history["epochs"][0], **changes}]}}


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (tampered(options(order=4)), "order must be 1, 2 or 3"),
        (tampered(options(colour="red")), "there is no option 'colour'"),
        (tampered(options(learner="LBFGS")), "learner must be LBFGS"),
        (tampered(options(learner={"learner": {"name": "os", "options": {}}})), "is a 'os', which"),
        (tampered(options(learner={"learner": {"name": "minimise", "options": {}}})), "is a 'minimise', which"),
        (tampered(options(learner={"learner": {"name": "LBFGS", "options": {"l2": -1}}})), "l2 must be"),
        (tampered(options(learner={"learner": {"name": "LBFGS", "options": {"x": 1}}})), "unexpected keyword arg"),
        (tampered(options(learner={"learner": []})), "should be an object"),
        (tampered(options(constraints={"scheme": {"name": "IOB9", "delimiter": "-"}})), "makes no sense"),
        (tampered(options(constraints={"code": "import os"})), "of the unknown kind 'code'"),
        (tampered(options(constraints=["O"])), "an object with one key"),
        (tampered(options(constraints={"set": [{"list": []}]})), "does not fit together: TypeError: unhashable"),
        (tampered(options(constraints={"mask": [[0, 1]]})), "should hold true and false"),
        (tampered(options(class_weight={"dict": [["O"]]})), "pairs of key and value"),
        (tampered(options(features={"features": {"given": "magic"}})), "an unknown way, 'magic'"),
        (tampered(options(features={"features": {"given": "function"}})), "an unknown way, 'function'"),
        (tampered(options(features={"features": 7})), "should be an object"),
        (tampered({"options": []}), "should be an object"),
        (tampered(None, {"history": []}), "should be an object"),
        (tampered(None, epochs(iteration="1")), "'iteration' of .* should be a whole number"),
        (tampered(None, epochs(more={"trials": "two"})), "'trials' of 'more' .* should be a whole number"),
        (tampered(None, epochs(objective="low")), "'objective' of .* should be a number"),
        (tampered(None, {"pruned": {}}), "should have 'weights_before'"),
        (tampered(None, {"pruned": REPORT | {"storage": "float1"}}), "weights are stored as"),
        (tampered(**{"allowed.kind": np.array([0, 9, 1], dtype=np.int32)}), "numbers from 0 to 3"),
        (tampered(**{"allowed.begin": np.array([0, 1, 2])}), "should have shape"),
        (tampered(**{"allowed.label": np.array([0, 1, 2, 3, 4, 99], dtype=np.int32)}), "numbers from 0 to"),
        (tampered(**{"model.begin": SOUND.arrays["model.begin"][:-1]}), "should have shape"),
        (tampered(**{"training.rules.no_end": np.array([True, False, False, False])}), "the same rules"),
        (tampered(**{"model.weights": SOUND.arrays["model.weights"] * np.nan}), "nan"),
    ],
)  # fmt: skip
def test_tampered_files_are_refused(state, message, tmp_path):
    store.write(tmp_path / "model", SOUND)
    assert seqlab.load(tmp_path / "model").tag(["Oslo"]) == ["B-L"]
    store.write(tmp_path / "model", state)
    with pytest.raises(StoreError, match=message):
        seqlab.load(tmp_path / "model")


def test_labels_must_be_those_of_the_model():
    parts = copy.deepcopy(SOUND.settings["parts"])
    parts["training"]["settings"]["labels"] = ["A", "B", "C", "D"]
    with pytest.raises(StoreError, match="the same labels"):
        CRF.from_state(tampered({"parts": parts}))

"""A saved Reranker answers bit for bit as the one that was saved, with its generator in the same file."""

import itertools
from dataclasses import asdict, dataclass

import numpy as np
import pytest

import seqlab
from seqlab import families, store
from seqlab.corpus import Corpus
from seqlab.errors import NotFittedError, StoreError
from seqlab.families.hmm.tagger import HMM
from seqlab.families.linear.memm import MEMM
from seqlab.families.linear.tagger import CRF, LinearTagger
from seqlab.families.local.baseline import MostFrequentTag
from seqlab.families.rerank.features import GlobalFeatures
from seqlab.families.rerank.learners import Learned, ListPerceptron, LogLinear
from seqlab.families.rerank.tagger import Reranker
from seqlab.store import codec
from seqlab.store.state import State, string_arrays
from seqlab.tags import Scheme

WORDS = [
    ["the", "old", "man", "runs"],
    ["Rio", "runs"],
    ["the", "Rio", "man", "the", "old"],
    ["runs"],
    ["old"],
]
TAGS = [["B-N", "I-N", "I-N", "O"], ["B-L", "O"], ["B-N", "B-L", "B-N", "B-N", "I-N"], ["O"], ["B-N"]]
TRAIN = Corpus.from_lists(word=WORDS * 2, chunk=TAGS * 2)
TEST = Corpus.from_lists(
    word=[["the", "man", "Oslo", "runs"], ["old"], [], ["Rio"] * 3],
    chunk=[["O"] * 4, ["O"], [], ["B-L"] * 3],
)
QUICK = seqlab.LBFGS(max_iterations=4)


def pairs(tokens, labels):
    yield from (f"{one} {other}" for one, other in itertools.pairwise(labels))
    yield "tokens", len(labels) / 3


def endings(sentence, t):
    yield sentence["word"][t][-2:]


FUNCTIONS = {"pairs": pairs, "endings": endings}
GENERATORS = {
    "baseline": MostFrequentTag(),
    "crf": CRF("word[0]\nword[-1]", QUICK, constraints="IOB2", allowed={"the": ["B-N"]}),
    "crf of a function": CRF(endings, QUICK),
    "memm": MEMM("word[0]", QUICK),
    "linear": LinearTagger("word[0]", seqlab.Perceptron()),
    "hmm": HMM(),
    "another": Reranker(MostFrequentTag(), folds=2, n=4),
}
OPTIONS = {
    "usual": {},
    "own function": {"features": pairs, "learner": ListPerceptron(epochs=3, seed=2)},
    "a scheme": {"features": GlobalFeatures("IOB2"), "min_count": 2, "n": 3},
    "another scheme": {"features": GlobalFeatures(Scheme.of("IOB2", outside="O")), "folds": None},
    "no scheme": {"features": GlobalFeatures(), "learner": LogLinear(l2=0.5, max_iterations=None)},
}


def fitted(generator="baseline", **options):
    made = GENERATORS[generator]
    if "folds" in options and options["folds"] is None:
        made = type(made)(**made.get_params(deep=False)).fit(TRAIN, "chunk")
    return Reranker(made, **{"folds": 2, **options}).fit(TRAIN, "chunk")


def through_file(reranker, path):
    reranker.save(path)
    return seqlab.load(path, functions=FUNCTIONS, verify=True)


def assert_same(one, two):
    assert (one.labels_, one.column_, one.columns_) == (two.labels_, two.column_, two.columns_)
    assert (one.vocabulary_, one.oracle_) == (two.vocabulary_, two.oracle_)
    assert one.weights_ == two.weights_
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.learned_.theta, two.learned_.theta)
    told = [(some.learned_.reason, some.learned_.iterations, some.learned_.objective) for some in (one, two)]
    assert told[0] == told[1]
    assert one.predict(TEST) == two.predict(TEST)
    for sentence in TEST:
        assert one.nbest(sentence) == two.nbest(sentence)  # labels and scores, bit for bit
    assert one.evaluate(TEST).figures == two.evaluate(TEST).figures


@pytest.mark.parametrize("generator", GENERATORS)
def test_every_generator_comes_back(generator, tmp_path):
    reranker = fitted(generator)
    back = through_file(reranker, tmp_path / "model")
    assert type(back.generator_) is type(reranker.generator_)
    given, found = (some.generator.get_params(deep=False) for some in (reranker, back))
    assert (type(back.generator), repr(found)) == (type(GENERATORS[generator]), repr(given))
    assert not back.generator.__sklearn_is_fitted__()  # as it was given
    assert_same(reranker, back)
    assert back.as_bytes() == reranker.as_bytes()


@pytest.mark.parametrize("options", OPTIONS)
def test_every_option_comes_back(options, tmp_path):
    reranker = fitted(**OPTIONS[options])
    back = through_file(reranker, tmp_path / "model")
    assert_same(reranker, back)
    for name in ("features", "learner", "n", "folds", "min_count"):
        assert getattr(back, name) == getattr(reranker, name), name
    assert_same(back, Reranker.from_bytes(reranker.as_bytes(), functions=FUNCTIONS))


def test_a_large_generator_unfolds_when_it_is_asked(tmp_path, monkeypatch):
    reranker = fitted("crf")
    monkeypatch.setattr(codec, "SMALL", -1)
    back = through_file(reranker, tmp_path / "model")
    assert not back.generator_.fit_.model.made
    assert_same(reranker, back)
    broken = reranker.state()
    broken.arrays["generator.model.weights"] = broken.arrays["generator.model.weights"] * np.nan
    store.write(tmp_path / "model", broken)
    with pytest.raises(
        StoreError, match=r"model: the array 'weights' should hold weights up to"
    ):  # file and array
        seqlab.load(tmp_path / "model").predict(TEST)


def test_a_generator_that_is_used_as_it_stands_is_stored_once():
    trained = MostFrequentTag().fit(TRAIN, "chunk")
    alone = Reranker(trained, folds=None).fit(TRAIN, "chunk")
    back = Reranker.from_bytes(alone.as_bytes())
    assert back.generator is back.generator_
    assert back.as_bytes() == alone.as_bytes()
    assert "given" not in back.state().settings["parts"]
    assert back.set_params(generator=MostFrequentTag("rare")).generator.unknown == "rare"
    again = Reranker.from_bytes(back.as_bytes())
    assert (again.generator.unknown, again.generator_.unknown) == ("rare", "common")


def test_a_generator_that_was_trained_before_comes_back_trained():
    trained = MostFrequentTag("rare").fit(WORDS, TAGS)
    back = Reranker.from_bytes(Reranker(trained, folds=2).fit(TRAIN, "chunk").as_bytes())
    assert back.generator is not back.generator_
    assert back.generator.column_ is None
    assert back.generator.predict(TEST) == trained.predict(TEST)


def test_lists_of_words_come_back():
    reranker = Reranker(MostFrequentTag(), folds=2).fit(WORDS, TAGS)
    back = Reranker.from_bytes(reranker.as_bytes())
    assert back.column_ is None
    assert back.predict(WORDS) == reranker.predict(WORDS)
    assert back.score(WORDS, TAGS) == reranker.score(WORDS, TAGS)


def test_a_loaded_one_learns_again_alike():
    reranker = fitted("crf")
    back = Reranker.from_bytes(reranker.as_bytes())
    assert_same(reranker.fit(TRAIN, "chunk"), back.fit(TRAIN, "chunk"))


def test_weights_that_were_changed_come_back_changed():
    reranker = fitted()
    reranker.coef_[0] = 7.5
    assert Reranker.from_bytes(reranker.as_bytes()).weights_["generator score"] == 7.5


def test_annotate_gives_one_more_column():
    reranker = fitted()
    done = reranker.annotate(TEST, "guess")
    assert done.columns == ("word", "chunk", "guess")
    assert [list(labels) for labels in done.column("guess")] == reranker.predict(TEST)
    assert reranker.annotate(iter(WORDS)).columns == ("word", "predicted")
    assert [list(labels) for labels in reranker.annotate(WORDS).column("predicted")] == reranker.predict(
        WORDS
    )


# ------------------------------------------------------------------------------------------------ refused


def generate(tokens, n):
    return [(("O",) * len(tokens), 0.0), (("B-N",) * len(tokens), -1.0)][:n]


class OwnReranker(Reranker):
    pass


class OwnFeatures(GlobalFeatures):
    pass


class OwnCRF(CRF):
    pass


class Lists:
    def nbest(self, tokens, n):
        return generate(tokens, n)

    def state(self):
        return "nothing of the kind"


@dataclass(frozen=True)
class OwnLearner:
    def train(self, task):
        return Learned(np.zeros(task.lists.size), "asked", 0, None)


@pytest.mark.parametrize(
    ("reranker", "message"),
    [
        (Reranker(generate), "'generate' cannot be stored: a model file holds no code, so the generator"),
        (Reranker(Lists()), "'Lists' cannot be stored"),
        (Reranker(OwnCRF("word[0]", QUICK), folds=2), "OwnCRF is a class of your own"),
        (OwnReranker(MostFrequentTag(), folds=2), "OwnReranker is a class of your own"),
        (Reranker(MostFrequentTag(), folds=2, learner=OwnLearner()), "is of your own making"),
        (Reranker(MostFrequentTag(), folds=2, features=lambda tokens, labels: []), "'<lambda>' cannot be stored"),
        (Reranker(MostFrequentTag(), folds=2, features=OwnFeatures()), "'OwnFeatures' cannot be stored"),
    ],
)  # fmt: skip
def test_what_has_code_of_its_own_cannot_be_saved(reranker, message, tmp_path):
    reranker.fit(WORDS, TAGS)
    with pytest.raises(StoreError, match=message):
        reranker.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_functions_are_asked_for_by_name(tmp_path):
    fitted(features=pairs).save(tmp_path / "model")
    with pytest.raises(StoreError, match="pairs', and a model file holds no code"):
        seqlab.load(tmp_path / "model")
    fitted("crf of a function").save(tmp_path / "model")
    with pytest.raises(StoreError, match="endings', and a model file holds no code"):
        seqlab.load(tmp_path / "model")


def test_nothing_is_saved_before_fit(tmp_path):
    for question in (lambda: Reranker(generate).save(tmp_path / "m"), Reranker(generate).as_bytes):
        with pytest.raises(NotFittedError):
            question()


SOUND = fitted("crf").state()
COUNT = len(SOUND.arrays["coef"])


def tampered(settings=None, record=None, **arrays):
    return SOUND.replaced(
        settings={**SOUND.settings, **(settings or {})},
        record={**SOUND.record, **(record or {})},
        arrays={**SOUND.arrays, **arrays},
    )


def options(**changes):
    return tampered({"options": {**SOUND.settings["options"], **changes}})


def generator(**changes):
    part = {**SOUND.settings["parts"]["generator"], **changes}
    return tampered({"parts": {**SOUND.settings["parts"], "generator": part}})


def learned(**changes):
    return tampered(None, {"learned": {**SOUND.record["learned"], **changes}})


def without(name):
    return SOUND.replaced(arrays={key: array for key, array in SOUND.arrays.items() if key != name})


def obj(name, **fields):
    return {"object": {"name": name, "fields": fields}}


NAMES = SOUND.arrays["names.begins"]
CHAIN = seqlab.MarkovChain().fit(WORDS).state()


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (tampered(coef=np.zeros(COUNT - 1)), "'coef' should have shape"),
        (tampered(coef=np.zeros((COUNT, 1))), "'coef' should have shape"),
        (tampered(coef=np.zeros(COUNT, dtype=np.int64)), "should hold weights, found int64"),
        (tampered(coef=np.full(COUNT, np.nan)), "nan"),
        (tampered(coef=np.full(COUNT, 1e300)), "weights up to"),
        (without("coef"), "'coef' is missing"),
        (without("names.bytes"), "'names.bytes' is missing"),
        (without("generator.model.weights"), "'weights' is missing"),
        (tampered(**{"names.begins": NAMES[1:]}), "should rise from 0"),
        (tampered(**{"names.begins": np.concatenate([[0], NAMES[2:]])}), "'coef' should have shape"),
        (tampered(**string_arrays("names", [f"f{i}" for i in range(COUNT)])), "should begin with 'generator score'"),
        (tampered(**string_arrays("names", ["generator score"] * COUNT)), "should be there once each"),
        (tampered({"labels": []}), "the labels of a model should be there"),
        (tampered({"labels": ["O", "B"]}), "in order"),
        (tampered({"labels": ["O", 3]}), "a list of strings"),
        (tampered({"column": ["a", "b"]}), "one entry at most"),
        (tampered({"column": None}), "should be a list"),
        (tampered({"vocabulary": "yes"}), "true or false"),
        (tampered({"parts": {}}), "'given' is missing"),
        (tampered({"parts": {"given": SOUND.settings["parts"]["given"]}}), "'generator' is missing"),
        (generator(kind="gardener"), "the unknown kind 'gardener'"),
        (generator(kind="hmm"), "there is no option 'features'"),
        (generator(settings={}), "is missing"),
        (options(n=0), "n must be a whole number"),
        (options(n=2**40), "n must be at most"),
        (options(folds=1), "folds must be"),
        (options(min_count=None), "min_count must be"),
        (options(learner=obj("os")), "a 'os', which seqlab does not have"),
        (options(learner=obj("LogLinear", l2=-1)), "l2 must be"),
        (options(learner=obj("LogLinear", x=1)), "makes no sense"),
        (options(learner=obj("LogLinear", l2="1")), "l2 must be"),
        (options(learner=7), "learner must be LogLinear"),
        (tampered({"features": None}), "needs features"),
        (tampered({"features": 7}), "of an unknown kind, 7"),
        (tampered({"features": {"magic": 1}}), "unknown kind 'magic'"),
        (tampered({"features": {"function": "os:system"}}), "a function of yours, 'os:system'"),
        (tampered({"features": obj("GlobalFeatures", scheme="IOB9")}), "IOB9"),
        (options(features=obj("GlobalFeatures", scheme=3)), "a tag scheme or its name"),
        (learned(iterations=-1), "'iterations' should lie"),
        (learned(score_weight="1"), "should be a number"),
        (learned(objective=[]), "should be a number"),
        (tampered(None, {"oracle": {**asdict(fitted().oracle_), "accuracy": "good"}}), "should be a number"),
        (tampered(None, {"oracle": {}}), "should have 'accuracy'"),
    ],
)  # fmt: skip
def test_tampered_files_are_refused(state, message, tmp_path):
    store.write(tmp_path / "model", SOUND)
    assert seqlab.load(tmp_path / "model").tag(["the"]) == ["B-N"]
    store.write(tmp_path / "model", state)
    with pytest.raises(StoreError, match=message):
        seqlab.load(tmp_path / "model")


def test_a_generator_that_makes_no_lists_is_refused():
    alone = SOUND.replaced(
        arrays={name: SOUND.arrays[name] for name in SOUND.arrays if not name.startswith("generator.")}
    )
    with pytest.raises(StoreError, match="generator must have nbest"):
        Reranker.from_bytes(store.as_bytes(alone.with_parts({"generator": CHAIN})))


def test_kinds_are_kept_apart():
    with pytest.raises(StoreError, match="these bytes hold a Reranker, a CRF is wanted"):
        CRF.from_bytes(store.as_bytes(SOUND))
    with pytest.raises(StoreError, match="a model of kind 'reranker' is wanted"):
        Reranker.from_state(SOUND.replaced(kind="crf"))


def test_parts_without_end_are_refused(monkeypatch):
    class Endless:
        @classmethod
        def from_state(cls, state):
            return families.kinds()["crf"](state)

    monkeypatch.setattr(families, "CRF", Endless)
    with pytest.raises(StoreError, match="deeper than can be read"):
        families.kinds()["crf"](State("crf", {}))

"""Smaller taggers: what they answer, what they say of themselves, and what is refused."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seqlab
from seqlab import store
from seqlab.corpus import Corpus, demo_corpus
from seqlab.errors import OptionError, ShapeError, StoreError
from seqlab.families.linear.fit import PruneReport
from seqlab.families.linear.learners.batch import LBFGS
from seqlab.families.linear.memm import MEMM
from seqlab.families.linear.tagger import CRF
from seqlab.features import Template
from seqlab.store.state import from_json

TRAIN, DEV = demo_corpus("train")[:60], demo_corpus("test")[:20]
QUICK = LBFGS(max_iterations=8)
EDGES = Template.parse("word[0]\nsuffix(word[0], 2)\nedge: word[0]\nboth: word[-1] & word[0]")
STORAGES = ("float64", "float32", "float16", "int8")


def endings(sentence, t):
    yield sentence["word"][t][-2:]
    yield "length", len(sentence["word"][t]) / 3


MADE = {
    "crf": CRF("pos", QUICK).fit(TRAIN, "pos"),
    "edges": CRF(EDGES, QUICK, constraints=[("DET", "PUNCT")]).fit(TRAIN, "pos"),
    "second": CRF(EDGES, QUICK, order=2, keep=0.01).fit(TRAIN, "pos"),
    "memm": MEMM(EDGES, QUICK, allowed={"the": ["DET"]}).fit(TRAIN, "pos"),
    "function": CRF(endings, QUICK).fit(TRAIN, "pos"),
}
VECTORS = Corpus.from_lists(
    word=[["a", "b", "c"], ["b"]],
    bag=[[["x"], {"y": 2.0}, ["x", "y"]], [["z"]]],
    vec=[np.eye(3), np.array([[0.5, 1.0, -1.0]])],
    label=[["A", "B", "A"], ["B"]],
)


def zeroed(tagger, threshold):
    """The same tagger with zeros for small weights: the slow way to prune."""

    def of(model):
        theta, size = model.theta, len(model.weights)
        edges = 0 if model.edge is None else len(model.edge.weights)
        small = np.abs(theta) <= threshold
        small[size : len(theta) - edges] = False  # moves and triples
        return model.with_theta(np.where(small, 0.0, theta))

    made = pickle.loads(pickle.dumps(tagger))
    made.model_ = of(tagger.model_)
    if tagger.model_.coarse is not None:
        made.model_ = replace(made.model_, coarse=of(tagger.model_.coarse))
    return made


def assert_alike(one, other, corpus):
    for sentence, a, b in zip(corpus, one.predict(corpus), other.predict(corpus), strict=True):
        if a != b:  # two paths that float32 cannot tell apart
            assert one.log_prob(sentence, a) == pytest.approx(one.log_prob(sentence, b), abs=1e-4)
    for p, q in zip(one.predict_proba(corpus), other.predict_proba(corpus), strict=True):
        np.testing.assert_allclose(p, q, rtol=1e-9, atol=1e-12)


@settings(max_examples=15)
@given(st.sampled_from(sorted(MADE)), st.floats(0, 1))
def test_a_pruned_tagger_answers_like_one_with_zeros(name, threshold):
    tagger = MADE[name]
    small = tagger.prune(threshold=threshold)
    assert_alike(small, zeroed(tagger, threshold), DEV)
    node = small.model_.weights
    assert len(node) == 0 or np.abs(node).min() > threshold
    assert small.encoder_.size == len(small.model_.begin) - 1
    assert set(small.encoder_.attributes) <= set(tagger.encoder_.attributes)
    assert set(small.encoder_.edge_attributes) <= set(tagger.encoder_.edge_attributes)
    assert {a for a, _ in small.state_features_} <= set(small.encoder_.attributes)


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("storage", STORAGES)
def test_answers_before_and_after_saving_are_the_same(name, storage, tmp_path):
    small = MADE[name].prune(threshold=0.02, storage=storage, dev=DEV)
    small.save(tmp_path / "model")
    back = seqlab.load(tmp_path / "model", functions={"endings": endings}, verify=True)
    assert back.pruned_ == small.pruned_
    assert back.model_.theta.tobytes() == small.model_.theta.tobytes()
    assert back.predict(DEV) == small.predict(DEV)
    for p, q in zip(back.predict_proba(DEV), small.predict_proba(DEV), strict=True):
        assert p.tobytes() == q.tobytes()
    assert back.as_bytes() == small.as_bytes()
    stored = store.read(tmp_path / "model").part("model", "linear model")
    assert stored.arrays["weights"].dtype == np.dtype(storage)


@pytest.mark.parametrize("name", MADE)
def test_the_old_tagger_stays_as_it_is(name):
    tagger = MADE[name]
    before = tagger.as_bytes()
    small = tagger.prune(keep=0.1, storage="int8")
    assert tagger.as_bytes() == before
    assert tagger.pruned_ is None
    assert small is not tagger
    assert type(small) is type(tagger)
    assert repr(small) == repr(tagger)
    assert len(small.as_bytes()) < 0.7 * len(before)


def test_without_a_threshold_nothing_but_zeros_leaves():
    tagger = CRF("pos", LBFGS(l1=1.0, max_iterations=30)).fit(TRAIN, "pos")
    small = tagger.prune()
    assert (tagger.model_.weights == 0).any()
    assert len(small.model_.weights) == np.count_nonzero(tagger.model_.weights)
    assert small.state_features_ == {at: weight for at, weight in tagger.state_features_.items() if weight}
    assert_alike(small, tagger, DEV)


def test_the_report_counts_what_it_says():
    tagger = MADE["second"]
    small = tagger.prune(keep=200, storage="float16", dev=DEV)
    report = small.pruned_
    assert report.weights_before == tagger.model_.size + tagger.model_.coarse.size
    assert report.weights_after == small.model_.size + small.model_.coarse.size
    assert len(small.model_.weights) + len(small.model_.edge.weights) == 200
    assert len(small.model_.coarse.weights) + len(small.model_.coarse.edge.weights) == 200
    for when, one in (("before", tagger), ("after", small)):
        arrays = one.state().arrays
        assert getattr(report, f"bytes_{when}") == sum(array.nbytes for array in arrays.values())
        assert (
            getattr(report, f"score_{when}")
            == seqlab.evaluate(DEV.column("pos"), one.predict(DEV)).figures["accuracy"]
        )
        assert getattr(report, f"attributes_{when}") == one.encoder_.size + one.encoder_.edge_size
    assert report.loss == report.score_before - report.score_after
    assert (report.metric, report.storage) == ("accuracy", "float16")


def test_the_text_says_the_loss_in_one_line():
    report = PruneReport(20_000, 5_000, 9_000, 800, 1_250_000, 98_765, "int8", "span_f1", 0.9412, 0.9387)
    assert str(report) == (
        "20,000 -> 5,000 weights (25.0%), 1.2 MB -> 98.8 kB as int8; span_f1 0.9412 -> 0.9387 (loss 0.0025)"
    )
    assert str(replace(report, score_after=0.95)).endswith("span_f1 0.9412 -> 0.9500 (gain 0.0088)")
    assert str(replace(report, score_after=0.9412)).endswith("(no loss)")
    unmeasured = replace(report, metric=None, score_before=None, score_after=None, bytes_after=None)
    assert str(unmeasured) == "20,000 -> 5,000 weights (25.0%); loss of accuracy not measured (pass dev=)"
    assert unmeasured.loss is None
    for one in (report, unmeasured):
        assert from_json(PruneReport, one.to_dict(), "it") == one


def test_dev_may_be_lists_and_the_metric_a_function():
    X, y = DEV.column("word"), DEV.column("pos")

    def mistakes(right, found):
        return -sum(
            a != b for one, other in zip(right, found, strict=True) for a, b in zip(one, other, strict=True)
        )

    report = MADE["crf"].prune(keep=0.05, dev=(X, y), metric=mistakes).pruned_
    assert report.metric == "mistakes"
    assert report.score_before == mistakes(y, MADE["crf"].predict(X))
    assert report.score_before > report.score_after


@pytest.mark.parametrize("name", ["crf", "second", "memm"])
def test_a_pruned_tagger_learns_on_and_is_then_a_tagger_like_others(name):
    small = MADE[name].prune(keep=0.1, storage="int8")
    weights = dict(small.state_features_)
    fresh = type(small)(**small.get_params(deep=False)).fit(TRAIN, "pos", start=small)
    assert set(weights) <= set(fresh.state_features_)
    assert (fresh.pruned_, small.pruned_ is None) == (None, False)
    more = Corpus.from_lists(word=[["the", "quokka", "sleeps"]], pos=[["DET", "MARSUPIAL", "VERB"]])
    small.partial_fit(more, "pos")
    assert small.pruned_ is None
    assert (
        small.state_features_["lower(word[0])=quokka" if name == "crf" else "word[0]=quokka", "MARSUPIAL"] > 0
    )
    assert type(small).from_bytes(small.as_bytes()).predict(DEV) == small.predict(DEV)


def test_a_pruned_tagger_can_be_pruned_again_and_pickled():
    once = MADE["crf"].prune(keep=0.5, storage="float16")
    twice = once.prune(keep=0.5, storage="int8")
    assert twice.pruned_.weights_before == once.pruned_.weights_after
    assert twice.pruned_.bytes_before == once.pruned_.bytes_after
    back = pickle.loads(pickle.dumps(twice))
    assert back.pruned_ == twice.pruned_
    assert back.predict(DEV) == twice.predict(DEV)


def test_bags_and_vectors_are_pruned_too():
    tagger = CRF("word[0]", LBFGS(l2=0.01)).fit(VECTORS, "label")
    for threshold in np.quantile(np.abs(tagger.model_.weights), [0.2, 0.5, 0.8]).tolist():
        small = tagger.prune(threshold=threshold)
        assert small.encoder_.size < tagger.encoder_.size
        assert_alike(small, zeroed(tagger, threshold), VECTORS)
        assert_alike(CRF.from_bytes(small.as_bytes()), small, VECTORS)
        small.partial_fit(VECTORS, "label")


def test_moves_alone_still_answer():
    small = MADE["edges"].prune(keep=0)
    assert (small.encoder_.size, small.encoder_.edge_size) == (0, 0)
    assert len(small.predict(DEV)) == len(DEV)
    assert_alike(CRF.from_bytes(small.as_bytes()), small, DEV)
    assert small.explain(["the", "man"], 1).label in small.labels_
    small.partial_fit(TRAIN, "pos")
    assert small.encoder_.size == MADE["edges"].encoder_.size


def test_what_cannot_be_saved_can_be_pruned():
    tagger = CRF(lambda sentence, t: [sentence["word"][t]], QUICK).fit(TRAIN, "pos")
    report = tagger.prune(keep=0.5).pruned_
    assert (report.bytes_before, report.bytes_after) == (None, None)
    assert "bytes" not in str(report)
    assert report.attributes_after < report.attributes_before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": -1}, "threshold must be a number from 0 up, got -1"),
        ({"threshold": float("nan")}, "threshold must be a number"),
        ({"threshold": "small"}, "threshold must be a number from 0 up, got 'small'"),
        ({"threshold": True}, "threshold must be a number"),
        ({"keep": -1}, r"keep must be how many weights stay \(an int\), or their share"),
        ({"keep": 1.5}, "a float from 0.0 to 1.0"),
        ({"keep": True}, "keep must be"),
        ({"keep": "all"}, "keep must be"),
        ({"keep": 3, "threshold": 0.1}, "threshold=0.1 and keep=3 both say which weights stay"),
        ({"storage": "float8"}, "weights are stored as float64, float32, float16, int8, got 'float8'"),
        ({"storage": np.float16}, "storage must be the name of a dtype such as 'float16'"),
        ({"metric": "accuracy"}, "metric looks at a development set"),
        ({"dev": DEV, "metric": "beauty"}, "metric must be a function or one of"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        MADE["crf"].prune(**options)


def test_dev_is_checked_like_that_of_fit():
    with pytest.raises(ShapeError, match="every token of dev needs one label"):
        MADE["crf"].prune(dev=([["a"], ["b"]], [["NOUN"], [None]]))
    lists = CRF("word[0]", QUICK).fit([["a"]], [["X"]])
    with pytest.raises(OptionError, match=r"dev must be \(X, y\)"):
        lists.prune(dev=DEV)


def test_weights_too_large_for_the_storage_are_refused():
    tagger = MADE["crf"].prune()
    tagger.model_ = tagger.model_.with_theta(tagger.model_.theta * 1e7)
    with pytest.raises(StoreError, match="too large to be stored as float16"):
        tagger.prune(storage="float16")


def test_a_file_that_lies_about_its_storage_is_refused():
    small = CRF("word[0]", LBFGS(max_iterations=1)).fit([["a", "b"]], [["X", "Y"]])
    state = small.prune(storage="int8").state()
    record = {**state.record, "pruned": {**state.record["pruned"], "storage": "float16"}}
    with pytest.raises(StoreError, match="the weights should be stored as float16"):
        CRF.from_state(state.replaced(record=record))

"""HMM as a tagger: forms of input, learners' options, watching, storing."""

import os
import pickle
import signal
import warnings

import numpy as np
import pytest
from pytest import approx

import seqlab
from seqlab import (
    AROW,
    HMM,
    BaumWelch,
    Categorical,
    Corpus,
    Counting,
    Dirichlet,
    FeatureBag,
    Gaussian,
    GaussianMixture,
    HardEM,
    Poisson,
    Streams,
)
from seqlab.errors import OptionError, SeqlabError, StoreError, TrainingWarning
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.tables import HiddenMarkov
from seqlab.learning.smoothing import AddLambda

X = [["the", "dog", "runs"], ["a", "cat"], ["the", "cat", "runs"], ["dogs", "run"]] * 3
Y = [["D", "N", "V"], ["D", "N"], ["D", "N", "V"], ["N", "V"]] * 3
CORPUS = Corpus.from_lists(word=X, pos=Y)


# ---------------------------------------------------------------- forms of input


def test_all_forms_of_the_same_data_give_the_same_model():
    numbers = [[0, 1, 2, 1], [2, 2], [1]]
    flat, lengths = [0, 1, 2, 1, 2, 2, 1], [4, 2, 1]
    forms = [
        {"X": numbers},
        {"X": [np.array(row) for row in numbers]},
        {"X": flat, "lengths": lengths},
        {"X": np.array(flat), "lengths": lengths},
        {"X": np.array(flat)[:, None], "lengths": np.array(lengths)},
        {"X": np.array(flat, dtype=np.uint8), "lengths": lengths},
    ]
    fits = [HMM(2, seed=4).fit(**form) for form in forms]
    for one in fits[1:]:
        assert np.array_equal(one.model_.A, fits[0].model_.A)
    assert fits[0].predict(numbers) == fits[0].predict(flat, lengths=lengths)
    words = HMM(2, seed=4).fit([["abc"[i] for i in row] for row in numbers])
    assert approx(fits[0].model_.A) == words.model_.A


def test_vectors_come_as_arrays_lists_columns_or_one_array_with_lengths():
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=(n, 2)) for n in (5, 1, 9)]
    corpus = Corpus.from_lists(vector=parts)
    forms = [
        {"X": parts},
        {"X": [part.tolist() for part in parts]},
        {"X": np.concatenate(parts), "lengths": [5, 1, 9]},
        {"X": corpus},
    ]
    fits = [HMM(2, Gaussian("full"), seed=1).fit(**form) for form in forms]
    for one in fits[1:]:
        assert one.model_.emissions.means == approx(fits[0].model_.emissions.means)
    single = HMM(2, Gaussian()).fit(np.arange(10.0))
    assert len(single.predict(np.arange(4.0))) == 1


def test_a_corpus_has_its_columns_and_answers_in_them():
    hmm = HMM(3, seed=1).fit(CORPUS)
    assert hmm.predict(CORPUS) == hmm.predict(X)
    tagged = hmm.annotate(CORPUS, "state")
    assert tagged.columns == ("word", "pos", "state")
    assert HMM(2, column="pos").fit(CORPUS).vocabulary_ == {"D", "N", "V"}
    counted = HMM(smoothing="mle").fit(CORPUS, "pos")
    assert counted.column_ == "pos"
    assert counted.evaluate(CORPUS).accuracy == 1.0


def test_missing_words_and_empty_sentences_are_welcome():
    hmm = HMM(2).fit([["a", None, "b"], [], [None], ["b"]])
    assert hmm.predict([[], [None, "a"]])[0] == []
    assert hmm.log_likelihood([]) == 0.0
    assert hmm.log_likelihood([None]) == approx(0.0, abs=1e-12)
    assert HMM(2, unknown="missing").fit([["a", "b"]]).log_likelihood(["zebra"]) == approx(0.0, abs=1e-12)


# ---------------------------------------------------------------- counting


def test_labelled_words_are_counted_and_new_words_judged_by_their_endings():
    hmm = HMM().fit(X, Y)
    assert isinstance(hmm.model_, CountedHMM)
    assert hmm.predict(X) == Y
    assert hmm.tag(["the", "zebra"])[0] == "D"
    assert hmm.score(X, Y) == 1.0
    assert hmm.log_prob(["a", "cat"], ["D", "N"]) == approx(
        hmm.log_joint(["a", "cat"], ["D", "N"]) - hmm.log_likelihood(["a", "cat"])
    )
    assert isinstance(HMM(smoothing=0.5).fit(X, Y).model_, HiddenMarkov)
    assert isinstance(HMM(smoothing=0.5, unknown="suffix").fit(X, Y).model_, CountedHMM)
    assert HMM(order=3).fit(X, Y).model_.order == 3
    assert HMM(learner=Counting("witten-bell")).fit(CORPUS, "pos").predict(X) == Y
    one = HMM(order=1).fit(X, Y)
    assert one.stationary().sum() == approx(1.0)
    assert set(one.sample(n=5, length=3).states[0]) <= {"D", "N", "V"}
    strict = HMM(constraints=[("D", "V")], allowed={"runs": ["N", "V"]}).fit(X, Y)
    assert strict.tag(["the", "runs"], known={0: "D"}) == ["D", "N"]


def test_weights_of_sentences_count():
    double = HMM(smoothing="mle").fit([X[0], X[3]], [Y[0], Y[3]], sample_weight=[2.0, 1.0])
    thrice = HMM(smoothing="mle").fit([X[0], X[0], X[3]], [Y[0], Y[0], Y[3]])
    assert approx(thrice.model_.A) == double.model_.A
    assert double.model_.pi == approx(thrice.model_.pi)


# ---------------------------------------------------------------- rules


def test_rules_and_dictionaries_hold_in_training_and_after():
    rules = seqlab.Constraints(forbidden_moves=[("x", "x")], forbidden_starts=["y"], forbidden_ends=["x"])
    for end in (False, True):
        hmm = HMM(states=["x", "y"], constraints=rules, smoothing=0.5, end=end, seed=2).fit(
            [["a", "b", "b"], ["b", "a"]]
        )
        assert hmm.model_.A[0, 0] == 0.0
        assert hmm.model_.pi[1] == 0.0
        for row in hmm.predict([["a", "b"], ["b", "b", "a"]]):
            assert row[0] == "x"
            assert row[-1] == "y"
    allowed = HMM(states=["x", "y"], allowed={"a": ["x"]}, seed=2).fit([["a", "b", "b"], ["b", "a"]])
    assert allowed.tag(["a", "a", "a"]) == ["x"] * 3
    assert allowed.tag(["b"], known={0: "y"}) == ["y"]


# ---------------------------------------------------------------- learners


def test_training_ends_for_a_reason():
    data = [np.random.default_rng(0).integers(4, size=30).tolist() for _ in range(5)]
    assert HMM(2, learner=BaumWelch(max_iterations=2, tolerance=0)).fit(data).history_.reason == "iterations"
    assert HMM(2, learner=BaumWelch(tolerance=0.1)).fit(data).history_.reason == "value"
    none = HMM(2, learner=BaumWelch(max_iterations=0)).fit(data)
    assert len(none.history_) == 1
    heard = []
    stopped = HMM(2).fit(data, callbacks=lambda epoch: heard.append(epoch) or len(heard) < 3)
    assert stopped.history_.reason == "stopped"
    assert [epoch.iteration for epoch in heard] == [0, 1, 2]
    patient = HMM(3, learner=BaumWelch(tolerance=0)).fit(data, dev=data[:1], patience=2)
    assert patient.history_.metric == "log_likelihood"
    assert patient.history_.best is not None
    labelled = HMM(smoothing=0.1, learner=BaumWelch(max_iterations=5)).fit(
        X, [*Y[:4], *[None] * 8], dev=(X[:3], Y[:3])
    )
    assert labelled.history_.metric == "accuracy"


@pytest.mark.parametrize("restarts", [1, 3])
def test_ctrl_c_ends_with_the_best_model_so_far(restarts):
    data = [np.random.default_rng(0).integers(4, size=30).tolist() for _ in range(5)]

    pressed = []

    def press(epoch):
        if epoch.iteration == 2 and not pressed:  # a second one would end the program
            pressed.append(os.kill(os.getpid(), signal.SIGINT))

    hmm = HMM(2, learner=BaumWelch(tolerance=0, max_iterations=200, restarts=restarts))
    with pytest.raises(KeyboardInterrupt), pytest.warns(TrainingWarning, match="interrupted"):
        hmm.fit(data, callbacks=press)
    assert any(history.reason == "interrupted" for history in hmm.restarts_)
    assert np.isfinite(hmm.score(data))


def test_selection_keeps_the_best_by_its_criterion():
    true = HMM.from_tables([0.5, 0.5], [[0.95, 0.05], [0.05, 0.95]], [[0.9, 0.1], [0.1, 0.9]])
    data = true.sample(n=30, length=50, seed=1).observations
    chosen = HMM(learner=BaumWelch(restarts=2, max_iterations=50)).select_states(data, range(1, 4))
    assert chosen.chosen.n_states == 2
    assert chosen.best.n_states == 2
    assert [one.bic for one in chosen.candidates] == [one.model.bic(data) for one in chosen.candidates]
    assert "2*" in str(chosen)
    held = HMM().select_states(data[:20], [1, 2], criterion="dev", dev=data[20:])
    assert held.chosen.n_states == 2


def test_options_are_scikit_learns():
    hmm = HMM(2, learner=BaumWelch(max_iterations=7))
    assert hmm.get_params()["learner__max_iterations"] == 7
    hmm.set_params(learner__tolerance=0.5, n_states=3)
    assert hmm.learner.tolerance == 0.5
    assert repr(HMM(3, end=True)) == "HMM(n_states=3, end=True)"
    with pytest.raises(OptionError, match="learner must be"):
        HMM(2, learner=AROW()).fit(X)
    with pytest.raises(AttributeError, match="no weights"):
        hmm.top_features  # noqa: B018


# ---------------------------------------------------------------- stored


MODELS = {
    "words": lambda: HMM(3, seed=1, end=True).fit(X),
    "numbers": lambda: HMM(2, learner=HardEM(tied=[("s0", "s1")])).fit([[0, 1, 2]]),
    "labelled": lambda: HMM(constraints=[("V", "D")], allowed={"cat": ["N"]}).fit(CORPUS, "pos"),
    "tables": lambda: HMM.from_tables(
        [1.0, 0.0], np.eye(2), np.eye(2), states=["z", "a"], symbols=["x", "y"]
    ),
    "smoothed": lambda: HMM(smoothing=Dirichlet(emissions=np.ones((2, 6)))).fit(
        [["a", "b", "c", "d", "e", "f"]], [["x", "y"] * 3]
    ),
    "semi": lambda: HMM(smoothing=AddLambda(0.2)).fit(X, [*Y[:2], *[None] * 10]),
    "bags": lambda: HMM(2, FeatureBag()).fit([[["a", "b"], ["c"]]]),
    "gaussian": lambda: HMM(2, Gaussian("tied", min_covariance=0.1)).fit(
        np.random.default_rng(0).normal(size=(9, 2))
    ),
    "mixture": lambda: HMM(2, GaussianMixture("full")).fit(np.random.default_rng(0).normal(size=(20, 2))),
    "poisson": lambda: HMM(2, Poisson(1.0, 2.0)).fit([[1, 2, 0, 9, 8]]),
    "streams": lambda: HMM(2, Streams(w=Categorical(), v=Gaussian())).fit(
        [[("a", 1.0), ("b", 2.0), ("a", 0.1)]]
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_what_was_saved_answers_as_before(name, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        hmm = MODELS[name]()
    hmm.save(tmp_path / "m.safetensors")
    for again in (
        seqlab.load(tmp_path / "m.safetensors"),
        pickle.loads(pickle.dumps(hmm)),
        HMM.from_bytes(hmm.as_bytes()),
    ):
        assert again.labels_ == hmm.labels_
        assert again.history_.log_likelihood == hmm.history_.log_likelihood
        if hmm.emissions is None:
            data = {"tables": [["x", "x"]], "numbers": [[0, 1]], "smoothed": [["a", "f"]]}.get(name, X[:2])
        elif name == "streams":
            data = [[("a", 0.5), ("b", None)]]
        else:
            data = {"bags": [[["a"]]], "poisson": [[1, 2]]}.get(name, [np.ones((3, 2))])
        assert again.predict(data) == hmm.predict(data)
        assert again.log_likelihoods(data).tolist() == hmm.log_likelihoods(data).tolist()
        assert again.as_bytes() == hmm.as_bytes()


def test_a_file_somebody_tampered_with_is_refused():
    state = HMM(2, seed=1).fit(X).state()
    for name, value in (("model.pi", np.array([0.4, 0.4])), ("model.A", np.array([[2.0, -1.0], [0.5, 0.5]]))):
        arrays = {**state.arrays, name: value}
        with pytest.raises(StoreError, match="sum to 1"):
            HMM.from_state(seqlab.store.state.State(state.kind, state.settings, arrays, state.record))
    arrays = {
        **state.arrays,
        "model.emissions.probabilities": state.arrays["model.emissions.probabilities"] * 2,
    }
    with pytest.raises(StoreError, match="sum to 1"):
        HMM.from_state(seqlab.store.state.State(state.kind, state.settings, arrays, state.record))


@pytest.mark.parametrize("name", ["bags", "gaussian", "mixture", "poisson", "streams", "tables", "numbers"])
def test_a_stream_says_what_the_filter_of_the_whole_says(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        hmm = MODELS[name]()
    vectors = [[0.5, -1.0], None, [1, 2], np.zeros(2), [0.5, -1.0]]
    given = {
        "bags": [["a"], ["c", "b"], [], ["a"]],
        "poisson": [1, 2, None, 7, 2],
        "streams": [("a", 0.5), ("b", None), ("a", 0.5)],
        "tables": ["x", None, "x", "x"],
        "numbers": [0, None, 1, 0],
    }.get(name, vectors)
    stream = hmm.stream(lag=1)
    whole = hmm.filter(given)
    for t, observation in enumerate(given):
        if t == 2:
            stream = pickle.loads(pickle.dumps(stream))
        step = stream.push(observation)
        assert step.node == pytest.approx(whole.node[t], abs=1e-12)
    assert step.log_z == pytest.approx(whole.log_z)


def test_a_stream_refuses_what_is_no_vector_and_stays_where_it_is():
    stream = MODELS["gaussian"]().stream()
    for bad in ([1.0], [[1.0], [1.0, 2.0]], ["a", "b"], "ab", [1e200, 0.0], [np.inf, 0.0]):
        with pytest.raises(SeqlabError):
            stream.push(bad)
    assert stream.push([0.0, 1.0]).position == 0

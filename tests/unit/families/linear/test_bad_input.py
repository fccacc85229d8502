"""Whatever comes in, the answer is right or the error is ours and says where."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from seqlab import (
    CRF,
    HMM,
    LBFGS,
    MEMM,
    BaumWelch,
    HardEM,
    LinearTagger,
    LocalTagger,
    MostFrequentTag,
    demo_corpus,
)
from seqlab.errors import (
    CorpusError,
    LabelError,
    NotFittedError,
    OptionError,
    ScoreError,
    SeqlabError,
    ShapeError,
)

WORDS, LABELS = [["a", "b"], ["b"], []], [["X", "Y"], ["Y"], []]
QUICK = LBFGS(max_iterations=5)


@pytest.fixture(scope="module")
def tagger():
    return CRF("word[0]", QUICK).fit(WORDS, LABELS)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (WORDS, LABELS[:2], "X has 3 sentences, but y has 2"),
        (WORDS, [["X"], ["Y"], []], "sentence 0: X has 2 tokens, but y has 1 labels"),
        (WORDS, [["X", "Y"], "Y", []], "sentence 1 of y must be a list"),
        (WORDS, "label", "label"),
        (WORDS, None, "labels are wanted"),
        (WORDS, 7, "y must be the name of a column"),
        (WORDS, [["X", 3], ["Y"], []], "sentence 0, position 1 of y"),
        (WORDS, [["X", set()], ["Y"], []], "sentence 0, position 1 of y"),
        (WORDS, [["X", float("nan")], ["Y"], []], "sentence 0, position 1 of y"),
        ("a b", LABELS, "X must be a Corpus or a list of sentences"),
        (["a b", "c"], [["X", "Y"], ["X"]], "sentence 0 of X"),
        ([["a"], "b"], [["X"], ["Y"]], "sentence 1 of X"),
        (None, LABELS, "X must be"),
        (5, LABELS, "X must be"),
        ([], [], "no token"),
        ([[], []], [[], []], "X has 2 sentences and no token at all"),
        (WORDS, [[None, None], [None], []], "none of the 3 tokens has a label"),
        ([["a", None], ["b"]], [["X", "Y"], ["Y"]], "sentence 0"),
        ([["a", 3], ["b"]], [["X", "Y"], ["Y"]], "sentence 0"),
        ([["a"], None], [["X"], ["Y"]], "1"),
    ],
)
def test_training_data_that_cannot_be_is_refused(X, y, message):
    tagger = CRF("word[0]", QUICK)
    with pytest.raises(SeqlabError, match=message):
        tagger.fit(X, y)
    with pytest.raises(NotFittedError):
        tagger.predict([["a"]])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), np.float64("nan"), 10**400])
def test_feature_values_must_be_numbers(value):
    X = [[{"w": "a", "n": 1.0}], [{"w": "b"}, {"w": "a", "n": value}]]
    with pytest.raises(SeqlabError, match=r"sentence 1.*(position|token) 1"):
        CRF(learner=QUICK).fit(X, [["X"], ["Y", "X"]])
    tagger = CRF(learner=QUICK).fit(X[:1] * 2, [["X"], ["Y"]])
    with pytest.raises(SeqlabError, match=r"sentence 1.*(position|token) 1"):
        tagger.predict(X)


def with_value(value):
    return [[{"w": "a", "n": 1.0}, {"w": "b"}], [], [{"w": "b"}, {"w": "a", "n": value}]]


@pytest.mark.parametrize("value", [1e308, -1e308, 1e100, 2e18])
@pytest.mark.parametrize("order", [1, 2])
def test_huge_feature_values_are_refused(value, order):
    y, place = [["X", "Y"], [], ["Y", "X"]], "sentence 2, position 1: attribute 'n' has the value"
    with pytest.raises(CorpusError, match=place):
        CRF(learner=QUICK, order=order).fit(with_value(value), y)
    tagger = CRF(learner=QUICK, order=order).fit(with_value(1.0), y)
    with pytest.raises(CorpusError, match=place):
        tagger.predict(with_value(value))
    with pytest.raises(CorpusError, match=place):
        tagger.partial_fit(with_value(value), y)
    with pytest.raises(CorpusError, match=place):
        CRF(learner=QUICK, order=order).fit(with_value(1.0), y, dev=(with_value(value), y))
    with pytest.raises(CorpusError, match="sentence 0, position 1"):
        tagger.posterior(with_value(value)[2])
    with pytest.raises(CorpusError, match="sentence 0, position 1"):
        tagger.tag(with_value(value)[2], known={0: "X"})


def test_huge_values_of_functions_are_refused():
    def size(sentence, t):
        return {"size": 1e300 if sentence["word"][t] == "b" else 1.0}

    with pytest.raises(CorpusError, match="sentence 0, position 1: attribute 'size'"):
        CRF(size, QUICK).fit(WORDS, LABELS)


@pytest.mark.parametrize("value", [1e18, -1e18, 1e9, 1e-300])
@pytest.mark.parametrize(
    "learner", [LBFGS(), LBFGS(start_epochs=0), LBFGS(dtype="float64"), LBFGS(l1=0.1)], ids=repr
)
def test_large_feature_values_train_or_are_refused_in_our_words(value, learner):
    tagger = CRF(learner=learner)
    try:
        tagger.fit(with_value(value), [["X", "Y"], [], ["Y", "X"]])
    except ScoreError as error:
        assert "feature values" in str(error)  # noqa: PT017
        assert abs(value) > 1e6
    else:
        assert np.isfinite(tagger.model_.theta).all()
        assert np.isfinite(tagger.history_.objective[-1])
        assert [len(labels) for labels in tagger.predict(with_value(value))] == [2, 0, 2]


def test_values_of_ordinary_size_differ_from_huge_ones():
    X = [[{"n": 1.0}], [{"n": -1.0}], [{"n": 2.0}]]
    tagger = CRF(learner=LBFGS(l2=0.1)).fit(X, [["X"], ["Y"], ["X"]])
    assert tagger.predict([[{"n": 3.0}], [{"n": -3.0}]]) == [["X"], ["Y"]]


@pytest.mark.parametrize(
    "question",
    [
        lambda t: t.predict([["a"]]),
        lambda t: t.tag(["a"]),
        lambda t: t.nbest(["a"]),
        lambda t: t.posterior(["a"]),
        lambda t: t.trellis(["a"]),
        lambda t: t.log_prob(["a"], ["X"]),
        lambda t: t.score([["a"]], [["X"]]),
        lambda t: t.evaluate([["a"]], [["X"]]),
        lambda t: t.predict_marginals([["a"]]),
        lambda t: t.explain(["a"], 0),
        lambda t: t.save("nowhere"),
        lambda t: t.state_features_,
        lambda t: t.classes_,
    ],
)
def test_questions_before_fit_are_refused(question):
    with pytest.raises(NotFittedError, match="fit"):
        question(CRF("word[0]"))


def test_a_failed_fit_leaves_the_earlier_model(tagger):
    again = CRF("word[0]", QUICK).fit(WORDS, LABELS)
    theta = again.model_.theta.copy()
    with pytest.raises(SeqlabError):
        again.fit(WORDS, LABELS[:1])
    with pytest.raises(SeqlabError):
        again.partial_fit(WORDS, [["X", "Y"], ["Y", "X"], []])
    assert again.model_.theta.tobytes() == theta.tobytes()
    assert again.predict(WORDS) == tagger.predict(WORDS)


def test_empty_sentences_have_empty_answers(tagger):
    assert tagger.predict([]) == []
    assert tagger.predict([[], ["a"], []]) == [[], ["X"], []]
    assert tagger.tag([]) == []
    assert tagger.predict_marginals([[]]) == [[]]
    assert tagger.log_partition([]) == 0
    assert tagger.log_prob([], []) == 0


@pytest.mark.parametrize("X", ["a b", [["a"], "b"], 5, None, [5], ["a"]])
def test_sentences_to_predict_are_checked(tagger, X):
    with pytest.raises(SeqlabError):
        tagger.predict(X)


def test_labels_that_training_had_not_are_wrong_but_no_error(tagger):
    assert tagger.score([["a", "b"]], [["X", "NEW"]]) == 0.5
    report = tagger.evaluate([["a", "b"]], [["X", "NEW"]])
    assert report.accuracy == 0.5


def test_labels_that_training_had_not_may_not_be_known(tagger):
    with pytest.raises(SeqlabError, match="known, position 0"):
        tagger.tag(["a"], known={0: "NEW"})
    with pytest.raises(SeqlabError, match="labels, position 1"):
        tagger.log_prob(["a", "b"], ["X", "NEW"])


def test_lengths_are_compared_when_scored(tagger):
    with pytest.raises(SeqlabError, match="sentence 0"):
        tagger.score([["a", "b"]], [["X"]])
    with pytest.raises(SeqlabError, match="1"):
        tagger.evaluate([["a", "b"]], [["X", "Y"], ["X"]])


def test_one_label_and_one_token_are_enough():
    for order in (1, 2):
        tagger = CRF("word[0]", order=order).fit([["a"]], [["X"]])
        assert tagger.predict([["a", "zz", "a"]]) == [["X", "X", "X"]]
        assert tagger.history_.objective[-1] == pytest.approx(0, abs=1e-9)


def test_a_crf_wants_a_likelihood():
    class Teacher:
        def train(self):
            """Learns from mistakes."""

    with pytest.raises(SeqlabError, match="LinearTagger"):
        CRF("word[0]", Teacher()).fit(WORDS, LABELS)


def test_dictionary_and_rules_that_leave_nothing_are_told_where():
    corpus = demo_corpus("train")[:10]
    tagger = LinearTagger("word[0]", QUICK, constraints="IOB2", allowed={"zyx": ["I-NP"]}).fit(
        corpus, "chunk"
    )
    with pytest.raises(SeqlabError, match="sentence 1"):
        tagger.predict([["the"], ["zyx"]])


@pytest.mark.parametrize("learner", [BaumWelch(), HardEM()])
def test_learners_of_hidden_states_are_refused(learner):
    with pytest.raises(OptionError, match="trains hidden Markov models; write HMM"):
        LinearTagger("word[0]", learner).fit([["a"]], [["X"]])


def test_a_label_of_constraints_that_training_lacks_is_named_as_such():
    with pytest.raises(LabelError, match="constraints: unknown label 'Z': the model knows 'X', 'Y'"):
        CRF("word[0]", QUICK, constraints=[("X", "Z")]).fit(WORDS, LABELS)


def test_a_function_that_gives_nonsense_is_told_where():
    def late(sentence, t):
        return ["a"] if t == 0 else {"n": float("nan")}

    with pytest.raises(
        SeqlabError, match=r"sentence 1: late\(sentence, 1\): attribute 'n' has the weight nan"
    ):
        CRF(late, QUICK).fit([["a"], ["b", "c"]], [["X"], ["Y", "X"]])


def test_a_function_must_take_a_sentence_and_a_position():
    def alone(token):
        return [token]

    with pytest.raises(SeqlabError, match=r"alone\(token\) cannot be called with a sentence and a position"):
        CRF(alone, QUICK).fit([["a"]], [["X"]])


@pytest.mark.parametrize(
    ("dev", "message"),
    [
        ((WORDS, LABELS[:2]), "dev: X has 3 sentences, but y has 2"),
        ((WORDS, "label"), "dev: there is no column 'label'"),
        ((["a b"], [["X"]]), "dev: sentence 0 of X is the string 'a b'"),
        ("dev.txt", "dev must be .* got 'dev.txt'"),
        (([[]], [[]]), "dev has 1 sentences and no token at all"),
    ],
)
def test_a_development_set_that_cannot_be_is_called_by_its_name(dev, message):
    with pytest.raises(SeqlabError, match=message):
        CRF("word[0]", QUICK).fit(WORDS, LABELS, dev=dev)


@pytest.mark.parametrize("kind", [HMM, MostFrequentTag, lambda: CRF("word[0]", QUICK)])
def test_weights_beyond_all_measure_are_refused(kind):
    with pytest.raises(
        SeqlabError, match=r"sentence 1 of sample_weight is 1e\+308, but .* from 0 up to 1e\+18"
    ):
        kind().fit(WORDS, LABELS, sample_weight=[1.0, 1e308, 1.0])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"X": 1e308}, r"class_weight of 'X' is 1e\+308, but a weight is a number from 0 up to 1e\+18"),
        ({"X": 10**400}, "class_weight of 'X' is 1000.*, but a weight"),
        ({"X": 0, "Y": 0}, "every token has the weight 0, so there is nothing to learn from"),
    ],
)
def test_classes_without_a_usable_weight_are_refused(weights, message):
    with pytest.raises(SeqlabError, match=message):
        CRF("word[0]", QUICK, class_weight=weights).fit(WORDS, LABELS)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[[1.0], [2.0]], [[1, 2], [3]]], "sentence 1, token 0 must be 1 numbers, got \\[1, 2\\]"),
        ([[[1, 2], [3]]], "sentence 0, token 1 must be 2 numbers, got \\[3\\]"),
        ([[[1.0], {"a": 1}]], "sentence 0, token 1 must be 1 numbers"),
        ([[[1.0], ["a"]]], "sentence 0, token 1 must be 1 numbers"),
        ([[[1.0], None]], "sentence 0, token 1 must be 1 numbers"),
        ([[[10**400], [1]]], "sentence 0, token 0 must be 1 numbers"),
        ([[np.array(["a", "b"]), {"a": 1}]], "sentence 0, token 0 must be 2 numbers"),
        ([[[1.0], [2.0]], 5], "sentence 1 must be a list of vectors, got 5"),
        ([np.ones((2, 3)), np.ones((2, 4))], "sentence 1, token 0 must be 3 numbers"),
        ([np.ones((2, 3, 2))], "sentence 0, token 0 must be a list of numbers"),
    ],
)
def test_vectors_of_different_widths_are_refused_by_their_place(vectors, message):
    with pytest.raises(CorpusError, match=message):
        CRF(learner=QUICK).fit(vectors, [["X", "Y"]] * len(vectors))


@pytest.mark.parametrize(
    "tagger",
    [
        CRF(learner=QUICK),
        MEMM(learner=QUICK),
        LocalTagger(LinearSVC(), None),
        LocalTagger(LinearSVC(), None, previous=True, decode="greedy"),
    ],
    ids=["crf", "memm", "local", "greedy"],
)
def test_the_sentence_that_is_named_is_that_of_the_whole_corpus(tagger, monkeypatch):
    X = [[{"n": 1.0}, {"w": "a"}]] * 9
    tagger.fit(X, [["X", "Y"]] * 9)
    X[7] = [{"w": "a"}, {"n": 1e100}]
    for module in ("tagging.tagger", "families.local.tagger"):
        monkeypatch.setattr(f"seqlab.{module}.BLOCK", 4)
    asked = [tagger.predict, tagger.predict_proba] if isinstance(tagger, LinearTagger) else [tagger.predict]
    for question in asked:
        with pytest.raises(CorpusError, match=r"^sentence 7, position 1: attribute 'n' has the value 1e"):
            question(X)


def test_labels_to_compare_with_are_refused_by_their_place(tagger):
    X, y = [["a"], [], ["b", "a"]], [["X"], [], ["Y", {"X", "Y"}]]
    with pytest.raises(LabelError, match="sentence 2, position 1 of y: evaluate compares labels"):
        tagger.evaluate(X, y)
    y[2] = [{"X", "Y"}, "X"]
    with pytest.raises(
        ShapeError, match="dev: sentence 2, position 0 of y: every token of dev needs one label"
    ):
        CRF("word[0]", QUICK).fit(WORDS, LABELS, dev=(X, y))

"""Bad input to hidden Markov models: every message says what came, what was wanted, and where."""

import warnings

import numpy as np
import pytest

from seqlab import (
    HMM,
    BaumWelch,
    Categorical,
    Corpus,
    Counting,
    FeatureBag,
    Gaussian,
    GaussianMixture,
    HardEM,
    Poisson,
    Streams,
    SuffixModel,
)
from seqlab.errors import (
    CorpusError,
    ImpossibleError,
    LabelError,
    NotFittedError,
    OptionError,
    SeqlabError,
    ShapeError,
    TrainingWarning,
)

EVEN = ([0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]])
WORDS = [["a", "b"], ["b", "a", "a"]]
FULL = [["x", "y"], ["x", "x", "y"]]


def fitted():
    return HMM(2).fit(WORDS)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        # symbols
        (
            lambda: fitted().tag(["a", "zebra"]),
            CorpusError,
            "sentence 0, token 1: the symbol 'zebra' was never seen",
        ),
        (lambda: fitted().predict([["a"], ["b", "x"]]), CorpusError, "sentence 1, token 1: the symbol 'x'"),
        (
            lambda: HMM(2).fit([[0, 1]]).predict([[0], [7]]),
            CorpusError,
            "sentence 1, token 0: the symbol 7 .*0 to 1",
        ),
        (lambda: HMM(2).fit([[0, 1], [2, -1]]), CorpusError, "sentence 1, token 1: .* got -1"),
        (lambda: HMM(2).fit([[0.5, 1.0]]), CorpusError, "sentence 0, token 0: .* got 0.5; .*Gaussian"),
        (lambda: HMM(2).fit([["a", 3]]), CorpusError, "sentence 0, position 1 of X: .*got 3"),
        (lambda: HMM(2).fit([[1, "a"]]), CorpusError, "sentence 0, position 1 of X: .*got 'a'"),
        (lambda: fitted().tag([1, 2]), CorpusError, "training were words"),
        (lambda: HMM(2, Categorical(["a"])).fit(WORDS), CorpusError, "'b' was never seen"),
        (lambda: HMM(2).fit([[None, None]]), CorpusError, "every observation is missing"),
        # shapes
        (lambda: HMM(2).fit([]), ShapeError, "no token at all"),
        (lambda: HMM(2).fit([[], []]), ShapeError, "2 sentences and no token"),
        (lambda: HMM(2).fit("abc"), CorpusError, "list of sequences"),
        (lambda: HMM(2).fit(["a b"]), CorpusError, "sequence 0 of X is 'a b'"),
        (lambda: HMM(2).fit([0, 1, 2]), CorpusError, "sequence 0 of X is 0"),
        (lambda: HMM(2).fit([0, 1, 2], lengths=[2, 2]), ShapeError, "lengths add up to 4, but X has 3"),
        (lambda: HMM(2).fit([0, 1, 2], lengths=[4, -1]), ShapeError, r"lengths\[1\] is -1"),
        (lambda: HMM(2).fit([0, 1, 2], lengths=[1.5, 1.5]), ShapeError, "whole numbers"),
        (
            lambda: HMM(2).fit(np.zeros((3, 2), dtype=int)),
            CorpusError,
            r"shape \(3, 2\), but a symbol is one number",
        ),
        (lambda: HMM(9).fit(WORDS), ShapeError, "9 states are more than the 5 observations"),
        (
            lambda: HMM(2).fit(Corpus.from_lists(word=WORDS), lengths=[2, 3]),
            CorpusError,
            "sentences of its own",
        ),
        (lambda: HMM(2).fit(WORDS, [["x"], ["y"]]), ShapeError, "sentence 0: X has 2 tokens, but y has 1"),
        (lambda: HMM(2).fit(WORDS, [["x", "y"]]), ShapeError, "X has 2 sentences, but y has 1"),
        (lambda: HMM(2).fit(WORDS, [["x", 3], None]), LabelError, "sentence 0, position 1 of y"),
        # vectors
        (
            lambda: HMM(2, Gaussian()).fit([[[1.0], [np.inf]]]),
            CorpusError,
            "sentence 0, token 1: number 0 is inf",
        ),
        (
            lambda: HMM(2, Gaussian("full")).fit([[[1.0, np.nan], [0.0, 1.0]]]),
            CorpusError,
            "token 0: some numbers",
        ),
        (lambda: HMM(2, Gaussian()).fit([[[1.0], [1.0, 2.0]]]), CorpusError, "sequence 0 .*all of one size"),
        (lambda: HMM(2, Gaussian()).fit([[[1.0]], [[1.0, 2.0]]]), CorpusError, "sequence 1 .*2 numbers"),
        (lambda: HMM(2, Gaussian()).fit([["a", "b"]]), CorpusError, "a vector of numbers"),
        (
            lambda: HMM(1, Gaussian()).fit([[1.0, 2.0]]).tag([[1.0, 2.0]]),
            CorpusError,
            "2 numbers, but .*training had 1",
        ),
        (lambda: HMM(2, Poisson()).fit([[1, 2.5]]), CorpusError, "token 1: number 0 is 2.5"),
        (lambda: HMM(2, Poisson()).fit([[1, -2]]), CorpusError, "number 0 is -2"),
        (lambda: HMM(2, FeatureBag()).fit(WORDS), CorpusError, "sentence 0, position 0 .*list of features"),
        (lambda: HMM(1, FeatureBag()).fit([[{"a": -1.0}]]), CorpusError, "a feature counts -1"),
        (lambda: HMM(2, Streams(w=Categorical())).fit({"v": WORDS}), CorpusError, "streams 'v', but 'w'"),
        (lambda: HMM(2, Streams(w=Categorical(), n=Gaussian())).fit([[("a",)]]), CorpusError, "2 cells"),
        (
            lambda: HMM(2, Streams(w=Categorical(), n=Gaussian())).fit({"w": WORDS, "n": [[1.0], [2.0]]}),
            ShapeError,
            "stream 'n' has sequences of other lengths",
        ),
        # tables
        (lambda: HMM.from_tables([0.5, 0.6], *EVEN[1:]), OptionError, "pi sums to 1.1"),
        (
            lambda: HMM.from_tables(EVEN[0], [[0.5, 0.5], [0.5, 0.4]], EVEN[2]),
            OptionError,
            "row 1 of transitions sums to 0.9",
        ),
        (
            lambda: HMM.from_tables(*EVEN[:2], [[0.5, 0.5], [1.5, -0.5]]),
            OptionError,
            r"emissions\[1, 1\] is -0.5",
        ),
        (
            lambda: HMM.from_tables(*EVEN[:2], [[0.5, 0.5]]),
            OptionError,
            r"emissions has shape \(1, 2\), but \(2, 2\)",
        ),
        (
            lambda: HMM.from_tables(EVEN[0], [[np.nan, 1], [0.5, 0.5]], EVEN[2]),
            OptionError,
            r"transitions\[0, 0\] is nan",
        ),
        (lambda: HMM.from_tables(*EVEN, symbols=["a"]), OptionError, "2 columns, but there are 1 symbols"),
        (lambda: HMM.from_tables(*EVEN, symbols=["a", "a"]), OptionError, "different words"),
        (lambda: HMM.from_tables(*EVEN, states=["x"]), OptionError, "pi has 2 entries, but states has 1"),
        (lambda: HMM.from_tables(*EVEN, states=["x", "x"]), OptionError, "different names"),
        (
            lambda: HMM.from_tables(*EVEN, end=[0.5, 0.5]),
            OptionError,
            "row 0 of transitions with end sums to 1.5",
        ),
        (
            lambda: HMM.from_tables(
                *EVEN[:2],
                {"means": [[0, 0], [1, 1]], "covariances": [[[1, 2], [2, 1]], np.eye(2)]},
                emissions=Gaussian("full"),
            ),
            OptionError,
            r"covariances\[0\] is not positive definite",
        ),
        (
            lambda: HMM.from_tables(
                *EVEN[:2], {"means": [[0.0], [1.0]], "covariances": [[1.0], [0.0]]}, emissions=Gaussian()
            ),
            OptionError,
            r"covariances\[1, 0\] is 0, but a variance is above 0",
        ),
        (lambda: HMM(init={"start": [0.5, 0.4]}).fit(WORDS), OptionError, "start sums to 0.9"),
        (lambda: HMM(2, init={"start": [0.5, 0.5], "B": 3}).fit(WORDS), OptionError, "got 'B'"),
        # options
        (lambda: HMM().fit(WORDS), OptionError, "n_states says how many"),
        (lambda: HMM(0).fit(WORDS), OptionError, "n_states must be a whole number from 1 up"),
        (lambda: HMM(2, Categorical).fit(WORDS), OptionError, "emissions must be Categorical"),
        (lambda: HMM(2, learner="em").fit(WORDS), OptionError, "learner must be"),
        (lambda: HMM(2, learner=Counting()).fit(WORDS), OptionError, "each of them with a label"),
        (lambda: HMM(2, init="best").fit(WORDS), OptionError, "init must be"),
        (lambda: HMM(2, init="kmeans").fit(WORDS), OptionError, "kmeans.* is for vectors"),
        (lambda: HMM(2, unknown="guess").fit(WORDS), OptionError, "unknown must be"),
        (lambda: HMM(2, order=4).fit(WORDS), OptionError, "order must be 1, 2 or 3, got 4"),
        (lambda: HMM(2, order=7).fit(WORDS), OptionError, "order must be 1, 2 or 3"),
        # what one engine uses and the other does not
        (lambda: HMM(2, unknown="suffix").fit(WORDS), OptionError, "tables take 'error' or 'missing'"),
        (lambda: HMM(2, unknown=SuffixModel()).fit(WORDS), OptionError, "for words that are counted"),
        (lambda: HMM(2, init="random").fit(WORDS, FULL), OptionError, "every token has a label"),
        (lambda: HMM(learner=Counting(), init="random").fit(WORDS, FULL), OptionError, "leave out init"),
        (
            lambda: HMM(learner=Counting(), unknown="none").fit(WORDS, FULL),
            OptionError,
            "option of the learner",
        ),
        (lambda: HMM(learner=Counting(0.5), smoothing=1).fit(WORDS, FULL), OptionError, "said twice"),
        (lambda: HMM(order=2, unknown="error").fit(WORDS, FULL), OptionError, "is for plain tables"),
        (lambda: HMM(2, smoothing=-1).fit(WORDS), OptionError, "from 0 up"),
        (lambda: HMM(2, smoothing="kneser-ney").fit(WORDS), OptionError, "for counting labelled words"),
        (lambda: HMM(2, states=["x"]).fit(WORDS), OptionError, "n_states is 2, but states has 1"),
        (lambda: HMM(states=["x", "y"]).fit(WORDS, [["x", "z"], None]), LabelError, "label 'z'"),
        (lambda: HMM(1).fit(WORDS, [["x", "z"], None]), OptionError, "n_states is 1, but y has 2 labels"),
        (lambda: HMM(2).fit(WORDS, patience=3), OptionError, "pass one as dev"),
        (lambda: HMM(2).fit(WORDS, dev=[[]]), ShapeError, "dev has 1 sentences and no token"),
        (lambda: HMM(2, learner=BaumWelch(tied=[("s0", "s9")])).fit(WORDS), OptionError, "'s9'"),
        (lambda: HMM(2).fit(WORDS, sample_weight=[[1, 2], [1, 1, 1]]), OptionError, "whole sentences"),
        (lambda: BaumWelch(max_iterations=-1), OptionError, "max_iterations"),
        (lambda: BaumWelch(tolerance=float("nan")), OptionError, "tolerance"),
        (lambda: BaumWelch(restarts=0), OptionError, "restarts"),
        (lambda: BaumWelch(frozen=["mean"]), OptionError, "'mean'"),
        (lambda: HardEM(tied=[("a",)]), OptionError, "two states or more"),
        (lambda: Gaussian("round"), OptionError, "covariance must be one of"),
        (lambda: GaussianMixture(components=0), OptionError, "components"),
        (lambda: Poisson(rate_weight=-1), OptionError, "rate_weight"),
        (Streams, OptionError, "streams need names"),
        # questions
        (lambda: HMM(2).tag(["a"]), NotFittedError, "tag"),
        (lambda: fitted().sample(n=2), OptionError, "only a model with an end state"),
        (lambda: fitted().sample(5), LabelError, "write sample"),
        (lambda: fitted().select_states(WORDS, []), OptionError, "no number of states"),
        (lambda: fitted().select_states(WORDS, [1], criterion="luck"), OptionError, "criterion must be"),
        (lambda: HMM(2).fit_batches(iter([WORDS]), epochs=2), OptionError, "gone through once"),
        (lambda: HMM(2).fit_batches([]), OptionError, "no batch at all"),
        (
            lambda: (
                HMM(smoothing=0.1)
                .partial_fit(WORDS, [["x", "y"], None])
                .partial_fit(WORDS, [["q", "y"], None])
            ),
            LabelError,
            "'q', which the first batch did not have",
        ),
    ],
)
def test_bad_input_gives_our_error_naming_the_place(call, error, message):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        with pytest.raises(error, match=message) as caught:
            call()
    assert isinstance(caught.value, SeqlabError)


def test_a_sentence_that_cannot_be_is_named_and_left_out():
    tables = ([1.0, 0.0], [[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])
    hmm = HMM(init=tables, learner=BaumWelch(max_iterations=2))
    with pytest.warns(TrainingWarning, match="1 of 3 sentences cannot be under the model, sentence 1 first"):
        hmm.fit([[0, 1], [1, 1], [0]])
    assert hmm.model_.A.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert hmm.log_likelihood([1]) == -np.inf
    assert hmm.log_likelihoods([[0], [1]]).tolist() == [0.0, -np.inf]
    with pytest.raises(ImpossibleError, match="sentence 1"):
        hmm.predict([[0], [1, 1]])
    with pytest.raises(ImpossibleError, match="sentence 0: no path can have made it"):
        HMM(init=tables).fit([[1, 1]])


def test_an_empty_state_is_reported_and_keeps_its_tables():
    tables = ([1.0, 0.0], [[1.0, 0.0], [0.3, 0.7]], [[0.5, 0.5], [0.2, 0.8]])
    hmm = HMM(init=tables, states=["full", "empty"])
    with pytest.warns(TrainingWarning, match="nothing is left for the state 'empty'"):
        hmm.fit([[0, 1, 1]])
    assert hmm.model_.A[1].tolist() == [0.3, 0.7]
    assert hmm.model_.emissions.B[1].tolist() == [0.2, 0.8]
    vectors = HMM(
        2,
        Gaussian("full"),
        init={"start": [1, 0], "transitions": np.eye(2), "emissions": {"means": [[0.0], [9.0]]}},
    )
    with pytest.warns(TrainingWarning, match="nothing is left"):
        vectors.fit([[0.1, 0.2, 0.15]])
    assert vectors.model_.emissions.means[1].tolist() == [9.0]
    assert np.isfinite(vectors.model_.emissions.covariances).all()


LABELLED = ([["the", "dog"], ["dogs", "bark"]], [["D", "N"], ["N", "V"]])


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"smoothing": "mle"}, "fit with smoothing=0.1 to add to every count"),
        ({"smoothing": "mle", "order": 2}, r"under smoothing=MLE\(\): fit with smoothing='kneser-ney', or"),
        ({"learner": Counting(0), "order": 1}, r"fit with smoothing='kneser-ney', or with smoothing=0.1"),
    ],
)
def test_what_counts_make_impossible_is_named_with_a_way_out(options, advice):
    hmm = HMM(**options).fit(*LABELLED)
    bad = ["dog", "the", "bark"]
    where = "sentence 1: no legal path: nothing is left at position 1 .*"
    for ask in (hmm.predict, hmm.predict_proba, lambda X: hmm.predict(X, decode="posterior")):
        with pytest.raises(ImpossibleError, match=where + advice) as caught:
            ask([["the", "dog"], bad])
        assert (caught.value.sequence, caught.value.position) == (1, 1)
    for ask in (hmm.tag, hmm.posterior, hmm.nbest, hmm.filter, hmm.sample, hmm.log_partition):
        with pytest.raises(ImpossibleError, match="nothing is left at position 1 .*" + advice):
            ask(bad)


def test_no_advice_where_zeros_are_not_to_blame():
    hmm = HMM(smoothing=0.1, constraints=[("N", "D"), ("V", "D"), ("D", "D")]).fit(*LABELLED)
    with pytest.raises(ImpossibleError, match=r"allow one of them$"):
        hmm.tag(["dog", "the"], known={1: "D"})
    given = HMM.from_tables([1.0, 0.0], [[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ImpossibleError, match="small numbers into tables of your own"):
        given.tag([1])
    stream = given.stream()
    with pytest.raises(ImpossibleError, match=r"position 0 of the stream: .* emitted 1 .* small numbers"):
        stream.push(1)
    assert stream.push(0).label("s0") == 1.0


@pytest.mark.parametrize("labels", [None, [["x", "y"], ["y"]]])
def test_a_development_set_may_hold_what_cannot_be(labels):
    tables = ([1.0, 0.0], [[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])
    hmm = HMM(init=tables, states=["x", "y"], learner=BaumWelch(max_iterations=2))
    dev = [[0, 1], [1]]
    with pytest.warns(
        TrainingWarning, match="1 of 2 sentences of dev cannot be under the model, sentence 1 first"
    ):
        hmm.fit([[0, 1], [0]], dev=dev if labels is None else (dev, labels))
    assert set(hmm.history_.dev_score) == {np.log(5e-324) / 3 if labels is None else 2 / 3}

"""EM on the counts of labelled words: sentences without labels, or with some, add expected counts."""

import itertools
import math

import numpy as np
import pytest
from pytest import approx

import seqlab
from seqlab import HMM, BaumWelch, Counting, HardEM, SuffixModel
from seqlab.errors import OptionError, TrainingWarning
from seqlab.families.hmm import open_labels
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.tables import HiddenMarkov

X = [
    ["the", "dog", "barks"],
    ["the", "old", "cat", "sleeps"],
    ["dogs", "bark"],
    ["a", "dog", "sleeps"],
    ["the", "cats", "bark"],
    ["old", "dogs", "sleep", "here"],
]
Y = [
    ["D", "N", "V"],
    ["D", "A", "N", "V"],
    ["N", "V"],
    ["D", "N", "V"],
    ["D", "N", "V"],
    ["A", "N", "V", "R"],
]
SOME = [*Y[:3], None, None, None]
ONE_STEP = BaumWelch(max_iterations=1, unlabelled_weight=0.5)
ORDERS = pytest.mark.parametrize("order", [1, 2, 3])
SMOOTHINGS = pytest.mark.parametrize("smoothing", ["kneser-ney", "interpolated", "witten-bell"])


def corpus(seed=0, n=60):
    rng = np.random.default_rng(seed)
    words = [
        [f"w{v}{'ing' if v % 3 else 'ly'}" for v in rng.integers(15, size=rng.integers(1, 8))]
        for _ in range(n)
    ]
    labels = [["V" if word.endswith("ing") else "A" for word in one] for one in words]
    return words, labels


def same(one, other):
    assert np.array_equal(one.counts_.moves, other.counts_.moves)
    assert np.array_equal(one.counts_.last, other.counts_.last)
    assert one.counts_.words.pool.strings() == other.counts_.words.pool.strings()
    assert np.array_equal(one.counts_.words.count, other.counts_.words.count)


# ---------------------------------------------------------------- one step


@ORDERS
@SMOOTHINGS
@pytest.mark.parametrize("end", [False, True])
def test_an_iteration_adds_the_expected_counts_of_all_paths(order, smoothing, end):  # eq:open-counts
    start = HMM(order=order, smoothing=smoothing, end=end).fit(X[:3], Y[:3])
    learned = HMM(order=order, smoothing=smoothing, end=end, learner=ONE_STEP).fit(X, SOME)
    moves, last = start.counts_.moves.copy(), start.counts_.last.copy()
    words = dict(zip(start.counts_.words.pool.strings(), per_word(start.counts_), strict=True))
    labels, L = start.labels_, len(start.labels_)
    for x in X[3:]:
        paths = list(itertools.product(range(L), repeat=len(x)))
        logs = [start.log_joint(x, [labels[y] for y in path]) for path in paths]
        z = start.log_likelihood(x)
        for path, log in zip(paths, logs, strict=True):
            share = 0.5 * math.exp(log - z)
            padded = (L,) * order + path
            for t, y in enumerate(path):
                moves[padded[t : t + order + 1]] += share
                words.setdefault(x[t], np.zeros(L))
                words[x[t]] = words[x[t]] + share * np.eye(L)[y]
            last[path[-1]] += share
    assert learned.labels_ == labels
    assert learned.counts_.moves == approx(moves, abs=1e-8)
    assert learned.counts_.last == approx(last, abs=1e-8)
    found = dict(zip(learned.counts_.words.pool.strings(), per_word(learned.counts_), strict=True))
    assert found.keys() == words.keys()
    for word, counts in words.items():
        assert found[word] == approx(counts, abs=1e-4)


def per_word(counts):
    words = counts.words
    table = np.zeros((len(words.pool), counts.L))
    table[np.repeat(np.arange(len(words.pool)), np.diff(words.begin)), words.label] = words.count
    return table


@ORDERS
def test_hard_em_adds_the_counts_of_best_paths(order):  # eq:open-counts
    start = HMM(order=order).fit(X[:3], Y[:3])
    hard = HMM(order=order, smoothing="kneser-ney", learner=HardEM(max_iterations=1)).fit(X, SOME)
    told = HMM(order=order).fit(X, [*Y[:3], *start.predict(X[3:])])
    same(hard, told)


@ORDERS
def test_known_labels_are_kept(order):
    partly = [["D", None, None], [None, "N", {"V", "N"}], [None, None, None, "R"]]
    learned = HMM(order=order, smoothing="kneser-ney", learner=BaumWelch(max_iterations=1)).fit(
        X, [*Y[:3], *partly]
    )
    counts = learned.counts_
    labels, table = counts.labels, dict(zip(counts.words.pool.strings(), per_word(counts), strict=True))
    assert table["a"] == approx(np.eye(5)[labels.index("D")])  # a new word, whose label is known
    assert table["here"] == approx(np.eye(5)[labels.index("R")])
    assert table["cats"] == approx(np.eye(5)[labels.index("N")])
    bark = table["bark"] - np.eye(5)[labels.index("V")]
    assert bark[labels.index("V")] + bark[labels.index("N")] == approx(1.0)
    assert counts.moves.sum() == approx(sum(map(len, X)))


# ---------------------------------------------------------------- limits


@ORDERS
@pytest.mark.parametrize("options", [{}, {"end": True}, {"smoothing": "interpolated"}, {"unknown": "none"}])
def test_with_all_labels_it_is_counting(order, options):
    counted = HMM(order=order, **options).fit(X, Y)
    smoothing = {"smoothing": "kneser-ney"} | options
    for learner in (BaumWelch(), HardEM(unlabelled_weight=0.1)):
        same(HMM(order=order, learner=learner, **smoothing).fit(X, Y), counted)


@ORDERS
def test_text_of_no_weight_changes_nothing(order):
    for learner in (BaumWelch, HardEM):
        held = HMM(order=order, smoothing="kneser-ney", learner=learner(unlabelled_weight=0.0)).fit(X, SOME)
        same(held, HMM(order=order).fit(X[:3], Y[:3]))
    weighted = HMM(order=order).fit(X, SOME, sample_weight=[1, 1, 1, 0, 0, 0])
    same(weighted, HMM(order=order).fit(X[:3], Y[:3]))


def test_weights_count_a_sentence_so_often():
    learner = BaumWelch(max_iterations=2)
    options = {"smoothing": "witten-bell", "learner": learner}
    weighted = HMM(**options).fit(X, SOME, sample_weight=[1, 1, 1, 2, 1, 1])
    twice = HMM(**options).fit([*X, X[3]], [*SOME, None])
    assert weighted.counts_.moves == approx(twice.counts_.moves, abs=1e-8)
    with pytest.raises(OptionError, match="one number for each of them"):
        HMM().fit(X, SOME, sample_weight=[[1, 2, 1], *[[1] * len(x) for x in X[1:]]])


def test_frozen_parts_stay():
    start = HMM().fit(X[:3], Y[:3]).counts_
    moves = HMM(smoothing="kneser-ney", learner=HardEM(frozen=["transitions"])).fit(X, SOME).counts_
    assert np.array_equal(moves.moves, start.moves)
    assert len(moves.words.pool) > len(start.words.pool)
    words = HMM(smoothing="kneser-ney", learner=HardEM(frozen=["emissions"])).fit(X, SOME).counts_
    assert words.words.pool.strings() == start.words.pool.strings()
    assert words.moves.sum() > start.moves.sum()


@pytest.mark.parametrize("learner", [BaumWelch(max_iterations=3), HardEM(max_iterations=3)])
@ORDERS
def test_bits_do_not_depend_on_threads_and_hardly_on_blocks(learner, order, monkeypatch):
    words, labels = corpus()
    given = [one if i < 20 else None for i, one in enumerate(labels)]
    fits = [
        HMM(order=order, smoothing="kneser-ney", learner=learner, threads=n).fit(words, given)
        for n in (1, 2, 3)
    ]
    for one in fits[1:]:
        same(one, fits[0])
    monkeypatch.setattr(open_labels, "BLOCK", 20)
    blocks = HMM(order=order, smoothing="kneser-ney", learner=learner).fit(words, given)
    assert blocks.counts_.moves == approx(fits[0].counts_.moves, abs=1e-8)
    assert blocks.counts_.words.count.sum() == approx(fits[0].counts_.words.count.sum())


# ---------------------------------------------------------------- the tagger


def test_the_default_tagger_learns_from_text_without_labels():
    words, labels = seqlab.demo_corpus("train").column("word"), seqlab.demo_corpus("train").column("pos")
    test = seqlab.demo_corpus("test")
    few = HMM().fit(words[:60], labels[:60])
    semi = HMM().fit(words, [one if i < 60 else None for i, one in enumerate(labels)])
    assert isinstance(semi.counts_, CountedHMM)
    assert semi.score(test, "pos") > few.score(test, "pos") + 0.02
    assert semi.history_.log_likelihood
    copy = HMM.from_bytes(semi.as_bytes())
    assert copy.predict(test) == semi.predict(test)
    assert copy.tag(["zorbles"]) == semi.tag(["zorbles"])  # new words by their endings


def test_a_development_set_decides():
    words, labels = corpus(1, 80)
    given = [one if i < 10 else None for i, one in enumerate(labels)]
    hmm = HMM(smoothing="interpolated", learner=BaumWelch(max_iterations=6, tolerance=0))
    hmm.fit(words[:60], given[:60], dev=(words[60:], labels[60:]), patience=3)
    scores = hmm.history_.dev_score
    assert len(scores) >= 2
    assert hmm.score(words[60:], labels[60:]) == approx(max(scores))
    with pytest.raises(OptionError, match=r"dev wants labels here, as dev=\(X, y\)"):
        hmm.fit(words[:60], given[:60], dev=words[60:])


def test_rules_and_dictionaries_hold_in_training():
    rules = seqlab.Constraints(forbidden_moves=[("N", "V")])
    hmm = HMM(
        constraints=rules, allowed={"a": ["D"]}, learner=HardEM(max_iterations=1), smoothing="witten-bell"
    )
    hmm.fit([*X[2:3], *X[3:]], [["V", "N"], *[None] * 2, ["A", "D", "V", "R"]])
    counts = hmm.counts_
    place = {name: i for i, name in enumerate(counts.labels)}
    assert counts.moves[..., place["N"], place["V"]].sum() == 0
    assert per_word(counts)[counts.words.pool.find("a"), place["D"]] == 1.0


def test_sentences_need_not_have_all_labels_anywhere():
    partly = [[name if t % 2 == 0 else None for t, name in enumerate(one)] for one in Y]
    hmm = HMM(smoothing="kneser-ney", learner=BaumWelch(max_iterations=5)).fit(X, partly)
    assert hmm.tag(X[0])[0::2] == ["D", "V"]
    assert hmm.counts_.moves.sum() == approx(sum(map(len, X)))
    assert HMM(end=True).fit(X, partly).tag(X[0])[0] == "D"


def test_labelled_sentences_without_weight_or_words_are_as_if_not_there():
    partly = [["D", None, "V"], *Y[1:2], *[None] * 4]
    for words, weights in ((X, [1, 0, 1, 1, 1, 1]), ([X[0], [None] * 4, *X[2:]], None)):
        hmm = HMM(smoothing="kneser-ney", learner=HardEM(max_iterations=1)).fit(
            words, partly, sample_weight=weights
        )
        assert hmm.tag(["the"]) == ["D"]
        assert "old" not in per_label(hmm, "A") or weights is None


def per_label(hmm, name):
    """List the words that were counted with a label."""
    counts = per_word(hmm.counts_)[:, hmm.labels_.index(name)]
    return [
        word for word, count in zip(hmm.counts_.words.pool.strings(), counts, strict=True) if count > 0.99
    ]


def test_the_order_stays_when_training_goes_on():
    for begun in (HMM(order=2).partial_fit(X[:3], Y[:3]), HMM(2, order=2).partial_fit(X)):
        begun.set_params(order=3)
        for labels in (None, SOME):
            with pytest.raises(OptionError, match="began with order 2, and cannot go on with 3"):
                begun.partial_fit(X, labels)


def test_batches_with_and_without_labels_add_up():
    hmm = HMM(smoothing="kneser-ney", learner=HardEM(unlabelled_weight=0.5)).partial_fit(X[:3], Y[:3])
    tagged = hmm.predict(X[3:5])
    hmm.partial_fit(X[3:5]).partial_fit(X[5:], [["A", "N", None, "R"]])
    assert hmm.labels_ == ("A", "D", "N", "R", "V")
    assert hmm.counts_.moves.sum() == approx(sum(map(len, X[:3])) + 0.5 * 6 + 4)
    counts = per_word(hmm.counts_)
    label = hmm.labels_.index(tagged[0][0])
    assert counts[hmm.counts_.words.pool.find("a"), label] == approx(0.5)
    first = HMM().partial_fit(X, SOME)
    assert isinstance(first.counts_, CountedHMM)


def test_impossible_sentences_are_left_out():
    learner = BaumWelch(max_iterations=2)
    words, labels = [["a", "b"], ["a", "c"], ["b", "b"]], [["x", "y"], None, None]
    hmm = HMM(smoothing="mle", unknown="suffix", learner=learner)
    with pytest.warns(TrainingWarning, match=r"1 of 2 sentences with open labels cannot be .* left out"):
        hmm.fit(words, labels)
    assert hmm.counts_.moves.sum() == approx(4.0)


# ---------------------------------------------------------------- which engine


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({}, CountedHMM),
        ({"order": 1}, CountedHMM),
        ({"order": 3}, CountedHMM),
        ({"smoothing": "interpolated"}, CountedHMM),
        ({"smoothing": "interpolated", "learner": BaumWelch(max_iterations=1)}, CountedHMM),
        ({"unknown": SuffixModel(), "learner": HardEM(max_iterations=1), "smoothing": 0.1}, CountedHMM),
        ({"smoothing": 0.1}, HiddenMarkov),
        ({"smoothing": "mle"}, HiddenMarkov),
        ({"unknown": "missing"}, HiddenMarkov),
        ({"learner": BaumWelch(max_iterations=1)}, HiddenMarkov),
        ({"learner": BaumWelch(max_iterations=1), "order": 2}, HiddenMarkov),
        ({"n_states": 6}, HiddenMarkov),
        ({"states": ["A", "D", "N", "R", "V"]}, HiddenMarkov),
    ],
)
def test_options_say_whether_counts_or_tables_learn(options, kind):
    assert isinstance(HMM(**options).fit(X, SOME).model_, kind)


def test_options_that_counts_do_not_use_are_refused():
    for learner, said in (
        (BaumWelch(frozen=["start"]), "frozen may name 'transitions' and 'emissions'"),
        (BaumWelch(tied=[("N", "V")]), "tied is for tables"),
    ):
        with pytest.raises(OptionError, match=said):
            HMM(smoothing="kneser-ney", learner=learner).fit(X, SOME)
    with pytest.raises(OptionError, match=r"Counting\(\) wants words, each of them with a label"):
        HMM(learner=Counting()).fit(X, SOME)


# ---------------------------------------------------------------- samples of counted words


@ORDERS
def test_counted_words_are_sampled(order):
    hmm = HMM(order=order, end=True).fit(X, Y)
    drawn = hmm.sample(n=300, seed=2)
    assert {word for one in drawn.observations for word in one} <= hmm.vocabulary_
    assert {name for one in drawn.states for name in one} <= set(hmm.labels_)
    moves, labels = hmm.counts_.move_probabilities, list(hmm.labels_)
    first = [labels.index(path[0]) for path in drawn.states]
    start = moves[(len(labels),) * order]
    assert np.bincount(first, minlength=5) / 300 == approx(start, abs=0.1)
    assert hmm.sample(n=3, length=4, seed=1).states == hmm.generate(3, 4, seed=1).states
    assert hmm.transition_matrix.matrix.sum(axis=1) == approx(1.0)
    assert hmm.stationary().sum() == approx(1.0)

"""What every tagger answers: held to the list of all labellings."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle.toy_tagger import ToyTagger
from seqlab.corpus import Corpus
from seqlab.errors import (
    CorpusError,
    ImpossibleError,
    LabelError,
    NotFittedError,
    OptionError,
    QuestionError,
    ShapeError,
)
from seqlab.tagging.decoding import blocks

X = [["the", "old", "man"], [], ["boat"], ["the", "old", "man", "the", "boat"]]
Y = [["D", "A", "N"], [], ["N"], ["D", "N", "V", "D", "N"]]
CORPUS = Corpus.from_lists(word=X, pos=Y)
TAGGER = ToyTagger(2.0).fit(CORPUS, "pos")
PLAIN = ToyTagger(2.0, probabilistic=False).fit(X, Y)
TOKENS = X[0]

sentences = st.lists(st.sampled_from(["the", "old", "man", "boat", "x"]), max_size=4)


# ---------------------------------------------------------------- against enumeration


@given(sentences)
def test_answers_are_those_of_the_list_of_all_labellings(words):
    paths = TAGGER.all_paths(words)
    log_z = math.log(math.fsum(math.exp(score) for score, _ in paths))
    assert TAGGER.log_partition(words) == approx(log_z, abs=1e-9)
    best = TAGGER.nbest(words, n=3)
    assert [path.score for path in best] == approx([score for score, _ in paths[:3]])
    assert [path.log_prob for path in best] == approx([score - log_z for score, _ in paths[:3]], abs=1e-9)
    assert tuple(TAGGER.tag(words)) == best[0].labels
    assert TAGGER.trellis(words).score(best[0].labels) == approx(best[0].score)
    assert TAGGER.log_prob(words, best[-1].labels) == approx(best[-1].log_prob, abs=1e-9)
    assert TAGGER.posterior(words).entropy == approx(
        -sum(math.exp(score - log_z) * (score - log_z) for score, _ in paths), abs=1e-9
    )
    for t, row in enumerate(TAGGER.predict_marginals_single(words)):
        for label in TAGGER.labels_:
            mass = math.fsum(math.exp(score - log_z) for score, path in paths if path[t] == label)
            assert row[label] == approx(mass, abs=1e-9)


@given(sentences.filter(len), st.data())
def test_known_and_allowed_labels_leave_the_labellings_that_have_them(words, data):
    position = data.draw(st.integers(0, len(words) - 1))
    label = data.draw(st.sampled_from(TAGGER.labels_))
    some = data.draw(st.sets(st.sampled_from(TAGGER.labels_), min_size=1))
    for rule, fits in (
        ({"known": {position: label}}, lambda path: path[position] == label),
        ({"allowed": {position: some}}, lambda path: path[position] in some),
        (
            {"allowed": [some if t == position else None for t in range(len(words))]},
            lambda path: path[position] in some,
        ),
    ):
        left = [(score, path) for score, path in TAGGER.all_paths(words) if fits(path)]
        assert tuple(TAGGER.tag(words, **rule)) == left[0][1]
        assert [path.score for path in TAGGER.nbest(words, 2, **rule)] == approx(
            [score for score, _ in left[:2]]
        )
        log_z = math.log(math.fsum(math.exp(score) for score, _ in left))
        assert TAGGER.log_partition(words, **rule) == approx(log_z)
        assert TAGGER.posterior(words, **rule).log_z == approx(log_z)
        assert all(fits(path) for path in TAGGER.sample(words, 5, seed=1, **rule).labels)


@given(sentences, st.data())
def test_log_prob_of_labels_known_in_part_adds_up_the_labellings(words, data):
    entry = st.one_of(
        st.none(), st.sampled_from(TAGGER.labels_), st.sets(st.sampled_from(TAGGER.labels_), min_size=1)
    )
    labels = [data.draw(entry) for _ in words]
    choices = [TAGGER.labels_ if one is None else [one] if isinstance(one, str) else one for one in labels]
    mass = math.fsum(math.exp(TAGGER.log_prob(words, path)) for path in itertools.product(*choices))
    assert math.exp(TAGGER.log_prob(words, labels)) == approx(mass)


def test_sample_depends_on_the_seed_alone():
    drawn = TAGGER.sample(TOKENS, 20, seed=4)
    assert drawn.labels == TAGGER.sample(TOKENS, 20, seed=4).labels
    assert drawn.labels != TAGGER.sample(TOKENS, 20, seed=5).labels
    assert len(drawn) == 20


# ---------------------------------------------------------------- many sentences


@pytest.mark.parametrize("decode", ["viterbi", "posterior", "beam", None])
def test_predict_is_tag_for_each_sentence(decode):
    beam = 2 if decode == "beam" else None
    expected = [TAGGER.tag(words, decode=decode, beam=beam) for words in X]
    for data in (X, CORPUS, list(CORPUS), tuple(map(tuple, X)), np.array(X, dtype=object), iter(X)):
        assert TAGGER.predict(data, decode=decode, beam=beam) == expected
    assert [len(labels) for labels in expected] == [3, 0, 1, 5]


def test_posterior_decoding_takes_the_best_label_of_each_position():
    for words in X:
        rows = TAGGER.predict_marginals_single(words)
        assert TAGGER.tag(words, decode="posterior") == [max(row, key=row.get) for row in rows]


def test_nothing_in_nothing_out():
    assert TAGGER.predict([]) == []
    assert TAGGER.predict([[], []]) == [[], []]
    assert TAGGER.predict([], decode="posterior") == []
    assert TAGGER.predict_proba([]) == []
    assert TAGGER.predict_proba([[]])[0].shape == (0, 4)
    assert TAGGER.predict_marginals([[]]) == [[]]
    assert TAGGER.tag([]) == []
    assert TAGGER.log_prob([], []) == 0.0
    assert TAGGER.annotate([[]]).column("predicted") == [[]]


@pytest.mark.parametrize("block", [1, 2, 4, 5, 1000])
def test_blocks_do_not_show(block):
    data = X * 5 + [[]]
    small = ToyTagger(2.0, block=block).fit(CORPUS, "pos")
    assert small.predict(data) == TAGGER.predict(data)
    assert small.predict(data, decode="beam", beam=1) == TAGGER.predict(data, decode="beam", beam=1)
    for one, other in zip(small.predict_proba(data), TAGGER.predict_proba(data), strict=True):
        assert np.array_equal(one, other)


@given(st.lists(st.integers(0, 5), max_size=12), st.integers(1, 8))
def test_blocks_are_as_large_as_they_may_be(lengths, most):
    corpus = Corpus.from_lists(word=[["a"] * length for length in lengths])
    found = list(blocks(corpus, most))
    assert [length for _, part in found for length in part.lengths] == lengths
    assert [begin for begin, _ in found] == list(
        itertools.accumulate([len(part) for _, part in found], initial=0)
    )[:-1]
    assert all(part.token_count <= most or len(part) == 1 for _, part in found)
    for (_, part), (_, after) in itertools.pairwise(found):
        assert part.token_count + after.lengths[0] > most


def test_marginals_are_dicts_of_what_predict_proba_gives():
    arrays = TAGGER.predict_proba(CORPUS)
    for rows, array in zip(TAGGER.predict_marginals(X), arrays, strict=True):
        assert [list(row.values()) for row in rows] == array.tolist()
        assert all(tuple(row) == TAGGER.labels_ for row in rows)
    assert TAGGER.labels_ == ("A", "D", "N", "V")


def test_threads_do_not_show():
    assert TAGGER.predict(X * 20, threads=1) == TAGGER.predict(X * 20, threads=2)


def test_annotate_adds_a_column():
    annotated = TAGGER.annotate(CORPUS)
    assert annotated.columns == ("word", "pos", "predicted")
    assert annotated.column("predicted") == TAGGER.predict(X)
    assert TAGGER.annotate(X, "pos", decode="posterior").column("pos") == TAGGER.predict(
        X, decode="posterior"
    )
    assert CORPUS.columns == ("word", "pos")


# ---------------------------------------------------------------- how good


def test_score_is_the_share_of_right_tokens():
    gold = [[labels[0], *("V" for _ in labels[1:])] if labels else [] for labels in TAGGER.predict(X)]
    pairs = zip(TAGGER.predict(X), gold, strict=True)
    right = [one == other for pair in pairs for one, other in zip(*pair, strict=True)]
    assert 3 <= sum(right) < len(right)
    assert TAGGER.score(X, gold) == approx(sum(right) / len(right))
    assert TAGGER.score(CORPUS.with_column("gold", gold), "gold") == TAGGER.score(X, gold)
    weights = [1.0, 7.0, 0.5, 2.0]
    by_token = [[w] * len(words) for w, words in zip(weights, X, strict=True)]
    shares = np.repeat(weights, [3, 0, 1, 5])
    assert TAGGER.score(X, gold, weights) == approx(np.average(right, weights=shares))
    assert TAGGER.score(X, gold, sample_weight=by_token) == TAGGER.score(X, gold, weights)


def test_score_leaves_out_none_and_takes_any_label_of_a_set():
    predicted = TAGGER.predict([TOKENS])[0]
    wrong = next(label for label in TAGGER.labels_ if label != predicted[2])
    assert TAGGER.score([TOKENS], [[None, set(TAGGER.labels_), wrong]]) == 0.5
    assert TAGGER.score([TOKENS], [["unheard", {"of", "these"}, wrong]]) == 0.0
    with pytest.raises(ShapeError, match="accuracy has no meaning"):
        TAGGER.score([TOKENS], [[None, None, None]])


def test_evaluate_takes_the_column_of_training_and_knows_its_words():
    test = Corpus.from_lists(word=[["the", "unheard"]], pos=[["D", "N"]])
    report = TAGGER.evaluate(test)
    assert report.tokens == 2
    assert report.unseen == 1
    assert report.figures == TAGGER.evaluate(test, "pos").figures
    assert report.figures == TAGGER.evaluate([["the", "unheard"]], [["D", "N"]]).figures
    assert report.figures == TAGGER.evaluate([["the", "unheard"]], np.array([["D", "N"]])).figures
    assert report.figures["accuracy"] == TAGGER.score(test, "pos")
    assert TAGGER.evaluate(test, known=[]).unseen == 2
    assert TAGGER.evaluate(test, bootstrap=10).intervals
    assert TAGGER.evaluate(test, decode="posterior").tokens == 2


def test_evaluate_needs_labels():
    with pytest.raises(
        OptionError, match="evaluate needs the right labels: pass the name of their column, for example 'pos'"
    ):
        PLAIN.evaluate(CORPUS)
    with pytest.raises(
        LabelError, match="position 1 of y: evaluate compares labels, so a token of y has one"
    ):
        TAGGER.evaluate([TOKENS], [["D", {"D", "N"}, "N"]])
    with pytest.raises(
        ShapeError, match="not one of 3 tokens has a gold label, so there is nothing to evaluate"
    ):
        TAGGER.evaluate([TOKENS], [None])
    assert TAGGER.evaluate([TOKENS], [["D", None, "N"]]).missing == 1
    with pytest.raises(ShapeError, match="sentence 0: X has 3 tokens, but y has 1 labels"):
        TAGGER.evaluate([TOKENS], [["D"]])


# ---------------------------------------------------------------- no probabilities

NEED_PROBABILITY = {
    "posterior": lambda tagger: tagger.posterior(TOKENS),
    "predict_proba": lambda tagger: tagger.predict_proba(X),
    "predict_marginals": lambda tagger: tagger.predict_marginals(X),
    "predict_marginals_single": lambda tagger: tagger.predict_marginals_single(TOKENS),
    "log_prob": lambda tagger: tagger.log_prob(TOKENS, ["D", "A", "N"]),
    "log_partition": lambda tagger: tagger.log_partition(TOKENS),
    "sample": lambda tagger: tagger.sample(TOKENS, 3),
    "decode='posterior'": lambda tagger: tagger.predict(X, decode="posterior"),
}
OTHERS = {
    "predict": lambda tagger: tagger.predict(X),
    "tag": lambda tagger: tagger.tag(TOKENS),
    "trellis": lambda tagger: tagger.trellis(TOKENS),
    "nbest": lambda tagger: tagger.nbest(TOKENS),
    "score": lambda tagger: tagger.score(X, Y),
    "evaluate": lambda tagger: tagger.evaluate(X, Y),
    "annotate": lambda tagger: tagger.annotate(X),
}


@pytest.mark.parametrize("question", NEED_PROBABILITY)
def test_scores_without_probabilities_say_so(question):
    with pytest.raises(
        QuestionError, match=f"^{question} has no meaning here: ToyTagger gives scores, not prob"
    ):
        NEED_PROBABILITY[question](PLAIN)


@pytest.mark.parametrize("question", OTHERS)
def test_scores_without_probabilities_answer_the_rest(question):
    assert OTHERS[question](PLAIN) is not None


def test_nbest_of_scores_has_no_probabilities():
    found = PLAIN.nbest(TOKENS, 2)
    assert [path.log_prob for path in found] == [None, None]
    assert [path.score for path in found] == [path.score for path in TAGGER.nbest(TOKENS, 2)]
    assert [path.log_prob for path in found.more(3)] == [None, None, None]
    assert len(found) == 5
    assert [path.log_prob for path in found] == [None] * 5
    assert len(PLAIN.nbest(["a"], 99)) == 4


@pytest.mark.parametrize("question", [*NEED_PROBABILITY, *OTHERS])
def test_nothing_is_answered_before_fit(question):
    ask = {**NEED_PROBABILITY, **OTHERS}[question]
    with pytest.raises(NotFittedError, match=r"has learned nothing yet; call fit\(X, y\) first"):
        ask(ToyTagger())
    with pytest.raises(NotFittedError, match="save: "):
        ToyTagger().save("model")


# ---------------------------------------------------------------- bad questions


@pytest.mark.parametrize(
    ("ask", "kind", "message"),
    [
        (lambda t: t.predict("the man"), CorpusError, "X must be a Corpus or a list of .* got the string 'the man'"),
        (lambda t: t.predict(["the man"]), CorpusError, "sentence 0 of X is the string 'the man'"),
        (lambda t: t.predict([["a"], "b"]), CorpusError, "sentence 1 of X is the string 'b'"),
        (lambda t: t.predict(7), CorpusError, "X must be a Corpus or a list of sentences, got 7"),
        (lambda t: t.predict([["a", 3]]), CorpusError, "sentence 0, token 1 must be a string, got 3"),
        (lambda t: t.predict([[("a", "b")]]), CorpusError, "tokens have 2 cells, but in training they had 1: 'word'"),
        (lambda t: t.tag("the man"), CorpusError, r"got the string 'the man'; split it first"),
        (lambda t: t.tag(7), CorpusError, "one sentence is a list of tokens, got 7"),
        (lambda t: t.tag(CORPUS), CorpusError, "one sentence is wanted, got a corpus of 4"),
        (lambda t: t.predict(CORPUS[0]), CorpusError, r"for one sentence there is tag\(tokens\)"),
        (lambda t: t.predict(X, decode="fast"), OptionError, "decode must be one of 'viterbi', .*, got 'fast'"),
        (lambda t: t.predict(X, decode="beam"), OptionError, "decode='beam' needs a width, for example beam=8"),
        (lambda t: t.predict(X, beam=3), OptionError, "beam=3 is for decode='beam', but decode is None"),
        (lambda t: t.predict(X, decode="beam", beam=0), OptionError, "beam must be a whole number from 1 up, got 0"),
        (lambda t: t.predict(X, threads=0), OptionError, "threads must be"),
        (lambda t: t.nbest(TOKENS, 0), OptionError, "n must be a whole number from 1 up, got 0"),
        (lambda t: t.tag(TOKENS, known={0: "Q"}), LabelError, "known, position 0: unknown label 'Q': the model knows"),
        (lambda t: t.tag(TOKENS, known={9: "A"}), LabelError, "known names position 9, but"),
        (lambda t: t.tag(TOKENS, known=["A"]), OptionError, r"known wants \{position: label\}"),
        (lambda t: t.tag(TOKENS, allowed={1: ["A", "Q"]}), LabelError, "allowed, position 1: unknown label 'Q'"),
        (lambda t: t.tag(TOKENS, allowed={1: "A"}), LabelError, r"allowed, position 1: a list .* write \['A'\]"),
        (lambda t: t.tag(TOKENS, allowed="A"), OptionError, "allowed wants"),
        (lambda t: t.tag(TOKENS, allowed=[None]), ShapeError, "allowed lists labels for 1 positions"),
        (lambda t: t.log_prob(TOKENS, ["A"]), ShapeError, "the sentence has 3 tokens, but 1 labels came"),
        (lambda t: t.log_prob(TOKENS, "AAA"), LabelError, "labels must be a list with one entry per token, got 'AAA'"),
        (lambda t: t.log_prob(TOKENS, ["A", "Q", "A"]), LabelError, "labels, position 1: unknown label 'Q'"),
        (lambda t: t.log_prob(TOKENS, ["A", {"Q"}, "A"]), LabelError, "allowed, position 1: unknown label 'Q'"),
        (lambda t: t.tag(TOKENS, allowed={1: []}), ImpossibleError, "nothing is left at position 1"),
    ],
)  # fmt: skip
def test_bad_questions_are_refused(ask, kind, message):
    with pytest.raises(kind, match=message):
        ask(TAGGER)


class Strict(ToyTagger):
    """Nothing may follow anything: only sentences of one token have a labelling."""

    def _trellises(self, corpus, threads):
        never = np.ones((len(self.labels_),) * 2, dtype=bool)
        return [one.constrain(forbidden_moves=never) for one in super()._trellises(corpus, threads)]


@pytest.mark.parametrize("block", [1, 1000])
@pytest.mark.parametrize("ask", ["predict", "predict_proba"])
def test_a_sentence_without_a_labelling_is_named_by_its_number_in_x(block, ask):
    tagger = Strict(block=block).fit(X, Y)
    with pytest.raises(
        ImpossibleError, match=r"^sentence 3: no legal path: nothing is left at position 1"
    ) as caught:
        getattr(tagger, ask)([["a"], ["b"], [], ["a", "b"]])
    assert (caught.value.sequence, caught.value.position) == (3, 1)


def test_log_prob_of_what_cannot_be_is_minus_infinity():
    class Half(ToyTagger):
        def _trellises(self, corpus, threads):
            return [one.constrain(forbidden_starts=["A"]) for one in super()._trellises(corpus, threads)]

    tagger = Half().fit(X, Y)
    assert tagger.log_prob(TOKENS, ["A", "N", "N"]) == -math.inf
    assert tagger.log_prob(TOKENS, ["A", None, None]) == -math.inf
    assert math.isfinite(tagger.log_prob(TOKENS, ["N", None, None]))

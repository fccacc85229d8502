"""The baseline: counted by hand, and by another program for random corpora."""

import tracemalloc
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import seqlab
from seqlab.corpus import Corpus
from seqlab.errors import CorpusError, ImpossibleError, LabelError, OptionError, QuestionError
from seqlab.families.local.baseline import MostFrequentTag

X = [["the", "run"], ["the", "dogs", "run"], ["run", "the"]]
Y = [["D", "N"], ["D", "N", "V"], ["V", "D"]]


def test_each_word_gets_the_label_it_had_most_often():
    tagger = MostFrequentTag().fit(X, Y)
    assert tagger.labels_ == ("D", "N", "V")
    assert tagger.predict([["run", "dogs", "the"], []]) == [["V", "N", "D"], []]
    assert tagger.tag(["unheard"]) == ["D"]


def test_among_equals_the_first_by_name_whatever_came_first():
    for y in ([["Z", "B", "C", "A"]], [["B", "Z", "A", "C"]]):
        assert MostFrequentTag().fit([["a", "a", "a", "a"]], y).tag(["a", "unheard"]) == ["A", "A"]


def test_unknown_words_are_like_words_seen_once():
    x = [["the", "the", "cat", "dog", "ran"]]
    y = [["D", "D", "N", "N", "V"]]
    assert MostFrequentTag("common").fit(x, y).tag(["unheard"]) == ["D"]
    assert MostFrequentTag("rare").fit(x, y).tag(["unheard"]) == ["N"]
    twice = MostFrequentTag("rare").fit(x * 2, y * 2)  # no word was seen once
    assert twice.tag(["unheard"]) == ["D"]


words = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("XYZ")), max_size=6)


def counted(sentences, unknown):
    """The same by plain counting."""
    counts, total, once = defaultdict(Counter), Counter(), Counter()
    for word, label in (pair for sentence in sentences for pair in sentence):
        counts[word][label] += 1
        total[label] += 1
    for found in counts.values():
        if found.total() == 1:
            once += found

    def best(found):
        return min(found, key=lambda label: (-found[label], label))

    other = best(once if unknown == "rare" and once else total)
    return lambda word: best(counts[word]) if word in counts else other


@given(st.lists(words, min_size=1).filter(any), st.sampled_from(["common", "rare"]), st.integers(0, 5))
def test_it_agrees_with_plain_counting_at_once_and_bit_by_bit(sentences, unknown, cut):
    x = [[word for word, _ in sentence] for sentence in sentences]
    y = [[label for _, label in sentence] for sentence in sentences]
    expected = counted(sentences, unknown)
    tagger = MostFrequentTag(unknown).fit(x, y)
    test = [[*"abcdefghij"], []]
    assert tagger.predict(test) == [[expected(word) for word in sentence] for sentence in test]
    bits = MostFrequentTag(unknown)
    for part in (slice(None, cut), slice(cut, None)):
        if any(x[part]):
            bits.partial_fit(x[part], y[part])
    assert bits.labels_ == tagger.labels_
    assert bits.predict(test) == tagger.predict(test)
    for one, other in zip(bits.predict_proba(test), tagger.predict_proba(test), strict=True):
        assert one == approx(other)


def test_probabilities_are_smoothed_counts():  # eq:most-frequent
    tagger = MostFrequentTag(smoothing=0.5).fit(X, Y)
    row = tagger.predict_marginals_single(["run"])[0]  # N once, V twice
    assert row == approx({"D": 0.5 / 4.5, "N": 1.5 / 4.5, "V": 2.5 / 4.5})
    assert tagger.predict_marginals_single(["unheard"])[0] == approx(
        {"D": 3.5 / 8.5, "N": 2.5 / 8.5, "V": 2.5 / 8.5}
    )
    assert tagger.log_partition(["run", "the", "unheard"]) == approx(0.0)
    assert tagger.log_prob(["the", "run"], ["D", "V"]) == approx(np.log(3.5 / 4.5 * 2.5 / 4.5))
    assert MostFrequentTag(smoothing=0).fit(X, Y).log_prob(["the"], ["V"]) == -np.inf


def test_constraints_are_obeyed():
    x, y = [["U.N.", "York"], ["U.N.", "York", "fell"], ["of"]], [["B-X", "I-X"], ["B-X", "I-X", "O"], ["O"]]
    assert MostFrequentTag().fit(x, y).tag(["York", "of", "York"]) == ["I-X", "O", "I-X"]
    tagger = MostFrequentTag(constraints="IOB2").fit(x, y)
    paths = tagger.nbest(["York", "of", "York"], 30)
    assert all(labels[0] != "I-X" and "O I-X" not in " ".join(labels) for labels in (p.labels for p in paths))
    assert tuple(tagger.predict([["York", "of", "York"]])[0]) == paths[0].labels
    assert sum(np.exp(path.log_prob) for path in paths) == approx(1.0)
    pairs = MostFrequentTag(constraints=[("O", "I-X"), ("O", "B-X")]).fit(x, y)
    assert pairs.tag(["of", "York"]) != ["O", "I-X"]


def test_a_dictionary_is_obeyed():
    tagger = MostFrequentTag(allowed={"run": ["N"], "new": ["V", "Q"]}).fit(X, Y)
    assert tagger.predict([["run", "new", "the"]]) == [["N", "V", "D"]]
    assert tagger.predict_marginals_single(["new"])[0] == {"D": 0.0, "N": 0.0, "V": 1.0}
    with pytest.raises(
        LabelError, match=r"allowed\['run'\] is \['Q'\], but training has none of these labels"
    ):
        MostFrequentTag(allowed={"run": ["Q"]}).fit(X, Y)
    with pytest.raises(
        LabelError, match=r"allowed\['run'\] must be a list of labels, got 'N'; write \['N'\]"
    ):
        MostFrequentTag(allowed={"run": "N"}).fit(X, Y)
    with pytest.raises(OptionError, match=r"allowed must be \{word: labels\}"):
        MostFrequentTag(allowed=["run"]).fit(X, Y)
    strict = MostFrequentTag(allowed={"the": ["V"]}, smoothing=0).fit(X, Y)
    with pytest.raises(ImpossibleError, match="sentence 1: no legal path: nothing is left at position 1"):
        strict.predict([["run"], ["run", "the"]])


def test_weights_count():
    assert MostFrequentTag().fit(X, Y, sample_weight=[5, 1, 1]).tag(["run"]) == ["N"]
    assert MostFrequentTag().fit(X, Y, sample_weight=[[1, 5], [1, 1, 1], [1, 1]]).tag(["run"]) == ["N"]
    assert MostFrequentTag(class_weight={"N": 3}).fit(X, Y).tag(["run"]) == ["N"]
    balanced = MostFrequentTag(class_weight="balanced", smoothing=0).fit(X, Y)
    row = balanced.predict_marginals_single(["unheard"])[0]
    assert row == approx({"D": 1 / 3, "N": 1 / 3, "V": 1 / 3})
    nothing = MostFrequentTag().fit(X, Y, sample_weight=[[1, 0], [1, 1, 0], [0, 1]])
    assert nothing.tag(["run"]) == ["D"]  # all that was seen of it weighs nothing
    with pytest.raises(OptionError, match="has the weight 0, so there is nothing to learn from"):
        MostFrequentTag(class_weight=dict.fromkeys("DNV", 0)).fit(X, Y)


def test_partial_labels_are_skipped_or_shared():
    tagger = MostFrequentTag(smoothing=0).fit([["a", "a", "a", "b"]], [["X", {"Y", "Z"}, {"Y", "X"}, None]])
    assert tagger.labels_ == ("X", "Y", "Z")
    assert tagger.predict_marginals_single(["a"])[0] == approx({"X": 0.5, "Y": 1 / 3, "Z": 1 / 6})
    assert tagger.predict_marginals_single(["b"]) == tagger.predict_marginals_single(["unheard"])


def test_once_seen_means_once_with_a_label():
    tagger = MostFrequentTag("rare").fit([["a", "a", "b", "b", "c"]], [["X", "X", "Y", None, None]])
    assert tagger.tag(["unheard"]) == ["Y"]


def test_once_seen_words_that_weigh_nothing_say_nothing():
    x, y = [["a", "a"], ["b"]], [["X", "X"], ["Y"]]
    tagger = MostFrequentTag("rare", smoothing=0).fit(x, y, sample_weight=[1, 0])
    assert tagger.tag(["unheard", "b"]) == ["X", "X"]


def test_new_words_and_labels_are_welcome_later():
    tagger = MostFrequentTag().fit(X, Y)
    assert tagger.partial_fit([["run", "run", "Oslo"]], [["A", "A", "PROPN"]]) is tagger
    assert tagger.labels_ == ("A", "D", "N", "PROPN", "V")
    assert tagger.predict([["Oslo", "the", "run"]]) == [["PROPN", "D", "A"]]
    assert tagger.vocabulary_ == {"the", "run", "dogs", "Oslo"}
    assert tagger.fit(X, Y).labels_ == ("D", "N", "V")  # fit begins anew
    with pytest.raises(OptionError, match="class_weight='balanced' needs all data at one time"):
        MostFrequentTag(class_weight="balanced").partial_fit(X, Y)


def test_a_failed_partial_fit_changes_nothing():
    tagger = MostFrequentTag(constraints="IOB2").fit([["a", "b"]], [["B-X", "O"]])
    with pytest.raises(ValueError, match="not of the scheme"):
        tagger.partial_fit([["a", "c"]], [["what", "what"]])
    assert tagger.labels_ == ("B-X", "O")
    assert tagger.predict([["a", "b", "c"]]) == [["B-X", "O", "B-X"]]
    assert "c" not in tagger.words_


def test_any_column_may_hold_the_words():
    corpus = Corpus.from_lists(word=X, lemma=[["a", "b"], ["a", "b", "c"], ["c", "a"]], pos=Y)
    tagger = MostFrequentTag(column="lemma").fit(corpus, "pos")
    assert tagger.predict(corpus) == [["D", "N"], ["D", "N", "V"], ["V", "D"]]
    assert tagger.vocabulary_ == {"the", "run", "dogs"}
    with pytest.raises(CorpusError, match="there is no column 'lemma'"):
        tagger.predict(X)
    with pytest.raises(
        CorpusError, match="there are no words to count: the columns 'vector' hold no strings"
    ):
        MostFrequentTag().fit(Corpus.from_lists(vector=[np.zeros((2, 3))]), [["X", "Y"]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unknown": "never"}, "unknown must be 'common' or 'rare', got 'never'"),
        ({"smoothing": -1}, "smoothing must be a number from 0 up, got -1"),
        ({"smoothing": np.nan}, "smoothing must be a number from 0 up, got nan"),
        ({"smoothing": "a"}, "smoothing must be a number from 0 up, got 'a'"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        MostFrequentTag(**options).fit(X, Y)


def test_dev_has_no_meaning():
    with pytest.raises(QuestionError, match="dev has no meaning here: counting has no epochs"):
        MostFrequentTag().fit(X, Y, dev=(X, Y))


@pytest.mark.parametrize("block", [1, 3])
def test_blocks_do_not_show(block, monkeypatch):
    for options in ({}, {"constraints": [("D", "D")]}):
        tagger = MostFrequentTag(**options).fit(X, Y)
        expected = tagger.predict(X * 4)
        with monkeypatch.context() as patch:
            patch.setattr("seqlab.tagging.tagger.BLOCK", block)
            assert tagger.predict(X * 4) == expected


def test_words_are_remembered_when_further_data_has_none():
    tagger = MostFrequentTag(column="lemma").fit(
        Corpus.from_lists(word=[["ran"]], lemma=[["run"]], y=[["V"]]), "y"
    )
    tagger.partial_fit(Corpus.from_lists(lemma=[["dog"]], y=[["N"]]), "y")
    assert (tagger.vocabulary_, tagger.words_) == (frozenset(["ran"]), {"run": 0, "dog": 1})


def test_very_many_labels_take_little_memory(tmp_path):
    count = 100_000
    X = [[f"w{i}" for i in range(count)], ["w0", "new"]]
    y = [[f"L{i:06}" for i in range(count)], ["L000000", "L000007"]]
    tracemalloc.start()
    tagger = MostFrequentTag().fit(X, y)
    assert tagger.predict([["w7", "w99999", "never"]]) == [["L000007", "L099999", "L000000"]]
    tagger.save(tmp_path / "m")
    again = seqlab.load(tmp_path / "m")
    assert again.predict([["w7", "never"]]) == [["L000007", "L000000"]]
    again.partial_fit([["w7"]], [["another"]])
    assert len(again.labels_) == count + 1
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 400e6
    assert (tmp_path / "m").stat().st_size < 20e6
    with pytest.raises(QuestionError, match="table of 100,000 by 100,000 labels"):
        tagger.posterior(["w7"])


@given(st.integers(0, 2**32 - 1), st.sampled_from(["common", "rare"]))
def test_the_best_label_is_that_of_the_table(seed, unknown):  # eq:most-frequent
    rng = np.random.default_rng(seed)
    X = [[f"w{i}" for i in rng.integers(6, size=rng.integers(1, 9))] for _ in range(4)]
    y = [[f"L{i}" for i in rng.integers(4, size=len(row))] for row in X]
    weights = [1, *rng.integers(0, 3, size=3).tolist()]
    tagger = MostFrequentTag(unknown, smoothing=0.0).fit(X, y, sample_weight=weights)
    test = [[*row, "new"] for row in X]
    proba = tagger.predict_proba(test)
    labels = [[tagger.labels_[i] for i in np.round(one, 12).argmax(axis=1)] for one in proba]
    assert tagger.predict(test) == labels

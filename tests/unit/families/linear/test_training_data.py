"""X, y and weights at the door of fit."""

import io

import numpy as np
import pytest

import seqlab
from oracle.toy_tagger import ToyTagger
from seqlab.corpus import Corpus
from seqlab.errors import CorpusError, LabelError, OptionError, ShapeError
from seqlab.families.local.baseline import MostFrequentTag
from seqlab.tagging.door.sentences import (
    NOTHING,
    SEVERAL,
    label_counts,
    label_weights,
    read_gold,
    read_sentences,
    token_weights,
    vocabulary,
    word_column,
)

X = [["the", "dog"], [], ["dog"]]
Y = [["D", "N"], [], ["N"]]
CORPUS = Corpus.from_lists(word=X, pos=Y)


# ---------------------------------------------------------------- X


def test_every_way_to_give_sentences_is_the_same_corpus():
    expected = Corpus.from_lists(word=X)
    for given in (
        X,
        tuple(map(tuple, X)),
        iter(X),
        [iter(s) for s in X],
        np.array(X, dtype=object),
        list(expected),
    ):
        assert read_sentences(given, words=True) == expected
    assert read_sentences(CORPUS, words=True) is CORPUS
    assert read_sentences(list(CORPUS), words=True) == CORPUS
    assert read_sentences([{"word": s} for s in X], words=True) == expected
    assert read_sentences([[{"word": w} for w in s] for s in X], words=True) == expected


def test_tuples_are_named_as_in_training():
    pairs = [[("the", "D"), ("dog", "N")], []]
    assert read_sentences(pairs, words=True).columns == ("word", "pos")
    assert read_sentences(pairs, words=True, columns=("form", "tag")).columns == ("form", "tag")
    assert read_sentences(pairs, words=True, columns=("form", "tag", "more")).columns == ("form", "tag")
    assert read_sentences(pairs, words=True, labelled=True).columns == ("word", "label")
    five = [[("a", "b", "c", "d", "e")]]
    assert read_sentences(five, words=True).columns == ("word", "column1", "column2", "column3", "column4")


def test_without_words_tokens_are_attributes():
    bags = read_sentences([[["w=the", "cap"], {"w=dog": 2.0}]], words=False)
    assert bags.column("attributes") == [[{"w=the": 1.0, "cap": 1.0}, {"w=dog": 2.0}]]


def test_column_of_words():
    assert word_column(CORPUS) == "word"
    assert word_column(Corpus.from_lists(form=X, pos=Y)) == "form"
    assert word_column(Corpus.from_lists(tok=X, pos=Y)) == "tok"
    assert word_column(CORPUS, "pos") == "pos"
    assert word_column(read_sentences([[["a"]]], words=False)) is None
    with pytest.raises(CorpusError, match="there is no column 'wordd'"):
        word_column(CORPUS, "wordd")
    assert vocabulary(CORPUS[2:]) == {"dog"}
    assert vocabulary(Corpus.from_lists(tok=X)) is None


def test_training_remembers_columns_and_words():
    tagger = ToyTagger().fit(CORPUS, "pos")
    assert (tagger.column_, tagger.columns_, tagger.vocabulary_) == ("pos", ("word",), {"the", "dog"})
    tagger = ToyTagger().fit([[("the", "D"), ("dog", "N")]], [["X", "Y"]])
    assert (tagger.column_, tagger.columns_) == (None, ("word", "pos"))
    assert tagger.predict([[("the", "D")]]) == tagger.predict([["the"]])


# ---------------------------------------------------------------- y


def test_labels_are_numbered_by_name():
    arrays = [np.array(labels, dtype=str) for labels in Y]
    numpy_strings = [list(labels) for labels in arrays]
    for y in ("pos", Y, tuple(map(tuple, Y)), np.array(Y, dtype=object), arrays, numpy_strings, iter(Y)):
        gold = read_gold(CORPUS, y)
        assert gold.names == ("D", "N")
        assert gold.ids.tolist() == [0, 1, 1]
        assert not gold.partial
        assert all(type(name) is str for name in gold.names)
    assert read_gold(CORPUS, "pos").column == "pos"
    assert read_gold(CORPUS, Y).column is None


def test_partial_labels():
    gold = read_gold(CORPUS, [[None, {"V", "N"}], [], [["A"]]])
    assert gold.names == ("A", "N", "V")
    assert gold.ids.tolist() == [NOTHING, SEVERAL, 0]
    assert gold.sets == {1: (1, 2)}
    assert gold.partial
    wider = gold.numbered(("A", "B", "N", "V"))
    assert wider.ids.tolist() == [NOTHING, SEVERAL, 0]
    assert wider.sets == {1: (2, 3)}
    assert label_counts(gold).tolist() == [1.0, 0.5, 0.5]
    assert label_counts(gold, np.array([9.0, 4.0, 3.0])).tolist() == [3.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("x", "y", "kind", "message"),
    [
        (X, Y[:2], ShapeError, "X has 3 sentences, but y has 2"),
        (X, [["D"], [], ["N"]], ShapeError, "sentence 0: X has 2 tokens, but y has 1 labels; every token needs one"),
        (X, [["D", "N"], [], "N"], LabelError, r"sentence 2 of y must be a list .*, got 'N'; write list\('N'\)"),
        (X, [["D", 3], [], ["N"]], LabelError, "sentence 0, position 1 of y: a label is a string, a whole number"),
        (X, [["D", {3}], [], ["N"]], LabelError, "sentence 0, position 1 of y: a label is a string"),
        (X, [["D", set()], [], ["N"]], LabelError, "sentence 0, position 1 of y: an empty set leaves no label"),
        (X, None, OptionError, "labels are wanted: y is the name of a column of the corpus, or a list of labels"),
        (X, "pos", CorpusError, "there is no column 'pos': the columns are 'word'"),
        (X, 3, LabelError, "y must be the name of a column, or a list of labels for every sentence, got 3"),
        (CORPUS, "pso", CorpusError, "there is no column 'pso'.*did you mean 'pos'"),
        ([], [], ShapeError, "X has 0 sentences and no token at all"),
        ([[], []], [[], []], ShapeError, "X has 2 sentences and no token at all, so there is nothing to learn from"),
        (X, [[None, None], [], [None]], ShapeError, "none of the 3 tokens has a label"),
        ("the dog", Y, CorpusError, "X must be a Corpus or a list of sentences, got the string 'the dog'"),
        (["the dog", [], "dog"], Y, CorpusError, "sentence 0 of X is the string 'the dog'"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tagger", [ToyTagger(), MostFrequentTag()])
def test_bad_training_data_is_refused_and_nothing_is_learned(tagger, x, y, kind, message):
    with pytest.raises(kind, match=message):
        tagger.fit(x, y)
    assert not hasattr(tagger, "labels_")


# ---------------------------------------------------------------- weights


def test_weights_by_sentence_and_by_token():
    assert token_weights(CORPUS, None) is None
    assert token_weights(CORPUS, [2, 5, 0]).tolist() == [2.0, 2.0, 0.0]
    assert token_weights(CORPUS, np.array([2.0, 5.0, 0.0])).tolist() == [2.0, 2.0, 0.0]
    assert token_weights(CORPUS, [[1, 3], [], [0.5]]).tolist() == [1.0, 3.0, 0.5]
    assert token_weights(CORPUS, [[1, 3], 7, 0.5]).tolist() == [1.0, 3.0, 0.5]


def test_weights_of_a_crfsuite_file_count():
    text = "@weight:3\nD\tw=the\nN\tw=dog\n\nN\tw=cat\n\n"
    corpus = seqlab.read(io.StringIO(text), format="crfsuite")
    assert token_weights(corpus, None).tolist() == [3.0, 3.0, 1.0]
    assert token_weights(corpus, [1, 1]).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("weights", "kind", "message"),
    [
        ([1, 2], ShapeError, "X has 3 sentences, but sample_weight has 2 entries"),
        ([[1], [], [1]], ShapeError, r"sentence 0: X has 2 tokens, but sample_weight has shape \(1,\)"),
        ([1, -1, 1], OptionError, "sentence 1 of sample_weight is -1.0, but a weight is a number from 0 up"),
        ([[1, np.nan], [], [1]], OptionError, "sentence 0, position 1 of sample_weight is nan"),
        ([1, np.inf, 1], OptionError, "sentence 1 of sample_weight is inf"),
        (["a", 1, 1], OptionError, "sentence 0 of sample_weight must be numbers, got 'a'"),
        (
            "abc",
            OptionError,
            "sample_weight must hold a number, or a list of numbers, for every sentence, got 'abc'",
        ),
        (2.0, OptionError, "sample_weight must hold"),
        ([0, 1, 0], OptionError, "every sample_weight is 0"),
    ],
)
def test_bad_weights_are_refused(weights, kind, message):
    with pytest.raises(kind, match=message):
        token_weights(CORPUS, weights)


def test_class_weights():
    gold = read_gold(CORPUS, Y)
    assert label_weights(gold, None) is None
    assert label_weights(gold, {"N": 3}).tolist() == [1.0, 3.0]
    # as scikit-learn: tokens / (labels * tokens of the label)
    assert label_weights(gold, "balanced").tolist() == [3 / 2, 3 / 4]
    assert label_weights(gold.numbered(("A", "D", "N")), "balanced").tolist() == [1.0, 3 / 2, 3 / 4]
    with pytest.raises(OptionError, match="class_weight of 'N' is -1, but a weight is a number from 0 up"):
        label_weights(gold, {"N": -1})
    with pytest.raises(
        LabelError, match="class_weight names the label 'Q', which the training data does not have"
    ):
        label_weights(gold, {"Q": 1})
    with pytest.raises(OptionError, match="class_weight must be"):
        label_weights(gold, "equal")

"""What people new to seqlab do wrong first, and what they are told."""

import numpy as np
import pytest

from seqlab import (
    CRF,
    LBFGS,
    MEMM,
    Corpus,
    LinearTagger,
    LocalTagger,
    MostFrequentTag,
    Perceptron,
    Reranker,
    demo_corpus,
)
from seqlab.errors import (
    AbsentError,
    CorpusError,
    LabelError,
    OptionError,
    QuestionError,
    ShapeError,
    TemplateError,
)

WORDS, LABELS = [["the", "dog", "barks"], ["a", "cat"]], [["D", "N", "V"], ["D", "N"]]
BAGS, BAG_LABELS = [[{"w": "a", "v": 1.5}, {"w": "b"}]] * 3, [["X", "Y"]] * 3
QUICK = LBFGS(max_iterations=5)


@pytest.mark.parametrize("kind", [CRF, LinearTagger, MEMM])
def test_the_class_of_a_learner_is_no_learner(kind):
    with pytest.raises(OptionError, match=r"got the class LBFGS; write LBFGS\(\)"):
        kind("word[0]", LBFGS).fit(WORDS, LABELS)


def test_allowed_words_need_words():
    with pytest.raises(CorpusError, match="allowed speaks of words"):
        CRF(None, QUICK, allowed={"a": ["X"]}).fit(BAGS, BAG_LABELS)


def test_an_empty_development_set_is_called_by_its_name():
    with pytest.raises(ShapeError, match="dev has 0 sentences"):
        CRF("word[0]", QUICK).fit(WORDS, LABELS, dev=([], []))
    with pytest.raises(ShapeError, match="every token of dev"):
        CRF("word[0]", QUICK).fit(WORDS, LABELS, dev=([["a"]], [[None]]))


def test_weights_that_are_too_large_are_refused():
    with pytest.raises(OptionError, match=r"sentence 0 of sample_weight is 1e\+308"):
        CRF("word[0]", QUICK).fit(WORDS, LABELS, sample_weight=[1e308, 1e308])


@pytest.mark.parametrize("label", ["\ud800", {"N", "\ud800"}])
def test_labels_are_text_that_can_be_written(label):
    with pytest.raises(LabelError, match=r"sentence 1, position 0 of y: .*UTF-8"):
        CRF("word[0]", QUICK).fit(WORDS, [LABELS[0], [label, "N"]])


def test_a_whole_token_is_no_value():
    with pytest.raises(TemplateError, match=r"write sentence\[t\]\.word"):
        CRF(lambda sentence, t: {"w": sentence[t]}, QUICK).fit(WORDS, LABELS)


def test_a_frame_of_pandas_is_shown_the_way():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"sentence": [0, 0], "word": ["a", "b"], "label": ["X", "Y"]})
    with pytest.raises(CorpusError, match=r"X is a DataFrame.*Corpus\.from_pandas\(X\) makes a corpus of it"):
        CRF("word[0]", QUICK).fit(frame, "label")
    tagger = CRF("word[0]", QUICK).fit(Corpus.from_pandas(frame), "label")
    with pytest.raises(CorpusError, match="X is a DataFrame"):
        tagger.predict(frame)


def test_series_of_pandas_are_sentences():
    pandas = pytest.importorskip("pandas")
    X, y = (
        [pandas.Series(one, index=range(5, 5 + len(one))) for one in WORDS],
        list(map(pandas.Series, LABELS)),
    )
    tagger, same = CRF("word[0]", QUICK).fit(X, y), CRF("word[0]", QUICK).fit(WORDS, LABELS)
    np.testing.assert_array_equal(tagger.model_.theta, same.model_.theta)
    assert tagger.predict(X) == same.predict(WORDS)
    assert tagger.tag(X[0]) == same.tag(WORDS[0])


def test_huge_values_are_refused_by_place_in_every_tagger():
    svm = pytest.importorskip("sklearn.svm")
    huge = [[{"w": "a"}], [{"w": "b"}, {"v": 1e308}]]
    for tagger in (CRF(None, QUICK), MEMM(None, QUICK), LocalTagger(svm.LinearSVC(), None)):
        with pytest.raises(CorpusError, match=r"sentence 1, position 1: attribute 'v' has the value 1e\+308"):
            tagger.fit(huge, [["X"], ["X", "Y"]])
        tagger.fit(BAGS, BAG_LABELS)
        with pytest.raises(CorpusError, match=r"sentence 1, position 1: attribute 'v' has the value 1e\+308"):
            tagger.predict(huge)


def test_class_weights_may_name_labels_that_came_before():
    tagger = CRF("word[0]", QUICK, class_weight={"V": 2.0}).partial_fit(WORDS, LABELS)
    assert tagger.partial_fit(WORDS[1:], LABELS[1:]).labels_ == ("D", "N", "V")
    with pytest.raises(LabelError, match="'Q'"):
        tagger.set_params(class_weight={"Q": 2.0}).partial_fit(WORDS, LABELS)


def test_what_a_tagger_has_not_it_gives_a_reason_for():
    svm = pytest.importorskip("sklearn.svm")
    cases = [
        (LocalTagger(svm.LinearSVC()), "explain", "classifier_"),
        (LocalTagger(svm.LinearSVC()), "partial_fit", "call fit"),
        (MostFrequentTag(), "top_features", "counts_"),
        (Reranker(MostFrequentTag()), "trellis", "nbest"),
        (Reranker(MostFrequentTag()), "posterior", "nbest"),
        (CRF("pos"), "log_likelihood", "an HMM does"),
        (LinearTagger("pos", Perceptron()), "log_joint", "an HMM does"),
        (MostFrequentTag(), "log_likelihood", "an HMM does"),
        (LocalTagger(svm.LinearSVC()), "generate", "an HMM does"),
    ]
    for tagger, name, reason in cases:
        assert not hasattr(tagger, name)
        with pytest.raises(AbsentError, match=f"no attribute '{name}': .*{reason}"):
            getattr(tagger, name)
    assert issubclass(AbsentError, QuestionError)
    assert issubclass(AbsentError, AttributeError)


@pytest.mark.parametrize("learner", [LBFGS(), Perceptron()])
def test_sure_models_of_order_2_explain_every_token(learner):
    corpus = demo_corpus()[:60]
    tagger = LinearTagger("pos", learner, order=2, keep=0.2).fit(corpus, "pos")
    alone = 0
    for sentence in corpus[:5]:
        chosen = tagger.tag(sentence)
        alone += sum(len(left) == 1 for left in tagger.trellis(sentence).allowed.values())
        for t in range(len(sentence)):
            told = tagger.explain(sentence, t)
            assert told.label == chosen[t]
            asked = tagger.explain(sentence, t, rival="INTJ")
            for account, value in ((told, told.log_odds), (asked, asked.log_odds)):
                assert account.total == pytest.approx(account.margin if value is None else value)
    assert alone  # positions with no rival under the pruned model
    with pytest.raises(LabelError, match="does not exist"):
        tagger.explain(corpus[0], 99)
    with pytest.raises(LabelError, match="whole numbers"):
        tagger.explain(corpus[0], [1])


def test_sure_models_of_order_2_give_as_many_labellings_as_are_wanted():
    tagger = CRF("pos", order=2).fit(demo_corpus()[:60], "pos")
    size = len(tagger.labels_)
    for tokens in (["the", "boat"], ["the"], []):
        assert len(tagger.trellis(tokens).allowed) == len(tokens)  # some labels were left out
        found = tagger.nbest(tokens, 30)
        assert len(found) == min(30, size ** len(tokens))
        assert list(found[0].labels) == tagger.tag(tokens)
        assert [path.score for path in found] == sorted((path.score for path in found), reverse=True)
        assert len({path.labels for path in found}) == len(found)
    assert all(path.labels[0] == "DET" for path in tagger.nbest(["the", "boat"], 10, known={0: "DET"}))


@pytest.mark.parametrize("learner", [LBFGS(), Perceptron()])
def test_the_first_labelling_is_what_tag_says_however_few_labels_are_left(learner):
    tagger = LinearTagger("pos", learner, order=2, keep=0.2).fit(demo_corpus()[:60], "pos")
    for sentence in demo_corpus("test")[:20]:
        found = tagger.nbest(sentence, 5)
        assert list(found[0].labels) == tagger.tag(sentence)

"""The features that a Reranker has unless it is given others."""

from seqlab.families.rerank.features import GlobalFeatures
from seqlab.families.rerank.tagger import Reranker
from seqlab.tags import IOB2


def ok(tokens, n):
    return [(("N",) * len(tokens), 0.0), (("V",) * len(tokens), -1.0)]


def test_usual_features_of_tags_know_spans():
    found = GlobalFeatures(IOB2)(["New", "York", "and", "York"], ["B-LOC", "I-LOC", "O", "B-PER"])
    for name in (
        "LOC is New York", "PER is York", "LOC of length 2", "PER after and", "spans <s> LOC", "spans LOC PER",
        "spans PER </s>", "spans of LOC=1", "same word, other label", "same word, I-LOC and B-PER",
        "labels <s> <s> B-LOC", "labels B-LOC I-LOC O B-PER", "count O=1", "O word and",
        "O before York", "O ending and",
    ):  # fmt: skip
        assert found[name] == 1, name


def test_usual_features_follow_the_labels_of_training():
    tags = Reranker(lambda tokens, n: [(("B-X",), 1.0), (("O",), 0.0)]).fit([["a"]], [["B-X"]])
    assert any(name.startswith("spans") for name in tags.feature_names_)
    plain = Reranker(ok).fit([["a"]], [["N"]])
    assert not any(name.startswith("spans") for name in plain.feature_names_)


def test_tokens_without_words_have_features_of_labels_alone():
    found = GlobalFeatures()([{"w": "a"}, {"w": "b"}], ["N", "V"])
    assert found == {
        "labels <s> <s> N": 1, "labels <s> <s> N V": 1, "labels <s> N V": 1, "labels <s> N V </s>": 1,
        "count N=1": 1, "count V=1": 1,
    }  # fmt: skip


def test_tuples_of_cells_have_their_first_cell_as_word():
    assert GlobalFeatures()([("a", "DT")], ["N"]) == GlobalFeatures()(["a"], ["N"])

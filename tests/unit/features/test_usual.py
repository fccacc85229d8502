from seqlab import Corpus, demo_corpus
from seqlab.features.presets import usual_features


def test_features_fit_labels_and_columns():
    corpus = demo_corpus("test")[:30]
    assert usual_features(corpus, "pos") == "pos"
    assert usual_features(corpus, "chunk") == "chunk"
    assert usual_features(corpus, "entity") == "ner"
    assert usual_features(corpus.select("word", "chunk"), "chunk") == "ner"
    letters = Corpus.from_lists([["a", "b", "c"]], [["B", "I", "B"]], columns=["letter", "cut"])
    assert usual_features(letters, "cut") == "segment"
    assert usual_features(corpus.select("pos"), "pos") is None

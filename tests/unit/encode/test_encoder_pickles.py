"""An encoder comes back from a pickle as it was, whatever makes its attributes."""

import copy
import pickle

import numpy as np
import pytest

from seqlab.corpus import Corpus, demo_corpus
from seqlab.encode import Encoder, encode
from seqlab.features import Template, presets

OTHER = [["Julia", "visits", "an", "unknown", "Zürich", "."], [], ["the"]]
EDGES = "word[0] min=2\nedge: word[0]\nboth: word[-1] & word[0] & word[1]\nbias\nin(word[0], names)"
TEMPLATES = {
    **{name: getattr(presets, name) for name in ("pos", "ner", "segment")},
    "edges": Template.parse(EDGES, lexicons={"names": {"Julia": "person"}}),
    "crfpp": Template.from_crfpp("U%x[-1,0]\nU%x[0,0]\nU%x[0,1]\nB\nB%x[0,0]\n", columns=["word", "word"]),
    "wapiti": Template.from_wapiti('*w=%X[0,0]\nu:%m[0,0,".?.?$"]/%x[-5,0]\nb\n', columns=["word"]),
    "empty": Template.parse("word[0] min=9999999"),
}


def same(one: Encoder, two: Encoder, corpus: object) -> None:
    assert (one.attributes, one.edge_attributes) == (two.attributes, two.edge_attributes)
    assert (one.labels, one.size, one.edge_size) == (two.labels, two.size, two.edge_size)
    a, b = one.encode(corpus, threads=1), two.encode(corpus, threads=2)
    for name in ("offsets", "indptr", "ids", "values", "edge_indptr", "edge_ids"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates_come_back(name):
    encoder = Encoder(TEMPLATES[name], min_count=2)
    encoder.fit(demo_corpus("test"), "pos")
    for back in (pickle.loads(pickle.dumps(encoder)), copy.deepcopy(encoder)):
        same(encoder, back, OTHER)
        same(encoder, back, demo_corpus("train"))
        same(encoder, pickle.loads(pickle.dumps(back)), OTHER)  # and once more


def own(sentence, t):
    yield sentence["word"][t].lower()
    yield "length", len(sentence["word"][t])


def test_functions_items_and_vectors_come_back():
    encoder = encode(demo_corpus("test"), own).encoder
    same(encoder, pickle.loads(pickle.dumps(encoder)), OTHER)
    encoder = encode([[{"a": 1, "b": 2.5}, ["c", "d"]]], labels=[["X", "Y"]], min_count=1).encoder
    same(encoder, pickle.loads(pickle.dumps(encoder)), [[["a", "d", "z"]], []])
    train = Corpus.from_lists(word=[["a", "b"]]).with_column("vector", [np.eye(2)])
    encoder = encode(train, "word[0]").encoder
    same(encoder, pickle.loads(pickle.dumps(encoder)), train)


def test_an_encoder_that_learned_nothing_learns_after_a_pickle():
    encoder = pickle.loads(pickle.dumps(Encoder("ner", min_count=2)))
    encoder.fit(OTHER)
    same(encoder, encode(OTHER, "ner", min_count=2).encoder, OTHER)


def test_a_fitted_encoder_can_be_fitted_again_after_a_pickle():
    encoder = pickle.loads(pickle.dumps(encode([["x", "y"]], "word[0]").encoder))
    encoder.fit(OTHER)
    same(encoder, encode(OTHER, "word[0]").encoder, OTHER)


def test_encoded_corpora_come_back_with_their_names():
    encoded = encode(demo_corpus("test"), "pos", "pos")
    back = pickle.loads(pickle.dumps(encoded))
    assert back.attributes(3, 1) == encoded.attributes(3, 1)
    np.testing.assert_array_equal(back.ids, encoded.ids)
    np.testing.assert_array_equal(back.labels, encoded.labels)

"""What the decoder does at its borders: no legal path, weights that float32 cannot hold, trellises of other kinds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from seqlab import Corpus, _core, inference
from seqlab.encode import Encoder
from seqlab.errors import ImpossibleError
from seqlab.families.linear import decoder as decoding
from seqlab.families.linear.decoder import Decoder
from seqlab.families.linear.model import LinearModel
from seqlab.features import Template
from seqlab.tagging.door.constraints import Rules

WORDS = Corpus.from_lists([["a", "b"], [], ["b"], ["a", "a", "b"]])


def model_of(encoder, weights, moves, rules=None, **more):
    """Every attribute has a weight for both labels."""
    size = encoder.size
    return LinearModel(
        labels=("N", "V"),
        begin=np.arange(size + 1, dtype=np.int64) * 2,
        label=np.tile(np.array([0, 1], np.int32), size),
        weights=np.asarray(weights, float).reshape(-1),
        moves=np.asarray(moves, float),
        move_seen=np.ones((2, 2), bool),
        rules=Rules.none(2) if rules is None else rules,
        **more,
    )


def fitted(template="word[0]"):
    encoder = Encoder(Template.parse(template))
    encoder.fit(WORDS)
    return encoder


def test_labels_follow_weights_and_moves():
    encoder = fitted()
    prefers = {"word[0]=a": (1, 0), "word[0]=b": (0, 1)}
    weights = [prefers[name] for name in encoder.attributes]
    free = Decoder.of(model_of(encoder, weights, np.zeros((2, 2))), encoder)
    assert free.label_ids(WORDS).tolist() == [0, 1, 1, 0, 0, 1]
    sticky = Decoder.of(model_of(encoder, weights, [[9, 0], [0, 9]]), encoder)
    assert sticky.label_ids(WORDS).tolist() == [0, 0, 1, 0, 0, 0]


@pytest.mark.parametrize("ready_made", [False, True])
def test_a_sentence_without_a_path_is_named(ready_made):
    rules = Rules(np.zeros((2, 2), bool), np.array([False, True]), np.array([True, False]))
    corpus = WORDS
    encoder = fitted()
    if ready_made:
        corpus = Corpus.from_lists({"attributes": [[[word] for word in s["word"]] for s in WORDS]})
        encoder = Encoder()
        encoder.fit(corpus)
    decoder = Decoder.of(model_of(encoder, np.zeros((2, 2)), np.zeros((2, 2)), rules), encoder)
    with pytest.raises(ImpossibleError, match=r"^sentence 2: no legal path: .*position 0 \(of 1\)") as caught:
        decoder.label_ids(corpus)
    assert (caught.value.sequence, caught.value.position) == (2, 0)
    assert decoder.label_ids(corpus[:2]).tolist() == [0, 1]


def test_a_sentence_without_a_path_is_named_in_later_blocks(monkeypatch):
    monkeypatch.setattr(decoding, "BLOCK_TOKENS", 2)
    rules = Rules(np.zeros((2, 2), bool), np.array([False, True]), np.array([True, False]))
    encoder = fitted()
    model = model_of(encoder, np.zeros((2, 2)), np.zeros((2, 2)), rules, triples=np.zeros((2, 2, 2)))
    with pytest.raises(ImpossibleError, match=r"^sentence 2: no legal path") as caught:
        Decoder.of(model, encoder).label_ids(WORDS)
    assert caught.value.sequence == 2


@pytest.mark.parametrize("scale", [1e31, 1e200])
def test_weights_that_float32_cannot_hold_are_summed_in_float64(scale):
    encoder = fitted("word[0]\nword[-1]")
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(encoder.size, 2))
    small = Decoder.of(model_of(encoder, weights, np.zeros((2, 2))), encoder).label_ids(WORDS)
    large = Decoder.of(model_of(encoder, weights * scale, np.zeros((2, 2))), encoder).label_ids(WORDS)
    assert large.tolist() == small.tolist()


def test_values_that_float32_cannot_hold_are_summed_in_float64():
    corpus = Corpus.from_lists({"attributes": [[{"x": 1e17}, {"x": -1e17}], [{"x": 1e-300}]]})
    encoder = Encoder()
    encoder.fit(corpus)
    decoder = Decoder.of(model_of(encoder, [1e25, 2e25], np.zeros((2, 2))), encoder)
    assert decoder.label_ids(corpus).tolist() == [1, 0, 1]


@pytest.mark.parametrize("block", [1, 3, 4096])
def test_other_kinds_of_trellis_give_the_labels_of_viterbi(monkeypatch, block):
    monkeypatch.setattr(decoding, "BLOCK_TOKENS", block)
    rng = np.random.default_rng(1)
    encoder = fitted("word[0]\nedge: word[0]") if block == 1 else fitted("word[-1..0]")
    plain = model_of(encoder, rng.normal(size=(encoder.size, 2)), rng.normal(size=(2, 2)))
    second = replace(plain, triples=rng.normal(size=(2, 2, 2)), triple_seen=np.ones((2, 2, 2), bool))
    for model in (plain, second):
        paths = inference.viterbi(model.trellises(encoder.encode(WORDS)))
        wanted = [label for path in paths for label in path.ids.tolist()]
        assert Decoder.of(model, encoder).label_ids(WORDS).tolist() == wanted


def test_labels_are_cut_into_sentences():
    names = ("N", "V")
    ids = np.array([0, 1, 1, 0], np.int32)
    made = _core.gather_all(list(names), ids, np.array([0, 2, 2, 4]))
    assert made == [["N", "V"], [], ["V", "N"]]
    assert made[0][0] is names[0]
    assert _core.gather_all(list(names), ids[:0], np.array([0])) == []

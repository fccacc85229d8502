"""The fast decoder gives the labels of the clear way: encode, scores of every token, a trellis, Viterbi.

Weights are small whole numbers wherever labels must agree exactly: their sums are exact in any order.
"""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.templates import corpora, templates
from seqlab import Corpus, demo_corpus, inference
from seqlab.encode import Encoder
from seqlab.families.linear.decoder import Decoder
from seqlab.families.linear.model import LinearModel
from seqlab.features import Template, presets
from seqlab.tagging.door.constraints import Rules


def random_model(rng, encoder, L, *, whole=True, rules=None, density=0.3):
    """Attributes with no weight, with a few, and with one for every label."""
    table = rng.random((encoder.size, L)) < rng.choice([0.0, density, 1.0], (encoder.size, 1))
    rows, labels = np.nonzero(table)

    def numbers(size):
        return rng.integers(-9, 10, size).astype(float) if whole else rng.normal(size=size)

    return LinearModel(
        labels=tuple(f"L{y}" for y in range(L)),
        begin=np.searchsorted(rows, np.arange(encoder.size + 1)).astype(np.int64),
        label=labels.astype(np.int32),
        weights=numbers(len(labels)),
        moves=numbers((L, L)),
        move_seen=np.ones((L, L), dtype=bool),
        rules=Rules.none(L) if rules is None else rules,
    )


def random_rules(rng, L):
    """Label 0 may stand anywhere, so that there always is a path."""
    rules = Rules(rng.random((L, L)) < 0.3, rng.random(L) < 0.3, rng.random(L) < 0.3)
    rules.forbidden[0, 0] = rules.no_start[0] = rules.no_end[0] = False
    return rules


def clear_ids(model, encoder, corpus):
    paths = inference.viterbi(model.trellises(encoder.encode(corpus)))
    return np.concatenate([np.zeros(0, np.int32), *(path.ids for path in paths)])


def check(model, encoder, corpus):
    decoder = Decoder.of(model, encoder)
    wanted = clear_ids(model, encoder, corpus)
    for threads in (1, 3):
        ids = decoder.label_ids(corpus, threads)
        assert ids.dtype == np.int32
        assert ids.tolist() == wanted.tolist()


@given(
    template=templates(),
    train=corpora(),
    other=corpora(),
    L=st.sampled_from([1, 2, 5, 17]),
    min_count=st.integers(1, 2),
    seed=st.integers(0, 2**32),
)
def test_any_template_gives_the_labels_of_the_clear_way(template, train, other, L, min_count, seed):
    rng = np.random.default_rng(seed)
    encoder = Encoder(template, min_count=min_count)
    encoder.fit(train)
    model = random_model(rng, encoder, L, rules=random_rules(rng, L))
    for corpus in (train, other, other[:0]):
        check(model, encoder, corpus)


@pytest.mark.parametrize("name", presets.__all__)
def test_presets_give_the_labels_of_the_clear_way(name, kernel):
    rng = np.random.default_rng(0)
    train, test = demo_corpus("train")[:400], demo_corpus("test")
    encoder = Encoder(name)
    encoder.fit(train)
    L = int(rng.integers(2, 40))
    check(random_model(rng, encoder, L, rules=random_rules(rng, L)), encoder, test)


@pytest.mark.parametrize("name", presets.__all__)
def test_real_weights_give_paths_as_good(name):
    """Rounding may choose between paths that are equally good, never a worse one."""
    rng = np.random.default_rng(1)
    train, test = demo_corpus("train")[:200], demo_corpus("test")[:200]
    encoder = Encoder(name, min_count=2)
    encoder.fit(train)
    model = random_model(rng, encoder, 9, whole=False)
    ids = Decoder.of(model, encoder).label_ids(test, 2)
    trellises = model.trellises(encoder.encode(test), dtype=np.float64)
    for trellis, path in zip(trellises, np.split(ids, test.offsets[1:-1]), strict=True):
        best = inference.viterbi(trellis).score
        own = trellis.node[np.arange(len(path)), path].sum() + trellis.edge[path[:-1], path[1:]].sum()
        assert own == pytest.approx(best, rel=1e-5, abs=1e-4)


FAR = "\n".join(f"word[{d}]\npos[{d}] & word[0]\npos[{d}] & pos[0]" for d in (-40, -7, -1, 1, 7, 40))


@pytest.mark.parametrize("lengths", [[0], [1], [1, 0, 2, 0, 1], [3] * 7, [300, 1, 513], [9000]])
def test_lengths_and_offsets_leave_no_seam(lengths):
    """Sentences shorter than the offsets, and longer than the pieces that are looked up together."""
    rng = np.random.default_rng(len(lengths))
    words, tags = np.array(["the", "old", "man", "boat"]), np.array(["DT", "NN", "VB"])
    corpus = Corpus.from_lists(
        word=[rng.choice(words, n).tolist() for n in lengths],
        pos=[rng.choice(tags, n).tolist() for n in lengths],
    )
    encoder = Encoder(Template.parse(FAR))
    encoder.fit(demo_corpus("train")[:50])
    check(random_model(rng, encoder, 6), encoder, corpus)


def test_more_sums_than_are_kept_at_once():
    """500 labels and 9 cells of thousands of words are more rows than a thread keeps."""
    rng = np.random.default_rng(2)
    words = [f"w{i}" for i in range(4200)]
    corpus = Corpus.from_lists([words[i : i + 30] for i in range(0, len(words), 30)])
    encoder = Encoder(Template.parse("word[-4..4]"))
    encoder.fit(corpus)
    check(random_model(rng, encoder, 500, density=0.01), encoder, corpus)


def test_kernels_may_change_after_the_decoder_was_made():
    rng = np.random.default_rng(3)
    corpus = demo_corpus("test")[:50]
    encoder = Encoder("pos")
    encoder.fit(corpus)
    model = random_model(rng, encoder, 3)
    wanted = clear_ids(model, encoder, corpus)
    for made in inference.kernels():
        with inference.use_kernel(made):
            decoder = Decoder.of(model, encoder)
        for used in inference.kernels():
            with inference.use_kernel(used):
                assert decoder.label_ids(corpus).tolist() == wanted.tolist()


def test_several_threads_may_ask_at_once_and_a_copy_gives_the_same():
    rng = np.random.default_rng(4)
    corpus = demo_corpus("test")
    encoder = Encoder("chunk")
    encoder.fit(corpus[:100])
    decoder = Decoder.of(random_model(rng, encoder, 8), encoder)
    wanted = decoder.label_ids(corpus).tobytes()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: decoder.label_ids(corpus, 2).tobytes(), range(8)))
    assert set(answers) == {wanted}
    assert pickle.loads(pickle.dumps(decoder)).label_ids(corpus).tobytes() == wanted


def test_what_was_summed_for_one_corpus_does_not_spoil_the_next():
    """Words that training did not meet have other numbers in every corpus."""
    rng = np.random.default_rng(8)
    encoder = Encoder(Template.parse("word[-1..1]\nsuffix(word[0], 1..2)\nword[0] & word[1]"))
    encoder.fit(Corpus.from_lists([["walk", "walked", "talk", "talked"], ["red"]]))
    model = random_model(rng, encoder, 5)
    decoder = Decoder.of(model, encoder)
    known, new = ["walk", "walked", "talk", "red"], ["balk", "bed", "stalked", "fed", "x"]
    for _ in range(20):
        words = [rng.choice([*known, *new], int(rng.integers(0, 6))).tolist() for _ in range(4)]
        corpus = Corpus.from_lists(word=words)
        assert decoder.label_ids(corpus).tolist() == clear_ids(model, encoder, corpus).tolist()


def test_a_slice_of_a_large_corpus_reads_its_own_tokens():
    rng = np.random.default_rng(5)
    corpus = demo_corpus("train")
    encoder = Encoder("pos")
    encoder.fit(corpus[:300])
    model = random_model(rng, encoder, 5)
    decoder = Decoder.of(model, encoder)
    part = corpus[700:720]
    assert decoder.label_ids(part).tolist() == clear_ids(model, encoder, part).tolist()


# ---------------------------------------------------------------------------------------------- other features


def items(rng, lengths, *, weighed):
    names = [f"a{i}" for i in range(30)]

    def item():
        chosen = rng.choice(names, int(rng.integers(0, 5)), replace=False).tolist()
        return {name: float(rng.integers(-3, 4)) for name in chosen} if weighed else chosen

    return Corpus.from_lists({"attributes": [[item() for _ in range(n)] for n in lengths]})


@pytest.mark.parametrize("weighed", [False, True])
def test_ready_made_attributes_give_the_labels_of_the_clear_way(weighed, kernel):
    rng = np.random.default_rng(6)
    train = items(rng, [5, 0, 9], weighed=weighed)
    encoder = Encoder()
    encoder.fit(train)
    model = random_model(rng, encoder, 7, rules=random_rules(rng, 7))
    for lengths in ([], [0], [1], [4, 0, 1], [700, 3, 5000]):
        check(model, encoder, items(rng, lengths, weighed=weighed))


def test_templates_beside_vectors_give_the_labels_of_the_clear_way():
    rng = np.random.default_rng(7)
    corpus = demo_corpus("test")[:30]
    vectors = rng.integers(-3, 4, (corpus.token_count, 4)).astype(np.float32)
    corpus = corpus.with_column("vector", vectors)
    encoder = Encoder("word[0]\nword[-1] & word[0]")
    encoder.fit(corpus)
    check(random_model(rng, encoder, 4), encoder, corpus)


def test_more_new_words_than_are_remembered():
    rng = np.random.default_rng(9)
    encoder = Encoder(Template.parse("word[-1..1]\nsuffix(word[0], 1..2)"))
    encoder.fit(Corpus.from_lists([["a1", "b2", "c33", "d4"]]))
    model = random_model(rng, encoder, 3)
    decoder = Decoder.of(model, encoder)
    crowd = Corpus.from_lists([[f"w{i}" for i in range(s, s + 1000)] for s in range(0, 70_000, 1000)])
    few = Corpus.from_lists([["w7", "new1", "b2"], ["w69999", "other33"]])
    for corpus in (few, crowd, few, crowd[:3], few):
        assert decoder.label_ids(corpus).tolist() == clear_ids(model, encoder, corpus).tolist()

"""A model learned from disk is the one learned in memory, to the last bit."""

import numpy as np
import pytest

import seqlab
from scale.bits import differences
from seqlab import AROW, CRF, HMM, LBFGS, MEMM, SGD, LinearTagger, MarkovChain, PassiveAggressive, Perceptron
from seqlab.families.linear import far

LIMIT = "8G"


def endings(sentence, t):
    """A feature function with values."""
    yield sentence["word"][t][-2:]
    yield "length", len(sentence["word"][t])


FEW = LBFGS(max_iterations=4)
LINEAR = {
    "lbfgs": lambda: CRF("chunk", FEW),
    "l1": lambda: CRF("chunk", LBFGS(max_iterations=4, l1=0.5)),
    "min_count": lambda: CRF("chunk", FEW, min_count=3, constraints="IOB2"),
    "auto": lambda: CRF("chunk", FEW, constraints="auto"),
    "all": lambda: CRF("ner", FEW, states="all", transitions="all"),
    "order 2": lambda: CRF("pos", LBFGS(max_iterations=2), order=2, keep=0),
    "function": lambda: CRF(endings, FEW),
    "sum": lambda: CRF([endings, "chunk"], FEW),
    "several": lambda: CRF("word[0]\nngrams(word[0], 3)\nposition\n", FEW),
    "conjugate": lambda: CRF("chunk", seqlab.ConjugateGradient(max_iterations=3)),
    "ascent": lambda: CRF("chunk", seqlab.GradientAscent(max_iterations=3)),
    "sgd": lambda: CRF("chunk", SGD(epochs=2)),
    "perceptron": lambda: LinearTagger("chunk", Perceptron(epochs=2)),
    "passive": lambda: LinearTagger("chunk", PassiveAggressive(epochs=2)),
    "arow": lambda: LinearTagger("chunk", AROW(epochs=2)),
    "svm": lambda: LinearTagger("chunk", seqlab.StructuredSVM(epochs=2)),
    "frank-wolfe": lambda: LinearTagger("chunk", seqlab.StructuredSVM(epochs=2, method="frank-wolfe")),
    "order 2 pruned": lambda: CRF("pos", LBFGS(max_iterations=2), order=2),
    "order 2 of a perceptron": lambda: LinearTagger("pos", Perceptron(epochs=2), order=2),
    "class weights": lambda: CRF("chunk", FEW, class_weight="balanced"),
    "costs": lambda: LinearTagger("chunk", Perceptron(epochs=2), class_weight={"O": 0.5}),
    "dictionary": lambda: CRF("chunk", FEW, allowed={"the": ["B-NP", "I-NP"], "of": ["B-PP"]}),
    "dictionary and order 2": lambda: CRF("pos", LBFGS(max_iterations=2), order=2, allowed={"the": ["B-NP"]}),
    "balanced memm": lambda: MEMM("chunk", FEW, class_weight="balanced"),
    "memm": lambda: MEMM("chunk", FEW),
    "memm 2": lambda: MEMM("chunk", FEW, order=2),
}


@pytest.mark.parametrize("name", LINEAR)
def test_linear_models_are_those_of_memory(name, whole, stream, tmp_path):
    near = LINEAR[name]().fit(whole, "chunk")
    distant = LINEAR[name]().fit(stream, "chunk", max_memory=LIMIT, cache=tmp_path / "cache")
    assert not differences(near, distant, tmp_path)


def pairs_and_words(sentence, t, before, label):
    """Attributes of pairs of labels, some of them with values."""
    if before == label:
        yield "same"
    yield f"{sentence['word'][t][-1:]}|{label[:1]}", 0.5 + len(sentence["word"][t]) % 2


BIGRAMS = "U:%x[0,0]\nU:%x[0,1]\nB:%x[0,1]\nB2:%x[-1,1]/%x[0,1]\nB\n"
STARTED = {
    "lbfgs": lambda: CRF("chunk", FEW),
    "min_count": lambda: CRF("chunk", FEW, min_count=2, constraints="auto"),
    "all": lambda: CRF("ner", FEW, states="all", transitions="all"),
    "order 2": lambda: CRF("pos", LBFGS(max_iterations=2), order=2),
    "function": lambda: CRF(endings, FEW),
    "sum": lambda: CRF([endings, "chunk"], FEW),
    "several": lambda: CRF("word[0]\nngrams(word[0], 3)\nposition\n", FEW),
    "perceptron": lambda: LinearTagger("chunk", Perceptron(epochs=2)),
    "memm": lambda: MEMM("chunk", FEW),
    "pairs": lambda: CRF(seqlab.Template.from_crfpp(BIGRAMS), FEW),
}


@pytest.mark.parametrize("room", [200, 1 << 30])  # bytes of counts in memory: the others are spilled
@pytest.mark.parametrize("name", STARTED)
def test_an_earlier_model_is_learned_on_as_in_memory(name, room, whole, stream, tmp_path, monkeypatch):
    first = STARTED[name]().fit(
        seqlab.demo_corpus("train")[300:420], "chunk"
    )  # has words of its own, and lacks some
    near = STARTED[name]().fit(whole, "chunk", start=first)
    monkeypatch.setattr("seqlab.scale.disk.Disk.room", lambda *_, **__: room)
    given = {"max_memory": LIMIT, "cache": tmp_path / "cache"}
    fresh, again = (STARTED[name]().fit(stream, "chunk", start=first, **given) for _ in range(2))
    assert not differences(near, fresh, tmp_path)
    assert not differences(near, again, tmp_path)
    assert differences(near, STARTED[name]().fit(stream, "chunk", **given), tmp_path)


def test_new_labels_and_ready_made_attributes_are_learned_on_as_in_memory(whole, tmp_path):
    X = [[{f"w={w}": 1.0, "length": len(w)} for w in s["word"]] for s in whole]
    y = [list(s["chunk"]) for s in whole]
    first = CRF(None, FEW).fit(X[:60], [["Z", *row[1:]] for row in y[:60]])
    near = CRF(None, FEW).fit(X[30:], y[30:], start=first)
    distant = CRF(None, FEW).fit(iter(X[30:]), iter(y[30:]), start=first, max_memory=LIMIT)
    assert not differences(near, distant, tmp_path)


PAIRED = {
    "template": lambda: CRF(seqlab.Template.from_crfpp(BIGRAMS), FEW, min_count=2, constraints="IOB2"),
    "all transitions": lambda: CRF(seqlab.Template.from_crfpp(BIGRAMS), FEW, transitions="all"),
    "no others": lambda: CRF(seqlab.Template.from_crfpp("B:%x[0,1]\nB\n"), FEW),
    "function": lambda: CRF(["pos", seqlab.features.label_pairs(pairs_and_words)], FEW),
    "perceptron": lambda: LinearTagger(seqlab.Template.from_crfpp(BIGRAMS), Perceptron(epochs=2)),
    "sgd": lambda: CRF(seqlab.Template.from_crfpp(BIGRAMS), SGD(epochs=2)),
    "class weights": lambda: CRF(seqlab.Template.from_crfpp(BIGRAMS), FEW, class_weight="balanced"),
    "memm": lambda: MEMM(seqlab.Template.from_crfpp(BIGRAMS), FEW),
}


@pytest.mark.parametrize("name", PAIRED)
def test_features_of_label_pairs_are_those_of_memory(name, whole, stream, tmp_path):
    few, short = whole[:80], seqlab.stream_corpus(stream.files[0], columns=whole.columns)
    near = PAIRED[name]().fit(few, "chunk")
    distant = PAIRED[name]().fit(iter(few), "chunk", max_memory=LIMIT, cache=tmp_path / "cache")
    assert not differences(near, distant, tmp_path)
    if name != "function":  # whose calls take time
        near, distant = (
            PAIRED[name]().fit(whole[:120], "chunk"),
            PAIRED[name]().fit(short, "chunk", max_memory=LIMIT),
        )
        assert not differences(near, distant, tmp_path)


WEIGHTED = {
    "sentences": lambda s: 1.0 + len(s) % 3,
    "tokens": lambda s: [1.0 + len(word) % 2 for word in s["word"]],
}


@pytest.mark.parametrize("kind", WEIGHTED)
@pytest.mark.parametrize("name", ["lbfgs", "perceptron", "memm", "sgd"])
def test_weights_are_those_of_memory(name, kind, whole, stream, tmp_path):
    weights = [WEIGHTED[kind](s) for s in whole]
    near = LINEAR[name]().fit(whole, "chunk", sample_weight=weights)
    distant = LINEAR[name]().fit(stream, "chunk", sample_weight=iter(weights), max_memory=LIMIT)
    assert not differences(near, distant, tmp_path)


@pytest.mark.parametrize("name", ["lbfgs", "perceptron", "memm", "sgd", "auto", "min_count"])
def test_missing_labels_are_learned_from_as_in_memory(name, whole, tmp_path):
    X = [list(zip(s["word"], s["pos"], strict=True)) for s in whole]
    y = [
        [None if i % 3 == 0 and t == 1 else c for t, c in enumerate(s["chunk"])] for i, s in enumerate(whole)
    ]
    near = LINEAR[name]().fit(X, y)
    distant = LINEAR[name]().fit(iter(X), iter(y), max_memory=LIMIT)
    assert not differences(near, distant, tmp_path)


def choices_of(sentence, i):
    """Labels of a sentence, some of them missing, some of them sets: also of labels that occur in sets alone."""
    return [
        None
        if (i + t) % 7 == 0
        else {tag, "X", "\0odd"}
        if (i + t) % 5 == 0
        else {tag, "NOUN"}
        if t == 3
        else tag
        for t, tag in enumerate(sentence["pos"])
    ]


SEVERAL = {
    **{name: LINEAR[name] for name in ("lbfgs", "perceptron", "memm", "sgd", "all", "order 2 pruned")},
    "class weights": lambda: CRF("pos", FEW, class_weight="balanced"),
    "dictionary": lambda: CRF("pos", FEW, allowed={"the": ["DET", "X"]}),
    "counted": HMM,
    "em": lambda: HMM(learner=seqlab.BaumWelch(max_iterations=2), smoothing=0.1),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_sets_of_labels_are_learned_from_as_in_memory(name, whole, tmp_path):
    words = name in ("counted", "em")
    X = [list(s["word"]) if words else list(zip(s["word"], s["pos"], strict=True)) for s in whole]
    y = [choices_of(s, i) for i, s in enumerate(whole)]
    near = SEVERAL[name]().fit(X, y)
    distant = SEVERAL[name]().fit(iter(X), iter(y), max_memory=LIMIT, cache=tmp_path / "cache")
    assert not differences(near, distant, tmp_path)


def test_sets_of_whole_numbers_are_learned_from_as_in_memory(whole, tmp_path):
    X = [list(s["word"]) for s in whole]
    y = [[{len(tag), 10} if t % 3 == 0 else len(tag) for t, tag in enumerate(s["pos"])] for s in whole]
    near, distant = CRF("pos", FEW).fit(X, y), CRF("pos", FEW).fit(iter(X), iter(y), max_memory=LIMIT)
    assert not differences(near, distant, tmp_path)


def test_weights_of_a_file_are_those_of_memory(whole, tmp_path):
    lines = [
        f"@weight:{1 + i % 3}\n"
        + "".join(f"{c}\tw={len(w)}{w[-1:].isalpha()}\tp={p}\n" for w, p, c in zip(*some, strict=True))
        + "\n"
        for i, some in enumerate((s["word"], s["pos"], s["chunk"]) for s in whole)
    ]
    (tmp_path / "a.txt").write_text("".join(lines))
    read_as = {"format": "crfsuite"}
    near = CRF(None, FEW).fit(seqlab.read(tmp_path / "a.txt", **read_as), "label")
    stream = seqlab.stream_corpus(tmp_path / "a.txt", **read_as)
    assert not differences(near, CRF(None, FEW).fit(stream, "label", max_memory=LIMIT), tmp_path)
    plain = CRF(None, FEW).fit(
        seqlab.read(tmp_path / "a.txt", **read_as), "label", sample_weight=np.ones(len(whole))
    )
    assert differences(near, plain, tmp_path)


@pytest.mark.parametrize("features", ["ner", "chunk", "pos"])
def test_a_cache_that_is_used_again_gives_the_same_file(features, stream, tmp_path):
    first, again = (CRF(features, FEW).fit(stream, "chunk", cache=tmp_path / "cache") for _ in range(2))
    assert not differences(first, again, tmp_path)


def test_pools_have_one_size_however_they_were_made():
    from seqlab import _core

    pool = _core.StringPool()
    for i in range(200):
        assert len(_core.pool_of(*pool.arrays()).slots()) == len(pool.slots())
        pool.intern(str(i))


@pytest.mark.parametrize(
    "name", ["lbfgs", "sum", "sgd", "perceptron", "memm", "class weights", "order 2 pruned"]
)
@pytest.mark.parametrize("room", [0, 300_000])
def test_what_is_kept_in_memory_changes_nothing(name, room, whole, stream, tmp_path, monkeypatch):
    monkeypatch.setattr(far, "_room", lambda *_: room)
    near = LINEAR[name]().fit(whole, "chunk")
    distant = LINEAR[name]().fit(stream, "chunk", max_memory=LIMIT, cache=tmp_path / "cache")
    assert np.array_equal(near.model_.theta, distant.model_.theta)


def test_counts_on_disk_change_nothing(whole, stream, tmp_path, monkeypatch):
    monkeypatch.setattr("seqlab.scale.disk.Disk.room", lambda *_, **__: 200_000)
    lines = ["U:%x[0,0]", "U:%x[0,1]", "U2:%x[-1,0]/%x[0,0]", "U3:%x[0,1]/%x[1,1]/%x[1,0]", "B"]
    template = seqlab.Template.from_crfpp("\n".join(lines))
    near = CRF(template, FEW, min_count=2).fit(whole, "chunk")
    distant = CRF(template, FEW, min_count=2).fit(stream, "chunk", max_memory=LIMIT, cache=tmp_path / "cache")
    assert not differences(near, distant, tmp_path)


def test_conjunctions_written_beside_columns_change_nothing(whole, stream, tmp_path, monkeypatch):
    monkeypatch.setattr("seqlab.scale.rows.LARGE", 10)
    near = CRF("chunk", FEW).fit(whole, "chunk")
    distant = CRF("chunk", FEW).fit(stream, "chunk", max_memory=LIMIT, cache=tmp_path / "cache")
    assert not differences(near, distant, tmp_path)


def test_the_tag_scheme_is_that_of_all_shards(tmp_path):
    """The first labels follow IO as well as IOB1, those of the last shard only one of them."""
    X = [["a", "b", "c"]] * 900
    y = [["O", "O", "I-X"]] * 899 + [["I-X", "B-X", "O"]]
    near = CRF("pos", FEW, constraints="auto").fit(X, y)
    distant = CRF("pos", FEW, constraints="auto").fit(iter(X), iter(y), max_memory=LIMIT)
    assert str(distant.scheme_) == str(near.scheme_)
    assert not differences(near, distant, tmp_path)


def test_threads_change_nothing(stream, tmp_path):
    made = [
        CRF("chunk", FEW, threads=threads).fit(stream, "chunk", max_memory=LIMIT, cache=tmp_path).model_.theta
        for threads in (1, 3)
    ]
    assert np.array_equal(*made)


def test_dev_sets_choose_the_same(whole, stream, tmp_path):
    dev = seqlab.demo_corpus("test")[:40]
    near = CRF("chunk", FEW).fit(whole, "chunk", dev=dev)
    distant = CRF("chunk", FEW).fit(stream, "chunk", dev=dev, max_memory=LIMIT)
    assert near.history_.best == distant.history_.best
    assert np.array_equal(near.model_.theta, distant.model_.theta)


HIDDEN = {
    "counting": (HMM, "pos"),
    "order 3": (lambda: HMM(order=3, constraints="IOB2"), "chunk"),
    "named": (
        lambda: HMM(states=["O", *(f"{a}-{b}" for b in ("PER", "LOC", "ORG", "MISC") for a in "IB")]),
        "entity",
    ),
    "em": (lambda: HMM(4, learner=seqlab.BaumWelch(max_iterations=4)), None),
    "hard em": (lambda: HMM(4, learner=seqlab.HardEM(max_iterations=4)), None),
    "em of labels": (lambda: HMM(learner=seqlab.BaumWelch(max_iterations=2)), "pos"),
    "chain": (lambda: MarkovChain(order=2), None),
    "chain of labels": (lambda: MarkovChain(order=3, smoothing="kneser-ney"), "pos"),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_hmm_and_chain_are_those_of_memory(name, whole, stream, tmp_path):
    make, label = HIDDEN[name]
    y = () if label is None else (label,)
    near, distant = make().fit(whole, *y), make().fit(stream, *y, max_memory=LIMIT, cache=tmp_path / "cache")
    assert not differences(near, distant, tmp_path)


@pytest.mark.parametrize("name", ["counting", "em", "hard em", "em of labels"])
def test_weights_of_an_hmm_are_those_of_memory(name, whole, stream, tmp_path):
    make, label = HIDDEN[name]
    y = () if label is None else (label,)
    weights = [0.1 + len(s) % 3 for s in whole]  # whose sums are rounded
    weights[:100] = [0.0] * 100 if name == "counting" else weights[:100]  # more than a block of nothing
    near = make().fit(whole, *y, sample_weight=weights)
    distant = make().fit(stream, *y, sample_weight=iter(weights), max_memory=LIMIT)
    assert not differences(near, distant, tmp_path)


def test_weights_that_leave_no_word_are_refused(stream):
    with pytest.raises(seqlab.errors.OptionError, match="not one token has a word and a weight above 0"):
        HMM().fit(stream, "pos", sample_weight=[0.0] * 330, max_memory=LIMIT)


@pytest.mark.parametrize("word", [None, "a"])
def test_blocks_without_words_are_counted_as_in_memory(word, tmp_path):
    X = [[]] * 5 + [[word] * 400, [word] * 400] + [["b", "c"] * 100] * 9
    y = [["10" if t % 2 else "9" for t in range(len(some))] for some in X]
    for labels in (y, [[int(name) for name in some] for some in y]):
        near = HMM().fit(X, labels)
        distant = HMM().fit(iter(X), iter(labels), max_memory=LIMIT)
        assert not differences(near, distant, tmp_path)
        assert seqlab.load(tmp_path / "model").predict(X[-1:]) == near.predict(X[-1:])


def test_sentences_without_labels_and_lengths(whole, tmp_path):
    X = [list(s["word"]) for s in whole]
    y = [None if i % 2 else list(s["pos"]) for i, s in enumerate(whole)]
    near, distant = HMM().fit(X, y), HMM().fit(iter(X), iter(y), max_memory=LIMIT)
    assert not differences(near, distant, tmp_path)
    words, lengths = [word for some in X for word in some], [len(some) for some in X]
    make = lambda: HMM(3, learner=seqlab.BaumWelch(max_iterations=2))  # noqa: E731
    near = make().fit(words, lengths=lengths)
    assert not differences(near, make().fit(words, lengths=lengths, max_memory=LIMIT), tmp_path)


def test_vectors_of_an_iterator(tmp_path):
    rng = np.random.default_rng(0)
    sequences = [rng.normal(size=(int(n), 2)) for n in rng.integers(3, 30, 60)]
    make = lambda: HMM(3, seqlab.Gaussian(), learner=seqlab.BaumWelch(max_iterations=4))  # noqa: E731
    near, distant = make().fit(sequences), make().fit(iter(sequences), max_memory=LIMIT)
    assert not differences(near, distant, tmp_path)


TOKENS = {
    "words": ("pos", lambda s: list(s["word"])),
    "tuples": ("chunk", lambda s: list(zip(s["word"], s["pos"], strict=True))),
    "dicts": (None, lambda s: [{f"w={w}": 1.0, "length": len(w)} for w in s["word"]]),
    "strings": (None, lambda s: [[f"w={w}", f"s={w[-2:]}"] for w in s["word"]]),
}


@pytest.mark.parametrize("kind", TOKENS)
def test_iterators_are_read_once(kind, whole, tmp_path):
    features, tokens = TOKENS[kind]
    X, y = [tokens(s) for s in whole], [list(s["pos"]) for s in whole]
    near = CRF(features, FEW).fit(X, y)
    distant = CRF(features, FEW).fit(iter(X), iter(y), max_memory=LIMIT, cache=tmp_path / "cache")
    assert not differences(near, distant, tmp_path)


def test_labels_may_be_whole_numbers(whole, tmp_path):
    X, y = [list(s["word"]) for s in whole], [[len(tag) for tag in s["pos"]] for s in whole]
    near, distant = CRF("pos", FEW).fit(X, y), CRF("pos", FEW).fit(iter(X), iter(y), max_memory=LIMIT)
    assert distant.predict(X[:3]) == near.predict(X[:3])
    assert not differences(near, distant, tmp_path)

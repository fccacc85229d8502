"""What a training out of core refuses: limits that do not hold it, and data that have no place in shards."""

import sys

import numpy as np
import pytest

import seqlab
from seqlab import CRF, LBFGS
from seqlab.errors import LabelError, OptionError
from seqlab.scale.sizes import resident

FEW = LBFGS(max_iterations=2)


LARGE = {
    "lbfgs": lambda: CRF("chunk", FEW),
    "conjugate": lambda: CRF("chunk", seqlab.ConjugateGradient(max_iterations=2)),
    "ascent": lambda: CRF("chunk", seqlab.GradientAscent(max_iterations=2)),
    "sgd": lambda: CRF("chunk", seqlab.SGD(epochs=1)),
    "perceptron": lambda: seqlab.LinearTagger("chunk", seqlab.Perceptron(epochs=1)),
    "passive": lambda: seqlab.LinearTagger("chunk", seqlab.PassiveAggressive(epochs=1)),
    "arow": lambda: seqlab.LinearTagger("chunk", seqlab.AROW(epochs=1)),
    "svm": lambda: seqlab.LinearTagger("chunk", seqlab.StructuredSVM(epochs=1)),
    "frank-wolfe": lambda: seqlab.LinearTagger("chunk", seqlab.StructuredSVM(epochs=1, method="frank-wolfe")),
    "memm": lambda: seqlab.MEMM("chunk", FEW),
    "order 3": lambda: CRF("chunk", FEW, order=3),
}


@pytest.mark.parametrize("name", LARGE)
def test_limits_that_do_not_hold_the_weights_are_refused_with_the_figure(name, stream, tmp_path, monkeypatch):
    monkeypatch.setattr("seqlab.families.linear.far.resident", lambda: 140 << 20)
    begun = []
    with pytest.raises(
        OptionError, match=r"weights .* need \d+(\.\d+)? [MG]B of memory, but max_memory is 128 MB"
    ) as caught:
        LARGE[name]().fit(stream, "chunk", max_memory="128M", cache=tmp_path, callbacks=begun.append)
    assert caught.value.option == "max_memory"
    assert not begun


def test_estimates_count_the_memory_of_each_learner(stream):
    """More pairs of L-BFGS, labels in a row and threads need more."""
    from seqlab.families.linear import far

    model = CRF("chunk", FEW).fit(stream, "chunk", max_memory="8G").model_
    needed = {
        memory: far.weight_bytes(CRF("chunk", LBFGS(memory=memory)), len(model.theta), 100, 1)
        for memory in (5, 10)
    }
    assert needed[10] - needed[5] == 5 * 2 * 8 * len(model.theta)


def test_counts_of_a_chain_that_do_not_fit_are_refused(stream, monkeypatch):
    monkeypatch.setattr("seqlab.families.chain.far.resident", lambda: 140 << 20)
    with pytest.raises(OptionError, match=r"n-grams .* need 140 MB of memory, but max_memory is 128 MB"):
        seqlab.MarkovChain(order=3).fit(stream, max_memory="128M")


def test_counts_of_an_hmm_that_do_not_fit_are_refused(stream, monkeypatch):
    monkeypatch.setattr("seqlab.families.hmm.far.resident", lambda: 140 << 20)
    with pytest.raises(
        OptionError, match=r"counts of \d+ sentences, need 140 MB of memory, but max_memory is 128 MB"
    ):
        seqlab.HMM().fit(stream, "pos", max_memory="128M")


def test_weights_of_tokens_that_do_not_fit_are_refused(stream, monkeypatch):
    monkeypatch.setattr("seqlab.families.linear.restrictions.resident", lambda: 140 << 20)
    monkeypatch.setattr("seqlab.families.linear.far._room", lambda *_: 0)
    with pytest.raises(OptionError, match=r"lists of the labels .* need \d+(\.\d+)? MB of memory"):
        CRF("chunk", FEW, allowed={"the": ["B-NP"]}).fit(stream, "chunk", max_memory="128M")


@pytest.mark.parametrize("given", ["", "many", "2X", "-1G", 0, 1000, True, 1.5, "1K"])
def test_sizes_that_are_none(given, stream):
    with pytest.raises(OptionError, match="max_memory"):
        CRF("chunk", FEW).fit(stream, "chunk", max_memory=given)


def test_sizes():
    from seqlab.scale.sizes import bytes_of

    assert (
        bytes_of("2G")
        == bytes_of("2 GB")
        == bytes_of("2GiB")
        == bytes_of(2 << 30)
        == bytes_of("2048m")
        == 2 << 30
    )
    assert bytes_of("1.5G") == 3 << 29


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="other systems tell the largest amount so far"
)
def test_memory_that_was_freed_is_not_counted():
    """A limit that holds a training must not be refused because reading the files took more for a while."""
    before = resident()
    blocks = [np.ones(1000) for _ in range(10_000)]
    last = blocks[-1]  # what lies above keeps the allocator from giving back what is below
    del blocks
    assert resident() - before < 20 << 20
    assert last.all()


PAIRS = seqlab.Template.from_crfpp("U:%x[0,0]\nB:%x[0,0]\n")
REFUSED = {
    "client  ": lambda s: CRF(PAIRS, FEW).fit(s, "chunk", client="threads"),
    "cache": lambda s: CRF("chunk", FEW).fit(s, "chunk", cache=3),
    "client": lambda s: CRF("chunk", FEW, class_weight="balanced").fit(s, "chunk", client="threads"),
    "client ": lambda s: CRF("chunk", FEW).fit(
        s, "chunk", start=CRF("chunk", FEW).fit(s, "chunk"), client="threads"
    ),
}


@pytest.mark.parametrize("option", REFUSED)
def test_what_is_learned_in_memory_only_is_refused(option, stream):
    with pytest.raises(OptionError) as caught:
        REFUSED[option](stream)
    assert caught.value.option == option.strip()


def test_missing_labels_that_no_labelling_fits_are_refused_with_their_place(whole):
    X, y = [list(s["word"]) for s in whole], [list(s["chunk"]) for s in whole]
    y[250] = [None] * len(y[250])
    y[251][:2] = [None, "I-XX"]
    with pytest.raises(LabelError, match="sentence 251"):
        CRF("pos", FEW, constraints="IOB2", transitions="all", allowed={X[251][0]: ["O"]}).fit(
            iter(X), iter(y), max_memory="8G"
        )


def test_broken_labels_are_refused_with_their_place(whole):
    X, y = [list(s["word"]) for s in whole], [list(s["chunk"]) for s in whole]
    y[250][0] = "I-NP"
    with pytest.raises(LabelError, match="sentence 250, position 0"):
        CRF("pos", FEW, constraints="IOB2").fit(iter(X), iter(y), max_memory="8G")

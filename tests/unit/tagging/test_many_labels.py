"""Label sets too large for a table of transitions: an error with the size, before memory is allocated."""

import numpy as np
import pytest

import seqlab
from seqlab import arrays, inference
from seqlab.errors import LabelError, ShapeError, StoreError
from seqlab.store import reading

COUNT = 100_000
WORDS = [[f"w{i}", f"v{i}"] for i in range(COUNT // 2)]
LABELS = [[f"L{2 * i}", f"L{2 * i + 1}"] for i in range(COUNT // 2)]
QUICK = seqlab.LBFGS(max_iterations=1)


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """A machine with 16 GB."""
    monkeypatch.setattr(arrays, "memory", lambda: 16_000_000_000)


@pytest.mark.parametrize(
    ("tagger", "needed"),
    [
        (seqlab.CRF("word[0]", QUICK), "240 GB for the transitions between 2 labels"),
        (seqlab.CRF("word[0]", QUICK, order=2), "24,000,000 GB for the transitions between 3 labels"),
        (seqlab.MEMM("word[0]", QUICK), "240 GB"),
        (seqlab.LinearTagger("word[0]", seqlab.Perceptron(epochs=1)), "240 GB"),
    ],
)
def test_a_fit_with_too_many_labels_says_what_it_needs(tagger, needed):
    with pytest.raises(LabelError, match=f"^100,000 labels need {needed}.*but this machine has 16 GB"):
        tagger.fit(WORDS, LABELS)


def test_order_two_is_refused_where_order_one_fits():
    words, labels = [WORDS[i][:1] for i in range(3000)], [LABELS[i][:1] for i in range(3000)]
    with pytest.raises(LabelError, match=r"^3,000 labels need 648 GB .*a lower order needs less"):
        seqlab.CRF("word[0]", QUICK, order=2).fit(words, labels)


def test_hidden_states_are_too_many():
    states = [f"s{i}" for i in range(COUNT)]
    with pytest.raises(LabelError, match=r"^100,000 labels need 80 GB"):
        seqlab.HMM(states=states).fit([["a"] * COUNT])


def test_edges_of_a_trellis_are_too_many():
    edge = np.broadcast_to(np.zeros(1), (COUNT, COUNT))
    for make in (lambda: seqlab.Trellis(np.zeros((2, COUNT)), edge), lambda: inference.Filter(edge)):
        with pytest.raises(
            ShapeError, match=r"edge scores of shape \(100000, 100000\) need 80 GB, .* has 16 GB"
        ):
            make()


def test_the_memory_of_this_machine_is_known():
    assert arrays.LARGEST_MEMORY >= seqlab.arrays.memory() > 0


def test_lack_of_memory_is_not_blamed_on_the_file():
    with (
        pytest.raises(StoreError, match=r"^m: there is not enough memory for this model"),
        reading.misfits_told("m"),
    ):
        raise MemoryError

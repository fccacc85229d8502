"""Answers and refusals that were lost, and found again, when rooms were merged."""

import pytest

from seqlab import HMM, draw
from seqlab.errors import OptionError


def test_posterior_text_takes_lists():
    assert "0.800" in draw.posterior_text([[0.5, 0.5], [0.2, 0.8]], ["a", "b"], ["x", "y"])


@pytest.mark.parametrize("threads", [-1, 0, "x"])
def test_counting_refuses_bad_threads(threads):
    with pytest.raises(OptionError, match="threads must be a whole number"):
        HMM(threads=threads).fit([["a", "b"]], [["X", "Y"]])

import pytest

from seqlab import Counting, SuffixModel
from seqlab.errors import OptionError
from seqlab.learning.smoothing import AddLambda, KneserNey


def test_options_are_what_they_mean():
    assert Counting().chosen_smoothing() == KneserNey()
    assert Counting().suffixes() == SuffixModel()
    assert Counting(smoothing=0.5, unknown="none").chosen_smoothing() == AddLambda(0.5)
    assert Counting(unknown="none").suffixes() is None
    assert Counting(unknown=SuffixModel(rare=3)).suffixes() == SuffixModel(rare=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"smoothing": "best"}, "smoothing must be one of 'mle'"),
        ({"unknown": "guess"}, r"unknown must be 'suffix', 'none' or a SuffixModel\(...\), got 'guess'"),
        ({"unknown": None}, "got None"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        Counting(**options)

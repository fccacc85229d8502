"""A best value at the edge of its list gets a remark."""

import json

import pytest

import seqlab

WORDS = [["a", "b"], ["b", "a"], ["a", "a"], ["b", "b"]] * 3
TAGS = [["A", "B"], ["B", "A"], ["A", "A"], ["B", "B"]] * 3


def tuned(search, score, **more):
    """A search in which the best value is the one that `score` likes best."""

    class Liked(seqlab.MarkovChain):
        def score(self, X, y=None):
            return score(self)

    return seqlab.tune(Liked(), WORDS, search=search, folds=2, metric="score", refit=False, **more)


@pytest.mark.parametrize(
    ("values", "liked", "side"),
    [
        ([0.1, 1.0, 10.0], 0.1, "smallest"),
        ([0.1, 1.0, 10.0], 10.0, "largest"),
        ([0.1, 1.0, 10.0], 1.0, None),
        ([10.0, 0.1, 1.0], 1.0, None),  # in any order
        ([0, 1, 2], 0, None),  # nothing is below 0
    ],
)
def test_the_edge_of_a_list_of_numbers(values, liked, side):
    found = tuned({"smoothing": values}, lambda chain: -abs(chain.smoothing - liked))
    assert found.best_params == {"smoothing": liked}
    assert dict(found.edges) == ({} if side is None else {"smoothing": side})
    text = f"is the {side} value that was tried"
    assert (text in found.text()) == (side is not None)
    assert json.loads(found.json())["edges"] == dict(found.edges)


def test_names_and_the_least_order_have_no_edge():
    found = tuned(
        {"order": [1, 2, 3], "smoothing": ["mle", "witten-bell"]},
        lambda chain: -chain.order - len(chain.smoothing),
    )
    assert found.best_params == {"order": 1, "smoothing": "mle"}
    assert dict(found.edges) == {}


def test_threads_limit_the_trainings_and_change_nothing():
    search = {"smoothing": [0.1, 1.0, 10.0]}
    one, two = (
        seqlab.tune(seqlab.HMM(), WORDS, TAGS, search=search, folds=2, threads=n, refit=False) for n in (1, 2)
    )
    assert [trial.scores for trial in one.trials] == [trial.scores for trial in two.trials]
    with pytest.raises(seqlab.errors.OptionError, match="threads"):
        seqlab.tune(seqlab.HMM(), WORDS, TAGS, search=search, threads=0)

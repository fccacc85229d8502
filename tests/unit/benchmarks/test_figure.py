import json
from dataclasses import replace

import pytest

from benchmarks.speed.figure import Figure, Peer, mark, widest_spread

FIGURE = Figure("hmm", "Viterbi", "ms", 10.0, 0.02, 7, "abc123")
PEER = Peer("hmmlearn", 120.0, 0.01, 5)


def test_ratio_is_peer_over_ours():
    assert replace(FIGURE, peer=PEER).ratio == pytest.approx(12.0)
    assert FIGURE.ratio is None


@pytest.mark.parametrize(
    ("changes", "met"),
    [
        ({}, None),
        ({"at_most": 10.0}, True),
        ({"at_most": 9.9}, False),
        ({"at_least": 12.0, "peer": PEER}, True),
        ({"at_least": 12.1, "peer": PEER}, False),
        ({"at_least": 12.0}, None),
    ],
)
def test_met_compares_median_or_ratio_with_the_aim(changes, met):
    assert replace(FIGURE, **changes).met is met


def test_star_marks_a_missed_aim_only():
    assert mark("10", replace(FIGURE, at_most=1.0)) == "10 *"
    assert mark("10", replace(FIGURE, at_most=11.0)) == "10"
    assert mark("10", FIGURE) == "10"


def test_widest_spread_is_a_percentage():
    assert widest_spread([FIGURE, replace(FIGURE, spread=0.111)]) == "11 %"
    assert widest_spread([]) == "0 %"


@pytest.mark.parametrize("peer", [None, PEER])
def test_figure_survives_its_record(peer):
    figure = replace(FIGURE, peer=peer, at_least=8.0, details={"labels": 9})
    assert Figure.from_record(json.loads(json.dumps(figure.as_record()))) == figure

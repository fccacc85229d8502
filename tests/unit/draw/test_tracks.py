"""Curves and tracks along a sequence: every position where it belongs, every state in its lane."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.text import Text
from pytest import approx

from seqlab import draw
from seqlab.errors import OptionError, ShapeError

CHANCES = np.random.default_rng(0).random(300)
FACES = np.random.default_rng(1).integers(1, 7, 300)
DICE = ["loaded" if t % 90 > 60 else "fair" for t in range(300)]
PICTURES = {
    "both": draw.track_picture({"P(loaded)": CHANCES}, {"rolls": FACES, "truth": DICE}, title="Dice"),
    "several curves": draw.track_picture({f"a long name {i}": CHANCES for i in range(6)}, {"truth": DICE}),
    "no curve": draw.track_picture({}, {"truth": DICE, "a very long name indeed": DICE}, title="Only tracks"),
    "no track": draw.track_picture({"score": 1000 * CHANCES}, {}, y_name="score"),
    "one position": draw.track_picture({"p": [0.5]}, {"truth": ["x"]}),
    "constant": draw.track_picture({"score": [7.0, 7.0]}, {}),
    "long": draw.track_picture({"p": np.tile(CHANCES, 50)}, {"truth": DICE * 50}),
}


@pytest.mark.parametrize("name", PICTURES)
def test_words_stay_on_the_paper(name):
    picture = PICTURES[name]
    ET.fromstring(picture.svg())
    figure = picture.figure()
    figure.draw_without_rendering()
    words = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    assert words
    for text in words:
        box = text.get_window_extent()
        assert min(box.x0, box.y0) >= 0, text
        assert box.x1 <= picture.width + 1, text
        assert box.y1 <= picture.height + 1, text


def boxes(axes):
    """(left, top, right, bottom, colour) of every run."""
    found = []
    for runs in axes.collections:
        for path, colour in zip(runs.get_paths(), np.resize(runs.get_facecolor(), (99, 4)), strict=False):
            (left, top), (right, bottom) = path.vertices.min(axis=0), path.vertices.max(axis=0)
            found.append((left, top, right, bottom, tuple(colour)))
    return found


def test_a_run_is_a_box_as_long_as_it_is_in_the_lane_of_its_state():
    picture = draw.track_picture({}, {"truth": ["a", "a", "a", "b"], "found": ["b", "b", "b", "b"]})
    truth, found = map(boxes, picture.figure().axes)
    assert [box[:4] for box in truth] == [approx((0, -0.36, 3, 0.36)), approx((3, 0.64, 4, 1.36))]
    assert [box[:4] for box in found] == [approx((0, 0.64, 4, 1.36))]
    assert (
        truth[0][4] != truth[1][4] == found[0][4]
    )  # a track that has only b shows it as the other track does


def test_states_that_are_numbers_stand_in_their_order():
    (axes,) = draw.track_picture({}, {"rolls": ["10", "9", "x", "2"]}).figure().axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["2", "9", "10", "x"]


def test_a_curve_goes_through_its_numbers():
    (axes,) = draw.track_picture({"p": [0.0, 1.0, 0.25]}, {}).figure().axes
    np.testing.assert_allclose(axes.lines[0].get_xydata(), [[0.5, 0.0], [1.5, 1.0], [2.5, 0.25]])
    assert axes.get_ylim() == (0, 1)


def test_a_long_curve_keeps_its_peaks_in_a_small_picture():
    values = np.zeros(15_000)
    values[7_321] = 1.0
    picture = draw.track_picture({"p": values}, {})
    (axes,) = picture.figure().axes
    assert [7_321.5, 1.0] in axes.lines[0].get_xydata().tolist()
    assert len(picture.svg()) < 50_000


@pytest.mark.parametrize(
    ("curves", "tracks", "error", "wanted"),
    [
        ({}, {}, OptionError, "there is nothing to draw"),
        ({"p": []}, {}, OptionError, "there is nothing to draw"),
        ({"p": [0.1, 0.2]}, {"truth": ["a"]}, ShapeError, "'truth' has 1 positions, but 'p' has 2"),
        ({"p": [0.1, float("nan")]}, {}, OptionError, "a curve holds finite numbers, got nan"),
        ({}, {"truth": list("abcdefg")}, OptionError, "the track 'truth' has 7 states"),
        (
            {str(i): [0.5] for i in range(7)},
            {},
            OptionError,
            "7 curves are in one picture, which cannot be told apart",
        ),
        ({"p": np.zeros(20_001)}, {}, OptionError, "up to 20,000 positions, got 20,001"),
    ],
)
def test_wrong_use_is_said(curves, tracks, error, wanted):
    with pytest.raises(error, match=wanted):
        draw.track_picture(curves, tracks)


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (5, 500, ["5", "10", "20", "50", "100", "200", "500"]),
        (0.001, 1000, ["0.001", "0.01", "0.1", "1", "10", "100", "1,000"]),
    ],
)
def test_axes_of_few_powers_have_marks_between_them(low, high, wanted):
    figure = draw.line_picture({"a": [(low, 1.0), (high, 2.0)]}, log_x=True).figure()
    figure.draw_without_rendering()
    (axes,) = figure.axes
    inside = [text.get_text() for text in axes.get_xticklabels() if low <= text.get_position()[0] <= high]
    assert inside == wanted

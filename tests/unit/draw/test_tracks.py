"""Curves and tracks along a sequence: every position where it belongs, every state in its lane, no words on others."""

import itertools
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from seqlab import draw
from seqlab.draw.axes import Scale
from seqlab.draw.picture import words_of
from seqlab.draw.shapes import Box, Curve
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
def test_words_do_not_overlap_and_stay_on_the_paper(name):
    picture = PICTURES[name]
    ET.fromstring(picture.svg())
    boxes = [(text.text, *text.box()) for text in words_of(picture.shapes) if text.text.strip()]
    for text, left, top, right, bottom in boxes:
        assert min(left, top) >= 0, text
        assert right <= picture.width + 1, text
        assert bottom <= picture.height, text
    for (one, *a), (other, *b) in itertools.combinations(boxes, 2):
        apart = a[0] >= b[2] - 1 or b[0] >= a[2] - 1 or a[1] >= b[3] - 1 or b[1] >= a[3] - 1
        assert apart, f"{one!r} at {a} and {other!r} at {b}"


def test_a_run_is_a_box_as_long_as_it_is_in_the_lane_of_its_state():
    picture = draw.track_picture({}, {"truth": ["a", "a", "a", "b"], "found": ["b", "b", "b", "b"]})
    boxes = [shape for shape in picture.shapes if isinstance(shape, Box)]
    assert [round(box.width / boxes[1].width) for box in boxes] == [3, 1, 4]
    a, b, found = boxes
    assert a.y < b.y < found.y
    assert a.x < b.x
    assert found.x == a.x
    assert a.fill != b.fill == found.fill  # a track that has only b shows it as the other track does


def test_states_that_are_numbers_stand_in_their_order():
    picture = draw.track_picture({}, {"rolls": ["10", "9", "x", "2"]})
    names = [text.text for text in words_of(picture.shapes)]
    assert names[:5] == ["rolls", "2", "9", "10", "x"]


def test_a_curve_goes_through_its_numbers():
    picture = draw.track_picture({"p": [0.0, 1.0, 0.25]}, {})
    (curve,) = (shape for shape in picture.shapes if isinstance(shape, Curve))
    heights = [point[1] for _, point in curve.steps]
    y = Scale(0, 1, heights[0], heights[1])
    assert heights[2] == pytest.approx(y.at(0.25))


def test_a_long_curve_keeps_its_peaks():
    values = np.zeros(15_000)
    values[7_321] = 1.0
    picture = draw.track_picture({"p": values}, {})
    (curve,) = (shape for shape in picture.shapes if isinstance(shape, Curve))
    heights = [point[1] for _, point in curve.steps]
    assert len(heights) < 1_500
    assert min(heights) == pytest.approx(max(heights) - 150)


@pytest.mark.parametrize(
    ("curves", "tracks", "error", "wanted"),
    [
        ({}, {}, OptionError, "there is nothing to draw"),
        ({"p": []}, {}, OptionError, "there is nothing to draw"),
        ({"p": [0.1, 0.2]}, {"truth": ["a"]}, ShapeError, "'truth' has 1 positions, but 'p' has 2"),
        ({"p": [0.1, float("nan")]}, {}, OptionError, "a curve holds finite numbers, got nan"),
        ({}, {"truth": list("abcdefg")}, OptionError, "the track 'truth' has 7 states"),
        ({str(i): [0.5] for i in range(7)}, {}, OptionError, "7 curves in one picture"),
        ({"p": np.zeros(20_001)}, {}, OptionError, "up to 20,000 positions, got 20,001"),
    ],
)
def test_wrong_use_is_said(curves, tracks, error, wanted):
    with pytest.raises(error, match=wanted):
        draw.track_picture(curves, tracks)


def test_axes_of_few_powers_have_marks_between_them():
    assert Scale(5, 500, 0, 1, log=True).marks() == [5, 10, 20, 50, 100, 200, 500]
    assert Scale(1e-5, 1e5, 0, 1, log=True).marks() == [1e-5, 1e-3, 1e-1, 1e1, 1e3, 1e5]
    assert Scale(30, 40, 0, 1, log=True).marks() == [30, 40]

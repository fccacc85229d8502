import numpy as np
import pytest

from seqlab.draw import ASCII, Style, posterior_text, text_width

NODE = np.array([[0.0, 1.0], [0.25, 0.75]])

DRAWING = """\
   old                 man
x  ·                   0.250 ███
y  1.000 ████████████  0.750 █████████"""


def test_each_probability_has_a_number_and_a_bar():
    assert posterior_text(NODE, ["old", "man"], ["x", "y"]) == DRAWING


def test_bars_in_ascii():
    drawn = posterior_text(NODE, ["old", "man"], ["x", "y"], style=Style(glyphs=ASCII))
    assert drawn == DRAWING.replace("█", "#").replace("·", ".")


@pytest.mark.parametrize("width", range(14, 80, 6))
def test_columns_go_on_below_when_the_screen_is_narrow(width):
    node = np.full((9, 2), 0.5)
    drawn = posterior_text(node, ["a long word"] * 9, ["x", "y"], width=width)
    assert max(map(text_width, drawn.splitlines())) <= width
    assert drawn.count("0.500") == 18


def test_nothing_is_drawn_of_nothing():
    assert posterior_text(np.zeros((0, 2)), [], ["x", "y"]) == ""

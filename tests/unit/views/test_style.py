import itertools
import math
import unicodedata

import pytest

from seqlab.draw import ASCII, UNICODE, Ink, Style, log_score, probability

WEIGHTS = ("", "LIGHT", "HEAVY")
ARMS = list(itertools.product(range(3), repeat=4))


def arms_by_name(char):
    """(up, down, left, right) as the Unicode name of a box-drawing character says."""
    name = unicodedata.name(char).removeprefix("BOX DRAWINGS ").replace("ARC ", "")
    name = name.replace("VERTICAL", "UP AND DOWN").replace("HORIZONTAL", "LEFT AND RIGHT")
    words, weights, directions = name.split(), [], []
    for word in words:
        if word in WEIGHTS:
            weights.append((WEIGHTS.index(word), len(directions)))
        elif word != "AND":
            directions.append(word)
    arms = dict.fromkeys(("UP", "DOWN", "LEFT", "RIGHT"), 0)
    before = words[0] in WEIGHTS  # "LIGHT UP", but "UP LIGHT AND DOWN HEAVY"
    for place, direction in enumerate(directions):
        fitting = [w for w, at in weights if (at <= place if before else at > place)]
        arms[direction] = fitting[-1] if before else fitting[0]
    return tuple(arms.values())


@pytest.mark.parametrize("arms", ARMS[1:])
def test_unicode_line_has_the_arms_of_its_name(arms):
    assert arms_by_name(UNICODE.line(*arms)) == arms


@pytest.mark.parametrize("arms", ARMS)
def test_ascii_line_is_heavy_exactly_when_an_arm_is(arms):
    char = ASCII.line(*arms)
    assert char.isascii()
    assert (char in "#=") == (2 in arms)
    assert (char == " ") == (max(arms) == 0)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize(("share", "cells"), [(0.0, 0), (1e-9, 1), (0.5, 5), (1.0, 10), (1.5, 10), (-1.0, 0)])
def test_bar_is_as_long_as_its_share(glyphs, share, cells):
    assert len(glyphs.bar(share, 10)) == cells


def test_bar_uses_parts_of_a_cell():
    assert UNICODE.bar(0.55, 10) == "█████▌"


def test_numbers_are_short():
    assert probability(math.log(0.06048)) == "0.06048"
    assert probability(0.0) == "1"
    assert log_score(-1.23456) == "-1.23"
    assert log_score(-1234567.0) == "-1.23e+06"


def test_paint_without_color_changes_nothing():
    assert Style().paint("boat", Ink.PATH) == "boat"
    assert Style(color=True).paint("boat", Ink.TEXT) == "boat"
    assert Style(color=True).paint("boat", Ink.HEAD) == "\x1b[1mboat\x1b[0m"

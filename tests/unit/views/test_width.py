import pytest

from seqlab.views.text import beside, clip, printable, text_width


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("boat", 4), ("船", 2), ("e\u0301", 1), ("\x1b[1;36mboat\x1b[0m", 4)],
)
def test_text_width_counts_screen_columns(text, width):
    assert text_width(text) == width


def test_printable_disarms_what_moves_the_cursor():
    assert printable("a\tb\x1b[2Jc\nd") == "a?b?[2Jc?d"
    assert printable("ab\u202ecd\u200d") == "abcd"
    assert printable("naïve 船") == "naïve 船"


@pytest.mark.parametrize(
    ("width", "clipped"), [(-1, ""), (0, ""), (1, "…"), (2, "b…"), (3, "bo…"), (4, "boat"), (9, "boat")]
)
def test_clip_fits_and_says_so(width, clipped):
    assert clip("boat", width, "…") == clipped


def test_clip_never_cuts_a_wide_character_in_half():
    assert clip("船船船", 4, "…") == "船…"


def test_beside_aligns_the_right_drawing_whatever_the_colours():
    left = "\x1b[1mab\x1b[0m\nc"
    assert beside(left, "x\ny\nz", column=4) == "\x1b[1mab\x1b[0m  x\nc   y\n    z"
    assert beside("a\nb", "x", column=2) == "a x\nb"

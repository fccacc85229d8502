from seqlab.views.canvas import HEAVY, LIGHT, Canvas, Ink, Style

PLAIN = Style()


def test_put_drops_what_falls_outside():
    canvas = Canvas(5, 1)
    canvas.put(3, 0, "boat")
    canvas.put(-2, 0, "man")
    assert canvas.lines(PLAIN) == ["n  bo"]


def test_put_keeps_columns_straight_under_wide_and_combining_characters():
    canvas = Canvas(6, 2)
    canvas.put(0, 0, "船e\u0301")
    canvas.put(3, 0, "|")
    canvas.put(5, 1, "船")  # half of it would be outside
    assert canvas.lines(PLAIN) == ["船e\u0301|", ""]


def test_arms_of_one_wire_join():
    canvas = Canvas(3, 3)
    canvas.across(0, 2, 1, wire=0, weight=LIGHT)
    canvas.down(1, 1, 2, wire=0, weight=HEAVY)
    assert canvas.lines(PLAIN) == ["", "╶┰╴", " ╹"]


def test_two_wires_cross_and_the_heavier_passes_over():
    for weight, middle in ((LIGHT, "│"), (HEAVY, "━")):
        canvas = Canvas(3, 3)
        canvas.across(0, 2, 1, wire=0, weight=weight)
        canvas.down(1, 0, 2, wire=1, weight=LIGHT)
        assert canvas.lines(PLAIN)[1][1] == middle


def test_frame_is_a_rectangle():
    canvas = Canvas(4, 3)
    canvas.frame(0, 0, 3, 2, wire=0)
    assert canvas.lines(PLAIN) == ["┏━━┓", "┃  ┃", "┗━━┛"]


def test_every_line_closes_its_own_colours():
    canvas = Canvas(8, 2)
    canvas.put(0, 0, "a", Ink.HEAD)
    canvas.put(1, 0, "b", Ink.HEAD)
    canvas.put(2, 0, "c")
    canvas.put(0, 1, "d", Ink.FAINT)
    assert canvas.lines(Style(color=True)) == ["\x1b[1mab\x1b[0mc", "\x1b[2md\x1b[0m"]

from hypothesis import given
from hypothesis import strategies as st

from seqlab.draw.text import Line, route


@st.composite
def pointers(draw, max_rows=8):
    rows = draw(st.integers(1, max_rows))
    return draw(st.lists(st.none() | st.integers(0, rows - 1), min_size=rows, max_size=rows))


def bends(line):
    return line.source != line.target


@given(pointers())
def test_every_pointer_has_its_line(came_from):
    gutter = route(came_from)
    expected = [(source, target) for target, source in enumerate(came_from) if source is not None]
    assert [(line.source, line.target) for line in gutter.lines] == expected


@given(pointers())
def test_lines_of_different_cells_never_share_a_track(came_from):
    gutter = route(came_from)
    owner = {}
    for line in filter(bends, gutter.lines):
        for track in (line.leave, line.serve):
            assert 0 <= track < gutter.tracks
            assert owner.setdefault(track, line.source) == line.source


@given(pointers())
def test_a_line_leaves_its_row_before_another_arrives_there(came_from):
    lines = [line for line in route(came_from).lines if bends(line)]
    for leaving in lines:
        for arriving in lines:
            if leaving.source == arriving.target:
                assert leaving.leave < arriving.serve


def test_straight_lines_need_no_track():
    gutter = route([0, 1, None])
    assert gutter.tracks == 0


def test_a_ring_is_opened_by_changing_tracks():
    gutter = route([1, 0])  # two cells that swap places
    assert gutter.tracks == 3
    assert gutter.lines == (Line(1, 0, leave=1, serve=1), Line(0, 1, leave=0, serve=2))

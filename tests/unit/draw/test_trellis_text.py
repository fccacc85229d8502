import math

import numpy as np
import pytest

from oracle.textbook import WORDS, garden_path
from seqlab.draw import ASCII, Style, probability, text_width, trellis_text
from seqlab.errors import LabelError, ShapeError
from seqlab.trellis import Constraints, Trellis

UNICODE_DRAWING = """\
    the          old              man             the             boat

A    ·      ╭── 0.168* ─────┬── 0.00336            ·                ·
            │ ┏━━━━━━━━┓    │                                 ┏━━━━━━━━━━━┓
N    ·      ┢━┫ 0.098  ┣━━┓ ╰── 0.06048*           ·        ┏━┫ 0.004802* ┃
            ┃ ┗━━━━━━━━┛  ┃   ┏━━━━━━━━━━┓                  ┃ ┗━━━━━━━━━━━┛
V    ·      ┃     ·       ┗━━━┫ 0.0343   ┣━━┓      ·        ┃       ·
  ┏━━━━━━┓  ┃                 ┗━━━━━━━━━━┛  ┃ ┏━━━━━━━━━━┓  ┃
D ┃ 0.7* ┣━━┛     ·                ·        ┗━┫ 0.01715* ┣━━┛       ·
  ┗━━━━━━┛                                    ┗━━━━━━━━━━┛"""

ASCII_DRAWING = """\
    the          old              man             the             boat

A    .      +-- 0.168* -----+-- 0.00336            .                .
            | #========#    |                                 #===========#
N    .      #=# 0.098  #==# +-- 0.06048*           .        #=# 0.004802* #
            # #========#  #   #==========#                  # #===========#
V    .      #     .       #===# 0.0343   #==#      .        #       .
  #======#  #                 #==========#  # #==========#  #
D # 0.7* #==#     .                .        #=# 0.01715* #==#       .
  #======#                                    #==========#"""

COMPACT_DRAWING = """\
   the      old
A   ·     D→0.168*
N   ·    [D→0.098 ]
V   ·        ·
D [0.7*]     ·

      man
A  A→0.00336
N  A→0.06048*
V [N→0.0343  ]
D      ·

      the
A      ·
N      ·
V      ·
D [V→0.01715*]

      boat
A       ·
N [D→0.004802*]
V       ·
D       ·"""

PROBABILITIES = Style(number=probability)


@pytest.fixture
def sentence():
    tables = garden_path()
    return Trellis(tables.node, tables.edge, start=tables.start, labels=tables.labels)


def random_trellis(T, L, **options):
    rng = np.random.default_rng(T * 1000 + L)
    return Trellis(rng.normal(size=(T, L)), rng.normal(size=(L, L)), **options)


def test_drawing_of_the_garden_path(sentence):
    assert trellis_text(sentence, WORDS, width=78, style=PROBABILITIES) == UNICODE_DRAWING


def test_drawing_in_ascii(sentence):
    style = Style(glyphs=ASCII, number=probability)
    assert trellis_text(sentence, WORDS, width=78, style=style) == ASCII_DRAWING


def test_drawing_for_a_narrow_screen(sentence):
    assert trellis_text(sentence, WORDS, width=20, style=PROBABILITIES) == COMPACT_DRAWING


@pytest.mark.parametrize("width", range(20, 131, 10))
@pytest.mark.parametrize(("T", "L"), [(1, 1), (1, 4), (12, 4), (7, 8), (9, 12)])
def test_no_line_is_wider_than_the_screen(T, L, width):
    drawn = trellis_text(random_trellis(T, L), width=width)
    assert max(map(text_width, drawn.splitlines())) <= width


def test_colour_adds_codes_and_nothing_else(sentence):
    plain = trellis_text(sentence, WORDS, style=PROBABILITIES)
    painted = trellis_text(sentence, WORDS, style=Style(number=probability, color=True))
    assert painted != plain
    for line, colourless in zip(painted.splitlines(), plain.splitlines(), strict=True):
        assert text_width(line) == text_width(colourless)


def test_a_path_of_the_user_is_framed_instead(sentence):
    drawn = trellis_text(sentence, WORDS, path="DANDN", width=78, style=PROBABILITIES)
    assert "┫ 0.06048* ┣" in drawn
    by_id = trellis_text(sentence, WORDS, path=[3, 0, 1, 3, 1], width=78, style=PROBABILITIES)
    assert drawn == by_id


def test_no_path_no_frame(sentence):
    assert "┏" not in trellis_text(sentence, WORDS, path=())


def test_positions_stand_in_for_tokens():
    assert trellis_text(random_trellis(3, 2)).splitlines()[0].split() == ["0", "1", "2"]


def test_an_impossible_trellis_shows_where_it_dies():
    trellis = Trellis(np.zeros((3, 1)), np.zeros((1, 1)), constraints=Constraints(forbidden_moves=[(0, 0)]))
    drawn = trellis_text(trellis).splitlines()
    assert drawn[2].split() == ["0", "0.00*", "·", "·"]


def test_of_many_labels_the_path_and_the_most_probable_are_shown():
    node = np.zeros((4, 50))
    node[:, 31] = 9.0
    node[2, 17] = 12.0
    node[0, 5] = 8.0
    drawn = trellis_text(Trellis(node, np.zeros((50, 50))), max_labels=3)
    rows = [line.split()[0] for line in drawn.splitlines()[1:]]
    assert rows == ["5", "17", "31", "…"]
    assert drawn.endswith("… 47 more labels not shown")


def test_of_many_positions_the_first_are_shown():
    drawn = trellis_text(random_trellis(1000, 2), max_positions=5)
    assert drawn.splitlines()[0].split() == ["0", "1", "2", "3", "4"]
    assert drawn.endswith("… 995 more positions not shown")


def test_long_and_wide_tokens_and_labels_are_cut_and_aligned():
    trellis = random_trellis(2, 2, labels=["a label that would fill the line", "船"])
    drawn = trellis_text(trellis, ["an uncommonly long token", "船\x1b[2J"], width=60)
    assert "an uncommonly…" in drawn
    assert "a label that wo…" in drawn
    assert "\x1b" not in drawn
    assert max(map(text_width, drawn.splitlines())) <= 60


def test_an_empty_trellis_says_so():
    assert trellis_text(Trellis(np.zeros((0, 2)), np.zeros((2, 2)))) == "(no positions)"


def test_higher_orders_are_drawn_too():
    rng = np.random.default_rng(1)
    trellis = Trellis(rng.normal(size=(4, 3)), rng.normal(size=(3, 3, 3)), order=2)
    assert trellis_text(trellis).count("┏") >= 4


def test_wrong_tokens_and_paths_are_refused(sentence):
    with pytest.raises(ShapeError, match="2 tokens given for a trellis of 5 positions"):
        trellis_text(sentence, ["the", "old"])
    with pytest.raises(ShapeError, match="path of 3 labels given for a trellis of 5 positions"):
        trellis_text(sentence, WORDS, path="DAN")
    with pytest.raises(LabelError, match="unknown label 'X'"):
        trellis_text(sentence, WORDS, path="DNVDX")


def test_scores_are_logs_unless_told_otherwise(sentence):
    assert f"{math.log(0.7):.2f}*" in trellis_text(sentence, WORDS)

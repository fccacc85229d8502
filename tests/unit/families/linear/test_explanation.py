"""The words, the numbers and the errors of explanations."""

import json
import math
import pickle

import numpy as np
import pytest

from oracle.linear_models import random_case
from seqlab.errors import ImpossibleError, LabelError, OptionError, ShapeError
from seqlab.families.linear.explain import Explanation, MoveContribution, explain
from seqlab.families.linear.explain.log_odds import MOST_MOVES
from seqlab.families.linear.explain.text import percent, signed
from seqlab.views.text import text_width


def ask(case, t=1, **more):
    return explain(case.model, case.encoded, case.trellis, t, tokens=case.words, **more)


def numbers_of(text):
    """The last number of every line of a table."""
    return [line.split()[-1] for line in text.splitlines() if line.startswith("  ")]


def test_text_is_a_question_an_answer_and_an_account_that_adds_up():
    case = random_case(3, L=4, T=5)
    found = ask(case, 2)
    text = str(found)
    assert text.startswith(f"Why is “{case.words[2]}” (token 2) {found.label} rather than {found.rival}?\n")
    assert f"[{case.words[2]}]" in text
    assert "times as probable as" in text
    listed = [float(n.replace("−", "-")) for n in numbers_of(text) if n[0] in "+−0"]
    assert sum(listed) == pytest.approx(found.log_odds, abs=0.001 * len(listed))
    assert text.endswith(f"together {signed(found.log_odds)}")


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("probabilistic", [True, False])
def test_text_stays_within_80_columns(order, probabilistic):
    case = random_case(1, L=4, T=6, order=order, edges=True, rules=True)
    words = ("ein sehr langes Wort", "漢字" * 30, "e\u0301" * 9, "tab\there", "x" * 200, "end")
    for t in range(6):
        found = explain(case.model, case.encoded, case.trellis, t, tokens=words, probabilistic=probabilistic)
        lines = str(found).splitlines()
        assert max(map(text_width, lines)) <= 80
        assert "\t" not in str(found)


def test_text_without_words_speaks_of_token_numbers():
    case = random_case(2, T=3)
    found = explain(case.model, case.encoded, case.trellis, 1)
    assert str(found).startswith("Why is token 1 ")
    assert "[" not in str(found).splitlines()[2]


def test_few_rows_are_followed_by_the_sum_of_the_others():
    case = random_case(8, L=4, T=5)
    found = ask(case, 2)
    text = found.text(rows=1)
    assert "2 smaller ones" in text
    with pytest.raises(OptionError, match="rows must be"):
        found.text(rows=0)


def test_margin_text_names_both_paths():
    case = random_case(3, L=4, T=5, order=2, edges=True)
    found = ask(case, 2, probabilistic=False)
    text = str(found)
    assert f"scores {found.margin:.3f} more than the best path with {found.rival}" in text
    assert "→" in text
    assert "share" not in text


def test_moves_that_are_not_allowed_are_said_and_have_no_number_in_json():
    case = random_case(3, L=4, T=5, order=2, rules=True)
    every = [ask(case, t) for t in range(5)]
    found = next(one for one in every if any(math.isinf(move.rival_weight) for move in one.moves))
    assert "never" in str(found)
    read = json.loads(found.json())
    assert None in [move["rival_weight"] for move in read["moves"]]
    assert read["total"] == pytest.approx(found.log_odds)
    assert read["features"][0]["attribute"] == found.features[0].attribute
    assert read["tokens"] == case.words


def test_html_is_escaped_and_marks_the_token():
    case = random_case(4, T=3)
    found = explain(case.model, case.encoded, case.trellis, 1, tokens=["<b>", "a&b", "c"])
    page = found._repr_html_()
    assert "<mark>a&amp;b</mark>" in page
    assert "<b>" not in page
    assert found.features[0].attribute in page


def test_explanations_are_frozen_values():
    case = random_case(4, T=3)
    found = ask(case)
    with pytest.raises(AttributeError):
        found.label = "x"
    assert pickle.loads(pickle.dumps(found)) == found
    assert isinstance(found, Explanation)
    assert all(isinstance(move, MoveContribution) for move in found.moves)


def test_rows_come_by_falling_size():
    found = ask(random_case(5, L=4, T=5, order=2, edges=True), 2)
    for rows in (found.features, found.moves):
        sizes = [abs(row.difference) for row in rows]
        assert sizes == sorted(sizes, reverse=True)


def test_thousands_of_moves_are_summed_but_not_listed():
    case = random_case(5, L=20, T=5, order=2)
    found = ask(case, 2)
    assert len(found.moves) == MOST_MOVES
    assert found.other_moves != 0
    assert found.total == pytest.approx(found.log_odds, abs=1e-9)
    assert "all other moves" in str(found) or abs(found.other_moves) < 5e-4


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"t": 3}, LabelError, "position 3 does not exist; the sentence has positions 0 to 2"),
        ({"t": -1}, LabelError, "position -1 does not exist"),
        ({"t": 1.5}, LabelError, "whole numbers, got 1.5"),
        ({"label": "zz"}, LabelError, "unknown label 'zz'"),
        ({"label": "y1", "rival": "y1"}, OptionError, "label and rival are both 'y1'"),
        ({"tokens": ["a"]}, ShapeError, "1 tokens for a trellis of 3 positions"),
        ({"sentence": 1}, LabelError, "there is no sentence 1: the encoded corpus has 1"),
    ],
)
def test_bad_questions_are_refused(options, error, message):
    case = random_case(4, T=3)
    options = {"t": 1, **options}
    with pytest.raises(error, match=message):
        explain(case.model, case.encoded, case.trellis, **options)


def test_strange_trellises_are_refused():
    case, other = random_case(4, T=3), random_case(4, L=4, T=3)
    with pytest.raises(ShapeError, match="the trellis has 4 labels and order 1, the model 3 labels"):
        explain(case.model, case.encoded, other.trellis, 0)
    longer = random_case(4, T=5)
    with pytest.raises(ShapeError, match="has 3 tokens, but the trellis 5 positions"):
        explain(case.model, case.encoded, longer.trellis, 0)
    empty = case.encoder.encode([[]])
    with pytest.raises(LabelError, match="the sentence is empty"):
        explain(case.model, empty, case.model.trellises(empty)[0], 0)


def test_labels_that_cannot_stand_there_are_refused():
    case = random_case(4, T=3)
    tight = case.trellis.constrain(allowed={1: ["y0", "y2"]})
    with pytest.raises(LabelError, match=r"'y1' cannot stand at position 1.*possible there: 'y0', 'y2'"):
        explain(case.model, case.encoded, tight, 1, label="y0", rival="y1")
    alone = case.trellis.constrain(known={1: "y2"})
    with pytest.raises(LabelError, match="no other label than 'y2'"):
        explain(case.model, case.encoded, alone, 1)
    dead = case.trellis.constrain(known={0: "y0", 1: "y0"}, forbidden_moves=[("y0", "y0")])
    with pytest.raises(ImpossibleError, match="no legal path"):
        explain(case.model, case.encoded, dead, 1)


@pytest.mark.parametrize(
    ("number", "text"),
    [(1.2, "+1.200"), (-0.33, "−0.330"), (0.0, "0"), (-math.inf, "never"), (2e7, "+2.000e+07")],
)
def test_signed_numbers_read_well(number, text):
    assert signed(number) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (1e-9, "< 0.1 %"),
        (0.004, "0.4 %"),
        (0.25, "25 %"),
        (0.997, "99.7 %"),
        (0.99999, "100 %"),
        (1, "100 %"),
    ],
)
def test_shares_read_well(share, text):
    assert percent(share) == text


def test_large_scores_do_not_overflow():
    case = random_case(6, T=4)
    node = np.array(case.trellis.node) * 1e6
    from seqlab.trellis import Trellis

    found = explain(case.model, case.encoded, Trellis(node, case.trellis.edge, labels=case.model.labels), 2)
    assert math.isfinite(found.total)
    assert found.total == pytest.approx(found.log_odds, rel=1e-12)
    assert "more than a million times" in str(found)

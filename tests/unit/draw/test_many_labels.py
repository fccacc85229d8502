"""Moves between many labels: grouped, the strongest only, with a legend."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from seqlab import draw


def texts(picture):
    return [element.text for element in ET.fromstring(picture.svg()).iter("{http://www.w3.org/2000/svg}text")]


def table(L):
    return 3 * np.random.default_rng(3).normal(size=(L, L)), [f"B-LABEL{y}" for y in range(L)]


CHUNKS = [f"{place}-{kind}" for place in "BI" for kind in ("NP", "VP", "PP", "ADJP", "ADVP", "SBAR")] + ["O"]


def test_a_table_of_many_labels_is_grouped_by_type_and_says_what_shades_mean():
    rng = np.random.default_rng(5)
    figure = draw.transition_picture(rng.normal(size=(13, 13)), CHUNKS).figure()
    names = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert names[:4] == ["B-NP", "I-NP", "B-VP", "I-VP"]
    assert names[-1] == "O"
    said = " ".join(figure.get_supxlabel().split())
    assert "blue favours a move, vermilion speaks against it" in said
    # The number of B-NP to I-NP stands in the first row and the second column, also when labels come in another order.
    values = np.arange(169.0).reshape(13, 13) + 1
    cells = {
        text.get_position(): text.get_text()
        for text in draw.transition_picture(values, CHUNKS).figure().axes[0].texts
    }
    assert cells[1.5, 0.5] == f"+{values[0, 6]:.1f}"
    assert cells[0.5, 1.5] == f"+{values[6, 0]:.1f}"


def test_few_labels_keep_their_order_and_have_no_legend():
    values, labels = np.eye(4) - 0.5, ["B-b", "B-a", "I-a", "O"]
    figure = draw.transition_picture(values, labels, kind="table").figure()
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == labels
    assert not figure.get_supxlabel()
    assert not any("favours" in text for text in texts(draw.transition_picture(values, labels)))


@pytest.mark.parametrize("kind", ["graph", "table"])
def test_top_shows_the_strongest_moves_and_the_labels_they_join(kind):
    values, labels = table(20)
    strongest = np.argsort(-np.abs(values), axis=None)[:7]
    joined = {labels[i] for at in strongest for i in np.unravel_index(at, values.shape)}
    said = texts(draw.transition_picture(values, labels, kind=kind, top=7, most=20))
    assert {text for text in said if text.startswith("B-LABEL")} == joined
    wanted = {f"{values.flat[at]:+.1f}".replace("-", "−") for at in strongest}
    assert {text for text in said if re.fullmatch(r"[+−][0-9.]+", text)} == wanted
    assert "weaker moves, not shown: 393" in " ".join(said)


def test_a_graph_of_many_labels_has_few_arrows_and_a_legend():
    picture = draw.transition_picture(*table(20), kind="graph")
    arrows = [shape for shape in picture.shapes if getattr(shape, "fill", "") in {"blue", "vermilion"}]
    assert len(arrows) == 13 + 2  # two of them in the legend
    assert {"favours the move, the thicker the more", "speaks against it"} <= set(texts(picture))
    chances = np.full((12, 12), 1 / 12)
    assert "the thicker, the more probable" in texts(draw.transition_picture(chances, kind="graph"))
    assert draw.transition_picture(np.zeros((12, 12)), kind="graph").svg()

"""Graphs of kinds of models have the nodes and arrows of their definitions."""

import itertools

import pytest

from seqlab import draw
from seqlab.draw.graphical import MODELS
from seqlab.errors import OptionError
from seqlab.views.picture import Box, Curve, Disc, Text


def nodes(picture):
    """Names of variables by their place, and which of them are shaded."""
    discs = [shape for shape in picture.shapes if isinstance(shape, Disc)]
    words = [shape for shape in picture.shapes if isinstance(shape, Text)]
    found = {}
    for disc in discs:
        inside = [w for w in words if abs(w.x - disc.x) < disc.radius and abs(w.y - disc.y) < disc.radius]
        found["".join(w.text for w in inside)] = disc
    return found


def arrows(picture):
    """Pairs of names: the nodes nearest to the start and to the head of every arrow."""
    named = nodes(picture)
    places = {name: complex(disc.x, disc.y) for name, disc in named.items()}

    def nearest(at):
        return min(places, key=lambda name: abs(places[name] - at))

    lines = [shape for shape in picture.shapes if isinstance(shape, Curve) and shape.cubic]
    return {(nearest(line.points[0]), nearest(line.points[-1])) for line in lines}


def squares(picture):
    return [shape for shape in picture.shapes if isinstance(shape, Box) and shape.fill == "ink"]


def test_a_discriminative_model_leads_from_what_is_seen_to_the_label():
    picture = draw.graphical_model_picture("discriminative")
    assert arrows(picture) == {("x", "y")}
    assert {name: disc.fill for name, disc in nodes(picture).items()} == {"x": "shade", "y": "paper"}


def test_a_generative_model_leads_from_the_label_to_what_is_seen():
    assert arrows(draw.graphical_model_picture("generative")) == {("y", "x")}


@pytest.mark.parametrize("length", [2, 4, 8])
def test_a_markov_random_field_has_scores_and_no_arrows(length):
    picture = draw.graphical_model_picture("mrf", length=length)
    assert picture.title == "Markov random field"
    assert not arrows(picture)
    assert len(squares(picture)) == length
    assert set(nodes(picture)) == {"y", *(f"x{t}" for t in range(1, length + 1))}
    assert "φ" in draw.graphical_model_picture("mrf", plates=True).svg()


def test_an_memm_may_see_the_whole_input():
    picture = draw.graphical_model_picture("memm-whole", length=3)
    (box,) = [shape for shape in picture.shapes if isinstance(shape, Box) and shape.fill == "shade"]
    labels = nodes(picture)
    assert set(labels) == {"y1", "y2", "y3"}
    heads = [s.points[-1] for s in picture.shapes if isinstance(s, Curve) and s.cubic]
    upwards = [s.points[0] for s in picture.shapes if isinstance(s, Curve) and s.cubic]
    from_box = [at for at in upwards if box.x <= at.real <= box.x + box.width and at.imag >= box.y]
    assert len(from_box) == 3
    assert len(heads) == 3 + 2
    assert not squares(picture)


def test_three_factorisations_of_three_variables():
    picture = draw.graphical_model_picture("factorisations")
    words = [shape.text for shape in picture.shapes if isinstance(shape, Text)]
    formulas = [text for text in words if text.startswith("P(")]
    assert formulas == [
        "P(x) P(y | x) P(z | x, y)",
        "P(y) P(x | y) P(z | x, y)",
        "P(z) P(y | z) P(x | y, z)",
    ]
    discs = [shape for shape in picture.shapes if isinstance(shape, Disc)]
    heads = [shape for shape in picture.shapes if isinstance(shape, Curve) and shape.cubic]
    assert (len(discs), len(heads)) == (9, 9)
    # The arrows of each graph are those that its formula asks for.
    names = [w for w in words if w in "xyz"]
    places = dict(zip(((d.x, d.y) for d in discs), names, strict=True))

    def name(at):
        return places[min(places, key=lambda place: abs(complex(*place) - at))]

    for number, formula in enumerate(formulas):
        drawn = {(name(h.points[0]), name(h.points[-1])) for h in heads[3 * number : 3 * number + 3]}
        terms = [term.strip("P()").split(" | ") for term in formula.replace(") ", ");").split(";")]
        given = {(parent, term[0]) for term in terms if len(term) > 1 for parent in term[1].split(", ")}
        assert drawn == given
    with pytest.raises(OptionError, match="no plates"):
        draw.graphical_model_picture("factorisations", plates=True)


def test_words_of_factorisations_do_not_overlap():
    picture = draw.graphical_model_picture("factorisations")
    boxes = [shape.box() for shape in picture.shapes if isinstance(shape, Text)]
    for a, b in itertools.combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    assert all(b[0] >= 0 and b[2] <= picture.width and b[1] >= 0 and b[3] <= picture.height for b in boxes)


@pytest.mark.parametrize("model", MODELS)
def test_every_graph_is_offered_by_the_message(model):
    with pytest.raises(OptionError, match=f"'{model}'"):
        draw.graphical_model_picture("lstm")

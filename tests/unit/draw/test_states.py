"""A state diagram has the start, the moves and the emissions of a hidden Markov model."""

import itertools

import numpy as np
import pytest

import seqlab
from seqlab import HMM, draw
from seqlab.errors import OptionError
from seqlab.views.picture import Box, Curve, Disc, Text

# Figure 9.2 of the source text: adjective, noun, verb, determiner.
PI = [0, 0.2, 0.1, 0.7]
A = [[0.1, 0.9, 0, 0], [0, 0.2, 0.7, 0.1], [0.1, 0.3, 0.1, 0.5], [0.3, 0.7, 0, 0]]
B = [[0.2, 0.8, 0, 0], [0.4, 0.2, 0, 0.4], [0.5, 0, 0, 0.5], [0, 0, 1, 0]]
WORDS = ["man", "old", "the", "boat"]
TOY = HMM.from_tables(PI, A, B, states=list("ANVD"), symbols=WORDS)


def states(picture):
    """Each state's name, with the words inside its disc."""
    texts = [shape for shape in picture.shapes if isinstance(shape, Text)]
    found = {}
    for disc in (s for s in picture.shapes if isinstance(s, Disc) and s.radius > 20):
        inside = [t.text for t in texts if abs(complex(t.x - disc.x, t.y - disc.y)) < disc.radius]
        found[inside[0]] = (complex(disc.x, disc.y), inside[1:])
    return found


def texts(picture):
    return [shape.text for shape in picture.shapes if isinstance(shape, Text)]


def laws(picture):
    """Words stay on the paper and do not overlap; arrows stay on the paper."""
    boxes = [(t.text, *t.box()) for t in picture.shapes if isinstance(t, Text)]
    for name, left, top, right, bottom in boxes:
        assert min(left, top, picture.width - right, picture.height - bottom) >= 0, name
    for (one, *a), (other, *b) in itertools.combinations(boxes, 2):
        apart = a[0] >= b[2] - 1 or b[0] >= a[2] - 1 or a[1] >= b[3] - 1 or b[1] >= a[3] - 1
        assert apart, (one, other)
    for curve in (s for s in picture.shapes if isinstance(s, Curve)):
        ends = (curve.points[0], curve.points[-1])
        assert all(0 <= p.real <= picture.width and 0 <= p.imag <= picture.height for p in ends)


def test_the_figure_of_the_textbook_is_drawn_with_every_number():
    picture = draw.state_diagram(TOY)
    laws(picture)
    found = states(picture)
    for i, name in enumerate("ANVD"):
        emitted = sorted(f"{WORDS[j]} {B[i][j]:.2f}" for j in range(4) if B[i][j])
        assert sorted(found[name][1]) == emitted
    inside = [word for _, words in found.values() for word in words]
    rest = sorted(t for t in texts(picture) if t not in inside and t.replace(".", "").isdecimal())
    assert rest == sorted(f"{p:.2f}" for p in [*PI, *np.ravel(A)] if p)


def test_moves_and_starts_lead_where_they_should():
    picture = draw.state_diagram(TOY)
    places = {name: at for name, (at, _) in states(picture).items()}
    dots = [complex(s.x, s.y) for s in picture.shapes if isinstance(s, Disc) and s.radius < 10]
    assert len(dots) == sum(p > 0 for p in PI)

    def nearest(at):
        return min(places, key=lambda name: abs(places[name] - at))

    lines = [s for s in picture.shapes if isinstance(s, Curve) and s.cubic]
    starts = [line for line in lines if any(abs(line.points[0] - dot) < 1 for dot in dots)]
    assert {nearest(line.points[-1]) for line in starts} == {"N", "V", "D"}
    moves = {(nearest(s.points[0]), nearest(s.points[-1])) for s in lines if s not in starts}
    assert moves == {("ANVD"[i], "ANVD"[j]) for i in range(4) for j in range(4) if A[i][j]}


def test_more_probable_words_are_shaded_deeper():
    shades = [s for s in draw.state_diagram(TOY).shapes if isinstance(s, Box) and s.fill == "blue"]
    assert len(shades) == sum(b > 0 for row in B for b in row)
    assert len({round(shade.opacity, 6) for shade in shades}) == len({b for row in B for b in row if b})
    assert max(shade.opacity for shade in shades) <= 0.55 + 1e-9


def test_states_say_how_many_words_they_leave_out():
    picture = draw.state_diagram(TOY, symbols=1)
    assert states(picture)["A"][1] == ["old 0.80", "… 1 more"]
    assert states(picture)["D"][1] == ["the 1.00"]
    laws(picture)


def test_an_end_is_an_arrow_out():
    hmm = HMM.from_tables([1, 0], [[0.5, 0.25], [0.25, 0.5]], np.eye(2), symbols=list("ab"), end=[0.25, 0.25])
    picture = draw.state_diagram(hmm)
    rings = [s for s in picture.shapes if isinstance(s, Disc) and s.radius < 10 and s.fill == "paper"]
    assert len(rings) == 2
    assert "○ end" in "".join(texts(picture))
    laws(picture)


def test_a_counted_tagger_has_a_diagram_whose_rows_sum_to_one():
    train = seqlab.demo_corpus("train")[:100]
    for end in (False, True):
        tagger = HMM(order=1, end=end).fit(train, "pos")
        laws(draw.state_diagram(tagger))
        laws(draw.state_diagram(tagger, most=4, top=5, symbols=3))
    hmm = HMM(order=1, end=True, smoothing="mle").fit([["a", "b"], ["a"]], [["X", "Y"], ["X"]])
    numbers = sorted(t for t in texts(draw.state_diagram(hmm)) if t.replace(".", "").isdecimal())
    assert numbers == ["0.50", "0.50", "1.00", "1.00"]  # X goes to Y or ends; the start is X; Y ends


@pytest.mark.parametrize(
    ("emissions", "words"),
    [
        (seqlab.Gaussian(), "mean "),
        (seqlab.GaussianMixture(components=2), " at "),
        (seqlab.Poisson(), "rate "),
    ],
)
def test_states_of_numbers_say_where_they_are(emissions, words):
    rng = np.random.default_rng(0)
    X = [rng.poisson([1, 4], size=(40, 2)) + 10.0 * (i % 2) for i in range(6)]
    picture = draw.state_diagram(HMM(2, emissions=emissions).fit(X))
    laws(picture)
    assert all(any(words in row for row in rows) for _, rows in states(picture).values())


def test_strange_and_many_names():
    names = ["<b>&amp;", "日本語", "tab\tline\n", "a very long name of a state indeed"]
    hmm = HMM.from_tables(
        [0.25] * 4, np.full((4, 4), 0.25), np.full((4, 4), 0.25), states=names, symbols=names
    )
    laws(draw.state_diagram(hmm))
    one = HMM.from_tables([1.0], [[1.0]], [[0.5, 0.5]], states=["only"], symbols=["0.00", "b"])
    assert states(draw.state_diagram(one))["only"][1] == ["0.00 0.50", "b 0.50"]
    rng = np.random.default_rng(1)
    many = HMM.from_tables(rng.dirichlet([1] * 15), rng.dirichlet([1] * 15, 15), rng.dirichlet([1] * 30, 15))
    picture = draw.state_diagram(many)
    assert "other states, not shown: 6" in texts(picture)
    laws(picture)


def test_what_has_no_states_is_refused():
    with pytest.raises(OptionError, match="looks 2 labels back"):
        draw.state_diagram(HMM(order=2).fit([["a", "b"]], [["X", "Y"]]))
    for given in (seqlab.MarkovChain().fit([["a", "b"]]), np.eye(2), "hmm"):
        with pytest.raises(OptionError, match="of a fitted HMM"):
            draw.state_diagram(given)
    with pytest.raises(OptionError, match="symbols must be a whole number"):
        draw.state_diagram(TOY, symbols=0)

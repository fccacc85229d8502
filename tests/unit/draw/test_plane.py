"""Boundaries lie where the predicted class changes; components of mixtures are drawn at their means."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.mixture import GaussianMixture as SklearnMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC

from seqlab import HMM, Gaussian, GaussianMeans, GaussianMixture, MultinomialMixture, draw
from seqlab.draw.mixtures import _components
from seqlab.draw.plane import Window, _Field, _margin
from seqlab.errors import OptionError, ShapeError

RNG = np.random.default_rng(0)
CENTRES = [(0, 0), (5, 4), (0, 6), (6, -2)]
POINTS = np.concatenate([RNG.normal(centre, 0.6, (25, 2)) for centre in CENTRES])
NAMES = np.repeat(["a", "b", "c", "d"], 25)
SEQUENCES = [POINTS[::2], POINTS[1::2]]


def of(classes):
    return POINTS[: 25 * classes], NAMES[: 25 * classes]


def drawn(picture):
    """The axes, after the SVG was written in every theme and a PNG's layout was made."""
    for theme in ("light", "dark"):
        assert picture.svg(theme=theme).startswith("<svg")
        assert "NaN" not in picture.svg(theme=theme)
    figure = picture.figure()
    figure.draw_without_rendering()
    return figure.axes[0], [text.get_text() for text in figure.legends[0].get_texts()]


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-2, 2))
@settings(max_examples=25, deadline=None)
def test_the_boundary_of_a_linear_classifier_is_its_line(w1, w2, b):
    class Line:
        classes_ = np.array([0, 1])

        def decision_function(self, rows):
            return rows @ [w1, w2] + b

        def predict(self, rows):
            return (self.decision_function(rows) > 0).astype(int)

    field = _Field.of(Line(), Window(np.array([-3.0, -3.0]), np.array([3.0, 3.0])))
    across, up = np.meshgrid(field.x, field.y)
    if len(field.classes) == 2:
        np.testing.assert_allclose(field.lead[1], 2 * (w1 * across + w2 * up + b), atol=1e-9)


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize(
    "kind",
    [LinearSVC(), LogisticRegression(), SVC(), GaussianNB(), KNeighborsClassifier(3), SVC(kernel="linear")],
)
def test_regions_are_what_is_predicted(kind, classes):
    X, y = of(classes)
    kind.fit(X, y)
    window = Window.around(X)
    field = _Field.of(kind, window)
    chosen = np.array(field.classes)[field.lead.argmax(axis=0)].ravel()
    assert (chosen == kind.predict(window.grid()[2])).mean() > 0.999
    axes, legend = drawn(draw.boundary_picture(kind, X, y))
    assert legend[:classes] == list("abcd"[:classes])
    xy = np.concatenate([line.get_xydata() for line in axes.lines if line.get_linestyle() == "None"])
    assert sorted(map(tuple, xy)) == sorted(map(tuple, X))


def test_three_classes_have_dashed_lines_where_each_score_is_zero():
    X, y = of(3)
    _, legend = drawn(draw.boundary_picture(LinearSVC().fit(X, y), X, y))
    assert legend[3:] == ["boundary", "f = 0 of a", "f = 0 of b", "f = 0 of c"]
    _, legend = drawn(draw.boundary_picture(KNeighborsClassifier(3).fit(X, y), X, y))
    assert legend[3:] == ["boundary"]


def test_the_margin_is_the_distance_of_the_nearest_point():
    X = np.array([[0.0, 0.0], [0.0, 2.0]])
    svm = SVC(kernel="linear", C=1e6).fit(X, ["low", "high"])
    assert _margin(svm, X, ["low", "high"]) == pytest.approx(1.0)
    assert _margin(svm, X, ["high", "low"]) == pytest.approx(-1.0)
    assert _margin(GaussianNB().fit(X, ["low", "high"]), X, ["low", "high"]) is None
    X, y = of(2)
    pair = {"SVM": SVC(kernel="linear", C=1e6).fit(X, y), "perceptron": Perceptron().fit(X, y)}
    wide, narrow = (_margin(one, X, list(y)) for one in pair.values())
    assert wide >= narrow
    _, legend = drawn(draw.boundary_picture(pair, X, y))
    assert legend[2:] == [f"SVM, margin {wide:.2f}", f"perceptron, margin {narrow:.2f}"]


def test_any_object_that_predicts_is_drawn_and_one_class_too():
    class Always:
        def predict(self, rows):
            return np.full(len(rows), "b")

    _, legend = drawn(draw.boundary_picture(Always(), *of(2), names=("length", "<b>&")))
    assert legend == ["a", "b", "boundary"]
    drawn(draw.boundary_picture(Always(), [[1.0, 1.0]], ["a"]))


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (lambda: draw.boundary_picture("tree", *of(2)), "has a method predict"),
        (lambda: draw.boundary_picture({}, *of(2)), "no classifier was given"),
        (lambda: draw.boundary_picture(LinearSVC(), *of(2)), "does not classify rows of two numbers"),
        (lambda: draw.boundary_picture(LinearSVC().fit(np.eye(3), [1, 2, 2]), *of(2)), "rows of two numbers"),
        (lambda: draw.boundary_picture(LinearSVC(), POINTS, ["a"]), "100 points need as many classes"),
        (lambda: draw.boundary_picture(LinearSVC(), np.eye(3), list("abc")), r"shape \(n, 2\), got \(3, 3\)"),
        (
            lambda: draw.boundary_picture(LinearSVC(), [[1, np.nan]], ["a"]),
            "row 0 of the points is not finite",
        ),
        (lambda: draw.boundary_picture(LinearSVC(), "points", ["a"]), "points are rows of numbers"),
        (lambda: draw.boundary_picture(LinearSVC(), [], []), r"shape \(n, 2\)"),
        (lambda: draw.boundary_picture(LinearSVC().fit(*of(2)), *of(2), names=["x"]), "1 names were given"),
        (
            lambda: draw.boundary_picture(GaussianNB().fit(POINTS[:14], range(14)), POINTS[:14], range(14)),
            "14 classes are in one picture",
        ),
        (lambda: draw.mixture_picture("mixture"), "a fitted GaussianMeans"),
        (lambda: draw.mixture_picture(MultinomialMixture().fit([["a"], ["b"]])), "a fitted GaussianMeans"),
        (lambda: draw.mixture_picture(GaussianMeans(2).fit(np.eye(4))), "columns="),
        (lambda: draw.mixture_picture(GaussianMeans(2).fit(POINTS), columns=[0, 2]), "between 0 and 1"),
        (lambda: draw.mixture_picture(GaussianMeans(2).fit(POINTS), np.eye(3)), r"\(n, 2\), got \(3, 3\)"),
        (lambda: draw.mixture_picture(MIXTURES["states diag"](), []), r"\(n, 2\), got \(0,\)"),
        (lambda: draw.mixture_picture(MIXTURES["states diag"](), np.eye(3)), r"\(n, 2\), got \(3, 3\)"),
        (lambda: draw.mixture_picture(GaussianMeans(2).fit(POINTS), names=["x"]), "1 names were given"),
    ],
)
def test_wrong_use_is_said(call, wanted):
    with pytest.raises((OptionError, ShapeError), match=wanted):
        call()


MIXTURES = {
    "means": lambda: GaussianMeans(4, variance=0.4).fit(POINTS),
    **{
        f"scikit-learn {kind}": lambda kind=kind: SklearnMixture(3, covariance_type=kind, random_state=0).fit(
            POINTS
        )
        for kind in ("full", "tied", "diag", "spherical")
    },
    **{
        f"states {kind}": lambda kind=kind: HMM(3, emissions=Gaussian(kind)).fit(SEQUENCES)
        for kind in ("full", "tied", "diag", "spherical")
    },
    **{
        f"mixtures {kind}": lambda kind=kind: HMM(2, emissions=GaussianMixture(kind, components=2)).fit(
            SEQUENCES
        )
        for kind in ("full", "tied", "diag", "spherical")
    },
}


@pytest.mark.parametrize("name", MIXTURES)
def test_components_have_the_density_of_the_mixture(name):
    mixture = MIXTURES[name]()
    found = _components(mixture, None if name.startswith("scikit") else SEQUENCES)
    assert found.weights.sum() == pytest.approx(1)
    ours = found.densities(POINTS)
    for k, (weight, mean, covariance) in enumerate(
        zip(found.weights, found.means, found.covariances, strict=True)
    ):
        np.testing.assert_allclose(
            ours[:, k], weight * multivariate_normal(mean, covariance).pdf(POINTS), rtol=1e-8
        )
    if hasattr(mixture, "score_samples"):  # scikit-learn's, and ours without states
        np.testing.assert_allclose(np.log(ours.sum(axis=1)), mixture.score_samples(POINTS), rtol=1e-6)
    else:
        rows = np.log([ours[:, np.array(found.names) == state].sum(axis=1) for state in mixture.labels_]).T
        shares = np.log([sum(found.weights[np.array(found.names) == state]) for state in mixture.labels_])
        node = mixture.trellis(POINTS).node
        np.testing.assert_allclose((rows - shares)[1:], node[1:], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["means", "scikit-learn full", "states diag", "mixtures tied"])
def test_ellipses_lie_round_the_means(name):
    mixture = MIXTURES[name]()
    axes, legend = drawn(draw.mixture_picture(mixture, POINTS))
    found = _components(mixture, POINTS)
    middles = [tuple(np.round(patch.center, 9)) for patch in axes.patches]
    assert middles == [tuple(np.round(mean, 9)) for mean in found.means for _ in (1, 2)]
    assert all(patch.get_linestyle() in (":", "dotted") for patch in axes.patches)
    for patch, covariance in zip(axes.patches[::2], found.covariances, strict=True):
        turn = np.radians(patch.angle)
        along = np.array([np.cos(turn), np.sin(turn)])
        assert (patch.width / 2) ** 2 == pytest.approx(along @ covariance @ along)
    assert len(legend) == len(set(found.names))
    drawn(draw.mixture_picture(mixture))


def test_on_a_line_the_solid_curve_is_the_sum_of_the_dotted_ones():
    line = POINTS[:, :1]
    mixture = GaussianMeans(2, variance=1.0).fit(line)
    axes, _ = drawn(draw.mixture_picture(mixture, line))
    curves = [one for one in axes.lines if len(one.get_xdata())]
    *parts, whole = (one.get_ydata() for one in curves)
    np.testing.assert_allclose(sum(parts), whole)
    assert np.trapezoid(whole, curves[0].get_xdata()) == pytest.approx(1, abs=0.01)
    wide = GaussianMeans(2).fit(np.column_stack([POINTS, POINTS]))
    drawn(draw.mixture_picture(wide, np.column_stack([POINTS, POINTS]), columns=(3, 0), names=("a", "b")))


@pytest.mark.parametrize("what", ["boundary", "mixture"])
def test_without_matplotlib_the_message_says_what_to_install(what, monkeypatch):
    X, y = of(2)
    fitted = LinearSVC().fit(X, y), GaussianMeans(2).fit(X)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(OptionError, match=r"pip install 'seqlab\[plot\]'"):
        draw.boundary_picture(fitted[0], X, y) if what == "boundary" else draw.mixture_picture(fitted[1])


def test_points_far_from_every_component_are_drawn():
    mixture = GaussianMeans(2).fit(POINTS)
    drawn(draw.mixture_picture(mixture, POINTS * 1e6))
    drawn(draw.mixture_picture(mixture, np.repeat(POINTS, 100, axis=0)))


def test_names_that_begin_alike_all_stand_in_the_legend():
    X, y = of(2)
    fitted = LinearSVC().fit(X, y)
    alike = {f"a classifier with a very long name {i}": fitted for i in range(3)}
    _, legend = drawn(draw.boundary_picture(alike, X, y))
    assert len(legend) == 2 + 3

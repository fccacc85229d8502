"""Pictures of mixtures of Gaussians."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab.draw.plane import FINE, Floats, Window, framed, points_of, short_name
from seqlab.errors import OptionError, ShapeError
from seqlab.views.chart import Chart, Inks
from seqlab.views.palette import SERIES
from seqlab.views.picture import Picture

MOST_POINTS = 4_000  # of more points, only every n-th is drawn
MOST_NAMED = 12  # largest number of components with a legend
BINS = 40
LEVELS = 6  # number of contour lines of the density


@dataclass(frozen=True)
class Components:
    """Weighted Gaussians.

    weights       (k,)        their sum is 1
    means         (k, D)
    covariances   (k, D, D)
    names         (k,) components of one state of an HMM share its name
    """

    weights: Floats
    means: Floats
    covariances: Floats
    names: tuple[str, ...]

    def densities(self, points: Floats) -> Floats:
        """Return (n, k) weight times density."""
        found = []
        for weight, mean, covariance in zip(self.weights, self.means, self.covariances, strict=True):
            away = np.linalg.solve(np.linalg.cholesky(covariance), (points - mean).T)
            constant = np.linalg.slogdet(2 * np.pi * covariance)[1]
            found.append(weight * np.exp(-0.5 * ((away**2).sum(axis=0) + constant)))
        return np.array(found).T

    def some(self, columns: Sequence[int]) -> Components:
        """Marginalise the components: keep these dimensions and leave out the others."""
        at = np.asarray(columns)
        return Components(
            self.weights, self.means[:, at], self.covariances[:, at[:, None], at[None]], self.names
        )


def mixture_picture(
    mixture: Any,
    X: Any = None,
    *,
    columns: Sequence[int] | None = None,
    title: str = "Mixture of Gaussians",
    names: Sequence[str] | None = None,
) -> Picture:
    """Draw a mixture of Gaussians, its components dotted, over the points it was learned from.

    mixture   a fitted GaussianMeans, a mixture of scikit-learn, or an HMM with emissions Gaussian or GaussianMixture,
              whose states are weighted by their shares in X, or without X by their stationary probabilities
    X         (n, D) points, or sequences of them; each has the colour of its most probable component
    columns   one or two of the D numbers to draw; not needed for up to two
    title     above the picture
    names     of the numbers, at the axes

    In two dimensions, dotted ellipses are one and two standard deviations of a component, and faint lines are contours
    of the whole density. In one dimension, dotted curves are the components and the solid one is their sum.
    """
    whole = _components(mixture, X)
    width = whole.means.shape[1]
    points = None if X is None else points_of(X, width)
    at = list(range(width)) if columns is None else list(columns)
    if not 1 <= len(at) <= 2:
        raise OptionError(
            f"one or two numbers can be drawn, but there are {len(at)}; choose them with columns=(0, 1)"
        )
    if not all(isinstance(i, int) and 0 <= i < width for i in at):
        raise OptionError(f"columns lie between 0 and {width - 1}, got {columns!r:.60}")
    shown = whole.some(at)
    axis_names = [f"x{'₀₁₂₃₄₅₆₇₈₉'[i + 1] if i < 9 else i + 1}" for i in at] if names is None else list(names)
    if len(axis_names) != len(at):
        raise ShapeError(f"{len(at)} numbers are drawn, but {len(axis_names)} names were given")
    chosen = None if points is None else points[:, at]
    owner = None if points is None else whole.densities(points).argmax(axis=1)
    draw = _plane if len(at) == 2 else _line

    def paint(made: Any, inks: Inks) -> None:
        axes = made.subplots()
        groups = list(dict.fromkeys(whole.names))
        colours = [inks[SERIES[groups.index(name) % len(SERIES)]] for name in whole.names]
        draw(axes, inks, shown, colours, chosen, owner, title, axis_names)
        legend = []
        for name in groups[:MOST_NAMED]:
            share = sum(w for w, one in zip(whole.weights, whole.names, strict=True) if one == name)
            colour = colours[whole.names.index(name)]
            (handle,) = axes.plot([], [], color=colour, linestyle="dotted", linewidth=2)
            legend.append((handle, f"{short_name(name)}: {share:.2f}"))
        made.legend(*zip(*legend, strict=True), loc="outside right upper", title="share")

    return Chart(600, 440, title or "mixture of Gaussians", (), paint)


def _plane(
    axes: Any,
    inks: Inks,
    shown: Components,
    colours: Sequence[str],
    points: Floats | None,
    owner: Any,
    title: str,
    names: Sequence[str],
) -> None:
    """Draw a mixture in two dimensions: points, ellipses of the components, and contours of the density."""
    from matplotlib.patches import Ellipse

    spread = np.sqrt(np.einsum("kdd->kd", shown.covariances))
    edges = [shown.means - 2 * spread, shown.means + 2 * spread]
    window = Window.around(*edges, *([] if points is None else [points]))
    x, y, rows = window.grid()
    density = shown.densities(rows).sum(axis=1).reshape(FINE, FINE)
    levels = np.linspace(0, density.max(), LEVELS + 2)[1:-1]
    if levels[0] > 0:  # 0 if all components are too narrow for the grid
        axes.contour(x, y, density, levels, colors=[inks["faint"]], linewidths=0.7, alpha=0.6)
    for k, (mean, covariance) in enumerate(zip(shown.means, shown.covariances, strict=True)):
        if points is not None:
            own = points[owner == k][:: 1 + len(points) // MOST_POINTS]
            axes.plot(*own.T, ".", color=colours[k], markersize=5.5, alpha=0.65, markeredgewidth=0)
        lengths, ways = np.linalg.eigh(covariance)
        turn = float(np.degrees(np.arctan2(ways[1, 1], ways[0, 1])))
        for deviations in (1, 2):
            across, along = 2 * deviations * np.sqrt(np.maximum(lengths, 0))
            looks = {"fill": False, "edgecolor": colours[k], "linestyle": "dotted", "linewidth": 1.8}
            axes.add_patch(Ellipse(tuple(mean), along, across, angle=turn, **looks))
        axes.plot(*mean, "+", color=inks["ink"], markersize=9, markeredgewidth=1.6)
    framed(axes, window, title, names)


def _line(
    axes: Any,
    inks: Inks,
    shown: Components,
    colours: Sequence[str],
    points: Floats | None,
    owner: Any,  # noqa: ARG001  (here points are a histogram, without colours)
    title: str,
    names: Sequence[str],
) -> None:
    """Draw a mixture in one dimension: the densities of the components, their sum, and a histogram of the points."""
    spread = np.sqrt(shown.covariances[:, 0])
    edges = [shown.means - 3 * spread, shown.means + 3 * spread]
    across = Window.around(*edges, *([] if points is None else [points]))
    x = np.linspace(across.low[0], across.high[0], 4 * FINE)
    curves = shown.densities(x[:, None])
    if points is not None:
        axes.hist(points[:, 0], BINS, density=True, color=inks["shade"], alpha=0.6)
    for k, colour in enumerate(colours):
        axes.plot(x, curves[:, k], color=colour, linestyle="dotted", linewidth=1.8)
    axes.plot(x, curves.sum(axis=1), color=inks["ink"])
    top = max(float(curves.sum(axis=1).max()), axes.dataLim.intervaly[1])
    window = Window(np.array([across.low[0], 0.0]), np.array([across.high[0], 1.05 * top]))
    framed(axes, window, title, [names[0], "density"], equal=False)


def _components(mixture: Any, X: Any) -> Components:
    """Return the Gaussians of a fitted mixture or HMM."""
    model = getattr(mixture, "model_", None)
    table = getattr(model, "emissions", None)
    if hasattr(table, "means"):
        return _of_states(model, table, _shares(mixture, model, X))
    means, weights = (getattr(mixture, name, None) for name in ("means_", "weights_"))
    if means is None or weights is None:
        raise OptionError(
            f"a fitted GaussianMeans, an HMM of Gaussians or a mixture of scikit-learn is wanted, got {mixture!r:.60}"
        )
    means = np.asarray(means, dtype=np.float64)
    if means.ndim != 2 or len(means) != len(weights):
        raise ShapeError(
            f"means_ have shape (k, D) and weights_ (k,), got {means.shape} and {np.shape(weights)}"
        )
    if hasattr(mixture, "covariances_"):
        kind, covariances = getattr(mixture, "covariance_type", "full"), np.asarray(mixture.covariances_)
    else:
        kind, covariances = "spherical", np.full(len(means), float(mixture.variance))
    names = tuple(str(k) for k in range(len(means)))
    return Components(
        np.asarray(weights, dtype=np.float64), means, _full(covariances, kind, *means.shape), names
    )


def _shares(hmm: Any, model: Any, X: Any) -> Floats:
    """Return the share of each state in X, or without X the stationary distribution: (L,)."""
    if X is None:
        return np.asarray(model.stationary())
    points = points_of(X, model.emissions.means.shape[-1])
    sequences = [points] if hasattr(X, "shape") or np.ndim(X[0]) < 2 else list(X)
    return np.asarray(np.concatenate(hmm.predict_proba(sequences)).mean(axis=0))


def _of_states(model: Any, table: Any, shares: Floats) -> Components:
    """Return the Gaussians of an HMM, weighted by the shares of its states."""
    size, width = table.means.shape[0], table.means.shape[-1]
    inner = np.asarray(getattr(table, "weights", np.ones((size, 1))))
    count, kind = inner.shape[1], table.options.covariance
    covariances = table.covariances
    if table.means.ndim == 3 and kind == "tied":  # one matrix for all components of a state
        covariances, kind = np.repeat(covariances, count, axis=0), "full"
    elif table.means.ndim == 3:
        covariances = covariances.reshape(size * count, *covariances.shape[2:])
    weights = (shares[:, None] * inner).ravel()
    names = tuple(str(label) for label in model.labels for _ in range(count))
    means = table.means.reshape(size * count, width)
    return Components(weights, means, _full(covariances, kind, size * count, width), names)


def _full(covariances: Any, kind: str, size: int, width: int) -> Floats:
    """Convert covariances of any kind to (k, D, D)."""
    if kind == "full":
        return np.asarray(covariances, dtype=np.float64)
    if kind == "tied":
        return np.array(np.broadcast_to(covariances, (size, width, width)))
    variances = np.broadcast_to(covariances[:, None], (size, width)) if kind == "spherical" else covariances
    return np.asarray(variances[:, :, None] * np.eye(width))

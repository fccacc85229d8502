"""help() of every public class and function explains each argument, and what it is called elsewhere."""

import inspect
import pydoc
import re

import pytest

import seqlab
from architecture.public import members, names

PUBLIC = dict(names())
CLASSES = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing)}


def unexplained(thing, *, bound=False):
    """Arguments of a signature that the docstring does not name."""
    told = inspect.getdoc(thing) or ""
    given = list(inspect.signature(thing).parameters)[bound:]
    public = [name for name in given if not name.startswith("_")]
    return [name for name in public if not re.search(rf"(?<![\w.]){name}(?!\w)", told)]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_argument_is_explained(name):
    thing, found = PUBLIC[name], {}
    if inspect.isfunction(thing):
        found[name] = unexplained(thing)
    elif inspect.isclass(thing):
        if made_by_hand(thing):
            found[name] = unexplained(thing)
        for member, kept, function in members(thing):
            if callable(getattr(thing, member)):
                found[f"{name}.{member}"] = unexplained(function, bound=not isinstance(kept, staticmethod))
    assert {name: missing for name, missing in found.items() if missing} == {}


def made_by_hand(kind):
    """Tell whether users may call the class: no exception, no protocol, no enumeration."""
    special = issubclass(kind, BaseException) or getattr(kind, "_is_protocol", False)
    return not special and not hasattr(kind, "_member_map_") and kind.__init__ is not object.__init__


def test_an_argument_that_is_not_explained_is_noticed():
    def told(a, b):
        """Add a to something."""

    assert unexplained(told) == ["b"]
    assert unexplained(told, bound=True) == ["b"]


@pytest.mark.parametrize(
    ("name", "elsewhere"),
    [
        (
            "LBFGS",
            ["c1", "c2", "C of CRF++", "σ", "rho1", "rho2", "max_iterations of CRFsuite", "num_memories"],
        ),
        ("CRF", ["c1", "c2", "feature.minfreq", "all_possible_transitions", "random_state", "n_jobs"]),
        ("HMM", ["n_components", "n_iter", "tol", "random_state"]),
        ("BaumWelch", ["n_iter", "tol", "n_init"]),
        ("Gaussian", ["covariance_type", "min_covar"]),
        ("GaussianMixture", ["n_mix"]),
        ("SGD", ["c2", "eta0"]),
        ("StructuredSVM", ["C of an SVM", "lambda"]),
        ("AROW", ["gamma", "variance"]),
    ],
)
def test_help_names_what_options_are_called_elsewhere(name, elsewhere):
    shown = pydoc.plain(pydoc.render_doc(getattr(seqlab, name)))
    assert [word for word in elsewhere if word not in shown] == []


@pytest.mark.parametrize("name", ["CRF", "LBFGS", "HMM"])
def test_help_shows_every_default(name):
    shown = pydoc.plain(pydoc.render_doc(getattr(seqlab, name)))
    for option in inspect.signature(getattr(seqlab, name)).parameters.values():
        assert f"{option.name}: " in shown
        assert f"= {option.default!r}" in shown

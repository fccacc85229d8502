"""Label bias: an MEMM falls for it, a CRF does not (eq:memm-trellis, eq:crf-likelihood)."""

import runpy
from pathlib import Path

import pytest
from pytest import approx

from seqlab import CRF, LBFGS, MEMM

EXAMPLE = runpy.run_path(str(Path(__file__).resolve().parents[2] / "examples" / "label_bias.py"))
trained, readings, paths = EXAMPLE["trained"], EXAMPLE["readings"], EXAMPLE["PATHS"]


def test_memm_falls_for_it():  # eq:memm-trellis
    memm = trained(MEMM)
    assert memm.tag(list("rob")) == list("453")
    assert memm.tag(list("rib")) == list("453")  # wrong
    # It has learned how common the words are, and nothing else: both get the same probabilities.
    assert readings(memm, "rib") == approx_readings(readings(memm, "rob"))
    assert readings(memm, "rib")[0][1] == approx(0.6, abs=0.01)


def test_crf_does_not():  # eq:crf-likelihood
    crf = trained(CRF)
    for word, right in paths.items():
        (best, chance), _ = readings(crf, word)
        assert best == right
        assert chance > 0.85


@pytest.mark.parametrize("l2", [1e-3, 1.0, 10.0])
def test_no_penalty_helps_the_memm(l2):  # eq:memm-likelihood
    X, y = EXAMPLE["training"]()
    rules = trained(MEMM).constraints
    memm = MEMM("word[0]", LBFGS(l2=l2), constraints=rules).fit(X, y)
    crf = CRF("word[0]", LBFGS(l2=l2), constraints=rules).fit(X, y)
    assert memm.tag(list("rib")) == list("453")
    assert crf.tag(list("rib")) == list("123")


def test_the_deciding_letter_changes_the_first_label_of_the_crf_alone():  # eq:memm-trellis
    memm, crf = trained(MEMM), trained(CRF)
    for read in ("ri", "rib", "ro", "rob"):
        assert memm.posterior(list(read)).label(0, "4") == approx(memm.posterior(["r"]).label(0, "4"))
    assert crf.posterior(["r"]).label(0, "4") > 0.5
    assert crf.posterior(list("rib")).label(0, "4") < 0.2


def test_the_bias_is_weaker_where_labels_have_many_successors():
    memm = trained(MEMM, machine=False)
    assert all(memm.tag(list(word)) == list(right) for word, right in paths.items())


def approx_readings(found):
    return [(path, approx(chance)) for path, chance in found]

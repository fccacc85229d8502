"""The worked example of the course notes: "the old man the boat"."""

from __future__ import annotations

import math

import pytest
from pytest import approx

from oracle import textbook
from seqlab import inference

pytestmark = pytest.mark.usefixtures("kernel")


def test_textbook_sentence_has_its_likelihood() -> None:  # eq:log-partition
    log_z = inference.log_partition(textbook.garden_path().trellis())
    assert math.exp(log_z) == approx(textbook.LIKELIHOOD, rel=1e-12)


def test_textbook_sentence_has_exactly_three_paths() -> None:  # eq:nbest
    paths = inference.nbest(textbook.garden_path().trellis(), 10)
    assert ["".join(path.labels) for path in paths] == list(textbook.PATHS)
    assert [math.exp(path.score) for path in paths] == approx(list(textbook.PATHS.values()), rel=1e-12)


@pytest.mark.parametrize("length", [3, 4, 5])
def test_textbook_best_prefix_changes_its_mind(length: int) -> None:  # eq:viterbi
    path = inference.viterbi(textbook.garden_path(textbook.WORDS[:length]).trellis())
    labels, probability = {**textbook.BEST_PREFIX, 5: ("DNVDN", 0.004802)}[length]
    assert "".join(path.labels) == labels
    assert math.exp(path.score) == approx(probability, rel=1e-12)


def test_textbook_stream_revises_its_best_path() -> None:  # eq:fixed-lag
    tables = textbook.garden_path()
    early = inference.Filter(tables.edge, start=tables.start, labels=tables.labels, lag=0)
    decided = [label for row in tables.node for _, label in early.push(row).decided]
    assert "".join(decided) == "DANDN"
    late = inference.Filter(tables.edge, start=tables.start, labels=tables.labels, lag=2)
    decided = [label for row in tables.node for _, label in late.push(row).decided]
    decided += [label for _, label in late.finish()]
    assert "".join(decided) == "DNVDN"


def test_textbook_posterior_is_the_share_of_the_three_paths() -> None:  # eq:node-marginal eq:span
    posterior = inference.posterior(textbook.garden_path().trellis())
    verb = textbook.PATHS["DNVDN"] / textbook.LIKELIHOOD
    assert posterior.label(2, "V") == approx(verb, rel=1e-12)
    assert posterior.span(1, 3, ["N", "V"]) == approx(verb, rel=1e-12)
    assert posterior.move(1, "D", "A") == approx(textbook.PATHS["DANDN"] / textbook.LIKELIHOOD, rel=1e-12)

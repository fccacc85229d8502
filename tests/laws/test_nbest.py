"""The n best paths: sorted, distinct, complete, the first is Viterbi's, and more can be had later."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle.closeness import assert_rank, score_tolerance
from oracle.paths import Enumeration
from oracle.strategies import MOST_PATHS, trellises
from oracle.tables import Tables
from seqlab import inference

pytestmark = pytest.mark.usefixtures("kernel")


def ids_of(paths: object) -> list[tuple[int, ...]]:
    return [tuple(path.ids.tolist()) for path in paths]  # type: ignore[attr-defined]


@given(trellises(), st.integers(1, 30))
def test_nbest_is_the_head_of_the_sorted_list_of_all_paths(tables: Tables, n: int) -> None:  # eq:nbest
    truth = Enumeration(tables)
    best = inference.nbest(tables.trellis(), n)
    assert len(best) == min(n, len(truth.paths))
    for rank, path in enumerate(best):
        assert_rank(tables, truth, path, rank)


@given(trellises(integers=True, scales=(0, 1)), st.integers(1, 40))
def test_nbest_orders_ties_by_the_lowest_last_label(tables: Tables, n: int) -> None:  # eq:nbest
    assert ids_of(inference.nbest(tables.trellis(), n)) == [
        path for path, _ in Enumeration(tables).ranked[:n]
    ]


@given(trellises(), st.integers(1, 30))
def test_nbest_is_sorted_and_distinct(tables: Tables, n: int) -> None:  # eq:nbest
    best = inference.nbest(tables.trellis(), n)
    scores = [path.score for path in best]
    assert scores == sorted(scores, reverse=True)
    assert len(set(ids_of(best))) == len(best)


@given(trellises())
def test_nbest_gives_every_legal_path_when_asked_for_enough(tables: Tables) -> None:  # eq:nbest
    truth = Enumeration(tables)
    best = inference.nbest(tables.trellis(), MOST_PATHS + 1)
    assert set(ids_of(best)) == {path for path, _ in truth.paths}
    assert len(best) == len(truth.paths)
    assert best.exhausted
    assert best.more(3) == []


@given(trellises())
def test_nbest_begins_with_the_viterbi_path(tables: Tables) -> None:  # eq:nbest
    trellis = tables.trellis()
    (first,) = inference.nbest(trellis, 1)
    best = inference.viterbi(trellis)
    assert first.ids.tolist() == best.ids.tolist()
    assert first.score == approx(best.score, abs=score_tolerance(tables))
    assert first.labels == best.labels


@given(trellises(), st.integers(1, 12), st.integers(1, 12), st.integers(1, 300))
def test_nbest_more_continues_exactly_where_it_stopped(
    tables: Tables, n: int, m: int, rest: int
) -> None:  # eq:nbest
    trellis = tables.trellis()
    once = inference.nbest(trellis, n + m + rest)
    steps = inference.nbest(trellis, n)
    before = ids_of(steps)
    added = ids_of(steps.more(m)) + ids_of(steps.more(rest))
    assert before + added == ids_of(once)
    assert ids_of(steps) == ids_of(once)
    assert [path.score for path in steps] == [path.score for path in once]

"""Hidden Markov models of order 2 and 3: answers, and expected counts, against enumeration."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle.hmm_orders import all_paths, enumerated, random_tables
from seqlab import HMM, BaumWelch, HardEM
from seqlab.families.hmm.em import Evidence, expect
from seqlab.families.hmm.emissions.symbols import listed

ORDERS = pytest.mark.parametrize("order", [2, 3])


@st.composite
def problems(draw, **options):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    order, L, V = draw(st.sampled_from([2, 3])), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    end, zeros = draw(st.booleans()), draw(st.sampled_from([0.0, 0.3]))
    tables = random_tables(rng, L, V, order, end=end, zeros=zeros)
    lengths = draw(st.lists(st.integers(0, 5), min_size=1, max_size=4))
    sequences = [[None if rng.random() < 0.1 else int(v) for v in rng.integers(V, size=n)] for n in lengths]
    return tables, sequences


def written(tables, **options):
    return HMM.from_tables(**tables, **options)


# ---------------------------------------------------------------- answers


@given(problems())
def test_answers_are_sums_over_paths(problem):  # eq:order-k-hmm
    tables, sequences = problem
    hmm = written(tables)
    for x in sequences:
        found = dict(all_paths(tables, x))
        z = math.fsum(found.values())
        assert hmm.log_likelihood(x) == approx(math.log(z) if z else -math.inf, abs=1e-9)
        for path, p in list(found.items())[:10]:
            labels = [hmm.labels_[y] for y in path]
            assert hmm.log_joint(x, labels) == approx(math.log(p) if p else -math.inf, abs=1e-9)
        if not z or not x:
            continue
        node = hmm.posterior(x).node
        for t, y in itertools.product(range(len(x)), range(len(tables["pi"]))):
            share = math.fsum(p for path, p in found.items() if path[t] == y) / z
            assert node[t, y] == approx(share, abs=1e-9)
        best = sorted(found.values(), reverse=True)[:3]
        assert [math.exp(path.score) for path in hmm.nbest(x, 3)] == approx([p for p in best if p], rel=1e-9)
        assert math.exp(hmm.log_joint(x, hmm.tag(x))) == approx(best[0], rel=1e-9)


@ORDERS
def test_probabilities_of_all_sequences_sum_to_one(order):  # eq:order-k-hmm
    rng = np.random.default_rng(order)
    hmm = written(random_tables(rng, 3, 2, order))
    for T in range(1, 5):
        total = sum(math.exp(hmm.log_likelihood(list(x))) for x in itertools.product(range(2), repeat=T))
        assert total == approx(1.0)
    ending = written(random_tables(rng, 2, 1, order, end=True))
    total = sum(math.exp(ending.log_likelihood([0] * T)) for T in range(1, 200))
    assert total == approx(1.0)


@ORDERS
def test_streams_filter_as_the_whole_sequence_does(order):
    hmm = written(random_tables(np.random.default_rng(1), 3, 3, order))
    x = [0, 2, 1, 1, 0, 2]
    whole, stream = hmm.filter(x), hmm.stream(lag=2)
    steps = [stream.push(v) for v in x]
    for t, step in enumerate(steps):
        assert step.node == approx(whole.node[t])
        assert step.log_z == approx(hmm.log_likelihood(x[: t + 1]))
    assert len([one for step in steps for one in step.decided]) + len(stream.finish()) == len(x)


@ORDERS
def test_samples_follow_the_tables(order):
    tables = random_tables(np.random.default_rng(2), 2, 2, order)
    drawn = written(tables).sample(n=1500, length=order + 2, seed=4)
    paths = np.array([[int(name[1:]) for name in path] for path in drawn.states])
    moves = [*tables["head"], tables["A"]]
    for t in range(1, order + 2):
        for history in itertools.product(range(2), repeat=min(t, order)):
            chosen = paths[(paths[:, t - len(history) : t] == history).all(axis=1), t]
            if len(chosen) > 300:
                assert (chosen == 1).mean() == approx(moves[len(history) - 1][(*history, 1)], abs=0.1)
    emitted = np.array(drawn.observations)
    assert (emitted[paths == 0] == 0).mean() == approx(tables["B"][0, 0], abs=0.05)
    again = written(tables).generate(1500, order + 2, seed=4)
    assert again.states == drawn.states


@ORDERS
def test_samples_end_by_themselves(order):
    tables = random_tables(np.random.default_rng(3), 2, 2, order, end=True)
    tables["end"], going = np.array([0.5, 0.5]), 0.5 / (1 - tables["end"])[:, None]
    tables["A"], tables["head"] = tables["A"] * going, [one * going for one in tables["head"]]
    lengths = [len(path) for path in written(tables).sample(n=2000, seed=1).states]
    assert np.mean(lengths) == approx(2.0, abs=0.15)


@ORDERS
def test_long_run_shares_are_those_of_a_long_sample(order):
    hmm = written(random_tables(np.random.default_rng(5), 3, 2, order))
    shares = hmm.stationary()
    (path,) = hmm.sample(n=1, length=20_000, seed=0).states
    assert shares.sum() == approx(1.0)
    assert [path.count(name) / len(path) for name in hmm.labels_] == approx(shares.tolist(), abs=0.02)
    wide = written(random_tables(np.random.default_rng(6), 25 if order == 2 else 9, 2, order))
    flow = wide.stationary()
    assert flow.sum() == approx(1.0)
    assert (flow > 0).all()


# ---------------------------------------------------------------- the E step


def evidence(sequences, weights=None, allowed=None):
    ids = np.array([-1 if v is None else v for x in sequences for v in x], dtype=np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(x) for x in sequences])]).astype(np.int64)
    return Evidence(listed(ids), offsets, weights, allowed)


@given(problems(), st.integers(1, 3), st.booleans(), st.integers(0, 99))
def test_the_e_step_is_the_sum_over_paths(problem, threads, masked, seed):  # eq:order-k-hmm
    tables, sequences = problem
    rng = np.random.default_rng(seed)
    tokens, L = sum(map(len, sequences)), len(tables["pi"])
    allowed = rng.random((tokens, L)) < (0.6 if masked else 2.0)
    weights = rng.uniform(0.5, 2.0, len(sequences))
    model = written(tables).model_
    given_evidence = evidence(sequences, weights, allowed if masked else None)
    starts, moves, ends, emitted, logs = enumerated(tables, sequences, weights, allowed)
    found = expect(model, given_evidence, threads)
    assert found.start == approx(starts, abs=1e-10)
    for one, other in zip((*found.head, found.edge), moves, strict=True):
        assert one == approx(other, abs=1e-10)
    assert found.end == approx(ends, abs=1e-10)
    assert approx(emitted, abs=1e-10) == found.emissions["counts"].T
    assert found.log_z == approx(np.array(logs), abs=1e-9)
    arrived = starts + sum(one.reshape(-1, L).sum(axis=0) for one in moves)
    assert found.occupied == approx(arrived, abs=1e-9)


@given(problems(), st.booleans())
def test_counts_of_hard_em_are_those_of_best_paths(problem, masked):  # eq:hard-em
    tables, sequences = problem
    tokens, L = sum(map(len, sequences)), len(tables["pi"])
    allowed = np.ones((tokens, L), dtype=bool)
    if masked:
        allowed[:, 0] = False
        allowed[:, -1] = True
    hmm = written(tables)
    found = HardEM().expect(hmm.model_, evidence(sequences, None, allowed if masked else None), 1)
    at, total = 0, 0.0
    for x, log_z in zip(sequences, found.log_z, strict=True):
        if not x:  # EM learns nothing from it
            assert log_z == 0.0
            continue
        best = max((p for _, p in all_paths(tables, x, allowed[at : at + len(x)])), default=0.0)
        at += len(x)
        assert log_z == approx(math.log(best) if best else -math.inf, abs=1e-9)
        total += 0.0 if not best else len(x)
    assert found.occupied.sum() == approx(total)
    assert found.start.sum() == found.end.sum()


def test_sequences_of_any_shape_have_the_same_bits_on_any_number_of_threads():
    rng = np.random.default_rng(0)
    X = [[str(v) for v in rng.integers(8, size=rng.integers(1, 60))] for _ in range(300)]
    y = [[str(v) if rng.random() < 0.5 else None for v in rng.integers(6, size=len(x))] for x in X[:100]] + [
        None
    ] * 200
    fits = [
        HMM(6, order=2, end=True, learner=BaumWelch(max_iterations=2), threads=n, seed=1).fit(
            X, y, sample_weight=w
        )
        for n in (1, 2, 3)
        for w in [np.linspace(0.5, 2, 300)]
    ]
    for one in fits[1:]:
        assert one.history_.objective == fits[0].history_.objective
        for a, b in zip(one.model_.moves, fits[0].model_.moves, strict=True):
            assert a.tobytes() == b.tobytes()

from itertools import count

import pytest

from benchmarks.speed import timing


def test_spread_is_the_middle_half_over_the_median():
    assert timing.relative_spread([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(2 / 3)


@pytest.mark.parametrize("samples", [[4.0], [4.0, 4.0, 4.0], [0.0, 0.0]])
def test_spread_of_equal_samples_is_zero(samples):
    assert timing.relative_spread(samples) == 0.0


def test_plan_gives_each_side_about_the_same_time():
    rounds, calls = timing.plan({"slow": 0.1, "fast": 0.001}, seconds=1.0)
    assert rounds == 10
    assert calls == {"slow": 1, "fast": 100}


def test_plan_never_goes_below_three_rounds_of_one_call():
    assert timing.plan({"slow": 60.0}, seconds=1.0) == (3, {"slow": 1})


def test_plan_survives_calls_too_short_to_measure():
    rounds, calls = timing.plan({"nothing": 0.0}, seconds=1.0)
    assert rounds == timing.MAX_ROUNDS
    assert calls["nothing"] == timing.MAX_CALLS


def test_measure_takes_the_sides_in_turn_and_drops_the_first_call():
    seen = []
    ticks = count()
    sides = {"a": lambda: seen.append("a"), "b": lambda: seen.append("b")}
    timings = timing.measure(sides, seconds=3.0, clock=lambda: float(next(ticks)))
    assert "".join(seen) == "ab" + 3 * "ab"
    assert timings["a"].samples == (1.0, 1.0, 1.0)
    assert timings["a"].repetitions == 3
    assert timings["b"].median == 1.0


def test_busy_ticks_counts_work_and_not_idling():
    text = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 2 4 800 900 8 16 32 0 0\ncpu1 0 0 5 1 1 0 0 0 0 0\nintr 5\n"
    assert timing.busy_ticks(text) == {0: 1 + 2 + 4 + 8 + 16 + 32, 1: 5}

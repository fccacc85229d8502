"""The pure parts of the cases: what they parse, count and draw; nothing here is timed."""

import numpy as np
import pytest

from benchmarks.speed import __main__ as command
from benchmarks.speed import (
    cases,
    data,
    history,
    hmm,
    hmm_sides,
    loading,
    machine,
    memory,
    reading,
    sentences,
    startup,
)
from benchmarks.speed.figure import Figure, Peer
from benchmarks.speed.inputs import hash_of, random_scores
from benchmarks.speed.peak import Peak
from benchmarks.speed.record import Run
from benchmarks.speed.table import WIDTH


def sentence_figure(task, dtype, labels):
    details = {"task": task, "dtype": dtype, "labels": labels, "share_of_peak": None, "peak_gflops": None}
    aim = sentences.AIMS[labels] if dtype == "float32" else None
    return Figure(
        "sentences", f"{task} {dtype} {labels}", "ns/token", 100.0, 0.0, 3, "abc", aim, details=details
    )


def every_figure():
    yield from (
        sentence_figure(task, dtype, labels)
        for task in ("forward-backward", "viterbi")
        for dtype in sentences.DTYPES
        for labels in sentences.AIMS
    )
    for job in hmm.JOBS:
        details = {
            "job": job.name,
            "task": "forward-backward, scaling",
            "relative_differences": {"xi": 1e-13},
        }
        peer = Peer("hmmlearn", 12345.0, 0.1, 3)
        yield Figure("hmm", "x" + job.name, "ms", 1.0, 0.1, 3, "abc", None, 15.0, peer, details)
    measured = {"input_hash": "abc", "positions": 10_000_000}
    measured |= {"inputs": 320.0, "extra": 300.0, "seconds": 1.0}
    yield memory._figure("viterbi", "float32", measured)
    peer = Peer("a loop with split()", 12345.0, 0.1, 3)
    details = {"kind": "time", "tokens": 1}
    yield Figure(
        "reading",
        "CoNLL columns, read, to_lists",
        "ns/token",
        4115.0,
        0.1,
        3,
        "abc",
        None,
        10.0,
        peer,
        details,
    )
    streamed = {"kind": "memory", "megabytes": 2147.5, "tokens": 2, "seconds": 1.0}
    yield Figure("reading", "stream", "MB", 301.0, 0.0, 1, "abc", 300.0, details=streamed)
    yield loading.figure("load", 2, lambda: "path", str, 200.0, 10.0)
    yield startup.added("import seqlab", [101.0, 102.0, 103.0], [90.0, 91.0, 92.0])


def test_every_table_fits_80_columns_and_marks_what_was_missed():
    text = "\n".join(table.text() for table in cases.tables(list(every_figure())))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "100 *" in text  # over 51 ns
    assert "300 *" in text  # over 200 MB
    assert "12345.0x *" not in text


def test_tables_of_nothing_are_none():
    assert cases.tables([]) == []


def test_startup_is_the_median_of_differences_in_turn():
    assert startup.added("import seqlab", [101.0, 112.0, 150.0], [90.0, 100.0, 92.0]).median == 12.0


def test_share_of_peak_is_flops_over_time_over_peak():
    peak = Peak(float32=100.0, float64=None)
    assert peak.share("float32", flops=50e9, seconds=1.0) == pytest.approx(0.5)
    assert peak.share("float64", flops=50e9, seconds=1.0) is None


def test_high_water_mark_is_read_in_millions_of_bytes():
    assert memory.high_water_megabytes("Name:\tx\nVmHWM:\t    1000 kB\n") == pytest.approx(1.024)
    with pytest.raises(ValueError, match="VmHWM"):
        memory.high_water_megabytes("Name:\tx\n")


def test_cpu_model_has_family_and_model():
    first = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n\n"
    assert machine.cpu_model(first + "processor\t: 1\nmodel\t\t: 9\n") == "AMD EPYC (family 25, model 17)"
    assert machine.cpu_model("") == ""


def test_reading_is_skipped_politely_without_corpora(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("SEQLAB_DATA", str(tmp_path))
    assert reading.run(quick=True) == []
    assert capsys.readouterr().out == f"{data.absent('reading')}\n"


def test_repeated_bytes_come_over_and_over():
    stream = reading.Repeated(b"abc", 8)
    assert [stream.read(2) for _ in range(5)] == [b"ab", b"c", b"ab", b"c", b""]


def test_hash_depends_on_values_shape_and_dtype():
    array = np.arange(6.0)
    others = [array + 1, array.reshape(2, 3), array.view(np.int64)]
    assert hash_of(array) == hash_of(array.copy())
    assert len({hash_of(array), *map(hash_of, others)}) == 4


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_random_scores_repeat_and_keep_their_dtype(dtype):
    scores = random_scores((3, 2), dtype, seed=5)
    assert scores.dtype == dtype
    assert (scores == random_scores((3, 2), dtype, seed=5)).all()


def test_hmm_tables_are_probabilities():
    tables = hmm_sides.make_tables(hmm_sides.Job("small", states=3, symbols=5, length=4, sequences=2))
    assert tables.pi.sum() == pytest.approx(1.0)
    assert tables.A.sum(axis=1) == pytest.approx(np.ones(3))
    assert [frame.shape for frame in tables.frames] == [(4, 3), (4, 3)]


def test_relative_difference_is_the_largest():
    assert hmm_sides.relative_difference([1.0, 2.0], [1.0, 4.0]) == pytest.approx(0.5)


def test_sparkline_runs_from_lowest_to_highest():
    assert history.sparkline([1.0, 8.0, 1.0]) == "▁█▁"
    assert history.sparkline([3.0, 3.0]) == "▁▁"


def test_history_keeps_machines_and_inputs_apart():
    def made(cpu, input_hash, median):
        run = Run("2026", "abc", "make bench", "avx2", {"cpu": cpu}, {})
        return run, Figure("hmm", "Viterbi", "ms", median, 0.0, 3, input_hash)

    lines = history.series([made("a", "new", 2.0), made("b", "new", 9.0), made("a", "new", 1.0)], "a")
    assert [[figure.median for figure in figures] for figures in lines.values()] == [[2.0, 1.0]]
    assert "-50 %" in history.table(lines).text()


@pytest.mark.parametrize(
    "words", [["--readme", "--part", "tagging"], ["--readme", "--only", "hmm"], ["--only", "nothing"]]
)
def test_wrong_use_ends_with_code_2(words):
    with pytest.raises(SystemExit) as stopped:
        command.parse(words)
    assert stopped.value.code == 2

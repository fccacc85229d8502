import json
from dataclasses import replace

import pytest

from benchmarks.speed import record
from benchmarks.speed.figure import Figure

RUN = record.Run(
    date="2026-01-02T03:04:05+00:00",
    commit="abc1234",
    command="make bench",
    kernel="avx2",
    machine={"cpu": "some processor", "cores": 2},
    versions={"python": "3.11.7"},
)
EARLIER = replace(RUN, date="2025-02-02T03:04:05+00:00")
LATER = replace(RUN, date="2026-02-02T03:04:05+00:00")


def figure(case, name="f", median=1.0):
    return Figure(case, name, "ms", median, 0.0, 3, "abc")


def test_json_line_is_one_line_with_run_and_figure():
    line = record.json_line(RUN, figure("hmm", "Viterbi, L² x"))
    assert line.endswith("\n")
    assert line.count("\n") == 1
    fields = json.loads(line)
    assert fields["commit"] == "abc1234"
    assert fields["name"] == "Viterbi, L² x"
    assert {"date", "machine", "versions", "kernel", "input_hash", "repetitions", "median"} <= set(fields)
    assert {"spread", "ratio", "met"} <= set(fields)


def test_append_keeps_what_was_there(tmp_path):
    path = tmp_path / "results" / "speed.jsonl"
    record.append(RUN, [figure("hmm")], path)
    record.append(LATER, [figure("memory"), figure("startup")], path)
    assert record.read(path) == [
        (RUN, figure("hmm")),
        (LATER, figure("memory")),
        (LATER, figure("startup")),
    ]


def test_read_of_a_missing_file_is_empty(tmp_path):
    assert record.read(tmp_path / "none.jsonl") == []


def test_newest_takes_later_figures_into_the_last_whole_run():
    old, whole = [(EARLIER, figure("hmm"))], [(RUN, figure("hmm")), (RUN, figure("memory"))]
    whole += [(RUN, figure("hmm", name="g"))]
    later = [(LATER, figure("hmm", median=2.0)), (LATER, figure("startup"))]
    newest = record.Newest.of([*old, *whole, *later])
    assert newest.run == RUN
    assert newest.figures == [
        figure("hmm", median=2.0),
        figure("memory"),
        figure("hmm", name="g"),
        figure("startup"),
    ]
    assert newest.runs(newest.figures) == [LATER, RUN]
    assert newest.remark("hmm") == "From a later run, on 2026-02-02 at commit abc1234: 'f'."
    assert newest.remark("memory") == ""
    assert newest.remark("startup") == "All from a later run, on 2026-02-02 at commit abc1234."


def test_newest_of_nothing_says_what_to_do():
    with pytest.raises(LookupError, match="measure first"):
        record.Newest.of([])


def test_provenance_names_command_date_commit_machine_and_versions():
    assert RUN.provenance() == (
        "Made by `make bench` on 2026-01-02 at commit abc1234: some processor, 2 cores, kernel avx2; python 3.11.7."
    )
    busy = replace(RUN, machine={**RUN.machine, "load": 11.2})
    assert busy.origin().endswith("kernel avx2; the machine was busy, load 11.")
    assert RUN.origin() == RUN.provenance().replace("; python 3.11.7", "")

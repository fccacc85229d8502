"""The whole jobs of the README, on inputs made on the spot."""

import pytest

from benchmarks.speed import jobs, shell
from benchmarks.speed.figure import Figure, Peer
from benchmarks.speed.table import WIDTH
from seqlab import demo_corpus, write


@pytest.fixture
def folder(monkeypatch, tmp_path):
    (tmp_path / "conll2000").mkdir()
    corpus = demo_corpus().select("word", "pos", "chunk")
    write(corpus[:40], tmp_path / "conll2000" / "test.txt")
    write(corpus[40:60], tmp_path / "conll2000" / "train.txt")
    monkeypatch.setenv("SEQLAB_DATA", str(tmp_path))
    return tmp_path


def test_both_programs_label_a_file(folder):
    pytest.importorskip("pycrfsuite")
    (figure,) = shell.whole_file(quick=True)
    assert (figure.name, figure.peer.name) == (shell.WHOLE, "python-crfsuite")
    assert figure.details["tokens"] == demo_corpus()[40:60].token_count


def test_jobs_without_corpora_are_left_out(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("SEQLAB_DATA", str(tmp_path))
    assert jobs.run(quick=True) == []
    assert "skipped" in capsys.readouterr().out


def test_table_has_a_row_a_job_in_their_order_and_fits_80_columns():
    peer = Peer("sklearn-crfsuite", 99_900.0, 0.0, 3)
    made = [
        Figure(job.case, job.name, "ms", 9_990.0, 0.0, 3, "", peer=peer, details={"tokens": 211_727})
        for job in reversed(jobs.JOBS)
    ]
    table = jobs.table([*made, Figure("hmm", "other", "ms", 1.0, 0.0, 3, "")])
    assert [row[0] for row in table.rows] == [job.title.format(tokens=211_727) for job in jobs.JOBS]
    assert {row[1:] for row in table.rows} == {("sklearn-crfsuite", "99.9 s", "9.99 s", "10x")}
    assert max(map(len, table.text().splitlines())) <= WIDTH

"""The case beside NLTK's TnT, on a corpus made on the spot; nothing here is timed."""

import pytest

from benchmarks.quality import exams, scores, sides
from benchmarks.speed import cases, hmm_tagging
from benchmarks.speed.table import WIDTH
from benchmarks.speed.timing import Timing
from seqlab import demo_corpus, write

TEXT = hmm_tagging.Text("demo", "train.txt", "dev.txt", "pos", ("word", "pos"))


@pytest.fixture
def folder(monkeypatch, tmp_path):
    corpus = demo_corpus()
    for name, part in (("train", corpus[:200]), ("dev", corpus[200:260])):
        write(part, tmp_path / f"{name}.txt", columns=["word", "pos"])
    monkeypatch.setenv("SEQLAB_DATA", str(tmp_path))
    return tmp_path


def test_every_figure_has_its_peer_and_its_rate(folder, monkeypatch):
    pytest.importorskip("nltk")

    def called_once(calls, *, seconds):
        for call in calls.values():
            call()
        return {hmm_tagging.PEER: Timing((2.0,)), "seqlab": Timing((0.1,))}

    monkeypatch.setattr(hmm_tagging, "measure", called_once)
    monkeypatch.setattr(hmm_tagging, "TEXTS", (TEXT,))
    figures = hmm_tagging.run()
    assert [one.name for one in figures] == ["fit + tag, demo", "tag, demo"]
    assert all(one.ratio == pytest.approx(20) and one.met for one in figures)
    (table,) = cases.tables(figures)
    assert max(map(len, table.text().splitlines())) <= WIDTH
    assert "1 million are wanted" in table.note  # a short text in a tenth of a second is less


def test_without_corpora_there_are_no_figures(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("SEQLAB_DATA", str(tmp_path))
    assert hmm_tagging.run() == []
    assert "hmm-tagging, ptb-sample: skipped" in capsys.readouterr().out


def test_an_exam_without_features_is_for_taggers_that_count(folder):
    pytest.importorskip("nltk")
    files = {"train": "train.txt", "dev": "dev.txt", "test": "dev.txt"}
    marks = exams.Marks(80.0, 90.0)
    exam = exams.Exam("demo", files, "pos", None, "accuracy", marks, columns=("word", "pos"))
    train, dev = exam.training(for_dev=True), exam.corpus("dev")
    mine, peer = sides.ours(exam, train, dev), sides.theirs(exam, train, dev)
    assert min(mine.accuracy, peer.accuracy) > 0.7
    assert mine.unseen is not None
    figure = scores.figure(exam, mine, peer, input_hash="abc")
    assert figure.peer is not None
    assert figure.peer.name == "NLTK's TnT"
    assert "NLTK's TnT" in scores.line(exam, mine, peer)

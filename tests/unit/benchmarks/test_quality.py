"""Accuracy on corpora: what may be read when, what is printed; the corpora here are made on the spot."""

from dataclasses import replace

import pytest

from benchmarks import pages
from benchmarks.quality import __main__ as command
from benchmarks.quality import exams, scores, sides
from benchmarks.speed import record
from benchmarks.speed.table import WIDTH
from seqlab import LBFGS, Template, demo_corpus, read, write

MARKS = exams.Marks(90.0, 95.0, 70.0, 80.0)


@pytest.fixture
def folder(monkeypatch, tmp_path):
    corpus = demo_corpus()
    for name, part in (("train", corpus[:40]), ("dev", corpus[40:50]), ("test", corpus[50:60])):
        write(part, tmp_path / f"{name}.txt", columns=["word", "pos"])
    monkeypatch.setenv("SEQLAB_DATA", str(tmp_path))
    return tmp_path


def exam(*parts, figure="accuracy", marks=MARKS):
    files = {part: f"{part}.txt" for part in parts}
    template = Template.parse("word[-1..1]\nsuffix(word[0], 2)")
    return exams.Exam("demo tags", files, "pos", template, figure, marks, columns=("word", "pos"))


def words(corpus):
    return corpus.column("word")


def test_dev_is_a_file_where_there_is_one(folder):
    whole = exam("train", "dev", "test")
    assert words(whole.corpus("dev")) == words(read(folder / "dev.txt", columns=["word", "pos"]))
    assert len(whole.training(for_dev=True)) == len(whole.training(for_dev=False)) == 40


def test_dev_is_the_end_of_train_where_there_is_none(folder):
    cut = exam("train", "test")
    everything = words(cut.training(for_dev=False))
    assert words(cut.training(for_dev=True)) + words(cut.corpus("dev")) == everything
    assert len(cut.corpus("dev")) == 4


def test_tuning_never_opens_a_test_set(folder, monkeypatch, capsys):
    (folder / "test.txt").write_text("")  # would be an exam without tokens
    monkeypatch.setattr(exams, "EXAMS", (exam("train", "dev", "test"),))
    assert command.main(["--dev", "--alone", "--l2", "0.3"]) == 0
    assert "Accuracy on dev sets" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", [["--l2", "1"], ["--l1", "1"], ["--only", "nothing"], ["--readme"]])
def test_wrong_use_ends_with_code_2(wrong):
    with pytest.raises(SystemExit) as stopped:
        command.parse(wrong)
    assert stopped.value.code == 2


def test_full_run_is_recorded_and_read_again(folder, monkeypatch, capsys):
    pytest.importorskip("pycrfsuite")
    monkeypatch.setattr(exams, "EXAMS", (exam("train", "dev", "test"),))
    monkeypatch.setattr(scores, "RESULTS", folder / "quality.jsonl")
    page = folder / "page.md"
    page.write_text("<!-- begin accuracy -->\n<!-- end accuracy -->\n")
    written = []
    monkeypatch.setattr(
        pages,
        "write",
        lambda: written.append(
            pages.rendered(record.read(), record.read(scores.RESULTS), ["page.md"], folder)
        ),
    )
    for partial in (["--only", "demo tags"], ["--alone"], ["--quick"], ["--dev"]):
        assert command.main(partial) == 0
    assert not scores.RESULTS.exists()
    assert command.main([]) == 0
    capsys.readouterr()
    (text,) = written[0].values()
    assert "| demo tags | accuracy | CRFsuite |" in text


def test_same_penalty_gives_the_same_labels_on_both_sides(folder):
    pytest.importorskip("pycrfsuite")
    one = exam("train", "dev", "test")
    train, dev = one.training(for_dev=True), one.corpus("dev")
    mine = sides.ours(one, train, dev, LBFGS(l1=sides.C1, l2=sides.C2))
    peer = sides.theirs(one, train, dev)
    assert (mine.value, mine.unseen) == pytest.approx((peer.value, peer.unseen), abs=0.01)
    stored = scores.figure(one, mine, peer, input_hash="")
    assert sides.theirs(one, train, dev, [stored]) == peer  # as it was stored, seconds and all
    other = replace(stored, details={**stored.details, "peer": {"attributes": "others"}})
    assert sides.theirs(one, train, dev, [stored, other]).seconds == peer.seconds


@pytest.mark.parametrize(
    ("value", "unseen", "met"),
    [(0.9, 0.7, True), (0.89, 0.9, False), (0.95, 0.69, False), (0.95, None, False)],
)
def test_both_marks_must_be_met(value, unseen, met):
    assert scores.reached(MARKS, sides.Result(value, value, unseen, 1.0)) is met


def test_marks_of_unseen_words_may_be_absent():
    assert scores.reached(exams.Marks(90.0, 95.0), sides.Result(0.9, 0.9, None, 1.0))


def test_table_fits_80_columns_and_stars_what_was_missed_on_test_only():
    peer = sides.Result(0.9123, 0.9, 0.7, 1.0)
    figures = [
        scores.figure(one, sides.Result(0.1234, 0.9, 0.7, 1.0), peer, input_hash="abc") for one in exams.EXAMS
    ]
    table = scores.table(figures, part="test")
    assert max(map(len, table.text().splitlines())) <= WIDTH
    assert all(row[3].endswith("*") for row in table.rows)
    assert not any("*" in row[3] for row in scores.table(figures, part="dev").rows)
    assert {len(row) for row in scores.table(figures, part="test", marks=False).rows} == {5}
    assert scores.table([], part="test") is None


def test_hash_depends_on_words_and_labels(folder):
    one = exam("train", "dev", "test")
    assert scores.input_hash(one.corpus("dev")) == scores.input_hash(one.corpus("dev"))
    assert scores.input_hash(one.corpus("dev")) != scores.input_hash(one.corpus("test"))

import json

import pytest

import seqlab


def test_formats_and_columns(shell, folder, tmp_path):
    shell.done("convert", folder / "test.txt", tmp_path / "test.jsonl")
    shell.done("convert", tmp_path / "test.jsonl", tmp_path / "back.txt", "--to", "conll")
    assert (tmp_path / "back.txt").read_bytes() == (folder / "test.txt").read_bytes()
    shell.done(
        "convert", folder / "test.txt", tmp_path / "words.txt", "--select", "word,pos", "--to", "slash"
    )
    assert seqlab.read(tmp_path / "words.txt", "slash").column("label") == seqlab.read(
        folder / "test.txt"
    ).column("pos")


def test_standard_streams(shell, folder, capfdbinary):
    from seqlab.cli import main

    assert main(["convert", str(folder / "test.txt"), "-"]) == 0
    shown = capfdbinary.readouterr()
    assert shown.out == (folder / "test.txt").read_bytes()
    assert b"40 sentences" in shown.err


@pytest.mark.parametrize("scheme", ["IOBES", "BILOU", "IOB1", "IOE2"])
def test_schemes_there_and_back(scheme, shell, folder, tmp_path):
    other, back = tmp_path / "other.txt", tmp_path / "back.txt"
    _, _, said = shell("convert", folder / "test.txt", other, "--scheme", scheme)
    assert f"column chunk from IOB2 to {scheme}" in said
    labels = seqlab.read(folder / "test.txt").column("chunk")
    names = ["--columns", "word,pos,chunk"]
    written = seqlab.read(other, columns=("word", "pos", "chunk")).column("chunk")
    assert written == seqlab.tags.convert(labels, "IOB2", scheme)
    shell.done("convert", other, back, *names, "--from-scheme", scheme, "--scheme", "IOB2")
    assert back.read_bytes() == (folder / "test.txt").read_bytes()


def test_labels_that_break_their_scheme_are_named_or_repaired(shell, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("a\tO\nb\tI-X\n\nc\tB-X\n\n")
    flags = ["convert", path, tmp_path / "out.txt", "--from-scheme", "IOB2", "--scheme", "IOBES"]
    said = shell.refused(*flags)
    assert f"{path}:2: " in said
    assert "--repair conlleval" in said
    assert not (tmp_path / "out.txt").exists()
    facts = json.loads(shell.done(*flags, "--repair", "conlleval", "--json"))
    assert "1 invalid labels repaired" in facts["text"]
    assert (tmp_path / "out.txt").read_text() == "a\tO\nb\tS-X\n\nc\tS-X\n\n"


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["{folder}/none.txt", "out"], "there is no such file"),
        (["{crf}", "out"], "is a model of ours already"),
        (["{folder}/test.txt", "out", "--scheme", "IOB9"], "IOB9"),
        (["{folder}/test.txt", "out", "--repair", "strict"], "belong to --scheme"),
        (
            ["{folder}/test.txt", "out", "--scheme", "IOB2", "--label", "pos"],
            "column 'pos' follows no tag scheme",
        ),
        (["{folder}/test.txt", "out", "--to", "slash"], "two columns"),
        (["{folder}/test.txt", "out", "--select", "word,nothing"], "there is no column 'nothing'"),
        (["{folder}/test.txt", "-", "--json"], "would both write to standard output"),
    ],
)
def test_wrong_use_is_refused(argv, words, shell, folder, crf, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert words in shell.refused("convert", *(word.format(crf=crf, folder=folder) for word in argv))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("head", "kind"), [(b"lCRF....", "CRFsuite"), (b"version: 100\n", "CRF++"), (b"#mdl#2#123\n", "Wapiti")]
)
def test_models_of_other_tools_are_recognised(head, kind, shell, crf, tmp_path, monkeypatch):
    asked = []

    def convert_model(path, **options):
        asked.append((path, options))
        return seqlab.load(crf)

    monkeypatch.setattr(seqlab, "convert_model", convert_model, raising=False)
    (tmp_path / "old").write_bytes(head)
    flags = ["--columns", "word,pos", "--learner", "perceptron", "--json"]
    facts = json.loads(shell.done("convert", tmp_path / "old", tmp_path / "new", *flags))
    assert facts["kind"] == kind
    assert asked == [(str(tmp_path / "old"), {"columns": ("word", "pos"), "learner": seqlab.Perceptron()})]
    assert seqlab.load(tmp_path / "new").labels_ == seqlab.load(crf).labels_

"""Files of annotation tools through the commands: trained on, labelled, compared, converted."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import seqlab
from seqlab.cli import main
from seqlab.text import documents_of, read_documents, write_documents

FORMS = {"doccano": "a.jsonl", "prodigy": "b.jsonl", "labelstudio": "c.json", "brat": "folder"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Letters of ten sentences in every format, and a model of one of them."""
    made = tmp_path_factory.mktemp("texts")
    corpus = seqlab.demo_corpus("test")[:120]
    texts = [one for i in range(0, 120, 10) for one in documents_of(corpus[i : i + 10], ["entity"])]
    for form, name in FORMS.items():
        write_documents(texts, made / name, form)
    assert main(["train", str(made / "a.jsonl"), "-i", "20", "-q", "-o", str(made / "names.model")]) == 0
    return made


def records(path: Path) -> list[object]:
    return [(one.text, [span[:3] for span in one.spans]) for one in read_documents(path)]


@pytest.mark.parametrize("form", FORMS)
def test_every_format_trains_the_same_model(
    form: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model, other = folder / "names.model", folder / f"{form}.model"
    assert main(["train", str(folder / FORMS[form]), "-i", "20", "-q", "-o", str(other)]) == 0
    text = "Anna Weber lives in New York."
    assert isinstance(
        seqlab.load(other), seqlab.Pipeline
    )  # texts were cut into tokens: the rules belong to the model
    one, two = seqlab.load(model)(text).spans, seqlab.load(other)(text).spans
    assert one == two or (
        form == "prodigy" and [s[:3] for s in one] == [s[:3] for s in two]
    )  # which has own tokens


@pytest.mark.parametrize("first", FORMS)
@pytest.mark.parametrize("second", FORMS)
def test_convert(first: str, second: str, folder: Path, tmp_path: Path) -> None:
    target = tmp_path / FORMS[second]
    assert main(["convert", str(folder / FORMS[first]), str(target), "--to", second]) == 0
    assert records(target) == records(folder / FORMS[first])


def test_to_tokens_and_back(folder: Path, tmp_path: Path) -> None:
    columns, back = tmp_path / "x.conll", tmp_path / "back"
    assert main(["convert", str(folder / "folder"), str(columns)]) == 0
    assert columns.read_text().startswith("-DOCSTART- (00000)\n\n")
    assert main(["convert", str(columns), str(back), "--to", "brat", "--columns", "word,entity"]) == 0
    assert records(back) == records(folder / "folder")
    assert sorted(one.name for one in back.iterdir()) == sorted(
        one.name for one in (folder / "folder").iterdir()
    )


def test_align(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "cut.jsonl"
    source.write_text(json.dumps({"text": "Anna Weber-Bell left.", "label": [[0, 10, "PER"]]}) + "\n")
    assert main(["convert", str(source), "-", "--to", "conll", "--align", "shrink"]) == 0
    found = capfd.readouterr()
    assert (
        "cut.jsonl:1 (span 0): the span PER 0 to 10 ('Anna Weber') cuts a token; it was made shorter"
        in found.err
    )
    assert main(["convert", str(source), "-", "--to", "conll", "--align", "refuse"]) == 2
    assert "cuts a token" in capfd.readouterr().err
    assert main(["convert", "demo:test", "-", "--align", "shrink"]) == 2
    assert "--align is for texts with places" in capfd.readouterr().err


def test_a_folder_with_texts_is_not_replaced(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", str(folder / "a.jsonl"), str(folder / "folder"), "--to", "brat"]) == 2
    assert "the folder has texts already" in capfd.readouterr().err


@pytest.mark.parametrize("form", ["doccano", "prodigy", "labelstudio"])
def test_tag_gives_such_a_file_back(
    form: str, folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.jsonl"
    model, gold = str(folder / "names.model"), str(folder / FORMS[form])
    assert main(["tag", model, gold, "-o", str(target)]) == 0
    pipe = seqlab.load(model)
    assert records(target) == [
        (one.text, [span[:3] for span in pipe(one).spans]) for one in read_documents(folder / FORMS[form])
    ]
    capfd.readouterr()
    assert main(["eval", model, gold, "--json"]) == 0
    by_model = json.loads(capfd.readouterr().out)
    assert main(["eval", gold, str(target), "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == by_model
    assert by_model["ways"]["strict"]["f1"] > 0.8
    assert main(["eval", model, gold]) == 0
    assert "strict" in capfd.readouterr().out


def test_tag_raw_text_for_a_tool(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = ["tag", str(folder / "names.model"), "-s", "Anna Weber lives in New York.", "--to", "doccano"]
    assert main(command) == 0
    assert json.loads(capfd.readouterr().out)["text"] == "Anna Weber lives in New York."
    assert main(["tag", str(folder / "names.model"), str(folder / "a.jsonl"), "--to", "conll"]) == 0
    assert capfd.readouterr().out.startswith("-DOCSTART-")
    assert main(["tag", str(folder / "names.model"), str(folder / "a.jsonl"), "--spans"]) == 0
    assert len(capfd.readouterr().out.splitlines()[0].split("\t")) == 6


def test_other_commands_and_formats(folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model, texts = str(folder / "names.model"), str(folder / "a.jsonl")
    first = read_documents(texts)[0].sentences[1].tokens[0].text
    assert main(["explain", model, texts, "--number", "1", "--at", "0"]) == 0
    assert f"“{first}” (token 0)" in capfd.readouterr().out
    assert main(["tag", model, texts, "--to", "conllu"]) == 0
    assert "\tEntity=O\n" in capfd.readouterr().out
    assert main(["check", texts]) == 0
    assert main(["inspect", model]) == 0


def test_standard_input_is_named_by_its_format(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = (folder / "a.jsonl").read_text(encoding="utf-8")
    command = [sys.executable, "-m", "seqlab", "tag", str(folder / "names.model"), "--format", "doccano"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert [json.loads(one)["text"] for one in done.stdout.splitlines()] == [
        json.loads(one)["text"] for one in text.splitlines()
    ]


def test_tokens_and_texts_are_not_mixed(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", str(folder / "names.model"), str(folder / "a.jsonl"), "demo:test"]) == 2
    assert "has texts with places, demo:test has tokens" in capfd.readouterr().err
    assert main(["eval", str(folder / "a.jsonl")]) == 2
    assert "two files of texts are compared" in capfd.readouterr().err


def test_a_tokeniser_learns_from_the_tokens_of_a_file(folder: Path, tmp_path: Path) -> None:
    command = [
        "train",
        str(folder / "b.jsonl"),
        "-m",
        "tokeniser",
        "-i",
        "2",
        "-q",
        "-o",
        str(tmp_path / "t.model"),
    ]
    assert main(command) == 0

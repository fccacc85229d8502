"""Broken files of annotation tools: our error with file and place."""

import json
from pathlib import Path

import pytest

from seqlab.errors import CorpusError, EmptyError
from seqlab.text import read_documents

GOOD = {"text": "Anna left.", "label": [[0, 4, "PER"]]}


def said(path: Path, form: str | None = None, **options: str) -> str:
    with pytest.raises(CorpusError) as found:
        read_documents(path, form, **options)  # type: ignore[arg-type]
    return str(found.value).replace(str(path.parent) + "/", "")


def lines(tmp_path: Path, *records: object, name: str = "a.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"text": "Anna", "label": [[0, 9, "PER"]]}, "a.jsonl:2 (span 0): the part from 0 to 9 is not in the text: "),
        ({"text": "Anna", "label": [[3, 1, "PER"]]}, "a.jsonl:2 (span 0): the part from 3 to 1 ends before it"),
        ({"text": "Anna", "label": [[-1, 1, "PER"]]}, "a.jsonl:2 (span 0): the part from -1 to 1 is not in the text: "),
        ({"text": "Anna", "label": [[0, 1.5, "PER"]]}, "a.jsonl:2 (span 0): a pair (begin, end) of whole numbers"),
        ({"text": "Anna", "label": [[0, 2]]}, "a.jsonl:2 (span of 'label' 0): a span is [begin, end, "),
        ({"text": "Anna", "label": "PER"}, "a.jsonl:2: the field 'label' should be a list, found 'PER'"),
        ({"label": []}, "a.jsonl:2: doccano has a string in the field 'text'; the fields are 'label'"),
        ([1], "a.jsonl:2: a JSON object with a text is wanted, found [1]"),
    ],
)  # fmt: skip
def test_doccano(tmp_path: Path, record: object, message: str) -> None:
    assert said(lines(tmp_path, GOOD, record), "doccano").startswith(message)


def test_what_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(GOOD) + '\n\n{"text": \n')
    assert said(path) == "a.jsonl:3: not JSON: Expecting value at column 10 of the line"
    (tmp_path / "b.json").write_text('[{"text": "Anna"},\n {"text": }]')
    assert (
        said(tmp_path / "b.json", "doccano") == "b.json:2: not JSON: Expecting value at column 11 of the line"
    )


def test_broken_utf8_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(json.dumps(GOOD).encode() + b'\n{"text": "Ren\xe9", "label": []}\n')
    assert said(path).startswith("a.jsonl:2: byte 0xE9 at byte 14 of the line is not UTF-8")
    assert read_documents(path, encoding="latin-1")[1].text == "René"


def test_line_ends_of_windows_and_a_mark_at_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b"\xef\xbb\xbf" + json.dumps(GOOD).encode() + b"\r\n" + json.dumps(GOOD).encode() + b"\r\n"
    )
    assert [one.spans[0].text for one in read_documents(path)] == ["Anna", "Anna"]


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n\n")
    with pytest.raises(EmptyError, match="no text"):
        read_documents(tmp_path / "a.jsonl", "doccano")


def test_prodigy(tmp_path: Path) -> None:
    good = {"text": "Anna left.", "spans": [{"start": 0, "end": 4, "label": "PER"}]}
    tokens = [{"start": 0, "end": 4}, {"start": 3, "end": 9}]
    assert said(lines(tmp_path, good, {**good, "tokens": tokens})).startswith(
        "a.jsonl:2 (token 1): the token at 3 to 9 begins before the one before it ends, at 4"
    )
    assert said(lines(tmp_path, good, {**good, "spans": [{"start": 0, "end": 4}]})).startswith(
        "a.jsonl:2 (span 0): a span needs the field 'label'"
    )


def test_label_studio_counts_as_javascript_did(tmp_path: Path) -> None:
    value = {"start": 3, "end": 7, "text": "Anna", "labels": ["PER"]}
    task = {"data": {"text": "👍 Anna"}, "annotations": [{"result": [{"value": value}]}]}
    assert read_documents(lines(tmp_path, task))[0].spans[0].text == "Anna"
    value |= {"start": 2, "end": 6}
    assert read_documents(lines(tmp_path, task))[0].spans[0].text == "Anna"


def test_the_short_export_of_label_studio(tmp_path: Path) -> None:
    path = tmp_path / "min.json"
    path.write_text(
        json.dumps([{"id": 1, "text": "Anna", "label": [{"start": 0, "end": 4, "labels": ["PER", "X"]}]}])
    )
    assert [one.label for one in read_documents(path)[0].spans] == ["PER", "X"]


def brat(tmp_path: Path, text: bytes, notes: bytes) -> Path:
    (tmp_path / "a.txt").write_bytes(text)
    (tmp_path / "a.ann").write_bytes(notes)
    return tmp_path / "a.txt"


def test_brat(tmp_path: Path) -> None:
    assert said(brat(tmp_path, b"Anna left.", b"T1\tPER 0 4\tAnna\nT2\tPER 5 9\tAnna\n")).startswith(
        "a.ann:2: the words are 'Anna', but the text has 'left' from 5 to 9"
    )
    assert said(brat(tmp_path, b"Anna", b"T1\tPER 0 9\tAnna\n")).startswith(
        "a.ann:1: the span from 0 to 9 is not in"
    )
    assert said(brat(tmp_path, b"Anna", b"T1 PER 0 4 Anna\n")).startswith("a.ann:1: T1<tab>LABEL BEGIN END")
    assert said(brat(tmp_path, b"Ann\xe9", b"")).startswith("a.txt:1: byte 0xE9")
    (tmp_path / "b.ann").write_text("")
    assert "b.ann: there is no text beside it" in said(tmp_path, "brat")


def test_brat_keeps_what_it_does_not_read(tmp_path: Path) -> None:
    from seqlab.text import write_documents

    notes = b"T3\tPER 0 4;11 15\tAnna Bell\r\nR1\tKnows Arg1:T3 Arg2:T3\r\n#1\tAnnotatorNotes T3\tsure?\r\n"
    found = read_documents(brat(tmp_path, b"Anna\r\nand\r\nBell", notes))
    assert found[0].spans[0][:3] == (0, 15, "PER")
    write_documents(found, tmp_path / "out", "brat")
    assert (tmp_path / "out" / "a.txt").read_bytes() == b"Anna\r\nand\r\nBell"
    assert (tmp_path / "out" / "a.ann").read_bytes() == notes.replace(b"\r\n", b"\n")


def test_labels_that_brat_cannot_hold(tmp_path: Path) -> None:
    from seqlab.text import RuleTokeniser, write_documents

    one = RuleTokeniser()("Anna").with_layer("entity", None, [(0, 4, "a person")])
    with pytest.raises(CorpusError, match="brat cannot hold the label 'a person'"):
        write_documents([one], tmp_path / "out", "brat")
    assert not (tmp_path / "out").exists()

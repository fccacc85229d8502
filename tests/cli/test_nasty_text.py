"""Broken and odd text, by every command and format: our error or an answer, and nothing is lost."""

import json
from pathlib import Path

import pytest

import seqlab
from seqlab.cli import main
from seqlab.text import read_documents
from seqlab.text.formats import NAMES

TEXT = "Anna\0 Weber lives in 👍 New York.\r\nBob left.\r\n"
FILES = {
    "broken": (b"Anna \xff\xfe lives.", "byte 0xFF at byte 6 of the line is not UTF-8"),
    "half": (b"Anna \xed\xa0\x80 lives", "byte 0xED at byte 6 of the line is not UTF-8"),
    "utf16": ("Anna lives.".encode("utf-16"), "begins with a UTF-16 byte-order mark"),
    "nul": (b"Anna\0 lives\0.", None),
    "crlf": (b"Anna lives.\r\nBob left.\r\n\r\nCarl came.\r\n", None),
    "bom": ("\ufeffAnna lives.".encode(), None),
    "word": (b"a" * 100_000, None),
    "odd": ("a\u0301\u0301 👨‍👩‍👧 \u202eAnna\u2028x\x85y \x1b[31m.".encode(), None),
}
SPANS = {
    "overlapping": ([(0, 12, "PER"), (6, 20, "LOC"), (6, 20, "LOC"), (0, 1, "A")], None),
    "beyond": ([(0, 9999, "PER")], "9999"),
    "huge": ([(0, 10**30, "PER")], str(10**30)),
    "negative": ([(-5, 3, "PER")], "-5"),
    "backwards": ([(8, 3, "PER")], "8 to 3"),
    "empty": ([(3, 3, "PER")], "3 to 3"),
    "blank": ([(12, 13, "PER")], None),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("nasty") / "names.model"
    learner = seqlab.LBFGS(max_iterations=5)
    seqlab.CRF("ner", learner).fit(seqlab.demo_corpus("train")[:60], "entity").with_text().save(path)
    return str(path)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "command",
    [
        ["tag", "MODEL", "FILE", "--raw", "-o", "OUT"],
        ["tag", "MODEL", "FILE", "--json", "-o", "OUT"],
        ["tag", "MODEL", "FILE", "--spans", "--offsets", "utf-16", "-o", "OUT"],
        ["tag", "MODEL", "FILE", "--to", "prodigy", "-o", "OUT"],
        ["tag", "MODEL", "FILE", "--to", "webanno", "-o", "OUT.tsv"],
        ["explain", "MODEL", "--raw", "FILE"],
        ["draw", "trellis", "MODEL", "--raw", "FILE", "-o", "OUT.svg"],
    ],
    ids=lambda words: " ".join(words[:1] + words[3:5]),
)
def test_raw_text(
    name: str, command: list[str], model: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data, message = FILES[name]
    file = tmp_path / "a.txt"
    file.write_bytes(data)
    given = {"MODEL": model, "FILE": str(file), "OUT": str(tmp_path / "out")}
    words = [given.get(word) or word.replace("OUT", given["OUT"]) for word in command]
    code = main(words)
    told = capfd.readouterr().err
    if message is None:
        assert code == 0, told
        return
    assert code == 2
    assert message in told
    assert "a.txt:1" in told
    assert not list(tmp_path.glob("out*"))  # no half-written file


@pytest.mark.parametrize("form", [name for name in NAMES if name != "webanno"])
@pytest.mark.parametrize("name", SPANS)
def test_spans_of_every_format(
    name: str, form: str, model: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    spans, message = SPANS[name]
    path = written(tmp_path, form, spans)
    commands = [
        ["tag", model, path, "--format", form, "--spans"],
        ["eval", path, path, "--format", form],
        ["explain", model, path, "--format", form],
        ["convert", path, str(tmp_path / "w.tsv"), "--format", form, "--to", "webanno"],
    ]
    for words in commands:
        code, told = main(words), capfd.readouterr().err
        assert (code, message is None or message in told) == (0 if message is None else 2, True), (
            words,
            told,
        )
    if message is None:
        (one,) = read_documents(path, form)
        assert one.text == TEXT
        assert sorted(span[:3] for span in one.spans) == sorted(spans)


def written(folder: Path, form: str, spans: list[tuple[int, int, str]]) -> str:
    """Write a text with spans as the tool would."""
    if form == "brat":
        (folder / "b").mkdir()
        (folder / "b" / "a.txt").write_bytes(TEXT.encode())
        lines = [f"T{i}\t{y} {b} {e}\n" for i, (b, e, y) in enumerate(spans)]
        (folder / "b" / "a.ann").write_text("".join(lines))
        return str(folder / "b")
    value = {
        "doccano": {"text": TEXT, "label": spans},
        "prodigy": {"text": TEXT, "spans": [{"start": b, "end": e, "label": y} for b, e, y in spans]},
        "labelstudio": {
            "data": {"text": TEXT},
            "annotations": [
                {"result": [{"value": {"start": b, "end": e, "labels": [y]}} for b, e, y in spans]}
            ],
        },
    }[form]
    path = folder / "a.jsonl"
    path.write_text(json.dumps(value))
    return str(path)


def test_a_long_line_is_labelled_as_many_short_ones(model: str, tmp_path: Path) -> None:
    sentence = "Anna Weber lives in New York. "
    (tmp_path / "a.txt").write_text(sentence * 50_000)  # 1.5 MB on one line
    assert main(["tag", model, str(tmp_path / "a.txt"), "--spans", "-q", "-o", str(tmp_path / "out")]) == 0
    lines = (tmp_path / "out").read_text().splitlines()
    found = [line.split("\t") for line in lines]
    each = len(found) // 50_000
    assert len(found) == each * 50_000
    assert found[-1][0] == "49999"
    assert int(found[-1][1]) == int(found[each - 1][1]) + 49_999 * len(sentence)

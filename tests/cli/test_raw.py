"""Raw text through the front door: tag, explain and draw."""

import json

import pytest

import seqlab

TEXT = "Anna Weber lives in New York. She works 😀 in Berlin.\n\nNew paragraph"


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    train = seqlab.demo_corpus("train")
    pos = seqlab.LinearTagger("pos", seqlab.Perceptron(epochs=3)).fit(train[:300], "pos")
    chunk = seqlab.LinearTagger("chunk", seqlab.Perceptron(epochs=3)).fit(train[:300], "chunk")
    names = seqlab.CRF("ner", seqlab.SGD(epochs=4)).fit(train, "entity")
    names.save(folder / "names.model")
    seqlab.Pipeline(None, [pos, chunk, names]).save(folder / "pipe.model")
    (folder / "a.txt").write_text(TEXT, encoding="utf-8")
    return folder


def test_raw_text_is_cut_into_tokens(shell, models):
    out = shell.done("tag", models / "names.model", "--raw", models / "a.txt")
    assert "York\tI-LOC\n.\tO\n\nShe\tO\n" in out
    assert shell.done("tag", models / "names.model", "--raw", stdin=TEXT) == out
    assert out.count("\n\n") == 3


def test_a_model_with_a_tokeniser_needs_no_flag(shell, models):
    out = shell.done("tag", models / "pipe.model", stdin=TEXT)
    first = out.splitlines()[0].split("\t")
    assert first[0] == "Anna"
    assert len(first) == 4  # word, pos, chunk, entity
    assert (
        shell.done("tag", models / "pipe.model", "--layer", "pos", stdin=TEXT).splitlines()[0].count("\t")
        == 1
    )
    assert "Anna" not in shell.done("tag", models / "pipe.model", "--labels-only", stdin=TEXT)


def test_spans_are_places_in_the_whole_file(shell, models, tmp_path, monkeypatch):
    long = "\n\n".join(f"{i} 😀 Anna Weber lives in New York." for i in range(300))
    (tmp_path / "long.txt").write_text(long, encoding="utf-8")
    monkeypatch.setattr("seqlab.text.files.stream_text.__kwdefaults__", {"encoding": "utf-8", "block": 700})
    lines = shell.done("tag", models / "names.model", tmp_path / "long.txt", "--raw", "--spans").splitlines()
    assert len(lines) > 300
    for line in lines:
        number, begin, end, label, probability, text = line.split("\t")
        assert long[int(begin) : int(end)] == text
        assert long[: int(begin)].count("\n\n") == int(number)
        assert label in {"PER", "LOC", "ORG", "MISC"}
        assert 0 < float(probability) <= 1
    units = long.encode("utf-16-le")
    for line in shell.done(
        "tag", models / "names.model", tmp_path / "long.txt", "--raw", "--spans", "--offsets", "utf-16"
    ).splitlines():
        _, begin, end, _, _, text = line.split("\t")
        assert units[2 * int(begin) : 2 * int(end)].decode("utf-16-le") == text


def test_json_has_an_object_for_each_sentence(shell, models):
    found = [
        json.loads(line)
        for line in shell.done("tag", models / "pipe.model", "--json", stdin=TEXT).splitlines()
    ]
    assert [one["text"] for one in found] == [
        "Anna Weber lives in New York.",
        "She works 😀 in Berlin.",
        "New paragraph",
    ]
    document = seqlab.load(models / "pipe.model")(TEXT)
    for layer in document.layers:
        assert [y for one in found for y in one["layers"][layer.name]["labels"]] == list(layer.labels)
        spans = [span for one in found for span in one["layers"][layer.name]["spans"]]
        assert [(s["begin"], s["end"], s["label"], s["text"]) for s in spans] == [s[:4] for s in layer.spans]
    for one in found:
        assert TEXT[one["begin"] : one["end"]] == one["text"]
        for token in one["tokens"]:
            assert TEXT[token["begin"] : token["end"]] == token["text"]


def test_tokens_that_end_in_punctuation_are_remarked_on(shell, models):
    code, out, err = shell("tag", models / "names.model", stdin="Anna Weber lives in New York.\n")
    assert (code, out.splitlines()[-2:]) == (0, ["York.\tO", ""])
    assert err == (
        "seqlab: <stdin>:1: the token 'York.' ends in punctuation: words are what stands between blanks; --raw cuts "
        "text into tokens first\n"
    )
    assert "ends in punctuation" in shell("tag", models / "names.model", "-s", "Hello, Anna")[2]
    assert shell("tag", models / "names.model", stdin="Dr. Weber lives , in New York .\n")[2] == ""
    assert shell("tag", models / "names.model", "-q", stdin="York.\n")[2] == ""


def test_explain_and_draw_take_raw_text(shell, models, tmp_path):
    out = shell.done("explain", models / "names.model", "--raw", models / "a.txt", "--number", "1", "--json")
    assert [row["word"] for row in json.loads(out)] == ["She", "works", "😀", "in", "Berlin", "."]
    out = shell.done("explain", models / "pipe.model", "-s", "Anna sits in Berlin.", "--at", "Berlin")
    assert "Berlin" in out
    shell.done("draw", "trellis", models / "pipe.model", "-s", "Anna sits.", "-o", tmp_path / "a.svg")
    assert "sits" in (tmp_path / "a.svg").read_text()
    shell.done("draw", "tables", models / "names.model", models / "a.txt", "--raw", "-o", tmp_path / "b.svg")


@pytest.mark.parametrize(
    ("flags", "stdin", "message"),
    [
        (
            (),
            b"one\ntwo \xff\n",
            "<stdin>:2: byte 0xFF at byte 5 of the line is not UTF-8; pass the --encoding",
        ),
        (("--encoding", "utf-16"), b"\xff", "<stdin>"),
        ((), b"\xff\xfea\0", "<stdin>:1: the file begins with a UTF-16 byte-order mark"),
        (("--format", "conll"), b"x", "--format describes files of tokens, and this is raw text"),
        (("--nbest", "3"), b"x", "--nbest is for sentences of tokens, and this is raw text"),
        (("--layer", "chnk"), b"x", "--layer 'chnk' is none of pos, chunk, entity; did you mean chunk?"),
    ],
)
def test_what_raw_text_cannot_have_is_refused(shell, models, flags, stdin, message):
    assert message in shell.refused("tag", models / "pipe.model", *flags, stdin=stdin)


def test_other_encodings_marks_and_line_ends_are_read(shell, models):
    french = "Zoë lives in Besançon.\r\nOk."
    for flags, data in (
        ((), b"\xef\xbb\xbf" + french.encode()),
        (("--encoding", "latin-1"), french.encode("latin-1")),
    ):
        spans = shell.done("tag", models / "names.model", "--raw", "--json", *flags, stdin=data)
        assert [json.loads(line)["text"] for line in spans.splitlines()] == ["Zoë lives in Besançon.", "Ok."]
    assert shell.done("tag", models / "pipe.model", stdin="") == ""
    assert shell.done("tag", models / "pipe.model", stdin=" \n\n") == ""


def test_the_text_is_not_overwritten(shell, models, tmp_path):
    (tmp_path / "a.txt").write_text("Anna.")
    assert "is the text itself" in shell.refused(
        "tag", models / "pipe.model", tmp_path / "a.txt", "-o", tmp_path / "a.txt"
    )
    assert (tmp_path / "a.txt").read_text() == "Anna."


def test_options_of_raw_text_are_refused_for_tokens(shell, models):
    assert "--layer is for raw text" in shell.refused(
        "tag", models / "names.model", "--layer", "x", stdin="a\n"
    )
    assert "reads tokens" in shell.refused("draw", "confusion", models / "pipe.model", "demo:test")
    assert "one text is wanted" in shell.refused("explain", models / "pipe.model")

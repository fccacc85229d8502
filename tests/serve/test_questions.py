"""Answers of the API: those of the library, for tokens, texts, batches and streams."""

from __future__ import annotations

import json
from typing import Any

import pytest

import seqlab
from seqlab.serve.models import Models
from serve.conftest import Open

WORDS = ["Anna", "Weber", "lives", "in", "New", "York", "."]
TEXT = "Anna Weber lives in New York. 😀 She sings."


def test_labels_are_those_of_the_library(service: Open, models: dict[str, str]) -> None:
    client, tagger = service(), seqlab.load(models["ner"])
    assert client.post("/v1/tag", json={"tokens": WORDS}).json() == {
        "model": "ner",
        "labels": tagger.tag(WORDS),
    }
    batch = client.post("/v1/tag", json={"batch": [WORDS, [], ["x"]]}).json()
    assert [one["labels"] for one in batch["results"]] == tagger.predict([WORDS, [], ["x"]])


def test_every_question_has_the_answer_of_the_library(service: Open, models: dict[str, str]) -> None:
    client, tagger = service(), seqlab.load(models["ner"])
    body = {"tokens": WORDS, "known": {"0": "B-ORG"}}
    known = {0: "B-ORG"}
    paths = client.post("/v1/nbest", json={**body, "n": 4}).json()["paths"]
    assert [tuple(one["labels"]) for one in paths] == [
        one.labels for one in tagger.nbest(WORDS, 4, known=known)
    ]
    posterior = client.post("/v1/posterior", json=body).json()
    assert posterior["posterior"] == tagger.posterior(WORDS, known=known).node.tolist()
    samples = client.post("/v1/sample", json={**body, "n": 3, "seed": 7}).json()["samples"]
    assert list(map(tuple, samples)) == tagger.sample(WORDS, 3, 7, known=known).labels
    told = client.post("/v1/explain", json={"tokens": WORDS, "at": 5, "rival": "O"}).json()
    assert told["total"] == pytest.approx(told["log_odds"])
    assert told["log_odds"] == pytest.approx(tagger.explain(WORDS, 5, rival="O").log_odds)
    allowed = client.post("/v1/tag", json={"tokens": WORDS, "allowed": {"4": ["O"]}}).json()["labels"]
    assert allowed == tagger.tag(WORDS, allowed={4: ["O"]})


def test_a_text_is_answered_with_places(service: Open) -> None:
    found = service().post("/v1/tag", json={"text": TEXT, "probabilities": True, "offsets": "utf-16"}).json()
    utf16 = TEXT.encode("utf-16-le")
    for token in found["tokens"]:
        assert utf16[2 * token["begin"] : 2 * token["end"]].decode("utf-16-le") == token["text"]
    assert len(found["sentences"][0]["probabilities"]) == 7
    assert all(0 <= one <= 1 for one in found["sentences"][0]["probabilities"])


def test_plain_text_is_conll(service: Open) -> None:
    client = service()
    found = client.post("/v1/tag", json={"batch": [["a", "b"], ["c"]]}, headers={"accept": "text/plain"})
    rows = [line.split("\t")[0] for line in found.text.splitlines()]
    assert rows == ["a", "b", "", "c", ""]
    assert found.headers["content-type"].startswith("text/plain")


def test_a_stream_is_answered_line_by_line(service: Open) -> None:
    lines = [{"tokens": WORDS}, {"wrong": 1}, {"text": "Anna sings."}]
    body = b"\n".join(json.dumps(one).encode() for one in lines)
    found = service().post("/v1/tag", content=body, headers={"content-type": "application/x-ndjson"})
    first, second, third = map(json.loads, found.text.splitlines())
    assert len(first["labels"]) == 7
    assert (second["status"], second["line"]) == (422, 1)
    assert third["tokens"][0]["text"] == "Anna"


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        (b"", 400, "not JSON"),
        (b"[1]", 422, "a JSON object"),
        (b'{"tokens": [NaN]}', 400, "NaN"),
        (b"[" * 100_000, 400, "nested too deeply"),
        (b'{"tokens": ["a"], "n": 1' + b"0" * 5000 + b"}", 400, "too many digits"),
        (b'{"tokens": ["a"], "text": "a"}', 422, "one of text, tokens, batch"),
        (b'{"tokens": "a"}', 422, "tokens is to be a list"),
        (b'{"tokens": ["a", null]}', 422, "got null"),
        (b'{"tokens": ["a"], "model": "none"}', 404, "there are: ner, pos"),
        (b'{"tokens": ["a"], "known": {"x": "O"}}', 422, "position 'x'"),
        (b'{"tokens": ["a"], "known": {"0": "Q"}}', 404, "'Q'"),
        (b'{"tokens": ["a"], "known": {"9": "O"}}', 404, "9"),
        (b'{"tokens": ["a"], "no": 1}', 422, "there is no member 'no'"),
        (b'{"batch": [["a"], 3]}', 422, "got a number"),
        (b'\xff{"tokens": []}', 400, "byte 0 is no UTF-8"),
    ],
)
def test_wrong_requests_are_problems(service: Open, body: bytes, status: int, told: str) -> None:
    found = service().post("/v1/tag", content=body, headers={"content-type": "application/json"})
    assert found.status_code == status
    assert found.headers["content-type"] == "application/problem+json"
    assert told in found.json()["detail"]
    assert found.json()["status"] == status


def test_a_problem_has_its_place(service: Open) -> None:
    problem = service().post("/v1/tag", json={"batch": [["a"], ["b", None]]}).json()
    assert problem["place"] == {"sentence": 1, "position": 1}


@pytest.mark.parametrize("n", ["0", "-1", "", "1001", "9" * 5000, "x"])
def test_weights_are_bounded(service: Open, n: str) -> None:
    found = service().get("/v1/models/ner/weights", params={"n": n})
    assert found.status_code == 422
    assert "from 1 to 1000" in found.json()["detail"]


def test_models_are_listed_and_described(service: Open) -> None:
    client = service()
    assert [one["name"] for one in client.get("/v1/models").json()["models"]] == ["ner", "pos"]
    layer = client.get("/v1/models/ner").json()["layers"][0]
    assert layer["name"] == "entity"
    assert layer["options"]["features"] == "'ner'"
    assert client.get("/v1/models/none").status_code == 404


def test_tables_of_the_textbook(service: Open) -> None:
    tables = {
        "labels": ["A", "N"],
        "start": [0.5, 0.5],
        "transitions": [[0.1, 0.9], [0.5, 0.5]],
        "emissions": {"a": [0.2, 0.8], "b": [1, 0]},
        "words": ["a", "b"],
    }
    found = service().post("/v1/tables", json=tables).json()
    # alpha: (.1, .4), then (.1 * .1 + .4 * .5) * 1 = .21
    assert found["log_z"] == pytest.approx(-1.5606477, abs=1e-6)
    assert found["forward"][1][1] is None
    assert found["best"] == ["N", "A"]
    bad: dict[str, Any] = {**tables, "start": [1]}
    assert service().post("/v1/tables", json=bad).status_code == 409


def test_a_file_is_scored(service: Open, models: dict[str, str]) -> None:
    import io

    corpus = seqlab.demo_corpus("test")[:20]
    written = io.BytesIO()
    seqlab.write(corpus, written, "conll")
    found = service().post("/v1/evaluate", json={"content": written.getvalue().decode()}).json()
    report = seqlab.load(models["ner"]).evaluate(corpus, "entity")
    assert found["report"]["figures"]["accuracy"] == pytest.approx(report.accuracy)
    assert found["sentences"][0]["wrong"] == max(one["wrong"] for one in found["sentences"])


@pytest.mark.parametrize(
    ("content", "told", "line"),
    [
        ("", "the file holds nothing", 1),
        ("Anna\nsings\n", "no labels to compare with", None),
        (
            "Anna\tB-PER\nsings\n",
            "2 columns expected like in the lines before, found 1 in 'sings'; mend the line",
            2,
        ),
        ("word,label\na,b,c\n", "2 cells expected", 2),
        ("a\0b\tO\n", "binary", 1),
    ],
)
def test_files_that_cannot_be_read_say_where(
    service: Open, content: str, told: str, line: int | None
) -> None:
    found = service().post("/v1/evaluate", json={"content": content})
    problem = found.json()
    assert found.status_code == 409
    assert told in problem["detail"]
    assert "=" not in problem["detail"]  # no options of Python
    assert "<stream>" not in problem["detail"]
    assert problem.get("place", {}).get("line") == line


def test_a_file_is_corrected_and_else_left_alone(service: Open) -> None:
    client = service()
    rows = [
        "# sent_id = 1",
        "1\tAnna\tAnna\tNOUN\t_\t_\t0\troot\t_\t_",
        "2\tsings\tsing\tVERB\t_\t_\t1\tdep\t_\tA=b",
        "",
    ]
    asked = {"content": "\n".join(rows) + "\n", "column": "upos", "labels": {"0": {"0": "PROPN"}}}
    found = client.post("/v1/correct", json=asked)
    assert found.headers["content-type"].startswith("text/plain")
    assert found.text == asked["content"].replace("NOUN", "PROPN")
    asked = {"content": "Anna\tX\t_\n\nsings\tY\tO\n", "labels": {"1": {"0": "B"}}}
    assert client.post("/v1/correct", json=asked).text == "Anna\tX\t_\n\nsings\tY\tB\n"
    for labels, status in (
        ({"2": {"0": "B"}}, 409),
        ({"0": {"9": "B"}}, 409),
        ({"0": {"0": "a\tb"}}, 409),
        ({"0": {"-1": "B"}}, 422),
        ({"0": {"0": 1}}, 422),
        ({"0": []}, 422),
        ([], 422),
    ):
        assert client.post("/v1/correct", json={**asked, "labels": labels}).status_code == status, labels


def test_learning_changes_the_model_and_keeps_the_file(
    service: Open, models: dict[str, str], tmp_path: Any
) -> None:
    import shutil
    from pathlib import Path

    path = tmp_path / "own.model"
    shutil.copy(models["ner"], path)
    before = path.read_bytes()
    told = {"sentences": [{"tokens": ["Zzz", "sings"], "labels": ["B-PER", "O"]}] * 3}
    assert service(models=(("own", str(path)),)).post("/v1/learn", json=told).status_code == 403
    client = service(models=(("own", str(path)),), learn=True)
    version = client.get("/v1/models/own").json()["version"]
    found = client.post("/v1/learn", json=told).json()
    assert client.get("/v1/models/own").json()["version"] != version
    assert path.read_bytes() == before
    saved = seqlab.load(Path(tmp_path) / found["saved"])
    assert (
        saved.tag(["Zzz", "sings"])
        == client.post("/v1/tag", json={"tokens": ["Zzz", "sings"]}).json()["labels"]
    )


def test_a_model_of_a_table_is_asked_and_taught_by_words(service: Open, tmp_path: Any) -> None:
    words = [list(one["word"]) for one in seqlab.demo_corpus("train")[:60]]
    numbers = [[str(t + 1) for t in range(len(one))] for one in words]
    labels = [["LONG" if len(word) > 4 else "SHORT" for word in one] for one in words]
    corpus = seqlab.Corpus.from_lists(id=numbers, form=words, kind=labels)
    seqlab.CRF("pos", seqlab.LBFGS(max_iterations=5)).fit(corpus, "kind").save(tmp_path / "table.model")
    client = service(models=(("table", str(tmp_path / "table.model")),), learn=True)
    told = {"sentences": [{"tokens": words[0], "labels": labels[0]}]}
    assert client.post("/v1/learn", json=told).status_code == 200
    plain, named = words[0], [{"id": "1", "form": word} for word in words[0]]
    found = [client.post("/v1/tag", json={"tokens": one}).json()["labels"] for one in (plain, named)]
    assert found[0] == found[1]


def test_a_model_that_comes_with_seqlab_is_not_opened_again_and_again() -> None:
    served, told = Models((("en-demo", "en-demo"),)), []
    before = served.get("en-demo")
    served.refresh(lambda name, error: told.append((name, error)))
    assert (served.get("en-demo"), told) == (before, [])
    served.refresh(lambda name, error: told.append((name, error)), force=True)
    assert told == [("en-demo", None)]

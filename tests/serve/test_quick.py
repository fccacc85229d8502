"""Batches of words, which the core reads and writes itself, have the answers of the general way."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqlab
from seqlab import _core
from seqlab.serve import Limits, answers
from seqlab.serve.models import Models
from seqlab.serve.quick import labelled
from serve.conftest import Open

WORDS = st.text(max_size=6).filter(lambda one: one.isprintable() or "\n" in one or "\0" in one)
JSON = {"content-type": "application/json"}


def read(body: bytes) -> tuple[str | None, list[list[str]]] | None:
    found = _core.read_json_batch(body)
    if found is None:
        return None
    model, codes, offsets, pool, longest = found
    words = [pool.string(code) for code in codes.tolist()]
    bounds = offsets.tolist()
    sentences = [words[a:b] for a, b in itertools.pairwise(bounds)]
    assert longest == max(map(len, sentences), default=0)
    return model, sentences


@given(st.lists(st.lists(WORDS, max_size=4), max_size=4), st.none() | WORDS, st.booleans(), st.integers(0, 2))
def test_it_reads_what_python_reads(
    batch: list[list[str]], model: str | None, ascii_only: bool, indent: int
) -> None:
    asked: dict[str, Any] = {"batch": batch} if model is None else {"model": model, "batch": batch}
    body = json.dumps(asked, ensure_ascii=ascii_only, indent=indent or None).encode()
    assert read(body) == (model, batch)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{}",
        "[]",
        '{"batch"}',
        '{"batch": [["a"]]',
        '{"batch": [["a"]]} x',
        '{"batch": [["a",]]}',
        '{"batch": [["a"],]}',
        '{"batch": [["a"]],}',
        '{"batch": ["a"]}',
        '{"batch": [[1]]}',
        '{"batch": [[null]]}',
        '{"batch": [[["a"]]]}',
        '{"batch": [{"tokens": ["a"]}]}',
        '{"batch": [["a"]], "batch": [["b"]]}',
        '{"model": "a", "model": "b", "batch": []}',
        '{"batch": [], "model": null}',
        '{"batch": [["a"]], "n": 3}',
        '{"model": "a"}',
        '{"batch": [["\\ud800"]]}',
        '{"batch": [["\\udc00\\ud800"]]}',
        '{"batch": [["\\ud800\\u0041"]]}',
        '{"batch": [["\\u00g0"]]}',
        '{"batch": [["\\u00"]]}',
        '{"batch": [["\\x"]]}',
        '{"batch": [["a\tb"]]}',
        '{"batch": [["a\nb"]]}',
        '{"batch": [["a',
        '{"batch": [["a\\',
        '{"batch": [["\\ud83d\\',
        "\ufeff" + '{"batch": [["a"]]}',
    ],
)
def test_it_leaves_everything_else_alone(body: str) -> None:
    assert read(body.encode()) is None


@pytest.mark.parametrize(
    "body", [b'{"batch": [["\xff"]]}', b'{"batch": [["\xed\xa0\x80"]]}', b"\x00{", b"\xff\xfe{"]
)
def test_bytes_that_are_no_text_are_left_alone(body: bytes) -> None:
    assert _core.read_json_batch(body) is None


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_left_alone(body: bytes) -> None:
    _core.read_json_batch(b'{"batch":[["' + body)


def numbered(train: Any) -> Any:
    """Make a corpus whose first column holds no words, as in CoNLL-U."""
    columns = [[list(one[name]) for one in train] for name in ("word", "pos")]
    numbers = [[str(t + 1) for t in range(len(one))] for one in columns[0]]
    return seqlab.Corpus.from_lists(id=numbers, form=columns[0], upos=columns[1])


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Models of several families, one with whole numbers as labels, one whose labels need escapes."""
    folder, train = tmp_path_factory.mktemp("kinds"), seqlab.demo_corpus("train")[:60]
    X = [list(one["word"]) for one in train]
    short = seqlab.LBFGS(max_iterations=3)
    taggers = {
        "hmm": seqlab.HMM().fit(train, "pos"),
        "frequent": seqlab.MostFrequentTag().fit(train, "pos"),
        "second": seqlab.CRF("pos", short, order=2).fit(train[:10], "pos"),
        "numbers": seqlab.CRF("pos", short).fit(X, [[len(w) % 3 for w in one] for one in X]),
        "reranked": seqlab.Reranker(seqlab.HMM(), n=3, folds=2).fit(train, "pos"),
        "odd": seqlab.CRF("pos", short).fit(
            X, [['<"\\\n>' if len(w) % 2 else "ü" for w in one] for one in X]
        ),
        "numbered": seqlab.CRF("pos", short).fit(numbered(train), "upos"),
        "counted": seqlab.HMM().fit(numbered(train), "upos"),
    }
    for name, tagger in taggers.items():
        tagger.save(folder / f"{name}.model")
    return {name: str(folder / f"{name}.model") for name in taggers}


def test_labels_are_those_of_predict(service: Open, kinds: dict[str, str]) -> None:
    client = service(models=tuple(kinds.items()))
    batch = [["Anna", "sings", "."], [], ["ü", "😀", "", "\n"]]
    for name, path in kinds.items():
        found = client.post("/v1/tag", json={"batch": batch, "model": name}).json()
        assert found["model"] == name
        wanted = [list(map(str, labels)) for labels in seqlab.load(path).predict(batch)]
        assert [one["labels"] for one in found["results"]] == wanted
        one_by_one = [client.post("/v1/tag", json={"tokens": one, "model": name}).json() for one in batch]
        assert [one["labels"] for one in found["results"]] == [one["labels"] for one in one_by_one]


def test_limits_and_names_are_those_of_other_requests(service: Open, models: dict[str, str]) -> None:
    served = Models(tuple(models.items()))
    body = json.dumps({"batch": [["a"], ["b", "c"]]}).encode()
    assert labelled(body, served, Limits()) is not None
    assert labelled(body, served, Limits(batch=1)) is None
    assert labelled(body, served, Limits(tokens=1)) is None
    client = service(limits={"tokens": 1})
    found = client.post("/v1/tag", content=body, headers=JSON)
    assert (found.status_code, found.json()["place"]) == (422, {"sentence": 1})
    assert client.post("/v1/tag", json={"batch": [["a"]], "model": "none"}).status_code == 404


def test_every_step_and_token_is_counted(service: Open) -> None:
    client = service()
    client.post("/v1/tag", json={"batch": [["a", "b"], ["c"]]})
    client.post("/v1/tag", json={"text": "Anna sings."})
    text = client.get("/metrics").text
    assert 'seqlab_tokens_total{model="ner"} 6' in text
    for step in ("read", "wait", "answer", "write"):
        assert f'seqlab_step_seconds_count{{step="{step}"}} 2' in text


def test_models_say_what_they_cannot_answer(service: Open, kinds: dict[str, str]) -> None:
    client = service(models=tuple(kinds.items()))
    for name in kinds:
        asked = {"tokens": ["Anna", "sings"], "model": name}
        for question in answers.ASKED:
            assert client.post(f"/v1/{question}", json=asked).status_code in {200, 409}, (name, question)
        label = client.post("/v1/tag", json=asked).json()["labels"][0]
        found = client.post("/v1/tag", json={**asked, "known": {"0": label}})
        assert found.status_code == (409 if name == "reranked" else 200)
        for more in ("", "/weights", "/weights?search=a", "/training"):
            assert client.get(f"/v1/models/{name}{more}").status_code in {200, 409}, (name, more)
        content = {"content": "Anna\tPROPN\nsings\tVERB\n", "model": name}
        assert client.post("/v1/evaluate", json=content).status_code in {200, 409}, name

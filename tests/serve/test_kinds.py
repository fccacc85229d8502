"""Models without weights of features, of vectors and of attributes: each question has an answer, or says why not."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seqlab
from serve.conftest import Open

WORDS = ["Anna", "lives", "in", "Paris", "."]
VECTORS = [[0.5, 1.5], [0.1, 0.2], [3.0, -1.0]]


@pytest.fixture(scope="session")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Files of models of several families."""
    folder, train = tmp_path_factory.mktemp("others"), seqlab.demo_corpus("train")[:60]
    words = [list(one["word"]) for one in train]
    bags = [[{"w": word, "n": len(word)} for word in one] for one in words]
    drawn = np.random.default_rng(0).normal(size=(5, 20, 2))
    taggers: dict[str, Any] = {
        "frequent": seqlab.MostFrequentTag().fit(train, "pos"),
        "first": seqlab.HMM(order=1).fit(train, "pos"),
        "second": seqlab.HMM(order=2).fit(train, "pos"),
        "vectors": seqlab.HMM(emissions=seqlab.Gaussian()).fit(
            list(drawn), [["a", "b", "b", "a", "a"] * 4] * 5
        ),
        "bags": seqlab.CRF(None, seqlab.LBFGS(max_iterations=3)).fit(
            bags, [list(one["pos"]) for one in train]
        ),
        "reranked": seqlab.Reranker(seqlab.HMM(), n=3, folds=2).fit(train, "pos"),
    }
    for name, tagger in taggers.items():
        tagger.save(folder / f"{name}.model")
    return {name: str(folder / f"{name}.model") for name in taggers}


@pytest.mark.parametrize("name", ["frequent", "first", "second", "vectors"])
@pytest.mark.parametrize("known", [False, True])
def test_parts_of_an_explanation_add_up_to_the_log_odds(
    service: Open, others: dict[str, str], name: str, known: bool
) -> None:
    client = service(models=((name, others[name]),))
    asked: dict[str, Any] = {"tokens": VECTORS if name == "vectors" else WORDS}
    if known:
        asked["known"] = {"0": client.post("/v1/tag", json=asked).json()["labels"][0]}
    sums = client.post("/v1/posterior", json=asked).json()
    chances = dict(zip(sums["labels"], sums["posterior"][1], strict=True))
    least = min((one for one in chances if chances[one] > 0), key=lambda label: chances[label])
    for more in ({}, {"rival": least}):
        found = client.post("/v1/explain", json={**asked, "at": 1, **more}).json()
        assert found["label"] == client.post("/v1/tag", json=asked).json()["labels"][1]
        odds = math.log(chances[found["label"]]) - math.log(chances[found["rival"]])
        assert found["log_odds"] == pytest.approx(odds, abs=1e-9)
        assert sum(one["difference"] for one in found["parts"]) == pytest.approx(odds, abs=1e-9)
        parts = {"word", "around"} if name == "second" else {"word", "before", "after"}
        assert {one["part"] for one in found["parts"]} == parts


def test_labels_that_cannot_be_compared(service: Open, others: dict[str, str]) -> None:
    client = service(models=(("first", others["first"]),))
    asked = {"tokens": WORDS, "at": 0}
    assert client.post("/v1/explain", json={**asked, "at": 5}).status_code == 404
    assert client.post("/v1/explain", json={**asked, "rival": "none"}).status_code == 404
    assert client.post("/v1/explain", json={**asked, "label": "VERB", "rival": "VERB"}).status_code == 409
    found = client.post("/v1/explain", json={**asked, "known": {"0": "VERB"}, "rival": "NOUN"})
    assert (found.status_code, "possible there" in found.json()["detail"]) == (409, True)


def test_what_a_model_has_not_got_is_told_without_words_of_python(
    service: Open, others: dict[str, str]
) -> None:
    client = service(models=(("reranked", others["reranked"]),))
    for question in ("trellis", "steps", "explain"):
        found = client.post(
            f"/v1/{question}", json={"tokens": WORDS, "at": 0} if question == "explain" else {"tokens": WORDS}
        )
        assert found.status_code == 409
        assert "attribute" not in found.json()["detail"]


def test_numbers_too_large_for_a_float_are_refused(service: Open, others: dict[str, str]) -> None:
    client = service(models=(("vectors", others["vectors"]),))
    found = client.post("/v1/tag", json={"tokens": [[10**400, 1]]})
    assert (found.status_code, found.json()["place"]) == (422, {"sentence": 0})


def test_cells_of_objects_are_written_as_conll(service: Open, others: dict[str, str]) -> None:
    client = service(models=(("bags", others["bags"]),))
    asked = {"tokens": [{"w": "Anna", "n": 4}, {"w": "sings"}]}
    labels = client.post("/v1/tag", json=asked).json()["labels"]
    found = client.post("/v1/tag", json=asked, headers={"accept": "text/plain"}).text
    assert found == f"Anna\t4\t{labels[0]}\nsings\t_\t{labels[1]}\n\n"


def test_a_file_that_cannot_be_opened_does_not_keep_others_from_it(
    others: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from seqlab.serve import models

    served, told = models.Models(tuple(others.items())[:2]), []
    opened = models.opened

    def one_fails(name: str, path: str) -> Any:
        if name == "frequent":
            raise MemoryError("no room")
        return opened(name, path)

    monkeypatch.setattr(models, "opened", one_fails)
    before = served.get("frequent")
    served.refresh(lambda name, error: told.append((name, type(error))), force=True)
    assert told == [("frequent", MemoryError), ("first", type(None))]
    assert served.get("frequent") is before


def test_what_labels_nothing_is_refused(tmp_path: Path) -> None:
    from seqlab.errors import OptionError
    from seqlab.serve.models import Models

    path = tmp_path / "chain.model"
    seqlab.MarkovChain(order=1).fit([["a", "b", "a"]]).save(path)
    with pytest.raises(OptionError, match="holds a MarkovChain, which labels nothing"):
        Models((("chain", str(path)),))

"""Folders for a model hub: three files, read again by seqlab.load and by safetensors."""

import json
from pathlib import Path

import pytest

import seqlab
from seqlab.cli import main
from seqlab.errors import NotFittedError, OptionError
from seqlab.text import documents_of

TRAIN, TEST = seqlab.demo_corpus("train")[:150], seqlab.demo_corpus("test")[:40]


@pytest.fixture(scope="module")
def tagger() -> seqlab.Tagger:
    return seqlab.LinearTagger("ner", learner=seqlab.Perceptron(epochs=2)).fit(TRAIN, "entity")


def test_a_tagger_as_a_folder(
    tagger: seqlab.Tagger, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "names"
    report = tagger.evaluate(TEST)
    tagger.save_pretrained(folder, report=report)
    assert sorted(one.name for one in folder.iterdir()) == ["README.md", "config.json", "model.safetensors"]
    assert seqlab.load(folder).predict(TEST) == tagger.predict(TEST)
    config = json.loads((folder / "config.json").read_text())
    assert config["library_name"] == "seqlab"
    assert config["labels"] == {"entity": list(tagger.labels_)}
    assert config["evaluation"]["f1"] == pytest.approx(report.spans.f1)
    card = (folder / "README.md").read_text()
    assert card.startswith("---\nlibrary_name: seqlab\npipeline_tag: token-classification\n")
    assert report.text() in card
    assert f"value: {report.accuracy:.6f}" in card
    safetensors = pytest.importorskip("safetensors.numpy")
    assert safetensors.load_file(folder / "model.safetensors")
    assert main(["tag", str(folder), "-s", "Anna Weber left"]) == 0
    assert main(["eval", str(folder), "demo:test"]) == 0


def test_the_card_is_yaml_and_markdown(tagger: seqlab.Tagger, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    tagger.save_pretrained(tmp_path / "m", report=tagger.evaluate(TEST), name='an "odd": name')
    head = yaml.safe_load((tmp_path / "m" / "README.md").read_text().split("---\n")[1])
    assert head["model-index"][0]["name"] == 'an "odd": name'
    assert {one["type"] for one in head["model-index"][0]["results"][0]["metrics"]} >= {"f1", "accuracy"}


def test_a_pipeline_as_a_folder(tagger: seqlab.Tagger, tmp_path: Path) -> None:
    pipe = tagger.with_text()
    gold = documents_of(TEST, ["entity"])
    report = seqlab.evaluate(gold, list(pipe.many([one.text for one in gold])))
    pipe.save_pretrained(tmp_path / "p", report=report)
    again = seqlab.load(tmp_path / "p")
    assert again(gold[0].text).spans == pipe(gold[0].text).spans
    assert "strict" in (tmp_path / "p" / "README.md").read_text()


def test_what_cannot_be_written(tagger: seqlab.Tagger, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="report is what evaluate"):
        tagger.save_pretrained(tmp_path / "x", report=0.9)
    assert not (tmp_path / "x").exists()
    with pytest.raises(NotFittedError):
        seqlab.CRF("ner").save_pretrained(tmp_path / "x")

"""Files of tokenisers and pipelines of earlier versions load, and cut and label text as they did.

`python tests/formats/test_text_models.py` writes those of a new version; files that are there stay.
"""

import json
from pathlib import Path

import pytest

import seqlab

FOLDER = Path(__file__).parent / "text_models"
ANSWERS = FOLDER / "answers.json"
TEXTS = [
    "Anna Weber doesn't live in New York. She left! Dr. No paid $1,000.50 (3.5%).",
    "See https://example.org/a, or mail anna@example.org 👩‍👩‍👧.\n\nNew paragraph; 日本語。 the end",
    "\ufeffodd\x00 \ud800 text\r\n\r\n",
]


def answers(model):
    """Places, sentences and labels of all texts."""
    return [
        {
            "begins": document.begins.tolist(),
            "ends": document.ends.tolist(),
            "sentences": document.offsets.tolist(),
            "joined": document.joined.tolist(),
            "labels": {layer.name: list(layer.labels) for layer in document.layers},
            "spans": {layer.name: [list(span[:3]) for span in layer.spans] for layer in document.layers},
        }
        for document in map(model, TEXTS)
    ]


TOLD = json.loads(ANSWERS.read_text(encoding="utf-8")) if ANSWERS.exists() else {}


@pytest.mark.parametrize("name", sorted(TOLD))
def test_an_old_file_answers_as_it_did(name, tmp_path):
    model = seqlab.load(FOLDER / f"{name}.safetensors", verify=True)
    assert answers(model) == TOLD[name]
    model.save(tmp_path / "anew.safetensors")
    assert answers(seqlab.load(tmp_path / "anew.safetensors", verify=True)) == TOLD[name]


def test_every_kind_and_every_file_has_answers():
    assert sorted(TOLD) == sorted(path.stem for path in FOLDER.glob("*.safetensors"))
    kinds = {type(seqlab.load(FOLDER / f"{name}.safetensors")).__name__ for name in TOLD}
    assert kinds == {"Pipeline", "RuleTokeniser", "TrainedTokeniser"}


def write_models():
    """Write a file of each kind that is not there yet, and its answers."""
    from seqlab.text import detokenise

    train = seqlab.demo_corpus("train")[:150]
    words = train.column("word")
    trained = seqlab.TrainedTokeniser.train([detokenise(words[i : i + 5]) for i in range(0, len(words), 5)])
    pos = seqlab.LinearTagger("pos", seqlab.Perceptron(epochs=2)).fit(train, "pos")
    names = seqlab.CRF("ner", seqlab.SGD(epochs=3), constraints="IOB2").fit(train, "entity")
    layers = {
        "tags": pos.prune(threshold=1.0, storage="int8"),
        "names": names.prune(threshold=0.05, storage="int8"),
    }
    made = {
        "rules-1": seqlab.RuleTokeniser(),
        "rules-1-options": seqlab.RuleTokeniser(
            clitics=False, split_hyphens=True, lines=True, titles=("hr",)
        ),
        "trained-1": trained,
        "pipeline-1": seqlab.Pipeline(trained, layers, about="for tests"),
        "pipeline-1-rules": seqlab.Pipeline(None, probabilities=False),
    }
    told = dict(TOLD)
    for name, model in made.items():
        path = FOLDER / f"{name}.safetensors"
        if not path.exists():
            model.save(path)
            told[name] = answers(seqlab.load(path))
    ANSWERS.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_models()

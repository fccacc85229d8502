"""The component of spaCy, with the real spaCy and blank models."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import seqlab
from seqlab.errors import OptionError, SeqlabError
from seqlab.text import corpus_of

spacy = pytest.importorskip("spacy")
from spacy.tokens import DocBin  # noqa: E402

from seqlab.compat import spacy as ours  # noqa: E402

TEXT = "Anna Weber lives in New York.  She left.\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("spacy") / "names.model"
    tagger = seqlab.CRF("ner", constraints="IOB2", learner=seqlab.LBFGS(max_iterations=20))
    tagger.fit(seqlab.demo_corpus("train")[:600], "entity").with_text().save(path)
    return str(path)


@pytest.fixture
def nlp(model: str) -> Any:
    made = spacy.blank("en")
    made.add_pipe("seqlab", config={"model": model})
    return made


def test_the_entry_point_names_the_factory() -> None:
    root = Path(__file__).parents[2]
    points = tomllib.loads((root / "pyproject.toml").read_text())["project"]["entry-points"][
        "spacy_factories"
    ]
    assert points == {"seqlab": "seqlab.compat.spacy:make"}
    assert callable(ours.make)


def test_spacy_finds_it_by_the_entry_point(model: str, tmp_path: Path) -> None:
    info = tmp_path / "seqlab_point-0.dist-info"  # of an installed package; the tests may run from a checkout
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: seqlab-point\nVersion: 0\n")
    (info / "entry_points.txt").write_text("[spacy_factories]\nseqlab = seqlab.compat.spacy:make\n")
    program = (
        "import spacy; nlp = spacy.blank('en'); "
        f"nlp.add_pipe('seqlab', config={{'model': {model!r}}}); print(nlp({TEXT!r}).ents)"
    )
    path = os.pathsep.join([str(tmp_path), *(one for one in sys.path if one)])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "(Anna Weber, New York)\n", done.stderr


def test_entities_spans_and_sentences(nlp: Any, model: str) -> None:
    doc = nlp(TEXT)
    assert [(one.text, one.label_) for one in doc.ents] == [("Anna Weber", "PER"), ("New York", "LOC")]
    group = doc.spans["entity"]
    assert [one.text for one in group] == ["Anna Weber", "New York"]
    tokens = [[(t.idx, t.idx + len(t)) for t in one if not t.is_space] for one in doc.sents]
    found = seqlab.load(model)(TEXT, tokens=tokens)
    assert list(group.attrs["scores"]) == pytest.approx([one.probability for one in found.spans])
    assert len(list(doc.sents)) == 2


def test_many_documents_are_labelled_alike(nlp: Any) -> None:
    texts = [TEXT, "", "  ", "Bob met Anna Weber in Rome."] * 3
    one_by_one = [[(e.text, e.label_) for e in nlp(text).ents] for text in texts]
    assert [[(e.text, e.label_) for e in doc.ents] for doc in nlp.pipe(texts, batch_size=2)] == one_by_one


def test_tags_and_every_layer() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("seqlab", config={"model": "en-demo"})
    doc = nlp(TEXT)
    assert doc[0].pos_ == doc[0].tag_ == "PROPN"
    assert set(doc.spans) == {"chunk", "entity"}
    assert [one.text for one in doc.ents] == [one.text for one in doc.spans["entity"]]
    some = spacy.blank("en")
    some.add_pipe("seqlab", config={"model": "en-demo", "layers": ["pos"]})
    assert not some(TEXT).ents


def test_sentences_of_others_are_kept(model: str) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("seqlab", config={"model": model})
    doc = nlp("Anna Weber left! Bob came.")
    assert [one.text for one in doc.sents] == ["Anna Weber left!", "Bob came."]
    assert doc.ents[0].text == "Anna Weber"


def test_the_pipeline_is_stored_whole(nlp: Any, model: str, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "all")
    config = (tmp_path / "all" / "config.cfg").read_text().replace(model, "gone.model")
    (tmp_path / "all" / "config.cfg").write_text(config)
    again = spacy.load(tmp_path / "all")
    assert [one.text for one in again(TEXT).ents] == [one.text for one in nlp(TEXT).ents]
    copy = spacy.blank("en")
    copy.add_pipe("seqlab", config={"model": model})
    copy.from_bytes(nlp.to_bytes())
    assert [one.text for one in copy(TEXT).ents] == [one.text for one in nlp(TEXT).ents]


def test_training_data_from_a_docbin(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    doc = nlp(TEXT)
    doc.set_ents([doc.char_span(0, 10, "PER"), doc.char_span(20, 28, "LOC")])
    DocBin(docs=[doc, nlp("Nothing.")], store_user_data=True).to_disk(tmp_path / "train.spacy")
    documents = ours.documents_of(tmp_path / "train.spacy")
    assert [span[:4] for span in documents[0].spans] == [
        (0, 10, "PER", "Anna Weber"),
        (20, 28, "LOC", "New York"),
    ]
    assert documents[0].text == TEXT
    corpus = corpus_of(documents[:1])
    assert corpus.column("entity")[0][:2] == ["B-PER", "I-PER"]
    tagger = seqlab.CRF("ner").fit(corpus, "entity")
    assert tagger.tag(["Anna", "Weber"]) == ["B-PER", "I-PER"]


def test_what_was_found_comes_back_with_its_probabilities(nlp: Any) -> None:
    (one,) = ours.documents_of([nlp(TEXT)])
    assert one.layer("entity").labels is not None
    assert [span.text for span in one.spans] == ["Anna Weber", "New York"]


def test_what_is_no_model(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("seqlab")
    with pytest.raises(OptionError, match="a model is wanted"):
        nlp("Anna")
    other = spacy.blank("en")
    other.add_pipe("seqlab", config={"model": str(tmp_path / "nothing")})
    with pytest.raises(SeqlabError, match="nothing"):
        other("Anna")

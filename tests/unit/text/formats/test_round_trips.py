"""Texts with spans go to every format and back without a loss."""

import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab.errors import CorpusError
from seqlab.text import Document, RuleTokeniser, corpus_of, documents_of, read_documents, write_documents
from seqlab.text.formats import NAMES, guessed
from seqlab.text.formats.base import named

# Everything that a text may have: line ends of all kinds, NUL, emoji, combining marks; halves of pairs apart.
TEXTS = st.text(
    st.one_of(st.sampled_from("ab .\n\r\t\0\x85\u2028é👍🏽न्"), st.characters(exclude_categories=["Cs"])),
    min_size=1,
    max_size=40,
)
LABELS = st.sampled_from(["PER", "LOC", "ORG-x", "日本"])


@st.composite
def documents(draw: st.DrawFn, texts: st.SearchStrategy[str] = TEXTS) -> Document:
    text = draw(texts)
    ends = st.integers(1, len(text))
    places = draw(
        st.lists(ends.flatmap(lambda e: st.tuples(st.integers(0, e - 1), st.just(e), LABELS)), max_size=4)
    )
    return RuleTokeniser()(text).with_layer("entity", None, places)


FOLDERS = ("brat", "webanno")


def in_tokens(one: Document) -> Document:
    """Leave out spans with blanks at their ends, which WebAnno TSV cannot hold."""
    kept = [span for span in one.spans if covered(one, span.begin) and covered(one, span.end - 1)]
    return one.with_layer("entity", None, kept)


def covered(one: Document, at: int) -> bool:
    return any(token.begin <= at < token.end for token in one.tokens)


def through(some: list[Document], form: str) -> list[Document]:
    with TemporaryDirectory() as folder:
        target = Path(folder) / ("out" if named(form).folders else "out.json")
        write_documents(some, target, form)
        return read_documents(target, form)


def plain(some: list[Document]) -> list[object]:
    return [(one.text, [span[:4] for span in one.spans]) for one in some]


@given(some=st.lists(documents(), min_size=1, max_size=3))
@pytest.mark.parametrize("form", NAMES)
def test_texts_and_spans_come_back(form: str, some: list[Document]) -> None:
    some = [in_tokens(one) for one in some] if form == "webanno" else some
    assert sorted(map(repr, plain(through(some, form)))) == sorted(map(repr, plain(some)))


@given(some=st.lists(documents(), min_size=1, max_size=2))
@pytest.mark.parametrize("first", NAMES)
@pytest.mark.parametrize("second", NAMES)
def test_one_format_after_another(first: str, second: str, some: list[Document]) -> None:
    some = [in_tokens(one) for one in some] if "webanno" in (first, second) else some
    assert plain(through(through(some[:1], first), second)) == plain(some[:1])


@given(one=documents(st.text(st.sampled_from("ab \ud800👍"), min_size=1, max_size=12)))
@pytest.mark.parametrize("form", ["doccano", "prodigy", "labelstudio"])
def test_halves_of_pairs_survive_in_json(form: str, one: Document) -> None:
    assert plain(through([one], form)) == plain([one])


@pytest.mark.parametrize("form", ["doccano", "prodigy", "labelstudio"])
def test_two_halves_that_json_would_join(form: str) -> None:
    with pytest.raises(CorpusError, match="which JSON would read as one"):
        through([Document.from_offsets("a \ud83d\udc4d", [(0, 1)])], form)


@given(one=documents())
def test_prodigy_keeps_tokens_sentences_and_labels(one: Document) -> None:
    given_labels = one.with_layer("pos", [f"T{i % 3}" for i in range(len(one))]).with_layer(
        "entity", None, one.spans
    )
    back = through([given_labels], "prodigy")[0]
    assert back.tokens == one.tokens
    assert back.offsets.tolist() == one.offsets.tolist()
    if len(one):
        assert back.layer("pos").labels == given_labels.layer("pos").labels


@pytest.mark.parametrize("form", NAMES)
def test_names_and_further_fields_survive(form: str) -> None:
    one = Document.from_offsets("Anna left.", [(0, 4)], name="letters/first", meta={"id": 7})
    back = through([one], form)[0]
    assert back.name == "letters/first"
    assert form in FOLDERS or back.meta == {"id": 7}


def test_relations_know_their_spans_afterwards(tmp_path: Path) -> None:
    value = {"start": 0, "end": 4, "text": "Anna", "labels": ["PER"]}
    relation = {"from_id": "q7", "to_id": "q7", "type": "relation", "direction": "right"}
    task = {"data": {"text": "Anna left."}, "predictions": [{"result": []}],
            "annotations": [{"result": [{"id": "q7", "value": value}, relation]}]}  # fmt: skip
    (tmp_path / "a.json").write_text(json.dumps([task]))
    write_documents(read_documents(tmp_path / "a.json"), tmp_path / "b.json", "labelstudio")
    (back,) = json.loads((tmp_path / "b.json").read_text())
    assert [one.get("id") for one in back["annotations"][0]["result"]] == ["q7", None]
    assert back["annotations"][0]["result"][1] == relation
    assert back["predictions"] == [{"result": []}]
    line = {"id": 3, "relations": [{"id": 1, "from_id": 12, "to_id": 12, "type": "is"}], "text": "Anna left.",
            "entities": [{"id": 12, "label": "PER", "start_offset": 0, "end_offset": 4}]}  # fmt: skip
    (tmp_path / "c.jsonl").write_text(json.dumps(line))
    write_documents(read_documents(tmp_path / "c.jsonl"), tmp_path / "d.jsonl", "doccano")
    assert json.loads((tmp_path / "d.jsonl").read_text()) == line


def test_the_format_is_seen_from_the_file(tmp_path: Path) -> None:
    one = RuleTokeniser()("Anna left.").with_layer("entity", None, [(0, 4, "PER")])
    for form in NAMES:
        target = tmp_path / (f"folder {form}" if named(form).folders else f"{form}.jsonl")
        write_documents([one], target, form)
        assert guessed(target) == form
    (tmp_path / "tokens.jsonl").write_text('{"text": ["Anna", "left"], "labels": ["PER", "O"]}\n')
    (tmp_path / "rest.txt").write_text("Anna left.\n")
    assert guessed(tmp_path / "tokens.jsonl") is None
    assert guessed(tmp_path / "rest.txt") is None


def test_names_of_documents_stand_in_files_of_columns(tmp_path: Path) -> None:
    texts = ["Anna left. Bob came.", "He slept."]
    some = [RuleTokeniser()(text).with_layer("entity", None, []) for text in texts]
    named_ones = [Document.from_offsets(d.text, [[(t.begin, t.end) for t in s.tokens] for s in d.sentences], name=n)
                  for d, n in zip(some, ["one", "b/two"], strict=True)]  # fmt: skip
    corpus = corpus_of(named_ones)
    assert corpus.documents.tolist() == [0, 0, 1]
    for form, mark in (("conll", "-DOCSTART- (b/two)\n\n"), ("conllu", "# newdoc id = b/two\n")):
        out = io.BytesIO()
        corpus.write(out, form)
        assert mark in out.getvalue().decode()
        import seqlab

        back = documents_of(seqlab.read(io.BytesIO(out.getvalue()), form))
        assert [(one.text, one.name) for one in back] == list(zip(texts, ["one", "b/two"], strict=True))


def test_documents_survive_from_columns_to_columns(tmp_path: Path) -> None:
    import seqlab

    (tmp_path / "a.txt").write_text(
        "-DOCSTART- -X- O O\n\nAnna NNP B-NP B-PER\n\n-DOCSTART- -X- O O\n\nleft VBD O O\n\n"
    )
    corpus = seqlab.read(tmp_path / "a.txt", "conll")
    corpus.select("word").write(tmp_path / "b.conllu", "conllu")
    assert (tmp_path / "b.conllu").read_text().count("# newdoc") == 2
    assert seqlab.read(tmp_path / "b.conllu").documents.tolist() == [0, 1]


def test_a_pipe_has_no_two_files(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="two files"):
        read_documents(io.BytesIO(b"Anna"), "brat")
    assert guessed(tmp_path / "nothing.jsonl") is None

"""CoNLL-U Plus and token classification of Hugging Face: files whose columns or labels are named elsewhere."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqlab
from seqlab.errors import CorpusError

PLUS = (
    b"# global.columns = ID FORM UPOS PARSEME:MWE\n# newdoc id = d1\n# text = Anna left .\n"
    b"1\tAnna\tPROPN\t*\n2-3\tleft.\t_\t_\n2\tleft\tVERB\t1:X\n3\t.\tPUNCT\t*\n\n# newdoc\n1\tGo\tVERB\t*\n\n"
)
LABELS = st.sampled_from(["O", "B-PER", "I-PER", "B-LOC"])
WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=6)
SENTENCES = st.lists(st.lists(st.tuples(WORDS, LABELS), min_size=1, max_size=4), min_size=1, max_size=4)


def test_plus_is_read_by_its_columns_and_written_again() -> None:
    corpus = seqlab.read(io.BytesIO(PLUS))
    assert corpus.layout.format == "conllup"
    assert corpus.columns == ("id", "word", "upos", "PARSEME:MWE")
    assert corpus.column("PARSEME:MWE") == [["*", "1:X", "*"], ["*"]]
    assert corpus.documents.tolist() == [0, 1]
    out = io.BytesIO()
    corpus.write(out)
    assert out.getvalue() == PLUS


def test_columns_of_plus_can_be_chosen_and_added(tmp_path: Path) -> None:
    corpus = seqlab.read(io.BytesIO(PLUS), columns=["word", "upos"])
    assert corpus.columns == ("word", "upos")
    out = io.BytesIO()
    corpus.with_column("entity", [["B-PER", "O", "O"], ["O"]]).write(out)
    assert out.getvalue().startswith(b"# global.columns = ID FORM UPOS entity\n# newdoc id = d1\n")
    assert seqlab.read(io.BytesIO(out.getvalue())).column("entity")[0][0] == "B-PER"


@given(SENTENCES)
def test_plus_there_and_back(sentences: list[list[tuple[str, str]]]) -> None:
    corpus = seqlab.Corpus.from_lists(sentences, columns=["word", "entity"])
    out = io.BytesIO()
    corpus.write(out, "conllup")
    assert seqlab.read(io.BytesIO(out.getvalue())).select("word", "entity") == corpus


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"1\tAnna\n\n",
            "<stream>:1: CoNLL-U Plus begins with # global.columns = ID FORM ..., found '1\\tAnna'",
        ),
        (
            b"# global.columns = ID FORM\n1\tAnna\tX\n",
            "<stream>:2: 2 columns expected (ID FORM), found 3 in ",
        ),
        (b"# global.columns = ID FORM\n2\tAnna\n", "<stream>:2: the id is '2', but 1 was wanted"),
        (
            b"# global.columns = ID FORM\n1\tAnn\xe9\n",
            "<stream>:2: byte 0xE9 at byte 6 of the line is not UTF-8",
        ),
    ],
)
def test_bad_plus(data: bytes, message: str) -> None:
    with pytest.raises(CorpusError) as found:
        seqlab.read(io.BytesIO(data), "conllup")
    assert str(found.value).startswith(message)


def test_a_stream_of_plus_has_one_header(tmp_path: Path) -> None:
    from seqlab.cli import main

    body = "".join(f"1\tw{i}\tA\n2\tx\tB\n\n" for i in range(8000))
    (tmp_path / "a.conllup").write_text("# global.columns = ID FORM UPOS\n" + body)
    assert main(["train", str(tmp_path / "a.conllup"), "-m", "perceptron", "-i", "1", "-q", "-l", "upos", "-o", str(tmp_path / "m")]) == 0  # fmt: skip  # noqa: E501
    assert (
        main(["tag", str(tmp_path / "m"), str(tmp_path / "a.conllup"), "-o", str(tmp_path / "b.conllup")])
        == 0
    )
    assert (tmp_path / "b.conllup").read_text().count("global.columns") == 1
    blocks = list(seqlab.stream(tmp_path / "b.conllup", block=1 << 16).blocks())
    assert len(blocks) > 1
    assert all(len(one.columns) == 4 for one in blocks)


# ---------------------------------------------------------------------------------------------- Hugging Face


@given(SENTENCES)
def test_labels_by_number_there_and_back(sentences: list[list[tuple[str, str]]]) -> None:
    from tempfile import TemporaryDirectory

    corpus = seqlab.Corpus.from_lists(sentences, columns=["word", "entity"])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "train.jsonl"
        corpus.write(path, "huggingface")
        first = json.loads(path.read_text(encoding="utf-8").split("\n")[0])
        assert list(first) == ["tokens", "ner_tags"]
        assert all(isinstance(one, int) for one in first["ner_tags"])
        back = seqlab.read(path)
        assert back.layout.format == "huggingface"
        assert back == corpus
        again = Path(folder) / "again.jsonl"
        back.write(again)
        assert again.read_bytes() == path.read_bytes()


def test_names_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"tokens": ["Anna"], "ner_tags": [1]}\n')
    assert seqlab.read(path).columns == ("word",)  # as before: numbers may be anything
    with pytest.raises(CorpusError, match=r"a\.jsonl:1: the labels of 'ner_tags' are numbers"):
        seqlab.read(path, "huggingface")
    (tmp_path / "dataset_info.json").write_text('{"features": {"ner_tags": {"feature": {"names": ["O"]}}}}')
    with pytest.raises(CorpusError, match=r"a\.jsonl:1: the label 1 of 'ner_tags' is none of 0 to 0"):
        seqlab.read(path)
    (tmp_path / "dataset_info.json").write_text("[")
    with pytest.raises(CorpusError, match=r"dataset_info\.json: the names of labels cannot be read"):
        seqlab.read(path)


def test_a_stream_has_no_place_for_names() -> None:
    with pytest.raises(CorpusError, match=r"needs dataset_info\.json beside the file"):
        seqlab.demo_corpus("test")[:2].write(io.BytesIO(), "huggingface")


def test_the_names_are_those_of_datasets(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    corpus = seqlab.demo_corpus("test")[:5].select("word", "entity")
    corpus.write(tmp_path / "train.jsonl", "huggingface")
    features = datasets.Features.from_dict(
        json.loads((tmp_path / "dataset_info.json").read_text())["features"]
    )
    lines = [json.loads(line) for line in (tmp_path / "train.jsonl").read_text().splitlines()]
    dataset = datasets.Dataset.from_list(lines, features=features)
    assert seqlab.Corpus.from_arrow(dataset).rename(tokens="word", ner_tags="entity") == corpus


# ---------------------------------------------------------------------------------------------- tables of tokens


def test_the_usual_table_of_kaggle(tmp_path: Path) -> None:
    from seqlab.cli import main
    from seqlab.text import read_documents

    rows = 'Sentence #,Word,POS,Tag\nSentence: 1,Anna,NNP,B-per\n,left,VBD,O\nSentence: 2,"He, too",PRP,O\n'
    (tmp_path / "ner_dataset.csv").write_bytes(rows.replace("Anna", "Ann\xe9").encode("latin-1"))
    command = ["convert", str(tmp_path / "ner_dataset.csv"), str(tmp_path / "a.jsonl"), "--to", "doccano"]
    assert main([*command, "--encoding", "latin-1"]) == 0
    (one,) = read_documents(tmp_path / "a.jsonl")
    assert (one.text, one.spans[0][:3]) == ("Anné left He, too", (0, 4, "per"))

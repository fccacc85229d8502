"""Tables of other libraries become corpora, and corpora become tables: each with the real library."""

import pytest

import seqlab
from seqlab.errors import CorpusError

WORDS, LABELS = [["Anna", "left"], ["Go"]], [["B-PER", "O"], ["O"]]
CORPUS = seqlab.Corpus.from_lists(word=WORDS, entity=LABELS)
ROWS = {"sentence": [7, 7, 8], "word": ["Anna", "left", "Go"], "entity": ["B-PER", "O", "O"]}


def fitted(table: object) -> list[list[str]]:
    """Learn from a table and label it."""
    learner = seqlab.Perceptron(epochs=2)
    return seqlab.LinearTagger("pos", learner).fit(table, "entity").predict(table)


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    assert seqlab.Corpus.from_arrow(polars.DataFrame({"word": WORDS, "entity": LABELS})) == CORPUS
    assert seqlab.Corpus.from_arrow(polars.DataFrame(ROWS)) == CORPUS
    assert polars.from_arrow(CORPUS.to_arrow())["word"].to_list() == WORDS
    enum = polars.DataFrame(ROWS).with_columns(polars.col("entity").cast(polars.Enum(["O", "B-PER"])))
    assert seqlab.Corpus.from_arrow(enum) == CORPUS
    assert fitted(polars.DataFrame(ROWS)) == fitted(CORPUS)
    assert fitted(polars.DataFrame({"word": WORDS, "entity": LABELS}).lazy().collect()) == fitted(CORPUS)


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql(
        "select ['Anna', 'left'] as word, ['B-PER', 'O'] as entity union all select ['Go'], ['O']"
    )
    assert sorted(seqlab.Corpus.from_arrow(relation).column("word")) == sorted(WORDS)
    rows = duckdb.sql(
        "select * from (values (7, 'Anna', 'B-PER'), (7, 'left', 'O'), (8, 'Go', 'O')) t(sentence, word, entity)"
    )
    assert fitted(rows) == fitted(CORPUS)
    made = CORPUS.to_arrow()
    assert made.num_rows == duckdb.sql("select count(*) from made").fetchall()[0][0]


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    assert seqlab.Corpus.from_pandas(pandas.DataFrame(ROWS)) == CORPUS


@pytest.mark.parametrize("make", ["table", "stream"])
def test_arrow(make: str) -> None:
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"word": WORDS, "entity": LABELS})
    small = arrow.DictionaryArray.from_arrays(arrow.array([1, None, 0], arrow.uint8()), ["O", "B-PER"])
    signless = arrow.table({"sentence": [7, 7, 8], "word": ["Anna", "left", "Go"], "entity": small})
    assert seqlab.Corpus.from_arrow(signless).column("entity") == [["B-PER", None], ["O"]]
    assert fitted(table) == fitted(arrow.table(ROWS).to_batches()[0]) == fitted(CORPUS)
    assert seqlab.Corpus.from_arrow(table if make == "table" else CORPUS) == CORPUS
    with pytest.raises(CorpusError, match="none is called 'sentence'"):
        seqlab.Corpus.from_arrow(arrow.table({"word": ["Anna"]}))
    with pytest.raises(CorpusError, match="a table of Arrow or an object"):
        seqlab.Corpus.from_arrow(3)


def test_datasets() -> None:
    datasets = pytest.importorskip("datasets")
    names = datasets.ClassLabel(names=["O", "B-PER"])
    text, label = datasets.Value("string"), names
    features = datasets.Features({"tokens": datasets.Sequence(text), "ner_tags": datasets.Sequence(label)})
    dataset = datasets.Dataset.from_dict({"tokens": WORDS, "ner_tags": [[1, 0], [0]]}, features=features)
    read = seqlab.Corpus.from_arrow(dataset).rename(tokens="word", ner_tags="entity")
    assert read == CORPUS
    turned = seqlab.Corpus.from_arrow(dataset.select([1, 0]))  # rows by number, not a slice
    assert turned.column("tokens") == WORDS[::-1]
    with pytest.raises(CorpusError, match="choose one of them"):
        seqlab.Corpus.from_arrow(datasets.DatasetDict({"train": dataset}))
    assert datasets.Dataset(CORPUS.to_arrow())[0]["word"] == WORDS[0]

"""tag_arrow in engines that work on batches: Polars, DuckDB, Dask, Spark, each with the real library."""

import os
import sys

import pytest

import seqlab
from seqlab import scale

pyarrow = pytest.importorskip("pyarrow")

SENTENCES = 23


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    tagger = seqlab.CRF("chunk", learner=seqlab.LBFGS(max_iterations=3))
    tagger.fit(seqlab.demo_corpus("train")[:100].select("word", "pos", "chunk"), "chunk")
    path = tmp_path_factory.mktemp("model") / "chunks.model"
    tagger.save(path)
    return path


@pytest.fixture(scope="module")
def table():
    """Sentences with their numbers, and one without any word."""
    test = seqlab.demo_corpus("test")[:SENTENCES]
    rows = {name: [*(list(sentence[name]) for sentence in test), []] for name in ("word", "pos")}
    return pyarrow.table({"id": list(range(SENTENCES + 1)), **rows})


@pytest.fixture(scope="module")
def wanted(model):
    return [*seqlab.load(model).predict(seqlab.demo_corpus("test")[:SENTENCES].select("word", "pos")), []]


def test_polars_map_batches(model, table, wanted):
    polars = pytest.importorskip("polars")
    frame = polars.from_arrow(table)
    schema = {**frame.schema, "chunk": polars.List(polars.String)}
    tag = scale.tag_arrow(model, output="chunk")
    found = frame.lazy().map_batches(tag, schema=schema, streamable=True).sort("id").collect()
    assert found["chunk"].to_list() == wanted
    assert tag(frame)["chunk"].to_list() == wanted


def test_duckdb_relations(model, table, wanted):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.register("sentences", table)
        relation = connection.sql("from sentences")
        tagged = scale.tag_arrow(model, output="chunk")(relation)  # noqa: F841  (the query below names it)
        found = connection.sql("select id, chunk from tagged order by id").fetchall()
    assert [row[1] for row in found] == wanted


def test_duckdb_functions(model, table, wanted):
    duckdb = pytest.importorskip("duckdb")
    words = duckdb.list_type("VARCHAR") if hasattr(duckdb, "list_type") else "VARCHAR[]"
    with duckdb.connect() as connection:
        connection.register("sentences", table)
        tag = scale.tag_arrow(model, columns=["word", "pos"])
        connection.create_function("chunks", tag, [words, words], words, type="arrow")
        found = connection.sql("select chunks(word, pos) from sentences order by id").fetchall()
    assert [row[0] for row in found] == wanted


def test_dask_map_partitions(model, table, wanted):
    frames = pytest.importorskip("dask.dataframe")
    import dask

    with dask.config.set({"dataframe.convert-string": False, "scheduler": "threads"}):
        frame = frames.from_pandas(table.to_pandas(), npartitions=3)
        tag = scale.tag_arrow(model, output="chunk")
        found = frame.map_partitions(tag, meta=frame._meta.assign(chunk=object())).compute()
    assert [list(one) for one in found["chunk"]] == wanted
    assert list(found.index) == list(range(SENTENCES + 1))


@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
def test_spark_map_in_arrow(model, table, wanted, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    options = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "5",
        "spark.sql.shuffle.partitions": "1",
    }
    builder = sql.SparkSession.builder.master("local[2]").appName("seqlab")
    try:
        spark = builder.config(map=options).getOrCreate()
    except Exception as error:  # noqa: BLE001  (Java is missing in many ways)
        pytest.skip(f"no Spark here: {error}"[:80])
    try:
        rows = [(row["id"], row["word"], row["pos"]) for row in table.to_pylist()]
        frame = spark.createDataFrame(rows, "id long, word array<string>, pos array<string>")
        kind = "id long, word array<string>, pos array<string>, chunk array<string>"
        found = frame.mapInArrow(scale.tag_arrow(model, output="chunk"), kind).collect()
    finally:
        spark.stop()
    assert [row.chunk for row in sorted(found, key=lambda row: row.id)] == wanted

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

import seqlab
from seqlab import CRF, HMM, LBFGS, MostFrequentTag, compare, demo_corpus, significance
from seqlab.errors import CorpusError, OptionError
from seqlab.tuning import Comparison

TRAIN, TEST = demo_corpus("train")[:80], demo_corpus("test")[:40]
QUICK = CRF("word[0]\nsuffix(word[0],2)", LBFGS(max_iterations=4, start_epochs=0))
MODELS = {"words": MostFrequentTag(), "hidden": HMM(), "field": QUICK}


@pytest.fixture(scope="module")
def table():
    return compare(TRAIN, TEST, MODELS, "pos", bootstrap=50, trials=300)


def test_figures_are_those_of_evaluate(table):
    for name, model in MODELS.items():
        by_hand = seqlab.tuning.trials.fresh(model).fit(TRAIN, "pos")
        report = by_hand.evaluate(TEST, "pos", bootstrap=50)
        assert table[name].report.figures == report.figures
        assert table[name].report.intervals == report.intervals
        assert table[name].size == len(table[name].model.as_bytes())
        assert not model._fitted()


def test_p_is_that_of_significance_against_the_best_and_the_row_before(table):
    gold = TEST.column("pos")
    outputs = [row.model.predict(TEST) for row in table.rows]
    best = max(range(3), key=lambda i: table.rows[i].report.accuracy)
    assert table.best == best
    assert table.rows[best].p_best is None
    assert table.rows[0].p_before is None
    for i, row in enumerate(table.rows):
        if i != best:
            assert row.p_best == significance(gold, outputs[i], outputs[best], trials=300).p_value
        if i:
            assert row.p_before == significance(gold, outputs[i], outputs[i - 1], trials=300).p_value
    assert table["words"].mark == "**"  # 300 trials cannot say less than 1 / 301


def test_text_fits_a_screen_and_marks_the_best(table):
    lines = table.text().splitlines()
    assert max(map(len, lines)) <= 80
    assert [line[2:].split()[0] for line in lines[1:4]] == ["words", "hidden", "field"]
    assert [line.startswith(">") for line in lines[1:4]] == [i == table.best for i in range(3)]
    assert f"{100 * table['field'].report.accuracy:.2f} ±" in lines[3]


def test_wide_tables_fit_too():
    table = compare(TRAIN, TEST, ["baseline", "hmm"], "chunk", bootstrap=50, trials=50)
    assert table.metric == "span_f1"
    slow = tuple(
        replace(row, training_seconds=5000.0, tokens_per_second=1.2e7, size=999_900_000, p_best=0.0001)
        for row in table.rows
    )
    text = replace(table, rows=slow).text()
    assert "span F1" in text
    assert "83.3 min" in text
    assert max(map(len, text.splitlines())) <= 80


def test_json_and_page_have_every_row(table, tmp_path):
    facts = json.loads(table.json())
    assert [model["name"] for model in facts["models"]] == list(MODELS)
    assert facts["best"] == table.rows[table.best].name
    page = table.html(tmp_path / "table.html", title="a < b")
    assert (tmp_path / "table.html").read_text(encoding="utf-8") == page
    assert page.count("<tr") == 1 + 3
    assert "a &lt; b" in page
    assert [*tmp_path.iterdir()] == [tmp_path / "table.html"]


def test_names_stand_for_models_with_features_that_fit():
    table = compare(
        TRAIN.select("word", "chunk"), TEST.select("word", "chunk"), "baseline, crf", bootstrap=0, trials=20
    )
    assert [row.name for row in table.rows] == ["baseline", "crf"]
    assert table["crf"].model.features == "ner"  # no parts of speech to look at
    assert table.rows[0].report.intervals == {}
    chunks = compare(TRAIN, TEST, ["memm"], "chunk", bootstrap=0, trials=20)
    assert chunks["memm"].model.features == "chunk"
    assert "best" not in chunks.text()  # of one


def test_lists_and_models_of_one_class():
    train, test = ((part.column("word"), part.column("pos")) for part in (TRAIN, TEST))
    table = compare(train, test, [MostFrequentTag(), MostFrequentTag(unknown="rare")], bootstrap=0, trials=20)
    assert [row.name for row in table.rows] == ["MostFrequentTag", "MostFrequentTag 2"]
    assert table.rows[0].report.unseen_accuracy is not None
    assert isinstance(table, Comparison)
    with pytest.raises(KeyError, match="there is no model 'crf'"):
        table["crf"]


def test_a_model_that_cannot_be_saved_has_no_size():
    class Unsaved(MostFrequentTag):
        def as_bytes(self):
            raise seqlab.errors.StoreError("not this one")

    assert compare(TRAIN, TEST, [Unsaved()], "pos", bootstrap=0, trials=20).rows[0].size is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"models": ["crff"]}, "there is no model 'crff'; the names are baseline, hmm"),
        ({"models": []}, "nothing to compare"),
        ({"models": [3]}, "is no tagger but 3"),
        ({"metric": "span_f1"}, "these labels are no tags"),
        ({"metric": 0}, "metric must be 'accuracy'"),
        ({"metric": ""}, "metric must be 'accuracy'"),
        ({"test": TEST[:0]}, "no token"),
        ({"train": [["a"]]}, "must be corpora, or"),
        ({"train": (TRAIN.column("word"), TRAIN.column("pos")), "models": ["crf"]}, "pass features="),
    ],
)
def test_what_cannot_be_compared_is_refused(options, message):
    with pytest.raises(OptionError, match=message):
        compare(**{"train": TRAIN, "test": TEST, "models": MODELS, "y": "pos", **options})


def test_a_column_that_is_not_there():
    with pytest.raises((OptionError, CorpusError), match="upos"):
        compare(TRAIN, TEST, MODELS, "upos")


def test_small_words(table):
    row = table.rows[0]
    marks = [replace(row, p_best=p).mark for p in (None, 0.2, 0.04, 0.009, 0.0009)]
    assert marks == ["", "", "*", "**", "***"]
    costs = [
        replace(row, training_seconds=seconds, tokens_per_second=rate, size=size).costs()
        for seconds, rate, size in ((0.0123, 912, None), (2.34, 23456, 1500), (200, 1.25e6, 2_500_000))
    ]
    assert costs == [["12 ms", "912", "-"], ["2.3 s", "23 k", "2 kB"], ["3.3 min", "1.2 M", "2.5 MB"]]


def test_half_a_training_is_compared_with_nothing():
    class Stopped(MostFrequentTag):
        def fit(self, X, y, **options):
            super().fit(X, y, **options)
            self.history_ = SimpleNamespace(reason="interrupted")
            return self

    with pytest.raises(KeyboardInterrupt):
        compare(TRAIN, TEST, [Stopped()], "pos", bootstrap=0, trials=20)

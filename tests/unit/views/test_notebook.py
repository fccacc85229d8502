"""Objects in a notebook: HTML that is whole, escaped and short; reprs of one line; DataFrames."""

import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import seqlab
from seqlab.corpus import Corpus, demo_corpus
from seqlab.evaluation import evaluate
from seqlab.inference import posterior
from seqlab.shown import LONGEST, exact
from seqlab.trellis import Trellis
from seqlab.views.notebook import ROWS, fragment
from unit.views.notebook_objects import SENTENCE, objects

NO_HTML = {"token", "trellis", "samples"}  # a trellis is a picture
SHOWN = sorted(set(objects()) - NO_HTML)
TAGGERS = {
    *("crf", "second", "unfitted", "perceptron", "memm", "hmm", "first_hmm", "hidden", "local", "baseline"),
    *("chain", "reranker", "mixture", "means"),
}
NASTY = "<script>alert('&amp;\"')</script>"


class Whole(HTMLParser):
    """Tags that are open, all that were met, and the text between them."""

    def __init__(self, page):
        super().__init__()
        self.open, self.met, self.text = [], set(), ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.met.add(tag)
        assert not any(name in {"src", "href"} or name.startswith("on") for name, _ in attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read(page):
    """The fragment, which must be whole, small, and of tags that cannot ask for anything."""
    assert "http" not in page
    assert "url(" not in page
    found = Whole(page)
    assert found.open == []
    tags = {"style", "div", "p", "table", "thead", "tbody", "tr", "th", "td", "span", "small", "bdi", "mark"}
    assert found.met <= tags
    return found.text


@pytest.mark.parametrize("name", SHOWN)
def test_everything_shows_itself(name):
    page = objects()[name]._repr_html_()
    assert read(page)
    assert len(page) < 20_000
    assert page.startswith("<style>.seqlab ")  # rules that touch nothing else on the page
    assert all(" .seqlab" in f" {rule}" for rule in page[7 : page.index("</style>")].split("}")[:-1])


CONTENT = {
    "corpus": ["60 sentences", "word", "entity", "Down", "55 more sentences"],
    "sentence": ["Down", "ADP", "B-PP"],
    "crf": ["CRF, fitted", "LBFGS(max_iterations=4)", "labels_", "LinearModel(", "seed=0"],
    "unfitted": ["CRF, not fitted yet", "order=1"],
    "hidden": ["HMM, fitted", "n_states", "history_"],
    "reranker": ["Reranker, fitted", "generator"],
    "report": ["20 sentences", "accuracy", "NOUN", "weighted avg"],
    "spans": ["span F1 (strict)", "low", "Spans by type", "PER"],
    "history": ["4 iterations", "objective", "dev_score"],
    "posterior": ["position", "NOUN", "10 labels of 17"],
    "nbest": ["rank", "probability", "DET"],
    "explanation": ["Why is", "word[0]=old", "adds"],
    "pruned": ["weights", "before", "after", "score"],
    "check": ["overlap", "are in train too"],
    "tuning": ["2 trials", "param_learner__l2", "train_score"],
    "comparison": ["2 models", "baseline", "best", "tokens/s"],
}


@pytest.mark.parametrize("name", sorted(CONTENT))
def test_it_shows_what_matters(name):
    text = read(objects()[name]._repr_html_())
    assert [word for word in CONTENT[name] if word not in text] == []


def test_what_users_wrote_is_escaped():
    words, labels = [[NASTY, "b"], ["c"]] * 3, [[NASTY, "B"], ["B"]] * 3
    corpus = Corpus.from_lists({"word": words, "label": labels})
    tagger = seqlab.CRF("word[0]", constraints=[(NASTY, NASTY)]).fit(corpus, "label")
    shown = [
        corpus,
        corpus[0],
        tagger,
        seqlab.CRF(NASTY),
        tagger.evaluate(corpus),
        tagger.evaluate(corpus).confusion,
        tagger.posterior(words[0]),
        tagger.nbest(words[0]),
        tagger.explain(words[0], 0),
        seqlab.check(corpus),
        seqlab.tune(tagger, corpus, "label", search={"features": [f"'{'<b>'}'", "word[0]"]}, folds=2),
        seqlab.compare(corpus, corpus, {NASTY: tagger}, "label", bootstrap=0),
    ]
    for one in shown:
        page = one._repr_html_()
        read(page)
        assert "<script" not in page
        assert "<b>" not in page
    assert all(NASTY in read(one._repr_html_()) for one in (shown[0], shown[1], shown[4], shown[6]))


def test_bags_vectors_and_missing_cells_are_shown():
    vectors = [np.arange(600.0).reshape(2, 300)]
    corpus = Corpus.from_lists({"word": [["a", ""]], "bag": [[{"x": 1.0}, {}]]}).with_column("v", vectors)
    assert "{'x': 1.0}" in read(corpus._repr_html_())
    assert list(corpus[0].to_frame().columns) == ["word", "bag", "v"]
    assert read(fragment([{"a": [None, float("nan"), 1e-9, 12345678, True]}])).endswith("1e-0912,345,678yes")


def test_large_ones_are_short_and_quick():
    many = Corpus.join([demo_corpus("train")] * 600)
    assert len(many) > 1_000_000
    assert len(many._repr_html_()) < 12_000
    assert f"{len(many) - 5:,} more sentences" in many._repr_html_()
    long = Corpus.from_lists({"word": [["w"] * 200_000]})
    assert len(long[0]._repr_html_()) < 12_000
    assert "199,940 more" in long._repr_html_()
    assert len(repr(long[0])) < LONGEST
    labels = [[f"L{i}" for i in range(3000)]]
    report = evaluate(labels, [labels[0][::-1]])
    assert len(report._repr_html_()) < 10_000
    assert "2,984 rarer" in report._repr_html_()
    assert len(report.confusion._repr_html_()) < 10_000
    wide = posterior(Trellis(np.zeros((5000, 300)), np.zeros((300, 300))))
    assert len(wide._repr_html_()) < 20_000
    assert f"{5000 - ROWS:,} more" in wide._repr_html_()


# ------------------------------------------------------------------------------------------------ reprs


def parts(name, one, met, depth=0):
    """Everything of ours that public attributes of an object lead to, with the way to it."""
    if id(one) in met or depth > 5:
        return
    met[id(one)] = one
    if isinstance(one, (list, tuple)) and type(one).__module__ == "builtins":
        for i, inner in enumerate(one[:3]):
            yield from parts(f"{name}[{i}]", inner, met, depth + 1)
    elif type(one) is dict:
        for key in [*one][:3]:
            yield from parts(f"{name}[{key!r:.20}]", one[key], met, depth + 1)
    elif type(one).__module__.startswith("seqlab") and not isinstance(one, type):
        yield name, one
        for key in (key for key in dir(one) if not key.startswith("_")):
            try:
                inner = getattr(one, key)
            except Exception:  # noqa: BLE001  (it has no meaning here, and says so)
                continue
            if not callable(inner):
                yield from parts(f"{name}.{key}", inner, met, depth + 1)


def public():
    """Public names, objects of public classes that need no argument, and one of everything else."""
    yield from objects().items()
    yield from ((f"presets.{name}", getattr(seqlab.presets, name)) for name in seqlab.presets.__all__)
    for name in seqlab.__all__:
        one = getattr(seqlab, name)
        yield name, one
        if isinstance(one, type):
            try:
                yield f"{name}()", one()
            except (TypeError, ValueError):
                continue


def test_every_repr_is_one_short_line():
    met = {}
    found = [pair for name, one in public() for pair in parts(name, one, met)]
    assert len(found) > 300
    shown = {name: repr(one) for name, one in found}
    assert {name: text for name, text in shown.items() if len(text) > LONGEST or "\n" in text} == {}


def test_a_repr_tells_what_differs_from_the_defaults():
    made = seqlab.CRF("pos", seqlab.LBFGS(l2=0.5), seed=3)
    assert repr(made) == "CRF(features='pos', learner=LBFGS(l2=0.5), seed=3)"
    assert repr(seqlab.presets.ner).startswith("Template(")
    assert "features: " in repr(seqlab.presets.ner)
    assert repr(seqlab.presets.ner.features[0]) == "Feature('bias')"


def test_values_can_be_written_to_the_last_digit():
    """A search goes on from a journal of the same search only, however short reprs are."""
    one = seqlab.CRF(seqlab.presets.ner)
    other = seqlab.CRF(seqlab.presets.ner - "suffix(lower(word[0]), 3)")
    assert exact(one) == exact(seqlab.CRF(seqlab.presets.ner)) != exact(other)
    assert exact(one) != exact(one.set_params(seed=1))
    assert exact({1.5: ["a", ("b",)], "s": {"y", "x"}}) == exact({1.5: ["a", ("b",)], "s": {"x", "y"}})
    assert exact(np.arange(5000)) != exact(np.arange(5000)[::-1])


# ------------------------------------------------------------------------------------------------ pandas

NUMBER, WHOLE = "f", "iu"
FRAMES = {
    "corpus": {"sentence": WHOLE, "word": None, "pos": None, "chunk": None, "entity": None},
    "sentence": {"word": None, "pos": None, "chunk": None, "entity": None},
    "report": {
        "of": None,
        "name": None,
        "precision": NUMBER,
        "recall": NUMBER,
        "f1": NUMBER,
        "support": WHOLE,
        "predicted": WHOLE,
        "correct": WHOLE,
    },
    "history": {"iteration": WHOLE, "objective": NUMBER, "gradient_norm": NUMBER, "dev_score": NUMBER},
    "nbest": {"rank": WHOLE, "probability": NUMBER, "score": NUMBER, "log_prob": NUMBER, "labels": None},
    "unnormalised": {"rank": WHOLE, "probability": NUMBER, "score": NUMBER},
    "posterior": {"ADJ": NUMBER, "NOUN": NUMBER},
    "explanation": {"move": "b", "position": WHOLE, "weight": NUMBER, "difference": NUMBER},
    "pruned": {"of": None, "before": NUMBER, "after": NUMBER},
    "check": {"severity": None, "kind": None, "message": None, "advice": None, "cases": WHOLE},
    "tuning": {"number": WHOLE, "param_learner__l2": NUMBER, "score": NUMBER, "seconds": NUMBER},
    "comparison": {"name": None, "accuracy": NUMBER, "accuracy_low": NUMBER, "p_best": NUMBER, "size": WHOLE},
}


@pytest.mark.parametrize("name", sorted(FRAMES))
def test_tables_go_to_pandas(name):
    frame = objects()[name].to_frame()
    wanted = FRAMES[name]
    assert [column for column in wanted if column not in frame.columns] == []
    kinds = {column: frame[column].dtype.kind for column in wanted}
    assert {c: kind for c, kind in kinds.items() if kind not in (wanted[c] or "OUTS")} == {}
    assert len(frame)


def test_frames_have_a_row_for_every_entry():
    made = objects()
    assert len(made["corpus"].to_frame()) == made["corpus"].token_count
    assert list(made["sentence"].to_frame()["word"]) == made["sentence"].tokens
    assert len(made["history"].to_frame()) == len(made["history"])
    assert len(made["check"].to_frame()) == len(made["check"])
    frame = made["posterior"].to_frame()
    assert frame.shape == (len(SENTENCE), len(made["crf"].labels_))
    np.testing.assert_array_equal(frame.to_numpy(), made["posterior"].node)
    report = made["spans"]
    assert len(report.to_frame()) == len(report.labels.rows) + len(report.spans.strict.rows)
    assert list(report.spans.strict.to_frame()["name"]) == list(report.spans.strict.rows)
    assert report.confusion.to_frame()["count"].sum() == report.tokens
    account = made["explanation"]
    assert account.to_frame()["difference"].sum() == pytest.approx(
        account.total - account.normaliser, abs=1e-9
    )
    assert len(seqlab.check(made["corpus"]).to_frame().columns) == 7
    matrix = made["first_hmm"].transition_matrix.to_frame()
    assert matrix.set_index("").sum(axis=1).to_numpy() == pytest.approx(1)


@pytest.mark.parametrize("name", ["corpus", "sentence", "report", "tuning", "posterior"])
def test_without_pandas_it_says_what_to_install(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pandas is not installed; write `pip install pandas`"):
        objects()[name].to_frame()


def test_html_needs_no_other_library():
    program = """
import sys
for name in ("pandas", "sklearn", "matplotlib", "IPython"):
    sys.modules[name] = None
import seqlab
assert "seqlab.views" not in sys.modules
train = seqlab.demo_corpus("train")[:5]
for one in (train, seqlab.CRF(), seqlab.MostFrequentTag().fit(train, "pos"), seqlab.check(train)):
    one._repr_html_()
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_every_tagger_is_tried():
    assert {type(objects()[name]) for name in TAGGERS} == {
        one for one in map(seqlab.__dict__.get, dir(seqlab)) if hasattr(one, "fit") and isinstance(one, type)
    }

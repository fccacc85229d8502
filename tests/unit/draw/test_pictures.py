"""Pictures are sound SVG, say what they should, and no words in them overlap."""

import itertools
import re
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.text import Text as MplText

import seqlab
from seqlab import draw
from seqlab.draw import graphical
from seqlab.errors import FileError, OptionError, ShapeError, StoreError
from seqlab.trellis import Constraints, Trellis
from seqlab.views.chart import Chart
from seqlab.views.palette import DARK, LIGHT, STRONGEST
from seqlab.views.picture import Picture, Text

MODELS = tuple(name for name in graphical.MODELS if name != "factorisations")  # which test_graphs.py has
STRANGE = ("<b>&amp;", "a\"b'c", "日本語", "é\u0301", "tab\tline\n", "a very long name of a label indeed")
SVG = "{http://www.w3.org/2000/svg}"


def random_trellis(T, L, *, seed=0, scale=1.0, labels=None, **options):
    rng = np.random.default_rng(seed)
    labels = labels or [f"L-{y}" for y in range(L)]
    node, edge = scale * rng.normal(size=(T, L)), scale * rng.normal(size=(L, L))
    return Trellis(node, edge, labels=labels, **options)


def history(*, dev=True, best=2, metric="accuracy"):
    from seqlab.learning.history import Epoch, History

    epochs = [
        Epoch(i, 100.0 / (i + 1), 1.0, 10, 0.5 + 0.1 * i if dev else None, 0.1, {"mistakes": 9.0 - i})
        for i in range(5)
    ]
    return History(epochs, "epochs", best if dev else None, metric if dev else None)


def table(L, *, seed=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(L, L)) * 3, [f"B-LABEL{y}" for y in range(L)]


def report(L=6, seed=1):
    rng = np.random.default_rng(seed)
    gold = [[f"tag-{y}" for y in rng.integers(L, size=30)] for _ in range(20)]
    said = [[y if rng.random() < 0.8 else f"tag-{rng.integers(L)}" for y in row] for row in gold]
    return seqlab.evaluate(gold, said)


def probabilities(sentences=40, T=12, L=4):
    rng = np.random.default_rng(8)
    rows = [rng.dirichlet([0.4] * L, size=T) for _ in range(sentences)]
    labels = [f"y{i}" for i in range(L)]
    gold = [[labels[rng.choice(L, p=p)] for p in part] for part in rows]
    return rows, gold, labels


def everything():
    yield (
        "trellis",
        draw.trellis_picture(random_trellis(9, 5), [f"word{t}" for t in range(9)], nbest=3, title="Nine"),
    )
    yield "long tokens", draw.trellis_picture(random_trellis(4, 3), ["incomprehensibilities"] * 4)
    yield "many", draw.trellis_picture(random_trellis(30, 25), nbest=4)
    yield "without shades", draw.trellis_picture(random_trellis(4, 3), posterior=False, nbest=0)
    yield (
        "order 2",
        draw.trellis_picture(
            Trellis(
                np.zeros((5, 3)),
                np.random.default_rng(0).normal(size=(3, 3, 3)),
                order=2,
                head=[np.zeros((3, 3))],
            )
        ),
    )
    yield "strange names", draw.trellis_picture(random_trellis(6, 6, labels=STRANGE), STRANGE)
    yield (
        "tables",
        draw.tables_picture(random_trellis(5, 3, scale=0.1), ["a", "word"] * 2 + ["b"], title="Tables"),
    )
    yield "tables of many", draw.tables_picture(random_trellis(30, 25, scale=50.0))
    second = Trellis(
        np.zeros((4, 3)), np.zeros((3, 3, 3)), order=2, head=[np.zeros((3, 3))], labels=STRANGE[:3]
    )
    yield "tables of order 2", draw.tables_picture(second, tables="viterbi", logs=True)
    yield "tables of nothing", draw.tables_picture(random_trellis(0, 3))
    for L in (1, 2, 3, 5, 9):
        yield f"graph of {L}", draw.transition_picture(*table(L), kind="graph")
    for L in (12, 30):
        yield f"strongest of {L}", draw.transition_picture(*table(L), kind="graph", most=L, top=2 * L)
    for L in (1, 4, 12, 30):
        yield f"table of {L}", draw.transition_picture(*table(L), kind="table")
    yield "strange graph", draw.transition_picture(table(6)[0], STRANGE)
    for model, plates, length in itertools.product(MODELS, (False, True), (2, 8)):
        yield f"{model} {plates} {length}", draw.graphical_model_picture(model, plates=plates, length=length)
    yield "learning", draw.learning_picture(history())
    yield "several", draw.learning_picture({f"a long name {i}": history(dev=i != 1) for i in range(6)})
    yield "confusion", draw.confusion_picture(report())
    yield "large confusion", draw.confusion_picture(report(30), most=25)
    yield "reliability", draw.reliability_picture(*probabilities())
    yield "one bin", draw.reliability_picture(*probabilities(), bins=1)
    curves = {"train": [(1e-3, 0.1), (1e-2, 0.2), (1.0, 0.2)], "test": [(1e-3, 0.3), (1.0, 0.2)]}
    yield (
        "tuning",
        draw.line_picture(curves, title="Error", x_name="λ", y_name="error", log_x=True, log_y=True),
    )


PICTURES = dict(everything())


@pytest.fixture(params=PICTURES, scope="module")
def picture(request) -> Picture:
    return PICTURES[request.param]


def test_it_is_sound_xml_in_every_theme(picture):
    for theme in ("auto", "light", "dark"):
        root = ET.fromstring(picture.svg(theme=theme))
        assert root.tag == f"{SVG}svg"
        assert root.find(f"{SVG}title").text
        assert "NaN" not in picture.svg(theme=theme)
        classes = {name for element in root.iter() for name in element.get("class", "").split()}
        known = {f"sl-{kind}-{ink}" for kind in "fs" for ink in LIGHT} | {"sl-text"}
        assert classes <= known
    assert "prefers-color-scheme: dark" in picture.svg()
    assert "prefers" not in picture.svg(theme="dark")


def boxes_of(picture):
    """(words, left, top, right, bottom): as matplotlib lays them out, or by our estimate of how wide words are."""
    if not isinstance(picture, Chart):
        words = [shape for shape in picture.shapes if isinstance(shape, Text)]
        return [(text.text, *text.box()) for text in words if text.text.strip()]
    figure = picture.figure()
    figure.draw_without_rendering()
    outside = set()  # marks that are not drawn
    for axis in [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]:
        low, high = sorted(axis.get_view_interval())
        ticks = [tick for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high]
        outside |= {label for tick in ticks for label in (tick.label1, tick.label2)}
    shown = [text for text in figure.findobj(MplText) if text.get_visible() and text.get_text().strip()]
    words = [text for text in shown if text not in outside]
    boxes = [(text, text.get_window_extent()) for text in words if not text.get_rotation() % 90]
    return [
        (text.get_text(), box.x0, picture.height - box.y1, box.x1, picture.height - box.y0)
        for text, box in boxes
    ]


def test_words_do_not_overlap_and_stay_on_the_paper(picture):
    boxes = boxes_of(picture)
    assert boxes
    for name, left, top, right, bottom in boxes:
        assert min(left, top) >= 0, name
        assert right <= picture.width + 1, name
        assert bottom <= picture.height, name
    for (one, *a), (other, *b) in itertools.combinations(boxes, 2):
        apart = a[0] >= b[2] - 1 or b[0] >= a[2] - 1 or a[1] >= b[3] - 1 or b[1] >= a[3] - 1
        assert apart, f"{one!r} at {a} and {other!r} at {b}"


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mixed(ink: str, paper: str, share: float) -> str:
    parts = [(int(ink[i : i + 2], 16), int(paper[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in parts)


@pytest.mark.parametrize("inks", [LIGHT, DARK], ids=["light", "dark"])
def test_every_ink_can_be_read(inks):
    for name in ("ink", "faint", "blue", "vermilion", "green", "purple"):
        assert contrast(inks[name], inks["paper"]) >= 4.5, name
    for name in ("amber", "sky"):
        assert contrast(inks[name], inks["paper"]) >= 3, name  # thick lines and bold names
    for shade in ("blue", "vermilion"):
        assert contrast(inks["ink"], mixed(inks[shade], inks["paper"], STRONGEST)) >= 4.5, shade
    assert contrast(inks["ink"], inks["shade"]) >= 4.5


def texts(picture):
    root = ET.fromstring(picture.svg())
    return [element.text for element in root.iter(f"{SVG}text")]


def test_the_trellis_says_tokens_labels_and_probabilities():
    trellis = Trellis(np.log([[0.9, 0.1], [0.25, 0.75]]), np.zeros((2, 2)), labels=["A", "B"])
    said = texts(draw.trellis_picture(trellis, ["one", "two"], nbest=2))
    assert {"one", "two", "A", "B", ".90", ".10", ".25", ".75"} <= set(said)
    assert "——— best path: probability 0.675" in said
    assert "– – path 2: probability 0.225" in said


def test_a_trellis_has_every_label_of_the_best_path_and_a_legend():
    trellis = Trellis(5 * np.eye(30)[:20], np.zeros((30, 30)))
    said = texts(draw.trellis_picture(trellis, max_positions=20))
    assert set(map(str, range(20))) <= set(said)
    assert "discs: how probable a label is; small rings: below .005" in said
    assert not any("discs" in text for text in texts(draw.trellis_picture(trellis, posterior=False)))


def test_tables_have_the_numbers_of_the_algorithms():
    from oracle import textbook

    trellis = textbook.garden_path().trellis()
    words = [
        shape.text for shape in draw.tables_picture(trellis, textbook.WORDS).shapes if isinstance(shape, Text)
    ]
    assert {"0.06048", "0.0343", "0.01715", "0.004802"} <= set(words)  # v
    assert {"0.06832", "0.02398", "0.006715"} <= set(words)  # alpha
    assert {"0.28", "0.14", "0.05124"} <= set(words)  # beta
    only = draw.tables_picture(trellis, textbook.WORDS, tables="viterbi", logs=True)
    shown = [shape for shape in only.shapes if isinstance(shape, Text)]
    assert [shape.text for shape in shown if shape.bold][1:] == [
        f"{np.log(x):.4g}" for x in (0.7, 0.098, 0.0343, 0.01715, 0.004802)
    ]
    impossible = draw.tables_picture(trellis.constrain(known={0: "A"}))
    assert "0" not in [shape.text for shape in impossible.shapes if isinstance(shape, Text) and shape.bold]


def test_what_cannot_be_is_crossed_out():
    trellis = random_trellis(3, 2, constraints=Constraints(known={1: 0}))
    said = texts(draw.trellis_picture(trellis))
    assert said.count("×") == 1
    assert "× cannot be" in said
    impossible = Trellis(np.full((2, 2), -np.inf), np.zeros((2, 2)))
    assert texts(draw.trellis_picture(impossible)).count("×") == 4
    assert draw.trellis_picture(Trellis(np.zeros((0, 2)), np.zeros((2, 2)))).svg()


def test_what_is_left_out_of_a_trellis_is_said():
    said = texts(draw.trellis_picture(random_trellis(20, 15), max_labels=4, max_positions=5))
    assert "… 11 more labels not shown" in said
    assert "… 15 more positions not shown" in said


def test_a_graph_has_an_arrow_for_each_move():
    picture = draw.transition_picture([[0.5, 0.5, 0], [0, 0, 1], [0.25, 0.75, 0]], ["a", "b", "c"])
    arrows = [shape for shape in picture.shapes if getattr(shape, "fill", "") == "blue"]
    assert len(arrows) == 5
    assert sorted(texts(picture)) == sorted(
        ["Moves between labels", "a", "b", "c", "0.50", "0.50", "1.00", "0.25", "0.75"]
    )


def test_moves_of_a_tagger():
    corpus = seqlab.demo_corpus("train")[:30]
    tagger = seqlab.CRF("pos", seqlab.LBFGS(max_iterations=3), constraints="IOB2").fit(corpus, "entity")
    graph, as_table = draw.transition_picture(tagger), draw.transition_picture(tagger.model_, kind="table")
    assert set(tagger.labels_) <= set(texts(graph))
    assert texts(as_table).count("×") == int(tagger.model_.rules.forbidden.sum())
    assert "labels with smaller numbers, not shown: 8" in texts(
        draw.transition_picture(*table(12), kind="graph", most=4)
    )


def test_moves_of_chains_and_hidden_models():
    chain = seqlab.MarkovChain(order=1).fit([["a", "b", "a"], ["b", "a"]])
    said = texts(draw.transition_picture(chain))
    assert {"a", "b", *chain.transition_matrix.sources, *chain.transition_matrix.targets} <= set(said)

    tables = {
        "pi": [0.5, 0.5],
        "A": [[0.5, 0.3], [0.1, 0.8]],
        "B": [[1.0, 0.0], [0.5, 0.5]],
        "end": [0.2, 0.1],
    }
    hidden = seqlab.HMM.from_tables(**tables, states=["x", "y"], symbols=["a", "b"])
    assert {"x", "y", "0.50", "0.30", "0.10", "0.80"} <= set(texts(draw.transition_picture(hidden)))
    words, labels = [["a", "b"], ["b", "a"]], [["X", "Y"], ["Y", "X"]]
    assert {"X", "Y"} <= set(texts(draw.transition_picture(seqlab.HMM(order=1).fit(words, labels))))
    counted = seqlab.HMM(order=2).fit(words, labels)
    hidden = seqlab.HMM(2, order=2, learner=seqlab.BaumWelch(max_iterations=1)).fit(words)
    for long in (counted, hidden, seqlab.MarkovChain(2).fit(words)):
        with pytest.raises(OptionError, match="this model looks 2 labels back"):
            draw.transition_picture(long)


def test_learning_curves_say_which_epoch_was_kept():
    said = texts(draw.learning_picture(history()))
    assert {"objective", "accuracy on the development set", "kept", "epoch"} <= set(said)
    assert "kept" not in texts(draw.learning_picture(history(dev=False)))
    with pytest.raises(OptionError, match="a history_ or a fitted tagger is wanted"):
        draw.learning_picture([1, 2])
    from seqlab.learning.history import History

    with pytest.raises(OptionError, match="there is nothing to draw"):
        draw.learning_picture(History())


def test_the_confusion_has_the_counts():
    found = seqlab.evaluate([["A", "A", "A", "B"]], [["A", "A", "B", "B"]])
    said = texts(draw.confusion_picture(found))
    assert said[-4:] == ["2", "1", "·", "1"] or {"2", "1", "·"} <= set(said)
    perfect = seqlab.evaluate([["A", "B"]], [["A", "B"]])
    assert {"A", "B"} <= set(texts(draw.confusion_picture(perfect)))
    with pytest.raises(OptionError, match="a Report of evaluate"):
        draw.confusion_picture("accuracy")


def test_reliability_counts_what_it_should():
    rows = [np.array([[0.9, 0.1], [0.82, 0.18], [0.35, 0.65], [0.6, 0.4]])]
    picture = draw.reliability_picture(rows, [["A", "B", "B", "A"]], ["A", "B"], bins=4)
    # 0.9 and 0.82 fall into one bin (mean 0.86, half right), 0.65 and 0.6 into another (mean 0.625, all right).
    assert "4 tokens, 75.0% right, mean probability 74.2%, ECE 0.367" in texts(picture)
    as_dicts = [[{"A": a, "B": b} for a, b in rows[0].tolist()]]
    assert draw.reliability_picture(as_dicts, [["A", "B", "B", "A"]], bins=4).svg() == picture.svg()
    honest, gold, labels = probabilities(200)
    ece = float(re.search(r"ECE ([0-9.]+)", draw.reliability_picture(honest, gold, labels).title)[1])
    assert ece < 0.05


def test_reliability_refuses_what_it_cannot_judge():
    rows = [np.array([[0.9, 0.1]])]
    with pytest.raises(OptionError, match="labels must name the 2 columns"):
        draw.reliability_picture(rows, [["A"]])
    with pytest.raises(ShapeError, match="sentence 0: probabilities for 1 tokens, but 2 right labels"):
        draw.reliability_picture(rows, [["A", "B"]], ["A", "B"])
    with pytest.raises(ShapeError, match="1 sentences of probabilities, but 0"):
        draw.reliability_picture(rows, [], ["A", "B"])
    with pytest.raises(ShapeError, match="no token"):
        draw.reliability_picture([], [], ["A"])
    with pytest.raises(OptionError, match="lie between 0 and 1"):
        draw.reliability_picture([np.array([[3.0, -2.0]])], [["A"]], ["A", "B"])


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (lambda: draw.graphical_model_picture("lstm"), "model must be one of 'markov-chain', 'naive-bayes'"),
        (lambda: draw.graphical_model_picture("hmm", length=1), "length must be a whole number from 2 to 8"),
        (lambda: draw.transition_picture(np.zeros((2, 3))), r"as many rows as columns, got shape \(2, 3\)"),
        (lambda: draw.transition_picture(np.zeros((2, 2)), ["a"]), "has 2 labels, but 1 names"),
        (lambda: draw.transition_picture("no"), "a fitted tagger or a table"),
        (lambda: draw.transition_picture(np.full((2, 2), np.nan)), "NaN"),
        (lambda: draw.transition_picture(np.eye(2), kind="pie"), "kind must be 'graph', 'table' or None"),
        (lambda: draw.transition_picture(np.eye(2), most=0), "most must be a whole number"),
        (lambda: draw.transition_picture(np.eye(2), top=0), "top must be a whole number"),
        (lambda: draw.trellis_picture(random_trellis(2, 2), nbest=9), "nbest must lie between 0 and 4"),
        (
            lambda: draw.trellis_picture(random_trellis(2, 2), ["a"]),
            "1 tokens given for a trellis of 2 positions",
        ),
        (
            lambda: draw.tables_picture(random_trellis(2, 2), tables="sideways"),
            "tables must be one of 'forward'",
        ),
        (lambda: draw.tables_picture(random_trellis(2, 2), tables=[]), "tables must name one of forward"),
        (lambda: draw.line_picture({}), "there is nothing to draw"),
        (lambda: draw.line_picture({"a": [(0.0, float("nan"))]}), "there is nothing to draw"),
        (lambda: draw.line_picture({str(i): [(0.0, 1.0)] for i in range(9)}), "cannot be told apart"),
        (lambda: draw.graphical_model_picture("hmm").svg(theme="pink"), "theme must be"),
    ],
)
def test_wrong_use_is_said(call, wanted):
    with pytest.raises((OptionError, ShapeError, StoreError), match=wanted):
        call()


def test_saving(tmp_path):
    picture = draw.graphical_model_picture("crf")
    picture.save(tmp_path / "crf.svg")
    assert (tmp_path / "crf.svg").read_text(encoding="utf-8") == str(picture) == picture._repr_svg_()
    assert [path.name for path in tmp_path.iterdir()] == ["crf.svg"]
    with pytest.raises(OptionError, match=r"written as \.svg, \.png or \.pdf"):
        picture.save(tmp_path / "crf.jpeg")
    with pytest.raises(FileError, match=r"missing/crf\.svg"):
        picture.save(tmp_path / "missing" / "crf.svg")


def test_a_notebook_draws_trellises():
    svg = draw.trellis_picture(random_trellis(3, 2)).svg()
    assert random_trellis(3, 2)._repr_svg_() == svg
    assert seqlab.Trellis(np.zeros((1, 2)), np.zeros((2, 2)))._repr_svg_().startswith("<svg")


CHARTS = {
    "confusion": lambda: draw.confusion_picture(report()),
    "table of moves": lambda: draw.transition_picture(*table(3), kind="table"),
    "learning": lambda: draw.learning_picture(history()),
    "lines": lambda: draw.line_picture({"a": [(0.0, 1.0)]}),
    "reliability": lambda: draw.reliability_picture(*probabilities()),
    "tracks": lambda: draw.track_picture({"p": [0.5]}, {}),
    "PNG of shapes": lambda: draw.graphical_model_picture("crf").save("crf.png"),
}


@pytest.mark.parametrize("chart", CHARTS)
def test_without_matplotlib_a_chart_says_what_to_install(chart, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(OptionError, match=r"matplotlib is needed .* pip install 'seqlab\[plot\]'"):
        CHARTS[chart]()


def test_without_matplotlib_trellises_and_graphs_are_drawn_as_svg(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"] + ["matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    assert draw.trellis_picture(random_trellis(3, 2)).svg().startswith("<svg")
    assert draw.transition_picture(*table(3)).svg().startswith("<svg")
    assert draw.graphical_model_picture("hmm").svg().startswith("<svg")


def test_png_and_pdf(tmp_path):
    for picture in PICTURES.values():
        picture.save(tmp_path / "p.png", scale=0.5)
        picture.save(tmp_path / "p.pdf", theme="dark")
        assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
        assert (tmp_path / "p.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(OptionError, match="scale must be a number above 0"):
        draw.graphical_model_picture("crf").save(tmp_path / "p.png", scale=0)


def test_a_chart_is_a_figure_that_can_be_changed_and_the_same_svg_every_time():
    chart = draw.line_picture({"a": [(0.0, 1.0), (1.0, 2.0)]}, title="Before")
    figure = chart.figure(theme="dark")
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == "Before"
    np.testing.assert_array_equal(axes.lines[0].get_xydata(), [[0, 1], [1, 2]])
    assert chart.svg() == chart.svg()


def test_settings_of_the_user_do_not_change_charts():
    import matplotlib as mpl

    chart = draw.line_picture({"a": [(0.0, 1.0), (1.0, 2.0)]})
    before = chart.svg()
    with mpl.rc_context({"axes.facecolor": "red", "font.size": 30, "svg.fonttype": "path"}):
        assert chart.svg() == before
        assert mpl.rcParams["font.size"] == 30

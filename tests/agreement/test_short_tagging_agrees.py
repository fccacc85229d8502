"""`seqlab tag` of a short input writes the bytes of the usual way, or leaves it to that."""

import io
import warnings

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import seqlab
from seqlab import cli
from seqlab.cli import tag, tag_short
from seqlab.cli.inputs import load_tagger
from seqlab.cli.tag_blocks import tagged
from seqlab.families.linear import glance, peeked
from seqlab.families.linear import stored_model as models_state
from seqlab.tagging import memory

TRAIN, TEST = seqlab.demo_corpus("train")[:80], seqlab.demo_corpus("test")[:60]
QUICK = seqlab.LBFGS(max_iterations=8)
MADE = {
    "pos": lambda: seqlab.CRF("pos", QUICK).fit(TRAIN.select("word", "pos"), "pos"),
    "chunk": lambda: seqlab.CRF("chunk", QUICK).fit(TRAIN.select("word", "pos", "chunk"), "chunk"),
    "ner": lambda: seqlab.CRF("ner", QUICK).fit(TRAIN, "entity"),
    "IOB2": lambda: seqlab.CRF("chunk", QUICK, constraints="IOB2").fit(
        TRAIN.select("word", "pos", "chunk"), "chunk"
    ),
    "perceptron": lambda: seqlab.LinearTagger("pos", seqlab.Perceptron(epochs=2)).fit(
        TRAIN.select("word", "pos"), "pos"
    ),
    "float32": lambda: (
        seqlab.CRF("chunk", QUICK)
        .fit(TRAIN.select("word", "pos", "chunk"), "chunk")
        .prune(threshold=1e-3, storage="float32")
    ),
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Model files by name, made when first asked for."""
    folder, made = tmp_path_factory.mktemp("short"), {}

    def path(name):
        if name not in made:
            made[name] = str(folder / name)
            MADE[name]().save(made[name])
        return made[name]

    return path


def both(model, content, *options, name="input"):
    """(the short answer or None, the usual one): what is written, or the error, and what is warned of."""

    def source():
        stream = io.BytesIO(content)
        stream.name = name
        return [stream]

    arguments = cli._parser("tag", tag, alone=True).parse_args(["tag", model, *options])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        sources = source()
        short = tag_short.short_answer(tag_short.short_model(arguments, sources), arguments, sources)
        assert not told
        try:
            usual = b"".join(tagged(load_tagger(model), source(), arguments))
        except seqlab.errors.SeqlabError as error:
            usual = error
    return short, usual, [str(one.message) for one in told]


def columns(sentence, *names):
    return "".join("\t".join(cells) + "\n" for cells in zip(*(sentence[name] for name in names), strict=True))


@pytest.mark.parametrize(
    ("model", "names"),
    [
        ("pos", ("word",)),
        ("pos", ("word", "pos")),
        ("chunk", ("word", "pos")),
        ("chunk", ("word", "pos", "chunk")),
        ("ner", ("word", "pos", "chunk")),
        ("ner", ("word", "pos", "chunk", "entity")),
        ("IOB2", ("word", "pos")),
        ("perceptron", ("word",)),
        ("float32", ("word", "pos", "chunk")),
    ],
)
def test_sentences_of_the_demo_corpus(models, model, names):
    taken = 0
    for sentence in TEST:
        short, usual, told = both(models(model), (columns(sentence, *names) + "\n").encode())
        if short is not None:  # None: two paths score nearly alike
            assert short == usual
            assert told == []
            taken += 1
    assert taken > 0.8 * len(TEST)


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("The old man sleeps .\n", ["--format", "text"]),
        ("The old man sleeps .", ["--format", "text"]),
        ("The old man sleeps .\n\n  \nThe cat sat .\n", ["--format", "text"]),
        ("The old man sleeps .\n", []),
        ("The/DET old/ADJ man/NOUN sleeps/VERB\n", []),
        ("The\nold\nman\n", []),
        ("The\nold\nman", []),
        ("The\nold\nman\n\nThe\ncat\n\n", []),
        ("The DET x\n  old   ADJ y \nman\tNOUN z", []),
        ("The\tD\tx\nold\tA\ty\n", ["--columns", "word,b,c"]),
        ("x\tThe\ny\told\n", ["--columns", "word=-1,other=0"]),
        ("Straße\n🙂\n", []),
        ("The\nold\n", ["--threads", "2", "-q"]),
    ],
)
def test_plain_input_is_answered_at_once(models, content, options):
    short, usual, told = both(models("pos"), content.encode(), *options)
    assert short == usual
    assert told == []


PLAIN = ["The", "old", "man", "boats", "Straße", "🙂", "a/b", "x=1", "7", "NOUN", "DET", "B-NP", "I-NP", "O"]
ODD = ["#", "# x", "-DOCSTART-", "/", "[", "{}", "\u00a0", "\x0b", "\x1c", "\u2028", "", "\ufeff"]
SEPARATORS = ["\t", " ", "  ", " \t", "\t\t", ",", "\r", "\0"]


def rarely(draw, usual, other):
    return draw(other) if not draw(st.integers(0, 15)) else usual


@st.composite
def files(draw):
    width, separator = draw(st.integers(1, 4)), draw(st.sampled_from(SEPARATORS[:2]))
    cells = st.sampled_from(PLAIN) if draw(st.booleans()) else st.sampled_from(PLAIN + ODD)
    lines = []
    for _ in range(draw(st.integers(1, 7))):
        wide = rarely(draw, width, st.integers(0, 5))
        between = rarely(draw, separator, st.sampled_from(SEPARATORS))
        lines.append(between.join(draw(st.lists(cells, min_size=wide, max_size=wide))))
        lines[-1] = rarely(draw, "", st.sampled_from([" ", "\t"])) + lines[-1]
        if not draw(st.integers(0, 3)):
            lines.append(rarely(draw, "", st.sampled_from([" ", "\t", "# c"])))
    end = rarely(draw, "\n", st.just("\r\n"))
    text = end.join(lines) + rarely(draw, end, st.sampled_from(["", end + end, "\n\n\n"]))
    return text.encode(rarely(draw, "utf-8", st.sampled_from(["utf-8-sig", "utf-16"])))


@given(
    files(),
    st.sampled_from(["pos", "chunk", "ner"]),
    st.sampled_from([[], [], [], [], ["-f", "text"], ["-f", "conll"], ["-f", "slash"], ["-f", "conllu"]]),
    st.sampled_from(
        [[], [], [], [], ["-c", "word,pos"], ["-c", "word=0"], ["-c", "pos=-1,word=0"], ["-c", "label"]]
    ),
    st.sampled_from(["input", "input.txt", "input.conll", "input.tsv", "input.jsonl"]),
)
def test_any_small_file(models, content, model, form, named, name):
    short, usual, told = both(models(model), content, *form, *named, name=name)
    event("left to the usual way" if short is None else "answered")
    if short is not None:
        assert short == usual
        assert told == []


@pytest.mark.parametrize(
    "options",
    [
        ["--labels-only"],
        ["--nbest", "2"],
        ["--marginals"],
        ["--all-marginals"],
        ["--spans"],
        ["--to", "slash"],
        ["--json"],
        ["--decode", "posterior"],
        ["--decode", "viterbi"],
        ["--separator", "tab"],
        ["--comments"],
        ["--encoding", "latin-1"],
    ],
)
def test_options_are_left_to_the_usual_way(models, options):
    short, usual, _ = both(models("IOB2"), b"The\tDET\nold\tADJ\n", *options)
    assert short is None
    assert isinstance(usual, bytes)


@pytest.mark.parametrize(
    ("model", "content"),
    [
        ("pos", b"The a b\n"),  # one token, or a sentence?
        ("chunk", b"The\nold\n"),  # lacks a column
        ("pos", b"The\r\nold\r\n"),
        ("pos", b"The\nold\n\n\nman\n"),  # a blank line more
        ("pos", b"The\nold\n\n-DOCSTART-\n\nman\n"),
        ("pos", b"\n"),
        ("pos", b"The \xff\n"),
        ("pos", b"The\n" * (glance.TOKENS + 1)),
        ("pos", b"The old man\n\n" * (glance.ALL_TOKENS + 1)),
        ("pos", b"The\n" * tag_short.SHORT),
    ],
)
def test_what_is_not_plain_is_left_to_the_usual_way(models, model, content):
    assert both(models(model), content)[0] is None


def unusual_models():
    yield "memm", seqlab.MEMM("word[0]", QUICK)
    yield "order", seqlab.CRF("word[0]", QUICK, order=2)
    yield "edges", seqlab.CRF("word[0]\nedge: word[0]", QUICK)
    yield "allowed", seqlab.CRF("word[0]", QUICK, allowed={"a": ["X"]})
    yield (
        "lexicon",
        seqlab.CRF(seqlab.Template.parse("word[0]\nin(word[0], l)", lexicons={"l": ["a"]}), QUICK),
    )
    yield "most frequent", seqlab.MostFrequentTag()
    yield "counted", seqlab.HMM()


@pytest.mark.parametrize(("name", "tagger"), list(unusual_models()))
def test_other_models_are_left_to_the_usual_way(tmp_path, name, tagger):
    path = tmp_path / name
    tagger.fit([["a", "b"], ["b", "a"]] * 3, [["X", "Y"], ["Y", "X"]] * 3).save(path)
    short, usual, _ = both(str(path), b"a\nb\n")
    assert short is None
    assert usual == b"a X\nb Y\n"
    assert peeked.peeked(str(path)) is None


@pytest.mark.parametrize("storage", ["float16", "int8"])
def test_weights_in_other_forms_are_left_to_the_usual_way(tmp_path, storage):
    path = tmp_path / storage
    seqlab.CRF("word[0]", QUICK).fit([["a", "b"]], [["X", "Y"]]).prune(storage=storage).save(path)
    assert both(str(path), b"a\nb\n")[:2] == (None, b"a X\nb Y\n")


@pytest.mark.parametrize("label", ["two words", "tab\tin it"])
def test_labels_that_would_be_two_cells_are_left_to_the_usual_way(tmp_path, label):
    path = tmp_path / "odd"
    seqlab.CRF("word[0]", QUICK).fit([["a", "b"]] * 3, [[label, "Y"]] * 3).save(path)
    assert both(str(path), b"a\nb\n")[0] is None


def test_parts_of_a_file_have_the_names_that_their_rooms_give_them():
    assert peeked.TRAINING == memory.KIND
    assert glance.MODEL == models_state.KIND

"""`seqlab tag` writes the labels that the library gives, whatever the model and however the text comes."""

import io
import json
import warnings

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import seqlab
from seqlab import cli
from seqlab.cli import tag
from seqlab.cli.tag import tagged

TRAIN, TEST = seqlab.demo_corpus("train")[:80], seqlab.demo_corpus("test")[:60]
QUICK = seqlab.LBFGS(max_iterations=8)
WORDS, TAGS = [["a", "b"], ["b", "a"]] * 3, [["X", "Y"], ["Y", "X"]] * 3
PAIRS, TRIPLES = ("word", "pos"), ("word", "pos", "chunk")
LEXICON = seqlab.Template.parse("word[0]\nin(word[0], l)", lexicons={"l": ["a"]})
MADE = {
    "pos": lambda: seqlab.CRF("pos", QUICK).fit(TRAIN.select(*PAIRS), "pos"),
    "chunk": lambda: seqlab.CRF("chunk", QUICK).fit(TRAIN.select(*TRIPLES), "chunk"),
    "ner": lambda: seqlab.CRF("ner", QUICK).fit(TRAIN, "entity"),
    "IOB2": lambda: seqlab.CRF("chunk", QUICK, constraints="IOB2").fit(TRAIN.select(*TRIPLES), "chunk"),
    "perceptron": lambda: seqlab.LinearTagger("pos", seqlab.Perceptron(epochs=2)).fit(
        TRAIN.select(*PAIRS), "pos"
    ),
    "float32": lambda: (
        seqlab.CRF("chunk", QUICK)
        .fit(TRAIN.select(*TRIPLES), "chunk")
        .prune(threshold=1e-3, storage="float32")
    ),
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Model files by name, made when first asked for."""
    folder, made = tmp_path_factory.mktemp("models"), {}

    def path(name):
        if name not in made:
            made[name] = str(folder / name)
            MADE[name]().save(made[name])
        return made[name]

    return path


def written(model, content, *options, name="input"):
    """What the command writes for these bytes."""
    arguments = cli._parser("tag", tag, alone=True).parse_args(["tag", model, *options])
    stream = io.BytesIO(content)
    stream.name = name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return b"".join(tagged(seqlab.load(model), [stream], arguments)).decode()


def labels_in(text):
    return [[line.split()[-1] for line in part.splitlines()] for part in text.split("\n\n") if part]


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
def test_sentences_one_by_one_and_all_at_once(models, model, names):
    path = models(model)
    wanted = seqlab.load(path).predict(TEST)
    contents = [(columns(sentence, *names) + "\n").encode() for sentence in TEST]
    assert labels_in(written(path, b"".join(contents))) == wanted
    assert [labels_in(written(path, content))[0] for content in contents] == wanted


@pytest.mark.parametrize(
    ("content", "options", "lines"),
    [
        ("The old man\n", ["--format", "text"], ["The\tDET", "old\tADJ", "man\tNOUN", "", ""]),
        ("The old man", ["--format", "text"], ["The\tDET", "old\tADJ", "man\tNOUN", "", ""]),
        ("The old\n\n  \nThe\n", ["-f", "text"], ["The\tDET", "old\tADJ", "", "The\tDET", "", ""]),
        ("The old\n", [], ["The old DET", ""]),
        ("The/DET old/ADJ\n", [], ["The\tDET\tDET", "old\tADJ\tADJ", "", ""]),
        ("The\nold\n", [], ["The DET", "old ADJ", ""]),
        ("The\nold", [], ["The DET", "old ADJ"]),
        ("The\nold\n\nThe\n\n", [], ["The DET", "old ADJ", "", "The DET", "", ""]),
        ("The D x\n  old   A y ", [], ["The D x DET", "old A y ADJ"]),
        ("The\tD\tx\nold\tA\ty\n", ["--columns", "word,b,c"], ["The\tD\tx\tDET", "old\tA\ty\tADJ", ""]),
        ("x\tThe\ny\told\n", ["--columns", "word=-1,other=0"], ["The\tx\tDET", "old\ty\tADJ", ""]),
        ("The\nold\n", ["--threads", "2", "-q"], ["The DET", "old ADJ", ""]),
    ],
)
def test_plain_input_comes_back_with_one_more_cell(models, content, options, lines):
    assert written(models("pos"), content.encode(), *options).split("\n") == lines


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
    st.sampled_from([[], [], [], ["-f", "text"], ["-f", "conll"], ["-f", "slash"], ["-f", "conllu"]]),
    st.sampled_from(["input", "input.txt", "input.conll", "input.tsv", "input.jsonl"]),
)
def test_any_small_file_is_labelled_token_by_token_or_refused(models, content, form, name):
    path = models("pos")
    try:
        text = written(path, content, *form, "--json", name=name)
        bare = written(path, content, *form, "--labels-only", name=name)
    except seqlab.errors.SeqlabError:
        event("refused")
        return
    event("answered")
    found = [json.loads(line) for line in text.split("\n") if line]
    wanted = seqlab.load(path).predict([one["tokens"] for one in found])
    assert [one["labels"] for one in found] == wanted
    assert bare.removeprefix("\ufeff").split() == [label for labels in wanted for label in labels]


@pytest.mark.parametrize(
    "tagger",
    [
        seqlab.MEMM("word[0]", QUICK),
        seqlab.CRF("word[0]", QUICK, order=2),
        seqlab.CRF("word[0]\nedge: word[0]", QUICK),
        seqlab.CRF("word[0]", QUICK, allowed={"a": ["X"]}),
        seqlab.CRF(LEXICON, QUICK),
        seqlab.MostFrequentTag(),
        seqlab.HMM(),
    ],
    ids=["memm", "order 2", "edges", "allowed", "lexicon", "most frequent", "counted"],
)
def test_every_kind_of_model_is_asked_alike(tmp_path, tagger):
    tagger.fit(WORDS, TAGS).save(tmp_path / "model")
    assert written(str(tmp_path / "model"), b"a\nb\n") == "a X\nb Y\n"


@pytest.mark.parametrize("storage", ["float16", "int8"])
def test_weights_in_other_forms_are_asked_alike(tmp_path, storage):
    seqlab.CRF("word[0]", QUICK).fit(WORDS, TAGS).prune(storage=storage).save(tmp_path / "model")
    assert written(str(tmp_path / "model"), b"a\nb\n") == "a X\nb Y\n"

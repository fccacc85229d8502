"""Reading against a plain Python loop; writing and reading back; and that no bytes whatever do harm."""

import io
import pickle
import warnings

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import seqlab
from seqlab import Corpus
from seqlab.errors import CorpusError, CorpusWarning

FORMATS = ("conll", "conllu", "slash", "text", "jsonl", "crfsuite", "csv")

# What may stand in a cell: no blanks, no controls, no surrogates.
WORDS = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp"), exclude_characters="\\"),
    min_size=1,
    max_size=5,
) | st.sampled_from(
    ["#", "/", "-DOCSTART-x", "1\u20442", "日本", "a" * 16, "a" * 17, "\U0001f602", "1-2", "_", ":"]
)
PAIRS = st.lists(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5), min_size=1, max_size=5)


def plain_columns(text):
    """The loop that everybody writes."""
    sentences, sentence = [], []
    for line in text.split("\n"):
        cells = line.split("\t")
        if line.strip(" \t\r"):
            sentence.append(tuple(cells))
        elif sentence:
            sentences.append(sentence)
            sentence = []
    return [*sentences, sentence] if sentence else sentences


def written(corpus, *args, **options):
    out = io.BytesIO()
    corpus.write(out, *args, **options)
    return out.getvalue()


@given(PAIRS, st.integers(1, 40), st.booleans(), st.integers(0, 3))
def test_columns_are_read_as_by_a_plain_loop(sentences, block, final_blank, more_blanks):
    text = ("\n" * (1 + more_blanks)).join("".join(f"{w}\t{t}\n" for w, t in s) for s in sentences)
    text += "\n" * final_blank
    data = text.encode()
    corpus = seqlab.read(io.BytesIO(data), "conll")
    rows = [list(zip(s["word"], s[corpus.columns[1]], strict=True)) for s in corpus]
    assert rows == plain_columns(text)
    assert written(corpus) == data
    blocks = seqlab.stream(io.BytesIO(data), "conll", block=block).blocks()
    assert Corpus.join(blocks) == corpus


@given(PAIRS)
def test_places_are_lines(sentences):
    data = "\n".join("".join(f"{w}\t{t}\n" for w, t in s) for s in sentences).encode()
    corpus = seqlab.read(io.BytesIO(data), "conll")
    lines = data.decode().split("\n")
    for i, sentence in enumerate(corpus):
        for t, token in enumerate(sentence):
            line = int(corpus.place(i, t).rpartition(":")[2])
            assert lines[line - 1].split("\t")[0] == token.word


@given(PAIRS, st.sampled_from([f for f in FORMATS if f != "crfsuite"]))
def test_every_format_gives_back_what_it_was_given(sentences, form):
    corpus = Corpus.from_lists(sentences, columns=("word", "upos"))
    if form == "text":
        corpus = corpus.select("word")
    data = written(corpus, form)
    columns = None if form == "jsonl" else corpus.columns
    again = seqlab.read(io.BytesIO(data), form, columns)
    assert again == corpus
    assert written(again, form) == data or form == "conllu"  # the other eight columns were not read
    assert pickle.loads(pickle.dumps(again)) == corpus


ATTRIBUTES = st.dictionaries(
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=4).filter(str.strip),
    st.floats(allow_nan=False, allow_infinity=False),
    max_size=4,
)


@given(st.lists(st.lists(st.tuples(ATTRIBUTES, WORDS), min_size=1, max_size=3), min_size=1, max_size=3))
def test_attributes_keep_escapes_and_weights_to_the_last_bit(sentences):
    x = [[bag for bag, _ in s] for s in sentences]
    corpus = Corpus.from_lists(x, [[label.replace("@", "a") for _, label in s] for s in sentences])
    again = seqlab.read(io.BytesIO(written(corpus, "crfsuite")), "crfsuite")
    assert again.column("attributes") == corpus.column("attributes")
    assert again.column("label") == corpus.column("label")


@given(PAIRS, st.integers(0, 1000), st.integers(0, 5))
def test_parts_are_the_parts_of_the_lists(sentences, seed, cut):
    corpus = Corpus.from_lists(sentences)
    lists = corpus.column("word")
    assert corpus[:cut].column("word") == lists[:cut]
    assert Corpus.join([corpus[:cut], corpus[cut:]]) == corpus
    assert sorted(corpus.shuffle(seed).column("word")) == sorted(lists)
    assert Corpus.join(corpus.split(0.3, 0.3)) == corpus


# ---------------------------------------------------------------------------------------------- hostile bytes


def outcome(run):
    """What it gave, or None when it raised an error of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorpusWarning)
        try:
            return run()
        except CorpusError:
            return None


def survives(data, form, block):
    """Either a corpus or an error of ours, and the same by read and by stream."""
    if form == "csv":  # with words, or numbers would be looked for, in the first block
        data = b"word,TAG\n" + data
    whole = outcome(lambda: seqlab.read(io.BytesIO(data), form))
    parts = outcome(lambda: Corpus.join(seqlab.stream(io.BytesIO(data), form, block=block).blocks()))
    assert (whole is None) == (parts is None)
    if whole is not None:  # the names of columns may differ, which stream guesses from its first block
        assert list(whole.to_lists().values()) == list(parts.to_lists().values())
    return whole


PIECES = st.sampled_from(
    [
        b"\n",
        b"\r\n",
        b"\r",
        b"\t",
        b" ",
        b"\\",
        b"/",
        b":",
        b"@weight:1",
        b"-DOCSTART-",
        b"#",
        b"1",
        b"1-2",
        b"1.1",
        b"\x00",
        b"\xef\xbb\xbf",
        b"\xff",
        "é".encode(),
        b'{"a": ["b"]}',
        b'["a"]',
        b"[",
        b"a",
        b"word\tTAG\n",
        b"1" * 30,
        b"1\ta\ta\tb\tc\td\te\tf\tg\th\n",
        b"PK\x03\x04",
        b"\x1f\x8b",
        b"x" * 100,
    ]
)


@pytest.mark.parametrize("form", [None, *FORMATS])
@given(st.lists(PIECES, max_size=30).map(b"".join), st.integers(1, 64))
@example(b"", 1)
@example(b"\n", 1)
@example(b"a\n-DOCSTART-\n\xef\xbb\xbf", 1)
def test_no_bytes_do_harm(form, data, block):
    whole = survives(data, form, block)
    if whole is not None:
        assert len(written(whole, "jsonl")) > 0


@pytest.mark.parametrize("form", [None, *FORMATS])
@given(st.binary(max_size=300), st.integers(1, 64))
def test_no_random_bytes_do_harm(form, data, block):
    survives(data, form, block)


GOOD = {
    "conll": b"the\tDT\nold\tJJ\n\n# man\tNN\n",
    "conllu": b"# text = a\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\ta\tX\tX\t_\t0\troot\t_\t_\n\n",
    "slash": "the/DT \\//SYM é/X\n".encode(),
    "text": "the ol\u00e9 man\n".encode(),
    "jsonl": '{"tokens": ["é"], "tags": ["X"], "id": 3}\n'.encode(),
    "crfsuite": b"B\ta\\:b:0.5\tc\n@weight:2\n\nO\n",
    "csv": 'Sentence #,Word,Tag\n1,"é,""",X\n,b,\n2,"c\nd",Y\n\n'.encode(),
}


@pytest.mark.parametrize("form", FORMATS)
def test_no_truncated_file_does_harm(form):
    for end in range(len(GOOD[form])):
        survives(GOOD[form][:end], form, 3)
        survives(GOOD[form][end:], form, 3)


@pytest.mark.parametrize("form", FORMATS)
@given(st.data())
def test_no_flipped_byte_does_harm(form, data):
    damaged = bytearray(GOOD[form] * 3)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    survives(bytes(damaged), form, data.draw(st.integers(1, 64)))

"""What was read is written back byte for byte, and streaming gives what reading gives."""

import gzip
import io
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import seqlab
from seqlab import Corpus
from seqlab.errors import CorpusError

FILES = Path(__file__).parent / "files"

EXACT = {
    "tabs.conll": b"the\tDT\nold\tJJ\n\nman\tNN\n\n",
    "spaces.conll": b"the DT B-NP\nold JJ I-NP\n\nman NN B-NP\n\n",
    "no final blank line.conll": b"the DT\n\nman NN\n",
    "no final newline.conll": b"the DT\n\nman NN",
    "many blank lines.conll": b"\n\nthe DT\n\n\n\nman NN\n\n\n",
    "blanks in blank lines.conll": b"the\tDT\n\t\nman\tNN\n \n",
    "docstart.conll": b"-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\n\n-DOCSTART- -X- O O\n\nPeter NNP I-NP I-PER\n\n",
    "docstart without blanks.conll": b"-DOCSTART-\nEU NNP\n-DOCSTART-\nPeter NNP\n",
    "one column.conll": b"the\nold\n\nman\n\n",
    "hash.conll": b"#\t#\nten\tCD\n\n",
    "empty cells.conll": b"the\t\tDT\nold\tx\tJJ\n\n",
    "words with blanks.conll": b"New York\tB-LOC\nis\tO\n\n",
    "unicode.conll": "naïve\tJJ\n日本\tNNP\n\U0001f602\tSYM\n\n".encode(),
    "slash.txt": b"the/DT 1\\/2/CD man/NN\nthe/DT boat/NN\n",
    "plain slash.txt": b"and/or/CC the/DT\nman/NN //SYM\n",
    "lines.txt": b"the old man\nthe boat\n\nThe end of the first of many longer lines\n",
    "lines without end.txt": b"the old man\nthe big green boat",
    "objects.jsonl": b'{"id": 7, "tokens": ["the", "dog"], "ner_tags": ["O", "B-X"], "x": null}\n',
    "compact.jsonl": '{"tokens":["é"],"tags":["O"]}\n{"tokens":[],"tags":[]}\n'.encode(),
    "ascii.jsonl": b'["\\u00e9", "x"]\n["y"]\n',
    "pairs.jsonl": b'[["the", "DT"], ["dog", "NN"]]\n\n[["a", "DT"]]\n',
    "tokens.jsonl": b'[{"word": "the", "start": 0, "pos": "DT"}, {"word": "dog", "pos": "NN"}]\n',
    "attributes.crfsuite": b"B-NP\tw=the\tsuf=e\\:x:0.5\n@weight:2\nI-NP\tw=\\\\\n\nO\n\n",
    "comments.conllu": (FILES / "comments.conllu").read_bytes(),
}


def written(corpus, *args, **options):
    out = io.BytesIO()
    seqlab.write(corpus, out, *args, **options)
    return out.getvalue()


def put(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", EXACT)
def test_reading_and_writing_gives_the_same_bytes(name, tmp_path):
    path = put(tmp_path, name, EXACT[name])
    corpus = seqlab.read(path)
    assert written(corpus) == EXACT[name]
    goal = tmp_path / f"copy of {name}.gz"
    corpus.write(goal, corpus.layout.format)
    assert gzip.decompress(goal.read_bytes()) == EXACT[name]
    assert seqlab.read(goal, corpus.layout.format) == corpus


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("block", [1, 5, 64, 1 << 20])
def test_streaming_equals_reading(name, block, tmp_path):
    path = put(tmp_path, name, EXACT[name])
    whole = seqlab.read(path)
    form = whole.layout.format
    stream = seqlab.stream(
        path, form, whole.columns if form in {"conll", "slash", "text"} else None, block=block
    )
    assert [s["label" if form == "crfsuite" else "word"] for s in stream] == whole.column(
        "label" if form == "crfsuite" else "word"
    )
    joined = Corpus.join(stream.blocks())
    assert joined == whole
    assert [joined.place(i) for i in range(len(joined))] == [whole.place(i) for i in range(len(whole))]


@pytest.mark.parametrize("name", EXACT)
def test_any_source_will_do(name, tmp_path):
    path = put(tmp_path, name, EXACT[name])
    whole = seqlab.read(path)
    form, content = whole.layout.format, EXACT[name]
    assert seqlab.read(str(path)) == whole
    assert seqlab.read(io.BytesIO(content), form) == whole
    assert seqlab.read(io.BytesIO(gzip.compress(content)), form) == whole
    assert seqlab.read(io.StringIO(content.decode()), form) == whole
    assert seqlab.read(io.BytesIO(content.decode().encode("utf-16")), form, encoding="utf-16") == whole
    with path.open("rb") as stream:
        assert seqlab.read(stream) == whole


def test_standard_input_and_output():
    program = "import seqlab; seqlab.read('-', 'conll').write('-')"
    content = EXACT["docstart.conll"]
    assert (
        subprocess.run([sys.executable, "-c", program], input=content, capture_output=True, check=True).stdout
        == content
    )


@pytest.mark.parametrize(
    ("name", "guessed"),
    [
        ("tabs.conll", "conll"),
        ("comments.conllu", "conllu"),
        ("slash.txt", "slash"),
        ("lines.txt", "text"),
        ("objects.jsonl", "jsonl"),
        ("pairs.jsonl", "jsonl"),
        ("attributes.crfsuite", "crfsuite"),
        ("docstart.conll", "conll"),
        ("one column.conll", "conll"),
    ],
)
def test_the_format_is_guessed_from_name_and_from_content(name, guessed, tmp_path):
    assert seqlab.read(put(tmp_path, name, EXACT[name])).layout.format == guessed
    assert seqlab.read(put(tmp_path, "nameless", EXACT[name])).layout.format == guessed


def test_a_guess_can_be_overruled(tmp_path):
    path = put(tmp_path, "slash.txt", EXACT["slash.txt"])
    assert seqlab.read(path, "text")[0].tokens == ["the/DT", "1\\/2/CD", "man/NN"]
    with pytest.raises(CorpusError, match="unknown format 'xml': known are 'conll', 'conllu', 'slash'"):
        seqlab.read(path, "xml")


# ---------------------------------------------------------------------------------------------- what is in them


def test_conllu_keeps_comments_ranges_and_empty_nodes_beside_the_tokens():
    corpus = seqlab.read(FILES / "comments.conllu")
    assert corpus.column("word") == [["I", "did", "n't", "."], ["Yes"]]
    assert corpus.column("form") == corpus.column("word")
    assert corpus.column("pos") == corpus.column("upos") == [["PRON", "AUX", "PART", "PUNCT"], ["INTJ"]]
    first = corpus[0]
    assert first.comments[0] == "# newdoc id = d1"
    assert first.meta["text"] == "I didn't."
    assert [first.place(t).rpartition(":")[2] for t in range(4)] == ["4", "6", "7", "9"]
    assert corpus[1].meta == {"sent_id": "2", "newpar": ""}


def test_conllu_columns_can_be_picked():
    corpus = seqlab.read(FILES / "comments.conllu", columns=("form", "upos"))
    assert corpus.columns == ("form", "upos")
    assert corpus[0].tokens == ["I", "did", "n't", "."]
    picked = seqlab.read(FILES / "comments.conllu", columns={"word": 1, "last": -1})
    assert picked[1]["last"] == ["_"]
    with pytest.raises(CorpusError, match="CoNLL-U has no column 'ner'"):
        seqlab.read(FILES / "comments.conllu", columns=("form", "ner"))


def test_docstart_lines_are_no_tokens_unless_asked_for():
    content = EXACT["docstart.conll"]
    assert seqlab.read(io.BytesIO(content)).column("word") == [["EU"], ["Peter"]]
    assert seqlab.read(io.BytesIO(content), docstart=False).column("word")[0] == ["-DOCSTART-"]
    split = seqlab.read(io.BytesIO(EXACT["docstart without blanks.conll"]), "conll")
    assert split.column("word") == [["EU"], ["Peter"]]


def test_comments_are_tokens_unless_asked_for():
    content = b"# a comment\nthe DT\n\n"
    with pytest.raises(CorpusError, match=":2: 3 columns expected"):
        seqlab.read(io.BytesIO(content), "conll")
    corpus = seqlab.read(io.BytesIO(content), "conll", comments=True)
    assert (corpus[0].tokens, corpus[0].comments) == (["the"], ("# a comment",))
    assert written(corpus) == content
    assert seqlab.read(io.BytesIO(content.replace(b"#", b"%%")), "conll", comments="%%")[0].tokens == ["the"]


def test_cells_can_be_picked_from_lines_of_different_width():
    corpus = seqlab.read(io.BytesIO(b"EU NNP x B-ORG\nis VBZ O\n\n"), "conll", {"word": 0, "entity": -1})
    assert corpus.to_lists() == {"word": [["EU", "is"]], "entity": [["B-ORG", "O"]]}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (b"the", "word"),
        (b"the DT", "word label"),
        (b"the DT B-NP", "word pos chunk"),
        (b"the DT B-PER", "word pos entity"),
        (b"the DT x", "word pos label"),
        (b"the DT B-NP O", "word pos chunk entity"),
        (b"a b c d e", "word column1 column2 column3 label"),
    ],
)
def test_columns_without_names_get_the_usual_ones(line, names):
    assert " ".join(seqlab.read(io.BytesIO(line + b"\n\n"), "conll").columns) == names


def test_separators():
    assert seqlab.read(io.BytesIO(b"a,b\n"), "conll", separator=",")[0]["label"] == ["b"]
    assert seqlab.read(io.BytesIO(b"a \t  b\n"), "conll", separator=" ")[0]["label"] == ["b"]
    assert seqlab.read(io.BytesIO(b"a\t\tb\n"), "conll", separator="\t").columns == ("word", "pos", "label")
    for wrong in ("", "ab", "\n", "é", 3):
        with pytest.raises(CorpusError, match="separator must be"):
            seqlab.read(io.BytesIO(b"a b\n"), "conll", separator=wrong)


def test_crfsuite_attributes_escapes_and_weights():
    corpus = seqlab.read(io.BytesIO(EXACT["attributes.crfsuite"]), "crfsuite")
    assert corpus.column("label") == [["B-NP", "I-NP"], ["O"]]
    assert corpus.column("attributes") == [[{"w=the": 1.0, "suf=e:x": 0.5}, {"w=\\": 1.0}], [{}]]
    assert corpus.weights.tolist() == [2.0, 1.0]
    assert corpus[0][1].place == "<stream>:3"


def test_json_keeps_the_other_fields():
    corpus = seqlab.read(io.BytesIO(EXACT["objects.jsonl"]), "jsonl")
    assert corpus.columns == ("word", "entity")
    assert dict(corpus[0].meta) == {"id": 7, "x": None}
    named = seqlab.read(io.BytesIO(b'{"a": ["x"], "n": [3]}\n'), "jsonl", {"word": "a", "label": "n"})
    assert named.to_lists() == {"word": [["x"]], "label": [["3"]]}


# ---------------------------------------------------------------------------------------------- writing


def test_formats_turn_into_one_another(tmp_path):
    corpus = Corpus.from_lists([[("the", "DT"), ("dog", "NN")], [("a", "DT")]], columns=("word", "pos"))
    assert written(corpus) == b"the\tDT\ndog\tNN\n\na\tDT\n\n"
    assert written(corpus, separator=" ") == b"the DT\ndog NN\n\na DT\n\n"
    assert written(corpus, "slash") == b"the/DT dog/NN\na/DT\n"
    assert written(corpus, "text") == b"the dog\na\n"
    assert written(corpus, "jsonl").splitlines()[1] == b'{"word": ["a"], "pos": ["DT"]}'
    assert written(corpus, "conllu") == (
        b"1\tthe\t_\tDT\t_\t_\t_\t_\t_\t_\n2\tdog\t_\tNN\t_\t_\t_\t_\t_\t_\n\n1\ta\t_\tDT\t_\t_\t_\t_\t_\t_\n\n"
    )
    corpus.write(tmp_path / "x.conllu.gz")
    assert seqlab.read(tmp_path / "x.conllu.gz", columns=("word", "pos")) == corpus
    assert written(seqlab.read(tmp_path / "x.conllu.gz"), "conll", ("form", "upos")).startswith(b"the\tDT\n")


def test_comments_do_not_leak_into_other_formats():
    corpus = seqlab.read(FILES / "comments.conllu")
    assert written(corpus, "text") == b"I did n't .\nYes\n"
    assert b"#" not in written(corpus, "conll", ["word", "upos"])


BAD_VALUES = {
    "empty word": (
        [[("", "X")]],
        "conll",
        "sentence 0, token 0: CoNLL columns cannot hold '' in column 'word'",
    ),
    "tab": ([[("a", "X"), ("b\tc", "X")]], "conll", "sentence 0, token 1: CoNLL columns cannot hold 'b\\tc'"),
    "newline": (
        [[("a", "X")], [("b", "X\n")]],
        "conll",
        "sentence 1, token 0: CoNLL columns cannot hold 'X\\n' in",
    ),
    "blank word": ([[(" ", "X")]], "conll", "cannot hold ' '"),
    "carriage return": ([[("a", "X\r")]], "conll", "cannot hold 'X\\r'"),
    "NUL": ([[("a\0", "X")]], "conll", "cannot hold 'a\\x00'"),
    "empty sentence": (
        [[("a", "X")], []],
        "conll",
        "sentence 1 has no tokens, and CoNLL columns cannot hold an empty",
    ),
    "blank in text": ([[("a b", "X")]], "text", "text cannot hold 'a b'"),
    "blank in tag": ([[("a", "X Y")]], "slash", "word/TAG cannot hold 'X Y' in column 'label'"),
    "backslash": ([[("a\\", "X")]], "slash", "word/TAG cannot hold 'a\\\\'"),
    "strange column": ([[("a", "X")]], "conllu", "CoNLL-U has no place for column 'label'"),
    "no attributes": (
        [[("a", "X")]],
        "crfsuite",
        "a CRFsuite file holds one column of labels and one of attributes",
    ),
}


@pytest.mark.parametrize("case", BAD_VALUES)
def test_what_a_format_cannot_hold_is_refused_before_anything_is_written(case, tmp_path):
    sentences, form, message = BAD_VALUES[case]
    corpus = Corpus.from_lists(sentences)
    goal = tmp_path / "out"
    with pytest.raises(CorpusError) as caught:
        corpus.write(goal, form)
    assert message in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_spaces_as_separator_hold_less_than_tabs():
    corpus = Corpus.from_lists([[("New York", "LOC"), ("is", "")]])
    assert written(corpus) == b"New York\tLOC\nis\t\n\n"
    with pytest.raises(CorpusError, match="cannot hold 'New York' in column 'word'"):
        written(corpus, separator=" ")
    with pytest.raises(CorpusError, match="cannot hold '' in column 'label'"):
        written(Corpus.from_lists([[("is", "")]]), separator=" ")


def test_a_file_appears_only_when_it_is_complete(tmp_path, monkeypatch):
    goal = tmp_path / "x.conll"
    goal.write_bytes(b"old")
    corpus = Corpus.from_lists([["é"]])
    with pytest.raises(CorpusError, match="ascii cannot write 'é'"):
        corpus.write(goal, encoding="ascii")
    monkeypatch.setattr(
        os, "fsync", lambda descriptor: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(
        CorpusError, match=r"cannot be written \(No space left on device\); nothing was changed"
    ):
        corpus.write(goal)
    assert goal.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [goal]


def test_a_written_file_keeps_its_mode_and_its_link(tmp_path):
    goal = tmp_path / "x.conll"
    goal.write_bytes(b"old")
    goal.chmod(0o640)
    link = tmp_path / "link.conll"
    link.symlink_to(goal)
    Corpus.from_lists([["a"]]).write(link)
    assert link.is_symlink()
    assert goal.read_bytes() == b"a\n\n"
    assert stat.S_IMODE(goal.stat().st_mode) == 0o640


def test_writing_to_odd_places(tmp_path):
    corpus = Corpus.from_lists([["a"]])
    with pytest.raises(CorpusError, match="this is a directory"):
        corpus.write(tmp_path)
    with pytest.raises(CorpusError, match=r"cannot be written \(No such file or directory\)"):
        corpus.write(tmp_path / "nowhere" / "x")
    with pytest.raises(TypeError, match="a path, '-' for standard output, or a stream is wanted, got 5"):
        corpus.write(5)
    with pytest.raises(TypeError, match="write wants a Corpus first"):
        seqlab.write([["a"]], tmp_path / "x")
    with pytest.raises(CorpusError, match="unknown format 'xml'"):
        corpus.write(tmp_path / "x", "xml")
    text = io.StringIO()
    corpus.write(text)
    assert text.getvalue() == "a\n\n"


def test_the_same_corpus_gives_the_same_compressed_bytes(tmp_path):
    corpus = Corpus.from_lists([["a", "b"]])
    for name in ("a.gz", "b.gz"):
        corpus.write(tmp_path / name)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


@pytest.mark.parametrize("order", [slice(None, None, -1), slice(1, None), slice(0, 1)])
def test_parts_of_a_corpus_keep_their_own_lines(order):
    corpus = seqlab.read(FILES / "comments.conllu")
    part = corpus[order]
    assert [s.comments for s in part] == [s.comments for s in corpus][order]
    again = seqlab.read(io.BytesIO(written(part)), "conllu")
    assert again == part
    assert [s.comments for s in again] == [s.comments for s in part]


def test_a_last_sentence_without_blank_line_may_move_to_the_front():
    corpus = seqlab.read(io.BytesIO(b"a X\n\nb Y"), "conll")
    assert written(corpus[::-1]) == b"b Y\n\na X\n"
    assert seqlab.read(io.BytesIO(written(corpus[::-1])), "conll") == corpus[::-1]
    assert written(corpus + corpus) == b"a X\n\nb Y\n\na X\n\nb Y"


def test_joined_corpora_of_different_formats_keep_the_lines_of_the_first():
    tree = seqlab.read(FILES / "comments.conllu").select("word", "upos")
    lists = Corpus.from_lists([[("a", "X")]], columns=("word", "upos"))
    assert written(tree + lists, "conllu").count(b"#") == 5
    assert written(lists + tree, "conll").count(b"#") == 0

"""A format is one class and one name in a list: this one is known to reading, guessing and writing at once."""

import argparse
import re
import sys
from types import ModuleType

import pytest

import seqlab
from seqlab.cli import parsing
from seqlab.corpus import formats
from seqlab.corpus.formats.base import BLANKS, LINE_ENDS, SENTENCE_LINE, Format
from seqlab.corpus.formats.lines import LineReader
from seqlab.errors import CorpusError
from seqlab.text.formats import NAMES as TEXTS


class Pipe(Format):
    """word|TAG: a sentence a line."""

    name = "pipe"
    title = "word|TAG"
    suffixes = (".pipe",)
    line_is_sentence = True
    longest_line = SENTENCE_LINE
    weight = 35
    sign = re.compile(r"\|")

    @classmethod
    def is_like(cls, lines, *, blank_lines):
        return all("|" in token for line in lines for token in line.split())

    def __init__(self, options):
        super().__init__(options, LineReader(self._parse), options.fixed_names(self.name, ("word", "label")))

    def _parse(self, text):
        pairs = [token.rpartition("|") for token in text.split()]
        for number, (word, _, tag) in enumerate(pairs, start=1):
            if not word:
                raise CorpusError(f"token {number} is {tag!r}, but word|TAG was wanted; add its tag")
        return [[word for word, _, _ in pairs], [tag for _, _, tag in pairs]], []

    @classmethod
    def render(cls, corpus, layout):
        cls.refuse_empty_sentences(corpus)
        for name in corpus.columns:
            cls.refuse_cells(corpus, name, LINE_ENDS + BLANKS + "|")
        lines = (zip(*(sentence[name] for name in corpus.columns), strict=True) for sentence in corpus)
        return ((" ".join(map("|".join, pairs)) + layout.newline).encode() for pairs in lines)


TEXT = "the|DT dog|NN\r\nruns|VB\r\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    module = ModuleType("seqlab.corpus.formats.pipe")
    module.FORMAT = Pipe
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(formats, "NAMES", (*formats.NAMES, "pipe"))
    for name, text in {"a.pipe": TEXT, "guess.txt": TEXT, "bad.pipe": "the|DT\nthe|DT dog\n"}.items():
        (tmp_path / name).write_bytes(text.encode())
    return tmp_path


@pytest.mark.parametrize("name", ["a.pipe", "guess.txt"])
@pytest.mark.filterwarnings("ignore:.*CRLF:seqlab.errors.CorpusWarning")
def test_new_format_is_read_by_name_and_by_content_and_written_back(folder, name):
    corpus = seqlab.read(folder / name)
    assert (corpus.layout.format, corpus.columns) == ("pipe", ("word", "label"))
    assert [sentence.tokens for sentence in seqlab.corpus.stream(folder / name, block=1)] == corpus.column(
        "word"
    )
    corpus.write(folder / "out.pipe")
    assert (folder / "out.pipe").read_bytes() == TEXT.encode()
    corpus.write(folder / "out.jsonl")
    assert seqlab.read(folder / "out.jsonl") == corpus
    seqlab.read(folder / "out.jsonl").write(folder / "back.pipe")
    assert seqlab.read(folder / "back.pipe") == corpus


def test_faults_of_a_new_format_are_told_with_their_place(folder):
    with pytest.raises(CorpusError) as caught:
        seqlab.read(folder / "bad.pipe")
    assert str(caught.value) == f"{folder}/bad.pipe:2: token 2 is 'dog', but word|TAG was wanted; add its tag"
    assert (caught.value.path, caught.value.line) == (str(folder / "bad.pipe"), 2)
    with pytest.raises(
        CorpusError, match=r"^sentence 0, token 1: word\|TAG cannot hold 'b\|c' in column 'word'"
    ):
        seqlab.Corpus.from_lists([[("a", "X"), ("b|c", "Y")]]).write(folder / "x.pipe")


@pytest.mark.parametrize("name", formats.NAMES)
def test_every_format_of_the_list_has_a_module_with_a_class(name):
    known = formats.named(name)
    assert (known.name, known.__module__) == (name, f"seqlab.corpus.formats.{name}")
    assert known.title


def test_command_line_offers_the_formats_of_the_list():
    parser = argparse.ArgumentParser()
    parsing.add_options(parser, [parsing.READING])
    (action,) = [action for action in parser._actions if "--format" in action.option_strings]
    assert tuple(action.choices) == (*formats.NAMES, *TEXTS)
    assert set(formats.LABELLED) < set(formats.NAMES)

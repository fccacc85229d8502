"""Which format a file is taken for when nobody says."""

from pathlib import Path

import seqlab

FILES = Path(__file__).parent / "files"


def guessed(path, content):
    path.write_bytes(content)
    return seqlab.read(path)


def test_a_treebank_may_be_called_conll(tmp_path):
    assert guessed(tmp_path / "a.conll", (FILES / "comments.conllu").read_bytes()).layout.format == "conllu"


def test_indented_word_tag_text_is_guessed(tmp_path):
    corpus = guessed(tmp_path / "ca01", b"\n\n\tThe/at jury/nn said/vbd ./.\n\n\tIt/pps ran/vbd\n")
    assert corpus.column("label") == [["at", "nn", "vbd", "."], ["pps", "vbd"]]


def test_attributes_with_weights_and_sentence_ends_are_guessed(tmp_path):
    content = b"B\tw=He\t__BOS__\nI\tw=a\tx:0.5\tb:-1e-3\t__EOS__\n\n"
    assert guessed(tmp_path / "nameless", content).layout.format == "crfsuite"

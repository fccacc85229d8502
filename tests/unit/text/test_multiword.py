"""Tokens that stand for several words (du: de, le): read, learned, scored, written with ranges."""

from dataclasses import replace
from pathlib import Path

import pytest

import seqlab
from seqlab.cli import main
from seqlab.errors import StoreError
from seqlab.evaluation import score_segmentation
from seqlab.text import TrainedTokeniser, read_conllu, write_conllu

ROWS = """\
# newdoc id = d1
# text = Il va au marché du bourg.
1 Il il PRON _
2 va aller VERB _
3-4 au _ _ _
3 à à ADP _
4 le le DET _
5 marché marché NOUN _
6-7 du _ _ _
6 de de ADP _
7 le le DET _
8 bourg bourg NOUN SpaceAfter=No
9 . . PUNCT _

# newpar
# text = Donnons-le, I don't.
1-2 Donnons-le _ _ SpaceAfter=No
1 Donnons donner VERB _
2 -le le PRON _
3 , , PUNCT _
4 I I PRON _
5-6 don't _ _ SpaceAfter=No
5 do do AUX _
6 n't not PART _
7 . . PUNCT _

"""


def conllu(rows: str) -> str:
    """Write the ten columns of lines with number, form, lemma, part of speech and MISC."""
    lines = [
        "\t".join([*row.split(" ")[:4], *["_"] * 5, row.split(" ")[4]]) if row[:1].isdigit() else row
        for row in rows.split("\n")
    ]
    return "\n".join(lines)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "fr.conllu"
    path.write_text(conllu(ROWS))
    return path


def test_the_tokens_are_the_surface_forms(file: Path) -> None:
    (document,) = read_conllu(file, labels=["upos"])
    assert document.words[2:5] == ["au", "marché", "du"]
    assert document.multiword == {2: ("à", "le"), 4: ("de", "le")}
    assert document.labels[4] == "ADP+DET"
    assert document.words[7:13] == [
        "Donnons",
        "-le",
        ",",
        "I",
        "do",
        "n't",
    ]  # these are parts of their tokens
    assert document.labels[11:13] == ["AUX", "PART"]


def test_they_are_written_back_with_ranges(file: Path, tmp_path: Path) -> None:
    documents = read_conllu(file, labels=["lemma", "upos"])
    write_conllu(documents, tmp_path / "again.conllu")
    assert (tmp_path / "again.conllu").read_text().strip() == file.read_text().strip()


def test_a_tokeniser_learns_them(file: Path, tmp_path: Path) -> None:
    file.write_text(conllu(ROWS) * 20)
    gold = read_conllu(file)[:1]
    made = TrainedTokeniser.train(file)
    made.save(tmp_path / "fr.model")
    again = seqlab.load(tmp_path / "fr.model")
    found = again(f"Du bourg. DU {gold[0].text}")
    assert [found.multiword[i] for i in sorted(found.multiword)] == [
        ("De", "le"),
        ("DE", "LE"),
        ("à", "le"),
        ("de", "le"),
    ]
    report = again.evaluate(gold)
    assert (report.words.gold, report.words.f1, report.tokens.gold) == (16, 1.0, 12)


def test_a_token_that_mostly_is_one_word_stays_one(file: Path) -> None:
    alone = "# text = du\n" + "\t".join(["1", "du", "du", "DET", *["_"] * 6]) + "\n\n"
    file.write_text(conllu(ROWS) * 5 + alone * 6)
    assert TrainedTokeniser.train(file).multiwords == ("au\tà\tle",)


def test_a_damaged_list_is_refused(file: Path, tmp_path: Path) -> None:
    made = replace(TrainedTokeniser.train(file), multiwords=("du",))
    made.save(tmp_path / "a.model")
    with pytest.raises(StoreError, match="found 'du'"):
        seqlab.load(tmp_path / "a.model")


def test_words_that_were_not_split_are_missed(file: Path) -> None:
    (gold,) = read_conllu(file)
    report = score_segmentation([gold], [replace(gold, multiword={})])
    # 16 words; du and au are one word each where two were wanted
    assert report.words == (16, 14, 12)
    assert report.tokens.f1 == 1.0
    half = score_segmentation([gold], [replace(gold, multiword={2: ("à", "le"), 4: ("de", "la")})])
    assert half.words.correct == 15


def test_labelled_text_as_conllu(tmp_path: Path) -> None:
    text, out = tmp_path / "a.txt", tmp_path / "a.conllu"
    text.write_text("Anna doesn't know.\n\nShe left.\n")
    assert main(["tag", "en-demo", str(text), "--to", "conllu", "-o", str(out), "-q"]) == 0
    (again,) = read_conllu(out, labels=["upos"])
    assert again.text == "Anna doesn't know.\n\nShe left."
    assert again.words[:4] == ["Anna", "does", "n't", "know"]
    assert again.joined is not None
    assert again.joined.tolist()[:4] == [False, False, True, False]
    assert main(["tag", "en-demo", str(text), "--to", "conll", "-o", str(tmp_path / "a.conll"), "-q"]) == 0
    assert len(seqlab.read(tmp_path / "a.conll")) == 2

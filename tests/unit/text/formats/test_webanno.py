"""WebAnno TSV 3: layers, stacked spans, parts of tokens, places in UTF-16, and broken files."""

import io
from pathlib import Path

import pytest

from seqlab.cli import main
from seqlab.errors import CorpusError, CorpusWarning, OptionError
from seqlab.text import Document, RuleTokeniser, read_documents, write_documents
from seqlab.text.formats import guessed

NER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
POS = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"
FILE = f"""\
#FORMAT=WebAnno TSV 3.3
#T_SP={NER}|identifier|value
#T_SP={POS}|coarseValue|PosValue
#T_SP=webanno.custom.Mark


#Text=Anna Weber 👍 unlikes IBM.
1-1 0-4 Anna *[1]|*[2] PER[1]|X\\_y[2] * NNP _
1-2 5-10 Weber *[1] PER[1] * NNP *
1-3 11-13 👍 _ _ * SYM _
1-4 14-21 unlikes _ _ * VB _
1-4.1 16-20 like * VERB _ _ _
1-5 22-25 IBM * ORG * NNP _
1-6 25-26 . _ _ * . _

#Text=He left.
2-1 28-30 He _ _ * PRP _
2-2 31-35 left _ _ * VBD _
2-3 35-36 . _ _ * . _
"""


def tabbed(text: str) -> str:
    lines = [line if line.startswith("#") else line.replace(" ", "\t") + "\t" for line in text.split("\n")]
    return "\n".join(line.strip("\t") and line for line in lines)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "letter.tsv"
    path.write_text(tabbed(FILE))
    return path


def test_layers_spans_and_places(file: Path) -> None:
    assert guessed(file) == "webanno"
    (one,) = read_documents(file)
    assert one.text == "Anna Weber 👍 unlikes IBM.\n\nHe left."
    assert one.name == "letter"
    assert [s[:4] for s in one.spans] == [
        (0, 10, "PER", "Anna Weber"),
        (0, 4, "X_y", "Anna"),
        (15, 19, "VERB", "like"),
        (21, 24, "ORG", "IBM"),
    ]
    assert one.layer("pos").labels == ("NNP", "NNP", "SYM", "VB", "NNP", ".", "PRP", "VBD", ".")
    assert [s[:3] for s in one.layer("Mark").spans] == [(5, 10, "Mark")]
    assert len(one.sentences) == 2


def test_there_and_back_keeps_layers_and_types(file: Path, tmp_path: Path) -> None:
    (one,) = read_documents(file)
    write_documents([one], tmp_path / "out.tsv")
    (again,) = read_documents(tmp_path / "out.tsv")
    assert again.layers == one.layers
    assert (again.text, again.tokens, again.meta) == (one.text, one.tokens, one.meta)
    assert "#T_SP=webanno.custom.Mark\n" in (tmp_path / "out.tsv").read_text()


def test_line_ends_of_windows_and_places_in_code_points(file: Path) -> None:
    text = file.read_text().replace("\n", "\r\n")
    (one,) = read_documents(io.BytesIO(text.encode()), "webanno")
    assert len(one.spans) == 4
    shifted = text.replace("11-13", "11-12").replace("14-21", "13-20").replace("16-20", "15-19")
    shifted = shifted.replace("22-25", "21-24").replace("25-26", "24-25").replace("28-30", "27-29")
    shifted = shifted.replace("31-35", "30-34").replace("35-36", "34-35")
    (two,) = read_documents(io.BytesIO(shifted.encode()), "webanno")
    assert (two.text, two.spans) == (one.text, one.spans)


def test_a_folder_of_files(tmp_path: Path) -> None:
    some = [
        RuleTokeniser()(text).with_layer("entity", None, [(0, 4, "PER")])
        for text in ("Anna left.", "Hugo?\r\n")
    ]
    write_documents(some, tmp_path / "out", "webanno")
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == ["00000.tsv", "00001.tsv"]
    assert guessed(tmp_path / "out") == "webanno"
    again = read_documents(tmp_path / "out")
    assert [(one.text, one.spans) for one in again] == [(one.text, one.spans) for one in some]
    with pytest.raises(OptionError, match="2 do not fit into one"):
        write_documents(some, tmp_path / "one.tsv")


def test_blanks_at_the_ends_of_a_span_are_remarked_on(tmp_path: Path) -> None:
    one = RuleTokeniser()("Anna  left.").with_layer("entity", None, [(0, 5, "PER"), (4, 6, "GAP")])
    with pytest.warns(CorpusWarning) as told:
        write_documents([one], tmp_path / "a.tsv")
    assert [str(each.message).rpartition("; ")[2] for each in told] == [
        "it is made shorter",
        "it is left out",
    ]
    (again,) = read_documents(tmp_path / "a.tsv")
    assert [span[:3] for span in again.spans] == [(0, 4, "PER")]


def test_texts_without_tokens_stay(tmp_path: Path) -> None:
    write_documents([Document.from_offsets(" \n ", [])], tmp_path / "a.tsv")
    assert read_documents(tmp_path / "a.tsv")[0].text == " \n "
    with pytest.raises(CorpusError, match="half of a pair"):
        write_documents([Document.from_offsets("a \ud800", [(0, 1)])], tmp_path / "b.tsv")
    assert not (tmp_path / "b.tsv").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("#FORMAT=WebAnno TSV 3.3", "#FORMAT=WebAnno TSV 2", "x.tsv:1: #FORMAT=WebAnno TSV 3"),
        ("1-2\t", "1:2\t", "x.tsv:9: 1-1<tab>BEGIN-END<tab>word is wanted, found "),
        ("5-10", "5-99999", "x.tsv:9: the word is 'Weber', but the text has "),
        ("5-10", "10-5", "x.tsv:9: a place is BEGIN-END with BEGIN < END, found '10-5'"),
        ("5-10", "5-99999999999999999999", "x.tsv:9: a place is BEGIN-END"),
        ("\t*\tNNP\t_\t\n", "\n", "x.tsv:8: the head of the file names 5 columns behind the word, found 2"),
        ("28-30", "8-30", "x.tsv:16: the sentence begins at 8, but the text before it ends at 26"),
        ("28-30", "999999999-1000000001", "x.tsv:16: the sentence begins at 999999999, but the text"),
    ],
)
def test_broken_files(file: Path, tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(CorpusError) as found:
        read_documents(path, "webanno")
    assert str(found.value).replace(f"{tmp_path}/", "").startswith(message)


def test_relations_are_remarked_on(file: Path) -> None:
    text = file.read_text().replace("#T_SP=webanno.custom.Mark", "#T_RL=webanno.custom.Mark|BT_x")
    with pytest.warns(CorpusWarning, match=r"relations \(webanno.custom.Mark\) are not read"):
        (one,) = read_documents(io.BytesIO(text.encode()), "webanno")
    assert len(one.spans) == 4


def test_in_a_shell(file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", str(file), str(tmp_path / "a.jsonl"), "--to", "doccano"]) == 0
    assert '[0, 10, "PER"]' in (tmp_path / "a.jsonl").read_text()
    assert main(["convert", str(tmp_path / "a.jsonl"), str(tmp_path / "b.tsv"), "--to", "webanno"]) == 0
    assert "PER[1]" in (tmp_path / "b.tsv").read_text()
    assert main(["tag", "en-demo", str(file), "-q"]) == 0
    out = capfd.readouterr().out
    assert out.startswith("#FORMAT=WebAnno TSV 3.3\n")
    assert main(["eval", str(file), str(file)]) == 0

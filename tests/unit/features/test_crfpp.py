"""CRF++ templates: attributes as CRF++ writes them into its text model.

The expectations follow feature.cpp and feature_index.cpp of CRF++ 0.58: _B-1 to _B-8 and _B+1 to _B+8, at most eight
tokens away (older ones have four, and refuse more), text around macros kept as it is, comments and blank lines only
when they begin the line.
"""

import pytest

from seqlab.errors import TemplateError
from seqlab.features import Atom, Template

MANUAL = """\
# Unigram
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U05:%x[-1,0]/%x[0,0]
U10:%x[-2,1]
U20:%x[-2,1]/%x[-1,1]/%x[0,1]
Uconstant

# Bigram
B
"""
SENTENCE = {
    "word": ["He", "reckons", "the", "current"],
    "pos": ["PRP", "VBZ", "DT", "JJ"],
    "chunk": ["B-NP", "B-VP", "B-NP", "I-NP"],
}


def test_the_manual_s_template_gives_crfpp_s_attributes():
    template = Template.from_crfpp(MANUAL)
    assert template.attributes(SENTENCE, 2) == [
        "U00:He",
        "U01:reckons",
        "U02:the",
        "U05:reckons/the",
        "U10:PRP",
        "U20:PRP/VBZ/DT",
        "Uconstant",
    ]
    assert template.attributes(SENTENCE, 0)[:5] == [
        "U00:_B-2",
        "U01:_B-1",
        "U02:He",
        "U05:_B-1/He",
        "U10:_B-2",
    ]
    assert template.bigram
    assert template.edge_attributes(SENTENCE, 2) == []


def test_boundaries_go_out_eight_places():
    template = Template.from_crfpp("\n".join(f"U{i}:%x[{i},0]" for i in range(-8, 9)))
    assert template.attributes({"word": ["x"]}, 0) == [
        *("U-8:_B-8", "U-7:_B-7", "U-6:_B-6", "U-5:_B-5", "U-4:_B-4", "U-3:_B-3", "U-2:_B-2", "U-1:_B-1"),
        "U0:x",
        *("U1:_B+1", "U2:_B+2", "U3:_B+3", "U4:_B+4", "U5:_B+5", "U6:_B+6", "U7:_B+7", "U8:_B+8"),
    ]
    assert not template.bigram


def test_bigram_templates_with_macros_are_edges():
    template = Template.from_crfpp("B\nB01:%x[0,0]\nB02\n")
    assert template.bigram
    assert template.edge_attributes(SENTENCE, 1) == ["B01:reckons", "B02"]
    assert template.edge_attributes(SENTENCE, 0) == []
    assert template.attributes(SENTENCE, 1) == []


def test_text_is_kept_as_it_is():
    template = Template.from_crfpp("U 1 %x[0,0]%x[0,1] \r\nU[%x[,]]é\n")
    assert template.attributes(SENTENCE, 0) == ["U 1 HePRP ", "U[He]é"]


def test_lines_without_identifiers_share_their_attributes():
    template = Template.from_crfpp("U%x[-1,0]\nU%x[0,0]\nB%x[0,0]\n")
    assert template.attributes({"word": ["a", "a"]}, 1) == ["Ua", "Ua"]


def test_columns_are_found_by_position_or_named():
    template = Template.from_crfpp("U0:%x[0,1]\n")
    assert template.features[0].atoms == (Atom("#1", 0),)
    named = Template.from_crfpp("U0:%x[0,1]\n", columns=["word", "pos"])
    assert named.features[0].atoms == (Atom("pos", 0),)
    assert named.attributes({"pos": ["X"]}, 0) == ["U0:X"]
    with pytest.raises(TemplateError, match=r"line 1: there is no column 1 among columns=\['word'\]"):
        Template.from_crfpp("U0:%x[0,1]\n", columns=["word"])


def test_files_are_read_too(tmp_path):
    path = tmp_path / "template"
    path.write_text(MANUAL)
    assert Template.from_crfpp(path) == Template.from_crfpp(str(path)) == Template.from_crfpp(MANUAL)
    assert Template.read(path) == Template.from_crfpp(MANUAL)


def test_they_print_in_our_language_and_come_back():
    template = Template.from_crfpp(MANUAL)
    assert str(template).startswith('boundary crfpp\n"U00:" + #0[-2]\n"U01:" + #0[-1]\n')
    assert Template.parse(str(template)) == template


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("U0:%x[0,0]\n  \n", "line 2: a CRF\\+\\+ template line begins with U, B or #, got '  '"),
        ("X0:%x[0,0]\n", "line 1: a CRF\\+\\+ template line begins with U, B or #"),
        ("U0:%x[9,0]\n", r"line 1: CRF\+\+ reads at most 8 tokens away, got '%x\[9,0\]'"),
        ("U0:%x[+1,0]\n", r"%x\[row,column\] is wanted, as in %x\[-1,0\], got '%x\[\+1,0\]'"),
        ("U0:%x[0,0]%y\n", "got '%y'"),
        ("U0:%x[0 ,0]\n", "is wanted"),
    ],
)
def test_broken_lines_are_named(text, message):
    with pytest.raises(TemplateError, match=message):
        Template.from_crfpp(text)

r"""Wapiti patterns: observations as `wapiti dump` lists them.

The expectations follow src/pattern.c and src/reader.c of Wapiti 1.5.
"""

import pytest

from seqlab.errors import TemplateError
from seqlab.features import Atom, Call, Template

SENTENCE = {"word": ["He", "Reckons", "1,5", "Élan"], "pos": ["PRP", "VBZ", "CD", "NN"]}


def seen(text, t):
    return Template.from_wapiti(text).attributes(SENTENCE, t)


def test_tokens_and_text_are_kept_and_the_first_letter_is_lowered():
    assert seen("U:W=%x[-1,0]/%x[ 0, 1]\n", 1) == ["u:W=He/VBZ"]


def test_boundaries_go_out_four_places_and_then_say_so():
    text = "\n".join(f"u{i}%x[{i},0]" for i in (-6, -5, -1, 1, 4, 5, 6))
    template = Template.from_wapiti(text)
    assert template.attributes({"word": ["x"]}, 0) == [
        *("u-6_x-#", "u-5_x-#", "u-1_x-1", "u1_x+1", "u4_x+4", "u5_x+#", "u6_x+#")
    ]


def test_prefixes_say_who_sees_the_observation():
    template = Template.from_wapiti("u:%x[0,0]\nB:%x[0,0]\n*:%x[0,0]\nb\n")
    assert template.attributes(SENTENCE, 1) == ["u:Reckons", "*:Reckons"]
    assert template.edge_attributes(SENTENCE, 1) == ["b:Reckons", "*:Reckons"]
    assert template.bigram
    assert not Template.from_wapiti("u:%x[0,0]\n").bigram


def test_upper_case_commands_lower_ascii_letters_only():
    assert seen("u%X[0,0]\n", 1) == ["ureckons"]
    assert seen("u%X[0,0]\n", 3) == ["uÉlan"]
    assert seen('u%M[0,0,"\\u*"]%T[0,0,"\\u"]\n', 1) == ["utrue"]
    assert seen('u%M[0,0,"^\\u\\l\\l"]\n', 1) == ["urec"]


def test_tests_say_true_or_false():
    assert [seen('u%t[0,0,"^\\u"]\n', t) for t in range(4)] == [["utrue"], ["utrue"], ["ufalse"], ["ufalse"]]


def test_patterns_are_tried_on_boundary_symbols_too():
    assert seen('u%t[-1,0,"\\d"]%m[-1,0,"\\d"]\n', 0) == ["utrue1"]


def test_matches_are_empty_when_nothing_fits():
    assert seen('u[%m[0,0,"z"]]\n', 0) == ["u[]"]


def test_matches_cut_bytes_as_wapiti_does():
    assert seen('u%m[0,0,"^."]\n', 3) == ["u\\xc3"]
    assert seen('u%m[0,0,"^.."]\n', 3) == ["uÉ"]


def test_absolute_places_count_from_one_and_from_the_end():
    assert seen("u%x[@1,0]\nu%x[@-1,0]\nu%x[@5,0]\nu%x[@-6,0]\nu%X[@0,0]\n", 2) == [
        *("uHe", "uÉlan", "u_x+1", "u_x-2", "u_x-1")
    ]
    assert Template.from_wapiti("u%x[@1,0]\n").features[0].atoms == (Atom("#0", 0, absolute=True),)


def test_comments_run_to_the_end_of_the_line_and_blanks_go():
    assert seen("# all\n\n   \nu:%x[0,0]  # word\r\nu#%x[0,0]\n", 0) == ["u:He", "u"]


def test_calls_are_those_of_our_language():
    template = Template.from_wapiti('*s=%M[0,1,"\\"x?$"]\n', columns=["word", "pos"])
    (feature,) = template.features
    assert feature.atoms == (Atom("pos", 0, calls=(Call("match", ('\\"x?$',)), Call("lower_ascii"))),)
    assert feature.pieces == ("*s=", "")
    assert Template.parse(str(template)) == template


def test_they_print_in_our_language_and_come_back(tmp_path):
    text = 'U:a=%X[-1,0]\n*b=%m[0,0,"^.?.?"]%t[1,0,"\\u"]\nb\nu%x[@1,0]%x[@-1,1]\n'
    path = tmp_path / "pattern.txt"
    path.write_text(text)
    template = Template.from_wapiti(path)
    assert template == Template.from_wapiti(text) == Template.read(path) == Template.parse(str(template))
    assert "boundary wapiti" in str(template)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x:%x[0,0]\n", "line 1: a Wapiti pattern begins with u, b or \\*, got 'x:%x"),
        ("\n u:%x[0,0]\n", "line 2: a Wapiti pattern begins with"),
        ("u:%y[0,0]\n", "a command like %x\\[-1,0\\] is wanted, got '%y"),
        ("u:%x[0]\n", "a command like"),
        ("u:%x[0 ,0]\n", "a command like"),
        ('u:%x[0,0,"a"]\n', "%x takes no pattern"),
        ("u:%t[0,0]\n", "%t takes a pattern in quotes"),
        ('u:%t[0,0,"a**"]\n', "line 1: nothing to repeat before '\\*' in the pattern 'a\\*\\*'"),
        ('u:%t[0,0,"a\n', "a command like"),
        ("u:%x[*0,0]\n", "takes its offset from a column, which seqlab does not do"),
    ],
)
def test_broken_lines_are_named(text, message):
    with pytest.raises(TemplateError, match=message):
        Template.from_wapiti(text)

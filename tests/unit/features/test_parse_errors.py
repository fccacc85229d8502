"""A wrong line is named by number, shown with a caret, and set right where that is possible."""

import pytest

from seqlab.errors import LabelError, TemplateError
from seqlab.features import Atom, Boundary, Feature, Lexicon, Template

BAD = [
    ("lowr(word[0])", "unknown function 'lowr'; did you mean 'lower'?", 0),
    ("zzz(word[0])", "unknown function 'zzz': known are lower, upper,", 0),
    ("positin", "a column needs its place: positin[0]; did you mean 'position'?", 0),
    ("word", "a column needs its place: word[0]", 0),
    ("word[0", "']' is wanted", 6),
    ("word[]", "an offset, as in word[-1] or word[-2..2] is wanted, found ']'", 5),
    ("word[2..1]", "the range 2..1 is empty", 5),
    ("word[0..]", "the end of the range is wanted, found ']'", 8),
    ("word[0] &", "a value is wanted here", 9),
    ("word[0] word[1]", "the line should end before 'word'", 8),
    ("word[0] min=0", "min must be 1 or more", 12),
    ("word[0] min=x", "a number, as in min=2 is wanted, found 'x'", 12),
    ("suffix(word[0])", "a number after the value of suffix is wanted, found ')'", 14),
    ("suffix(word[0], 0)", "suffix needs a number from 1 up", 16),
    ("suffix(word[0], 2, 3)", "suffix takes one argument after its value", 17),
    ("lower(word[0], 2)", "lower takes no argument after its value", 13),
    ("lower(word[0]", "',' or ')' to end lower(...) is wanted", 13),
    ("test(word[0], 3)", "a pattern in quotes is wanted, found '3'", 14),
    ("bias & word[0]", "bias stands alone", 0),
    ("in(word[0])", "a lexicon, as in in(word[0], cities) is wanted", 10),
    ("in(word[0], citis)", "no lexicon 'citis'", 12),
    ("gazetteer(suffix(word[0], 2), cities)", "gazetteer reads a column", 0),
    ("gazetteer(position, cities)", "gazetteer reads a column", 0),
    ("lexicon towns", "lexicon 'towns' has neither a file nor entries", 8),
    ("lexicon towns = towns.txt", "a file name in quotes", 16),
    ("boundary french", "unknown boundary 'french': seqlab, crfpp, wapiti are known", 9),
    ('"abc', "a string that is never closed", 0),
    ("`abc[0]", "a column name that is never closed", 0),
    ("word[0] ? 2", "'?' means nothing here", 8),
    ("'w=' + word[0]", 'text stands in double quotes: "text"', 0),
    ("U00:%x[0,0]", "% means nothing here; templates of CRF++ and Wapiti are read by Template.from_crfpp", 4),
    ("lower word[0]", "lower is a function: its value stands in brackets behind it", 0),
    ('test(word[0], "*")', "nothing to repeat before '*' in the pattern '*'", 14),
    ("word[-999999..999999]", "that would be 1,999,999 features, but a line may have 10,000", 5),
    ("word[-99..99] & word[-99..99]", "that would be 39,601 features, but a line may have 10,000", 0),
    ('"U" + ', "a value is wanted here", 5),
    ("edges: word[0]", "'edges' is neither a function", 0),
    ("word[100000000]", "a feature reads at most 10,000 tokens away, got an offset of 100000000", 5),
    ("word[0] & word[@-10001]", "a feature reads at most 10,000 tokens away, got an offset of -10001", 16),
    ("suffix(word[0], " + "9" * 5000 + ")", "a number of 5000 characters is too large", 16),
    ("#" + "1" * 5000 + "[0]", "a number of 5001 characters is too large", 0),
    ('word[0] + "\0"', "a NUL character, which no text has", 11),
    ("word[0] # \0", "a NUL character, which no text has", 10),
]


@pytest.mark.parametrize(("line", "message", "column"), BAD)
def test_wrong_lines_are_shown_with_a_caret(line, message, column):
    with pytest.raises(TemplateError) as caught:
        Template.parse(f"word[0]\n\n{line}", lexicons={"cities": ["Rome"]})
    head, shown, caret = str(caught.value).split("\n")
    assert head.startswith("line 3: ")
    assert message in head
    assert shown == f"    {line}"
    assert caret == " " * (4 + column) + "^"


def test_errors_in_a_file_name_the_file(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("word[0]\nlowr(word[0])\n")
    with pytest.raises(TemplateError, match=r"t\.txt:2: unknown function 'lowr'"):
        Template.read(path)


def test_bad_patterns_are_found_when_the_template_is_read():
    with pytest.raises(TemplateError, match=r"nothing to repeat before '\*'"):
        Template.parse('test(word[0], "*a")')


def test_a_missing_column_is_reported_at_use_with_those_there_are():
    template = Template.parse("poss[0]")
    with pytest.raises(
        TemplateError, match=r"column 'poss', but the corpus has 2: 'word', 'pos'; did you mean 'pos'"
    ):
        template.attributes({"word": ["a"], "pos": ["b"]}, 0)
    with pytest.raises(TemplateError, match=r"column number 2 \(from 0\), but the corpus has 1: 'word'"):
        Template.parse("#2[0]").attributes(["a"], 0)


@pytest.mark.parametrize("t", [-1, 2])
def test_a_position_outside_the_sentence_is_refused(t):
    with pytest.raises(TemplateError, match=f"there is no token {t} in a sentence of 2"):
        Template.parse("word[0]").attributes(["a", "b"], t)


@pytest.mark.parametrize("t", ["1", 1.0, True, None])
def test_a_position_that_is_no_whole_number_is_refused(t):
    with pytest.raises(LabelError, match="a template wants positions as whole numbers"):
        Template.parse("word[0]").attributes(["a", "b"], t)


@pytest.mark.parametrize("text", [None, 7, b"word[0]", ["word[0]"]])
def test_what_is_no_text_is_refused(text):
    with pytest.raises(TemplateError, match="the text of a template is wanted, got"):
        Template.parse(text)


def test_a_column_in_another_case_is_suggested():
    with pytest.raises(TemplateError, match="did you mean 'word'"):
        Template.parse("WORD[0]").attributes(["a"], 0)


@pytest.mark.parametrize("sentence", ["a string", 7, None])
def test_what_is_no_sentence_is_refused(sentence):
    with pytest.raises(TemplateError, match="a sentence, a dict of columns or a list of words is wanted"):
        Template.parse("word[0]").attributes(sentence, 0)


def test_columns_of_different_length_are_refused():
    with pytest.raises(TemplateError, match=r"equally long, got \{'word': 2, 'pos': 1\}"):
        Template.parse("word[0]").attributes({"word": ["a", "b"], "pos": ["x"]}, 0)


def test_columns_that_are_no_text_are_refused():
    sentence = {"word": ["a", "b"], "bag": [["x"], ["y"]]}
    with pytest.raises(TemplateError, match=r"reads column 'bag' as text, but it holds .* at token 0"):
        Template.parse("bag[0]").attributes(sentence, 0)
    assert Template.parse("word[0]").show(sentence, 0).startswith("token 0 of 2: word='a'\n")


def test_values_made_by_hand_are_checked():
    with pytest.raises(TemplateError, match="1 values needs 2 pieces"):
        Feature((Atom("word"),), ("x",))
    with pytest.raises(TemplateError, match="on_node"):
        Feature((), ("x",), on_node=False)
    with pytest.raises(TemplateError, match="min_count must be 1 or more, got 0"):
        Feature((), ("x",), min_count=0)
    with pytest.raises(TemplateError, match="unknown boundary"):
        Template((), boundary=Boundary(("a",), ("b",)))
    with pytest.raises(TemplateError, match="asks for lexicon 'cities'"):
        Template((Feature((Atom("@gazetteer(cities,word)"),), ("x", "")),))


def test_features_made_by_hand_have_the_same_bounds():
    assert Feature((Atom("word", 10_000),), ("a", "")).atoms[0].offset == 10_000
    with pytest.raises(TemplateError, match="at most 10,000 tokens away, got 'word' at the offset -10001"):
        Feature((Atom("word", -10_001),), ("a", ""))


@pytest.mark.parametrize("read", [Template.from_crfpp, Template.from_wapiti])
def test_templates_of_others_have_the_same_bounds(read):
    with pytest.raises(TemplateError, match=r"line 2: .*tokens away, got '%x\[100000,0\]'"):
        read("U:%x[0,0]\nU:%x[100000,0]\n")
    with pytest.raises(TemplateError, match=r"line 1: .* is wanted, .*got '%x\[9"):
        read(f"U:%x[{'9' * 20},0]\n")
    with pytest.raises(TemplateError, match="line 1: a NUL character"):
        read("U:\0%x[0,0]\n")


def test_names_of_files_with_a_nul_are_refused():
    with pytest.raises(TemplateError, match="cannot read the template 'a\\\\x00b'"):
        Template.read("a\0b")
    with pytest.raises(TemplateError, match="lexicon 'cities': cannot read"):
        Lexicon.read("cities", "a\0b")

"""A template as a value: added to, taken from, printed, shown, read from a file."""

import pickle

import pytest

from seqlab.errors import TemplateError
from seqlab.features import Feature, Lexicon, Template

BASE = Template.parse("word[-1..1]\npos[0]")


class Row:
    """A sentence as the corpus room gives it."""

    columns = ("word", "pos")

    def __len__(self):
        return 2

    def __getitem__(self, name):
        if name == "form":
            return ["Old", "men"]
        return {"word": ["Old", "men"], "pos": ["JJ", "NNS"]}[name]


def test_sentences_dicts_and_lists_of_words_are_all_read():
    template = Template.parse("word[0]\nword[1]")
    wanted = ["word[0]=Old", "word[1]=men"]
    assert template.attributes(Row(), 0) == wanted
    assert template.attributes({"word": ["Old", "men"]}, 0) == wanted
    assert template.attributes(["Old", "men"], 0) == wanted
    assert template.attributes(("Old", "men"), 0) == wanted


def test_a_sentence_may_know_a_column_by_another_name():
    assert Template.parse("form[0]\n#1[0]").attributes(Row(), 1) == ["form[0]=men", "#1[0]=NNS"]
    with pytest.raises(TemplateError, match="the corpus has 2: 'word', 'pos'"):
        Template.parse("lemma[0]").attributes(Row(), 0)


def test_templates_are_collections_of_features():
    assert len(BASE) == 4
    assert all(isinstance(feature, Feature) for feature in BASE)
    assert len({BASE, Template.parse(str(BASE))}) == 1
    assert Template.parse("no edge\nword[-1..1]\npos[0]") != BASE
    assert pickle.loads(pickle.dumps(BASE)) == BASE


def test_text_and_templates_can_be_added():
    longer = BASE + "suffix(word[0], 5)"
    assert str(longer) == "word[-1..1]\npos[0]\nsuffix(word[0], 5)"
    assert longer == BASE + Template.parse("suffix(word[0], 5)")
    assert Template.parse("word[-1]\nword[0] min=3\nword[1]\npos[0]") == BASE + "word[0] min=3"
    assert not (BASE + "no edge").bigram
    assert len(BASE) == 4


def test_text_and_templates_can_be_taken_away():
    assert str(BASE - "word[0]") == "word[-1]\nword[1]\npos[0]"
    assert len(BASE - BASE) == 0
    with pytest.raises(
        TemplateError, match=r"cannot take away 'word\[2\]': the template has no such feature"
    ):
        BASE - "word[2]"


def test_adding_something_else_is_a_type_error():
    with pytest.raises(TypeError):
        BASE + 3
    with pytest.raises(TypeError):
        BASE - 3


def test_lexicons_travel_with_the_template():
    one = Template.parse("in(word[0], cities)", lexicons={"cities": ["Rome"]})
    both = one + "gazetteer(word[0], cities)"
    assert both.lexicons == {"cities": Lexicon.of("cities", ["Rome"])}
    assert (BASE + one).lexicons == one.lexicons
    assert str(one) == "lexicon cities\nin(word[0], cities)"
    with pytest.raises(TemplateError, match="different lexicons by 'cities'"):
        one + Template.parse("in(word[0], cities)", lexicons={"cities": ["Bonn"]})


def test_show_lists_what_is_seen_and_why_the_rest_is_not():
    template = Template.parse(
        "word[-1..0]\nis_title(word[0])\nfirst\ngazetteer(word[0], cities)\nedge: pos[0]",
        lexicons={"cities": ["Rome"]},
    )
    assert template.show({"word": ["The", "old"], "pos": ["DT", "JJ"]}, 1).splitlines() == [
        "token 1 of 2: word='old', pos='JJ'",
        "",
        "labels see",
        "  word[-1]                   | word[-1]=The",
        "  word[0]                    | word[0]=old",
        "  is_title(word[0])          | (absent: is_title of 'old' gives nothing)",
        "  first                      | (absent: not the first token)",
        "  gazetteer(word[0], cities) | (absent: no entry of cities)",
        "",
        "pairs of labels see",
        "                             | the plain pair of labels",
        "  edge: pos[0]               | edge:pos[0]=JJ",
    ]


def test_show_at_the_first_token_has_no_pair():
    shown = Template.parse("word[0]\nedge: word[0]").show(["a"], 0)
    assert shown.endswith("| nothing: there is no pair at the first token")
    assert "pairs" not in Template.parse("no edge\nword[0]").show(["a"], 0)


@pytest.mark.parametrize(
    ("content", "boundary"),
    [
        ("word[0]\nB[0]\n", "<s>"),
        ("# U00:%x[0,0]\nword[0]\n", "<s>"),
        ("# comment\nU00:%x[-1,0]\nB\n", "_B-1"),
        ("u:%x[-1,0]\nb\n", "_x-1"),
        ('U:%x[-1,0]\nU:%t[0,0,"a"]\n', "_x-1"),
        ("*:%x[-1,0]\n", "_x-1"),
        ("U:%X[-1,0]\n", "_x-1"),
        ("U:%x[@1,0]\n", "_x-1"),
    ],
)
def test_read_sees_which_language_a_file_is_in(tmp_path, content, boundary):
    path = tmp_path / "t.txt"
    path.write_text(content)
    assert Template.read(path).boundary.before[0] == boundary


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(TemplateError, match=r"cannot read the template .*nowhere\.txt"):
        Template.read(tmp_path / "nowhere.txt")
    (tmp_path / "t.txt").write_bytes(b"\xff")
    with pytest.raises(TemplateError, match=r"t\.txt: not UTF-8"):
        Template.read(tmp_path / "t.txt")

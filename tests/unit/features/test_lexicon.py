"""Word lists: files good and broken, one token, several tokens, upper and lower case."""

import pickle

import pytest

from seqlab.errors import TemplateError
from seqlab.features import Lexicon, Template
from seqlab.features.lexicon import longest_matches


def file(tmp_path, content):
    path = tmp_path / "cities.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_file_has_entries_and_perhaps_classes(tmp_path):
    path = file(tmp_path, "\ufeffBerlin\tLOC\r\n\nNew York\tLOC\nProf.\nParis\tLOC\nParis\tPER\nParis\tLOC\n")
    lexicon = Lexicon.read("cities", path)
    assert lexicon.entries == {"Berlin": "LOC", "New York": "LOC", "Prof.": "yes", "Paris": "LOC,PER"}
    assert lexicon.path == str(path)
    assert len(lexicon) == 4


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "a\nb\tc\td\n",
            r"cities\.txt:2: 'entry' or 'entry TAB class' expected, found 3 columns in 'b\\tc\\td'",
        ),
        ("a\n\tLOC\n", r"cities\.txt:2: 'entry' or 'entry TAB class' expected"),
        ("a\t\n", r"cities\.txt:1: 'entry' or"),
        (b"a\nb\xff\n", r"cities\.txt:2: not UTF-8: invalid start byte at byte 1"),
    ],
)
def test_broken_files_are_named_by_line(tmp_path, content, message):
    with pytest.raises(TemplateError, match=message):
        Lexicon.read("cities", file(tmp_path, content))


def test_a_missing_file_is_named_with_the_line_of_the_template(tmp_path):
    with pytest.raises(TemplateError, match=r"line 2: lexicon 'cities': cannot read .*nowhere.txt'"):
        Template.parse(f'\nlexicon cities = "{tmp_path}/nowhere.txt"')
    with pytest.raises(TemplateError, match="cannot read"):
        Lexicon.read("cities", tmp_path)


def test_lexicons_are_equal_by_content_and_survive_pickle_and_dict(tmp_path):
    read = Lexicon.read("cities", file(tmp_path, "Berlin\nRome\n"))
    made = Lexicon.of("cities", ["Rome", "Berlin"])
    assert read == made
    assert hash(read) == hash(made)
    assert read != Lexicon.of("towns", ["Rome", "Berlin"])
    assert pickle.loads(pickle.dumps(read)) == read
    again = Lexicon.from_dict(read.to_dict())
    assert again == read
    assert again.path == read.path


def test_what_is_no_lexicon_is_refused():
    with pytest.raises(TemplateError, match="a word like 'cities', got 'my cities'"):
        Lexicon.of("my cities", [])
    with pytest.raises(TemplateError, match="a list of entries is wanted, got 'Rome'"):
        Lexicon.of("cities", "Rome")
    with pytest.raises(TemplateError, match="must be text, got 'Rome': ''"):
        Lexicon.of("cities", {"Rome": ""})


def attributes(text, words, entries):
    template = Template.parse(text, lexicons={"cities": entries})
    return [template.attributes(words, t) for t in range(len(words))]


def test_in_gives_the_class_and_is_absent_otherwise():
    found = attributes("in(word[0], cities)", ["Rome", "rome", "Bonn"], {"Rome": "LOC"})
    assert found == [["in(word[0],cities)=LOC"], [], []]
    assert attributes("in(word[0], cities)", ["Rome"], ["Rome"]) == [["in(word[0],cities)=yes"]]


def test_in_after_lower_puts_the_entries_in_lower_case_too():
    assert attributes("in(lower(word[0]), cities)", ["ROME"], ["Rome"]) == [["in(lower(word[0]),cities)=yes"]]
    assert attributes("in(suffix(upper(word[0]), 3), cities)", ["xing"], ["ing"]) == [
        ["in(suffix(upper(word[0]),3),cities)=yes"]
    ]


def test_gazetteer_takes_the_longest_entry_and_goes_on_behind_it():
    entries = {"New York": "LOC", "New York Times": "ORG", "York": "LOC", "old": "yes"}
    words = ["The", "New", "York", "Times", "in", "New", "York", "York", "old"]
    found = attributes("gazetteer(word[0], cities)", words, entries)
    values = [row[0].partition("=")[2] if row else None for row in found]
    assert values == [None, "B-ORG", "I-ORG", "I-ORG", None, "B-LOC", "I-LOC", "B-LOC", "B"]


def test_gazetteer_compares_case_as_asked():
    words = ["new", "YORK"]
    assert attributes("gazetteer(word[0], cities)", words, ["New York"]) == [[], []]
    assert attributes("gazetteer(lower(word[0]), cities)", words, ["New York"]) == [
        ["gazetteer(lower(word[0]),cities)=B"],
        ["gazetteer(lower(word[0]),cities)=I"],
    ]
    assert attributes("gazetteer(upper(word[-1]), cities)", words, ["New York"]) == [
        ["gazetteer(upper(word[-1]),cities)=<s>"],
        ["gazetteer(upper(word[-1]),cities)=B"],
    ]


def test_blanks_between_tokens_may_be_several():
    template = Template.parse("gazetteer(word[0], cities)", lexicons={"cities": ["New  York"]})
    assert template.attributes(["New", "York"], 1) == ["gazetteer(word[0],cities)=I"]


@pytest.mark.parametrize("entries", [None, 7, b"Rome"])
def test_entries_are_a_list(entries):
    with pytest.raises(TemplateError, match="lexicon 'cities': a list of entries is wanted, got"):
        Template.parse("in(word[0], cities)", lexicons={"cities": entries})


def test_longest_matches_of_nothing():
    assert longest_matches([], {("a",): "yes"}) == []
    assert longest_matches(["a"], {}) == [None]


def test_paths_start_from_the_folder_of_the_template_file(tmp_path):
    file(tmp_path, "Rome\n")
    (tmp_path / "t.txt").write_text('lexicon cities = "cities.txt"\nin(word[0], cities)\n')
    template = Template.read(tmp_path / "t.txt")
    assert template.attributes(["Rome"], 0) == ["in(word[0],cities)=yes"]
    assert Template.parse(str(template)) == template

"""The language, construct by construct: what each line means, written out by hand."""

import pytest

from seqlab.features import Atom, Call, Feature, Template
from seqlab.features.model import canonical

SENTENCE = {"word": ["The", "old", "man"], "pos": ["DT", "JJ", "NN"]}


def names(text, t=1, sentence=SENTENCE, **options):
    return Template.parse(text, **options).attributes(sentence, t)


def test_a_column_at_an_offset():
    assert names("word[0]") == ["word[0]=old"]
    assert names("word[-1]\nword[+1]") == ["word[-1]=The", "word[1]=man"]
    assert Template.parse("pos[-1]").features == (Feature((Atom("pos", -1),), ("pos[-1]=", "")),)


def test_a_window_is_one_feature_a_place():
    assert names("word[-2..2]") == [
        *("word[-2]=<s>", "word[-1]=The", "word[0]=old", "word[1]=man", "word[2]=</s>")
    ]


def test_a_conjunction_joins_values():
    assert names("word[-1] & pos[0]") == ["word[-1]&pos[0]=The|JJ"]


def test_windows_in_a_conjunction_give_all_combinations_in_order():
    assert names("pos[-1..0] & pos[0..1]") == [
        *("pos[-1]&pos[0]=DT|JJ", "pos[-1]&pos[1]=DT|NN", "pos[0]&pos[0]=JJ|JJ", "pos[0]&pos[1]=JJ|NN")
    ]


def test_functions_nest_and_take_ranges():
    assert names("lower(word[-1])") == ["lower(word[-1])=the"]
    assert names("suffix(upper(word[0]), 1..3)") == [
        f"suffix(upper(word[0]),{n})={'OLD'[-n:]}" for n in (1, 2, 3)
    ]
    (feature,) = Template.parse("suffix(lower(word[0]), 2)")
    assert feature.atoms[0].calls == (Call("lower"), Call("suffix", (2,)))


def test_window_and_range_together_change_the_right_one_first():
    assert names("prefix(word[0..1], 1..2)") == [
        *("prefix(word[0],1)=o", "prefix(word[0],2)=ol", "prefix(word[1],1)=m", "prefix(word[1],2)=ma")
    ]


def test_absent_values_leave_the_attribute_out():
    assert names("is_title(word[-1..1])") == ["is_title(word[-1])=yes"]
    assert names("suffix(word[0], 4)") == []
    assert names("is_title(word[0]) & word[0]") == []


def test_functions_leave_boundary_symbols_alone():
    assert names("suffix(word[-1], 9)", t=0) == ["suffix(word[-1],9)=<s>"]
    assert names("upper(word[1])", t=2) == ["upper(word[1])=</s>"]


def test_absolute_places_count_from_both_ends():
    assert names("word[@0]\nword[@-1]\nword[@3]\nword[@-4]") == [
        *("word[@0]=The", "word[@-1]=man", "word[@3]=</s>", "word[@-4]=<s>")
    ]


def test_computed_columns():
    assert names("position\nfrom_end\nsentence_length\nbias", t=2) == [
        *("position=2", "from_end=0", "sentence_length=3", "bias")
    ]
    assert names("first\nlast", t=0) == ["first=yes"]
    assert names("first & word[0]\nlast & word[0]", t=2) == ["last&word[0]=yes|man"]
    one = {"word": ["a"]}
    assert names("first\nlast", t=0, sentence=one) == ["first=yes", "last=yes"]


def test_a_column_may_be_called_like_a_computed_one():
    assert names("position[0]", t=0, sentence={"position": ["x"]}) == ["position[0]=x"]


def test_edge_templates_are_for_pairs_of_labels():
    template = Template.parse("edge: word[0]\nword[0]\nboth: pos[0]")
    assert template.attributes(SENTENCE, 1) == ["word[0]=old", "both:pos[0]=JJ"]
    assert template.edge_attributes(SENTENCE, 1) == ["edge:word[0]=old", "both:pos[0]=JJ"]
    assert template.edge_attributes(SENTENCE, 0) == []
    assert template.bigram


def test_no_edge_switches_label_bigrams_off():
    assert not Template.parse("no edge\nword[0]").bigram


def test_cut_offs_are_kept_for_the_encoder():
    counts = [f.min_count for f in Template.parse("word[0]\nword[-1..0] & pos[0] min=2\nbias")]
    assert counts == [1, 2, 2, 1]


def test_columns_by_position_and_in_backticks():
    sentence = {"word": ["a"], "ne-tag": ["B"]}
    assert names("#1[0]\n`ne-tag`[0]", t=0, sentence=sentence) == ["#1[0]=B", "`ne-tag`[0]=B"]


def test_comments_and_blank_lines():
    text = "\n# all of it\n  word[0]   # the word\n\n#word[1]\r\npos[0]\r\n## #0[0]\n"
    assert names(text) == ["word[0]=old", "pos[0]=JJ"]


def test_literal_features_spell_their_attribute():
    text = '"w=" + word[0] + "/" + pos[0]\n"always"\nword[0] + pos[0]\n"\\"\\\\" + word[0]\n"" + word[0]'
    assert names(text) == ["w=old/JJ", "always", "oldJJ", '"\\old', "old"]


def test_equal_features_are_one_and_the_last_cut_off_counts():
    template = Template.parse("word[-1..1]\nword[0] min=3\nbias\nbias")
    assert [f.min_count for f in template] == [1, 3, 1, 1]
    assert len(Template.parse('"U" + word[0]\n"U" + word[0]')) == 2  # as CRF++ does


def test_an_empty_text_is_an_empty_template():
    assert len(Template.parse("")) == 0
    assert str(Template.parse("")) == ""


@pytest.mark.parametrize(
    "text",
    [
        "word[-2..2]",
        "suffix(lower(word[0]), 1..4) min=2",
        "edge: word[0]",
        "char(word[0], -2..1)",
        "word[-1] & word[0..1]",
        'test(word[0], "^\\\\d*$")',
        "no edge\nboundary crfpp\nword[0]",
        'edge: "B01:" + #0[-1..1]',
    ],
)
def test_compact_lines_are_printed_as_written(text):
    assert str(Template.parse(text)) == text


def test_canonical_names_say_whether_labels_or_pairs_see_them():
    atom = Atom("word", 0)
    assert canonical([atom], on_node=False, on_edge=True).pieces == ("edge:word[0]=", "")
    assert canonical([]).pieces == ("bias",)

"""The presets: the features of one sentence, written out by hand."""

import pytest

from seqlab.features import Template, presets

NAMES = ["chunk", "ner", "pos", "segment", "supertag"]
SENTENCE = {"word": ["In", "2021", "Anna-Lena", "sang"], "pos": ["IN", "CD", "NNP", "VBD"]}


@pytest.mark.parametrize("name", NAMES)
def test_presets_are_plain_templates(name):
    preset = getattr(presets, name)
    assert isinstance(preset, Template)
    assert Template.parse(str(preset)) == preset
    assert preset.bigram
    assert not preset.lexicons
    assert len(preset + "suffix(word[0], 9)") == len(preset) + 1


def test_every_preset_is_tested():
    assert presets.__all__ == NAMES


@pytest.mark.parametrize("name", ["pos", "ner", "segment"])
def test_some_presets_need_words_only(name):
    assert {atom.column for f in getattr(presets, name) for atom in f.atoms} <= {
        *("word", "@first", "@last", "@position")
    }


def test_pos_at_the_start_of_a_sentence():
    assert presets.pos.attributes(SENTENCE, 0) == [
        "bias",
        "word[0]=In",
        "lower(word[-2])=<s>",
        "lower(word[-1])=<s>",
        "lower(word[0])=in",
        "lower(word[1])=2021",
        "lower(word[2])=anna-lena",
        "lower(word[-1])&lower(word[0])=<s>|in",
        "lower(word[0])&lower(word[1])=in|2021",
        "prefix(lower(word[0]),1)=i",
        "prefix(lower(word[0]),2)=in",
        "suffix(lower(word[0]),1)=n",
        "suffix(lower(word[0]),2)=in",
        "prefix(lower(word[0]),2)&suffix(lower(word[0]),2)=in|in",
        "suffix(lower(word[-1]),2)=<s>",
        "suffix(lower(word[-1]),3)=<s>",
        "suffix(lower(word[1]),2)=21",
        "suffix(lower(word[1]),3)=021",
        "shape(word[0])=Xx",
        "short_shape(word[-1])=<s>",
        "short_shape(word[0])=Xx",
        "short_shape(word[1])=0",
        "length(word[0])=2",
        "first=yes",
        "is_capitalized(word[0])&first=yes|yes",
        "short_shape(word[@0])&short_shape(word[0])=Xx|Xx",
        "short_shape(word[@-2])&short_shape(word[0])=Xx-Xx|Xx",
        "short_shape(word[-1])&short_shape(word[0])&short_shape(word[1])=<s>|Xx|0",
    ]


def test_chunk_at_the_end_of_a_sentence():
    assert presets.chunk.attributes(SENTENCE, 3) == [
        "bias",
        "word[-2]=2021",
        "word[-1]=Anna-Lena",
        "word[0]=sang",
        "word[1]=</s>",
        "word[2]=</s>",
        "word[-1]&word[0]=Anna-Lena|sang",
        "word[0]&word[1]=sang|</s>",
        "pos[-2]=CD",
        "pos[-1]=NNP",
        "pos[0]=VBD",
        "pos[1]=</s>",
        "pos[2]=</s>",
        "pos[-2]&pos[-1]=CD|NNP",
        "pos[-1]&pos[0]=NNP|VBD",
        "pos[0]&pos[1]=VBD|</s>",
        "pos[1]&pos[2]=</s>|</s>",
        "pos[-2]&pos[-1]&pos[0]=CD|NNP|VBD",
        "pos[-1]&pos[0]&pos[1]=NNP|VBD|</s>",
        "pos[0]&pos[1]&pos[2]=VBD|</s>|</s>",
        "word[-1]&pos[0]=Anna-Lena|VBD",
        "word[0]&pos[0]=sang|VBD",
        "word[1]&pos[0]=</s>|VBD",
        "pos[-1]&word[0]=NNP|sang",
        "pos[1]&word[0]=</s>|sang",
        "lower(word[0])=sang",
        "prefix(lower(word[0]),2)=sa",
        "prefix(lower(word[0]),3)=san",
        "prefix(lower(word[0]),4)=sang",
        "suffix(lower(word[0]),2)=ng",
        "suffix(lower(word[0]),3)=ang",
        "suffix(lower(word[0]),4)=sang",
        "short_shape(word[0])=x",
    ]


def test_ner_in_the_middle_of_a_sentence():
    seen = presets.ner.attributes(SENTENCE, 2)
    assert [text for text in seen if "fix" not in text] == [
        "bias",
        "word[0]=Anna-Lena",
        "lower(word[-2])=in",
        "lower(word[-1])=2021",
        "lower(word[0])=anna-lena",
        "lower(word[1])=sang",
        "lower(word[2])=</s>",
        "lower(word[-1])&lower(word[0])=2021|anna-lena",
        "lower(word[0])&lower(word[1])=anna-lena|sang",
        "lower(word[-1])&short_shape(word[0])=2021|Xx-Xx",
        "lower(word[1])&short_shape(word[0])=sang|Xx-Xx",
        "shape(word[-1])=0000",
        "shape(word[0])=Xxxx-Xxxx",
        "shape(word[1])=xxxx",
        "short_shape(word[-2])=Xx",
        "short_shape(word[-1])=0",
        "short_shape(word[0])=Xx-Xx",
        "short_shape(word[1])=x",
        "short_shape(word[2])=</s>",
        "short_shape(word[-1])&short_shape(word[0])=0|Xx-Xx",
        "short_shape(word[0])&short_shape(word[1])=Xx-Xx|x",
        "short_shape(word[-1])&short_shape(word[0])&short_shape(word[1])=0|Xx-Xx|x",
        "is_title(word[0])=yes",
        "has_hyphen(word[0])=yes",
        "length(word[0])=9",
        "position=2",
    ]


def test_segment_reads_one_character_a_token():
    seen = presets.segment.attributes(list("食べるAB"), 1)
    assert seen[:6] == ["bias", "word[-2]=<s>", "word[-1]=食", "word[0]=べ", "word[1]=る", "word[2]=A"]
    assert "script(word[-1])&script(word[0])&script(word[1])=kanji|hiragana|hiragana" in seen
    assert len(seen) == 20


def test_supertag_has_everything_that_chunk_has_of_words_and_tags():
    rich = {f.pieces for f in presets.supertag}
    plain = {f.pieces for f in presets.chunk}
    assert plain <= rich
    assert len(presets.supertag) > 1.5 * len(presets.chunk)

"""The tokeniser by rules: examples, options, and laws for any text."""

import pickle

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seqlab.errors import CorpusError, OptionError
from seqlab.text import Document, RuleTokeniser, split_sentences, tokenise

WORDS = {
    "Anna Weber lives in New York.": "Anna Weber lives in New York .",
    "It costs $1,000.50 (3.5% more).": "It costs $ 1,000.50 ( 3.5 % more ) .",
    "On 2020-01-31 at 12:30, 1/2 of 1990-1995": "On 2020-01-31 at 12:30 , 1/2 of 1990 - 1995",
    "Call 1-800-555-1234 or take 1,2,3 and 10,000,000": "Call 1-800-555-1234 or take 1 , 2 , 3 and 10,000,000",
    "It was -5 or +3.5 or .5, not $-5": "It was -5 or +3.5 or .5 , not $ -5",
    "Dr. Smith, e.g., met J. R. Ewing of the U.S.": "Dr. Smith , e.g. , met J. R. Ewing of the U.S.",
    "See https://example.org/a_(b)?x=1. Or (www.foo.com)!": "See https://example.org/a_(b)?x=1 . Or ( www.foo.com ) !",
    "Mail anna.b@mail.example.org, now": "Mail anna.b@mail.example.org , now",
    "#tag @user_1 C++ C# AT&T &amp; and/or": "#tag @user_1 C++ C# AT&T &amp; and / or",
    "end.Start example.com file.txt": "end . Start example.com file.txt",
    "well-known F-16s - state-of-the-art": "well-known F-16s - state-of-the-art",
    "Wait... what?! No!!! (yes)": "Wait ... what ?! No !!! ( yes )",
    "“Curly,” ‘he’ said—then": "“ Curly , ” ‘ he ’ said — then",
    ":-) great:) xD <3 a:b": ":-) great :) xD <3 a : b",
    "'em '90s dogs' 'quoted'": "'em '90s dogs ' ' quoted '",
    "我爱北京。日本語": "我 爱 北 京 。 日 本 語",
    "a\u0301e\u0301 naïve नमस्ते שׁלום": "a\u0301e\u0301 naïve नमस्ते שׁלום",
}


@pytest.mark.parametrize("text", WORDS)
def test_words(text):
    assert " ".join(tokenise(text)) == WORDS[text]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't think it's Anna's", "I do n't think it 's Anna 's"),
        ("They’re sure we’ll say I'd", "They ’re sure we ’ll say I 'd"),
        ("can't've cannot gonna", "ca n't 've can not gon na"),
        ("O'Neil and l'homme", "O'Neil and l'homme"),
    ],
)
def test_clitics_are_cut_off_on_request(text, words):
    assert " ".join(tokenise(text)) == words
    assert tokenise(text, clitics=False) == text.split()


def test_clitics_are_marked_as_joined():
    found = RuleTokeniser()("We don't.")
    assert found.joined.tolist() == [False, False, True, False]


def test_hyphens_are_cut_on_request():
    assert RuleTokeniser(split_hyphens=True)("a well-known F-16").words == [
        "a",
        "well",
        "-",
        "known",
        "F",
        "-",
        "16",
    ]


@pytest.mark.parametrize(
    "emoji",
    ["👩‍👩‍👧‍👦", "🇩🇪", "👍🏽", "1️⃣", "#️⃣", "❤️", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
     "👁️‍🗨️", "🧑🏾‍🤝‍🧑🏻"]
)  # fmt: skip
def test_an_emoji_is_one_token(emoji):
    assert tokenise(emoji * 2) == [emoji, emoji]
    assert tokenise(f"so{emoji}!") == ["so", emoji, "!"]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("He left. She stayed! Why? I know.", ["He left.", "She stayed!", "Why?", "I know."]),
        ("Dr. No met Mr. X. in the U.S. army.", ["Dr. No met Mr. X. in the U.S. army."]),
        ("She lives in the U.S. He does not.", ["She lives in the U.S.", "He does not."]),
        ('"Stop!" he said. "Go." Then he left.', ['"Stop!" he said.', '"Go."', "Then he left."]),
        ("(It rained.) We went.", ["(It rained.)", "We went."]),
        ("1. First item. 2. Second.", ["1. First item.", "2. Second."]),
        ("A title\n\nThe text\nof it.", ["A title", "The text\nof it."]),
        ("A title\r\n\r\nThe text\r\nof it.", ["A title", "The text\r\nof it."]),
        ("一。二！三？", ["一。", "二！", "三？"]),
        ("approx. 5 etc. and so on", ["approx. 5 etc. and so on"]),
        ("It ended.Then it began.", ["It ended.", "Then it began."]),
    ],
)
def test_sentences(text, sentences):
    assert split_sentences(text) == sentences


def test_lines_end_sentences_on_request():
    assert split_sentences("one\ntwo\u2028three", lines=True) == ["one", "two", "three"]
    assert split_sentences("one\ntwo\u2028three") == ["one\ntwo\u2028three"]
    assert split_sentences("one\u2029two") == ["one", "two"]


def check_cover(document, text):
    """Tokens are parts of the text in its order; every character that is no blank is in one, and one only."""
    assert isinstance(document, Document)
    assert document.text is text
    seen = np.zeros(len(text), dtype=int)
    for begin, end in zip(document.begins, document.ends, strict=True):
        assert begin < end
        seen[begin:end] += 1
        assert not text[begin].isspace()
        assert not text[end - 1].isspace()
    assert seen.tolist() == [
        1 if covered or not c.isspace() else 0 for c, covered in zip(text, seen, strict=True)
    ]
    assert (np.diff(document.begins) > 0).all()
    offsets = document.offsets
    assert offsets[0] == 0
    assert offsets[-1] == len(document)
    assert (np.diff(offsets) > 0).all()


ANY = st.text(st.characters(exclude_categories=[]))  # halves of surrogate pairs, NUL, everything
BUSY = st.text(
    st.sampled_from("aB3 .,:'’\"-()@#&/!?\n\r\t$%_…。日🇩👍🏽\u200d\ufe0f\u20e3\u0301\ufeff\u2028\x00wW"),
    max_size=40,
)
PIECES = st.lists(
    st.sampled_from(
        [*WORDS, "don't", "http://", "www.", "a@b.cd", "1,000", ":-)", " ", "\n\n", ".", "x" * 50]
    )
).map("".join)


@given(ANY | BUSY | PIECES, st.booleans(), st.booleans(), st.booleans())
@example("\ud800", True, False, False)
@example("\ufeffa\x00\r\n", True, True, True)
@example("1️⃣2️⃣", True, False, False)
def test_tokens_cover_every_character_once(text, clitics, hyphens, lines):
    tokeniser = RuleTokeniser(clitics=clitics, split_hyphens=hyphens, lines=lines)
    document = tokeniser(text)
    check_cover(document, text)
    for begin, end in zip(document.begins, document.ends, strict=True):
        assert not any(c.isspace() for c in text[begin:end])


@given(st.lists(PIECES.map(str.strip).filter(bool), max_size=4))
def test_paragraphs_do_not_change_each_other(paragraphs):
    whole = [one.text for one in RuleTokeniser()("\n\n".join(paragraphs)).sentences]
    assert whole == [one.text for part in paragraphs for one in RuleTokeniser()(part).sentences]


def test_one_long_line_of_anything_is_read_in_linear_time():
    for piece in (
        "a",
        "日",
        "1-",
        "a.",
        "http://",
        "'",
        ":(",
        "a@",
        "👍",
        "&a",
        "x ",
        "(",
        "e\u0301",
        "1,",
        "Dr. ",
    ):
        text = piece * 200_000
        check = RuleTokeniser()(text)
        assert check.ends[-1] == len(text.rstrip())


def test_own_abbreviations_are_kept():
    own = RuleTokeniser(abbreviations=("Abk.",), titles=())
    assert own("The Abk. of Dr. No").words == ["The", "Abk.", "of", "Dr", ".", "No"]
    assert pickle.loads(pickle.dumps(own)) == own


@pytest.mark.parametrize("text", [b"bytes", None, 3, ["a"]])
def test_only_text_is_taken(text):
    with pytest.raises(CorpusError, match=r"a text \(str\) is wanted, got"):
        RuleTokeniser()(text)


def test_options_that_make_no_sense_are_refused():
    with pytest.raises(OptionError, match="titles is a list of words, got 'dr'"):
        RuleTokeniser(titles="dr")
    with pytest.raises(OptionError, match="clitics"):
        RuleTokeniser(clitics="yes")

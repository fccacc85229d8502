"""The encoder gives exactly the attributes that the template's plain definition gives."""

import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.templates import NATIVE, corpora, templates
from seqlab import _core
from seqlab.corpus import Corpus
from seqlab.encode import Encoder
from seqlab.encode.template_rows import column_of
from seqlab.features import Template
from seqlab.features.functions import FUNCTIONS
from seqlab.features.lexicon import PLAIN, plain_column


def defined(template, corpus, of):
    return [[getattr(template, of)(sentence, t) for t in range(len(sentence))] for sentence in corpus]


def encoded_names(encoded, of):
    lengths = np.diff(encoded.offsets).tolist()
    return [[getattr(encoded, of)(s, t) for t in range(n)] for s, n in enumerate(lengths)]


@given(templates(), corpora(), st.sampled_from([1, 2]))
def test_fit_gives_the_attributes_of_the_definition(template, corpus, threads):
    encoded = Encoder(template).fit(corpus, threads=threads)
    for of in ("attributes", "edge_attributes"):
        assert encoded_names(encoded, of) == defined(template, corpus, of)


@given(st.lists(st.integers(0, 25), max_size=6), st.sampled_from(PLAIN))
def test_computed_columns_are_those_of_each_sentence(lengths, name):
    corpus = Corpus.from_lists(word=[["a"] * length for length in lengths])
    codes, pool = column_of(f"@{name}", corpus, {})
    found = [None if code < 0 else pool.string(code) for code in codes.tolist()]
    assert found == [value for length in lengths for value in plain_column(f"@{name}", length)]


@given(templates(), corpora(), corpora(), st.integers(1, 3))
def test_encode_leaves_out_exactly_what_training_met_too_seldom(template, train, other, min_count):
    encoder = Encoder(template, min_count=min_count)
    encoder.fit(train)
    for of in ("attributes", "edge_attributes"):
        met = Counter(
            name for sentence in defined(template, train, of) for token in sentence for name in token
        )
        for corpus in (train, other):
            wanted = [
                [[name for name in token if met[name] >= min_count] for token in sentence]
                for sentence in defined(template, corpus, of)
            ]
            assert encoded_names(encoder.encode(corpus), of) == wanted


@given(templates(), corpora())
def test_attributes_are_numbered_by_falling_frequency(template, corpus):
    encoded = Encoder(template).fit(corpus)
    counts = np.bincount(encoded.ids, minlength=encoded.encoder.size)
    assert (counts > 0).all()
    assert (np.diff(counts) <= 0).all()
    assert len(set(encoded.encoder.attributes)) == encoded.encoder.size


@given(templates(), corpora(), corpora())
def test_threads_give_the_same_bits(template, corpus, other):
    one, many = Encoder(template), Encoder(template)
    first, second = one.fit(corpus, threads=1), many.fit(corpus, threads=8)
    for a, b in ((first, second), (one.encode(other, threads=1), many.encode(other, threads=8))):
        assert a.ids.tobytes() == b.ids.tobytes()
        assert a.indptr.tobytes() == b.indptr.tobytes()
    assert one.attributes == many.attributes


def test_a_slice_does_not_know_the_words_of_the_rest():
    corpus = Corpus.from_lists([["red", "green"], ["blue"]])
    encoder = Encoder(Template.parse("word[0]"))
    encoder.fit(corpus[:1])
    assert sorted(encoder.attributes) == ["word[0]=green", "word[0]=red"]
    assert len(encoder.encode(corpus[1:]).ids) == 0


def test_long_sentences_are_cut_into_blocks_without_a_seam():
    words = [str(i % 1000) for i in range(5000)]
    template = Template.parse("word[-2..2]\nword[-1] & word[0] & word[1]")
    encoded = Encoder(template).fit(Corpus.from_lists([words]))
    sentence = {"word": words}
    for t in (0, 1, 510, 511, 512, 513, 1023, 1024, 4998, 4999):
        assert encoded.attributes(0, t) == template.attributes(sentence, t)


# ---------------------------------------------------------------- functions of the language, in the core

ASSIGNED = st.characters(exclude_categories=("Cs", "Cn"))
NEARLY = st.text(st.one_of(ASSIGNED, st.sampled_from("aAbBΣσςß1-'.·\u0345ǅİı")), max_size=8)
SAME_UNICODE = _core.unicode_version() == unicodedata.unidata_version


def native(name, value, *args):
    return _core.call([(name, args[0] if args else 0)], value)


@pytest.mark.skipif(not SAME_UNICODE, reason="this Python knows another version of Unicode than the tables")
@pytest.mark.parametrize("name", [name for name in NATIVE if _core.has_function(name)])
def test_functions_equal_their_definition_on_code_points(name):
    define = FUNCTIONS[name].apply
    for code in (
        *range(0x32000),
        *range(0x32000, 0x110000, 97),
    ):  # beyond, nearly all is unassigned or private
        if not 0xD800 <= code < 0xE000:
            assert native(name, chr(code)) == define(chr(code)), hex(code)


@given(NEARLY, st.integers(-4, 4))
def test_functions_equal_their_definition_on_words(value, n):
    if not SAME_UNICODE and not value.isascii():
        value = value.encode("ascii", "ignore").decode()
    for name, function in FUNCTIONS.items():
        if not _core.has_function(name):
            continue
        args = () if not function.arguments else (n if function.least is None else max(n, function.least),)
        wanted = function.apply(value, *args)
        if not function.several:
            assert native(name, value, *args) == wanted, name
            wanted = [] if wanted is None else [wanted]
        assert _core.call_all([(name, args[0] if args else 0)], [value]) == [wanted], name


# ---------------------------------------------------------------- several values

SEVERAL = Template.parse(
    """
    ngrams(word[0], 1..3)
    ngrams(lower(word[-1]), 2) & pos[0]
    word[1] & upper(ngrams(word[0], 2)) & prefix(ngrams(word[@-1], 3), 2)
    edge: ngrams(word[0], 2)
    both: ngrams(word[2], 2) min=2
    "n " + ngrams(word[0], 4) + "/" + pos[0]
    in(ngrams(lower(word[0]), 2), pairs)
    word[0]
""",
    lexicons={"pairs": ["AB", "aa", "é1"]},
)


@given(corpora(), corpora(), st.integers(1, 2))
def test_several_values_give_the_attributes_of_the_definition(train, other, min_count):
    encoder = Encoder(SEVERAL, min_count=min_count)
    for corpus in (train, other):
        encoded = encoder.fit(corpus) if corpus is train else encoder.encode(corpus)
        for of in ("attributes", "edge_attributes"):
            met = Counter(name for one in defined(SEVERAL, train, of) for token in one for name in token)
            known = {name for name in met if met[name] >= max(min_count, 2 if "word[2]" in name else 1)}
            wanted = [
                [sorted(name for name in token if name in known) for token in sentence]
                for sentence in defined(SEVERAL, corpus, of)
            ]
            assert [[sorted(one) for one in some] for some in encoded_names(encoded, of)] == wanted

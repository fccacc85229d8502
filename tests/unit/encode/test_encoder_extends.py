"""Encoder.extend: what was known keeps its number, what is new gets the numbers after it."""

import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab.corpus import Corpus
from seqlab.encode import Encoder
from seqlab.errors import CorpusError, ShapeError, TemplateError
from seqlab.features import Template

TEMPLATE = """
word[0]
suffix(word[0], 1) min=2
word[-1] & word[0]
word[-1] & word[0] & word[+1]
in(word[0], names)
edge: lower(word[0])
edge: word[0] & word[1]
"""
LEXICONS = {"names": {"a": "X", "bb": "Y"}}
FIRST = [["a", "bb", "a", "Ab"], ["bb", "c"]]
SECOND = [["a", "dd", "dd", "e"], [], ["bb", "dd", "a", "bb"]]

words = st.text(alphabet="abAB", min_size=1, max_size=3)
corpora = st.lists(st.lists(words, max_size=6), min_size=1, max_size=5)


def own(sentence, t):
    yield sentence["word"][t]
    yield "length", len(sentence["word"][t])


def bags(sentences):
    return [[{f"w={word}": 1.0, "n": float(len(word))} for word in sentence] for sentence in sentences]


def template(text: str = TEMPLATE) -> Template:
    return Template.parse(text, lexicons=LEXICONS)


MACROS = Template.from_crfpp(
    "U%x[-1,0]\nU%x[0,0]\nU%x[0,0]/%x[1,0]\nB%x[0,0]\n", columns=["word"]
)  # attributes coincide

# features, the same without a cut-off of their own, and sentences as these features want them
KINDS = {
    "template": (template(), template(TEMPLATE.replace("min=2", "")), list),
    "macros": (MACROS, MACROS, list),
    "bag": (None, None, bags),
    "function": (own, own, list),
}


def named_rows(encoded):
    """Names and values of every token: what numbers stand for."""
    names = encoded.encoder.attributes
    values = np.ones(len(encoded.ids)) if encoded.values is None else encoded.values
    return [
        [(names[i], v) for i, v in zip(encoded.ids[b:e].tolist(), values[b:e].tolist(), strict=True)]
        for b, e in zip(encoded.indptr[:-1], encoded.indptr[1:], strict=True)
    ]


def arrays(encoded):
    found = [encoded.offsets, encoded.indptr, encoded.ids, encoded.values, encoded.labels]
    found += [encoded.edge_indptr, encoded.edge_ids]
    return [None if a is None else a.tolist() for a in found]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("min_count", [1, 2])
@given(first=corpora, second=corpora)
def test_extending_equals_counting_by_hand(kind, min_count, first, second):
    features, uncut, shaped = KINDS[kind]
    encoder = Encoder(features, min_count=min_count)
    if not any(first) or not any(second):
        return
    encoder.fit(shaped(first))
    known = list(encoder.attributes)
    extended = encoder.extend(shaped(second))
    assert encoder.attributes[: len(known)] == known

    every = named_rows(Encoder(uncut).fit(shaped(second)))
    met = Counter(name for row in every for name, _ in row)
    least = {name: 2 if name.startswith("suffix") else 1 for name in met}
    new = {n for n in met if n not in set(known) and met[n] >= max(min_count, least[n])}
    assert set(encoder.attributes[len(known) :]) == new
    assert len(encoder.attributes) == len(set(encoder.attributes)) == encoder.size
    falling = [met[name] for name in encoder.attributes[len(known) :]]
    assert falling == sorted(falling, reverse=True)

    kept = {*known, *new}
    assert named_rows(extended) == [[(n, v) for n, v in row if n in kept] for row in every]
    assert arrays(encoder.encode(shaped(second))) == arrays(extended)


@pytest.mark.parametrize("kind", KINDS)
@given(first=corpora, second=corpora, third=corpora)
def test_a_pickled_encoder_extends_alike(kind, first, second, third):
    features, _, shaped = KINDS[kind]
    if not (any(first) and any(second) and any(third)):
        return
    encoder = Encoder(features, min_count=2)
    encoder.fit(shaped(first))
    revived = pickle.loads(pickle.dumps(encoder))
    for corpus in (second, third):
        ours, theirs = encoder.extend(shaped(corpus)), revived.extend(shaped(corpus))
        assert arrays(ours) == arrays(theirs)
        assert encoder.attributes == revived.attributes
        assert encoder.edge_attributes == revived.edge_attributes
        revived = pickle.loads(pickle.dumps(revived))


@pytest.mark.parametrize("kind", KINDS)
@given(corpus=corpora)
def test_extending_an_encoder_that_knows_nothing_is_fitting_it(kind, corpus):
    features, _, shaped = KINDS[kind]
    if not any(corpus):
        return
    labels = [["x"] * len(sentence) for sentence in corpus]
    fitted, extended = Encoder(features), Encoder(features)
    assert arrays(fitted.fit(shaped(corpus), labels)) == arrays(extended.extend(shaped(corpus), labels))
    assert fitted.attributes == extended.attributes
    assert fitted.edge_attributes == extended.edge_attributes
    assert fitted.labels == extended.labels


@pytest.mark.parametrize("kind", KINDS)
def test_meeting_the_same_corpus_again_changes_nothing(kind):
    features, _, shaped = KINDS[kind]
    encoder = Encoder(features, min_count=2)
    fitted = arrays(encoder.fit(shaped(FIRST)))
    known, edges = list(encoder.attributes), list(encoder.edge_attributes)
    assert arrays(encoder.extend(shaped(FIRST))) == fitted
    assert (encoder.attributes, encoder.edge_attributes) == (known, edges)


def test_edge_attributes_are_extended_too():
    encoder = Encoder(template())
    encoder.fit(FIRST)
    known = list(encoder.edge_attributes)
    extended = encoder.extend(SECOND)
    assert encoder.edge_attributes[: len(known)] == known
    assert set(encoder.edge_attributes[len(known) :]) == {
        "edge:lower(word[0])=dd", "edge:lower(word[0])=e", "edge:word[0]&word[1]=dd|dd",
        "edge:word[0]&word[1]=dd|e", "edge:word[0]&word[1]=e|</s>", "edge:word[0]&word[1]=dd|a",
        "edge:word[0]&word[1]=a|bb", "edge:word[0]&word[1]=bb|</s>",
    } - set(known)  # fmt: skip
    for sentence, tokens in enumerate(SECOND):
        for t in range(len(tokens)):
            want = encoder.features.edge_attributes({"word": tokens}, t)
            assert sorted(extended.edge_attributes(sentence, t)) == sorted(want)


def test_a_forgotten_attribute_comes_back_when_it_is_met_often_enough():
    encoder = Encoder("word[0]\nword[0] & word[-1]", min_count=2)
    encoder.fit([["a", "b", "a", "c"], ["a"]])
    assert encoder.attributes == ["word[0]=a", "word[0]&word[-1]=a|<s>"]
    encoder.extend([["c", "c", "b"], ["c"]])
    assert encoder.attributes[2:] == ["word[0]=c", "word[0]&word[-1]=c|<s>"]


def test_labels_are_the_union_by_name():
    encoder = Encoder("word[0]")
    encoder.fit([["a", "b"]], [["N", "V"]])
    extended = encoder.extend([["a", "b", "c"]], [["V", "A", "X"]])
    assert encoder.labels == ("A", "N", "V", "X")
    assert extended.labels.tolist() == [2, 0, 3]
    assert encoder.extend([["q"]]).labels is None
    assert encoder.labels == ("A", "N", "V", "X")


def test_several_producers_are_numbered_together():
    first = Corpus.from_lists(word=[["a", "b"]], bag=[[["x"], ["y", "x"]]], vec=[np.eye(2)])
    second = Corpus.from_lists(
        word=[["b", "c", "c"]], bag=[[["z"], ["z"], ["z", "x"]]], vec=[np.ones((3, 2))]
    )
    encoder = Encoder("word[0]")
    encoder.fit(first)
    known = list(encoder.attributes)
    assert set(known) == {"vec[0]", "vec[1]", "x", "y", "word[0]=a", "word[0]=b"}
    extended = encoder.extend(second)
    assert encoder.attributes == [*known, "z", "word[0]=c"]
    assert extended.attributes(0, 2) == ["word[0]=c", "z", "x", "vec[0]", "vec[1]"]
    assert encoder.encode(first).attributes(0, 0) == ["word[0]=a", "x", "vec[0]", "vec[1]"]


def test_a_column_of_bags_that_is_new_joins_in():
    encoder = Encoder("word[0]")
    encoder.fit(Corpus.from_lists(word=[["a", "b"]]))
    encoder.extend(Corpus.from_lists(word=[["a"]], bag=[[["x", "y"]]]))
    assert encoder.attributes == ["word[0]=a", "word[0]=b", "x", "y"]


def test_any_number_of_threads_numbers_alike():
    results = []
    for threads in (1, 8):
        encoder = Encoder("chunk")
        encoder.fit(Corpus.from_lists(word=FIRST, pos=FIRST), threads=threads)
        results.append(arrays(encoder.extend(Corpus.from_lists(word=SECOND, pos=SECOND), threads=threads)))
        results.append(encoder.attributes)
    assert results[:2] == results[2:]


def test_nothing_changes_when_extending_fails():
    corpus = Corpus.from_lists(word=[["a", "b"]], vec=[np.eye(2)])
    encoder = Encoder("word[0]\nedge: word[0]")
    encoder.fit(corpus, [["N", "V"]])
    before = pickle.dumps(encoder)
    for wrong, error in [
        (Corpus.from_lists(word=[["z"]], vec=[np.ones((1, 3))]), ShapeError),
        (Corpus.from_lists(word=[["z"]]), CorpusError),
        (Corpus.from_lists(token=[["z"]], vec=[np.ones((1, 2))]), TemplateError),
    ]:
        with pytest.raises(error):
            encoder.extend(wrong, [["Q"]])
        assert pickle.dumps(encoder) == before
    with pytest.raises(TemplateError):
        encoder.fit(Corpus.from_lists(token=[["z"]]))
    assert pickle.dumps(encoder) == before


def test_an_empty_corpus_adds_nothing():
    encoder = Encoder("word[0]")
    encoder.fit([["a"]], [["N"]])
    assert len(encoder.extend([], [])) == 0
    assert (encoder.attributes, encoder.labels) == (["word[0]=a"], ("N",))


def test_an_earlier_encoding_still_knows_its_names():
    encoder = Encoder("word[0]")
    fitted = encoder.fit(FIRST)
    encoder.extend(SECOND)
    assert fitted.attributes(1, 1) == ["word[0]=c"]

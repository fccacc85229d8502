"""str() writes a template that parse() reads back, and what is read means the same."""

import pickle

import hypothesis.strategies as st
from hypothesis import given

from seqlab.features import Atom, Call, Feature, Lexicon, Template
from seqlab.features.functions import FUNCTIONS
from seqlab.features.lexicon import PLAIN, Gazetteer
from seqlab.features.model import BOUNDARIES, canonical

LEXICONS = {
    "cities": Lexicon.of("cities", {"New York": "LOC", "Berlin": "LOC,PER", "new": "ADJ"}),
    "titles": Lexicon.of("titles", ["Dr.", "Prof."]),
}
WORDS = st.text(st.sampled_from('aBéß1-|=\\"#%`東 ̈\u0301'), max_size=5)
COLUMNS = st.sampled_from(["word", "pos", "#0", "#1", "ne-tag", "été", "a b", "min"])
OFFSETS = st.integers(-3, 3)
STRINGS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\0"), max_size=6)
PATTERNS = st.sampled_from(["^.?.?", r"\d*$", r"\"\\", "a#b", r"\u\l*"])


@st.composite
def calls(draw):
    name = draw(st.sampled_from([*FUNCTIONS, "in"]))
    if name == "in":
        return Call("in", (draw(st.sampled_from(list(LEXICONS))),))
    function = FUNCTIONS[name]
    least = -3 if function.least is None else function.least
    kinds = {int: st.integers(least, 4), str: PATTERNS}
    return Call(name, tuple(draw(kinds[kind]) for kind in function.arguments))


@st.composite
def atoms(draw):
    chain = tuple(draw(st.lists(calls(), max_size=2)))
    kind = draw(st.sampled_from(["column", "column", "plain", "gazetteer"]))
    if kind == "plain":
        return Atom(f"@{draw(st.sampled_from(PLAIN))}", calls=chain)
    column = draw(COLUMNS)
    if kind == "gazetteer":
        fold = draw(st.sampled_from([None, "lower", "upper"]))
        column = Gazetteer(draw(st.sampled_from(list(LEXICONS))), column, fold).name
    return Atom(column, draw(OFFSETS), draw(st.booleans()), chain)


@st.composite
def features(draw):
    found = draw(st.lists(atoms(), max_size=3))
    on_node, on_edge = draw(st.sampled_from([(True, False), (False, True), (True, True)]))
    least = draw(st.integers(1, 3))
    if draw(st.booleans()):
        return canonical(found, on_node=on_node, on_edge=on_edge, min_count=least)
    pieces = draw(st.lists(STRINGS, min_size=len(found) + 1, max_size=len(found) + 1))
    return Feature(tuple(found), tuple(pieces), on_node, on_edge, least)


def counted(atom, low, size):
    """The same feature at several offsets: what str() folds into a window."""
    return [canonical([Atom(atom.column, offset)]) for offset in range(low, low + size)]


@st.composite
def templates(draw):
    found = draw(st.lists(features(), max_size=6))
    if draw(st.booleans()):
        found += counted(Atom("word"), draw(OFFSETS), draw(st.integers(1, 5)))
    boundary = draw(st.sampled_from(list(BOUNDARIES.values())))
    return Template(tuple(found), draw(st.booleans()), boundary, LEXICONS)


@st.composite
def sentences(draw):
    length = draw(st.integers(1, 4))
    rows = st.lists(WORDS, min_size=length, max_size=length)
    return {name: draw(rows) for name in ["word", "pos", "ne-tag", "été", "a b", "min"]}


@given(templates())
def test_printed_templates_are_read_back_equal(template):
    again = Template.parse(str(template), lexicons=template.lexicons)
    assert again == template
    assert str(again) == str(template)
    assert hash(again) == hash(template)


@given(templates())
def test_pickled_templates_are_equal(template):
    assert pickle.loads(pickle.dumps(template)) == template


@given(templates(), templates())
def test_sum_has_the_features_of_both(one, two):
    together = one + two
    assert {(f.atoms, f.pieces, f.on_node, f.on_edge) for f in together} == {
        (f.atoms, f.pieces, f.on_node, f.on_edge) for f in (*one, *two)
    }
    assert together.boundary == one.boundary


@given(templates(), sentences(), st.data())
def test_every_attribute_belongs_to_a_feature_and_every_position_has_a_meaning(template, sentence, data):
    t = data.draw(st.integers(0, len(sentence["word"]) - 1))
    node, edge = template.attributes(sentence, t), template.edge_attributes(sentence, t)
    if not template.several:
        assert len(node) <= sum(f.on_node for f in template)
        assert len(edge) <= (sum(f.on_edge for f in template) if t else 0)
    assert all(any(text.startswith(f.pieces[0]) for f in template) for text in node + edge)
    shown = template.show(sentence, t)
    assert all(text in shown for text in node + edge)


@given(atoms(), atoms())
def test_different_features_have_different_names(one, two):
    if one != two:
        assert canonical([one]).pieces[0] != canonical([two]).pieces[0]

"""hypothesis: random templates, and small corpora for them to read."""

from __future__ import annotations

from hypothesis import strategies as st

from seqlab.corpus import Corpus
from seqlab.features import Atom, Call, Feature, Template
from seqlab.features.functions import FUNCTIONS
from seqlab.features.lexicon import Lexicon
from seqlab.features.model import BOUNDARIES

WORDS = [
    "the",
    "The",
    "old",
    "man",
    "B-52",
    "ΟΔΟΣ",
    "straße",
    "ß",
    "1984",
    "x",
    "",
    "<s>",
    "é́",
    "食べる",
    "_B-1",
]
NATIVE = [name for name, function in FUNCTIONS.items() if not function.arguments]
NUMBERED = [name for name, one in FUNCTIONS.items() if one.arguments == (int,) and not one.several]
LEXICONS = {"cities": Lexicon.of("cities", {"the": "art", "old man": "phrase", "man": "yes"})}

calls = st.one_of(
    st.sampled_from(NATIVE).map(Call),
    st.builds(lambda name, n: Call(name, (n,)), st.sampled_from(NUMBERED), st.integers(1, 4)),
    st.builds(lambda _: Call("in", ("cities",)), st.none()),
    st.builds(
        lambda name, pattern: Call(name, (pattern,)),
        st.sampled_from(["test", "match"]),
        st.sampled_from(["^.", "\\d"]),
    ),
)
COMPUTED = ["@position", "@from_end", "@sentence_length", "@first", "@last", "@gazetteer(cities,word)"]
columns = st.sampled_from(["word", "pos", "#0", "#1", *COMPUTED])
atoms = st.builds(Atom, columns, st.integers(-3, 3), st.booleans(), st.lists(calls, max_size=2).map(tuple))


@st.composite
def features(draw):
    chosen = tuple(draw(st.lists(atoms, max_size=4)))
    name = draw(st.sampled_from(["U1:", "U2:", "U:"]))  # names that coincide are part of CRF++
    pieces = (name, *["/"] * (len(chosen) - 1), "") if chosen else (name,)
    on_node = draw(st.booleans())
    return Feature(chosen, pieces, on_node=on_node, on_edge=not on_node or draw(st.booleans()))


@st.composite
def templates(draw):
    return Template(
        tuple(draw(st.lists(features(), min_size=1, max_size=5))),
        boundary=draw(st.sampled_from(list(BOUNDARIES.values()))),
        lexicons=LEXICONS,
    )


@st.composite
def corpora(draw):
    lengths = draw(st.lists(st.integers(0, 5), min_size=1, max_size=5))
    word = [draw(st.lists(st.sampled_from(WORDS), min_size=n, max_size=n)) for n in lengths]
    pos = [draw(st.lists(st.sampled_from(["DT", "NN", "the"]), min_size=n, max_size=n)) for n in lengths]
    return Corpus.from_lists(word=word, pos=pos)

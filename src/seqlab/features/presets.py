"""Templates to start from. Each is a plain value: print it, add to it, take from it.

They are written in the language itself, and nothing in them is tied to one language or tag set. Lower-cased words and
affixes carry over to words that were not seen in training; shapes keep what lower-casing loses.
"""

from __future__ import annotations

from seqlab.corpus import BagColumn, Corpus, StringColumn
from seqlab.corpus.columns import CHUNK_TYPES
from seqlab.errors import OptionError, TemplateError
from seqlab.features.template import Template
from seqlab.tags import detect
from seqlab.tags.detection import known_runs

__all__ = ["chunk", "ner", "pos", "segment", "supertag"]

pos = Template.parse("""
    bias
    word[0]                            # the word as it is, for those seen in training
    lower(word[-2..2])                 # what stands around it
    lower(word[-1]) & lower(word[0])   # "to run" against "a run"
    lower(word[0]) & lower(word[1])
    lower(word[1]) & suffix(lower(word[0]), 3)     # the same for words that were never seen: "...ing of"
    prefix(lower(word[0]), 1..5)       # unknown words are known by their ends ...
    suffix(lower(word[0]), 1..6)
    prefix(lower(word[0]), 2) & suffix(lower(word[0]), 2)   # ... and by both together: "un...ed"
    suffix(lower(word[-1]), 2..3)      # endings of the neighbours, known or not
    suffix(lower(word[1]), 2..3)
    shape(word[0])
    short_shape(word[-1..1])
    has_digit(word[0])
    has_hyphen(word[0])
    length(word[0])
    first
    last
    is_capitalized(word[0]) & first    # a capital says little at the start of a sentence ...
    short_shape(word[@0]) & short_shape(word[0])   # ... or in a heading, where other words have one too
    short_shape(word[@-2]) & short_shape(word[0])  # the last token is often a full stop
    short_shape(word[-1]) & short_shape(word[0]) & short_shape(word[1])    # "Xx Xx Xx" is a name or a title
""")

chunk = Template.parse("""
    bias
    word[-2..2]                        # CRFsuite's well-known chunking template ...
    word[-1] & word[0]
    word[0] & word[1]
    pos[-2..2]
    pos[-2] & pos[-1]
    pos[-1] & pos[0]
    pos[0] & pos[1]
    pos[1] & pos[2]
    pos[-2] & pos[-1] & pos[0]
    pos[-1] & pos[0] & pos[1]
    pos[0] & pos[1] & pos[2]           # ... up to here
    word[-1..1] & pos[0]               # a word together with a tag: more than both apart
    pos[-1] & word[0]
    pos[1] & word[0]
    lower(word[0])                     # words that are written in two ways
    prefix(lower(word[0]), 2..4)       # words that were never seen
    suffix(lower(word[0]), 2..4)
    short_shape(word[0])
""")

ner = Template.parse("""
    bias
    word[0] min=3                      # a name seen once or twice says little about the next text ...
    lower(word[-2..2]) min=3
    lower(word[-1]) & lower(word[0]) min=3
    lower(word[0]) & lower(word[1]) min=3
    lower(word[-1]) & short_shape(word[0]) min=3   # ... "in Xx" and "Xx said" say more
    lower(word[1]) & short_shape(word[0]) min=3
    prefix(lower(word[0]), 1..5) min=3 # names have their endings: -son, -ville, -stan
    suffix(lower(word[0]), 1..5) min=3
    shape(word[-1..1]) min=3
    short_shape(word[-2..2])           # capitals here and around
    short_shape(word[-1]) & short_shape(word[0])
    short_shape(word[0]) & short_shape(word[1])
    short_shape(word[-1]) & short_shape(word[0]) & short_shape(word[1])
    is_title(word[-1..1])
    is_upper(word[-1..1])
    has_digit(word[0])
    has_hyphen(word[0])
    length(word[0])
    position                           # a capital says little at the start of a sentence
    first
    last
""")

segment = Template.parse("""
    # one character a token, in the column "word"
    bias
    word[-2..2]                        # the character and its neighbours
    word[-2] & word[-1]                # pairs of characters
    word[-1] & word[0]
    word[0] & word[1]
    word[1] & word[2]
    word[-1] & word[1]                 # what stands on both sides
    word[-2] & word[-1] & word[0]
    word[-1] & word[0] & word[1]
    word[0] & word[1] & word[2]
    script(word[-1..1])                # kanji, hiragana, latin, digit, punct: words end where they change
    script(word[-1]) & script(word[0])
    script(word[0]) & script(word[1])
    script(word[-1]) & script(word[0]) & script(word[1])
    first
    last
""")

supertag = Template.parse("""
    bias
    word[-3..3]                        # a wide window, words and tags
    lower(word[-1..1])
    word[-2] & word[-1]
    word[-1] & word[0]
    word[0] & word[1]
    word[1] & word[2]
    word[-1] & word[1]
    pos[-3..3]
    pos[-3] & pos[-2]
    pos[-2] & pos[-1]
    pos[-1] & pos[0]
    pos[0] & pos[1]
    pos[1] & pos[2]
    pos[2] & pos[3]
    pos[-2] & pos[-1] & pos[0]         # three and four tags in a row
    pos[-1] & pos[0] & pos[1]
    pos[0] & pos[1] & pos[2]
    pos[-2] & pos[-1] & pos[0] & pos[1]
    pos[-1] & pos[0] & pos[1] & pos[2]
    word[-2..2] & pos[0]               # words with tags
    pos[-2..-1] & word[0]
    pos[1..2] & word[0]
    pos[-1] & word[0] & pos[1]
    word[-1] & word[0] & pos[1]
    pos[-1] & word[0] & word[1]
    prefix(lower(word[0]), 1..5)       # words that were never seen
    suffix(lower(word[0]), 1..5)
    suffix(lower(word[-1]), 2..3)
    suffix(lower(word[1]), 2..3)
    short_shape(word[-1..1])
""")


NAMED: dict[str, Template] = {name: globals()[name] for name in __all__}


def preset_or_template(text: str) -> Template:
    """Find the preset of this name, or parse template text."""
    if text in NAMED:
        return NAMED[text]
    try:
        return Template.parse(text)
    except TemplateError as error:
        if not text.isidentifier():
            raise
        known = ", ".join(map(repr, __all__))
        raise OptionError(
            f"there is no preset {text!r}, only {known}; template text has brackets, like 'word[0]'"
        ) from error


def usual_features(corpus: Corpus, label: str) -> str | None:
    """Choose a preset that fits the labels and columns of the corpus; None for ready-made attributes."""
    if any(isinstance(corpus.data(name), BagColumn) for name in corpus.columns):
        return None
    strings = [name for name in corpus.columns if isinstance(corpus.data(name), StringColumn)]
    if strings == [label]:
        return None
    labels = set(corpus.strings(label, missing=True).values)
    if detect(known_runs(corpus.column(label))).scheme is None:
        return "pos"
    types = {tag.partition("-")[2] for tag in labels if "-" in tag}
    if not types:
        return "segment"
    return "chunk" if types <= CHUNK_TYPES and {"pos", "upos"} & set(strings) else "ner"

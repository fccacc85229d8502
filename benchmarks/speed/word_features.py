"""Features of words for part-of-speech tagging as people write them in Python: what the preset `pos` sees.

One dict for every token, in the style of the tutorials of sklearn-crfsuite. `check` holds it to the preset: the same
kinds of attributes, and about as many of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from seqlab import Corpus, Template
from seqlab.encode import Encoder

BEFORE, AFTER = "<s>", "</s>"


def features(words: Sequence[str]) -> list[dict[str, Any]]:
    """The attributes of a sentence."""
    ends = short_shape(around(words, 0)), short_shape(around(words, len(words) - 2))  # once a sentence
    return [token_features(words, t, ends) for t in range(len(words))]


def token_features(words: Sequence[str], t: int, ends: tuple[str, str]) -> dict[str, Any]:
    word = words[t]
    two, one = around(words, t - 2), around(words, t - 1)
    after, then = around(words, t + 1), around(words, t + 2)
    lower, before, following = word.lower(), one.lower(), after.lower()
    short = short_shape(word)
    found: dict[str, Any] = {
        "bias": 1.0,
        "word[0]": word,
        "lower(word[-2])": two.lower(),
        "lower(word[-1])": before,
        "lower(word[0])": lower,
        "lower(word[1])": following,
        "lower(word[2])": then.lower(),
        "lower(word[-1])&lower(word[0])": f"{before}|{lower}",
        "lower(word[0])&lower(word[1])": f"{lower}|{following}",
        "shape(word[0])": shape(word),
        "short_shape(word[-1])": short_shape(one),
        "short_shape(word[0])": short,
        "short_shape(word[1])": short_shape(after),
        "short_shape(word[@0])&short_shape(word[0])": f"{ends[0]}|{short}",
        "short_shape(word[@-2])&short_shape(word[0])": f"{ends[1]}|{short}",
        "length(word[0])": str(len(word)),
    }
    found.update({f"prefix{n}": lower[:n] for n in range(1, 5) if len(lower) >= n})
    found.update({f"suffix{n}": lower[-n:] for n in range(1, 6) if len(lower) >= n})
    found.update({f"suffix{n}[-1]": before[-n:] for n in (2, 3) if len(before) >= n})
    found.update({f"suffix{n}[1]": following[-n:] for n in (2, 3) if len(following) >= n})
    if len(lower) >= 3:
        found["lower(word[-1])&suffix3"] = f"{before}|{lower[-3:]}"
        found["lower(word[1])&suffix3"] = f"{following}|{lower[-3:]}"
    flags = {
        "has_digit": any(char.isdigit() for char in word),
        "has_hyphen": "-" in word,
        "first": t == 0,
        "last": t == len(words) - 1,
        "capital&first": t == 0 and word[:1].isupper(),
    }
    found.update({name: 1.0 for name, true in flags.items() if true})
    return found


def around(words: Sequence[str], t: int) -> str:
    return BEFORE if t < 0 else AFTER if t >= len(words) else words[t]


def shape(word: str) -> str:
    return "".join(map(kind, word))


def short_shape(word: str) -> str:
    return "".join(char for char, _ in itertools.groupby(map(kind, word)))


def kind(char: str) -> str:
    if char.isupper():
        return "X"
    if char.islower():
        return "x"
    return "d" if char.isdigit() else char


def check(
    sentences: Sequence[Sequence[str]], template: Template, *, apart: float = 0.1
) -> tuple[float, float]:
    """Attributes per token of both sides; they must not differ by more than a tenth."""
    encoded = Encoder(template).fit(Corpus.from_lists(word=[list(words) for words in sentences]), threads=1)
    tokens = sum(map(len, sentences))
    ours = len(encoded.ids) / tokens
    theirs = sum(len(token) for words in sentences for token in features(words)) / tokens
    if abs(ours - theirs) > apart * ours:
        raise AssertionError(
            f"{ours:.1f} attributes per token by the preset, {theirs:.1f} by hand: not one kind"
        )
    return ours, theirs

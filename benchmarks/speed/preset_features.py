"""What our presets see, as people write it in Python: one dict for every token, as in sklearn-crfsuite's tutorials.

`check` holds each function to its preset: the same kinds of attributes, and about as many of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.speed import chunking
from seqlab import Corpus, Template
from seqlab.encode import Encoder

BEFORE, AFTER = "<s>", "</s>"


# ---------------------------------------------------------------- pos


def pos(words: Sequence[str]) -> list[dict[str, Any]]:
    ends = short_shape(around(words, 0)), short_shape(around(words, len(words) - 2))  # once a sentence
    return [pos_token(words, t, ends) for t in range(len(words))]


def pos_token(words: Sequence[str], t: int, ends: tuple[str, str]) -> dict[str, Any]:
    word = words[t]
    two, one = around(words, t - 2), around(words, t - 1)
    after, then = around(words, t + 1), around(words, t + 2)
    lower, before, following = word.lower(), one.lower(), after.lower()
    short_before, short, short_after = short_shape(one), short_shape(word), short_shape(after)
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
        "short_shape(word[-1])": short_before,
        "short_shape(word[0])": short,
        "short_shape(word[1])": short_after,
        "short_shape[-1]&[0]&[1]": f"{short_before}|{short}|{short_after}",
        "short_shape(word[@0])&short_shape(word[0])": f"{ends[0]}|{short}",
        "short_shape(word[@-2])&short_shape(word[0])": f"{ends[1]}|{short}",
        "length(word[0])": str(len(word)),
    }
    found.update({f"prefix{n}": lower[:n] for n in range(1, 6) if len(lower) >= n})
    found.update({f"suffix{n}": lower[-n:] for n in range(1, 7) if len(lower) >= n})
    found.update({f"suffix{n}[-1]": before[-n:] for n in (2, 3) if len(before) >= n})
    found.update({f"suffix{n}[1]": following[-n:] for n in (2, 3) if len(following) >= n})
    if len(lower) >= 2:
        found["prefix2&suffix2"] = f"{lower[:2]}|{lower[-2:]}"
    if len(lower) >= 3:
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


# ---------------------------------------------------------------- chunk


def chunk(sentence: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Chunking attributes, and more of words together with tags and of words that were never seen."""
    found: list[dict[str, Any]] = []
    for t, token in enumerate(chunking.features(sentence)):
        word, tag = sentence[t]
        lower = word.lower()
        more: dict[str, Any] = {
            "bias": 1.0,
            "word[-1]&pos[0]": f"{token['word[-1]']}|{tag}",
            "word[0]&pos[0]": f"{word}|{tag}",
            "word[1]&pos[0]": f"{token['word[1]']}|{tag}",
            "pos[-1]&word[0]": f"{token['pos[-1]']}|{word}",
            "pos[1]&word[0]": f"{token['pos[1]']}|{word}",
            "lower(word[0])": lower,
            "short_shape(word[0])": short_shape(word),
        }
        more.update({f"prefix{n}": lower[:n] for n in range(2, 5) if len(lower) >= n})
        more.update({f"suffix{n}": lower[-n:] for n in range(2, 5) if len(lower) >= n})
        found.append({**token, **more})
    return found


# ---------------------------------------------------------------- ner


def ner(words: Sequence[str]) -> list[dict[str, Any]]:
    return [ner_token(words, t) for t in range(len(words))]


def ner_token(words: Sequence[str], t: int) -> dict[str, Any]:
    word, lower = words[t], words[t].lower()
    near = {k: around(words, t + k) for k in range(-2, 3)}
    short = {k: short_shape(other) for k, other in near.items()}
    before, after = near[-1].lower(), near[1].lower()
    found: dict[str, Any] = {
        "bias": 1.0,
        "word[0]": word,
        "lower(word[-1])&lower(word[0])": f"{before}|{lower}",
        "lower(word[0])&lower(word[1])": f"{lower}|{after}",
        "lower(word[-1])&short_shape(word[0])": f"{before}|{short[0]}",
        "lower(word[1])&short_shape(word[0])": f"{after}|{short[0]}",
        "short_shape[-1]&[0]": f"{short[-1]}|{short[0]}",
        "short_shape[0]&[1]": f"{short[0]}|{short[1]}",
        "short_shape[-1]&[0]&[1]": f"{short[-1]}|{short[0]}|{short[1]}",
        "length(word[0])": str(len(word)),
        "position": str(min(t, 3)),
    }
    found.update({f"lower(word[{k}])": other.lower() for k, other in near.items()})
    found.update({f"short_shape(word[{k}])": other for k, other in short.items()})
    found.update({f"shape(word[{k}])": shape(near[k]) for k in (-1, 0, 1)})
    found.update({f"prefix{n}": lower[:n] for n in range(1, 6) if len(lower) >= n})
    found.update({f"suffix{n}": lower[-n:] for n in range(1, 6) if len(lower) >= n})
    flags = {f"title[{k}]": near[k].istitle() for k in (-1, 0, 1)}
    flags |= {f"upper[{k}]": near[k].isupper() for k in (-1, 0, 1)}
    flags |= {
        "has_digit": any(char.isdigit() for char in word),
        "has_hyphen": "-" in word,
        "first": t == 0,
        "last": t == len(words) - 1,
    }
    found.update({name: 1.0 for name, true in flags.items() if true})
    return found


# ---------------------------------------------------------------- parts of words


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


# ---------------------------------------------------------------- of one kind


def check(
    corpus: Corpus, template: Template, by_hand: Callable[[Any], list[dict[str, Any]]], *, apart: float = 0.1
) -> tuple[float, float]:
    """Attributes per token of both sides; they must not differ by more than a tenth."""
    plain = Template(tuple(feature._replace(min_count=1) for feature in template.features))
    ours = len(Encoder(plain).fit(corpus, threads=1).ids) / corpus.token_count
    theirs = sum(len(token) for sentence in rows(corpus) for token in by_hand(sentence)) / corpus.token_count
    if abs(ours - theirs) > apart * ours:
        raise AssertionError(
            f"{ours:.1f} attributes per token by the preset, {theirs:.1f} by hand: not one kind"
        )
    return ours, theirs


def rows(corpus: Corpus) -> list[Any]:
    """Words, or (word, tag) pairs where there are tags."""
    words: list[list[str]] = corpus.column("word")
    if "pos" not in corpus.columns:
        return words
    return [list(zip(*both, strict=True)) for both in zip(words, corpus.column("pos"), strict=True)]

"""CRFsuite's chunking template twice: in our language, and as people write it in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

TEMPLATE = """
word[-2..2]
word[-1] & word[0]
word[0] & word[1]
pos[-2..2]
pos[-2] & pos[-1]
pos[-1] & pos[0]
pos[0] & pos[1]
pos[1] & pos[2]
pos[-2] & pos[-1] & pos[0]
pos[-1] & pos[0] & pos[1]
pos[0] & pos[1] & pos[2]
"""


def items(words: Sequence[str], tags: Sequence[str]) -> list[list[str]]:
    """The attributes of a sentence as strings, in a plain Python loop."""
    padded_words = ["<s>", "<s>", *words, "</s>", "</s>"]
    padded_tags = ["<s>", "<s>", *tags, "</s>", "</s>"]
    found = []
    for t in range(len(words)):
        w2, w1, w, w_1, w_2 = padded_words[t : t + 5]
        p2, p1, p, p_1, p_2 = padded_tags[t : t + 5]
        found.append(
            [
                f"word[-2]={w2}",
                f"word[-1]={w1}",
                f"word[0]={w}",
                f"word[1]={w_1}",
                f"word[2]={w_2}",
                f"word[-1]&word[0]={w1}|{w}",
                f"word[0]&word[1]={w}|{w_1}",
                f"pos[-2]={p2}",
                f"pos[-1]={p1}",
                f"pos[0]={p}",
                f"pos[1]={p_1}",
                f"pos[2]={p_2}",
                f"pos[-2]&pos[-1]={p2}|{p1}",
                f"pos[-1]&pos[0]={p1}|{p}",
                f"pos[0]&pos[1]={p}|{p_1}",
                f"pos[1]&pos[2]={p_1}|{p_2}",
                f"pos[-2]&pos[-1]&pos[0]={p2}|{p1}|{p}",
                f"pos[-1]&pos[0]&pos[1]={p1}|{p}|{p_1}",
                f"pos[0]&pos[1]&pos[2]={p}|{p_1}|{p_2}",
            ]
        )
    return found


def features(sentence: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """The same attributes as users of sklearn-crfsuite write them: a dict for every token."""
    padded = [("<s>", "<s>"), ("<s>", "<s>"), *sentence, ("</s>", "</s>"), ("</s>", "</s>")]
    found = []
    for t in range(len(sentence)):
        (w2, p2), (w1, p1), (w, p), (w_1, p_1), (w_2, p_2) = padded[t : t + 5]
        found.append(
            {
                "word[-2]": w2,
                "word[-1]": w1,
                "word[0]": w,
                "word[1]": w_1,
                "word[2]": w_2,
                "word[-1]&word[0]": f"{w1}|{w}",
                "word[0]&word[1]": f"{w}|{w_1}",
                "pos[-2]": p2,
                "pos[-1]": p1,
                "pos[0]": p,
                "pos[1]": p_1,
                "pos[2]": p_2,
                "pos[-2]&pos[-1]": f"{p2}|{p1}",
                "pos[-1]&pos[0]": f"{p1}|{p}",
                "pos[0]&pos[1]": f"{p}|{p_1}",
                "pos[1]&pos[2]": f"{p_1}|{p_2}",
                "pos[-2]&pos[-1]&pos[0]": f"{p2}|{p1}|{p}",
                "pos[-1]&pos[0]&pos[1]": f"{p1}|{p}|{p_1}",
                "pos[0]&pos[1]&pos[2]": f"{p}|{p_1}|{p_2}",
            }
        )
    return found

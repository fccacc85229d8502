"""Bound what an answer may hold: a small request can ask for a large one."""

from __future__ import annotations

from seqlab.serve.problems import Problem
from seqlab.serve.settings import Limits


class Room:
    """The room that is left for the answer to a request.

    limits   bounds of a request
    """

    def __init__(self, limits: Limits) -> None:
        self.limits, self._left = limits, limits.values

    def take(self, many: int) -> None:
        """Take room for some values, before they are computed.

        many   numbers and labels
        """
        self._left -= many
        if self._left < 0:
            raise Problem(
                422,
                f"the answer would hold more than {self.limits.values} values; send fewer or shorter sentences",
            )

    def check_sentence(self, length: int, number: int) -> None:
        """Refuse a sentence of a text with too many tokens.

        length   number of its tokens
        number   of the sentence
        """
        if length > self.limits.tokens:
            told = f"a sentence of {length} tokens; at most {self.limits.tokens} are allowed"
            raise Problem(422, told, option="text", place={"sentence": number})

"""A line of a template cut into tokens, and the errors that point at one of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from seqlab.errors import Place, TemplateError

_TOKEN = re.compile(
    r"""
      (?P<blank>   \s+ )
    | (?P<column>  \#\d+(?=\[) | `[^`()\n]+` )
    | (?P<comment> \#.* )
    | (?P<string>  "(?:\\.|[^"\\])*" )
    | (?P<name>    [^\W\d]\w* )
    | (?P<number>  [+-]?\d+ )
    | (?P<mark>    \.\. | [\[\]():,&=+@.] )
    """,
    re.VERBOSE | re.DOTALL,
)

_STRANGERS = {
    '"': "a string that is never closed",
    "'": 'text stands in double quotes: "text"',
    "`": "a column name that is never closed",
    "%": "% means nothing here; templates of CRF++ and Wapiti are read by Template.from_crfpp and Template.from_wapiti",
}


@dataclass(frozen=True, slots=True)
class Token:
    """kind is column, string, name, number, end, or the mark itself."""

    kind: str
    text: str
    start: int

    def is_name(self, text: str) -> bool:
        """Is it this bare word?"""
        return self.kind == "name" and self.text == text

    @property
    def column(self) -> str:
        """A column's name without its backticks."""
        return self.text.strip("`")

    @property
    def number(self) -> int:
        """The value of a number."""
        return int(self.text)

    @property
    def string(self) -> str:
        r"""A string without its quotes: \" is a quote and \\ a backslash; any other backslash is itself."""
        return re.sub(r'\\(["\\])', r"\1", self.text[1:-1])


class Line:
    """The tokens of a line, taken one by one."""

    def __init__(self, text: str, number: int, path: str | None = None) -> None:
        self.text = text.removesuffix("\r")
        self.place = Place(path=path, line=number)
        self.at = 0
        self.tokens = self._cut()

    def _cut(self) -> list[Token]:
        tokens: list[Token] = []
        start = 0
        while start < len(self.text):
            found = _TOKEN.match(self.text, start)
            if found is None:
                what = _STRANGERS.get(self.text[start], f"{self.text[start]!r} means nothing here")
                self.fail(what, Token("end", "", start))
            kind = found.lastgroup or ""
            if kind not in {"blank", "comment"}:
                tokens.append(Token(found[0] if kind == "mark" else kind, found[0], start))
            start = found.end()
        return tokens

    def peek(self, ahead: int = 0) -> Token:
        """A token that stands ahead; past the last one there is the end."""
        if self.at + ahead < len(self.tokens):
            return self.tokens[self.at + ahead]
        return Token("end", "", len(self.text.rstrip()))

    def next(self, count: int = 1, *, last: bool = True) -> Token:
        """Take `count` tokens and give the last (or the first) of them."""
        taken = self.peek(count - 1 if last else 0)
        self.at += count
        return taken

    def expect(self, kind: str, wanted: str) -> Token:
        """Take a token of this kind, or say what was wanted."""
        token = self.peek()
        if token.kind != kind:
            self.fail(
                f"{wanted} is wanted, found {token.text!r}" if token.text else f"{wanted} is wanted", token
            )
        return self.next()

    def fail(self, message: str, token: Token) -> NoReturn:
        """Raise an error that shows the line and points at the token."""
        raise TemplateError(f"{message}\n    {self.text}\n    {' ' * token.start}^", place=self.place)

"""Parser of the template language, line by line.

    line     = "lexicon" NAME ["=" STRING]  |  "no" "edge"  |  "boundary" NAME  |  feature
    feature  = ["edge:" | "both:"] (value {"&" value}  |  item {"+" item}) ["min" "=" NUMBER]
    item     = STRING | value                              the attribute is spelled out, as CRF++ and Wapiti do
    value    = COLUMN "[" ["@"] range "]"  |  NAME "(" value {"," argument} ")"  |  computed
    argument = range | STRING | NAME
    range    = NUMBER [".." NUMBER]

COLUMN is a name, a name in backticks, or #0, #1, ... (by position). Comments run from # to the end of the line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import NoReturn

from seqlab.errors import Place, TemplateError
from seqlab.features.functions import FOLDS, FUNCTIONS, Function
from seqlab.features.lexicon import PLAIN, Gazetteer, Lexicon
from seqlab.features.model import BOUNDARIES, FURTHEST, SEQLAB, TOO_FAR, Atom, Call, Feature, canonical
from seqlab.features.template import NUL, Template
from seqlab.features.values import near
from seqlab.features.wapiti_regex import compiled

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
    """A token: kind is column, string, name, number, end, or the mark itself."""

    kind: str
    text: str
    start: int

    def is_name(self, text: str) -> bool:
        """Return True if it is this bare word."""
        return self.kind == "name" and self.text == text

    @property
    def number(self) -> int:
        """The value of a number token."""
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
        self.at = start = 0
        self.tokens: list[Token] = []
        if "\0" in self.text:
            self.fail(NUL, Token("end", "", self.text.index("\0")))
        while start < len(self.text):
            found = _TOKEN.match(self.text, start)
            if found is None:
                what = _STRANGERS.get(self.text[start], f"{self.text[start]!r} means nothing here")
                self.fail(what, Token("end", "", start))
            kind = found.lastgroup or ""
            if len(found[0]) > LONGEST_NUMBER and found[0].lstrip("#+-").isdigit():
                self.fail(f"a number of {len(found[0])} characters is too large", Token("end", "", start))
            if kind not in {"blank", "comment"}:
                self.tokens.append(Token(found[0] if kind == "mark" else kind, found[0], start))
            start = found.end()

    def peek(self, ahead: int = 0) -> Token:
        """Return a token ahead; past the last one there is the end."""
        if self.at + ahead < len(self.tokens):
            return self.tokens[self.at + ahead]
        return Token("end", "", len(self.text.rstrip()))

    def next(self, count: int = 1, *, last: bool = True) -> Token:
        """Consume `count` tokens and return the last (or the first) of them."""
        taken = self.peek(count - 1 if last else 0)
        self.at += count
        return taken

    def take(self, mark: str) -> bool:
        """Consume the next token if it is this mark."""
        found = self.peek().text == mark
        self.at += found
        return found

    def expect(self, kind: str, wanted: str) -> Token:
        """Consume a token of this kind, or raise an error that says what was expected."""
        token = self.peek()
        if token.kind != kind:
            self.fail(
                f"{wanted} is wanted, found {token.text!r}" if token.text else f"{wanted} is wanted", token
            )
        return self.next()

    def fail(self, message: str, token: Token) -> NoReturn:
        """Raise an error that shows the line and points at the token."""
        raise TemplateError(f"{message}\n    {self.text}\n    {' ' * token.start}^", place=self.place)


WITH_LEXICON = ("in", "gazetteer")
KINDS = {"edge": (False, True), "both": (True, True)}  # -> on_node, on_edge
LONGEST_NUMBER = 100  # characters: longer ones are mistakes, and slow to convert
MOST = 10_000  # features that one line may define: more is a typing error, and would take minutes


def parse(
    text: str,
    *,
    path: str | None = None,
    base: Path | None = None,
    lexicons: Mapping[str, Lexicon] | None = None,
) -> Template:
    """Read a template.

    path       file that messages name
    base       the folder that paths of lexicons start from
    lexicons   those that the text may use without a file of its own
    """
    if not isinstance(text, str):
        raise TemplateError(f"the text of a template is wanted, got {text!r:.80}")
    reader = _Reader(base or Path(), lexicons or {})
    for number, line in enumerate(text.split("\n"), start=1):
        reader.read(Line(line, number, path))
    found = reader.lexicons
    for name, lexicon in reader.given.items():
        found.setdefault(name, lexicon)
    for line_read, token in reader.used:
        if token.text not in found:
            line_read.fail(
                f"no lexicon {token.text!r}; declare it with: lexicon {token.text} = "
                f'"{token.text}.txt"{near(token.text, found)}',
                token,
            )
    return Template(tuple(reader.features), reader.bigram, reader.boundary, found)


class _Reader:
    """Reads one line after another, and collects the lexicons they use."""

    def __init__(self, base: Path, given: Mapping[str, Lexicon]) -> None:
        self.base, self.given = base, given
        self.features: list[Feature] = []
        self.bigram = True
        self.boundary = SEQLAB
        self.lexicons: dict[str, Lexicon] = {}
        self.used: list[tuple[Line, Token]] = []

    def read(self, line: Line) -> None:
        if not line.tokens:
            return
        self.line = line
        first, second = line.peek(), line.peek(1)
        if first.is_name("lexicon") and second.kind == "name":
            self._lexicon()
        elif first.is_name("no") and second.is_name("edge"):
            line.next(2)
            self.bigram = False
        elif first.is_name("boundary") and second.kind == "name":
            line.next()
            if second.text not in BOUNDARIES:
                line.fail(f"unknown boundary {second.text!r}: {', '.join(BOUNDARIES)} are known", second)
            self.boundary = BOUNDARIES[line.next().text]
        else:
            self.features += self._feature()
        if line.peek().kind != "end":
            line.fail(f"the line should end before {line.peek().text!r}", line.peek())

    def _lexicon(self) -> None:
        line = self.line
        name = line.next(2)
        if line.take("="):
            path = self.base / line.expect("string", 'a file name in quotes, as in "cities.txt"').string
            try:
                self.lexicons[name.text] = Lexicon.read(name.text, path)
            except TemplateError as error:
                raise TemplateError(str(error), place=line.place) from error
        elif name.text in self.given:
            self.lexicons[name.text] = self.given[name.text]
        else:
            line.fail(
                f"lexicon {name.text!r} has neither a file nor entries; write lexicon {name.text} = "
                f'"{name.text}.txt", or pass lexicons={{{name.text!r}: [...]}}',
                name,
            )

    def _feature(self) -> list[Feature]:
        line = self.line
        on_node, on_edge = True, False
        if line.peek(1).text == ":" and line.peek().text in KINDS:
            on_node, on_edge = KINDS[line.next(2, last=False).text]
        first = line.peek()
        values, pieces = self._body()
        self._check_size(prod(map(len, values)), first)
        count = self._min()
        return [
            canonical(atoms, on_node=on_node, on_edge=on_edge, min_count=count)
            if pieces is None
            else Feature(atoms, pieces, on_node, on_edge, count)
            for atoms in product(*values)
        ]

    def _check_size(self, size: int, token: Token) -> None:
        if size > MOST:
            self.line.fail(f"that would be {size:,} features, but a line may have {MOST:,}", token)

    def _body(self) -> tuple[list[list[Atom]], tuple[str, ...] | None]:
        """Read the values, and the literal text around them, if any."""
        line = self.line
        if line.peek().is_name("bias") and line.peek(1).text not in {"[", "("}:
            bias = line.next()
            if line.peek().text in {"&", "+"}:
                line.fail("bias stands alone: it is there at every token, and would add nothing", bias)
            return [], None
        if line.peek().kind != "string":
            values, pieces = [self._value()], ["", ""]
            if line.peek().text != "+":
                while line.take("&"):
                    values.append(self._value())
                return values, None
        else:
            values, pieces = [], [line.next().string]
        while line.take("+"):
            if line.peek().kind == "string":
                pieces[-1] += line.next().string
            else:
                values.append(self._value())
                pieces.append("")
        return values, tuple(pieces)

    def _min(self) -> int:
        line = self.line
        if not (line.peek().is_name("min") and line.peek(1).text == "="):
            return 1
        line.next(2)
        count = line.expect("number", "a number, as in min=2")
        if count.number < 1:
            line.fail("min must be 1 or more", count)
        return count.number

    def _value(self) -> list[Atom]:
        """Read a value; ranges expand to several, the rightmost range varying fastest."""
        line = self.line
        token = line.next()
        after = line.peek().text
        if token.kind == "column" or (token.kind == "name" and after == "["):
            line.expect("[", "'['")
            absolute = line.take("@")
            at = line.peek()
            offsets = self._range("an offset, as in word[-1] or word[-2..2]")
            if max(-offsets[0], offsets[-1]) > FURTHEST:
                line.fail(f"{TOO_FAR}, got an offset of {max(offsets, key=abs)}", at)
            line.expect("]", "']'")
            return [Atom(token.text.strip("`"), offset, absolute) for offset in offsets]
        if token.kind == "name" and after == "(":
            return self._call(token)
        if token.kind == "name" and token.text in PLAIN:
            return [Atom(f"@{token.text}")]
        if token.kind == "name" and (token.text in FUNCTIONS or token.text in WITH_LEXICON):
            line.fail(f"{token.text} is a function: its value stands in brackets behind it", token)
        if token.kind == "name":
            known = [*PLAIN, "bias", *FUNCTIONS, *WITH_LEXICON]
            line.fail(
                f"{token.text!r} is neither a function with its value nor a computed column; "
                f"a column needs its place: {token.text}[0]{near(token.text, known)}",
                token,
            )
        return line.fail("a value is wanted here, such as word[0] or lower(word[0])", token)

    def _range(self, wanted: str) -> tuple[int, ...]:
        line = self.line
        start = line.expect("number", wanted)
        if not line.take(".."):
            return (start.number,)
        end = line.expect("number", "the end of the range")
        if end.number < start.number:
            line.fail(f"the range {start.text}..{end.text} is empty; write the smaller number first", start)
        self._check_size(end.number - start.number + 1, start)
        return tuple(range(start.number, end.number + 1))

    def _call(self, name: Token) -> list[Atom]:
        line = self.line
        if name.text not in FUNCTIONS and name.text not in WITH_LEXICON:
            known = [*FUNCTIONS, *WITH_LEXICON]
            line.fail(
                f"unknown function {name.text!r}{near(name.text, known) or ': known are ' + ', '.join(known)}",
                name,
            )
        line.expect("(", "'('")
        inner = self._value()
        if name.text in WITH_LEXICON:
            atoms = self._with_lexicon(name, inner)
        else:
            arguments = self._arguments(name, FUNCTIONS[name.text])
            self._check_size(len(inner) * prod(map(len, arguments)), name)
            atoms = [_called(atom, name, *given) for atom in inner for given in product(*arguments)]
        line.expect(")", f"',' or ')' to end {name.text}(...)")
        return atoms

    def _with_lexicon(self, name: Token, inner: list[Atom]) -> list[Atom]:
        line = self.line
        line.expect(",", f"a lexicon, as in {name.text}(word[0], cities)")
        lexicon = line.expect("name", "the name of a lexicon")
        self.used.append((line, lexicon))
        if name.text == "in":
            return [_called(atom, name, lexicon.text) for atom in inner]
        column, _, _, calls = inner[0]
        folds = [call.name for call in calls]
        if column.startswith("@") or len(folds) > 1 or not set(folds) <= set(FOLDS):
            line.fail(
                "gazetteer reads a column, as in gazetteer(word[0], cities), "
                "or gazetteer(lower(word[0]), cities) to compare in lower case",
                name,
            )
        computed = Gazetteer(lexicon.text, column, *folds).name
        return [atom._replace(column=computed, calls=()) for atom in inner]

    def _arguments(self, name: Token, function: Function) -> tuple[tuple[int | str, ...], ...]:
        line = self.line
        arguments: list[tuple[int | str, ...]] = []
        for kind in function.arguments:
            line.expect(",", f"a {'number' if kind is int else 'pattern'} after the value of {name.text}")
            at = line.peek()
            if kind is str:
                token = line.expect("string", "a pattern in quotes")
                try:
                    compiled(token.string)
                except TemplateError as error:
                    line.fail(error.message, token)
                arguments.append((token.string,))
                continue
            numbers = self._range(f"a number, as in {name.text}(word[0], 3)")
            if function.least is not None and numbers[0] < function.least:
                line.fail(f"{name.text} needs a number from {function.least} up", at)
            arguments.append(numbers)
        if line.peek().text == ",":
            taken = "one argument" if arguments else "no argument"
            line.fail(f"{name.text} takes {taken} after its value", line.peek())
        return tuple(arguments)


def _called(atom: Atom, name: Token, *arguments: int | str) -> Atom:
    return atom._replace(calls=(*atom.calls, Call(name.text, arguments)))

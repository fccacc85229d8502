"""Formulas become MathML when the site is built, so that pages need no script and nothing from elsewhere to show them.

In Markdown a formula is plain text in a block of kind `formula`, or inline code on a page of docs/equations:

    alpha_t(y) = node_t(y) + log Σ_a exp( alpha_{t-1}(a) + edge_t(a, y) )        for t > 0

`_` and `^` begin an index and an exponent: one run of letters and digits, or all within braces; a prime behind an index
belongs to the letter that has it, unless it stands within the braces. Names of Greek letters become letters. Σ, Π, max
and the like have their index below. Columns are three or more blanks apart; rows are aligned at their first relation. A
`/` between blanks becomes a fraction where it is clear what stands above and below.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass, field

GREEK = dict(
    zip(
        ["alpha", "beta", "gamma", "delta", "theta", "lambda", "mu", "pi", "xi", "sigma", "Sigma", "Psi"],
        "αβγδθλμπξσΣΨ",
        strict=True,
    )
)
SIGNS = {"<=": "≤", ">=": "≥", "->": "→", "<-": "←", "...": "…", "..": "…", "-": "−", "*": "∗"}
NAMES = {
    "node",
    "edge",
    "head",
    "exp",
    "log",
    "max",
    "min",
    "argmax",
    "inf",
    "sign",
    "diag",
    "sqrt",
    "end",
    "rest",
}
LARGE = {"∑", "∏", "∫", "⊕", "max", "min", "argmax"}
RELATIONS = {"=", "≤", "≥", "∝", "←", "→", "⇔", "⇒", "<", ">", "≠", "∈", "+="}
ENDS = RELATIONS | {"+", "−", ",", ";", ":"}  # where a term ends
PAIRS = {"(": ")", "[": "]", "{": "}", "⟨": "⟩"}
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵀ¾", "0123456789+−T¾", strict=True))
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
TOKEN = re.compile(
    r"""(?P<blank>\s+)|(?P<quoted>"[^"]*"|</?s>|eq:[a-z-]+|n-grams?|l2\b|l1\b)|(?P<number>\d+(?:\.\d+)?(?:e-?\d+)?)"""
    r"""|(?P<word>[A-Za-z]+[\u0300-\u036f]?)|(?P<letter>[^\W\d_A-Za-zᵀ][\u0300-\u036f]?)"""
    r"""|(?P<sign><=|>=|->|<-|\+=|\.\.\.|\.\.|.)"""
)
LABEL = re.compile(r'[A-Z]|[A-Za-z][A-Za-z -]+:?|"\w+"')  # a name before a formula
RELATION_FIRST = re.compile(r"\s{3,}(?=(?:=|<=|>=|<-|←|∝|≤|<)\s)")


@dataclass
class Part:
    """A piece of MathML, and what the rules for fractions need to know of it."""

    mathml: str
    text: str = ""  # of a sign or a word
    spaced: bool = False  # blanks before it
    group: str = ""  # what stands between round brackets, if it is that
    wordy: bool = False  # a word of prose, or a name such as log


@dataclass
class Tokens:
    """The tokens of a text, read one by one."""

    text: str
    found: list[tuple[str, str, bool]] = field(default_factory=list)
    at: int = 0

    def __post_init__(self) -> None:
        blank = False
        for match in TOKEN.finditer(self.text):
            kind = str(match.lastgroup)
            if kind != "blank":
                self.found.append((kind, match[0], blank))
            blank = kind == "blank"

    def peek(self) -> tuple[str, str, bool]:
        """See the next token."""
        return self.found[self.at] if self.at < len(self.found) else ("end", "", False)

    def next(self) -> tuple[str, str, bool]:
        """Take the next token."""
        token = self.peek()
        self.at += 1
        return token


def block(text: str) -> str:
    """Give the MathML of a block."""
    rows = "".join(_row(line) for line in text.splitlines())
    table = f'<mtable displaystyle="true" columnalign="right left left left left">{rows}</mtable>'
    return f'<div class="formula"><math display="block">{table}</math></div>\n'


def inline(code: str) -> str | None:
    """Give the MathML of inline code, or None where it is no formula but the name of something."""
    words = re.findall(r"[A-Za-z]{3,}", code)
    known = all(word in GREEK or word in NAMES for word in words)
    formula = re.search(r"[_^=+·]|[^\x00-\x7f]", code) or re.fullmatch(
        r"[A-Za-z]'?(\(.*\))?|[a-z]{2,5}|(log|exp) \w+", code
    )
    if not known or not formula or re.search(r'[.]\w|["`#]|\w/\w|^-|eq:', code):
        return None
    shown = f"<math>{_sequence(Tokens(code), '')}</math>"
    return shown if len(code) < 30 else f'<span class="inline">{shown}</span>'


def _row(line: str) -> str:
    if not line.strip():
        return '<mtr class="gap"><mtd></mtd></mtr>'
    line = RELATION_FIRST.sub(" ", " " + line).strip() if line.strip()[0] not in "=+<∝" else line.strip()
    first, *rest = re.split(r"\s{3,}", line)
    before = ""
    if rest and LABEL.fullmatch(first) and first not in GREEK:
        before, (first, *rest) = f'{_text(first)}<mspace width="1.5em"/>', rest
    left, right = _at_relation(first)
    cells = [f"{before}{_cell(left)}", _cell(right)]
    for piece in rest:  # formulas stand one after another, remarks below each other
        if (
            re.search(r" (=|<=|>=|<-|←|∝) ", piece)
            and not _is_prose(piece.partition("=")[0])
            and len(cells) == 2
        ):
            cells[-1] += f'<mspace width="2.5em"/>{_cell(piece)}'
        else:
            cells.append(_cell(piece))
    return "<mtr>" + "".join(f"<mtd>{cell}</mtd>" for cell in cells) + "</mtr>"


def _at_relation(text: str) -> tuple[str, str]:
    """Cut a formula before its first relation outside of brackets."""
    depth = 0
    for match in re.finditer(r"[({\[⟨]|[)}\]⟩]|(?:^|(?<= ))(?:=|<=|>=|<-|←|∝|⇔|⇒)(?= )", text):
        depth += (match[0] in PAIRS) - (match[0] in PAIRS.values())
        if depth == 0 and match[0] not in PAIRS.values():
            return text[: match.start()], text[match.start() :]
    return ("", text) if text.startswith("+") or _is_prose(text) else (text, "")


def _is_prose(text: str) -> bool:
    words = re.findall(r"(?<![\w_{])[A-Za-z]{2,}(?![\w(_])", text)
    plain = [word for word in words if word not in NAMES and word not in GREEK]
    return bool(plain) and not re.search(r"[=<>∝←]", text)


def _cell(text: str) -> str:
    return (
        _text(text)
        if _is_prose(text) and not re.search(r"[_^(]", text)
        else f"<mrow>{_sequence(Tokens(text), '')}</mrow>"
    )


def _text(text: str) -> str:
    return f"<mtext>{html.escape(text.strip())}</mtext>"


def _sequence(tokens: Tokens, closing: str) -> str:
    """Read parts until the closing bracket or the end."""
    parts: list[Part] = []
    while tokens.peek()[0] != "end" and not (closing and tokens.peek()[1] == closing):
        parts.append(_part(tokens))
    if closing:
        tokens.next()
    return "".join(part.mathml for part in _spoken(_fractions(_applied(parts))))


def _part(tokens: Tokens) -> Part:
    """Read one atom with its primes, indices and exponents."""
    kind, text, spaced = tokens.next()
    group = ""
    if text in PAIRS:
        group = _sequence(tokens, PAIRS[text])
        shown = f"<mrow>{_sign(text)}{group}{_sign(PAIRS[text])}</mrow>"
        text = "(" if text == "(" else ""
    elif kind in {"word", "letter"}:
        shown, text = _name(text)
    elif kind == "number":
        shown = f"<mn>{text}</mn>"
    elif kind == "quoted":
        shown = _text(text)
    else:
        text = SIGNS.get(text, text)
        shown = _sign(text)
    return _scripted(tokens, Part(shown, text, spaced, group))


def _scripted(tokens: Tokens, base: Part) -> Part:
    below = above = ""
    while True:
        kind, text, spaced = tokens.peek()
        if spaced or kind == "end":
            break
        if text == "'":
            tokens.next()
            above += "<mo>′</mo>"
        elif text in {"_", "^"}:
            tokens.next()
            script = _script(tokens)
            below, above = (script, above) if text == "_" else (below, above + script)
        elif text in RAISED:
            tokens.next()
            above += f"<mn>{RAISED[text]}</mn>"
        elif text in LOWERED:
            tokens.next()
            below += f"<mn>{LOWERED[text]}</mn>"
        else:
            break
    if not below and not above:
        return base
    if re.fullmatch(r"<mi>(.)</mi><mi>\1</mi>", below) and base.text == "∑":  # Σ_kk is an entry of a matrix
        base = Part("<mi>Σ</mi>", "", base.spaced)
    kind = "under" if base.text in LARGE else "sub"
    return Part(_with_scripts(base.mathml, below, above, kind), base.text, base.spaced)


def _with_scripts(base: str, below: str, above: str, kind: str) -> str:
    over = {"under": "over", "sub": "sup"}[kind]
    name = f"m{kind if below else ''}{over if above else ''}"
    scripts = "".join(f"<mrow>{script}</mrow>" for script in (below, above) if script)
    return f"<{name}>{base}{scripts}</{name}>"


def _script(tokens: Tokens) -> str:
    """Read an index or exponent: braces or brackets, or a sign and one run of letters and digits."""
    _, text, _ = tokens.peek()
    if text in {"{", "("}:
        tokens.next()
        start = tokens.at
        inner = _sequence(tokens, PAIRS[text])
        words = [token[1] for token in tokens.found[start : tokens.at - 1]]
        return _text(" ".join(words)) if _is_prose(" ".join(words)) and "_" not in words else inner
    shown = _sign("−") if text == "-" else ""
    if text == "-":
        tokens.next()
    while tokens.peek()[0] in {"word", "letter", "number", "quoted"} and not (shown and tokens.peek()[2]):
        kind, text, _ = tokens.next()
        letters = kind == "word" and len(text) <= 2 and text not in GREEK
        if kind == "number":
            shown += f"<mn>{text}</mn>"
        elif kind == "quoted":
            shown += _text(text)
        else:
            shown += "".join(f"<mi>{letter}</mi>" for letter in text) if letters else _name(text)[0]
    return shown or _sign(SIGNS.get(text, tokens.next()[1]))


def _name(word: str) -> tuple[str, str]:
    """Give MathML and text of a letter or word; a mark above a letter stays above it."""
    accent = unicodedata.combining(word[-1]) and word[-1]
    plain = GREEK.get(word.rstrip(accent or ""), word.rstrip(accent or ""))
    plain = {"Σ": "∑", "Π": "∏"}.get(
        word, plain
    )  # the letters stand for sums and products, unless written as Sigma
    shown = f'<mo class="large" largeop="false">{plain}</mo>' if plain in {"∑", "∏"} else f"<mi>{plain}</mi>"
    if accent:
        mark = {"\u0302": "^", "\u0303": "~", "\u0304": "¯", "\u0305": "¯"}[accent]
        shown = f'<mover accent="true">{shown}<mo stretchy="false">{mark}</mo></mover>'
    return shown, plain


def _sign(text: str) -> str:
    options = ' stretchy="false"' if text in "|‖" else ""
    return f"<mo{options}>{html.escape(text)}</mo>"


def _applied(parts: list[Part]) -> list[Part]:
    """Join a name and the brackets right behind it: c(h w) is one thing."""
    joined: list[Part] = []
    for part in parts:
        if part.text == "(" and joined and not part.spaced and joined[-1].text not in ENDS | {"/", "·", "|"}:
            before = joined.pop()
            joined.append(
                Part(f"<mrow>{before.mathml}{part.mathml}</mrow>", before.text + "(", before.spaced)
            )
        else:
            joined.append(part)
    return joined


def _fractions(parts: list[Part]) -> list[Part]:
    """Set a fraction where one thing stands before the stroke, and one thing or one sum behind it."""
    for at, part in enumerate(parts):
        if part.text != "/" or not part.spaced or not 0 < at < len(parts) - 1 or not parts[at + 1].spaced:
            continue
        end = next((i for i in range(at + 1, len(parts)) if parts[i].text in ENDS), len(parts))
        behind = parts[at + 1 : end]
        alone = at == 1 or parts[at - 2].text in ENDS
        if alone and (len(behind) == 1 or behind[0].text == "∑") and all(one.text != "/" for one in behind):
            below = behind[0].group or "".join(one.mathml for one in behind)
            above = parts[at - 1].group or parts[at - 1].mathml
            whole = Part(f"<mfrac><mrow>{above}</mrow><mrow>{below}</mrow></mfrac>", "", parts[at - 1].spaced)
            return [*parts[: at - 1], whole, *_fractions(parts[end:])]
    return parts


def _spoken(parts: list[Part]) -> list[Part]:
    """Give words their blanks, and bars between blanks some air."""
    before = None
    for part in parts:
        if part.mathml == f"<mi>{part.text}</mi>" and len(part.text) > 1 and part.text not in NAMES:
            part.mathml = f"<mtext>{part.text}</mtext>"
        part.wordy = part.mathml.startswith("<mtext>") or part.text in NAMES
        between = before is not None and part.spaced
        signs = {part.text, before.text if before else ""} & (ENDS | {"/", "|", "·"})
        if between and before and (part.wordy or before.wordy) and not signs - {":", ";", ","}:
            part.mathml = '<mspace width="0.3em"/>' + part.mathml
        elif part.text in {"|", "·"} and part.spaced:
            part.mathml = part.mathml.replace("<mo", '<mo lspace="0.25em" rspace="0.25em" form="infix"', 1)
        elif between and not signs:
            part.mathml = '<mspace width="0.17em"/>' + part.mathml
        before = part
    return parts

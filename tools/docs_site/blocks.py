"""Run the Python blocks of a page and compare what they give with what the page says.

Blocks of one file share one namespace and run in order, as a reader would type them. A page shows results by comments:

    len(path)  # -> 5                       the value of the line, to the digits that are written
    report.accuracy  # ≈ 0.957              the same, with the tolerance below
    print(error)  # -> ... shape (3,), ...  a short text; `...` stands for any text

and by a block of kind `output` right behind a Python block, which holds everything that the block prints.
`output numbers differ` is for tables with seconds and speeds: any number will do there.

Text must match; runs of blanks count as one, and a run of the characters that rules and bars are drawn with as one.
Numbers after ≈ and in output have a tolerance, because what is learned depends on the machine in its last digits:
2 %, or two units of the last written digit if that is more; a whole number 2 %, so one below 50 must be the same.
All blocks run with the kernel `baseline`, which every machine has: another one rounds otherwise, and a label may flip.
"""

from __future__ import annotations

import ast
import io
import math
import re
import tokenize
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from seqlab import inference

OUTPUT = {"output", "output numbers differ"}
NOT_RUN = {"", "text", "bash", "sh", "console", "json", "toml", "cmake", "cpp", "make", "formula"} | OUTPUT
FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})(.*)$")
TOLERANCE = 0.02
NUMBER = r"(?<![\w.])[-−+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)"
UNIT = r"(?: (?:µs|ms|s|min|k|M|kB|MB)\b)?"
RULE = re.compile(r"([-─═━█▇▆▅▄▃▂▁▏▎▍▌▋▊▉░▒▓=*#+|│]{3,})")


@dataclass(frozen=True)
class Block:
    """A Python block, and the output block right behind it."""

    line: int  # of the opening fence, counted from 1
    source: str
    output: str | None = None
    closed: int = 0  # line of the closing fence of the code
    output_closed: int = 0
    loose: bool = False  # the output says `numbers differ`


@dataclass(frozen=True)
class Arrow:
    """A comment that states the value of a line of code."""

    text: str
    near: bool  # ≈: with a tolerance
    first: int  # lines of the comment in the block
    last: int


def blocks_of(page: str) -> Iterator[Block]:
    """Find the Python blocks of a page. A fence that only looks like Python is refused."""
    lines = page.splitlines()
    fences = list(_fences(lines))
    for at, (opened, closed, kind) in enumerate(fences):
        after = fences[at + 1] if at + 1 < len(fences) else None
        if kind in OUTPUT:
            before = fences[at - 1] if at else (0, 0, "")
            adjacent = before[2] == "python" and _blank(lines[before[1] : opened - 1])
            assert adjacent, f"line {opened}: output of no block"
        if kind != "python":
            continue
        source = "\n".join(lines[opened : closed - 1])
        if after and after[2] in OUTPUT and _blank(lines[closed : after[0] - 1]):
            output = "\n".join(lines[after[0] : after[1] - 1])
            yield Block(opened, source, output, closed, after[1], after[2] != "output")
        else:
            yield Block(opened, source, None, closed)


def _fences(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    opening: tuple[int, str, str] | None = None
    for number, line in enumerate(lines, start=1):
        fence = FENCE.match(line)
        if opening is None:
            if fence:
                opening = (number, fence[2], fence[3].strip())
                assert opening[2] in NOT_RUN | {"python"}, f"line {number}: unknown block {line!r}"
        elif fence and fence[2].startswith(opening[1]) and not fence[3].strip():
            yield opening[0], number, opening[2]
            opening = None
    assert opening is None, f"line {opening[0] if opening else 0}: block is never closed"


def _blank(lines: list[str]) -> bool:
    return not any(line.strip() for line in lines)


def arrows_of(source: str) -> dict[int, Arrow]:
    """Map the last line of a statement to its arrow."""
    arrows: dict[int, Arrow] = {}
    code_line = arrow_line = 0
    for token in tokenize.generate_tokens(io.StringIO(source + "\n").readline):
        if token.type == tokenize.COMMENT:
            alone = not token.line[: token.start[1]].strip()
            found = re.match(r"# (->|≈)(.*)", token.string)
            if found:
                arrow_line = code_line
                assert arrow_line not in arrows, f"two arrows for line {arrow_line}"
                arrows[arrow_line] = Arrow(found[2].strip(), found[1] == "≈", token.start[0], token.start[0])
            elif alone and arrow_line and re.match(r"#  +\S", token.string):
                told = arrows[arrow_line]
                text = f"{told.text} {token.string[1:].strip()}"
                arrows[arrow_line] = Arrow(text, told.near, told.first, token.start[0])
            else:
                assert not re.search("#.?(->|≈)", token.string), f"odd arrow: {token.string!r}"
                arrow_line = 0
        elif token.type not in {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}:
            code_line, arrow_line = token.end[0], 0
    return arrows


def same(value: Any, wanted: ast.expr, text: str, *, near: bool = False) -> bool:
    """Is the value what is written? Floats are rounded to the written digits, or compared with the tolerance."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(wanted, ast.List | ast.Tuple):
        kind = list if isinstance(wanted, ast.List) else tuple
        return (
            isinstance(value, kind)
            and len(value) == len(wanted.elts)
            and all(same(v, w, text, near=near) for v, w in zip(value, wanted.elts, strict=True))
        )
    if isinstance(wanted, ast.Dict) and isinstance(value, dict):
        keys = [_literal(key) for key in wanted.keys if key is not None]
        return keys == list(value) and all(
            same(v, w, text, near=near) for v, w in zip(value.values(), wanted.values, strict=True)
        )
    written = (ast.get_source_segment(text, wanted) or "").replace(" ", "")
    if isinstance(value, float):
        return _same_float(value, written, near=near)
    if near and isinstance(value, int) and not isinstance(value, bool):
        return bool(re.fullmatch(r"-?[\d_]+", written)) and close(value, written)
    return bool(repr(value) == written or (value == _literal(wanted) and not isinstance(value, bool)))


def _same_float(value: float, written: str, *, near: bool) -> bool:
    if not re.fullmatch(r"-?(inf|nan|[\d._]+(e[-+]?\d+)?)", written):
        return False
    number = float(written)
    if not math.isfinite(number):
        return repr(value) == written
    if near:
        return close(value, written)
    if number == int(number) and written.endswith(".0"):  # 60.0 is meant as sixty, not as 59.96
        return math.isclose(value, number, rel_tol=1e-6, abs_tol=1e-6)
    return abs(value - number) <= 0.5000001 * _unit(written)


def close(value: float, written: str) -> bool:
    """Is a number within the tolerance of the one that is written?"""
    written = written.replace(",", "").replace("_", "").replace("−", "-")
    number = float(written)
    last = 2.0000001 * _unit(written) if re.search("[.e]", written) else 0.0
    return abs(value - number) <= max(TOLERANCE * abs(number), last)


def _unit(written: str) -> float:
    """Value of a 1 in the last written digit."""
    mantissa, _, exponent = written.partition("e")
    return float(10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2])))


def _literal(wanted: ast.expr) -> Any:
    try:
        return ast.literal_eval(wanted)
    except ValueError:
        return object()


def fits(printed: str, wanted: str, *, near: bool = False, loose: bool = False) -> bool:
    """Compare printed text with the written one; `...` is any text, and `loose` takes any number for a number."""
    assert wanted.replace(".", "").strip(), "an arrow must say something"
    printed, wanted = _squeezed(printed), _squeezed(wanted)
    if not near:
        return re.fullmatch(".*".join(map(re.escape, wanted.split("..."))), printed) is not None
    number = NUMBER + UNIT if loose else NUMBER
    texts = re.split(number, wanted.replace("...", "\0"))
    numbers = re.findall(number, wanted.replace("...", "\0"))
    pattern = f"({number})".join(re.escape(text).replace("\0", ".*?") for text in texts)
    found = re.fullmatch(pattern, printed)
    return found is not None and all(
        loose or close(float(seen.replace(",", "").replace("−", "-")), number)
        for seen, number in zip(found.groups(), numbers, strict=True)
    )


def _squeezed(text: str) -> str:
    return " ".join(RULE.sub(lambda run: run[0][0] * 3, text).split())


@dataclass
class Checker:
    """Compares while the block runs, and knows which arrows were reached; with `fresh`, notes what differs instead."""

    where: str
    arrows: dict[int, Arrow]
    fresh: dict[int, str] | None = None
    reached: set[int] = field(default_factory=set)

    def value(self, line: int, value: Any) -> None:
        """Compare the value of a line."""
        self.reached.add(line)
        arrow = self.arrows[line]
        try:
            wanted = ast.parse(arrow.text, mode="eval").body
        except SyntaxError:
            ok = repr(value) == arrow.text
        else:
            ok = same(value, wanted, arrow.text, near=arrow.near)
        if not ok and self.fresh is not None:
            self.fresh[line] = shown(value)
            return
        assert ok, f"{self.where}: line {line} of the block gives {value!r}, the page says {arrow.text}"

    def printed(self, line: int, *values: Any) -> None:
        """Compare what a line prints."""
        self.reached.add(line)
        text, arrow = " ".join(map(str, values)), self.arrows[line]
        ok = fits(text, arrow.text, near=arrow.near)
        if not ok and self.fresh is not None:
            self.fresh[line] = " ".join(text.split())
            return
        assert ok, f"{self.where}: prints {text!r}, the page says {arrow.text!r}"

    def output(self, block: Block, printed: str) -> None:
        """Compare everything that a block prints."""
        assert block.output is not None or not printed.strip(), f"{self.where}: prints, and shows no output"
        if block.output is not None:
            assert fits(printed, block.output, near=True, loose=block.loose), (
                f"{self.where}: the block prints\n{printed}\nthe page says\n{block.output}"
            )


def shown(value: Any) -> str:
    """Write a value as pages do: floats with four digits."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        text = f"{value:.1f}" if 1000 <= abs(value) < 1e6 else f"{value:.4g}"
        return text if re.search(r"[.ein]", text) else f"{text}.0"
    if type(value) is list:
        return f"[{', '.join(map(shown, value))}]"
    if type(value) is tuple:
        return f"({', '.join(map(shown, value))}{',' * (len(value) == 1)})"
    if type(value) is dict:
        return "{" + ", ".join(f"{key!r}: {shown(one)}" for key, one in value.items()) + "}"
    return repr(value)


class Rewrite(ast.NodeTransformer):
    """Hands the value of every statement with an arrow to the checker."""

    def __init__(self, arrows: dict[int, Arrow]) -> None:
        self.left = set(arrows)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """Replace a statement by a call of the checker."""
        line = node.end_lineno
        if line not in self.left:
            return node
        self.left.discard(line)
        call = node.value
        prints = isinstance(call, ast.Call) and ast.unparse(call.func) == "print"
        method = ast.Attribute(ast.Name("__page__", ast.Load()), "printed" if prints else "value", ast.Load())
        given = call.args if prints and isinstance(call, ast.Call) else [call]
        new = ast.Expr(ast.Call(method, [ast.Constant(line), *given], []))
        return ast.fix_missing_locations(ast.copy_location(new, node))


@dataclass(frozen=True)
class Ran:
    """A block that was run, what it printed, and (when asked) the arrows that are out of date."""

    block: Block
    printed: str
    fresh: dict[int, str]


def run_page(page: str, name: str, *, renew: bool = False) -> list[Ran]:
    """Run all blocks and compare; with `renew`, collect what differs."""
    namespace: dict[str, Any] = {"__name__": "__page__"}
    done = []
    for block in blocks_of(page):
        where = f"{name}:{block.line}"
        arrows = arrows_of(block.source)
        rewrite = Rewrite(arrows)
        tree = rewrite.visit(ast.parse(block.source))
        assert not rewrite.left, f"{where}: arrows without an expression, block lines {rewrite.left}"
        fresh: dict[int, str] = {}
        namespace["__page__"] = checker = Checker(where, arrows, fresh if renew else None)
        ast.increment_lineno(tree, block.line)
        printed = io.StringIO()
        with redirect_stdout(printed), inference.use_kernel("baseline"):
            exec(compile(tree, name, "exec"), namespace)
        missed = set(arrows) - checker.reached
        assert not missed, f"{where}: never came to the arrows of block lines {missed}"
        if not renew:
            checker.output(block, printed.getvalue())
        done.append(Ran(block, printed.getvalue(), fresh))
    return done

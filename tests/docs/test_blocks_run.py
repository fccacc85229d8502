"""The documentation is a test: every Python block of README.md and of the pages in docs/ is run.

Blocks of one file share one namespace and run in order, as a reader would type them.
A comment that starts with an arrow states what the line gives:

    len(path)  # -> 5
    posterior.log_z  # -> -5.0034
    print(error)  # -> node scores have shape (3,), ...

The value is compared with what is written. A float is compared to the digits that are written, a whole one (5.0)
to six digits.
Arrays are compared as nested lists. ``print`` is compared as text, where ``...`` stands for any text.
An arrow may stand on a line of its own below the statement, and it goes on over the following
comment lines that are indented by two or more spaces. There is no way to skip a block.
"""

from __future__ import annotations

import ast
import io
import math
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NOT_RUN = {"", "text", "bash", "sh", "console", "json", "toml", "cmake", "cpp", "make"}
FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})(.*)$")


@dataclass(frozen=True)
class Block:
    line: int  # of the opening fence, counted from 1
    source: str


def blocks_of(page: str) -> Iterator[Block]:
    """The Python blocks of a page. A fence that only looks like Python is refused."""
    lines = page.splitlines()
    opening: tuple[int, str, str] | None = None
    for number, line in enumerate(lines, start=1):
        fence = FENCE.match(line)
        if opening is None:
            if fence:
                opening = (number, fence[2], fence[3].strip())
                assert opening[2] in NOT_RUN | {"python"}, f"line {number}: unknown block {line!r}"
        elif fence and fence[2].startswith(opening[1]) and not fence[3].strip():
            if opening[2] == "python":
                yield Block(opening[0], "\n".join(lines[opening[0] : number - 1]))
            opening = None
    assert opening is None, f"line {opening[0] if opening else 0}: block is never closed"


def arrows_of(source: str) -> dict[int, str]:
    """Line of a statement -> what its arrow says."""
    arrows: dict[int, str] = {}
    code_line = arrow_line = 0
    for token in tokenize.generate_tokens(io.StringIO(source + "\n").readline):
        if token.type == tokenize.COMMENT:
            alone = not token.line[: token.start[1]].strip()
            if token.string.startswith("# ->"):
                arrow_line = code_line
                assert arrow_line not in arrows, f"two arrows for line {arrow_line}"
                arrows[arrow_line] = token.string[4:].strip()
            elif alone and arrow_line and re.match(r"#  +\S", token.string):
                arrows[arrow_line] += " " + token.string[1:].strip()
            else:
                assert "->" not in token.string[:6], f"odd arrow: {token.string!r}"
                arrow_line = 0
        elif token.type not in {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}:
            code_line, arrow_line = token.end[0], 0
    return arrows


def same(value: Any, wanted: ast.expr, text: str) -> bool:
    """Is the value what is written? Floats are rounded to the written digits."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(wanted, ast.List | ast.Tuple):
        kind = list if isinstance(wanted, ast.List) else tuple
        return (
            isinstance(value, kind)
            and len(value) == len(wanted.elts)
            and all(same(v, w, text) for v, w in zip(value, wanted.elts, strict=True))
        )
    written = (ast.get_source_segment(text, wanted) or "").replace(" ", "")
    if isinstance(value, float):
        if not re.fullmatch(r"-?(inf|nan|[\d._]+(e[-+]?\d+)?)", written):
            return False
        number = float(written)
        if not math.isfinite(number):
            return repr(value) == written
        if number == int(number) and written.endswith(".0"):  # 60.0 is meant as sixty, not as 59.96
            return math.isclose(value, number, rel_tol=1e-6, abs_tol=1e-6)
        mantissa, _, exponent = written.partition("e")
        digits = len(mantissa.partition(".")[2]) - int(exponent or 0)
        return abs(value - number) <= 0.5000001 * 10.0**-digits
    return bool(repr(value) == written or value == _literal(wanted))


def _literal(wanted: ast.expr) -> Any:
    try:
        return ast.literal_eval(wanted)
    except ValueError:
        return object()


def fits(printed: str, wanted: str) -> bool:
    """Printed text against the written one; runs of blanks are one blank, ``...`` is any text."""
    assert wanted.replace(".", "").strip(), "an arrow must say something"
    pattern = ".*".join(re.escape(part) for part in " ".join(wanted.split()).split("..."))
    return re.fullmatch(pattern, " ".join(printed.split())) is not None


@dataclass
class Checker:
    """Compares while the block runs, and knows which arrows were reached."""

    where: str
    arrows: dict[int, str]
    reached: set[int] = field(default_factory=set)

    def value(self, line: int, value: Any) -> None:
        self.reached.add(line)
        text = self.arrows[line]
        try:
            wanted = ast.parse(text, mode="eval").body
        except SyntaxError:
            ok = repr(value) == text
        else:
            ok = same(value, wanted, text)
        assert ok, f"{self.where}: line {line} of the block gives {value!r}, the page says {text}"

    def printed(self, line: int, *values: Any) -> None:
        self.reached.add(line)
        text = " ".join(map(str, values))
        ok = fits(text, self.arrows[line])
        assert ok, f"{self.where}: prints {text!r}, the page says {self.arrows[line]!r}"


class Rewrite(ast.NodeTransformer):
    """Hands the value of every statement with an arrow to the checker."""

    def __init__(self, arrows: dict[int, str]) -> None:
        self.left = set(arrows)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
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


def run_page(page: str, name: str) -> int:
    """Runs all blocks; returns how many there were."""
    namespace: dict[str, Any] = {"__name__": "__page__"}
    count = 0
    for block in blocks_of(page):
        count += 1
        where = f"{name}:{block.line}"
        arrows = arrows_of(block.source)
        rewrite = Rewrite(arrows)
        tree = rewrite.visit(ast.parse(block.source))
        assert not rewrite.left, f"{where}: arrows without an expression, block lines {rewrite.left}"
        namespace["__page__"] = checker = Checker(where, arrows)
        ast.increment_lineno(tree, block.line)
        exec(compile(tree, name, "exec"), namespace)
        missed = set(arrows) - checker.reached
        assert not missed, f"{where}: never came to the arrows of block lines {missed}"
    return count


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_python_block_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page.read_text(encoding="utf-8"), str(page.relative_to(ROOT)))


def python(*lines: str) -> str:
    return "\n".join(["```python", *lines, "```"])


@pytest.mark.parametrize(
    "page",
    [
        python("1 + 1  # -> 2"),
        python("2 / 3  # -> 0.667"),
        python("[1.0, 'a', (2 / 3,)]  # -> [1.0, 'a', (0.7,)]"),
        python("float('-inf')  # -> -inf"),
        python("import numpy as np", "np.eye(2)", "# -> [[1.0, 0.0],", "#     [0.0, 1.0]]"),
        python("x = 1") + "\n" + python("x  # -> 1"),
        python("try:", "    1 / 0", "except ZeroDivisionError as e:", "    print(e)  # -> division ... zero"),
        "```text\nnot Python at all\n```",
    ],
)
def test_runner_accepts_a_true_page(page: str) -> None:
    run_page(page, "page.md")


@pytest.mark.parametrize(
    "page",
    [
        python("1 + 1  # -> 3"),
        python("2 / 3  # -> 0.666"),
        python("0.04  # -> 0.0"),
        python("(1, 2)  # -> [1, 2]"),
        python("[1, 2]  # -> [1, 2, 3]"),
        python("x = 1  # -> 1"),
        python("print('a')  # -> b"),
        python("print('a')  # -> ..."),
        python("if False:", "    print('a')  # -> a"),
        python("1  #-> 1"),
        "```python skip\nx\n```",
        "```py\nx\n```",
        "```python\nx = 1",
    ],
)
def test_runner_refuses_a_false_page(page: str) -> None:
    with pytest.raises(AssertionError):
        run_page(page, "page.md")


def test_runner_lets_errors_through() -> None:
    with pytest.raises(NameError):
        run_page(python("undefined"), "page.md")

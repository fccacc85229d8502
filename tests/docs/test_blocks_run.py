"""The documentation is a test: every Python block of README.md and of the pages in docs/ is run.

tools/docs_site/blocks.py says how pages show results, how they are compared, and which tolerance numbers have.
There is no way to skip a block. `make outputs` writes the results anew.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "docs_site"))

from blocks import arrows_of, blocks_of, fits, run_page  # noqa: E402
from renew import DRAWN, renewed  # noqa: E402

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_python_block_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page.read_text(encoding="utf-8"), str(page.relative_to(ROOT)))


@pytest.mark.parametrize(("page", "picture"), DRAWN.items())
def test_page_draws_its_picture(
    page: str, picture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_page((ROOT / page).read_text(encoding="utf-8"), page)
    drawn = (tmp_path / picture).read_text(encoding="utf-8")
    shown = (ROOT / "docs" / "pictures" / picture).read_text(encoding="utf-8")
    said = [re.findall(r"<text[^>]*>([^<]*)</text>", picture) for picture in (drawn, shown)]
    assert fits(" ".join(said[0]), " ".join(said[1]), near=True)


FOR_READERS = [
    page for page in PAGES if not {"decisions", "equations"} & set(page.parts) and page.name != "README.md"
]


@pytest.mark.parametrize("page", FOR_READERS, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_show_results_and_assert_nothing(page: Path) -> None:
    assert asserted(page.read_text(encoding="utf-8")) == []


def asserted(page: str) -> list[str]:
    """Statements that only tell whether something holds: assert, and comparisons with a bound."""
    found = []
    for block in blocks_of(page):
        shown = set(arrows_of(block.source))
        for node in ast.walk(ast.parse(block.source)):
            answered = isinstance(node, ast.Expr) and node.end_lineno in shown
            if isinstance(node, ast.Assert) or (answered and _is_bound(node.value)):
                found.append(ast.unparse(node))
    return found


def _is_bound(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List):
        return any(_is_bound(part) for part in node.elts)
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in {"all", "any", "bool"}
    return isinstance(node, ast.Compare) and not all(isinstance(op, ast.Eq) for op in node.ops)


def python(*lines: str) -> str:
    return "\n".join(["```python", *lines, "```"])


def output(*lines: str) -> str:
    return "\n".join(["", "", "```output", *lines, "```"])


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
        python("0.9573  # ≈ 0.957"),
        python("0.9573, [1.234, 'a'], {'b': 100}  # ≈ (0.95, [1.24, 'a'], {'b': 101})"),
        python("print('a  b', 0.951)", "print(1_001)") + output("a b 0.957", "1002"),
        python("print('took', 0.3, 's at /tmp/x/file.txt')") + output("took ... s at .../file.txt"),
        python("print('slow 12 ms 3.0')")
        + output("slow 3.4 s 1.0").replace("output", "output numbers differ"),
        python("print('a ------- 1')") + output("a ----- 1"),
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
        python("0.9573  # ≈ 0.92"),
        python("[1, 2.0]  # ≈ [2, 2.0]"),
        python("True  # ≈ 1.0"),
        python("1  # a remark  # -> 2"),
        python("print('a')"),
        python("print('a')") + output("b"),
        python("print('a 0.957')") + output("a 0.92"),
        python("print('a 12')") + output("a 13"),
        python("print('a')", "print('b')") + output("a"),
        python("1 + 1") + output("2"),
        python("print('slow 12 ms')") + output("fast 12 ms").replace("output", "output numbers differ"),
        "Text." + output("a"),
        python("x = 1") + "\n\nText between." + output("1"),
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


def test_renewed_page_is_true() -> None:
    page = (
        python("2 / 3  # ≈ ?", "[1, 2]  # -> [1, 3]")
        + "\n\n"
        + python("for i in range(2):", "    print(i, 1 / 3)")
        + output("0 0.1")
    )
    new = renewed(page, "page.md")
    assert "# ≈ 0.6667" in new
    assert "# -> [1, 2]" in new
    assert "0 0.3333333333333333\n1 0.3333333333333333\n```" in new
    run_page(new, "page.md")
    assert renewed(new, "page.md") == new


def test_renewing_keeps_what_fits() -> None:
    page = python("0.9573  # ≈ 0.96", "print('took', 0.1, 's')") + output("took ... s") + "\n"
    assert renewed(page, "page.md") == page


@pytest.mark.parametrize("line", ["x > 0.9", "all(x)", "(x, y < 1)", "x in {1}", "x is None"])
def test_bound_is_found(line: str) -> None:
    assert asserted(python("x = y = 1", f"{line}  # -> True"))
    assert not asserted(python("x = y = 1", "x == y  # -> True", "x  # -> 1"))

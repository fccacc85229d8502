"""Write the results on the pages of docs/ anew: `python tools/docs_site/renew.py [pages]`, or `make outputs`.

Runs the blocks of the pages and replaces what no longer fits: outputs, and values behind an arrow. What fits stays
as it is, with its `...` and its last digits. `# -> ?` and an empty output block are filled in.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import textwrap
from pathlib import Path

from blocks import Ran, arrows_of, fits, run_page

ROOT = Path(__file__).resolve().parents[2]
WIDTH, WIDE = 100, 106


def renewed(page: str, name: str) -> str:
    """Run a page and give its text with the results of today."""
    lines = page.splitlines()
    for ran in reversed(run_page(page, name, renew=True)):
        block = ran.block
        if ran.printed.strip() or block.output is not None:
            _renew_output(lines, ran)
        source = lines[block.line : block.closed - 1]
        for line in sorted(ran.fresh, reverse=True):
            arrow = arrows_of(block.source)[line]
            _renew_arrow(source, arrow.first, arrow.last, ran.fresh[line])
        lines[block.line : block.closed - 1] = source
    return "\n".join(lines) + "\n"


def _renew_output(lines: list[str], ran: Ran) -> None:
    block = ran.block
    shown = re.sub(
        r"(?<![\w.])/(?:[\w.\-]+/)+", ".../", ran.printed
    )  # folders differ from machine to machine
    printed = [piece for line in shown.rstrip().splitlines() for piece in _wrapped(line.rstrip())]
    if block.output is None:
        lines[block.closed : block.closed] = ["", "```output", *printed, "```"]
    elif not block.output.strip() or not fits(ran.printed, block.output, near=True, loose=block.loose):
        first = block.output_closed - 1 - len(block.output.splitlines())
        lines[first : block.output_closed - 1] = printed


def _renew_arrow(source: list[str], first: int, last: int, text: str) -> None:
    before, mark, _ = re.split(r"(# (?:->|≈))", source[first - 1], maxsplit=1)
    line = f"{before}{mark} {text}"
    if before.strip() and len(line) > WIDTH:
        indent = before[: len(before) - len(before.lstrip())]
        first_line, *rest = textwrap.wrap(
            f"{mark} {text}", WIDTH - len(indent), break_long_words=False, break_on_hyphens=False
        )
        follow = [f"{indent}#    {piece}" for piece in rest]
        source[first - 1 : last] = [before.rstrip(), indent + first_line, *follow]
    else:
        source[first - 1 : last] = [line]


def _wrapped(line: str) -> list[str]:
    """Break a sentence that is too long; what is laid out in columns stays as it is."""
    if len(line) <= WIDE or re.search(r"^ |\S {2,}\S", line):
        return [line]
    return textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)


def main() -> None:
    """Renew the pages that are named, or all of docs/."""
    pages = [Path(name).resolve() for name in sys.argv[1:]] or sorted((ROOT / "docs").rglob("*.md"))
    for path in pages:
        page = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            new = renewed(page, path.name)
            os.chdir(ROOT)
        if new != page:
            path.write_text(new, encoding="utf-8")
            print(f"renewed {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()

"""Write the results on the pages of docs/ anew: `python tools/docs_site/renew.py [pages]`, or `make outputs`.

Runs the blocks of the pages and replaces what no longer fits: outputs, and values behind an arrow. What fits stays
as it is, with its `...` and its last digits. `# -> ?` and an empty output block are filled in.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from blocks import Ran, arrows_of, fits, run_page

ROOT = Path(__file__).resolve().parents[2]
WIDTH, WIDE = 100, 106
SCRIPT = re.compile(
    r"^```console\n\$ python examples/(?P<name>\w+\.py) pictures\n(?P<output>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
DRAWN = {  # pictures that a page draws for itself
    "docs/README.md": "names.svg",
    "README.md": "sentence.svg",
    "docs/guide/classification.md": "regularisation.svg",
}


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
    return renewed_scripts("\n".join(lines) + "\n")


def renewed_scripts(page: str) -> str:
    """Run the scripts of examples/ whose output a page shows, and give its text with what they print today."""
    for shown in SCRIPT.finditer(page):
        printed = output_of(ROOT / "examples" / shown["name"])
        if not fits(printed, shown["output"], near=True):
            page = page.replace(shown["output"], _without_folders(printed))
    return page


def output_of(script: Path) -> str:
    """Run a script with the kernel that every machine has, and give what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(
            [sys.executable, "-W", "error", str(script), folder],
            env={**os.environ, "SEQLAB_KERNEL": "baseline"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=600,
            check=True,
        )
    return ran.stdout


def _without_folders(printed: str) -> str:
    """Folders differ from machine to machine."""
    return re.sub(r"(?<![\w.])/(?:[\w.\-]+/)+", ".../", printed)


def _renew_output(lines: list[str], ran: Ran) -> None:
    block = ran.block
    shown = _without_folders(ran.printed)
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
            if name := DRAWN.get(path.relative_to(ROOT).as_posix()):
                shutil.copy(name, ROOT / "docs" / "pictures")
            os.chdir(ROOT)
        if new != page:
            path.write_text(new, encoding="utf-8")
            print(f"renewed {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()

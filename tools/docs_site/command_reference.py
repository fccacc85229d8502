"""Pages of the commands, from their own help."""

from __future__ import annotations

import html
import io
import os
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout

from pages import Heading, Page, coloured, table

from seqlab.cli import COMMANDS, main


def help_of(arguments: Sequence[str]) -> str:
    """What `seqlab ... --help` prints."""
    before = {name: os.environ.get(name) for name in ("COLUMNS", "NO_COLOR")}
    os.environ.update(COLUMNS="100", NO_COLOR="1")
    printed = io.StringIO()
    try:
        with redirect_stdout(printed), redirect_stderr(io.StringIO()):
            main([*arguments, "--help"])
    except SystemExit:  # how argparse ends after its help
        pass
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)
    return printed.getvalue()


def command_pages() -> list[Page]:
    """One page for each command, and one that lists them."""
    names = list(COMMANDS)
    rows = "".join(
        f'<tr><td><a href="{name}.html"><code>seqlab {name}</code></a></td>'
        f"<td>{html.escape(COMMANDS[name])}</td></tr>\n"
        for name in names
    )
    intro = "<p>The help of each command, as <code>seqlab COMMAND --help</code> prints it.</p>"
    body = f'<h1 id="commands">Command reference</h1>\n{intro}\n{table(rows)}\n'
    index = Page("commands/index.html", "All commands", body + coloured(help_of([]), "text"))
    return [index, *(_page(name) for name in names)]


def _page(name: str) -> Page:
    title = f"seqlab {name}"
    heading = Heading(1, title, f"seqlab-{name}")
    body = f'<h1 id="{heading.anchor}"><code>{title}</code></h1>\n{coloured(help_of([name]), "text")}'
    return Page(f"commands/{name}.html", title, body, (heading,))

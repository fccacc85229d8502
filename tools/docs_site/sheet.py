"""What surrounds a page: header, margin, style, search."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

from navigation import Group
from pages import Page, relative
from pygments.formatters import HtmlFormatter

HERE = Path(__file__).resolve().parent
FOLDED = {"Decisions", "More"}  # closed in the margin until one of their pages is open

SHEET = """<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · seqlab</title>
<link rel="stylesheet" href="{up}style.css">
<script>const SITE_ROOT = "{up}";</script>
<script defer src="{up}site.js"></script>
</head>
<body{kind}>
<header><a class="home" href="{up}index.html">seqlab</a>
<div class="search"><input type="search" placeholder="Search  ( / )" aria-label="Search" autocomplete="off">
<ol id="found" hidden></ol></div></header>
<div class="columns">
<nav aria-label="Pages"><details class="menu" open><summary>Pages</summary>{navigation}</details></nav>
<main>
{body}
</main>
<aside aria-label="On this page">{contents}</aside>
</div>
</body>
</html>
"""


def whole_page(page: Page, groups: list[Group]) -> str:
    """The HTML of a page."""
    up = "../" * page.address.count("/")
    return SHEET.format(
        title=html.escape(page.title),
        up=up,
        kind="" if page.source else ' class="generated"',
        navigation="".join(_group(name, entries, page) for name, entries in groups),
        body=page.body,
        contents=_contents(page),
    )


def _group(name: str, entries: list[tuple[str, str]], page: Page) -> str:
    here = any(address == page.address for _, address in entries)
    items = "".join(_item(title, address, page) for title, address in entries)
    is_open = " open" if here or name not in FOLDED else ""
    return f"<details{is_open}><summary>{html.escape(name)}</summary><ul>{items}</ul></details>\n"


def _item(title: str, address: str, page: Page) -> str:
    mark = ' aria-current="page"' if address == page.address else ""
    return f'<li><a href="{relative(address, page.address)}"{mark}>{html.escape(title)}</a></li>'


def _contents(page: Page) -> str:
    inner = [heading for heading in page.headings if heading.level in {2, 3}]
    if len(inner) < 3:
        return ""
    names = {heading: heading.text if page.source else heading.text.rpartition(".")[2] for heading in inner}
    items = "".join(
        f'<li class="level{heading.level}"><a href="#{heading.anchor}">{html.escape(names[heading])}</a></li>'
        for heading in inner
    )
    return f"<p>On this page</p><ul>{items}</ul>"


def search_index(pages: list[Page]) -> str:
    """Write a script with [address, title, heading, words] of every section."""
    rows = [row for page in pages if not page.address.startswith("decisions/") for row in _sections(page)]
    return "const SEARCH = " + json.dumps(rows, ensure_ascii=False, separators=(",", ":")) + ";\n"


def _sections(page: Page) -> list[list[str]]:
    """A page cut at its headings."""
    pieces = re.split(r'<h[1-3] id="([^"]*)">', page.body)
    names = {heading.anchor: heading.text for heading in page.headings}
    rows = []
    for anchor, text in zip(pieces[1::2], pieces[2::2], strict=True):
        prose = re.sub(r"<math.*?</math>", " ", text, flags=re.DOTALL)
        inner = re.sub(r"</?(?:a|code|em|span|strong)\b[^>]*>", "", prose)  # these stand inside words
        words = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", inner)).split())
        rows.append(
            [
                f"{page.address}#{anchor}",
                page.title,
                names.get(anchor, page.title),
                words[: 6000 if page.source else 1500],
            ]
        )
    return rows or [[page.address, page.title, page.title, ""]]


def style_and_script() -> dict[str, str]:
    """The files that every page loads."""
    light = HtmlFormatter(style="xcode").get_style_defs(".code")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".code")
    own = (HERE / "style.css").read_text(encoding="utf-8")
    style = f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n{own}"
    return {"style.css": style, "site.js": (HERE / "site.js").read_text(encoding="utf-8")}

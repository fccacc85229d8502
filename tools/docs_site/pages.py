"""Markdown files become pages: headings get addresses as on GitHub, links lead to pages, code has colours."""

from __future__ import annotations

import html
import itertools
import posixpath
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import formulas
from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

OUTSIDE = (
    "README.md",
    "HACKING.md",
    "CHANGELOG.md",
    "LICENSE",
)  # pages for them too, since docs/ and README.md link there


ANSWER = re.compile(r"# (?:->|≈) ")


@dataclass(frozen=True)
class Heading:
    """A heading, and where it stands."""

    level: int
    text: str
    anchor: str


@dataclass(frozen=True)
class Page:
    """One page of the site: its address from the site's root, and what stands between header and footer."""

    address: str
    title: str
    body: str
    headings: tuple[Heading, ...] = ()
    source: str = ""  # path in the repository; empty for what is generated
    links: tuple[
        tuple[str, str, str], ...
    ] = ()  # of docs/README.md: (group, name, address), for the navigation


def sources(root: Path) -> list[Path]:
    """Every file that becomes a page."""
    found = sorted((root / "docs").rglob("*.md")) + sorted((root / "examples").glob("*.py"))
    return found + [root / name for name in OUTSIDE if (root / name).exists()]


def address_of(path: str) -> str:
    """Where the page of a file of the repository stands in the site."""
    if path.startswith("docs/"):
        name = path[len("docs/") :].removesuffix(".md")
        return re.sub(r"(^|/)README$", r"\1index", name) + ".html"
    if path.startswith("examples/"):
        return path.removesuffix(".py") + ".html"
    return "project/" + path.removesuffix(".md").lower() + ".html"


def rendered(source: Path, root: Path) -> Page:
    """The page of one file."""
    path = source.relative_to(root).as_posix()
    text = source.read_text(encoding="utf-8")
    if source.suffix != ".md":
        shown = (
            coloured(text, "python")
            if source.suffix == ".py"
            else f'<pre class="value">{html.escape(text)}</pre>'
        )
        body = f"<h1>{html.escape(source.name)}</h1>\n{shown}"
        return Page(address_of(path), source.name, body, (), path)
    return _of_markdown(text, path, root)


def _of_markdown(text: str, path: str, root: Path) -> Page:
    # HTML is not let through: <s> in a text is the name of a symbol. Comments are for other tools.
    text = re.sub(r"^<!--.*?-->\n", "", text, flags=re.MULTILINE)
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("fence", lambda _, tokens, at, *__: fenced(tokens[at].content, tokens[at].info))
    equations = path.startswith(("docs/equations/", "docs/notation"))
    parser.add_render_rule(
        "code_inline", lambda _, tokens, at, *__: _inline(tokens[at].content, equations=equations)
    )
    tokens = parser.parse(text)
    headings = tuple(_anchored(tokens))
    for token in _all(tokens):
        _redirect(token, path, root)
    body = parser.renderer.render(tokens, parser.options, {})
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    title = headings[0].text if headings else path
    links = tuple(_grouped_links(tokens)) if path == "docs/README.md" else ()
    return Page(address_of(path), title, body, headings, path, links)


def fenced(content: str, kind: str) -> str:
    """Give a fenced block: a formula, an output, or code."""
    if kind == "formula":
        return formulas.block(content)
    if kind.startswith("output"):
        return f'<pre class="output" title="output">{html.escape(content)}</pre>\n'
    return coloured(content, kind)


def _inline(code: str, *, equations: bool) -> str:
    """Give inline code, or a formula on a page of equations; what is short is not broken over two lines."""
    shown = formulas.inline(code) if equations else None
    short = ' class="short"' if len(code) <= 16 else ""
    return shown or f"<code{short}>{html.escape(code)}</code>"


def coloured(code: str, language: str) -> str:
    """A block of code, in classes of pygments."""
    try:
        lexer = get_lexer_by_name((language or "text").split()[0], stripnl=False)
    except ClassNotFound:
        lexer = get_lexer_by_name("text", stripnl=False)
    shown = str(highlight(answers_below(code), lexer, HtmlFormatter(cssclass="code", wrapcode=True)))
    # The end of the line belongs to the answer, so that it can stand on a line of its own where the screen is narrow.
    return re.sub(
        r'<span class="c1">(# (?:-&gt;|≈)[^<]*)</span>\n', r'<span class="c1 answer">\1\n</span>', shown
    )


def answers_below(code: str, width: int = 96) -> str:
    """Put the answer of a long line below it, and break long answers: a page is not cut at what it shows."""
    lines = []
    for line in code.splitlines(keepends=True):
        before, mark, answer = (
            re.split(r"(# (?:->|≈) )", line, maxsplit=1) if ANSWER.search(line) else (line, "", "")
        )
        if not mark or len(line) <= width:
            lines.append(line)
            continue
        if before.strip():
            lines.append(before.rstrip() + "\n")
        indent = " " * (len(before) - len(before.lstrip()) if before.strip() else len(before))
        first, *rest = textwrap.wrap(mark + answer, width, break_long_words=False, break_on_hyphens=False)
        lines += [f"{indent}{first}\n", *(f"{indent}#    {piece}\n" for piece in rest)]
    return "".join(lines)


def table(rows: str) -> str:
    """Rows without a head."""
    return f'<div class="wide"><table><tbody>{rows}</tbody></table></div>'


def slug(text: str, taken: dict[str, int]) -> str:
    """The address of a heading as GitHub makes it; the second of a name gets -1."""
    base = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
    times = taken.get(base, 0)
    taken[base] = times + 1
    return f"{base}-{times}" if times else base


def plain(token: Token) -> str:
    """The text of an inline token without its markup."""
    return "".join(child.content for child in token.children or () if child.type in {"text", "code_inline"})


def _anchored(tokens: list[Token]) -> Iterator[Heading]:
    taken: dict[str, int] = {}
    for opening, inline in itertools.pairwise(tokens):
        if opening.type != "heading_open":
            continue
        heading = Heading(int(opening.tag[1:]), plain(inline), slug(plain(inline), taken))
        opening.attrSet("id", heading.anchor)
        yield heading


def _all(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or [])


def _redirect(token: Token, path: str, root: Path) -> None:
    """Let a link or a picture lead to where things stand in the site."""
    name = {"link_open": "href", "image": "src"}.get(token.type)
    if name is None:
        return
    given = str(token.attrGet(name) or "")
    if re.match(r"[a-z]+:", given) or given.startswith("#") or not given:
        return
    file, hash_mark, anchor = given.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
    address = _site_address(target, root)
    if address is None:  # a file of the repository that is no page: its name stays, the link goes
        token.attrs.pop(name)
    else:
        token.attrSet(name, relative(address, address_of(path)) + hash_mark + anchor)


def _site_address(target: str, root: Path) -> str | None:
    found = root / target
    if not found.exists():
        raise SystemExit(f"docs: a link leads to {target}, which does not exist")
    if found.suffix in {".svg", ".png"}:
        return target.removeprefix("docs/")
    inside = [path for path in sources(root) if path == found or found in path.parents]
    return address_of(inside[0].relative_to(root).as_posix()) if inside else None


def relative(address: str, seen_from: str) -> str:
    """How a page says where another one stands."""
    return posixpath.relpath(address, posixpath.dirname(seen_from) or ".")


def _grouped_links(tokens: list[Token]) -> Iterator[tuple[str, str, str]]:
    """(heading of level 2, text, address) of each link to a page, in order."""
    group = ""
    for opening, token in zip([None, *tokens], tokens, strict=False):
        if opening is not None and opening.type == "heading_open" and opening.tag == "h2":
            group = plain(token)
        children = token.children or []
        for link, text in itertools.pairwise(children):
            address = str(link.attrGet("href") or "") if link.type == "link_open" else ""
            if group and address.endswith(".html"):
                yield group, text.content, address

"""`make docs`: the site builds, no link of it leads nowhere, and every public name and command has its entry."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote

import pytest

import seqlab
from seqlab.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Seen:
    """What one page holds and where it leads."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen = Seen()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("id"):
            self.seen.anchors.add(str(given["id"]))
        for name in ("href", "src"):
            if given.get(name):
                self.seen.links.append(str(given[name]))


def read(text: str) -> Seen:
    reader = Reader()
    reader.feed(text)
    return reader.seen


def troubles(site: Path) -> list[str]:
    """Links that lead to no file, or to no such place in it."""
    pages = {path: read(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    found = []
    for path, seen in pages.items():
        for link in seen.links:
            if link.startswith(("http:", "https:", "mailto:")):
                continue
            file, _, anchor = link.partition("#")
            target = (path.parent / file).resolve() if file else path
            if not target.is_file():
                found.append(f"{path.relative_to(site)}: {link} leads to no file")
            elif anchor and unquote(anchor) not in pages[target].anchors:
                found.append(f"{path.relative_to(site)}: {link} leads to no such heading")
    return found


def missing_names(site: Path) -> list[str]:
    """Public names without an entry."""
    anchors: set[str] = set()
    for path in (site / "api").glob("*.html"):
        anchors |= read(path.read_text(encoding="utf-8")).anchors
    names = []
    for name in seqlab.__all__:
        thing = getattr(seqlab, name)
        names.append(f"seqlab.{name}")
        if isinstance(thing, ModuleType):
            names += [f"seqlab.{name}.{inner}" for inner in getattr(thing, "__all__", ())]
    return [name for name in names if name not in anchors]


def test_site_builds_whole(tmp_path: Path) -> None:
    pytest.importorskip("markdown_it")
    pytest.importorskip("pygments")
    site = (tmp_path / "site").resolve()
    ran = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "docs_site"), str(site)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert troubles(site) == []
    assert missing_names(site) == []
    for page in (ROOT / "docs").rglob("*.md"):
        made = page.relative_to(ROOT / "docs").with_suffix(".html")
        assert (site / ("index.html" if made.name == "README.html" else made)).is_file(), page
    for name in COMMANDS:
        assert f"seqlab {name}" in (site / "commands" / f"{name}.html").read_text(encoding="utf-8")
        assert "--help" in (site / "commands" / f"{name}.html").read_text(encoding="utf-8")


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    site = tmp_path.resolve()
    (site / "a.html").write_text('<h2 id="x"></h2><a href="b.html#y"></a><a href="#x"></a>', encoding="utf-8")
    assert troubles(site) == ["a.html: b.html#y leads to no file"]
    (site / "b.html").write_text('<a href="a.html#x"></a><img src="c.svg">', encoding="utf-8")
    assert sorted(troubles(site)) == [
        "a.html: b.html#y leads to no such heading",
        "b.html: c.svg leads to no file",
    ]


def test_a_name_without_an_entry_is_found(tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "index.html").write_text('<h2 id="seqlab.CRF"></h2>', encoding="utf-8")
    found = missing_names(tmp_path)
    assert "seqlab.CRF" not in found
    assert "seqlab.inference.viterbi" in found

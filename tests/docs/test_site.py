"""`make docs`: the site builds, no link of it leads nowhere, and every public name and command has its entry."""

from __future__ import annotations

import collections.abc
import inspect
import re
import subprocess
import sys
import typing
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any
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


def test_types_are_those_that_a_reader_knows() -> None:
    """An alias of the source is written out: it is neither a class nor a name of Python or NumPy."""
    pytest.importorskip("markdown_it")
    sys.path.insert(0, str(ROOT / "tools" / "docs_site"))
    from known_types import known_type
    from name_reference import public_names

    unknown = set()
    for _, thing in public_names():
        for function, annotation in annotations(thing):
            names = function.__globals__
            for word in re.findall(r"(?<![\w.'])[A-Za-z_][\w.]*(?!')", known_type(annotation, "", names)):
                meant = names.get(word)
                if word in KNOWN_NOWHERE or (meant is not None and not isinstance(meant, type | ModuleType)):
                    unknown.add((word, function.__qualname__))
    known = vars(typing).keys() | vars(collections.abc).keys()
    known |= {name.rpartition(".")[2] for name, _ in public_names()}
    assert {pair for pair in unknown if pair[0] not in known} == set()


KNOWN_NOWHERE = {
    "Given",
    "Known",
    "PerPosition",
    "Label",
    "Asked",
    "Results",
    "Features",
    "Dictionary",
    "Floats",
}


def annotations(thing: Any) -> Iterator[tuple[Any, Any]]:
    """Functions of a public thing, and the annotations of their arguments and results."""
    names = [name for name in dir(thing) if not name.startswith("_")] if inspect.isclass(thing) else []
    members = [inspect.getattr_static(thing, name) for name in names]
    for function in [thing, *(getattr(member, "__func__", member) for member in members)]:
        if not inspect.isfunction(function):
            continue
        signature = inspect.signature(function)
        yield function, signature.return_annotation
        yield from ((function, parameter.annotation) for parameter in signature.parameters.values())


def test_pages_of_taggers_begin_with_constructor_and_fit(tmp_path: Path) -> None:
    pytest.importorskip("markdown_it")
    sys.path.insert(0, str(ROOT / "tools" / "docs_site"))
    from name_reference import GROUPS, name_pages

    page = next(page for page in name_pages() if page.address == "api/taggers.html")
    crf = page.body.partition('id="seqlab.CRF"')[2].partition("<h2")[0]
    signatures = re.findall(r'<pre class="signature">(\w+)\(', crf)
    assert signatures[:2] == ["CRF", "fit"]
    groups = re.findall(r'<h3 class="group">([^<]*)</h3>', crf)
    assert [group for group in groups if group != "More"] == list(GROUPS)
    assert crf.index("tag(") < crf.index("posterior(") < crf.index("explain(") < crf.index("get_params(")


def test_long_answers_stand_below_their_line() -> None:
    pytest.importorskip("markdown_it")
    sys.path.insert(0, str(ROOT / "tools" / "docs_site"))
    from pages import answers_below

    short = "x  # -> 1\n"
    assert answers_below(short) == short
    line = f"{'f(' * 20}x{')' * 20}  # -> {list(range(40))}\n"
    below = answers_below(line)
    assert max(map(len, below.splitlines())) <= 100
    assert "".join(below.split()).replace("#", "") == "".join(line.split()).replace("#", "")


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

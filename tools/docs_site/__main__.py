"""A static site of docs/, with references of names and commands: `python tools/docs_site [folder]`, or `make docs`.

Needs the extra `docs` (markdown-it-py and pygments) and seqlab itself, whose names and help are read.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from command_reference import command_pages
from name_reference import name_pages
from navigation import navigation
from pages import Page, rendered, sources
from sheet import search_index, style_and_script, whole_page

ROOT = Path(__file__).resolve().parents[2]


def build(folder: Path) -> list[Page]:
    """Write the whole site into folder, in place of an earlier one; returns its pages."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "search-index.js").exists():
        raise SystemExit(f"docs: {folder} holds something else than a site; name another folder")
    pages = [rendered(source, ROOT) for source in sources(ROOT)]
    pages += [*name_pages(), *command_pages()]
    groups = navigation(pages)
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for page in pages:
        target = folder / page.address
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(whole_page(page, groups), encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "pictures", folder / "pictures")
    for name, text in style_and_script().items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "search-index.js").write_text(search_index(pages), encoding="utf-8")
    return pages


def main() -> None:
    """Build, and say where."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site")
    pages = build(folder)
    print(f"{len(pages)} pages: {folder / 'index.html'}")


if __name__ == "__main__":
    main()

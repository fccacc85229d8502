"""What stands in the margin of every page: the groups of docs/README.md, then what it does not list."""

from __future__ import annotations

from pages import Page

Group = tuple[str, list[tuple[str, str]]]  # name, [(title, address)]


def navigation(pages: list[Page]) -> list[Group]:
    """Groups in the order of the table of contents; pages that it forgets come under More, decisions last."""
    titles = {page.address: page.title for page in pages if page.address != "index.html"}
    listed: dict[str, list[tuple[str, str]]] = {}
    seen = set()
    for group, name, address in next(page.links for page in pages if page.address == "index.html"):
        if address in titles and address not in seen:
            seen.add(address)
            there = "Decisions" if address.startswith("decisions/") else group
            listed.setdefault(there, []).append((name, address))
    decisions = listed.pop("Decisions", [])
    listed["API"] = _below("api/", titles)
    listed["Commands"] = _below("commands/", titles)
    generated = {address for group in ("API", "Commands") for _, address in listed[group]}
    listed["More"] = [
        (title, address) for address, title in titles.items() if address not in seen | generated
    ]
    listed["Decisions"] = decisions
    return [(name, entries) for name, entries in listed.items() if entries]


def _below(folder: str, titles: dict[str, str]) -> list[tuple[str, str]]:
    return [(title, address) for address, title in titles.items() if address.startswith(folder)]

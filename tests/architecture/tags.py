"""Equation tags: every one has one derivation (docs/equations/), code (cpp/ or src/) and a test."""

import re
from collections.abc import Callable, Mapping

TAG = re.compile(r"\beq:[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
SECTION = re.compile(rf"^## ({TAG.pattern})$", re.MULTILINE)
FILE = re.compile(r"`([^`\s]+\.(?:py|cpp|hpp|md))`")


def tags(source: str) -> frozenset[str]:
    return frozenset(TAG.findall(source))


def defined_twice(pages: Mapping[str, str]) -> list[str]:
    """One sentence for each tag with more than one section; pages by name."""
    homes: dict[str, list[str]] = {}
    for name, page in pages.items():
        for tag in SECTION.findall(page):
            homes.setdefault(tag, []).append(name)
    return sorted(
        f"{tag} has a section in {' and in '.join(names)}" for tag, names in homes.items() if len(names) > 1
    )


def sections(pages: Mapping[str, str]) -> frozenset[str]:
    """The tags that have a derivation."""
    return frozenset(tag for page in pages.values() for tag in SECTION.findall(page))


def lost_files(pages: Mapping[str, str], exists: Callable[[str], bool]) -> list[str]:
    """One sentence for each file that a page names and that is not where it says, from the root of the repository."""
    return [
        f"docs/equations/{name}: {path} does not exist"
        for name, page in pages.items()
        for path in FILE.findall(page)
        if not exists(path)
    ]


def untagged(pages: Mapping[str, str], read: Callable[[str], str]) -> list[str]:
    """One sentence for each section whose **Code.** or **Test.** names no file that carries its tag."""
    found = []
    for name, page in pages.items():
        for tag, section in zip(SECTION.findall(page), SECTION.split(page)[2::2], strict=True):
            code, _, test = section.partition("**Code.**")[2].partition("**Test.**")
            found += [
                f"docs/equations/{name}: no file that {tag} names under **{place}.** has the tag"
                for place, files in (("Code", code), ("Test", test))
                if not any(tag in tags(read(path)) for path in FILE.findall(files))
            ]
    return found


def disagreements(
    *, documented: frozenset[str], implemented: frozenset[str], tested: frozenset[str]
) -> list[str]:
    """One sentence for each tag that one of the three places lacks."""
    found = [f"{tag} is in docs/equations but nowhere in cpp/ or src/" for tag in documented - implemented]
    found += [f"{tag} is in docs/equations but in no test" for tag in documented - tested]
    found += [f"{tag} is in the code but not in docs/equations" for tag in implemented - documented]
    found += [f"{tag} is in a test but not in docs/equations" for tag in tested - documented]
    return sorted(found)

"""Equation tags: every one has a derivation (docs/equations.md), code (cpp/ or src/) and a test."""

import re

TAG = re.compile(r"\beq:[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


def tags(source: str) -> frozenset[str]:
    return frozenset(TAG.findall(source))


def disagreements(
    *, documented: frozenset[str], implemented: frozenset[str], tested: frozenset[str]
) -> list[str]:
    """One sentence for each tag that one of the three places lacks."""
    found = [f"{tag} is in docs/equations.md but nowhere in cpp/ or src/" for tag in documented - implemented]
    found += [f"{tag} is in docs/equations.md but in no test" for tag in documented - tested]
    found += [f"{tag} is in the code but not in docs/equations.md" for tag in implemented - documented]
    found += [f"{tag} is in a test but not in docs/equations.md" for tag in tested - documented]
    return sorted(found)

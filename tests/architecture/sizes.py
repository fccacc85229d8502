"""Files stay small enough to hold in the head."""

from collections.abc import Mapping

LIMIT = 450

# path: why splitting it would only hide it
EXCEPTIONS: dict[str, str] = {
    "cpp/base/text/unicode_tables.inc": "facts about Unicode, written by tools/unicode_tables.py",
}


def too_long(lengths: Mapping[str, int], exceptions: Mapping[str, str]) -> list[str]:
    """One sentence for each file over the limit without a reason, and for each reason without a file."""
    found = [
        f"{path} has {lines} lines, {LIMIT} is the limit: split it by noun or write a reason into EXCEPTIONS"
        for path, lines in lengths.items()
        if lines > LIMIT and not exceptions.get(path)
    ]
    found += [
        f"{path} is in EXCEPTIONS but has only {lengths.get(path, 0)} lines"
        for path in exceptions
        if lengths.get(path, 0) <= LIMIT
    ]
    return sorted(found)

"""The table of functions in the guide: every function is there, and gives what the page says."""

import re
from pathlib import Path

from seqlab.features.functions import FUNCTIONS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "features.md"
ROW = re.compile(r'^\| `(\w+)` \| `(\w+)\("([^"]*)"(?:, (-?\d+|"[^"]*"))?\)` \| `(.*)` \|$', re.MULTILINE)


def test_the_guide_lists_every_function_with_what_it_gives():
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert sorted(row[0] for row in rows) == sorted(FUNCTIONS)
    for name, called, value, argument, wanted in rows:
        assert called == name
        arguments = [argument.strip('"') if '"' in argument else int(argument)] if argument else []
        given = FUNCTIONS[name].apply(value, *arguments)
        assert (", ".join(given) if FUNCTIONS[name].several else given) == wanted

"""The accounts in the guide are the ones that its blocks print."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[4] / "docs" / "guide" / "explaining.md"


def test_the_guide_shows_the_accounts_as_they_are_printed_now():
    page = PAGE.read_text(encoding="utf-8")
    names = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(code, names)
    shown = re.findall(r"```output\n(Why is .*?)\n```", page, re.DOTALL)
    assert shown == [str(names["why"]), str(names["margin"])]

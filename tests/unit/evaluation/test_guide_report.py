"""The report in the guide is the one that the page's first block prints."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "evaluation.md"


def test_the_guide_shows_the_report_as_it_is_printed_now():
    page = PAGE.read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    shown = re.search(r"print\(report\)\n```\n\n```output\n(.*?)\.\.\.\n```", page, re.DOTALL)
    assert code
    assert shown
    names = {}
    exec(code[1], names)
    assert str(names["report"]).startswith(shown[1])

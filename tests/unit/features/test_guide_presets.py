"""The guide shows what every preset sees at one token; tests/docs compares these blocks with what is printed."""

import re
from pathlib import Path

from seqlab.features import presets

PAGE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "features.md"
SHOWN = re.compile(r"^print\(presets\.(\w+)\.show\([^\n]*\)\)\n```\n\n```output\n\S", re.MULTILINE)


def test_the_guide_shows_every_preset():
    section = PAGE.read_text(encoding="utf-8").partition("\n## What each preset sees\n")[2]
    assert sorted(SHOWN.findall(section)) == sorted(presets.__all__)

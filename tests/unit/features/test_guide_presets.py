"""The guide shows what every preset sees at one token: that is what the code prints."""

import re
from pathlib import Path

from seqlab.features import presets

PAGE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "features.md"
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(
    r"^```text\n>>> print\((presets\.(\w+)\.show\([^\n]*\))\)\n(.*?)\n```$", re.MULTILINE | re.DOTALL
)


def test_the_guide_shows_every_preset_as_it_is_now():
    section = PAGE.read_text(encoding="utf-8").partition("\n## What each preset sees\n")[2]
    names = {"presets": presets}
    for code in CODE.findall(section):
        exec(code, names)  # takes the sentence from the demo corpus
    shown = SHOWN.findall(section)
    assert sorted(name for _, name, _ in shown) == sorted(presets.__all__)
    for call, name, text in shown:
        assert text == eval(call, names), name

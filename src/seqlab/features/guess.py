"""Which of the three template languages a file is written in."""

from __future__ import annotations

import re
from typing import Literal

_MACRO = re.compile(r"^[UuBb*].*%[xXtTmM]\[", re.MULTILINE)
_ONLY_WAPITI = re.compile(r"^[ub*].*%|^[UB*].*(%[XtTmM]\[|%x\[[@*])", re.MULTILINE)


def language_of(text: str) -> Literal["seqlab", "crfpp", "wapiti"]:
    """CRF++ when lines look like `U00:%x[0,0]`; Wapiti when they begin in lower case or use what only it has."""
    if not _MACRO.search(text):
        return "seqlab"
    return "wapiti" if _ONLY_WAPITI.search(text) else "crfpp"

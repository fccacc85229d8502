"""Formulas of docs/ become MathML that is well formed and loses no symbol."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "docs_site"))

import formulas  # noqa: E402

FENCE = re.compile(r"^```formula\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = {
    f"{page.stem}:{text[: found.start()].count(chr(10)) + 1}": found[1]
    for page in sorted((ROOT / "docs").rglob("*.md"))
    for text in [page.read_text(encoding="utf-8")]
    for found in FENCE.finditer(text)
}


def symbols(text: str) -> str:
    """What must survive: letters, digits and signs, each as it is shown; brackets and strokes may become fractions."""
    for name, letter in formulas.GREEK.items():
        text = re.sub(rf"(?<![A-Za-z]){name}(?![a-z])", letter, text)
    for sign, shown in formulas.SIGNS.items():
        text = text.replace(sign, shown)
    raised = str.maketrans({**formulas.RAISED, **formulas.LOWERED, "'": "′", "∑": "Σ", "∏": "Π"})
    text = re.sub("[\u0300-\u036f^~¯]", "", text.translate(raised))
    return "".join(sorted(re.sub(r"[\s_{}()/\[\]]", "", text)))


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_formula_is_well_formed_and_whole(block: str) -> None:
    tree = ET.fromstring(formulas.block(block))
    assert symbols(" ".join(tree.itertext())) == symbols(block)


def test_there_are_formulas() -> None:
    assert len(BLOCKS) > 100


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("x_t", "<msub><mi>x</mi><mrow><mi>t</mi></mrow></msub>"),
        ("alpha_{t-1}", "<msub><mi>α</mi><mrow><mi>t</mi><mo>−</mo><mn>1</mn></mrow></msub>"),
        ("L²", "<msup><mi>L</mi><mrow><mn>2</mn></mrow></msup>"),
        ("y'", "<msup><mi>y</mi><mrow><mo>′</mo></mrow></msup>"),
        ("y_i'", "<msubsup><mi>y</mi><mrow><mi>i</mi></mrow><mrow><mo>′</mo></mrow></msubsup>"),
        ("x <= y", "<mi>x</mi><mo>≤</mo><mi>y</mi>"),
        ("a / b = c", "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac><mo>=</mo><mi>c</mi>"),
    ],
)
def test_inline_formula(code: str, wanted: str) -> None:
    assert formulas.inline(code) == f"<math>{wanted}</math>"


@pytest.mark.parametrize("stroke", ["a b / c", "a / b c", "Σ_i a / b"])
def test_stroke_stays_where_a_fraction_would_be_a_guess(stroke: str) -> None:
    assert "<mfrac>" not in formulas.block(stroke)
    assert "<mo>/</mo>" in formulas.block(stroke)


@pytest.mark.parametrize(
    "code", ["cpp/inference/marginals.cpp", "inference.forward", "eq:forward", "keep", "-inf", '"x"']
)
def test_name_of_something_is_no_formula(code: str) -> None:
    assert formulas.inline(code) is None

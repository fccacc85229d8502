"""Every script in examples/ runs, says something, and draws the picture that the guide shows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
PICTURES = ROOT / "docs" / "pictures"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_example_runs(script, tmp_path):
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(script), str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip()
    assert not ran.stderr
    shown = PICTURES / f"{script.stem}.svg"
    if shown.exists():
        drawn = (tmp_path / shown.name).read_text(encoding="utf-8")
        assert _words(drawn) == _words(shown.read_text(encoding="utf-8"))


def _words(svg):
    """What a picture says, number by number: lines may differ in their last digits from machine to machine."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_there_are_examples():
    assert SCRIPTS
    assert sum((PICTURES / f"{script.stem}.svg").exists() for script in SCRIPTS) >= 6

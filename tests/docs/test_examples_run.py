"""Every script in examples/ runs, prints what docs/gallery.md shows, and draws the picture that the guide shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "docs_site"))

from blocks import fits  # noqa: E402
from renew import SCRIPT  # noqa: E402

GALLERY = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
SHOWN = {found["name"]: found["output"] for found in SCRIPT.finditer(GALLERY)}
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
PICTURES = ROOT / "docs" / "pictures"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_example_runs(script, tmp_path):
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(script), str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "SEQLAB_KERNEL": "baseline"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip()
    assert not ran.stderr
    if script.name in SHOWN:
        assert fits(ran.stdout, SHOWN[script.name], near=True), ran.stdout
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


def test_gallery_shows_seven_scripts_with_their_pictures():
    assert len(SHOWN) == 7
    for name in SHOWN:
        assert f"(pictures/{Path(name).stem}.svg)" in GALLERY
        assert f"(../examples/{name})" in GALLERY


def test_stories_quote_what_the_scripts_print():
    stories = (ROOT / "docs" / "guide" / "examples.md").read_text(encoding="utf-8")
    quoted = re.findall(r"^```text\n(.*?)^```$", stories, re.MULTILINE | re.DOTALL)
    printed = {" ".join(line.split()) for output in SHOWN.values() for line in output.splitlines()}
    assert len(quoted) >= 6
    for line in "".join(quoted).splitlines():
        assert " ".join(line.split()) in printed

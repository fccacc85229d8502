import contextlib
import io
import json
import os
import subprocess
import sys

import pytest
from pytest import approx

from oracle import textbook
from seqlab.cli import main
from seqlab.cli.demo import garden_path
from seqlab.draw import text_width

WIDTHS = [20, 25, 40, 59, 60, 79, 80, 100, 111, 112, 120, 200]


@pytest.fixture(autouse=True)
def unicode_locale(monkeypatch):
    monkeypatch.delenv("LC_ALL", raising=False)


def shown(capsys, *options):
    assert main(["demo", "--garden-path", *options]) == 0
    return capsys.readouterr().out


def test_tables_are_those_of_the_textbook():
    assert garden_path.SENTENCE == textbook.WORDS
    assert garden_path.LABELS == textbook.LABELS
    assert garden_path.START == textbook.START
    assert garden_path.MOVES == textbook.TRANSITIONS
    assert garden_path.WORDS == textbook.EMISSIONS


def test_json_tells_the_garden_path(capsys):
    facts = json.loads(shown(capsys, "--json"))
    assert facts["probability"] == approx(textbook.LIKELIHOOD, rel=1e-9)
    readings = {"".join(r["labels"]): r["probability"] for r in facts["readings"]}
    assert readings == approx(textbook.PATHS, rel=1e-9)
    assert sum(r["share"] for r in facts["readings"]) == approx(1.0, rel=1e-9)
    for length, (labels, probability) in textbook.BEST_PREFIX.items():
        prefix = facts["prefixes"][length - 1]
        assert "".join(prefix["labels"]) == labels
        assert prefix["probability"] == approx(probability, rel=1e-9)
    assert "".join(facts["best"]["labels"]) == "DNVDN"
    assert [sum(row) for row in facts["posterior"]] == approx([1.0] * 5, rel=1e-9)
    assert facts["posterior"][2][0] == 0.0  # man is no adjective: the way in is open, but none leads on


@pytest.mark.parametrize("width", [60, 80, 120])
def test_page_shows_every_number(capsys, width):
    page = shown(capsys, "--width", str(width))
    numbers = "0.7 0.168 0.06048 0.01715 0.004802 0.00169344 0.00021952 0.00671496 71.5% 25.2% 3.3%"
    for number in numbers.split():
        assert number in page
    assert "turns back: old A→N man N→V" in page
    assert "┫ 0.004802* ┃" in page


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("characters", [[], ["--ascii"]])
def test_page_never_wraps(capsys, width, characters):
    page = shown(capsys, "--width", str(width), *characters)
    assert max(map(text_width, page.splitlines())) <= width
    assert not any(line.endswith(" ") for line in page.splitlines())


def test_page_in_a_plain_locale_is_ascii():
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "COLUMNS": "80"}
    program = [sys.executable, "-m", "seqlab", "demo", "--garden-path"]
    page = subprocess.check_output(program, env=environment).decode("ascii")
    assert "# 0.004802* #" in page


def test_page_on_an_absurdly_narrow_terminal_is_still_a_page(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "1")
    assert max(map(text_width, shown(capsys).splitlines())) <= 20


def test_page_in_a_file_has_no_colour(capsys):
    assert "\x1b" not in shown(capsys)


def test_page_on_a_terminal_has_colour_but_needs_none(monkeypatch, capsys):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    plain = shown(capsys, "--width", "80", "--no-color")
    monkeypatch.setattr("seqlab.cli.terminal.wants_color", lambda stream: True)
    painted = shown(capsys, "--width", "80")
    assert "\x1b[" in painted
    assert "\x1b[" not in shown(capsys, "--width", "80", "--no-color")
    assert [*map(text_width, painted.splitlines())] == [*map(text_width, plain.splitlines())]


def test_snippet_at_the_end_of_the_page_runs(capsys):
    page = shown(capsys, "--width", "80")
    snippet = "\n".join(garden_path.NEXT)
    assert snippet in page
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(snippet, {})
    assert said.getvalue().startswith("Path(")

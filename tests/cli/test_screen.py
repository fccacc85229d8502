import io

import pytest

from seqlab.cli import main, terminal
from seqlab.draw import ASCII, UNICODE


class Terminal(io.TextIOWrapper):
    def __init__(self, encoding="utf-8", *, tty=True):
        super().__init__(io.BytesIO(), encoding=encoding)
        self.tty = tty

    def isatty(self):
        return self.tty


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def style(stream, *, no_color=False, ascii_only=False):
    return terminal.style(stream, no_color=no_color, ascii_only=ascii_only)


def test_a_terminal_gets_colour_a_file_does_not():
    assert style(Terminal()).color
    assert not style(Terminal(tty=False)).color


def test_colour_can_be_refused(monkeypatch):
    assert not style(Terminal(), no_color=True).color
    monkeypatch.setenv("NO_COLOR", "1")
    assert not style(Terminal()).color


def test_an_empty_no_color_refuses_nothing(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "")
    assert style(Terminal()).color


def test_a_dumb_terminal_gets_no_colour(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    assert not style(Terminal()).color


@pytest.mark.parametrize(("encoding", "glyphs"), [("utf-8", UNICODE), ("ascii", ASCII), ("latin-1", ASCII)])
def test_characters_are_those_the_stream_can_carry(encoding, glyphs):
    assert style(Terminal(encoding)).glyphs is glyphs


def test_ascii_can_be_asked_for(monkeypatch):
    assert style(Terminal(), ascii_only=True).glyphs is ASCII
    monkeypatch.setenv("LC_ALL", "C")
    assert style(Terminal()).glyphs is ASCII


def test_width_is_that_of_the_terminal(monkeypatch, capsys):
    assert main(["demo", "--garden-path", "--width", "101"]) == 0
    told = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "101")
    assert main(["demo", "--garden-path"]) == 0
    assert capsys.readouterr().out == told


def test_python_is_what_starts_this_interpreter(monkeypatch, tmp_path):
    program = tmp_path / ".venv" / "bin" / "python"
    monkeypatch.setattr("sys.executable", str(program))
    monkeypatch.setattr("shutil.which", lambda name: str(program))
    assert terminal.python() == "python"
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert terminal.python() == str(program)
    monkeypatch.chdir(tmp_path)
    assert terminal.python() == ".venv/bin/python"

"""What a newcomer meets: help, and complaints."""

import argparse
import importlib
import json
import subprocess
import sys

import pytest

from seqlab import cli
from seqlab.cli.parsing import Parser, add_command
from seqlab.cli.terminal import for_shell

COMMANDS = list(cli.COMMANDS)


def help_of(name):
    return subprocess.run(
        [sys.executable, "-m", "seqlab", name, "--help"], capture_output=True, text=True, check=True
    )


def test_help_and_its_parsers_import_no_numpy():
    program = f"""if True:
        import sys, io, contextlib
        from seqlab import cli
        for argv in [["--help"], *([name, "--help"] for name in {COMMANDS!r})]:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
                cli.main(argv)
        print([name for name in ("numpy", "rich", "dataclasses", "tomllib", "json") if name in sys.modules])
    """
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "[]\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_has_examples_that_parse(name, capsys):
    with pytest.raises(SystemExit) as left:
        cli.main([name, "--help"])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    assert all(len(line) <= 80 for line in shown.splitlines())
    examples = shown.partition("examples:\n")[2].splitlines()
    assert len(examples) >= 2
    parser = Parser(prog="seqlab")
    subparsers = parser.add_subparsers(parser_class=Parser)
    for module in COMMANDS:
        add_command(subparsers, module, importlib.import_module(f"seqlab.cli.{module}"))
    commands = [part for line in examples for part in _pieces(line) if part[:1] == ["seqlab"]]
    assert [words[1] for words in commands].count(name) >= 2
    for words in commands:
        assert isinstance(parser.parse_args(words[1:]), argparse.Namespace)


def _pieces(line):
    """The commands of a line of shell, without what it redirects."""
    import shlex

    words = shlex.split(line.strip())
    pieces, now = [], []
    for word in words:
        if word in {"|", "&&"}:
            pieces.append(now)
            now = []
        elif word == ">":
            break
        else:
            now.append(word)
    return [*pieces, now]


def test_every_command_has_json(capsys):
    for name in COMMANDS:
        with pytest.raises(SystemExit):
            cli.main([name, "--help"])
        assert "--json" in capsys.readouterr().out


def test_a_misspelled_command_is_guessed(capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(["trainn"])
    assert left.value.code == 2
    said = capsys.readouterr().err
    assert "did you mean train?" in said
    assert said.count("\n") == 1


def test_a_misspelled_option_is_one_line(capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(["tag", "m", "--threds", "2"])
    assert left.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("library", "shell"),
    [
        ("a.txt:3: pass columns=... if it is another", "a.txt:3: pass --columns ... if it is another"),
        ("pass columns={'word': 0, 'label': -1} to pick", "pass --columns word=0,label=-1 to pick"),
        ("pass format='text' for it", "pass --format text for it"),
        ("pass comments=True if", "pass --comments if"),
        ("pass separator=' ' if", "pass --separator ' ' if"),
        (
            "pass encoding=, for example encoding='latin-1', if",
            "pass --encoding, for example --encoding latin-1, if",
        ),
        ("w=columnar stays, and a==b", "w=columnar stays, and a==b"),
        ("two\n   lines\n     ^", "two: lines"),
    ],
)
def test_messages_speak_of_flags(library, shell):
    assert for_shell(library) == shell


def test_warnings_are_one_line_without_source(tmp_path, capsys):
    path = tmp_path / "dos.txt"
    path.write_bytes(b"The\tDET\r\nman\tNOUN\r\n")
    assert cli.main(["check", str(path), "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["ok"] in {True, False}
    assert shown.err.startswith(f"seqlab: {path}:1: the line ends in CRLF")
    assert shown.err.count("\n") == 1

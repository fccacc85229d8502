import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

import seqlab
from seqlab import cli
from seqlab.cli import main
from seqlab.errors import SeqlabError

SEQLAB = [sys.executable, "-m", "seqlab"]


def raising(error):
    """A command that does nothing else."""

    def run(arguments):
        raise error

    return SimpleNamespace(USAGE="", DESCRIPTION="", EXAMPLES="", OPTIONS=(), run=run)


def test_version_needs_no_numpy():
    program = """if True:
        import sys, seqlab.cli
        try:
            seqlab.cli.main(["--version"])
        except SystemExit as left:
            print(left.code, "numpy" in sys.modules)
    """
    shown = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert shown == f"seqlab {seqlab.__version__}\n0 False\n"


def test_python_m_seqlab_is_the_command_line():
    shown = subprocess.check_output([*SEQLAB, "--help"], text=True)
    assert shown.startswith("usage: seqlab")
    assert all(name in shown for name in cli.COMMANDS)


def test_no_command_is_wrong_use_and_shows_the_help(capsys):
    assert main([]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("usage: seqlab")


@pytest.mark.parametrize(
    "argv", [["fly"], ["demo", "--fly"], ["demo", "--width", "ten"], ["demo", "--width", "5"]]
)
def test_wrong_use_leaves_with_2(argv, capsys):
    with pytest.raises(SystemExit) as left:
        main(argv)
    assert left.value.code == 2
    assert capsys.readouterr().out == ""


def test_an_error_of_ours_is_one_line_and_2(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "seqlab.cli.demo", raising(SeqlabError("line 3: no label")))
    assert main(["demo"]) == 2
    assert capsys.readouterr().err == "seqlab: line 3: no label\n"


def test_an_error_of_the_system_is_one_line_and_1(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "seqlab.cli.demo", raising(OSError(28, "No space left on device")))
    assert main(["demo"]) == 1
    assert capsys.readouterr().err == "seqlab: No space left on device\n"


def test_a_file_that_the_system_refuses_is_named(monkeypatch, capsys):
    monkeypatch.setitem(
        sys.modules, "seqlab.cli.demo", raising(PermissionError(13, "Permission denied", "a.html"))
    )
    assert main(["demo"]) == 1
    assert capsys.readouterr().err == "seqlab: a.html: Permission denied\n"


def test_ctrl_c_before_the_command_is_quiet(monkeypatch, capsys):
    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_module", interrupted)
    assert main(["demo"]) == 130
    assert capsys.readouterr().err == ""


def test_an_error_nobody_foresaw_is_not_hidden(monkeypatch):
    monkeypatch.setitem(sys.modules, "seqlab.cli.demo", raising(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        main(["demo"])


def test_interruption_is_quiet(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "seqlab.cli.demo", raising(KeyboardInterrupt()))
    assert main(["demo"]) == 128 + signal.SIGINT
    assert capsys.readouterr() == ("", "")


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
def test_a_closed_pipe_is_quiet():
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run([*SEQLAB, "demo"], stdout=closed, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


def test_output_that_cannot_show_a_character_spells_it_out():
    done = subprocess.run(
        [*SEQLAB, "demo"], env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_lack_of_memory_is_one_line_and_1(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "seqlab.cli.demo", raising(MemoryError()))
    assert main(["demo"]) == 1
    assert capsys.readouterr().err == "seqlab: there is not enough memory for this\n"


@pytest.mark.parametrize("stream", [1, 2])
def test_output_that_nobody_wants_is_no_mistake(stream, tmp_path):
    made = tmp_path / "made.jsonl"
    arguments = ["convert", "demo:test", str(made)]
    done = _without(stream, [*SEQLAB, *arguments])
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"Traceback" not in done.stderr
    assert made.stat().st_size


def test_an_input_that_is_closed_is_said():
    done = _without(0, [*SEQLAB, "check", "-"])
    assert done.returncode == 2
    assert done.stderr == b"seqlab: standard input is closed, so '-' cannot be read; name a file\n"


def _without(stream, command):
    """What a command does that a shell starts with this stream closed."""
    shell = ["sh", "-c", f'"$@" {stream}>&-', "sh", *command]
    return subprocess.run(shell, capture_output=True, check=False)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ["tag", "m", "--lables-only"],
            "seqlab tag: unrecognized arguments: --lables-only; did you mean --labels-only?",
        ),
        (
            ["check", "a", "--zzzzz", "9"],
            "seqlab check: unrecognized arguments: --zzzzz 9; see seqlab check --help",
        ),
        (["--fly"], "seqlab: unrecognized arguments: --fly; see seqlab --help"),
        (["--qqq", "tag", "m"], "seqlab tag: unrecognized arguments: --qqq; see seqlab tag --help"),
    ],
)
def test_an_option_that_is_unknown_is_said_with_the_command(argv, message, capsys):
    with pytest.raises(SystemExit) as left:
        main(argv)
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith(message)

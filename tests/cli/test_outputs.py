"""Outputs replace no input, and no file of another kind."""

import os
import shutil
import subprocess
import sys

import pytest

import seqlab
from seqlab.cli import COMMANDS, _module, outputs, parsing

PAGE = "<!doctype html>\n<p>mine</p>\n"


def actions(name):
    """The options of a command, as argparse has them."""
    parser = parsing.Parser(prog="seqlab")
    commands = parser.add_subparsers(parser_class=parsing.Parser)
    parsing.add_command(commands, name, _module(name))
    return commands.choices[name]._actions


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_that_names_a_file_says_whether_it_is_read_or_written(name):
    words = ("FILE", "MODEL", "TOML", "FOLDER", "INPUT", "OUTPUT", "TRAIN", "TEST", "PICTURE", "JOURNAL")
    for action in actions(name):
        shown = str(action.metavar or "").upper()
        if any(word in shown for word in words) or action.dest in {"output", "html", "picture"}:
            assert action.reads or action.writes, f"{name} {action.option_strings or action.dest}"
        written = getattr(action, "writes", None)
        assert not isinstance(written, str) or written in outputs.KINDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_with_outputs_has_force(name):
    found = actions(name)
    assert any(getattr(one, "writes", None) for one in found) == any(one.dest == "force" for one in found)


@pytest.fixture
def mine(folder, crf, tmp_path):
    """Copies of corpora and a model that a command may be tempted to replace, and other files of mine."""
    for name in ("train.txt", "test.txt", "plain.txt"):
        shutil.copy(folder / name, tmp_path / name)
    shutil.copy(crf, tmp_path / "crf.model")
    (tmp_path / "page.html").write_text(PAGE)
    (tmp_path / "notes.svg").write_text("my notes\n")
    (tmp_path / "settings.toml").write_text("iterations = 2\n")
    (tmp_path / "features.tpl").write_text("word[0]\n")
    (tmp_path / "script").write_text("#!/bin/sh\n")
    (tmp_path / "empty").write_text("")
    return tmp_path


REPLACED = {  # the command, and what it would replace
    "train train.txt -o train.txt": "train.txt",
    "train train.txt --dev test.txt -o test.txt": "test.txt",
    "train train.txt --config settings.toml -o settings.toml": "settings.toml",
    "train train.txt --features features.tpl -o features.tpl": "features.tpl",
    "train train.txt --start crf.model --features word[0] -o crf.model": "crf.model",
    "train train.txt -o page.html": "page.html",
    "train train.txt -o plain.txt": "plain.txt",
    "tag crf.model plain.txt -o crf.model": "crf.model",
    "tag crf.model plain.txt -o plain.txt --labels-only": "plain.txt",
    "tag crf.model plain.txt -o plain.txt --spans": "plain.txt",
    "tag crf.model plain.txt -o plain.txt --json": "plain.txt",
    "tag crf.model plain.txt -o page.html": "page.html",
    "tag crf.model plain.txt -o script": "script",
    "eval crf.model test.txt --html test.txt": "test.txt",
    "eval crf.model test.txt --html crf.model": "crf.model",
    "eval crf.model test.txt --html page.html": "page.html",
    "compare train.txt test.txt --html test.txt": "test.txt",
    "tune train.txt --set l2=1 -o train.txt": "train.txt",
    "tune train.txt --set l2=1 --picture notes.svg": "notes.svg",
    "tune train.txt --set l2=1 --resume plain.txt": "plain.txt",
    "draw moves crf.model -o crf.model": "crf.model",
    "draw moves crf.model -o notes.svg": "notes.svg",
    "convert train.txt crf.model": "crf.model",
    "convert train.txt page.html": "page.html",
}


@pytest.mark.parametrize("command", REPLACED)
@pytest.mark.parametrize("link", [None, os.symlink, os.link])
def test_no_input_and_no_file_of_another_kind_is_replaced(command, link, mine, shell, monkeypatch):
    monkeypatch.chdir(mine)
    words, target = command.split(), REPLACED[command]
    if link is not None:
        link(mine / target, mine / f"link-to-{target}")
        last = len(words) - 1 - words[::-1].index(target)
        words[last] = f"link-to-{target}"
    before = {path.name: path.read_bytes() for path in mine.iterdir()}
    message = shell.refused(*words)
    assert "would replace it; name another file, or pass --force" in message
    assert {path.name: path.read_bytes() for path in mine.iterdir()} == before


def test_the_settings_of_a_file_are_checked_too(mine, shell, monkeypatch):
    monkeypatch.chdir(mine)
    (mine / "settings.toml").write_text('output = "test.txt"\ndev = "test.txt"\n')
    assert "test.txt: this is an input (--dev)" in shell.refused(
        "train", "train.txt", "--config", "settings.toml"
    )


def test_force_replaces_it(mine, shell, monkeypatch):
    monkeypatch.chdir(mine)
    shell.done("eval", "crf.model", "test.txt", "--html", "page.html", "--force")
    assert (mine / "page.html").read_text() != PAGE
    shell.done("train", "train.txt", "-o", "test.txt", "-i", 1, "--force")
    assert seqlab.load(mine / "test.txt").labels_


def test_what_we_wrote_is_replaced_without_a_word(mine, shell, monkeypatch):
    monkeypatch.chdir(mine)
    for _ in range(2):
        shell.done("train", "train.txt", "-o", "new.model", "-i", 1)
        shell.done("tag", "new.model", "plain.txt", "-o", "tagged.txt")
        shell.done("tag", "new.model", "plain.txt", "-o", "tagged.txt.gz")
        shell.done("tag", "new.model", "plain.txt", "-o", "empty")
        shell.done("eval", "new.model", "test.txt", "--html", "new.html")
        shell.done("draw", "moves", "new.model", "-o", "new.svg")
        shell.done("draw", "graph", "crf")  # to graph.svg
        shell.done("convert", "train.txt", "train.jsonl")


def test_in_place_stays(mine, shell, monkeypatch):
    monkeypatch.chdir(mine)
    shell.done("tag", "crf.model", "plain.txt", "-o", "plain.txt")
    assert all(len(line.split()) in {0, 3} for line in (mine / "plain.txt").read_text().splitlines())
    shell.done("convert", "train.txt", "train.txt", "--scheme", "BILOU")
    assert "L-NP" in (mine / "train.txt").read_text()
    (mine / "link").symlink_to("test.txt")
    shell.done("convert", "link", "link", "--select", "word,pos")
    assert (mine / "link").is_symlink()
    assert all(len(line.split()) in {0, 2} for line in (mine / "test.txt").read_text().splitlines())


def test_standard_input_is_an_input(mine):
    command = [sys.executable, "-m", "seqlab", "train", "-", "-o", "crf.model", "-i", "1"]
    with (mine / "crf.model").open("rb") as file:
        done = subprocess.run(command, stdin=file, cwd=mine, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "crf.model: this is an input (FILES), and the model would replace it" in done.stderr


def test_two_outputs_are_two_files(mine, shell, monkeypatch):
    monkeypatch.chdir(mine)
    told = shell.refused("tune", "train.txt", "--set", "l2=1", "-o", "new.svg", "--picture", "./new.svg")
    assert "name the same file" in told


def test_a_foreign_model_is_not_converted_onto_itself(mine, shell, monkeypatch):
    monkeypatch.chdir(mine)
    (mine / "old").write_bytes(b"lCRF" + bytes(60))
    assert "old: this is an input (INPUT), and the model would replace it" in shell.refused(
        "convert", "old", "old"
    )


def test_the_demo_keeps_a_report_that_is_not_its_own(mine, shell, monkeypatch):
    monkeypatch.chdir(mine)
    (mine / "out").mkdir()
    (mine / "out" / "report.html").write_text(PAGE)
    assert "out/report.html: there is a file that is not a page" in shell.refused("demo", "-o", "out")


def test_devices_take_everything(mine, shell, monkeypatch):
    monkeypatch.chdir(mine)
    shell.done("tag", "crf.model", "plain.txt", "-o", os.devnull)


@pytest.mark.parametrize(
    "command",
    [
        ["train", "plain.txt", "-c", "word,pos", "-o"],
        ["eval", "crf.model", "plain.txt", "--html"],
    ],
)
def test_places_that_take_no_file_are_refused_before_the_work(command, mine, shell, monkeypatch):
    monkeypatch.chdir(mine)
    assert f"{os.devnull}: this is a device or a pipe" in shell.refused(*command, os.devnull)
    monkeypatch.setattr("seqlab.cli.outputs.os.access", lambda *_: False)
    assert "nothing can be written to the folder '.'" in shell.refused(*command, "new")


def test_saving_over_the_file_a_model_is_mapped_from_is_safe(mine):
    tagger, X = seqlab.load(mine / "crf.model"), seqlab.read(mine / "plain.txt", columns=("word", "pos"))
    before = tagger.predict(X)
    tagger.save(mine / "crf.model")
    tagger.save(mine / "crf.model")
    assert tagger.predict(X) == before == seqlab.load(mine / "crf.model").predict(X)

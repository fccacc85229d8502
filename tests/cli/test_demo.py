"""The tour: what it prints, what it writes, what it asks."""

import io
import json
import os
import pty
import re
import select
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

import seqlab
from seqlab.cli import demo
from seqlab.cli.demo import DEFAULT

FILES = {"report.html", "mistakes.html", "trellis.svg", "moves.svg", "learning.svg", "crf.model"}


@pytest.fixture(scope="module")
def tour(shell, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tour") / "out"
    return shell.done("demo", "--output", folder), folder


def test_it_says_everything_in_80_columns(tour):
    said, folder = tour
    lines = [line for line in said.splitlines() if str(folder) not in line and "seqlab" not in line]
    assert max(map(len, lines)) <= 80
    for words in (
        "HMM ",
        "MEMM ",
        "CRF ",
        "> best accuracy",
        "The old man the boat .",
        "[VERB]",
        "Why is “man”",
    ):
        assert words in said
    assert "\x1b" not in said


def test_it_writes_everything_whole(tour):
    _, folder = tour
    assert {path.name for path in folder.iterdir()} == FILES
    for name in FILES:
        if name.endswith(".svg"):
            assert ET.parse(folder / name).getroot().tag.endswith("svg")
    page = (folder / "report.html").read_text(encoding="utf-8")
    linked = set(re.findall(r'(?:src|href)="([^"]+)"', page))
    assert linked == {"trellis.svg", "moves.svg", "learning.svg", "mistakes.html"}
    assert '<th scope="row">boat</th>' in page


def test_it_says_which_labels_are_wrong(tour):
    said, folder = tour
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Wrong labels (✗) of 6: HMM 2, MEMM 2, CRF 2." in page
    assert re.search(r"old +NOUN +✗ ADJ", said)
    assert '<th scope="row">old</th><td>NOUN</td><td class="wrong">✗ ADJ</td>' in page
    assert page.count('<section class="sentence">') == 3  # of the test set, with gold and predicted labels
    assert '<span class="token wrong">' in page
    for name, legend in (("trellis.svg", "small rings: below .005"), ("moves.svg", "speaks against it")):
        assert legend in (folder / name).read_text(encoding="utf-8")


def test_labels_of_a_sentence_of_ones_own_are_not_called_wrong():
    labels = {"HMM": ["DET", "NOUN"], "CRF": ["DET", "VERB"]}
    reading = demo.Reading(["The", "fish"], labels, None, [1.0, 0.5], [], 1, "")
    assert "Nobody has said" in reading.verdict()
    assert reading.rows()[1:] == [
        ["The", "DET", "DET", "1.000", ""],
        ["fish", "NOUN", "VERB", "0.500", "they differ"],
    ]
    known = reading._replace(right=["DET", "NOUN"])
    assert known.rows()[2] == ["fish", "NOUN", "NOUN", "✗ VERB", "0.500"]
    assert known.verdict() == "Wrong labels (✗) of 2: HMM 0, CRF 1."


def test_without_matplotlib_the_report_says_how_to_get_the_chart(shell, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    said = shell.done("demo", "--output", tmp_path / "out")
    assert "learning.svg" not in said
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES - {"learning.svg"}
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "pip install &#x27;seqlab[plot]&#x27;" in page
    assert "learning.svg" not in page


def test_what_to_try_next_can_be_typed(tour, shell, tmp_path):
    said, _ = tour
    after = said.partition("What to try next")[2]
    text = tmp_path / "my.txt"
    text.write_text("Time flies like an arrow .\n", encoding="utf-8")
    commands = re.findall(r"^ +\S*seqlab ((?:tag|explain|demo) .*)$", after, flags=re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        words = [str(text) if word == "my.txt" else word for word in shlex.split(command)]
        assert shell.done(*words)


def test_another_sentence_and_json(shell, tmp_path):
    facts = json.loads(
        shell.done(
            "demo", "--sentence", "Time flies, doesn't it?", "--output", tmp_path / "a" / "b", "--json"
        )
    )
    sentence = facts["sentence"]
    assert sentence["words"] == ["Time", "flies", ",", "doesn't", "it", "?"]
    model = seqlab.load(tmp_path / "a" / "b" / "crf.model")
    assert sentence["labels"]["CRF"] == model.tag(sentence["words"])
    best, *_ = sentence["nbest"]
    assert best["labels"] == sentence["labels"]["CRF"]
    assert best["probability"] == max(one["probability"] for one in sentence["nbest"])
    assert set(facts["files"]) == FILES
    assert [row["name"] for row in facts["comparison"]["models"]] == ["HMM", "MEMM", "CRF"]


def test_wrong_use_is_refused_before_training(shell, tmp_path):
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    assert "a folder is wanted" in shell.refused("demo", "--output", file)
    assert "there is no word" in shell.refused("demo", "--sentence", "  ", "--output", tmp_path / "o")


@pytest.mark.parametrize("typed", ["", "  ", "\t"])
def test_enter_takes_the_usual_sentence(monkeypatch, typed):
    monkeypatch.setattr(demo.sys, "stdin", _Terminal())
    monkeypatch.setattr(demo.sys, "stdout", _Terminal())
    monkeypatch.setattr("builtins.input", lambda _prompt: typed)
    assert demo._asked(silent=False) == ["The", "old", "man", "the", "boat", "."]


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_on_a_terminal_it_asks(tmp_path):
    master, slave = pty.openpty()
    program = [sys.executable, "-m", "seqlab", "demo", "--output", str(tmp_path)]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    running = subprocess.Popen(program, stdin=slave, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    said = _until(master, b"> ")
    os.write(master, b"Birds sing.\n")
    said += _until(master, b"read on")
    assert running.wait(60) == 0
    os.close(master)
    text = said.decode("utf-8", "replace")
    assert DEFAULT in text
    assert "The sentence: Birds sing ." in text


def _until(master, words):
    said = b""
    while words not in said.rpartition(b"press Enter")[2]:
        ready, _, _ = select.select([master], [], [], 60)
        assert ready, said
        said += os.read(master, 65536)
        if words == b"read on" and words in said:
            break
    return said

"""Sequences of length one from a shell: the commands of docs/guide/classification.md give the models of Python."""

import re
import shlex
from pathlib import Path

import pytest

import seqlab
from seqlab import CRF, HMM, LBFGS, FeatureBag
from seqlab.cli import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "classification.md"
SHELL = PAGE.read_text(encoding="utf-8").rpartition("## From a shell")[2]
COMMANDS = [
    line for block in re.findall(r"```text\n(.*?)```", SHELL, re.DOTALL) for line in block.splitlines()
]
TRAIN = [
    ("p", "salt flour salt"),
    ("q", "sail rope"),
    ("p", "oven flour"),
    ("q", "rope salt sea"),
    ("p", "pan"),
]
NEW = [("q", "sea rope"), ("p", "flour oven salt")]


def write(path, texts):
    path.write_text("".join("\t".join([label, *text.split()]) + "\n\n" for label, text in texts), "utf-8")


def bags(texts):
    return [[text.split()] for _, text in texts], [[label] for label, _ in texts]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write(tmp_path / "notes.txt", TRAIN)
    write(tmp_path / "new.txt", NEW)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_commands_of_the_page_run_and_give_the_models_of_python(folder, capsys):
    assert len(COMMANDS) >= 5
    for command in COMMANDS:
        program, *arguments = shlex.split(command)
        assert program == "seqlab"
        assert main(arguments) == 0, command
    assert (folder / "error.svg").read_text("utf-8").startswith("<svg")
    X, y = bags(TRAIN)
    X_new, _ = bags(NEW)
    crf = CRF(None, LBFGS(l2=1.0)).fit(X, y)
    naive = HMM(emissions=FeatureBag(), smoothing=1.0).fit(X, y)
    for name, ours in (("topics", crf), ("naive", naive)):
        stored = seqlab.load(folder / f"{name}.model")
        assert stored.predict_marginals(X_new) == ours.predict_marginals(X_new)
    assert seqlab.load(folder / "ridge.model").predict(X_new) == [["q"], ["p"]]

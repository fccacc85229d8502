"""seqlab train --checkpoint and seqlab tune --checkpoint."""

import json
import re

import pytest

import seqlab


def model_of(path):
    return seqlab.load(path).model_.theta.tolist()


def test_a_training_is_stored_and_found_again(shell, folder, tmp_path):
    words = ["train", folder / "train.txt", "-i", 4, "--checkpoint", tmp_path / "place", "-o"]
    first = shell.done(*words, tmp_path / "one")
    assert "stored    " not in first
    again = shell.done(*words, tmp_path / "two")
    assert f"stored    {tmp_path}/place: the end\n" in again
    assert not re.search(r"^ +\d+ +\d", again, re.MULTILINE)  # no iteration
    shell.done("train", folder / "train.txt", "-i", 4, "-o", tmp_path / "three")
    assert model_of(tmp_path / "one") == model_of(tmp_path / "two") == model_of(tmp_path / "three")


def test_the_model_does_not_tell_where_it_was_stored(shell, folder, tmp_path):
    shell.done(
        *("train", folder / "train.txt", "-i", 2, "-o", tmp_path / "m"),
        *("--checkpoint", tmp_path / "place", "--checkpoint-every", 0),
    )
    assert "place" not in shell.done("inspect", tmp_path / "m")


def test_another_training_is_refused_in_the_words_of_the_shell(shell, folder, tmp_path):
    words = ["train", folder / "train.txt", "-i", 2, "-o", tmp_path / "m", "--checkpoint", tmp_path / "place"]
    shell.done(*words)
    code, _, err = shell(*words, "--l2", 0.5)
    assert code == 2
    assert re.search(r"has the checkpoint of another training: l2 is 0\.5 here and 0\.1 there\.", err)


def test_a_config_file_may_name_it(shell, folder, tmp_path):
    (tmp_path / "settings.toml").write_text(f'checkpoint = "{tmp_path}/place"\niterations = 2\n')
    shell.done("train", folder / "train.txt", "--config", tmp_path / "settings.toml", "-o", tmp_path / "m")
    assert (tmp_path / "place" / "seqlab-checkpoint.json").exists()


@pytest.mark.parametrize("kind", ["hmm", "markov", "memm", "perceptron"])
def test_every_kind_that_learns_step_by_step_or_counts_takes_it(kind, shell, folder, tmp_path):
    limit = ["-i", 2] if kind in ("memm", "perceptron") else []
    shell.done(
        *("train", folder / "train.txt", "-m", kind, *limit, "-o", tmp_path / "m"),
        *("--checkpoint", tmp_path / "place"),
    )
    assert (tmp_path / "place").exists() == bool(limit)  # counting stores nothing


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["-m", "local", "--checkpoint", "x"], "--checkpoint means nothing to --model local"),
        (["--checkpoint-every", "5"], "--checkpoint-every is for --checkpoint DIR"),
        (
            ["--checkpoint", "x", "--checkpoint-every", "-5"],
            "--checkpoint-every: a number from 0 up is wanted",
        ),
    ],
)
def test_wrong_use_is_refused(flags, words, shell, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = shell("train", folder / "train.txt", "-o", tmp_path / "m", *flags)
    assert code == 2
    assert words in err


def test_a_search_is_stored(shell, folder, tmp_path):
    words = [
        "tune",
        folder / "train.txt",
        "--dev",
        folder / "test.txt",
        "--set",
        "l2=0.1,1",
        "-i",
        3,
        "--json",
    ]
    one = json.loads(shell.done(*words, "--checkpoint", tmp_path / "place", "-o", tmp_path / "m"))
    again = json.loads(shell.done(*words, "--checkpoint", tmp_path / "place", "-o", tmp_path / "m"))
    assert len((tmp_path / "place" / "seqlab-journal.jsonl").read_text().splitlines()) == 3
    assert [trial["scores"] for trial in one["trials"]] == [trial["scores"] for trial in again["trials"]]
    refused = shell.refused(*words, "--checkpoint", tmp_path / "place", "--resume", tmp_path / "journal")
    assert "--checkpoint has a journal of its own; leave out --resume" in refused

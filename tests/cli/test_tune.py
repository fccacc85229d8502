import json
import signal
import subprocess
import sys
import time

import pytest

import seqlab
from seqlab import CRF, LBFGS, tune

FEATURES = "word[0]\nsuffix(word[0],2)"
QUICK = ("--features", FEATURES, "-i", 3)


def test_the_search_is_that_of_python(shell, folder, corpora):
    train, test = corpora
    given = [
        "tune",
        folder / "train.txt",
        "--dev",
        folder / "test.txt",
        "--set",
        "l2=0.1,10",
        *QUICK,
        "--json",
    ]
    facts = json.loads(shell.done(*given))
    found = tune(
        CRF(FEATURES, LBFGS(max_iterations=3)), train, "chunk", dev=test, search={"learner__l2": [0.1, 10]}
    )
    assert [trial["scores"] for trial in facts["trials"]] == [list(trial.scores) for trial in found.trials]
    assert facts["best"]["params"] == found.best_params


def test_the_table_the_picture_and_the_model(shell, folder, tmp_path, corpora):
    model, picture = tmp_path / "best.model", tmp_path / "l2.svg"
    said = shell.done(
        "tune",
        folder / "train.txt",
        "--folds",
        2,
        "--set",
        "l2=0.01..100:3",
        "--set",
        "order=1",
        *QUICK,
        "-o",
        model,
        "--picture",
        picture,
        "--over",
        "l2",
    )
    lines = [line for line in said.splitlines() if str(tmp_path) not in line and str(folder) not in line]
    assert max(map(len, lines)) <= 80
    assert ["l2", "order", "span_f1", "spread", "training", "seconds"] in map(str.split, lines)
    assert f"saved     {model}" in said
    assert "learner__" not in said  # options are called as they were typed
    assert "training error" in picture.read_text(encoding="utf-8")
    best = json.loads(
        shell.done("tune", folder / "train.txt", "--folds", 2, "--set", "l2=0.01,1,100", *QUICK, "--json")
    )
    l2 = best["best"]["params"]["learner__l2"]
    again = CRF(FEATURES, LBFGS(max_iterations=3, l2=l2)).fit(corpora[0], "chunk")
    assert seqlab.load(model).predict(corpora[1]) == again.predict(corpora[1])


def test_features_and_learners_are_words(shell, folder, tmp_path):
    template = tmp_path / "mine.txt"
    template.write_text("word[0]\n", encoding="utf-8")
    facts = json.loads(
        shell.done(
            "tune",
            folder / "train.txt",
            "--dev",
            folder / "test.txt",
            "-i",
            2,
            "--json",
            "--set",
            f"features=chunk,{template}",
            "--set",
            "learner=lbfgs",
            "--set",
            "iterations=2,3",
        )
    )
    assert len(facts["trials"]) == 4
    assert facts["trials"][0]["params"]["learner__max_iterations"] == 2


def test_random_and_halving(shell, folder):
    base = ["tune", folder / "train.txt", "--dev", folder / "test.txt", *QUICK, "--json"]
    facts = json.loads(shell.done(*base, "--how", "random", "-n", 3, "--set", "l2=0.1..10"))
    assert len({trial["params"]["learner__l2"] for trial in facts["trials"]}) == 3
    facts = json.loads(
        shell.done(*base, "--how", "halving", "--resource", "iterations", "--set", "l2=0.1,1,10")
    )
    assert [trial["budget"] for trial in facts["trials"]] == [1, 1, 1, 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "what shall be tried? pass --set"),
        (["--set", "l2"], "NAME=VALUE,VALUE,... is wanted"),
        (["--set", "l3=1,2"], "--set l3 is no option: "),
        (["--set", "l2=1,2", "--set", "l2=3"], "--set l2 came twice"),
        (["--set", "l2=5..1"], "a range is written 0.01..10"),
        (["--set", "l2=1..x:3"], "a range is written 0.01..10"),
        (["--set", "l2=0.1..1"], "write l2=0.1..1:5 for five of them"),
        (["--set", "learner=magic"], "the learners are lbfgs"),
        (["--set", "l2=1,2", "--dev", "x", "--folds", "3"], "exclude each other"),
        (["--set", "l2=1,2", "--picture", "x.gif"], "written as .svg, .png or .pdf"),
        (["--set", "l2=1,2", "-o", "no/such/folder/m"], "there is no folder 'no/such/folder'; make it first"),
        (["--set", "l2=1,2", "--over", "l2"], "pass --picture FILE too"),
        (["--set", "l2=1,2", "--metric", "f9"], "metric must be a function"),
        (["--set", "l2=1,2", "--model", "hmm"], "--set l2 is no option"),
    ],
)
def test_wrong_use_is_one_sentence(shell, folder, options, message):
    code, _, said = shell("tune", folder / "train.txt", *options)
    assert code == 2
    assert said.count("\n") == 1
    assert message in said


def test_ctrl_c_keeps_what_is_done(folder, tmp_path):
    journal = tmp_path / "search.jsonl"
    values = ",".join(f"{1 + i / 1000}" for i in range(400))
    program = [
        sys.executable,
        "-m",
        "seqlab",
        "tune",
        str(folder / "train.txt"),
        "--dev",
        str(folder / "test.txt"),
    ]
    program += [
        "--set",
        f"l2={values}",
        "--features",
        FEATURES,
        "-i",
        "3",
        "--resume",
        str(journal),
        "-j",
        "1",
    ]
    running = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _until(lambda: journal.exists() and journal.read_bytes().count(b"\n") >= 3)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "stopped   by Ctrl-C" in out
    assert "the same command goes on from there" in out
    lines = journal.read_bytes().splitlines()
    assert 3 <= len(lines) < 401
    assert all(json.loads(line) for line in lines)


def _until(true):
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)

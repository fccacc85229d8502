"""inspect, explain, check and bench."""

import json
import os
import subprocess
import sys

import pytest
from pytest import approx

import seqlab


def test_inspect_shows_the_settings_and_the_training(shell, crf):
    out = shell.done("inspect", crf)
    for words in (
        "kind        crf",
        "constraints   IOB2",
        "max_iterations=8",
        "150, ",
        "--iterations 8",
        "ended by",
    ):
        assert words in out
    for title in (
        "settings",
        "training",
        "size of the parts",
        "template",
        "heaviest features of each label",
        "likely moves",
        "unlikely moves",
        "forbidden: ",
    ):
        assert title in out
    assert "first I-ADJP I-ADVP" in out


def test_inspect_as_data_is_what_python_says(shell, crf):
    facts = json.loads(shell.done("inspect", crf, "--json", "--top", 4, "--label", "B-NP", "--verify"))
    tagger = seqlab.load(crf)
    assert facts["labels"] == list(tagger.labels_)
    assert facts["weights"] == tagger.model_.size
    assert facts["checksum"] == "verified"
    top = [[one.attribute, one.weight] for one in tagger.top_features(4, label="B-NP")]
    assert facts["top_features"] == {"B-NP": top}
    assert facts["settings"]["constraints"] == "IOB2"
    assert facts["python"] == repr(tagger)
    assert facts["command"]["sentences"] == 150
    assert sum(facts["parts"].values()) < facts["bytes"]
    assert ["O", "I-NP"] in facts["forbidden"]["moves"]


def test_inspect_knows_every_kind(shell, baseline, perceptron):
    assert "most frequent tag" in shell.done("inspect", baseline)
    out = shell.done("inspect", perceptron, "--template", "--history")
    assert "short_shape(word[0])" in out
    assert "Perceptron(epochs=2" in out


def test_inspect_refuses_what_is_no_model(shell, folder, crf, tmp_path):
    assert "no model file" in shell.refused("inspect", folder / "train.txt")
    assert "the model's labels are B-ADJP" in shell.refused("inspect", crf, "--label", "B-XYZ")
    broken = bytearray(crf.read_bytes())
    broken[-1] ^= 1
    (tmp_path / "m").write_bytes(bytes(broken))
    assert "its checksum differs" in shell.refused("inspect", tmp_path / "m", "--verify")


def test_a_model_that_labels_nothing_can_be_inspected_only(shell, folder, tmp_path):
    seqlab.MarkovChain().fit([["a", "b"], ["b"]]).save(tmp_path / "chain")
    assert "kind        markov chain" in shell.done("inspect", tmp_path / "chain")
    for command in (["tag"], ["eval"], ["explain", "--at", 1], ["bench"]):
        said = shell.refused(command[0], tmp_path / "chain", folder / "plain.txt", *command[1:])
        assert "holds a MarkovChain, which labels no sentences" in said


# ------------------------------------------------------------------------------------------------ explain

SENTENCE = "The/DET old/ADJ man/NOUN sees/VERB the/DET boats/NOUN"


def test_explain_is_what_python_says(shell, crf):
    tagger = seqlab.load(crf)
    tokens = [tuple(token.split("/")) for token in SENTENCE.split()]
    own = tagger.explain(tokens, 2)
    out = shell.done("explain", crf, "--format", "slash", "--sentence", SENTENCE, "--at", "man")
    assert out == f"{own}\n"
    facts = json.loads(
        shell.done("explain", crf, "-f", "slash", "-s", SENTENCE, "--at", 2, "--rival", "O", "--json")
    )
    assert facts["rival"] == "O"
    assert facts["total"] == approx(tagger.explain(tokens, 2, rival="O").log_odds)


def test_explain_shows_the_sentence_first(shell, crf, folder, corpora):
    out = shell.done("explain", crf, folder / "test.txt", "--number", 3)
    words = corpora[1][3]["word"]
    assert all(word in out for word in words)
    rows = json.loads(shell.done("explain", crf, folder / "test.txt", "--number", 3, "--json"))
    posterior = seqlab.load(crf).posterior(corpora[1][3])
    assert [row["probability"] for row in rows] == approx(
        [posterior.label(t, row["label"]) for t, row in enumerate(rows)]
    )


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["-s", SENTENCE, "--at", "woman"], "there is no such word"),
        (["-s", SENTENCE + " the/DET", "--at", "the"], "the word stands at 4, 6"),
        (["-s", SENTENCE, "--at", "17"], "the sentence has the words 0 to 5"),
        (["-s", SENTENCE, "--at", "1", "--rival", "B-XYZ"], "B-XYZ"),
        ([], "one sentence is wanted"),
        (["nowhere.txt", "--at", "1"], "nowhere.txt"),
    ],
)
def test_explain_refuses(flags, words, shell, crf):
    assert words in shell.refused("explain", crf, "--format", "slash", *flags)


def test_a_model_of_counts_explains_why_not(shell, baseline, perceptron):
    assert "counts and no weights" in shell.refused("explain", baseline, "-s", "The man", "--at", 1)
    out = shell.done("explain", perceptron, "-f", "slash", "-s", SENTENCE, "--at", 1)
    assert "man" in out
    assert "P" not in shell.done("explain", perceptron, "-f", "slash", "-s", SENTENCE).split("\n")[0]


# ------------------------------------------------------------------------------------------------ check and bench


def test_check_says_what_python_says(shell, folder):
    corpus = seqlab.read(folder / "train.txt")
    code, out, _ = shell("check", folder / "train.txt", "--label", "chunk", "--dev", folder / "test.txt")
    found = seqlab.check(corpus, ["chunk"], dev=seqlab.read(folder / "test.txt"))
    assert out == f"{found}\n"
    assert code == 0


def test_check_leaves_with_1_for_errors(shell, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("a\tO\nb\tI-X\n\nc\tB-X\nd\tO\ne\tB-X\nf\tI-Y\n\n")
    code, out, _ = shell("check", path, "--scheme", "IOB2")
    assert code == 1
    assert f"{path}:2" in out
    code, out, _ = shell("check", path, "--scheme", "IOB2", "--json")
    assert (code, json.loads(out)["ok"]) == (1, False)
    path.write_text("a\tA\nb\tB\na\tA\nc\tA\nd\tB\nc\tC\n\n")
    assert shell("check", path)[0] == 0
    assert shell("check", path, "--strict")[0] == 1


def test_bench_measures_a_model(shell, folder, baseline):
    out = shell.done("bench", baseline, folder / "test.txt", "--repeat", 1, "--threads", 1)
    for words in ("load the model", "first sentence", "tag, 1 thread", "tokens/s"):
        assert words in out
    facts = json.loads(shell.done("bench", baseline, folder / "test.txt", "--repeat", 2, "--json"))
    assert all(len(one["seconds"]) == 2 for one in facts["results"])
    assert "a model needs a file" in shell.refused("bench", baseline)


def test_words_beyond_ascii_are_found_in_any_locale(crf):
    command = [
        sys.executable,
        "-m",
        "seqlab",
        "explain",
        crf,
        "-f",
        "slash",
        "-s",
        "Zürich/PROPN",
        "--at",
        "Zürich",
    ]
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert b"(token 0)" in subprocess.check_output(command, env={**os.environ, **plain})

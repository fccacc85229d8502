import json
import shlex

import pytest
from pytest import approx

import seqlab
from seqlab.cli.eval import EXAMPLES


def test_a_model_is_scored_as_in_python(shell, folder, crf, corpora):
    report = seqlab.load(crf).evaluate(corpora[1], "chunk")
    assert shell.done("eval", crf, folder / "test.txt") == f"{report}\n"
    assert json.loads(shell.done("eval", crf, folder / "test.txt", "--json")) == json.loads(report.json())


def test_two_columns_of_labels_are_compared(shell, folder, crf, corpora, tmp_path):
    shell.done("tag", crf, folder / "test.txt", "-o", tmp_path / "tagged.txt")
    report = seqlab.evaluate(corpora[1].column("chunk"), seqlab.load(crf).predict(corpora[1]))
    facts = json.loads(shell.done("eval", tmp_path / "tagged.txt", "--json"))
    assert facts["figures"] == approx(dict(report.figures))
    flags = ["--columns", "word,pos,gold,guess", "--label", "gold", "--predicted", "guess"]
    with_words = shell.done(
        "eval", tmp_path / "tagged.txt", *flags, "--train", folder / "train.txt", "--json"
    )
    assert json.loads(with_words)["figures"]["unseen_accuracy"] > 0


def test_options_are_passed_on(shell, folder, crf, corpora, tmp_path):
    flags = [
        "--bootstrap",
        "50",
        "--seed",
        "3",
        "--strict",
        "--scheme",
        "IOB2",
        "--html",
        tmp_path / "r.html",
    ]
    facts = json.loads(shell.done("eval", crf, folder / "test.txt", "--json", *flags))
    own = seqlab.load(crf).evaluate(corpora[1], "chunk", bootstrap=50, seed=3, repair="strict", scheme="IOB2")
    assert facts == json.loads(own.json())
    assert "<html" in (tmp_path / "r.html").read_text()
    plain = json.loads(shell.done("eval", crf, folder / "test.txt", "--json", "--scheme", "none"))
    assert plain["spans"] is None


def test_two_models_are_compared(shell, folder, crf, baseline, corpora):
    out = shell.done("eval", crf, folder / "test.txt", "--against", baseline)
    assert "p = " in out
    facts = json.loads(
        shell.done("eval", crf, folder / "test.txt", "--against", baseline, "--metric", "accuracy", "--json")
    )
    outputs = [seqlab.load(path).predict(corpora[1]) for path in (crf, baseline)]
    found = seqlab.significance(corpora[1].column("chunk"), *outputs, "accuracy")
    assert facts["significance"]["p_value"] == found.p_value


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["{crf}"], "name the file of labelled sentences"),
        (["{crf}", "{folder}/plain.txt"], "but the model was trained on word pos chunk"),
        (["{crf}", "{folder}/test.txt", "--label", "entity"], "there is no column 'entity'"),
        (["{crf}", "{folder}/test.txt", "--predicted", "x"], "--predicted is for files without a model"),
        (["{folder}/test.txt", "--against", "{crf}"], "--against needs a model before the file"),
        (["{folder}/nowhere.model", "{folder}/test.txt"], "nowhere.model"),
        (["{folder}/test.txt", "--metric", "f2"], "'f2' is none of"),
    ],
)
def test_wrong_use_is_refused(argv, words, shell, folder, crf):
    assert words in shell.refused("eval", *(word.format(crf=crf, folder=folder) for word in argv))


def test_one_column_is_not_enough(shell):
    assert "<stdin>:1: a column of right and one of predicted labels" in shell.refused(
        "eval", "-", stdin="a\nb\n\n"
    )


def test_gold_labels_that_the_model_does_not_know_are_mistakes(shell, folder, crf, tmp_path):
    (tmp_path / "odd.txt").write_text("The\tDET\tB-XYZ\n\n")
    assert json.loads(shell.done("eval", crf, tmp_path / "odd.txt", "--json"))["figures"]["accuracy"] == 0


def test_the_examples_of_the_help_run(shell, folder, crf, baseline, tmp_path, monkeypatch):
    names = {"chunks.model": crf, "a.model": crf, "b.model": baseline}
    names |= {"test.txt": folder / "test.txt", "train.txt": folder / "train.txt"}
    names |= {"english.model": "english.model", "test.conllu": folder / "test.txt"}
    monkeypatch.chdir(tmp_path)
    seqlab.load(baseline).with_text().save("english.model")
    shell.done("tag", crf, folder / "test.txt", "-o", "tagged.txt")
    tagged = (tmp_path / "tagged.txt").read_bytes()
    for line in EXAMPLES.splitlines():
        if ".jsonl" in line or "--raw" in line:
            continue  # texts; tests/cli/test_documents.py and test_raw.py have them
        words = [names.get(word, word) for word in shlex.split(line.rpartition("| ")[2])[1:]]
        figure = "sentences" if "--raw" in words else "accuracy"
        assert figure in shell.done(*words, stdin=tagged), line


def test_a_model_of_attributes_wants_attributes(shell, folder, tmp_path):
    (tmp_path / "a.txt").write_text("A\tw=a\tb=1\nB\tw=b\tb=1\n\n" * 5)
    shell.done("train", tmp_path / "a.txt", "-f", "crfsuite", "-o", tmp_path / "m", "-i", 2)
    said = shell.refused("eval", tmp_path / "m", folder / "test.txt")
    assert "test.txt:1: the columns are word pos chunk, but the model was trained on attributes label" in said


def test_a_model_is_not_tried_on_labels_of_another_task(shell, folder, tmp_path):
    shell.done("train", folder / "test.txt", "--label", "chunk", "-o", tmp_path / "m", "-i", 2)
    said = shell.refused("eval", tmp_path / "m", folder / "test.txt", "--label", "pos")
    assert "test.txt:1: the column 'pos' has no label in common with the model, which gives B-" in said


def test_columns_of_different_tasks_are_not_compared(shell, folder, corpora):
    gold, predicted = corpora[1].columns[-2:]
    message = shell.refused("eval", folder / "test.txt", folder / "test.txt")
    assert (
        f"{gold} and {predicted} have no label in common; name them with --label and --predicted" in message
    )
    assert shell.done("eval", folder / "test.txt", "--label", gold, "--predicted", predicted)


def test_files_of_different_columns_are_named(shell, folder):
    message = shell.refused("eval", folder / "test.txt", folder / "plain.txt")
    assert message.startswith(f"seqlab: {folder / 'plain.txt'}:1: the columns are word label, but those of ")
    assert str(folder / "test.txt") in message

"""Probabilities of labels, labellings that are drawn, and answers that a model cannot give."""

import json
import math

import pytest

import seqlab


@pytest.fixture(scope="module")
def hmm(folder, shell):
    path = folder / "hmm-1.model"
    shell.done("train", folder / "train.txt", "-m", "hmm", "--order", 1, "-o", path)
    return path


def test_a_crf_gives_the_probability_of_labels(shell, folder, corpora, crf):
    facts = json.loads(shell.done("score", crf, folder / "test.txt", "--json"))
    tagger, test = seqlab.load(crf), corpora[1]
    each = [
        tagger.log_prob(s, y) for s, y in zip(test.select("word", "pos"), test.column("chunk"), strict=True)
    ]
    found = [-math.inf if row["log_conditional"] is None else row["log_conditional"] for row in facts["each"]]
    assert found == each
    assert set(facts["each"][0]) == {"log_conditional", "tokens", "oov"}
    assert facts["perplexity"] is None
    assert facts["impossible"] == {"log_conditional": each.count(-math.inf)}


def test_an_hmm_gives_all_three(shell, folder, corpora, hmm):
    facts = json.loads(shell.done("score", hmm, folder / "test.txt", "--json"))
    tagger, test = seqlab.load(hmm), corpora[1]
    for row, sentence, labels in zip(facts["each"], test.column("word"), test.column("chunk"), strict=True):
        joint = tagger.log_joint(sentence, labels)
        assert row["log_prob"] == pytest.approx(tagger.log_likelihood(sentence))
        assert row["log_joint"] == (pytest.approx(joint) if joint > -math.inf else None)
        if joint > -math.inf:
            assert row["log_conditional"] == pytest.approx(tagger.log_prob(sentence, labels))
    out = shell.done("score", hmm, folder / "test.txt", "--total")
    assert out.startswith("total\n  sentences")
    assert "log P(x, y)" in out
    lines = shell.done("score", hmm, folder / "test.txt").splitlines()
    assert " ".join(lines[0].split()) == "sentence log P(x) log P(x, y) log P(y | x) tokens oov"
    assert len([line for line in lines if line[:8].strip().isdecimal()]) == len(test)


def test_the_end_of_a_sentence_is_an_event(shell, folder, tmp_path):
    path = tmp_path / "m"
    flags = ["-m", "hmm", "--states", 2, "-i", 2, "-p", "end=true"]
    shell.done("train", folder / "train.txt", *flags, "-o", path)
    facts = json.loads(shell.done("score", path, folder / "test.txt", "--json", "--total"))
    assert facts["events"] == facts["tokens"] + facts["sentences"]
    assert facts["perplexity"] == pytest.approx(math.exp(-facts["log_prob"] / facts["events"]))
    assert "each" not in facts


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["score", "crf", "plain.txt"], "plain.txt:1: log P(x) has no meaning for a CRF"),
        (["score", "perceptron", "test.txt"], "Perceptron learns scores, not probabilities"),
        (
            ["score", "crf", "test.txt", "--label", "pos"],
            "test.txt:1: the label 'NOUN' is none of the model's",
        ),
        (["sample", "crf"], "a CRF knows P(labels | words) and not P(words)"),
        (["sample", "perceptron", "test.txt"], "Perceptron learns scores, not probabilities"),
        (
            ["sample", "crf", "test.txt", "--length", "3"],
            "--length and --to are for sentences that are drawn",
        ),
        (["sample", "crf", "test.txt", "-s", "a"], "--sentence is the input already"),
        (["sample", "hmm"], "only a model with an end state"),
    ],
)
def test_what_has_no_meaning_is_said(command, words, shell, folder, crf, perceptron, hmm):
    models = {"crf": crf, "perceptron": perceptron, "hmm": hmm}
    argv = [models.get(word) or (folder / word if word.endswith(".txt") else word) for word in command]
    assert words in shell.refused(*argv)


def test_labellings_are_drawn_as_in_python(shell, folder, corpora, crf):
    tagger, test = seqlab.load(crf), corpora[1].select("word", "pos")
    rows = shell.done("sample", crf, folder / "test.txt", "-n", 3, "--seed", 7, "--json").splitlines()
    assert len(rows) == len(test)
    for row, sentence in zip(map(json.loads, rows), test, strict=True):
        assert row["samples"] == [list(path) for path in tagger.sample(sentence, 3, 7).labels]
    lines = shell.done("sample", crf, folder / "test.txt", "-n", 3, "--seed", 7).splitlines()
    assert lines[0] == "# 0"
    assert lines[1].split("\t") == [test[0]["word"][0], json.loads(rows[0])["samples"][0][0]]


def test_sentences_of_an_hmm_can_be_trained_on(shell, folder, tmp_path, hmm):
    drawn = tmp_path / "drawn.txt"
    shell.done("sample", hmm, "-n", 20, "--length", 6, "--seed", 1, "-o", drawn)
    corpus, theirs = seqlab.read(drawn), seqlab.load(hmm).generate(20, 6, seed=1)
    assert corpus.column(corpus.columns[0]) == theirs.observations
    assert corpus.column(corpus.columns[1]) == theirs.states
    shell.done("train", drawn, "-m", "hmm", "-o", tmp_path / "again.model")


# ------------------------------------------------------------------------------------------------ known labels


def test_known_labels_of_a_column_are_kept(shell, folder, corpora, crf, tmp_path):
    tagger, test = seqlab.load(crf), corpora[1]
    known = [[y if t % 3 == 0 else "_" for t, y in enumerate(labels)] for labels in test.column("chunk")]
    seqlab.write(test.with_column("chunk", known), tmp_path / "known.txt")
    wanted = [
        tagger.tag(sentence, known={t: y for t, y in enumerate(row) if y != "_"})
        for sentence, row in zip(test.select("word", "pos"), known, strict=True)
    ]
    for column in ("chunk", "2", "=-1"):
        flag = ["--known", column] if column[0] != "=" else [f"--known{column}"]
        out = shell.done("tag", crf, tmp_path / "known.txt", *flag)
        said = [line.split("\t")[-1] for line in out.splitlines() if line]
        assert said == [label for labels in wanted for label in labels]
    rows = shell.done("tag", crf, tmp_path / "known.txt", "--known", "chunk", "--json", "--all-marginals")
    assert [json.loads(row)["labels"] for row in rows.splitlines()] == wanted
    first = json.loads(rows.splitlines()[0])
    assert first["probabilities"][0] == pytest.approx(1)
    best = shell.done("tag", crf, tmp_path / "known.txt", "--known", "chunk", "--nbest", 2, "--json")
    assert json.loads(best.splitlines()[0])["nbest"][0]["labels"] == wanted[0]


def test_a_known_label_that_the_model_has_not_is_said(shell, crf):
    said = shell.refused("tag", crf, "-", "--known", "chunk", stdin="The\tDET\tB-NP\nman\tNOUN\tI-XX\n")
    assert "<stdin>:2: the label 'I-XX' of column 'chunk' is none of the model's" in said
    assert "there is no column 'chunkk'" in shell.refused(
        "tag", crf, "-", "--known", "chunkk", stdin="The\tDET\tB-NP\nman\tNOUN\tI-NP\n"
    )


# ------------------------------------------------------------------------------------------------ smaller things


def test_going_on_from_a_model_keeps_its_features(shell, folder, tmp_path):
    first, second = tmp_path / "first.model", tmp_path / "second.model"
    shell.done("train", folder / "train.txt", "--features", "word[0]\npos[0]", "-i", 3, "-o", first)
    out = shell.done("train", folder / "test.txt", "--start", first, "-i", 3, "-o", second)
    assert f"features  those of {first}" in out
    assert seqlab.load(second).encoder_.features == seqlab.load(first).encoder_.features


def test_quiet_says_nothing_but_errors(shell, tmp_path, crf):
    odd = tmp_path / "dos.txt"
    odd.write_bytes(b"The\tDET\tB-NP\r\nman\tNOUN\tI-NP\r\n" * 3)
    assert shell("train", odd, "-i", 1, "-o", tmp_path / "m")[2] != ""
    assert shell("train", odd, "-i", 1, "-o", tmp_path / "m", "-q") == (0, "", "")
    (tmp_path / "quiet.toml").write_text("quiet = true\n")
    assert shell("train", odd, "-i", 1, "-o", tmp_path / "m", "--config", tmp_path / "quiet.toml")[1] == ""
    assert shell("tag", crf, odd, "-q")[2] == ""
    assert shell("tag", crf, odd)[2] != ""
    code, out, err = shell("train", tmp_path / "nothing.txt", "-o", tmp_path / "m", "-q")
    assert (code, out) == (2, "")
    assert err.startswith("seqlab: ")


def test_allowed_labels_come_from_a_file(shell, folder, corpora, tmp_path):
    (tmp_path / "words.txt").write_text("the B-NP I-NP\nThe\tB-NP\n")
    path = tmp_path / "m"
    shell.done("train", folder / "train.txt", "-i", 2, "--allowed", tmp_path / "words.txt", "-o", path)
    allowed = {"the": ["B-NP", "I-NP"], "The": ["B-NP"]}
    theirs = seqlab.CRF("chunk", seqlab.LBFGS(max_iterations=2), allowed=allowed).fit(corpora[0], "chunk")
    assert seqlab.load(path).predict(corpora[1]) == theirs.predict(corpora[1])
    (tmp_path / "words.txt").write_text("the B-NP\nlonely\n")
    flags = ["--allowed", tmp_path / "words.txt", "-q", "-o", path]
    assert "words.txt:2: a word and its labels are wanted" in shell.refused(
        "train", folder / "train.txt", *flags
    )


def test_the_limit_of_iterations_is_said(shell, folder, tmp_path):
    out = shell.done("train", folder / "train.txt", "-i", 2, "-o", tmp_path / "m")
    assert "warning   training ended at its limit of 2 iterations, before it converged" in out
    assert "--iterations" in out
    assert shell("train", folder / "train.txt", "-i", 2, "-q", "-o", tmp_path / "m") == (0, "", "")

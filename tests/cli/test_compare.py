import json


def test_the_table(shell, folder, tmp_path):
    page = tmp_path / "table.html"
    said = shell.done(
        "compare",
        folder / "train.txt",
        folder / "test.txt",
        "--models",
        "baseline,hmm,perceptron",
        "-i",
        2,
        "--bootstrap",
        50,
        "--html",
        page,
    )
    table = said.partition("\n\n")[2]
    assert max(map(len, table.splitlines())) <= 80
    assert [line[2:].split()[0] for line in table.splitlines()[1:4]] == ["baseline", "hmm", "perceptron"]
    assert "span F1" in table
    assert page.read_text(encoding="utf-8").count("<tr") == 4


def test_figures_are_those_of_eval(shell, folder, perceptron):
    facts = json.loads(
        shell.done(
            "compare",
            folder / "train.txt",
            folder / "test.txt",
            "-m",
            "perceptron",
            "-i",
            2,
            "--json",
            "--bootstrap",
            20,
        )
    )
    alone = json.loads(shell.done("eval", perceptron, folder / "test.txt", "--json", "--bootstrap", 20))
    (row,) = facts["models"]
    assert row["figures"] == alone["figures"]
    assert row["intervals"] == alone["intervals"]
    assert row["bytes"] > 1000


def test_constraints_reach_every_model(shell, folder):
    given = ["compare", folder / "train.txt", folder / "test.txt", "-m", "baseline,hmm,crf", "-i", 1]
    facts = json.loads(shell.done(*given, "--constraints", "auto", "--json", "--bootstrap", 0))
    assert all("constraints='IOB2'" in row["options"] for row in facts["models"])


def test_wrong_use_is_one_sentence(shell, folder):
    train, test = folder / "train.txt", folder / "test.txt"
    assert "did you mean crf?" in shell.refused("compare", train, test, "-m", "hmm,crff")
    assert "hmm,crf" in shell.refused("compare", train, test, "-m", ",")
    assert "there is no column 'chunk' as in training" in shell.refused(
        "compare", train, folder / "plain.txt"
    )
    assert "no.txt" in shell("compare", train, folder / "no.txt")[2]
    assert "TEST" in shell.refused("compare", train)

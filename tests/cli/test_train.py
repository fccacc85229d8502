import json

import numpy as np
import pytest

import seqlab
from seqlab import (
    AROW,
    CRF,
    HMM,
    LBFGS,
    MEMM,
    SGD,
    LinearTagger,
    MostFrequentTag,
    PassiveAggressive,
    Perceptron,
    StructuredSVM,
    Template,
)
from seqlab.errors import StoreError

TEMPLATE = "bias\nword[-1..1]\npos[0]\npos[-1] & pos[0]\n"
CRFPP = "# comment\nU00:%x[-1,0]\nU01:%x[0,0]\nU02:%x[0,1]/%x[-1,1]\n\nB\n"
WAPITI = 'u:w=%x[0,0]\nu:p=%x[-1,1]/%x[0,1]\nu:s=%m[0,0,".?.?$"]\nb\n'

CALLS = {
    "crf": (
        ["--features", "chunk", "--l2", "0.5", "--iterations", "5", "--constraints", "IOB2", "--seed", "3"],
        lambda: CRF("chunk", LBFGS(l2=0.5, max_iterations=5), constraints="IOB2", seed=3),
    ),
    "crf, chosen features": (["--iterations", "4"], lambda: CRF("chunk", LBFGS(max_iterations=4))),
    "crf, l1": (
        [
            "--l1",
            "0.3",
            "--l2",
            "0",
            "-p",
            "memory=5",
            "--iterations",
            "4",
            "--min-count",
            "2",
            "--threads",
            "2",
        ],
        lambda: CRF("chunk", LBFGS(l1=0.3, l2=0.0, memory=5, max_iterations=4), min_count=2, threads=2),
    ),
    "crf, order 2": (
        ["--order", "2", "--features", "pos", "--iterations", "3", "-p", "keep=0.01"],
        lambda: CRF("pos", LBFGS(max_iterations=3), order=2, keep=0.01),
    ),
    "crf, sgd": (
        ["--learner", "sgd", "--iterations", "3", "-p", "rate=0.1", "-p", "averaged=true"],
        lambda: CRF("chunk", SGD(epochs=3, rate=0.1, averaged=True)),
    ),
    "memm": (["--model", "memm", "--iterations", "4"], lambda: MEMM("chunk", LBFGS(max_iterations=4))),
    "perceptron": (
        ["--model", "perceptron", "--iterations", "3", "--seed", "7"],
        lambda: LinearTagger("chunk", Perceptron(epochs=3), seed=7),
    ),
    "pa": (
        ["--model", "pa", "--iterations", "2", "-p", "C=0.5"],
        lambda: LinearTagger("chunk", PassiveAggressive(epochs=2, C=0.5)),
    ),
    "arow": (["--model", "arow", "--iterations", "2"], lambda: LinearTagger("chunk", AROW(epochs=2))),
    "svm": (
        ["--model", "svm", "--iterations", "3", "--l2", "2"],
        lambda: LinearTagger("chunk", StructuredSVM(epochs=3, l2=2.0)),
    ),
}


def weights(path_or_tagger):
    tagger = path_or_tagger if hasattr(path_or_tagger, "fit") else seqlab.load(path_or_tagger)
    return tagger.model_.theta


@pytest.mark.parametrize("name", CALLS)
def test_flags_make_the_model_of_the_python_call(name, shell, folder, tmp_path, corpora):
    flags, make = CALLS[name]
    shell.done("train", folder / "train.txt", "-o", tmp_path / "m", *flags)
    made, own = seqlab.load(tmp_path / "m"), make().fit(corpora[0], "chunk")
    assert repr(made) == repr(own)
    assert weights(made).tobytes() == weights(own).tobytes()
    assert made.encoder_.attributes == own.encoder_.attributes
    assert made.predict(corpora[1]) == own.predict(corpora[1])


def test_the_baseline_is_that_of_python(shell, folder, tmp_path, corpora):
    flags = ["--model", "baseline", "-p", "unknown=rare", "--constraints", "IOB2"]
    shell.done("train", folder / "train.txt", "-o", tmp_path / "m", *flags)
    own = MostFrequentTag("rare", constraints="IOB2").fit(corpora[0], "chunk")
    assert seqlab.load(tmp_path / "m").predict(corpora[1]) == own.predict(corpora[1])


def test_the_hmm_is_that_of_python(shell, folder, tmp_path, corpora):
    flags = ["--model", "hmm", "--order", "1", "--constraints", "IOB2", "-p", "smoothing=witten-bell"]
    out = shell.done(
        "train", folder / "train.txt", "-o", tmp_path / "m", *flags, "--dev", folder / "test.txt"
    )
    own = HMM(order=1, constraints="IOB2", smoothing="witten-bell").fit(corpora[0], "chunk")
    made = seqlab.load(tmp_path / "m")
    assert repr(made) == repr(own)
    assert made.predict(corpora[1]) == own.predict(corpora[1])
    assert made.predict_proba(corpora[1])[0].tobytes() == own.predict_proba(corpora[1])[0].tobytes()
    assert str(own.evaluate(corpora[1], "chunk")) in out
    assert "kind        hmm" in shell.done("inspect", tmp_path / "m")
    assert "probabilities and no weights" in shell.refused(
        "explain", tmp_path / "m", "-s", "The man", "--at", 1
    )


def test_dev_chooses_as_in_python(shell, folder, tmp_path, corpora):
    flags = ["--dev", folder / "test.txt", "--metric", "accuracy", "--patience", "2", "--iterations", "9"]
    out = shell.done("train", folder / "train.txt", "-o", tmp_path / "m", *flags)
    own = CRF("chunk", LBFGS(max_iterations=9))
    own.fit(corpora[0], "chunk", dev=corpora[1], metric="accuracy", patience=2)
    assert weights(tmp_path / "m").tobytes() == weights(own).tobytes()
    assert f"best      iteration {own.history_.best}, accuracy" in out
    assert str(own.evaluate(corpora[1], "chunk")) in out


def test_a_config_file_says_what_flags_say(shell, folder, tmp_path, corpora):
    config = tmp_path / "settings.toml"
    config.write_text(
        'model = "crf"\nfeatures = "chunk"\niterations = 4\nmin-count = 2\ncolumns = ["w", "pos", "chunk"]\n'
        '[train]\nl2 = 0.25\nlabel = "chunk"\n[param]\nmemory = 4\nepsilon = 1e-4\n'.replace('"w"', '"word"')
    )
    shell.done("train", folder / "train.txt", "-o", tmp_path / "m", "--config", config)
    own = CRF("chunk", LBFGS(l2=0.25, max_iterations=4, memory=4, epsilon=1e-4), min_count=2)
    assert weights(tmp_path / "m").tobytes() == weights(own.fit(corpora[0], "chunk")).tobytes()


def test_files_and_output_may_stand_in_the_config_file(shell, folder, tmp_path):
    config = tmp_path / "settings.toml"
    config.write_text(
        f'files = ["{folder}/train.txt"]\noutput = "{tmp_path}/m"\nmodel = "baseline"\nquiet = true\n'
    )
    assert shell.done("train", "--config", config) == ""
    assert seqlab.load(tmp_path / "m").labels_


def test_flags_win_over_the_config_file(shell, folder, tmp_path):
    config = tmp_path / "settings.toml"
    config.write_text("l2 = 0.25\niterations = 3\n")
    shell.done("train", folder / "train.txt", "-o", tmp_path / "m", "--config", config, "--l2", "0.75")
    assert seqlab.load(tmp_path / "m").learner == LBFGS(l2=0.75, max_iterations=3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("l3 = 1\n", "there is no setting 'l3'"),
        ("l2 = -1\n", "l2: a number from 0 up is wanted, got '-1'"),
        ("l2 = [1]\n", "l2 should be one value, found [1]"),
        ('model = "crff"\n', "'crff' is none of crf, memm"),
        ("l2 = \n", "this is no TOML"),
        ("quiet = 3\n", "quiet should be true or false, found 3"),
        ("param = 3\n", "param should be a table"),
        ("label = 3\n", "label should be a string, found 3"),
    ],
)
def test_a_bad_config_file_is_refused_by_name(text, words, shell, folder, tmp_path):
    config = tmp_path / "settings.toml"
    config.write_text(text)
    said = shell.refused("train", folder / "train.txt", "-o", tmp_path / "m", "--config", config)
    assert str(config) in said
    assert words in said
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (TEMPLATE, Template.read),
        (CRFPP, lambda path: Template.from_crfpp(path, columns=["word", "pos"])),
        (WAPITI, lambda path: Template.from_wapiti(path, columns=["word", "pos"])),
    ],
)
def test_features_come_from_template_files(text, read, shell, folder, tmp_path, corpora):
    path = tmp_path / "features.txt"
    path.write_text(text)
    out = shell.done(
        "train", folder / "train.txt", "-o", tmp_path / "m", "--features", path, "--iterations", 3
    )
    own = CRF(read(path), LBFGS(max_iterations=3)).fit(corpora[0], "chunk")
    assert str(path) in out
    assert weights(tmp_path / "m").tobytes() == weights(own).tobytes()
    assert shell.done("tag", tmp_path / "m", folder / "test.txt", "--labels-only").split() == [
        label for sentence in own.predict(corpora[1]) for label in sentence
    ]


def test_it_says_what_it_read_how_it_learned_and_where_the_model_went(shell, folder, tmp_path):
    out = shell.done("train", folder / "train.txt", "-o", tmp_path / "m", "--iterations", 3)
    for words in (
        f"train     {folder}/train.txt",
        "150 sentences, ",
        "columns word pos chunk",
        "features  preset chunk, chosen by the labels",
        "model     CRF(features='chunk', learner=LBFGS(max_iterations=3)",
        "--constraints IOB2",
        "iteration     objective   gradient    weights  seconds",
        "ended     after 3 iterations",
        f"saved     {tmp_path}/m",
    ):
        assert words in out
    rows = [line.split() for line in out.splitlines() if line[:9].strip().isdecimal()]
    assert [row[0] for row in rows] == ["0", "1", "2", "3"]
    assert all(len(line) <= 80 for line in out.splitlines() if "/" not in line)


def test_json_is_the_record_of_training(shell, folder, tmp_path):
    facts = json.loads(
        shell.done(
            "train",
            folder / "train.txt",
            "-o",
            tmp_path / "m",
            "--iterations",
            3,
            "--dev",
            folder / "test.txt",
            "--json",
        )
    )
    assert facts["train"]["sentences"] == 150
    assert facts["label"] == "chunk"
    assert facts["model"] == str(tmp_path / "m")
    assert len(facts["history"]["epochs"]) == 4
    assert facts["report"]["figures"]["accuracy"] > 0.5


def test_the_model_may_go_to_standard_output(folder, tmp_path, capfdbinary, monkeypatch):
    from seqlab.cli import main

    assert main(["train", str(folder / "train.txt"), "--model", "baseline", "-o", "-"]) == 0
    content = capfdbinary.readouterr().out
    assert MostFrequentTag.from_bytes(content).labels_[0] == "B-ADJP"


def test_pruning_makes_the_file_smaller(shell, folder, tmp_path, crf):
    out = shell.done(
        "train",
        folder / "train.txt",
        "-o",
        tmp_path / "m",
        "--iterations",
        8,
        "--prune",
        0.1,
        "--storage",
        "float16",
    )
    assert "pruned    " in out
    assert (tmp_path / "m").stat().st_size < 0.7 * crf.stat().st_size
    assert seqlab.load(tmp_path / "m").pruned_.storage == "float16"


def test_training_goes_on_from_a_model(shell, folder, tmp_path, crf, corpora):
    flags = ["--start", crf, "--constraints", "IOB2", "--iterations", "2", "--features", "chunk"]
    shell.done("train", folder / "train.txt", "-o", tmp_path / "m", *flags)
    own = CRF("chunk", LBFGS(max_iterations=2), constraints="IOB2")
    own.fit(corpora[0], "chunk", start=seqlab.load(crf))
    assert weights(tmp_path / "m").tobytes() == weights(own).tobytes()


def test_several_files_are_one_corpus(shell, folder, tmp_path, corpora):
    shell.done(
        "train",
        folder / "train.txt",
        folder / "test.txt",
        "-o",
        tmp_path / "m",
        "--model",
        "perceptron",
        "-i",
        2,
    )
    own = LinearTagger("chunk", Perceptron(epochs=2)).fit(corpora[0] + corpora[1], "chunk")
    assert np.array_equal(weights(tmp_path / "m"), weights(own))


def test_standard_input_and_picked_columns(shell, folder, tmp_path, corpora):
    text = (folder / "train.txt").read_text()
    shell.done(
        "train",
        "-",
        "-o",
        tmp_path / "m",
        "--columns",
        "word=0,pos=1",
        "--label",
        "pos",
        "-m",
        "perceptron",
        "-i",
        2,
        stdin=text,
    )
    own = LinearTagger("pos", Perceptron(epochs=2)).fit(corpora[0].select("word", "pos"), "pos")
    assert np.array_equal(weights(tmp_path / "m"), weights(own))


# ------------------------------------------------------------------------------------------------ refused


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--model", "crff"], "'crff' is none of crf, memm"),
        (
            ["--label", "chnuk"],
            "there is no column 'chnuk': the columns are 'word', 'pos', 'chunk'; did you mean 'chunk'?",
        ),
        (["--columns", "word,pos"], "2 columns expected (word, pos), found 3"),
        (
            ["--features", "word[0] &"],
            "line 1: a value is wanted here, such as word[0] or lower(word[0]): word[0] &\n",
        ),
        (["--features", "chnk"], "there is no preset 'chnk'"),
        (["--features", "no/such.template"], "cannot read the template 'no/such.template'"),
        (["--constraints", "IOB7"], "IOB7"),
        (["--l2", "minus"], "a number from 0 up is wanted, got 'minus'"),
        (["--model", "perceptron", "--l1", "1"], "--l1 means nothing to Perceptron"),
        (["--model", "perceptron", "--learner", "sgd"], "--model perceptron learns by perceptron"),
        (["--learner", "perceptron"], "write --model perceptron"),
        (["--model", "baseline", "--iterations", "3"], "--iterations means nothing to --model baseline"),
        (["--model", "baseline", "--prune", "0"], "--prune and --storage mean nothing to --model baseline"),
        (["--model", "baseline", "--features", "pos"], "--features means nothing to --model baseline"),
        (["-p", "memoryy=3"], "-p memoryy means nothing to --model crf"),
        (["-p", "memory"], "NAME=VALUE is wanted"),
        (["--patience", "3"], "pass one with --dev"),
        (["--metric", "accuracy"], "pass one with --dev"),
        (["--order", "7"], "order must be 1, 2 or 3, got 7"),
        (["--dev", "nowhere.txt"], "nowhere.txt"),
        (["--iterations", "0"], "a whole number from 1 up is wanted"),
        (["--model", "memm", "--order", "4"], "order must be 1, 2 or 3"),
    ],
)
def test_wrong_use_is_one_sentence_and_2(flags, words, shell, folder, tmp_path):
    code, _, err = shell("train", folder / "train.txt", "-o", tmp_path / "m", *flags)
    assert code == 2
    assert words in err
    assert err.count("\n") == 1
    assert not (tmp_path / "m").exists()


def test_bad_files_are_named_with_their_line(shell, folder, tmp_path):
    lines = (folder / "train.txt").read_text().splitlines()
    lines[4] = "only-one-cell"
    broken = tmp_path / "broken.txt"
    broken.write_text("\n".join(lines))
    out = tmp_path / "m"
    assert f"{broken}:5: " in shell.refused("train", broken, "-o", out)
    (tmp_path / "empty.txt").write_text("")
    assert "empty.txt:1: the file holds nothing" in shell.refused("train", tmp_path / "empty.txt", "-o", out)
    assert "there is no such file" in shell.refused("train", tmp_path / "none.txt", "-o", out)
    broken.write_bytes(b"a\tb\n\xff\tc\n")
    assert f"{broken}:2: " in (said := shell.refused("train", broken, "-o", out))
    assert "--encoding latin-1" in said


@pytest.mark.parametrize(
    ("output", "words"), [(".", "this is a directory"), ("no/such/m", "there is no folder")]
)
def test_a_place_that_cannot_be_written_is_refused_before_training(output, words, shell, folder, tmp_path):
    assert words in shell.refused("train", folder / "train.txt", "-o", tmp_path / output)


def test_no_files_and_no_output_are_wrong_use(shell, folder):
    assert "a file of labelled sentences is wanted" in shell.refused("train", "-o", "m")
    assert "pass -o MODEL" in shell.refused("train", folder / "train.txt")


def test_a_failed_training_leaves_the_old_model(shell, folder, tmp_path):
    (tmp_path / "m").write_bytes(b"old")
    shell("train", tmp_path / "none.txt", "-o", tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == b"old"
    with pytest.raises(StoreError):
        seqlab.load(tmp_path / "m")

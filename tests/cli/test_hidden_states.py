"""Hidden Markov models from the shell: hidden states, starts of EM, numbers; same bits as in Python."""

import json

import numpy as np
import pytest

import seqlab
from seqlab import HMM, BaumWelch, HardEM, read, store
from seqlab.cli.reading.numbers import with_vectors

# ------------------------------------------------------------------------------------------------ hidden states


@pytest.mark.parametrize(
    ("flags", "model"),
    [
        (["--states", 4], lambda: HMM(4)),
        (
            ["--states", 4, "--em", "hard", "-i", 6, "--smoothing", "0.1"],
            lambda: HMM(4, learner=HardEM(max_iterations=6), smoothing=0.1),
        ),
        (
            ["--states", 3, "--restarts", 3, "--tol", "1e-3", "--seed", 5],
            lambda: HMM(3, learner=BaumWelch(restarts=3, tolerance=1e-3), seed=5),
        ),
        (
            ["--states", 3, "--init", "random", "--smoothing", "0.1", "-p", "end=true", "-p", "frozen=start"],
            lambda: HMM(3, init="random", smoothing=0.1, end=True, learner=BaumWelch(frozen=("start",))),
        ),
    ],
)
def test_states_without_labels(same_bits, flags, model, shell, tagged, tmp_path):
    path, words = tmp_path / "hmm.model", read(tagged / "train-words.txt")
    shell.done("train", tagged / "train-words.txt", "-m", "hmm", *flags, "-o", path)
    theirs = model().set_params(unknown="missing").fit(words)
    assert same_bits(path, theirs)
    test = read(tagged / "test-words.txt")
    facts = json.loads(shell.done("score", path, tagged / "test-words.txt", "--json"))
    logs = [None if one == -np.inf else one for one in theirs.log_likelihoods(test).tolist()]
    assert [row["log_prob"] for row in facts["each"]] == logs
    assert facts["oov"] == sum(
        word not in theirs.vocabulary_ for words in test.column("word") for word in words
    )
    said = shell.done("tag", path, tagged / "test-words.txt", "--labels-only").split()
    assert said == [state for states in theirs.predict(test) for state in states]


def test_restarts_are_a_table(shell, tagged, tmp_path):
    flags = ["-m", "hmm", "--states", 2, "--restarts", 3, "-i", 3, "-o", tmp_path / "m"]
    out = shell.done("train", tagged / "train-words.txt", *flags)
    table = out.partition("  run  iterations")[2]
    assert table.count("the limit of iterations") == 4  # three runs, and how it ended
    assert table.count("* ") == 1
    facts = json.loads(shell.done("train", tagged / "train-words.txt", *flags, "--json"))
    assert len(facts["restarts"]) == 3


def test_a_development_set_chooses_the_iteration(same_bits, shell, tagged, tmp_path):
    path, dev = tmp_path / "hmm.model", tagged / "test-words.txt"
    flags = ["-m", "hmm", "--states", 3, "--dev", dev, "--patience", 2, "-i", 30, "-o", path]
    facts = json.loads(shell.done("train", tagged / "train-words.txt", *flags, "--json"))
    learner = BaumWelch(max_iterations=30)
    theirs = HMM(3, learner=learner, unknown="missing").fit(
        read(tagged / "train-words.txt"), dev=read(dev), patience=2
    )
    assert same_bits(path, theirs)
    assert facts["history"]["metric"] == "log_likelihood"
    assert facts["report"]["log_prob"] == pytest.approx(float(theirs.log_likelihoods(read(dev)).sum()))
    assert "--metric means nothing" in shell.refused(
        "train", tagged / "train-words.txt", *flags, "-q", "--metric", "accuracy"
    )


def test_a_column_of_words_beside_others_is_enough(shell, tagged, tmp_path):
    path = tmp_path / "hmm.model"
    shell.done("train", tagged / "train.txt", "-m", "hmm", "--states", 3, "-i", 2, "-o", path)
    assert seqlab.load(path).columns_ == ("word",)
    labels = "the column 'label' has no label in common with the model"
    assert labels in shell.refused("eval", path, tagged / "test.txt")
    shell.done(
        "train", tagged / "train.txt", "-m", "hmm", "--observed", "label", "--states", 3, "-i", 2, "-o", path
    )
    assert "NOUN" in seqlab.load(path).vocabulary_


# ------------------------------------------------------------------------------------------------ where EM begins


def start_from(shell, tagged, tmp_path, init, *more):
    path = tmp_path / "hmm.model"
    shell.done("train", tagged / "train-words.txt", "-m", "hmm", "--init", init, "-i", 3, *more, "-o", path)
    return path


def python_from(tagged, init, **options):
    learner = BaumWelch(max_iterations=3)
    return HMM(init=init, learner=learner, unknown="missing", **options).fit(read(tagged / "train-words.txt"))


def test_em_begins_with_a_labelled_file(same_bits, shell, tagged, tmp_path):
    path = start_from(shell, tagged, tmp_path, tagged / "test.txt")
    test = read(tagged / "test.txt")
    theirs = python_from(tagged, (test, test.columns[-1]))
    assert same_bits(path, theirs)
    # The states are those of the file: before, they were sorted under names that stayed.
    assert theirs.score(test, test.columns[-1]) > 0.5
    assert (
        float(
            shell.done("eval", path, tagged / "test.txt", "-l", test.columns[-1])
            .split("accuracy")[1]
            .split()[0]
        )
        > 0.5
    )


@pytest.mark.parametrize("form", ["lines", "json", "toml", "prefix"])
def test_em_begins_with_a_dictionary(same_bits, form, shell, tagged, tmp_path):
    words = {"the": ["DET"], "a": ["DET"], "of": ["ADP"], "saw": ["VERB", "NOUN"], ".": ["PUNCT"]}
    suffix = {"lines": "txt", "prefix": "txt"}.get(form, form)
    file = tmp_path / f"words.{suffix}"
    if form == "json":
        file.write_text(json.dumps(words))
    elif form == "toml":
        file.write_text("".join(f"{word!r} = {labels}\n" for word, labels in words.items()))
    else:
        file.write_text("".join(f"{word}\t{' '.join(labels)}\n" for word, labels in words.items()))
    given = f"dictionary:{file}" if form == "prefix" else file
    assert same_bits(start_from(shell, tagged, tmp_path, given), python_from(tagged, words))


@pytest.mark.parametrize("suffix", ["json", "npz", "toml"])
def test_em_begins_with_tables(same_bits, suffix, shell, tmp_path):
    (tmp_path / "dice.txt").write_text("1 2 3 1 1 3\n2 3 3 2 1 1 2\n")
    tables = {
        "start": [0.6, 0.4],
        "transitions": [[0.7, 0.3], [0.2, 0.8]],
        "emissions": [[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]],
    }
    file = tmp_path / f"tables.{suffix}"
    if suffix == "json":
        file.write_text(json.dumps(tables))
    elif suffix == "toml":
        file.write_text("\n".join(f"{name} = {table}" for name, table in tables.items()))
    else:
        np.savez(file, **{name: np.array(table) for name, table in tables.items()})
    path = tmp_path / "hmm.model"
    shell.done("train", tmp_path / "dice.txt", "-m", "hmm", "--init", file, "-i", 4, "-o", path)
    learner = BaumWelch(max_iterations=4)
    theirs = HMM(init=tables, learner=learner, unknown="missing").fit(read(tmp_path / "dice.txt"))
    assert same_bits(path, theirs)


def test_em_begins_with_tables_that_name_states_and_words(shell, tmp_path):
    (tmp_path / "dice.txt").write_text("1 2 3 1 1 3\n2 3 3 2 1 1 2\n")
    named = {
        "start": {"fair": 0.6, "loaded": 0.4},
        "transitions": {"fair": {"fair": 0.7, "loaded": 0.3}, "loaded": {"fair": 0.2, "loaded": 0.8}},
        "emissions": {"fair": {"3": 0.5, "1": 0.2, "2": 0.3}, "loaded": {"1": 0.6, "2": 0.2, "3": 0.2}},
    }
    file, path = tmp_path / "tables.json", tmp_path / "hmm.model"
    file.write_text(json.dumps(named))
    shell.done("train", tmp_path / "dice.txt", "-m", "hmm", "--init", file, "-i", 4, "-o", path)
    ours = seqlab.load(path)
    assert ours.labels_ == ("fair", "loaded")
    rows = [[0.5, 0.2, 0.3], [0.2, 0.6, 0.2]]
    start = HMM.from_tables(
        [0.6, 0.4], [[0.7, 0.3], [0.2, 0.8]], rows, states=["fair", "loaded"], symbols=["3", "1", "2"]
    )
    theirs = HMM(init=start, learner=BaumWelch(max_iterations=4)).fit(read(tmp_path / "dice.txt"))
    assert ours.history_.objective == theirs.history_.objective
    file.write_text(json.dumps({**named, "emissions": {"fair": {"1": 0.5}, "loaded": {"1": 0.6}}}))
    refused = shell.refused("train", tmp_path / "dice.txt", "-m", "hmm", "--init", file, "-q", "-o", path)
    assert "sum" in refused


def test_em_begins_with_a_model(same_bits, shell, tagged, tmp_path):
    first = tmp_path / "first.model"
    shell.done("train", tagged / "train-words.txt", "-m", "hmm", "--states", 3, "-i", 2, "-o", first)
    path = start_from(shell, tagged, tmp_path, first)
    assert same_bits(path, python_from(tagged, seqlab.load(first)))


@pytest.mark.parametrize(
    ("init", "words"),
    [
        ("nothing.txt", "--init nothing.txt: there is no such file; pass random, kmeans, a model"),
        ("kmeans", "kmeans is for vectors"),
        ("CRF", "EM begins with an hmm, but this is a CRF"),
    ],
)
def test_a_start_that_cannot_be_is_said(init, words, shell, tagged, tmp_path, crf):
    init = crf if init == "CRF" else init
    flags = ["-m", "hmm", "--states", 3, "--init", init, "-q", "-o", tmp_path / "m"]
    assert words in shell.refused("train", tagged / "train-words.txt", *flags)


# ------------------------------------------------------------------------------------------------ numbers


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    """Two columns of numbers from two states, and a column of counts."""
    rng, place = np.random.default_rng(0), tmp_path_factory.mktemp("numbers")
    sequences = []
    for _ in range(12):
        states = rng.integers(2, size=15)
        sequences.append(
            [
                (x + 4 * z, y - 3 * z, int(rng.poisson(2 + 9 * z)))
                for z, x, y in zip(states, rng.normal(size=15), rng.normal(size=15), strict=True)
            ]
        )
    lines = ["\n".join("\t".join(map(repr, map(float, row))) for row in one) for one in sequences]
    (place / "numbers.txt").write_text("\n\n".join(lines) + "\n")
    return place / "numbers.txt", [np.array(one, dtype=float) for one in sequences]


@pytest.mark.parametrize(
    ("flags", "columns", "model"),
    [
        (["--emissions", "gaussian"], [0, 1, 2], lambda: HMM(2, seqlab.Gaussian())),
        (
            ["--emissions", "gaussian", "--observed", "x,y", "-p", "covariance=full"],
            [0, 1],
            lambda: HMM(2, seqlab.Gaussian("full")),
        ),
        (
            ["--emissions", "gaussian", "--observed", "y", "--init", "random"],
            [1],
            lambda: HMM(2, seqlab.Gaussian(), init="random"),
        ),
        (["--emissions", "poisson", "--observed", "count"], [2], lambda: HMM(2, seqlab.Poisson())),
        (
            ["--emissions", "gaussian-mixture", "--observed", "x", "-p", "components=2", "-i", 5],
            [0],
            lambda: HMM(2, seqlab.GaussianMixture(components=2), learner=BaumWelch(max_iterations=5)),
        ),
    ],
)
def test_states_of_numbers(flags, columns, model, shell, numbers, tmp_path):
    (file, sequences), path = numbers, tmp_path / "hmm.model"
    names = ["--columns", "x,y,count"]
    shell.done("train", file, "-m", "hmm", "--states", 2, *names, *flags, "-o", path)
    X = [one[:, columns] for one in sequences]
    theirs = model().fit(X)
    ours, arrays = store.read(path).arrays, theirs.state().arrays
    for name in arrays:
        if name.startswith("model"):
            assert np.asarray(ours[name]).tobytes() == np.asarray(arrays[name]).tobytes(), name
    facts = json.loads(shell.done("score", path, file, *names, "--json"))
    assert [row["log_prob"] for row in facts["each"]] == theirs.log_likelihoods(X).tolist()
    assert facts["perplexity"] is None  # of a density
    rows = [line.split("\t") for line in shell.done("tag", path, file, *names).splitlines() if line]
    assert [row[-1] for row in rows] == [state for states in theirs.predict(X) for state in states]
    assert all(len(row) == 4 for row in rows)  # the columns of the file, and one more
    drawn = shell.done("sample", path, "-n", 2, "--length", 3, "--seed", 4).split("\n\n")[0].splitlines()
    values = np.array([line.split("\t")[:-1] for line in drawn], dtype=float)
    first = np.array(theirs.generate(2, 3, seed=4).observations[0], dtype=float).reshape(3, -1)
    assert values.tolist() == first.tolist()


def test_a_missing_cell_is_no_number():
    corpus = seqlab.Corpus.from_lists({"x": [["1", None, "3"]], "y": [["4", "5", None]]})
    vectors = with_vectors(corpus, "x,y").data("x,y").vectors
    np.testing.assert_array_equal(vectors, [[1, 4], [np.nan, 5], [3, np.nan]])


def test_a_cell_that_is_no_number_has_its_place(shell, tmp_path):
    file = tmp_path / "numbers.txt"
    file.write_text("1.5\t2\n2.5\tthree\n")
    flags = ["-m", "hmm", "--states", 2, "--emissions", "gaussian", "-q", "-o", tmp_path / "m"]
    said = shell.refused("train", file, *flags)
    assert said.startswith(f"seqlab: {file}:2: column 'label' holds 'three', but a finite number is wanted")
    shell.done("train", file, *flags, "--observed", "word", "--states", 1)


def test_attributes_of_a_file_are_emitted_together(shell, tmp_path):
    file, path = tmp_path / "bags.crfsuite", tmp_path / "hmm.model"
    file.write_text("A\tw=the\tcap\nB\tw=man\n\nA\tw=a\nB\tw=dog\tcap\nB\tw=the\n")
    shell.done(
        "train", file, "-f", "crfsuite", "-m", "hmm", "--states", 2, "--emissions", "bag", "-i", 3, "-o", path
    )
    X = [[["w=the", "cap"], ["w=man"]], [["w=a"], ["w=dog", "cap"], ["w=the"]]]
    theirs = HMM(2, seqlab.FeatureBag(), learner=BaumWelch(max_iterations=3)).fit(X)
    assert seqlab.load(path).history_.objective == theirs.history_.objective
    shell.done("train", file, "-f", "crfsuite", "-m", "mixture", "--states", 2, "-o", path)
    assert set(seqlab.load(path).features_) == {"w=the", "cap", "w=man", "w=a", "w=dog"}
    one = [
        "train",
        file,
        "-f",
        "crfsuite",
        "-m",
        "hmm",
        "--states",
        2,
        "--observed",
        "label,attributes",
        "-q",
    ]
    assert "several columns make a vector" in shell.refused(*one, "-o", path)


# ------------------------------------------------------------------------------------------------ some labels


def test_unlabelled_sentences_help(same_bits, shell, tagged, tmp_path):
    path, few, raw = tmp_path / "hmm.model", read(tagged / "test.txt"), read(tagged / "train-words.txt")
    flags = ["--unlabelled", tagged / "train-words.txt", "--unlabelled-weight", 0.2, "-i", 3]
    shell.done("train", tagged / "test.txt", "-m", "hmm", *flags, "-o", path)
    words = [*few.column("word"), *raw.column("word")]
    labels = [*few.column(few.columns[-1]), *[None] * len(raw)]
    learner = BaumWelch(max_iterations=3, unlabelled_weight=0.2)
    theirs = HMM(learner=learner).fit(words, labels)
    assert seqlab.load(path).history_.objective == theirs.history_.objective
    assert seqlab.load(path).predict(raw) == theirs.predict(raw)
    everything = ["-m", "hmm", "--states", 3, "--unlabelled", tagged / "train-words.txt", "-i", 2, "-o", path]
    shell.done("train", tagged / "test-words.txt", *everything)
    assert same_bits(
        path,
        HMM(3, learner=BaumWelch(max_iterations=2), unknown="missing").fit(
            seqlab.Corpus.join([read(tagged / "test-words.txt"), raw])
        ),
    )

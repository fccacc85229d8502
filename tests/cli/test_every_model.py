"""Models other than linear ones from the shell: the same bits as the same call in Python."""

import json

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import seqlab
from seqlab import HMM, LocalTagger, MarkovChain, Reranker, read
from seqlab.families.rerank.learners import ListPerceptron, LogLinear

# ------------------------------------------------------------------------------------------------ chains


def test_a_chain_is_the_one_of_python(same_bits, shell, tagged, tmp_path):
    path = tmp_path / "chain.model"
    flags = ["-m", "markov", "--order", 2, "--smoothing", "kneser-ney", "--min-count", 2]
    out = shell.done("train", tagged / "train.txt", *flags, "-o", path, "--dev", tagged / "test.txt")
    chain = MarkovChain(2, "kneser-ney", min_count=2).fit(read(tagged / "train.txt"), "word")
    assert same_bits(path, chain)
    found = chain.perplexity(read(tagged / "test.txt"), "word")
    assert f"perplexity  {found.value:.4f}" in out
    facts = json.loads(shell.done("score", path, tagged / "test.txt", "--json"))
    assert facts["log_prob"] == pytest.approx(found.log_prob, rel=1e-12)
    assert facts["perplexity"] == pytest.approx(found.value, rel=1e-12)
    assert facts["perplexity_without_oov"] == found.without_oov
    assert (facts["oov"], facts["events"], facts["sentences"]) == (found.oov, found.tokens, 30)
    words = read(tagged / "test.txt").column("word")
    each = [chain.log_prob(sentence) for sentence in words]
    assert [row["log_prob"] for row in facts["each"]] == pytest.approx(each, rel=1e-12)
    assert sum(row["oov"] for row in facts["each"]) == found.oov


def test_a_chain_of_tags_and_a_number_as_smoothing(same_bits, shell, tagged, tmp_path):
    path = tmp_path / "chain.model"
    shell.done("train", tagged / "train.txt", "-m", "markov", "-l", "label", "--smoothing", "0.5", "-o", path)
    train = read(tagged / "train.txt")
    assert same_bits(path, MarkovChain(1, 0.5).fit(train, train.columns[-1]))


def test_a_chain_samples_what_python_samples(shell, tagged, tmp_path):
    path = tmp_path / "chain.model"
    shell.done("train", tagged / "train-words.txt", "-m", "markov", "-o", path, "-q")
    out = shell.done("sample", path, "-n", 4, "--seed", 3, "--length", 9)
    drawn = seqlab.load(path).sample(4, 3, length=9)
    assert out.splitlines() == [" ".join(words) for words in drawn]
    rows = shell.done("sample", path, "-n", 4, "--seed", 3, "--length", 9, "--json").splitlines()
    assert [json.loads(row)["word"] for row in rows] == drawn
    shell.done(
        "sample", path, "-n", 4, "--seed", 3, "--length", 9, "--to", "conll", "-o", tmp_path / "drawn.txt"
    )
    assert read(tmp_path / "drawn.txt").column("word") == [words for words in drawn if words]


@pytest.mark.parametrize("name", ["chain.arpa", "chain.arpa.gz"])
def test_arpa_files_go_both_ways(name, shell, tagged, tmp_path):
    path, arpa, back = tmp_path / "chain.model", tmp_path / name, tmp_path / "back.model"
    shell.done("train", tagged / "train.txt", "-m", "markov", "--smoothing", "witten-bell", "-o", path)
    said = shell("convert", path, arpa)
    assert said[0] == 0
    assert "written to" in said[2]
    assert json.loads(shell.done("convert", arpa, back, "--json"))["order"] == 1
    scores = [
        json.loads(shell.done("score", one, tagged / "test.txt", "--json")) for one in (path, arpa, back)
    ]
    for other in scores[1:]:
        assert other["log_prob"] == pytest.approx(scores[0]["log_prob"], rel=1e-6)
        assert other["oov"] == scores[0]["oov"]
    assert shell.done("sample", arpa, "-n", 2, "--length", 5).count("\n") == 2
    assert "holds a MarkovChain, which labels no sentences" in shell.refused("tag", arpa, tagged / "test.txt")
    assert "seqlab convert makes a model of it" in shell.refused("inspect", arpa)
    assert (
        shell("convert", path, "-")[1].startswith("\\data\\") or "\\data\\" in shell("convert", path, "-")[1]
    )


def test_what_a_chain_cannot_do_is_said(shell, tagged, tmp_path):
    path = tmp_path / "chain.model"
    shell.done("train", tagged / "train.txt", "-m", "markov", "--order", 2, "-o", path)
    for command in (["tag", path], ["eval", path, tagged / "test.txt"], ["explain", path, "-s", "a"]):
        assert "holds a MarkovChain, which labels no sentences" in shell.refused(*command)
    assert "markov labels no sentences" in shell.refused(
        "compare", tagged / "train.txt", tagged / "test.txt", "--models", "markov"
    )
    assert "is a model of ours already" in shell.refused("convert", path, tmp_path / "other.model")
    out = shell.done("inspect", path)
    assert "kind        markov chain" in out
    assert "first    " in out


# ------------------------------------------------------------------------------------------------ classifiers


@pytest.mark.parametrize(
    ("flags", "classifier", "options"),
    [
        (["--classifier", "LinearSVC", "-p", "C=0.5", "--seed", 3], LinearSVC(C=0.5, random_state=3), {}),
        (
            [
                "--classifier",
                "LogisticRegression",
                "-p",
                "max_iter=300",
                "-p",
                "previous=true",
                "--min-count",
                2,
            ],
            LogisticRegression(max_iter=300),
            {"previous": True, "min_count": 2},
        ),
        (
            ["--classifier", "OneVsRestClassifier(LinearSVC)", "-p", "estimator__C=2"],
            OneVsRestClassifier(LinearSVC(C=2)),
            {},
        ),
    ],
)
def test_a_classifier_by_name(same_bits, flags, classifier, options, shell, tagged, tmp_path):
    path, train = tmp_path / "local.model", read(tagged / "train.txt")
    features = ["--features", "word[0]"]
    shell.done("train", tagged / "train.txt", "-m", "local", *features, *flags, "-o", path, "--threads", 1)
    theirs = LocalTagger(classifier, "word[0]", **options).fit(train, train.columns[-1])
    assert same_bits(path, theirs)
    assert seqlab.load(path).predict(read(tagged / "test.txt")) == theirs.predict(read(tagged / "test.txt"))


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--classifier", "LinearSVX"], "scikit-learn has no such classifier; did you mean LinearSVC?"),
        (["--classifier", "RandomForestClassifier"], "a model file holds numbers and no code"),
        (["--classifier", "LinearSVC", "-p", "CC=1"], "-p CC is no option of LocalTagger"),
        (["--classifier", "MultinomialNB", "--seed", 1], "--seed means nothing to MultinomialNB"),
        (["--classifier", "OneVsRestClassifier"], "write A(B) for an A of B"),
        (["--classifier", "OneVsRestClassifier(LinearSVC"], "a bracket is not closed"),
        (["--states", 3], "--states means nothing to --model local"),
    ],
)
def test_a_classifier_that_cannot_be_is_said(flags, words, shell, tagged, tmp_path):
    assert words in shell.refused(
        "train", tagged / "train.txt", "-m", "local", "-q", *flags, "-o", tmp_path / "m"
    )


# ------------------------------------------------------------------------------------------------ re-ranking


def test_a_reranker_of_a_model_file(shell, tagged, tmp_path):
    generator, path, train = tmp_path / "hmm.model", tmp_path / "better.model", read(tagged / "train.txt")
    shell.done("train", tagged / "train.txt", "-m", "hmm", "-o", generator)
    flags = ["--generator", generator, "-p", "n=4", "-p", "folds=2", "--l2", 2]
    shell.done("train", tagged / "train.txt", "-m", "rerank", *flags, "-o", path)
    column = train.columns[-1]
    theirs = Reranker(HMM(), n=4, folds=2, learner=LogLinear(l2=2)).fit(train, column)
    ours = seqlab.load(path)
    assert ours.feature_names_ == theirs.feature_names_
    assert ours.coef_.tobytes() == theirs.coef_.tobytes()
    assert ours.predict(read(tagged / "test.txt")) == theirs.predict(read(tagged / "test.txt"))


def test_a_reranker_trains_the_generator_of_a_kind(shell, tagged, tmp_path):
    path, train = tmp_path / "better.model", read(tagged / "train.txt")
    flags = ["--learner", "list-perceptron", "-i", 2, "-p", "folds=2", "-p", "seed=4"]
    out = shell.done("train", tagged / "train.txt", "-m", "rerank", *flags, "-o", path)
    theirs = Reranker(HMM(), folds=2, learner=ListPerceptron(epochs=2, seed=4)).fit(train, train.columns[-1])
    assert seqlab.load(path).coef_.tobytes() == theirs.coef_.tobytes()
    assert "ended     after " in out
    refused = shell.refused(
        "train", tagged / "train.txt", "-m", "rerank", "--generator", "hmmm", "-q", "-o", path
    )
    assert "there is no such file; name a model file, or one of crf" in refused


# ------------------------------------------------------------------------------------------------ clusters


def test_clusters_of_sentences(same_bits, shell, tagged, tmp_path):
    path, words = tmp_path / "mixture.model", read(tagged / "train-words.txt").column("word")
    flags = ["-m", "mixture", "--states", 3, "--restarts", 2, "-i", 9, "--tol", 1e-9, "--smoothing", "0.1"]
    shell.done("train", tagged / "train-words.txt", *flags, "--seed", 2, "-o", path)
    options = {"restarts": 2, "epochs": 9, "tolerance": 1e-9, "smoothing": 0.1, "seed": 2}
    theirs = seqlab.MultinomialMixture(3, **options).fit(words)
    assert same_bits(path, theirs)
    test = read(tagged / "test-words.txt").column("word")
    facts = json.loads(shell.done("score", path, tagged / "test-words.txt", "--json"))
    assert [row["log_prob"] for row in facts["each"]] == theirs.score_samples(test).tolist()
    assert [row["component"] for row in facts["each"]] == theirs.predict(test).tolist()
    drawn = shell.done("sample", path, "-n", 3, "--length", 4, "--seed", 1).splitlines()
    assert drawn == [" ".join(bag) for bag in theirs.sample(3, 1, length=4)]
    assert "components" in shell.done("inspect", path)

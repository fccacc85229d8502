"""Models of classifiers and re-rankers, made in Python, behind the commands that read model files."""

import json

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import seqlab

QUICK = seqlab.LBFGS(max_iterations=5)


@pytest.fixture(scope="module")
def kept(corpora, tmp_path_factory):
    """Paths of models, and the models themselves."""
    train = corpora[0][:60]
    folder = tmp_path_factory.mktemp("kinds")
    made = {
        "margins": seqlab.LocalTagger(LinearSVC(), "word[0]\npos[0]", constraints="IOB2"),
        "chances": seqlab.LocalTagger(
            LogisticRegression(max_iter=2000), "word[0]\npos[0]\nedge: pos[0]", previous=True
        ),
        "reranker": seqlab.Reranker(seqlab.CRF("chunk", QUICK), folds=2, n=5),
    }
    for name, model in made.items():
        model.fit(train, "chunk").save(folder / name)
    return {name: (folder / name, model) for name, model in made.items()}


@pytest.mark.parametrize("name", ["margins", "chances", "reranker"])
def test_tag_and_eval_say_what_python_says(shell, folder, corpora, kept, name):
    path, model = kept[name]
    test = corpora[1]
    said = shell.done("tag", path, folder / "test.txt", "--labels-only").split()
    assert said == [label for labels in model.predict(test) for label in labels]
    lines = shell.done("tag", path, folder / "test.txt").splitlines()
    assert [line.split("\t")[-1] for line in lines if line] == said
    facts = json.loads(shell.done("eval", path, folder / "test.txt", "--json"))
    assert facts == json.loads(json.dumps(model.evaluate(test, "chunk").to_dict()))
    assert json.loads(shell.done("bench", path, folder / "test.txt", "--json", "--repeat", 1))["results"]


def test_tag_gives_the_lists_of_a_reranker(shell, folder, corpora, kept):
    path, model = kept["reranker"]
    rows = shell.done("tag", path, folder / "test.txt", "--nbest", 3, "--json").splitlines()
    for row, sentence in zip(map(json.loads, rows), corpora[1].select("word", "pos"), strict=True):
        ranked = model.nbest(sentence, 3)
        assert [(tuple(one["labels"]), one["log_prob"]) for one in row["nbest"]] == [
            (one.labels, one.log_prob) for one in ranked
        ]
    assert shell.done("tag", path, folder / "test.txt", "--nbest", 2).startswith("# 0 0.")
    spans = shell.done("tag", path, folder / "test.txt", "--spans").splitlines()
    assert spans
    assert {line.split("\t")[4] for line in spans} == {"-"}  # no probability of a single span


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (
            ["tag", "--marginals"],
            "--marginals has no meaning here: it knows the n labellings of its generator",
        ),
        (["tag", "--decode", "posterior"], "a Reranker picks one of its generator's labellings"),
        (["explain", "--number", 1], "holds a Reranker, which has no scores of single labels"),
        (["draw", "trellis"], "holds a Reranker, which has no scores of single labels"),
        (["draw", "reliability"], "holds a Reranker, which has no scores of single labels"),
    ],
)
def test_what_a_reranker_cannot_answer_is_said(shell, folder, kept, argv, words):
    drawing = argv[:2] if argv[0] == "draw" else argv[:1]
    assert words in shell.refused(*drawing, kept["reranker"][0], folder / "test.txt", *argv[len(drawing) :])


def test_inspect_shows_the_classifier_and_its_heaviest_features(shell, kept):
    path, model = kept["margins"]
    out = shell.done("inspect", path, "--top", 2)
    assert "kind        local tagger" in out
    assert "classifier  LinearSVC, by its decision_function" in out
    assert "forbidden: " in out
    facts = json.loads(shell.done("inspect", path, "--json", "--label", "B-NP", "--top", 3))
    coef = model.classifier_.coef_[list(model.classifier_.classes_).index("B-NP")]
    best = sorted(coef, key=abs, reverse=True)[:3]
    assert [weight for _, weight in facts["top_features"]["B-NP"]] == best
    assert [coef[model.encoder_.attributes.index(name)] for name, _ in facts["top_features"]["B-NP"]] == best
    assert facts["weights"] == model.classifier_.coef_.size


def test_inspect_names_the_columns_of_previous_labels(shell, kept):
    path, model = kept["chances"]
    facts = json.loads(shell.done("inspect", path, "--json", "--label", "I-NP", "--top", 100_000))
    found = dict(facts["top_features"]["I-NP"])
    coef = model.classifier_.coef_[list(model.classifier_.classes_).index("I-NP")]
    size, labels = model.encoder_.size, model.labels_
    assert len(found) == len(coef)
    assert found["after B-NP"] == coef[size + labels.index("B-NP")]
    assert found["at the beginning"] == coef[size + len(labels)]
    pair = model.encoder_.edge_attributes.index("edge:pos[0]=NOUN") * len(labels) + labels.index("B-NP")
    assert found["edge:pos[0]=NOUN after B-NP"] == coef[size + len(labels) + 1 + pair]


def test_inspect_shows_what_a_reranker_learned(shell, kept):
    path, model = kept["reranker"]
    out = shell.done("inspect", path, "--top", 4)
    assert "generator  CRF" in out
    assert f"features   {len(model.coef_):,}" in out
    assert f"{model.oracle_.first_accuracy:.4f} of the first, {model.oracle_.accuracy:.4f} of the best" in out
    facts = json.loads(shell.done("inspect", path, "--json", "--top", 4))
    assert facts["heaviest"] == [list(pair) for pair in model.top_features(4)]
    assert facts["columns"] == ["word", "pos"]


@pytest.mark.parametrize("name", ["margins", "reranker"])
@pytest.mark.parametrize("what", ["moves", "learning"])
def test_pictures_of_what_is_not_there_are_refused(shell, kept, name, what):
    assert shell.refused("draw", what, kept[name][0]).startswith("seqlab: ")

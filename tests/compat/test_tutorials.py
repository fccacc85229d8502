"""Scripts in the style of the originals' tutorials run with nothing but the import line changed."""

import contextlib
import io

import pytest

DATA = """
from seqlab import demo_corpus

def sents(part):
    return [list(zip(s["word"], s["pos"])) for s in demo_corpus(part)[:50]]

def word2features(sent, i):
    word = sent[i][0]
    features = ["bias", "lower=" + word.lower(), "end=" + word[-3:], "title=%s" % word.istitle()]
    features.append("-1:lower=" + sent[i - 1][0].lower() if i > 0 else "BOS")
    return features

X_train = [[word2features(s, i) for i in range(len(s))] for s in sents("train")]
y_train = [[label for _, label in s] for s in sents("train")]
X_test = [[word2features(s, i) for i in range(len(s))] for s in sents("test")]
y_test = [[label for _, label in s] for s in sents("test")]
"""

TRAINER = """
import pycrfsuite
from collections import Counter
trainer = pycrfsuite.Trainer(verbose=False)
for xseq, yseq in zip(X_train, y_train):
    trainer.append(xseq, yseq)
trainer.set_params({"c1": 1.0, "c2": 1e-3, "max_iterations": 50, "feature.possible_transitions": True})
assert "num_memories" in trainer.params()
trainer.train(PATH)
assert trainer.logparser.last_iteration["loss"] > 0
assert len(trainer.logparser.iterations) <= 50
tagger = pycrfsuite.Tagger()
tagger.open(PATH)
y_pred = [tagger.tag(xseq) for xseq in X_test]
info = tagger.info()
for (label_from, label_to), weight in Counter(info.transitions).most_common(15):
    print("%-6s -> %-7s %0.6f" % (label_from, label_to, weight))
for (attr, label), weight in Counter(info.state_features).most_common(20):
    print("%0.6f %-6s %s" % (weight, label, attr))
right = sum(p == y for ps, ys in zip(y_pred, y_test) for p, y in zip(ps, ys))
result = right / sum(map(len, y_test))
"""

ESTIMATOR = """
import sklearn_crfsuite
from sklearn_crfsuite import metrics, scorers
from sklearn.metrics import make_scorer
from sklearn.model_selection import RandomizedSearchCV
crf = sklearn_crfsuite.CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100, all_possible_transitions=True)
crf.fit(X_train, y_train)
labels = [label for label in crf.classes_ if label != "PUNCT"]
y_pred = crf.predict(X_test)
f1 = metrics.flat_f1_score(y_test, y_pred, average="weighted", labels=labels, zero_division=0)
print(metrics.flat_classification_report(y_test, y_pred, labels=sorted(labels), digits=3, zero_division=0))
scorer = make_scorer(metrics.flat_f1_score, average="weighted", labels=labels, zero_division=0)
small = sklearn_crfsuite.CRF(algorithm="lbfgs", max_iterations=10, all_possible_transitions=True)
search = RandomizedSearchCV(small, {"c1": [0.1, 0.5], "c2": [0.05, 0.1]}, cv=2, n_iter=2, scoring=scorer)
search.fit(X_train, y_train)
crf = search.best_estimator_
print(search.best_params_, "{:0.2f}M".format(crf.size_ / 1000000))
result = f1
"""


def ran(script, *, ours, path):
    """The result of a script, and what it printed."""
    if ours:
        script = script.replace("import pycrfsuite", "import seqlab.compat.pycrfsuite as pycrfsuite")
        script = script.replace(
            "import sklearn_crfsuite", "import seqlab.compat.sklearn_crfsuite as sklearn_crfsuite"
        ).replace("from sklearn_crfsuite", "from seqlab.compat.sklearn_crfsuite")
    names, told = {"PATH": path}, io.StringIO()
    with contextlib.redirect_stdout(told):
        exec(DATA + script, names)
    return names["result"], told.getvalue()


@pytest.mark.parametrize(("script", "needs"), [(TRAINER, "pycrfsuite"), (ESTIMATOR, "sklearn_crfsuite")])
def test_a_tutorial_runs_with_another_import_and_scores_as_before(script, needs, tmp_path):
    if needs == "sklearn_crfsuite":
        pytest.importorskip("sklearn")
    result, told = ran(script, ours=True, path=str(tmp_path / "ours"))
    assert result > 0.7
    assert len(told.splitlines()) > 10
    pytest.importorskip(needs)
    before, _ = ran(script, ours=False, path=str(tmp_path / "theirs"))
    assert result == pytest.approx(before, abs=0.01)

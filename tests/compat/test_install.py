"""install() answers for the originals' names, so that programs run and old pickles load."""

import json
import subprocess
import sys

import pytest

# Hides the originals, as if they were not installed; only then the names are ours.
HIDDEN = """
import importlib.machinery, sys
find = importlib.machinery.PathFinder.find_spec
def hiding(name, path=None, target=None):
    hidden = name.partition(".")[0] in ("pycrfsuite", "sklearn_crfsuite", "hmmlearn")
    return None if hidden else find(name, path, target)
importlib.machinery.PathFinder.find_spec = staticmethod(hiding)
"""


def run(program, *arguments):
    """Run a program in a new interpreter, and return what it prints, as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_absent_modules_are_ours():
    program = """
import json, seqlab.compat
names = seqlab.compat.install()
import pycrfsuite, sklearn_crfsuite, sklearn_crfsuite.estimator, pycrfsuite._pycrfsuite, pycrfsuite._logparser
from sklearn_crfsuite import CRF, metrics, scorers, trainer, utils, _fileresource
import seqlab.compat.pycrfsuite as ours
same = [pycrfsuite is ours, CRF is sklearn_crfsuite.estimator.CRF, pycrfsuite._pycrfsuite.Tagger is ours.Tagger]
again = seqlab.compat.install()
print(json.dumps([names, again, same, ours.__spec__.name, seqlab.CRF is CRF]))
"""
    names, again, same, spec, mixed = run(HIDDEN + program)
    assert {"pycrfsuite", "sklearn_crfsuite"} <= set(names)
    assert again == names
    assert all(same)
    assert spec == "seqlab.compat.pycrfsuite"
    assert not mixed


def test_modules_of_a_package_that_was_aliased_by_hand_are_no_copies():
    pytest.importorskip("sklearn")
    program = """
import json, sys
import seqlab.compat.hmmlearn, seqlab.compat.pycrfsuite, seqlab.compat.sklearn_crfsuite
for name in ("hmmlearn", "pycrfsuite", "sklearn_crfsuite"):
    sys.modules[name] = sys.modules["seqlab.compat." + name]
import hmmlearn.hmm, pycrfsuite._logparser, sklearn_crfsuite.estimator, sklearn_crfsuite.compat
from pycrfsuite._pycrfsuite import Tagger
same = [
    sys.modules[name] is sys.modules["seqlab.compat." + name]
    for name in ("hmmlearn.hmm", "pycrfsuite._logparser", "sklearn_crfsuite.estimator")
]
print(json.dumps([same, Tagger is seqlab.compat.pycrfsuite.Tagger, hmmlearn.hmm.__spec__.name,
                  sklearn_crfsuite.compat.BaseEstimator.__name__]))
"""
    assert run(program) == [[True] * 3, True, "seqlab.compat.hmmlearn.hmm", "BaseEstimator"]


def test_originals_that_are_there_stay():
    pytest.importorskip("pycrfsuite")
    program = """
import json, seqlab.compat
names = seqlab.compat.install()
import pycrfsuite
there = pycrfsuite.__name__
del __import__("sys").modules["pycrfsuite"]
seqlab.compat.install(replace=True)
import pycrfsuite
print(json.dumps([names, there, pycrfsuite.__name__]))
"""
    names, there, replaced = run(program)
    assert "pycrfsuite" not in names
    assert (there, replaced) == ("pycrfsuite", "seqlab.compat.pycrfsuite")


def test_a_pickle_of_the_original_loads_where_it_is_absent(tmp_path):
    pytest.importorskip("sklearn_crfsuite")
    write = """
import json, pickle, sys, sklearn_crfsuite
X, y = [[{"a": 1, "w": "x"}, {"b": 2.0}], [{"b": 1.0}]] * 3, [["A", "B"], ["B"]] * 3
crf = sklearn_crfsuite.CRF(c1=0.1).fit(X, y, X, y)
with open(sys.argv[1], "wb") as file:
    pickle.dump(crf, file)
print(json.dumps([X, [list(one) for one in crf.predict(X)], crf.predict_marginals_single(X[0]), crf.classes_,
                  crf.training_log_.last_iteration["loss"]]))
"""
    read = """
import json, pickle, sys
import seqlab.compat
seqlab.compat.install()
with open(sys.argv[1], "rb") as file:
    crf = pickle.load(file)
X = json.loads(sys.argv[2])
print(json.dumps([type(crf).__module__, [list(one) for one in crf.predict(X)], crf.predict_marginals_single(X[0]),
                  crf.classes_, crf.training_log_.last_iteration["loss"], crf.c1]))
"""
    X, labels, marginals, classes, loss = run(write, tmp_path / "old.pickle")
    found = run(HIDDEN + read, tmp_path / "old.pickle", json.dumps(X))
    assert found[0] == "seqlab.compat.sklearn_crfsuite.estimator"
    assert found[1] == labels
    for one, other in zip(found[2], marginals, strict=True):
        assert one == pytest.approx(other)
    assert found[3:] == [classes, loss, 0.1]


def test_pickles_of_hmmlearn_load_where_it_is_absent(tmp_path):
    pytest.importorskip("hmmlearn")
    write = """
import json, logging, pickle, sys, warnings
import numpy as np
from hmmlearn import hmm, vhmm
warnings.simplefilter("ignore"); logging.disable(logging.CRITICAL)
rng = np.random.RandomState(0)
X, counts = rng.normal(size=(80, 2)), rng.randint(4, size=(80, 1))
made = [(hmm.GaussianHMM(2, kind, random_state=0).fit(X), X) for kind in ("full", "tied", "diag", "spherical")]
made += [(hmm.GMMHMM(2, 2, random_state=0).fit(X), X), (vhmm.VariationalGaussianHMM(2, random_state=0).fit(X), X)]
made += [(one(2, random_state=0).fit(counts), counts)
         for one in (hmm.CategoricalHMM, hmm.PoissonHMM, vhmm.VariationalCategoricalHMM)]
both = np.hstack([counts, 4 - counts])
made.append((hmm.MultinomialHMM(2, random_state=0).fit(both), both))
with open(sys.argv[1], "wb") as file:
    pickle.dump(made, file)
print(json.dumps([[model.score(rows), model.predict(rows).tolist()] for model, rows in made]))
"""
    read = """
import json, pickle, sys
import seqlab.compat
seqlab.compat.install()
with open(sys.argv[1], "rb") as file:
    made = pickle.load(file)
assert all(type(model).__module__.startswith("seqlab.compat.hmmlearn") for model, _ in made)
print(json.dumps([[model.score(rows), model.predict(rows).tolist()] for model, rows in made]))
"""
    before = run(write, tmp_path / "old.pickle")
    after = run(HIDDEN + read, tmp_path / "old.pickle")
    for (score, states), (old_score, old_states) in zip(after, before, strict=True):
        assert score == pytest.approx(old_score, rel=1e-9)
        assert states == old_states


@pytest.mark.parametrize("name", ["pycrfsuite", "sklearn_crfsuite", "nltk"])
def test_no_adapter_imports_its_original_or_scikit_learn(name):
    program = f"import json, sys, seqlab.compat.{name}\nprint(json.dumps(sorted(sys.modules)))"
    loaded = {module.partition(".")[0] for module in run(program)}
    assert loaded & {"pycrfsuite", "sklearn_crfsuite", "nltk", "sklearn"} == set()


def test_seqlab_imports_no_adapter():
    loaded = run("import json, sys, seqlab\nseqlab.CRF\nprint(json.dumps(sorted(sys.modules)))")
    assert [name for name in loaded if name.startswith("seqlab.compat")] == []

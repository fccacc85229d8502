"""The estimator behaves as that of sklearn-crfsuite, in scikit-learn's tools too."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from seqlab.compat.sklearn_crfsuite import CRF, metrics, scorers, utils
from seqlab.compat.sklearn_crfsuite.trainer import LinePerIterationTrainer
from seqlab.errors import NotFittedError, ShapeError

OPTIONS = [
    {},
    {"algorithm": "lbfgs", "c1": 0.1, "c2": 0.1, "max_iterations": 30, "all_possible_transitions": True},
    {"algorithm": "l2sgd", "max_iterations": 20, "calibration_eta": 0.2},
    {"algorithm": "ap", "max_iterations": 5},
    {"algorithm": "pa", "max_iterations": 5, "pa_type": 2, "c": 0.5, "error_sensitive": False},
    {"algorithm": "arow", "max_iterations": 5, "variance": 2.0, "gamma": 0.5},
]


@pytest.fixture(scope="module")
def crf(train):
    return CRF(c1=0.1, c2=0.1, max_iterations=40).fit(*train)


@pytest.mark.parametrize("options", OPTIONS)
def test_every_algorithm_learns_and_has_marginals(options, train, test):
    crf = CRF(**options).fit(*train)
    assert crf.score(*test) > 0.7
    for row in crf.predict_marginals_single(test[0][0]):
        assert list(row) == crf.classes_
        assert sum(row.values()) == pytest.approx(1)
    assert crf.training_log_.last_iteration["num"] == len(crf.training_log_.iterations)


def test_its_options_are_those_of_the_original():
    theirs = pytest.importorskip("sklearn_crfsuite")
    assert CRF().get_params() == theirs.CRF().get_params()


@pytest.mark.parametrize("options", OPTIONS[:2])
def test_it_agrees_with_the_original(options, train, test):
    theirs = pytest.importorskip("sklearn_crfsuite").CRF(**options).fit(*train)
    crf = CRF(**options).fit(*train)
    one, other = (utils.flatten(some.predict(test[0])) for some in (theirs, crf))
    assert np.mean([a == b for a, b in zip(one, other, strict=True)]) > 0.99
    assert crf.classes_ == theirs.classes_
    assert crf.score(*test) == pytest.approx(theirs.score(*test), abs=0.01)
    assert crf.training_log_.last_iteration["loss"] < 1.001 * theirs.training_log_.last_iteration["loss"]


def test_attributes_say_what_was_learned(crf):
    assert crf.num_attributes_ == len(crf.attributes_) == len(set(crf.attributes_))
    assert {name for name, _ in crf.state_features_} == set(crf.attributes_)
    assert {one for one, _ in crf.transition_features_} <= set(crf.classes_)
    assert crf.size_ == Path(crf.modelfile.name).stat().st_size
    assert crf.tagger_.labels() == crf.classes_


def test_before_fit_there_is_nothing():
    crf = CRF()
    assert [crf.tagger_, crf.classes_, crf.size_, crf.attributes_, crf.state_features_] == [None] * 5
    assert crf.training_log_ is crf.num_attributes_ is crf.transition_features_ is None
    with pytest.raises(NotFittedError):
        crf.predict([[{"a": 1}]])


def test_predictions_have_the_shape_of_the_original(crf):
    one, other = [{"lower": "the"}], [{"lower": "the"}] * 2
    assert crf.predict([one, one]).shape == (2, 1)
    assert crf.predict([one, other]).shape == (2,)
    assert crf.predict([]).shape == (0,)
    assert crf.predict_marginals([one, one]).shape == (2, 1)
    assert crf.predict([[], []]).tolist() == [[], []]
    assert list(crf.predict([other])[0]) == crf.predict_single(other)


def test_a_dev_set_is_for_the_log_only(train, test, capsys):
    crf = CRF(max_iterations=5, verbose=True).fit(*train, *test)
    told = capsys.readouterr().out
    assert "Iter 1 " in told
    assert "\nLabel      Precision    Recall     F1    Support\n-------  -----------  --------" in told
    assert crf.training_log_.last_iteration["item_accuracy_float"] == pytest.approx(crf.score(*test))
    assert crf.predict(test[0]).tolist() == CRF(max_iterations=5).fit(*train).predict(test[0]).tolist()
    with pytest.raises(ValueError, match="X_dev"):
        CRF().fit(*train, test[0])


def test_options_of_another_algorithm_are_refused_by_fit(train):
    with pytest.raises(ValueError, match="no parameter 'c1'"):
        CRF(algorithm="ap", c1=1).fit(*train)


def test_model_files_and_temporary_ones(train, test, tmp_path):
    name = str(tmp_path / "model.crfsuite")
    crf = CRF(max_iterations=5, model_filename=name).fit(*train)
    again = CRF(model_filename=name)
    assert again.predict(test[0]).tolist() == crf.predict(test[0]).tolist()
    kept = CRF(max_iterations=1, keep_tempfiles=True).fit(*train)
    path = Path(kept.modelfile.name)
    del kept
    assert path.exists()
    path.unlink()
    lost = CRF(max_iterations=1).fit(*train)
    path = Path(lost.modelfile.name)
    assert path.exists()
    del lost
    assert not path.exists()


def test_pickles_carry_the_model(crf, test):
    again = pickle.loads(pickle.dumps(crf))
    assert again.modelfile.name != crf.modelfile.name
    assert again.predict(test[0]).tolist() == crf.predict(test[0]).tolist()
    assert again.training_log_.last_iteration == crf.training_log_.last_iteration
    assert pickle.loads(pickle.dumps(CRF(c1=1))).get_params() == CRF(c1=1).get_params()


def test_a_trainer_of_ones_own(train):
    class Quiet(LinePerIterationTrainer):
        heard = 0

        def message(self, message):
            type(self).heard += 1
            super().message(message)

    CRF(max_iterations=1, trainer_cls=Quiet).fit(*train)
    assert Quiet.heard > 50


class Named(CRF):
    """An estimator with an option of its own, and without most of ours."""

    def __init__(self, name="names", c1=None):
        super().__init__(c1=c1, max_iterations=5)
        self.name = name


def test_a_subclass_with_options_of_its_own(train, test):
    crf = clone(Named("other", c1=0.5))
    assert (crf.name, crf.c1, crf.max_iterations) == ("other", 0.5, 5)
    assert crf.get_params() == {"name": "other", "c1": 0.5}
    assert len(crf.fit(*train).training_log_.iterations) <= 5
    assert pickle.loads(pickle.dumps(crf)).predict(test[0]).tolist() == crf.predict(test[0]).tolist()


def test_metrics():
    right, predicted = [["A", "B"], ["A", "A"]], [["A", "B"], ["A", "B"]]
    assert utils.flatten(right) == ["A", "B", "A", "A"]
    assert metrics.sequence_accuracy_score(right, predicted) == 0.5
    assert metrics.sequence_accuracy_score(right, np.array(predicted, dtype=object)) == 0.5
    assert metrics.sequence_accuracy_score([], []) == 0
    pytest.importorskip("sklearn")
    assert metrics.flat_accuracy_score(right, predicted) == 0.75
    assert metrics.flat_f1_score(right, predicted, average="micro") == pytest.approx(0.75)
    assert metrics.flat_precision_score(right, predicted, pos_label="B") == 0.5
    assert metrics.flat_recall_score(right, predicted, pos_label="B") == 1
    assert metrics.flat_fbeta_score(right, predicted, beta=2, pos_label="B") == pytest.approx(5 / 6)
    assert "precision" in metrics.flat_classification_report(right, predicted)
    with pytest.raises(ShapeError, match=r"^y_true has 1 sequences, but y_pred has 2$"):
        metrics.sequence_accuracy_score([["A"]], [["A"], ["B"]])


def test_tools_of_scikit_learn(train):
    base = pytest.importorskip("sklearn.base")
    from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_predict

    X, y = train[0][:30], train[1][:30]
    crf = CRF(max_iterations=5)
    assert base.clone(crf.fit(X, y)).get_params() == crf.get_params()
    search = GridSearchCV(crf, {"c1": [0, 0.1], "c2": [0.1]}, cv=2, scoring=scorers.flat_accuracy).fit(X, y)
    assert search.best_params_["c2"] == 0.1
    assert len(search.predict(X)) == 30
    space = {"c1": [0.0, 0.1, 0.2], "c2": [0.1, 1.0]}
    crf = CRF(max_iterations=5, all_possible_transitions=True)
    found = RandomizedSearchCV(crf, space, cv=2, n_iter=2, random_state=0, scoring=scorers.sequence_accuracy)
    assert 0 <= found.fit(X, y).best_score_ <= 1
    assert len(cross_val_predict(crf, X, y, cv=2)) == 30

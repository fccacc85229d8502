"""The estimator of sklearn-crfsuite."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from seqlab.compat.pycrfsuite import Tagger
from seqlab.compat.sklearn_crfsuite._fileresource import FileResource
from seqlab.compat.sklearn_crfsuite.metrics import flat_accuracy_score
from seqlab.compat.sklearn_crfsuite.trainer import LinePerIterationTrainer
from seqlab.tagging.sklearn import Estimator

# Options whose parameter has another name in CRFsuite.
PARAMETERS = {
    "min_freq": "feature.minfreq",
    "all_possible_states": "feature.possible_states",
    "all_possible_transitions": "feature.possible_transitions",
    "calibration_eta": "calibration.eta",
    "calibration_rate": "calibration.rate",
    "calibration_samples": "calibration.samples",
    "calibration_candidates": "calibration.candidates",
    "calibration_max_trials": "calibration.max_trials",
    "pa_type": "type",
}
OWN = frozenset({"algorithm", "verbose", "model_filename", "keep_tempfiles", "trainer_cls"})


class CRF(Estimator):
    """A linear-chain CRF with the options, methods and attributes of sklearn_crfsuite.CRF.

    algorithm                  "lbfgs" (None), "l2sgd", "ap", "pa" or "arow"
    min_freq                   rarer features get no weight
    all_possible_states        True for weights of every attribute with every label
    all_possible_transitions   True for weights of every pair of labels
    c1, c2                     strength of the L1 penalty (lbfgs) and of the L2 penalty (lbfgs, l2sgd)
    max_iterations             largest number of iterations or epochs
    num_memories               for L-BFGS: number of past steps
    epsilon, period, delta     stopping criteria
    linesearch, max_linesearch for L-BFGS; max_linesearch has no effect
    calibration_eta, calibration_rate, calibration_samples, calibration_candidates, calibration_max_trials
                               for l2sgd: how its learning rate is found
    pa_type, c, error_sensitive, averaging   for pa
    variance, gamma            for arow
    verbose                    True to print the log of training
    model_filename             path of the model file; None for a temporary file
    keep_tempfiles             True to keep the temporary file
    trainer_cls                class of the trainer; None for LinePerIterationTrainer

    None is CRFsuite's default; an option that the algorithm does not have is an error in fit().
    """

    algorithm: Any
    verbose: Any
    trainer_cls: Any

    def __init__(
        self,
        algorithm: Any = None,
        min_freq: Any = None,
        all_possible_states: Any = None,
        all_possible_transitions: Any = None,
        c1: Any = None,
        c2: Any = None,
        max_iterations: Any = None,
        num_memories: Any = None,
        epsilon: Any = None,
        period: Any = None,
        delta: Any = None,
        linesearch: Any = None,
        max_linesearch: Any = None,
        calibration_eta: Any = None,
        calibration_rate: Any = None,
        calibration_samples: Any = None,
        calibration_candidates: Any = None,
        calibration_max_trials: Any = None,
        pa_type: Any = None,
        c: Any = None,
        error_sensitive: Any = None,
        averaging: Any = None,
        variance: Any = None,
        gamma: Any = None,
        verbose: Any = False,  # noqa: FBT002 - their signature
        model_filename: Any = None,
        keep_tempfiles: Any = False,  # noqa: FBT002 - as above
        trainer_cls: Any = None,
    ) -> None:
        given = dict(locals())
        for name in CRF._option_names():  # not those of a subclass
            setattr(self, name, given[name])
        self.modelfile = FileResource(model_filename, keep_tempfiles, ".crfsuite", "model")
        self.training_log_: Any = None
        self._tagger: Tagger | None = None
        self._info_cached: Any = None

    def fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> Self:
        """Train on sequences X of features and y of labels.

        X, y           for each sequence a list with the features of each item, and a list of labels
        X_dev, y_dev   sequences and labels on which every iteration is evaluated, for the log
        """
        if (X_dev is None) != (y_dev is None):
            raise ValueError("X_dev and y_dev belong together: pass both, or none")
        if self._tagger is not None:
            self._tagger.close()
        self._tagger = self._info_cached = None
        self.modelfile.refresh()
        trainer = self._get_trainer()
        for x, labels in self._loading(zip(X, y, strict=False), "training"):
            trainer.append(x, labels)
        if X_dev is not None:
            for x, labels in self._loading(zip(X_dev, y_dev, strict=False), "dev"):
                trainer.append(x, labels, 1)
        trainer.train(self.modelfile.name, holdout=-1 if X_dev is None else 1)
        self.training_log_ = trainer.logparser
        return self

    def _loading(self, pairs: Iterable[Any], what: str) -> Iterator[Any]:
        count = 0
        for pair in pairs:
            count += 1
            yield pair
        if self.verbose:
            sys.stderr.write(f"loading {what} data to CRFsuite: {count} sequences\n")
            print()

    def _get_trainer(self) -> Any:
        options = {name: getattr(self, name) for name in CRF._option_names() if name not in OWN}
        params = {PARAMETERS.get(name, name): value for name, value in options.items() if value is not None}
        made = self.trainer_cls or LinePerIterationTrainer
        return made(algorithm=self.algorithm, params=params, verbose=self.verbose)

    # ------------------------------------------------------------------------------------------ answers

    def predict(self, X: Any) -> npt.NDArray[np.object_]:
        """Predict labels: an array of lists, two-dimensional if all sequences are equally long; X as for fit."""
        return np.array(self._asked("predict").tag_all(X), dtype=object)

    def predict_single(self, xseq: Any) -> list[str]:
        """Predict the labels of one sequence xseq of features."""
        return self._asked("predict_single").tag(xseq)

    def predict_marginals(self, X: Any) -> npt.NDArray[np.object_]:
        """Compute for every item a dict from labels to probabilities, shaped as by predict; X as for fit."""
        return np.array([self.predict_marginals_single(x) for x in X], dtype=object)

    def predict_marginals_single(self, xseq: Any) -> list[dict[str, float]]:
        """Compute for every item of one sequence xseq of features a dict from labels to probabilities."""
        return self._asked("predict_marginals_single").marginals(xseq)

    def score(self, X: Any, y: Any) -> float:
        """Compute the accuracy over items; X, y as for fit."""
        return float(flat_accuracy_score(y, self.predict(X)))

    def _asked(self, question: str) -> Tagger:
        self._check_fitted(question)
        tagger = self.tagger_
        if tagger is None:
            raise AssertionError("a fitted CRF has a tagger")
        return tagger

    def _fitted(self) -> bool:
        file = vars(self).get("modelfile")
        return file is not None and file.name is not None

    # ------------------------------------------------------------------------------------------ what it has learned

    @property
    def tagger_(self) -> Tagger | None:
        """The Tagger of the model; None before fit."""
        if self._tagger is None and self.modelfile.name is not None:
            tagger = Tagger()
            tagger.open(self.modelfile.name)
            self._tagger, self._info_cached = tagger, None
        return self._tagger

    @property
    def classes_(self) -> list[str] | None:
        """The labels; None before fit."""
        return None if self.tagger_ is None else self.tagger_.labels()

    @property
    def _info(self) -> Any:
        if self._info_cached is None and self.tagger_ is not None:
            self._info_cached = self.tagger_.info()
        return self._info_cached

    @property
    def size_(self) -> int | None:
        """The size of the model file in bytes; None before fit."""
        return None if self._info is None else int(self._info.header["size"])

    @property
    def num_attributes_(self) -> int | None:
        """The number of attributes with a weight; None before fit."""
        return None if self._info is None else int(self._info.header["num_attrs"])

    @property
    def attributes_(self) -> list[str] | None:
        """The attributes with a weight, by number; None before fit."""
        return None if self._info is None else list(self._info.attributes)

    @property
    def state_features_(self) -> Any:
        """Weights by (attribute, label); None before fit."""
        return None if self._info is None else self._info.state_features

    @property
    def transition_features_(self) -> Any:
        """Weights by (from, to); None before fit."""
        return None if self._info is None else self._info.transitions

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_tagger": None, "_info_cached": None}

"""`python -m benchmarks.quality.stops`: what later iterations are worth, on sentences that training has not seen.

Each corpus is trained with the features of the tutorial (benchmarks/speed/tutorial.py) until the objective falls by
less than 1e-6 of itself in ten iterations. The rows say where training would have ended for each `delta`, and the score
on development sentences there. No test set is opened: for CoNLL-2000 the last tenth of train is held out.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from benchmarks.speed import data, tutorial
from benchmarks.speed.table import Table
from seqlab import CRF, LBFGS, Corpus
from seqlab.errors import ConvergenceWarning
from seqlab.learning.history import Epoch

CONVERGED = 1e-6
DELTAS = (1e-3, 5e-4, 3e-4, 1e-4, 1e-5, CONVERGED)
PENALTIES = ((0.1, 0.1), (0.0, 0.1))  # l1, l2
PERIOD = 10


def split(subject: tutorial.Subject) -> tuple[Corpus, Corpus] | None:
    """Sentences to train on, and others to score; None without the corpus."""
    train, dev = subject.corpus(subject.train), subject.corpus(subject.more)
    if train is None or dev is None:
        return None
    if "test" in subject.more:
        cut = len(train) * 9 // 10
        return train[:cut], train[cut:]
    return train, dev


def course(subject: tutorial.Subject, train: Corpus, dev: Corpus, l1: float, l2: float) -> list[Epoch]:
    """The epochs of a training to convergence, each with its score on `dev`."""
    sides = [(tutorial.dicts(one, subject.seen), one.column(subject.label)) for one in (train, dev)]
    learner = LBFGS(l1=l1, l2=l2, delta=CONVERGED, period=PERIOD, max_iterations=3000)
    crf = CRF(None, learner, transitions="all", threads=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        crf.fit(*sides[0], dev=sides[1])
    return list(crf.history_.epochs)


def stop(epochs: Sequence[Epoch], delta: float) -> Epoch:
    """Where training ends with this delta (eq:stopping)."""
    for before, now in zip(epochs, epochs[PERIOD:], strict=False):
        if before.objective - now.objective < delta * abs(now.objective):
            return now
    return epochs[-1]


def shown(epoch: Epoch) -> str:
    return f"{100 * epoch.dev_score:.2f} ({epoch.iteration})"


def main() -> int:
    rows = []
    for subject in tutorial.SUBJECTS:
        sides = split(subject)
        if sides is None:
            print(data.absent(subject.name))
            continue
        for l1, l2 in PENALTIES:
            epochs = course(subject, *sides, l1, l2)
            rows.append((f"{subject.name}, l1={l1:g}, l2={l2:g}", *(shown(stop(epochs, d)) for d in DELTAS)))
            print(*rows[-1], sep="  ", flush=True)
    header = ("score (iterations) by delta", *(f"{delta:g}" for delta in DELTAS))
    print()
    print(Table("Development scores at the stops", header, tuple(rows)).text())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

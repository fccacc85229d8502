"""ConvergenceMonitor: the log-likelihood of each iteration, and when to stop."""

from __future__ import annotations

import logging
import math
import sys
from collections import deque

log = logging.getLogger("hmmlearn.base")  # programs that silence hmmlearn do it by this name
SLACK = float(2**-26)  # the square root of the machine epsilon: a fall that may be rounding


class ConvergenceMonitor:
    """Keep the log-likelihoods of a training, and say when it has converged.

    tol       stop when an iteration gains less
    n_iter    iterations at most
    verbose   True for a line on standard error after each iteration

    history   log-likelihoods so far (deque)
    iter      iterations so far

    A subclass with a `converged` of its own is set as model.monitor_ before fit.
    """

    _template = "{iter:>10d} {log_prob:>16.8f} {delta:>+16.8f}"

    def __init__(self, tol: float, n_iter: int, verbose: bool) -> None:
        self.tol = tol
        self.n_iter = n_iter
        self.verbose = verbose
        self.history: deque[float] = deque()
        self.iter = 0

    def __repr__(self) -> str:
        told = vars(self) | {"history": list(self.history)}
        lines = "".join(f"    {name}={told[name]},\n" for name in sorted(told))
        return f"{type(self).__name__}(\n{lines})"

    def _reset(self) -> None:
        self.iter = 0
        self.history.clear()

    def report(self, log_prob: float) -> None:
        """Add the log-likelihood (log_prob) of an iteration; log a warning when it fell."""
        delta = log_prob - self.history[-1] if self.history else math.nan
        if self.verbose:
            line = self._template.format(iter=self.iter + 1, log_prob=log_prob, delta=delta)
            sys.stderr.write(line + "\n")
        if delta < -SLACK:
            log.warning(
                "not converging: the log-likelihood fell from %s to %s, by %s",
                self.history[-1],
                log_prob,
                -delta,
            )
        self.history.append(log_prob)
        self.iter += 1

    @property
    def converged(self) -> bool:
        """True after n_iter iterations, or when the last one gained less than tol."""
        settled = len(self.history) > 1 and self.history[-1] - self.history[-2] < self.tol
        return self.iter == self.n_iter or settled

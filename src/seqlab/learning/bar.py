"""Progress on a terminal, when asked for."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from seqlab.learning.history import Epoch


class Bar:
    """One line on standard error that is written anew after every epoch; plain lines where there is no terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._began = time.perf_counter()
        self._width = 0

    def advance(self, epoch: Epoch) -> None:
        """Show an epoch."""
        text = self.line(epoch)
        if self._stream.isatty():
            self._stream.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def line(self, epoch: Epoch) -> str:
        """What is shown of it."""
        parts = [f"iteration {epoch.iteration:>4}"]
        if epoch.objective is not None:
            parts.append(f"objective {epoch.objective:.6g}")
        if epoch.gradient_norm is not None:
            parts.append(f"gradient {epoch.gradient_norm:.3g}")
        if epoch.active is not None:
            parts.append(f"active {epoch.active}")
        if epoch.dev_score is not None:
            parts.append(f"dev {epoch.dev_score:.4f}")
        parts.append(f"{time.perf_counter() - self._began:.1f} s")
        return "  ".join(parts)

    def end(self) -> None:
        """Leave the line behind."""
        if self._stream.isatty() and self._width:
            self._stream.write("\n")
            self._stream.flush()

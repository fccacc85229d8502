"""A trainer that prints one line for each iteration."""

from __future__ import annotations

from typing import Any

from seqlab.compat.pycrfsuite import Trainer

__all__ = ["LinePerIterationTrainer", "Trainer"]
COLUMNS = ("Label", "Precision", "Recall", "F1", "Support")


class LinePerIterationTrainer(Trainer):
    """A trainer that prints one line for each iteration, and a table of the holdout scores at the end.

    algorithm, params, verbose   as for Trainer
    """

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:  # noqa: ARG002 - their signature
        """Print the numbers of an iteration on one line, instead of its log."""
        parts = [f"Iter {info['num']:<3} ", f"time={info['time']:<5.2f} ", f"loss={info['loss']:<8.2f} "]
        if "active_features" in info:
            parts.append(f"active={info['active_features']:<5} ")
        if "avg_precision" in info:
            means = (("precision", "avg_precision"), ("recall", "avg_recall"), ("F1", "avg_f1"))
            parts += [f"{name}={info[key]:0.3f}  " for name, key in means]
            items, whole = info["item_accuracy_float"], info["instance_accuracy_float"]
            parts.append(f"Acc(item/seq)={items:0.3f} {whole:0.3f}  ")
        if "feature_norm" in info:
            parts.append(f"feature_norm={info['feature_norm']:<8.2f}")
        print("".join(parts).strip())

    def on_optimization_end(self, log: str) -> None:
        """Print the table of the last iteration, if there was a holdout group, and the log."""
        last = self.logparser.last_iteration or {}
        if last.get("scores"):
            lines = _table(last["scores"])
            print("=" * len(lines[0]), *lines, "-" * len(lines[0]), sep="\n")
        super().on_optimization_end(log)


def _table(scores: dict[str, Any]) -> list[str]:
    """Lay out a table of scores by label, with right-aligned numbers."""
    rows = [
        (label, *(f"{number or 0:0.3f}" for number in (one.precision, one.recall, one.f1)), str(one.ref))
        for label, one in sorted(scores.items())
    ]
    widths = [max(len(head) + 2, *map(len, cells)) for head, *cells in zip(COLUMNS, *rows, strict=True)]

    def line(cells: tuple[str, ...]) -> str:
        first, *others = zip(cells, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)])

    return [line(COLUMNS), "  ".join("-" * width for width in widths), *map(line, rows)]

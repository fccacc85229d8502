"""`python -m benchmarks.quality`: train with presets and defaults, score every test set once, print the table.

Nothing is chosen by looking at test sets. Whoever tunes says --dev, and then no test set is read: figures are those of
the development sets (for CoNLL-2000, of the last tenth of train), with any penalty (--l1, --l2).
"""

from __future__ import annotations

import argparse
import datetime as dt
import multiprocessing
import os
import sys
from collections.abc import Sequence
from functools import partial

from benchmarks import pages
from benchmarks.quality import exams, scores, sides
from benchmarks.speed import data, machine, record
from benchmarks.speed.figure import Figure
from seqlab import LBFGS, inference

QUICK_SENTENCES = 200


def main(words: Sequence[str] | None = None) -> int:
    options = parse(words)
    run, figures = describe_run(), examine(options)
    table = scores.table(figures, part="dev" if options.dev else "test")
    if table is None:
        return 0
    print(table.text())
    partial_run = options.quick or options.dev or options.only or options.alone
    if not partial_run and len(figures) == len(exams.EXAMS):  # what is recorded is whole
        record.append(run, figures, scores.RESULTS)
        pages.write()
    return 0


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    names = [exam.name for exam in exams.EXAMS]
    parser.add_argument("--only", choices=names, action="append", help="this corpus only; may be repeated")
    parser.add_argument("--dev", action="store_true", help="score development sets; test sets stay closed")
    parser.add_argument("--l1", type=float, help="another penalty, with --dev only")
    parser.add_argument("--l2", type=float, help="as --l1")
    parser.add_argument("--alone", action="store_true", help="without the peers beside it, nothing recorded")
    parser.add_argument("--fresh", action="store_true", help="train CRFsuite anew")
    parser.add_argument("--quick", action="store_true", help="few sentences, nothing recorded: does it run?")
    options = parser.parse_args(words)
    if (options.l1 is not None or options.l2 is not None) and not options.dev:
        parser.error("--l1 and --l2 are for tuning, which wants --dev: test sets see the defaults only")
    return options


def examine(options: argparse.Namespace) -> list[Figure]:
    """All exams that are asked for, two at a time where there are two cores."""
    chosen = [exam for exam in exams.EXAMS if not options.only or exam.name in options.only]
    stored = [] if options.fresh else [figure for _, figure in record.read(scores.RESULTS)]
    one = partial(figure_of, options=options, stored=stored)
    if len(chosen) < 2 or sys.platform != "linux":
        return [figure for figure in map(one, chosen) if figure]
    with multiprocessing.get_context("fork").Pool(min(2, os.cpu_count() or 1)) as pool:
        return [figure for figure in pool.map(one, chosen, chunksize=1) if figure]


def figure_of(exam: exams.Exam, *, options: argparse.Namespace, stored: Sequence[Figure]) -> Figure | None:
    """Both sides of one exam; None without its corpus."""
    if not exam.found():
        print(data.absent(exam.name))
        return None
    asked = {"l1": options.l1, "l2": options.l2}
    learner = LBFGS(**{name: value for name, value in asked.items() if value is not None})
    sentences = QUICK_SENTENCES if options.quick else None
    train = exam.training(for_dev=options.dev, sentences=sentences)
    test = exam.corpus("dev" if options.dev else "test", sentences=sentences)
    mine = sides.ours(exam, train, test, learner)
    peer = None if options.alone else sides.theirs(exam, train, test, stored)
    print(scores.line(exam, mine, peer), flush=True)
    return scores.figure(exam, mine, peer, input_hash=scores.input_hash(train, test))


def describe_run() -> record.Run:
    return record.Run(
        date=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        commit=machine.commit(),
        command="make quality",
        kernel=inference.kernel(),
        machine=machine.machine(None),
        versions=machine.versions("seqlab", "numpy", "python-crfsuite", "nltk"),
    )


if __name__ == "__main__":
    sys.exit(main())

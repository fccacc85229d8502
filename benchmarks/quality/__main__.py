"""`python -m benchmarks.quality`: train with presets and defaults, score every test set once, print the table.

Nothing is chosen by looking at test sets. Whoever tunes says --dev, and then no test set is read: figures are those of
the development sets (for CoNLL-2000, of the last tenth of train), with any penalty (--l1, --l2).
"""

from __future__ import annotations

import argparse
import datetime as dt
import sys
from collections.abc import Sequence

from benchmarks.quality import exams, scores, sides
from benchmarks.speed import data, machine, readme, record
from benchmarks.speed.figure import Figure
from seqlab import LBFGS, inference

RESULTS = machine.ROOT / "benchmarks" / "results" / "quality.jsonl"
README = machine.ROOT / "README.md"
MARKERS = ("<!-- quality:begin -->", "<!-- quality:end -->")
QUICK_SENTENCES = 200


def main(words: Sequence[str] | None = None) -> int:
    options = parse(words)
    if options.last:
        found = record.last_run(record.read(RESULTS))
        if found is None:
            print("no results yet: run without --last first", file=sys.stderr)
            return 1
        run, figures = found
    else:
        run, figures = describe_run(), examine(options)
        if not (options.quick or options.dev or options.only):  # what is recorded is whole
            record.append(run, figures, RESULTS)
    table = scores.table(figures, part="dev" if options.dev else "test")
    if table is None:
        return 0
    print(table.text())
    if options.readme:
        readme.write(README, run, [table], sentence=scores.provenance(run), markers=MARKERS)
        print(f"table written to {README.name}")
    return 0


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    names = [exam.name for exam in exams.EXAMS]
    parser.add_argument("--only", choices=names, action="append", help="this corpus only; may be repeated")
    parser.add_argument("--dev", action="store_true", help="score development sets; test sets stay closed")
    parser.add_argument("--l1", type=float, help="another penalty, with --dev only")
    parser.add_argument("--l2", type=float, help="as --l1")
    parser.add_argument("--alone", action="store_true", help="without the peers beside it")
    parser.add_argument("--fresh", action="store_true", help="train CRFsuite anew, some minutes")
    parser.add_argument("--quick", action="store_true", help="few sentences, nothing recorded: does it run?")
    parser.add_argument("--readme", action="store_true", help="put the table into README.md")
    parser.add_argument("--last", action="store_true", help="do not measure: take the last full run recorded")
    options = parser.parse_args(words)
    if (options.l1 is not None or options.l2 is not None) and not options.dev:
        parser.error("--l1 and --l2 are for tuning, which wants --dev: test sets see the defaults only")
    if options.readme and (options.quick or options.only or options.dev or options.alone):
        parser.error("--readme wants a full run: leave out --quick, --only, --dev and --alone")
    return options


def examine(options: argparse.Namespace) -> list[Figure]:
    asked = {"l1": options.l1, "l2": options.l2}
    learner = LBFGS(**{name: value for name, value in asked.items() if value is not None})
    sentences = QUICK_SENTENCES if options.quick else None
    figures = []
    for exam in exams.EXAMS:
        if options.only and exam.name not in options.only:
            continue
        if not exam.found():
            print(data.absent(exam.name))
            continue
        train = exam.training(for_dev=options.dev, sentences=sentences)
        test = exam.corpus("dev" if options.dev else "test", sentences=sentences)
        mine = sides.ours(exam, train, test, learner)
        peer = None if options.alone else sides.theirs(exam, train, test, fresh=options.fresh)
        figures.append(scores.figure(exam, mine, peer, input_hash=scores.input_hash(train, test)))
        print(scores.line(exam, mine, peer), flush=True)
    return figures


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

"""`python -m benchmarks.quality.tokens`: tokens and sentences of raw text, beside UDPipe 1 trained on the same.

All learn from the train part of UD English EWT; the text is that of its comments, paragraphs with an empty line between
them. The test part is read once; --dev scores the development part instead and records nothing. UDPipe is run by the
Python of SEQLAB_UDPIPE, if that is set: it must have ufal.udpipe.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed import data, machine, record, text
from benchmarks.speed.figure import Figure, Peer
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.table import Table, number
from seqlab import Document, RuleTokeniser, TrainedTokeniser, inference
from seqlab.evaluation import SegmentationReport, score_segmentation
from seqlab.text import read_conllu

CASE = "tokens"
RESULTS = machine.ROOT / "benchmarks" / "results" / "text.jsonl"
EWT = {part: f"ud-en-ewt/{part}.conllu" for part in ("train", "dev", "test")}
UDPIPE = Path(__file__).with_name("udpipe.py")
PARTS = ("tokens", "words", "sentences")
AIMS = {"words": 99.2, "sentences": 80.0}


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.tokens", description=__doc__)
    parser.add_argument(
        "--dev", action="store_true", help="score the development part; the test part stays closed"
    )
    parser.add_argument("--alone", action="store_true", help="without UDPipe, nothing recorded")
    parser.add_argument(
        "--udpipe", default="", help="a model of UDPipe that was trained before; the note says so"
    )
    options = parser.parse_args(words)
    paths = {part: data.found(name) for part, name in EWT.items()}
    if None in paths.values():
        print(data.absent(CASE))
        return 0
    run = described()
    figures = examined(
        paths, part="dev" if options.dev else "test", alone=options.alone, ready=options.udpipe
    )
    print(table(figures).text())
    if not options.dev and not options.alone:
        record.append(run, figures, RESULTS)
        from benchmarks import pages

        pages.write()
    return 0


def examined(paths: dict[str, Any], *, part: str, alone: bool, ready: str) -> list[Figure]:
    """Train, cut, score and time."""
    gold = read_conllu(paths[part])
    began = time.process_time()
    trained = TrainedTokeniser.train(paths["train"], threads=1)
    seconds = time.process_time() - began
    rules = RuleTokeniser(split_hyphens=True)
    texts = [one.text for one in gold]
    found = {
        "rules": score_segmentation(gold, [rules(one) for one in texts]),
        "trained": score_segmentation(gold, [trained(one) for one in texts]),
    }
    peer, told = (None, {}) if alone else beside(paths, gold, ready)
    input_hash = hash_of(np.concatenate([one.begins for one in gold]))
    figures = [
        _figure(who, what, report, peer, input_hash, {"seconds": seconds, **told})
        for who, report in found.items()
        for what in PARTS
    ]
    return figures + text.figures({"rules": rules, "trained": trained}, texts, input_hash=input_hash)


def _figure(
    who: str, what: str, report: SegmentationReport, peer: Any, input_hash: str, details: dict[str, Any]
) -> Figure:
    value = 100 * getattr(report, what).f1
    other = None if peer is None else Peer("UDPipe 1", 100 * getattr(peer, what).f1, 0.0, 1)
    aim = AIMS.get(what)
    return Figure(
        CASE, f"{who}, {what}", "F1", value, 0.0, 1, input_hash, peer=other, details={**details, "aim": aim}
    )


def beside(
    paths: dict[str, Any], gold: list[Document], ready: str
) -> tuple[SegmentationReport, dict[str, Any]]:
    """Train UDPipe on the same sentences, or take one that was, and score its tokens."""
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder) / "texts.json"
        texts.write_text(json.dumps([one.text for one in gold]), encoding="utf-8")
        python = os.environ.get("SEQLAB_UDPIPE", sys.executable)
        command = [python, str(UDPIPE), str(paths["train"]), str(paths["dev"]), str(texts)]
        command += [str(Path(ready).resolve())] if ready else []
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
        )
    told = json.loads(done.stdout)
    documents = []
    for one, sentences in zip(gold, told.pop("documents"), strict=True):
        made = Document.from_offsets(one.text, [[(b, e) for b, e, _ in rows] for rows in sentences])
        joined = np.array([part for rows in sentences for *_, part in rows], dtype=bool)
        documents.append(replace(made, joined=joined))
    return score_segmentation(gold, documents), {f"peer_{name}": value for name, value in told.items()}


def table(figures: Sequence[Figure]) -> Table:
    """One row for each kind of part, and one for the speed."""
    known = {(one.case, one.name): one for one in figures}
    rows = []
    for what in PARTS:
        trained, rules = known[CASE, f"trained, {what}"], known[CASE, f"rules, {what}"]
        star = " *" if trained.details["aim"] and trained.median < trained.details["aim"] else ""
        cells = (rules.median, None if trained.peer is None else trained.peer.median, trained.median)
        shown = ["-" if one is None else f"{one:.2f}" for one in cells]
        aim = trained.details["aim"]
        rows.append((f"{what}, F1", *shown[:2], shown[2] + star, "-" if aim is None else f"{aim:.1f}"))
    speeds = [known[text.CASE, name].median for name in ("rules", "trained")]
    peer = known[CASE, "trained, words"].details.get("peer_rate")
    cells = (number(speeds[0]), "-" if peer is None else number(peer), number(speeds[1]))
    rows.append(
        ("million characters/s", *cells, f"{text.AT_LEAST['rules']:.0f} and {text.AT_LEAST['trained']:.0f}")
    )
    details = known[CASE, "trained, words"].details
    same = details.get("peer_seconds") is not None
    when = "in the same run" if same else "UDPipe in an earlier run on the same day"
    return Table(
        title="Tokens and sentences of raw text",
        header=("", "rules", "UDPipe 1", "trained", "aim"),
        rows=tuple(rows),
        note="UD English EWT, test part, by places as in the CoNLL 2018 shared task; tokens and words differ by "
        "multiword tokens (don't). UDPipe 1 and our trained tokeniser have learned from the same train part, "
        f"{when}; UDPipe has chosen its epoch on the development part. CPU time of one thread. A star: below the aim.",
    )


def described() -> record.Run:
    return record.Run(
        date=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        commit=machine.commit(),
        command="python -m benchmarks.quality.tokens",
        kernel=inference.kernel(),
        machine=machine.machine(None),
        versions=machine.versions("seqlab", "numpy"),
    )


if __name__ == "__main__":
    sys.exit(main())

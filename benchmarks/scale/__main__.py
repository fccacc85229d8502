"""`python -m benchmarks.scale`: out of core beside in memory, and peak memory under a limit; appends to the results."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.scale import corpora
from benchmarks.speed import machine, record
from benchmarks.speed.figure import Figure, Peer
from seqlab import inference

RESULTS = machine.ROOT / "benchmarks" / "results" / "scale.jsonl"
CASES = ("time", "memory")


def main(words: list[str] | None = None) -> int:
    options = parse(words)
    run = record.Run(
        date=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        commit=machine.commit(),
        command="python -m benchmarks.scale",
        kernel=inference.kernel(),
        machine=machine.machine(None),
        versions=machine.versions("seqlab", "numpy"),
    )
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        for case in options.only or CASES:
            figures.append((time if case == "time" else memory)(Path(name), options))
            print(shown(figures[-1]), flush=True)
    if not options.quick:
        record.append(run, figures, RESULTS)
        print(f"appended to {RESULTS.relative_to(machine.ROOT)}")
    return 0


def parse(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--only", choices=CASES, action="append", help="this figure only; may be repeated")
    parser.add_argument("--tokens", type=float, default=5e6, help="of the corpus that fits memory")
    parser.add_argument("--large", type=float, default=50e6, help="tokens of the corpus that does not")
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--limit", default="1G", help="max_memory of the large corpus")
    parser.add_argument("--time-limit", default="3G", help="max_memory of the other: weights alone take 2 GB")
    parser.add_argument("--folder", help="for the corpora and the cache (default: the temporary folder)")
    parser.add_argument("--quick", action="store_true", help="a hundredth of the tokens, nothing recorded")
    options = parser.parse_args(words)
    if options.quick:
        options.tokens, options.large, options.iterations = options.tokens / 100, options.large / 100, 5
    return options


def side(
    path: Path | str, learner: dict[str, int], limit: str, cache: Path, min_count: int = 1
) -> dict[str, Any]:
    """Run one training in a process of its own."""
    words = [str(path), json.dumps(learner), limit, str(cache), str(min_count)]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scale.side", *words],
        cwd=machine.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"a side failed:\n{done.stderr}")
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def time(folder: Path, options: argparse.Namespace) -> Figure:
    """Time a training out of core beside the same in memory; both make the same model."""
    path = corpora.write(folder / "time.txt.gz", int(options.tokens))
    learner = {"max_iterations": options.iterations}
    near, far = side(path, learner, "", folder), side(path, learner, options.time_limit, folder / "cache")
    if near["model"] != far["model"]:
        raise SystemExit("the two models differ")
    on_disk = sum(one.stat().st_size for one in (folder / "cache").rglob("*.shard"))
    return Figure(
        case="scale",
        name="out of core",
        unit="s",
        median=far["cpu_seconds"],
        spread=0.0,
        repetitions=1,
        input_hash=f"demo {int(options.tokens)}",
        at_least=1 / 1.3,
        peer=Peer("in memory", near["cpu_seconds"], 0.0, 1),
        details={
            "near": near,
            "far": far,
            "limit": options.time_limit,
            "wall": round(far["seconds"] / near["seconds"], 3),
            "tokens": int(options.tokens),
            "iterations": options.iterations,
            "bytes a token": round(on_disk / options.tokens, 1),
        },
    )


def memory(folder: Path, options: argparse.Namespace) -> Figure:
    """Measure the peak memory of a training whose data need many times the limit."""
    path = f"made:{int(options.large)}:2:1.6"
    learner = {
        "max_iterations": min(options.iterations, 2),
        "memory": 10,
        "start_epochs": 1,
    }  # few passes are enough
    far = side(path, learner, options.limit, folder / "large", min_count=10)
    from seqlab.scale.sizes import bytes_of

    return Figure(
        case="scale",
        name="peak memory",
        unit="MB",
        median=far["peak"] / 2**20,
        spread=0.0,
        repetitions=1,
        input_hash=f"demo {int(options.large)}",
        at_most=bytes_of(options.limit) / 2**20,
        details={"far": far, "limit": options.limit, "tokens": int(options.large), "learner": learner},
    )


def shown(figure: Figure) -> str:
    """Format a figure in a line."""
    text = f"{figure.name:<14} {figure.median:>8.1f} {figure.unit}"
    if figure.peer is not None:
        ratio = figure.median / figure.peer.median
        text += f", {figure.peer.name} {figure.peer.median:.1f} {figure.unit}: {ratio:.2f}x"
    if figure.at_most is not None:
        text += f", limit {figure.at_most:.0f} {figure.unit}"
    return f"{text}   {json.dumps(dict(figure.details))}"


if __name__ == "__main__":
    sys.exit(main())

"""Options of commands that run on a Dask cluster, and files that are labelled there."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seqlab.cli import parsing
from seqlab.cli.parsing import Group, option, whole
from seqlab.errors import OptionError

OPTIONS = Group(
    "a cluster (Dask; docs/guide/scale.md)",
    option("--scheduler ADDRESS", "of a running one: tcp://host:port or tls://host:port"),
    option("--workers N", "instead: start so many processes on this machine", whole(1)),
    option("--tls-ca --tls-ca-file FILE", "of tls://: certificate of the authority", reads=True),
    option("--tls-cert FILE", "our certificate", reads=True),
    option("--tls-key FILE", "its key", reads=True),
    option("--dashboard", "with --workers: Dask's web page, for this machine only", default=None),
)


def asked(settings: argparse.Namespace) -> bool:
    """Return True if a cluster was asked for; refuse options that belong to another way."""
    scheduler, workers = settings.scheduler, settings.workers
    if scheduler is not None and workers is not None:
        raise OptionError("--scheduler names a cluster, and --workers starts one; pass one of them")
    if scheduler is None:
        parsing.refuse(settings, ["tls_ca", "tls_cert", "tls_key"], "is for a --scheduler tls://...")
    if workers is None:
        parsing.refuse(settings, ["dashboard"], "is for a cluster that --workers starts")
    return scheduler is not None or workers is not None


@contextlib.contextmanager
def client_of(settings: argparse.Namespace) -> Iterator[Any]:
    """Open the cluster that was asked for; None without one."""
    from seqlab import scale

    if not asked(settings):
        yield None
    elif settings.workers is not None:
        with scale.local_cluster(settings.workers, dashboard=bool(settings.dashboard)) as client:
            yield client
    else:
        tls = {"ca": settings.tls_ca, "cert": settings.tls_cert, "key": settings.tls_key}
        with scale.connect(settings.scheduler, **tls) as client:
            yield client


def tag_files(arguments: argparse.Namespace) -> None:
    """Label files on a cluster, each into a file of its name in the folder of --output-dir."""
    from seqlab.cli.terminal import file_progress
    from seqlab.scale.bulk import check_targets, make_folder, opened
    from seqlab.scale.cluster.files import spread

    if arguments.output_dir is None:
        raise OptionError(
            "a cluster writes a file for each it reads; name their folder with --output-dir DIR"
        )
    if arguments.output != "-" or arguments.sentence is not None or not arguments.files:
        raise OptionError(
            "a cluster labels files into --output-dir; leave -o and --sentence out, and name files"
        )
    sources = [str(Path(one).resolve()) for one in arguments.files]
    folder = Path(arguments.output_dir).resolve()
    made = [folder / Path(one).name for one in sources]
    check_targets(sources, made)
    opened(arguments.model)  # before anything is written
    make_folder(folder)
    plain = {name: value for name, value in vars(arguments).items() if name not in ("parser", "run")}
    plain |= {"model": str(Path(arguments.model).resolve()), "threads": 1, "quiet": True}
    jobs = [(source, str(goal), plain) for source, goal in zip(sources, made, strict=True)]
    with client_of(arguments) as client, file_progress(quiet=arguments.quiet) as screen:
        screen.step("tagging", len(jobs))
        for _ in spread(tag_file, jobs, client):
            screen.advance(1)


def tag_file(source: str, target: str, plain: dict[str, Any]) -> None:
    """Label one file as `seqlab tag` does, on a worker; its model is opened once in a process."""
    from seqlab.cli.tag import tagged
    from seqlab.corpus.io.writer import opened_target
    from seqlab.scale.bulk import opened

    arguments = argparse.Namespace(**plain)
    with opened_target(target) as put:
        for piece in tagged(opened(arguments.model), [source], arguments):
            put(piece)

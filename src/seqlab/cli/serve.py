"""`seqlab serve`: a page and an HTTP service for models."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from seqlab.cli.parsing import JSON, Group, number, option, whole
from seqlab.cli.terminal import print_json
from seqlab.errors import OptionError

USAGE = "MODEL [MODEL ...]"
DESCRIPTION = """\
Open a local page that shows how models think, and answer programs over HTTP: POST /v1/tag,
/v1/nbest, /v1/posterior, /v1/explain, /v1/sample with {"tokens": [...]} or {"text": "..."}.
/docs lists everything. It needs the extra serve: pip install 'seqlab[serve]'.

Only programs of this machine can connect, unless --host says otherwise; that demands a token.
A model file that changes is opened anew; so are all models on SIGHUP."""

EXAMPLES = """\
seqlab serve ner.model
seqlab serve ner.model pos.model --port 9000
seqlab serve ner=models/names-v3.seqlab --check
seqlab serve ner.model --host 0.0.0.0 --token-file token.txt
seqlab serve ner.model --workers 4 --timeout 5 --log all"""

OPTIONS = (
    option(
        "models MODEL",
        "model files, or NAME=FILE; the first answers when a request names none",
        nargs="+",
        reads=True,
    ),
    Group(
        "where it listens",
        option("--host ADDRESS", "address to listen on (default: 127.0.0.1)", default="127.0.0.1"),
        option("--port PORT", "port; 0 is any free one (default: 8000)", whole(0), default=8000),
        option("--workers N", "processes (default: 1)", whole(1), default=1),
    ),
    Group(
        "who may ask",
        option(
            "--token-file FILE",
            "a file with the token that programs send as Authorization: Bearer TOKEN",
            reads=True,
        ),
        option(
            "--allow-host HOST", "another value of the Host header to accept", action="append", default=[]
        ),
        option("--allow-origin ORIGIN", "pages of this origin may call the API", action="append", default=[]),
    ),
    Group(
        "limits of requests",
        option(
            "--timeout SECONDS", "for a body to arrive, and for an answer (default: 30)", number, default=30.0
        ),
        option(
            "--idle SECONDS", "that a connection may wait for a request (default: 20)", number, default=20.0
        ),
        option(
            "--body BYTES",
            "of a request, or of a line of a stream (default: 10 MB)",
            whole(1),
            default=10_000_000,
        ),
        option("--waiting N", "requests in progress at a time (default: 256)", whole(1), default=256),
    ),
    option("--learn", "let the page correct labels and train on them; the model is saved beside the old one"),
    option(
        "--log WHAT",
        "requests in the log: errors, all, or text (all, with their text) (default: errors)",
        default="errors",
        choices=("errors", "all", "text"),
    ),
    option("--check", "check settings and models, and exit"),
    JSON,
)


def run(arguments: argparse.Namespace) -> None:
    """Check the settings, open the models, serve."""
    from dataclasses import replace

    try:
        import httptools  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise OptionError(
            f"seqlab serve needs {error.name}; install it with: pip install 'seqlab[serve]'"
        ) from None
    from seqlab.serve.models import Models
    from seqlab.serve.running import bound
    from seqlab.serve.running import run as serve
    from seqlab.serve.settings import Limits, Settings, named_models

    settings = Settings(
        named_models(arguments.models),
        host=arguments.host.removeprefix("[").removesuffix("]"),  # as addresses of pages have it
        port=arguments.port,
        token=_token(arguments.token_file),
        hosts=tuple(arguments.allow_host),
        origins=tuple(one.lower() for one in arguments.allow_origin),  # as browsers send them
        learn=bool(arguments.learn),
        log=arguments.log,
        workers=arguments.workers,
        limits=Limits(
            body=arguments.body, seconds=arguments.timeout, idle=arguments.idle, waiting=arguments.waiting
        ),
    )
    if arguments.check:
        # Its own port may be that of the service which it will replace.
        bound(replace(settings, port=0)).close()
        _tell(list(Models(settings.models)), as_json=arguments.json)
        return

    def ready(address: str) -> None:
        if arguments.json:
            print_json({"address": address})
            sys.stdout.flush()
        print(f"seqlab: {address}  (Ctrl-C ends it)", file=sys.stderr, flush=True)

    serve(settings, ready=ready)


def _tell(served: list[Any], *, as_json: bool) -> None:
    """Print what would be served."""
    rows = [
        {"name": one.name, "kind": type(one.model).__name__, "layers": list(one.taggers), "path": one.path}
        for one in served
    ]
    if as_json:
        print_json({"models": rows})
        return
    for row in rows:
        print(f"{row['name']}: {row['kind']}, {', '.join(row['layers'])}, {row['path']}")
    print("settings and models are good")


def _token(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        return Path(path).read_text(encoding="utf-8-sig").strip()
    except UnicodeDecodeError:
        raise OptionError(f"{path}: a token is text, and this is no UTF-8", option="token") from None

"""The command line: `seqlab COMMAND`.

Exit codes: 0 done, 1 failed, 2 wrong use or bad data. Modules are imported when a command needs them.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from seqlab import __version__
from seqlab.errors import CorpusWarning, EvaluationWarning, SeqlabError, TrainingWarning
from seqlab.lazy import when_used

# A command is a module of this folder: USAGE (the arguments without options), DESCRIPTION (above the options of its
# help), EXAMPLES (below them, lines of a shell), OPTIONS, and run(arguments), which gives the exit code, None for 0.
# What it needs beyond the standard library is imported in run.
COMMANDS = {
    "demo": "a first tour: three models, your sentence",
    "train": "learn a model from sentences",
    "tag": "label sentences with a model",
    "eval": "how good a model, or a file of labels, is",
    "score": "how probable sentences and labels are",
    "sample": "draw sentences, or labellings, from a model",
    "compare": "several models on the same sentences",
    "tune": "which options are best",
    "inspect": "what is inside a model file",
    "explain": "why a word got its label",
    "draw": "pictures of sentences, models, mistakes",
    "check": "look a corpus over before training",
    "convert": "corpora from format to format, tags from scheme to scheme, models of other tools",
    "serve": "a page and an HTTP service for models",
    "bench": "measure training and tagging on this machine",
}

_module, _ = when_used(__name__, {})

MADE_AT_START = 100_000  # objects, and more: modules, classes, functions

OUR_WARNINGS = (CorpusWarning, EvaluationWarning, TrainingWarning)

DONE, FAILED, WRONG_USE = 0, 1, 2
INTERRUPTED, PIPE_CLOSED = 128 + 2, 128 + 13  # what a shell reports for SIGINT and SIGPIPE

EXAMPLES = """\
examples:
  seqlab train train.txt --dev dev.txt -o chunks.model
  seqlab tag chunks.model new.txt > tagged.txt
  seqlab eval chunks.model test.txt
  seqlab train demo:train --label pos -o pos.model   (comes with seqlab)
  seqlab COMMAND --help                              (its options and examples)"""


def program() -> NoReturn:
    """Run the command of this process and exit: the program `seqlab`, and `python -m seqlab`.

    Objects made at start-up live to the end. Collecting garbage among them while modules load, and once
    more at exit, would take a fifth of the time of a small `seqlab tag`.
    """
    gc.set_threshold(MADE_AT_START, *gc.get_threshold()[1:])
    try:
        sys.exit(main())
    finally:
        gc.freeze()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        return _run(argv)
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(argv: Sequence[str] | None) -> int:
    _mend_streams()
    given = list(sys.argv[1:] if argv is None else argv)
    name = next((word for word in given if not word.startswith("-")), "")
    chosen = _module(name) if name in COMMANDS else None
    parser = _parser(name, chosen, alone=given[:1] == [name])
    arguments, unknown = parser.parse_known_args(given)
    own = getattr(arguments, "parser", parser)
    unknown = own.placed(arguments, unknown)
    if unknown:
        own.unknown(unknown)
    if chosen is None:
        parser.print_help(sys.stderr)
        return WRONG_USE
    with warnings.catch_warnings():
        for kind in OUR_WARNINGS:
            warnings.simplefilter("always", kind)
        warnings.showwarning = _show_warning
        if getattr(arguments, "quiet", None):  # --quiet shows errors only
            warnings.simplefilter("ignore")
        return _exit_code(chosen, arguments)


def _exit_code(chosen: Any, arguments: Any) -> int:
    try:
        arguments = _checked(arguments)
        code = chosen.run(arguments)
        sys.stdout.flush()
    except SeqlabError as error:
        _complain(str(error))
        return FAILED if isinstance(error, OSError) else WRONG_USE
    except BrokenPipeError:
        # Python flushes standard output once more at exit, and would complain there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except OSError as error:
        where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
        _complain(f"{where}{error.strerror or error}")
        return FAILED
    except MemoryError:
        _complain("there is not enough memory for this")
        return FAILED
    return DONE if code is None else int(code)


def _checked(arguments: Any) -> Any:
    """Add the settings of --config, and check that no output overwrites an input or a file of another kind."""
    from seqlab.cli import outputs, parsing

    if getattr(arguments, "config", None) is not None:
        arguments = parsing.with_config(arguments)
    outputs.check(arguments)
    return arguments


def _mend_streams() -> None:
    """Discard output to a closed stream, which is not an error, and escape characters that stdout cannot encode.

    Such characters come from a limited encoding, or from invalid bytes in a file name.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _complain(message: str) -> None:
    """Print an error in one sentence, with flags in place of Python's arguments."""
    from seqlab.cli.terminal import for_shell

    print(f"seqlab: {for_shell(message)}", file=sys.stderr)


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    ours = issubclass(category, OUR_WARNINGS)
    _complain(str(message) if ours else f"{category.__name__}: {message}")


def _parser(name: str, chosen: Any, *, alone: bool) -> Any:
    """Make the parser of the chosen command, and only the names of the others.

    alone   True if the command comes first, so that the others are not needed: each takes a tenth of a millisecond
    """
    from seqlab.cli.parsing import Parser, add_command

    parser = Parser(prog="seqlab", description="Sequence labelling, exact and fast.", epilog=EXAMPLES)
    parser.add_argument("--version", action="version", version=f"seqlab {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    for other, about in COMMANDS.items():
        if other == name and chosen is not None:
            add_command(commands, name, chosen)
        elif chosen is None or not alone:
            commands.add_parser(other, help=about, add_help=False)
    return parser

"""The command line: `seqlab COMMAND`.

Exit codes: 0 done, 1 failed, 2 wrong use or bad data. Only what a command needs is imported, when it runs.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from seqlab import __version__
from seqlab.cli.command import Entry
from seqlab.errors import CorpusWarning, SeqlabError, TrainingWarning

if TYPE_CHECKING:
    from seqlab.cli.parsing import Parser

# One line a command; see seqlab.cli.command for what its module has.
COMMANDS: dict[str, Entry] = {
    "demo": Entry("a first tour: three models, your sentence", lambda: import_module("seqlab.cli.demo")),
    "train": Entry("learn a model from labelled sentences", lambda: import_module("seqlab.cli.train")),
    "tag": Entry("label sentences with a model", lambda: import_module("seqlab.cli.tag")),
    "eval": Entry("how good a model, or a file of labels, is", lambda: import_module("seqlab.cli.eval")),
    "compare": Entry("several models on the same sentences", lambda: import_module("seqlab.cli.compare")),
    "tune": Entry("which options are best", lambda: import_module("seqlab.cli.tune")),
    "inspect": Entry("what is inside a model file", lambda: import_module("seqlab.cli.inspect")),
    "explain": Entry("why a word got its label", lambda: import_module("seqlab.cli.explain")),
    "draw": Entry("pictures of sentences, models, mistakes", lambda: import_module("seqlab.cli.draw")),
    "check": Entry("look a corpus over before training", lambda: import_module("seqlab.cli.check")),
    "convert": Entry(
        "corpora from format to format, tags from scheme to scheme, models of other tools",
        lambda: import_module("seqlab.cli.convert"),
    ),
    "bench": Entry("measure training and tagging on this machine", lambda: import_module("seqlab.cli.bench")),
}

MADE_AT_START = 100_000  # objects, and more: modules, classes, functions

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
    """The program `seqlab`, and `python -m seqlab`: run the command of this process and leave.

    What a start makes stays to the end. Looking through it for garbage again and again while modules load, and once
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
    except KeyboardInterrupt:  # before the command began
        return INTERRUPTED


def _run(argv: Sequence[str] | None) -> int:
    _never_absent()
    _never_unprintable()
    given = list(sys.argv[1:] if argv is None else argv)
    name = next((word for word in given if not word.startswith("-")), "")
    chosen = COMMANDS[name].load() if name in COMMANDS else None
    parser = _parser(name, chosen, alone=given[:1] == [name])
    arguments, unknown = parser.parse_known_args(given)
    if unknown:
        parser.unknown(name if chosen is not None else "", unknown)
    if chosen is None:
        parser.print_help(sys.stderr)
        return WRONG_USE
    with warnings.catch_warnings():
        for kind in (CorpusWarning, TrainingWarning):
            warnings.simplefilter("always", kind)
        warnings.showwarning = _show_warning
        return _exit_code(chosen, arguments)


def _exit_code(chosen: Any, arguments: Any) -> int:
    try:
        code = chosen.run(arguments)
        sys.stdout.flush()
    except SeqlabError as error:
        _complain(str(error))
        return WRONG_USE
    except KeyboardInterrupt:
        return INTERRUPTED
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


def _never_absent() -> None:
    """Who starts us with a stream closed does not want to read it, and it is no mistake to write there."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115


def _never_unprintable() -> None:
    """What standard output cannot show, because of its encoding or of odd bytes in a file's name, is spelled out."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _complain(message: str) -> None:
    """One sentence, which speaks of flags where the library speaks of arguments."""
    from seqlab.cli.terminal.wording import for_shell

    print(f"seqlab: {for_shell(message)}", file=sys.stderr)


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    from seqlab.cli.terminal.wording import for_shell

    ours = issubclass(category, (CorpusWarning, TrainingWarning))
    print(f"seqlab: {'' if ours else category.__name__ + ': '}{for_shell(str(message))}", file=sys.stderr)


def _parser(name: str, chosen: Any, *, alone: bool) -> Parser:
    """The parser of the chosen command, beside the names of the others.

    alone   whether the command comes first, so that nobody asks for the others: each takes a tenth of a millisecond
    """
    from seqlab.cli.parsing import HelpFormat, Parser, add_command

    parser = Parser(
        prog="seqlab",
        description="Sequence labelling, exact and fast.",
        epilog=EXAMPLES,
        formatter_class=HelpFormat,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"seqlab {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    for other, entry in COMMANDS.items():
        if other == name and chosen is not None:
            add_command(commands, name, chosen)
        elif chosen is None or not alone:
            commands.add_parser(other, help=entry.help, add_help=False)
    return parser

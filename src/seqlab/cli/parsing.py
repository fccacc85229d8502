"""Options as data, parsers made from them, and the types of their values."""

from __future__ import annotations

import argparse
import contextlib
import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NoReturn

from seqlab.corpus.formats import NAMES
from seqlab.errors import OptionError
from seqlab.text.formats import NAMES as TEXTS

# 80 columns on any terminal: descriptions and examples are written for that.
COLUMNS = 80

Option = tuple[list[str], dict[str, Any]]  # names, and the arguments for argparse

FILES = ("reads", "writes", "in_place")  # keywords of option() for cli/outputs.py


class Group:
    """Options under a title in the help; those of a group without a title exclude each other."""

    def __init__(self, title: str | None, *options: Any) -> None:
        self.title, self.options = title, options


def option(spelled: str, help: str, type: Any = None, **more: Any) -> Option:  # noqa: A002
    """Describe an argument.

    spelled   as the help shows it: "--nbest -n N" takes a value, "--quiet -q" is a switch, "files FILE" is no option
              but an argument with that name
    type      converts the text to a value

    For options that name files:
    reads      True if the command reads them
    writes     the kind of output in cli/outputs.py, a function of the arguments that returns it, or {file name: kind}
               for a folder
    in_place   a function of the arguments: which options name files that the output may replace
    """
    words = spelled.split()
    names = [word for word in words if word.startswith("-")] or words[:1]
    shown = " ".join(words[len(names) :])
    if shown:
        more["metavar"] = shown
    if type is not None:
        more["type"] = type
    elif not shown and "choices" not in more:
        more.setdefault("action", "store_true")
    return names, {"help": help, **more}


class HelpFormat(argparse.RawDescriptionHelpFormatter):
    """Help format: descriptions are wrapped, paragraph by paragraph; examples stay unchanged."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=COLUMNS)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:"):
            return text
        fill = argparse.HelpFormatter._fill_text
        return "\n\n".join(fill(self, part, width, indent) for part in text.split("\n\n"))


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence, because the whole usage is a page."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(formatter_class=HelpFormat, allow_abbrev=False, **keywords)

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with 2."""
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")

    def placed(self, arguments: argparse.Namespace, words: list[str]) -> list[str]:
        """Add files that come behind an option to those before it; return the words that are left.

        argparse takes a list of files to be over at the first option: seqlab tag MODEL --raw FILE.
        """
        last = self._get_positional_actions()[-1:]
        if not words or not last or any(word.startswith("-") and word != "-" for word in words):
            return words
        found = getattr(arguments, last[0].dest, None)
        if last[0].nargs in {"*", "+"}:
            setattr(arguments, last[0].dest, [*(found or []), *words])
            return []
        if last[0].nargs == "?" and found is None:
            setattr(arguments, last[0].dest, words[0])
            return words[1:]
        return words

    def unknown(self, words: list[str]) -> NoReturn:
        """Make the error for unknown words."""
        first = words[0].partition("=")[0]
        hint = did_you_mean(first, self._option_string_actions) if first.startswith("--") else ""
        self.error(f"unrecognized arguments: {' '.join(words)}{hint}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, none_of(value, action.choices))


def add_command(subparsers: Any, name: str, command: Any) -> None:
    """Add the parser of a command: a description above its options and examples below them."""
    lines = "\n".join(f"  {line}" for line in command.EXAMPLES.strip().splitlines())
    parser = subparsers.add_parser(
        name,
        usage=f"%(prog)s {command.USAGE} [options]",
        description=command.DESCRIPTION,
        epilog=f"examples:\n{lines}",
    )
    add_options(parser, command.OPTIONS)
    if any(getattr(action, "writes", None) for action in parser._actions):
        parser.add_argument("--force", action="store_true", help=FORCE)
    parser.set_defaults(parser=parser)


def add_options(parser: Any, options: Iterable[Any]) -> None:
    """Add options, and groups of them, to a parser or a group."""
    for one in options:
        if isinstance(one, Group):
            title = one.title
            inner = parser.add_argument_group(title) if title else parser.add_mutually_exclusive_group()
            add_options(inner, one.options)
        else:
            names, keywords = one
            action = parser.add_argument(*names, **{k: v for k, v in keywords.items() if k not in FILES})
            for key in FILES:
                setattr(action, key, keywords.get(key))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Suggest the nearest of the known words, if one is near."""
    from difflib import get_close_matches  # slow to import

    near = get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def none_of(value: Any, known: Iterable[Any]) -> str:
    """Make the message for an unknown value, with a suggestion."""
    words = [str(one) for one in known]
    return f"{value!r} is none of {', '.join(words)}{did_you_mean(str(value), words)}"


# ------------------------------------------------------------------------------------------------ types of values


def _number(kind: Callable[[str], float], least: int, wanted: str, text: str) -> float:
    try:
        value = kind(text)
    except ValueError:
        value = least - 1
    if not least <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{wanted} is wanted, got {text!r}")
    return value


def whole(least: int) -> Callable[[str], Any]:
    """Make the type of whole numbers of at least `least`."""
    return partial(_number, int, least, f"a whole number from {least} up")


number = partial(_number, float, 0, "a number from 0 up")  # and finite


def columns(text: str) -> Any:
    """Read word,pos,chunk as a tuple, and word=0,label=-1 as a mapping."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise argparse.ArgumentTypeError(f"names with commas between them are wanted, got {text!r}")
    if not any("=" in name for name in names):
        return tuple(names)
    picks: dict[str, int] = {}
    for name in names:
        key, _, place = name.partition("=")
        if not key or not place.lstrip("-").isdecimal():
            raise argparse.ArgumentTypeError(
                f"{name!r} should be a name and the number of a cell, as label=-1"
            )
        picks[key] = int(place)
    return picks


def names(text: str) -> tuple[str, ...]:
    """Read names with commas between them."""
    found = columns(text)
    if isinstance(found, dict):
        raise argparse.ArgumentTypeError(f"names with commas between them are wanted, got {text!r}")
    return tuple(found)


def param(text: str) -> tuple[str, Any]:
    """Read NAME=VALUE."""
    name, sign, given = text.partition("=")
    if not name or not sign:
        raise argparse.ArgumentTypeError(f"NAME=VALUE is wanted, got {text!r}")
    return name, value_of(given)


def value_of(text: str) -> Any:
    """Read a number, true, false or none; anything else is a string."""
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def separator(text: str) -> str:
    """Read one character, or its name."""
    return {"tab": "\t", "\\t": "\t", "space": " ", "blank": " ", "comma": ","}.get(text, text)


# ------------------------------------------------------------------------------------------------ shared options

LABELLED = "labelled sentences; - is standard input"
FORCE = "outputs may replace inputs, and files of other kinds"
MODEL_FILE = "a file that seqlab train wrote"
MODEL = option("model MODEL", MODEL_FILE, reads=True)
JSON = option("--json", "the same for programs, as JSON")
THREADS = option("--threads -t N", "threads (default: every core this process may use)", whole(1))
SEED = option("--seed N", "of random numbers", whole(0), default=0)
ITERATIONS = option("--iterations -i N", "largest number of iterations or epochs", whole(1))
SENTENCE = option("-s --sentence TEXT", "one sentence, its words between blanks")
NUMBER = option("--number N", "which sentence of the file (default: 0)", whole(0))
LEARNED = option("--label -l COLUMN", "the column to learn (default: the last one)")
GOLD = option("--label -l COLUMN", "the right labels (default: as in training)")
SCHEME = option("--scheme NAME", "the tag scheme (default: seen from the labels); none for plain labels")
FEATURES = (
    option("--features WHAT", "as for seqlab train", reads=True),
    option("--constraints SCHEME", "a tag scheme to obey; auto looks at the labels"),
)

READ = (
    "format",
    "columns",
    "separator",
    "comments",
    "missing",
    "sequence",
    "encoding",
    "align",
)  # arguments of seqlab.read, and of texts with places
_FORMATS = f"{', '.join((*NAMES, *TEXTS))} (default: found by name and content)"
_COLUMNS = "names of the columns, as word,pos,chunk; or the cells to pick, as word=0,label=-1"
_COMMENTS = "lines that begin with # (or PREFIX) are comments"
_ALIGN = "of texts with places: what to do with a span that cuts a token (default: expand)"
READING = Group(
    "how files are read",
    option("--format -f NAME", _FORMATS, choices=(*NAMES, *TEXTS)),
    option("--columns -c NAMES", _COLUMNS, columns),
    option("--separator CHAR", "between cells: tab, space, or a character", separator),
    option("--comments PREFIX", _COMMENTS, nargs="?", const=True),
    option("--missing MARK", "the cell of a label that is not known, as _ (in JSON: null)"),
    option("--sequence COLUMN", "of a table: says which sentence a row belongs to"),
    option("--encoding NAME", "of the file (default: utf-8)"),
    option("--align HOW", _ALIGN, choices=("shrink", "expand", "refuse")),
)
ENDING = (JSON, THREADS, READING)


CLASSIFIER = option(
    "--classifier NAME", "of local: scikit-learn's, by name (default: LinearSVC); -p has its options"
)
GENERATOR = option(
    "--generator MODEL",
    "of rerank: a model file, or a kind of model (default: hmm), trained too",
    reads=True,
)
SMOOTHING = option(
    "--smoothing HOW",
    "of markov and hmm: mle, add-lambda, witten-bell, kneser-ney, interpolated, or a number to add",
    value_of,
)
EMISSIONS = ("categorical", "gaussian", "gaussian-mixture", "poisson", "bag")
_INIT = (
    "start of EM: random, kmeans, a model, tables (.json, .toml, .npz), lines of words and their labels, or "
    "labelled sentences"
)
_OBSERVED = "columns of the observations, as x,y for vectors (default: the words, or all numbers)"
HIDDEN = Group(
    "hidden states (hmm, mixture)",
    option("--states N", "hidden states, or clusters, to find without labels", whole(1)),
    option("--emissions KIND", f"{', '.join(EMISSIONS)} (default: by the column)", choices=EMISSIONS),
    option("--observed COLUMNS", _OBSERVED, names),
    option("--em HOW", "soft (Baum-Welch, the default) or hard (Viterbi)", choices=("soft", "hard")),
    option("--init WHAT", _INIT, reads=True),
    option("--restarts N", "random starts, of which the best is kept", whole(1)),
    option("--tol X", "end when an iteration gains less than this share", number),
    option("--unlabelled FILE", "further sentences without labels", action="append", reads=True),
    option("--unlabelled-weight X", "weight of a sentence without labels (default: 1)", number),
)


def metric(what: str) -> Option:
    """Make the option --metric of commands that compare models."""
    names = ("accuracy", "span_f1", "sentence_accuracy")
    return option("--metric NAME", f"{what}: accuracy, span_f1 or sentence_accuracy", choices=names)


def refuse(arguments: argparse.Namespace, flags: Iterable[str], why: str) -> None:
    """Reject flags that were given but do not apply; those that were not given are None or False."""
    for flag in flags:
        given = getattr(arguments, flag, None)
        if given is not None and given is not False:
            raise OptionError(f"--{flag.replace('_', '-')} {why}")


def reading_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of seqlab.read that were given."""
    given = {name: getattr(arguments, name, None) for name in (*READ, "tokens_by")}
    given["tokeniser"] = given.pop("tokens_by")
    return {name: value for name, value in given.items() if value is not None}


# ------------------------------------------------------------------------------------------------ settings from a file


def with_config(arguments: argparse.Namespace) -> argparse.Namespace:
    """Add the values of the file of --config to the arguments, where no flag was given.

    Every option of the parser must have None for its default.
    """
    if arguments.config is None:
        return arguments
    merged = vars(arguments).copy()
    actions = {one.dest: one for one in arguments.parser._actions if one.dest not in {"config", "help"}}
    for key, value in _settings(arguments.config).items():
        name = key.replace("-", "_")
        if name not in actions:
            known = ", ".join(sorted(name.replace("_", "-") for name in actions))
            raise OptionError(f"{arguments.config}: there is no setting {key!r}; known are {known}")
        if merged.get(name) in (None, []):
            merged[name] = _converted(value, actions[name], f"{arguments.config}: {key}")
    return argparse.Namespace(**merged)


def _settings(path: str) -> dict[str, Any]:
    import sys
    import tomllib
    from pathlib import Path

    if path == "-" and sys.stdin is None:
        raise OptionError("standard input is closed, so --config - cannot be read; name a file")
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OptionError(f"{path}: this is no TOML ({error})") from error
    except OSError as error:
        raise OptionError(f"{path}: the file cannot be read ({error.strerror or error})") from error
    inner = found.pop("train", {})
    if not isinstance(inner, dict):
        raise OptionError(f"{path}: train should be a table, [train], found {inner!r:.60}")
    return {**found, **inner}


def _converted(value: Any, action: argparse.Action, what: str) -> Any:
    """Convert the value as the flag would."""
    if action.dest == "param":
        if not isinstance(value, dict):
            raise OptionError(f"{what} should be a table of names and values, found {value!r:.60}")
        return list(value.items())
    if isinstance(action, argparse._StoreTrueAction):
        if not isinstance(value, bool):
            raise OptionError(f"{what} should be true or false, found {value!r:.60}")
        return value
    if isinstance(action, argparse._AppendAction) or action.nargs == "*":
        return [_single(one, action, what) for one in (value if isinstance(value, list) else [value])]
    named = action.dest in ("columns", "observed") and isinstance(value, (dict, list))
    if named and all(isinstance(name, str) for name in value):
        return dict(value) if isinstance(value, dict) else tuple(value)
    return _single(value, action, what)


def _single(value: Any, action: argparse.Action, what: str) -> Any:
    if isinstance(value, (dict, list)) or (isinstance(value, bool) and action.dest != "comments"):
        raise OptionError(f"{what} should be one value, found {value!r:.60}")
    made = value
    if callable(action.type):
        try:
            made = action.type(str(value))
        except argparse.ArgumentTypeError as error:
            raise OptionError(f"{what}: {error}") from None
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        raise OptionError(f"{what} should be a string, found {value!r}")
    if action.choices is not None and made not in action.choices:
        raise OptionError(f"{what}: {made!r} is none of {', '.join(map(str, action.choices))}")
    return made

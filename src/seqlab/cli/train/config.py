"""Settings of `seqlab train` from a TOML file: the names are those of the flags, and flags win."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from seqlab.errors import OptionError

NOT_THERE = ("config", "help", "parser", "command")


def with_config(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The arguments, with what the file of --config says where no flag was given.

    Every option of the parser must have None for its default.
    """
    if arguments.config is None:
        return arguments
    merged = vars(arguments).copy()
    actions = {action.dest: action for action in parser._actions if action.dest not in NOT_THERE}
    for key, value in _settings(arguments.config).items():
        name = key.replace("-", "_")
        if name not in actions:
            known = ", ".join(sorted(name.replace("_", "-") for name in actions))
            raise OptionError(f"{arguments.config}: there is no setting {key!r}; known are {known}")
        if merged.get(name) in (None, []):
            merged[name] = _converted(value, actions[name], f"{arguments.config}: {key}")
    return argparse.Namespace(**merged)


def _settings(path: str) -> dict[str, Any]:
    import tomllib

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
    """The value as the flag would have given it."""
    if action.dest == "param":
        if not isinstance(value, dict):
            raise OptionError(f"{what} should be a table of names and values, found {value!r:.60}")
        return list(value.items())
    if isinstance(action, argparse._StoreTrueAction):
        if not isinstance(value, bool):
            raise OptionError(f"{what} should be true or false, found {value!r:.60}")
        return value
    repeated = isinstance(action, argparse._AppendAction)
    if repeated or (isinstance(action.nargs, str) and action.nargs in "+*"):
        many = value if isinstance(value, list) else [value]
        return [_single(one, action, what) for one in many]
    if action.dest == "columns":
        return _columns(value, action, what)
    return _single(value, action, what)


def _columns(value: Any, action: argparse.Action, what: str) -> Any:
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return tuple(value)
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

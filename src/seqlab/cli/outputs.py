"""Checks of output files: without --force, no input and no file of another kind is overwritten.

Every command is checked before it runs. Options declare what they do with their files: option(..., reads=True),
or option(..., writes="model").
"""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from seqlab.cli.reading.corpora import is_model
from seqlab.errors import OptionError

HEAD = 1 << 16  # bytes read to tell the kind of a file
MODELS = {
    b"lCRF": "CRFsuite",
    b"version: ": "CRF++",
    b"#mdl#": "Wapiti",
}  # first bytes of other tools' models
_PAGE = b'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
_JOURNAL = b'{"kind": "seqlab search"'
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_GZIP = b"\x1f\x8b"
# First bytes of text that is no corpus, in lower case: pages, pictures, scripts.
_OTHER_TEXT = (b"<!doctype", b"<html", b"<svg", b"<?xml", b"%pdf", b"#!/")


def _is_page(_: str, head: bytes) -> bool:
    return head.startswith(_PAGE) and b":root { --paper:" in head


def _is_picture(path: str, head: bytes) -> bool:
    begins = {".png": (b"\x89PNG",), ".pdf": (b"%PDF",), ".svg": (b"<svg", b"<?xml")}
    known = begins.get(Path(path).suffix.lower())
    return known is None or head.lstrip().startswith(known)  # the writer rejects other suffixes


def _is_corpus(path: str, head: bytes) -> bool:
    """Return True for text, also in UTF-16, and for a compressed file named .gz."""
    if head.startswith(_GZIP):
        return path.endswith(".gz")
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if is_model(path) or head.startswith((*MODELS, _JOURNAL)) or text.startswith(_OTHER_TEXT):
        return False
    return b"\0" not in head or head.startswith(_UTF16)


def _is_arpa(path: str, head: bytes) -> bool:
    return head.startswith(_GZIP) if path.endswith(".gz") else b"\\data\\" in head[:200].splitlines()


class Kind(NamedTuple):
    """Kind of output: its name in messages, a description of such files, and a test (path, first bytes) -> bool."""

    what: str
    file: str
    recognised: Callable[[str, bytes], bool]


KINDS = {
    "model": Kind("the model", "a model file", lambda path, _: is_model(path)),
    "arpa": Kind("the ARPA file", "an ARPA file", _is_arpa),
    "corpus": Kind("the result", "a file of sentences", _is_corpus),
    "page": Kind("the page", "a page that seqlab wrote", _is_page),
    "picture": Kind("the picture", "a picture of that format", _is_picture),
    "journal": Kind(
        "--resume", "a journal of a search", lambda _, head: head.startswith(_JOURNAL[: len(head)])
    ),
}
STREAMED = ("corpus", "journal")  # kinds that may go to a device or a pipe


def check(arguments: argparse.Namespace) -> None:
    """Check that the outputs of a command overwrite neither its inputs nor files of another kind."""
    actions = arguments.parser._actions
    inputs = {one.dest: list(_named(getattr(arguments, one.dest))) for one in actions if _said(one, "reads")}
    written: dict[str, str] = {}
    for action in actions:
        target, kind = getattr(arguments, action.dest, None), _said(action, "writes")
        if kind is None or not isinstance(target, str) or target == "-":
            continue
        kind = kind(arguments) if callable(kind) else kind
        if isinstance(kind, dict):  # a folder: {file name: kind}
            targets = [
                (str(Path(target, name)), of) for name, of in kind.items() if Path(target, name).exists()
            ]
        else:
            targets = [(target, kind)]
        kept = _said(action, "in_place")
        free = kept(arguments) if callable(kept) else ()
        others = [(_flag(actions, name), path) for name, paths in inputs.items() for path in paths]
        replaced = [path for name in free for path in inputs[name]]
        for name, of in targets:
            _check_file(name, of, others, in_place=replaced, force=arguments.force)
        for path, flag in written.items():
            if same_file(path, target):
                raise OptionError(f"{target}: {flag} and {_spelled(action)} name the same file; name two")
        written[target] = _spelled(action)


def _check_file(
    target: str,
    kind: str,
    inputs: Iterable[tuple[str, str]],
    *,
    in_place: Iterable[str],
    force: bool,
) -> None:
    """Check that a file may be written.

    kind       one of KINDS
    inputs     (option, path) of the files that are read
    in_place   paths of inputs that the output may replace
    force      True if any file may be replaced
    """
    what = KINDS[kind].what
    path = Path(target)
    _check_place(path, kind)
    if force or not path.is_file() or any(same_file(target, one) for one in in_place):
        return
    way = "name another file, or pass --force"
    for flag, name in inputs:
        if same_file(target, name):
            raise OptionError(f"{target}: this is an input ({flag}), and {what} would replace it; {way}")
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise OptionError(
            f"{target}: {what} would replace a file that cannot be read ({error.strerror}); {way}"
        ) from None
    if head and not KINDS[kind].recognised(target, head):
        raise OptionError(
            f"{target}: there is a file that is not {KINDS[kind].file}, and {what} would replace it; {way}"
        )


def _check_place(path: Path, kind: str) -> None:
    """Check that a file can be there, before the work is done."""
    what = KINDS[kind].what
    if path.is_dir():
        raise OptionError(f"{path}: this is a directory, but {what} needs the name of a file")
    if not path.parent.is_dir():
        raise OptionError(f"{path}: there is no folder {str(path.parent)!r}; make it first")
    if path.exists() and not path.is_file():
        if kind not in STREAMED:
            raise OptionError(f"{path}: this is a device or a pipe, but {what} needs the name of a file")
    elif not os.access(path.parent, os.W_OK):
        raise OptionError(f"{path}: nothing can be written to the folder {str(path.parent)!r}; name another")


def _said(action: Any, name: str) -> Any:
    return getattr(action, name, None)


def _flag(actions: Iterable[Any], name: str) -> str:
    return next(_spelled(one) for one in actions if one.dest == name)


def _spelled(action: Any) -> str:
    longest: str = max(action.option_strings, key=len, default=action.dest.upper())
    return longest


def _named(value: Any) -> Iterator[str]:
    """Yield the paths among the values of an option."""
    for one in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(one, str):
            yield one


def same_file(one: str, other: str) -> bool:
    """Return True if two paths are the same file, also through links; "-" is the file behind standard input."""
    first, second = _stat(one), _stat(other)
    if first is None or second is None:
        return os.path.abspath(one) == os.path.abspath(other)  # noqa: PTH100
    return os.path.samestat(first, second) and stat.S_ISREG(first.st_mode)


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.fstat(sys.stdin.fileno()) if path == "-" else Path(path).stat()
    except (OSError, ValueError, AttributeError):  # there is no such file, or no standard input
        return None

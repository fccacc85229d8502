"""Presentation of objects: a repr of one line, HTML in a notebook, a DataFrame of pandas."""

from __future__ import annotations

import dataclasses
import json
import math
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

LONGEST = 200  # characters of a repr
INSTALL = {"pandas": "pip install pandas", "pyarrow": "pip install 'seqlab[arrow]'"}


class _Brief(reprlib.Repr):
    """A repr that shortens long values, and describes arrays by their shape."""

    def repr1(self, x: Any, level: int) -> str:
        """Describe an array by its shape, a large set or dict by its size (sorting it would take long)."""
        if getattr(x, "ndim", 0) and getattr(x, "size", 0) > 4:
            return f"array {'x'.join(map(str, x.shape))} {x.dtype}"
        if isinstance(x, (set, frozenset, dict)) and len(x) > 100:
            return f"{type(x).__name__} of {len(x)}"
        return super().repr1(x, level)

    def repr_instance(self, x: Any, level: int) -> str:  # noqa: ARG002  (reprlib calls it so)
        """Format a dataclass without its defaults; a long text is cut at its end."""
        usual = dataclasses.is_dataclass(x) and hasattr(type(x).__repr__, "__wrapped__")
        text = " ".join((short_repr(x) if usual and not isinstance(x, type) else repr(x)).split())
        text = f"<{type(x).__name__}>" if " object at 0x" in text and not usual else text
        return text if len(text) <= self.maxother else f"{text[: self.maxother - 3]}..."


_brief = _Brief()
_brief.maxlevel, _brief.maxother, _brief.maxstring = 2, 100, 60
_brief.maxlist = _brief.maxtuple = _brief.maxdict = _brief.maxset = _brief.maxfrozenset = 4
brief = _brief.repr


def called(kind: str, parts: Mapping[str, str]) -> str:
    """Format a constructor and its arguments, in at most LONGEST characters."""
    return cut(f"{kind}({', '.join(f'{name}={part}' for name, part in parts.items())})")


def cut(text: str) -> str:
    """Cut a repr to LONGEST characters."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]}...)"


def short_repr(self: Any) -> str:
    """Format a dataclass without fields that have their default; used as __repr__ = short_repr."""
    own = [(one, getattr(self, one.name)) for one in dataclasses.fields(self) if one.repr]
    return called(
        type(self).__name__, {one.name: brief(value) for one, value in own if not same(value, one.default)}
    )


class Brief:
    """A dataclass with a short repr; its decorator has repr=False."""

    __slots__ = ()
    __repr__ = short_repr


def same(value: Any, default: Any) -> bool:
    """Return True if an option has its default; arrays do not compare to a single bool."""
    if value is default or type(value) is not type(default):
        return value is default
    try:
        return bool(value == default)
    except (TypeError, ValueError):
        return False


def exact(value: Any) -> str:
    """Format a value exactly, equal in every process, at any length."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        named: Any = {one.name: getattr(value, one.name) for one in dataclasses.fields(value) if one.repr}
    else:
        named = value._asdict() if hasattr(value, "_asdict") else getattr(value, "_unusual", dict)()
    if named or hasattr(value, "_unusual"):
        return f"{type(value).__name__}({', '.join(f'{name}={exact(one)}' for name, one in named.items())})"
    if type(value) is dict:
        return f"{{{', '.join(f'{exact(key)}: {exact(one)}' for key, one in value.items())}}}"
    if type(value) in (set, frozenset):
        return f"{type(value).__name__}({sorted(map(exact, value))})"
    if type(value) in (list, tuple):
        return f"{type(value).__name__}({', '.join(map(exact, value))})"
    return f"array({value.tolist()})" if getattr(value, "ndim", 0) else " ".join(repr(value).split())


def library(name: str) -> Any:
    """Import pandas or pyarrow, or raise an error that says how to install it."""
    try:
        return import_module("pandas") if name == "pandas" else import_module("pyarrow")
    except ImportError:
        raise ImportError(f"{name} is not installed; write `{INSTALL[name]}`", name=name) from None


Table = Mapping[str, Any]  # columns by name: lists, or arrays


class Shown:
    """An object that a notebook shows as HTML: `_views` are titles and tables."""

    __slots__ = ()

    def _views(self) -> Iterator[str | Table]:
        """Return the contents, from top to bottom: sentences, and tables by columns."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from seqlab.views.notebook import fragment  # only a notebook needs it

        return fragment(self._views())


class Tabular(Shown, Brief):
    """A table, for a notebook and for pandas."""

    __slots__ = ()

    def _columns(self) -> Table:
        """Make the columns of the table by name."""
        raise NotImplementedError

    def _views(self) -> Iterator[str | Table]:
        yield repr(self)
        yield self._columns()

    def to_frame(self) -> Any:
        """Make a pandas DataFrame from the table; pandas must be installed."""
        return framed(self._columns())


class Written(Tabular):
    """A table that is also given as plain data."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, dicts and numbers."""
        raise NotImplementedError

    def json(self, *, indent: int | None = 2) -> str:
        """Return `to_dict` as JSON; indent as for json.dumps."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)


def columns_of(rows: Iterable[Any], *names: str) -> dict[str, list[Any]]:
    """Make columns from these attributes of every row."""
    listed = list(rows)
    return {name: [getattr(row, name) for row in listed] for name in names}


def framed(columns: Table) -> Any:
    """Make a DataFrame; None becomes NaN, so that numbers stay numbers."""
    known = {
        name: column if hasattr(column, "dtype") else [math.nan if one is None else one for one in column]
        for name, column in columns.items()
    }
    return library("pandas").DataFrame(known)

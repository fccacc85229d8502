"""A file that belongs to an object, and is pickled with it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any

CONTENT = "__FILE_RESOURCE_DATA__"  # under this name pickles have what the file holds


class FileResource:
    """A file with a name that was given, or a temporary one, which is removed with this object.

    filename         its name; None makes a temporary file when it is first needed
    keep_tempfiles   whether a temporary file stays
    suffix, prefix   of the name of a temporary file
    """

    def __init__(
        self,
        filename: str | None = None,
        keep_tempfiles: bool = False,  # noqa: FBT001, FBT002 - their signature
        suffix: str = "",
        prefix: str = "",
    ) -> None:
        self.name = filename
        self.auto = filename is None
        self.keep_tempfiles = keep_tempfiles
        self.suffix = suffix
        self.prefix = prefix

    def ensure_name(self) -> None:
        """Make a temporary file where there is no name yet."""
        if self.name is None and not self.auto:
            raise ValueError("the file has no name, and should not be a temporary one")
        if self.name is None:
            handle, self.name = tempfile.mkstemp(self.suffix, self.prefix)
            os.close(handle)

    def cleanup(self) -> None:
        """Remove a temporary file, unless it should stay."""
        if self.auto and self.name is not None and not self.keep_tempfiles:
            with contextlib.suppress(OSError):
                Path(self.name).unlink()
            self.name = None

    def refresh(self) -> None:
        """Begin anew with an empty temporary file; a file with a given name stays."""
        self.cleanup()
        self.ensure_name()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # the interpreter may be half gone
            self.cleanup()

    def __getstate__(self) -> dict[str, Any]:
        state = dict(vars(self))
        if self.auto and self.name is not None:
            state["name"] = None
            with contextlib.suppress(OSError):
                state[CONTENT] = Path(self.name).read_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        given = dict(state)
        content = given.pop(CONTENT, None)
        vars(self).update(given)
        if content is not None:
            self.ensure_name()
            Path(str(self.name)).write_bytes(content)

"""A file that belongs to an object, and is pickled with it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any

CONTENT = "__FILE_RESOURCE_DATA__"  # key of the file's content in pickles


class FileResource:
    """A file with a name that was given, or a temporary one, which is removed with this object.

    filename         its name; None for a temporary file, made when first needed
    keep_tempfiles   True to keep a temporary file
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
        """Make a temporary file if there is no name yet."""
        if self.name is None and not self.auto:
            raise ValueError("the file has no name, and should not be a temporary one")
        if self.name is None:
            handle, self.name = tempfile.mkstemp(self.suffix, self.prefix)
            os.close(handle)

    def cleanup(self) -> None:
        """Remove the temporary file, unless it is to be kept."""
        if self.auto and self.name is not None and not self.keep_tempfiles:
            with contextlib.suppress(OSError):
                Path(self.name).unlink()
            self.name = None

    def refresh(self) -> None:
        """Replace the temporary file by an empty one; a file with a given name stays."""
        self.cleanup()
        self.ensure_name()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # the interpreter may be shutting down
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

"""Files that appear under their names only when they are complete."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """The new file or the old one, never half of one: written beside it, then renamed.

    Text becomes UTF-8, with a question mark for what UTF-8 cannot write.
    """
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(content.encode("utf-8", "replace") if isinstance(content, str) else content)
        beside.replace(target)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(target)) from None  # nobody knows the other name
    finally:
        beside.unlink(missing_ok=True)

"""The log: a line of JSON on standard error for each event."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import warnings
from types import TracebackType
from typing import Any


def log(event: str, **facts: Any) -> None:
    """Write a line of JSON to standard error.

    event   what happened
    facts   more about it
    """
    row = {"time": round(time.time(), 3), "process": os.getpid(), "event": event, **facts}
    sys.stderr.write(json.dumps(row, default=str) + "\n")
    sys.stderr.flush()


def failure(error: BaseException) -> dict[str, str]:
    """Describe an error by its type and the line that raised it: its message might hold the text of a request.

    error   the error
    """
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return {"error": type(error).__name__, **({} if place is None else {"at": _line(place)})}


def _line(place: TracebackType) -> str:
    return f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}"


class Handler(logging.Handler):
    """Write what uvicorn logs as lines of JSON too."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record.

        record   from uvicorn
        """
        error = record.exc_info[1] if record.exc_info else None
        log(record.getMessage().strip(), **({} if error is None else failure(error)))


def take_over() -> None:
    """Take over the log of uvicorn. Warnings about data are silenced: no lines of JSON, and they may quote requests."""
    warnings.filterwarnings("ignore", category=UserWarning)
    logger = logging.getLogger("uvicorn")
    logger.handlers, logger.propagate = [Handler()], False
    logger.setLevel(logging.WARNING)

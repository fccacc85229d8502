"""The service: `seqlab serve` answers questions about models over HTTP, and shows how they think on a page.

Names are loaded when first used; they need the extra `serve` (Starlette and uvicorn).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.serve.asgi import application
    from seqlab.serve.running import run
    from seqlab.serve.settings import Limits, Settings
else:  # otherwise a type checker would accept any attribute
    __getattr__, __dir__ = when_used(
        __name__,
        {"asgi": ("application",), "running": ("run",), "settings": ("Limits", "Settings")},
    )

__all__ = ["Limits", "Settings", "application", "run"]

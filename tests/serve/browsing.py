"""A browser that opens the page, and watches it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CHROMIUM = os.environ.get("SEQLAB_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


@contextmanager
def opened(browser: Any, url: str, **options: Any) -> Iterator[Any]:
    """Open a page; at its end, nothing must have gone wrong and nothing have left the host."""
    host = re.match(r"https?://[^/]+/", url)[0]
    context = browser.new_context(accept_downloads=True, **options)
    page, wrong = context.new_page(), []
    page.set_default_timeout(10_000)
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    refused = "the server responded with a status of 409"  # told on the page
    page.on(
        "console",
        lambda one: one.type == "error" and refused not in one.text and wrong.append(f"console: {one.text}"),
    )
    page.on("request", lambda one: one.url.startswith((host, "blob:", "data:")) or wrong.append(one.url))
    try:
        page.goto(url)
        page.wait_for_selector("#main > *")
        yield page
        assert not wrong, wrong
    finally:
        context.close()


def go(page: Any, **fragment: str) -> None:
    """Go to a view by its address."""
    from urllib.parse import urlencode

    page.evaluate(
        "hash => { document.getElementById('main').replaceChildren(); location.hash = hash; }",
        urlencode(fragment),
    )
    page.wait_for_selector("#main > *")

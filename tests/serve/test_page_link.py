"""The one-time link opens the page, also from a page of another site, such as a chat or a mailbox."""

from __future__ import annotations

import http.server
import threading
from pathlib import Path
from typing import Any

import pytest

from serve.browsing import CHROMIUM
from serve.running import running
from serve.test_page import browser

__all__ = ["browser"]  # a fixture
pytest.importorskip("playwright.sync_api", reason="the page is driven by playwright")
if CHROMIUM is None:
    pytest.skip("no chromium is installed", allow_module_level=True)


def test_the_link_of_another_site_opens_the_page(
    browser: Any, models: dict[str, str], tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text("a-long-token-for-tests")
    with running(models["ner"], "--token-file", str(token), log=tmp_path / "log") as server:

        class Mailbox(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.end_headers()
                self.wfile.write(f'<a href="{server.url}/?key={server.key}">open</a>'.encode())

            def log_message(self, *_: Any) -> None:
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Mailbox) as mailbox:
            threading.Thread(target=mailbox.serve_forever, daemon=True).start()
            context = browser.new_context()
            page = context.new_page()
            page.goto(f"http://localhost:{mailbox.server_port}/")  # another site than 127.0.0.1
            page.click("a")
            page.wait_for_selector("#main .token")
            assert page.url.startswith(f"{server.url}/#") or page.url == f"{server.url}/"
            page.reload()
            page.wait_for_selector("#main .token")
            context.close()
            mailbox.shutdown()

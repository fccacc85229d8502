"""No serious fault of accessibility in any view, light and dark, by axe-core; phones can scroll nowhere sideways."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from serve.browsing import CHROMIUM, go, opened
from serve.running import Running
from serve.test_page import TEXT, VIEWS, browser, site

__all__ = ["browser", "site"]  # fixtures
pytest.importorskip("playwright.sync_api", reason="the page is driven by playwright")
if CHROMIUM is None:
    pytest.skip("no chromium is installed", allow_module_level=True)

GOLD = "Anna\tB-PER\nWeber\tI-PER\nsings\tB-LOC\n.\tO\n"
PLACES = (os.environ.get("SEQLAB_AXE"), "node_modules/axe-core/axe.min.js")
AXE = next((Path(one) for one in PLACES if one and Path(one).exists()), None)


@pytest.mark.skipif(AXE is None, reason="no axe-core: npm install axe-core, or SEQLAB_AXE=.../axe.min.js")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(browser: Any, site: Running, scheme: str, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text(GOLD)
    with opened(browser, f"{site.url}/", color_scheme=scheme, bypass_csp=True) as page:
        page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
        for view in VIEWS:
            go(page, view=view, input=TEXT, at="1", known="5:O", beside="pos")
            assert "Type something" not in page.text_content("#main")
            if view == "data":
                page.set_input_files("#gold", tmp_path / "gold.txt")
                page.wait_for_selector("text=Mistakes")
            page.wait_for_timeout(300)
            found = page.evaluate("() => axe.run().then(all => all.violations)")
            bad = [
                (view, one["id"], [node["html"][:150] for node in one["nodes"][:3]])
                for one in found
                if one["impact"] in {"serious", "critical"}
            ]
            assert bad == []


def test_a_phone_scrolls_down_only(browser: Any, site: Running, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text(GOLD)
    with opened(browser, f"{site.url}/", viewport={"width": 360, "height": 700}) as page:
        for view in VIEWS:
            go(page, view=view, input=TEXT, at="1")
            if view == "data":
                page.set_input_files("#gold", tmp_path / "gold.txt")
                page.wait_for_selector("text=Mistakes")
            page.wait_for_timeout(200)
            assert page.evaluate("() => document.documentElement.scrollWidth") <= 360, view


def test_labels_on_a_phone_are_read_in_one_line(browser: Any, site: Running, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text(GOLD)
    with opened(browser, f"{site.url}/", viewport={"width": 375, "height": 700}) as page:
        go(page, view="data")
        page.set_input_files("#gold", tmp_path / "gold.txt")
        page.wait_for_selector("td.label")
        lines = "() => [...document.querySelectorAll('td.label > strong')].map(one => one.getClientRects().length)"
        assert set(page.evaluate(lines)) == {1}
        go(page, view="whatif", input=TEXT, known="5:O")
        page.wait_for_selector("td.cells")
        rights = "all => all.map(one => one.getBoundingClientRect().right)"
        assert max(page.locator("td:nth-child(4)").evaluate_all(rights)) <= 375

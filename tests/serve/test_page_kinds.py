"""The page with models of other kinds, and with models that change while it is open."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from serve.browsing import CHROMIUM, go, opened
from serve.running import Running, running, until
from serve.test_kinds import others
from serve.test_page import TEXT, VIEWS, browser

__all__ = ["browser", "others"]  # fixtures
pytest.importorskip("playwright.sync_api", reason="the page is driven by playwright")
if CHROMIUM is None:
    pytest.skip("no chromium is installed", allow_module_level=True)


@pytest.fixture(scope="module")
def kinds(others: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(*others.values(), log=tmp_path_factory.mktemp("kinds") / "log") as made:
        yield made


def test_a_model_without_features_says_why(browser: Any, kinds: Running) -> None:
    with opened(browser, kinds.url + "/") as page:
        for model, parts in (("first", 3), ("second", 2), ("frequent", 1)):
            go(page, view="why", model=model, input=TEXT, at="1")
            page.wait_for_selector("#main h2 q")
            rows = page.eval_on_selector_all(
                "#main tbody tr", "all => all.map(one => one.cells[0].textContent)"
            )
            assert len(rows) == parts + 1
            assert "the word itself" in rows
            assert "mostly because of the word" in page.text_content("#main")


def test_models_of_vectors_are_asked_with_numbers(browser: Any, kinds: Running) -> None:
    with opened(browser, kinds.url + "/#model=vectors") as page:
        assert page.text_content("#main") == "Type something above."
        assert "a token is a line of numbers" in page.text_content("#input-help")
        for view in VIEWS:
            go(
                page,
                view=view,
                model="vectors",
                mode="tokens",
                input="0.5 1.5\n0.1 0.2",
                step="forward,1,own,logs",
            )
            page.wait_for_timeout(200)
            assert page.text_content("#status") == ""
        go(page, view="whatif", model="vectors", mode="tokens", input="0.5 1.5\n0.1 0.2")
        page.fill("input[aria-label='Token 1']", "9 -3")
        page.keyboard.press("Tab")
        page.wait_for_function("() => location.hash.includes('without=')")
        page.wait_for_selector("input[aria-label='Token 1']")
        assert page.input_value("input[aria-label='Token 1']") == "9 -3"


def test_models_of_attributes_are_asked_with_lists(browser: Any, kinds: Running) -> None:
    with opened(browser, kinds.url + "/") as page:
        go(page, view="read", model="bags", mode="tokens", input="w=the\nw=dog\tn=3")
        page.wait_for_selector("#main .token")
        words = page.eval_on_selector_all("#main .token", "all => all.map(one => one.firstChild.textContent)")
        assert words == ["w=the", "w=dog"]


def test_a_model_that_is_replaced_shows_itself(browser: Any, models: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "x.model"
    shutil.copy(models["ner"], path)
    with running(str(path), log=tmp_path / "log") as server, opened(browser, server.url + "/") as page:
        go(page, view="read", input=TEXT)
        page.wait_for_selector("#main .span")
        shutil.copy(models["pos"], tmp_path / "fresh")
        (tmp_path / "fresh").replace(path)
        until(lambda: server.ask("/v1/models")[1]["models"][0]["layers"][0]["name"] == "pos")
        page.click("#tab-model")
        page.wait_for_selector("h2:has-text('x: CRF for pos')")
        page.click("#tab-read")
        page.wait_for_selector("#main .token .tag")
        assert "PROPN: a name" in page.text_content("#main")


def test_labels_are_told_in_words(browser: Any, kinds: Running) -> None:
    with opened(browser, kinds.url + "/") as page:
        go(page, view="read", model="first", input=TEXT)
        page.wait_for_selector("#main .token")
        text = page.text_content("#main")
        assert "Numbers say how sure the model is" in text
        assert "VERB: a verb." in text

"""The page with inputs and models that strain it: long words and labels, other scripts, files that are not as hoped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import seqlab
from serve.browsing import CHROMIUM, go, opened
from serve.running import Running, running
from serve.test_page import browser

__all__ = ["browser"]  # a fixture
pytest.importorskip("playwright.sync_api", reason="the page is driven by playwright")
if CHROMIUM is None:
    pytest.skip("no chromium is installed", allow_module_level=True)

LABELS = [f"LABEL-NUMBER-{i:02}" for i in range(48)]


@pytest.fixture(scope="module")
def strained(models: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("strained")
    words = [[f"w{(i * 7 + j * 5) % 48}" for j in range(6)] for i in range(96)]
    labels = [[LABELS[int(word[1:])] for word in sentence] for sentence in words]
    seqlab.CRF("word[0]\nword[-1]", seqlab.LBFGS(max_iterations=10)).fit(words, labels).save(
        folder / "many.model"
    )
    with running(models["ner"], models["pos"], str(folder / "many.model"), log=folder / "log") as made:
        yield made


@pytest.mark.parametrize("width", [1200, 390])
def test_a_long_word_does_not_widen_the_page(browser: Any, strained: Running, width: int) -> None:
    with opened(browser, f"{strained.url}/", viewport={"width": width, "height": 800}) as page:
        for view in ("read", "trellis", "why", "whatif", "steps"):
            go(page, view=view, input="a" * 400, step="viterbi,9,own,numbers")
            page.wait_for_timeout(200)
            assert page.evaluate("() => document.documentElement.scrollWidth") <= width, view


def test_many_long_labels_can_be_read(browser: Any, strained: Running) -> None:
    with opened(browser, f"{strained.url}/") as page:
        go(page, view="trellis", model="many", input="w1 w2 w3")
        lefts = "all => all.map(one => one.getBBox().x)"
        assert min(page.locator("svg.trellis text").evaluate_all(lefts)) >= 0
        go(page, view="model", model="many")
        diagram = page.locator("svg[aria-label^='Transitions between']")
        assert "24 of 48 labels are drawn" in page.text_content("#main")
        left, width = map(float, [diagram.get_attribute("viewBox").split()[i] for i in (0, 2)])
        boxes = diagram.locator("text").evaluate_all(
            "all => all.map(one => [one.getBBox().x, one.getBBox().width])"
        )
        assert all(left <= x and x + wide <= left + width for x, wide in boxes)


def test_a_long_sentence_tells_where_labellings_differ(browser: Any, strained: Running) -> None:
    with opened(browser, f"{strained.url}/") as page:
        go(page, view="trellis", input="Anna Weber lives in New York " * 40 + ".")
        rows = page.locator("ol.paths li").all_text_contents()
        assert "the best, as above" in rows[0]
        assert all("as the best, but" in row and len(row) < 400 for row in rows[1:])


def test_other_scripts_run_their_way(browser: Any, strained: Running) -> None:
    with opened(browser, f"{strained.url}/") as page:
        go(page, view="read", input="שלום עולם")
        lefts = "all => all.map(one => one.getBoundingClientRect().left)"
        first, second = page.locator(".sentence .token").evaluate_all(lefts)
        assert first > second
        go(
            page, view="why", input="a \u202eevil b", mode="tokens", at="1"
        )  # turns what follows, unless it is held
        assert "“\u2068\u202eevil\u2069” is" in page.text_content("#main")


def test_a_link_to_a_model_that_is_not_served_says_so(browser: Any, strained: Running) -> None:
    with opened(browser, f"{strained.url}/#model=none&input=Anna") as page:
        page.wait_for_selector("#status:has-text('There is no model none here; this is ner.')")
        go(page, view="whatif", model="ner", input="Anna", beside="gone")
        page.wait_for_selector("#status:has-text('There is no model gone here')")


def test_a_column_of_labels_is_found_and_can_be_chosen(
    browser: Any, strained: Running, tmp_path: Path
) -> None:
    (tmp_path / "gold.conllu").write_text(
        "1\tAnna\tanna\tPROPN\t_\t_\t2\tnsubj\t_\t_\n2\tsings\tsing\tNOUN\t_\t_\t0\troot\t_\tSpaceAfter=No\n\n"
    )
    with opened(browser, f"{strained.url}/#view=data&model=pos") as page:
        page.set_input_files("#gold", tmp_path / "gold.conllu")
        page.wait_for_selector("h2:has-text('on column upos')")
        assert page.locator("p.sentence .token").first.text_content().startswith("Anna")  # not its number
        page.select_option("#gold-column", "xpos")
        page.wait_for_selector("h2:has-text('on column xpos')")
        page.wait_for_selector("text=the model knows none of the gold labels")


def test_files_of_windows_stay_as_they_are(browser: Any, strained: Running, tmp_path: Path) -> None:
    gold = b"\xef\xbb\xbfAnna\tB-LOC\r\nsings\tO\r\n"
    (tmp_path / "gold.txt").write_bytes(gold)
    (tmp_path / "latin.txt").write_bytes("Zoë\tB-PER\n".encode("latin-1"))
    with opened(browser, f"{strained.url}/#view=data") as page:
        page.set_input_files("#gold", tmp_path / "gold.txt")
        page.wait_for_selector("h2:has-text('gold.txt')")
        page.select_option("#order", "doubt")
        page.select_option("p.sentence select.tag >> nth=0", "B-PER")
        page.wait_for_selector("text=(1 change)")
        with page.expect_download() as download:
            page.click("#save-corrected")
        download.value.save_as(tmp_path / "corrected")
        assert (tmp_path / "corrected").read_bytes() == gold.replace(b"B-LOC", b"B-PER")
        page.set_input_files("#gold", tmp_path / "latin.txt")
        page.wait_for_selector("#status:has-text('latin.txt: this is no UTF-8 text')")


def test_mistakes_of_large_files_are_all_counted(browser: Any, strained: Running, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("Anna\tVERB\n\n" * 2_500)
    with opened(browser, f"{strained.url}/#view=data&model=pos") as page:
        page.set_input_files("#gold", tmp_path / "gold.txt")
        page.wait_for_selector("h2:has-text('gold.txt')")
        assert page.locator("#main td button").first.text_content() == "2500"
        assert "500 sentences with the fewest mistakes are not listed" in page.text_content("#main")


def test_a_browser_that_keeps_and_copies_nothing_shows_the_page(browser: Any, strained: Running) -> None:
    denied = """
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } });
    """
    with opened(browser, f"{strained.url}/") as page:
        page.add_init_script(denied)
        page.reload()
        page.wait_for_selector("#main .token")
        page.click("#theme")
        page.click("#copy")
        page.wait_for_selector("#status:has-text('Copy its address instead')")

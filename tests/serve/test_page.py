"""Every function of the page, in a real browser."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seqlab
from seqlab import inference
from serve.browsing import CHROMIUM, FLAGS, go, opened
from serve.running import Running, running

playwright = pytest.importorskip("playwright.sync_api", reason="the page is driven by playwright")
if CHROMIUM is None:
    pytest.skip("no chromium is installed", allow_module_level=True)

EVIL = "<img src=x onerror=alert(1)>"
VIEWS = ("read", "trellis", "why", "whatif", "steps", "data", "model")
TEXT = "Anna Weber lives in New York. She works for the Emerald Arrow."
WORDS = ["Anna", "Weber", "lives", "in", "New", "York", "."]


@pytest.fixture(scope="module")
def site(models: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with three models: entities, parts of speech, and one whose words and labels are markup."""
    folder = tmp_path_factory.mktemp("site")
    for name in ("ner", "pos"):
        shutil.copy(models[name], folder / f"{name}.model")
    shutil.copy(models["ner"], folder / "learns.model")
    X = [[EVIL, "word", EVIL], ["word", EVIL]]
    y = [[f"B-{EVIL}", "O", f"B-{EVIL}"], ["O", f"B-{EVIL}"]]
    seqlab.CRF("ner", seqlab.LBFGS(max_iterations=5)).fit(X * 5, y * 5).save(folder / "evil.model")
    files = [str(folder / f"{name}.model") for name in ("ner", "pos", "evil", "learns")]
    with running(*files, "--learn", log=folder / "log") as made:
        yield made


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        made = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield made
        made.close()


@pytest.fixture
def page(browser: Any, site: Running) -> Iterator[Any]:
    with opened(browser, f"{site.url}/") as made:
        yield made


def numbers(texts: list[str]) -> list[float]:
    return [float(one.replace("−", "-")) for one in texts]


def test_read_and_why(page: Any, models: dict[str, str]) -> None:
    tagger = seqlab.load(models["ner"])
    page.fill("#input", "Anna Weber lives in New York.")
    page.click("#ask button[type=submit]")
    page.wait_for_function("() => document.querySelectorAll('#main .token').length === 7")
    told = [one.get_attribute("title") for one in page.query_selector_all("#main .token")]
    labels = tagger.tag(WORDS)
    assert [one.split(": ")[1].split(",")[0] for one in told] == labels
    page.click("#main .token >> nth=5")  # York
    page.wait_for_selector("#main h2 q")
    assert page.text_content("#main h2 q") == "York"
    rows = page.query_selector_all("#main tbody tr")
    values = numbers([row.query_selector("td:nth-child(2)").text_content() for row in rows])
    explained = tagger.explain(WORDS, 5)
    assert values[-1] == pytest.approx(explained.log_odds, abs=5e-3)
    assert sum(values[:-1]) == pytest.approx(values[-1], abs=5e-3 * len(values))
    rival = next(label for label in tagger.labels_ if label not in {explained.label, explained.rival, "O"})
    if rival.startswith("I-") and labels[4] == "O":
        rival = "O"
    page.select_option("#rival", rival)
    page.wait_for_function("rival => document.getElementById('rival').value === rival", arg=rival)


def test_why_is_told_in_words(page: Any) -> None:
    go(page, view="why", mode="tokens", input=" ".join(WORDS), at="5")
    page.wait_for_selector("#main h2 q")
    text = page.text_content("#main")
    assert "times as probable as" in text
    assert "a further word of the name of a place" in text  # I-LOC
    rows = page.eval_on_selector_all("#main tbody td:first-child", "all => all.map(one => one.textContent)")
    assert any(one.startswith("this word ends in “rk”") for one in rows)
    assert any("→" in one for one in rows)


def test_tokens_and_models(page: Any, models: dict[str, str]) -> None:
    page.check("input[value=tokens]")
    page.fill("#input", "\n".join(WORDS))
    page.click("#ask button[type=submit]")
    page.select_option("#model", "pos")
    page.wait_for_selector("#main .token .tag")
    tags = [one.text_content().split()[0] for one in page.query_selector_all("#main .token .tag")]
    assert tags == seqlab.load(models["pos"]).tag(WORDS)


def test_trellis(page: Any, models: dict[str, str], tmp_path: Path) -> None:
    go(page, view="trellis", mode="tokens", input=" ".join(WORDS))
    tagger = seqlab.load(models["ner"])
    paths = [list(one.labels) for one in tagger.nbest(WORDS, 5)]
    shown = [one.text_content().split()[2:] for one in page.query_selector_all("ol.paths li")]
    assert shown == paths
    hidden = "[data-path='2'][visibility=hidden]"
    assert page.query_selector(hidden) is not None
    page.hover("ol.paths button >> nth=2")
    assert page.query_selector(hidden) is None
    page.hover("h1")
    assert page.query_selector(hidden) is not None
    page.focus("ol.paths button >> nth=1")  # by key
    page.keyboard.press("Tab")
    assert page.query_selector(hidden) is None
    width = page.query_selector("svg.trellis").bounding_box()["width"]
    page.fill("input[type=range]", "2")
    page.dispatch_event("input[type=range]", "change")
    page.wait_for_function(
        "w => document.querySelector('svg.trellis').getBoundingClientRect().width > w", arg=width * 1.3
    )
    assert "zoom=2" in page.url
    saved = {}
    for kind in ("SVG", "JSON", "CoNLL"):
        with page.expect_download() as download:
            page.click(f"text=Save {kind}")
        download.value.save_as(tmp_path / kind)
        saved[kind] = (tmp_path / kind).read_text(encoding="utf-8")
    assert saved["SVG"].startswith("<svg") and "Anna" in saved["SVG"]  # noqa: PT018
    assert [one["labels"] for one in json.loads(saved["JSON"])["paths"]] == paths
    assert saved["CoNLL"].splitlines()[0] == f"Anna\t{paths[0][0]}"
    page.click("svg.trellis g[role=button] >> nth=4")
    page.wait_for_selector("#main h2 q")
    assert page.text_content("#main h2 q") == "New"


def test_what_if(page: Any, models: dict[str, str]) -> None:
    tagger = seqlab.load(models["ner"])
    go(page, view="whatif", mode="tokens", input=" ".join(WORDS))

    def shows(labels: list[str]) -> None:
        look = """labels => [...document.querySelectorAll('#main tbody td:nth-child(4)')]
            .map(one => one.textContent.split(' ')[0]).join(' ') === labels"""
        page.wait_for_function(look, arg=" ".join(labels))

    page.select_option("select[aria-label='Label of York']", "O")
    shows(tagger.tag(WORDS, known={5: "O"}))
    page.select_option("select[aria-label='Label of York']", f"!{tagger.tag(WORDS)[5]}")
    others = [label for label in tagger.labels_ if label != tagger.tag(WORDS)[5]]
    shows(tagger.tag(WORDS, allowed={5: others}))
    page.click("text=Start again")
    page.wait_for_selector("caption:has-text('No label has changed')")
    page.fill("input[aria-label='Token 5']", "was")
    page.keyboard.press("Tab")
    page.wait_for_function("() => decodeURIComponent(location.hash).includes('was')")
    shows(tagger.tag([*WORDS[:5], "was", "."]))
    page.select_option("#beside", "pos")
    page.wait_for_selector("th:has-text('pos')")
    beside = [one.text_content().split()[0] for one in page.query_selector_all("#main tbody td:nth-child(5)")]
    assert beside == seqlab.load(models["pos"]).tag([*WORDS[:5], "was", "."])
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("th:has-text('pos')")
    shows(tagger.tag([*WORDS[:5], "was", "."]))


@pytest.mark.parametrize("algorithm", ["forward", "backward", "viterbi"])
def test_step_by_step(page: Any, models: dict[str, str], algorithm: str) -> None:
    trellis = seqlab.load(models["ner"]).trellis(WORDS)
    wanted = {
        "forward": inference.forward(trellis),
        "backward": inference.backward(trellis),
        "viterbi": inference.viterbi_table(trellis).score,
    }[algorithm]
    go(page, view="steps", mode="tokens", input=" ".join(WORDS), step=f"{algorithm},1,own,logs")
    page.wait_for_selector("text=1 of 63 cells")
    page.click("#next")
    page.wait_for_selector("text=2 of 63 cells")
    page.click("text=To the end")
    page.wait_for_selector("text=63 of 63 cells")
    shown = page.eval_on_selector_all(
        "#main .scroll tbody tr",
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(one => one.textContent))",
    )
    found = np.array([[-np.inf if one == "−∞" else float(one) for one in row] for row in shown]).T
    np.testing.assert_allclose(found, wanted, atol=6e-4)
    assert f"eq:{algorithm}" in page.text_content("#main")


def test_the_figure_can_be_edited(page: Any) -> None:
    go(page, view="steps", step="forward,20,figure,numbers")
    page.wait_for_selector("text=The sum over all labellings")
    first = page.text_content("#main p:has-text('The sum over all')")
    page.click("summary")
    page.fill("input[aria-label='boat as N']", "0.2")
    page.keyboard.press("Tab")
    look = "old => ![...document.querySelectorAll('#main p')].some(p => p.textContent === old)"
    page.wait_for_function(look, arg=first)
    page.fill("input[aria-label='boat as N']", "0")  # now nothing is possible, and can be mended
    page.keyboard.press("Tab")
    page.wait_for_selector("[role=alert]:has-text('no legal path')")
    page.fill("#figure-words", "the old man")
    page.keyboard.press("Tab")
    page.wait_for_selector("text=of 12 cells")
    start, moves = (
        np.array([0, 0.2, 0.1, 0.7]),
        np.array([[0.1, 0.9, 0, 0], [0, 0.2, 0.7, 0.1], [0.1, 0.3, 0.1, 0.5], [0.3, 0.7, 0, 0]]),
    )
    words = np.array([[0, 0, 0, 1], [0.8, 0.2, 0, 0], [0.2, 0.4, 0.5, 0]])
    alpha = start * words[0]
    for row in words[1:]:
        alpha = (alpha @ moves) * row
    page.click("text=To the end")
    told = page.wait_for_selector("text=The sum over all labellings").text_content()
    assert float(re.search(r"is ([\d.e-]+)\.", told)[1]) == pytest.approx(alpha.sum(), rel=5e-3)


def test_data(page: Any, site: Running, tmp_path: Path) -> None:
    corpus = seqlab.demo_corpus("test")[:60]
    names = ("word", "pos", "entity")
    rows = [zip(*(one[name] for name in names), strict=True) for one in corpus]
    gold = "\n".join("".join("\t".join(row) + "\n" for row in one) for one in rows)
    path = tmp_path / "gold.txt"
    path.write_text(gold, encoding="utf-8")
    go(page, view="data", model="learns")
    page.set_input_files("#gold", path)
    page.wait_for_selector("text=Mistakes: rows are the right labels")
    cell = page.query_selector("#main td button")
    title = cell.get_attribute("aria-label")
    right, taken = re.fullmatch(r"(\S+) taken for (\S+): \d+", title).groups()
    cell.click()
    page.wait_for_selector(f"h2:has-text('{right} taken for {taken}')")
    page.select_option("#order", "doubt")
    page.wait_for_selector("p.sentence select.tag")
    page.select_option("p.sentence select.tag >> nth=-1", "B-MISC")  # of the full stop
    page.wait_for_selector("text=(1 change)")
    with page.expect_download() as download:
        page.click("#save-corrected")
    download.value.save_as(tmp_path / "corrected")
    corrected = (tmp_path / "corrected").read_text(encoding="utf-8")
    changed = [(a, b) for a, b in zip(gold.splitlines(), corrected.splitlines(), strict=True) if a != b]
    assert len(changed) == 1
    assert changed[0][1] == changed[0][0].rpartition("\t")[0] + "\tB-MISC"  # all other cells are kept
    page.click("#learn")
    saved = page.wait_for_selector("text=it is saved as").text_content()
    name = re.search(r"saved as (\S+)\.$", saved)[1]
    assert seqlab.load(site.log_path.parent / name).column_ == "entity"


def test_dropped_files_are_read(page: Any) -> None:
    go(page, view="data")
    page.evaluate(
        """() => {
          const held = new DataTransfer();
          held.items.add(new File(["Anna\\tB-PER\\nsings\\tO\\n"], "dropped.txt"));
          const drop = new DragEvent("drop", { dataTransfer: held, bubbles: true, cancelable: true });
          document.querySelector(".drop").dispatchEvent(drop);
        }"""
    )
    page.wait_for_selector("h2:has-text('dropped.txt')")


def test_model(page: Any, models: dict[str, str]) -> None:
    tagger = seqlab.load(models["ner"])
    go(page, view="model")
    page.select_option("#weight-label", "B-LOC")
    page.wait_for_function("() => location.hash.includes('weight=B-LOC')")
    page.wait_for_timeout(300)
    first = page.eval_on_selector("#main tbody tr", "row => [...row.cells].map(one => one.textContent)")
    best = tagger.top_features(1, label="B-LOC")[0]
    assert first[0].endswith(best.attribute)
    assert first[1] == "B-LOC"
    assert float(first[2]) == pytest.approx(best.weight, abs=5e-4)
    page.fill("#weight-search", "an")
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.hash.includes('search=an')")
    page.wait_for_timeout(300)
    names = page.eval_on_selector_all(
        "#main table >> nth=0 >> tbody td:first-child", "all => all.map(one => one.textContent)"
    )
    assert names
    assert all("an" in one.lower() for one in names)
    assert page.query_selector("svg[aria-label^='Transitions between labels']")
    assert page.query_selector("svg[aria-label^='The objective falls']")
    assert "max_iterations=15" in page.text_content("#main")


@pytest.mark.parametrize("view", VIEWS)
def test_markup_stays_text(page: Any, view: str, tmp_path: Path) -> None:
    go(
        page,
        view=view,
        model="evil",
        mode="tokens",
        input=f"{EVIL}\nword\n{EVIL}\tx\n",
        step="forward,3,own,logs",
    )
    page.wait_for_timeout(200)
    if view == "data":
        (tmp_path / EVIL.replace("/", "")).write_text(f"{EVIL}\tO\nword\tB-{EVIL}\n")
        page.set_input_files("#gold", tmp_path / EVIL)
        page.wait_for_selector("text=Mistakes")
    assert EVIL in page.text_content("main")
    assert page.query_selector("main img") is None
    if view == "trellis":
        with page.expect_download() as download:
            page.click("text=Save SVG")
        download.value.save_as(tmp_path / "saved.svg")
        saved = (tmp_path / "saved.svg").read_text(encoding="utf-8")
        assert "&lt;img" in saved
        assert "<img" not in saved


@pytest.mark.parametrize("view", VIEWS)
def test_a_link_shows_what_one_saw(browser: Any, site: Running, page: Any, view: str) -> None:
    go(
        page,
        view=view,
        model="ner",
        input="Bert Miller met Clara in Paris.",
        at="5",
        step="viterbi,5,own,logs",
        search="york",
        zoom="1.5",
    )
    page.wait_for_timeout(300)
    seen = page.text_content("main")
    with opened(browser, page.url.replace(f"{site.url}/", f"{site.url}/")) as other:
        other.wait_for_timeout(300)
        assert other.text_content("main") == seen


def test_a_label_has_the_same_colour_in_every_view(browser: Any, site: Running) -> None:
    kinds = "() => [...document.querySelectorAll('[class*=c]')].filter(one => /LOC/.test(one.textContent))"
    kinds += ".flatMap(one => one.className.toString().match(/(?<!\\S)c\\d/) ?? [])"
    found = set()
    for view in ("read", "whatif", "model"):
        with opened(browser, f"{site.url}/#view={view}") as page:
            page.wait_for_selector("#main [class^=c], #main .span")
            found.update(page.evaluate(kinds))
    assert len(found) == 1


def test_keys_alone(page: Any) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.focus("#input")
    page.keyboard.press("Control+a")
    page.keyboard.type("Anna sings.")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => document.querySelectorAll('#main .token').length === 3")
    page.focus("#tab-read")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("svg.trellis")
    assert page.evaluate("document.activeElement.id") == "tab-trellis"
    page.focus("svg.trellis g[role=button]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#main h2 q")
    go(page, view="steps", step="forward,1,figure,numbers")
    page.focus("#next")
    for many in (2, 3, 4):
        page.keyboard.press("Enter")
        page.wait_for_selector(f"text={many} of 20 cells")
        page.wait_for_function("() => document.activeElement.id === 'next'")


def test_an_error_is_told_on_the_page(browser: Any, site: Running) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.url}/#model=ner&mode=text&input=a")
    page.wait_for_selector("#main .token")
    page.route("**/v1/**", lambda route: route.abort())
    page.click("#tab-trellis")
    page.wait_for_selector("#status.wrong:has-text('does not answer')")
    context.close()


def test_what_cannot_be_can_be_undone(page: Any, tmp_path: Path) -> None:
    go(page, view="whatif", mode="tokens", input=" ".join(WORDS), known="0:I-PER")
    page.wait_for_selector("#status.wrong")
    page.click("text=Start again")
    page.wait_for_selector("caption:has-text('No label has changed')")
    (tmp_path / "bad.conllu").write_text("a\tO\nb\n")
    go(page, view="data")
    page.set_input_files("#gold", tmp_path / "bad.conllu")
    page.wait_for_selector("[role=alert]:has-text('bad.conllu')")
    assert page.query_selector("#gold")


def test_docs(browser: Any, site: Running) -> None:
    with opened(browser, f"{site.url}/docs") as page:
        page.click("text=Try /v1/tag")
        page.wait_for_selector("pre:has-text('\"labels\"')")


def test_pictures_of_the_guide(browser: Any, site: Running, tmp_path: Path) -> None:
    """Every picture that the guide shows can be taken; SEQLAB_PICTURES=docs/pictures writes them there."""
    root = Path(__file__).parents[2]
    found = importlib.util.spec_from_file_location("page_pictures", root / "tools" / "page_pictures.py")
    pictures = importlib.util.module_from_spec(found)
    found.loader.exec_module(pictures)
    guide = "".join((root / "docs" / "guide" / f"{name}.md").read_text() for name in ("page", "serving"))
    assert set(re.findall(r"pictures/(page-\w+)\.png", guide)) == set(pictures.SHOTS)
    folder = Path(os.environ.get("SEQLAB_PICTURES") or tmp_path)
    (tmp_path / "gold.txt").write_text("Anna\tB-PER\nWeber\tI-PER\nsings\tB-LOC\n.\tO\n")
    for name, asked in pictures.SHOTS.items():
        pictures.shoot(browser, site.url, folder / f"{name}.png", dict(asked), tmp_path / "gold.txt")
        assert (folder / f"{name}.png").stat().st_size > 10_000

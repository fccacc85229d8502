"""Write the pictures of docs/guide/page.md and serving.md: `python tools/page_pictures.py`.

It trains two models and opens the page in a browser. It needs the extra test, and chromium. tests/serve/test_page.py
takes the same pictures of its own models.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import seqlab

ROOT = Path(__file__).resolve().parent.parent
TEXT = "Anna Weber lives in New York. She works for the Emerald Arrow."
SHOTS: dict[str, dict[str, Any]] = {
    "page-read": {"view": "read"},
    "page-why": {"view": "why", "at": "5"},
    "page-trellis": {"view": "trellis", "scheme": "dark"},
    "page-whatif": {"view": "whatif", "known": "5:O", "beside": "pos"},
    "page-steps": {"view": "steps", "step": "viterbi,10,figure,numbers", "scheme": "dark"},
    "page-data": {"view": "data", "height": 1000},
    "page-model": {"view": "model", "weight": "B-LOC"},
    "page-phone": {"view": "why", "at": "5", "width": 390, "height": 1100},
    "page-docs": {"view": "docs"},
}


def main() -> None:
    """Train, serve, and take the pictures."""
    sys.path.insert(0, str(ROOT / "tests"))
    from playwright.sync_api import sync_playwright

    from serve.browsing import CHROMIUM, FLAGS
    from serve.running import running

    with tempfile.TemporaryDirectory() as name, sync_playwright() as started:
        folder = Path(name)
        train, test = seqlab.demo_corpus("train"), seqlab.demo_corpus("test")[:80]
        for model, column, constraints in (("ner", "entity", "auto"), ("pos", "pos", None)):
            made = seqlab.CRF(model, constraints=constraints).fit(train, column)
            made.save(folder / f"{model}.model")
        pairs = [zip(one["word"], one["entity"], strict=True) for one in test]
        gold = folder / "gold.txt"
        gold.write_text("\n".join("".join(f"{w}\t{y}\n" for w, y in one) for one in pairs), encoding="utf-8")
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        files = [str(folder / f"{model}.model") for model in ("ner", "pos")]
        with running(*files, "--learn", log=folder / "log") as server:
            for picture, asked in SHOTS.items():
                shoot(browser, server.url, ROOT / "docs" / "pictures" / f"{picture}.png", dict(asked), gold)
        browser.close()


def shoot(browser: Any, url: str, path: Path, asked: dict[str, Any], gold: Path) -> None:
    """Take one picture."""
    size = {"width": asked.pop("width", 1000), "height": asked.pop("height", 720)}
    context = browser.new_context(viewport=size, color_scheme=asked.pop("scheme", "light"))
    page = context.new_page()
    docs = asked["view"] == "docs"
    page.goto(f"{url}/docs" if docs else f"{url}/#{urlencode({'input': TEXT, **asked})}")
    page.wait_for_selector("#main > *")
    if docs:
        page.click("text=Try /v1/tag")
        page.wait_for_selector("pre:has-text('labels')")
    if asked["view"] == "data":
        page.set_input_files("#gold", gold)
        page.wait_for_selector("text=Mistakes")
    page.wait_for_timeout(400)
    page.screenshot(path=path, clip={"x": 0, "y": 0, **size})
    context.close()
    print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()

"""Pages are found by the words that people use: they stand where one would look, and the search finds them there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FIRST = 6  # results that a reader looks at

# Words, and the pages where their matter is explained.
WORDS = {
    "early stopping": ["guide/training", "guide/crf", "faq"],
    "l2 regularization": ["guide/training", "guide/crf"],
    "l1 regularization": ["guide/training", "guide/crf"],
    "DataFrame": ["guide/corpora", "faq"],
    "pandas": ["guide/corpora", "faq"],
    "Jupyter": ["tour", "faq", "guide/explaining", "guide/pictures"],
    "notebook": ["tour", "guide/explaining"],
    "embeddings": ["guide/features", "faq"],
    "n_jobs": ["faq", "guide/crf"],
    "multiprocessing": ["faq"],
    "tokenizer": ["faq", "gallery", "tasks/segmentation"],
    "semi-supervised": ["guide/hmm", "gallery", "faq"],
    "unsupervised": ["gallery", "faq"],
    "BIC": ["guide/hmm", "tasks/time-series", "faq"],
    "hyperparameter": ["guide/tuning", "faq"],
    "grid search": ["guide/tuning", "guide/crf"],
    "confidence": ["faq", "tour", "guide/evaluation"],
    "confidence interval": ["guide/evaluation"],
    "class weights": ["guide/crf", "faq", "tasks/named-entities"],
    "imbalanced": ["guide/crf", "faq", "tasks/named-entities"],
    "GPU": ["faq", "guide/crf"],
    "ONNX": ["faq", "guide/models"],
    "spaCy": ["faq"],
    "BIO tags": ["guide/tags"],
    "F1": ["guide/evaluation", "faq", "tasks/named-entities"],
    "precision": ["guide/evaluation", "tour"],
    "cross-validation": ["guide/tuning", "guide/crf", "faq"],
    "incremental": ["guide/crf", "guide/hmm", "guide/perceptron", "faq"],
    "online learning": ["guide/perceptron", "guide/training"],
    "scikit-learn": ["faq", "guide/crf"],
    "Viterbi": ["guide/inference", "equations/decoding"],
    "named entities": ["tasks/named-entities"],
    "perplexity": ["guide/markov-chains"],
}


def plain(text: str) -> str:
    """As site.js: one spelling for all."""
    return text.lower().replace("iz", "is").replace("-", " ")


@pytest.mark.parametrize(("word", "pages"), WORDS.items(), ids=WORDS)
def test_word_is_on_the_page_where_one_would_look(word: str, pages: list[str]) -> None:
    for page in pages:
        text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
        assert plain(word) in " ".join(plain(text).split()), page


def score(row: list[str], words: list[str]) -> int:
    """As site.js: what a section is worth for words."""
    _, title, heading, text = map(plain, row)
    total = 0
    for word in words:
        points = 8 * (word in heading) + 4 * (word in title) + (word in text)
        if not points:
            return 0
        total += points + 20 * (heading == word or heading.endswith("." + word))
    together = " ".join(words)
    return total + 8 * (together in heading) + 2 * min(3, text.count(together))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    pytest.importorskip("markdown_it")
    pytest.importorskip("pygments")
    site = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, str(ROOT / "tools" / "docs_site"), str(site)], check=True, timeout=600)
    script = (site / "search-index.js").read_text(encoding="utf-8")
    rows: list[list[str]] = json.loads(script.removeprefix("const SEARCH = ").rstrip().removesuffix(";"))
    return rows


@pytest.mark.parametrize(("word", "pages"), WORDS.items(), ids=WORDS)
def test_search_finds_the_page(word: str, pages: list[str], index: list[list[str]]) -> None:
    words = plain(word).split()
    best = sorted(index, key=lambda row: -score(row, words))[:FIRST]  # both sorts are stable
    found = [row[0].partition(".html")[0] for row in best if score(row, words)]
    assert set(found) & set(pages), found


def test_search_asks_nobody_outside() -> None:
    folder = ROOT / "tools" / "docs_site"
    text = "".join(
        (folder / name).read_text(encoding="utf-8") for name in ("site.js", "sheet.py", "style.css")
    )
    for sign in ("http:", "https:", "fetch(", "XMLHttpRequest", "@import", "url("):
        assert sign not in text

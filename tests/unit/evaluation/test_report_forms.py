"""A report as text, JSON and a page."""

from __future__ import annotations

import html.parser
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab.errors import OptionError
from seqlab.evaluation import evaluate
from seqlab.views.text import text_width

GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["B-ORG", "O", "O", "B-PER"]]
PREDICTED = [["B-PER", "I-PER", "O", "B-ORG"], ["I-ORG", "O", "O", "B-PER"]]
WORDS = [["Ada", "Byron", "visits", "Turin"], ["Fiat", "hires", "more", "Ada"]]
REPORT = evaluate(GOLD, PREDICTED, words=WORDS, known={"Ada"}, bootstrap=20)


def test_text_is_laid_out_like_scikit_learn() -> None:
    text = evaluate([["A", "A", "B"]], [["A", "B", "B"]]).text(digits=2)
    head, *rows = text.split("Labels\n\n")[1].splitlines()
    assert head == "              precision    recall  f1-score   support"
    assert rows[1:3] == [
        "           A       1.00      0.50      0.67         2",
        "           B       0.50      1.00      0.67         1",
    ]
    assert rows[4] == "    accuracy                           0.67         3"
    assert [row.split()[0] for row in rows[5:7]] == ["macro", "weighted"]


def test_text_says_everything() -> None:
    text = str(REPORT)
    assert text == REPORT.text()
    for part in (
        "accuracy on unseen words",
        "95 %:",
        "span F1 (strict)",
        "boundary only",
        "micro avg",
        "B-LOC -> B-ORG",
    ):
        assert part in text
    flat = " ".join(text.split())
    assert (
        "scheme IOB2 (found by looking); gold has no invalid label; predicted has 1 invalid label in 1 span"
        in flat
    )
    assert "their spans were kept, as conlleval does" in flat
    dropped = str(evaluate(GOLD, PREDICTED, repair="strict"))
    assert "spans were dropped" in " ".join(dropped.split())


@given(
    st.lists(st.text(min_size=1, max_size=90), min_size=1, max_size=6),
    st.integers(1, 9),
    st.randoms(use_true_random=False),
)
def test_text_is_at_most_eighty_columns_whatever_the_labels(
    labels: list[str], digits: int, chance: object
) -> None:
    gold = [[chance.choice(labels) for _ in range(5)]]  # type: ignore[attr-defined]
    predicted = [[chance.choice(labels) for _ in range(5)]]  # type: ignore[attr-defined]
    report = evaluate(gold, predicted, scheme=None, bootstrap=3)
    for line in report.text(digits=digits).split("\n"):
        assert text_width(line) <= 80
        assert line.isprintable()


def test_text_of_many_labels_shows_the_frequent_ones() -> None:
    labels = [f"L{i}" for i in range(200)]
    text = evaluate([labels + ["L7"] * 3], [labels + ["L7"] * 3]).text(rows=10)
    assert "and 190 rarer ones" in text
    assert re.search(r"^ +L7 ", text, re.MULTILINE)
    with pytest.raises(OptionError):
        REPORT.text(rows=0)


def test_text_shows_the_ten_most_frequent_mistakes() -> None:
    gold = [["A"] * (1 + sum(range(2, 13)))]
    predicted = [["L1", *(f"L{n}" for n in range(2, 13) for _ in range(n))]]
    lines = evaluate(gold, predicted, scheme=None).text().split("Most frequent mistakes\n\n")[1].splitlines()
    assert [line.split() for line in lines[1:]] == [["A", "->", f"L{n}", str(n)] for n in range(12, 2, -1)]


def test_json_is_plain_and_complete() -> None:
    data = json.loads(REPORT.json())
    assert data == json.loads(json.dumps(REPORT.to_dict()))
    assert data["spans"]["scheme"] == "IOB2"
    assert data["spans"]["strict"]["rows"]["PER"]["support"] == 2
    assert data["spans"]["predicted_invalid"] == {"labels": 1, "spans": 1, "sentences": 1}
    assert set(data["intervals"]) == set(data["figures"])
    assert json.loads(evaluate([["A"]], [["B"]]).json(indent=None))["spans"] is None


class Reader(html.parser.HTMLParser):
    """Checks that tags are closed, and remembers what is there."""

    VOID = frozenset({"meta", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def test_page_is_whole_and_needs_nothing_else() -> None:
    page = REPORT.html(title="A < B")
    reader = read(page)
    tags = {tag for tag, _ in reader.seen}
    assert not tags & {"script", "link", "img", "iframe", "object"}
    assert not re.search(r"https?:|url\(|@import", page)
    assert not any(
        name.startswith("on") or name in {"src", "href"} for _, attrs in reader.seen for name in attrs
    )
    assert "<title>A &lt; B</title>" in page
    for part in ("Spans by type", "Four ways to count spans", "What was taken for what", "Errors in context"):
        assert part in reader.text


def test_page_names_labels_types_and_ways() -> None:
    rows = re.findall(
        r'<th scope="row"><bdi>(.*?)</bdi>', evaluate([["B", "I-X", "O"]], [["B", "O", "O"]]).html()
    )
    ways = ["strict", "lenient", "type only", "boundary only"]
    averages = ["all (micro)", "macro", "weighted"]
    assert rows == ["(no type)", "X", *averages, *ways, "B", "I-X", "O", *averages]


def test_page_shows_the_worst_sentence_first_and_marks_what_is_wrong() -> None:
    gold, predicted = [["A", "A"], ["A", "A"], ["A"]], [["A", "B"], ["B", "B"], ["A"]]
    page = evaluate(gold, predicted, words=[["one", "two"], ["three", "four"], ["five"]]).html()
    assert re.findall(r"sentence (\d): (\d) of 2 labels wrong", page) == [("1", "2"), ("0", "1")]
    assert page.count('class="token wrong"') == 3
    assert page.count("✗ B") == 3
    assert "five" not in page
    assert evaluate(gold, predicted).html(sentences=1).count("labels wrong") == 1
    assert "Left out, as asked" in evaluate(gold, predicted).html(sentences=0)
    assert "No label was wrong" in evaluate(gold, gold).html()


def test_page_shows_long_sentences_around_their_errors() -> None:
    words = [[f"w{t}" for t in range(300)]]
    gold = [["A"] * 300]
    predicted = [["A"] * 150 + ["B"] + ["A"] * 149]
    page = evaluate(gold, predicted, words=words).html()
    assert "w145" in page
    assert "w155" in page
    assert "w144<" not in page
    assert page.count('class="gap"') == 2


@pytest.mark.parametrize(("length", "gaps"), [(40, 0), (41, 1)])
def test_page_shows_sentences_of_forty_tokens_whole(length: int, gaps: int) -> None:
    page = evaluate([["A"] * length], [["B"] + ["A"] * (length - 1)]).html()
    assert page.count('class="gap"') == gaps
    assert page.count('class="token"') == (5 if gaps else length - 1)


@pytest.mark.parametrize(("labels", "folded"), [(30, 0), (31, 1)])
def test_page_folds_tables_of_more_than_thirty_labels(labels: int, folded: int) -> None:
    gold = [[f"L{n}" for n in range(labels)]]
    assert evaluate(gold, gold, scheme=None).html().count("<details>") == folded


def test_page_shortens_the_counts_of_its_picture() -> None:
    gold = [["A"] * 9_999 + ["B"] * 10_000 + ["C", "A", "A"]]
    page = evaluate(gold, [["B"] * 9_999 + ["A"] * 10_000 + ["A", "C", "C"]]).html()
    shown = re.findall(r'title="gold (.), predicted (.): ([\d,]+)">(.*?)<', page)
    assert {(gold, predicted): (told, short) for gold, predicted, told, short in shown} == {
        ("A", "A"): ("0", ""), ("A", "B"): ("9,999", "9999"), ("A", "C"): ("2", "2"),
        ("B", "A"): ("10,000", "10k"), ("B", "B"): ("0", ""), ("B", "C"): ("0", ""),
        ("C", "A"): ("1", "1"), ("C", "B"): ("0", ""), ("C", "C"): ("0", ""),
    }  # fmt: skip


@given(st.lists(st.text(max_size=12), min_size=1, max_size=5))
def test_page_escapes_words_and_labels(texts: list[str]) -> None:
    nasty = [*texts, "<script>alert('x')</script>", '"><img src=x onerror=y>', "&amp;", "</style>"]
    report = evaluate([nasty], [nasty[1:] + nasty[:1]], words=[nasty], scheme=None)
    reader = read(report.html(title=nasty[-1]))
    assert {tag for tag, _ in reader.seen} <= {
        *(
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "main",
            "h1",
            "h2",
            "p",
            "div",
            "span",
            "b",
            "br",
            "i",
        ),
        *(
            "table",
            "caption",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "bdi",
            "section",
            "header",
            "small",
            "details",
        ),
        "summary",
    }


def test_page_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.html"
    page = REPORT.html(path)
    assert path.read_text(encoding="utf-8") == page
    assert REPORT.html(str(path), title="new") != page
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        REPORT.html(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_page_can_be_written_with_lone_surrogates(tmp_path: Path) -> None:
    report = evaluate([["A\ud800"]], [["B"]], words=[["\udcff"]])
    report.html(tmp_path / "x.html")
    assert report.text()
    assert json.loads(report.json())


@pytest.mark.parametrize("name", ["nowhere/report.html", "."])
def test_a_page_that_cannot_be_written_names_the_path_that_was_asked_for(tmp_path, name):
    path = tmp_path / name
    with pytest.raises(OSError, match=re.escape(repr(str(path)))):
        evaluate([["A"]], [["A"]]).html(path)
    assert not list(tmp_path.iterdir())


def test_one_is_not_plural():
    report = evaluate([["A"]], [["A"]])
    assert str(report).startswith("1 sentence, 1 token\n")
    assert "1 sentence, 1 token<" in report.html()

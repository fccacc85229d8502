"""docs/source-map.md: every number of the texts is there, and every name, option, flag, address and test exists."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

import seqlab
from seqlab.cli import COMMANDS, main

pytest.importorskip("markdown_it")
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "source-map.md"
sys.path.insert(0, str(ROOT / "tools" / "docs_site"))

from pages import slug  # noqa: E402

THEIRS = {
    one.__name__: one
    for one in (LinearSVC, LogisticRegression, MultinomialNB, OneVsRestClassifier, RidgeClassifier)
}
COLUMNS = ("where", "what", "python", "shell", "page", "test")


def rows(text: str) -> list[dict[str, str]]:
    """The rows of the tables, with the text that they belong to."""
    found = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        for line in section.splitlines():
            if line.startswith("| ") and not line.startswith("| where"):
                cells = [cell.strip() for cell in line.strip("|").split("|")]
                assert len(cells) == len(COLUMNS), line
                found.append({"text": section.partition("\n")[0], **dict(zip(COLUMNS, cells, strict=True))})
    return found


ROWS = rows(PAGE.read_text(encoding="utf-8"))


def spans(column: str) -> list[str]:
    """The code of a column, each piece once."""
    return sorted({piece for row in ROWS for piece in re.findall(r"`([^`]+)`", row[column])})


def known(name: str) -> Any:
    """A public name of seqlab, or a class of scikit-learn that the page names."""
    if name in THEIRS:
        return THEIRS[name]
    assert name in seqlab.__all__, f"{name} is no public name"
    return getattr(seqlab, name)


def meant(node: ast.expr) -> Any:
    """The thing that an expression of the page names; calls are tried where they make an object."""
    if isinstance(node, ast.Name):
        return known(node.id)
    if isinstance(node, ast.Attribute):
        owner = meant(node.value)
        assert hasattr(owner if inspect.ismodule(owner) else _class(owner), node.attr), ast.unparse(node)
        return getattr(owner, node.attr) if inspect.ismodule(owner) or inspect.isclass(owner) else None
    assert isinstance(node, ast.Call), ast.unparse(node)
    called = meant(node.func)
    named = {one.arg: value(one.value) for one in node.keywords if one.arg}
    given = [value(one) for one in node.args]
    if inspect.isclass(called):
        return called(*given, **named)
    inspect.signature(called).bind_partial(*given, **named)
    return called


def value(node: ast.expr) -> Any:
    """An argument: a plain value, or something that the page names."""
    return meant(node) if isinstance(node, ast.Name | ast.Attribute | ast.Call) else ast.literal_eval(node)


def _class(thing: Any) -> type:
    return thing if isinstance(thing, type) else type(thing)


@pytest.mark.parametrize("call", spans("python"))
def test_call_exists(call: str) -> None:
    meant(ast.parse(call, mode="eval").body)


@pytest.mark.parametrize("call", ["HMM(colour=1)", "CRF.sing", "inference.gossip", "Nothing()", "HMM().sing"])
def test_a_call_that_does_not_exist_is_found(call: str) -> None:
    with pytest.raises((AssertionError, TypeError)):
        meant(ast.parse(call, mode="eval").body)


@pytest.fixture(scope="module")
def helps() -> dict[str, str]:
    return {}


@pytest.mark.parametrize("command", spans("shell"))
def test_command_exists(command: str, helps: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    program, name, *words = command.split()
    assert program == "seqlab"
    assert name in COMMANDS
    if name not in helps:
        with pytest.raises(SystemExit):
            main([name, "--help"])
        helps[name] = capsys.readouterr().out
    for flag in (word for word in words if re.fullmatch(r"--?[a-z][\w-]*", word)):
        assert re.search(rf"(?<![\w-]){flag}(?![\w-])", helps[name]), f"{name} has no {flag}"
    for flag, choice in itertools.pairwise(words):
        if flag in {"-m", "--learner", "--em", "--emissions", "--decode", "--table"}:
            assert re.search(rf"(?<![\w-]){choice}(?![\w-])", " ".join(helps[name].split())), choice


def anchors(path: Path) -> set[str]:
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    taken: dict[str, int] = {}
    return {slug(title, taken) for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@pytest.mark.parametrize(
    "address", sorted({link for row in ROWS for link in re.findall(r"\]\(([^)]+)\)", row["page"])})
)
def test_page_exists(address: str) -> None:
    file, _, anchor = address.partition("#")
    path = PAGE.parent / file
    assert path.is_file()
    assert not anchor or anchor in anchors(path)


@pytest.mark.parametrize("address", spans("test"))
def test_test_exists(address: str) -> None:
    file, _, name = address.partition("::")
    text = (ROOT / "tests" / file).read_text(encoding="utf-8")
    assert re.search(rf"^def {name}\(", text, re.MULTILINE) if name else "def test_" in text


def test_every_row_has_a_page_and_a_test() -> None:
    for row in ROWS:
        assert row["what"], row
        assert "](" in row["page"], row
        assert "`" in row["test"], row


def _numbered(kind: str, chapter: int, last: int) -> set[str]:
    return {kind.format(f"{chapter}.{number}") for number in range(1, last + 1)}


# What has a number in a text: sections, equations, figures.
NUMBERS = {
    "Çöltekin, course notes ch. 9": _numbered("Fig. {}", 9, 11)
    | _numbered("({})", 9, 2)
    | {"9", "9.1", "9.2", "9.2.1", "9.2.2", "9.2.3", "9.3", "9.4", "9.4.1", "9.4.2"},
    "Collins": {"1", "2", "3", "4"} | {f"({number})" for number in range(1, 9)},
    "Zhang": _numbered("Fig. {}", 1, 11)
    | _numbered("({})", 1, 21)
    | _numbered("{}", 1, 6)
    | {"1.4.1", "1.4.2", "1.6.1", "1.6.2", "1.6.3"},
}


@pytest.mark.parametrize("text", NUMBERS)
def test_no_number_of_a_text_is_left_out(text: str) -> None:
    found = {part for row in ROWS if row["text"] == text for part in row["where"].split(", ")}
    assert NUMBERS[text] - found == set()


def test_all_five_texts_are_there() -> None:
    assert {row["text"] for row in ROWS} == {*NUMBERS, "HMM notes", "Lecture"}

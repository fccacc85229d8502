"""The built-in corpus keeps the rules of docs/demo-corpus.md, and the checker would notice if it did not."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from seqlab.corpus.io.demo import demo_corpus
from seqlab.errors import OptionError

TOOLS = Path(__file__).resolve().parents[3] / "tools"

GOOD = """
Dr.|PROPN|B-NP|O Amina|PROPN|I-NP|B-PER Diallo|PROPN|I-NP|I-PER has|AUX|B-VP|O not|PART|I-VP|O moved|VERB|I-VP|O
to|ADP|B-PP|O Lima|PROPN|B-NP|B-LOC because|ADP|B-PP|O of|ADP|I-PP|O the|DET|B-NP|O Danish|ADJ|I-NP|B-MISC
prize|NOUN|I-NP|O ,|PUNCT|O|O so|ADV|B-ADVP|O we|PRON|B-NP|O want|VERB|B-VP|O to|PART|I-VP|O help|VERB|I-VP|O
before|ADP|B-PP|O leaving|VERB|B-VP|O on|ADP|B-PP|O 3|NUM|B-NP|O May|PROPN|I-NP|O .|PUNCT|O|O
"""


@pytest.fixture(scope="module")
def checker():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        yield importlib.import_module("check_demo_corpus")


def sentences(checker: ModuleType, text: str = GOOD, part: str = "train"):
    """Sentences from blocks of word|pos|chunk|entity."""
    lines = [token.replace("|", "\t") for token in text.split()]
    found, complaints = checker.parse(part, lines)
    assert not complaints
    return found


def rules(checker: ModuleType, found, *, but=("counts",)) -> list[str]:
    """Names of the rules that are broken; exceptions are not needed by a made-up sentence."""
    return [c.rule for c in checker.check(found, "") if c.rule not in but and c.place != "ALLOWED"]


# ------------------------------------------------------------------------------------------ what we ship


def test_corpus_keeps_every_rule(checker, capsys):
    code = checker.main([])
    assert code == 0, capsys.readouterr().out


@pytest.mark.parametrize("part", ["train", "test"])
def test_parts_load_as_they_are_written(checker, part):
    lines = (checker.FOLDER / f"{part}.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    written, _ = checker.parse(part, lines)
    corpus = demo_corpus(part)
    assert corpus.columns == ("word", "pos", "chunk", "entity")
    assert len(corpus) == len(written)
    for name in corpus.columns:
        assert corpus.column(name) == [[getattr(token, name) for token in s.tokens] for s in written]


def test_all_is_train_and_then_test():
    train, test, both = demo_corpus("train"), demo_corpus("test"), demo_corpus()
    assert both.column("word") == train.column("word") + test.column("word")
    assert len(train) >= 1_000
    assert train.token_count >= 12_000


@pytest.mark.parametrize("part", ["dev", "", None, ["train"]])
def test_unknown_part_is_refused(part):
    with pytest.raises(OptionError, match="part must be one of"):
        demo_corpus(part)


# ------------------------------------------------------------------------------------------ the checker


def test_good_sentence_is_permitted(checker):
    assert rules(checker, sentences(checker)) == []


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("moved|VERB", "moved|VB", "tags"),
        ("B-MISC", "B-DATE", "tags"),
        ("Diallo|PROPN|I-NP|I-PER", "Diallo|PROPN|I-NP|I-LOC", "iob2"),
        ("moved|VERB|I-VP", "moved|VERB|I-NP", "iob2"),
        ("has|AUX", "has|NOUN", "words"),
        ("prize|NOUN", "prize|DET", "words"),
        ("3|NUM", "3|NOUN", "words"),
        ("Danish|ADJ|I-NP|B-MISC", "Danish|ADJ|I-NP|O", "words"),
        ("to|PART|I-VP|O help|VERB", "to|PART|I-VP|O help|NOUN", "neighbours"),
        ("to|PART|I-VP|O help|VERB|I-VP", "to|ADP|B-PP|O help|VERB|B-VP", "neighbours"),
        ("before|ADP|B-PP", "before|SCONJ|B-SBAR", "neighbours"),
        ("prize|NOUN|I-NP", "prize|NOUN|B-NP", "seams"),
        ("not|PART|I-VP|O moved|VERB|I-VP", "not|PART|B-ADVP|O moved|VERB|B-VP", "seams"),
        ("has|AUX|B-VP|O not|PART|I-VP|O moved|VERB|I-VP", "has|AUX|B-VP|O moved|VERB|B-VP", "seams"),
        ("moved|VERB|I-VP", "moved|VERB|O", "chunks"),
        ("the|DET|B-NP|O Danish|ADJ|I-NP|B-MISC", "Danish|ADJ|B-NP|B-MISC the|DET|I-NP|O", "chunks"),
        ("so|ADV|B-ADVP", "so|ADV|B-PRT", "chunks"),
        ("because|ADP|B-PP|O of|ADP|I-PP", "because|ADP|B-PP|O of|ADP|B-PP", "groups"),
        (
            "Dr.|PROPN|B-NP|O Amina|PROPN|I-NP|B-PER",
            "Dr.|PROPN|B-NP|B-PER Amina|PROPN|I-NP|I-PER",
            "entities",
        ),
        ("May|PROPN|I-NP|O", "May|PROPN|I-NP|B-MISC", "entities"),
        ("Lima|PROPN|B-NP|B-LOC", "Lima|PROPN|B-NP|O", "entities"),
        ("Danish|ADJ|I-NP|B-MISC", "Danish|ADJ|I-NP|B-ORG", "entities"),
    ],
)
def test_mistake_is_noticed(checker, old, new, rule):
    assert old in GOOD
    assert rule in rules(checker, sentences(checker, GOOD.replace(old, new)))


@pytest.mark.parametrize("line", ["word\tNOUN\tO", "a b\tNOUN\tO\tO", "word\tNOUN\tO\t", "\tNOUN\tO\tO", " "])
def test_wrong_columns_are_noticed(checker, line):
    _, complaints = checker.parse("train", ["good\tADJ\tB-ADJP\tO", line, ""])
    assert [c.rule for c in complaints] == ["columns"]
    assert complaints[0].place == "train.txt:2"


def test_sentence_in_both_parts_is_noticed(checker):
    both = sentences(checker) + sentences(checker, part="test")
    assert rules(checker, both) == ["repeats"]


def test_near_repeat_is_noticed(checker):
    second = GOOD.replace("Lima", "Cusco").replace(".|PUNCT|O|O", "!|PUNCT|O|O").replace("3|NUM", "4|NUM")
    assert rules(checker, sentences(checker) + sentences(checker, second)) == ["repeats"]


def test_name_with_two_types_is_noticed(checker):
    other = "Lima|PROPN|B-NP|B-ORG won|VERB|B-VP|O .|PUNCT|O|O"
    assert rules(checker, sentences(checker) + sentences(checker, other)) == ["names"]


def test_stale_table_of_counts_and_small_train_part_are_noticed(checker):
    found = sentences(checker)
    said = [c.said for c in checker.check_counts(found, "no table")]
    assert len(said) == 3
    assert len(list(checker.check_counts(found, checker.counts(found)))) == 2


def test_exception_permits_and_a_stale_one_is_noticed(checker, monkeypatch):
    broken = sentences(checker, GOOD.replace("3|NUM", "3|NOUN"))
    monkeypatch.setattr(checker, "ALLOWED", {("words", "leaving on 3 May"): "a test"})
    assert rules(checker, broken) == []
    stale = [c for c in checker.check(sentences(checker), "") if c.place == "ALLOWED"]
    assert len(stale) == 1

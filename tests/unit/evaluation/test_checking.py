"""What `seqlab.check` finds in a corpus, and where."""

import json

import pytest

from seqlab.corpus import Corpus, read
from seqlab.errors import CorpusError, OptionError
from seqlab.evaluation.checking import check


def found(check_, kind):
    (finding,) = check_.of(kind)
    return finding


def corpus_of(words, labels):
    return Corpus.from_lists(word=words, label=labels)


CLEAN = corpus_of(
    [["the", "dog", "barks"], ["a", "cat", "sleeps", "here"]] * 2,
    [["D", "N", "V"], ["D", "N", "V", "V"]] * 2,
)


def test_a_clean_corpus_has_nothing_to_complain_about():
    result = check(CLEAN)
    assert result.ok
    assert "nothing to complain about" in str(result)
    assert "4 sentences, 14 tokens, columns label" in str(result)


def test_empty_sentences_are_named():
    result = check(corpus_of([["a", "b"], [], ["a", "b"]], [["X", "Y"], [], ["X", "Y"]]))
    finding = found(result, "empty sentence")
    assert finding.message == "1 sentence has no tokens"
    assert len(finding.places) == 1
    assert not result.ok


def test_labels_seen_once_and_labels_of_one_word():
    words = [["the", "dog", "the", "cat", "whose", "whose", "odd"]]
    labels = [["D", "N", "D", "N", "WP$", "WP$", "Nn"]]
    result = check(corpus_of(words, labels), "label")
    assert "'Nn' is seen once only" in found(result, "label seen once").message
    assert found(result, "label seen once").places == ("sentence 0, token 6",)
    assert (
        found(result, "label of one word").message
        == "column 'label': 'D' (always 'the'), 'WP$' (always 'whose')"
    )


def test_labels_that_differ_by_case_or_blanks():
    labels = [["NOUN", "noun", "NOUN", "V", "V ", "B-LOC"]]
    words = [["a", "b", "c", "d", "e", "f"]]
    messages = [finding.message for finding in check(corpus_of(words, labels)).of("labels alike")]
    assert len(messages) == 2
    assert "'NOUN' (2 times) and 'noun' (1 time)" in messages[0]
    assert "'V' (1 time) and 'V ' (1 time)" in messages[1]


def test_invalid_scheme_sequences_come_with_file_and_line(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("John\tB-PER\nran\tO\n\nto\tO\nNew\tI-LOC\nYork\tI-LOC\nand\tO\nRome\tB-LOC\n\n")
    result = check(read(path))
    finding = found(result, "invalid sequence")
    assert finding.severity == "error"
    assert finding.places == (f"{path}:5",)
    assert "1 label in 1 sentence out of place for IOB2; most often (1 time)" in finding.message
    assert "'I-LOC' must follow 'B-LOC' or 'I-LOC', but follows 'O'" in finding.message
    assert not check(read(path), scheme=None).of("invalid sequence")


def test_plain_labels_have_no_scheme():
    assert not check(CLEAN).of("invalid sequence")


def test_overlap_and_new_labels_of_dev():
    dev = corpus_of([["the", "dog", "barks"], ["new", "words"]], [["D", "N", "V"], ["J", "N"]])
    result = check(CLEAN, dev=dev)
    assert (
        "1 of 2 sentences of dev (60.0 % of its tokens) are in train too" in found(result, "overlap").message
    )
    assert found(result, "overlap").places == ("sentence 0, token 0",)
    assert "'J' is in dev but not in train" in found(result, "new label").message


def test_an_overlap_of_one_in_a_hundred_tokens_is_a_note():
    train = corpus_of([["a"]], [["X"]])
    for others, severity in ((99, "note"), (98, "warning")):
        dev = corpus_of([["a"], ["b"] * others], [["X"], ["X"] * others])
        assert found(check(train, dev=dev), "overlap").severity == severity


def test_words_and_labels_that_are_empty_or_odd():
    result = check(corpus_of([["", " x", "a\x07b", "e\u0301"]], [["X", "", "Y", "Y"]]))
    for kind in (
        "empty word",
        "word with blanks at its ends",
        "word with control characters",
        "word not in NFC",
        "empty label",
    ):
        assert len(found(result, kind).places) == 1
    assert result[0].severity == "error"  # worst first


def test_one_label_one_token_sentences_and_very_long_ones():
    result = check(corpus_of([["a"], ["b"], ["c"] * 1001], [["X"], ["X"], ["X"] * 1001]))
    assert found(result, "one label").severity == "error"
    assert "2 of 3 sentences have one token" in found(result, "one-token sentences").message
    assert len(found(result, "long sentence").places) == 1


def test_the_check_is_data_too():
    data = json.loads(check(corpus_of([[]], [[]])).json())
    assert data["ok"] is False
    assert {"kind", "severity", "message", "advice", "places", "column"} == set(data["findings"][0])


def test_a_corpus_of_attributes_has_labels_but_no_words(tmp_path):
    path = tmp_path / "train.crfsuite"
    path.write_text("B\tw=the\nI\tw=dog\n\nI\tw=a\nb\tw=c\n\n")
    result = check(read(path, "crfsuite"))
    assert "columns label" in result.title
    assert found(result, "labels alike")
    assert not result.of("label of one word")


def test_bad_arguments_are_refused():
    with pytest.raises(OptionError, match="check wants a Corpus, got list"):
        check([["a"]])
    with pytest.raises(CorpusError, match="'pos'"):
        check(CLEAN, "pos")


def test_one_is_singular_and_an_empty_label_is_not_rare_too():
    result = check(corpus_of([["a", "b"]], [["X", ""]]))
    assert result.title == "corpus: 1 sentence, 2 tokens, columns label"
    assert found(result, "empty label").message == "column 'label': 1 token has no label"
    assert "''" not in found(result, "label seen once").message


def test_a_column_that_is_named_may_have_missing_labels():
    corpus = corpus_of([["a", "b"]], [["X", None]])
    for column in ("label", None):
        assert found(check(corpus, column), "missing label").severity == "note"


def test_dev_must_be_a_corpus():
    with pytest.raises(OptionError, match="dev must be a Corpus, got list"):
        check(CLEAN, dev=[["a"]])


def test_no_break_and_zero_width_spaces_are_found():
    words = [["New\u00a0York", "a\u200bb", "c\ufeff", "fine", "\u200b"]]
    corpus = Corpus.from_lists(word=words, label=[["X", "X", "X", "Y\u200b", "Y"]])
    (found,) = check(corpus, "label").of("word with hidden spaces")
    assert found.places == tuple(f"sentence 0, token {t}" for t in (0, 1, 2, 4))
    assert found.message == "4 tokens: word with no-break or zero-width spaces"
    (found,) = check(corpus, "label").of("label with hidden spaces")
    assert found.places == ("sentence 0, token 3",)
    assert check(corpus, "label").of("labels alike")
    joined = Corpus.from_lists(word=[["می\u200cخواهم", "👩\u200d🔬"]], label=[["A", "B"]])
    assert not check(joined, "label").of("word with hidden spaces")

"""ARPA files good, odd and broken."""

import gzip
import io
import math

import pytest

from seqlab import MarkovChain
from seqlab.errors import CorpusError, QuestionError

GOOD = """\
Made by hand.

\\data\\
ngram 1=4
ngram 2=3

\\1-grams:
-99\t<s>\t-0.5
-0.6\t</s>
-0.9\t<unk>
-0.2\ta\t-0.3

\\2-grams:
-0.1\t<s> a
-0.4\ta a
-0.5\ta </s>

\\end\\
"""


def read(text):
    return MarkovChain.from_arpa(io.StringIO(text))


def test_probabilities_are_read_as_they_stand():
    chain = read(GOOD)
    assert (chain.order, chain.unknown, chain.symbols_) == (1, "<unk>", ("a", "<unk>", "</s>"))
    ten = math.log(10)
    assert chain.log_prob(["a"]) == pytest.approx((-0.1 - 0.5) * ten)
    assert chain.log_prob([]) == pytest.approx((-0.5 - 0.6) * ten)
    assert chain.log_prob(["a", "b"]) == pytest.approx((-0.1 - 0.3 - 0.9 - 0.6) * ten)
    assert chain.perplexity([["b"]]).oov == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\t", "  "),
        lambda text: "\ufeff" + text[text.index("\\data") :],
        lambda text: text.replace("ngram 1=4", "ngram  1 = 4"),
        lambda text: text.replace("-0.4\ta a", "-4e-1 a a 0"),
        lambda text: text + "what follows the end is of no interest \\data\\",
        lambda text: text.replace("-99\t<s>", "-inf\t<s>"),
    ],
)
def test_odd_files_are_read_all_the_same(change):
    assert read(change(GOOD)).log_prob(["a", "a"]) == pytest.approx(read(GOOD).log_prob(["a", "a"]))


def test_file_of_single_words_is_read():
    text = GOOD.replace("ngram 2=3\n", "")
    text = text[: text.index("\\2-grams")] + "\\end\\\n"
    chain = read(text)
    assert chain.log_prob(["a"]) == pytest.approx((-0.5 - 0.2 - 0.3 - 0.6) * math.log(10))


def test_file_without_an_unknown_word_has_a_closed_vocabulary():
    chain = read(GOOD.replace("-0.9\t<unk>\n", "").replace("1=4", "1=3"))
    assert chain.unknown is None
    assert read(GOOD.replace("<unk>", "<UNK>")).unknown == "<UNK>"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\\data\\", "data", "18: there is no line .data., with which an ARPA file begins"),
        ("ngram 1=4", "ngram one=4", "4: found 'ngram one=4', but a line such as 'ngram 1=5000'"),
        ("ngram 2=3", "ngram 3=3", "5: found 'ngram 3=3', but a line such as"),
        ("ngram 2=3", "ngram 2=99999999999999999999", "5: found 'ngram 2=99999999999999999999'"),
        ("ngram 2=3", "ngram 2=-3", "5: found 'ngram 2=-3'"),
        ("ngram 1=4\nngram 2=3\n", "", "5: found '.+1-grams:' after .data., but lines"),
        ("\\2-grams:", "\\3-grams:", "13: found '.+3-grams:', but the heading of the next n-grams"),
        ("\\end\\", "\\3-grams:", "18: found '.+3-grams:', but the heading"),
        ("ngram 2=3", "ngram 2=4", "18: the section ended after a wrong number of 2-grams: 3 of 4"),
        ("-0.4\ta a", "-0.4\ta", "15: a log-probability, 2 words and at most one back-off weight are wanted"),
        ("-0.4\ta a", "-0.4\ta a a a", "15: a log-probability, 2 words"),
        ("-0.4\ta a", "-0,4\ta a", "15: found '-0,4' where a number is wanted"),
        ("-0.4\ta a", "nan\ta a", "15: found 'nan' where a number is wanted"),
        ("-0.2\ta\t-0.3", "-0.2\ta\tinf", "11: found 'inf' where a number is wanted"),
        ("-0.4\ta a", "0.4\ta a", "15: the log-probability 0.4 is above 0"),
        ("-0.4\ta a", "-0.4\tb a", "15: the word 'b' is not among the 1-grams"),
        ("-0.4\ta a", "-0.4\ta </s>", "16: this n-gram stands here for the second time"),
        ("-0.9\t<unk>", "-0.9\ta", "11: this n-gram stands here for the second time"),
        ("\\end\\\n", "", "18: the file ends without a line .end.|17: the file ends"),
        ("<s>", "<x>", "the 1-grams have no <s>, which stands for the start of a sentence"),
        ("</s>", "<x>", "the 1-grams have no </s>"),
    ],
)
def test_broken_files_are_refused_with_their_line(old, new, message):
    assert old in GOOD
    with pytest.raises(CorpusError, match=message):
        read(GOOD.replace(old, new))


def test_longer_ngrams_need_their_beginning():
    text = GOOD.replace("ngram 2=3", "ngram 2=3\nngram 3=1").replace(
        "\\end\\", "\\3-grams:\n-0.1\ta <unk> a\n\n\\end\\"
    )
    with pytest.raises(CorpusError, match="20: the first 2 words of this n-gram are no 2-gram of the file"):
        read(text)


def test_ngrams_of_seven_words_are_too_long():
    counts = "".join(f"ngram {n}=1\n" for n in range(1, 8))
    with pytest.raises(CorpusError, match="8: found 'ngram 7=1', but n-grams of at most 6 words"):
        read("\\data\\\n" + counts)


def test_every_cut_file_is_refused():
    for end in range(len(GOOD) - 2):
        with pytest.raises(CorpusError, match="<stream>"):
            read(GOOD[:end])


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(CorpusError, match="11: the word is not sound UTF-8"):
        MarkovChain.from_arpa(io.BytesIO(GOOD.encode().replace(b"-0.2\ta", b"-0.2\t\xff\xfe")))
    with pytest.raises(CorpusError, match="there is no line"):
        MarkovChain.from_arpa(io.BytesIO(b""))
    with pytest.raises(CorpusError, match="there is no such file"):
        MarkovChain.from_arpa("there/is/none.arpa")


def test_files_are_written_whole_or_not_at_all(tmp_path):
    chain = MarkovChain(2, "witten-bell").fit([["a", "b"], ["b"]])
    path = tmp_path / "chain.arpa"
    chain.save_arpa(path)
    chain.save_arpa(tmp_path / "chain.arpa.gz")
    assert gzip.decompress((tmp_path / "chain.arpa.gz").read_bytes()) == path.read_bytes()
    assert MarkovChain.from_arpa(tmp_path / "chain.arpa.gz").log_prob(["a"]) == pytest.approx(
        chain.log_prob(["a"])
    )
    before = path.read_bytes()
    with pytest.raises(CorpusError, match="'New York' cannot stand in an ARPA file"):
        MarkovChain().fit([["New York"]]).save_arpa(path)
    with pytest.raises(QuestionError, match="this chain has no end"):
        MarkovChain(end=False).fit([["a"]]).save_arpa(path)
    assert path.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["chain.arpa", "chain.arpa.gz"]
    with pytest.raises(CorpusError, match="cannot be written"):
        chain.save_arpa(tmp_path / "nowhere" / "chain.arpa")


@pytest.mark.parametrize("word", ["", "a b", "a\tb", "a\n", "\0"])
def test_words_that_would_break_the_file_are_refused(word):
    with pytest.raises(CorpusError, match="cannot stand in an ARPA file"):
        MarkovChain().fit([["a", word]]).save_arpa(io.BytesIO())

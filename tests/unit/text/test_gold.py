"""Texts whose tokens are known: CoNLL-U, tokens beside their text, words written as people do."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqlab
from seqlab.errors import CorpusError
from seqlab.evaluation import Agreement, score_segmentation
from seqlab.text import Document, RuleTokeniser, align, detokenise, read_conllu

CONLLU = """\
# newdoc id = one
# newpar
# text = I don't (know).
1\tI\ti\tPRON\tPRP\t_\t0\troot\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t1\t_\t_\t_
3\tn't\tnot\tPART\tRB\t_\t1\t_\t_\t_
4\t(\t(\tPUNCT\t-LRB-\t_\t1\t_\t_\tSpaceAfter=No
5\tknow\tknow\tVERB\tVB\t_\t1\t_\t_\tSpaceAfter=No
5.1\tgone\tgo\tVERB\tVB\t_\t_\t_\t_\t_
6\t)\t)\tPUNCT\t-RRB-\t_\t1\t_\t_\tSpaceAfter=No
7\t.\t.\tPUNCT\t.\t_\t1\t_\t_\tSpaceAfter=No

# sent_id = 2
1\tGlued\tglue\tVERB\tVBD\t_\t0\troot\t_\t_
2\tdu\tdu\tADP\tIN\t_\t1\t_\t_\tSpaceAfter=No|X=Y
3\t!\t!\tPUNCT\t.\t_\t1\t_\t_\t_

# newpar id = p2
# text = New  one
1\tNew\tnew\tADJ\tJJ\t_\t0\troot\t_\t_
2\tone\tone\tNUM\tCD\t_\t1\t_\t_\t_

# newdoc id = two
# text = du
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\tIN\t_\t0\t_\t_\t_
2\tle\tle\tDET\tDT\t_\t1\t_\t_\t_
"""


def test_conllu_becomes_the_text_of_its_sentences():
    one, two = read_conllu(io.StringIO(CONLLU), labels=("upos", "lemma"))
    assert (one.name, two.name) == ("one", "two")
    assert one.text == "I don't (know).Glued du!\n\nNew  one"
    assert [s.text for s in one.sentences] == ["I don't (know).", "Glued du!", "New  one"]
    assert one.words == ["I", "do", "n't", "(", "know", ")", ".", "Glued", "du", "!", "New", "one"]
    assert np.flatnonzero(one.joined).tolist() == [2]
    assert one.layer("upos").labels[:3] == ("PRON", "AUX", "PART")
    assert two.words == ["du"]  # its words are not parts of it
    assert read_conllu(io.StringIO(CONLLU.replace("\n", "\r\n")))[0].text == one.text


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("1\ta\n", "10 cells with tabs between them are wanted, found 2", 1),
        (
            "# text = b\n1\ta" + "\t_" * 8 + "\n",
            "the token 'a' is not in the text, which goes on with 'b'",
            2,
        ),
        ("x\ta" + "\t_" * 8 + "\n", "the number of a word is wanted in the first cell, found 'x'", 1),
    ],
)
def test_broken_conllu_is_told_with_its_line(text, message, line):
    with pytest.raises(CorpusError) as caught:
        read_conllu(io.StringIO(text))
    assert message in str(caught.value)
    assert caught.value.line == line


def test_tokens_are_found_in_their_text():
    text = 'He said "no" (twice).  Then\nhe left.'
    found = align(text, [["He", "said", "``", "no", "''", "-LRB-", "twice", "-RRB-", "."], "Then he left ."])
    assert found.words == ["He", "said", '"', "no", '"', "(", "twice", ")", ".", "Then", "he", "left", "."]
    assert [s.text for s in found.sentences] == ['He said "no" (twice).', "Then\nhe left."]
    with pytest.raises(
        CorpusError, match="sentence 0, token 1: the token 'c' is not in the text, which goes on with 'b'"
    ):
        align("a b", [["a", "c"]])
    with pytest.raises(CorpusError, match="the text goes on with 'b' where the sentences end"):
        align("a b", [["a"]])


@given(
    st.lists(st.lists(st.text("abc.,é😀'\"(", min_size=1, max_size=4), min_size=1, max_size=6), max_size=5)
)
def test_words_written_as_people_do_keep_their_places(sentences):
    made = detokenise(sentences)
    assert made.words == [word for sentence in sentences for word in sentence]
    assert align(made.text, sentences).to_dict() == made.to_dict()


def test_words_are_written_as_people_do():
    words = [["Anna", "did", "n't", "pay", "$", "5", "(", "or", "so", ")", ",", "he", "said", "."]]
    assert detokenise(words).text == "Anna didn't pay $5 (or so), he said."
    assert detokenise([["He", "said", '"', "no", '"', "."]]).text == 'He said "no".'
    test = seqlab.demo_corpus("test").column("word")
    report = score_segmentation([detokenise(test)], [RuleTokeniser()(detokenise(test).text)])
    assert report.words.f1 > 0.99


def test_scores_are_those_of_places():
    gold = Document.from_offsets("a b. c", [[(0, 1), (2, 3), (3, 4)], [(5, 6)]]).with_layer(
        "x", list("pqrs"), [(0, 1, "A")]
    )
    other = Document.from_offsets("a\nb.  c", [[(0, 1), (2, 4), (6, 7)]]).with_layer(
        "x", list("pqs"), [(0, 1, "B")]
    )
    report = score_segmentation([gold], [other])
    assert report.words == Agreement(4, 3, 2)
    assert report.sentences == Agreement(2, 1, 0)
    assert report.labels == {"x": Agreement(4, 3, 2)}
    assert report.spans == {"x": Agreement(1, 1, 0)}
    assert (report.words.precision, report.words.recall, report.words.f1) == (2 / 3, 1 / 2, 4 / 7)
    assert report.to_dict()["words"]["f1"] == 4 / 7
    assert "sentences     0.0000   0.0000   0.0000        2" in report.text()
    assert score_segmentation([gold], [gold]).sentences.f1 == 1
    with pytest.raises(
        CorpusError, match="document 0: the texts differ: 'c' is compared with 'd'; only blanks may"
    ):
        score_segmentation([gold], [Document.from_offsets("a b. d", [(0, 1)])])
    with pytest.raises(CorpusError, match="1 documents are compared with 0"):
        score_segmentation([gold], [])

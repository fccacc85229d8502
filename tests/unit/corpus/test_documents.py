"""Documents: lines that begin one are read, kept, written back, and respected by splits."""

import io
import itertools
import pickle

import numpy as np
import pytest

import seqlab
from seqlab import CRF, Corpus, read
from seqlab.errors import CorpusError, OptionError
from seqlab.tuning.data import Data, splits

CONLL = "-DOCSTART- -X- O\n\na\tX\n\nb\tY\nc\tX\n\n-DOCSTART- -X- O\n\nd\tX\n\n\n-DOCSTART- -X- O\n\ne\tY\n\nf\tY\n\n"


def tree(sentences: int, begins: dict[int, str]) -> str:
    row = "1\tw\t_\tX\t_\t_\t0\t_\t_\t_\n\n"
    return "".join(begins.get(s, "") + row for s in range(sentences))


def written(corpus: Corpus) -> str:
    out = io.BytesIO()
    corpus.write(out)
    return out.getvalue().decode()


def test_docstart_begins_a_document():
    corpus = read(io.StringIO(CONLL))
    assert len(corpus) == 5
    assert corpus.documents.tolist() == [0, 0, 1, 2, 2]
    assert written(corpus) == CONLL
    assert read(io.StringIO("a\tX\n\nb\tY\n")).documents.tolist() == [0, 0]


def test_newdoc_begins_a_document():
    text = tree(4, {0: "# newdoc id = first\n", 1: "# text = w\n", 3: "# newdoc\n"})
    corpus = read(io.StringIO(text), "conllu")
    assert corpus.documents.tolist() == [0, 0, 0, 1]
    assert corpus[0].meta["newdoc id"] == "first"
    assert written(corpus) == text
    assert read(io.StringIO(tree(3, {2: "# newdoc\n"})), "conllu").documents.tolist() == [0, 0, 1]


def test_parts_know_their_documents():
    corpus = read(io.StringIO(CONLL))
    assert corpus[1:4].documents.tolist() == [0, 1, 2]
    assert corpus.take([4, 0, 2]).documents.tolist() == [2, 0, 1]
    assert pickle.loads(pickle.dumps(corpus)).documents.tolist() == [0, 0, 1, 2, 2]
    assert sorted(corpus.shuffle(3).documents.tolist()) == [0, 0, 1, 2, 2]
    other = read(io.StringIO("z\tX\n"))
    assert (corpus + other).documents.tolist() == [0, 0, 1, 2, 2, 3]
    assert (other + corpus).documents.tolist() == [0, 1, 1, 2, 3, 3]
    assert (corpus + corpus).documents.tolist() == [0, 0, 1, 2, 2, 3, 3, 4, 5, 5]
    assert (corpus[:1] + corpus[1:]).documents.tolist() == [0, 0, 1, 2, 2]


def test_a_stream_counts_on():
    text = CONLL * 500
    blocks = list(seqlab.stream(io.StringIO(text), "conll", block=70_000).blocks())
    assert np.array_equal(Corpus.join(blocks).documents, read(io.StringIO(text)).documents)


def test_splits_keep_documents_whole():
    corpus = read(io.StringIO(CONLL))
    assert [part.documents.tolist() for part in corpus.split(0.5, by="document")] == [[0, 0], [1, 2, 2]]
    assert [len(part) for part in corpus.split(0.5)] == [2, 3]
    assert [len(part) for part in corpus.split(1, by="document")] == [0, 5]
    mixed = corpus.shuffle(2, by="document")
    assert {tuple(corpus.shuffle(seed, by="document").documents.tolist()) for seed in range(40)} == {
        (*a, *b, *c) for a, b, c in itertools.permutations([(0, 0), (1,), (2, 2)])
    }
    assert sum(map(len, mixed.split(0.4, 0.4, 0.2, by="document"))) == 5
    with pytest.raises(OptionError, match="by must be 'document' or None, got 'file'"):
        corpus.split(0.5, by="file")
    with pytest.raises(OptionError, match="the sentences of a document are not together"):
        corpus.take([0, 2, 1]).split(0.5, by="document")


def test_templates_and_users_read_documents_as_columns():
    corpus = read(io.StringIO(CONLL))
    assert corpus.columns == ("word", "label")
    assert corpus.column("document") == [["0"], ["0", "0"], ["1"], ["2"], ["2"]]
    assert corpus.column("document_sentence") == [["0"], ["1", "1"], ["0"], ["0"], ["1"]]
    tagger = CRF("word[0]\ndocument_sentence[0]").fit(corpus, "label")
    assert any(name.startswith("document_sentence[0]=") for name in tagger.encoder_.attributes)
    with pytest.raises(CorpusError, match="there is no column 'document'"):
        read(io.StringIO("a\tX\n")).column("document")


def test_features_of_presets_do_not_change():
    corpus = read(io.StringIO(CONLL))
    plain = read(io.StringIO(CONLL.replace("-DOCSTART- -X- O\n\n", "")))
    one, other = (CRF("pos").fit(some, "label") for some in (corpus, plain))
    assert one.encoder_.attributes == other.encoder_.attributes


def test_folds_keep_documents_whole():
    corpus = read(io.StringIO(CONLL * 3))
    parts = splits(Data(corpus, "label"), None, 4, 7, "document")
    assert sorted(n for part in parts for n in part.test.X.documents.tolist()) == corpus.documents.tolist()
    for part in parts:
        assert not {*part.test.X.documents.tolist()} & {*part.train.X.documents.tolist()}
    with pytest.raises(OptionError, match="folds=5, but there are 3 documents; pass fewer folds"):
        splits(Data(read(io.StringIO(CONLL)), "label"), None, 5, 7, "document")
    with pytest.raises(OptionError, match="by must be 'document', for a Corpus, or None, got 'file'"):
        seqlab.tune(CRF("word[0]"), corpus, "label", search={"order": [1]}, folds=2, by="file")
    tuned = seqlab.tune(CRF("word[0]"), corpus, "label", search={"order": [1]}, folds=2, by="document")
    assert tuned.folds == 2

"""The labels that tables in a file give are those of the tagger that was saved, and nothing is unfolded for them."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import seqlab
from seqlab import Template, demo_corpus, inference, store
from seqlab.families.linear.decoder import tables_of
from seqlab.store import codec

TRAIN, TEST = demo_corpus("train")[:60], demo_corpus("test")[:60]
LEXICON = {"colours": {"red": "R", "dark blue": "B"}}
TEMPLATES = {
    "pos": "pos",
    "chunk": "chunk",
    "ner": "ner",
    "crfpp": Template.from_crfpp("U%x[-1,0]\nU%x[0,0]\nU1:%x[0,1]/%x[-2,0]\nU\nB\n"),
    "wapiti": Template.from_wapiti('u:%X[0,0]\nu:%m[0,0,".?.?$"]/%x[-5,0]\nu:%t[@1,0,"^\\u"]\nb\n'),
    "lexicon": Template.parse("word[0]\nin(lower(word[0]), colours)\nposition\nbias", lexicons=LEXICON),
    "no moves": Template.parse("no edge\nbias\nword[0]\nword[-1] & word[1]"),
    "triples": Template.parse("word[-1] & word[0] & word[1]\nword[0] & pos[0] & pos[1] & word[-1]"),
}


@pytest.fixture(autouse=True)
def _large(monkeypatch):
    """Every file counts as a large one."""
    monkeypatch.setattr(codec, "SMALL", -1)


def fitted(features, learner=None, **options):
    learner = learner or seqlab.LBFGS(max_iterations=6)
    return seqlab.LinearTagger(features, learner, **options).fit(TRAIN, "chunk")


def bags(corpus):
    return [[[f"w={w}", f"p={p}"] for w, p in zip(s["word"], s["pos"], strict=True)] for s in corpus]


def without_tables(content):
    """The file as earlier versions wrote it."""
    state = store.revived(content)
    arrays = {name: array for name, array in state.arrays.items() if not name.startswith("tables.")}
    settings = {**state.settings, "parts": dict(state.settings["parts"])}
    del settings["parts"]["tables"]
    return store.as_bytes(store.State(state.kind, settings, arrays, state.record))


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("storage", ["float64", "float32", "int8"])
def test_labels_agree_and_nothing_is_unfolded(tmp_path, name, storage):
    tagger = fitted(TEMPLATES[name], constraints="IOB2" if name == "pos" else None)
    tagger = tagger if storage == "float64" else tagger.prune(storage=storage)
    tagger.save(tmp_path / "model")
    back = seqlab.load(tmp_path / "model")
    assert back.tag(TEST[0]) == tagger.tag(TEST[0])
    assert back.predict(TEST) == tagger.predict(TEST)
    assert back.fit_.model.made == back.fit_.encoder.made == (storage == "int8")  # a small file has no tables


def test_ready_made_attributes_agree_and_nothing_is_unfolded(tmp_path):
    tagger = seqlab.CRF(None, seqlab.LBFGS(max_iterations=6)).fit(bags(TRAIN), TRAIN.column("chunk"))
    tagger.save(tmp_path / "model")
    back = seqlab.load(tmp_path / "model")
    assert back.predict(bags(TEST)) == tagger.predict(bags(TEST))
    assert not back.fit_.model.made
    assert not back.fit_.encoder.made
    weighed = [[dict.fromkeys(item, 1.5) for item in sentence] for sentence in bags(TEST)]
    assert back.predict(weighed) == tagger.predict(weighed)


@pytest.mark.parametrize("features", ["chunk", None])
def test_files_without_tables_get_them_when_first_used(features):
    X, Z = (TRAIN, TEST) if features else (bags(TRAIN), bags(TEST))
    tagger = seqlab.CRF(features, seqlab.LBFGS(max_iterations=6)).fit(
        X, "chunk" if features else TRAIN.column("chunk")
    )
    back = seqlab.CRF.from_bytes(without_tables(tagger.as_bytes()))
    assert back.predict(Z) == tagger.predict(Z)
    assert back.as_bytes() == tagger.as_bytes()


def test_labels_are_those_of_the_trellis():
    back = seqlab.LinearTagger.from_bytes(fitted("chunk").as_bytes())
    wanted = [list(inference.viterbi(back.trellis(sentence)).labels) for sentence in TEST]
    assert back.predict(TEST) == wanted


@pytest.mark.parametrize(
    "options",
    [
        {"features": "word[0]\nedge: word[0]"},
        {"features": "word[0]", "order": 2},
        {"features": "word[0]", "allowed": {"a": ["O"]}},
    ],
)
def test_models_that_trellises_decode_have_no_tables(options):
    tagger = fitted(**options)
    assert not any(name.startswith("tables.") for name in tagger.state().arrays)
    back = seqlab.LinearTagger.from_bytes(tagger.as_bytes())
    assert back.tag(TEST[0]) == tagger.tag(TEST[0])


def test_another_model_brings_its_own_tables():
    tagger = seqlab.LinearTagger.from_bytes(fitted("word[0]").as_bytes())
    before = tagger.predict(TEST)
    tagger.model_ = tagger.model_.with_theta(-tagger.model_.theta)
    assert tagger.predict(TEST) != before
    fit = replace(tagger.fit_, model=codec.Late(tagger.model_.with_theta(-tagger.model_.theta)))
    tagger.fit_ = fit
    assert tagger.predict(TEST) == before


def test_errors_are_those_of_the_encoder():
    back = seqlab.LinearTagger.from_bytes(fitted("chunk").as_bytes())
    with pytest.raises(seqlab.errors.TemplateError, match="the template reads a column 'pos'"):
        back.tag(["only", "words"])


def test_copies_and_threads_share_nothing_that_changes(tmp_path):
    fitted("chunk").save(tmp_path / "model")
    back = seqlab.load(tmp_path / "model")
    wanted = back.predict(TEST)
    assert pickle.loads(pickle.dumps(back)).predict(TEST) == wanted
    with ThreadPoolExecutor(4) as pool:
        assert all(labels == wanted for labels in pool.map(lambda _: back.predict(TEST), range(8)))


@pytest.mark.parametrize("name", ["buckets", "places.0", "words.0.slots", "rows", "words.0.rows"])
def test_arrays_of_another_kind_are_refused(name):
    state = store.revived(fitted("word[0]\nword[0] & word[1]").as_bytes())
    for wrong in (np.zeros((2, 2)), np.zeros(3, np.int8)):
        arrays = {**state.arrays, f"tables.{name}": wrong}
        content = store.as_bytes(store.State(state.kind, state.settings, arrays, state.record))
        with pytest.raises(seqlab.errors.StoreError, match=name):
            seqlab.LinearTagger.from_bytes(content).tag(TEST[0])


@pytest.mark.parametrize("name", ["buckets", "chains", "rows", "words.0.rows", "words.0.bytes", "places.0"])
def test_arrays_that_are_too_short_are_not_followed(name):
    tagger = fitted("word[0]\nword[0] & word[1]\nword[0] & word[1] & word[2]")
    state = store.revived(tagger.as_bytes())
    arrays = {**state.arrays, f"tables.{name}": state.arrays[f"tables.{name}"][:9]}
    back = seqlab.LinearTagger.from_bytes(
        store.as_bytes(store.State(state.kind, state.settings, arrays, state.record))
    )
    assert [len(labels) for labels in back.predict(TEST)] == [len(sentence) for sentence in TEST]


def test_tables_are_built_alike_every_time():
    tagger = fitted("pos")
    one, other = (tables_of(tagger.model_, tagger.encoder_).arrays for _ in range(2))
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)

"""The labels that a large file gives before anything is built of it are those that it gives after."""

import numpy as np
import pytest

import seqlab
from seqlab import Template, demo_corpus
from seqlab.families.linear import glance, stored

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
}


@pytest.fixture(autouse=True)
def _large(monkeypatch):
    """Every file counts as a large one."""
    monkeypatch.setattr(stored, "SMALL", -1)


def fitted(features, learner=None, **options):
    learner = learner or seqlab.LBFGS(max_iterations=6)
    return seqlab.LinearTagger(features, learner, **options).fit(TRAIN, "chunk")


@pytest.mark.parametrize("name", TEMPLATES)
def test_labels_agree(name):
    tagger = fitted(TEMPLATES[name], constraints="IOB2" if name == "pos" else None)
    made = glance.Glance.of(tagger.state(), tagger.encoder_.features)
    agreed = 0
    for sentence, wanted in zip(TEST, tagger.predict(TEST), strict=True):
        ids = made.label_ids(seqlab.Corpus.from_lists([sentence]))
        if ids is not None:  # None: two paths score nearly alike
            assert [tagger.labels_[i] for i in ids] == wanted
            agreed += 1
    assert agreed > 0.8 * len(TEST)


def test_a_few_tokens_unfold_nothing_and_many_do():
    content = fitted("pos").as_bytes()
    back = seqlab.LinearTagger.from_bytes(content)
    wanted = fitted("pos").predict(TEST)
    assert back.predict([]) == []
    assert back.predict(TEST[:2]) == wanted[:2]
    assert back._folded is not None
    assert back.predict(TEST) == wanted  # too many for a glance
    assert back._folded is None
    back = seqlab.LinearTagger.from_bytes(content)
    for sentence, labels in zip(TEST, wanted, strict=True):
        assert back.tag(sentence) == labels
    assert back._folded is None  # many sentences, one by one, pay for tables too


def test_paths_that_score_alike_are_left_to_the_usual_way():
    X, y = [["a", "b"]] * 3, [["X", "Y"]] * 3
    tagger = seqlab.LinearTagger("word[0]", seqlab.Perceptron()).fit(X, y)
    back = seqlab.LinearTagger.from_bytes(tagger.as_bytes())
    assert back.tag(["never"]) == tagger.tag(["never"])
    assert back._folded is None


@pytest.mark.parametrize(
    "options",
    [
        {"features": "word[0]\nedge: word[0]"},
        {"features": "word[0]", "order": 2},
        {"features": "word[0]", "allowed": {"a": ["O"]}},
    ],
)
def test_other_models_go_the_usual_way(options):
    tagger = fitted(**options)
    back = seqlab.LinearTagger.from_bytes(tagger.as_bytes())
    assert back.tag(TEST[0]) == tagger.tag(TEST[0])
    assert back._folded is None


def test_errors_are_those_of_the_usual_way():
    back = seqlab.LinearTagger.from_bytes(fitted("chunk").as_bytes())
    with pytest.raises(seqlab.errors.TemplateError, match="the template reads a column 'pos'"):
        back.tag(["only", "words"])


@pytest.mark.parametrize(
    "name", ["model.begin", "model.label", "encoder.node0.group.0.ids", "encoder.node0.group.0.values"]
)
def test_numbers_that_lie_are_refused_not_followed(name):
    from seqlab import store

    state = store.revived(fitted("word[0]").as_bytes())
    for wrong in (-1, 10**6, 2**31 - 1):
        arrays = {**state.arrays, name: np.full_like(state.arrays[name], wrong)}
        content = store.as_bytes(store.State(state.kind, state.settings, arrays, state.record))
        back = seqlab.LinearTagger.from_bytes(content)
        with pytest.raises(seqlab.errors.StoreError):
            back.predict(TEST)
        back = seqlab.LinearTagger.from_bytes(content)
        try:
            assert len(back.tag(TEST[0])) == len(TEST[0])  # values that nobody has: nothing is known
        except seqlab.errors.StoreError:
            continue

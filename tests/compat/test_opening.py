"""CRFsuite's files are used as they lie in memory: the answers of a converted model, at once, and no crash."""

import json
import pickle
import struct
import subprocess
import sys
from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seqlab
import seqlab.compat.pycrfsuite as ours
from seqlab.compat.pycrfsuite import tagger as module
from seqlab.errors import CorpusError, ScoreError, StoreError
from seqlab.foreign import crfsuite
from seqlab.foreign.converting import tagger_of
from seqlab.foreign.parts import ForeignModel, Weighted

WORDS = ["a", "b:c", "é", "n", "n:x", "n:x:y", "😀", "long " * 9, ""]


def made_up(names=WORDS, L=4, seed=0):
    """The content of a file with weights by lot."""
    rng = np.random.default_rng(seed)
    attribute, cell = np.repeat(np.arange(len(names)), L), np.tile(np.arange(L), len(names))
    node = Weighted(list(names), attribute, cell, rng.normal(size=len(cell)))
    labels = tuple(f"L{y}" for y in range(L))
    return crfsuite.written(
        ForeignModel("CRFsuite", labels, node, rng.normal(size=(L, L)), np.ones((L, L), dtype=bool))
    )


CONTENT = made_up()
CONVERTED = tagger_of(crfsuite.read(CONTENT, "utf-8"))


def opened(content=CONTENT):
    tagger = ours.Tagger()
    tagger.open_inmemory(content)
    return tagger


names = st.sampled_from([*WORDS, "x", "y", "unknown"])
numbers = st.one_of(
    st.booleans(), st.integers(-9, 9), st.floats(-4, 4), st.sampled_from([np.float32(0.5), np.int64(2)])
)
lists = st.one_of(st.lists(names), st.sets(names), st.frozensets(names), st.lists(names).map(tuple))
values = st.recursive(
    st.one_of(names, numbers, lists), lambda inner: st.dictionaries(names, inner, max_size=3), max_leaves=6
)
items = st.one_of(lists, st.dictionaries(names, values, max_size=4))


@settings(deadline=None)
@given(st.lists(items, min_size=1, max_size=5))
def test_every_form_of_items_gives_the_posterior_of_the_converted_model(sequence):
    tagger = opened()
    tagger.set(sequence)
    bags = ours.ItemSequence(sequence).items()
    if all(len(dict(bag)) == len(bag) for bag in ours.ItemSequence(sequence)._bags):
        expected = CONVERTED.posterior(bags).node
        found = [[tagger.marginal(label, t) for label in tagger.labels()] for t in range(len(sequence))]
        np.testing.assert_allclose(found, expected, atol=1e-9)
        assert tagger.probability(tagger.tag()) == pytest.approx(
            np.exp(CONVERTED.log_prob(bags, tagger.tag())), abs=1e-9
        )
    again = opened()
    assert again.tag(ours.ItemSequence(sequence)) == tagger.tag()
    assert again.tag(iter(sequence)) == tagger.tag()
    assert again.marginals(sequence) == [
        {label: tagger.marginal(label, t) for label in tagger.labels()} for t in range(len(sequence))
    ]


@pytest.mark.parametrize("kind", [OrderedDict, dict])
def test_dicts_of_other_classes_are_read_too(kind):
    x = [kind([("n", {"x": "y"}), ("a", 2)]), kind(n=kind(x=1))]
    assert opened().tag(x) == opened().tag([dict(x[0]), {"n": {"x": 1}}])


def test_names_of_every_length_are_found_by_the_hash_of_the_file():
    many = [("é" if i % 7 == 3 else "") + "x" * i for i in range(40)] + [f"name {i}" for i in range(600)]
    content = made_up(many, L=2, seed=1)
    tagger, model = opened(content), crfsuite.read(content, "utf-8")
    for number, name in enumerate(many):
        w = model.node.weight[2 * number : 2 * number + 2]
        tagger.set([[name]])
        assert tagger.marginal("L0", 0) == pytest.approx(1 / (1 + np.exp(w[1] - w[0])), abs=1e-12)
    tagger.set([["name 600", "x" * 40, "name 1 "]])
    assert tagger.marginal("L0", 0) == 0.5


def test_a_name_ends_at_a_zero_byte_as_in_c():
    tagger = opened()
    for name, same in (("a\0b", "a"), ("\0", ""), ("n:x\0:y", "n:x")):
        assert tagger.marginals([[name]]) == tagger.marginals([[same]])
        assert tagger.marginals([{name: 2.0}]) == tagger.marginals([{same: 2.0}])
    assert tagger.marginals([{"b": "c\0d"}]) == tagger.marginals([["b:c"]])
    original = pytest.importorskip("pycrfsuite").Tagger()
    original.open_inmemory(CONTENT)
    for x in ([["a\0b", "n:x"]], [{"b": "c\0d"}, {"n": {"x\0": 1.5}}]):
        assert tagger.tag(x) == original.tag(x)


def test_scores_that_overflow_are_refused():
    with pytest.raises(ScoreError, match="so large that the scores are no finite numbers"):
        opened().tag([{"a": 1.7e308, "n": -1.7e308, "é": 1.7e308, "b:c": 1.7e308}] * 3)


def test_few_sequences_and_many_have_the_same_labels(monkeypatch):
    rng = np.random.default_rng(3)
    X = [[list(rng.choice(WORDS, 3)) for _ in range(rng.integers(5))] for _ in range(40)]
    few, many = opened(), opened()
    assert few.tag_all(X) == [few.tag(x) for x in X]
    assert few._quick is None
    monkeypatch.setattr(module, "MANY", 10)
    assert many.tag_all(X) == few.tag_all(X)
    assert many._quick is not None
    assert many.tag_all([[], []]) == [[], []]
    assert opened().tag_all([]) == []


# ------------------------------------------------------------------------------------------------ damaged files


def chunk_at(content, field):
    """Where the chunk begins whose place stands in this field of the header."""
    return struct.unpack_from("<I", content, 4 * field)[0]


@pytest.mark.parametrize(
    ("field", "offset", "number"),
    [
        (10, 0, 7),  # the lists of weights by label: no name,
        (10, 8, 0),  # too few lists,
        (10, 12, 2**32 - 1),  # a list that begins behind the file
        (11, 0, 7),  # the same by attribute
        (11, 8, 2**30),
        (11, 12, 2**32 - 5),
        (9, 24 + 8 * 5, 2**32 - 1),  # a hash table that begins behind its chunk
    ],
)
def test_damaged_tables_are_made_anew(field, offset, number):
    if field == 9:  # the table that "a" is in
        code = int(crfsuite._hashes([b"a\0"], np.array([2]))[0])
        offset = 24 + 8 * (code % 256)
    altered = bytearray(CONTENT)
    struct.pack_into("<I", altered, chunk_at(CONTENT, field) + offset, number)
    x = [["a", "é"], ["n:x"], ["b:c", ""]]
    assert opened(bytes(altered)).marginals(x) == opened().marginals(x)


def test_a_list_that_leads_to_the_weights_of_another_is_not_believed():
    lists = chunk_at(CONTENT, 11)
    altered = bytearray(CONTENT)
    altered[lists + 12 : lists + 16] = CONTENT[lists + 16 : lists + 20]
    assert opened(bytes(altered)).marginals([["a"]]) == opened().marginals([["a"]])


def test_damaged_weights_are_refused_when_they_are_met():
    altered = bytearray(CONTENT)
    struct.pack_into("<d", altered, chunk_at(CONTENT, 7) + 12 + 12, float("nan"))  # a weight of "a"
    tagger = opened(bytes(altered))
    assert tagger.tag([["é"]]) == opened().tag([["é"]])
    with pytest.raises(StoreError, match="weight 0 is wrong: it is no finite number"):
        tagger.tag([["a"]])


def test_a_label_that_is_there_twice_is_refused():
    with pytest.raises(StoreError, match="the label 'L0' is there twice"):
        opened(CONTENT.replace(b"L1\0", b"L0\0"))


@pytest.mark.parametrize("seed", range(4))
def test_thousands_of_changes_never_crash(seed):
    chance = np.random.default_rng(seed)
    x = [["a", "n"], {"b": "c", "n": {"x": "y"}}, ["", "😀"]]
    extremes = [0, 1, 2**31, 2**32 - 1, len(CONTENT)]
    for _ in range(500):
        altered = bytearray(CONTENT)
        for _ in range(chance.integers(1, 4)):
            at = int(chance.integers(4, len(altered) - 4))
            if chance.integers(2):
                altered[at] = chance.integers(256)
            else:
                struct.pack_into("<I", altered, at // 4 * 4, int(chance.choice(extremes)))
        tagger = ours.Tagger()
        try:
            tagger.open_inmemory(bytes(altered))
            tagger.tag(x)
            tagger.marginals(x)
            tagger.info().state_features  # noqa: B018
        except (StoreError, ScoreError, CorpusError, RuntimeError):
            pass


# ------------------------------------------------------------------------------------------------ what is loaded

PROGRAM = """
import sys, json
{before}
import {name} as pycrfsuite
tagger = pycrfsuite.Tagger()
with tagger.open({path!r}):
    x = [["a", "n"], {{"b": "c", "n": {{"x": "y", "z": 1.5}}, "s": {{"p", "q"}}}}]
    tagger.tag(x)
    tagger.marginal(tagger.labels()[0], 1)
    tagger.probability(tagger.tag(iter(x)))
    tagger.info().header
print(json.dumps(sorted(sys.modules)))
"""


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("seqlab.compat.pycrfsuite", ""),
        ("pycrfsuite", "import seqlab.compat; seqlab.compat.install(replace=True)"),
    ],
)
def test_a_program_that_tags_loads_no_numpy(name, before, tmp_path):
    (tmp_path / "m.crfsuite").write_bytes(CONTENT)
    program = PROGRAM.format(name=name, before=before, path=str(tmp_path / "m.crfsuite"))
    loaded = json.loads(subprocess.check_output([sys.executable, "-c", program]))
    heavy = ("numpy", "seqlab.families.linear.tagger", "seqlab.foreign", "pathlib", "dataclasses")
    assert [one for one in heavy if one in loaded] == []


def test_trainers_are_there_when_they_are_asked_for():
    from seqlab.compat.pycrfsuite import trainer

    assert ours.Trainer is trainer.Trainer
    assert set(ours.__all__) <= set(dir(ours))
    with pytest.raises(AttributeError):
        ours.Strainer  # noqa: B018


def test_a_file_may_change_while_it_is_open(tmp_path):
    path = tmp_path / "m.crfsuite"
    path.write_bytes(CONTENT)
    tagger = ours.Tagger()
    tagger.open(path)
    path.write_bytes(b"")
    assert tagger.tag([["a"], ["n"]]) == opened().tag([["a"], ["n"]])


def test_load_and_pickles_give_the_same_labels(tmp_path):
    from seqlab.compat.sklearn_crfsuite import CRF

    path = tmp_path / "m.crfsuite"
    path.write_bytes(CONTENT)
    x = [["a", "é"], ["n:x"], ["b:c", ""]]
    crf = pickle.loads(pickle.dumps(CRF(model_filename=str(path))))
    assert crf.predict_single(x) == seqlab.load(path).tag(x) == opened().tag(x)


def test_the_dump_of_a_damaged_file_is_that_of_its_weights(tmp_path):
    altered = bytearray(CONTENT)
    struct.pack_into("<I", altered, chunk_at(CONTENT, 11), 7)
    for content, name in ((CONTENT, "whole"), (bytes(altered), "altered")):
        opened(content).dump(tmp_path / name)
    assert (tmp_path / "altered").read_text() == (tmp_path / "whole").read_text()


def test_the_dump_of_a_model_of_nothing_has_its_header(tmp_path, capsys):
    ours.Trainer(verbose=False).train(str(tmp_path / "m"))
    tagger = ours.Tagger()
    with tagger.open(tmp_path / "m"):
        tagger.dump()
    assert "num_labels: 0\n" in capsys.readouterr().out
    with pytest.raises(RuntimeError, match="closed"):
        tagger.dump()

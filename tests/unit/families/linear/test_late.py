"""A tagger from a large file makes its parts when they are first asked for, and answers as any other."""

import copy
import json
import pickle
import subprocess
import sys
import threading
from dataclasses import dataclass

import numpy as np
import pytest

import seqlab
from seqlab import store
from seqlab.errors import StoreError
from seqlab.families.linear.fit import LinearFit
from seqlab.store import codec, reading

WORDS = [["the", "old", "man", "runs"], ["Rio", "runs"], ["the", "Rio", "man", "the", "old"], ["é"]]
TAGS = [["B-N", "I-N", "I-N", "O"], ["B-L", "O"], ["B-N", "B-L", "B-N", "B-N", "I-N"], ["O"]]
QUICK = seqlab.LBFGS(max_iterations=4)
EDGES = "word[0]\nsuffix(word[0], 2)\nedge: word[0]"


@pytest.fixture
def large(monkeypatch):
    """Every file counts as a large one."""
    monkeypatch.setattr(codec, "SMALL", -1)
    monkeypatch.setattr(reading, "MAPPED", -1)


def fitted(**options):
    return seqlab.CRF(EDGES, QUICK, **options).fit(WORDS, TAGS)


def is_folded(tagger):
    fit = tagger.fit_
    return not (fit.model.made or fit.encoder.made or fit.training.vocabulary.made)


@pytest.mark.usefixtures("large")
def test_it_answers_as_the_one_that_was_saved(tmp_path):
    tagger = fitted(order=2, constraints="IOB2", allowed={"the": ["B-N"]})
    tagger.save(tmp_path / "m")
    back = seqlab.load(tmp_path / "m")
    assert is_folded(back)
    assert back.labels_ == tagger.labels_
    assert back.history_.objective == tagger.history_.objective
    assert repr(back) == repr(tagger)
    assert is_folded(back)
    assert back.predict(WORDS) == tagger.predict(WORDS)
    assert not is_folded(back)
    assert back.as_bytes() == tagger.as_bytes()
    assert back.vocabulary_ == tagger.vocabulary_


@pytest.mark.usefixtures("large")
def test_each_part_can_be_asked_for_first():
    tagger = fitted()
    content = tagger.as_bytes()
    assert seqlab.CRF.from_bytes(content).vocabulary_ == tagger.vocabulary_
    assert seqlab.CRF.from_bytes(content).encoder_.attributes == tagger.encoder_.attributes
    assert seqlab.CRF.from_bytes(content).model_.size == tagger.model_.size
    with pytest.raises(AttributeError, match="'CRF' object has no attribute 'nothing_'"):
        _ = seqlab.CRF.from_bytes(content).nothing_


def test_a_pickle_keeps_every_field_of_a_fitted_value():
    @dataclass(frozen=True, eq=False)
    class More(LinearFit):
        note: str = ""

    fit = fitted().fit_
    more = More(fit.training, fit.encoder, fit.model, fit.history, note="kept")
    make, _ = more.__reduce__()
    assert make().note == "kept"


@pytest.mark.usefixtures("large")
def test_copies_pickles_and_clones():
    tagger = fitted()
    for made in (copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
        back = made(seqlab.CRF.from_bytes(tagger.as_bytes()))
        assert back.predict(WORDS) == tagger.predict(WORDS)
    assert (
        pickle.loads(pickle.dumps(seqlab.CRF.from_bytes(tagger.as_bytes()))).as_bytes() == tagger.as_bytes()
    )


@pytest.mark.usefixtures("large")
def test_it_learns_on_and_anew():
    tagger, content = fitted(), fitted().as_bytes()
    more, labels = [["the", "Nile"]], [["B-N", "B-R"]]
    back = seqlab.CRF.from_bytes(content)
    assert back.partial_fit(more, labels).predict(more) == tagger.partial_fit(more, labels).predict(more)
    anew = seqlab.CRF.from_bytes(content).fit(more, labels)
    assert not is_folded(anew)
    assert anew.vocabulary_ == {"the", "Nile"}
    assert seqlab.CRF(EDGES, QUICK).fit(more, labels, start=seqlab.CRF.from_bytes(content)).labels_[-1] == "O"


@pytest.mark.usefixtures("large")
def test_many_threads_may_ask_first():
    tagger = fitted()
    back = seqlab.CRF.from_bytes(tagger.as_bytes())
    wanted, found = tagger.predict(WORDS), []
    start = threading.Barrier(12)

    def ask():
        start.wait()
        found.append((back.predict(WORDS), back.tag(WORDS[0]), back.model_, back.vocabulary_))

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one[0] for one in found] == [wanted] * 12
    assert {id(one[2]) for one in found} == {id(back.model_)}


@pytest.mark.usefixtures("large")
def test_what_is_wrong_inside_is_said_when_it_is_asked_for(tmp_path):
    content = fitted().as_bytes()
    state = store.revived(content)
    begin = state.arrays["model.begin"].copy()
    begin[1] = 10**6
    path = tmp_path / "m"
    store.write(
        path, store.State(state.kind, state.settings, {**state.arrays, "model.begin": begin}, state.record)
    )
    back = seqlab.load(path)
    for _ in range(2):  # not only the first time
        with pytest.raises(StoreError, match=f"^{path}: the array 'begin' should rise"):
            back.predict(WORDS)


def test_small_files_are_checked_at_once():
    state = store.revived(fitted().as_bytes())
    arrays = {**state.arrays, "model.label": state.arrays["model.label"] + np.int32(100)}
    with pytest.raises(StoreError, match="the array 'label'"):
        seqlab.CRF.from_bytes(store.as_bytes(store.State(state.kind, state.settings, arrays, state.record)))


# ------------------------------------------------------------------------------------------------ pages

PROGRAM = """
import json, sys
import seqlab
from seqlab import store
from seqlab.store import reading
reading.MAPPED = 0  # this one is not large enough to be mapped
tagger = seqlab.load(sys.argv[1])
state = store.read(sys.argv[1])
total = sum(int(array.reshape(-1).view("u1").sum()) for array in state.arrays.values())
found, inside = {}, False
for line in open("/proc/self/smaps"):
    if "-" in line.split()[0] and ":" not in line.split()[0]:
        inside = line.rstrip().endswith(sys.argv[1])
    elif inside:
        name, amount = line.split()[:2]
        if name in {"Rss:", "Private_Dirty:", "Shared_Dirty:", "Anonymous:"}:
            found[name] = found.get(name, 0) + int(amount)
print(json.dumps(found))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc how pages are held")
def test_processes_share_the_pages_of_a_file(tmp_path):
    """What is read of the file is the system's page cache, which every process sees; nothing of it is copied."""
    path = tmp_path / "m"
    words = [[f"word{i}-{j}" for j in range(40)] for i in range(200)]
    seqlab.CRF("word[0]\nword[-1]\nword[1]", seqlab.LBFGS(max_iterations=1)).fit(
        words, [["A", "B"] * 20 for _ in words]
    ).save(path)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert found["Rss:"] * 1024 > 0.8 * path.stat().st_size
    assert found["Private_Dirty:"] == found["Shared_Dirty:"] == found["Anonymous:"] == 0

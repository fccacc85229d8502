"""Number of files that a reader meets: those in which a function runs, when everything is loaded and used again."""

import sys
from pathlib import Path

import pytest

import seqlab

PACKAGE = f"{Path(seqlab.__file__).parent}/"
MOST = {"tag": 10, "fit": 20}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("walks") / "train.txt"
    seqlab.write(seqlab.demo_corpus("train")[:40], path)
    return path


def passed(work):
    """The files of the package in which a function is called."""
    found = set()

    def note(frame, event, _):
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(PACKAGE):
            found.add(name.removeprefix(PACKAGE))

    work()
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return sorted(found)


def test_from_a_file_to_a_fitted_tagger(file):
    found = passed(lambda: seqlab.CRF("chunk").fit(seqlab.read(file), "chunk"))
    assert len(found) <= MOST["fit"], found


def test_from_words_to_labels(file, tmp_path):
    seqlab.CRF("pos", seqlab.LBFGS(max_iterations=3)).fit(seqlab.read(file), "pos").save(tmp_path / "m")
    tagger = seqlab.load(tmp_path / "m")
    found = passed(lambda: tagger.tag(["the", "old", "man"]))
    assert len(found) <= MOST["tag"], found
    assert "families/linear/decoder.py" in found

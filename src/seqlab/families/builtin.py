"""Models that come with seqlab: made from its own corpus on first use, and kept in the user's cache."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from seqlab import _core, corpus, evaluation, families, store, text
from seqlab.errors import StoreError
from seqlab.families.linear.learners import SGD

RECIPE = 1  # a new number when the model would be another
EPOCHS, SMALLEST, STORAGE = 10, 0.02, "float16"
TOGETHER = 8  # sentences of a text


def en_demo() -> text.Pipeline:
    """Return the pipeline "en-demo": tokens, sentences, parts of speech, chunks and entities of English.

    It has learned from the train part of the built-in corpus, 1,721 sentences, in some seconds; `about` says how good
    it is on the test part. It shows what there is, and is no match for a model of a large corpus.
    """
    path = _kept("en-demo")
    with contextlib.suppress(StoreError, OSError):
        found = store.load(path, families.kinds(), mapped=False)
        if isinstance(found, text.Pipeline):
            return found
    made = _trained()
    with contextlib.suppress(StoreError, OSError):  # where nothing can be kept, it is made again
        path.parent.mkdir(parents=True, exist_ok=True)
        made.save(path)
    return made


def _kept(name: str) -> Path:
    """Return where a model is kept: another file for other data, another recipe, another build of the core."""
    demo = files("seqlab.corpus") / "demo"
    digest = hashlib.sha256(f"{RECIPE} {store.reading.VERSION}".encode())
    for part in ("train.txt", "test.txt"):
        digest.update((demo / part).read_bytes())
    core = getattr(_core, "__file__", None)
    if core is not None:
        with contextlib.suppress(OSError):
            facts = os.stat(core)  # noqa: PTH116
            digest.update(f"{facts.st_size} {facts.st_mtime_ns}".encode())
    return _cache() / "seqlab" / f"{name}-{digest.hexdigest()[:16]}.model"


def _cache() -> Path:
    """Return the folder for files that programs can make again."""
    told = os.environ.get("XDG_CACHE_HOME", "")
    if Path(told).is_absolute():
        return Path(told)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or "~\\AppData\\Local").expanduser()
    home = os.environ.get("HOME") or "/nonexistent"  # without one, nothing is kept
    return Path(home) / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def _trained() -> text.Pipeline:
    train, test = corpus.demo_corpus("train"), corpus.demo_corpus("test")
    tokeniser = text.TrainedTokeniser.train(_texts(train), min_count=1)
    taggers = []
    for features, column in (("pos", "pos"), ("chunk", "chunk"), ("ner", "entity")):
        rules = None if column == "pos" else "IOB2"
        tagger = families.CRF(features, SGD(epochs=EPOCHS, averaged=True), constraints=rules).fit(
            train, column
        )
        if tagger.history_.reason == "interrupted":  # half a model is neither kept nor used
            raise KeyboardInterrupt
        taggers.append(tagger.prune(threshold=SMALLEST, storage=STORAGE))
    pipe = text.Pipeline(tokeniser, taggers, probabilities=False)
    return text.Pipeline(tokeniser, taggers, about=_figures(pipe, test))


def _texts(part: corpus.Corpus) -> list[text.Document]:
    """Write the sentences of a corpus as texts of some sentences each, with their layers."""
    from seqlab.text.spans import with_spans

    made = []
    for first in range(0, len(part), TOGETHER):
        some = part[first : first + TOGETHER]
        document = text.detokenise(some.column("word"))
        for column in some.columns[1:]:
            document = with_spans(document, column, [y for row in some.column(column) for y in row])
        made.append(document)
    return made


def _figures(pipe: text.Pipeline, test: corpus.Corpus) -> str:
    """Describe how good a pipeline is on texts that it has not seen."""
    gold = _texts(test)
    found: Any = evaluation.score_segmentation(gold, pipe.many(one.text for one in gold))
    figures = {
        "tokens": found.words,
        "sentences": found.sentences,
        "parts of speech": found.labels["pos"],
        "chunks": found.spans["chunk"],
        "entities": found.spans["entity"],
    }
    told = ", ".join(f"{name} {one.f1:.3f}" for name, one in figures.items())
    return f"a small model to try things with; F1 from raw text on {len(test)} sentences that it has not seen: {told}"

"""The models that are served: opened once, and opened anew when their files change."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import seqlab
from seqlab import __version__
from seqlab.corpus.columns import WORD_COLUMNS
from seqlab.errors import OptionError, QuestionError, SeqlabError
from seqlab.serve.problems import Problem
from seqlab.serve.room import Room
from seqlab.text import Document, Pipeline
from seqlab.text.document import WORD

TOKEN = 12  # values that a token of a text counts for: its text, places, labels
Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Served:
    """A model in use.

    name      its name in addresses
    path      its file
    model     as it was read: a tagger, or a pipeline with several
    stamp     time, size and number of the file that it was read from; None for a model that comes with seqlab
    since     when it was opened, seconds since 1970
    taggers   by the name of what they have learned
    labels    of the last one, each as JSON
    pipeline  from text to labels; None for a tagger that needs more than words
    lessons   how often it has learned since it was read
    """

    name: str
    path: str
    model: Any
    stamp: Stamp | None
    since: float
    taggers: dict[str, Any] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    pipeline: Any = None
    lessons: int = 0

    def tagger(self, layer: str | None = None) -> Any:
        """Return the tagger of a layer; None for the last one."""
        if layer is None:
            return next(reversed(self.taggers.values()))
        if layer not in self.taggers:
            raise Problem(
                404, f"there is no layer {layer!r}; there are: {', '.join(self.taggers)}", option="layer"
            )
        return self.taggers[layer]

    @property
    def word_column(self) -> str | None:
        """The column of the words, if the model needs no other; more cells of tokens are then left alone."""
        if self.pipeline is None or self.pipeline is self.model:
            return None
        columns = getattr(self.tagger(), "columns_", None) or (WORD,)
        return next((one for one in WORD_COLUMNS if one in columns), columns[0])

    @property
    def reader(self) -> Any:
        """The pipeline; an error for a tagger that cannot read text."""
        if self.pipeline is None:
            columns = ", ".join(next(iter(self.taggers.values())).columns_)
            raise QuestionError(f"this model needs more than words; pass tokens with the columns {columns}")
        return self.pipeline

    def document(self, text: str, room: Room) -> Any:
        """Label a text.

        text   raw
        room   for the answer
        """
        reader = self.reader
        found = reader.tokeniser(text)
        made = found if isinstance(found, Document) else Document.from_offsets(text, found)
        for i, sentence in enumerate(made.sentences):
            room.check_sentence(len(sentence), i)
            room.take(TOKEN * len(sentence))
        return reader(made, threads=1)

    @property
    def version(self) -> str:
        """A short name of this state of the file, and of what was learned since."""
        made = __version__ if self.stamp is None else f"{self.stamp[0]:x}-{self.stamp[1]:x}"
        return f"{made}-{self.lessons}" if self.lessons else made


class Models:
    """Models by name. A request takes the value of the moment and keeps it, so a swap disturbs none."""

    def __init__(self, named: Iterable[tuple[str, str]]) -> None:
        self._served = {name: opened(name, path) for name, path in named}
        self._failed: dict[str, Stamp | None] = {}

    def __iter__(self) -> Any:
        return iter(self._served.values())

    def get(self, name: str | None) -> Served:
        """Return the model with this name; None for the first."""
        served = self._served
        if name is None:
            return next(iter(served.values()))
        try:
            return served[name]
        except KeyError:
            raise Problem(404, f"there is no model {name!r}; there are: {', '.join(served)}") from None

    def replace(self, name: str, model: Any) -> None:
        """Serve another model under this name, until its file changes."""
        before = self._served[name]
        fresh = served(name, before.path, model, before.stamp, next(iter(before.taggers)))
        self._served = {**self._served, name: replace(fresh, lessons=before.lessons + 1)}

    def refresh(self, report: Callable[[str, Exception | None], None], *, force: bool = False) -> None:
        """Open the models whose files have changed; one that cannot be opened stays as it is.

        report   is told the name, and the error if there was one
        force    also those that have not changed
        """
        for before in list(self._served.values()):
            now = stamp_of(before.path)
            if not force and now in {before.stamp, self._failed.get(before.name, before.stamp)}:
                continue
            try:
                fresh = opened(before.name, before.path)
            except (SeqlabError, OSError, MemoryError) as error:
                self._failed[before.name] = now
                report(before.name, error)
                continue
            self._failed.pop(before.name, None)
            self._served = {**self._served, before.name: fresh}
            report(before.name, None)


def stamp_of(path: str) -> Stamp | None:
    """Return what changes when a file does; None where there is no file."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def opened(name: str, path: str) -> Served:
    """Open a model file."""
    stamp = stamp_of(path)  # first: a file that changes meanwhile is opened again
    # Not mapped: a file that is cut short, as `cp` does for a moment, would end the process. Half of one is refused.
    return served(name, path, seqlab.load(path, verify=True, map=False), stamp)


def served(name: str, path: str, model: Any, stamp: Stamp | None, layer: str | None = None) -> Served:
    """Find the taggers of a model, and its way from text to labels; layer is the name of what a lone tagger finds."""
    taggers, pipeline = {}, None
    if isinstance(model, Pipeline):
        taggers, pipeline = dict(zip(model.names, model.taggers, strict=True)), model
    elif hasattr(model, "tag"):
        taggers[layer or getattr(model, "column_", None) or "label"] = model
        with contextlib.suppress(SeqlabError):
            pipeline = Pipeline(None, model)
    if not taggers:
        raise OptionError(
            f"{path!r} holds a {type(model).__name__}, which labels nothing; pass a model that does",
            option="models",
        )
    last = next(reversed(taggers.values()))
    labels = tuple(json.dumps(str(label)) for label in getattr(last, "labels_", ()))
    return Served(name, path, model, stamp, time.time(), taggers, labels, pipeline)

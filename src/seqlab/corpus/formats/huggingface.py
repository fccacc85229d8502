"""Token classification as datasets of Hugging Face have it: JSON lines, labels by number, their names in another file.

{"tokens": ["Anna", "left"], "ner_tags": [1, 0]}

dataset_info.json beside the file has the names, as `datasets` writes them:
{"features": {"ner_tags": {"feature": {"names": ["O", "B-PER"], "_type": "ClassLabel"}, "_type": "List"}}}
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from seqlab.corpus.columns import WORD_COLUMNS, StringColumn
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import Options
from seqlab.corpus.formats.jsonl import OTHER_NAMES, Jsonl
from seqlab.corpus.formats.lines import Parsed
from seqlab.corpus.origin import Layout
from seqlab.errors import CorpusError, Place

INFO = "dataset_info.json"
THEIRS = {"word": "tokens", "label": "tags", "pos": "pos_tags", "chunk": "chunk_tags", "entity": "ner_tags"}
MISSING_LABEL = -100  # what losses of PyTorch leave out


class HuggingFace(Jsonl):
    """JSON lines with labels by number."""

    name = "huggingface"
    title = "token classification of Hugging Face"
    weight = 51

    @classmethod
    def is_like(cls, lines: Sequence[str], *, blank_lines: bool) -> bool:  # noqa: ARG003
        """Return True if the first line has tokens, and as many whole numbers."""
        try:
            value = json.loads(lines[0])
        except (ValueError, RecursionError):
            return False
        return isinstance(value, Mapping) and bool(_numbered(value))

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._names = _names_beside(options.name)

    def _parse(self, text: str) -> Parsed:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return super()._parse(text)
        for key in _numbered(value) if isinstance(value, Mapping) else ():
            names = self._names.get(key)
            if names is not None:
                value = {**value, key: [_name(number, names, key) for number in value[key]]}
            elif not self.options.guessed:  # else the numbers may be anything
                raise CorpusError(
                    f"the labels of {key!r} are numbers, and nothing says their names: {INFO} of the dataset belongs "
                    f"beside the file; or load it and pass it to Corpus.from_arrow"
                )
        return super()._parse(json.dumps(value))

    @classmethod
    def has_place(cls, label: str | None) -> bool:  # noqa: ARG003
        """Return False: the names of predicted labels would have to stand in another file."""
        return False

    @classmethod
    def fresh_layout(cls, newline: str) -> Layout:
        """Make the layout of a file for a corpus of another format."""
        return Layout(format=cls.name, newline=newline, separator=", ", keys=tuple(THEIRS.items()))

    @classmethod
    def render(cls, corpus: Corpus, layout: Layout) -> Iterator[bytes]:
        """Write numbers for labels."""
        keys, names = dict(layout.keys), _names_of(corpus)
        numbers = {keys.get(name, name): _numbers(values) for name, values in names.items()}
        for piece in super().render(corpus, layout):
            lines = []
            for line in piece.decode().splitlines():
                value = json.loads(line) if line.strip() else None
                if isinstance(value, dict):
                    for key, of in numbers.items():
                        found = value[key]
                        value[key] = None if found is None else [of[label] for label in found]
                lines.append(line if value is None else json.dumps(value, ensure_ascii=False))
            yield "".join(line + layout.newline for line in lines).encode()

    @classmethod
    def beside(cls, corpus: Corpus, layout: Layout) -> dict[str, bytes]:
        """Return the file with the names of the labels."""
        keys = dict(layout.keys)
        text = {"dtype": "string", "_type": "Value"}
        features: dict[str, Any] = {}
        names = _names_of(corpus)
        for name in corpus.columns:
            inner = {"names": names[name], "_type": "ClassLabel"} if name in names else text
            features[keys.get(name, name)] = {"feature": inner, "_type": "List"}
        return {INFO: json.dumps({"features": features}, ensure_ascii=False, indent=2).encode() + b"\n"}


FORMAT = HuggingFace


def _numbered(value: Mapping[str, Any]) -> list[str]:
    """Find the fields with a whole number for each token."""
    tokens = next((value[key] for key in ("tokens", "words") if isinstance(value.get(key), list)), None)
    if not tokens or not all(isinstance(one, str) for one in tokens):
        return []
    return [
        key
        for key, found in value.items()
        if isinstance(found, list)
        and len(found) == len(tokens)
        and (key in OTHER_NAMES or key.endswith("tags"))
        and all(isinstance(one, int) and not isinstance(one, bool) for one in found)
    ]


def _name(number: int, names: Sequence[str], key: str) -> str | None:
    if number in (-1, MISSING_LABEL):
        return None
    if not 0 <= number < len(names):
        raise CorpusError(
            f"the label {number} of {key!r} is none of 0 to {len(names) - 1}, which {INFO} names"
        )
    return names[number]


def _names_beside(path: str) -> dict[str, list[str]]:
    """Read the names of labels that stand beside a file; none if there is no such file."""
    beside = Path(path).parent / INFO
    if not os.path.isfile(path) or not beside.is_file():  # noqa: PTH113
        return {}
    try:
        features = json.loads(beside.read_text(encoding="utf-8"))["features"]
        inner = {key: one.get("feature", one) for key, one in features.items()}
        return {key: [str(name) for name in one["names"]] for key, one in inner.items() if "names" in one}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorpusError(
            f"the names of labels cannot be read ({error!s:.60}); {INFO} is what datasets writes",
            place=Place(path=str(beside)),
        ) from error


def _names_of(corpus: Corpus) -> dict[str, list[str]]:
    """Return the labels of each column of strings but that of the words; O is the first."""
    found = {}
    for name in corpus.columns:
        column = corpus.data(name)
        if isinstance(column, StringColumn) and name not in WORD_COLUMNS:
            found[name] = sorted(set(column.compact().values), key=lambda one: (one != "O", one[2:], one))
    return found


def _numbers(names: Sequence[str]) -> dict[str | None, int]:
    return {None: MISSING_LABEL, **{name: number for number, name in enumerate(names)}}

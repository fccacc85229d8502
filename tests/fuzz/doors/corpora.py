"""Corpus files of every format, and texts with spans of annotation tools."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import seqlab
from fuzz.doors.models import Scratch
from fuzz.doors.mutators import Mutator, any_bytes, chosen, json_values, lines, words
from seqlab import _core, text
from seqlab.corpus import formats

Made = tuple[Callable[[bytes], Any], Sequence[bytes], Mutator]

CONLLU = (
    "# text = vámonos al mar\n1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_\n1\tvamos\tir\tVERB\tv\tMood=Imp\t0\troot\t_\t_\n"
    "2\tnos\tnosotros\tPRON\tp\t_\t1\tobj\t_\t_\n2.1\tno\tno\tX\t_\t_\t_\t_\t1:x\t_\n3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "3\ta\ta\tADP\te\t_\t5\tcase\t_\t_\n4\tel\tel\tDET\td\t_\t5\tdet\t_\t_\n5\tmar\tmar\tNOUN\tn\t_\t1\tobl\t_\tA=1\n\n"
)
CONLLUP = "# global.columns = ID FORM UPOS\n1\tHi\tINTJ\n2\tyou\tPRON\n\n1\tBye\tINTJ\n\n"
ATTRIBUTES = "D\tw=the\tbias:2.5\tx\\:y:1e-3\n@weight:2\nN\tw=dog\tbias\n\nO\n\nN\tw=\\\\:0.5\n"
CSV = 'sentence,word,label\n1,"Anna, she",B-PER\n1,left,O\n2,"a ""b""",O\n'
SLASH = "The/DT dog/NN and\\/or/CC\na//SYM b/NN\n"
MARKED = "-DOCSTART- -X- O O\n\nthe DT B-NP O\ndog NN I-NP O\n\nBonn NNP B-NP B-LOC\n"
SPANS = [[0, 4, "PER"], [14, 18, "LOC"]]
TEXT = "Anna went to Bonn."
BRAT = f"{TEXT}\0T1\tPER 0 4\tAnna\nT2\tLOC 13 17;17 18\tBonn .\nR1\tx Arg1:T1 Arg2:T2\n#1\tNote T1\tyes\n"


def _demo(form: str) -> list[bytes]:
    corpus = seqlab.demo_corpus("train")[:3]
    target = io.BytesIO()
    seqlab.write(corpus.select("word") if form == "text" else corpus, target, form)
    return [target.getvalue()]


def _lines(*records: Any) -> bytes:
    return b"\n".join(json.dumps(one).encode() for one in records)


def _arrays() -> list[bytes]:
    plain, packed = io.BytesIO(), io.BytesIO()
    np.save(plain, np.arange(6.0).reshape(3, 2))
    np.savez(packed, vector=np.ones((4, 2)), label=np.array([0, 1, 1, 0]), lengths=np.array([3, 1]))
    return [plain.getvalue(), packed.getvalue()]


SEEDS: dict[str, Callable[[], list[bytes]]] = {
    "conll": lambda: [*_demo("conll"), MARKED.encode()],
    "conllu": lambda: [CONLLU.encode()],
    "slash": lambda: [SLASH.encode()],
    "text": lambda: [*_demo("text"), b"one\n\ntwo three\r\n"],
    "jsonl": lambda: [*_demo("jsonl"), _lines({"words": ["a", "b"], "label": ["X", None]})],
    "crfsuite": lambda: [ATTRIBUTES.encode()],
    "csv": lambda: [CSV.encode(), *_demo("csv")],
    "npy": _arrays,
    "conllup": lambda: [CONLLUP.encode()],
    "huggingface": lambda: [
        _lines({"tokens": ["Anna", "left"], "ner_tags": [1, -100]}, {"tokens": [], "ner_tags": []})
    ],
}
INFO = {
    "features": {"ner_tags": {"feature": {"names": ["O", "B-PER"], "_type": "ClassLabel"}, "_type": "List"}}
}
OPTIONS: tuple[dict[str, Any], ...] = ({}, {"comments": True}, {"missing": "_"}, {"docstart": False})
OPTIONS += ({"encoding": "latin-1"}, {"encoding": "utf-16"}, {"columns": {"word": 0, "label": -1}})
DOCUMENTS: dict[str, list[bytes]] = {
    "doccano": [_lines({"text": TEXT, "label": SPANS, "id": 1}, {"text": "", "label": []})],
    "prodigy": [
        _lines({"text": TEXT, "spans": [{"start": 0, "end": 4, "label": "PER"}], "answer": "accept"}),
        _lines({"text": "Hi", "tokens": [{"text": "Hi", "start": 0, "end": 2, "id": 0, "ws": False}]}),
    ],
    "labelstudio": [
        _lines({
            "data": {"text": TEXT},
            "annotations": [{"result": [{"type": "labels", "value": {"start": 0, "end": 4, "labels": ["PER"]}}]}],
        })
    ],
}  # fmt: skip
MUTATORS = {name: chosen(json_values, lines) for name in ("jsonl", "huggingface", *DOCUMENTS)}


def _corpus(form: str) -> Made:
    """Read a file with some options; what was read is written, and read again."""

    def ask(data: bytes) -> None:
        options = OPTIONS[data[0] % len(OPTIONS)] if data else {}
        corpus = seqlab.read(io.BytesIO(data[1:]), form, **options)
        repr(corpus)
        written = io.BytesIO()
        seqlab.write(corpus, written, form)
        written.seek(0)
        again = seqlab.read(
            written, form, **{key: value for key, value in options.items() if key != "encoding"}
        )
        assert len(again) == len(corpus), "a corpus that is written has as many sentences"

    return ask, [b"\0" + seed for seed in SEEDS[form]()], MUTATORS.get(form, lines)


def _npy() -> Made:
    scratch = Scratch()
    return lambda data: seqlab.read(scratch(data), "npy"), SEEDS["npy"](), chosen(words, any_bytes)


def _huggingface() -> Made:
    """The names of labels on the first line, in a file beside that of the tokens."""
    scratch = Scratch()

    def ask(data: bytes) -> None:
        info, _, rows = data.partition(b"\n")
        Path(scratch.path).with_name("dataset_info.json").write_bytes(info)
        seqlab.read(scratch(rows), "huggingface")

    return ask, [_lines(INFO) + b"\n" + seed for seed in SEEDS["huggingface"]()], MUTATORS["huggingface"]


def _guessed() -> Made:
    """The same without the name of a format."""

    def ask(data: bytes) -> None:
        seqlab.read(io.BytesIO(data))

    return ask, [seed for make in SEEDS.values() for seed in make()], chosen(lines, json_values, any_bytes)


def _documents(form: str) -> Made:
    def ask(data: bytes) -> None:
        ways = (None, "shrink", "expand", "refuse")
        align = ways[data[0] % len(ways)] if data else None
        found = text.read_documents(io.BytesIO(data[1:]), form, align=align)
        text.write_documents(found, io.BytesIO(), form)

    return ask, [b"\0" + seed for seed in DOCUMENTS[form]], MUTATORS[form]


def _brat() -> Made:
    scratch = Scratch()

    def ask(data: bytes) -> None:
        plain, _, annotation = data.partition(b"\0")
        Path(f"{scratch.path}.txt").write_bytes(plain)
        Path(f"{scratch.path}.ann").write_bytes(annotation)
        text.read_documents(f"{scratch.path}.txt", "brat", align="shrink")

    return ask, [BRAT.encode()], lines


def _json_batch() -> Made:
    """Read sentences of a request in the core, which must mean what they mean to Python's reader of JSON."""

    def ask(data: bytes) -> None:
        found = _core.read_json_batch(data)
        if found is None:
            return
        model, codes, offsets, pool, longest = found
        words = pool.strings()
        batch = [[words[code] for code in codes[a:b]] for a, b in pairwise(offsets)]
        wanted = json.loads(data.decode())
        assert wanted.pop("model", None) == model
        assert wanted == {"batch": batch}
        assert longest == max(map(len, batch), default=0)

    seeds = [
        _lines({"batch": [["the", "dog"], [], ["é\u2028🙂"]], "model": "x"}),
        b' {"batch" : [["a\\u00e9\\ud83d\\ude42\\n"]]}\n',
    ]
    return ask, seeds, chosen(json_values, any_bytes)


DOORS: dict[str, Callable[[], Made]] = {
    **{form: partial(_corpus, form) for form in formats.NAMES},
    "npy": _npy,
    "huggingface": _huggingface,
    "guessed": _guessed,
    **{form: partial(_documents, form) for form in DOCUMENTS},
    "brat": _brat,
    "json_batch": _json_batch,
}

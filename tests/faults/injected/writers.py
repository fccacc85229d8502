"""Everything of seqlab that writes files, small: write(folder, version), with other content in version 1."""

from __future__ import annotations

import contextlib
import io
import json
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import seqlab
from faults.altered_models import recipes
from seqlab import text
from seqlab.corpus import formats
from seqlab.errors import SeqlabError

WORDS = [["the", "old", "man", "runs"], ["Rio", "runs"], ["the", "Rio", "man", "the", "old"]]
TAGS = [["B-N", "I-N", "I-N", "O"], ["B-L", "O"], ["B-N", "B-L", "B-N", "B-N", "I-N"]]
QUICK = seqlab.LBFGS(max_iterations=2)

Write = Callable[[Path, int], object]


@dataclass(frozen=True)
class Writer:
    """A writer and what it promises.

    make      makes write(folder, version)
    whole     True: after an error nothing at all has changed; False: each file is the old or the new one
    silent    True if failing to write is no error, as for a cache
    settled   asks what was written, where bytes do not tell: it has the same answer after a fault or a kill as after
              an undisturbed run
    over      True if version 0 has to be there before version 1
    """

    make: Callable[[], Write]
    whole: bool = True
    silent: bool = False
    settled: Callable[[Path], Any] | None = None
    over: bool = False


@cache
def corpus(version: int) -> seqlab.Corpus:
    return seqlab.Corpus.from_lists(word=WORDS[version:], label=TAGS[version:])


@cache
def tagger(version: int = 0) -> Any:
    return seqlab.CRF("word[0]" if version == 0 else "word[0]\nword[-1]", QUICK).fit(WORDS, TAGS)


@cache
def documents(version: int) -> list[Any]:
    from seqlab.text.spans import with_spans

    made = []
    for words, tags in zip(WORDS[version:], TAGS[version:], strict=True):
        made.append(with_spans(text.detokenise([words]), "entity", tags))
    return made


# ------------------------------------------------------------------------------------------------ models


def of_kind(make: Callable[[], Any]) -> Writer:
    def made() -> Write:
        models = [make(), tagger(1)]
        return lambda folder, version: models[version].save(folder / "m.model")

    return Writer(made)


def models() -> dict[str, Writer]:
    found = {name: of_kind(make) for name, make in recipes().items()}
    found["save_pretrained"] = Writer(
        lambda: lambda folder, version: tagger(version).save_pretrained(folder / "hub", name=f"v{version}"),
        whole=False,
    )
    found["en-demo"] = Writer(_en_demo, silent=True)
    found["serve learns"] = Writer(_served, settled=_served_models, over=True)
    return found


def _en_demo() -> Write:
    from seqlab.families import builtin

    def write(folder: Path, version: int) -> None:
        builtin._trained = lambda: text.Pipeline(None, tagger(version))
        builtin._kept = lambda name: folder / "seqlab" / f"{name}.model"
        (folder / "seqlab" / "en-demo.model").unlink(missing_ok=True)
        builtin.en_demo()

    return write


def _served() -> Write:
    from seqlab.serve import insight
    from seqlab.serve.models import Models
    from seqlab.serve.problems import Problem

    start = tagger(0).as_bytes()

    def write(folder: Path, version: int) -> None:
        path = folder / "first.model"
        if version == 0:
            path.write_bytes(start)
        else:
            models = Models([("m", str(path))])
            insight.time = _Still  # type: ignore[attr-defined]
            try:
                insight.learned(models, models.get("m"), {"sentences": [{"tokens": ["a"], "labels": ["O"]}]})
            except Problem as error:
                raise SeqlabError(error.detail) from None

    return write


class _Still:
    @staticmethod
    def strftime(_: str) -> str:
        return "20200101-000000"


def _served_models(folder: Path) -> str:
    """Every file is a model, or empty: a name that was taken."""
    found = [path for path in folder.glob("*.model") if path.stat().st_size]
    return " ".join({type(seqlab.load(path)).__name__ for path in found})


# ------------------------------------------------------------------------------------------------ texts


def corpora() -> dict[str, Writer]:
    found = {}
    names = {"jsonl": "c.jsonl", "csv": "c.csv", "conllu": "c.conllu", "huggingface": "c.json"}
    for name in formats.NAMES:
        if name != "npy":
            target = names.get(name, "c.txt")
            found[name] = Writer(
                lambda name=name, target=target: _corpus(name, target), name != "huggingface"
            )
    found["npy"] = Writer(_vectors)
    found["compressed"] = Writer(lambda: _corpus("conll", "c.txt.gz"))
    for name in ("doccano", "prodigy", "labelstudio"):
        found[name] = Writer(
            lambda name=name: (
                lambda folder, version: text.write_documents(
                    documents(version), folder / "d.json", name, layer="entity"
                )
            )
        )
    found["brat"] = Writer(
        lambda: (
            lambda folder, version: text.write_documents(
                documents(version), folder / "d", "brat", layer="entity"
            )
        ),
        whole=False,
    )
    found["arpa"] = Writer(_arpa)
    return found


def _corpus(form: str, target: str) -> Write:
    def write(folder: Path, version: int) -> None:
        one = corpus(version)
        if form == "text":
            one = one.select("word")
        elif form == "conllu":
            one = seqlab.Corpus.from_lists(form=WORDS[version:], upos=TAGS[version:])
        elif form == "crfsuite":
            bags = [[[f"w={w}"] for w in s] for s in WORDS[version:]]
            one = seqlab.Corpus.from_lists(features=bags, label=TAGS[version:])
        seqlab.write(one, folder / target, form)

    return write


def _vectors() -> Write:
    import numpy as np

    made = [seqlab.Corpus.from_lists(vector=[np.full((3, 2), float(v))]) for v in (0, 1)]
    return lambda folder, version: seqlab.write(made[version], folder / "v.npy")


def _arpa() -> Write:
    chains = [seqlab.MarkovChain(order=order).fit(WORDS) for order in (1, 2)]
    return lambda folder, version: chains[version].save_arpa(folder / "x.arpa")


# ------------------------------------------------------------------------------------------------ commands and views


def views() -> dict[str, Writer]:
    pictures = {"svg": "svg", "png": "png", "pdf": "pdf"}
    found = {name: Writer(lambda kind=kind: _picture(kind)) for name, kind in pictures.items()}
    found["report"] = Writer(
        lambda: lambda folder, version: tagger(0).evaluate(corpus(version), "label").html(folder / "r.html")
    )
    found["crfsuite model"] = Writer(_crfsuite)
    found["crfsuite dump"] = Writer(_crfsuite_dump)
    found["sklearn_crfsuite"] = Writer(_sklearn_crfsuite)
    found["seqlab tag -o"] = Writer(lambda: _command("tag", "{model}", "{input}", "-o", "{folder}/out.txt"))
    found["seqlab tag -o, JSON"] = Writer(
        lambda: _command("tag", "{model}", "{input}", "--to", "jsonl", "-o", "{folder}/out.jsonl")
    )
    found["seqlab train"] = Writer(
        lambda: _command("train", "{input}", "-o", "{folder}/m.model", "--force", "-m", "perceptron", "-q"),
        settled=_trained,
    )
    found["seqlab convert"] = Writer(
        lambda: _command("convert", "{input}", "{folder}/c.jsonl", "--to", "jsonl")
    )
    found["seqlab eval --html"] = Writer(
        lambda: _command("eval", "{model}", "{input}", "--html", "{folder}/r.html")
    )
    found["metrics"] = Writer(_metrics, silent=True)
    return found


def _picture(kind: str) -> Write:
    os.environ["SOURCE_DATE_EPOCH"] = "0"  # matplotlib's PDF tells when it was made
    made = [seqlab.draw.graphical_model_picture(name) for name in ("hmm", "crf")]
    return lambda folder, version: made[version].save(folder / f"p.{kind}")


def _trainer(version: int) -> Any:
    from seqlab.compat import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    for words, tags in zip(WORDS[version:], TAGS[version:], strict=True):
        trainer.append([[f"w={w}"] for w in words], tags)
    return trainer


def _crfsuite() -> Write:
    return lambda folder, version: _trainer(version).train(str(folder / "x.crfsuite"))


def _crfsuite_dump() -> Write:
    from seqlab.compat import pycrfsuite

    opened = []
    for version in (0, 1):
        trainer = _trainer(version)
        trainer.train("")
        one = pycrfsuite.Tagger()
        from seqlab.compat.pycrfsuite.trainer import crfsuite, foreign_of

        one.open_inmemory(crfsuite.written(foreign_of(trainer.model_, list(trainer.model_.labels_))))
        opened.append(one)
    return lambda folder, version: opened[version].dump(str(folder / "x.txt"))


def _sklearn_crfsuite() -> Write:
    from seqlab.compat import sklearn_crfsuite

    X = [[{"w": w} for w in s] for s in WORDS]

    def write(folder: Path, version: int) -> None:
        one = sklearn_crfsuite.CRF(model_filename=str(folder / "m.crfsuite"), max_iterations=2)
        one.fit(X[version:], TAGS[version:])

    return write


def _command(*words: str) -> Write:
    from seqlab import cli

    def write(folder: Path, version: int) -> None:
        given = {
            "folder": folder,
            "model": folder.parent / "tagger.model",
            "input": folder.parent / f"input{version}.txt",
        }
        if not given["model"].exists():
            tagger(0).save(given["model"])
        if not given["input"].exists():
            seqlab.write(corpus(version), given["input"])
        told = io.StringIO()
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(io.StringIO()):
            code = cli.main([word.format(**given) for word in words])
        if code:
            assert told.getvalue().startswith("seqlab"), told.getvalue()
            assert "Traceback" not in told.getvalue(), told.getvalue()
            raise SeqlabError(told.getvalue())

    return write


def _trained(folder: Path) -> bool:
    """Load the model, if there is one; its bytes tell how long the training took."""
    path = folder / "m.model"
    return not path.exists() or len(seqlab.load(path).predict(WORDS)) == len(WORDS)


def _metrics() -> Write:
    from seqlab.serve.metrics import Metrics

    def write(folder: Path, version: int) -> None:
        metrics = Metrics(str(folder))
        metrics._path = folder / "metrics-1.json"
        metrics._counts["seqlab_requests_total", ()] += version
        metrics.store()

    return write


# ------------------------------------------------------------------------------------------------ trainings on disk


def trainings() -> dict[str, Writer]:
    return {
        "checkpoint": Writer(_checkpoint, whole=False, settled=_resumed),
        "cache": Writer(_cache, whole=False, settled=_from_cache),
        "journal": Writer(_journal, whole=False, settled=_searched),
    }


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _fit_checkpoint(folder: Path) -> str:
    place = seqlab.Checkpoint(folder / "kept", every=0)
    with _quiet():
        fitted = seqlab.CRF("word[0]", seqlab.LBFGS(max_iterations=3)).fit(WORDS, TAGS, checkpoint=place)
    return str(fitted.model_.theta.tobytes().hex())


def _checkpoint() -> Write:
    return lambda folder, version: _fit_checkpoint(folder) if version else None


def _resumed(folder: Path) -> str:
    return _fit_checkpoint(folder)


def _fit_cached(folder: Path) -> str:
    source = folder.parent / "stream.txt"
    if not source.exists():
        seqlab.write(corpus(0), source)
    stream = seqlab.stream_corpus(source, columns=("word", "label"))
    with _quiet():
        fitted = seqlab.CRF("word[0]\nword[-1] & word[0]", QUICK).fit(
            stream, "label", max_memory="8G", cache=folder / "cache"
        )
    return str(fitted.model_.theta.tobytes().hex())


def _cache() -> Write:
    return lambda folder, version: _fit_cached(folder) if version else None


def _from_cache(folder: Path) -> str:
    answer = _fit_cached(folder)
    left = [path.name for path in (folder / "cache").iterdir() if path.name.startswith(".")]
    assert not left, left
    return answer


def _search(folder: Path) -> str:
    with _quiet():
        found = seqlab.tune(
            seqlab.HMM(),
            WORDS * 4,
            TAGS * 4,
            search={"smoothing": [0.1, 1.0]},
            folds=2,
            resume=folder / "journal.jsonl",
            threads=1,
        )
    return repr([(one.params, one.scores) for one in found.trials])


def _journal() -> Write:
    return lambda folder, version: _search(folder) if version else None


def _searched(folder: Path) -> str:
    answer = _search(folder)
    for line in (folder / "journal.jsonl").read_text().splitlines():
        json.loads(line)
    return answer


GROUPS: dict[str, Callable[[], dict[str, Writer]]] = {
    "models": models,
    "corpora": corpora,
    "views": views,
    "trainings": trainings,
}

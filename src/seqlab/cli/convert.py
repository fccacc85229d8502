"""`seqlab convert`: corpora from format to format, tags from scheme to scheme, models of other tools into ours."""

from __future__ import annotations

import argparse
import io
import sys
from typing import Any

import seqlab
from seqlab.cli import parsing
from seqlab.cli.outputs import MODELS
from seqlab.cli.parsing import Group, option
from seqlab.cli.reading import documents
from seqlab.cli.reading.corpora import (
    first_bytes,
    is_arpa,
    is_model,
    label_column,
    load_model,
    read_corpora,
    sizes,
)
from seqlab.cli.terminal import orderly, print_json, put_bytes
from seqlab.corpus.formats import NAMES
from seqlab.errors import OptionError, SchemeError
from seqlab.text.formats import NAMES as TEXTS

USAGE = "INPUT OUTPUT"
DESCRIPTION = """\
Convert a corpus: another format, other columns, another tag scheme. The format of the result
is what --to says, else what the name of OUTPUT says, else that of the input.

Files of annotation tools (doccano, prodigy, labelstudio, brat, webanno) have texts, and spans
by their places. On the way to tokens they are cut by rules where they have no tokens.

Models of CRFsuite (binary), CRF++ (text) and Wapiti are recognised and become models of ours
that give the same tags. An ARPA file becomes a markov model, and a markov model an ARPA file
when OUTPUT ends in .arpa or .arpa.gz."""

EXAMPLES = """\
seqlab convert en.conllu en.txt --to conll --select word,upos
seqlab convert train.txt train.jsonl
seqlab convert letters.jsonl letters.txt --to conll --align shrink
seqlab convert brat-folder letters.jsonl --to doccano
seqlab convert pos.txt pos.conllu --select word,label --rename label=upos
seqlab convert ner.txt ner-bilou.txt --scheme BILOU
seqlab convert old.txt new.txt --scheme IOB2 --repair conlleval
seqlab convert old.crfsuite new.model --learner perceptron
seqlab convert model.crfpp.txt new.model --columns word,pos
seqlab convert 3gram.model 3gram.arpa
seqlab convert 3gram.arpa.gz 3gram.model"""

_SCHEME = "write the labels in this scheme: IOB1, IOB2, IOE1, IOE2, IOBES, BILOU, BMES, IO"
_REPAIR = "labels that break their scheme: conlleval keeps their spans, strict drops them"
_LEARNER = "what the weights came from, if not from a likelihood: then they give no probabilities"


def _renamed(text: str) -> tuple[str, str]:
    old, sign, new = text.partition("=")
    if not old or not sign or not new:
        raise argparse.ArgumentTypeError(f"OLD=NEW is wanted, got {text!r}")
    return old, new


def _foreign(path: str) -> str | None:
    """Return the name of the other tool that wrote a model file; None if none of the known ones did."""
    head = first_bytes(path, 16)
    return next((tool for magic, tool in MODELS.items() if head.startswith(magic)), None)


def _written_kind(arguments: argparse.Namespace) -> Any:
    source = arguments.input
    if documents.goal_of(arguments) == documents.FOLDER:
        return {}  # a folder, whose files are looked at before they are written
    if source != "-" and is_model(source):
        return "arpa"
    if source != "-" and (is_arpa(source) or _foreign(source) is not None):
        return "model"
    return "corpus"


def _in_place(arguments: argparse.Namespace) -> tuple[str, ...]:
    return ("input",) if _written_kind(arguments) == "corpus" else ()


OPTIONS = (
    option("input INPUT", "a corpus, or a model of another tool; - is standard input", reads=True),
    option(
        "output OUTPUT", "the file to write; - is standard output", writes=_written_kind, in_place=_in_place
    ),
    option("--to FORMAT", f"of the result: {', '.join((*NAMES, *TEXTS))}", choices=(*NAMES, *TEXTS)),
    option("--select NAMES", "the columns to write, in this order", parsing.columns),
    option("--rename OLD=NEW", "another name for a column; may be repeated", _renamed, action="append"),
    Group(
        "tag schemes",
        option("--scheme NAME", _SCHEME),
        option("--from-scheme NAME", "what they are in (default: seen from the labels)"),
        option("--label -l COLUMN", "the column with the labels (default: the last one)"),
        option("--repair HOW", _REPAIR, choices=("conlleval", "strict")),
    ),
    Group("models", option("--learner", _LEARNER, choices=("perceptron", "pa", "arow"))),
    option("--json", "what was done, as JSON (OUTPUT must be a file)"),
    parsing.READING,
)


def run(arguments: argparse.Namespace) -> None:
    """Convert a corpus, or a model if it is one."""
    if arguments.json and arguments.output == "-":
        raise OptionError("--json and an OUTPUT of - would both write to standard output; name a file")
    done = _converted_model(arguments) or _converted_corpus(arguments)
    if arguments.json:
        print_json(done)
    else:
        print(f"seqlab: {done['text']}", file=sys.stderr)


def _converted_model(arguments: argparse.Namespace) -> dict[str, Any] | None:
    """Convert a model, and print what was done; None when the input is not a model of another tool."""
    import seqlab
    from seqlab.cli.kinds import learner_class

    if arguments.input == "-":
        return None
    if is_model(arguments.input) or is_arpa(arguments.input):
        return _converted_chain(arguments)
    kind = _foreign(arguments.input)
    if kind is None:
        return None
    options: dict[str, Any] = {"encoding": arguments.encoding} if arguments.encoding else {}
    if isinstance(arguments.columns, tuple):
        options["columns"] = arguments.columns
    if arguments.learner is not None:
        options["learner"] = learner_class(arguments.learner)()
    tagger, target = seqlab.convert_model(arguments.input, **options), arguments.output
    if target == "-":
        put_bytes(tagger.as_bytes())
    else:
        tagger.save(target)
    text = f"{arguments.input}, a model of {kind}, written to {target}: {len(tagger.labels_)} labels"
    return {"kind": kind, "output": target, "labels": list(tagger.labels_), "text": text}


def _converted_chain(arguments: argparse.Namespace) -> dict[str, Any]:
    """Convert a Markov chain to an ARPA file, or an ARPA file to a chain."""
    source, target = arguments.input, arguments.output
    to_arpa = target.removesuffix(".gz").endswith(".arpa") or (target == "-" and is_model(source))
    if is_model(source) and not to_arpa:
        raise OptionError(
            f"{source} is a model of ours already; seqlab inspect shows what is in it, and a markov model becomes "
            f"an ARPA file if OUTPUT ends in .arpa or .arpa.gz"
        )
    chain = load_model(source)
    if not hasattr(chain, "save_arpa"):
        raise OptionError(
            f"{source} holds a {type(chain).__name__}, but an ARPA file is about a Markov chain"
        )
    if target == "-":
        data = io.BytesIO()
        chain.save_arpa(data)
        put_bytes(data.getvalue() if to_arpa else chain.as_bytes())
    else:
        with orderly():
            chain.save_arpa(target) if to_arpa else chain.save(target)
    words, what = len(chain.symbols_), "an ARPA file" if to_arpa else "a markov model"
    text = f"{source}, n-grams of up to {chain.order + 1} of {words} symbols, written to {target} as {what}"
    return {"kind": "ARPA", "output": target, "order": chain.order, "symbols": words, "text": text}


def _converted_corpus(arguments: argparse.Namespace) -> dict[str, Any]:
    from seqlab.corpus import write

    goal, source = documents.goal_of(arguments), documents.form_of(arguments.input, arguments.format)
    if goal is not None and source is not None:
        why = "changes columns, and texts with places have none; leave it out"
        parsing.refuse(arguments, ("scheme", "from_scheme", "repair", "select", "rename", "label"), why)
        return documents.converted(arguments, None, goal)
    corpus = read_corpora([arguments.input], parsing.reading_of(arguments))
    notes = []
    if arguments.scheme is not None:
        corpus, note = _rewritten(corpus, arguments)
        notes.append(note)
    elif arguments.from_scheme or arguments.repair:
        raise OptionError("--from-scheme and --repair belong to --scheme, which names the scheme to write")
    if isinstance(arguments.select, dict):
        raise OptionError("--select wants names, as word,upos; cells are picked by --columns when reading")
    written = corpus if arguments.select is None else corpus.select(*arguments.select)
    written = written.rename(**dict(arguments.rename or []))
    if goal is not None:
        return documents.converted(arguments, written, goal)
    with orderly():
        write(written, arguments.output, arguments.to)
    return {
        "input": corpus.name,
        "output": arguments.output,
        "sentences": len(corpus),
        "tokens": corpus.token_count,
        "columns": list(written.columns),
        "notes": notes,
        "text": "; ".join([f"{sizes(corpus)} written to {arguments.output}", *notes]),
    }


def _rewritten(corpus: seqlab.Corpus, arguments: argparse.Namespace) -> tuple[seqlab.Corpus, str]:
    """Convert the labels of a corpus to another scheme, and print a note."""
    from seqlab.tags import Scheme, convert, detect, violations

    label = label_column(corpus, arguments.label)
    sequences = corpus.column(label)
    source: Any = arguments.from_scheme
    if source is None:
        found = detect(sequences)
        if found.scheme is None:
            raise SchemeError(f"{corpus.name}: column {label!r} follows no tag scheme: {found.reason}")
        source = found.scheme
    goal = Scheme.of(arguments.scheme)
    broken = [(s, one) for s, some in enumerate(violations(sequences, source)) for one in some]
    if broken and arguments.repair is None:
        s, first = broken[0]
        raise SchemeError(
            f"{corpus.place(s, first.position)}: {first.reason}; {len(broken)} labels break {source}: "
            f"pass --repair conlleval to keep their spans, or --repair strict to drop them"
        )
    made = convert(sequences, source, goal, arguments.repair)
    note = f"column {label} from {source} to {goal}"
    if broken:
        note += f", {len(broken)} invalid labels repaired ({arguments.repair})"
    return corpus.with_column(label, made), note

"""`seqlab convert`: corpora from format to format, tags from scheme to scheme, models of other tools into ours."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from seqlab.cli import options as shared
from seqlab.cli.parsing import add, columns
from seqlab.corpus.formats import NAMES
from seqlab.errors import OptionError, SchemeError

if TYPE_CHECKING:
    from seqlab.corpus import Corpus

LEARNERS = ("perceptron", "pa", "arow")  # of other tools, beside those of a likelihood
MODELS = {b"lCRF": "CRFsuite", b"version: ": "CRF++", b"#mdl#": "Wapiti"}  # by their first bytes

USAGE = "INPUT OUTPUT"
DESCRIPTION = """\
Convert a corpus: another format, other columns, another tag scheme. The format of the result
is what --to says, else what the name of OUTPUT says, else that of the input.

Models of CRFsuite (binary), CRF++ (text) and Wapiti are recognised and become models of ours
that give the same tags."""

EXAMPLES = """\
seqlab convert en.conllu en.txt --to conll --select word,upos
seqlab convert train.txt train.jsonl
seqlab convert ner.txt ner-bilou.txt --scheme BILOU
seqlab convert old.txt new.txt --scheme IOB2 --repair conlleval
seqlab convert old.crfsuite new.model --learner perceptron
seqlab convert model.crfpp.txt new.model --columns word,pos"""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "input INPUT", "a corpus, or a model of another tool; - is standard input")
    add(parser, "output OUTPUT", "the file to write; - is standard output")
    add(parser, "--to FORMAT", f"of the result: {', '.join(NAMES)}", choices=NAMES)
    add(parser, "--select NAMES", "the columns to write, in this order", columns)
    tags = parser.add_argument_group("tag schemes")
    scheme = "write the labels in this scheme: IOB1, IOB2, IOE1, IOE2, IOBES, BILOU, BMES, IO"
    add(tags, "--scheme NAME", scheme)
    add(tags, "--from-scheme NAME", "what they are in (default: seen from the labels)")
    add(tags, "--label -l COLUMN", "the column with the labels (default: the last one)")
    repair = "labels that break their scheme: conlleval keeps their spans, strict drops them"
    add(tags, "--repair HOW", repair, choices=("conlleval", "strict"))
    models = parser.add_argument_group("models")
    learner = "what the weights came from, if not from a likelihood: then they give no probabilities"
    add(models, "--learner", learner, choices=LEARNERS)
    shared.json(parser, "what was done, as JSON (OUTPUT must be a file)")
    shared.reading(parser)


def run(arguments: argparse.Namespace) -> None:
    """Convert a corpus, or a model if it is one."""
    if arguments.json and arguments.output == "-":
        raise OptionError("--json and an OUTPUT of - would both write to standard output; name a file")
    done = _converted_model(arguments)
    if done is None:
        done = _converted_corpus(arguments)
    if arguments.json:
        from seqlab.cli.terminal.printing import print_json

        print_json(done)
    else:
        print(f"seqlab: {done['text']}", file=sys.stderr)


# ------------------------------------------------------------------------------------------------ models


def _converted_model(arguments: argparse.Namespace) -> dict[str, Any] | None:
    """Convert a model, and say what was done; None when the input is no model of another tool."""
    from seqlab.cli.models import first_bytes, is_model
    from seqlab.cli.outputs import put_bytes

    if arguments.input == "-":
        return None
    if is_model(arguments.input):
        raise OptionError(f"{arguments.input} is a model of ours already; seqlab inspect shows what is in it")
    head = first_bytes(arguments.input, 16)
    kind = next((kind for magic, kind in MODELS.items() if head.startswith(magic)), None)
    if kind is None:
        return None
    tagger, target = _foreign(arguments), arguments.output
    if target == "-":
        put_bytes(tagger.as_bytes())
    else:
        tagger.save(target)
    text = f"{arguments.input}, a model of {kind}, written to {target}: {len(tagger.labels_)} labels"
    return {"kind": kind, "output": target, "labels": list(tagger.labels_), "text": text}


def _foreign(arguments: argparse.Namespace) -> Any:
    """Make a tagger of the model."""
    import seqlab
    from seqlab.cli.kinds import learner_class

    options: dict[str, Any] = {}
    if isinstance(arguments.columns, tuple):
        options["columns"] = arguments.columns
    if arguments.learner is not None:
        options["learner"] = learner_class(arguments.learner)()
    if arguments.encoding is not None:
        options["encoding"] = arguments.encoding
    return seqlab.convert_model(arguments.input, **options)


# ------------------------------------------------------------------------------------------------ corpora


def _converted_corpus(arguments: argparse.Namespace) -> dict[str, Any]:
    from seqlab.cli.corpora import read_corpora
    from seqlab.cli.terminal.printing import counted
    from seqlab.cli.terminal.signals import orderly
    from seqlab.corpus import write

    corpus = read_corpora([arguments.input], shared.reading_of(arguments))
    facts: dict[str, Any] = {"input": corpus.name, "output": arguments.output, "sentences": len(corpus)}
    notes = []
    if arguments.scheme is not None:
        corpus, note = _rewritten(corpus, arguments)
        notes.append(note)
    elif arguments.from_scheme or arguments.repair:
        raise OptionError("--from-scheme and --repair belong to --scheme, which names the scheme to write")
    written = corpus if arguments.select is None else _selected(corpus, arguments.select)
    with orderly():
        write(written, arguments.output, arguments.to)
    facts |= {"tokens": corpus.token_count, "columns": list(written.columns), "notes": notes}
    sizes = f"{counted(len(corpus), 'sentence')}, {counted(corpus.token_count, 'token')}"
    facts["text"] = "; ".join([f"{sizes} written to {arguments.output}", *notes])
    return facts


def _selected(corpus: Corpus, names: Any) -> Corpus:
    if not isinstance(names, tuple):
        raise OptionError("--select wants names, as word,upos; cells are picked by --columns when reading")
    return corpus.select(*names)


def _rewritten(corpus: Corpus, arguments: argparse.Namespace) -> tuple[Corpus, str]:
    """The corpus with its labels in another scheme."""
    from seqlab.cli.corpora import label_column
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

"""Pages of the public names: signatures and docstrings, a page for each room of the package."""

from __future__ import annotations

import html
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from known_types import argument_type, known_type
from pages import Heading, Page, table

import seqlab
from seqlab.families.linear.learners import LEARNERS

SKLEARN = re.compile(
    r"(set_\w+_request|get_metadata_routing|train)$"
)  # machinery of scikit-learn and of learners, nobody's question
TOPICS = {  # what a reader looks for together, although it lives in several folders
    "taggers": (
        *("CRF", "MEMM", "LinearTagger", "HMM", "LocalTagger", "MostFrequentTag", "Reranker", "MarkovChain"),
        *("MultinomialMixture", "GaussianMeans", "load", "convert_model"),
    ),
    "learners": (
        *(one.learner for one in LEARNERS.values()),
        *("BaumWelch", "HardEM", "Counting"),
    ),
    "emissions": (
        *("Categorical", "FeatureBag", "Gaussian", "GaussianMixture", "Poisson", "Streams"),
        *("Dirichlet", "SuffixModel"),
    ),
}
ORDER = (
    *(
        "taggers",
        "learners",
        "emissions",
        "corpus",
        "tags",
        "features",
        "evaluation",
        "tuning",
        "draw",
        "trellis",
    ),
    *("inference", "encode", "errors"),
)
GROUPS = {  # members of a class that has fit, by what one wants to do
    "Learn": ("fit", "partial_fit", "fit_batches", "select_states", "fit_predict"),
    "Label": (
        *(
            "tag",
            "predict",
            "predict_single",
            "annotate",
            "nbest",
            "sample",
            "generate",
            "filter",
            "stream",
            "next",
        ),
        "transform",
    ),
    "Ask for probabilities": (
        *(
            "posterior",
            "predict_proba",
            "predict_marginals",
            "predict_marginals_single",
            "log_prob",
            "log_joint",
        ),
        *("log_likelihood", "log_likelihoods", "log_partition", "score_samples", "trellis"),
    ),
    "Judge": ("evaluate", "score", "perplexity", "aic", "bic", "oracle"),
    "Inspect": (
        *("labels_", "explain", "top_features", "top_transitions", "state_features_", "transition_features_"),
        *(
            "top_symbols",
            "transition_matrix",
            "stationary",
            "with_weights",
            "history_",
            "restarts_",
            "model_",
        ),
    ),
    "Store": ("save", "as_bytes", "from_bytes", "prune", "pruned_", "from_tables", "from_arpa", "save_arpa"),
    "scikit-learn": ("get_params", "set_params", "classes_"),
}
INTRO = (
    "<p>Every public name, with its signature and docstring. Names without a room come from <code>seqlab</code>"
    " itself; the guide says how they are meant.</p>"
)


@dataclass
class Entry:
    """A public name and all its spellings."""

    thing: Any
    names: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The shortest spelling."""
        return min(self.names, key=len)


def name_pages() -> list[Page]:
    """One page for each room, and one that lists all names."""
    rooms = _rooms()
    order = [room for room in ORDER if room in rooms] + sorted(rooms.keys() - set(ORDER))
    pages = [_room_page(room, rooms[room]) for room in order]
    rows = "".join(
        f'<tr><td><a href="{room}.html#{entry.name}"><code>{entry.name}</code></a></td>'
        f"<td>{_linked(html.escape(_summary(entry.thing)))}</td></tr>\n"
        for room in order
        for entry in rooms[room]
    )
    body = f'<h1 id="names">API reference</h1>\n{INTRO}{table(rows)}'
    return [Page("api/index.html", "All names", body), *pages]


def public_names() -> Iterator[tuple[str, Any]]:
    """(dotted name, object) of everything that seqlab and the modules it shows declare public."""
    for name in seqlab.__all__:
        thing = getattr(seqlab, name)
        if not isinstance(thing, ModuleType):
            yield f"seqlab.{name}", thing
            continue
        yield f"seqlab.{name}", thing
        own = [key for key, one in vars(thing).items() if getattr(one, "__module__", "") == thing.__name__]
        for inner in getattr(thing, "__all__", [key for key in own if not key.startswith("_")]):
            yield f"seqlab.{name}.{inner}", getattr(thing, inner)


def _rooms() -> dict[str, list[Entry]]:
    found: dict[int, tuple[str, Entry]] = {}
    for name, thing in public_names():
        room = _room_of(name, thing)
        found.setdefault(id(thing), (room, Entry(thing)))[1].names.append(name)
    rooms: dict[str, list[Entry]] = {}
    for room, entry in found.values():
        rooms.setdefault(room, []).append(entry)
    for entries in rooms.values():
        entries.sort(key=_place)
    return rooms


def _place(entry: Entry) -> tuple[bool, int, int, str]:
    """Modules first, then in the order of TOPICS, then by name."""
    listed = [name for names in TOPICS.values() for name in names]
    short = entry.name.removeprefix("seqlab.")
    place = listed.index(short) if short in listed else len(listed)
    return not isinstance(entry.thing, ModuleType), entry.name.count("."), place, entry.name


def _room_of(name: str, thing: Any) -> str:
    for topic, names in TOPICS.items():
        if name.removeprefix("seqlab.") in names:
            return topic
    if name.count(".") == 2 or isinstance(thing, ModuleType):
        room = name.split(".")[1]
        return "features" if room == "presets" else room
    home = getattr(thing, "__module__", "") or ""
    parts = home.split(".")
    return parts[1] if parts[0] == "seqlab" and len(parts) > 1 else name.split(".")[1]


def _room_page(room: str, entries: list[Entry]) -> Page:
    headings = [Heading(1, f"seqlab: {room}", room)]
    parts = [f'<h1 id="{room}">{room}</h1>']
    for entry in entries:
        headings.append(Heading(2, entry.name, entry.name))
        parts.append(_section(entry))
    return Page(f"api/{room}.html", room, "\n".join(parts), tuple(headings))


def _section(entry: Entry) -> str:
    others = "".join(f'<span id="{name}"></span>' for name in entry.names if name != entry.name)
    also = ", ".join(f"<code>{name}</code>" for name in entry.names if name != entry.name)
    title = f'<h2 id="{entry.name}">{others}{entry.name}</h2>'
    said = f'<p class="also">also {also}</p>' if also else ""
    thing = entry.thing
    if isinstance(thing, ModuleType):
        return f"{title}\n{said}{_docstring(thing)}"
    if not callable(thing):
        return f"{title}\n{said}{_value(thing)}"
    short = entry.name.rpartition(".")[2]
    parts = [title, said, _signature(short, thing, short), _docstring(thing)]
    if inspect.isclass(thing):
        parts += [_options_of(thing), *_members(thing, entry.name)]
    return "\n".join(parts)


def _options_of(kind: type) -> str:
    """Options that are described at the class whose constructor this one has."""
    owner = next((base for base in kind.__mro__ if "__init__" in vars(base)), kind)
    if owner is kind or not hasattr(seqlab, owner.__name__):
        return ""
    name = f"seqlab.{owner.__name__}"
    return f'<p>The options are those of <a href="#{name}"><code>{owner.__name__}</code></a>:</p>{_docstring(owner)}'


def _members(kind: type, owner: str) -> Iterator[str]:
    if issubclass(kind, BaseException):
        return
    shown = {name: section for name in sorted(dir(kind)) if (section := _member(kind, name, owner))}
    if "fit" not in shown:
        yield from shown.values()
        return
    for group, names in GROUPS.items():
        found = [shown.pop(name) for name in names if name in shown]
        if found:
            yield f'<h3 class="group">{group}</h3>'
            yield from found
    if shown:
        yield '<h3 class="group">More</h3>'
        yield from shown.values()


def _member(kind: type, name: str, owner: str) -> str:
    if name.startswith("_") or SKLEARN.match(name):
        return ""
    thing = inspect.getattr_static(kind, name)
    if isinstance(thing, classmethod | staticmethod):
        thing = thing.__func__
    documented = (inspect.getdoc(getattr(kind, name)) or "").strip()
    if not documented or not (inspect.isfunction(thing) or isinstance(thing, property)):
        return ""
    if (
        not str(getattr(thing, "__module__", "seqlab")).startswith("seqlab")
        and name not in GROUPS["scikit-learn"]
    ):
        return ""  # of Python's own classes: every sequence has count and index
    plain = f'<pre class="signature">{name}</pre>'
    line = plain if isinstance(thing, property) else _signature(name, thing, kind.__name__)
    return f'<section class="member" id="{owner}.{name}">{line}{_docstring(getattr(kind, name))}</section>'


def _signature(name: str, thing: Any, owner: str = "") -> str:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return f'<pre class="signature">{name}(...)</pre>'
    names = getattr(thing.__init__ if inspect.isclass(thing) else thing, "__globals__", {})
    parts = [
        _argument(p, owner, names) for p in signature.parameters.values() if p.name not in {"self", "cls"}
    ]
    kinds = [p.kind for p in signature.parameters.values() if p.name not in {"self", "cls"}]
    first_named = next((i for i, kind in enumerate(kinds) if kind is inspect.Parameter.KEYWORD_ONLY), None)
    if first_named is not None and inspect.Parameter.VAR_POSITIONAL not in kinds:
        parts.insert(first_named, "*")
    gives = signature.return_annotation
    tail = (
        "" if gives in {inspect.Signature.empty, None, "None"} else f" -> {known_type(gives, owner, names)}"
    )
    line = f"{name}({', '.join(parts)}){tail}"
    if len(line) > 100:
        line = f"{name}(\n    " + ",\n    ".join(parts) + f",\n){tail}"
    return f'<pre class="signature">{html.escape(line)}</pre>'


def _argument(given: inspect.Parameter, owner: str, names: dict[str, Any]) -> str:
    mark = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(given.kind, "")
    text = mark + given.name
    if given.annotation is not inspect.Parameter.empty:
        text += f": {argument_type(given.name, given.annotation, owner, names)}"
    if given.default is not inspect.Parameter.empty:
        default = re.sub(r" at 0x[0-9a-f]+", "", repr(given.default))
        default = f"{type(given.default).__name__}()" if len(default) > 60 else default
        text += f" = {default}" if ":" in text else f"={default}"
    return text


def _value(thing: Any) -> str:
    shown = re.sub(r" at 0x[0-9a-f]+", "", str(thing) if len(str(thing)) < 4000 else repr(type(thing)))
    return f'<p class="also">{html.escape(type(thing).__name__)}</p><pre class="doc value">{html.escape(shown)}</pre>'


def _summary(thing: Any) -> str:
    if not callable(thing) and not isinstance(thing, ModuleType):
        return f"{type(thing).__name__}"
    return (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")


def _docstring(thing: Any) -> str:
    blocks = re.split(r"\n\s*\n", inspect.getdoc(thing) or "")
    return "".join(_block(block) for block in blocks if block.strip())


def _block(block: str) -> str:
    """Prose runs on; what is laid out in columns stays as it is."""
    rows = _named(textwrap.dedent(block).rstrip())
    if rows:
        cells = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{_linked(html.escape(said))}</td></tr>"
            for name, said in rows
        )
        return f'<div class="wide"><table class="named"><tbody>{cells}</tbody></table></div>'
    text = _linked(html.escape(textwrap.dedent(block).rstrip()))
    laid_out = block.startswith(" ") or re.search(r"\S {2,}\S|\n ", block)
    return f'<pre class="doc">{text}</pre>' if laid_out else f"<p>{text}</p>"


def _named(block: str) -> list[tuple[str, str]]:
    """Read two columns, `name   what it is`, with lines that go on; nothing if a block is laid out otherwise."""
    first = re.match(r"\S+(?: \S+){0,3} {2,}(?=\S)", block)
    return _columns(block, first.end()) if first else []


def _columns(block: str, at: int) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for line in block.splitlines():
        name, said = line[:at].strip(), line[at:].strip()
        if not said or line[at - 1] != " " or re.search(r"\S {3,}\S", said):
            return []
        if name:
            rows.append((name, said))
        else:
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {said}")
    return rows


def _linked(text: str) -> str:
    """Tags of equations lead to them."""
    return re.sub(r"\beq:([a-z0-9-]*[a-z0-9])", _link, text)


def _link(tag: re.Match[str]) -> str:
    page = _equation_pages().get(tag[1])
    return tag[0] if page is None else f'<a href="../equations/{page}.html#eq{tag[1]}">{tag[0]}</a>'


@cache
def _equation_pages() -> dict[str, str]:
    """Find the page of each tag."""
    pages = (Path(__file__).resolve().parents[2] / "docs" / "equations").glob("*.md")
    return {
        tag: page.stem
        for page in pages
        for tag in re.findall(r"^## eq:(\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    }

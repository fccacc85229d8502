"""Read requests: the JSON of a question about one sentence, one text, or a batch of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeGuard

from seqlab.serve.problems import Problem
from seqlab.serve.settings import Limits
from seqlab.text.document import UNITS

INPUTS = ("text", "tokens", "batch")
TOKEN = {str, list, dict}  # types of tokens in JSON
POSITION = re.compile(r"0|[1-9][0-9]{0,7}")
OPTIONS = {  # members that each question has beside model, layer, offsets, input, known and allowed
    "tag": ("spans", "probabilities"),
    "nbest": ("n",),
    "posterior": (),
    "explain": ("at", "label", "rival"),
    "sample": ("n", "seed"),
    "trellis": ("n",),
    "steps": (),
}


@dataclass(frozen=True, slots=True)
class Item:
    """One sentence or text of a request.

    tokens    words, lists of cells, or dicts of attributes; None for a text
    text      raw text; None for tokens
    known     {position: label}, of tokens
    allowed   {position: labels}
    """

    tokens: list[Any] | None
    text: str | None
    known: dict[int, str] | None = None
    allowed: dict[int, list[str]] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A request, checked.

    model     the name of the model, or None for the first
    items     its sentences and texts
    single    True if the request was not a batch, so that the answer is none
    options   those of the question
    """

    model: str | None
    items: list[Item]
    single: bool
    options: dict[str, Any] = field(default_factory=dict)


def parsed(body: bytes) -> dict[str, Any]:
    """Parse a JSON object."""
    try:
        found = json.loads(
            body.decode("utf-8-sig"),
            parse_constant=_no_number,
            object_pairs_hook=_members,
        )
    except UnicodeDecodeError as error:
        raise Problem(400, f"the body is not JSON: byte {error.start} is no UTF-8") from None
    except RecursionError:
        raise Problem(400, "the body is not JSON that can be read: it is nested too deeply") from None
    except (json.JSONDecodeError, _Refused) as error:
        raise Problem(400, f"the body is not JSON: {error}") from None
    except ValueError:  # Python's words for it are about Python
        raise Problem(400, "the body is not JSON that can be read: a number has too many digits") from None
    if not isinstance(found, dict):
        raise Problem(422, f"the body is to be a JSON object, got {_kind(found)}")
    return found


def question(given: Mapping[str, Any], asked: str, limits: Limits) -> Question:
    """Check the members of a request.

    given    the JSON object
    asked    the question: "tag", "nbest", ...
    limits   bounds of a request
    """
    options_of = ("layer", "offsets", *OPTIONS[asked])
    known = ("model", *INPUTS, "known", "allowed", *options_of)
    for name in given:
        if name not in known:
            raise Problem(422, f"there is no member {name!r}; there are: {', '.join(known)}", option=name)
    model = given.get("model")
    if "model" in given and not isinstance(model, str):
        _wrong("model", "a string", model)
    inputs = [name for name in INPUTS if name in given]
    if len(inputs) != 1:
        found = " and ".join(inputs) or "none of them"
        raise Problem(422, f"pass one of {', '.join(INPUTS)}; got {found}")
    options = {name: OPTION[name](given[name], limits) for name in options_of if name in given}
    if "batch" not in given:
        return Question(model, [_item(given, limits, None)], True, options)
    return Question(model, _batch(given, limits), False, options)


def _batch(given: Mapping[str, Any], limits: Limits) -> list[Item]:
    for name in ("known", "allowed"):
        if name in given:
            raise Problem(
                422, f"{name!r} belongs to the items of a batch, {{'tokens': [...], ...}}", option=name
            )
    batch = given["batch"]
    if not isinstance(batch, list):
        _wrong("batch", "a list of sentences", batch)
    if len(batch) > limits.batch:
        raise Problem(422, f"the batch has {len(batch)} sentences; at most {limits.batch} are allowed")
    return [_one(one, limits, i) for i, one in enumerate(batch)]


def _one(given: Any, limits: Limits, number: int) -> Item:
    """Read an item of a batch: a list of tokens, a text, or an object with one of them."""
    if isinstance(given, list):
        given = {"tokens": given}
    elif isinstance(given, str):
        given = {"text": given}
    elif not isinstance(given, dict):
        _wrong("batch", "lists of tokens, texts, or objects with one of them", given, sentence=number)
    for name in given:
        if name not in {"tokens", "text", "known", "allowed"}:
            raise Problem(422, f"an item of a batch has no member {name!r}", place={"sentence": number})
    if ("tokens" in given) == ("text" in given):
        raise Problem(422, "an item has either tokens or text", place={"sentence": number})
    return _item(given, limits, number)


def _item(given: Mapping[str, Any], limits: Limits, number: int | None) -> Item:
    place = {} if number is None else {"sentence": number}
    text, tokens = given.get("text"), given.get("tokens")
    if "text" in given:
        if not isinstance(text, str):
            _wrong("text", "a string", text, **place)
        if "known" in given or "allowed" in given:
            raise Problem(422, "'known' and 'allowed' name positions of tokens; pass tokens", place=place)
        return Item(None, text)
    if not isinstance(tokens, list):
        _wrong("tokens", "a list", tokens, **place)
    if len(tokens) > limits.tokens:
        raise Problem(
            422, f"a sentence of {len(tokens)} tokens; at most {limits.tokens} are allowed", place=place
        )
    if not set(map(type, tokens)) <= TOKEN:
        t, token = next((t, one) for t, one in enumerate(tokens) if type(one) not in TOKEN)
        _wrong("tokens", "strings, lists of cells, or objects", token, **place, position=t)
    return Item(tokens, None, _positions(given, "known", place), _positions(given, "allowed", place))


def _positions(given: Mapping[str, Any], name: str, place: dict[str, Any]) -> Any:
    """Read {"3": label} or {"3": [labels]}."""
    if name not in given:
        return None
    found = given[name]
    if not isinstance(found, dict):
        _wrong(name, 'an object of positions, such as {"0": ...}', found, **place)
    made: dict[int, Any] = {}
    for key, value in found.items():
        if not POSITION.fullmatch(key):
            raise Problem(422, f"{name} has the position {key!r}; a number from 0 is wanted", place=place)
        wanted = "a label" if name == "known" else "a list of labels"
        good = isinstance(value, str) if name == "known" else is_strings(value)
        if not good:
            _wrong(name, wanted, value, **place, position=int(key))
        made[int(key)] = value
    return made or None


def is_strings(value: Any) -> TypeGuard[list[str]]:
    """Tell whether a value is a list of strings."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def is_tokens(value: Any) -> bool:
    """Tell whether a value is a list of tokens: words, lists of cells, or objects."""
    return isinstance(value, list) and set(map(type, value)) <= TOKEN


def _flag(name: str) -> Any:
    def read(value: Any, _: Limits) -> bool:
        return value if isinstance(value, bool) else _wrong(name, "true or false", value)

    return read


def _string(name: str) -> Any:
    def read(value: Any, _: Limits) -> str:
        return value if isinstance(value, str) else _wrong(name, "a string", value)

    return read


def _count(name: str, least: int) -> Any:
    def read(value: Any, limits: Limits) -> int:
        most = limits.n if name == "n" else 2**32 - 1
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if not whole or isinstance(value, bool) or not least <= value <= most:
            _wrong(name, f"a whole number from {least} to {most}", value)
        return int(value)

    return read


def _offsets(value: Any, _: Limits) -> str:
    return (
        value if isinstance(value, str) and value in UNITS else _wrong("offsets", " or ".join(UNITS), value)
    )


OPTION = {
    "layer": _string("layer"),
    "offsets": _offsets,
    "spans": _flag("spans"),
    "probabilities": _flag("probabilities"),
    "n": _count("n", 1),
    "seed": _count("seed", 0),
    "at": _count("at", 0),
    "label": _string("label"),
    "rival": _string("rival"),
}


def _wrong(name: str, wanted: str, value: Any, **place: int) -> NoReturn:
    shown = json.dumps(value, default=str)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    more: dict[str, Any] = {"place": place} if place else {}
    raise Problem(422, f"{name} is to be {wanted}, got {_kind(value)}: {shown}", option=name, **more)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


class _Refused(ValueError):  # noqa: N818  as Problem
    """JSON for Python, but not for us."""


def _no_number(name: str) -> NoReturn:
    raise _Refused(f"{name} is no JSON number")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object. Of a member that comes twice, programs on the way may have read the other one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise _Refused(f"an object has the member {twice!r:.60} twice")
    return found

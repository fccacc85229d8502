"""Public names: those of seqlab.__all__, of the modules among them, and the public members of their classes."""

import functools
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import seqlab


def names() -> Iterator[tuple[str, Any]]:
    """(dotted name, object) of everything that seqlab and the modules it shows declare public, each object once."""
    seen: set[int] = set()
    for name in seqlab.__all__:
        thing = getattr(seqlab, name)
        inner = _inside(name, thing) if isinstance(thing, ModuleType) else [(name, thing)]
        for dotted, found in inner:
            if id(found) not in seen:
                seen.add(id(found))
                yield f"seqlab.{dotted}", found


def _inside(name: str, module: ModuleType) -> Iterator[tuple[str, Any]]:
    own = [key for key, one in vars(module).items() if getattr(one, "__module__", "") == module.__name__]
    for inner in getattr(module, "__all__", [key for key in own if not key.startswith("_")]):
        yield f"{name}.{inner}", getattr(module, inner)


def members(owner: type) -> Iterator[tuple[str, Any, Callable[..., Any]]]:
    """(name, member, its function) of public methods and properties of a class that seqlab wrote."""
    for name in dir(owner):
        member = inspect.getattr_static(owner, name)
        function = function_of(member)
        ours = getattr(function, "__module__", None) or ""
        if not name.startswith("_") and function is not None and ours.startswith("seqlab."):
            yield name, member, function


def function_of(member: Any) -> Any:
    """Return the function behind a method or property, None for anything else."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, functools.cached_property):
        return member.func
    member = getattr(member, "__func__", member)
    return member if inspect.isfunction(member) else None

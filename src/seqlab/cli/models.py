"""Model files as commands find them."""

from __future__ import annotations

from typing import Any

from seqlab.errors import OptionError


def load_tagger(path: str, *, chain: bool = False) -> Any:
    """Load the tagger in a model file; there are models that label nothing.

    chain   whether it must have scores of labels and moves: a re-ranker looks at whole labellings
    """
    from seqlab.families import load

    refuse_stream(path)
    model = load(path)
    if not hasattr(model, "annotate"):
        raise OptionError(f"{path} holds a {type(model).__name__}, which labels no sentences")
    if chain and not hasattr(model, "trellis"):
        raise OptionError(
            f"{path} holds a {type(model).__name__}, which has no scores of single labels; "
            f"save its generator_ and ask that"
        )
    return model


def refuse_stream(path: str) -> None:
    """Refuse standard input: models are mapped, which only files can be."""
    if path == "-":
        raise OptionError("a model is read from a file, not from standard input: save it, and name the file")


def is_model(path: str) -> bool:
    """Whether a file begins as a model file does: the length of a header, then JSON."""
    head = first_bytes(path, 9)
    return len(head) == 9 and head[8:] == b"{" and int.from_bytes(head[:8], "little") < 1 << 32


def first_bytes(path: str, count: int) -> bytes:
    """Read the beginning of a file; nothing where it cannot be read, which its reader will complain about."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(count)
    except OSError:
        return b""

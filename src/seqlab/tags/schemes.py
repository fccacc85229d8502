"""Tag schemes: their letters, and how each writes a span.

A scheme is defined by the roles of the first, the last and the only position of a span; every other position
has the role INSIDE. IOB1 and IOE1 give a special role only where two spans of one type touch. All else (what is
valid, how to read, how to repair) follows from that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from types import MappingProxyType

from seqlab.errors import OptionError, SchemeError


class Role(IntEnum):
    """Role of a position in a span; the numbers are used in arrays."""

    OUTSIDE = 0
    BEGIN = 1
    INSIDE = 2
    END = 3
    SINGLE = 4


NO_LETTER = "."

# Roles of letters under conlleval's rules, for any scheme.
ANY_LETTER = MappingProxyType(
    {
        "B": Role.BEGIN,
        "I": Role.INSIDE,
        "M": Role.INSIDE,
        "E": Role.END,
        "L": Role.END,
        "S": Role.SINGLE,
        "U": Role.SINGLE,
    }
)


@dataclass(frozen=True, slots=True, repr=False)
class Scheme:
    """Tag scheme by its name: a way to write spans as labels, one label for each position.

    letters                for BEGIN, INSIDE, END, SINGLE; "." where the scheme has none
    first, last, single    the roles of a span's first, last, and only position
    touching_first         the role of the first position when a span of the same type ends just before (IOB1)
    touching_last          the role of the last position when a span of the same type begins just after (IOE1)
    delimiter              stands between letter and type
    suffix                 PER-B instead of B-PER
    outside                the label of a position outside all spans
    """

    name: str
    letters: str
    first: Role
    last: Role
    single: Role
    touching_first: Role | None = None
    touching_last: Role | None = None
    delimiter: str = "-"
    suffix: bool = False
    outside: str = "O"

    def __post_init__(self) -> None:
        for name, value in (("delimiter", self.delimiter), ("outside", self.outside)):
            if not isinstance(value, str) or not value:
                raise OptionError(f"{name} must be a string of one character or more, got {value!r}")
        if not isinstance(self.suffix, bool):
            raise OptionError(f"suffix must be True (PER-B) or False (B-PER), got {self.suffix!r}")
        if self.outside in self.roles:
            raise OptionError(
                f"outside={self.outside!r} is a letter of {self.name}, so a lone {self.outside!r} would mean two things"
            )

    @staticmethod
    def of(
        name: str | Scheme,
        *,
        delimiter: str | None = None,
        suffix: bool | None = None,
        outside: str | None = None,
    ) -> Scheme:
        """Return the scheme of that name (see ALIASES) with this delimiter, suffix, outside; None keeps the default."""
        scheme = _named(name)
        return replace(
            scheme,
            delimiter=scheme.delimiter if delimiter is None else delimiter,
            suffix=scheme.suffix if suffix is None else suffix,
            outside=scheme.outside if outside is None else outside,
        )

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        usual = (
            ("delimiter", self.delimiter, "-"),
            ("suffix", self.suffix, False),
            ("outside", self.outside, "O"),
        )
        other = "".join(f", {name}={value!r}" for name, value, plain in usual if value != plain)
        return f"Scheme.of({self.name!r}{other})"

    @property
    def roles(self) -> dict[str, Role]:
        """Return {letter: role} for the letters of this scheme."""
        return {letter: Role(i + 1) for i, letter in enumerate(self.letters) if letter != NO_LETTER}

    @property
    def may_start(self) -> frozenset[Role]:
        """Roles with which a span may begin."""
        return frozenset(r for r in (self.first, self.single, self.touching_last) if r is not None)

    @property
    def may_end(self) -> frozenset[Role]:
        """Roles with which a span may end."""
        return frozenset(r for r in (self.last, self.single, self.touching_first) if r is not None)

    @property
    def keeps_touching(self) -> bool:
        """True when two touching spans of one type stay two. False for IO, where they become one."""
        return self.letters.replace(NO_LETTER, "") != self.letters[1]

    def spell(self, role: Role | int, kind: str = "") -> str:
        """Return the label with this role and type (kind); no type, no delimiter."""
        if role == Role.OUTSIDE:
            return self.outside
        letter = self.letters[role - 1]
        if not kind:
            return letter
        return f"{kind}{self.delimiter}{letter}" if self.suffix else f"{letter}{self.delimiter}{kind}"


_B, _I, _E, _S = Role.BEGIN, Role.INSIDE, Role.END, Role.SINGLE

IO = Scheme("IO", ".I..", _I, _I, _I)
IOB1 = Scheme("IOB1", "BI..", _I, _I, _I, touching_first=_B)
IOB2 = Scheme("IOB2", "BI..", _B, _I, _B)
IOE1 = Scheme("IOE1", ".IE.", _I, _I, _I, touching_last=_E)
IOE2 = Scheme("IOE2", ".IE.", _I, _E, _E)
IOBES = Scheme("IOBES", "BIES", _B, _E, _S)
BILOU = Scheme("BILOU", "BILU", _B, _E, _S)
BMES = Scheme("BMES", "BMES", _B, _E, _S)

SCHEMES = (IOB2, IOBES, BILOU, BMES, IO, IOB1, IOE2, IOE1)

# Names are looked up in upper case.
ALIASES = MappingProxyType(
    {
        **{scheme.name: scheme for scheme in SCHEMES},
        "BIO": IOB2,
        "BIO2": IOB2,
        "BIO1": IOB1,
        "BIOES": IOBES,
        "IOBSE": IOBES,
        "BILUO": BILOU,
        "BIOUL": BILOU,
        "BIOLU": BILOU,
        "BMESO": BMES,
        "BMEOS": BMES,
    }
)


def _named(name: str | Scheme) -> Scheme:
    if isinstance(name, Scheme):
        return name
    if not isinstance(name, str):
        raise SchemeError(f"a tag scheme is given by name or as a Scheme, got {name!r}")
    key = name.strip().upper()
    if key == "IOB":
        raise SchemeError(
            f"the tag scheme {name!r} may mean IOB1 (B only between touching spans of one type) or "
            f"IOB2 (every span begins with B, also called BIO); say which"
        )
    if key not in ALIASES:
        raise SchemeError(
            f"unknown tag scheme {name!r}; there are {', '.join(ALIASES)} (upper or lower case)"
        )
    return ALIASES[key]

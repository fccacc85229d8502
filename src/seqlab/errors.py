"""Exceptions: a message says what was given, what was expected, what to do; the place is data, formatted by str()."""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple, Self


class Place(NamedTuple):
    """Place of an error; None for an unknown part.

    sentence   its number in the corpus, list or batch, from 0
    position   the number of its token, from 0
    path       the file
    line       its line, from 1

    Wording:

    unit, item    words for a sentence and a position; "" for a position that the message itself contains
    of            the list that contains it, as in "sentence 3 of X"
    within        the containers, outermost first, as in "dev: column 'word': sentence 3"
    told          True if the message itself names file or sentence: only `within` is put before it
    """

    sentence: int | None = None
    position: int | None = None
    path: str | None = None
    line: int | None = None
    unit: str = "sentence"
    item: str = "position"
    of: str = ""
    within: tuple[str, ...] = ()
    told: bool = False

    def __str__(self) -> str:
        told = ("", *self.within, "") if self.told else (self._file(), *self.within, self._sentence())
        return ": ".join(filter(None, told))

    def _file(self) -> str:
        if self.line is None:
            return self.path or ""
        where = f"{self.path}:{self.line}" if self.path else f"line {self.line}"
        return f"{where} ({self._token()})" if self._token() else where

    def _sentence(self) -> str:
        if self.line is not None or (self.sentence is None and not self._token()):
            return ""
        sentence = "" if self.sentence is None else f"{self.unit} {self.sentence}"
        found = ", ".join(filter(None, (sentence, self._token())))
        return f"{found} of {self.of}" if self.of else found

    def _token(self) -> str:
        return "" if self.position is None or not self.item else f"{self.item} {self.position}"


class SeqlabError(Exception):
    """Base of every error that seqlab raises on purpose.

    message   what is wrong, without the place; a message that begins with a blank is appended to the place
    place     where it is wrong
    option    the argument that is at fault, where that is known

    path and line are those of a message that names them itself, as in "cannot read 'x'".
    """

    def __init__(
        self,
        message: str = "",
        *,
        place: Place | None = None,
        option: str | None = None,
        path: str | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.place = place or Place(path=path, line=line, told=path is not None)
        self.option = option

    def __str__(self) -> str:
        where = str(self.place)
        if not where:
            return self.message.lstrip()
        return f"{where}{self.message}" if self.message.startswith(" ") else f"{where}: {self.message}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling, as between processes, for any signature of the constructor."""
        return _revived, (type(self), self.message, self.place, self.option)

    def at(self, *, offset: int = 0, option: str | None = None, **changes: Any) -> Self:
        """Copy the error with another place: raise error.at(path=name) from error.__cause__.

        offset    added to the number of the sentence, where there is one
        option    the argument that is at fault
        changes   fields of Place
        """
        moved = copy(self)
        place = self.place
        if offset and place.sentence is not None:
            place = place._replace(sentence=place.sentence + offset, told=False)
        moved.place = place._replace(**changes)
        moved.option = option or self.option
        return moved.with_traceback(self.__traceback__)

    def inside(self, what: str, *, option: str | None = None) -> Self:
        """Copy the error with one more name, what or an option, before its place: "dev: sentence 3: ..."."""
        return self.at(option=option, within=(what, *self.place.within))

    @property
    def path(self) -> str | None:
        """Path of the invalid file."""
        return self.place.path

    @property
    def line(self) -> int | None:
        """Line of the file, from 1."""
        return self.place.line


def _revived(kind: type[SeqlabError], message: str, place: Place, option: str | None) -> SeqlabError:
    error = kind.__new__(kind, message)
    SeqlabError.__init__(error, message, place=place, option=option)
    return error


class ShapeError(SeqlabError, ValueError):
    """An array or list has the wrong shape or length."""


class DtypeError(SeqlabError, TypeError):
    """An array holds something that is not a score."""


class ScoreError(SeqlabError, ValueError):
    """A score is NaN, +inf, or so large that a path's sum would overflow."""


class LabelError(SeqlabError, ValueError):
    """A label is unknown, or a position does not exist."""


class OptionError(SeqlabError, ValueError):
    """An option has a value that makes no sense."""


class NotFittedError(SeqlabError, ValueError, AttributeError):
    """A model was used before it was fitted; derived like scikit-learn's error of that name."""


class QuestionError(SeqlabError, ValueError):
    """A question that makes no sense for this model, such as probabilities of a perceptron."""


class AbsentError(QuestionError, AttributeError):
    """A method that other models have and this one does not; hasattr returns False."""


class CorpusError(SeqlabError, ValueError):
    """A corpus file or a corpus in memory is invalid.

    path   the file, or None when the corpus did not come from one
    line   the line, counted from 1, or None
    """


class EmptyError(CorpusError):
    """A corpus file has no sentence."""


class CorpusWarning(UserWarning):
    """A corpus file was read, but part of it looks unusual (a byte-order mark, Windows line ends)."""


class EvaluationWarning(UserWarning):
    """An evaluation compares labels that have nothing in common."""


class TrainingWarning(UserWarning):
    """Training ended before convergence, or its data look unusual."""


class ConvergenceWarning(TrainingWarning):
    """Training reached its limit of iterations before it converged."""


class SchemeError(SeqlabError, ValueError):
    """A tag scheme is unknown, or labels do not follow it."""


class TemplateError(SeqlabError, ValueError):
    """A feature template cannot be read, or asks for something the data does not have."""


class StoreError(SeqlabError, ValueError):
    """A model cannot be stored, or a model file is invalid.

    path   the file, or None
    """


class FileError(SeqlabError, OSError):
    """A file cannot be written, as on a full disk; an OSError too, with its errno.

    path   the file
    """

    @classmethod
    def of(cls, cause: OSError, path: str) -> Self:
        """Make the error for a file.

        cause   the error of the system
        path    the file
        """
        made = cls(f"cannot write {path!r:.200}: {cause.strerror or cause}", path=path)
        made.errno, made.strerror, made.filename = cause.errno, cause.strerror, path
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling, with the errno."""
        told = {"errno": self.errno, "strerror": self.strerror, "filename": self.filename}
        return *super().__reduce__(), told


class ClusterError(SeqlabError, RuntimeError):
    """A cluster that cannot be reached, or loses its workers too often."""


class ImpossibleError(SeqlabError, ValueError):
    """No legal path: scores of -inf and constraints exclude every labelling.

    position   the first position that no legal path reaches
    sequence   its number in the batch, or None for a single trellis
    """

    def __init__(
        self,
        message: str = "",
        *,
        position: int | None = None,
        sequence: int | None = None,
        place: Place | None = None,
        option: str | None = None,
    ) -> None:
        told = Place(sequence, position, item="", told=sequence is not None)
        super().__init__(message, place=place or told, option=option)

    @property
    def position(self) -> int | None:
        """Position in the sequence."""
        return self.place.position

    @property
    def sequence(self) -> int | None:
        """Number of the sequence."""
        return self.place.sentence


class BeamError(ImpossibleError):
    """A legal path may exist, but the beam was too narrow to keep one alive."""

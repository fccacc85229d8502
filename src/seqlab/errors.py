"""What can go wrong, each with what came, what was wanted, where, and what to do."""

from __future__ import annotations


class SeqlabError(Exception):
    """Base of every error that seqlab raises on purpose."""


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
    """A model was asked before it had learned anything; derived like scikit-learn's error of that name."""


class QuestionError(SeqlabError, ValueError):
    """A question that has no meaning for this model: a perceptron knows no probabilities."""


class AbsentError(QuestionError, AttributeError):
    """A question that other models answer and this one has no answer for: for hasattr it is not there."""


class CorpusError(SeqlabError, ValueError):
    """A corpus file or a corpus in memory is not what it should be.

    path   the file, or None when the corpus did not come from one
    line   the line, counted from 1, or None
    """

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.line = line

    def __reduce__(self) -> tuple[object, ...]:
        return _revived_corpus_error, (type(self), str(self), self.path, self.line)


class CorpusWarning(UserWarning):
    """A corpus file was read, but something in it deserves a look (a byte-order mark, Windows line ends)."""


class TrainingWarning(UserWarning):
    """Training ended before it was done, or something about its data deserves a look."""


class SchemeError(SeqlabError, ValueError):
    """A tag scheme is unknown, or labels do not follow it."""


class TemplateError(SeqlabError, ValueError):
    """A feature template cannot be read, or asks for something the data does not have."""


class StoreError(SeqlabError, ValueError):
    """A model cannot be stored, or a model file is not what it should be.

    path   the file, or None
    """

    def __init__(self, message: str, *, path: str | None = None) -> None:
        super().__init__(message)
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return _revived_store_error, (type(self), str(self), self.path)


class ImpossibleError(SeqlabError, ValueError):
    """No legal path: scores of -inf and constraints leave nothing.

    position   the first position that no legal path reaches
    sequence   its number in the batch, or None for a single trellis
    """

    def __init__(self, message: str, *, position: int, sequence: int | None = None) -> None:
        super().__init__(message)
        self.position = position
        self.sequence = sequence

    def __reduce__(self) -> tuple[object, ...]:
        return _revived, (type(self), str(self), self.position, self.sequence)


class BeamError(ImpossibleError):
    """A legal path may exist, but the beam was too narrow to keep one alive."""


def _revived(
    kind: type[ImpossibleError], message: str, position: int, sequence: int | None
) -> ImpossibleError:
    """What unpickling calls: errors must survive the way back from another process."""
    return kind(message, position=position, sequence=sequence)


def _revived_corpus_error(
    kind: type[CorpusError], message: str, path: str | None, line: int | None
) -> CorpusError:
    return kind(message, path=path, line=line)


def _revived_store_error(kind: type[StoreError], message: str, path: str | None) -> StoreError:
    return kind(message, path=path)

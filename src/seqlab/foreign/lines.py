"""The lines of a text file, in parts that an empty line ends."""

from __future__ import annotations

from seqlab.errors import StoreError


class Lines:
    """Lines of a file that are read from first to last.

    number   of the next line, counted from 1
    """

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self.number = 1

    @staticmethod
    def of(content: bytes, encoding: str) -> Lines:
        """Of a file with Unix or Windows line ends."""
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise StoreError(
                f"this is not {encoding}; pass the encoding of the training data, as in encoding='latin-1'",
                line=line,
            ) from error
        return Lines([line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")])

    def block(self, what: str) -> list[str]:
        """The lines up to the next empty one, which is passed over."""
        begin = self.number - 1
        try:
            end = self._lines.index("", begin)
        except ValueError:
            raise StoreError(
                f"the file is cut short in {what}: an empty line should end them",
                line=len(self._lines),
            ) from None
        self.number = end + 2
        return self._lines[begin:end]

    def rest(self) -> list[str]:
        """All lines that are left."""
        left = self._lines[self.number - 1 :]
        self.number = len(self._lines) + 1
        return left

"""Where things are."""

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "seqlab"
CPP = ROOT / "cpp"
CPP_SUFFIXES = (".cpp", ".hpp", ".h", ".inc")


def files(folder: Path, *suffixes: str) -> Iterator[Path]:
    """Files under folder with one of the suffixes, in a fixed order, without caches."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in suffixes and "__pycache__" not in path.parts and path.is_file():
            yield path


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")

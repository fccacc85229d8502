"""Mutants of C++: all of a sample are compiled into one module, each behind a switch that SEQLAB_MUTANT turns.

Sites are found in the text, which clang-format has given one shape: binary operators have a space on both sides. Every
change is an insertion that does nothing while its switch is off, so hundreds of them live in one build. One that does
not compile (a constant of a template, a string that is added to) is taken out again.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from mutant import Mutant

ROOT = Path(__file__).resolve().parents[2]
FILES = ("inference/**/*.?pp", "linear/likelihood/*.?pp", "hmm/em/*.?pp", "kernels/sentence/*.hpp")
COMMENT = re.compile(r"//.*$")
LEFT_ALONE = re.compile(
    r"^\s*(#|template|using|static_assert|namespace|case|inline constexpr|constexpr|static constexpr)"
)
INSERTED = {
    "sign": (re.compile(r" (?:\+|-|\+=|-=) (?=[\w(*])"), "mutants::sign({}) * "),
    "scale": (re.compile(r" \* (?=[\w(])"), "mutants::scale({}) * "),
    "off by one": (re.compile(r" (?:<|<=|>|>=|==|!=) (?=[\w(])"), "mutants::shift({}) + "),
}
HALVED = re.compile(r" (?=/ [\w(])")
LITERAL = re.compile(r"(?<![\w.{<\"])\d+(?:\.\d+)?(?![\w.>\"])")
CONDITION = re.compile(r"\b(?:if|while) \(")
CHOICE = re.compile(r" (?=\? )")
EXTREME = re.compile(r"\bstd::(max|min)\(")
PLACE = r"[A-Za-z_]\w*(?:(?:\.|->|::)\w+|\[[^\]]*\]|\(\))*"
STATEMENT = re.compile(rf"^(\s*)(?={PLACE} [-+*/|&]?= .*;$|{PLACE}\(.*\);$|(?:continue|break);$)")
KEYWORD = re.compile(r"^\s*(?:return|else|delete|throw|co_\w+)\b")
ERROR = re.compile(r"^(?:\S*/)?cpp/(\S+?):(\d+):(\d+): error", re.MULTILINE)


def find() -> list[Mutant]:
    """List every place of the rooms that could be otherwise."""
    found: list[Mutant] = []
    for pattern in FILES:
        for path in sorted((ROOT / "cpp").glob(pattern)):
            if path.suffix in {".cpp", ".hpp"}:
                name = str(path.relative_to(ROOT))
                for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                    found += [
                        Mutant(name, number, column, kind, line.strip()) for column, kind in sites(line)
                    ]
    return found


def sites(line: str) -> Iterator[tuple[int, str]]:
    """Yield (column, kind of change) for one line."""
    code = COMMENT.sub("", line)
    if LEFT_ALONE.match(code) or "constexpr" in code or '"' in code:
        return
    for kind, (pattern, _) in INSERTED.items():
        yield from ((match.end(), kind) for match in pattern.finditer(code))
    yield from ((match.end(), "half") for match in HALVED.finditer(code))
    yield from ((match.start(), "constant") for match in LITERAL.finditer(code))
    yield from (
        (match.end(), "condition") for match in CONDITION.finditer(code) if closing(code, match.end())
    )
    yield from ((match.end(), "choice") for match in CHOICE.finditer(code))
    yield from ((match.start(), match[1]) for match in EXTREME.finditer(code))
    if (match := STATEMENT.match(code)) and not KEYWORD.match(code) and code.count("(") == code.count(")"):
        yield match.end(), "dropped"


def closing(code: str, start: int) -> int | None:
    """Find the bracket that closes the one before `start`; None if it is on another line or declares something."""
    depth = 1
    for i in range(start, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if depth == 0:
            return None if ";" in code[start:i] or re.match(r"(?:const |auto )", code[start:i]) else i
    return None


def insertions(mutant: Mutant, line: str, number: int) -> list[tuple[int, int, str]]:
    """Return (column, length of what is replaced, text)."""
    at = mutant.column
    if mutant.kind in INSERTED:
        return [(at, 0, INSERTED[mutant.kind][1].format(number))]
    if mutant.kind == "half":
        return [(at, 0, f"* mutants::scale({number}) ")]
    if mutant.kind == "constant":
        literal = LITERAL.match(line, at)
        return [(at, 0, f"mutants::one_more({number}, "), (at + len(literal[0]), 0, ")")]  # type: ignore[index]
    if mutant.kind == "condition":
        return [(at, 0, f"mutants::flip({number}, "), (closing(COMMENT.sub("", line), at) or at, 0, ")")]
    if mutant.kind == "choice":
        return [(at, 0, f"!= mutants::on({number}) ")]
    if mutant.kind in {"max", "min"}:
        name = {"max": "most", "min": "least"}[mutant.kind]
        return [(at, len("std::max("), f"mutants::{name}({number}, ")]
    return [(at, 0, f"if (!mutants::on({number})) ")]


def build(sample: list[Mutant], place: Path, site: Path) -> dict[int, Mutant]:
    """Compile a sample into one module in `site`; return the mutants that compile, by their numbers."""
    unfit = place / "unfit.txt"  # those that did not compile, so that the next build does not try them
    known = set(unfit.read_text(encoding="utf-8").splitlines()) if unfit.exists() else set()
    numbered = {number: one for number, one in enumerate(sample, 1) if str(one) not in known}
    while True:
        columns = write(numbered, place)
        done = compiled(place)
        if done.returncode == 0:
            break
        bad = {blamed(columns, *error) for error in ERROR.findall(done.stdout + done.stderr)} - {None}
        if not bad:
            sys.exit(
                f"mutate: the build failed, and no mutant is to blame\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
            )
        known |= {str(numbered.pop(number)) for number in bad if number is not None}
        unfit.write_text("\n".join(sorted(known)) + "\n", encoding="utf-8")
        print(f"{len(bad)} mutants do not compile; {len(numbered)} are left", flush=True)
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(
        ROOT / "src" / "seqlab", site / "seqlab", ignore=shutil.ignore_patterns("_core.*.so", "__pycache__")
    )
    (module,) = (place / "build").glob("_core*.so")
    shutil.copy(module, site / "seqlab")
    return numbered


def write(numbered: dict[int, Mutant], place: Path) -> dict[tuple[str, int], list[tuple[int, int]]]:
    """Write the sources with their switches; return [(column, number)] for every line that has some."""
    place.mkdir(parents=True, exist_ok=True)
    if not (place / "tests").exists():
        (place / "tests").symlink_to(ROOT / "tests")
    narrow, wide = "add_kernels(baseline 16)", "add_kernels(baseline 32)"
    recipe = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    assert narrow in recipe
    renew(place / "CMakeLists.txt", recipe.replace(narrow, wide))
    by_line: dict[tuple[str, int], list[int]] = {}
    for number, mutant in numbered.items():
        by_line.setdefault((mutant.path, mutant.line), []).append(number)
    columns: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for path in sorted(ROOT.glob("cpp/**/*")):
        name = str(path.relative_to(ROOT))
        if path.is_dir():
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        for at in range(len(lines)):
            if (name, at + 1) in by_line:
                lines[at], columns[name, at + 1] = changed(lines[at], by_line[name, at + 1], numbered)
        content = "\n".join(lines) + "\n"
        renew(place / name, content)
    return columns


def renew(target: Path, content: str) -> None:
    """Write a file, unless it is so already: what depends on it would be compiled again."""
    if not target.exists() or target.read_text(encoding="utf-8") != content:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")


def changed(line: str, numbers: list[int], numbered: dict[int, Mutant]) -> tuple[str, list[tuple[int, int]]]:
    """Insert the switches of one line, and tell the column at which each came to stand."""
    edits = sorted(
        (column, length, text, number)
        for number in numbers
        for column, length, text in insertions(numbered[number], line, number)
    )
    made, last, columns = "", 0, []
    for column, length, text, number in edits:
        made += line[last:column]
        columns.append((len(made), number))
        made, last = made + text, column + length
    return made + line[last:], columns


def compiled(place: Path) -> subprocess.CompletedProcess[str]:
    """Configure and compile with little optimisation and checks of the standard library.

    One set of kernels without instructions of its own, but with vectors of 32 bytes: narrower ones leave out routines.
    """
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    flags = f"-O1 -D_GLIBCXX_ASSERTIONS -w -fmax-errors=0 -include {ROOT / 'tools/mutation/mutants.hpp'}"
    configure = ["cmake", "-S", place, "-B", place / "build", "-G", "Ninja", "--log-level=WARNING"]
    configure += ["-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_CXX_FLAGS_DEBUG={flags}", "-DSEQLAB_X86_KERNELS=OFF"]
    configure += [f"-DPython_EXECUTABLE={sys.executable}"]
    subprocess.run(list(map(str, configure)), env=environment, check=True, stdout=subprocess.DEVNULL)
    command = ["cmake", "--build", str(place / "build"), "--", "-k", "0"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def blamed(
    columns: dict[tuple[str, int], list[tuple[int, int]]], path: str, line: str, column: str
) -> int | None:
    """Find the mutant of this line that stands nearest to an error."""
    near = columns.get((f"cpp/{path}", int(line)), [])
    return min(near, key=lambda one: abs(one[0] - int(column)))[1] if near else None

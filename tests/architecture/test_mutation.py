"""The tool of `make mutate`: it finds places, its switches do nothing while they are off, tests kill mutants."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

import seqlab
from architecture.tree import ROOT
from seqlab import tags

sys.path.insert(0, str(ROOT / "tools" / "mutation"))
try:
    import cpp
    import python
    from mutant import Mutant
    from reach import Functions
finally:
    sys.path.pop(0)


def kinds(line):
    return [(kind, line[column:]) for column, kind in cpp.sites(line)]


def test_places_of_a_line_are_found():
    assert kinds("    if (a < b) c[i + 1] = d;") == [
        ("sign", "1] = d;"),
        ("off by one", "b) c[i + 1] = d;"),
        ("constant", "1] = d;"),
        ("condition", "a < b) c[i + 1] = d;"),
    ]
    assert ("dropped", "total += x;") in kinds("    total += x;")
    assert [kind for kind, _ in kinds("    const double top = std::max(x, y), half = x / 2;")] == [
        "half",
        "constant",
        "max",
    ]


@pytest.mark.parametrize(
    "line", ["template <class F>", "constexpr int n = 1 + 2;", "// a + b", "    double x;"]
)
def test_lines_that_do_nothing_when_the_program_runs_have_none(line):
    assert kinds(line) == []


def test_all_switches_of_a_line_stand_together():
    line = "    if (a < b) c = std::max(x, 2.0 * y);"
    numbered = {
        number: Mutant("cpp/a.cpp", 1, column, kind, line.strip())
        for number, (column, kind) in enumerate(cpp.sites(line), 1)
    }
    made, _ = cpp.changed(line, list(numbered), numbered)
    assert made == (
        "    if (mutants::flip(4, a < mutants::shift(2) + b)) "
        "c = mutants::most(5, x, mutants::one_more(3, 2.0) * mutants::scale(1) * y);"
    )


def test_changes_of_python_are_made():
    found = [one for one in python.find() if one.path.endswith("tags/coding.py")]
    assert {"comparison", "operator", "constant"} <= {one.kind for one in found}
    loader = python.Mutated(found[0])
    assert loader.name == "seqlab.tags.coding"
    assert loader.find_spec("seqlab.tags.schemes", None) is None


def test_a_test_passes_the_mutants_of_the_functions_that_it_calls():
    lines = (ROOT / "src/seqlab/tags/coding.py").read_text().splitlines()
    inside, elsewhere, outside = (
        next(number for number, line in enumerate(lines, 1) if line.startswith(text)) + below
        for text, below in (("def coded(", 3), ("def form(", 3), ("NO_TYPE =", 0))
    )
    sample = {
        number: Mutant("src/seqlab/tags/coding.py", line, 0, "constant", "")
        for number, line in enumerate((inside, elsewhere, outside), 1)
    }
    before = sys.gettrace(), threading.gettrace()
    try:
        places = Functions(sample, Path(seqlab.__file__).parents[1])
        tags.spans(["B-X"], "IOB2")
        assert places.take() == {1, 3}
        assert places.take() == {3}
    finally:
        sys.settrace(before[0])
        threading.settrace(before[1])


def test_some_mutants_are_killed():
    command = [sys.executable, "tools/mutation", "--cpp", "0", "--python", "4", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Python: 4 of 4 killed" in done.stdout

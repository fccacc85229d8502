import pytest

from architecture.cpp_rooms import choices_of_instructions, violations
from architecture.tree import CPP, CPP_SUFFIXES, files, text

KNOWN = frozenset(
    {"kernels/kernels.hpp", "base/exp.hpp", "base/pool.hpp", "trellis/trellis.hpp", "inference/forward.hpp"}
)


def test_folders_include_downwards_only():
    paths = list(files(CPP, *CPP_SUFFIXES))
    assert paths
    known = frozenset(path.relative_to(CPP).as_posix() for path in paths)
    found = [
        sentence
        for path in paths
        for sentence in violations(text(path), path.relative_to(CPP).as_posix(), known)
    ]
    assert found == []


def test_instruction_sets_are_chosen_in_one_place():
    paths = files(CPP, *CPP_SUFFIXES)
    assert [
        sentence
        for path in paths
        for sentence in choices_of_instructions(text(path), path.relative_to(CPP).as_posix())
    ] == []


@pytest.mark.parametrize(
    "source",
    ['__attribute__((target("avx2,fma"))) void f();', "target_clones", 'if (__builtin_cpu_supports("fma"))'],
)
def test_second_choice_of_instructions_is_noticed(source):
    assert len(choices_of_instructions(source, "optimise/passes.cpp")) == 1
    assert choices_of_instructions(source, "kernels/dispatch.cpp") == []
    assert (
        choices_of_instructions("const CountTarget own = counts.target(targets[0]);", "inference/a.cpp") == []
    )


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("base/log.hpp", "#include <nanobind/nanobind.h>"),
        ("inference/forward.cpp", "  #  include <Python.h>"),
        ("inference/forward.cpp", '#include "Python.h"'),
        ("base/log.hpp", '#include "trellis/trellis.hpp"'),
        ("base/log.hpp", '#include "../trellis/trellis.hpp"'),
        ("trellis/trellis.cpp", '#include "kernels/kernels.hpp"'),
        ("trellis/trellis.cpp", '#include "inference/forward.hpp"'),
        ("trellis/trellis.cpp", '#include "trellis/missing.hpp"'),
        ("unheard/of.cpp", ""),
    ],
)
def test_include_rule_refuses(path, source):
    assert len(violations(source, path, KNOWN)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("bind/module.cpp", '#include <nanobind/nanobind.h>\n#include "inference/forward.hpp"'),
        ("inference/forward.cpp", '#include <vector>\n#include "forward.hpp"\n#include "base/exp.hpp"'),
        ("inference/nbest/nbest.cpp", '#include "inference/forward.hpp"\n#include "../forward.hpp"'),
        ("trellis/trellis.cpp", '// #include "inference/forward.hpp"'),
    ],
)
def test_include_rule_permits(path, source):
    assert violations(source, path, KNOWN) == []

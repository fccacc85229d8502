import importlib.metadata
import re

import seqlab
from architecture.tree import ROOT, text

UNSAFE = re.compile(r"-ffast-math|-Ofast|-funsafe-math|-ffinite-math|-fassociative-math|-freciprocal-math")


def quoted(source):
    return re.findall(r'"([^"]+)"', source)


def unsafe_flags(source):
    """Flags that break exp, infinities or denormals, outside of comments."""
    return UNSAFE.findall(re.sub(r"#.*", "", source))


def test_no_build_file_loosens_arithmetic():
    names = ("CMakeLists.txt", "CMakePresets.json", "Makefile", "pyproject.toml")
    assert {name: flags for name in names if (flags := unsafe_flags(text(ROOT / name)))} == {}


def test_unsafe_flags_are_noticed():
    assert unsafe_flags('set(CMAKE_CXX_FLAGS_RELEASE "-O3 -ffast-math")') == ["-ffast-math"]
    assert unsafe_flags("# never -ffast-math") == []


def test_makefile_builds_with_the_versions_of_pyproject():
    requires = re.search(r"^requires = \[(.*)\]$", text(ROOT / "pyproject.toml"), re.MULTILINE)
    variable = re.search(r"^BUILD_REQUIRES := (.*)$", text(ROOT / "Makefile"), re.MULTILINE)
    assert requires is not None
    assert variable is not None
    assert quoted(requires[1]) == quoted(variable[1])


def test_package_and_module_name_the_same_version():
    assert seqlab.__version__ == importlib.metadata.version("seqlab")

import importlib.metadata
import re
import sys
import tomllib

import pytest

import seqlab
from architecture.tree import ROOT, text

UNSAFE = re.compile(r"-ffast-math|-Ofast|-funsafe-math|-ffinite-math|-fassociative-math|-freciprocal-math")


PROJECT = tomllib.loads(text(ROOT / "pyproject.toml"))
WORKFLOWS = {path.stem: text(path) for path in (ROOT / ".github" / "workflows").glob("*.yml")}


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


def test_citation_names_the_project_as_pyproject_does():
    citation = dict(re.findall(r"^([a-z]+): \"?(.*?)\"?$", text(ROOT / "CITATION.cff"), re.MULTILINE))
    project = PROJECT["project"]
    assert citation["version"] == project["version"]
    assert citation["license"] == project["license"]
    assert citation["url"] == project["urls"]["Homepage"]
    assert citation["title"].startswith(project["name"])
    assert re.findall(r"^  - name: (.*)$", text(ROOT / "CITATION.cff"), re.MULTILINE) == [
        author["name"] for author in project["authors"]
    ]


def test_oldest_python_is_the_same_everywhere():
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    plain = oldest.replace(".", "")
    assert f"Python {oldest} or newer" in text(ROOT / "Makefile")
    assert f"find_package(Python {oldest} " in text(ROOT / "CMakeLists.txt")
    assert f"install Python {oldest} or newer" in text(ROOT / "tools" / "preflight.sh")
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{plain}"
    assert PROJECT["tool"]["mypy"]["python_version"] == oldest
    assert f'"{oldest}"' in WORKFLOWS["ci"]
    assert PROJECT["tool"]["cibuildwheel"]["build"].split()[0] == f"cp{plain}-*"
    versions = [name for name in PROJECT["project"]["classifiers"] if re.search(r"Python :: 3\.\d+$", name)]
    assert versions[0].endswith(f":: {oldest}")


def test_workflows_call_what_runs_here():
    assert sorted(WORKFLOWS) == ["ci", "wheels"]
    assert "- run: .ci/run\n" in WORKFLOWS["ci"]
    assert "cibuildwheel --output-dir" in WORKFLOWS["wheels"]
    for name, workflow in WORKFLOWS.items():
        systems = re.search(r"os: \[(.*)\]", workflow)
        assert systems is not None, name
        assert [system.split("-")[0] for system in systems[1].split(", ")] == ["ubuntu", "ubuntu", "macos"], (
            name
        )
        assert "-arm" in systems[1], name
        assert "permissions:\n  contents: read\n" in workflow, name
    assert "make lint\nmake test\n" in text(ROOT / ".ci" / "run")


def test_wheels_are_for_the_stable_abi_that_the_module_is_compiled_for():
    asked = PROJECT["tool"]["cibuildwheel"]["config-settings"]["wheel.py-api"]
    script = text(ROOT / "tools" / "wheels.py")
    assert f"wheel.py-api={asked}" in script
    assert f"STABLE = ({asked[2]}, {asked[3:]})" in script
    assert PROJECT["tool"]["cibuildwheel"]["build"].split()[1] == f"{asked}-*"
    assert "tools/try_wheel.py" in PROJECT["tool"]["cibuildwheel"]["test-command"]
    assert re.search(r"nanobind_add_module\(_core [^)]*STABLE_ABI", text(ROOT / "CMakeLists.txt"))
    # Free threading is declared when it was shown to hold, not before (docs/decisions/0019-wheels.md).
    assert "FREE_THREADED" not in text(ROOT / "CMakeLists.txt")


def test_every_target_is_explained_by_make():
    makefile = text(ROOT / "Makefile")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony is not None
    explained = re.findall(r'^\t@echo "make (\w+)', makefile, re.MULTILINE)
    assert sorted(explained) == sorted(set(phony[1].split()) - {"help", "preflight"})


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "SECURITY.md"])
def test_pages_of_the_project_point_to_what_is_there(page):
    targets = re.findall(r"\]\(([^)#]+)\)", text(ROOT / page))
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def progress_of(line):
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import install
    finally:
        sys.path.pop(0)
    step = install.STEP.search(line)
    return step and (step[1], step[2])


def test_progress_is_read_from_what_ninja_prints():
    line = "  [12/32] Building CXX object CMakeFiles/kernels_avx2.dir/cpp/kernels/rows/table.cpp.o\n"
    assert progress_of(line) == ("12/32", "kernels_avx2.dir/cpp/kernels/rows/table.cpp.o")
    assert progress_of("[32/32] Linking CXX shared module _core.abi3.so") == ("32/32", "_core.abi3.so")
    assert progress_of("  Installing build dependencies: started") is None

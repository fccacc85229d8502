"""Locks: every package that CI installs has one version and its hashes, and fits what pyproject.toml asks for."""

from __future__ import annotations

import re
import tomllib

import pytest

from architecture.tree import ROOT, text

PROJECT = tomllib.loads(text(ROOT / "pyproject.toml"))
LOCKS = {path.name: text(path) for path in (ROOT / "requirements").glob("*.lock")}


def versions(name: str) -> dict[str, list[str]]:
    """Versions by name; there may be several, for different versions of Python."""
    found: dict[str, list[str]] = {}
    for package, version in re.findall(r"^([\w.-]+)==(\S+)", LOCKS[name], re.MULTILINE):
        found.setdefault(package, []).append(version)
    return found


@pytest.mark.parametrize("name", ["build.lock", "ci.lock"])
def test_every_line_has_a_version_and_hashes(name: str) -> None:
    entries = re.split(r"(?<!\\)\n", LOCKS[name].strip())
    assert len(entries) > 4
    pinned = re.compile(r"[a-z0-9.-]+==\S+( ; [^\\]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+")
    assert [entry[:60] for entry in entries if not pinned.fullmatch(entry)] == []


def test_no_lock_names_an_address() -> None:
    assert [name for name, content in LOCKS.items() if "://" in content or "index-url" in content] == []


def test_the_tools_of_the_build_are_those_of_the_makefile() -> None:
    asked = re.findall(
        r'"([^"]+)"', re.search(r"BUILD_REQUIRES := (.*)\nBUILD_TOOLS +:= (.*)\n", text(ROOT / "Makefile"))[0]
    )
    written = [
        line for line in text(ROOT / "requirements" / "build.in").splitlines() if not line.startswith("#")
    ]
    assert written == asked
    for package, found in versions("build.lock").items():
        assert versions("ci.lock")[package] == found


def test_the_lock_of_ci_fits_pyproject() -> None:
    requirements = pytest.importorskip("packaging.requirements")
    project, pinned = PROJECT["project"], versions("ci.lock")
    extras = project["optional-dependencies"]
    wanted = [
        *PROJECT["build-system"]["requires"],
        *project["dependencies"],
        *extras["test"],
        *extras["lint"],
    ]
    for line in wanted:
        asked = requirements.Requirement(line)
        if asked.name == "seqlab":
            wanted += [one for extra in sorted(asked.extras) for one in extras[extra]]
            continue
        for version in pinned[asked.name]:
            assert asked.specifier.contains(version), f"{line} but the lock has {version}: run make lock"


def test_ci_and_wheels_install_by_hash() -> None:
    assert "$(if $(filter true,$(CI)),--require-hashes -r requirements/ci.lock," in text(ROOT / "Makefile")
    assert "export CI=true" in text(ROOT / ".ci" / "run")
    script = text(ROOT / "tools" / "wheels.py")
    assert '"--require-hashes", "-r", ROOT / "requirements" / "build.lock"' in script
    assert '"--no-build-isolation"' in script

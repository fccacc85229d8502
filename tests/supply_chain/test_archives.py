"""What is shipped: the same bytes from the same sources, and a list of what is in it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import seqlab
from architecture.tree import ROOT, text


def tool(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_sdist_has_the_same_bits_twice() -> None:
    pytest.importorskip("scikit_build_core")
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "reproduce.py", "--sdist"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"same bits twice: seqlab-\S+\.tar\.gz  sha256 [0-9a-f]{64}\n", done.stdout)


def test_a_difference_is_noticed(tmp_path: Path) -> None:
    one, two = tmp_path / "a.tar.gz", tmp_path / "b.tar.gz"
    one.write_bytes(b"1")
    two.write_bytes(b"2")
    with pytest.raises(SystemExit, match="differs between two builds"):
        tool("reproduce").compare(one, two)


def test_compiled_code_knows_no_time_and_no_folder() -> None:
    dated = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "cpp").rglob("*.[chi]*p*")
        if re.search(r"\b__(DATE|TIME|TIMESTAMP)__\b", text(path))
    ]
    assert dated == []
    assert "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=." in text(ROOT / "CMakeLists.txt")
    assert "wheel.reproducible = true" in text(ROOT / "pyproject.toml")


def test_the_bill_of_materials_names_every_part() -> None:
    pytest.importorskip("nanobind")
    made = tool("sbom").document()
    whole = made["metadata"]["component"]
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    assert (whole["name"], whole["version"]) == ("seqlab", seqlab.__version__)
    parts = {one["name"]: one for one in whole["components"]}
    assert parts["nanobind"]["version"] == importlib.metadata.version("nanobind")
    assert parts["nanobind"]["licenses"] == [{"license": {"id": "BSD-3-Clause"}}]
    assert re.fullmatch(r"\d+\.\d+\.\d+", parts["tessil/robin-map"]["version"])
    assert parts["unicode-character-database"]["licenses"] == [{"license": {"id": "Unicode-3.0"}}]
    assert [one["name"] for one in made["components"]] == ["numpy", "rich"]
    known = {one["bom-ref"] for one in [whole, *whole["components"], *made["components"]]}
    told = {ref for one in made["dependencies"] for ref in [one["ref"], *one["dependsOn"]]}
    assert told == known
    assert "timestamp" not in json.dumps(made)


def test_the_installed_package_has_its_bill_of_materials() -> None:
    package = importlib.metadata.distribution("seqlab")
    if Path(str(package.locate_file("seqlab/__init__.py"))) != Path(seqlab.__file__):
        pytest.skip("seqlab runs from a source tree, not from a wheel")
    (path,) = [one for one in package.files or () if one.match("seqlab-*.dist-info/sboms/*.cdx.json")]
    stored = json.loads(path.read_text())
    assert stored == tool("sbom").document()

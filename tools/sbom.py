"""Write the bill of materials of a wheel: CycloneDX JSON, for `*.dist-info/sboms/` (PEP 770).

usage: python tools/sbom.py OUTPUT

CMake runs it with the interpreter of the build. It lists seqlab, what is compiled into its module or derived from the
data of others (`composition` of seqlab), and the packages that it asks for at run time. It has no time and no serial
number: the same sources give the same bytes.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*(\[[^\]]*\])?\s*(.*)")


def document() -> dict[str, Any]:
    """Return the bill of materials of this source tree and this build environment."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bundled = [nanobind(), robin_map(), unicode_data()]
    needed = [requirement(one) for one in project["dependencies"]]
    whole = component("pypi", project["name"], project["version"], project["license"])
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**whole, "components": bundled}},
        "components": needed,
        "dependencies": [
            {"ref": whole["bom-ref"], "dependsOn": [one["bom-ref"] for one in [*bundled, *needed]]},
            {"ref": bundled[0]["bom-ref"], "dependsOn": [bundled[1]["bom-ref"]]},
        ],
    }


def component(kind: str, name: str, version: str, licence: str, **more: Any) -> dict[str, Any]:
    """Describe a component of a known version."""
    address = f"pkg:{kind}/{name}@{version}"
    return {
        "type": "library",
        "bom-ref": address,
        "name": name,
        "version": version,
        "licenses": [{"license": {"id": licence}}],
        "purl": address,
        **more,
    }


def nanobind() -> dict[str, Any]:
    """Describe nanobind, linked into the module."""
    return component("pypi", "nanobind", importlib.metadata.version("nanobind"), "BSD-3-Clause")


def robin_map() -> dict[str, Any]:
    """Describe the hash table that nanobind brings along."""
    found = importlib.util.find_spec("nanobind")
    if found is None or found.origin is None:
        sys.exit("sbom: nanobind is not installed")
    header = Path(found.origin).parent / "ext/robin_map/include/tsl/robin_growth_policy.h"
    numbers = re.findall(
        r"#define TSL_RH_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read_text(encoding="utf-8")
    )
    return component("github", "tessil/robin-map", ".".join(numbers), "MIT")


def unicode_data() -> dict[str, Any]:
    """Describe the Unicode Character Database, from which tables of the module are made."""
    tables = (ROOT / "cpp/base/text/unicode_tables.inc").read_text(encoding="utf-8")
    version = re.search(r'unicode_version = "([\d.]+)"', tables)
    if version is None:
        sys.exit("sbom: cpp/base/text/unicode_tables.inc names no version of Unicode")
    made = component("generic", "unicode-character-database", version[1], "Unicode-3.0")
    return {**made, "type": "data"}


def requirement(line: str) -> dict[str, Any]:
    """Describe a package that is installed beside seqlab; its version is chosen there."""
    name, _, versions = REQUIREMENT.fullmatch(line).groups()  # type: ignore[union-attr]
    address = f"pkg:pypi/{name}"
    wanted = [{"name": "seqlab:versions", "value": versions}]
    return {"type": "library", "bom-ref": address, "name": name, "purl": address, "properties": wanted}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(document(), indent=2) + "\n", encoding="utf-8")

"""Where a measurement was made: processor, kernel in use, versions, commit."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MEASURED = ("src", "cpp", "benchmarks/speed", "CMakeLists.txt", "pyproject.toml")


def commit() -> str:
    """Short name of the commit, with "+" when the code measured differs from it."""
    name = _git("rev-parse", "--short", "HEAD")
    if not name:
        return "none"
    return name + ("+" if _git("status", "--porcelain", "--", *MEASURED) else "")


def machine(core: int | None) -> dict[str, Any]:
    return {
        "cpu": cpu_model(_read("/proc/cpuinfo")) or platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "pinned_to": core,
        "system": f"{platform.system()} {platform.release()}",
        "load": round(os.getloadavg()[0], 2),
    }


def cpu_model(cpuinfo: str) -> str:
    """Name, family and model of the first processor in the text of /proc/cpuinfo.

    Virtual machines shorten the name ("AMD EPYC"); family and model still tell the generation.
    """
    fields: dict[str, str] = {}
    for line in cpuinfo.splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    name = fields.get("model name", "")
    if name and "cpu family" in fields and "model" in fields:
        return f"{name} (family {fields['cpu family']}, model {fields['model']})"
    return name


def versions(*packages: str) -> dict[str, str]:
    return {"python": platform.python_version(), **{name: _version(name) for name in packages}}


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _read(path: str) -> str:
    file = Path(path)
    return file.read_text() if file.exists() else ""

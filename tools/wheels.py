"""Build the wheels of dist/, and try each in a fresh environment.

usage: python tools/wheels.py python3.11 python3.12 ...

An interpreter from 3.12 on gives the wheel of the stable ABI (cp312-abi3), an older one a wheel of its own. Every
interpreter that is found then tries the wheel that fits it. On Linux, auditwheel (in the environment that runs this
script) says which systems a wheel works on and names it so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOM = ROOT / "build" / "wheels"
TOOLS = Path(sys.executable).parent
STABLE = (3, 12)
PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input", "-qq")


def run(*command: object, where: Path = ROOT, silent: bool = False) -> None:
    """Run a command that must succeed, with our tools (patchelf) in its path and no foreign module in its way."""
    settings = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    settings["PATH"] = f"{TOOLS}{os.pathsep}{settings['PATH']}"
    subprocess.run(
        [str(part) for part in command],
        cwd=where,
        env=settings,
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL if silent else None,
    )


def version(python: str) -> tuple[int, int] | None:
    """Major and minor version, or None for an interpreter that is not there."""
    path = shutil.which(python)
    if path is None:
        return None
    code = "import sys; print(*sys.version_info[:2])"
    said = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False).stdout.split()
    return (int(said[0]), int(said[1])) if len(said) == 2 else None


def build(python: str, name: str) -> Path:
    """One wheel in dist/, named after the systems it works on."""
    raw, dist = ROOM / name, ROOT / "dist"
    shutil.rmtree(raw, ignore_errors=True)
    env = environment(python, f"{name}-build")
    run(env, *PIP, "install", "--require-hashes", "-r", ROOT / "requirements" / "build.lock")
    run(
        env,
        *PIP,
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "-C",
        "wheel.py-api=cp312",
        "-w",
        raw,
        ROOT,
    )
    (made,) = raw.glob("*.whl")
    dist.mkdir(exist_ok=True)
    stem = made.name.rpartition("-")[0]
    for old in dist.glob(f"{stem}-*.whl"):
        old.unlink()
    if sys.platform != "linux":
        return Path(shutil.copy(made, dist))
    run(TOOLS / "auditwheel", "repair", "-w", dist, made)
    (repaired,) = dist.glob(f"{stem}-*.whl")
    run(TOOLS / "auditwheel", "show", repaired)
    return repaired


def environment(python: str, name: str) -> Path:
    """The interpreter of a new virtual environment."""
    place = ROOM / f"env-{name}"
    shutil.rmtree(place, ignore_errors=True)
    run(shutil.which(python), "-m", "venv", place)
    return place / "bin" / "python"


def prove(python: str, wheel: Path, name: str) -> None:
    """Install into a new environment and use it there, away from the sources."""
    env = environment(python, name)
    run(env, *PIP, "install", wheel)
    run(env, ROOT / "tools" / "try_wheel.py", where=ROOM)
    run(env.parent / "seqlab", "demo", where=ROOM, silent=True)


def main(pythons: list[str]) -> None:
    """Build what is missing for each interpreter and try it."""
    ROOM.mkdir(parents=True, exist_ok=True)
    wheels: dict[str, Path] = {}
    proved = []
    for python in pythons:
        found = version(python)
        if found is None:
            print(f"{python}: not here, left out")
            continue
        name = "abi3" if found >= STABLE else f"cp{found[0]}{found[1]}"
        if name not in wheels:
            print(f"{python}: building {name} ...", flush=True)
            wheels[name] = build(python, name)
        print(f"{python}: trying {wheels[name].name} in a fresh environment ...", flush=True)
        prove(python, wheels[name], f"try-{found[0]}{found[1]}")
        proved.append(f"{python}: {wheels[name].relative_to(ROOT)} installs, trains, tags, saves, loads")
    if not proved:
        sys.exit(
            f"seqlab: none of {', '.join(pythons)} is here; name one: make wheel PYTHONS=/path/to/python3.12"
        )
    print("\n".join(proved))


if __name__ == "__main__":
    main(sys.argv[1:])

"""Build the sdist, and the wheel from it, twice and compare them bit for bit: `make reproduce`.

usage: python tools/reproduce.py [--sdist]

The two builds differ in all that must not matter: folder, times of files, order of creation, umask, time zone,
language, seed of hashes. SOURCE_DATE_EPOCH, from the environment or the last commit, is what they share. `--sdist`
leaves out the wheel, which is compiled twice and takes minutes. The tools of the build are those of the environment
that runs this.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = shutil.ignore_patterns(
    "__pycache__", "*.so", ".venv", "build", "dist", ".git", ".*_cache", ".hypothesis", "demo-output"
)
BUILD = "from scikit_build_core import build; import sys; print(getattr(build, sys.argv[1])(sys.argv[2]))"
ONCE = {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "1"}
AGAIN = {"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "2"}


def main() -> None:
    """Build everything twice, compare, and say what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sdist", action="store_true", help="only the sdist")
    options = parser.parse_args()
    os.environ.setdefault("SOURCE_DATE_EPOCH", last_commit())
    with tempfile.TemporaryDirectory(prefix="seqlab-reproduce-") as room:
        one, two = Path(room, "one"), Path(room, "another", "place")
        compare(sdist(copied(one, 0), ONCE, 0o022), sdist(copied(two, 1), AGAIN, 0o077))
        if not options.sdist:
            compare(wheel(one, ONCE, 0o022), wheel(two, AGAIN, 0o077))


def last_commit() -> str:
    """Return the time of the last commit; without one, the beginning of 2020."""
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False)
    return said.stdout.strip() or "1577836800"


def copied(place: Path, seed: int) -> Path:
    """Copy what git knows, or all that is no product of a build, in an order and with times of its own."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    tree = place / "tree"
    if listed.returncode:
        shutil.copytree(ROOT, tree, ignore=SKIPPED)
        return tree
    names = sorted(name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file())
    chance = random.Random(seed)
    chance.shuffle(names)
    for name in names:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
        moment = chance.randrange(1_000_000_000, 1_700_000_000)
        os.utime(tree / name, (moment, moment))
    return tree


def sdist(tree: Path, settings: dict[str, str], mask: int) -> Path:
    """Build the sdist of a tree."""
    return built("build_sdist", tree, tree.parent / "dist", settings, mask)


def wheel(place: Path, settings: dict[str, str], mask: int) -> Path:
    """Unpack the sdist of a place and build the wheel."""
    (archive,) = (place / "dist").glob("*.tar.gz")
    shutil.unpack_archive(archive, place / "unpacked", filter="data")
    (tree,) = (place / "unpacked").iterdir()
    return built("build_wheel", tree, place / "dist", settings, mask)


def built(what: str, tree: Path, dist: Path, settings: dict[str, str], mask: int) -> Path:
    """Call the build backend in a process of its own."""
    dist.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", BUILD, what, str(dist)],
        cwd=tree,
        env={
            **os.environ,
            **settings,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
        umask=mask,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return dist / done.stdout.splitlines()[-1]


def compare(one: Path, two: Path) -> None:
    """Say that two files have the same bytes, or end with what differs."""
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (one, two)]
    if digests[0] == digests[1]:
        print(f"same bits twice: {one.name}  sha256 {digests[0]}", flush=True)
        return
    sys.exit(f"reproduce: {one.name} differs between two builds:\n" + "\n".join(differences(one, two)))


def differences(one: Path, two: Path) -> list[str]:
    """Name the members of two archives that differ."""
    if one.suffix != ".whl":
        return ["compare the archives with diffoscope"]
    with zipfile.ZipFile(one) as first, zipfile.ZipFile(two) as second:
        members = [[(info, archive.read(info)) for info in archive.infolist()] for archive in (first, second)]
    found = [
        f"  {a.filename}: {'content' if content != other else 'header'}"
        for (a, content), (b, other) in zip(*members, strict=False)
        if (a.filename, a.date_time, a.external_attr, content)
        != (b.filename, b.date_time, b.external_attr, other)
    ]
    return found or ["  order or number of members"]


if __name__ == "__main__":
    main()

"""Recipes of README.md and docs/ pass `mypy --strict`, and pyright where it is installed; nonsense does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "docs_site"))

from blocks import blocks_of  # noqa: E402

pytest.importorskip("mypy")
ENVIRONMENT = {**os.environ, "MYPYPATH": str(ROOT / "src"), "PYTHONPATH": str(ROOT / "src")}
MYPY = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--no-error-summary"]
NONSENSE = [
    "seqlab.CRF(learner=3)",
    "seqlab.CRF().fit(5, 'pos')",
    "seqlab.CRF().fit([['a']], None)",
    "seqlab.CRF().predict(None)",
    "seqlab.CRF().tag(3)",
    "seqlab.HMM(learner=seqlab.LBFGS())",
    "seqlab.HMM().fit(5)",
    "seqlab.HMM().model_.emissions.means.lower()",
    "seqlab.load('m').nonsense()",
    "seqlab.load('m', seqlab.MarkovChain).explain(['a'], 0)",
    "seqlab.CRF().evaluate([['a']]).spans.nonsense",
    "seqlab.CRF().evaluate([['a']]).spans.f1.lower()",
]


def pages() -> dict[str, str]:
    """Programs by file name: the blocks of a page, one after another."""
    found = {}
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        blocks = [block.source for block in blocks_of(page.read_text(encoding="utf-8"))]
        name = "_".join(page.relative_to(ROOT).with_suffix("").parts).replace("-", "_")
        if blocks:
            found[f"page_{name}.py"] = "\n".join(blocks) + "\n"
    return found


def said(command: list[str], folder: Path) -> list[str]:
    """Lines with an error."""
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    return [line.strip() for line in done.stdout.splitlines() if "error:" in line or " - error" in line]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("recipes")
    for name, program in pages().items():
        (made / name).write_text(program, encoding="utf-8")
    return made


def test_recipes_pass_mypy(folder: Path) -> None:
    assert said([*MYPY, "."], folder) == []


@pytest.mark.skipif(not (shutil.which("pyright") and shutil.which("node")), reason="no pyright, or no node")
def test_recipes_pass_pyright(folder: Path) -> None:
    settings = f'{{"extraPaths": ["{ROOT / "src"}"], "reportMissingImports": false}}'
    (folder / "pyrightconfig.json").write_text(settings)
    found = said(["pyright", "-p", ".", "--pythonpath", sys.executable], folder)
    assert [line for line in found if 'of module "pycrfsuite"' not in line] == []  # which has no types


def test_nonsense_is_refused(tmp_path: Path) -> None:
    (tmp_path / "nonsense.py").write_text("\n".join(["import seqlab", *NONSENSE]) + "\n")
    lines = {int(line.split(":")[1]) for line in said([*MYPY, "nonsense.py"], tmp_path)}
    assert [one for number, one in enumerate(NONSENSE, 2) if number not in lines] == []

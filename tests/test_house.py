"""The house: floors, file lengths, names, and what a count may import."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import symcount
from symcount.architecture import Sizes
from symcount.architectures import load, types

PACKAGE = Path(__file__).parents[1] / "symcount"
FILES = sorted(PACKAGE.rglob("*.py"))

# From the ground up; a module imports only from floors below, or from its own package.
FLOORS = [
    ["errors"],
    ["digits", "drawing", "entries", "files", "functions", "kinds", "notations", "plain", "symbols", "tokens",
     "workers"],
    ["output", "polynomials", "diagnostics", "documents", "mending"], ["sizes"],
    ["formulas", "given", "masks", "scopes", "runs", "declared", "stated", "substitution", "claims"],
    ["choices", "tensors"], ["network", "algebra"], ["identity"], ["ledger", "forms"], ["derivation"], ["render"],
    ["wholes", "roots"], ["layers", "conventions", "storage"], ["readers"], ["architecture"], ["hub"],
    ["architectures"], ["theorems", "laws", "mentions", "provisos"], ["config"], ["naming", "building"],
    ["counting", "directives"],
    ["closed_forms", "subtracting", "relations", "compiling", "fronts", "settings"],
    ["asserted", "costs", "counted", "omitted", "sentences", "shares", "told"], ["filling"], ["saving"],
    ["proving", "fusing", "differing", "shortfalls", "comparing", "parts", "scaling", "solutions", "sweeping",
     "training", "roofs"],
    ["asking"], ["solving"], ["exercise", "answers"], ["exercises"], ["sheets"], ["checks"], ["lint"], ["explaining"],
    ["plots", "playing", "cells"], ["verbs"], ["questions", "checking", "practicing"], ["cli"],
]
FLOOR = {name: floor for floor, names in enumerate(FLOORS) for name in names}
# A ledger, a derivation and a term show themselves: these doors open upwards, inside of methods.
FRONT_DOORS = {("ledger", "counting"), ("ledger", "render"), ("derivation", "render"), ("algebra", "render")}
# Files of these packages stand alone: none imports its neighbour, but what several share, whose name starts with "_".
ALONE = ("architectures", "checks", "conventions", "exercises", "laws", "storage", "theorems")


def modules(file: Path) -> list[str]:
    """The modules of ours that a file imports, but for types."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    typed = {node for branch in ast.walk(tree) if isinstance(branch, ast.If)
             and isinstance(branch.test, ast.Name) and branch.test.id == "TYPE_CHECKING" for node in ast.walk(branch)}
    found = []
    for node in ast.walk(tree):
        if node in typed:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "symcount":
            below = (PACKAGE / Path(*node.module.split(".")[1:])).is_dir()
            found += [f"{node.module}.{alias.name}" for alias in node.names
                      if below and (PACKAGE / Path(*node.module.split(".")[1:]) / f"{alias.name}.py").exists()] or [
                          node.module]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.split(".")[0] == "symcount"]
    return found


def place(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_go_down(file):
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    here = parts[0]
    if here in ("__init__", "__main__"):
        return
    assert here in FLOOR, f"{here} stands on no floor: add it to FLOORS"
    for module in modules(file):
        there = place(module)
        if not there:  # `from symcount import __version__`
            continue
        if there == here and len(parts) > 1:
            alone = here in ALONE and parts[-1][0] != "_" and module.count(".") > 1 and module.split(".")[2][0] != "_"
            assert not alone, f"{file.name} imports its neighbour {module}"
            continue
        assert FLOOR[there] < FLOOR[here] or (here, there) in FRONT_DOORS, f"{here} imports {there}, which stands above"


def test_no_flag_is_hidden_by_what_a_namespace_has():
    """A forward pass reads z.NAME: a size or flag of that name would never be seen."""
    taken = {name for name in dir(Sizes) if not name.startswith("_")}
    for name in types():
        assert not taken.intersection(load(name).known), name


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_files_are_short(file):
    made = file.name == "index.py"  # by a program, a table of names that nobody reads from top to bottom
    assert made or len(file.read_text(encoding="utf-8").splitlines()) <= 400


def test_no_module_has_the_name_of_a_public_function():
    names = {part for file in FILES for part in file.relative_to(PACKAGE).with_suffix("").parts}
    callables = {name for name in symcount.__all__ if name != "symbols"}
    assert not {name for name in names & callables if (PACKAGE / f"{name}.py").exists() or (PACKAGE / name).is_dir()}


def test_every_public_name_survives_every_import():
    script = ("import importlib, pkgutil, symcount\n"
              "first = {name: getattr(symcount, name) for name in symcount.__all__}\n"
              "for found in pkgutil.walk_packages(symcount.__path__, 'symcount.'):\n"
              "    if not found.name.endswith('__main__'): importlib.import_module(found.name)\n"
              "assert all(getattr(symcount, name) is value for name, value in first.items())\n"
              "assert all(callable(value) for name, value in first.items() if name != 'symbols')\n"
              "print(len(first))")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert int(done.stdout) == len(symcount.__all__)


@pytest.mark.parametrize("words", [["count", "llama-7b"], ["formula", "llama-7b"], ["derive", "llama-7b"],
                                   ["derive", "gpt2", "--format", "latex"], ["derive", "gpt2", "--format", "html"],
                                   ["derive", "gpt2", "--format", "typst"], ["models"], ["--help"],
                                   ["count", "bert-base-uncased", "--format", "json"]], ids=" ".join)
def test_what_counts_does_not_import_sympy(words):
    heavy = "('sympy', 'dataclasses', 'typing', 'inspect', 'importlib.metadata', 'difflib', 'fractions')"
    script = f"import sys; from symcount.cli import main; main({words!r}); " \
             f"print([m for m in {heavy} if m in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "[]"


def test_the_version_is_one():
    from importlib.metadata import version

    assert version("symcount") == symcount.__version__


def test_no_registry_address_and_no_path_of_a_machine():
    root = PACKAGE.parent
    tracked = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=False)
    if tracked.returncode:
        pytest.skip("not a git checkout, so there is no list of our files")
    signs = ["/simp" + "le/", "/ro" + "ot/", "/ho" + "me/", "/wo" + "rk/", "/tm" + "p/", "pypi" + ".org"]
    for name in tracked.stdout.split():
        text = (root / name).read_bytes().decode("utf-8", "replace")
        assert not [sign for sign in signs if sign in text], name

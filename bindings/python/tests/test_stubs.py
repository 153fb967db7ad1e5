"""The stubs say what the library has."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import kreisel
from kreisel import _native

PACKAGE = Path(__file__).resolve().parents[1]


def test_what_is_generated_is_current(scenes: Path) -> None:
    command = [
        sys.executable,
        str(PACKAGE / "tools/generate.py"),
        _native.__file__,
        str(scenes),
        "--check",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_stub_of_the_native_half_is_complete() -> None:
    tree = ast.parse((PACKAGE / "python/kreisel/_native.pyi").read_text(encoding="utf-8"))
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    functions = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
    for name, value in vars(_native).items():
        if name.startswith("__"):
            continue
        if not isinstance(value, type):
            assert name in functions, name
            continue
        assert name in classes, name
        said = {n.name for n in classes[name].body if isinstance(n, ast.FunctionDef)}
        said |= {
            n.target.id
            for n in classes[name].body
            if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
        }
        there = {n for n in vars(value) if not n.startswith("__")}
        assert (
            there - said == set() and {n for n in said if not n.startswith("__")} - there == set()
        ), name


def test_everything_public_has_a_docstring() -> None:
    for name in kreisel.__all__:
        value = getattr(kreisel, name)
        if callable(value) or isinstance(value, type):
            assert value.__doc__, name
    for method in [m for m in dir(kreisel.World) if not m.startswith("_")]:
        assert getattr(kreisel.World, method).__doc__, method

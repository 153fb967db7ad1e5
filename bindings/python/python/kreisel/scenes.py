"""Scenes from files and texts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import SupportsFloat

from . import _native
from .errors import KreiselError
from .world import World


def load(
    path: str | os.PathLike[str],
    *,
    allow_outside: bool = False,
    python: bool = False,
    lenient: bool = False,
    **params: SupportsFloat,
) -> World:
    """Reads a scene file: ``.toml``, ``.json``, ``.urdf``, ``.sdf``, or MJCF as ``.xml``.

    Keywords give other values to the scene's parameters: ``load("net.toml", n=20)``. A scene with
    scripts in Python is refused unless ``python=True``: such scripts can do whatever you can.
    ``lenient`` loads a robot without what is not read of its file although it would change the
    motion.
    """
    return World._made(
        None,
        path=Path(path),
        params=params,
        allow_outside=allow_outside,
        python=python,
        lenient=lenient,
    )


def parse(
    text: str,
    *,
    name: str = "scene.toml",
    folder: str | os.PathLike[str] | None = None,
    python: bool = False,
    **params: SupportsFloat,
) -> World:
    """Reads a scene from text; the ending of ``name`` says in which form it is."""
    folder = None if folder is None else Path(folder)
    return World._made(text, name=name, folder=folder, params=params, python=python)


def again(text: str, python: bool) -> World:
    """A world that was saved as text; scripts that it had leave to run keep it."""
    return World._made(text, python=python)


def convert(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Writes a scene or a recording in another format, as ``kreisel convert`` does."""
    code = _native.main(["kreisel", "convert", "--quiet", os.fspath(source), os.fspath(target)])
    if code != 0:
        raise KreiselError(f"{os.fspath(source)} cannot be converted (exit code {code})")

"""The program ``kreisel``, as it comes with the package."""

from __future__ import annotations

import sys

from . import _native


def main() -> None:
    """Runs the program with the arguments of the command line."""
    sys.exit(_native.main(["kreisel", *sys.argv[1:]]))

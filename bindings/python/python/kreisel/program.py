"""The program ``kreisel``, as it comes with the package.

``kreisel --plugins laws.py run scene.toml`` runs ``laws.py`` first: what it registers, scenes may
name. The person at the keyboard loads code, never the scene.
"""

from __future__ import annotations

import sys

from . import _native


def main() -> None:
    """Runs the program with the arguments of the command line."""
    from .plugins import load_plugins, split_arguments

    files, rest = split_arguments(sys.argv[1:])
    for file in files:
        load_plugins(file)
    sys.exit(_native.main(["kreisel", *rest]))

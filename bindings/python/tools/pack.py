"""Adds a folder to a source distribution: pack.py SDIST.tar.gz FOLDER NAME."""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path


def pack(archive: Path, folder: Path, name: str) -> None:
    """Writes the archive anew with the files of a folder under its first directory."""
    with tarfile.open(archive) as old:
        members = [(m, old.extractfile(m)) for m in old.getmembers()]
        top = members[0][0].name.split("/")[0]
        new = archive.with_suffix(".new")
        with tarfile.open(new, "w:gz") as out:
            for member, data in members:
                out.addfile(member, data)
            for file in sorted(p for p in folder.rglob("*") if p.is_file()):
                out.add(file, f"{top}/{name}/{file.relative_to(folder).as_posix()}")
    new.replace(archive)


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])

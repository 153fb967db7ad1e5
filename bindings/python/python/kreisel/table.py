"""Tables that grow row by row on disk, as JSON lines or CSV, and survive a kill at any moment."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from .errors import Refused

Row = dict[str, Any]


class Table:
    """A file of rows. Its first line says which sweep it belongs to."""

    def __init__(self, path: Path, columns: list[str], mark: str) -> None:
        self.path, self.columns = path, columns
        self.is_csv = path.suffix == ".csv"
        head = json.dumps({"kreisel sweep": mark, "columns": columns})
        self._head = f"# {head}\n{self._csv(columns)}" if self.is_csv else head + "\n"
        self.rows: list[Row] = []
        text = path.read_bytes().decode("utf-8", errors="replace") if path.exists() else ""
        # a head that was cut off while it was written is none
        if text and not self._head.startswith(text):
            if not text.startswith(self._head):
                raise Refused(
                    f"{path} belongs to another sweep (other scene, points, measures or version): "
                    "take another file, or delete it"
                )
            self.rows = self._read(text[len(self._head) :])
        # what was written whole stays; a row that was cut off is written again
        whole = self._head + "".join(self._line(r) for r in self.rows)
        if text != whole:
            fresh = path.with_name(path.name + ".new")
            fresh.write_text(whole, encoding="utf-8", newline="")
            fresh.replace(path)
        self._file = path.open("a", encoding="utf-8", newline="")

    @staticmethod
    def _csv(values: list[Any]) -> str:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerow(values)
        return out.getvalue()

    def _line(self, row: Row) -> str:
        if not self.is_csv:
            return json.dumps(row) + "\n"
        # repr: the shortest text that reads back as the same bits
        return self._csv(
            [repr(v) if isinstance(v, float) else v for v in map(row.get, self.columns)]
        )

    def _read(self, text: str) -> list[Row]:
        """Complete rows that follow each other from the first point on."""
        out: list[Row] = []
        for line in text.splitlines(keepends=True):
            if not line.endswith("\n"):
                break
            try:
                row = self._of_csv(line) if self.is_csv else json.loads(line)
            except ValueError:
                break
            if row.get("index") != len(out):
                break
            out.append(row)
        return out

    def _of_csv(self, line: str) -> Row:
        values = next(csv.reader([line]))
        if len(values) != len(self.columns):
            raise ValueError("a row of another length")
        text = ("status", "error", "state_hash", "version")
        row: Row = {}
        for name, value in zip(self.columns, values, strict=True):
            if name in text:
                row[name] = value
            elif name in ("index", "seed"):
                row[name] = int(value)
            else:
                row[name] = float(value) if value else None
        return row

    def write(self, row: Row) -> None:
        """Appends a row; it is with the system before the next one is computed."""
        self._file.write(self._line(row))
        self._file.flush()

    def close(self) -> None:
        """Ends writing."""
        self._file.close()


def open_table(path: Path, columns: list[str], mark: str) -> Table:
    """The table of a file, by its ending."""
    if path.suffix not in (".csv", ".jsonl"):
        raise Refused(f"{path}: sweeps are written as .csv or .jsonl")
    return Table(path, columns, mark)

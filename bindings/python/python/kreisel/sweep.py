"""Sweeps: a scene at many values of its parameters, one row each.

Rows are written in the order of the points as they are done, so that the file is the same on any
number of threads, and a sweep that was killed goes on where it stopped. What fails becomes a row.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from ._native import SweepTable, SweepTask, __version__
from .backend import Backend, mapper
from .errors import KreiselError, Refused
from .recording import Recording
from .sample import Plan, Point, Range, grid, points
from .scenes import parse
from .world import World

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]
Measure = str | Callable[[Recording], SupportsFloat]
Scene = str | os.PathLike[str] | World | Callable[[Point], World]

#: Endings of tables that are written at the end, from rows that are kept beside them.
LATE = (".npz", ".parquet")

#: What the first word of a measure such as "max crank.angle" does with the column.
REDUCE: dict[str, Callable[[NDArray[np.float64]], Any]] = {
    "first": lambda x: x[0],
    "last": lambda x: x[-1],
    "max": np.max,
    "mean": np.mean,
    "min": np.min,
    "range": np.ptp,
    "rms": lambda x: np.sqrt(np.mean(x * x)),
}


@dataclass
class Task:
    """All that one point needs, in a form that other processes can read."""

    scene: Any
    names: list[str]
    measures: dict[str, Measure]
    duration: float | None
    seed: int

    @property
    def native(self) -> SweepTask:
        """The same for the native half; functions are only named there."""
        path = self.scene if isinstance(self.scene, Path) else None
        text = self.scene if isinstance(self.scene, str) else None
        if callable(self.scene):
            text = getattr(self.scene, "__qualname__", "a function")
        named = [(k, m if isinstance(m, str) else "a function") for k, m in self.measures.items()]
        return SweepTask(path, text, self.names, named, self.duration, self.seed)

    def __call__(self, given: tuple[int, Point]) -> Row:
        """Runs one point; whatever fails is a row."""
        index, point = given
        # without functions of Python the native half does it all, as ``kreisel sweep`` does
        if not callable(self.scene) and all(isinstance(m, str) for m in self.measures.values()):
            return self.native.run(index, list(point.values()))
        row: Row = {"index": index, **point}
        empty = dict.fromkeys(self.measures)
        rest = {"seed": self.seed, "version": __version__}
        try:
            world = self._world(point)
            run = world.run(self.duration, record=[q for q in self._quantities() if q])
            values = {name: self._value(m, run) for name, m in self.measures.items()}
        except Exception as error:  # a row says what failed; the sweep goes on
            said = " ".join(f"{type(error).__name__}: {error}".split())
            return {**row, **empty, "status": "failed", "error": said, "state_hash": "", **rest}
        status = "ok" if run.ok else "tolerance"
        return {
            **row,
            **values,
            "status": status,
            "error": "",
            "state_hash": run.state_hash,
            **rest,
        }

    def _world(self, point: Point) -> World:
        """The world at a point: parameters of the scene, and properties by path."""
        params = {k: v for k, v in point.items() if "." not in k}
        if callable(self.scene):
            made: World = self.scene(point)
            return made
        if isinstance(self.scene, str):
            if params:
                raise Refused(
                    f"a world has no parameters {', '.join(params)}: name properties by path"
                )
            world = parse(self.scene)
        else:
            world = World._made(None, path=Path(self.scene), params=params)
        for path, value in point.items():
            if "." in path:
                world.set(path, value)
        return world

    def _quantities(self) -> Iterable[str]:
        for m in self.measures.values():
            yield from getattr(m, "quantities", ()) if callable(m) else [_parts(m)[1]]

    @staticmethod
    def _value(measure: Measure, run: Recording) -> float:
        if callable(measure):
            return float(measure(run))
        word, path = _parts(measure)
        column = run[path]
        if column.ndim != 1:
            raise Refused(f'"{path}" has components: measure "{path}.x" or the like')
        return float(REDUCE[word](column))


def _parts(measure: str) -> tuple[str, str]:
    """ "max crank.angle" as its word and its path; a path alone is its last value."""
    word, _, path = measure.partition(" ")
    return (word, path.strip()) if word in REDUCE and path else ("last", measure)


class recorded:
    """A measure by a function that needs quantities recorded:
    ``recorded(lambda run: ..., "crank.angle")``."""

    def __init__(self, function: Callable[[Recording], SupportsFloat], *quantities: str) -> None:
        self.function = function
        self.quantities = quantities

    def __call__(self, run: Recording) -> SupportsFloat:
        return self.function(run)


@dataclass
class Sweep:
    """The rows of a sweep, in the order of its points."""

    rows: list[Row]
    varied: list[str]
    measures: list[str]
    #: rows that were found in the file and not computed again
    resumed: int = 0
    _columns: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column; measures that failed are NaN."""
        if name not in self._columns:
            numbers = name in self.varied or name in self.measures
            values = [r[name] for r in self.rows]
            if numbers:
                values = [np.nan if v is None else v for v in values]
            self._columns[name] = np.array(values)
        return self._columns[name]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def failed(self) -> list[Row]:
        """Rows that failed, with what went wrong."""
        return [r for r in self.rows if r["status"] == "failed"]

    def best(self, measure: str, *, largest: bool = False) -> Row:
        """The row with the least (or largest) value of a measure."""
        values = self[measure]
        if np.all(np.isnan(values)):
            raise KreiselError(f"no row has a {measure}")
        return self.rows[int(np.nanargmax(values) if largest else np.nanargmin(values))]

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame of all columns."""
        import pandas

        return pandas.DataFrame(self.rows)


def sweep(
    scene: Scene,
    vary: Mapping[str, Range | Sequence[SupportsFloat]],
    *,
    measure: Mapping[str, Measure] | Sequence[str],
    sample: Plan | None = None,
    duration: SupportsFloat | None = None,
    out: str | os.PathLike[str] | None = None,
    threads: int = 0,
    backend: str | Backend = "threads",
    progress: Callable[[int, int], Any] | None = None,
) -> Sweep:
    """Runs a scene at many points and gives a table.

    ``scene`` is a file, a :class:`World`, or a function from a point to a world. ``vary`` maps
    parameters of the scene, or paths of properties ("arm.mass"), to ``linspace(low, high, n)``,
    ``span(low, high)`` or a list. ``measure`` names quantities ("max crank.angle",
    "last energy.total") or gives functions of the recording. ``sample`` is ``grid()``,
    ``sobol(n)``, ``latin(n, seed)`` or ``together()``. ``out`` is a ``.csv``, ``.jsonl``, ``.npz`` or
    ``.parquet`` file that the sweep goes on with where it has been begun, here or by
    ``kreisel sweep``. ``backend`` is "threads", "serial", "ray", "dask", "joblib" or a function.
    """
    plan = sample or grid()
    every = points(vary, plan)
    measures: dict[str, Measure] = {}
    measures.update(measure if isinstance(measure, Mapping) else {m: m for m in measure})
    clash = set(vary) & set(measures)
    if clash:
        raise Refused(
            f"{', '.join(sorted(clash))} is varied and measured: give the measure a name of its own"
        )
    length = None if duration is None else float(duration)
    # a world goes to every worker as text, so that all begin with the same bits
    kept: Any = Path(scene).resolve() if isinstance(scene, str | os.PathLike) else scene
    kept = kept.save_text() if isinstance(kept, World) else kept
    task = Task(kept, list(vary), measures, length, plan.seed)

    # what the file has already; arrays are written at the end, their rows are kept beside them
    table = None
    if out is not None:
        file = Path(out)
        late = file.suffix in LATE
        kept_at = file.with_name(file.name + ".jsonl") if late else file
        mark = task.native.mark([list(p.values()) for p in every])
        table = SweepTable(kept_at, list(vary), list(measures), mark)
    rows: list[Row] = [] if table is None else table.rows
    resumed = len(rows)

    # the rest, in order
    left = [(k, p) for k, p in enumerate(every) if k >= resumed]
    for row in mapper(backend, threads)(task, left):
        rows.append(row)
        if table is not None:
            table.write(row)
        if progress is not None:
            progress(len(rows), len(every))
    if table is not None and out is not None and Path(out).suffix in LATE:
        table.finish(Path(out), rows)
    return Sweep(rows, list(vary), list(measures), resumed)


__all__ = ["Sweep", "recorded", "sweep"]

"""Which parameter matters: Sobol's indices of a sweep's measures.

Saltelli's plan (Saltelli 2002; 2010, table 2): two sheets A and B of points of Sobol's sequence,
and for every parameter i the sheet A with column i of B. With N points a sheet and k parameters
there are N (k + 2) runs. The estimators are those of SALib:

* first order  S_i = mean(f_B (f_ABi − f_A)) / var(f)       (Saltelli 2010)
* total        T_i = mean((f_A − f_ABi)²) / 2 var(f)        (Jansen 1999)

with f scaled to mean 0 and deviation 1, and var over A and B.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from .backend import Backend
from .errors import KreiselError, Refused
from .sample import Point, Range, points, sobol, together
from .sweep import Measure, Sweep, sweep

Array = NDArray[np.float64]

#: Normal deviate of the confidence intervals: 95 %.
DEVIATE = 1.959963984540054


@dataclass(frozen=True)
class Indices:
    """Sobol's indices of one measure, one number a parameter."""

    parameters: list[str]
    #: share of the variance that a parameter explains by itself
    first: Array
    #: share that it takes part in
    total: Array
    #: half widths of 95 % confidence intervals, by bootstrap
    first_confidence: Array
    total_confidence: Array

    def __repr__(self) -> str:
        rows = zip(self.parameters, self.first, self.total, strict=True)
        return "<indices: " + ", ".join(f"{n} {s:.3f} ({t:.3f})" for n, s, t in rows) + ">"


def saltelli(vary: Mapping[str, Range], count: int) -> list[Point]:
    """The points of Saltelli's plan, in SALib's order: A, AB1, …, ABk, B for every point."""
    if count < 2 or count & (count - 1):
        raise Refused(f"Sobol's sequence is balanced for powers of two, not for {count} points")
    names = list(vary)
    # columns of A and of B are those of one sequence of twice as many dimensions; it begins with
    # the second half, as its first points are those at the corner
    both: dict[str, Range | Sequence[SupportsFloat]] = {}
    for sheet in ("a", "b"):
        both.update({f"{sheet} {n}": r for n, r in vary.items()})
    every = points(both, sobol(2 * count))[count:]
    out: list[Point] = []
    for p in every:
        a = {n: p[f"a {n}"] for n in names}
        b = {n: p[f"b {n}"] for n in names}
        out += [a, *({**a, n: b[n]} for n in names), b]
    return out


def analyse(names: Sequence[str], values: Array, *, resamples: int = 100, seed: int = 0) -> Indices:
    """Indices of values at the points of :func:`saltelli`."""
    k = len(names)
    y = np.asarray(values, dtype=np.float64)
    if y.size % (k + 2) or y.size == 0:
        raise Refused(f"{y.size} values are no plan of {k} parameters")
    if not np.all(np.isfinite(y)):
        raise KreiselError("some runs have no value: their rows say why")
    if np.ptp(y) == 0:
        raise KreiselError("the measure does not change: it has no indices")
    y = (y - y.mean()) / y.std()
    sheets = y.reshape(-1, k + 2)
    a, ab, b = sheets[:, 0], sheets[:, 1:-1], sheets[:, -1]

    def first(a: Array, ab: Array, b: Array) -> Any:
        return np.mean(b * (ab - a), axis=0) / np.var(np.r_[a, b], axis=0)

    def total(a: Array, ab: Array, b: Array) -> Any:
        return 0.5 * np.mean((a - ab) ** 2, axis=0) / np.var(np.r_[a, b], axis=0)

    random = np.random.default_rng(seed)
    drawn = [random.integers(len(a), size=len(a)) for _ in range(resamples)]
    out: dict[str, list[list[float]]] = {"first": [], "total": []}
    for i in range(k):
        for word, f in (("first", first), ("total", total)):
            again = [f(a[r], ab[r, i], b[r]) for r in drawn]
            width = DEVIATE * float(np.std(again, ddof=1)) if resamples > 1 else np.nan
            out[word].append([float(f(a, ab[:, i], b)), width])
    s, t = np.array(out["first"]), np.array(out["total"])
    return Indices(list(names), s[:, 0], t[:, 0], s[:, 1], t[:, 1])


def indices(
    scene: Any,
    vary: Mapping[str, Range],
    *,
    measure: Mapping[str, Measure] | Sequence[str],
    count: int = 256,
    duration: SupportsFloat | None = None,
    out: str | os.PathLike[str] | None = None,
    threads: int = 0,
    backend: str | Backend = "threads",
    progress: Callable[[int, int], Any] | None = None,
) -> tuple[dict[str, Indices], Sweep]:
    """Runs Saltelli's plan and gives Sobol's indices of every measure, and the table.

    ``vary`` maps parameters to ``span(low, high)``; there are ``count`` (a power of two) times the
    number of parameters plus two runs. The other arguments are those of :func:`kreisel.sweep`.
    """
    plan = saltelli(vary, count)
    names = list(vary)
    table = sweep(
        scene,
        {n: [p[n] for p in plan] for n in names},
        measure=measure,
        sample=together(),
        duration=duration,
        out=out,
        threads=threads,
        backend=backend,
        progress=progress,
    )
    return {m: analyse(names, table[m]) for m in table.measures}, table


__all__ = ["Indices", "analyse", "indices", "saltelli"]

"""Ranges of parameters, and the points at which a sweep looks at them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import SupportsFloat

import numpy as np
from numpy.typing import NDArray

from .errors import Refused

Array = NDArray[np.float64]
Point = dict[str, float]


@dataclass(frozen=True)
class Range:
    """Values from ``low`` to ``high``: all of them for a sampled sweep, ``count`` for a grid."""

    low: float
    high: float
    count: int = 0

    @property
    def values(self) -> list[float]:
        """The values of a grid."""
        if self.count < 1:
            raise Refused("a grid needs values: linspace(low, high, count) or a list")
        return [float(x) for x in np.linspace(self.low, self.high, self.count)]


@dataclass(frozen=True)
class Plan:
    """How a sweep samples its ranges."""

    kind: str
    count: int = 0
    seed: int = 0


def linspace(low: SupportsFloat, high: SupportsFloat, count: int) -> Range:
    """``count`` values from ``low`` to ``high``, both included."""
    return Range(float(low), float(high), int(count))


def span(low: SupportsFloat, high: SupportsFloat) -> Range:
    """Any value from ``low`` to ``high``, for sampled sweeps."""
    return Range(float(low), float(high))


def choice(*values: SupportsFloat) -> list[float]:
    """These values, for a grid."""
    return [float(v) for v in values]


def grid() -> Plan:
    """Every combination of values; the last parameter fastest."""
    return Plan("grid")


def latin(count: int, seed: int = 0) -> Plan:
    """A Latin hypercube: of ``count`` equal slices of every range each has one point."""
    return Plan("latin", count, seed)


def sobol(count: int, seed: int | None = None) -> Plan:
    """The first ``count`` points of Sobol's sequence; a seed shifts it at random (modulo 1)."""
    return Plan("sobol", count, -1 if seed is None else seed)


def points(ranges: Mapping[str, Range | Sequence[SupportsFloat]], plan: Plan) -> list[Point]:
    """The points of a sweep, in their order."""
    names = list(ranges)
    if plan.kind == "grid":
        values = [
            r.values if isinstance(r, Range) else [float(v) for v in r] for r in ranges.values()
        ]
        return [dict(zip(names, p, strict=True)) for p in itertools.product(*values)]
    if plan.count < 1:
        raise Refused("a sampled sweep needs a count of one or more")
    low, high = [], []
    for name, r in ranges.items():
        if not isinstance(r, Range):
            raise Refused(f'"{name}" is a list; a sampled sweep needs ranges: span(low, high)')
        low.append(r.low)
        high.append(r.high)
    unit = _latin(plan, len(names)) if plan.kind == "latin" else _sobol(plan, len(names))
    scaled = np.array(low) + unit * (np.array(high) - np.array(low))
    return [dict(zip(names, map(float, row), strict=True)) for row in scaled]


def _latin(plan: Plan, dimensions: int) -> Array:
    random = np.random.Generator(np.random.PCG64(plan.seed))
    columns = [
        (random.permutation(plan.count) + random.random(plan.count)) / plan.count
        for _ in range(dimensions)
    ]
    return np.stack(columns, axis=1) if columns else np.zeros((plan.count, 0))


#: Degree, coefficients and first direction numbers of Joe and Kuo (2008), dimensions 2 to 21.
_JOE_KUO: tuple[tuple[int, int, tuple[int, ...]], ...] = (
    (1, 0, (1,)),
    (2, 1, (1, 3)),
    (3, 1, (1, 3, 1)),
    (3, 2, (1, 1, 1)),
    (4, 1, (1, 1, 3, 3)),
    (4, 4, (1, 3, 5, 13)),
    (5, 2, (1, 1, 5, 5, 17)),
    (5, 4, (1, 1, 5, 5, 5)),
    (5, 7, (1, 1, 7, 11, 19)),
    (5, 11, (1, 1, 5, 1, 1)),
    (5, 13, (1, 1, 1, 3, 11)),
    (5, 14, (1, 3, 5, 5, 31)),
    (6, 1, (1, 3, 3, 9, 7, 49)),
    (6, 13, (1, 1, 1, 15, 21, 21)),
    (6, 16, (1, 3, 1, 13, 27, 49)),
    (6, 19, (1, 1, 1, 15, 7, 5)),
    (6, 22, (1, 3, 1, 15, 13, 25)),
    (6, 25, (1, 1, 5, 5, 19, 61)),
    (7, 1, (1, 3, 7, 11, 23, 15, 103)),
    (7, 4, (1, 3, 7, 13, 13, 15, 69)),
)

_BITS = 32


def _directions(dimension: int) -> list[int]:
    if dimension == 0:
        return [1 << (_BITS - 1 - k) for k in range(_BITS)]
    degree, coefficients, first = _JOE_KUO[dimension - 1]
    v = [m << (_BITS - 1 - k) for k, m in enumerate(first)]
    for k in range(degree, _BITS):
        x = v[k - degree] ^ (v[k - degree] >> degree)
        for j in range(1, degree):
            if (coefficients >> (degree - 1 - j)) & 1:
                x ^= v[k - j]
        v.append(x)
    return v


def _sobol(plan: Plan, dimensions: int) -> Array:
    if dimensions > len(_JOE_KUO) + 1:
        raise Refused(f"Sobol's sequence is here for up to {len(_JOE_KUO) + 1} parameters")
    out = np.zeros((plan.count, dimensions))
    for d in range(dimensions):
        v = _directions(d)
        x = 0
        for n in range(plan.count):
            out[n, d] = x / 2.0**_BITS
            # Gray code: the lowest zero bit of n says which direction changes
            x ^= v[(~n & (n + 1)).bit_length() - 1]
    if plan.seed >= 0:
        shift = np.random.Generator(np.random.PCG64(plan.seed)).random(dimensions)
        out = (out + shift) % 1.0
    return out

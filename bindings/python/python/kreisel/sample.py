"""Ranges of parameters, and the points at which a sweep looks at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import SupportsFloat

from . import _native
from .errors import Refused

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
        last = max(self.count - 1, 1)
        inner = [self.low + (self.high - self.low) * (k / last) for k in range(self.count)]
        return inner if self.count == 1 else [*inner[:-1], self.high]


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


def together() -> Plan:
    """Lists of values that go together: the first of each, the second of each, and so on."""
    return Plan("together")


def points(ranges: Mapping[str, Range | Sequence[SupportsFloat]], plan: Plan) -> list[Point]:
    """The points of a sweep, in their order; those of ``kreisel sweep``."""
    names = list(ranges)
    if plan.kind == "together":
        columns = [r.values if isinstance(r, Range) else [float(v) for v in r] for r in ranges.values()]
        if len({len(c) for c in columns}) > 1:
            raise Refused("lists that go together have as many values each")
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    given: list[tuple[bool, list[float]]] = []
    for r in ranges.values():
        if not isinstance(r, Range):
            given.append((False, [float(v) for v in r]))
        elif plan.kind == "grid":
            given.append((False, r.values))
        else:
            given.append((True, [r.low, r.high]))
    seed = None if plan.seed < 0 else plan.seed
    found = _native.sweep_points(names, given, plan.kind, plan.count, seed)
    return [dict(zip(names, p, strict=True)) for p in found]

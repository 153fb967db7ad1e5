"""Shapes and questions about them: distances, closest points, rays, times of impact, masses.

>>> from kreisel import geometry
>>> ball, block = geometry.sphere(0.5).at([0, 0, 2]), geometry.box(1, 1, 1)
>>> geometry.distance(ball, block).distance
1.0

The shape of a body where it stands is ``world.shape("arm")``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._native import Shape
from .errors import Refused

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Near:
    """How far two shapes are apart, and where."""

    #: [m] signed: minus the depth where they overlap
    distance: float
    #: [m] the true one is not below
    lower: float
    #: [m] and not above
    upper: float
    #: [m] closest point of the first shape
    a: Array
    #: [m] closest point of the second shape
    b: Array
    #: unit direction in which the first has to be moved to increase the distance
    normal: Array

    @property
    def overlap(self) -> bool:
        """Whether the shapes have a point in common."""
        return self.distance <= 0.0


@dataclass(frozen=True)
class Hit:
    """The first hit of a ray or of a shape that is moved."""

    #: [m] how far along; for times of impact [s] when
    distance: float
    #: [m] where
    point: Array
    #: unit normal there
    normal: Array
    #: the body that is hit, for questions to a world
    body: str = ""


def shape(
    what: Any, *, folder: str | os.PathLike[str] | None = None, allow_outside: bool = False
) -> Shape:
    """A shape as scenes write it: ``{"box": [1, 0.1, 0.1]}``, ``{"mesh": "part.stl"}``.

    Files are looked for in ``folder``, or in the present one.
    """
    from .world import _json

    text = _json({"version": 1, "body": [{"name": "shape", "kind": "static", "shape": what}]})
    return Shape(text, folder=Path(folder or "."), allow_outside=allow_outside)


def box(x: SupportsFloat, y: SupportsFloat, z: SupportsFloat) -> Shape:
    """A box with these edges, m."""
    return shape({"box": [float(x), float(y), float(z)]})


def sphere(radius: SupportsFloat) -> Shape:
    """A ball, m."""
    return shape({"sphere": float(radius)})


def mesh(
    file: str | os.PathLike[str], *, scale: SupportsFloat | Sequence[SupportsFloat] | None = None
) -> Shape:
    """A mesh from a file (.obj, .stl, .gltf, .glb); ``scale=0.001`` for files in millimetres."""
    path = Path(file).resolve()
    given: dict[str, Any] = {"mesh": path.name}
    if scale is not None:
        given["scale"] = scale
    return shape(given, folder=path.parent)


def distance(a: Shape, b: Shape) -> Near:
    """How far two shapes are apart, or how deep they overlap."""
    found = a._distance(b)
    if found is None:
        raise Refused("one of the shapes has no parts")
    value, lower, upper, p, q, n = found
    return Near(value, lower, upper, np.array(p), np.array(q), np.array(n))


def overlap(a: Shape, b: Shape) -> bool:
    """Whether two shapes have a point in common."""
    return distance(a, b).overlap


def closest_point(a: Shape, point: ArrayLike) -> Hit:
    """The point of a shape's surface that is closest to a point; a negative distance is inside."""
    found = a._closest_point(point)
    if found is None:
        raise Refused("the shape has no parts")
    return Hit(found[0], np.array(found[1]), np.array(found[2]))


def ray(
    a: Shape, origin: ArrayLike, direction: ArrayLike, reach: SupportsFloat = np.inf
) -> Hit | None:
    """The first hit of a ray with a shape, up to ``reach`` metres."""
    along, limit = unit(direction), float(reach)
    found = a._ray(origin, along, limit)
    return None if found is None else Hit(found[0], np.array(found[1]), np.array(found[2]))


def time_of_impact(
    a: Shape,
    b: Shape,
    *,
    until: SupportsFloat,
    velocity_a: ArrayLike = (0, 0, 0),
    velocity_b: ArrayLike = (0, 0, 0),
    spin_a: ArrayLike = (0, 0, 0),
    spin_b: ArrayLike = (0, 0, 0),
    acceleration_a: ArrayLike = (0, 0, 0),
    acceleration_b: ArrayLike = (0, 0, 0),
    tolerance: SupportsFloat = 1e-6,
) -> Hit | None:
    """When two shapes meet first, never late; ``None`` if they do not ``until`` then.

    Velocities in m/s and angular velocities in rad/s are those of the shapes' frames, accelerations
    in m/s². ``tolerance`` is the distance in m that counts as contact.
    """
    vectors = [_three(v) for v in (velocity_a, velocity_b, spin_a, spin_b)]
    pulls = [_three(v) for v in (acceleration_a, acceleration_b)]
    found = a._impact(b, vectors[:2], vectors[2:], pulls, float(until), float(tolerance))
    if found is None:
        return None
    return Hit(found[0], np.array(found[1]), np.array(found[3]))


def _three(value: ArrayLike) -> list[float]:
    out = np.asarray(value, dtype=np.float64)
    if out.shape != (3,):
        raise Refused(f"expected 3 numbers, found {value!r}")
    return [float(x) for x in out]


def unit(direction: ArrayLike) -> Array:
    """A direction of length 1."""
    along = np.asarray(direction, dtype=np.float64)
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    if along.shape[-1:] != (3,) or not np.all(np.isfinite(along)) or np.any(length == 0):
        raise Refused(f"a direction has three finite numbers and a length, not {direction!r}")
    return np.asarray(along / length)


__all__ = [
    "Hit",
    "Near",
    "Shape",
    "box",
    "closest_point",
    "distance",
    "mesh",
    "overlap",
    "ray",
    "shape",
    "sphere",
    "time_of_impact",
]

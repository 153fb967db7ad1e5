"""Mass matrices and Jacobians, in the velocities of all bodies or in coordinates of joints.

Velocities of all bodies are one vector of six numbers per body, in the order of
``World.body_names``: velocity of the centre of mass, angular velocity, world coordinates. Static and
kinematic bodies, and axes without inertia, have columns of zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from .errors import Refused, UnknownName

if TYPE_CHECKING:
    from .questions import Questions

Array = NDArray[np.float64]

#: Singular values below this share of the largest count as zero.
RANK = 1e-9

#: Components of a body's velocity that may serve as coordinates beside those of joints.
COMPONENTS = {
    f"{vector}.{axis}": 3 * k + j
    for k, vector in enumerate(("velocity", "angular_velocity"))
    for j, axis in enumerate("xyz")
}


def rows(world: Questions, names: Sequence[str]) -> Array:
    """Rates of coordinates per velocity of a body, (k, 6 n).

    A name is a coordinate of a joint ("crank.angle"), or a component of a body's velocity
    ("base.velocity.x", "base.angular_velocity.z").
    """
    known = world.coordinate_names
    bodies = world.body_names
    of_joints = world._coordinate_jacobian()
    out = np.zeros((len(names), 6 * len(bodies)))
    for k, name in enumerate(names):
        if name in known:
            out[k] = of_joints[known.index(name)]
            continue
        body, _, component = name.partition(".")
        # names of bodies may have dots
        for ending in COMPONENTS:
            if name.endswith("." + ending):
                body, component = name[: -len(ending) - 1], ending
        if body in bodies and component in COMPONENTS:
            out[k, 6 * bodies.index(body) + COMPONENTS[component]] = 1.0
            continue
        near = _native.nearest(name, known)
        help = f'; did you mean "{near}"?' if near else ""
        raise UnknownName(f'there is no coordinate "{name}"{help}')
    return out


def _possible(world: Questions) -> Array:
    """Velocities of all bodies that forces can make, as columns with the mass matrix of one."""
    masses = world._mass_matrix()
    columns = []
    for k in range(0, len(masses), 6):
        values, vectors = np.linalg.eigh(masses[k : k + 6, k : k + 6])
        for value, vector in zip(values, vectors.T, strict=True):
            if value > 1e-14 * values[-1]:
                column = np.zeros(len(masses))
                column[k : k + 6] = vector / np.sqrt(value)
                columns.append(column)
    return np.array(columns).reshape(-1, len(masses)).T


def _free(world: Questions) -> Array:
    """Velocities that joints and constraints allow, as columns, (6 n, freedom)."""
    possible = _possible(world)
    _, conditions = world._condition_jacobian()
    scaled = conditions @ possible
    lengths = np.linalg.norm(scaled, axis=1)
    scaled = scaled[lengths > 0] / lengths[lengths > 0, None]
    if len(scaled) == 0:
        return possible
    _, sizes, right = np.linalg.svd(scaled, full_matrices=True)
    rank = int(np.sum(sizes > RANK * sizes[0]))
    return np.asarray(possible @ right[rank:].T, dtype=np.float64)


def independent(world: Questions) -> list[str]:
    """Coordinates of joints that describe the motion: driven ones first, then in their order.

    As many as the world has degrees of freedom, where joints have enough coordinates.
    """
    free = _free(world)
    names = world.coordinate_names
    given = world._coordinate_jacobian() @ free
    driven = {f"{world.motor(m).joint}.{world.motor(m).coordinate}" for m in world.names("motor")}
    order = sorted(range(len(names)), key=lambda k: names[k] not in driven)
    chosen: list[str] = []
    basis = np.zeros((0, free.shape[1]))
    for k in order:
        rest = given[k] - basis.T @ (basis @ given[k])
        rest -= basis.T @ (basis @ rest)
        size, whole = float(np.linalg.norm(rest)), float(np.linalg.norm(given[k]))
        if whole > 0 and size > 1e-6 * whole:
            chosen.append(names[k])
            basis = np.vstack([basis, rest / size])
    return sorted(chosen, key=names.index)


def motion(world: Questions, coordinates: Sequence[str]) -> Array:
    """Velocities of all bodies per rate of a coordinate, (6 n, k).

    The coordinates describe the whole motion: as many as there are degrees of freedom, none of them
    a consequence of the others.
    """
    names = list(coordinates)
    free = _free(world)
    freedom = free.shape[1]
    square = rows(world, names) @ free
    if len(names) != freedom:
        raise Refused(
            f"{len(names)} coordinates for {freedom} degrees of freedom: " + _advice(world, freedom)
        )
    sizes = np.linalg.svd(square, compute_uv=False)
    if freedom and sizes[-1] < 1e-8 * sizes[0]:
        raise Refused(
            "these coordinates depend on each other in this pose: " + _advice(world, freedom)
        )
    return np.asarray(free @ np.linalg.inv(square), dtype=np.float64)


def _advice(world: Questions, freedom: int) -> str:
    """Coordinates that do."""
    good = independent(world)
    if len(good) == freedom:
        return "take " + ", ".join(good)
    return (
        f"joints have {len(good)} independent coordinates ({', '.join(good)}); name velocities of "
        'bodies besides, such as "base.velocity.x" or "base.angular_velocity.z"'
    )


def mass_matrix(world: Questions, coordinates: Sequence[str] | None) -> Array:
    """The mass matrix in the velocities of all bodies, or in coordinates."""
    whole = world._mass_matrix()
    if coordinates is None:
        return whole
    t = motion(world, coordinates)
    out = t.T @ whole @ t
    return 0.5 * (out + out.T)


def jacobian(
    world: Questions, body: str, point: ArrayLike, coordinates: Sequence[str] | None
) -> Array:
    """Velocity of a point and angular velocity of its body, per velocity or coordinate."""
    whole = world._point_jacobian(body, point)
    return whole if coordinates is None else whole @ motion(world, coordinates)

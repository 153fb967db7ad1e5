"""What can be asked of a world: its state as arrays, its matrices, and its shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import geometry, jacobian
from ._native import Body, Core, Shape
from .arrays import Arrays, Contacts, Views

Array = NDArray[np.float64]


class Questions(Core):
    """The part of a world that answers."""

    @property
    def body_names(self) -> list[str]:
        """Names of all bodies: the rows of ``positions`` and the like."""
        return self.names("body")

    @property
    def joint_names(self) -> list[str]:
        """Names of all joints: the rows of ``reactions``."""
        return self.names("joint")

    # arrays

    @property
    def positions(self) -> Array:
        """[m] Origins of all bodies' frames, (n, 3)."""
        return self._array("positions")

    @property
    def quaternions(self) -> Array:
        """Rotations of all bodies x, y, z, w, (n, 4)."""
        return self._array("quaternions")

    @property
    def velocities(self) -> Array:
        """[m/s] Velocities of all bodies' centres of mass, (n, 3)."""
        return self._array("velocities")

    @property
    def angular_velocities(self) -> Array:
        """[rad/s] Angular velocities of all bodies, (n, 3)."""
        return self._array("angular_velocities")

    @property
    def coordinates(self) -> Array:
        """[rad, m] All free coordinates of joints, in the order of ``coordinate_names``."""
        return self._array("coordinates")

    @property
    def rates(self) -> Array:
        """[rad/s, m/s] Rates of all free coordinates of joints."""
        return self._array("rates")

    @property
    def efforts(self) -> Array:
        """[N m, N] What motors, springs, dampers and rotors on joints put on all free coordinates
        in the last step."""
        return self._array("efforts")

    @property
    def reactions(self) -> Array:
        """[N, N m] Forces and torques of all joints on their second bodies in the last step, world
        coordinates, (n, 6)."""
        return self._array("reactions")

    def arrays(self) -> Arrays:
        """All these arrays at one moment, with ``update()`` to read them again in place."""
        return Arrays(self)

    def views(self) -> Views:
        """The same arrays as views that follow the world: each is read when it is asked for, into
        memory that stays."""
        return Views(self)

    def contact_arrays(self) -> Contacts:
        """Contacts of the last step as arrays: bodies, points, normals, forces, gaps."""
        return Contacts(*self._contact_arrays())

    # matrices

    def mass_matrix(self, coordinates: Sequence[str] | None = None) -> Array:
        """[kg, kg m²] The mass matrix, rotors on joints included.

        Without ``coordinates`` it is that of the velocities of all bodies, (6 n, 6 n): velocity of
        the centre of mass and angular velocity, body by body. With them, such as
        ``w.independent_coordinates()``, it is that of their rates; loops are taken into account.
        """
        return jacobian.mass_matrix(self, coordinates)

    def jacobian(
        self,
        body: str | Body,
        point: ArrayLike = (0.0, 0.0, 0.0),
        *,
        coordinates: Sequence[str] | None = None,
    ) -> Array:
        """Velocity of a point of a body (in its frame, m), three rows, and angular velocity of the
        body, three rows: per velocity of a body, (6, 6 n), or per rate of the coordinates, (6, k).
        """
        name = body if isinstance(body, str) else body.name
        return jacobian.jacobian(self, name, point, coordinates)

    def coordinate_jacobian(self) -> Array:
        """Rates of all free coordinates of joints per velocity of a body, (k, 6 n)."""
        return self._coordinate_jacobian()

    def constraint_jacobian(self) -> tuple[list[str], Array]:
        """What joints and constraints demand of the velocities of all bodies: the names of those
        that the rows belong to, and the rows, (m, 6 n)."""
        return self._condition_jacobian()

    def independent_coordinates(self) -> list[str]:
        """Coordinates of joints that describe the motion in this pose, driven ones first choice."""
        return jacobian.independent(self)

    # questions about shapes

    def ray(
        self,
        origin: ArrayLike,
        direction: ArrayLike,
        reach: SupportsFloat = np.inf,
        *,
        ignore: Iterable[str] = (),
    ) -> geometry.Hit | None:
        """The first body that a ray hits within ``reach`` metres; ``"world"`` is the ground."""
        names, far, which, points, normals = self._rays(
            [origin], [geometry.unit(direction)], float(reach), list(ignore)
        )
        if which[0] < 0:
            return None
        return geometry.Hit(float(far[0]), points[0], normals[0], names[which[0]])

    def rays(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        reach: SupportsFloat = np.inf,
        *,
        ignore: Iterable[str] = (),
    ) -> Array:
        """[m] How far many rays go, as a distance sensor sees it: (n,), infinite without a hit.

        ``directions`` is (n, 3), ``origins`` (n, 3) or one point for all.
        """
        along = geometry.unit(directions)
        start = np.broadcast_to(np.asarray(origins, dtype=np.float64), along.shape)
        return self._rays(list(start), list(along), float(reach), list(ignore))[1]

    def overlap(self, shape: Shape, *, ignore: Iterable[str] = ()) -> list[str]:
        """Names of the bodies that a shape overlaps."""
        return self._overlap(shape, list(ignore))

    def shape_cast(
        self,
        shape: Shape,
        way: ArrayLike,
        *,
        ignore: Iterable[str] = (),
        tolerance: SupportsFloat = 1e-6,
    ) -> geometry.Hit | None:
        """What a shape meets first on its way from where it is, by the vector ``way`` [m], while the
        world stands still."""
        found = self._shape_cast(shape, way, float(tolerance), list(ignore))
        if found is None:
            return None
        body, share, point, normal = found
        length = float(np.linalg.norm(np.asarray(way, dtype=np.float64)))
        return geometry.Hit(share * length, np.array(point), np.array(normal), body)

    def distance(self, a: str, b: str) -> geometry.Near:
        """How far two bodies are apart, or how deep they overlap; ``"world"`` is the ground."""
        return geometry.distance(self.shape(a), self.shape(b))

    def clearance(
        self, duration: SupportsFloat | None = None, *, jointed: bool = False
    ) -> list[dict[str, Any]]:
        """Runs, and gives the smallest distance of every pair of bodies, the closest first.

        Pairs that a joint connects count if ``jointed``. Callbacks are not called.
        """
        end = self.time + float(self.duration if duration is None else duration)
        return [
            {"bodies": tuple(names), "distance": d, "time": t, "points": np.array([a, b])}
            for names, d, t, a, b in self._clearance(end, jointed)
        ]

"""Many copies of a world, stepped on threads: arrays with a leading axis of worlds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._native import BatchCore
from .errors import Refused
from .world import World

Array = NDArray[np.float64]


class Batch(BatchCore):
    """Worlds that are stepped together. The bits are the same on any number of threads."""

    def __getitem__(self, index: int) -> World:
        world: World = self.worlds[index]
        return world

    def __len__(self) -> int:
        return len(self.worlds)

    def __iter__(self) -> Iterator[World]:
        return iter(self.worlds)

    def step(self, n: int = 1) -> dict[int, str]:
        """Steps every world; gives those whose last step did not converge, with the status."""
        return dict(self._step(n))

    def run(
        self, duration: SupportsFloat, *, record: Sequence[str], every: SupportsFloat | None = None
    ) -> tuple[list[str], Array]:
        """Runs every world; gives names of columns and values (worlds, rows, columns), time first.

        The duration is a whole number of steps.
        """
        size = self[0].step_size
        if any(w.step_size != size for w in self):
            raise Refused("the worlds of a batch have one step size to be run together")
        steps = round(float(duration) / size)
        if steps < 0 or abs(steps * size - float(duration)) > 1e-6 * size:
            raise Refused(f"a batch runs for whole steps of {size} s, not for {float(duration)} s")
        stride = max(1, round(float(every) / size)) if every is not None else 1
        names, values = self._run(steps, list(record), stride)
        return [name for name, _ in names], values

    def measure(self, path: str) -> Array:
        """A quantity of every world: (n,) for a number, (n, k) for components."""
        values = np.array(self._measure(path))
        return values[:, 0] if values.shape[1] == 1 else values

    def set(self, path: str, values: ArrayLike) -> None:
        """Sets a property in every world: one value for all, or one per world (leading axis)."""
        given = np.asarray(values)
        many = given.ndim > 0 and len(given) == len(self)
        for k, world in enumerate(self):
            value = given[k] if many else given
            world.set(path, value.item() if value.ndim == 0 else value)

    @property
    def positions(self) -> Array:
        """[m] Positions of all bodies, (worlds, bodies, 3)."""
        return self._state(0)

    @property
    def quaternions(self) -> Array:
        """Rotations of all bodies x, y, z, w, (worlds, bodies, 4)."""
        return self._state(1)

    @property
    def velocities(self) -> Array:
        """[m/s] Velocities of all bodies, (worlds, bodies, 3)."""
        return self._state(2)

    @property
    def angular_velocities(self) -> Array:
        """[rad/s] Angular velocities of all bodies, (worlds, bodies, 3)."""
        return self._state(3)

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} worlds on {self.threads} threads>"


def batch(world: World, n: int, *, threads: int = 0) -> Batch:
    """``n`` copies of a world that stand where it stands, on a number of threads (0: all cores)."""
    return Batch([world.copy() for _ in range(n)], threads)


__all__ = ["Batch", "batch"]

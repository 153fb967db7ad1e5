"""The state of a world as arrays: copies, and arrays that are read anew in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import Refused

if TYPE_CHECKING:
    from .questions import Questions

Array = NDArray[np.float64]

#: The arrays of the state.
NAMES = (
    "positions",
    "quaternions",
    "velocities",
    "angular_velocities",
    "coordinates",
    "rates",
    "efforts",
    "reactions",
)


class Arrays:
    """All arrays of a world at one moment.

    ``update()`` reads the world again into the same memory: whoever holds an array sees the new
    numbers, and nothing is allocated. An array never changes but by ``update()``, and stays valid
    whatever becomes of the world.
    """

    #: [m] origins of the bodies' frames, (n, 3), in the order of ``names``
    positions: Array
    #: rotations x, y, z, w, (n, 4)
    quaternions: Array
    #: [m/s] velocities of the centres of mass, (n, 3)
    velocities: Array
    #: [rad/s] angular velocities, (n, 3)
    angular_velocities: Array
    #: [rad, m] free coordinates of joints, (k,), in the order of ``coordinate_names``
    coordinates: Array
    #: [rad/s, m/s] their rates
    rates: Array
    #: [N m, N] what motors, springs, dampers and rotors put on them in the last step
    efforts: Array
    #: [N, N m] forces and torques of joints on their second bodies in the last step, (m, 6)
    reactions: Array

    def __init__(self, world: Questions) -> None:
        self._world = world
        self._remember()
        for name in NAMES:
            setattr(self, name, world._array(name))
        self.update()

    def _remember(self) -> None:
        world = self._world
        self._revision = world.revision
        #: names of the bodies, the rows of ``positions`` and the like
        self.names = world.body_names
        #: names of the joints, the rows of ``reactions``
        self.joint_names = world.joint_names
        #: names of the coordinates
        self.coordinate_names = world.coordinate_names
        #: [s] when
        self.time = world.time

    def update(self) -> Arrays:
        """Reads the world again. Refused if bodies or joints have come or gone since."""
        world = self._world
        if world.revision != self._revision:
            before = (self.names, self.joint_names, self.coordinate_names)
            now = (world.body_names, world.joint_names, world.coordinate_names)
            if before != now:
                raise Refused("bodies or joints have come or gone: take w.arrays() anew")
            self._remember()
        if not world._fill([(name, getattr(self, name)) for name in NAMES]):
            raise Refused("bodies or joints have come or gone: take w.arrays() anew")
        self.time = world.time
        return self

    def __repr__(self) -> str:
        return f"<arrays of {len(self.names)} bodies and {len(self.rates)} coordinates>"


class Views(Arrays):
    """The state of a world as arrays that follow it: ``views.positions`` is the same array every
    time, with the numbers of now.

    Nothing is allocated, and nothing is read that is not asked for. The arrays are read-only and
    lie in memory of their own, so that they stay valid whatever becomes of the world; they change
    when they are asked for through the views, not behind your back in the middle of a step. Once
    bodies or joints have come or gone, the views are refused for ever, and arrays that were taken
    from them keep the last numbers.
    """

    def __init__(self, world: Questions) -> None:
        super().__init__(world)
        self._ended = False
        # the memory is written here, and shown read-only
        self._own = {name: self.__dict__.pop(name) for name in NAMES}
        self._shown = {name: array.view() for name, array in self._own.items()}
        for array in self._shown.values():
            array.flags.writeable = False

    def __getattr__(self, name: str) -> Any:
        # only what is no attribute comes here: the arrays
        if name not in NAMES:
            raise AttributeError(f"views have no {name}")
        self._check()
        if not self._world._fill([(name, self._own[name])]):
            self._end()
        self.time = self._world.time
        return self._shown[name]

    def _check(self) -> None:
        world = self._world
        if self._ended:
            self._end()
        if world.revision != self._revision:
            before = (self.names, self.joint_names, self.coordinate_names)
            now = (world.body_names, world.joint_names, world.coordinate_names)
            if before != now:
                self._end()
            self._revision = world.revision

    def _end(self) -> None:
        self._ended = True
        raise Refused("bodies or joints have come or gone: take w.views() anew")

    def update(self) -> Views:
        """Reads all arrays now."""
        for name in NAMES:
            getattr(self, name)
        return self


@dataclass(frozen=True)
class Contacts:
    """Contacts of the last step as arrays, one row each."""

    #: numbers of the two bodies in the order of ``World.body_names``, -1 for the world, (n, 2)
    bodies: NDArray[np.int64]
    #: [m] centres of pressure, (n, 3)
    points: Array
    #: unit normals from the second to the first body, (n, 3)
    normals: Array
    #: [N] forces on the first body, (n, 3)
    forces: Array
    #: [m] smallest gaps, negative for an overlap, (n,)
    gaps: Array

    def __len__(self) -> int:
        return len(self.gaps)

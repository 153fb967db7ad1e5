"""What a hand does in a viewer's world: pushes, pulls, puts things elsewhere."""

from __future__ import annotations

from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike


def floats(value: ArrayLike) -> list[float]:
    """Plain numbers of whatever is an array."""
    return [float(x) for x in np.asarray(value, dtype=np.float64).ravel()]


class Hand:
    """Commands on bodies."""

    def command(self, do: str, **fields: Any) -> None:
        """Sends a command of the protocol and waits until it is done."""
        raise NotImplementedError

    def push(self, body: str, impulse: ArrayLike, at: ArrayLike) -> None:
        """An impulse [N s] at a point of the world [m]."""
        self.command("push", body=body, impulse=floats(impulse), point=floats(at))

    def force(
        self,
        body: str,
        force: ArrayLike = (0, 0, 0),
        torque: ArrayLike = (0, 0, 0),
        seconds: SupportsFloat = 0.0,
    ) -> None:
        """A force [N] and a torque [N m] about the centre of mass for some time, one step at
        least."""
        self.command(
            "force",
            body=body,
            force=floats(force),
            torque=floats(torque),
            seconds=float(seconds),
        )

    def place(
        self, body: str, position: ArrayLike, quaternion: ArrayLike = (0, 0, 0, 1)
    ) -> None:
        """Puts a body somewhere else, at once."""
        self.command("place", body=body, position=floats(position), rotation=floats(quaternion))

    def grab(
        self, body: str, target: ArrayLike, point: ArrayLike = (0, 0, 0), strength: float = 1.0
    ) -> None:
        """Takes a body by a point of its frame and pulls it to a target [m]; ``drag`` moves the
        target, ``release`` lets go."""
        self.command(
            "grab",
            body=body,
            point=floats(point),
            target=floats(target),
            turn=None,
            strength=float(strength),
        )

    def drag(self, target: ArrayLike) -> None:
        """Moves the hand."""
        self.command("drag", target=floats(target), turn=None)

    def release(self) -> None:
        """Lets go."""
        self.command("release")

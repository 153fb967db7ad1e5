"""Frames: what a viewer shows."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import KreiselError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """What the viewer shows: one state of the world."""

    #: steps made
    step: int
    #: [s] simulated time
    time: float
    #: [J] kinetic, potential and spring energy
    energy: tuple[float, float, float]
    #: [m] origins of the bodies' frames, single precision, (n, 3)
    positions: Array
    #: rotations x, y, z, w, single precision, (n, 4)
    quaternions: Array
    #: whether the world runs
    running: bool
    #: whether the world has ended
    ended: bool
    #: whether all joints are within tolerance
    converged: bool
    #: edits that can be undone and redone
    edits: tuple[int, int]


def frame(data: bytes) -> Frame:
    """Reads a frame; the layout is that of the live simulator."""
    if data[:4] != b"KRF\x01":
        raise KreiselError("the viewer speaks another version of Kreisel: update one of both")
    step, bodies = struct.unpack_from("<II", data, 8)
    (flags,) = struct.unpack_from("<I", data, 92)
    t, *rest = struct.unpack_from("<7d", data, 16)
    poses = np.frombuffer(data, "<f4", 7 * bodies, 144).reshape(bodies, 7).astype(np.float64)
    undo, redo = struct.unpack_from("<HH", data, 136)
    return Frame(
        step,
        t,
        (rest[3], rest[4], rest[5]),
        poses[:, :3] + np.array(rest[:3]),
        poses[:, 3:],
        bool(flags & 1),
        bool(flags & 2),
        bool(flags & 4),
        (undo, redo),
    )

"""A four-bar linkage made in code: driven, recorded, and checked against its closed form.

``python four_bar.py`` prints how far the loop is from closing and writes a plot.
"""

from __future__ import annotations

import sys

import kreisel as kr
import numpy as np

CRANK, ROCKER, GROUND = 0.2, 0.4, 0.5


def linkage() -> kr.World:
    """Crank, coupler and rocker in the x-z plane; the crank stands upright at the start."""
    w = kr.World(title="four-bar", step=0.002, gravity=[0, 0, 0])
    a, b, d = np.array([0, 0, 0]), np.array([0, 0, CRANK]), np.array([GROUND, 0, 0])
    c = d + ROCKER * np.array([0, 0, 1.0])
    for name, start, end in [("crank", a, b), ("coupler", b, c), ("rocker", d, c)]:
        along = end - start
        angle = -np.degrees(np.arctan2(along[2], along[0]))
        w.add_body(
            name=name,
            shape={"box": [np.linalg.norm(along), 0.02, 0.02]},
            density=2700,
            collide=False,
            position=(start + end) / 2,
            rotation={"axis": [0, 1, 0], "angle": f"{angle} deg"},
        )
    for name, bodies, at in [
        ("drive", ["world", "crank"], a),
        ("pin b", ["crank", "coupler"], b),
        ("pin c", ["coupler", "rocker"], c),
        ("pivot", ["world", "rocker"], d),
    ]:
        w.add_joint(name=name, type="hinge", bodies=bodies, at=at, axis=[0, 1, 0])
    w.add_motor(name="motor", joint="drive", velocity=2 * np.pi)
    return w


def main() -> None:
    """Runs one turn (a part of it with ``--quick``)."""
    w = linkage()
    run = w.run(
        0.2 if "--quick" in sys.argv else 1.0, record=["drive.angle", "pivot.angle", "pin c.force"]
    )
    # Freudenstein: the distance between crank pin and rocker pin is the coupler's length
    crank = CRANK * np.exp(1j * (np.pi / 2 - run["drive.angle"]))
    rocker = GROUND + ROCKER * np.exp(1j * (np.pi / 2 - run["pivot.angle"]))
    length = np.abs(rocker - crank)
    print(f"the coupler's length varies by {np.ptp(length):.1e} m; worst joint {run.worst}")
    assert np.ptp(length) < 1e-5
    run.svg("pivot.angle", "drive.angle").save("four_bar.svg")


if __name__ == "__main__":
    main()

"""Arrays that are read anew, efforts, contacts."""

from __future__ import annotations

import kreisel as kr
import numpy as np
import pytest


def test_arrays_are_read_again_in_place(arm: kr.World) -> None:
    arrays = arm.arrays()
    kept, copy = arrays.positions, arm.positions
    arm.run(0.3, record=[])
    assert np.array_equal(kept, copy), "nothing changes unasked"
    assert arrays.update() is arrays and arrays.positions is kept
    assert np.array_equal(kept, arm.positions) and not np.array_equal(kept, copy)
    assert arrays.time == arm.time
    for name in ("quaternions", "velocities", "angular_velocities", "coordinates", "rates"):
        assert np.array_equal(getattr(arrays, name), getattr(arm, name)), name
    assert np.array_equal(arrays.reactions, arm.reactions)


def test_arrays_of_a_world_that_has_changed_are_refused(arm: kr.World) -> None:
    arrays = arm.arrays()
    before = arrays.positions.copy()
    # another mass leaves bodies and joints where they are
    arm.body("arm").mass = 2.0
    arrays.update()
    arm.add_body(name="other", shape={"sphere": 0.1}, mass=1.0)
    with pytest.raises(kr.Refused, match="anew"):
        arrays.update()
    arm.remove("other")
    arrays.update()
    arm.rename("arm", "rod")
    with pytest.raises(kr.Refused, match="anew"):
        arrays.update()
    assert np.array_equal(arrays.positions, before), "the old numbers stay"


def test_efforts_are_those_of_motors_and_springs(arm: kr.World) -> None:
    arm.motor("drive").effort = 0.7
    arm.step()
    assert arm.coordinate_names == ["pivot.angle"]
    assert arm.efforts == pytest.approx([0.7])
    # a spring on the joint: -k (q - rest), and the motor besides
    w = kr.World(step=0.001, gravity=[0, 0, 0])
    w.add_body(name="arm", shape={"box": [1.0, 0.1, 0.1]}, mass=1.0, position=[0.5, 0, 0])
    w.add_joint(
        name="pivot",
        type="hinge",
        bodies=["world", "arm"],
        axis=[0, 1, 0],
        stiffness={"angle": 2.0},
        rest={"angle": 0.5},
    )
    w.add_motor(name="drive", joint="pivot", effort=0.25)
    w.step()
    assert w.efforts[0] == pytest.approx(2.0 * 0.5 + 0.25, abs=1e-3)


def test_contacts_carry_the_weight() -> None:
    w = kr.World(step=0.005, ground={"height": 0})
    for k in range(2):
        w.add_body(name=f"block {k}", shape={"box": [1, 1, 1]}, mass=2.0, position=[0, 0, 0.5 + k])
    w.run(0.5, record=[])
    c = w.contact_arrays()
    assert len(c) == len(w.contacts) and c.bodies.shape == (len(c), 2)
    # what stands on the ground presses with both weights, the upper one with its own
    down = {0: 0.0, 1: 0.0}
    for (a, b), force in zip(c.bodies, c.forces, strict=True):
        for body, sign in ((a, 1), (b, -1)):
            if body >= 0:
                down[int(body)] += sign * force[2]
    assert down[0] == pytest.approx(2 * 9.81, rel=1e-6)
    assert down[1] == pytest.approx(2 * 9.81, rel=1e-6)
    assert {int(b) for b in c.bodies.ravel()} == {-1, 0, 1}
    assert np.allclose(np.abs(c.normals[:, 2]), 1)
    assert kr.World().contact_arrays().points.shape == (0, 3)


def test_views_follow_the_world_in_the_same_memory(arm: kr.World) -> None:
    views = arm.views()
    positions = views.positions
    before = positions.copy()
    arm.step(10)
    # read when it is asked for, into the same array
    assert views.positions is positions and not np.array_equal(positions, before)
    assert np.array_equal(positions, arm.positions) and views.time == arm.time
    assert not positions.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        positions[0] = 0.0
    assert np.array_equal(views.coordinates, arm.coordinates)


def test_views_end_when_bodies_come_or_go_and_their_arrays_stay(arm: kr.World) -> None:
    views = arm.views()
    positions = views.positions
    last = positions.copy()
    arm.body("arm").mass = 2.0
    # another mass is the same world
    assert views.positions is positions
    arm.add_body(name="other", shape="point", mass=1.0)
    for _ in range(2):
        with pytest.raises(kr.Refused, match="anew"):
            _ = views.positions
    # even if it goes again, they stay ended
    arm.remove("other")
    with pytest.raises(kr.Refused, match="anew"):
        _ = views.rates
    arm.step(5)
    assert np.array_equal(positions, last)
    assert arm.views().positions.shape == (1, 3)

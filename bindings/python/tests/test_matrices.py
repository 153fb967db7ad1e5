"""Mass matrices and Jacobians: closed forms, finite differences, energies."""

from __future__ import annotations

from math import cos, sin
from pathlib import Path

import kreisel as kr
import numpy as np
import pytest

LENGTH, MASS = 0.7, 1.3


def double_pendulum() -> kr.World:
    """Two thin rods on hinges about y, in a bent pose, with speeds."""
    w = kr.World(step=0.001)
    for k, x in enumerate((0.5 * LENGTH, 1.5 * LENGTH)):
        w.add_body(
            name=f"rod {k}",
            mass=MASS,
            inertia=[1e-9, MASS * LENGTH**2 / 12, MASS * LENGTH**2 / 12],
            position=[x, 0, 0],
        )
    w.add_joint(name="one", type="hinge", bodies=["world", "rod 0"], axis=[0, 1, 0])
    w.add_joint(
        name="two", type="hinge", bodies=["rod 0", "rod 1"], at=[LENGTH, 0, 0], axis=[0, 1, 0]
    )
    w.run(0.6, record=[])
    return w


def test_a_double_pendulum_has_the_mass_matrix_of_the_textbook() -> None:
    w = double_pendulum()
    assert w.independent_coordinates() == ["one.angle", "two.angle"]
    m = w.mass_matrix(["one.angle", "two.angle"])
    # rods of length l and mass m, relative angles q1, q2
    c = cos(w.joint("two").angle)
    ml2 = MASS * LENGTH**2
    m22 = ml2 / 3
    m12 = ml2 / 3 + ml2 * c / 2
    m11 = ml2 * (5 / 3 + c)
    assert abs(c) < 0.99
    assert np.allclose(m, [[m11, m12], [m12, m22]], rtol=1e-6, atol=1e-8)
    # the order of the names is that of the rows
    assert np.allclose(w.mass_matrix(["two.angle", "one.angle"]), m[::-1, ::-1])


def test_its_end_moves_as_the_jacobian_says() -> None:
    w = double_pendulum()
    names = w.coordinate_names
    tip = [0.5 * LENGTH, 0, 0]
    j = w.jacobian("rod 1", tip, coordinates=names)
    a, b = w.coordinates
    # hinges about y turn x to -z
    along = [LENGTH * -sin(a + b), 0, LENGTH * -cos(a + b)]
    first = [LENGTH * -sin(a), 0, LENGTH * -cos(a)]
    assert np.allclose(j[:3, 1], along, atol=1e-6)
    assert np.allclose(j[:3, 0], np.add(first, along), atol=1e-6)
    assert np.allclose(j[3:], [[0, 0], [1, 1], [0, 0]], atol=1e-6)
    # and as it moved: central difference over two steps
    before = w.body("rod 1").point(tip)
    w.step()
    rates = w.rates
    j = w.jacobian("rod 1", tip, coordinates=names)
    w.step()
    moved = (w.body("rod 1").point(tip) - before) / (2 * w.step_size)
    assert np.allclose(j[:3] @ rates, moved, atol=1e-4)


@pytest.mark.parametrize(
    "name",
    ["iftomm/a02-four-bar.toml", "iftomm/a04-bricard.toml", "features/four-bar.toml"],
)
def test_loops_move_as_their_coordinates_say(scenes: Path, name: str) -> None:
    w = kr.load(scenes / name)
    w.run(0.4, record=[])
    good = w.independent_coordinates()
    assert len(good) == w.analyse()["freedom"] == 1
    rate = np.array([w.rates[w.coordinate_names.index(n)] for n in good])
    # the motion of the engine, velocities within their tolerance
    both = np.hstack([w.velocities, w.angular_velocities])
    for body, velocity in zip(w.body_names, both, strict=True):
        center = w.body(body).center_of_mass - w.body(body).position
        q = w.body(body).quaternion
        local = rotated(q * [-1, -1, -1, 1], center)
        said = w.jacobian(body, local, coordinates=good) @ rate
        assert np.allclose(said, velocity, atol=1e-5 * (1 + np.abs(velocity).max())), body
    # and its energy
    kinetic = 0.5 * rate @ w.mass_matrix(good) @ rate
    assert kinetic == pytest.approx(w.energy["kinetic"], rel=1e-4)


def rotated(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """A vector turned by a quaternion x, y, z, w."""
    u = q[:3]
    t = 2 * np.cross(u, v)
    return v + q[3] * t + np.cross(u, t)


def test_the_whole_matrix_is_that_of_the_bodies() -> None:
    w = double_pendulum()
    m = w.mass_matrix()
    assert m.shape == (12, 12) and np.array_equal(m, m.T)
    v = np.hstack([w.velocities, w.angular_velocities]).ravel()
    assert 0.5 * v @ m @ v == pytest.approx(w.energy["kinetic"], rel=1e-12)
    owners, rows = w.constraint_jacobian()
    assert owners == ["one"] * 5 + ["two"] * 5
    assert np.abs(rows @ v).max() < 1e-6
    assert np.allclose(w.coordinate_jacobian() @ v, w.rates, atol=1e-12)


def test_free_bodies_are_described_by_their_velocities() -> None:
    w = kr.World(gravity=[0, 0, 0])
    w.add_body(name="base", shape={"box": [1, 1, 1]}, mass=2.0)
    w.add_body(name="arm", shape={"box": [1, 0.1, 0.1]}, mass=1.0, position=[1, 0, 0])
    w.add_joint(name="hip", type="hinge", bodies=["base", "arm"], at=[0.5, 0, 0], axis=[0, 1, 0])
    vectors = ("velocity", "angular_velocity")
    names = ["hip.angle"] + [f"base.{v}.{a}" for v in vectors for a in "xyz"]
    m = w.mass_matrix(names)
    assert m[1:4, 1:4] == pytest.approx(3.0 * np.eye(3))
    # a turn of the arm alone: its inertia about the hinge
    assert m[0, 0] == pytest.approx((1 + 0.01) / 12 + 0.25)
    with pytest.raises(kr.Refused, match="7 degrees of freedom.*base.velocity.x"):
        w.mass_matrix(["hip.angle"])


def test_wrong_coordinates_are_answered(scenes: Path) -> None:
    w = kr.load(scenes / "features/four-bar.toml")
    good = w.independent_coordinates()
    with pytest.raises(kr.UnknownName, match="did you mean"):
        w.mass_matrix([good[0] + "x"])
    with pytest.raises(kr.Refused, match=f"take {good[0]}"):
        w.mass_matrix(w.coordinate_names[:2])
    with pytest.raises(kr.UnknownName, match="there is no body"):
        w.jacobian("nobody")


@pytest.mark.parametrize("folder", ["joints", "couplings", "features", "wagner"])
def test_all_kinds_of_joints_and_constraints_leave_the_freedom_that_is_counted(
    scenes: Path, folder: str
) -> None:
    found = sorted((scenes / folder).glob("*.toml"))
    assert found
    for path in found:
        w = kr.load(path)
        w.step(3)
        good = w.independent_coordinates()
        freedom = w.analyse()["freedom"]
        if len(good) == freedom > 0:
            # positive definite, as a kinetic energy is
            assert np.linalg.eigvalsh(w.mass_matrix(good))[0] > 0, path.name
        else:
            # joints' coordinates alone do not do: the count is in the message
            assert len(good) < freedom or freedom == 0, path.name
            if freedom:
                with pytest.raises(kr.Refused, match=f"for {freedom} degrees of freedom"):
                    w.mass_matrix(good)

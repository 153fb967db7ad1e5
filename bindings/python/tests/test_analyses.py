"""Rest, vibrations, linear systems, inverse kinematics and dynamics, from Python."""

from __future__ import annotations

import math
from pathlib import Path

import kreisel as kr
import numpy as np
import pytest
from conftest import pendulum

#: A rod of 1 m that hangs on its end: inertia about the pivot, kg m².
INERTIA = 1.0 * (1.0**2 + 0.1**2) / 12 + 0.25


def test_a_pendulum_comes_to_rest_below_and_swings_at_its_frequency() -> None:
    w = pendulum(step=0.01)
    w.remove("drive")
    before = w.state_hash
    found = w.equilibrium()
    assert found.stable and found.freedom == 1
    assert found.positions[0] == pytest.approx([0, 0, -0.5], abs=1e-9)
    pivot = next(r for r in found.reactions if r.name == "pivot")
    assert abs(pivot.force[2]) == pytest.approx(9.81)
    assert w.state_hash == before
    w.equilibrium(keep=True)
    assert w.body("arm").position == pytest.approx([0, 0, -0.5], abs=1e-9)

    # ω² = m g l / I
    modes = w.modes()
    wanted = math.sqrt(9.81 * 0.5 / INERTIA) / (2 * math.pi)
    assert modes.frequencies == pytest.approx([wanted], rel=1e-8)
    assert abs(modes.eigenvalues[0].imag) == pytest.approx(2 * math.pi * wanted, rel=1e-8)


def test_a_damped_pendulum_is_the_linear_system_of_its_equation() -> None:
    w = pendulum(step=0.01)
    w.joint("pivot").set("damping.angle", 0.3)
    w.equilibrium(keep=True)
    s = w.linearise(["drive"], ["pivot.angle", "pivot.angle_rate"])
    assert s.A.shape == (2, 2) and s.B.shape == (2, 1) and s.C.shape == (2, 2)
    # s² + d/I s + m g l/I has the same eigenvalues in any coordinates
    wanted = np.roots([1, 0.3 / INERTIA, 9.81 * 0.5 / INERTIA])
    assert sorted(np.linalg.eigvals(s.A).imag) == pytest.approx(sorted(wanted.imag), rel=1e-7)
    assert np.linalg.eigvals(s.A).real == pytest.approx(wanted.real, rel=1e-6)
    # the answer to a constant effort: 1 / (m g l)
    static = s.D - s.C @ np.linalg.solve(s.A, s.B)
    assert abs(static[0, 0]) == pytest.approx(1 / (9.81 * 0.5), rel=1e-7)
    # and to an oscillating one, from the equation
    answer = w.response([0.5, 1.0], ["drive"], ["pivot.angle"])["drive"]
    omega = 2 * np.pi * np.array([0.5, 1.0])
    exact = 1 / (9.81 * 0.5 - INERTIA * omega**2 + 0.3j * omega)
    assert np.abs(answer[:, 0]) == pytest.approx(np.abs(exact), rel=1e-6)


def test_a_pose_is_found_for_a_goal_and_refused_out_of_reach(scenes: Path) -> None:
    w = kr.load(scenes / "analyses/delta-robot.toml")
    goal = [0.05, 0.0, -0.25]
    reached = w.inverse_kinematics({"platform": goal})
    assert reached.goals < 1e-9 and w.body("platform").position == pytest.approx(goal, abs=1e-9)
    before = w.state_hash
    with pytest.raises(kr.Refused):
        w.inverse_kinematics({"platform": [5, 0, 0]})
    assert w.state_hash == before
    with pytest.raises(kr.UnknownName, match="platform"):
        w.inverse_kinematics({"platfrm": goal})


def test_efforts_for_a_motion_are_those_of_the_equation() -> None:
    w = pendulum(step=0.001)
    t = np.linspace(0, 1, 101)
    angle = 0.3 * t**2
    found = w.inverse_dynamics({"pivot.angle": angle}, t, keep=True)
    # I q'' − m g l cos q; positive angles about +y turn the rod down from +x
    wanted = INERTIA * 0.6 - 9.81 * 0.5 * np.cos(angle)
    inner = slice(5, -5)
    assert found.actuators == ["pivot.angle"]
    assert found.efforts[inner, 0] == pytest.approx(wanted[inner], abs=2e-3)
    # replayed, they make the motion
    w.motor("drive").set("effort", list(zip(t.tolist(), found.efforts[:, 0].tolist(), strict=True)))
    run = w.run(1.0, record=["pivot.angle"])
    assert run["pivot.angle"][-1] == pytest.approx(0.3, abs=1e-3)
    with pytest.raises(kr.Refused, match="values at"):
        w.inverse_dynamics({"pivot.angle": [0, 1]}, t)


def test_sensitivities_of_a_rest_are_those_of_differences() -> None:
    def build(stiffness: float, mass: float) -> kr.World:
        w = pendulum(step=0.01)
        w.remove("drive")
        w.body("arm").mass = mass
        w.joint("pivot").set("stiffness.angle", stiffness)
        return w

    at = {"stiffness": 6.0, "mass": 1.0}
    found = kr.sensitivity(build, at, ["pivot.angle"])
    # k q = m g l cos q
    q = found.values[0]
    assert 6.0 * q == pytest.approx(9.81 * 0.5 * math.cos(q), abs=1e-8)
    slope = 6.0 + 9.81 * 0.5 * math.sin(q)
    assert found.derivatives[0] == pytest.approx([-q / slope, 9.81 * 0.5 * math.cos(q) / slope])
    with pytest.raises(TypeError):
        kr.sensitivity(build, {"stifness": 1.0}, ["pivot.angle"])


def test_a_four_bar_has_one_freedom(scenes: Path) -> None:
    found = kr.load(scenes / "features/four-bar.toml").mobility()
    assert found.freedom == 1 and found.margin > 0
    assert any(share > 0 for share in found.coordinates.values())

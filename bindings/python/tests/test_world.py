"""Loading, building, stepping, named access, arrays, snapshots, files."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import weakref
from pathlib import Path

import kreisel as kr
import numpy as np
import pytest
from conftest import pendulum

#: Inertia of the arm about its pivot, kg m²: a box of 1 × 0.1 × 0.1 m about y, and Steiner's share.
INERTIA = (1.0**2 + 0.1**2) / 12 + 0.5**2


def test_a_world_made_in_code_is_that_of_the_same_scene(arm: kr.World) -> None:
    text = """
        [world]
        step = 0.01
        [[body]]
        name = "arm"
        shape = { box = [1.0, 0.1, 0.1] }
        mass = 1.0
        position = [0.5, 0, 0]
        [[joint]]
        name = "pivot"
        type = "hinge"
        bodies = ["world", "arm"]
        axis = [0, 1, 0]
        [[motor]]
        name = "drive"
        joint = "pivot"
        effort = 0
    """
    other = kr.parse(text)
    assert arm.state_hash == other.state_hash
    assert arm.run(1.0).state_hash == other.run(1.0).state_hash


def test_a_pendulum_exchanges_energy_as_its_inertia_says() -> None:
    w = pendulum(step=0.001)
    run = w.run(0.3, record=["pivot.angle", "pivot.angle_rate", "energy"])
    # ½ I ω² = m g l/2 sin φ, since it starts at rest and horizontal
    angle, rate = run["pivot.angle"], run["pivot.angle_rate"]
    expected = np.sqrt(2 * 1.0 * 9.81 * 0.5 * np.sin(angle) / INERTIA)
    assert np.max(np.abs(rate - expected)) < 1e-4
    assert run.units["pivot.angle_rate"] == "rad/s"
    assert run.ok and run.worst is not None and run.worst.position <= 1e-6


def test_a_run_for_a_time_ends_there_with_a_shorter_last_step(arm: kr.World) -> None:
    run = arm.run(0.125)
    assert arm.time == pytest.approx(0.125, abs=1e-12)
    assert len(run.time) == 14  # 12 whole steps, one of 5 ms, and the start
    assert arm.step_size == 0.01
    arm.run(until=0.2)
    assert arm.time == pytest.approx(0.2, abs=1e-12)


def test_runs_that_cannot_be_are_refused(arm: kr.World) -> None:
    for wrong in (math.nan, math.inf, -1.0):
        with pytest.raises(kr.Refused):
            arm.run(wrong)
    with pytest.raises(kr.Refused):
        arm.run(1.0, until=2.0)


def test_properties_are_read_and_set_by_attribute(arm: kr.World) -> None:
    body, joint = arm.body("arm"), arm.joint("pivot")
    body.mass = np.float32(2.0)
    assert body.mass == 2.0
    # the same body of twice the density
    assert body.inertia[1] == pytest.approx(2 * (1.0**2 + 0.1**2) / 12)
    assert joint.limits.angle.max is None
    joint.limits.angle.max = 1.0
    assert joint.get("limits.angle.max") == 1.0
    arm.run(2.0)
    assert joint.angle <= 1.0 + 1e-6
    joint.limits.angle.max = None
    assert joint.limits.angle.max is None
    arm.settings.gravity = np.zeros(3)
    assert list(arm.settings.gravity) == [0, 0, 0]
    arm.settings.order = 4
    assert arm.settings.order == "4"
    assert arm.get("world.tolerance.position") == 1e-6
    arm.set("arm.friction", 0.25)
    assert arm.get("arm.friction") == 0.25


@pytest.mark.parametrize(
    "number", [np.float64(0.2), np.float32(0.25), np.int64(1), 1, np.array(0.5)]
)
def test_numbers_of_numpy_are_numbers(arm: kr.World, number: object) -> None:
    arm.joint("pivot").motor.effort = number
    assert arm.motor("drive").effort == float(number)
    arm.body("arm").position = np.array([0.5, 0, 0], dtype=np.float32)
    arm.body("arm").restitution = number
    assert arm.body("arm").restitution == float(number)


def test_typing_errors_are_answered_with_what_may_be_meant(arm: kr.World) -> None:
    cases = [
        (lambda: arm.joint("pivt"), kr.UnknownName, 'did you mean "pivot"'),
        (lambda: arm.body("pivot"), kr.UnknownName, "it is a joint"),
        (lambda: arm.joint("pivot").angel, kr.UnknownProperty, 'did you mean "angle"'),
        (lambda: arm.joint("pivot").position, kr.UnknownProperty, "position"),
        (lambda: arm.joint("pivot").limits.angle.maxx, kr.UnknownProperty, "limits.angle.max"),
        (lambda: setattr(arm.body("arm"), "mas", 1), kr.UnknownProperty, 'did you mean "mass"'),
        (lambda: arm.run(1, record=["pivot.angl"]), kr.UnknownName, "pivot.angle"),
        (lambda: arm.measure("energy.totl"), kr.UnknownName, "energy.total"),
        (lambda: arm.run(0.1, record=["energy"])["energy.totl"], kr.UnknownName, "energy.total"),
        (lambda: arm.remove("amr"), kr.UnknownName, 'did you mean "arm"'),
        (lambda: arm.add_joint(type="hnge", bodies=["world", "arm"]), kr.SceneError, "hinge"),
        (lambda: arm.add_joint(type="hinge", bodies=["world", "am"]), kr.SceneError, "arm"),
    ]
    for wrong, error, said in cases:
        with pytest.raises(error, match=said):
            wrong()
    assert not hasattr(arm.body("arm"), "no_such_thing")


def test_refused_values_change_nothing(arm: kr.World) -> None:
    before = arm.save_text()
    body, motor = arm.body("arm"), arm.motor("drive")
    for key, value in [
        ("mass", -1),
        ("mass", "x"),
        ("mass", None),
        ("position", [1, 2]),
        ("position", 3),
        ("kind", "rigid"),
        ("velocity", [math.nan, 0, 0]),
        ("center_of_mass", [0, 0, 0]),
    ]:
        with pytest.raises(kr.Refused):
            setattr(body, key, value)
    for key, value in [
        ("effort", math.inf),
        ("velocity", 1.0),
        ("target", 1.0),
        ("max_effort", -1),
    ]:
        with pytest.raises(kr.Refused):
            setattr(motor, key, value)
    with pytest.raises(kr.Refused):
        arm.joint("pivot").motor.effort_now = 1
    with pytest.raises(kr.Refused):
        arm.settings.step = -0.1
    with pytest.raises(kr.Refused):
        kr.World(step=math.nan)
    assert arm.save_text() == before


def test_errors_of_scenes_show_every_problem_at_its_place(scenes: Path) -> None:
    with pytest.raises(kr.SceneError) as caught:
        kr.parse('[[body]]\nnmae = "a"\nshape = { spher = 1 }\n', name="wrong.toml")
    codes = {(p["code"], p["line"]) for p in caught.value.problems}
    assert {("scene::unknown-key", 2), ("scene::unknown-key", 3)} <= codes
    assert "did you mean `name`?" in str(caught.value) and "wrong.toml:2:1" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.problems == caught.value.problems
    with pytest.raises(kr.SceneError, match="cannot be read"):
        kr.load(scenes / "there is none.toml")


def test_a_motor_turns_as_its_effort_says() -> None:
    w = pendulum(step=0.001, gravity=[0, 0, 0])
    w.joint("pivot").motor.effort = 0.2
    w.run(1.0, record=[])
    # constant torque: ω = M t / I; the joint's velocity error of 1e-6 m/s at a lever of 0.5 m
    assert w.joint("pivot").angle_rate == pytest.approx(0.2 / INERTIA, abs=2e-6)
    assert w.motor("drive").effort_now == pytest.approx(0.2)


def test_a_motor_is_told_what_it_is_driven_by(arm: kr.World) -> None:
    arm.add_body(name="wheel", shape={"sphere": 0.1}, position=[0, 0, 1])
    arm.add_joint(name="axle", type="hinge", bodies=["world", "wheel"], at=[0, 0, 1])
    with pytest.raises(kr.UnknownProperty, match="add_motor"):
        arm.joint("axle").motor
    motor = arm.add_motor(name="spin", joint="axle", velocity=2.0)
    assert motor.velocity == 2.0
    arm.run(0.1)
    assert arm.joint("axle").angle_rate == pytest.approx(2.0, abs=1e-6)
    with pytest.raises(kr.Refused, match="set .velocity"):
        motor.effort = 1.0
    motor.velocity = -3.0
    arm.step()
    assert arm.joint("axle").angle_rate == pytest.approx(-3.0, abs=1e-6)


def test_arrays_are_copies_in_the_order_of_names(arm: kr.World) -> None:
    arm.add_body(name="free", shape={"sphere": 0.1}, position=[3, 0, 0], velocity=[1, 2, 3])
    assert arm.body_names == ["arm", "free"]
    p = arm.positions
    assert p.shape == (2, 3) and list(p[1]) == [3, 0, 0]
    p[:] = 7
    assert list(arm.body("free").position) == [3, 0, 0]
    assert list(arm.velocities[1]) == [1, 2, 3]
    assert arm.quaternions.shape == (2, 4) and list(arm.quaternions[0]) == [0, 0, 0, 1]
    assert arm.coordinate_names == ["pivot.angle"] and arm.coordinates.shape == (1,)
    run = arm.run(0.5, record=["free.position"])
    # free flight is exact: x = 3 + t
    assert np.max(np.abs(run["free.position"][:, 0] - 3 - run.time)) < 1e-12
    assert arm.reactions.shape == (1, 6)
    assert np.array_equal(arm.reactions[0, :3], arm.joint("pivot").force)
    assert arm.rates[0] == arm.joint("pivot").angle_rate == arm.measure("pivot.angle_rate")
    assert arm.measure("free.position.x") == arm.body("free").position[0]


def test_a_snapshot_brings_back_the_same_bits_and_what_existed(arm: kr.World) -> None:
    arm.run(0.3)
    start = arm.snapshot()
    first = arm.run(0.5).state_hash
    arm.remove("drive")
    arm.body("arm").mass = 5
    arm.run(0.1)
    arm.restore(start)
    assert arm.time == pytest.approx(0.3) and start.time == pytest.approx(0.3)
    assert arm.names("motor") == ["drive"] and arm.body("arm").mass == 1.0
    assert arm.run(0.5).state_hash == first
    arm.restart()
    # what was added before the first step belongs to the start
    assert arm.time == 0 and arm.body_names == ["arm"] and arm.names("motor") == ["drive"]


def test_copies_go_their_own_ways_with_the_same_bits(arm: kr.World) -> None:
    arm.run(0.2)
    for other in (arm.copy(), copy.copy(arm), copy.deepcopy(arm)):
        assert other.state_hash == arm.state_hash
    other = arm.copy()
    assert other.run(0.3).state_hash == arm.copy().run(0.3).state_hash
    other.body("arm").mass = 3
    assert arm.body("arm").mass == 1.0
    loaded = pickle.loads(pickle.dumps(arm))
    assert loaded.state_hash == arm.state_hash


def test_what_is_saved_is_loaded_again(arm: kr.World, tmp_path: Path) -> None:
    arm.run(0.2)
    arm.joint("pivot").limits.angle.max = 2.0
    for name in ("w.toml", "w.json"):
        arm.save(tmp_path / name)
        again = kr.load(tmp_path / name)
        assert again.state_hash == arm.state_hash
        assert again.joint("pivot").limits.angle.max == 2.0
    kr.convert(tmp_path / "w.toml", tmp_path / "v.json")
    assert kr.load(tmp_path / "v.json").state_hash == arm.state_hash
    with pytest.raises(kr.Refused):
        arm.save(tmp_path / "w.yaml")


def test_items_are_removed_renamed_and_added_again(arm: kr.World) -> None:
    body, joint, motor = arm.body("arm"), arm.joint("pivot"), arm.motor("drive")
    arm.remove("arm")
    for gone in (lambda: arm.body("arm"), lambda: joint.angle, lambda: motor.effort):
        with pytest.raises(kr.UnknownName):
            gone()
    assert arm.names("joint") == [] and arm.names("motor") == []
    with pytest.raises(kr.UnknownName):
        body.mass
    with pytest.raises(kr.UnknownName):
        arm.joint("pivot")
    with pytest.raises(kr.UnknownName):
        arm.motor("drive")
    # the name is free again
    arm.add_body(name="arm", shape="point", mass=2)
    assert body.mass == 2
    arm.rename("arm", "bob")
    assert arm.body("bob").mass == 2
    arm.add_body(name="arm", shape="point", mass=3, position=[1, 0, 0])
    assert arm.body_names == ["bob", "arm"]
    with pytest.raises(kr.Refused):
        arm.body("bob").name = "x"


def test_a_world_that_nobody_has_is_gone() -> None:
    class Watched(kr.World):
        """A world that can be watched."""

    w = Watched()
    w.add_body(name="a", shape="point", mass=1)
    w.on_event(lambda world, event: w.body("a"))
    assert w.body("a") is w.body("a")
    gone = weakref.ref(w)
    del w
    gc.collect()
    assert gone() is None


def test_items_join_a_world_that_has_moved(arm: kr.World) -> None:
    arm.run(0.4)
    tip = arm.body("arm").point([0.5, 0, 0])
    arm.add_body(name="bob", shape={"sphere": 0.05}, mass=0.1, position=tip)
    arm.add_joint(name="tip", type="ball", bodies=["arm", "bob"], at=tip)
    gap, _ = arm.joint("tip").error
    assert gap < 1e-12
    assert arm.run(0.5).ok
    many = arm.add_body(shape={"sphere": 0.1}, position=["i", 0, 5], repeat=3)
    assert [b.position[0] for b in many] == [0, 1, 2]
    arm.add(
        body=[{"name": "a", "shape": "point", "mass": 1}],
        spring=[{"bodies": ["world", "a"], "at": [[1, 0, 0], [0, 0, 0]], "stiffness": 3}],
    )
    assert arm.spring(arm.names("spring")[0]).stiffness == 3
    arm.add_force(body="a", force=[1, 0, 0], from_=0)
    arm.add(world={"gravity": [0, 0, 0]})
    arm.body("a").velocity = [0, 0, 0]
    assert list(arm.settings.gravity) == [0, 0, 0]


def test_an_outer_force_acts_for_one_step() -> None:
    w = kr.World(step=0.01, gravity=[0, 0, 0])
    b = w.add_body(name="b", shape="point", mass=2.0)
    b.apply_force([4.0, 0, 0])
    w.step(10)
    assert b.velocity[0] == pytest.approx(4.0 * 0.01 / 2.0, rel=1e-12)
    b.apply_impulse(np.array([0, 1.0, 0]))
    assert b.velocity[1] == pytest.approx(0.5)


def test_the_report_names_status_worst_joint_and_energies(arm: kr.World) -> None:
    report = arm.step()
    assert report.ok and report.status == "converged" and report.time == pytest.approx(0.01)
    name, gap, angle = report.worst or ("", 1.0, 1.0)
    assert name == "pivot" and gap <= 1e-6 and angle <= 1e-6
    ledger = report.ledger
    left = ledger["change"] - ledger["motors"] - ledger["user"] - ledger["kinematic"]
    left += ledger["damping"] + ledger["friction"] + ledger["impacts"] + ledger["correction"]
    assert left == pytest.approx(ledger["residual"], abs=1e-15)
    energy = arm.energy
    assert energy["total"] == energy["kinetic"] + energy["potential"] + energy["spring"]
    assert arm.analyse()["freedom"] == 1


def test_a_step_that_spends_its_budget_says_so() -> None:
    w = pendulum(step=0.1, max_rounds=1, substeps=1, tolerance=1e-9)
    report = w.step()
    assert not report.ok and report.status in ("budget spent", "not converged")
    run = w.run(1.0)
    assert not run.ok and run.summary.converged < run.summary.steps
    assert run.worst is not None and run.worst.position > 1e-9


def test_events_come_with_names_and_times(arm: kr.World) -> None:
    arm.joint("pivot").limits.angle.max = 0.5
    run = arm.run(1.0)
    hits = [e for e in run.events if e["kind"] == "limit_hit"]
    assert hits and hits[0]["name"] == "pivot" and run.summary.limit_hits == len(hits)
    # free fall to 0.5 rad: speed by the balance of energy
    expected = math.sqrt(2 * 9.81 * 0.5 * math.sin(0.5) / INERTIA)
    assert hits[0]["speed"] == pytest.approx(expected, rel=1e-3)


def test_what_looks_wrong_is_said() -> None:
    w = kr.World()
    w.add_body(name="a", shape={"sphere": 0.1})
    w.add_joint(name="j", type="ball", bodies=["world", "a"], at=[[0, 0, 0], [0, 0, 0.5]])
    assert any("apart" in p["message"] for p in w.check())


def test_every_property_that_can_be_set_takes_its_own_value(scenes: Path) -> None:
    """What is read can be written back, for all items of many scenes."""
    seen = set()
    for path in sorted(
        p
        for f in ("features", "joints", "wagner", "couplings")
        for p in (scenes / f).glob("*.toml")
    ):
        try:
            w = kr.load(path)
        except kr.SceneError:
            continue
        kinds = [
            "body",
            "joint",
            "motor",
            "spring",
            "constraint",
            "controller",
            "field",
            "curve",
            "procedure",
        ]
        items = [w.item(n) for k in kinds for n in w.names(k)[:3]] + [w.settings]
        for item in items:
            for p in kr.properties(item):
                if not p.settable or p.key == "name" or p.value is None:
                    continue
                item.set(p.key, p.value)
                again = item.get(p.key)
                same = np.allclose(again, p.value) if p.form == "vector" else again == p.value
                assert same, (path.name, item, p.key)
                seen.add((item.item_kind, p.key))
    assert len(seen) > 60

"""A viewer that runs, driven from Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import kreisel as kr
import numpy as np
import pytest

from conftest import pendulum


@pytest.fixture
def live() -> Iterator[kr.Remote]:
    """A viewer of the pendulum, paused at the start."""
    world = pendulum(step=0.01)
    with world.view(open=False, paused=True) as view, view.connect() as remote:
        yield remote


def test_properties_are_read_and_set(live: kr.Remote) -> None:
    assert live.names() == ["arm", "pivot", "drive"] and live.body_names == ["arm"]
    arm = live.body("arm")
    arm.mass = 2.5
    assert arm.mass == 2.5 and live.get("arm.mass") == 2.5
    live.set("pivot.limits.angle.max", np.float64(1.5))
    assert live.joint("pivot").limits.angle.max == 1.5
    live.settings.gravity = [0, 0, -1.62]
    assert np.allclose(live.get("world.gravity"), [0, 0, -1.62])
    mass = next(p for p in live.properties("arm") if p.key == "mass")
    assert (mass.value, mass.unit, mass.settable) == (2.5, "kg", True)


def test_what_is_wrong_is_answered(live: kr.Remote) -> None:
    with pytest.raises(kr.UnknownName, match='did you mean "arm"'):
        live.body("arn")
    with pytest.raises(kr.UnknownProperty, match='did you mean "mass"'):
        live.body("arm").mas = 2
    with pytest.raises(kr.Refused):
        live.set("arm.mass", -1)
    with pytest.raises(kr.Refused, match="pivt"):
        live.add_motor(name="m", joint="pivt", effort=1)
    # and nothing has changed
    assert live.get("arm.mass") == 1.0 and live.names("motor") == ["drive"]


def test_steps_are_those_of_a_world_here(live: kr.Remote) -> None:
    here = pendulum(step=0.01)
    live.set("drive.effort", 0.5)
    here.motor("drive").effort = 0.5
    frame = live.step(37)
    here.step(37)
    assert frame.step == 37 and frame.time == pytest.approx(0.37) and not frame.running
    assert np.allclose(frame.positions, here.positions, atol=1e-6)
    assert sum(frame.energy) == pytest.approx(here.energy["total"], abs=1e-9)
    # the saved world is the same to the bit
    assert live.world().state_hash == kr.parse(here.save_text()).state_hash


def test_items_come_and_go_and_come_back(live: kr.Remote) -> None:
    ball = live.add_body(name="ball", shape={"sphere": 0.1}, mass=0.5, position=[1, 0, 0])
    live.add(joint={"name": "tie", "type": "ball", "bodies": ["arm", "ball"], "at": [1, 0, 0]})
    assert ball.mass == 0.5 and "tie" in live.names("joint")
    live.undo()
    assert "tie" not in live.names("joint") and "ball" in live.body_names
    live.redo()
    assert "tie" in live.names("joint")
    live.remove("ball")
    assert live.names() == ["arm", "pivot", "drive"]
    live.step(3)
    live.restart()
    assert live.time == 0.0


def test_it_plays_and_pauses_and_is_pushed(live: kr.Remote) -> None:
    live.play(speed=float("inf"))
    live._wait(lambda f: f.step > 20)
    stopped = live.pause().step
    assert live.frame.step == stopped
    live.restart()
    live.settings.gravity = [0, 0, 0]
    live.push("arm", [0, 0, 0.1], at=[1, 0, 0])
    live.step()
    # ω = r × p / I about the hinge, rod with the box's width
    inertia = (1 + 0.01) / 12 + 0.25
    assert live.world().joint("pivot").angle_rate == pytest.approx(-0.1 / inertia, rel=1e-6)


def test_scenes_are_loaded_and_saved(live: kr.Remote, scenes: Path, tmp_path: Path) -> None:
    live.load(scenes / "features/four-bar.toml")
    assert len(live.body_names) == 3
    live.save(tmp_path / "out.toml")
    assert kr.load(tmp_path / "out.toml").body_names == live.body_names


def test_two_programs_see_each_other(live: kr.Remote) -> None:
    with kr.connect(live.address, token=live.token) as other:
        other.set("arm.mass", 3.0)
        assert live.get("arm.mass") == 3.0


def test_many_messages_are_not_too_many(live: kr.Remote) -> None:
    for k in range(120):
        live.set("arm.mass", 1 + 0.01 * k)
    assert live.get("arm.mass") == pytest.approx(2.19)


def test_nobody_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(kr.ConnectionLost, match="no viewer at 127.0.0.1:9"):
        kr.connect("127.0.0.1:9")
    with pytest.raises(kr.Refused, match="http"):
        kr.connect("https://example.org")


def test_a_viewer_that_ends_is_an_error_of_its_own() -> None:
    view = pendulum(step=0.01).view(open=False)
    live = view.connect()
    view.close()
    with pytest.raises(kr.ConnectionLost):
        for _ in range(100):
            live.get("arm.mass")

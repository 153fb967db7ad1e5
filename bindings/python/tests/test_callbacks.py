"""Functions that are called during a run."""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
from pathlib import Path

import kreisel as kr
import pytest
from conftest import pendulum


def test_a_controller_is_called_at_its_own_rate_and_held_in_between() -> None:
    w = pendulum(step=0.01)
    called = []

    @w.control(every=0.03)
    def control(world: kr.World) -> None:
        called.append(world.time)
        world.joint("pivot").motor.effort = 0.1 * len(called)

    efforts = []
    w.after_step(lambda world: efforts.append(world.motor("drive").effort_now))
    w.run(0.12)
    assert called == pytest.approx([0.0, 0.03, 0.06, 0.09])
    # three steps with each value: zero-order hold
    assert efforts == pytest.approx([0.1] * 3 + [0.2] * 3 + [0.3] * 3 + [0.4] * 3)


def test_a_callback_sees_the_world_between_steps_and_changes_it() -> None:
    w, other = pendulum(step=0.01), pendulum(step=0.01)
    times = []
    w.run(0.05, after_step=lambda world: times.append(world.time))
    assert times == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05])
    # the same bits as without a callback
    other.run(0.05)
    assert w.state_hash == other.state_hash


def test_a_controller_before_forces_acts_in_the_coming_step() -> None:
    w = kr.World(step=0.01, gravity=[0, 0, 0])
    w.add_body(name="b", shape="point", mass=1.0)
    w.run(0.1, control=lambda world: world.body("b").apply_force([1.0, 0, 0]))
    assert w.body("b").velocity[0] == pytest.approx(0.1, rel=1e-12)


def test_events_are_told_as_they_happen() -> None:
    w = pendulum(step=0.01)
    w.joint("pivot").limits.angle.max = 0.5
    seen = []
    w.on_event(lambda world, event: seen.append((event["kind"], world.time)))
    run = w.run(1.0)
    assert [k for k, _ in seen] == [e["kind"] for e in run.events]
    # a limit is hit within the step that ends when the callback is called
    assert seen[0][1] - 0.01 <= run.events[0]["time"] <= seen[0][1]
    w.clear_callbacks()
    before = len(seen)
    w.run(1.0)
    assert len(seen) == before


def test_an_exception_comes_back_with_its_traceback_and_leaves_the_world_whole() -> None:
    w, other = pendulum(step=0.01), pendulum(step=0.01)

    def fails(world: kr.World) -> None:
        if world.time > 0.045:
            raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError, match="on purpose") as caught:
        w.run(1.0, after_step=fails)
    assert any(f.name == "fails" for f in traceback.extract_tb(caught.value.__traceback__))
    other.run(0.05)
    assert w.time == other.time and w.state_hash == other.state_hash
    # and it goes on
    assert w.run(0.1).state_hash == other.run(0.1).state_hash


def test_a_callback_cannot_step_its_own_world() -> None:
    w = pendulum(step=0.01)
    for again in (lambda world: world.step(), lambda world: world.run(0.1)):
        with pytest.raises(kr.Refused, match="being stepped"):
            w.run(0.1, after_step=again)
    w.step()


def test_a_callback_faster_than_the_step_is_refused() -> None:
    w = pendulum(step=0.01)
    w.control(lambda world: None, every=0.001)
    with pytest.raises(kr.Refused, match="once a step"):
        w.run(0.1)


@pytest.mark.parametrize("with_callback", [False, True])
def test_ctrl_c_ends_a_run_between_steps(with_callback: bool) -> None:
    w = pendulum(step=1e-5)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        w.run(1e4, record=[], after_step=(lambda world: None) if with_callback else None)
    # far from the hours that the run would take
    assert time.monotonic() - start < 60
    timer.join()
    reached, steps = w.time, w.steps
    assert reached == pytest.approx(steps * 1e-5, rel=1e-9)
    assert w.step().ok


def test_ctrl_c_gives_up_a_step_that_is_under_way(scenes: Path) -> None:
    w = kr.load(scenes / "chains/net.toml")
    # one step of a thousand substeps: seconds
    w.settings.step, w.settings.substeps = 0.5, 1000
    before = w.state_hash
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        w.run(0.5, record=[])
    timer.join()
    # the world stands where the step began
    assert w.time == 0 and w.steps == 0 and w.state_hash == before


def test_other_threads_go_on_and_read_while_a_world_runs() -> None:
    w = pendulum(step=1e-4)
    seen = []
    worker = threading.Thread(target=lambda: w.run(20.0, record=[]))
    worker.start()
    while worker.is_alive():
        seen.append(w.time)
        time.sleep(0.01)
    worker.join()
    assert seen == sorted(seen) and w.time == pytest.approx(20.0)
    assert len(set(seen)) > 2


def test_several_worlds_run_in_several_threads_with_the_same_bits() -> None:
    worlds = [pendulum(step=1e-3) for _ in range(4)]
    threads = [threading.Thread(target=w.run, args=(1.0,)) for w in worlds]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    alone = pendulum(step=1e-3)
    alone.run(1.0)
    assert {w.state_hash for w in worlds} == {alone.state_hash}

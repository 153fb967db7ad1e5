"""Environments of Gymnasium."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import kreisel as kr

pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from kreisel.gym import KreiselEnv  # noqa: E402


def cart_pole() -> kr.World:
    """A cart on a rail with a pole on a hinge, driven by a force."""
    w = kr.World(step=0.01)
    w.add_body(name="cart", shape={"box": [0.4, 0.2, 0.1]}, mass=1.0)
    w.add_body(name="pole", shape={"box": [0.05, 0.05, 1.0]}, mass=0.1, position=[0, 0, 0.5])
    w.add_joint(name="rail", type="slider", bodies=["world", "cart"], axis=[1, 0, 0])
    w.add_joint(name="hinge", type="hinge", bodies=["cart", "pole"], axis=[0, 1, 0])
    w.add_motor(name="drive", joint="rail", effort=0)
    return w


def environment() -> KreiselEnv:
    """Keep the pole upright."""

    def tilt(world: kr.World, random: np.random.Generator) -> None:
        world.body("pole").angular_velocity = [0, random.uniform(-0.1, 0.1), 0]

    return KreiselEnv(
        cart_pole(),
        observe=["rail.position", "rail.position_rate", "hinge.angle", "hinge.angle_rate"],
        act={"drive.effort": (-10, 10)},
        reward=lambda world: 1.0 - abs(world.joint("hinge").angle),
        done=lambda world: abs(world.joint("hinge").angle) > 0.5,
        control_step=0.02,
        horizon=4.0,
        reset=tilt,
    )


def test_the_environment_passes_the_checks_of_gymnasium() -> None:
    with warnings.catch_warnings():
        # bounds of observations are infinite: they are physical quantities
        warnings.filterwarnings("ignore", message=".*Box observation space.*")
        warnings.filterwarnings("ignore", message=".*symmetric and normalized.*")
        warnings.filterwarnings("ignore", message=".*render modes.*")
        check_env(environment())


def test_the_same_seed_gives_the_same_episode() -> None:
    runs = []
    for _ in range(2):
        env = environment()
        first, _ = env.reset(seed=7)
        seen = [first]
        for k in range(30):
            observation, *_ = env.step(np.array([math.sin(k)]))
            seen.append(observation)
        runs.append(np.array(seen))
    assert np.array_equal(runs[0], runs[1])


def test_an_episode_ends_when_the_pole_falls_or_the_time_is_over() -> None:
    env = environment()
    env.reset(seed=1)
    steps, over, late = 0, False, False
    while not (over or late):
        _, _, over, late, _ = env.step(np.array([10.0]))
        steps += 1
    assert over and not late and steps < 100
    # a linear controller balances it
    env.reset(seed=1)
    observation, total, steps, over, late = np.zeros(4), 0.0, 0, False, False
    while not (over or late):
        x, v, a, w = observation
        action = np.clip([60 * a + 12 * w + 3 * x + 5 * v], -10, 10)
        observation, reward, over, late, info = env.step(action)
        total += float(reward)
        steps += 1
    assert late and not over and steps == 200 and info["time"] == pytest.approx(4.0)
    assert total > 190


def test_a_control_step_that_is_no_multiple_is_refused() -> None:
    with pytest.raises(kr.Refused, match="multiple"):
        KreiselEnv(cart_pole(), observe=["hinge.angle"], act={}, reward=lambda w: 0.0, control_step=0.015)


def test_any_scene_is_an_environment(scenes: Path) -> None:
    env = KreiselEnv(
        scenes / "pendulum.toml", observe=["energy.total"], act={}, reward=lambda w: w.energy["kinetic"]
    )
    observation, _ = env.reset(seed=0)
    assert observation.shape == (1,) and env.action_space.shape == (0,)

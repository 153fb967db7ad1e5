"""Environments of Gymnasium."""

from __future__ import annotations

import math
import runpy
import warnings
from pathlib import Path

import kreisel as kr
import numpy as np
import pytest

pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from kreisel.gym import KreiselEnv  # noqa: E402

#: The example: a cart and a pole.
EXAMPLE = runpy.run_path(str(Path(__file__).resolve().parents[1] / "examples/cart_pole.py"))
cart_pole, environment = EXAMPLE["world"], EXAMPLE["environment"]


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
    assert late and not over and steps == 250 and info["time"] == pytest.approx(5.0)
    assert total > 235


def test_a_control_step_that_is_no_multiple_is_refused() -> None:
    with pytest.raises(kr.Refused, match="multiple"):
        KreiselEnv(
            cart_pole(), observe=["hinge.angle"], act={}, reward=lambda w: 0.0, control_step=0.015
        )


def test_any_scene_is_an_environment(scenes: Path) -> None:
    env = KreiselEnv(
        scenes / "pendulum.toml",
        observe=["energy.total"],
        act={},
        reward=lambda w: w.energy["kinetic"],
    )
    observation, _ = env.reset(seed=0)
    assert observation.shape == (1,) and env.action_space.shape == (0,)

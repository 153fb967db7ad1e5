"""A cart and a pole, balanced by a linear policy that a small random search has found.

Needs ``pip install kreisel[gym]``.
"""

from __future__ import annotations

import sys

import kreisel as kr
import numpy as np
from kreisel.gym import KreiselEnv


def world() -> kr.World:
    """A cart on a rail with a pole on a hinge, driven by a force."""
    w = kr.World(title="cart and pole", step=0.01)
    w.add_body(name="cart", shape={"box": [0.4, 0.2, 0.1]}, mass=1.0, collide=False)
    w.add_body(
        name="pole", shape={"box": [0.05, 0.05, 1.0]}, mass=0.1, position=[0, 0, 0.5], collide=False
    )
    w.add_joint(name="rail", type="slider", bodies=["world", "cart"], axis=[1, 0, 0])
    w.add_joint(name="hinge", type="hinge", bodies=["cart", "pole"], axis=[0, 1, 0])
    w.add_motor(name="drive", joint="rail", effort=0)
    return w


def environment() -> KreiselEnv:
    """Keep the pole upright and the cart in the middle, for five seconds."""

    def tilt(w: kr.World, random: np.random.Generator) -> None:
        w.body("pole").angular_velocity = [0, random.uniform(-0.3, 0.3), 0]

    return KreiselEnv(
        world(),
        observe=["rail.position", "rail.position_rate", "hinge.angle", "hinge.angle_rate"],
        act={"drive.effort": (-10, 10)},
        reward=lambda w: 1.0 - abs(w.joint("hinge").angle) - 0.1 * abs(w.joint("rail").position),
        done=lambda w: abs(w.joint("hinge").angle) > 0.5,
        horizon=5.0,
        reset=tilt,
    )


def episode(env: KreiselEnv, gains: np.ndarray, seed: int) -> float:
    """The sum of rewards of a linear policy."""
    observation, _ = env.reset(seed=seed)
    total = 0.0
    while True:
        action = np.clip([gains @ observation], -10, 10)
        observation, reward, terminated, truncated, _ = env.step(action)
        total += float(reward)
        if terminated or truncated:
            return total


def main() -> None:
    """Random search around the best policy so far."""
    env, random = environment(), np.random.default_rng(1)
    rounds = 15 if "--quick" in sys.argv else 150
    best, gains = -np.inf, np.zeros(4)
    for k in range(rounds):
        trial = gains + random.normal(scale=[2, 4, 20, 5]) * (1.0 if k else 0.0)
        score = min(episode(env, trial, seed) for seed in (0, 1))
        if score > best:
            best, gains = score, trial
            print(f"round {k}: {score:.1f} with gains {np.round(gains, 1)}")
    print(f"best {best:.1f} of 250")


if __name__ == "__main__":
    main()

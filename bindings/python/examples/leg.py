"""A leg with a closed loop: a hip and a knee that two motors drive, the shin through a four-bar.

It stands on a slider and learns to jump: a small random search finds the course of both motors.

Needs ``pip install kreisel[gym]``.
"""

from __future__ import annotations

import sys

import kreisel as kr
import numpy as np
from kreisel.gym import KreiselEnv

THIGH, SHIN, CRANK, ROD = 0.3, 0.3, 0.08, 0.3


def world() -> kr.World:
    """A trunk on a vertical slider, thigh and shin, and a rod from a crank at the hip to the shin
    beyond the knee: the loop hip, crank, rod, shin, thigh."""
    w = kr.World(title="leg with a closed loop", step=0.005)
    w.add_body(name="ground", kind="static", shape={"box": [1, 1, 0.1]}, position=[0, 0, -0.05])
    hip, bend = np.array([0, 0, 0.55]), np.radians(25)
    along = np.array([np.sin(bend), 0, -np.cos(bend)])
    knee = hip + THIGH * along
    foot = knee + SHIN * np.array([-np.sin(bend), 0, -np.cos(bend)])
    # crank and the short end of the shin are parallel: a parallelogram
    up = (knee - foot) / SHIN
    crank, lever = hip + CRANK * up, knee + CRANK * up

    def bar(name: str, a: np.ndarray, b: np.ndarray, mass: float, collide: bool = False) -> None:
        way = b - a
        turn = {"axis": [0, 1, 0], "angle": f"{-np.degrees(np.arctan2(way[2], way[0]))} deg"}
        length = float(np.linalg.norm(way))
        w.add_body(
            name=name,
            shape={"box": [length, 0.03, 0.03]},
            mass=mass,
            position=(a + b) / 2,
            rotation=turn,
            collide=collide,
        )

    w.add_body(name="trunk", shape={"box": [0.2, 0.2, 0.1]}, mass=3.0, position=hip, collide=False)
    bar("thigh", hip, knee, 0.6)
    bar("shin", lever, foot, 0.4)
    bar("crank", hip, crank, 0.1)
    bar("rod", crank, lever, 0.1)
    ball = {"sphere": 0.02}
    w.add_body(name="foot", shape=ball, mass=0.05, position=foot, friction=0.9)
    y = [0, 1, 0]
    w.add_joint(name="slide", type="slider", bodies=["world", "trunk"], at=hip, axis=[0, 0, 1])
    w.add_joint(name="hip", type="hinge", bodies=["trunk", "thigh"], at=hip, axis=y)
    w.add_joint(name="drive", type="hinge", bodies=["trunk", "crank"], at=hip, axis=y)
    w.add_joint(name="knee", type="hinge", bodies=["thigh", "shin"], at=knee, axis=y)
    w.add_joint(name="pin a", type="hinge", bodies=["crank", "rod"], at=crank, axis=y)
    w.add_joint(name="pin b", type="hinge", bodies=["rod", "shin"], at=lever, axis=y)
    w.add_joint(name="ankle", type="fixed", bodies=["shin", "foot"], at=foot)
    w.add_motor(name="hip motor", joint="hip", effort=0, max_effort=20)
    w.add_motor(name="knee motor", joint="drive", effort=0, max_effort=20)
    return w


def environment() -> KreiselEnv:
    """Jump: the reward is the height of the trunk above its start, while joints stay whole."""
    return KreiselEnv(
        world(),
        observe=["hip.angle", "hip.angle_rate", "drive.angle", "drive.angle_rate", "trunk.position.z"],
        act={"hip motor.effort": (-20, 20), "knee motor.effort": (-20, 20)},
        reward=lambda w: w.body("trunk").position[2] - 0.55,
        done=lambda w: w.body("trunk").position[2] < 0.2,
        control_step=0.02,
        horizon=0.6,
    )


def episode(env: KreiselEnv, policy: np.ndarray) -> float:
    """The highest that the trunk comes, m. A policy is a spring towards an angle that is switched
    at a time, one for each motor: two angles, stiffness, damping, and the time."""
    observation, _ = env.reset(seed=0)
    hip, knee, stiffness, damping, when = policy
    highest, time = 0.0, 0.0
    while True:
        target = np.array([hip, knee]) * (1.0 if time < when else -1.0)
        angles, rates = observation[[0, 2]], observation[[1, 3]]
        action = np.clip(stiffness * (target - angles) - damping * rates, -20, 20)
        observation, reward, over, late, info = env.step(action)
        highest, time = max(highest, float(reward)), info["time"]
        if over or late:
            return highest


def search(rounds: int, seed: int = 1) -> tuple[np.ndarray, float]:
    """Random search around the best policy so far."""
    env, random = environment(), np.random.default_rng(seed)
    best = np.array([0.3, 0.3, 60.0, 2.0, 0.1])
    score = episode(env, best)
    for _ in range(rounds):
        trial = best + random.normal(scale=[0.3, 0.3, 40.0, 1.0, 0.05])
        trial[2:] = np.maximum(trial[2:], [0.0, 0.0, 0.02])
        found = episode(env, trial)
        if found > score:
            best, score = trial, found
    return best, score


def main() -> None:
    """Learns to jump."""
    env = environment()
    first = episode(env, np.array([0.3, 0.3, 60.0, 2.0, 0.1]))
    policy, best = search(12 if "--quick" in sys.argv else 200)
    print(f"{first:.3f} m before, {best:.3f} m with {np.round(policy, 2)}")
    assert best >= first


if __name__ == "__main__":
    main()

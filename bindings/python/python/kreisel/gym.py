"""Environments of Gymnasium from any scene (``pip install kreisel[gym]``)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, SupportsFloat

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from .errors import Refused
from .scenes import load
from .world import World

Array = NDArray[np.float64]


class KreiselEnv(gymnasium.Env[Array, Array]):
    """A scene as an environment.

    ``observe`` lists quantities ("cart.position.x", "pole.angle", "pole.angle_rate"); ``act`` maps
    properties ("drive.effort") to (lowest, highest); ``reward`` and ``done`` are functions of the
    world. One step of the environment is ``control_step`` seconds, in which actions are held.
    ``reset`` may change the world at the start of an episode: ``reset(world, random)``.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        scene: str | os.PathLike[str] | World,
        *,
        observe: Sequence[str],
        act: Mapping[str, tuple[SupportsFloat, SupportsFloat]],
        reward: Callable[[World], SupportsFloat],
        done: Callable[[World], bool] | None = None,
        control_step: SupportsFloat = 0.02,
        horizon: SupportsFloat = 10.0,
        reset: Callable[[World, np.random.Generator], Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None:
            raise Refused("this environment has no render mode; world.view() shows it")
        self.render_mode = None
        self.world = scene.copy() if isinstance(scene, World) else load(scene)
        self._start = self.world.snapshot()
        self._observe, self._reward, self._done, self._reset = list(observe), reward, done, reset
        self._act = list(act)
        self._steps = round(float(control_step) / self.world.step_size)
        if self._steps < 1 or abs(self._steps * self.world.step_size - float(control_step)) > 1e-9:
            raise Refused(
                f"the control step is a multiple of the world's step, {self.world.step_size} s"
            )
        self._horizon = float(horizon)
        bounds = np.array(
            [[float(a), float(b)] for a, b in act.values()], dtype=np.float64
        ).reshape(-1, 2)
        self.action_space = spaces.Box(bounds[:, 0], bounds[:, 1], dtype=np.float64)
        width = len(self._observation())
        self.observation_space = spaces.Box(-np.inf, np.inf, (width,), dtype=np.float64)

    def _observation(self) -> Array:
        return np.concatenate([np.atleast_1d(self.world.measure(p)) for p in self._observe])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Back to the start of the scene, changed by the ``reset`` function."""
        super().reset(seed=seed)
        self.world.restore(self._start)
        if self._reset is not None:
            self._reset(self.world, self.np_random)
        return self._observation(), {}

    def step(self, action: Array) -> tuple[Array, SupportsFloat, bool, bool, dict[str, Any]]:
        """Holds an action for one control step."""
        for path, value in zip(self._act, np.asarray(action, dtype=np.float64), strict=True):
            self.world.set(path, float(value))
        report = self.world.step(self._steps)
        # an episode ends where the world can no longer be trusted
        lost = report.status in ("quarantined", "energy")
        over = lost or (self._done is not None and bool(self._done(self.world)))
        late = self.world.time >= self._start.time + self._horizon - 0.5 * self.world.step_size
        info = {"time": self.world.time, "status": report.status}
        return self._observation(), float(self._reward(self.world)), over, late, info


__all__ = ["KreiselEnv"]

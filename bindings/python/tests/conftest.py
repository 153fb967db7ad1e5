"""Worlds that the tests share."""

from __future__ import annotations

import os
from pathlib import Path

import kreisel as kr
import pytest

#: The folder of scenes: of the repository, unless told otherwise.
SCENES = Path(os.environ.get("KREISEL_SCENES", Path(__file__).resolve().parents[3] / "scenes"))


@pytest.fixture
def scenes() -> Path:
    """The folder of scenes."""
    return SCENES


def pendulum(**world: object) -> kr.World:
    """A rod of 1 m on a hinge with a motor, horizontal at the start."""
    w = kr.World(**world)
    w.add_body(name="arm", shape={"box": [1.0, 0.1, 0.1]}, mass=1.0, position=[0.5, 0, 0])
    w.add_joint(name="pivot", type="hinge", bodies=["world", "arm"], axis=[0, 1, 0])
    w.add_motor(name="drive", joint="pivot", effort=0)
    return w


@pytest.fixture
def arm() -> kr.World:
    """The pendulum with a step of 0.01 s."""
    return pendulum(step=0.01)

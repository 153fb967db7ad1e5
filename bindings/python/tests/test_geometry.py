"""Shapes: distances, rays, impacts, masses, against closed forms."""

from __future__ import annotations

from math import cos, pi, sqrt
from pathlib import Path

import kreisel as kr
import numpy as np
import pytest
from kreisel import geometry


def test_distances_of_a_ball_and_a_block() -> None:
    block = geometry.box(1, 2, 3)
    ball = geometry.sphere(0.5).at([2, 0, 0])
    near = geometry.distance(ball, block)
    assert near.distance == pytest.approx(1.0) and not near.overlap
    assert np.allclose(near.a, [1.5, 0, 0]) and np.allclose(near.b, [0.5, 0, 0])
    assert np.allclose(near.normal, [1, 0, 0])
    # turned by 45 degrees about z the edge at sqrt(1/4 + 1) points to the ball
    turned = block.at([0, 0, 0], [0, 0, np.sin(pi / 8), cos(pi / 8)])
    corner = geometry.distance(geometry.sphere(0.5).at([3, 0, 0]), turned)
    x = sqrt(0.5) * (0.5 + 1.0)
    y = sqrt(0.5) * (1.0 - 0.5)
    assert corner.distance == pytest.approx(np.hypot(3 - x, y) - 0.5)
    # an overlap is its depth
    deep = geometry.distance(geometry.sphere(0.5).at([0.8, 0, 0]), block)
    assert deep.overlap and deep.distance == pytest.approx(-0.2)
    assert deep.lower <= deep.distance <= deep.upper
    assert geometry.overlap(ball.at([0.9, 0, 0]), block) and not geometry.overlap(ball, block)


def test_points_and_rays() -> None:
    ball = geometry.sphere(1.0).at([0, 0, 3])
    inside = geometry.closest_point(ball, [0, 0, 3.5])
    assert inside.distance == pytest.approx(-0.5) and np.allclose(inside.point, [0, 0, 4])
    # the length of the direction does not matter: distances are in metres
    hit = geometry.ray(ball, [0, 0.6, 0], [0, 0, 7.0])
    assert hit is not None and hit.distance == pytest.approx(3 - 0.8)
    assert np.allclose(hit.normal, [0, 0.6, -0.8])
    assert geometry.ray(ball, [0, 0.6, 0], [0, 0, 1], reach=2.1) is None
    assert geometry.ray(ball, [0, 1.1, 0], [0, 0, 1]) is None


def test_impacts_are_never_late() -> None:
    ball, plate = geometry.sphere(0.1).at([0, 0, 2.1]), geometry.box(2, 2, 1e-4)
    hit = geometry.time_of_impact(ball, plate, until=10, velocity_a=[0, 0, -4], tolerance=1e-9)
    meet = (2.1 - 0.1 - 0.5e-4) / 4
    assert hit is not None and meet - 1e-8 < hit.distance <= meet
    # a fall from rest: sqrt(2 h / g)
    fall = geometry.time_of_impact(
        ball, plate, until=10, acceleration_a=[0, 0, -9.81], tolerance=1e-9
    )
    meet = sqrt(2 * (2.0 - 0.5e-4) / 9.81)
    assert fall is not None and meet - 1e-8 < fall.distance <= meet + 1e-15
    assert geometry.time_of_impact(ball, plate, until=0.1, velocity_a=[0, 0, -4]) is None


def test_masses() -> None:
    mass, center, inertia = geometry.box(1, 2, 3).mass_properties(density=2.0)
    assert mass == pytest.approx(12) and np.allclose(center, 0)
    assert np.allclose(inertia, np.diag([13, 10, 5]))


def test_mesh_files(scenes: Path, tmp_path: Path) -> None:
    corners = [(x, y, z) for x in (0, 1000) for y in (0, 1000) for z in (0, 1000)]
    faces = ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {f}" for f in faces]
    (tmp_path / "cube.obj").write_text("\n".join(lines) + "\n")
    cube = geometry.mesh(tmp_path / "cube.obj", scale=0.001)
    assert cube.kind == "mesh"
    assert geometry.distance(cube, geometry.sphere(0.5).at([0.5, 0.5, 2])).distance == 0.5
    with pytest.raises(kr.SceneError):
        geometry.mesh(tmp_path / "none.obj")


@pytest.fixture
def yard() -> kr.World:
    """A block and a ball above the ground."""
    w = kr.World(ground={"height": 0})
    w.add_body(name="block", shape={"box": [1, 1, 1]}, mass=1.0, position=[0, 0, 2])
    w.add_body(name="ball", shape={"sphere": 0.5}, mass=1.0, position=[3, 0, 2])
    return w


def test_a_world_is_asked_by_rays(yard: kr.World) -> None:
    hit = yard.ray([0, 0, 10], [0, 0, -1])
    assert hit is not None and hit.body == "block" and hit.distance == pytest.approx(7.5)
    below = yard.ray([0, 0, 10], [0, 0, -1], ignore=["block"])
    assert below is not None and below.body == "world" and below.distance == pytest.approx(10)
    assert yard.ray([0, 0, 10], [0, 0, 1]) is None
    far = yard.rays([0, 0, 2], [[1, 0, 0], [0, 0, -1], [0, 1, 0]], ignore=["block"])
    assert np.allclose(far[:2], [2.5, 2.0]) and np.isinf(far[2])
    with pytest.raises(kr.Refused, match="direction"):
        yard.ray([0, 0, 0], [0, 0, 0])


def test_a_world_is_asked_by_shapes(yard: kr.World) -> None:
    probe = geometry.sphere(0.2)
    assert yard.overlap(probe.at([0.6, 0, 2])) == ["block"]
    assert yard.overlap(probe.at([0, 0, 0.1])) == ["world"]
    assert yard.overlap(probe.at([1.5, 0, 2])) == []
    hit = yard.shape_cast(probe.at([1.5, 0, 2]), [5, 0, 0])
    assert hit is not None and hit.body == "ball" and hit.distance == pytest.approx(0.8, abs=1e-5)
    assert yard.shape_cast(probe.at([1.5, 0, 2]), [0.5, 0, 0]) is None
    assert yard.distance("block", "ball").distance == pytest.approx(2.0)
    assert yard.distance("block", "world").distance == pytest.approx(1.5)
    with pytest.raises(kr.UnknownName, match="ball"):
        yard.shape("bal")


def test_clearance_is_the_smallest_distance_of_a_run(yard: kr.World) -> None:
    yard.settings.gravity = [0, 0, 0]
    yard.body("ball").velocity = [-1, 0, 0]
    first = yard.clearance(1.0)[0]
    assert set(first["bodies"]) == {"block", "ball"}
    assert first["distance"] == pytest.approx(1.0, abs=1e-9) and first["time"] == pytest.approx(1.0)
    assert yard.time == pytest.approx(1.0)

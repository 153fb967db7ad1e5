"""Sensors: added, read, set, recorded."""

from __future__ import annotations

import kreisel as kr
import numpy as np
import pytest


def test_sensors_are_added_read_and_set(arm: kr.World) -> None:
    gyro = arm.add_sensor(name="gyro", type="gyro", body="arm", at=[0.5, 0, 0])
    arm.add_sensor(name="imu", type="accelerometer", body="arm", at=[0.5, 0, 0])
    arm.add_sensor(name="encoder", type="joint_position", joint="pivot", resolution=1e-3)
    for _ in range(20):
        arm.step()
    # the arm turns about y
    assert np.allclose(gyro.value, [0, arm.joint("pivot").angle_rate, 0])
    angle = arm.joint("pivot").angle
    assert arm.sensor("encoder").value == pytest.approx(angle, abs=5.1e-4)
    assert arm.sensor("encoder").value / 1e-3 == pytest.approx(round(angle / 1e-3), abs=1e-6)
    assert arm.sensor("imu").value.shape == (3,)
    assert "gyro" in arm.names("sensor")

    # the next samples have a bias
    gyro.bias = 0.5
    arm.step()
    assert gyro.value[0] == pytest.approx(0.5)
    with pytest.raises(kr.Refused):
        gyro.noise = -1


def test_what_a_sensor_lacks_is_said(arm: kr.World) -> None:
    with pytest.raises(kr.SceneError, match="needs `body`"):
        arm.add_sensor(type="gyro")

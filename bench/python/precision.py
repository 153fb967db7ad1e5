#!/usr/bin/env python3
"""The peers of the work-precision table: a chain of ten boxes released from the horizontal, 2 s, classical Runge-Kutta.

Prints one line of JSON per run: name, processor time per 0.01 s in ms, place of the chain's end at 2 s.
Prints a plain sentence for a peer that is not installed.

The chain: boxes of 0.1 x 0.05 x 0.05 m and 1 kg on ball joints, hung at one end, at rest along x, gravity -9.81 along y.
MuJoCo is stepped by one call for the whole run. Pinocchio has no time stepping of its own: its articulated-body
algorithm is called from a Runge-Kutta loop in Python, whose cost is part of its time.
"""
import json
import time

LINKS, LENGTH, WIDTH, MASS, GRAVITY = 10, 0.1, 0.05, 1.0, -9.81
STEPS, STEP = 200, 0.01
SUBSTEPS = (2, 3, 4, 8, 16, 18, 20, 40)
INERTIA = (MASS / 12 * 2 * WIDTH**2, MASS / 12 * (LENGTH**2 + WIDTH**2), MASS / 12 * (LENGTH**2 + WIDTH**2))


def report(name, seconds, tip):
    print(json.dumps(dict(name=name, ms=seconds * 1e3 / STEPS, tip=[float(x) for x in tip])), flush=True)


def run_mujoco():
    import mujoco

    inertia = " ".join(repr(x) for x in INERTIA)
    body = (
        '<body pos="%r 0 0"><joint type="ball"/>'
        f'<inertial pos="{LENGTH / 2} 0 0" mass="{MASS}" diaginertia="{inertia}"/>'
    )
    chain = "".join(body % (LENGTH if i else 0.0) for i in range(LINKS))
    tip = f'<site name="tip" pos="{LENGTH} 0 0"/>'
    for substeps in SUBSTEPS:
        model = mujoco.MjModel.from_xml_string(
            f'<mujoco><option integrator="RK4" timestep="{STEP / substeps!r}" gravity="0 {GRAVITY} 0"/>'
            f'<worldbody>{chain}{tip}{"</body>" * LINKS}</worldbody></mujoco>'
        )
        data = mujoco.MjData(model)
        start = time.thread_time()
        mujoco.mj_step(model, data, STEPS * substeps)
        seconds = time.thread_time() - start
        mujoco.mj_forward(model, data)
        report(f"mujoco rk4 x{substeps}", seconds, data.site("tip").xpos)


def run_pinocchio():
    import numpy as np
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = np.array([0, GRAVITY, 0])
    inertia = pin.Inertia(MASS, np.array([LENGTH / 2, 0, 0]), np.diag(INERTIA))
    for i in range(LINKS):
        place = pin.SE3(np.eye(3), np.array([LENGTH if i else 0.0, 0, 0]))
        joint = model.addJoint(i, pin.JointModelSpherical(), place, f"joint {i}")
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    data = model.createData()
    zero = np.zeros(model.nv)

    def acceleration(q, v):
        return pin.aba(model, data, q, v, zero).copy()

    for substeps in SUBSTEPS:
        h = STEP / substeps
        q, v = pin.neutral(model), np.zeros(model.nv)
        start = time.thread_time()
        for _ in range(STEPS * substeps):
            a1 = acceleration(q, v)
            v2 = v + h / 2 * a1
            a2 = acceleration(pin.integrate(model, q, h / 2 * v), v2)
            v3 = v + h / 2 * a2
            a3 = acceleration(pin.integrate(model, q, h / 2 * v2), v3)
            v4 = v + h * a3
            a4 = acceleration(pin.integrate(model, q, h * v3), v4)
            q = pin.integrate(model, q, h / 6 * (v + 2 * v2 + 2 * v3 + v4))
            v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        seconds = time.thread_time() - start
        pin.forwardKinematics(model, data, q)
        end = data.oMi[LINKS]
        report(f"pinocchio rk4 x{substeps}", seconds, end.translation + end.rotation @ np.array([LENGTH, 0, 0]))


if __name__ == "__main__":
    for name, run in (("MuJoCo", run_mujoco), ("pinocchio", run_pinocchio)):
        try:
            run()
        except ImportError:
            print(f"{name} is not in this run: it is not installed.", flush=True)

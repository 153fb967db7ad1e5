"""Robot models of MJCF beside MuJoCo: masses, poses, accelerations, passive motion.

Started by `cargo xtask robots --mujoco`. For every model it starts the example `robot_states`, which
speaks in lines, and prints a row:

| column | what | bound |
|---|---|---|
| mass | masses, centres and inertias of what moves as one, relative to the largest of the model | 1e-9 |
| pose | positions (m) and rotations (rad) of all bodies in random states | 1e-9 |
| accel | accelerations without contact, limits, dry friction and equalities at random controls, relative to the largest | 1e-6 |
| motion | coordinates after 0.5 s without all these and without actuators, steps of 1 ms beside steps of 0.1 ms, rad or m | 1e-3 |
| driven | the same with actuators at control 0 | 1e-2 |

Motion that is chaotic is told apart by a second run of MuJoCo that starts 1e-7 away: what it
magnifies to more than 1e-3 cannot be judged, and stands in brackets.
"""

import argparse
import json
import os
import subprocess
import sys

import mujoco
import numpy as np

STEPS = (1e-3, 1e-4)
TIME = 0.5
BOUNDS = {"mass": 1e-9, "pose": 1e-9, "accel": 1e-6, "motion": 1e-3, "driven": 1e-2}


class Robot:
    """The example program with a model."""

    def __init__(self, program, path):
        self.process = subprocess.Popen([program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.links = []
        while True:
            words = self.process.stdout.readline().split()
            if not words:
                raise ValueError("the program ended")
            if words[0] == "refused":
                raise ValueError(" ".join(words[1:]))
            if words[0] == "ready":
                self.sizes = [int(w) for w in words[1:]]
                break
            self.links.append(np.array([float(w) for w in words[2:]]))

    def tell(self, *words):
        self.process.stdin.write(" ".join(text(w) for w in words) + "\n")
        self.process.stdin.flush()

    def ask(self, *words):
        self.tell(*words)
        answer = self.process.stdout.readline().split()
        if not answer:
            raise ValueError("the program ended at " + str(words[0]))
        return np.array([float(w) for w in answer[1:]])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def text(word):
    return word if isinstance(word, str) else " ".join(repr(float(x)) for x in np.atleast_1d(word))


def matrix(quaternion):
    out = np.zeros(9)
    mujoco.mju_quat2Mat(out, quaternion)
    return out.reshape(3, 3)


def wholes(model):
    """Mass, centre and inertia of what moves as one, by its first body, in that body's frame."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    out = {}
    for body in range(1, model.nbody):
        root = model.body_weldid[body]
        if root == 0 or model.body_mocapid[root] >= 0:
            continue
        mass, frame = model.body_mass[body], data.xmat[root].reshape(3, 3)
        turn = frame.T @ data.ximat[body].reshape(3, 3)
        centre = frame.T @ (data.xipos[body] - data.xpos[root])
        inertia = turn @ np.diag(model.body_inertia[body]) @ turn.T
        m, c, j = out.get(root, (0.0, np.zeros(3), np.zeros((3, 3))))
        total = m + mass
        middle = (m * c + mass * centre) / total if total > 0 else c

        def shifted(m, c, j):
            d = c - middle
            return j + m * (d @ d * np.eye(3) - np.outer(d, d))

        out[root] = (total, middle, shifted(m, c, j) + shifted(mass, centre, inertia))
    return out


def masses(model, robot):
    found = wholes(model)
    largest = max((m for m, _, _ in found.values()), default=1.0)
    inertia = max((np.abs(j).max() for _, _, j in found.values()), default=1.0)
    worst, where = 0.0, ""
    for root, (m, c, j) in found.items():
        joint = model.body_jntadr[root] + model.body_jntnum[root] - 1
        own = robot.links[joint]
        error = max(
            abs(own[0] - m) / largest,
            np.abs(own[1:4] - c).max() * m / largest,
            np.abs(own[4:].reshape(3, 3) - j).max() / inertia,
        )
        if error > worst:
            worst, where = error, model.body(root).name
    return worst, where


def random_state(model, random, speed):
    """Coordinates within a turn of those of the file, and rates."""
    q = model.qpos0.copy()
    step = random.uniform(-1, 1, model.nv)
    for joint in range(model.njnt):
        dof, kind = model.jnt_dofadr[joint], model.jnt_type[joint]
        at = model.jnt_qposadr[joint]
        if kind in (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)):
            low, high = model.jnt_range[joint] if model.jnt_limited[joint] else (q[at] - 1, q[at] + 1)
            low, high = max(low, q[at] - 3), min(high, q[at] + 3)
            step[dof] = random.uniform(low, high) - q[at] if low < high else 0.0
    mujoco.mj_integratePos(model, q, step, 1.0)
    return q, speed * random.uniform(-1, 1, model.nv)


def bare(model):
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)


def controls(model, random):
    out = np.zeros(model.nu)
    for k in range(model.nu):
        low, high = model.actuator_ctrlrange[k] if model.actuator_ctrllimited[k] else (-1.0, 1.0)
        out[k] = random.uniform(low, high)
    return out


def poses(model, data, found):
    worst = 0.0
    found = found.reshape(-1, 7)
    for body in range(1, model.nbody):
        if model.body_jntnum[body] == 0:
            continue
        own = found[model.body_jntadr[body] + model.body_jntnum[body] - 1]
        way = np.abs(own[:3] - data.xpos[body]).max()
        turn = np.abs(matrix(own[3:]) - data.xmat[body].reshape(3, 3)).max()
        worst = max(worst, way, turn)
    return worst


def accelerations(model, robot, states):
    random = np.random.default_rng(1)
    data = mujoco.MjData(model)
    pose, accel, where = 0.0, 0.0, ""
    for _ in range(states):
        q, u = random_state(model, random, 1.0)
        c = controls(model, random)
        data.qpos[:], data.qvel[:], data.ctrl[:] = q, u, c
        data.act[:] = 0
        mujoco.mj_forward(model, data)
        pose = max(pose, poses(model, data, robot.ask("place", q, ";", u)))
        robot.tell("control", c)
        own = robot.ask("accelerate")
        error = np.abs(own - data.qacc) / max(np.abs(data.qacc).max(), 1e-3)
        if not np.all(np.isfinite(error)):
            return pose, np.inf, "not finite"
        if error.max() > accel:
            accel = error.max()
            where = model.joint(model.dof_jntid[int(error.argmax())]).name
    return pose, accel, where


def moved(model, start, integrator, step):
    data = mujoco.MjData(model)
    data.qpos[:] = start
    model.opt.timestep, model.opt.integrator = step, integrator
    for _ in range(round(TIME / step)):
        mujoco.mj_step(model, data)
    return data.qpos.copy()


def motion(model, robot):
    """Largest error, what a small change of the start grows to, and the joint of the error."""
    start, _ = random_state(model, np.random.default_rng(2), 0.0)
    kutta, implicit = mujoco.mjtIntegrator.mjINT_RK4, mujoco.mjtIntegrator.mjINT_IMPLICIT
    # Runge-Kutta is not stable with stiff dampers, and does not say so
    way, step = kutta, STEPS[1]
    end = moved(model, start, way, step)
    if not difference(model, end, moved(model, start, implicit, step)).max() < BOUNDS["motion"]:
        step = STEPS[1] / 10
        end = moved(model, start, way, step)
        other = moved(model, start, implicit, step)
        if not difference(model, end, other).max() < BOUNDS["motion"]:
            way, end = implicit, other
    beside = start.copy()
    mujoco.mj_integratePos(model, beside, np.full(model.nv, 1e-7), 1.0)
    spread = difference(model, end, moved(model, beside, way, step)).max() / 1e-7
    robot.ask("place", start, ";", np.zeros(model.nv))
    robot.tell("control", np.zeros(model.nu))
    error = difference(model, end, robot.ask("run", STEPS[0], TIME))
    where = model.joint(model.dof_jntid[int(np.nan_to_num(error, nan=np.inf).argmax())]).name
    return error.max(), spread, where


def difference(model, a, b):
    out = np.zeros(model.nv)
    mujoco.mj_differentiatePos(model, out, 1.0, a, b)
    return np.abs(out)


def judge(program, path, states):
    model = mujoco.MjModel.from_xml_path(path)
    if model.nv == 0:
        return None
    bare(model)
    robot = Robot(program, path)
    notes, out = [], {}
    if robot.sizes != [model.nq, model.nv, model.nu]:
        raise ValueError(f"coordinates, rates, controls {robot.sizes} for {[model.nq, model.nv, model.nu]}")
    for k in range(model.neq):
        robot.tell("off", model.equality(k).name or "-")
    for k in range(1, 4 * model.neq + 200 if model.neq else 1):
        for word in ("equality", "coupling"):
            robot.tell("off", f"{word} {k}")
    robot.tell("bare")
    out["mass"], where = masses(model, robot)
    if out["mass"] > BOUNDS["mass"]:
        notes.append("mass of " + where)
    out["pose"], out["accel"], where = accelerations(model, robot, states)
    if out["accel"] > BOUNDS["accel"]:
        notes.append("accel of " + where)
    out["chaotic"] = []
    for kind in ("driven", "motion"):
        if kind == "motion":
            model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
            robot.tell("undriven")
        out[kind], spread, where = motion(model, robot)
        if spread > 1e4 or not np.isfinite(spread):
            out["chaotic"].append(kind)
        if not out[kind] <= BOUNDS[kind]:
            notes.append(f"{kind} of " + where)
    robot.close()
    out["notes"] = "; ".join(notes + reasons(model))
    return out


def reasons(model):
    """What is known to differ."""
    out = []
    if model.opt.density or model.opt.viscosity:
        out.append("fluid")
    if np.any(model.tendon_num > 0) and any(
        model.wrap_type[a] != int(mujoco.mjtWrap.mjWRAP_JOINT) for a in model.tendon_adr
    ):
        out.append("spatial tendons")
    driven = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT, mujoco.mjtTrn.mjTRN_TENDON)
    if not np.all(np.isin(model.actuator_trntype, [int(t) for t in driven])):
        out.append("actuators at sites or bodies")
    if model.na:
        out.append("actuators with activation")
    if model.nplugin:
        out.append("plugins")
    if np.any(model.jnt_actgravcomp):
        out.append("gravity compensation by actuators")
    if np.any(model.body_jntnum > 1):
        out.append("light links (rounding of accelerations, 1e-5 to 1e-4 in single states)")
    for kind, name in ((mujoco.mjtJoint.mjJNT_BALL, "ball"), (mujoco.mjtJoint.mjJNT_FREE, "free")):
        for joint in np.flatnonzero(model.jnt_type == int(kind)):
            dof = model.jnt_dofadr[joint]
            if model.dof_damping[dof] or model.dof_armature[dof] or model.jnt_stiffness[joint]:
                out.append(f"damping, spring or rotor of a {name} joint")
                break
    return out


def models(folders):
    for folder in folders:
        for root, names, files in os.walk(folder, followlinks=True):
            names.sort()
            for file in sorted(files):
                path = os.path.join(root, file)
                if not file.endswith(".xml"):
                    continue
                with open(path, encoding="utf-8", errors="replace") as f:
                    head = f.read()
                if "<mujoco" in head and "<mujocoinclude" not in head and "<worldbody" in head and "joint" in head:
                    yield os.path.relpath(path, folder), path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--states", type=int, default=100)
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("--json", default="")
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    columns = list(BOUNDS)
    print(f"{'model':<48}" + "".join(f"{c:>10}" for c in columns) + "  notes")
    rows = []
    counts, judged, refused = dict.fromkeys(columns, 0), 0, 0
    for name, path in models(args.folders):
        if args.only not in name or any(word in name for word in args.skip):
            continue
        try:
            found = judge(args.program, path, args.states)
        except Exception as error:  # what MuJoCo or the program refuse is a row of the table
            refused += 1
            print(f"{name:<48}  {str(error).splitlines()[0][:150] if str(error) else type(error)}", flush=True)
            continue
        if found is None:
            continue
        judged += 1
        rows.append({"model": name, **found})
        cells = ""
        for c in columns:
            good = found[c] <= BOUNDS[c]
            counts[c] += good
            number = f"{found[c]:.1e}" + ("" if good else "!")
            if c in found["chaotic"]:
                number = f"({found[c]:.0e})"
            cells += f"{number:>10}"
        print(f"{name:<48}{cells}  {found['notes']}", flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(rows, f, indent=1, default=float)
    print(f"\n{judged} models judged, {refused} refused by one of the two")
    for c in columns:
        print(f"{c:>8}: {counts[c]} within {BOUNDS[c]:g}")


if __name__ == "__main__":
    sys.exit(main())

"""Kreisel beside MuJoCo from Python: lines, seconds to the first result, steps per second.

    python bench/python/beside_mujoco.py [MODEL.xml ...]

Both read the same MJCF text: a chain of ten links that falls, and the models that are named. Each
program runs in a process of its own, so that the first result includes the import. Steps per second
are of processor time, so that a busy machine does not blur them. Needs `kreisel` and `mujoco`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

#: What somebody types to have the energy after a second, by engine.
PROGRAMS = {
    "kreisel": """
import kreisel as kr
w = kr.load(MODEL)
run = w.run(1.0, record=["energy.total"])
result = run["energy.total"][-1]
""",
    "mujoco": """
import mujoco
m = mujoco.MjModel.from_xml_path(MODEL)
m.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
d = mujoco.MjData(m)
energy = []
while d.time < 1.0:
    mujoco.mj_step(m, d)
    energy.append(sum(d.energy))
result = energy[-1]
""",
}

#: Steps without recording, as fast as they go.
STEPS = {
    "kreisel": "n = 20000\nw.step(n)",
    "mujoco": "n = 20000\nmujoco.mj_step(m, d, n)",
}

MEASURE = """
import json, time
begin = time.perf_counter()
{program}
first = time.perf_counter() - begin
begin = time.process_time()
{steps}
rate = n / (time.process_time() - begin)
print(json.dumps({{"first": first, "rate": rate}}))
"""


def chain(links: int) -> str:
    """A chain of links on hinges about y, horizontal at the start."""
    body = ""
    for k in reversed(range(links)):
        at = "0 0 0" if k == 0 else "0.2 0 0"
        body = (
            f'<body pos="{at}"><joint name="j{k}" type="hinge" axis="0 1 0"/>'
            f'<geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02" mass="0.1" '
            f'contype="0" conaffinity="0"/>{body}</body>'
        )
    return f'<mujoco><option timestep="0.002"/><worldbody>{body}</worldbody></mujoco>'


def measure(engine: str, model: Path) -> dict[str, float]:
    """Runs a program of an engine three times and takes the best of each number."""
    program = PROGRAMS[engine].replace("MODEL", repr(str(model)))
    text = MEASURE.format(program=program, steps=STEPS[engine])
    runs = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{engine}, {model.name}:\n{done.stderr}")
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    return {"first": min(r["first"] for r in runs), "rate": max(r["rate"] for r in runs)}


def main() -> None:
    """Prints a table."""
    with tempfile.TemporaryDirectory() as folder:
        ten = Path(folder) / "chain10.xml"
        ten.write_text(chain(10))
        print("| model | engine | lines | first result [s] | steps/s |")
        print("|---|---|---|---|---|")
        for model in [ten, *map(Path, sys.argv[1:])]:
            for engine, program in PROGRAMS.items():
                found = measure(engine, model)
                lines = len(program.strip().splitlines())
                print(
                    f"| {model.stem} | {engine} | {lines} | {found['first']:.2f} | {found['rate']:,.0f} |"
                )


if __name__ == "__main__":
    main()

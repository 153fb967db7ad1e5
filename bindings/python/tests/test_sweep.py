"""Sweeps and batches."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import kreisel as kr
import numpy as np
import pytest
from conftest import pendulum
from kreisel.sample import points
from kreisel.sweep import recorded

#: A mass on a spring without gravity: x = x0 cos(ω t), ω = √(k/m).
SPRING = """
    params = { k = 10.0, m = 1.0 }
    [world]
    step = 0.01
    duration = 0.5
    gravity = [0, 0, 0]
    [[body]]
    name = "b"
    shape = "point"
    mass = "m"
    position = [1.1, 0, 0]
    [[spring]]
    name = "s"
    bodies = ["world", "b"]
    at = [[0, 0, 0], [1.1, 0, 0]]
    stiffness = "k"
    length = 1.0
"""


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """The mass on a spring as a file."""
    path = tmp_path / "spring.toml"
    path.write_text(SPRING)
    return path


def test_a_grid_has_every_combination_in_order() -> None:
    found = points({"a": kr.linspace(0, 1, 3), "b": [5, 6]}, kr.grid())
    assert [(p["a"], p["b"]) for p in found] == [(0, 5), (0, 6), (0.5, 5), (0.5, 6), (1, 5), (1, 6)]


def test_sobol_points_are_those_of_the_literature() -> None:
    found = points({"a": kr.span(0, 1), "b": kr.span(0, 1), "c": kr.span(0, 1)}, kr.sobol(8))
    # Joe and Kuo's sequence, as printed with new-joe-kuo-6.21201
    expected = [
        (0, 0, 0),
        (0.5, 0.5, 0.5),
        (0.75, 0.25, 0.25),
        (0.25, 0.75, 0.75),
        (0.375, 0.375, 0.625),
        (0.875, 0.875, 0.125),
        (0.625, 0.125, 0.875),
        (0.125, 0.625, 0.375),
    ]
    assert [tuple(p.values()) for p in found] == expected


def test_sobol_points_fill_every_power_of_two_of_every_dimension() -> None:
    # a digital net: of the first 2^k points each of the 2^k intervals of each axis has one
    names = [f"p{k}" for k in range(21)]
    found = points({n: kr.span(0, 1) for n in names}, kr.sobol(256))
    for n in names:
        assert sorted(int(p[n] * 256) for p in found) == list(range(256))


def test_a_latin_hypercube_has_one_point_in_every_slice() -> None:
    found = points({"a": kr.span(0, 1), "b": kr.span(-2, 2)}, kr.latin(50, seed=3))
    assert sorted(int(p["a"] * 50) for p in found) == list(range(50))
    assert sorted(int((p["b"] + 2) / 4 * 50) for p in found) == list(range(50))
    assert found == points({"a": kr.span(0, 1), "b": kr.span(-2, 2)}, kr.latin(50, seed=3))
    assert found != points({"a": kr.span(0, 1), "b": kr.span(-2, 2)}, kr.latin(50, seed=4))


def test_a_sweep_gives_what_the_closed_form_gives(scene: Path) -> None:
    table = kr.sweep(
        scene,
        {"k": kr.linspace(5, 15, 3), "b.mass": [1.0, 2.0]},
        measure={
            "x": "last b.position.x",
            "top": "max b.velocity.x",
            "hand": recorded(lambda run: run["b.position.x"][-1], "b.position"),
        },
    )
    assert len(table) == 6 and not table.failed
    omega = np.sqrt(table["k"] / table["b.mass"])
    # second order: (ω h)² ω t / 24 of a step of 0.01 s, amplitude 0.1 m
    assert np.max(np.abs(table["x"] - 1 - 0.1 * np.cos(omega * 0.5))) < 1e-4
    assert np.array_equal(table["x"], table["hand"])
    row = table.best("x")
    assert row["k"] == 15 and row["b.mass"] == 1
    assert (
        row["status"] == "ok" and len(row["state_hash"]) == 64 and row["version"] == kr.__version__
    )


def test_failures_are_rows(scene: Path) -> None:
    table = kr.sweep(scene, {"m": [1.0, -1.0, 2.0]}, measure=["last b.position.x"])
    assert [r["status"] for r in table.rows] == ["ok", "failed", "ok"]
    assert "mass" in table.failed[0]["error"] and math.isnan(table["last b.position.x"][1])
    wrong = kr.sweep(scene, {"kk": [1.0]}, measure=["last b.position.x"])
    assert "did you mean `k`" in wrong.rows[0]["error"]
    unknown = kr.sweep(scene, {"k": [1.0]}, measure=["max b.positon.x"])
    assert "UnknownName" in unknown.rows[0]["error"]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_the_file_is_the_same_on_any_number_of_threads(
    scene: Path, tmp_path: Path, ending: str
) -> None:
    texts = []
    for threads in (1, 2, 5):
        out = tmp_path / f"t{threads}.{ending}"
        kr.sweep(
            scene,
            {"k": kr.span(1, 20)},
            sample=kr.sobol(24),
            measure=["max b.position.x"],
            out=out,
            threads=threads,
        )
        texts.append(out.read_bytes())
    assert texts[0] == texts[1] == texts[2]
    assert texts[0].count(b"\n") == 24 + (2 if ending == "csv" else 1)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_sweep_that_was_cut_off_goes_on_where_it_stopped(
    scene: Path, tmp_path: Path, ending: str
) -> None:
    out = tmp_path / f"t.{ending}"
    arguments = ({"k": kr.linspace(1, 20, 12), "m": [1.0, -1.0]},)
    options = {"measure": ["max b.position.x"], "out": out}
    first = kr.sweep(scene, *arguments, **options)
    whole = out.read_bytes()
    # cut anywhere, also inside the head or a row
    for at in (0, 5, len(whole) // 3, len(whole) // 2, len(whole) - 1, len(whole)):
        out.write_bytes(whole[:at])
        again = kr.sweep(scene, *arguments, **options)
        assert out.read_bytes() == whole and again.rows == first.rows
        assert again.resumed == max(0, whole[:at].count(b"\n") - (2 if ending == "csv" else 1))
    # a row that somebody took out: what follows is not trusted
    lines = whole.splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:9] + lines[10:]))
    assert kr.sweep(scene, *arguments, **options).rows == first.rows and out.read_bytes() == whole
    with pytest.raises(kr.Refused, match="another sweep"):
        kr.sweep(scene, {"k": [1.0]}, **options)
    assert out.read_bytes() == whole


def test_a_killed_sweep_loses_and_doubles_no_row(scene: Path, tmp_path: Path) -> None:
    out, whole = tmp_path / "killed.jsonl", tmp_path / "whole.jsonl"
    program = (
        "import sys, kreisel as kr\n"
        "kr.sweep(sys.argv[1], {'k': kr.linspace(1, 20, 400)}, measure=['max b.position.x'], out=sys.argv[2])\n"
    )
    command = [sys.executable, "-c", program, str(scene), str(out)]
    process = subprocess.Popen(command, env={**os.environ})
    while process.poll() is None and not (out.exists() and out.read_bytes().count(b"\n") > 20):
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    subprocess.run(command, check=True)
    subprocess.run([*command[:-1], str(whole)], check=True)
    assert out.read_bytes() == whole.read_bytes()
    rows = [json.loads(line) for line in out.read_text().splitlines()[1:]]
    assert [r["index"] for r in rows] == list(range(400))


def test_a_function_makes_the_worlds_of_a_sweep() -> None:
    def make(point: dict[str, float]) -> kr.World:
        w = pendulum(step=0.01)
        w.body("arm").mass = point["mass"]
        return w

    table = kr.sweep(make, {"mass": [1.0, 2.0]}, measure=["last pivot.angle"], duration=0.2)
    # a pendulum's motion does not know its mass
    angle = table["last pivot.angle"]
    assert angle[0] == pytest.approx(angle[1], abs=4e-6)


def test_a_batch_has_the_bits_of_single_worlds_on_any_number_of_threads() -> None:
    w = pendulum(step=0.01)
    w.run(0.1)
    hashes = []
    for threads in (1, 2, 3):
        b = kr.batch(w, 7, threads=threads)
        b.set("drive.effort", np.linspace(-1, 1, 7))
        assert b.step(50) == {}
        hashes.append(b.state_hashes)
        assert b.positions.shape == (7, 1, 3) and b.quaternions.shape == (7, 1, 4)
        assert b.measure("pivot.angle").shape == (7,) and b.measure("arm.position").shape == (7, 3)
        assert np.array_equal(b.positions[3, 0], b[3].body("arm").position)
    assert hashes[0] == hashes[1] == hashes[2] and len(set(hashes[0])) == 7
    alone = w.copy()
    alone.motor("drive").effort = 1.0
    alone.step(50)
    assert alone.state_hash == hashes[0][-1]


def test_a_batch_records_with_a_leading_axis() -> None:
    b = kr.batch(pendulum(step=0.01), 3)
    b.set("drive.effort", [0.0, 0.5, 1.0])
    names, values = b.run(0.5, record=["pivot.angle", "energy.total"], every=0.1)
    assert names == ["time", "pivot.angle", "energy.total"] and values.shape == (3, 6, 3)
    assert list(values[0, :, 0]) == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])
    # the same bits as a run of one world
    for k, effort in enumerate([0.0, 0.5, 1.0]):
        w = pendulum(step=0.01)
        w.motor("drive").effort = effort
        assert np.array_equal(
            w.run(0.5, record=["pivot.angle", "energy.total"], every=0.1).data, values[k]
        )
    with pytest.raises(kr.Refused, match="whole steps"):
        b.run(0.005, record=[])


@pytest.mark.ray
def test_ray_gives_the_same_table(
    scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    ray = pytest.importorskip("ray")
    ray.init(
        num_cpus=2,
        _node_ip_address="127.0.0.1",
        include_dashboard=False,
        object_store_memory=100 * 1024 * 1024,
    )
    try:
        kinds = {"threads": tmp_path / "a.csv", "ray": tmp_path / "b.csv"}
        for backend, out in kinds.items():
            kr.sweep(
                scene,
                {"k": kr.span(1, 20)},
                sample=kr.latin(40, 1),
                measure=["max b.position.x"],
                out=out,
                backend=backend,
            )
        assert kinds["threads"].read_bytes() == kinds["ray"].read_bytes()
    finally:
        ray.shutdown()


def test_the_program_sweeps_as_python_does(scene: Path, tmp_path: Path) -> None:
    here = tmp_path / "here.csv"
    kr.sweep(
        scene,
        {"k": kr.linspace(1, 20, 7), "b.mass": [1.0, 2.0, -1.0]},
        measure={"top": "max b.position.x", "last b.velocity.x": "last b.velocity.x"},
        out=here,
    )
    for threads in ("1", "2"):
        out = tmp_path / f"program{threads}.csv"
        command = [sys.executable, "-m", "kreisel", "sweep", str(scene), "--out", str(out)]
        command += ["--vary", "k=1:20:7", "--vary", "b.mass=1,2,-1", "--threads", threads]
        command += ["--measure", "top=max b.position.x", "--measure", "last b.velocity.x"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "21 of 21 points, 7 failed" in done.stdout
        assert out.read_bytes() == here.read_bytes()
    # what one has begun the other ends
    lines = here.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:11]))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "9 were there" in done.stdout and out.read_bytes() == here.read_bytes()


def test_arrays_are_written_that_numpy_reads(scene: Path, tmp_path: Path) -> None:
    out = tmp_path / "t.npz"
    table = kr.sweep(
        scene,
        {"k": kr.span(1, 20), "m": kr.span(-1, 2)},
        sample=kr.latin(20, 7),
        measure={"x": "last b.position.x"},
        out=out,
    )
    with np.load(out) as found:
        for name in ("k", "m", "x", "status", "error", "state_hash", "index", "seed", "version"):
            known = table[name]
            assert np.array_equal(found[name], known, equal_nan=name in ("x",)), name
    assert 0 < len(table.failed) < 20
    again = kr.sweep(
        scene,
        {"k": kr.span(1, 20), "m": kr.span(-1, 2)},
        sample=kr.latin(20, 7),
        measure={"x": "last b.position.x"},
        out=out,
    )
    assert again.resumed == 20 and again.rows == table.rows


def test_a_killed_sweep_of_the_program_goes_on(scene: Path, tmp_path: Path) -> None:
    def command(out: Path) -> list[str]:
        plan = ["--sample", "sobol", "--count", "600", "--vary", "k=1:20", "--quiet"]
        return [
            *(sys.executable, "-m", "kreisel", "sweep", str(scene), "--out", str(out)),
            *plan,
            *("--measure", "max b.position.x"),
        ]

    out, whole = tmp_path / "killed.csv", tmp_path / "whole.csv"
    process = subprocess.Popen(command(out))
    while process.poll() is None and not (out.exists() and out.read_bytes().count(b"\n") > 20):
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    subprocess.run(command(out), check=True)
    subprocess.run(command(whole), check=True)
    assert out.read_bytes() == whole.read_bytes()
    assert whole.read_bytes().count(b"\n") == 602


def test_lists_that_go_together_make_one_point_each() -> None:
    from kreisel.sample import points

    found = points({"a": [1, 2], "b": kr.linspace(3, 4, 2)}, kr.together())
    assert found == [{"a": 1.0, "b": 3.0}, {"a": 2.0, "b": 4.0}]
    with pytest.raises(kr.Refused, match="as many"):
        points({"a": [1, 2], "b": [1]}, kr.together())


def test_parquet_holds_the_rows_of_the_table(scene: Path, tmp_path: Path) -> None:
    out = tmp_path / "table.parquet"
    values = [0.5, 1.0, -1.0]
    table = kr.sweep(scene, {"b.mass": values}, measure={"e": "last energy.total"}, out=out)
    data = out.read_bytes()
    assert data[:4] == b"PAR1" == data[-4:]
    # the program writes the same file
    other = tmp_path / "program.parquet"
    command = [sys.executable, "-m", "kreisel", "sweep", str(scene), "--quiet", "--out", str(other)]
    command += ["--vary", "b.mass=0.5,1,-1", "--measure", "e=last energy.total"]
    assert subprocess.run(command, check=False).returncode == 0
    assert other.read_bytes() == data
    # and who knows the format reads it: a row that failed has no value
    parquet = pytest.importorskip("pyarrow.parquet")
    read = parquet.read_table(out).to_pydict()
    assert list(read) == list(table.rows[0])
    for name, column in read.items():
        assert column == [row[name] for row in table.rows], name
    assert read["e"][2] is None and read["status"] == ["ok", "ok", "failed"]


@pytest.mark.parametrize("backend", ["joblib", "dask"])
def test_other_backends_give_the_same_table(scene: Path, backend: str) -> None:
    pytest.importorskip({"dask": "distributed"}.get(backend, backend))
    what: dict[str, Any] = {"measure": ["max b.position.x"], "duration": 0.1}
    vary = {"k": kr.linspace(5, 20, 40)}
    here = kr.sweep(scene, vary, threads=1, **what)
    there = kr.sweep(scene, vary, backend=backend, threads=2, **what)
    assert here.rows == there.rows


def ishigami(x: np.ndarray) -> np.ndarray:
    """sin a + 7 sin² b + c⁴/10 sin a (Ishigami and Homma 1990)."""
    a, b, c = x.T
    return np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)


def test_sobol_indices_are_those_of_the_closed_form() -> None:
    from kreisel.indices import analyse, saltelli

    vary = {n: kr.span(-np.pi, np.pi) for n in "abc"}
    x = np.array([list(p.values()) for p in saltelli(vary, 4096)])
    found = analyse(list(vary), ishigami(x))
    # V = a²/8 + b π⁴/5 + b² π⁸/18 + 1/2 with 7 and 0.1
    v = 49 / 8 + 0.1 * np.pi**4 / 5 + 0.01 * np.pi**8 / 18 + 0.5
    first = [0.5 * (1 + 0.1 * np.pi**4 / 5) ** 2 / v, 49 / 8 / v, 0.0]
    mixed = 8 * 0.01 * np.pi**8 / 225 / v
    # 4096 points of a sequence of low discrepancy: some 1e-3
    assert found.first == pytest.approx(first, abs=5e-3)
    assert found.total == pytest.approx([first[0] + mixed, first[1], mixed], abs=5e-3)
    with pytest.raises(kr.Refused, match="powers of two"):
        saltelli(vary, 1000)


def test_sobol_indices_are_those_of_salib() -> None:
    from kreisel.indices import analyse, saltelli

    sobol = pytest.importorskip("SALib.analyze.sobol")
    vary = {n: kr.span(-np.pi, np.pi) for n in "abc"}
    y = ishigami(np.array([list(p.values()) for p in saltelli(vary, 512)]))
    problem = {"num_vars": 3, "names": list("abc"), "bounds": [[-np.pi, np.pi]] * 3}
    theirs = sobol.analyze(problem, y, calc_second_order=False, seed=1)
    ours = analyse(list(vary), y)
    assert ours.first == pytest.approx(theirs["S1"], rel=1e-12)
    assert ours.total == pytest.approx(theirs["ST"], rel=1e-12)
    # half widths are drawn at random on both sides: 100 resamples know them to a fifth
    assert ours.first_confidence == pytest.approx(theirs["S1_conf"], rel=0.5)


def test_indices_of_a_scene_say_what_matters(scene: Path) -> None:
    found, table = kr.indices(
        scene,
        {"k": kr.span(5, 20), "m": kr.span(0.5, 2.0)},
        measure={"spring": "max energy.spring", "speed": "min b.velocity.x"},
        count=32,
        duration=0.05,
    )
    assert len(table) == 32 * 4 and not table.failed
    # k x²/2 at the start knows no mass, and is largest there
    assert found["spring"].total[1] == pytest.approx(0.0, abs=0.01)
    assert found["spring"].first[0] == pytest.approx(1.0, abs=0.1)
    assert found["speed"].total[1] > 0.0

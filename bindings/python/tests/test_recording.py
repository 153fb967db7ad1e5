"""What a run gives: columns, plots, files."""

from __future__ import annotations

import re
from pathlib import Path

import kreisel as kr
import numpy as np
import pytest
from conftest import pendulum


def test_rows_are_taken_every_so_often_and_columns_have_names_and_units(arm: kr.World) -> None:
    run = arm.run(1.0, record=["arm.position", "energy", "pivot.error"], every=0.05)
    assert list(run.time) == pytest.approx(list(np.arange(21) * 0.05))
    assert run.columns[:4] == ["time", "arm.position.x", "arm.position.y", "arm.position.z"]
    assert run.units["arm.position.x"] == "m" and run.units["energy.total"] == "J"
    assert run["arm.position"].shape == (21, 3)
    assert np.array_equal(run["arm.position.z"], run["arm.position"][:, 2])
    total = run["energy.kinetic"] + run["energy.potential"] + run["energy.spring"]
    assert np.array_equal(run["energy.total"], total)
    assert run["arm.*"].shape == (21, 3)
    assert dict(run).keys() == set(run.columns) and len(run) == len(run.columns)


def test_a_component_is_recorded_with_its_vector(arm: kr.World) -> None:
    run = arm.run(0.1, record=["arm.velocity.x", "arm.velocity.z"])
    assert run.columns == ["time", "arm.velocity.x", "arm.velocity.y", "arm.velocity.z"]
    with pytest.raises(kr.UnknownName, match="no component"):
        arm.run(0.1, record=["arm.velocity.w"])


def test_without_a_list_the_scene_says_what_is_recorded() -> None:
    text = '[[body]]\nname = "b"\nshape = "point"\nmass = 1\n[record]\nquantities = ["b.velocity"]\nevery = 0.02\n'
    run = kr.parse(text).run(0.1)
    assert run.columns == ["time", "b.velocity.x", "b.velocity.y", "b.velocity.z"]
    assert len(run.time) == 6
    # free fall
    assert run["b.velocity.z"] == pytest.approx(-9.81 * run.time, abs=1e-12)


def test_the_ledger_of_a_run_sums_to_the_change_of_energy() -> None:
    w = pendulum(step=0.01)
    w.motor("drive").effort = 1.0
    start = w.energy["total"]
    run = w.run(1.0)
    assert run.ledger["change"] == pytest.approx(w.energy["total"] - start, abs=1e-12)
    # work of a constant torque: M φ
    assert run.ledger["motors"] == pytest.approx(1.0 * w.joint("pivot").angle, rel=1e-6)
    assert run.summary.work == pytest.approx(run.ledger["motors"])


def test_plots_are_axes_with_matplotlib_and_svg_without(arm: kr.World, tmp_path: Path) -> None:
    run = arm.run(0.5, record=["pivot.angle", "energy"])
    pyplot = pytest.importorskip("matplotlib.pyplot")
    axes = run.plot("pivot.angle")
    x, y = axes.lines[0].get_data()
    assert np.array_equal(x, run.time) and np.array_equal(y, run["pivot.angle"])
    assert axes.get_ylabel() == "pivot.angle [rad]"
    assert run.plot("energy", ax=axes) is axes and len(axes.lines) == 5
    pyplot.close("all")
    svg = run.svg("energy", title="a title")
    assert svg.startswith("<svg") and "a title" in svg and svg._repr_svg_() == svg
    svg.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == svg


def test_files_hold_the_same_bits(arm: kr.World, tmp_path: Path) -> None:
    run = arm.run(0.2, record=["pivot.angle", "energy.total"])
    run.save(tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0] == "time [s],pivot.angle [rad],energy.total [J]"
    assert np.array_equal(
        np.array([[float(x) for x in line.split(",")] for line in lines[1:]]), run.data
    )
    run.save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as file:
        assert np.array_equal(file["pivot.angle"], run["pivot.angle"])
    with pytest.raises(ValueError, match="csv or .npz"):
        run.save(tmp_path / "a.xlsx")


def test_a_page_carries_its_frames(arm: kr.World, tmp_path: Path) -> None:
    arm.run(0.2)  # also of a world that has moved
    run = arm.run(0.5, record=[], frames=True, after_step=lambda world: None)
    page = run.show()
    found = re.search(r'"times":\[([^\]]*)\]', page)
    assert found is not None
    times = [float(t) for t in found.group(1).split(",")]
    assert times[0] == pytest.approx(0.2) and times[-1] == pytest.approx(0.7, abs=0.02)
    # the anchor of the hinge in the arm's frame, wherever the arm is
    assert '"anchors":[[0.0,0.0,0.0],[-0.5,0.0,0.0]]' in page
    assert page._repr_html_().startswith("<iframe srcdoc=") and "<script" not in page._repr_html_()
    page.save(tmp_path / "run.html")
    with pytest.raises(kr.Refused, match="frames=True"):
        arm.run(0.1).show()

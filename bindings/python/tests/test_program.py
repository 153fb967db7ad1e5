"""The program that comes with the package, and the viewer."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import kreisel as kr
import pytest

#: Scenes of several methods and kinds of elements, each run for a while.
SCENES = [
    "pendulum.toml",
    "iftomm/a02-four-bar.toml",
    "iftomm/a04-bricard.toml",
    "joints/universal.toml",
    "features/motors.toml",
    "features/springs.toml",
    "contact/card-house.toml",
    "couplings/gear-train.toml",
    "robots/four-bar.urdf",
    "scripts/bang-bang.toml",
    "wagner/controllers.toml",
]


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the program."""
    command = [sys.executable, "-m", "kreisel", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_program_has_its_version_and_its_exit_codes(tmp_path: Path) -> None:
    assert kr.__version__ in program("--version").stdout
    assert program("nonsense").returncode == 2
    assert program("check", str(tmp_path / "none.toml")).returncode == 3


@pytest.mark.parametrize("name", SCENES)
def test_python_and_the_program_reach_the_same_state(scenes: Path, name: str) -> None:
    path = scenes / name
    w = kr.load(path)
    until = min(w.duration, 100 * w.step_size)
    run = w.run(until, record=[])
    out = program("run", str(path), "--until", repr(until), "--json")
    assert out.returncode in (0, 4, 5), out.stderr
    summary = json.loads(out.stdout)
    assert summary["state_hash"] == run.state_hash
    assert summary["steps"] == run.summary.steps and summary["converged"] == run.summary.converged


def test_the_viewer_answers_until_it_is_closed(arm: kr.World) -> None:
    with arm.view(open=False) as view:
        shown = view._repr_html_()
        # a link to what runs, and frames that need no server; the world itself has not moved
        assert view.running and f'href="{view.url}"' in shown and "<iframe srcdoc=" in shown
        assert arm.time == 0.0
        with urllib.request.urlopen(view.url, timeout=20) as page:
            assert page.status == 200
    assert not view.running

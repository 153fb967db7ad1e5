"""Laws of one's own: force elements, constraints, sensors, contact laws, exporters, scripts."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import kreisel as kr
import numpy as np
import pytest

Array = np.ndarray


@pytest.fixture
def clean() -> Iterator[Callable[[str, str], None]]:
    """Forgets what a test has registered."""
    made: list[tuple[str, str]] = []
    yield lambda kind, name: made.append((kind, name))
    for kind, name in made:
        kr.unregister(kind, name)


def spring(clean: Any) -> None:
    """A spring between two connectors."""

    @kr.force_law("py spring", connectors=2, velocities=False)
    class Spring:
        """F = k (r − l) along r."""

        def __init__(self, stiffness: float, length: float = 1.0) -> None:
            if stiffness < 0:
                raise ValueError("stiffness must not be negative")
            self.stiffness, self.length = stiffness, length

        def forces(self, time: float, x: Array, v: Array) -> Array:
            d = x[1] - x[0]
            r = np.linalg.norm(d)
            pull = self.stiffness * (r - self.length) * d / r
            return np.array([pull, -pull])

    clean("force", "py spring")


def test_a_spring_in_python_swings_in_closed_form(clean: Any) -> None:
    spring(clean)
    w = kr.World(step=0.001, gravity=[0, 0, 0])
    w.add_body(name="b", shape="point", mass=2.0, position=[1.5, 0, 0])
    w.add_controller(
        name="pull",
        type="plugin",
        plugin="py spring",
        parameters={"stiffness": 8.0},
        connectors=[{"fixed": [0, 0, 0]}, {"body": "b"}],
    )
    run = w.run(1.0, record=["b.position.x", "energy.total"])
    # ω = √(k/m) = 2 1/s; the work is booked as the user's
    assert run["b.position.x"][-1] == pytest.approx(1 + 0.5 * math.cos(2.0), abs=1e-5)
    assert abs(run.ledger["residual"]) < 1e-5
    # parameters are properties, and what they are not is refused by name
    assert "stiffness = 8" in w.controller("pull").get("parameters")
    with pytest.raises(kr.Refused, match='no parameter "stifness"'):
        w.controller("pull").set("parameters", {"stifness": 1.0})
    with pytest.raises(kr.Refused, match="not be negative"):
        w.controller("pull").set("parameters", {"stiffness": -1.0})
    w.controller("pull").set("parameters", {"stiffness": 0.0})
    before = w.body("b").velocity.copy()
    w.run(0.1)
    assert w.body("b").velocity == pytest.approx(before, abs=1e-12)


def test_a_saved_world_finds_its_laws_by_name(clean: Any, tmp_path: Path) -> None:
    spring(clean)
    w = kr.World(step=0.001)
    w.add_body(name="b", shape="point", mass=2.0, position=[1.5, 0, 0])
    w.add_controller(
        type="plugin",
        plugin="py spring",
        parameters={"stiffness": 8.0, "length": 0.5},
        connectors=[{"fixed": [0, 0, 0]}, {"body": "b"}],
    )
    w.run(0.1)
    w.save(tmp_path / "w.toml")
    again = kr.load(tmp_path / "w.toml")
    assert again.run(0.1).state_hash == w.copy().run(0.1).state_hash
    # a program without it refuses the scene, says why, and what is near
    done = program("check", str(tmp_path / "w.toml"))
    assert done.returncode == 1
    assert "has registered no force element" in done.stderr
    assert "a scene never loads code by itself" in done.stderr


def test_a_wrong_gradient_is_refused_at_registration() -> None:
    with pytest.raises(kr.Refused, match="row 1 by [xyz] of connector 2"):

        @kr.constraint_law("py wrong", connectors=2)
        class Wrong:
            def rows(self, time: float, x: Array, v: Array) -> tuple[list[float], Array]:
                d = x[1] - x[0]
                return [d @ d - 1.0], np.array([[-2 * d, d]])

    assert not any(p["name"] == "py wrong" for p in kr.registered())


def rod(clean: Any) -> None:
    """A rod between two connectors."""

    @kr.constraint_law("py rod", connectors=2)
    class Rod:
        """(d² − l²)/2l."""

        def __init__(self, length: float = 1.0) -> None:
            self.length = length

        def rows(self, time: float, x: Array, v: Array) -> tuple[list[float], Array]:
            d = x[1] - x[0]
            g = d / self.length
            return [(d @ d - self.length**2) / (2 * self.length)], np.array([[-g, g]])

    clean("constraint", "py rod")


@pytest.mark.parametrize("method", ["direct", "lagrange"])
def test_a_rod_in_python_swings_as_the_engines_own(clean: Any, method: str) -> None:
    rod(clean)
    ends = []
    for keys in (
        {"type": "plugin", "plugin": "py rod"},
        {"type": "distance", "length": 1.0},
    ):
        w = kr.World(step=0.002, method=method)
        w.add_body(name="b", shape="point", mass=2.0, position=[1, 0, 0])
        w.add_constraint(connectors=[{"fixed": [0, 0, 0]}, {"body": "b"}], **keys)
        run = w.run(1.0, record=["b.position"])
        length = np.linalg.norm(run["b.position"], axis=1)
        assert np.abs(length - 1.0).max() < 2e-6
        ends.append(run["b.position"][-1])
    # both are second order in the step: h² g/l of the way
    assert ends[0] == pytest.approx(ends[1], abs=5e-5)


def test_a_rate_that_is_forgotten_is_refused() -> None:
    with pytest.raises(kr.Refused, match="rate of row 1"):

        @kr.constraint_law("py late", connectors=1)
        class Late:
            def rows(self, time: float, x: Array, v: Array) -> tuple[list[float], Array]:
                return [x[0, 2] - math.sin(time)], np.array([[[0, 0, 1]]])


def test_an_exception_of_a_law_comes_back_and_the_world_stands_where_it_was(clean: Any) -> None:
    @kr.force_law("py late", connectors=1)
    class Late:
        def forces(self, time: float, x: Array, v: Array) -> Array:
            if time > 0.042:
                raise ZeroDivisionError("on purpose")
            return np.zeros_like(x)

    clean("force", "py late")
    w = kr.World(step=0.01)
    w.add_body(name="b", shape="point", mass=1.0)
    w.add_controller(type="plugin", plugin="py late", connectors=[{"body": "b"}])
    for run in (lambda: w.run(1.0), lambda: w.step(100)):
        with pytest.raises(ZeroDivisionError, match="on purpose") as caught:
            run()
        assert any(e.name == "forces" for e in caught.traceback)
        # the step in whose middle it failed was given up
        assert w.time == pytest.approx(0.04)
    other = kr.World(step=0.01)
    other.add_body(name="b", shape="point", mass=1.0)
    other.run(0.04)
    assert other.body("b").position == pytest.approx(w.body("b").position)
    # an answer of another shape is one, too
    kr.unregister("force", "py late")

    @kr.force_law("py late", connectors=1)
    class Flat:
        def forces(self, time: float, x: Array, v: Array) -> Array:
            return np.zeros(3)

    w.add_controller(type="plugin", plugin="py late", connectors=[{"body": "b"}], name="flat")
    with pytest.raises(ValueError, match=r"forces\(\) of Flat has shape \(3,\), wanted \(1, 3\)"):
        w.step()


def test_a_law_cannot_ask_the_world_that_asks_it(clean: Any) -> None:
    w = kr.World(step=0.01)
    w.add_body(name="b", shape="point", mass=1.0)

    @kr.force_law("py nosy", connectors=1)
    class Nosy:
        def forces(self, time: float, x: Array, v: Array) -> Array:
            return np.array([[w.time, 0, 0]])

    clean("force", "py nosy")
    w.add_controller(type="plugin", plugin="py nosy", connectors=[{"body": "b"}])
    with pytest.raises(kr.Refused, match="cannot ask a world"):
        w.step()


def test_a_sensor_in_python_reads_the_state(clean: Any) -> None:
    @kr.sensor_law("py apart", channels={"distance": "m", "time": "s"})
    class Apart:
        def measure(self, seen: Any) -> list[float]:
            d = seen.position("a") - seen.position("b")
            return [float(np.linalg.norm(d)), seen.time]

    clean("sensor", "py apart")
    w = kr.World(step=0.01)
    w.add_body(name="a", shape="point", mass=1.0)
    w.add_body(name="b", shape="point", kind="static")
    w.add_sensor(name="s", type="plugin", plugin="py apart", delay=0.1)
    run = w.run(1.0, record=["s.value"])
    assert run.columns[1:] == ["s.value.distance", "s.value.time"]
    assert run.units["s.value.distance"] == "m"
    # g t²/2 after a second, a tenth of a second late
    assert run["s.value.distance"][-1] == pytest.approx(9.81 / 2 * 0.81, rel=1e-9)
    assert run["s.value.time"][-1] == pytest.approx(0.9)


def test_a_contact_law_in_python_decides_the_rebound(clean: Any) -> None:
    @kr.contact_law("py half")
    class Half:
        def __init__(self, rebound: float = 0.5) -> None:
            self.rebound = rebound

        def coefficients(self, a: Any, b: Any, usual: Any) -> dict[str, float]:
            assert {a.name, b.name} == {"ice", "steel"} or a.name == b.name
            return {"restitution": self.rebound}

    clean("contact", "py half")
    text = """
    contact = { time = "exact", plugin = "py half", parameters = { rebound = 0.4 } }
    [world]
    step = 0.001
    [[body]]
    name = "floor"
    kind = "static"
    material = "ice"
    shape = { box = [4, 4, 1] }
    position = [0, 0, -0.5]
    [[body]]
    name = "ball"
    material = "steel"
    shape = { sphere = 0.1 }
    mass = 1
    position = [0, 0, 1.1]
    """
    w = kr.parse("version = 1\n" + "\n".join(line.strip() for line in text.splitlines()))
    run = w.run(0.75, record=["ball.position.z", "ball.velocity.z"])
    z, up = run["ball.position.z"] - 0.1, run["ball.velocity.z"] > 0
    # it falls 1 m and rises e² of that
    assert z[np.argmax(up) :].max() == pytest.approx(0.16, abs=2e-3)


def test_an_exporter_writes_what_save_and_convert_ask_for(clean: Any, tmp_path: Path) -> None:
    laws = tmp_path / "laws.py"
    laws.write_text(
        "import kreisel as kr\n"
        "@kr.exporter('.xyz')\n"
        "def xyz(columns, units):\n"
        "    first = next(iter(columns))\n"
        "    return f'{first} [{units[first]}] {len(columns[first])} {len(columns)}'\n",
        encoding="utf-8",
    )
    namespace: dict[str, Any] = {}
    exec(laws.read_text(encoding="utf-8"), namespace)
    clean("exporter", ".xyz")
    w = kr.World(step=0.01)
    w.add_body(name="b", shape="point", mass=1.0)
    w.run(0.1, record=["b.position"]).save(tmp_path / "run.xyz")
    assert (tmp_path / "run.xyz").read_text() == "time [s] 11 4"
    with pytest.raises(kr.Refused, match="itself"):
        kr.exporter(".csv")(lambda c, u: "")
    # the program with the same laws
    w.save(tmp_path / "w.toml")
    recording, out = tmp_path / "w.kreisel", tmp_path / "w.xyz"
    run = ["run", str(tmp_path / "w.toml"), "--until", "0.2", "--record", str(recording)]
    assert program(*run).returncode == 0
    assert program("convert", str(recording), str(out)).returncode == 2
    done = program("--plugins", str(laws), "convert", str(recording), str(out))
    assert done.returncode == 0, done.stderr
    assert out.read_text().startswith("time [s] 11 ")


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the program."""
    command = [sys.executable, "-m", "kreisel", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_program_loads_laws_that_the_user_names(clean: Any, tmp_path: Path) -> None:
    laws, scene = tmp_path / "laws.py", tmp_path / "scene.toml"
    laws.write_text(
        "import kreisel as kr\n"
        "import numpy as np\n"
        "@kr.force_law('lift', connectors=1)\n"
        "class Lift:\n"
        "    def __init__(self, force): self.force = force\n"
        "    def forces(self, time, x, v): return np.array([[0, 0, self.force]])\n",
        encoding="utf-8",
    )
    scene.write_text(
        'version = 1\n[[body]]\nname = "b"\nshape = "point"\nmass = 2\n'
        '[[controller]]\ntype = "plugin"\nplugin = "lift"\nparameters = { force = "2 * 9.81" }\n'
        'connectors = [{ body = "b" }]\n',
        encoding="utf-8",
    )
    done = program("--plugins", str(laws), "run", str(scene), "--until", "1", "--json")
    assert done.returncode in (0, 4), done.stderr
    exec(laws.read_text(encoding="utf-8"), {})
    clean("force", "lift")
    w = kr.load(scene)
    run = w.run(1.0)
    assert run.state_hash in done.stdout
    # as much as carries it
    assert w.body("b").position == pytest.approx([0, 0, 0], abs=1e-12)


def test_laws_keep_their_bits_in_batches_on_any_number_of_threads(clean: Any) -> None:
    spring(clean)

    def world() -> kr.World:
        w = kr.World(step=0.01)
        w.add_body(name="b", shape="point", mass=2.0, position=[1.5, 0, 0])
        w.add_controller(
            type="plugin",
            plugin="py spring",
            parameters={"stiffness": 8.0},
            connectors=[{"fixed": [0, 0, 0]}, {"body": "b"}],
        )
        return w

    alone = world()
    alone.step(20)
    for threads in (1, 2):
        batch = kr.batch(world(), 4, threads=threads)
        batch.step(20)
        assert set(batch.state_hashes) == {alone.state_hash}


SCRIPT = '''
version = 1
[params]
lift = 3.0
[world]
step = 0.01
[[body]]
name = "b"
shape = "point"
mass = 1
[[script]]
language = "python"
every = 0.05
build = """
called = []
world.add_body(name="made", shape="point", mass=lift)

def on_time(world, t):
    called.append(round(t, 9))
    world.body("made").mass = 1 + len(called)

def on_step(world):
    world.body("b").apply_force([0, 0, 9.81 * world.body("b").mass])
"""
'''


def test_a_script_in_python_runs_where_the_host_gives_leave(tmp_path: Path) -> None:
    with pytest.raises(kr.SceneError, match="python=True"):
        kr.parse(SCRIPT)
    w = kr.parse(SCRIPT, python=True)
    assert w.body("made").mass == 3.0
    w.run(0.2)
    # at 0, 0.05, 0.1 and 0.15 s
    assert w.body("made").mass == 1 + 4
    assert w.body("b").position == pytest.approx([0, 0, 0], abs=1e-12)
    # saved with its script; what its statements made stands among the bodies
    w.save(tmp_path / "w.toml")
    again = kr.load(tmp_path / "w.toml", python=True)
    assert again.body_names == w.body_names
    again.run(0.1)
    assert again.time == pytest.approx(0.3)
    done = program("check", str(tmp_path / "w.toml"))
    assert done.returncode == 1 and "a scene runs no code by itself" in done.stderr


def test_a_mistake_in_a_script_is_shown_at_its_line() -> None:
    with pytest.raises(kr.Refused, match="did you mean on_step"):
        kr.parse(SCRIPT.replace("def on_step", "def on_stepp"), python=True)
    with pytest.raises(ZeroDivisionError) as caught:
        kr.parse(SCRIPT.replace("called = []", "called = 1 / 0"), python=True)
    line = SCRIPT.splitlines().index("called = []") + 1
    assert abs(caught.traceback[-1].lineno + 1 - line) <= 1

"""Laws of your own: force elements, constraints, sensors, contact laws, exporters, as classes.

A law is registered under a name; scenes and ``w.add_controller(type="plugin", plugin=...)`` find it
by that name. A scene never loads code: a name that nobody has registered is refused.

>>> import kreisel as kr
>>> import numpy as np
>>> @kr.force_law("docs wind", connectors=1)
... class Wind:
...     '''A wind that blows along x.'''
...     def __init__(self, drag: float, speed: float = 1.0) -> None:
...         self.drag, self.speed = drag, speed
...     def forces(self, time, positions, velocities):
...         return self.drag * (np.array([self.speed, 0, 0]) - velocities)
>>> kr.unregister("force", "docs wind")

The parameters of a law are those of its ``__init__``, which are numbers. Laws have no memory: they
are asked several times a step, at trial states, and steps are made again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _native
from .errors import Refused

Array = NDArray[np.float64]
T = TypeVar("T")
Make = Callable[[Sequence[float]], Callable[..., Any]]

#: Places at which the gradients of a new constraint are checked.
CHECKS = 3


def _parameters(law: Callable[..., Any]) -> list[tuple[str, float | None]]:
    """Names and defaults of the numbers that a law is made of."""
    out: list[tuple[str, float | None]] = []
    for p in inspect.signature(law).parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise Refused(f"{law.__name__}: a law has parameters by name, not *{p.name}")
        if p.default is p.empty:
            out.append((p.name, None))
        elif isinstance(p.default, int | float) and not isinstance(p.default, bool):
            out.append((p.name, float(p.default)))
        else:
            raise Refused(f"{law.__name__}: the default of {p.name} is no number")
    return out


def _doc(law: Any) -> str:
    """The first line of its documentation."""
    text = inspect.getdoc(law) or ""
    return text.splitlines()[0] if text else ""


def _flat(value: Any, shape: tuple[int, ...], what: str) -> Array:
    """Numbers of a shape, in one row."""
    array = np.asarray(value, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"{what} has shape {array.shape}, wanted {shape}")
    return np.ascontiguousarray(array).ravel()


def _has(law: Any, method: str) -> None:
    if not callable(getattr(law, method, None)):
        raise Refused(f"{law.__name__} needs a method {method}()")


def force_law(
    name: str, *, connectors: int | tuple[int, int] = (1, 1000), velocities: bool = True
) -> Callable[[type[T]], type[T]]:
    """Registers a class as a force element.

    ``forces(time, positions, velocities)`` gives the force [N] on every connector, (n, 3); the
    arrays have one row a connector, world coordinates. ``connectors`` is how many it takes, or
    (least, most). ``velocities=False`` says that forces do not depend on velocities.
    """
    least, most = (connectors, connectors) if isinstance(connectors, int) else connectors

    def register(law: type[T]) -> type[T]:
        _has(law, "forces")
        names = _parameters(law)

        def make(values: Sequence[float]) -> Callable[..., Any]:
            made: Any = law(**dict(zip([n for n, _ in names], values, strict=True)))

            def ask(time: float, x: Array, v: Array) -> Array:
                return _flat(made.forces(time, x, v), x.shape, f"forces() of {law.__name__}")

            return ask

        _native.register_force(name, _doc(law), names, least, most, velocities, make)
        return law

    return register


def constraint_law(
    name: str, *, connectors: int, rows: int = 1, velocity: bool = False
) -> Callable[[type[T]], type[T]]:
    """Registers a class as a constraint, after its gradients have been checked.

    ``rows(time, positions, velocities)`` gives the values, (rows,), that are to be zero, and their
    gradients by the positions of the connectors, (rows, connectors, 3); and, where values depend on
    the time by themselves, their rates, (rows,). With ``velocity=True`` velocities are constrained:
    gradients are those by the velocities.

    Gradients are compared with differences of the values at registration, if all parameters have
    defaults, and whenever such a constraint is added to a world.
    """

    def register(law: type[T]) -> type[T]:
        _has(law, "rows")
        names = _parameters(law)

        def make(values: Sequence[float]) -> Callable[..., Any]:
            made: Any = law(**dict(zip([n for n, _ in names], values, strict=True)))

            def ask(time: float, x: Array, v: Array) -> tuple[Array, Array, Array]:
                said = made.rows(time, x, v)
                if not isinstance(said, tuple) or len(said) not in (2, 3):
                    raise ValueError(
                        f"rows() of {law.__name__} gives values and gradients, and rates if need be"
                    )
                what = f"rows() of {law.__name__}:"
                values = _flat(said[0], (rows,), f"{what} values")
                gradients = _flat(said[1], (rows, connectors, 3), f"{what} gradients")
                if len(said) == 2:
                    return values, gradients, np.zeros(rows)
                return values, gradients, _flat(said[2], (rows,), f"{what} rates")

            return ask

        defaults = [x for _, x in names if x is not None]
        if len(defaults) == len(names):
            _check(make(defaults), connectors, rows, velocity)
        _native.register_constraint(name, _doc(law), names, connectors, rows, velocity, make)
        return law

    return register


def _check(function: Callable[..., Any], connectors: int, rows: int, velocity: bool) -> None:
    """Gradients against differences at places that are the same every time."""
    random = np.random.default_rng(0)
    for _ in range(CHECKS):
        places = random.normal(size=(connectors, 3)).tolist()
        _native.check_constraint(connectors, rows, velocity, function, places)


def sensor_law(
    name: str, *, channels: Mapping[str, str] | Sequence[tuple[str, str]]
) -> Callable[[type[T]], type[T]]:
    """Registers a class as a sensor.

    ``measure(seen)`` gives as many numbers as there are channels: names with units, the name ""
    for a single one. ``seen`` has ``time``, ``position(body)``, ``quaternion(body)``,
    ``velocity(body)``, ``angular_velocity(body)``, ``coordinate("joint.angle")`` and ``rate(...)``.
    Noise, delay, rate and the like are those of every sensor.
    """
    pairs = list(channels.items() if isinstance(channels, Mapping) else channels)

    def register(law: type[T]) -> type[T]:
        _has(law, "measure")
        names = _parameters(law)

        def make(values: Sequence[float]) -> Callable[..., Any]:
            made: Any = law(**dict(zip([n for n, _ in names], values, strict=True)))

            def ask(seen: Any) -> Array:
                said = np.atleast_1d(np.asarray(made.measure(seen), dtype=np.float64))
                return _flat(said, (len(pairs),), f"measure() of {law.__name__}")

            return ask

        _native.register_sensor(name, _doc(law), names, pairs, make)
        return law

    return register


class Coefficients(dict[str, float]):
    """Coefficients of a contact: ``restitution``, ``friction``, ``static_friction``, ``rolling``,
    ``spinning``."""

    KEYS = ("restitution", "friction", "static_friction", "rolling", "spinning")

    #: name of the material, empty for what two make together
    name: str = ""


def contact_law(name: str) -> Callable[[type[T]], type[T]]:
    """Registers a class as a contact law: what two materials make together.

    ``coefficients(a, b, usual)`` gets two materials and what the rules of the scene give, all as
    :class:`Coefficients`, and gives the coefficients that differ. It is asked once for every pair
    of materials when a world changes.
    """

    def register(law: type[T]) -> type[T]:
        _has(law, "coefficients")
        names = _parameters(law)

        def make(values: Sequence[float]) -> Callable[..., Any]:
            made: Any = law(**dict(zip([n for n, _ in names], values, strict=True)))

            def ask(a: Any, b: Any, usual: Sequence[float]) -> Array:
                def material(given: Any) -> Coefficients:
                    out = Coefficients(zip(Coefficients.KEYS, given[1], strict=True))
                    out.name = given[0]
                    return out

                rules = Coefficients(zip(Coefficients.KEYS, usual, strict=True))
                said = dict(made.coefficients(material(a), material(b), rules) or {})
                unknown = set(said) - set(Coefficients.KEYS)
                if unknown:
                    raise ValueError(f"there is no coefficient {', '.join(sorted(unknown))}")
                # who makes sliding harder means sticking, too
                if "friction" in said and "static_friction" not in said:
                    said["static_friction"] = said["friction"]
                both = {**rules, **said}
                return np.array([both[k] for k in Coefficients.KEYS], dtype=np.float64)

            return ask

        _native.register_contact(name, _doc(law), names, make)
        return law

    return register


F = TypeVar("F", bound=Callable[..., Any])


def exporter(ending: str) -> Callable[[F], F]:
    """Registers a function that writes recordings: ``function(columns, units)`` gets arrays and
    units by name, and gives the bytes or the text of a file. ``run.save`` and ``kreisel convert``
    take the ending from then on.
    """
    plain = ending.removeprefix(".")

    def register(function: F) -> F:
        def write(columns: dict[str, Array], units: dict[str, str]) -> bytes:
            said = function(columns, units)
            return said.encode() if isinstance(said, str) else bytes(said)

        _native.register_exporter(plain, write)
        EXPORTERS[plain] = write
        return function

    return register


#: What writes recordings, by ending.
EXPORTERS: dict[str, Callable[[dict[str, Array], dict[str, str]], bytes]] = {}


def unregister(kind: str, name: str) -> None:
    """Forgets a "force", "constraint", "sensor" or "contact" law, or an "exporter". Worlds that use
    it go on with it."""
    plain = name.removeprefix(".") if kind == "exporter" else name
    if not _native.unregister_plugin(kind, plain):
        raise Refused(f'no {kind} "{name}" is registered')
    if kind == "exporter":
        EXPORTERS.pop(plain, None)


def registered() -> list[dict[str, Any]]:
    """All registered laws: kind, name, what they do, parameters with defaults (None: required)."""
    return [
        {"kind": kind, "name": name, "doc": doc, "parameters": dict(parameters)}
        for kind, name, doc, parameters in _native.plugins()
    ]


def scripts(world: Any) -> None:
    """Runs the Python scripts of a scene that was loaded with leave to do so."""
    for name, line, text, at, every, generate, params in world._scripts():
        _script(world, name, line, text, at, every, generate, params)


def _script(
    world: Any,
    name: str,
    line: int,
    text: str,
    at: Sequence[float],
    every: float | None,
    generate: bool,
    params: Mapping[str, float],
) -> None:
    import ast

    # lines are counted as in the scene, so that tracebacks point there
    tree = ast.parse(text, filename=name)
    ast.increment_lineno(tree, line - 1)
    if not generate:
        calls = (ast.Expr, ast.For, ast.While, ast.If, ast.With)
        tree.body = [s for s in tree.body if not isinstance(s, calls)]
    space: dict[str, Any] = {"__name__": "__scene__", "world": world, "np": np, **params}
    exec(compile(tree, name, "exec"), space)

    # functions that look like procedures must be ones
    known = ("on_step", "on_time", "on_limit", "on_break", "on_collision")
    for word, value in list(space.items()):
        if word.startswith("on_") and callable(value) and word not in known:
            near = _native.nearest(word, list(known))
            raise Refused(f"{name}: there is no event {word}; did you mean {near or known}?")
    if "on_step" in space:
        world.control(space["on_step"])
    if "on_time" in space:
        world.control(_timer(space["on_time"], list(at), every))
    events = {
        "limit_hit": ("on_limit", ("name", "speed")),
        "broken": ("on_break", ("name", "force", "torque")),
        "contact_begin": ("on_collision", ("bodies", "impulse")),
    }
    wanted = {k: (space[f], keys) for k, (f, keys) in events.items() if f in space}

    def tell(world: Any, event: Mapping[str, Any]) -> None:
        if event["kind"] in wanted:
            function, keys = wanted[event["kind"]]
            values = [event[k] for k in keys]
            if keys[0] == "bodies":
                values = [*values[0], *values[1:]]
            function(world, *values)

    if wanted:
        world.on_event(tell)


def _timer(
    function: Callable[..., Any], at: Sequence[float], every: float | None
) -> Callable[[Any], None]:
    """Calls a function at times, and every so many seconds."""
    done = 0
    following: int | None = None

    def tick(world: Any) -> None:
        nonlocal done, following
        now = world.time + 1e-9 * world.step_size
        while done < len(at) and at[done] <= now:
            done += 1
            function(world, at[done - 1])
        if every is not None:
            if following is None:
                following = int(np.ceil(world.time / every - 1e-9))
            if every * following <= now:
                due = every * following
                following = int(now / every) + 1
                function(world, due)

    return tick


def load_plugins(path: str) -> None:
    """Runs a file of Python that registers laws: what ``kreisel --plugins FILE ...`` does."""
    import runpy

    runpy.run_path(path, run_name="kreisel_plugins")


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The files after ``--plugins`` at the beginning of a command line, and the rest."""
    files, rest = [], list(arguments)
    while rest and (rest[0] == "--plugins" or rest[0].startswith("--plugins=")):
        first = rest.pop(0)
        if "=" in first:
            files.append(first.partition("=")[2])
        elif rest:
            files.append(rest.pop(0))
        else:
            raise SystemExit("error: --plugins needs a file")
    return files, rest


__all__ = [
    "Coefficients",
    "constraint_law",
    "contact_law",
    "exporter",
    "force_law",
    "registered",
    "sensor_law",
    "unregister",
]

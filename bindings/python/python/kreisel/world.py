"""A world: bodies, joints and what drives them, stepped and recorded."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsFloat, TypeVar

import numpy as np

from . import _native
from ._builders import Builders
from ._native import Body, Core, Item, Joint, Motor, Report, Snapshot
from .analyses import Analyses
from .errors import KreiselError, Refused
from .questions import Questions
from .recording import Page, Recording, Summary

if TYPE_CHECKING:
    from ._properties import (
        ConstraintItem,
        ControllerItem,
        CurveItem,
        FieldItem,
        ProcedureItem,
        SensorItem,
        Settings,
        SpringItem,
    )
    from .viewer import View

Callback = Callable[["World"], Any]
EventCallback = Callable[["World", dict[str, Any]], Any]
F = TypeVar("F", bound=Callable[..., Any])

#: Tables of a scene whose items have names, and the kind of item that they make.
MAKES = {
    "body": "body",
    "point": "body",
    "joint": "joint",
    "rod": "joint",
    "thread": "joint",
    "rail": "joint",
    "polygon": "joint",
    "spring": "spring",
    "motor": "motor",
    "curve": "curve",
    "constraint": "constraint",
    "controller": "controller",
    "field": "field",
    "procedure": "procedure",
    "sensor": "sensor",
}


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays as JSON knows them."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Item):
        return value.name
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a scene has no place for {value!r}")


def _json(tables: dict[str, Any]) -> str:
    try:
        return json.dumps(tables, default=_plain, allow_nan=False, indent=1)
    except ValueError as error:
        raise Refused(f"a scene has finite numbers only: {error}") from None


def _lists(tables: dict[str, Any]) -> dict[str, Any]:
    """Tables of items as lists of them."""
    single = ("world", "contact", "lagrange", "record", "camera", "params")
    return {
        k: v if k in single or isinstance(v, list | tuple) else [v] for k, v in tables.items()
    }


class World(Analyses, Questions, Builders):
    """A world. ``World(step=0.005, gravity=[0, 0, 0])`` is empty; the keywords are the keys of
    ``[world]`` in a scene. :func:`load` reads a scene file.

    Lengths in m, times in s, masses in kg, angles in rad unless a property says otherwise.
    """

    _controls: list[tuple[Callback, float]]
    _after: list[tuple[Callback, float]]
    _on_event: list[EventCallback]
    _bodies: dict[str, Body]
    _joints: dict[str, Joint]
    _motors: dict[str, Motor]

    def __new__(cls, title: str = "", **world: Any) -> World:
        return cls._made(_json({"version": 1, "title": title, "world": world}), name="World.json")

    def __init__(self, title: str = "", **world: Any) -> None:
        super().__init__()

    @classmethod
    def _made(cls, text: str | None, name: str = "scene.toml", **options: Any) -> World:
        self = Core.__new__(cls, text, name=name, **options)
        self._controls, self._after, self._on_event = [], [], []
        self._bodies, self._joints, self._motors = {}, {}, {}
        if options.get("python"):
            from .plugins import scripts

            scripts(self)
        return self

    # building

    def add(self, **tables: Any) -> None:
        """Adds items: the keywords are the tables of a scene, ``body=[{...}, ...]`` for several.

        Bodies stand where they stand now; an error leaves the world as it was.
        """
        self.extend("World.add.json", _json(_lists(tables)))

    def _add(self, table: str, keys: dict[str, Any]) -> Any:
        """Adds one item, and gives it; a list where ``repeat`` made several."""
        given = {k.rstrip("_"): v for k, v in keys.items() if v is not None}
        kind = MAKES.get(table)
        before = len(self.names(kind)) if kind else 0
        self.extend(f"World.add_{table}.json", _json({table: [given]}))
        if kind is None:
            return None
        made = [self._item(kind, name) for name in self.names(kind)[before:]]
        return made[0] if len(made) == 1 else made

    def remove(self, *items: str | Item) -> None:
        """Removes items with everything that hangs on them."""
        self._forget()
        self._remove([i if isinstance(i, str) else i.name for i in items])

    def rename(self, old: str, new: str) -> None:
        """Gives an item another name; names are unique over all kinds."""
        self._forget()
        self.item(old).set("name", new)

    def restore(self, snapshot: Snapshot) -> None:
        """Goes back to a snapshot, with everything that existed then."""
        self._forget()
        super().restore(snapshot)

    def restart(self) -> None:
        """Back to the start of the scene, with what was added before the first step.

        Properties that were set since have their first values again.
        """
        self._forget()
        super().restart()

    def _forget(self) -> None:
        """Names may stand for something else from now on."""
        self._bodies.clear()
        self._joints.clear()
        self._motors.clear()

    # items by name; those that were asked for are kept, since a loop asks for the same ones

    def body(self, name: str) -> Body:
        """The body of this name."""
        found = self._bodies.get(name)
        if found is None:
            found = self._bodies[name] = super().body(name)
        return found

    def joint(self, name: str) -> Joint:
        """The joint of this name."""
        found = self._joints.get(name)
        if found is None:
            found = self._joints[name] = super().joint(name)
        return found

    def motor(self, name: str) -> Motor:
        """The motor of this name."""
        found = self._motors.get(name)
        if found is None:
            found = self._motors[name] = super().motor(name)
        return found

    def item(self, name: str) -> Item:
        """The item of this name, whatever it is."""
        return self._item("", name)

    def spring(self, name: str) -> SpringItem:
        """The spring of this name."""
        return self._item("spring", name)  # type: ignore[return-value]

    def constraint(self, name: str) -> ConstraintItem:
        """The constraint of this name."""
        return self._item("constraint", name)  # type: ignore[return-value]

    def controller(self, name: str) -> ControllerItem:
        """The controller of this name."""
        return self._item("controller", name)  # type: ignore[return-value]

    def field(self, name: str) -> FieldItem:
        """The force field of this name."""
        return self._item("field", name)  # type: ignore[return-value]

    def curve(self, name: str) -> CurveItem:
        """The curve of this name."""
        return self._item("curve", name)  # type: ignore[return-value]

    def procedure(self, name: str) -> ProcedureItem:
        """The procedure of this name."""
        return self._item("procedure", name)  # type: ignore[return-value]

    def sensor(self, name: str) -> SensorItem:
        """The sensor of this name; its ``value`` is a number or an array."""
        return self._item("sensor", name)  # type: ignore[return-value]

    @property
    def settings(self) -> Settings:
        """Gravity, step, method, tolerances: the properties of the whole world."""
        return self._item("world", "world")  # type: ignore[return-value]

    def get(self, path: str) -> Any:
        """A property or measured quantity by path: "crank.limits.angle.max", "energy.total"."""
        item, key = self._split(path)
        return self.measure(path) if item is None else item.get(key)

    def set(self, path: str, value: Any) -> None:
        """Sets a property by path: "crank motor.effort", "arm.mass", "world.gravity"."""
        item, key = self._split(path)
        if item is None:
            raise KreiselError(f'"{path}" is measured and cannot be set')
        if isinstance(item, _native.Motor) and key in ("effort", "velocity", "target"):
            setattr(item, key, value)
        else:
            item.set(key, value)

    def _split(self, path: str) -> tuple[Item | None, str]:
        """The item that a path names and the rest of it; names may have dots."""
        at = len(path)
        while (at := path.rfind(".", 0, at)) > 0:
            try:
                return self._item("", path[:at]), path[at + 1 :]
            except LookupError:
                continue
        if path.split(".")[0] in ("energy", "ledger", "report"):
            return None, path
        return self._item("", path.split(".")[0]), path.partition(".")[2]

    # callbacks

    def control(self, function: Callback | None = None, *, every: SupportsFloat = 0.0) -> Any:
        """Calls ``function(world)`` before the forces of a step, every so many seconds.

        Motors keep what they were told in between (zero-order hold). ``every=0`` is every step.
        Works as a decorator: ``@w.control(every=0.01)``.
        """
        return self._register(self._controls, function, every)

    def after_step(self, function: Callback | None = None, *, every: SupportsFloat = 0.0) -> Any:
        """Calls ``function(world)`` after steps, every so many seconds; 0 is every step."""
        return self._register(self._after, function, every)

    def on_event(self, function: EventCallback) -> EventCallback:
        """Calls ``function(world, event)`` for every event: limits, contacts, joints that break."""
        self._on_event.append(function)
        return function

    def clear_callbacks(self) -> None:
        """Forgets all callbacks."""
        self._controls.clear()
        self._after.clear()
        self._on_event.clear()

    @staticmethod
    def _register(
        place: list[tuple[Callback, float]], function: Callback | None, every: SupportsFloat
    ) -> Any:
        def register(function: F) -> F:
            place.append((function, float(every)))
            return function

        return register if function is None else register(function)

    # stepping

    def step(self, n: int = 1) -> Report:
        """Makes ``n`` steps; gives the report of the last."""
        if not (self._controls or self._after or self._on_event):
            return self._step(n)
        self._run(None, int(n), [], None, self._controls, self._after, self._on_event)
        return self.report

    def run(
        self,
        duration: SupportsFloat | None = None,
        *,
        until: SupportsFloat | None = None,
        record: Sequence[str] | None = None,
        every: SupportsFloat | None = None,
        control: Callback | None = None,
        after_step: Callback | None = None,
        on_event: EventCallback | None = None,
        frames: bool = False,
    ) -> Recording:
        """Runs for ``duration`` seconds, or ``until`` a time; the scene's duration without both.

        ``record`` lists quantities ("crank.angle", "arm.position", "energy", "link *.velocity");
        without it those of the scene are recorded, or the usual ones. ``every`` is the time between
        rows, s. Callbacks given here are called besides those that were registered.
        ``frames=True`` keeps poses for ``run.show()``.
        """
        if duration is not None and until is not None:
            raise Refused("a run has a duration or a time to end at, not both")
        end = (
            float(until)
            if until is not None
            else self.time + float(self.duration if duration is None else duration)
        )
        if not (np.isfinite(end) and end >= self.time):
            raise Refused(f"a run ends at a time from now ({self.time} s) on, not at {end} s")
        names, data, summary, events, messages = self._run(
            end,
            0,
            None if record is None else list(record),
            None if every is None else float(every),
            self._controls + ([(control, 0.0)] if control else []),
            self._after + ([(after_step, 0.0)] if after_step else []),
            self._on_event + ([on_event] if on_event else []),
            frames,
        )
        page = summary.pop("page")
        out = Recording(names, data, Summary.of(summary), events, messages, self.state_hash)
        out._page = None if page is None else Page(page)
        return out

    # copies and files

    def copy(self) -> World:
        """Another world that stands where this one stands and goes on with the same bits.

        Callbacks are not copied.
        """
        blank = World()
        self._copy_into(blank)
        return blank

    __copy__ = copy

    def __deepcopy__(self, _memo: Any) -> World:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its saved scene, which goes on with the same bits."""
        from .scenes import again

        return (again, (self.save_text(), bool(self._scripts())))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the world as it stands as a scene: ``.toml`` or ``.json``."""
        path = Path(path)
        if path.suffix not in (".toml", ".json"):
            raise Refused(f"{path}: scenes are written as .toml or .json")
        text = self.save_text()
        path.write_text(_native.rewrite(text) if path.suffix == ".json" else text, encoding="utf-8")

    def check(self) -> list[dict[str, Any]]:
        """What looks wrong in the world as it stands: torn joints, overlaps, redundant loops."""
        from .scenes import again

        return again(self.save_text(), bool(self._scripts())).warnings

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """What looked wrong when the scene was read."""
        return list(self._warnings())

    def analyse(self) -> dict[str, Any]:
        """Bodies, joints, rows, rank, degrees of freedom, loops, and redundant rows by name."""
        found: dict[str, Any] = json.loads(self._analyse())
        return found

    def show(self, duration: SupportsFloat | None = None) -> Page:
        """How the world goes on, as a page that carries its frames: shown by notebooks without a
        server. A copy runs; the world stays where it is."""
        return self.copy().run(duration, record=[], frames=True).show()

    def view(self, *, open: bool = True, port: int = 0, paused: bool = False) -> View:
        """Shows the world in the browser: a copy that runs, and can be grabbed and edited there.

        ``view.connect()`` drives that copy from here.
        """
        from .viewer import view

        return view(self, open=open, port=port, paused=paused)

    def __dir__(self) -> Iterable[str]:
        return [n for n in super().__dir__() if not (n.startswith("_") and not n.startswith("__"))]

    def __repr__(self) -> str:
        bodies, joints = len(self.names("body")), len(self.names("joint"))
        title = f' "{self.title}"' if self.title else ""
        return f"<World{title} at {self.time:.4g} s: {bodies} bodies, {joints} joints>"

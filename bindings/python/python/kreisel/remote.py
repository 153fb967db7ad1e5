"""A viewer that runs, driven from Python: everything that its panel can do.

Commands are answered before they return: what the world refuses raises :class:`Refused`.
"""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._builders import Builders
from .errors import ConnectionLost, KreiselError, Refused, UnknownName
from .frame import Frame, frame
from .hand import Hand, floats
from .items import Property, properties
from .remote_item import RemoteItem
from .scenes import parse
from .world import MAKES, World, _json, _lists

Array = NDArray[np.float64]

#: Version of the protocol.
PROTOCOL = 3
#: How long an answer may take, s: a step that is being made ends first.
PATIENCE = 60.0
#: Messages at once, and per second in the long run: somewhat below what the server allows.
BURST, RATE = 250.0, 120.0


class Remote(Hand, Builders):
    """A viewer that runs. ``kr.connect("http://127.0.0.1:8080/")``, or ``w.view().connect()``."""

    def __init__(self, address: str, token: str | None, name: str) -> None:
        #: host and port
        self.address = address
        #: what whoever connects has to know
        self.token = token
        #: what happened: (time in s, words)
        self.events: deque[tuple[float, str]] = deque(maxlen=10_000)
        #: what exists, as the viewer draws it
        self.scene: dict[str, Any] = {}
        #: how the last steps ended: empty when all is well
        self.verdict = ""
        self._frames = self._revision = 0
        self._last: Frame | None = None
        self._level, self._filled = BURST, time.monotonic()
        self._socket = _native.Socket(address)
        self._send({"type": "hello", "version": PROTOCOL, "token": token, "name": name})
        self._until("welcome")
        while not self.scene:
            self._until("scene")

    # messages

    def _send(self, message: dict[str, Any]) -> None:
        # the server drops whoever speaks too often
        now = time.monotonic()
        self._level = min(BURST, self._level + RATE * (now - self._filled)) - 1
        self._filled = now
        if self._level < 0:
            time.sleep(-self._level / RATE)
        self._socket.send(json.dumps(message, default=_plain))

    def _messages(self, seconds: float) -> Iterator[dict[str, Any]]:
        """What comes in; the state of this object follows it."""
        end = time.monotonic() + seconds
        while (text := self._socket.receive(max(0.0, end - time.monotonic()))) is not None:
            message: dict[str, Any] = json.loads(text)
            kind = message["type"]
            if kind == "scene":
                self.scene = message["scene"]
            elif kind == "event":
                self.events.append((message["time"], message["text"]))
            elif kind == "verdict":
                self.verdict = ": ".join(t for t in (message["status"], message["text"]) if t)
            elif kind == "ended":
                self.events.append((self._last.time if self._last else 0.0, message["text"]))
            yield message

    def _until(self, kind: str, **with_: Any) -> dict[str, Any]:
        """Waits for a message; a warning that comes before it is an error."""
        said = []
        for message in self._messages(PATIENCE):
            if message["type"] == "notice" and message["level"] != "info":
                said.append(message["text"])
            if message["type"] == kind and all(message.get(k) == v for k, v in with_.items()):
                if said:
                    raise Refused("; ".join(said))
                return message
        raise ConnectionLost(f"the viewer at {self.address} has not answered for {PATIENCE:.0f} s")

    def _barrier(self) -> dict[str, Any] | None:
        """Waits until all that was sent is done; gives the first answer on the way."""
        self._send({"type": "request", "request": {"ask": "inspect", "object": "world"}})
        first, said = None, []
        for message in self._messages(PATIENCE):
            if message["type"] == "notice" and message["level"] != "info":
                said.append(message["text"])
            elif message["type"] == "properties" and message["inspection"]["object"] == "world":
                self._revision = message["inspection"]["revision"]
                if said:
                    raise Refused("; ".join(said))
                return first
            elif message["type"] in ("properties", "file", "scenes"):
                first = first or message
        raise ConnectionLost(f"the viewer at {self.address} has not answered for {PATIENCE:.0f} s")

    def command(self, do: str, **fields: Any) -> None:
        """Sends a command of the protocol and waits until it is done."""
        self._send({"type": "command", "command": {"do": do, **fields}})
        self._barrier()

    def _ask(self, ask: str, **fields: Any) -> dict[str, Any] | None:
        self._send({"type": "request", "request": {"ask": ask, **fields}})
        return self._barrier()

    # items

    def inspect(self, name: str) -> dict[str, Any]:
        """All that the panel shows of an item; ``"world"`` is the world with its settings."""
        request = {"ask": "inspect", "object": name}
        if name == "world":
            self._send({"type": "request", "request": request})
            world: dict[str, Any] = self._until("properties")["inspection"]
            return world
        found = self._ask(**request)
        if found is None:
            near = _native.nearest(name, self.names())
            help = f'; did you mean "{near}"?' if near else ""
            raise UnknownName(f'the viewer has no item "{name}"{help}')
        inspection: dict[str, Any] = found["inspection"]
        return inspection

    def names(self, kind: str | None = None) -> list[str]:
        """Names of all items, or of those of a kind: "body", "joint", "spring", "motor", …"""
        self._barrier()
        # the description follows the answer
        while self.scene["revision"] != self._revision:
            self._until("scene")
        return self._known(kind)

    def _known(self, kind: str | None = None) -> list[str]:
        """The names that were told last."""
        lists = {
            "body": "bodies",
            "joint": "joints",
            "spring": "springs",
            "motor": "motors",
            "element": "elements",
            "curve": "curves",
            "field": "fields",
            "procedure": "procedures",
            "sensor": "sensors",
        }
        if kind is not None and kind not in lists:
            raise UnknownName(f'there is no kind of item "{kind}"; there are {", ".join(lists)}')
        wanted = lists.values() if kind is None else [lists[kind]]
        return [item["name"] for key in wanted for item in self.scene.get(key, ())]

    def item(self, name: str) -> RemoteItem:
        """The item of this name, whatever it is; its properties are attributes."""
        self.inspect(name)
        return RemoteItem(self, name)

    body = joint = spring = motor = constraint = controller = field = curve = sensor = item

    @property
    def settings(self) -> RemoteItem:
        """Gravity, step, method, tolerances: the properties of the whole world."""
        return RemoteItem(self, "world")

    def properties(self, name: str) -> list[Property]:
        """All properties of an item with value, unit, bounds and meaning."""
        return properties(self.item(name))

    def get(self, path: str) -> Any:
        """A property by path: "arm.mass", "crank.limits.angle.max", "world.gravity"."""
        item, key = self._split(path)
        return item.get(key)

    def set(self, path: str, value: Any) -> None:
        """Sets a property by path; an edit that the viewer can undo."""
        item, key = self._split(path)
        item.set(key, value)

    def _split(self, path: str) -> tuple[RemoteItem, str]:
        known = {*self._known(), "world"}
        at = len(path)
        while (at := path.rfind(".", 0, at)) > 0:
            if path[:at] in known:
                return RemoteItem(self, path[:at]), path[at + 1 :]
        return self.item(path.partition(".")[0]), path.partition(".")[2]

    def add(self, **tables: Any) -> None:
        """Adds items, as ``World.add`` does: ``live.add(body={"name": …, "shape": …})``."""
        self.command("extend", name="Remote.add.json", text=_json(_lists(tables)))

    def _add(self, table: str, keys: dict[str, Any]) -> Any:
        """Adds one item; gives it where it has a name."""
        given = {k.rstrip("_"): v for k, v in keys.items() if v is not None}
        self.command("extend", name=f"Remote.add_{table}.json", text=_json({table: [given]}))
        named = table in MAKES and given.get("name") and not given.get("repeat")
        return RemoteItem(self, given["name"]) if named else None

    def remove(self, *names: str) -> None:
        """Removes items with everything that hangs on them."""
        self.command("remove", objects=list(names))

    def copy(self, *bodies: str, offset: ArrayLike = (0, 0, 1)) -> None:
        """Copies bodies and what connects them."""
        self.command("copy", objects=list(bodies), offset=floats(offset))

    # time

    def _control(self, do: str, **fields: Any) -> None:
        self._send({"type": "control", "control": {"do": do, **fields}})
        self._barrier()

    def play(self, speed: SupportsFloat | None = None) -> None:
        """Runs, at so many simulated seconds per second where a speed is given."""
        if speed is not None:
            self._control("speed", factor=float(speed) if np.isfinite(float(speed)) else None)
        self._control("run")

    def pause(self) -> Frame:
        """Stops after the present step."""
        self._control("pause")
        return self._wait(lambda f: not f.running)

    def step(self, n: int = 1) -> Frame:
        """Makes ``n`` steps, stops, and gives the state then."""
        made = self.pause().step
        for k in range(0, n, 10_000):
            self._control("step", count=min(n - k, 10_000))
            goal = made + min(n, k + 10_000)
            self._wait(lambda f, goal=goal: f.step >= goal or f.ended)
        return self.frame

    def undo(self) -> None:
        """Takes the last edit back, with the motion since."""
        self.command("undo")

    def redo(self) -> None:
        """Makes an undone edit again."""
        self.command("redo")

    def rewind(self, to: SupportsFloat) -> None:
        """Goes back to the stored state nearest to a time [s]."""
        self.command("rewind", time=float(to))

    def restart(self) -> None:
        """Back to the start of the scene."""
        self.command("restart")

    # state

    def _wait(self, good: Any, seconds: float = PATIENCE) -> Frame:
        """The first frame that is as wanted."""
        end = time.monotonic() + seconds
        while True:
            if self._last is not None and good(self._last):
                return self._last
            found = self._socket.frame(self._frames, max(0.0, end - time.monotonic()))
            if found is None:
                raise ConnectionLost(f"the viewer at {self.address} sends no frames")
            self._frames, self._last = found[0], frame(found[1])

    @property
    def frame(self) -> Frame:
        """The newest state that the viewer shows."""
        found = self._socket.frame(self._frames, 0.0)
        if found is not None:
            self._frames, self._last = found[0], frame(found[1])
        return self._wait(lambda f: True)

    @property
    def time(self) -> float:
        """[s] Simulated time."""
        return self.frame.time

    @property
    def body_names(self) -> list[str]:
        """Names of all bodies: the rows of a frame's positions."""
        return self.names("body")

    # files

    def save_text(self) -> str:
        """The world as it stands, as the TOML text of a scene."""
        while True:
            try:
                found = self._ask("save", name=None)
            except Refused as early:
                if "a moment ago" not in str(early):
                    raise
                time.sleep(0.2)
                continue
            if found is None:
                raise KreiselError("the viewer sent no scene")
            text: str = found["text"]
            return text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the world as it stands as a scene: ``.toml`` or ``.json``, on this machine."""
        self.world().save(path)

    def world(self) -> World:
        """The world as it stands, here: to measure it, or to go on without the viewer."""
        return parse(self.save_text())

    def load(self, scene: World | str | os.PathLike[str], *, merge: bool = False) -> None:
        """Shows another scene instead of the present one, or merged into it."""
        if isinstance(scene, World):
            name, text = "world.toml", scene.save_text()
        else:
            name, text = Path(scene).name, Path(scene).read_text(encoding="utf-8")
        self.command("load", name=name, text=text, merge=merge)

    def scenes(self) -> list[str]:
        """Scene files beside the present one, on the viewer's machine."""
        found = self._ask("scenes")
        return [] if found is None else list(found["names"])

    def open(self, name: str, *, merge: bool = False) -> None:
        """Shows one of these files instead of the present scene, or merged into it."""
        self._ask("open", name=name, merge=merge)

    def close(self) -> None:
        """Ends the connection; the viewer goes on."""
        self._socket.close()

    def __enter__(self) -> Remote:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<viewer at {self.address}>"


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"the viewer has no place for {value!r}")


def connect(address: str, token: str | None = None, *, name: str = "Python") -> Remote:
    """Drives a viewer that runs: ``kreisel view`` prints its address.

    The address may be the whole line, ``http://host:port/#token``, or ``host:port`` with the token
    beside it (`Remote.token` has it for a second program).
    """
    rest = address.strip()
    if rest.startswith("https://"):
        raise Refused("the viewer is reached by http, through a tunnel where the network is open")
    rest = rest.removeprefix("http://")
    rest, _, fragment = rest.partition("#")
    return Remote(rest.rstrip("/"), token or fragment or None, name)


__all__ = ["Frame", "Remote", "RemoteItem", "connect"]

"""Items of a viewer's world."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from . import _native
from .errors import UnknownProperty
from .items import Group

if TYPE_CHECKING:
    from .remote import Remote


class RemoteItem:
    """An item of a viewer's world: every property is an attribute, as in the panel."""

    __slots__ = ("_live", "name")
    _live: Remote
    #: its name
    name: str

    def __init__(self, live: Remote, name: str) -> None:
        object.__setattr__(self, "_live", live)
        object.__setattr__(self, "name", name)

    def _list(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._live.inspect(self.name)["properties"]
        return found

    def _find(self, key: str) -> dict[str, Any]:
        known = self._list()
        for p in known:
            if key in (p["key"], _attribute(p["key"])):
                return p
        names = [_attribute(p["key"]) for p in known]
        near = _native.nearest(key, names)
        help = f'did you mean "{near}"?' if near else "it has " + ", ".join(names)
        raise UnknownProperty(f'"{self.name}" has no property "{key}"; {help}')

    def get(self, key: str) -> Any:
        """The value of a property by its key, such as "limits.angle.max"."""
        return _native.from_wire(json.dumps(self._find(key)["value"]))

    def set(self, key: str, value: Any) -> None:
        """Sets a property; an edit that the viewer can undo."""
        known = self._find(key)
        wire = json.loads(_native.to_wire(json.dumps(known), value))
        self._live.command("set", object=self.name, key=known["key"], value=wire)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        names = self._attributes()
        if key not in names and any(n.startswith(key + ".") for n in names):
            return Group(self, key)
        return self.get(key)

    def __setattr__(self, key: str, value: Any) -> None:
        self.set(key, value)

    def _attributes(self) -> list[str]:
        return [_attribute(p["key"]) for p in self._list()]

    def _properties(self) -> list[dict[str, Any]]:
        out = []
        for p in self._list():
            kind, bounds = _form(p["field"])
            value = _native.from_wire(json.dumps(p["value"]))
            words = bounds if isinstance(bounds, list) else []
            limits = bounds if isinstance(bounds, dict) else {}
            out.append(
                {
                    "key": p["key"],
                    "attribute": _attribute(p["key"]),
                    "value": value,
                    "unit": p["unit"],
                    "doc": p["doc"],
                    "group": p["group"],
                    "form": kind,
                    "settable": kind != "fixed",
                    "min": limits.get("min"),
                    "max": limits.get("max"),
                    "words": words,
                }
            )
        return out

    def __dir__(self) -> list[str]:
        return sorted({n.split(".")[0] for n in self._attributes()} | {"get", "set", "name"})

    def __repr__(self) -> str:
        return f'<"{self.name}" of the viewer at {self._live.address}>'


def _attribute(key: str) -> str:
    return key.replace(" ", "_").replace("-", "_")


def _form(field: Any) -> tuple[str, Any]:
    """The kind of a field, and its bounds or words."""
    if isinstance(field, str):
        return field, None
    ((kind, more),) = field.items()
    return kind, more

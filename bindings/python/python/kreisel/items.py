"""Items by name: groups of properties such as ``joint.limits``, and descriptions of properties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from .errors import UnknownProperty


@dataclass(frozen=True)
class Property:
    """A property of an item: its key, value, unit and meaning."""

    key: str
    attribute: str
    value: Any
    unit: str
    doc: str
    group: str
    form: str
    settable: bool
    min: float | None = None
    max: float | None = None
    words: tuple[str, ...] = ()


class Keyed(Protocol):
    """What has properties by key: an item of a world or of a viewer."""

    def get(self, key: str) -> Any:
        """The value of a property."""
    def set(self, key: str, value: Any) -> None:
        """Sets a property."""
    def _attributes(self) -> list[str]: ...
    def _properties(self) -> list[dict[str, Any]]: ...


def properties(item: Keyed) -> list[Property]:
    """All properties of an item with their present values."""
    out = []
    for p in item._properties():
        words = tuple(p.pop("words", ()))
        out.append(Property(words=words, **p))
    return out


class Group:
    """Properties whose keys begin alike: ``joint.limits.angle.max`` is "limits.angle.max"."""

    __slots__ = ("_item", "_prefix")
    _item: Keyed
    _prefix: str

    def __init__(self, item: Keyed, prefix: str) -> None:
        object.__setattr__(self, "_item", item)
        object.__setattr__(self, "_prefix", prefix)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise UnknownProperty(f'no attribute "{key}"')
        path = f"{self._prefix}.{key}"
        names = self._item._attributes()
        if path not in names and any(n.startswith(path + ".") for n in names):
            return Group(self._item, path)
        return self._item.get(path)

    def __setattr__(self, key: str, value: Any) -> None:
        self._item.set(f"{self._prefix}.{key}", value)

    def __dir__(self) -> list[str]:
        start = self._prefix + "."
        own = [n[len(start) :] for n in self._item._attributes() if n.startswith(start)]
        return sorted({n.split(".")[0] for n in own})

    def __repr__(self) -> str:
        values = ", ".join(f"{n}={getattr(self, n)!r}" for n in dir(self))
        return f"<{self._prefix}: {values}>"

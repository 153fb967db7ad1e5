"""What goes wrong, as exceptions. All of them are :class:`KreiselError`."""

from __future__ import annotations

from typing import Any


class KreiselError(Exception):
    """Anything that Kreisel refuses or cannot do."""


class Refused(KreiselError, ValueError):
    """A value or a change that the world does not allow; nothing has been changed."""


class UnknownName(KreiselError, LookupError):
    """There is no item or quantity of this name; the message says which one may be meant."""


class UnknownProperty(KreiselError, AttributeError):
    """An item has no property of this name; the message says which one may be meant."""


class ConnectionLost(KreiselError, ConnectionError):
    """A viewer that cannot be reached, or has ended."""


class SceneError(KreiselError, ValueError):
    """A scene that cannot be built. The text shows every problem at its place.

    ``problems`` lists them for programs: dictionaries with ``severity``, ``code``, ``message``,
    ``file``, ``line``, ``column`` and ``help``.
    """

    problems: list[dict[str, Any]]

    def __init__(self, text: str, problems: list[dict[str, Any]] | None = None) -> None:
        super().__init__(text)
        self.problems = problems or []

    def __reduce__(self) -> tuple[Any, ...]:
        return (SceneError, (self.args[0], self.problems))


__all__ = [
    "ConnectionLost",
    "KreiselError",
    "Refused",
    "SceneError",
    "UnknownName",
    "UnknownProperty",
]

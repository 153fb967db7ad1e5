"""What a run has recorded, and what it was like."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _native
from .errors import Refused, UnknownName
from .plugins import EXPORTERS

if TYPE_CHECKING:
    import pandas

Array = NDArray[np.float64]


class Worst(NamedTuple):
    """The worst joint of a run: name, gap in m, misalignment in rad, time in s."""

    name: str
    position: float
    angle: float
    time: float


class Broken(NamedTuple):
    """A joint that broke: name, time in s, force in N, torque in N m."""

    name: str
    time: float
    force: float
    torque: float


@dataclass(frozen=True)
class Summary:
    """How the steps of a run ended, and where the energy went."""

    steps: int
    converged: int
    not_converged: int
    budget_spent: int
    quarantined: int
    order_lowered: int
    energy_unexplained: int
    limit_hits: int
    contacts: int
    script_errors: int
    dropped_events: int
    #: work of motors and outer forces, J
    work: float
    #: energy taken by damping, friction, impacts and correction, J
    losses: float
    #: largest sum of what the ledger leaves unexplained, J
    residual: float
    #: deepest overlap at the end of a step, m
    penetration: float
    worst: Worst | None
    broken: list[Broken] = field(default_factory=list)
    order_lowered_by: str | None = None
    unexplained: str | None = None
    #: sums of the energy ledger over the run, J
    ledger: dict[str, float] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether every step was within tolerance, in order, and its energy explained."""
        return self.converged == self.steps and self.script_errors == 0

    @classmethod
    def of(cls, given: dict[str, Any]) -> Summary:
        """From what the native half gives."""
        worst = given.pop("worst")
        broken = [Broken(*b) for b in given.pop("broken")]
        return cls(worst=Worst(*worst) if worst else None, broken=broken, **given)


class Svg(str):
    """A picture as SVG text; notebooks show it."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file."""
        Path(path).write_text(self, encoding="utf-8")


class Page(str):
    """A run as a page that carries its frames: notebooks show it, without a server or a network."""

    def _repr_html_(self) -> str:
        style = "width: 100%; height: 540px; border: 0"
        return f'<iframe srcdoc="{html.escape(str(self))}" style="{style}"></iframe>'

    def widget(self, url: str = "", height: int = 480) -> Any:
        """The same as an anywidget (``pip install kreisel[view]``); ``url`` is where a viewer runs,
        which it offers if the browser reaches it."""
        from .widget import widget

        return widget(str(self), url, height)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return bundle(self, self._repr_html_(), "")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file that any browser shows."""
        Path(path).write_text(self, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<page of {len(self) / 1e6:.1f} MB>"


def bundle(page: Page, html: str, url: str) -> Any:
    """What a notebook is given: a widget where anywidget is installed, and HTML that shows the same
    where widgets are not (a notebook that is exported, or another reader)."""
    from .widget import available, widget

    if not available():
        return {"text/html": html}
    made = widget(str(page), url)._repr_mimebundle_()
    # anywidget gives the bundle alone, or with metadata
    data, metadata = made if isinstance(made, tuple) else (made or {}, {})
    return {**data, "text/html": html}, metadata


class Recording(Mapping[str, Array]):
    """Columns of a run, the time first.

    ``run["crank.angle"]`` is a column, ``run["arm.position"]`` its three components as (n, 3).
    """

    def __init__(
        self,
        columns: list[tuple[str, str]],
        data: Array,
        summary: Summary,
        events: list[dict[str, Any]],
        messages: list[str],
        state_hash: str,
    ) -> None:
        self.columns: list[str] = [name for name, _ in columns]
        #: unit of every column
        self.units: dict[str, str] = dict(columns)
        #: all values, (rows, columns)
        self.data = data
        #: how the steps ended
        self.summary = summary
        #: what happened: dictionaries with ``kind``, ``time`` and more
        self.events = events
        #: what scripts printed, and warnings
        self.messages = messages
        #: hash of the state at the end
        self.state_hash = state_hash
        self._page: Page | None = None

    @property
    def time(self) -> Array:
        """Times of the rows, s."""
        return self.data[:, 0]

    @property
    def worst(self) -> Worst | None:
        """The worst joint of the run: name, metres, radians, time."""
        return self.summary.worst

    @property
    def ledger(self) -> dict[str, float]:
        """Sums of the energy ledger, J."""
        return self.summary.ledger

    @property
    def ok(self) -> bool:
        """Whether every step was within tolerance."""
        return self.summary.ok

    def _find(self, pattern: str) -> list[int]:
        """The columns of a name: itself, its components, a group, or a pattern with ``*``."""
        exact = [k for k, c in enumerate(self.columns) if c == pattern]
        if exact:
            return exact[:1]
        parts = [k for k, c in enumerate(self.columns) if c.rpartition(".")[0] == pattern]
        if not parts and "*" in pattern:
            fits = (pattern, pattern + ".*")
            parts = [k for k, c in enumerate(self.columns) if any(fnmatchcase(c, f) for f in fits)]
        if parts:
            return parts
        known = self.columns + [c.rpartition(".")[0] for c in self.columns]
        near = _native.nearest(pattern, known)
        said = f'did you mean "{near}"?' if near else f"there are {', '.join(self.columns)}"
        raise UnknownName(f'nothing was recorded as "{pattern}"; {said}')

    def __getitem__(self, name: str) -> Array:
        found = self._find(name)
        if len(found) == 1:
            return self.data[:, found[0]]
        return self.data[:, found]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def plot(self, *names: str, ax: Any = None, title: str | None = None) -> Any:
        """Plots columns over time: matplotlib axes where it is installed, else an :class:`Svg`."""
        wanted = names or (
            ("energy.*",) if "energy.total" in self.columns else tuple(self.columns[1:5])
        )
        found = [k for n in wanted for k in self._find(n) if k != 0]
        if ax is None:
            try:
                import matplotlib.pyplot as plt
            except ImportError:
                return self.svg(*names, title=title)
            _, ax = plt.subplots()
        for k in found:
            ax.plot(self.time, self.data[:, k], label=self.columns[k])
        units = {self.units[self.columns[k]] for k in found}
        label = self.columns[found[0]] if len(found) == 1 else ""
        ax.set_xlabel("time [s]")
        ax.set_ylabel(f"{label} [{units.pop()}]".strip() if len(units) == 1 else label)
        if len(found) > 1:
            ax.legend()
        if title:
            ax.set_title(title)
        return ax

    def svg(self, *names: str, title: str | None = None, size: tuple[int, int] = (900, 500)) -> Svg:
        """The same plot as SVG, drawn by Kreisel itself."""
        wanted = names or (
            ("energy.*",) if "energy.total" in self.columns else tuple(self.columns[1:5])
        )
        found = [k for n in wanted for k in self._find(n) if k != 0]
        lines = [
            (self.columns[k], self.units[self.columns[k]], self.data[:, k].tolist()) for k in found
        ]
        return Svg(_native.chart(self.time.tolist(), "time [s]", lines, title, size))

    def show(self) -> Page:
        """The motion as a page that carries its frames; the run must have been made with
        ``frames=True``."""
        if self._page is None:
            raise Refused("this run kept no frames: run(…, frames=True)")
        return self._page

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with the time as index."""
        import pandas

        index = pandas.Index(self.time, name="time")
        return pandas.DataFrame(self.data[:, 1:], index=index, columns=self.columns[1:])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the columns as ``.csv`` (with units in the header), ``.npz``, or what an exporter
        is registered for."""
        path = Path(path)
        if path.suffix == ".npz":
            np.savez(
                path, allow_pickle=False, **{c: self.data[:, k] for k, c in enumerate(self.columns)}
            )
        elif path.suffix == ".csv":
            unit = self.units
            head = [f"{c} [{unit[c]}]" if unit[c] else c for c in self.columns]
            # the shortest text that reads back as the same bits; what does not exist stays empty
            rows = (",".join("" if x != x else repr(x) for x in row) for row in self.data.tolist())
            quoted = (f'"{h}"' if "," in h else h for h in head)
            path.write_text("\n".join([",".join(quoted), *rows]) + "\n", encoding="utf-8")
        elif path.suffix[1:] in EXPORTERS:
            write = EXPORTERS[path.suffix[1:]]
            columns = {c: self.data[:, k] for k, c in enumerate(self.columns)}
            path.write_bytes(write(columns, dict(self.units)))
        else:
            more = "".join(f", .{e}" for e in sorted(EXPORTERS))
            raise ValueError(f"{path}: recordings are written as .csv, .npz{more}")

    def __repr__(self) -> str:
        rows, end = len(self.data), self.time[-1] if len(self.data) else 0.0
        worst = f", worst {self.worst.name} {self.worst.position:.1e} m" if self.worst else ""
        return f"<recording of {rows} rows to {end:.4g} s: {', '.join(self.columns[1:])}{worst}>"

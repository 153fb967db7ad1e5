"""What engineers ask of a mechanism besides its motion: rest, vibrations, linear systems, inverse
kinematics and dynamics. The mathematics is in the book's chapter on analyses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._native import Core
from .errors import Refused

if TYPE_CHECKING:
    from .world import World

Array = NDArray[np.float64]


def _array(rows: Any, width: int = 0) -> Array:
    """A matrix; what has no rows keeps its width."""
    out = np.array(rows, dtype=np.float64)
    return out if out.size else out.reshape(len(rows), width if len(rows) == 0 else 0)


@dataclass(frozen=True)
class Load:
    """What a joint or contact carries at rest, on a body about the joint's place."""

    name: str
    body: str
    #: [N]
    force: Array
    #: [N m]
    torque: Array
    #: whether the loads alone determine it; else it is shared by least norm
    determined: bool


@dataclass(frozen=True)
class Equilibrium:
    """Where a world rests."""

    #: [m] origins of the bodies, (n, 3), in the order of ``World.body_names``
    positions: Array
    #: rotations x, y, z, w, (n, 4)
    quaternions: Array
    #: degrees of freedom
    freedom: int
    #: conditions that others imply
    redundant: int
    #: directions without force and stiffness
    neutral: int
    #: directions in which it would fall
    unstable: int
    #: limits, inequalities and contacts that push
    pushing: list[str]
    #: what joints and contacts carry
    reactions: list[Load]
    #: [N, N m] what is left of the forces
    residual: float
    #: what was taken otherwise than in a run
    notes: list[str]

    @property
    def stable(self) -> bool:
        """Whether it rests firmly."""
        return self.unstable == 0 and self.neutral == 0


@dataclass(frozen=True)
class Mode:
    """An undamped mode."""

    #: [Hz]; of an unstable direction 0
    frequency: float
    #: [rad²/s²] its square, negative for an unstable direction
    square: float
    #: motion of every body that moves: (way of its centre of mass, turn)
    shape: dict[str, tuple[Array, Array]] = field(repr=False)


@dataclass(frozen=True)
class Modes:
    """Vibrations of a world about its present state."""

    modes: list[Mode]
    #: [1/s] eigenvalues of the damped system
    eigenvalues: NDArray[np.complex128]
    freedom: int
    redundant: int
    notes: list[str]

    @property
    def frequencies(self) -> Array:
        """[Hz] All undamped frequencies."""
        return np.array([m.frequency for m in self.modes])


@dataclass(frozen=True)
class Linear:
    """x' = A x + B u, y = C x + D u about a state."""

    A: Array
    B: Array
    C: Array
    D: Array
    inputs: list[str]
    outputs: list[str]
    #: displacements, velocities and integrals of servos among the states
    states: tuple[int, int, int]
    #: largest acceleration of the state itself: 0 at rest
    unrest: float
    notes: list[str]


@dataclass(frozen=True)
class Mobility:
    """Freedoms of a mechanism."""

    freedom: int
    conditions: int
    redundant: int
    #: distance to a singular pose: the smallest singular value of its independent conditions
    margin: float
    #: coordinates of joints, with how well each can drive
    coordinates: dict[str, float]


@dataclass(frozen=True)
class Reached:
    """The end of a search for a pose."""

    rounds: int
    #: [m, rad] largest error of a goal
    goals: float
    #: [m, rad] largest error of a joint
    joints: float
    #: directions that the goals leave free
    free: int
    #: limits that hold it back
    limits: list[str]


@dataclass(frozen=True)
class Efforts:
    """Efforts that give a motion."""

    #: coordinates that are pushed
    actuators: list[str]
    #: [s]
    times: Array
    #: [N m, N] (times, actuators)
    efforts: Array
    #: [W]
    power: Array
    #: [N, N m] largest force and torque of every joint on the way
    envelope: dict[str, tuple[float, float]]
    freedom: int
    notes: list[str]


@dataclass(frozen=True)
class Sensitivity:
    """How an equilibrium changes with parameters."""

    outputs: list[str]
    parameters: list[str]
    values: Array
    #: (outputs, parameters)
    derivatives: Array


class Analyses(Core):
    """The questions, as methods of a world. They leave the world where it is unless they say
    otherwise."""

    def equilibrium(
        self,
        *,
        keep: bool = False,
        nearest: bool = False,
        friction: str = "without",
        tolerance: SupportsFloat = 1e-12,
    ) -> Equilibrium:
        """Where it comes to rest, and what its joints carry there.

        ``keep`` puts the world there. ``nearest`` accepts the nearest equilibrium, stable or not.
        Dry friction of joints is left out, or holds them where they are (``friction="stuck"``).
        """
        f = self._equilibrium(nearest, friction, float(tolerance), keep)
        loads = [
            Load(r["name"], r["body"], _array(r["force"]), _array(r["torque"]), r["determined"])
            for r in f["reactions"]
        ]
        return Equilibrium(
            positions=_array(f["positions"], 3),
            quaternions=_array(f["quaternions"], 4),
            freedom=f["freedom"],
            redundant=f["redundant"],
            neutral=f["neutral"],
            unstable=f["unstable"],
            pushing=f["pushing"],
            reactions=loads,
            residual=f["residual"],
            notes=f["notes"],
        )

    def modes(self, *, friction: str = "refuse") -> Modes:
        """Undamped frequencies and shapes, and eigenvalues with damping, about the present state:
        call ``w.equilibrium(keep=True)`` first to have it at rest."""
        f = self._modes(friction)
        modes = [
            Mode(
                m["frequency"],
                m["square"],
                {b["body"]: (_array(b["way"]), _array(b["turn"])) for b in m["shape"]},
            )
            for m in f["modes"]
        ]
        eigenvalues = np.array([complex(e["real"], e["imaginary"]) for e in f["eigenvalues"]])
        return Modes(modes, eigenvalues, f["freedom"], f["redundant"], f["notes"])

    def linearise(
        self,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        *,
        friction: str = "refuse",
    ) -> Linear:
        """The linear system about the present state.

        Inputs are motors, or "body.x" for a force at its centre of mass; outputs are "joint.angle",
        "joint.angle_rate", "body.x" and "body.vx". Without them all are taken.
        """
        f = self._linearise(_list(inputs), _list(outputs), friction, None)
        n, m, k = sum(f["states"]), len(f["inputs"]), len(f["outputs"])
        shapes = {"a": (n, n), "b": (n, m), "c": (k, n), "d": (k, m)}
        a, b, c, d = (np.array(f[key], dtype=np.float64).reshape(s) for key, s in shapes.items())
        first, second, third = f["states"]
        return Linear(
            A=a,
            B=b,
            C=c,
            D=d,
            inputs=f["inputs"],
            outputs=f["outputs"],
            states=(first, second, third),
            unrest=f["unrest"],
            notes=f["notes"],
        )

    def response(
        self,
        frequencies: ArrayLike,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        *,
        friction: str = "refuse",
    ) -> dict[str, NDArray[np.complex128]]:
        """Answers to oscillating inputs: for every input complex amplitudes, (frequencies, outputs)
        per unit of the input. Frequencies are in Hz."""
        hertz = [float(x) for x in np.atleast_1d(np.asarray(frequencies, dtype=np.float64))]
        out: dict[str, list[Any]] = {}
        for r in self._linearise(_list(inputs), _list(outputs), friction, hertz):
            row = np.array(r["gain"]) * np.exp(1j * np.array(r["phase"]))
            out.setdefault(r["input"], []).append(row)
        return {k: np.array(v) for k, v in out.items()}

    def mobility(self) -> Mobility:
        """Freedoms, redundant conditions, how near a singular pose is, which coordinates drive."""
        f = self._mobility()
        coordinates = {name: share for name, share in f["coordinates"]}
        return Mobility(
            f["freedom"], f["conditions"], f["redundant"], f["margin"], coordinates
        )

    def inverse_kinematics(
        self,
        points: Mapping[str | tuple[str, tuple[float, float, float]], ArrayLike] | None = None,
        *,
        rotations: Mapping[str, ArrayLike] | None = None,
        coordinates: Mapping[str, SupportsFloat] | None = None,
        nearest: bool = False,
        tolerance: SupportsFloat = 1e-10,
    ) -> Reached:
        """Puts the world into the nearest pose that meets joints and goals, at rest.

        ``points`` maps bodies, or (body, point in its frame), to places [m]; ``rotations`` bodies
        to quaternions x, y, z, w; ``coordinates`` "joint.angle" to values. Without goals it closes
        the joints. A goal out of reach is refused, or met as nearly as possible (``nearest``).
        """
        origin = (0.0, 0.0, 0.0)
        wanted = []
        for key, place in (points or {}).items():
            body, local = (key, origin) if isinstance(key, str) else key
            wanted.append((body, _three(local), _three(place)))
        turns = [
            (body, [float(x) for x in np.asarray(q, dtype=np.float64).ravel()])
            for body, q in (rotations or {}).items()
        ]
        values = [(path, float(x)) for path, x in (coordinates or {}).items()]
        f = self._inverse_kinematics(wanted, turns, values, nearest, float(tolerance))
        return Reached(**f)

    def inverse_dynamics(
        self,
        motion: Mapping[str, ArrayLike],
        times: ArrayLike,
        *,
        actuators: Sequence[str] | Mapping[str, SupportsFloat] | None = None,
        at: ArrayLike | None = None,
        keep: bool = False,
    ) -> Efforts:
        """Efforts that give a motion: ``motion`` maps "joint.angle" to its values at ``times``, a
        cubic spline goes through them.

        ``actuators`` are coordinates that can push, with weights of their squared efforts if there
        are more than needed; without them those of all motors. ``at`` are the times of the efforts.
        ``keep`` leaves the world in the state of the first time, so that a run with these efforts
        makes the motion.
        """
        t = np.asarray(times, dtype=np.float64).ravel()
        tracks = []
        for path, values in motion.items():
            y = np.asarray(values, dtype=np.float64).ravel()
            if y.shape != t.shape:
                raise Refused(f"{path} has {len(y)} values at {len(t)} times")
            tracks.append((path, list(zip(t.tolist(), y.tolist(), strict=True))))
        pushes: list[tuple[str, float]] | None = None
        if isinstance(actuators, Mapping):
            pushes = [(path, float(x)) for path, x in actuators.items()]
        elif actuators is not None:
            pushes = [(path, 1.0) for path in actuators]
        when = t if at is None else np.asarray(at, dtype=np.float64).ravel()
        f = self._inverse_dynamics(tracks, pushes, when.tolist(), keep)
        envelope = {name: (force, torque) for name, force, torque in f["envelope"]}
        efforts = _array(f["efforts"], len(f["actuators"]))
        return Efforts(
            f["actuators"],
            _array(f["times"]),
            efforts,
            _array(f["power"]),
            envelope,
            f["freedom"],
            f["notes"],
        )


def sensitivity(
    build: Callable[..., World],
    parameters: Mapping[str, SupportsFloat],
    outputs: Sequence[str] | None = None,
    *,
    friction: str = "without",
) -> Sensitivity:
    """How the equilibrium of the worlds that ``build(**parameters)`` makes changes with them, by the
    theorem of implicit functions: ``kr.sensitivity(lambda **p: kr.load("a.toml", **p), {"l": 1})``.

    Outputs are "joint.angle" and "body.x"; without them all coordinates of joints.
    """
    names = list(parameters)

    def made(values: Sequence[float]) -> World:
        return build(**dict(zip(names, values, strict=True)))

    at = [float(x) for x in parameters.values()]
    f = Core._sensitivity(made, at, _list(outputs), friction)
    derivatives = _array(f["derivatives"], len(names))
    return Sensitivity(f["outputs"], names, _array(f["values"]), derivatives)


def _list(given: Sequence[str] | None) -> list[str] | None:
    return None if given is None else list(given)


def _three(value: ArrayLike) -> list[float]:
    out = [float(x) for x in np.asarray(value, dtype=np.float64).ravel()]
    if len(out) != 3:
        raise Refused(f"a place has three numbers, not {len(out)}")
    return out


__all__ = [
    "Analyses",
    "Efforts",
    "Equilibrium",
    "Linear",
    "Load",
    "Mobility",
    "Mode",
    "Modes",
    "Reached",
    "Sensitivity",
    "sensitivity",
]

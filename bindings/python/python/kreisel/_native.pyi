"""The native half: what :mod:`kreisel` is built on."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, SupportsFloat, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._properties import BodyProperties, JointProperties, MotorProperties

Array = NDArray[np.float64]
C = TypeVar("C", bound="Core")

__version__: str

def main(arguments: Sequence[str]) -> int: ...
def chart(
    x: Sequence[float],
    x_label: str,
    lines: Sequence[tuple[str, str, Sequence[float]]],
    title: str | None,
    size: tuple[int, int],
) -> str: ...
def nearest(word: str, known: Sequence[str]) -> str | None: ...
def sections() -> list[tuple[str, str, list[tuple[str, str, str]]]]: ...
def rewrite(text: str) -> str: ...
def to_wire(property: str, value: Any) -> str: ...
def from_wire(text: str) -> Any: ...
def sweep_points(
    names: Sequence[str],
    values: Sequence[tuple[bool, Sequence[float]]],
    plan: str,
    count: int,
    seed: int | None = None,
) -> list[list[float]]: ...

def register_force(
    name: str,
    doc: str,
    parameters: Sequence[tuple[str, float | None]],
    least: int,
    most: int,
    velocities: bool,
    make: Callable[[Sequence[float]], Callable[..., Any]],
) -> None: ...
def register_constraint(
    name: str,
    doc: str,
    parameters: Sequence[tuple[str, float | None]],
    connectors: int,
    rows: int,
    velocity: bool,
    make: Callable[[Sequence[float]], Callable[..., Any]],
) -> None: ...
def register_sensor(
    name: str,
    doc: str,
    parameters: Sequence[tuple[str, float | None]],
    channels: Sequence[tuple[str, str]],
    make: Callable[[Sequence[float]], Callable[..., Any]],
) -> None: ...
def register_contact(
    name: str,
    doc: str,
    parameters: Sequence[tuple[str, float | None]],
    make: Callable[[Sequence[float]], Callable[..., Any]],
) -> None: ...
def register_exporter(ending: str, function: Callable[..., bytes]) -> None: ...
def unregister_plugin(kind: str, name: str) -> bool: ...
def plugins() -> list[tuple[str, str, str, list[tuple[str, float | None]]]]: ...
def check_constraint(
    connectors: int,
    rows: int,
    velocity: bool,
    function: Callable[..., Any],
    positions: Sequence[Sequence[float]],
) -> None: ...

class Seen:
    """What a sensor law sees: copies of the state, by name."""

    @property
    def time(self) -> float:
        """Simulated time, s."""
    def position(self, name: str) -> Array:
        """Origin of a body's frame, m."""
    def quaternion(self, name: str) -> Array:
        """Rotation of a body, x, y, z, w."""
    def velocity(self, name: str) -> Array:
        """Velocity of a body's centre of mass, m/s."""
    def angular_velocity(self, name: str) -> Array:
        """Angular velocity of a body, rad/s."""
    def coordinate(self, path: str) -> float:
        """A coordinate of a joint, such as "crank.angle", rad or m."""
    def rate(self, path: str) -> float:
        """Its rate, rad/s or m/s."""

class SweepTask:
    """A scene that is run at points."""

    def __init__(
        self,
        path: str | PathLike[str] | None,
        text: str | None,
        names: Sequence[str],
        measures: Sequence[tuple[str, str]],
        duration: float | None,
        seed: int,
    ) -> None: ...
    def mark(self, points: Sequence[Sequence[float]]) -> str:
        """What makes two sweeps the same."""
    def run(self, index: int, point: Sequence[float]) -> dict[str, Any]:
        """Runs a point; gives its row."""

class SweepTable:
    """A table that grows on disk."""

    def __init__(
        self,
        path: str | PathLike[str],
        names: Sequence[str],
        measures: Sequence[str],
        mark: str,
    ) -> None: ...
    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows that were there."""
    def write(self, given: dict[str, Any]) -> None:
        """Appends a row."""
    def finish(self, path: str | PathLike[str], rows: Sequence[dict[str, Any]]) -> None:
        """Writes rows as an archive of arrays, or as Parquet."""

class Socket:
    """The socket to a viewer that runs."""

    def __init__(self, address: str) -> None: ...
    def send(self, text: str) -> None:
        """Sends a message."""
    def receive(self, seconds: float) -> str | None:
        """The next message, or none after some seconds."""
    def frame(self, after: int, seconds: float) -> tuple[int, bytes] | None:
        """The newest frame and its number, once there are more than ``after``."""
    def close(self) -> None:
        """Ends the connection."""

class Snapshot:
    """A world at one time, to go back to."""

    @property
    def time(self) -> float:
        """Simulated time, s."""

class Report:
    """The report of a step."""

    @property
    def time(self) -> float:
        """Simulated time at the end of the step, s."""
    @property
    def status(self) -> str:
        """How the step ended: "converged", "not converged", "budget spent", "energy", "order",
        "refused", "quarantined" or "interrupted"."""
    @property
    def ok(self) -> bool:
        """Whether every joint is within tolerance and nothing else is wrong."""
    @property
    def worst(self) -> tuple[str, float, float] | None:
        """The worst joint: name, gap in m, misalignment in rad."""
    @property
    def ledger(self) -> dict[str, float]:
        """Where the energy went, J."""
    @property
    def events(self) -> list[dict[str, Any]]:
        """What happened."""
    @property
    def velocity_error(self) -> float:
        """Largest remaining velocity error of a joint, m/s or rad/s."""
    @property
    def substeps(self) -> int:
        """Substeps made."""
    @property
    def rounds(self) -> int:
        """Rounds of joint correction."""
    @property
    def contacts(self) -> int:
        """Contact points."""
    @property
    def penetration(self) -> float:
        """Deepest overlap, m."""
    @property
    def unexplained(self) -> str | None:
        """Why the energy is not to be trusted, where it is not."""

class Item:
    """An item of a world. It knows its name only: it speaks of whatever has that name now."""

    name: str
    @property
    def item_kind(self) -> str:
        """What it is: "body", "joint", …"""
    def get(self, key: str) -> Any:
        """The value of a property ("limits.angle.max") or of a measured quantity."""
    def set(self, key: str, value: Any) -> None:
        """Sets a property by its key. A refused value changes nothing."""
    def _properties(self) -> list[dict[str, Any]]: ...
    def _attributes(self) -> list[str]: ...

class Body(Item, BodyProperties):
    """A body."""

    @property
    def position(self) -> Array:
        """[m] Origin of its frame."""
    @position.setter
    def position(self, value: ArrayLike) -> None: ...
    @property
    def quaternion(self) -> Array:
        """Rotation x, y, z, w."""
    @quaternion.setter
    def quaternion(self, value: ArrayLike) -> None: ...
    @property
    def velocity(self) -> Array:
        """[m/s] Velocity of its centre of mass."""
    @velocity.setter
    def velocity(self, value: ArrayLike) -> None: ...
    @property
    def angular_velocity(self) -> Array:
        """[rad/s] Angular velocity, world coordinates."""
    @angular_velocity.setter
    def angular_velocity(self, value: ArrayLike) -> None: ...
    @property
    def center_of_mass(self) -> Array:
        """[m] Its centre of mass in world coordinates."""
    @property
    def contact_force(self) -> Array:
        """[N] Force of all contacts on it in the last step."""
    def point(self, local: ArrayLike) -> Array:
        """[m] A point of its frame in world coordinates."""
    def apply_force(self, force: ArrayLike, at: ArrayLike | None = None) -> None:
        """A force (N, world coordinates) for the coming step, at a point in world coordinates or at
        the centre of mass."""
    def apply_torque(self, torque: ArrayLike) -> None:
        """A torque (N m, world coordinates) for the coming step."""
    def apply_impulse(self, impulse: ArrayLike, at: ArrayLike | None = None) -> None:
        """An impulse (N s, world coordinates) at once, at a point in world coordinates or at the
        centre of mass."""

class Joint(Item, JointProperties):
    """A joint."""

    @property
    def angle(self) -> float:
        """[rad] Angle of the second body against the first about the axis, whole turns counted."""
    @property
    def angle_rate(self) -> float:
        """[rad/s] Its rate."""
    @property
    def position(self) -> float:
        """[m] Shift along the axis."""
    @property
    def position_rate(self) -> float:
        """[m/s] Its rate."""
    @property
    def swing(self) -> float:
        """[rad] Angle between the axes."""
    @property
    def swing_rate(self) -> float:
        """[rad/s] Its rate."""
    @property
    def force(self) -> Array:
        """[N] Reaction force on the second body in the last step, world coordinates."""
    @property
    def torque(self) -> Array:
        """[N m] Reaction torque on the second body in the last step, world coordinates."""
    @property
    def error(self) -> tuple[float, float]:
        """[m, rad] Gap and misalignment."""
    @property
    def motor(self) -> Motor:
        """The motor that drives it; the first of several."""

class Motor(Item, MotorProperties):
    """A motor."""

    @property
    def effort(self) -> float:
        """[N m or N] The effort that it is set to for a motor that gives an effort (may be set), else
        the one that it gave in the last step."""
    @effort.setter
    def effort(self, value: SupportsFloat) -> None: ...
    @property
    def effort_now(self) -> float:
        """[N m or N] Effort that it gave in the last step; 0 before the first."""
    @property
    def velocity(self) -> float:
        """[rad/s or m/s] Rate that a velocity motor holds."""
    @velocity.setter
    def velocity(self, value: SupportsFloat) -> None: ...
    @property
    def target(self) -> float:
        """[rad, m, rad/s or m/s] Set value that a servo follows."""
    @target.setter
    def target(self, value: SupportsFloat) -> None: ...
    @property
    def voltage(self) -> float:
        """[V] Voltage on the winding of an electric motor."""
    @voltage.setter
    def voltage(self, value: SupportsFloat) -> None: ...
    @property
    def excitation(self) -> float:
        """Excitation of a muscle, 0 to 1."""
    @excitation.setter
    def excitation(self, value: SupportsFloat) -> None: ...
    @property
    def valve(self) -> float:
        """Opening of the valve of a hydraulic cylinder, −1 to 1."""
    @valve.setter
    def valve(self, value: SupportsFloat) -> None: ...
    @property
    def brake(self) -> float:
        """Damping of a brake, N m s/rad or N s/m."""
    @brake.setter
    def brake(self, value: SupportsFloat) -> None: ...

class Core:
    """A world with everything that goes along with it."""

    def __new__(
        cls: type[C],
        text: str | None = None,
        *,
        path: str | PathLike[str] | None = None,
        name: str = "scene.toml",
        folder: str | PathLike[str] | None = None,
        params: Mapping[str, SupportsFloat] | None = None,
        allow_outside: bool = False,
        python: bool = False,
        lenient: bool = False,
    ) -> C: ...
    def extend(self, name: str, text: str) -> None:
        """Adds the items of a scene's text."""
    @property
    def time(self) -> float:
        """Simulated time, s."""
    @property
    def step_size(self) -> float:
        """Time from one step to the next, s."""
    @property
    def duration(self) -> float:
        """How long the scene runs unless told otherwise, s."""
    @property
    def title(self) -> str | None:
        """What the scene shows, in one line."""
    @property
    def steps(self) -> int:
        """Steps made."""
    @property
    def revision(self) -> int:
        """Counts changes of what exists: as long as it is the same, so are bodies and joints."""
    @property
    def state_hash(self) -> str:
        """Hash of the state, 64 hexadecimal digits."""
    @property
    def report(self) -> Report:
        """The report of the last step."""
    @property
    def energy(self) -> dict[str, float]:
        """Kinetic, potential, spring and total energy, J."""
    def save_text(self) -> str:
        """The world as it stands, as the TOML text of a scene."""
    def snapshot(self) -> Snapshot:
        """The world at this time, to go back to."""
    def restore(self, snapshot: Snapshot) -> None:
        """Goes back to a snapshot, with everything that existed then."""
    def restart(self) -> None:
        """Back to the start of the scene as it was loaded; what was changed since is gone."""
    def names(self, kind: str) -> list[str]:
        """Names of all items of a kind, in the order in which they were made."""
    def body(self, name: str) -> Body:
        """The body of this name."""
    def joint(self, name: str) -> Joint:
        """The joint of this name."""
    def motor(self, name: str) -> Motor:
        """The motor of this name."""
    @property
    def coordinate_names(self) -> list[str]:
        """Names of all free coordinates of joints, such as "crank.angle"."""
    @property
    def contacts(self) -> list[dict[str, Any]]:
        """Contacts of the last step: bodies, point in m, normal, force in N."""
    def shape(self, body: str) -> Shape:
        """The shape of a body where it stands now; "world" is the ground."""
    def measure(self, path: str) -> Any:
        """A quantity by the path of recordings: "crank.angle", "arm.position", "energy.total"."""
    def _scripts(
        self,
    ) -> list[tuple[str, int, str, list[float], float | None, bool, dict[str, float]]]: ...
    def _equilibrium(
        self, any: bool, friction: str, tolerance: float, keep: bool
    ) -> dict[str, Any]: ...
    def _modes(self, friction: str) -> dict[str, Any]: ...
    def _linearise(
        self,
        inputs: Sequence[str] | None,
        outputs: Sequence[str] | None,
        friction: str,
        frequencies: Sequence[float] | None,
    ) -> Any: ...
    def _mobility(self) -> dict[str, Any]: ...
    def _inverse_kinematics(
        self,
        points: Sequence[tuple[str, Sequence[float], Sequence[float]]],
        rotations: Sequence[tuple[str, Sequence[float]]],
        coordinates: Sequence[tuple[str, float]],
        nearest: bool,
        tolerance: float,
    ) -> dict[str, Any]: ...
    def _inverse_dynamics(
        self,
        motion: Sequence[tuple[str, Sequence[tuple[float, float]]]],
        actuators: Sequence[tuple[str, float]] | None,
        times: Sequence[float],
        keep: bool,
    ) -> dict[str, Any]: ...
    @staticmethod
    def _sensitivity(
        build: Callable[[Sequence[float]], Core],
        parameters: Sequence[float],
        outputs: Sequence[str] | None,
        friction: str,
    ) -> dict[str, Any]: ...
    def _array(self, name: str) -> Array: ...
    def _fill(self, arrays: Sequence[tuple[str, Array]]) -> bool: ...
    def _contact_arrays(self) -> tuple[NDArray[np.int64], Array, Array, Array, Array]: ...
    def _mass_matrix(self) -> Array: ...
    def _coordinate_jacobian(self) -> Array: ...
    def _condition_jacobian(self) -> tuple[list[str], Array]: ...
    def _point_jacobian(self, body: str, point: ArrayLike) -> Array: ...
    def _rays(
        self,
        origins: Sequence[ArrayLike],
        directions: Sequence[ArrayLike],
        reach: float,
        ignore: Sequence[str],
    ) -> tuple[list[str], Array, NDArray[np.int64], Array, Array]: ...
    def _overlap(self, shape: Shape, ignore: Sequence[str]) -> list[str]: ...
    def _shape_cast(
        self, shape: Shape, way: ArrayLike, tolerance: float, ignore: Sequence[str]
    ) -> tuple[str, float, list[float], list[float]] | None: ...
    def _clearance(
        self, until: float, jointed: bool
    ) -> list[tuple[list[str], float, float, list[float], list[float]]]: ...
    def _analyse(self) -> str: ...
    def _warnings(self) -> list[dict[str, Any]]: ...
    def _item(self, kind: str, name: str) -> Item: ...
    def _remove(self, names: Sequence[str]) -> None: ...
    def _copy_into(self, blank: Core) -> None: ...
    def _step(self, n: int = 1) -> Report: ...
    def _run(
        self,
        until: float | None,
        steps: int,
        record: Sequence[str] | None,
        every: float | None,
        control: Sequence[tuple[Callable[..., Any], float]],
        after: Sequence[tuple[Callable[..., Any], float]],
        on_event: Sequence[Callable[..., Any]],
        frames: bool = False,
    ) -> tuple[list[tuple[str, str]], Array, dict[str, Any], list[dict[str, Any]], list[str]]: ...

class Shape:
    """A shape and where it is."""

    def __init__(
        self,
        text: str,
        *,
        folder: str | PathLike[str] | None = None,
        allow_outside: bool = False,
    ) -> None: ...
    @property
    def kind(self) -> str:
        """What it is: "box", "sphere", "mesh", …"""
    @property
    def position(self) -> Array:
        """[m] Origin of its frame."""
    @property
    def quaternion(self) -> Array:
        """Rotation x, y, z, w."""
    def at(self, position: ArrayLike, quaternion: ArrayLike | None = None) -> Shape:
        """The same shape somewhere else."""
    def mass_properties(self, density: float = 1000.0) -> tuple[float, Array, Array]:
        """Mass in kg, centre of mass in the shape's frame, inertia about it in kg m²."""
    def _distance(
        self, other: Shape
    ) -> tuple[float, float, float, list[float], list[float], list[float]] | None: ...
    def _closest_point(
        self, place: ArrayLike
    ) -> tuple[float, list[float], list[float]] | None: ...
    def _ray(
        self, origin: ArrayLike, along: ArrayLike, reach: float
    ) -> tuple[float, list[float], list[float]] | None: ...
    def _impact(
        self,
        other: Shape,
        velocities: Sequence[Sequence[float]],
        spins: Sequence[Sequence[float]],
        accelerations: Sequence[Sequence[float]],
        until: float,
        tolerance: float,
    ) -> tuple[float, list[float], list[float], list[float]] | None: ...

B = TypeVar("B", bound="BatchCore")

class BatchCore:
    """The worlds of a batch."""

    def __new__(cls: type[B], worlds: Sequence[Core], threads: int = 0) -> B: ...
    @property
    def worlds(self) -> list[Any]:
        """The worlds, in their order."""
    @property
    def threads(self) -> int:
        """Number of threads."""
    @property
    def state_hashes(self) -> list[str]:
        """The state hash of every world."""
    def _step(self, n: int = 1) -> list[tuple[int, str]]: ...
    def _run(
        self, steps: int, record: Sequence[str], stride: int
    ) -> tuple[list[tuple[str, str]], Array]: ...
    def _measure(self, path: str) -> list[list[float]]: ...
    def _state(self, what: int) -> Array: ...

"""Kreisel: multibody dynamics with joints that keep their tolerance, loops, motors and contact.

>>> import kreisel as kr
>>> w = kr.World(step=0.01)
>>> arm = w.add_body(name="arm", shape={"box": [1.0, 0.1, 0.1]}, mass=1.0, position=[0.5, 0, 0])
>>> pivot = w.add_joint(name="pivot", type="hinge", bodies=["world", "arm"], axis=[0, 1, 0])
>>> run = w.run(1.0, record=["pivot.angle", "energy.total"])
>>> bool(run.worst.position < 1e-6)
True

SI units throughout; angles in rad unless a property says otherwise; z is up.
"""

from . import errors, geometry
from ._native import Body, Item, Joint, Motor, Report, Shape, Snapshot, __version__
from .analyses import (
    Efforts,
    Equilibrium,
    Linear,
    Mobility,
    Modes,
    Reached,
    Sensitivity,
    sensitivity,
)
from .arrays import Arrays, Contacts, Views
from .batch import Batch, batch
from .errors import (
    ConnectionLost,
    KreiselError,
    Refused,
    SceneError,
    UnknownName,
    UnknownProperty,
)
from .indices import Indices, indices
from .items import Group, Property, properties
from .plugins import (
    Coefficients,
    constraint_law,
    contact_law,
    exporter,
    force_law,
    registered,
    sensor_law,
    unregister,
)
from .recording import Page, Recording, Summary, Svg, Worst
from .remote import Remote, RemoteItem, connect
from .sample import choice, grid, latin, linspace, sobol, span, together
from .scenes import convert, load, parse
from .sweep import Sweep, sweep
from .world import World

__all__ = [
    "Arrays",
    "Batch",
    "Body",
    "Coefficients",
    "ConnectionLost",
    "Contacts",
    "Efforts",
    "Equilibrium",
    "Group",
    "Indices",
    "Item",
    "Joint",
    "KreiselError",
    "Linear",
    "Mobility",
    "Modes",
    "Motor",
    "Page",
    "Property",
    "Reached",
    "Recording",
    "Refused",
    "Remote",
    "RemoteItem",
    "Report",
    "SceneError",
    "Sensitivity",
    "Shape",
    "Snapshot",
    "Summary",
    "Svg",
    "Sweep",
    "UnknownName",
    "UnknownProperty",
    "Views",
    "World",
    "Worst",
    "__version__",
    "batch",
    "choice",
    "connect",
    "constraint_law",
    "contact_law",
    "convert",
    "errors",
    "exporter",
    "force_law",
    "geometry",
    "grid",
    "indices",
    "latin",
    "linspace",
    "load",
    "parse",
    "properties",
    "registered",
    "sensitivity",
    "sensor_law",
    "sobol",
    "span",
    "sweep",
    "together",
    "unregister",
]

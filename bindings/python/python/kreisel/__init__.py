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
from .arrays import Arrays, Contacts
from .batch import Batch, batch
from .errors import (
    ConnectionLost,
    KreiselError,
    Refused,
    SceneError,
    UnknownName,
    UnknownProperty,
)
from .items import Group, Property, properties
from .recording import Page, Recording, Summary, Svg, Worst
from .remote import Remote, RemoteItem, connect
from .sample import choice, grid, latin, linspace, sobol, span
from .scenes import convert, load, parse
from .sweep import Sweep, sweep
from .world import World

__all__ = [
    "Arrays",
    "Batch",
    "Body",
    "ConnectionLost",
    "Contacts",
    "Group",
    "Item",
    "Joint",
    "KreiselError",
    "Motor",
    "Page",
    "Property",
    "Recording",
    "Refused",
    "Remote",
    "RemoteItem",
    "Report",
    "SceneError",
    "Shape",
    "Snapshot",
    "Summary",
    "Svg",
    "Sweep",
    "UnknownName",
    "UnknownProperty",
    "World",
    "Worst",
    "__version__",
    "batch",
    "choice",
    "connect",
    "convert",
    "errors",
    "geometry",
    "grid",
    "latin",
    "linspace",
    "load",
    "parse",
    "properties",
    "sobol",
    "span",
    "sweep",
]

"""Writes what is drawn from the tables of the scene format and of properties:

``kreisel/_builders.py``      the methods ``add_body``, … with the keys of the scene format
``kreisel/_properties.pyi``   the properties of every kind of item, as the live simulator lists them

``generate.py NATIVE SCENES`` writes them, ``--check`` sees that they are current. ``cargo xtask
python`` calls it with the built library and the folder of scenes.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import keyword
import sys
import textwrap
import types
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1] / "python" / "kreisel"

#: What a table's method gives.
GIVES = {
    "body": "Body",
    "point": "Body",
    "joint": "Joint",
    "rod": "Joint",
    "thread": "Joint",
    "rail": "Joint",
    "polygon": "Joint",
    "spring": "SpringItem",
    "motor": "Motor",
    "curve": "CurveItem",
    "constraint": "ConstraintItem",
    "controller": "ControllerItem",
    "field": "FieldItem",
    "procedure": "ProcedureItem",
    "sensor": "SensorItem",
}

#: Kinds of items, and the class that their properties are listed in.
CLASSES = {
    "body": "BodyProperties",
    "joint": "JointProperties",
    "motor": "MotorProperties",
    "spring": "SpringItem",
    "constraint": "ConstraintItem",
    "controller": "ControllerItem",
    "field": "FieldItem",
    "curve": "CurveItem",
    "procedure": "ProcedureItem",
    "sensor": "SensorItem",
    "world": "Settings",
}

#: Items of one kind that are looked at in one scene.
MOST_ITEMS = 40

#: Scenes that are larger are left out: they hold more of the same.
MOST_BODIES = 300


def native(path: Path) -> Any:
    """The native module, without the package around it, which may not be complete yet."""
    package = types.ModuleType("kreisel")
    package.__path__ = [str(PACKAGE)]
    sys.modules["kreisel"] = package
    loader = importlib.machinery.ExtensionFileLoader("kreisel._native", str(path))
    spec = importlib.util.spec_from_loader("kreisel._native", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["kreisel._native"] = module
    loader.exec_module(module)
    package._native = module  # type: ignore[attr-defined]
    return module


def filled(text: str, indent: str) -> str:
    return "\n".join(textwrap.wrap(text, 100, initial_indent=indent, subsequent_indent=indent))


def plain(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', "'''").replace("`", "``")


def builders(module: Any) -> str:
    """The methods that add items."""
    out = [
        '"""Methods that add items, with the keys of the scene format.',
        "",
        "Written by tools/generate.py from the tables of the format: do not edit.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING, Any",
        "",
        "if TYPE_CHECKING:",
        "    from ._native import Body, Joint, Motor",
        "    from ._properties import (",
        *(f"        {c}," for c in sorted(set(GIVES.values()) - {"Body", "Joint", "Motor"})),
        "    )",
        "",
        "",
        "class Builders:",
        '    """What a scene can say, as methods; keys that are left out take their defaults."""',
        "",
        "    def _add(self, table: str, keys: dict[str, Any]) -> Any:",
        "        raise NotImplementedError",
    ]
    for title, doc, keys in module.sections():
        if not (title.startswith("[[") and "." not in title):
            continue
        table = title.strip("[]")
        names = [k + "_" if keyword.iskeyword(k) else k for k, _, _ in keys]
        gives = GIVES.get(table, "None")
        out += ["", f"    def add_{table}("]
        out += ["        self,", "        *,"]
        out += [f"        {n}: Any = None," for n in names]
        out += [f"    ) -> {gives}:"]
        lines = [filled(plain(doc), "        ").strip(), ""]
        for name, (_, form, meaning) in zip(names, keys, strict=True):
            text = f"``{name}`` ({form}): {meaning}"
            wrapped = textwrap.wrap(plain(text).replace("````", "``"), 96)
            lines.append("        " + "\n            ".join(wrapped))
        out += ['        """' + "\n".join(lines), '        """']
        dictionary = ", ".join(f'"{n}": {n}' for n in names)
        wrapped = textwrap.wrap(dictionary, 84)
        out += [
            f"        made: {gives if gives != 'None' else 'Any'} = self._add(",
            f'            "{table}",',
            "            {",
        ]
        out += ["                " + line for line in wrapped]
        out += ["            },", "        )"]
        out += ["        return made"] if gives != "None" else ["        del made"]
    return "\n".join(out) + "\n"


def listed(module: Any, scenes: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Every property of every kind of item that any scene has, by attribute."""
    found: dict[str, dict[str, dict[str, Any]]] = {kind: {} for kind in CLASSES}
    files = sorted(p for p in scenes.rglob("*.toml") if "broken" not in p.parts)
    for path in files:
        try:
            world = module.Core(path=path)
        except Exception:  # a part of a scene, or one that reads files from elsewhere
            continue
        if len(world.names("body")) > MOST_BODIES:
            continue
        for kind in CLASSES:
            names = ["world"] if kind == "world" else world.names(kind)[:MOST_ITEMS]
            for name in names:
                for p in world._item(kind, name)._properties():
                    known = found[kind].setdefault(p["attribute"], p)
                    if p["unit"] and p["unit"] not in known["unit"].split(" or "):
                        known["unit"] = " or ".join(u for u in [known["unit"], p["unit"]] if u)
                    if "none" in p["form"]:
                        known["form"] = p["form"]
    return found


TYPES = {
    "number": ("float", "SupportsFloat"),
    "number or none": ("float | None", "SupportsFloat | None"),
    "vector": ("Array", "ArrayLike"),
    "text": ("str", "Any"),
    "word": ("str", "str | int"),
    "flag": ("bool", "bool"),
    "curve": ("dict[str, Any]", "SupportsFloat | Sequence[tuple[float, float]] | dict[str, Any]"),
}


def members(
    name: str, properties: dict[str, dict[str, Any]], taken: set[str]
) -> tuple[list[str], list[str]]:
    """The lines of a class, and of the classes of its groups."""
    own: list[str] = []
    nested: list[str] = []
    groups: dict[str, dict[str, dict[str, Any]]] = {}
    for attribute, p in sorted(properties.items()):
        head, _, rest = attribute.partition(".")
        if rest:
            groups.setdefault(head, {})[rest] = p
            continue
        if attribute in taken or not attribute.isidentifier() or keyword.iskeyword(attribute):
            continue
        read, write = TYPES[p["form"]]
        unit = f"[{p['unit']}] " if p["unit"] else ""
        doc = (unit + (p["doc"] or p["key"])).replace('"""', "'''").replace("\\", "\\\\")
        doc = doc + " " if doc.endswith('"') else doc
        text = "\n".join(textwrap.wrap(f'"""{doc}"""', 92, subsequent_indent="        "))
        own += ["    @property", f"    def {attribute}(self) -> {read}:", f"        {text}"]
        if p["settable"]:
            own += [
                f"    @{attribute}.setter",
                f"    def {attribute}(self, value: {write}) -> None: ...",
            ]
    for head, inner in sorted(groups.items()):
        # a property of the same name comes first; its parts are reached by get and set
        if (
            head in taken
            or head in properties
            or not head.isidentifier()
            or keyword.iskeyword(head)
        ):
            continue
        group = name.replace("Properties", "").replace("Item", "") + head.capitalize()
        lines, deeper = members(group, inner, set())
        nested += deeper
        nested += ["", f"class {group}(Group):", *(lines or ["    pass"])]
        own += ["    @property", f"    def {head}(self) -> {group}: ..."]
    return own, nested


def stubs(module: Any, scenes: Path) -> str:
    """The properties of all kinds of items."""
    out = [
        '"""Properties of items, with units, as the live simulator lists them.',
        "",
        "Written by tools/generate.py from the properties of all scenes: do not edit.",
        '"""',
        "",
        "from collections.abc import Sequence",
        "from typing import Any, SupportsFloat",
        "",
        "import numpy as np",
        "from numpy.typing import ArrayLike, NDArray",
        "",
        "from ._native import Item",
        "from .items import Group",
        "",
        "Array = NDArray[np.float64]",
    ]
    native_class = {"body": module.Body, "joint": module.Joint, "motor": module.Motor}
    for kind, properties in listed(module, scenes).items():
        own_class = native_class.get(kind)
        base = "" if own_class else "(Item)"
        taken = set(dir(own_class or module.Item)) | {"name"}
        lines, nested = members(CLASSES[kind], properties, taken)
        out += [*nested, "", f"class {CLASSES[kind]}{base}:", *(lines or ["    pass"])]
    return "\n".join(out) + "\n"


def main() -> int:
    """Writes or checks the files."""
    words = [a for a in sys.argv[1:] if a != "--check"]
    module = native(Path(words[0]))
    made = {
        PACKAGE / "_builders.py": builders(module),
        PACKAGE / "_properties.pyi": stubs(module, Path(words[1])),
    }
    stale = 0
    for path, text in made.items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        if "--check" in sys.argv:
            print(f"{path.name} is not current: run `cargo xtask python --write`", file=sys.stderr)
            stale += 1
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.name}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())

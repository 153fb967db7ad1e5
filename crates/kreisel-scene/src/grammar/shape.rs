//! Keys of shapes.

use super::{Section, key};

/// `shape` of a body.
pub static SHAPE: Section = Section {
    title: "shape",
    doc: "A solid. One of the first seventeen keys; `axis` turns it, `position` and `rotation` place it in the body's frame. An array of such tables is one rigid body of several parts.",
    keys: &[
        key("box", "[x, y, z] m", "full edge lengths"),
        key("sphere", "m", "radius"),
        key("cylinder", "`{ radius = m, height = m }`", "along the axis"),
        key(
            "capsule",
            "`{ radius = m, height = m }`",
            "a cylinder of that height between two half-spheres",
        ),
        key(
            "cone",
            "`{ radius = m, height = m }`",
            "base at -height/2, tip at +height/2 of the axis",
        ),
        key(
            "disc",
            "`{ radius = m, height = m, rim = m }`",
            "cylinder with a rounded rim, such as a coin or a tyre",
        ),
        key(
            "torus",
            "`{ radius = m, tube = m }`",
            "all points within `tube` of a circle about the axis",
        ),
        key("ellipsoid", "[x, y, z] m", "semi-axes"),
        key(
            "hull",
            "[[x, y, z], …] m, or mesh file",
            "the convex hull of points, or of the vertices of a mesh",
        ),
        key(
            "mesh",
            "mesh file, or table `vertices`, `triangles`",
            "a triangle mesh from OBJ, STL, PLY, VRML 2, COLLADA, glTF or GLB. One that is not closed has no mass of its own: it gets that of its convex hull, with a warning",
        ),
        key(
            "extrude",
            "table `extrude`",
            "the prism over an outline, half of its height on either side",
        ),
        key("revolve", "table `revolve`", "what an outline sweeps when it is turned about z"),
        key(
            "union",
            "array of shapes",
            "what is in one or the other; round solids are polyhedra of 64 sides here",
        ),
        key("difference", "array of shapes", "what is in the first and in none of the others"),
        key("intersection", "array of shapes", "what is in all of them"),
        key(
            "half_space",
            "[x, y, z], or table `normal`, `offset`",
            "everything behind a plane with this outward normal, through the origin or at an offset; not for dynamic bodies",
        ),
        key("height_field", "table", "terrain; for bodies that do not move"),
        key(
            "scale",
            "number or [x, y, z]",
            "factor for the coordinates of `mesh` and `hull`; default 1",
        ),
        key(
            "parts",
            "count",
            "of a `hull` of a mesh file: at most so many convex hulls that together cover the mesh, which gives the mass",
        ),
        key(
            "axis",
            "\"x\", \"y\" or \"z\"",
            "axis of cylinder, capsule, cone, disc and torus; default \"z\"",
        ),
        key("position", "[x, y, z] m", "centre of the part in the body's frame"),
        key("rotation", "table", "rotation of the part in the body's frame"),
    ],
};

/// `cylinder`, `capsule`, `cone`.
pub static ROUND: Section = Section {
    title: "a round shape",
    doc: "Sizes of cylinder, capsule and cone.",
    keys: &[key("radius", "m", "radius"), key("height", "m", "height along the axis")],
};

/// `disc`.
pub static DISC: Section = Section {
    title: "disc",
    doc: "Sizes of a cylinder with a rounded rim, the rim included.",
    keys: &[
        key("radius", "m", "radius"),
        key("height", "m", "height along the axis"),
        key(
            "rim",
            "m",
            "radius of the rounding, at most half the height and the radius; default half the height",
        ),
    ],
};

/// `torus`.
pub static TORUS: Section = Section {
    title: "torus",
    doc: "Sizes of a torus.",
    keys: &[
        key("radius", "m", "radius of the circle"),
        key("tube", "m", "radius of the tube, smaller than that"),
    ],
};

/// `mesh` written out.
pub static MESH: Section = Section {
    title: "mesh",
    doc: "A mesh written out in the scene.",
    keys: &[
        key("vertices", "[[x, y, z], …] m", "the vertices"),
        key(
            "triangles",
            "[[a, b, c], …]",
            "numbers of vertices, counted from 0, counter-clockwise seen from outside",
        ),
    ],
};

/// `extrude`.
pub static EXTRUDE: Section = Section {
    title: "extrude",
    doc: "A prism along z; `axis` turns it.",
    keys: &[
        key("profile", "[[x, y], …] m", "corners of an outline that does not cross itself"),
        key("height", "m", "height of the prism"),
    ],
};

/// `revolve`.
pub static REVOLVE: Section = Section {
    title: "revolve",
    doc: "A solid of revolution about z, with its corners on the true surface.",
    keys: &[
        key(
            "profile",
            "[[r, z], …] m",
            "corners of an outline: distance from the axis and height, not crossing the axis",
        ),
        key("sides", "count", "sides of the polyhedron; default 64"),
    ],
};

/// `half_space`.
pub static HALF_SPACE: Section = Section {
    title: "half_space",
    doc: "All points with normal · x ≤ offset.",
    keys: &[
        key("normal", "[x, y, z]", "direction out of the ground; default [0, 0, 1]"),
        key("offset", "m", "distance of the plane from the origin along the normal; default 0"),
    ],
};

/// `height_field`.
pub static HEIGHT_FIELD: Section = Section {
    title: "height_field",
    doc: "Heights over a grid: columns along x, rows along y, from the origin of the body. Either `heights`, or `height` with `rows` and `columns`.",
    keys: &[
        key("spacing", "[dx, dy] m", "distance of neighbouring columns and rows"),
        key("heights", "[[z, …], …] m", "one row after the other"),
        key(
            "height",
            "expression",
            "height at the place `x`, `y` (column `i`, row `j`): `\"0.1 * sin(x)\"`",
        ),
        key("rows", "count", "number of rows, at least 2"),
        key("columns", "count", "number of columns, at least 2"),
    ],
};

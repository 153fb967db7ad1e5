//! What exists, as the page needs it to draw: sent once and after every edit; frames then carry
//! only numbers.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The geometry of a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum GeometryView {
    /// Full edge lengths, m.
    Box {
        /// Edges.
        size: [f64; 3],
    },
    /// Semi-axes, m; a sphere has three equal ones.
    Ellipsoid {
        /// Them.
        radii: [f64; 3],
    },
    /// Along z, m.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Full height.
        height: f64,
    },
    /// Along z, m; height is that of the cylinder between the half-spheres.
    Capsule {
        /// Radius.
        radius: f64,
        /// Height.
        height: f64,
    },
    /// Along z, base at −height/2, m.
    Cone {
        /// Radius.
        radius: f64,
        /// Height.
        height: f64,
    },
    /// A plane with what lies below it.
    Plane {
        /// Outward normal.
        normal: [f64; 3],
        /// Distance from the origin, m.
        offset: f64,
    },
    /// Triangles: index into the scene's meshes.
    Mesh {
        /// Base64 of little-endian f32 x, y, z of the vertices.
        vertices: String,
        /// Base64 of little-endian u32 triples.
        triangles: String,
        /// Whether faces are flat (a polyhedron) or shaded smoothly.
        flat: bool,
    },
    /// A mass point.
    Point,
}

/// A part of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct PartView {
    /// What it is.
    pub geometry: GeometryView,
    /// Where, in the body's frame, m.
    pub position: [f64; 3],
    /// Rotation x, y, z, w.
    pub rotation: [f64; 4],
}

/// A body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct BodyView {
    /// Its name.
    pub name: String,
    /// "dynamic", "static" or "kinematic".
    pub kind: String,
    /// Red, green, blue.
    pub color: Option<[u8; 3]>,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the body's frame, m.
    pub center: [f64; 3],
    /// What is drawn.
    pub parts: Vec<PartView>,
    /// 1 is opaque, 0 is not seen.
    pub opacity: f64,
    /// 0 is dull, 1 a mirror.
    pub reflection: f64,
    /// Name of the picture on it; empty for none.
    pub texture: String,
}

/// A joint. Anchors and axes are in the frames of the bodies, those on the world in world
/// coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct JointView {
    /// Its name.
    pub name: String,
    /// As in scene files.
    pub kind: String,
    /// Places in the list of bodies; −1 is the world.
    pub bodies: [i32; 2],
    /// An anchor per body, m.
    pub anchors: [[f64; 3]; 2],
    /// The axis on the first body.
    pub axis: [f64; 3],
    /// The axis on the second body, where it has one of its own.
    pub axis2: Option<[f64; 3]>,
    /// What a rail or polygon lies on: its ends, or its corners in their order. None for other
    /// joints.
    pub supports: Vec<AnchorView>,
    /// Whether it acts.
    pub active: bool,
    /// Whether it joins velocities only.
    pub velocity_only: bool,
    /// Coordinates that can be driven and measured.
    pub coordinates: Vec<String>,
    /// Limits of these, rad or m; none is unlimited.
    pub ranges: Vec<[Option<f64>; 2]>,
}

/// A named point of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct MarkerView {
    /// Its name.
    pub name: String,
    /// Place in the list of bodies; −1 is the world.
    pub body: i32,
    /// Where, in the body's frame, m.
    pub at: [f64; 3],
}

/// A spring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SpringView {
    /// Its name.
    pub name: String,
    /// Places in the list of bodies; −1 is the world.
    pub bodies: [i32; 2],
    /// An anchor per body, in its frame, m.
    pub anchors: [[f64; 3]; 2],
    /// Rest length, m.
    pub length: f64,
}

/// A motor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct MotorView {
    /// Its name.
    pub name: String,
    /// Place in the list of joints.
    pub joint: i32,
    /// What it drives.
    pub coordinate: String,
}

/// A point that something is attached to, in the frame of its body, m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct AnchorView {
    /// Place in the list of bodies; −1 is the world.
    pub body: i32,
    /// Where.
    pub point: [f64; 3],
    /// Place in the frames' list of points that move by formulas; none for all others.
    pub moving: Option<u32>,
}

/// A constraint between connectors, or a controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ElementView {
    /// Its name.
    pub name: String,
    /// As in scene files.
    pub kind: String,
    /// "position", "velocity" or "controller": what its colour tells (Wagner, 6.5.2.3).
    pub role: String,
    /// Whether it acts.
    pub active: bool,
    /// Its connectors, without those that follow another one along a curve.
    pub anchors: Vec<AnchorView>,
    /// The force of a vector controller, N.
    pub force: Option<[f64; 3]>,
}

/// A curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct CurveView {
    /// Its name.
    pub name: String,
    /// Points along it, m.
    pub points: Vec<[f64; 3]>,
}

/// A force field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct FieldView {
    /// Its name.
    pub name: String,
    /// "gravity", "friction" or "radial".
    pub kind: String,
    /// Whether it acts.
    pub active: bool,
    /// Centre of a radial field, m.
    pub center: Option<[f64; 3]>,
}

/// A distance procedure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ProcedureView {
    /// Its name.
    pub name: String,
    /// Whether it acts.
    pub active: bool,
}

/// A sensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SensorView {
    /// Its name.
    pub name: String,
    /// What it measures: "gyro", "lidar", …
    pub kind: String,
    /// Index of the body that carries it; -1 for none, or the world.
    pub body: i32,
    /// Where it is, in the frame of that body, m.
    pub at: [f64; 3],
    /// Where it looks, in the frame of that body.
    pub forward: [f64; 3],
}

/// A further surface of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ColliderView {
    /// Its name.
    pub name: String,
    /// Index of the body that carries it; -1 for the world.
    pub body: i32,
    /// Whether it touches anything.
    pub active: bool,
}

/// Geometry that is only shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ShowView {
    /// Place in the list of bodies; −1 is the world.
    pub body: i32,
    /// Red, green, blue.
    pub color: Option<[u8; 3]>,
    /// What is drawn.
    pub parts: Vec<PartView>,
}

/// Everything that exists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct SceneView {
    /// Counts changes; frames carry the same number.
    pub revision: u32,
    /// Changes when another scene was loaded, not with edits: then the page frames the view anew.
    pub load: u32,
    /// Title.
    pub title: String,
    /// More about it.
    pub description: String,
    /// Gravity, m/s².
    pub gravity: [f64; 3],
    /// Where the view looks from: eye and target, m.
    pub camera: Option<[[f64; 3]; 2]>,
    /// Step size, s.
    pub step: f64,
    /// Tolerances of joints: m and rad.
    pub tolerance: [f64; 2],
    /// Shape of the world itself: the ground.
    pub ground: Vec<PartView>,
    /// Bodies, in the order of frames.
    pub bodies: Vec<BodyView>,
    /// Further surfaces of bodies.
    pub colliders: Vec<ColliderView>,
    /// Joints, in the order of frames.
    pub joints: Vec<JointView>,
    /// Springs.
    pub springs: Vec<SpringView>,
    /// Motors.
    pub motors: Vec<MotorView>,
    /// Constraints between connectors, and controllers.
    pub elements: Vec<ElementView>,
    /// Curves.
    pub curves: Vec<CurveView>,
    /// Force fields.
    pub fields: Vec<FieldView>,
    /// Distance procedures.
    pub procedures: Vec<ProcedureView>,
    /// Sensors.
    pub sensors: Vec<SensorView>,
    /// Named points of bodies.
    pub markers: Vec<MarkerView>,
    /// Names of outer forces, keyframes and emitters.
    pub forces: Vec<String>,
    /// Names of what is locked.
    pub locked: Vec<String>,
    /// What is only shown.
    pub shows: Vec<ShowView>,
    /// "direct", "iterative", "cut" or "lagrange".
    pub method: String,
}

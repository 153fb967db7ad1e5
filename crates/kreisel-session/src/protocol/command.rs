//! Commands: everything that changes a world. They are applied between steps and written to the
//! journal, so that a live session replays to the bit. Objects are named as in scene files.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A solid to make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum SolidSpec {
    /// Full edge lengths, m.
    Box([f64; 3]),
    /// Radius, m.
    Sphere(f64),
    /// Radius and height along z, m.
    Cylinder([f64; 2]),
    /// Radius and height of the cylinder between the half-spheres, m.
    Capsule([f64; 2]),
    /// Radius and height along z, m.
    Cone([f64; 2]),
    /// Semi-axes, m.
    Ellipsoid([f64; 3]),
    /// Radius, height along z and rounding of the rim, m.
    Disc([f64; 3]),
    /// Radius of the circle about z and of the tube, m.
    Torus([f64; 2]),
    /// A mass point.
    Point,
}

/// A body to make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ShapeSpec {
    /// What it is.
    pub solid: SolidSpec,
    /// Density in kg/m³, or the mass in kg for a mass point.
    pub density: f64,
    /// "dynamic", "static" or "kinematic".
    pub kind: String,
    /// Origin of its frame, m.
    pub position: [f64; 3],
    /// Rotation x, y, z, w.
    pub rotation: [f64; 4],
    /// Red, green, blue.
    pub color: Option<[u8; 3]>,
}

/// A value over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ScheduleSpec {
    /// Points (s, value) in rising order of time.
    pub points: Vec<(f64, f64)>,
    /// "hold", "linear" or "smooth".
    pub interpolation: String,
}

/// What a motor does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum ControlSpec {
    /// Torque or force over time.
    Effort(ScheduleSpec),
    /// Rate over time.
    Velocity(ScheduleSpec),
    /// PID control to a set value of the coordinate: set value, gain, derivative time.
    Servo(ScheduleSpec, f64, f64),
}

/// A motor to make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct MotorSpec {
    /// The joint it drives.
    pub joint: String,
    /// "angle", "position", "length" or "swing"; none is the joint's first free one.
    pub coordinate: Option<String>,
    /// What it does.
    pub control: ControlSpec,
    /// Largest effort, N or N m; none is unlimited.
    pub max_effort: Option<f64>,
}

/// Where a hand of virtual reality is and how it moves, world coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct HandMotion {
    /// Where the grip shall be, m.
    pub target: [f64; 3],
    /// How the body shall stand: x, y, z, w.
    pub turn: [f64; 4],
    /// Velocity of the grip, m/s.
    pub velocity: [f64; 3],
    /// Angular velocity, rad/s.
    pub spin: [f64; 3],
}

/// A point of a body, of space ("world"), or of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct EndSpec {
    /// The body, "world", or a curve.
    pub body: String,
    /// Where, in the frame of the body, m; on a curve the nearest place counts.
    pub point: [f64; 3],
}

/// A change of the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// An impulse at a point of the world (B-106).
    Push {
        /// The body.
        body: String,
        /// N s, world coordinates.
        impulse: [f64; 3],
        /// Where, world coordinates, m.
        point: [f64; 3],
    },
    /// A force and a torque about the centre of mass for some time (W-146).
    Force {
        /// The body.
        body: String,
        /// N, world coordinates.
        force: [f64; 3],
        /// N m, world coordinates.
        torque: [f64; 3],
        /// How long, s; at least one step.
        seconds: f64,
    },
    /// Takes a body by a point (B-107); one hand per client.
    Grab {
        /// The body.
        body: String,
        /// The point in the body's frame, m.
        point: [f64; 3],
        /// Where it shall go, world coordinates, m.
        target: [f64; 3],
        /// How the body shall stand (x, y, z, w), if it shall be turned, too.
        turn: Option<[f64; 4]>,
        /// Strength against the hand's usual one.
        strength: f64,
    },
    /// Moves the hand.
    Drag {
        /// Where the point shall go, m.
        target: [f64; 3],
        /// How the body shall stand.
        turn: Option<[f64; 4]>,
    },
    /// Lets go. The next edit is one of its own for undo, also of the same thing.
    Release,
    /// A hand of virtual reality closes around a body: it holds it by position and rotation, with
    /// limited force and torque. Two hands a client; both may hold the same body.
    Hold {
        /// Which hand: 0 or 1.
        hand: u8,
        /// The body.
        body: String,
        /// The grip in the body's frame, m.
        point: [f64; 3],
        /// Strength against the hand's usual one.
        strength: f64,
        /// Where the hand is.
        motion: HandMotion,
    },
    /// Moves such a hand. It moves on by itself for three frames.
    Carry {
        /// Which hand.
        hand: u8,
        /// Where it is now.
        motion: HandMotion,
    },
    /// Such a hand opens; what it held leaves with its velocity.
    LetGo {
        /// Which hand.
        hand: u8,
        /// Velocity of the grip, m/s.
        velocity: [f64; 3],
        /// Angular velocity, rad/s.
        spin: [f64; 3],
    },
    /// Puts a body somewhere else, at once. Joints pull it back if they do not allow it.
    Place {
        /// The body.
        body: String,
        /// Origin of its frame, m.
        position: [f64; 3],
        /// Rotation x, y, z, w.
        rotation: [f64; 4],
    },
    /// Changes a property; the keys are those of [`super::Inspection`].
    Set {
        /// Name of a body, joint, spring or motor; "world" is the world with its settings.
        object: String,
        /// Which property.
        key: String,
        /// Its new value.
        value: super::PropertyValue,
    },
    /// Makes a body.
    AddBody {
        /// Its name; empty takes the next free one.
        name: String,
        /// What it is and where.
        shape: ShapeSpec,
    },
    /// Makes a joint at the bodies' present poses.
    AddJoint {
        /// Its name; empty takes the next free one.
        name: String,
        /// As in scene files: "hinge", "ball", "rope", …
        kind: String,
        /// The two bodies.
        bodies: [String; 2],
        /// An anchor per body, world coordinates, m.
        anchors: [[f64; 3]; 2],
        /// The axis, world coordinates.
        axis: [f64; 3],
        /// The second axis of a universal or double-rotation joint.
        axis2: Option<[f64; 3]>,
    },
    /// Makes a spring.
    AddSpring {
        /// Its name; empty takes the next free one.
        name: String,
        /// The two bodies.
        bodies: [String; 2],
        /// An anchor per body, world coordinates, m.
        anchors: [[f64; 3]; 2],
        /// N/m.
        stiffness: f64,
        /// N s/m.
        damping: f64,
    },
    /// Makes a motor.
    AddMotor {
        /// Its name; empty takes the next free one.
        name: String,
        /// What it does.
        motor: MotorSpec,
    },
    /// Makes a constraint between connectors.
    AddConstraint {
        /// Its name; empty takes the next free one.
        name: String,
        /// As in scene files: "point-to-point", "orientation", …
        kind: String,
        /// What is linked: bodies, "world" for a point of space, or (the second one) a curve.
        bodies: [String; 2],
        /// A point per body, world coordinates, m.
        points: [[f64; 3]; 2],
        /// Direction of the axes of kinds that have some, world coordinates.
        axis: [f64; 3],
    },
    /// Makes a controller, with strengths that suit the body's mass.
    AddController {
        /// Its name; empty takes the next free one.
        name: String,
        /// As in scene files: "vector", "spring", "trajectory" or "pid".
        kind: String,
        /// What is linked: the body that is moved, then a body, "world" for a point of space, or a
        /// curve. A vector has no second.
        bodies: [String; 2],
        /// A point for each, world coordinates, m.
        points: [[f64; 3]; 2],
    },
    /// Makes a constraint between points, in their order: one or two for each side, as its kind
    /// has it; partners that are left out become fixed points of space.
    Connect {
        /// Its name; empty takes the next free one.
        name: String,
        /// As in scene files.
        kind: String,
        /// The points.
        ends: Vec<EndSpec>,
        /// Whether it acts at once.
        active: bool,
    },
    /// Marks a point of a body by a name.
    AddMarker {
        /// Its name; empty takes the next free one.
        name: String,
        /// Where.
        at: EndSpec,
    },
    /// Makes a curve, as by recording where a body was (W-134).
    AddCurve {
        /// Its name; empty takes the next free one.
        name: String,
        /// Control points, world coordinates, m.
        points: Vec<[f64; 3]>,
    },
    /// Makes a force field.
    AddField {
        /// Its name; empty takes the next free one.
        name: String,
        /// "gravity", "friction" or "radial".
        kind: String,
        /// Strength of friction (1/s) or of a radial field (N m).
        strength: f64,
        /// Acceleration of a gravity field, m/s², or centre of a radial one, m.
        vector: [f64; 3],
    },
    /// Removes objects with everything that hangs on them.
    Remove {
        /// Their names.
        objects: Vec<String>,
    },
    /// Copies bodies and what connects them.
    Copy {
        /// Names of bodies.
        objects: Vec<String>,
        /// How far the copies are put from the originals, m.
        offset: [f64; 3],
    },
    /// Adds items that were copied as text, under free names: what they are linked to outside of
    /// the text stays their partner.
    Paste {
        /// The text of a [`super::ServerMessage::Clip`].
        text: String,
        /// How far they are put from where they were, m.
        offset: [f64; 3],
    },
    /// Locks objects against every change and against hands, or unlocks them.
    Lock {
        /// Their names.
        objects: Vec<String>,
        /// Whether they are locked from now on.
        on: bool,
    },
    /// Gives a joint's coordinate a value, by moving what hangs on its second body.
    Drive {
        /// The joint.
        joint: String,
        /// "angle", "position" or "length".
        coordinate: String,
        /// rad or m.
        value: f64,
    },
    /// Makes a body larger or smaller about the origin of its frame; its density stays.
    Scale {
        /// The body.
        body: String,
        /// Along the axes of its frame.
        factors: [f64; 3],
    },
    /// Makes objects what they were at the start of the scene.
    Reset {
        /// Their names.
        objects: Vec<String>,
    },
    /// Displaces bodies a little at random (W-141), or turns them at random (W-142).
    Scatter {
        /// Names of bodies; none are all.
        objects: Vec<String>,
        /// Largest displacement along each axis, m.
        distance: f64,
        /// Whether they are turned at random.
        turn: bool,
        /// The same seed gives the same displacements.
        seed: u32,
    },
    /// Takes the last edit back, with the motion since.
    Undo,
    /// Makes an undone edit again.
    Redo,
    /// Goes to the stored state nearest to a time, s.
    Rewind {
        /// The time, s.
        time: f64,
    },
    /// The step size that the real-time mode has chosen, s. No edit: there is nothing to undo.
    Pace {
        /// The step size, s.
        step: f64,
    },
    /// Back to the start of the scene.
    Restart,
    /// Adds the items of a scene's text under their own names, at the present poses of bodies; they
    /// may speak of what is there.
    Extend {
        /// Name of the text, shown in messages; `.json` is read as JSON.
        name: String,
        /// The tables of a scene.
        text: String,
    },
    /// Loads a scene, instead of the present one or into it.
    Load {
        /// Name of the file, shown in messages.
        name: String,
        /// Its text.
        text: String,
        /// Whether it joins what is there.
        merge: bool,
    },
}

impl Command {
    /// Whether it only pushes, or moves a hand: what exists and what time it is stay as they are.
    pub fn is_motion(&self) -> bool {
        matches!(
            self,
            Self::Push { .. }
                | Self::Force { .. }
                | Self::Grab { .. }
                | Self::Drag { .. }
                | Self::Release
                | Self::Hold { .. }
                | Self::Carry { .. }
                | Self::LetGo { .. }
        )
    }
}

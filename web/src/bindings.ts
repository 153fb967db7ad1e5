// Written by `UPDATE_BINDINGS=1 cargo test -p kreisel-session bindings`; do not edit.

export type Command = { "do": "push", 
/**
 * The body.
 */
body: string, 
/**
 * N s, world coordinates.
 */
impulse: [number, number, number], 
/**
 * Where, world coordinates, m.
 */
point: [number, number, number], } | { "do": "force", 
/**
 * The body.
 */
body: string, 
/**
 * N, world coordinates.
 */
force: [number, number, number], 
/**
 * N m, world coordinates.
 */
torque: [number, number, number], 
/**
 * How long, s; at least one step.
 */
seconds: number, } | { "do": "grab", 
/**
 * The body.
 */
body: string, 
/**
 * The point in the body's frame, m.
 */
point: [number, number, number], 
/**
 * Where it shall go, world coordinates, m.
 */
target: [number, number, number], 
/**
 * How the body shall stand (x, y, z, w), if it shall be turned, too.
 */
turn: [number, number, number, number] | null, 
/**
 * Strength against the hand's usual one.
 */
strength: number, } | { "do": "drag", 
/**
 * Where the point shall go, m.
 */
target: [number, number, number], 
/**
 * How the body shall stand.
 */
turn: [number, number, number, number] | null, } | { "do": "release" } | { "do": "hold", 
/**
 * Which hand: 0 or 1.
 */
hand: number, 
/**
 * The body.
 */
body: string, 
/**
 * The grip in the body's frame, m.
 */
point: [number, number, number], 
/**
 * Strength against the hand's usual one.
 */
strength: number, 
/**
 * Where the hand is.
 */
motion: HandMotion, } | { "do": "carry", 
/**
 * Which hand.
 */
hand: number, 
/**
 * Where it is now.
 */
motion: HandMotion, } | { "do": "let_go", 
/**
 * Which hand.
 */
hand: number, 
/**
 * Velocity of the grip, m/s.
 */
velocity: [number, number, number], 
/**
 * Angular velocity, rad/s.
 */
spin: [number, number, number], } | { "do": "place", 
/**
 * The body.
 */
body: string, 
/**
 * Origin of its frame, m.
 */
position: [number, number, number], 
/**
 * Rotation x, y, z, w.
 */
rotation: [number, number, number, number], } | { "do": "set", 
/**
 * Name of a body, joint, spring or motor; "world" is the world with its settings.
 */
object: string, 
/**
 * Which property.
 */
key: string, 
/**
 * Its new value.
 */
value: PropertyValue, } | { "do": "add_body", 
/**
 * Its name; empty takes the next free one.
 */
name: string, 
/**
 * What it is and where.
 */
shape: ShapeSpec, } | { "do": "add_joint", 
/**
 * Its name; empty takes the next free one.
 */
name: string, 
/**
 * As in scene files: "hinge", "ball", "rope", …
 */
kind: string, 
/**
 * The two bodies.
 */
bodies: [string, string], 
/**
 * An anchor per body, world coordinates, m.
 */
anchors: [[number, number, number], [number, number, number]], 
/**
 * The axis, world coordinates.
 */
axis: [number, number, number], 
/**
 * The second axis of a universal or double-rotation joint.
 */
axis2: [number, number, number] | null, } | { "do": "add_spring", 
/**
 * Its name; empty takes the next free one.
 */
name: string, 
/**
 * The two bodies.
 */
bodies: [string, string], 
/**
 * An anchor per body, world coordinates, m.
 */
anchors: [[number, number, number], [number, number, number]], 
/**
 * N/m.
 */
stiffness: number, 
/**
 * N s/m.
 */
damping: number, } | { "do": "add_motor", 
/**
 * Its name; empty takes the next free one.
 */
name: string, 
/**
 * What it does.
 */
motor: MotorSpec, } | { "do": "add_constraint", 
/**
 * Its name; empty takes the next free one.
 */
name: string, 
/**
 * As in scene files: "point-to-point", "orientation", …
 */
kind: string, 
/**
 * What is linked: bodies, "world" for a point of space, or (the second one) a curve.
 */
bodies: [string, string], 
/**
 * A point per body, world coordinates, m.
 */
points: [[number, number, number], [number, number, number]], 
/**
 * Direction of the axes of kinds that have some, world coordinates.
 */
axis: [number, number, number], } | { "do": "add_controller", 
/**
 * Its name; empty takes the next free one.
 */
name: string, 
/**
 * As in scene files: "vector", "spring", "trajectory" or "pid".
 */
kind: string, 
/**
 * What is linked: the body that is moved, then a body, "world" for a point of space, or a
 * curve. A vector has no second.
 */
bodies: [string, string], 
/**
 * A point for each, world coordinates, m.
 */
points: [[number, number, number], [number, number, number]], } | { "do": "connect", 
/**
 * Its name; empty takes the next free one.
 */
name: string, 
/**
 * As in scene files.
 */
kind: string, 
/**
 * The points.
 */
ends: Array<EndSpec>, 
/**
 * Whether it acts at once.
 */
active: boolean, } | { "do": "add_marker", 
/**
 * Its name; empty takes the next free one.
 */
name: string, 
/**
 * Where.
 */
at: EndSpec, } | { "do": "add_curve", 
/**
 * Its name; empty takes the next free one.
 */
name: string, 
/**
 * Control points, world coordinates, m.
 */
points: Array<[number, number, number]>, } | { "do": "add_field", 
/**
 * Its name; empty takes the next free one.
 */
name: string, 
/**
 * "gravity", "friction" or "radial".
 */
kind: string, 
/**
 * Strength of friction (1/s) or of a radial field (N m).
 */
strength: number, 
/**
 * Acceleration of a gravity field, m/s², or centre of a radial one, m.
 */
vector: [number, number, number], } | { "do": "remove", 
/**
 * Their names.
 */
objects: Array<string>, } | { "do": "copy", 
/**
 * Names of bodies.
 */
objects: Array<string>, 
/**
 * How far the copies are put from the originals, m.
 */
offset: [number, number, number], } | { "do": "paste", 
/**
 * The text of a [`super::ServerMessage::Clip`].
 */
text: string, 
/**
 * How far they are put from where they were, m.
 */
offset: [number, number, number], } | { "do": "lock", 
/**
 * Their names.
 */
objects: Array<string>, 
/**
 * Whether they are locked from now on.
 */
on: boolean, } | { "do": "drive", 
/**
 * The joint.
 */
joint: string, 
/**
 * "angle", "position" or "length".
 */
coordinate: string, 
/**
 * rad or m.
 */
value: number, } | { "do": "scale", 
/**
 * The body.
 */
body: string, 
/**
 * Along the axes of its frame.
 */
factors: [number, number, number], } | { "do": "reset", 
/**
 * Their names.
 */
objects: Array<string>, } | { "do": "scatter", 
/**
 * Names of bodies; none are all.
 */
objects: Array<string>, 
/**
 * Largest displacement along each axis, m.
 */
distance: number, 
/**
 * Whether they are turned at random.
 */
turn: boolean, 
/**
 * The same seed gives the same displacements.
 */
seed: number, } | { "do": "undo" } | { "do": "redo" } | { "do": "rewind", 
/**
 * The time, s.
 */
time: number, } | { "do": "pace", 
/**
 * The step size, s.
 */
step: number, } | { "do": "restart" } | { "do": "extend", 
/**
 * Name of the text, shown in messages; `.json` is read as JSON.
 */
name: string, 
/**
 * The tables of a scene.
 */
text: string, } | { "do": "load", 
/**
 * Name of the file, shown in messages.
 */
name: string, 
/**
 * Its text.
 */
text: string, 
/**
 * Whether it joins what is there.
 */
merge: boolean, };

export type ControlSpec = { "effort": ScheduleSpec } | { "velocity": ScheduleSpec } | { "servo": [ScheduleSpec, number, number] };

export type EndSpec = { 
/**
 * The body, "world", or a curve.
 */
body: string, 
/**
 * Where, in the frame of the body, m; on a curve the nearest place counts.
 */
point: [number, number, number], };

export type HandMotion = { 
/**
 * Where the grip shall be, m.
 */
target: [number, number, number], 
/**
 * How the body shall stand: x, y, z, w.
 */
turn: [number, number, number, number], 
/**
 * Velocity of the grip, m/s.
 */
velocity: [number, number, number], 
/**
 * Angular velocity, rad/s.
 */
spin: [number, number, number], };

export type MotorSpec = { 
/**
 * The joint it drives.
 */
joint: string, 
/**
 * "angle", "position", "length" or "swing"; none is the joint's first free one.
 */
coordinate: string | null, 
/**
 * What it does.
 */
control: ControlSpec, 
/**
 * Largest effort, N or N m; none is unlimited.
 */
max_effort: number | null, };

export type ScheduleSpec = { 
/**
 * Points (s, value) in rising order of time.
 */
points: Array<[number, number]>, 
/**
 * "hold", "linear" or "smooth".
 */
interpolation: string, };

export type ShapeSpec = { 
/**
 * What it is.
 */
solid: SolidSpec, 
/**
 * Density in kg/m³, or the mass in kg for a mass point.
 */
density: number, 
/**
 * "dynamic", "static" or "kinematic".
 */
kind: string, 
/**
 * Origin of its frame, m.
 */
position: [number, number, number], 
/**
 * Rotation x, y, z, w.
 */
rotation: [number, number, number, number], 
/**
 * Red, green, blue.
 */
color: [number, number, number] | null, };

export type SolidSpec = { "box": [number, number, number] } | { "sphere": number } | { "cylinder": [number, number] } | { "capsule": [number, number] } | { "cone": [number, number] } | { "ellipsoid": [number, number, number] } | { "disc": [number, number, number] } | { "torus": [number, number] } | "point";

export type ClientInfo = { 
/**
 * Its number; its hand has the same.
 */
id: number, 
/**
 * Its name.
 */
name: string, 
/**
 * Red, green, blue.
 */
color: [number, number, number], 
/**
 * What it may do.
 */
role: Role, };

export type ClientMessage = { "type": "hello", 
/**
 * Version of the protocol.
 */
version: number, 
/**
 * The token, where the server asks for one.
 */
token: string | null, 
/**
 * Name of the person.
 */
name: string, } | { "type": "command", 
/**
 * What.
 */
command: Command, } | { "type": "control", 
/**
 * What.
 */
control: Control, } | { "type": "request", 
/**
 * What.
 */
request: Request, } | { "type": "subscribe", 
/**
 * Layers.
 */
layers: Layers, 
/**
 * Paths of quantities to plot.
 */
quantities: Array<string>, } | { "type": "rename", 
/**
 * The name.
 */
name: string, } | { "type": "appoint", 
/**
 * The client.
 */
client: number, 
/**
 * Its role.
 */
role: Role, };

export type Column = { 
/**
 * The path that was asked for.
 */
path: string, 
/**
 * Name of the column.
 */
name: string, 
/**
 * Its unit.
 */
unit: string, };

export type Control = { "do": "run" } | { "do": "pause" } | { "do": "step", 
/**
 * How many.
 */
count: number, } | { "do": "speed", 
/**
 * The factor.
 */
factor: number | null, };

export type Layers = { 
/**
 * Velocities of bodies.
 */
velocities: boolean, 
/**
 * Reactions of joints.
 */
reactions: boolean, 
/**
 * Errors of joints.
 */
errors: boolean, 
/**
 * Contacts and their forces.
 */
contacts: boolean, };

export type Request = { "ask": "inspect", 
/**
 * Its name.
 */
object: string, } | { "ask": "clip", 
/**
 * Their names.
 */
objects: Array<string>, } | { "ask": "picture", 
/**
 * Its name.
 */
name: string, } | { "ask": "journal" } | { "ask": "save", 
/**
 * Name of a new file beside the present scene (the host's machine); none sends it to this
 * client.
 */
name: string | null, } | { "ask": "scenes" } | { "ask": "open", 
/**
 * A name from the list.
 */
name: string, 
/**
 * Whether it joins what is there.
 */
merge: boolean, };

export type Role = "host" | "guest" | "watcher";

export type ServerMessage = { "type": "welcome", 
/**
 * The client's number.
 */
id: number, 
/**
 * Version of the program.
 */
program: string, } | { "type": "scene", 
/**
 * The description.
 */
scene: SceneView, } | { "type": "clients", 
/**
 * All of them.
 */
clients: Array<ClientInfo>, } | { "type": "columns", 
/**
 * Counts changes; samples carry the same number.
 */
revision: number, 
/**
 * The columns after the time.
 */
columns: Array<Column>, } | { "type": "properties", 
/**
 * Them.
 */
inspection: Inspection, } | { "type": "event", 
/**
 * When, s.
 */
time: number, 
/**
 * What, in words.
 */
text: string, } | { "type": "verdict", 
/**
 * "not converged", "budget spent", "energy", "order", "quarantined", "interrupted",
 * "refused"; empty when all is well.
 */
status: string, 
/**
 * What is wrong and where, in words.
 */
text: string, } | { "type": "troubles", 
/**
 * Them.
 */
troubles: Array<Trouble>, } | { "type": "clip", 
/**
 * Items of a scene, in TOML.
 */
text: string, 
/**
 * How many objects were asked for.
 */
count: number, } | { "type": "picture", 
/**
 * Its name.
 */
name: string, 
/**
 * As a data URL; empty if there is none.
 */
data: string, } | { "type": "notice", 
/**
 * "info", "warning" or "error".
 */
level: string, 
/**
 * In words.
 */
text: string, } | { "type": "file", 
/**
 * Suggested name.
 */
name: string, 
/**
 * Its text.
 */
text: string, } | { "type": "scenes", 
/**
 * Their names.
 */
names: Array<string>, } | { "type": "ended", 
/**
 * Why.
 */
text: string, 
/**
 * Where the journal is.
 */
journal: string | null, };

export type Trouble = { 
/**
 * Its name.
 */
name: string, 
/**
 * "broken", "switched off", "contradiction", "damped", "no value", "stopped", "off" (out of
 * tolerance) or "energy".
 */
kind: string, 
/**
 * Why, in words.
 */
text: string, 
/**
 * Since when, s.
 */
time: number, };

export type Field = { "number": { 
/**
 * Least value.
 */
min: number | null, 
/**
 * Largest value.
 */
max: number | null, 
/**
 * Whether it may be left empty: no limit.
 */
optional: boolean, } } | "vector" | "text" | { "choice": Array<string> } | "toggle" | "curve" | "fixed";

export type Inspection = { 
/**
 * The object's name.
 */
object: string, 
/**
 * "world", "body", "joint", "spring" or "motor".
 */
kind: string, 
/**
 * Revision of the scene description that it belongs to: the description may be told later.
 */
revision: number, 
/**
 * Its properties.
 */
properties: Array<Property>, 
/**
 * Paths of what can be plotted of it.
 */
quantities: Array<string>, };

export type Property = { 
/**
 * Its key, for [`super::Command::Set`]; the keys of the scene format where there is one.
 */
key: string, 
/**
 * What it means, from the reference of the scene format.
 */
doc: string, 
/**
 * Unit; empty for none.
 */
unit: string, 
/**
 * Heading that it stands under; empty for the first ones.
 */
group: string, 
/**
 * How it is edited.
 */
field: Field, 
/**
 * Its present value.
 */
value: PropertyValue, 
/**
 * What it was at the start of the scene, if that is something else.
 */
original: PropertyValue | null, };

export type PropertyValue = { "number": number | null } | { "vector": [number, number, number] } | { "text": string } | { "toggle": boolean } | { "curve": ScheduleSpec };

export type AnchorView = { 
/**
 * Place in the list of bodies; −1 is the world.
 */
body: number, 
/**
 * Where.
 */
point: [number, number, number], 
/**
 * Place in the frames' list of points that move by formulas; none for all others.
 */
moving: number | null, };

export type BodyView = { 
/**
 * Its name.
 */
name: string, 
/**
 * "dynamic", "static" or "kinematic".
 */
kind: string, 
/**
 * Red, green, blue.
 */
color: [number, number, number] | null, 
/**
 * Mass, kg.
 */
mass: number, 
/**
 * Centre of mass in the body's frame, m.
 */
center: [number, number, number], 
/**
 * What is drawn.
 */
parts: Array<PartView>, 
/**
 * 1 is opaque, 0 is not seen.
 */
opacity: number, 
/**
 * 0 is dull, 1 a mirror.
 */
reflection: number, 
/**
 * Name of the picture on it; empty for none.
 */
texture: string, };

export type ColliderView = { 
/**
 * Its name.
 */
name: string, 
/**
 * Index of the body that carries it; -1 for the world.
 */
body: number, 
/**
 * Whether it touches anything.
 */
active: boolean, };

export type CurveView = { 
/**
 * Its name.
 */
name: string, 
/**
 * Points along it, m.
 */
points: Array<[number, number, number]>, };

export type ElementView = { 
/**
 * Its name.
 */
name: string, 
/**
 * As in scene files.
 */
kind: string, 
/**
 * "position", "velocity" or "controller": what its colour tells (Wagner, 6.5.2.3).
 */
role: string, 
/**
 * Whether it acts.
 */
active: boolean, 
/**
 * Its connectors, without those that follow another one along a curve.
 */
anchors: Array<AnchorView>, 
/**
 * The force of a vector controller, N.
 */
force: [number, number, number] | null, };

export type FieldView = { 
/**
 * Its name.
 */
name: string, 
/**
 * "gravity", "friction" or "radial".
 */
kind: string, 
/**
 * Whether it acts.
 */
active: boolean, 
/**
 * Centre of a radial field, m.
 */
center: [number, number, number] | null, };

export type GeometryView = { "kind": "box", 
/**
 * Edges.
 */
size: [number, number, number], } | { "kind": "ellipsoid", 
/**
 * Them.
 */
radii: [number, number, number], } | { "kind": "cylinder", 
/**
 * Radius.
 */
radius: number, 
/**
 * Full height.
 */
height: number, } | { "kind": "capsule", 
/**
 * Radius.
 */
radius: number, 
/**
 * Height.
 */
height: number, } | { "kind": "cone", 
/**
 * Radius.
 */
radius: number, 
/**
 * Height.
 */
height: number, } | { "kind": "plane", 
/**
 * Outward normal.
 */
normal: [number, number, number], 
/**
 * Distance from the origin, m.
 */
offset: number, } | { "kind": "mesh", 
/**
 * Base64 of little-endian f32 x, y, z of the vertices.
 */
vertices: string, 
/**
 * Base64 of little-endian u32 triples.
 */
triangles: string, 
/**
 * Whether faces are flat (a polyhedron) or shaded smoothly.
 */
flat: boolean, } | { "kind": "point" };

export type JointView = { 
/**
 * Its name.
 */
name: string, 
/**
 * As in scene files.
 */
kind: string, 
/**
 * Places in the list of bodies; −1 is the world.
 */
bodies: [number, number], 
/**
 * An anchor per body, m.
 */
anchors: [[number, number, number], [number, number, number]], 
/**
 * The axis on the first body.
 */
axis: [number, number, number], 
/**
 * The axis on the second body, where it has one of its own.
 */
axis2: [number, number, number] | null, 
/**
 * What a rail or polygon lies on: its ends, or its corners in their order. None for other
 * joints.
 */
supports: Array<AnchorView>, 
/**
 * Whether it acts.
 */
active: boolean, 
/**
 * Whether it joins velocities only.
 */
velocity_only: boolean, 
/**
 * Coordinates that can be driven and measured.
 */
coordinates: Array<string>, 
/**
 * Limits of these, rad or m; none is unlimited.
 */
ranges: Array<[number | null, number | null]>, };

export type MarkerView = { 
/**
 * Its name.
 */
name: string, 
/**
 * Place in the list of bodies; −1 is the world.
 */
body: number, 
/**
 * Where, in the body's frame, m.
 */
at: [number, number, number], };

export type MotorView = { 
/**
 * Its name.
 */
name: string, 
/**
 * Place in the list of joints.
 */
joint: number, 
/**
 * What it drives.
 */
coordinate: string, };

export type PartView = { 
/**
 * What it is.
 */
geometry: GeometryView, 
/**
 * Where, in the body's frame, m.
 */
position: [number, number, number], 
/**
 * Rotation x, y, z, w.
 */
rotation: [number, number, number, number], };

export type ProcedureView = { 
/**
 * Its name.
 */
name: string, 
/**
 * Whether it acts.
 */
active: boolean, };

export type SceneView = { 
/**
 * Counts changes; frames carry the same number.
 */
revision: number, 
/**
 * Changes when another scene was loaded, not with edits: then the page frames the view anew.
 */
load: number, 
/**
 * Title.
 */
title: string, 
/**
 * More about it.
 */
description: string, 
/**
 * Gravity, m/s².
 */
gravity: [number, number, number], 
/**
 * Where the view looks from: eye and target, m.
 */
camera: [[number, number, number], [number, number, number]] | null, 
/**
 * Step size, s.
 */
step: number, 
/**
 * Tolerances of joints: m and rad.
 */
tolerance: [number, number], 
/**
 * Shape of the world itself: the ground.
 */
ground: Array<PartView>, 
/**
 * Bodies, in the order of frames.
 */
bodies: Array<BodyView>, 
/**
 * Further surfaces of bodies.
 */
colliders: Array<ColliderView>, 
/**
 * Joints, in the order of frames.
 */
joints: Array<JointView>, 
/**
 * Springs.
 */
springs: Array<SpringView>, 
/**
 * Motors.
 */
motors: Array<MotorView>, 
/**
 * Constraints between connectors, and controllers.
 */
elements: Array<ElementView>, 
/**
 * Curves.
 */
curves: Array<CurveView>, 
/**
 * Force fields.
 */
fields: Array<FieldView>, 
/**
 * Distance procedures.
 */
procedures: Array<ProcedureView>, 
/**
 * Sensors.
 */
sensors: Array<SensorView>, 
/**
 * Named points of bodies.
 */
markers: Array<MarkerView>, 
/**
 * Names of outer forces, keyframes and emitters.
 */
forces: Array<string>, 
/**
 * Names of what is locked.
 */
locked: Array<string>, 
/**
 * What is only shown.
 */
shows: Array<ShowView>, 
/**
 * "direct", "iterative", "cut" or "lagrange".
 */
method: string, };

export type SensorView = { 
/**
 * Its name.
 */
name: string, 
/**
 * What it measures: "gyro", "lidar", …
 */
kind: string, 
/**
 * Index of the body that carries it; -1 for none, or the world.
 */
body: number, 
/**
 * Where it is, in the frame of that body, m.
 */
at: [number, number, number], 
/**
 * Where it looks, in the frame of that body.
 */
forward: [number, number, number], };

export type ShowView = { 
/**
 * Place in the list of bodies; −1 is the world.
 */
body: number, 
/**
 * Red, green, blue.
 */
color: [number, number, number] | null, 
/**
 * What is drawn.
 */
parts: Array<PartView>, };

export type SpringView = { 
/**
 * Its name.
 */
name: string, 
/**
 * Places in the list of bodies; −1 is the world.
 */
bodies: [number, number], 
/**
 * An anchor per body, in its frame, m.
 */
anchors: [[number, number, number], [number, number, number]], 
/**
 * Rest length, m.
 */
length: number, };

export const VERSION = 4;
export const LAYOUT = 1;
export const HEADER = 144;
export const FLAG = { running: 1, ended: 2, converged: 4 } as const;
export const SECTION = { velocities: 1, reactions: 2, errors: 3, contacts: 4, samples: 5, hands: 6, moving: 7, holds: 8 } as const;

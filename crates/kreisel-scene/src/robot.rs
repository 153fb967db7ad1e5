//! A robot that was read from a file of another program, by the numbers of that program:
//! coordinates of its joints one after the other, controls of its actuators, and keyframes.
//!
//! | joint | coordinates | rates |
//! |---|---|---|
//! | hinge, slide | angle or way, counted as the file does | its rate |
//! | ball | quaternion w, x, y, z of the body in its parent's frame | angular velocity along the body's axes |
//! | free | position, quaternion w, x, y, z | velocity of the origin; angular velocity along the body's axes |
//!
//! [`Robot::place`] puts the bodies of a world where such coordinates say, from the root to the
//! leaves; coordinates of joints in the world follow from the poses.

use kreisel_dynamics::{
    ConstraintKind, ControllerKind, Coordinate, JointId, ModelError, Quat, Vec3, World, math,
};
use kreisel_geometry::Pose;

/// A robot; bodies and motors are named as in the world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robot {
    /// Bodies that move, parents before children, in the order of their coordinates.
    pub links: Vec<Link>,
    /// Bodies whose coordinate is a sum of others: tendons.
    pub tendons: Vec<Tendon>,
    /// Bodies that turn as a cable grows: tendons through sites.
    pub cables: Vec<Cable>,
    /// Actuators in the order of the file; none for one that was not read.
    pub drives: Vec<Option<Drive>>,
    /// Keyframes in the order of the file.
    pub keys: Vec<Key>,
}

/// A body with the one joint that carries it.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Name of the body.
    pub body: String,
    /// Number of the link that carries it; none for the world and what stands still.
    pub parent: Option<usize>,
    /// Pose in the parent's frame (or in the world) where the file has it.
    pub pose: Pose,
    /// Name of its joint; none for a body that is free.
    pub joint: Option<String>,
    /// How it moves.
    pub freedom: Freedom,
}

/// How a link moves against its parent; places and directions in the frame of the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Freedom {
    /// Turns about an axis.
    Hinge {
        /// A point of the axis.
        anchor: Vec3,
        /// Unit vector along it.
        axis: Vec3,
        /// Angle in the pose of the file.
        reference: f64,
    },
    /// Slides along an axis.
    Slide {
        /// Unit vector along it.
        axis: Vec3,
        /// Way in the pose of the file.
        reference: f64,
    },
    /// Turns about a point.
    Ball {
        /// The point.
        anchor: Vec3,
    },
    /// Moves as it will.
    Free,
}

/// A slide that stands for a tendon: its way is Σ factor × coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Tendon {
    /// Name of the body that slides.
    pub body: String,
    /// Direction that it slides in.
    pub axis: Vec3,
    /// Numbers of hinges and slides in [`Robot::links`], with their factors.
    pub terms: Vec<(usize, f64)>,
}

/// A drum that gives a cable what its way needs: its angle (the radius is 1 m) is that way less the
/// cable's length.
#[derive(Clone, Debug, PartialEq)]
pub struct Cable {
    /// Name of the drum's body, which turns about the z axis of the world.
    pub body: String,
    /// Name of the cable.
    pub cable: String,
}

/// A motor, and what a control u makes of it: the value scale × u + offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// Name of the motor, or of the thruster.
    pub motor: String,
    /// Value per control.
    pub scale: f64,
    /// Value at control 0.
    pub offset: f64,
    /// Bounds of the control.
    pub range: Option<[f64; 2]>,
}

/// A keyframe; what is empty is as the file has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Key {
    /// Its name; empty if it has none.
    pub name: String,
    /// Coordinates.
    pub coordinates: Vec<f64>,
    /// Rates.
    pub rates: Vec<f64>,
    /// Controls.
    pub controls: Vec<f64>,
}

/// Pose and velocities of a frame.
#[derive(Clone, Copy)]
struct Moving {
    x: Vec3,
    r: Quat,
    v: Vec3,
    w: Vec3,
}

impl Freedom {
    /// Numbers of coordinates and rates.
    pub fn size(&self) -> (usize, usize) {
        match self {
            Self::Hinge { .. } | Self::Slide { .. } => (1, 1),
            Self::Ball { .. } => (4, 3),
            Self::Free => (7, 6),
        }
    }

    /// The frame `f` after the joint.
    fn after(&self, f: Moving, q: &[f64], u: &[f64]) -> Moving {
        // about a point of the frame
        let turned = |anchor: Vec3, turn: Quat, spin: Vec3| {
            let (arm, r) = (f.r * anchor, (turn * f.r).normalize());
            let (p, vp) = (f.x + arm, f.v + f.w.cross(arm));
            let (back, w) = (r * -anchor, f.w + spin);
            Moving { x: p + back, r, v: vp + w.cross(back), w }
        };
        match *self {
            Self::Hinge { anchor, axis, reference } => {
                let axis = f.r * axis;
                turned(anchor, math::rotation(axis * (q[0] - reference)), axis * u[0])
            }
            Self::Slide { axis, reference } => {
                let axis = f.r * axis;
                let way = axis * (q[0] - reference);
                Moving { x: f.x + way, v: f.v + axis * u[0] + f.w.cross(way), ..f }
            }
            Self::Ball { anchor } => {
                let own = quaternion(q);
                let turn = f.r * own * f.r.conjugate();
                turned(anchor, turn, f.r * (own * Vec3::from_slice(u)))
            }
            Self::Free => {
                let r = quaternion(&q[3..]);
                Moving {
                    x: Vec3::from_slice(q),
                    r,
                    v: Vec3::from_slice(u),
                    w: r * Vec3::from_slice(&u[3..]),
                }
            }
        }
    }
}

/// A rotation of the numbers w, x, y, z; none of their length is the identity.
fn quaternion(q: &[f64]) -> Quat {
    let q = Quat::from_xyzw(q[1], q[2], q[3], q[0]);
    if q.length() > 1e-9 { q.normalize() } else { Quat::IDENTITY }
}

impl Robot {
    /// Numbers of coordinates and of rates.
    pub fn size(&self) -> (usize, usize) {
        self.links.iter().map(|l| l.freedom.size()).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    }

    /// The coordinates of the pose of the file.
    pub fn start(&self) -> Vec<f64> {
        let mut out = Vec::new();
        for link in &self.links {
            match link.freedom {
                Freedom::Hinge { reference, .. } | Freedom::Slide { reference, .. } => {
                    out.push(reference)
                }
                Freedom::Ball { .. } => out.extend([1.0, 0.0, 0.0, 0.0]),
                Freedom::Free => {
                    let (p, r) = (link.pose.position, link.pose.rotation);
                    out.extend([p.x, p.y, p.z, r.w, r.x, r.y, r.z]);
                }
            }
        }
        out
    }

    /// The coordinates of the pose of the file, each within its limits, and the joints that were
    /// not. Joints that others follow stay, and so do all joints of a robot with loops.
    pub fn start_within_limits(&self, world: &World) -> (Vec<f64>, Vec<JointId>) {
        let mut out = self.start();
        let mut moved = Vec::new();
        let own: Vec<JointId> = self
            .links
            .iter()
            .filter_map(|l| l.joint.as_deref().and_then(|j| world.joint_named(j)))
            .collect();
        let closes = |id: &JointId| {
            let kind = world.joint_kind(*id);
            !own.contains(id)
                && kind.is_some_and(|k| k.rows() > 0)
                && world.joint(*id).is_some_and(|j| j.active)
        };
        let rails = |id: &JointId| {
            let second = world.joint(*id).map(|j| world.body_name(j.bodies[1]).unwrap_or_default());
            self.tendons.iter().any(|t| second.as_deref() == Some(&*t.body))
                || self.cables.iter().any(|t| second.as_deref() == Some(&*t.body))
        };
        if world.joints().any(|id| closes(&id) && !rails(&id)) {
            return (out, moved);
        }
        let mut coupled: Vec<JointId> = Vec::new();
        for constraint in world.constraints().filter_map(|c| world.constraint(c)) {
            coupled.extend(constraint.kind.joints());
        }
        let mut q = 0;
        for link in &self.links {
            let joint = link
                .joint
                .as_deref()
                .and_then(|j| world.joint_named(j))
                .filter(|j| !coupled.contains(j));
            let limit = joint.and_then(|j| world.joint(j)).and_then(|j| j.limits.first());
            if let (Freedom::Hinge { .. } | Freedom::Slide { .. }, Some(joint), Some(limit)) =
                (link.freedom, joint, limit)
            {
                // the coordinate is 0 in the pose of the file
                let inside = 0.0_f64.max(limit.min).min(limit.max);
                if inside != 0.0 {
                    out[q] += inside;
                    moved.push(joint);
                }
            }
            q += link.freedom.size().0;
        }
        (out, moved)
    }

    /// Puts the bodies of a world where coordinates and rates say.
    ///
    /// # Panics
    /// If there are fewer numbers than [`Self::size`] says.
    pub fn place(
        &self,
        world: &mut World,
        coordinates: &[f64],
        rates: &[f64],
    ) -> Result<(), ModelError> {
        let mut frames: Vec<Moving> = Vec::new();
        let mut first = Vec::new();
        let (mut q, mut u) = (0, 0);
        for link in &self.links {
            // the frame that the parent carries, then the joint
            let own = link.pose;
            let carried = match link.parent {
                None => Moving { x: own.position, r: own.rotation, v: Vec3::ZERO, w: Vec3::ZERO },
                Some(parent) => {
                    let p = frames[parent];
                    let arm = p.r * own.position;
                    Moving {
                        x: p.x + arm,
                        r: (p.r * own.rotation).normalize(),
                        v: p.v + p.w.cross(arm),
                        w: p.w,
                    }
                }
            };
            let frame = link.freedom.after(carried, &coordinates[q..], &rates[u..]);
            first.push((q, u));
            let (nq, nu) = link.freedom.size();
            (q, u) = (q + nq, u + nu);
            frames.push(frame);
            put(world, &link.body, frame)?;
            turns(world, link, coordinates[first[first.len() - 1].0])?;
        }

        // tendons
        for tendon in &self.tendons {
            let (mut way, mut rate) = (0.0, 0.0);
            for &(link, factor) in &tendon.terms {
                let (q, u) = first[link];
                if let Freedom::Hinge { reference, .. } | Freedom::Slide { reference, .. } =
                    self.links[link].freedom
                {
                    way += factor * (coordinates[q] - reference);
                    rate += factor * rates[u];
                }
            }
            let x = tendon.axis * way;
            put(
                world,
                &tendon.body,
                Moving { x, r: Quat::IDENTITY, v: tendon.axis * rate, w: Vec3::ZERO },
            )?;
        }

        // cables, whose ways follow from the bodies
        for Cable { body, cable } in &self.cables {
            let found = world.constraint_named(cable);
            let (Some(id), Some([way, rate])) = (found, found.and_then(|id| world.cable_way(id)))
            else {
                continue;
            };
            let length = match world.constraint(id).map(|c| &c.kind) {
                Some(ConstraintKind::Cable { length, .. }) => length.unwrap_or(way),
                _ => way,
            };
            let turned = Moving {
                x: Vec3::ZERO,
                r: math::rotation(Vec3::Z * (way - length)),
                v: Vec3::ZERO,
                w: Vec3::Z * rate,
            };
            put(world, body, turned)?;
        }
        Ok(())
    }

    /// Gives the actuators their controls, each within its bounds.
    pub fn actuate(&self, world: &mut World, controls: &[f64]) -> Result<(), ModelError> {
        for (drive, u) in
            self.drives.iter().zip(controls).filter_map(|(d, u)| Some((d.as_ref()?, *u)))
        {
            let u = drive.range.map_or(u, |[low, high]| u.max(low).min(high));
            if let Some(motor) = world.motor_named(&drive.motor) {
                world.set_motor_value(motor, drive.scale * u + drive.offset)?;
            } else if let Some(id) = world.controller_named(&drive.motor)
                && let Some(mut new) = world.controller(id).cloned()
                && let ControllerKind::Thruster { thrust, .. } = &mut new.kind
            {
                *thrust = drive.scale * u + drive.offset;
                world.set_controller(id, new)?;
            }
        }
        Ok(())
    }

    /// Puts a world into a keyframe; false if there is none of this name.
    pub fn set_key(&self, world: &mut World, name: &str) -> Result<bool, ModelError> {
        let Some(key) = self.keys.iter().find(|k| k.name == name) else { return Ok(false) };
        let (_, nu) = self.size();
        let coordinates =
            if key.coordinates.is_empty() { self.start() } else { key.coordinates.clone() };
        let rates = if key.rates.is_empty() { vec![0.0; nu] } else { key.rates.clone() };
        self.place(world, &coordinates, &rates)?;
        self.actuate(world, &key.controls)?;
        Ok(true)
    }
}

/// Counts the whole turns of a hinge whose coordinate is beyond half a turn.
fn turns(world: &mut World, link: &Link, q: f64) -> Result<(), ModelError> {
    let Freedom::Hinge { reference, .. } = link.freedom else { return Ok(()) };
    let Some(joint) = link.joint.as_deref().and_then(|j| world.joint_named(j)) else {
        return Ok(());
    };
    let now = world.coordinate(joint, Coordinate::Angle).unwrap_or(0.0);
    let turns = ((q - reference - now) / std::f64::consts::TAU).round();
    if turns == 0.0 { Ok(()) } else { world.add_turns(joint, turns as i32) }
}

/// Moves a body; one that is not there is none of this world any more.
fn put(world: &mut World, name: &str, f: Moving) -> Result<(), ModelError> {
    let Some(body) = world.body_named(name) else { return Ok(()) };
    world.set_pose(body, f.x, f.r)?;
    let arm = world.center_of_mass(body).map_or(Vec3::ZERO, |c| c - f.x);
    world.set_velocity(body, f.v + f.w.cross(arm), f.w)
}

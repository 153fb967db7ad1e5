//! One judge for all engines: joint errors and energies from the poses and velocities an engine
//! gives out, never from its own account.
//!
//! Gap of a joint: distance of the two anchors (slider: across the axis). Misalignment: sine of the
//! angle between the axes (hinge), cosine (universal), angle of the relative rotation (slider).
//! Energy: kinetic + gravity + springs, over M g L/2 of the scene.

use crate::engine::Pose;
use crate::scene::{GRAVITY, Kind, Scene};
use glam::{DQuat, DVec3};
use serde::Serialize;

/// What was seen of a run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Verdict {
    /// Steps judged.
    pub steps: usize,
    /// Whether every number was finite.
    pub finite: bool,
    /// Whether any body moved at all: an engine that stands still makes no errors.
    pub moved: bool,
    /// Largest gap of any joint after any step, m.
    pub gap: f64,
    /// Largest misalignment of any joint after any step, rad.
    pub angle: f64,
    /// Change of the energy from the start to the last step.
    pub drift: f64,
    /// Largest deviation of the energy from its start.
    pub energy_error: f64,
    /// Largest climb of the energy above the lowest value before it.
    pub rise: f64,
}

impl Verdict {
    /// Whether the run is one: numbers stayed finite and something moved.
    pub fn valid(&self) -> bool {
        self.finite && self.moved
    }

    /// Gap or misalignment, whichever is larger: both have the same tolerance here.
    pub fn joint_error(&self) -> f64 {
        if self.valid() { self.gap.max(self.angle) } else { f64::NAN }
    }
}

/// A joint seen from its bodies.
struct Frame {
    bodies: [Option<usize>; 2],
    kind: Kind,
    anchors: [DVec3; 2],
    axes: [DVec3; 2],
    /// Rotation of the second body against the first at the start.
    turn: DQuat,
}

/// Judges one run of a scene.
pub struct Judge<'a> {
    scene: &'a Scene,
    frames: Vec<Frame>,
    lengths: Vec<f64>,
    start: f64,
    lowest: f64,
    verdict: Verdict,
}

impl<'a> Judge<'a> {
    /// Takes the scene as it is before the first step.
    pub fn new(scene: &'a Scene) -> Self {
        let rest: Vec<Pose> = scene
            .blocks
            .iter()
            .map(|b| Pose {
                position: b.position,
                rotation: b.rotation,
                velocity: b.velocity,
                spin: b.spin,
            })
            .collect();
        let turned = |body: Option<usize>| body.map_or(DQuat::IDENTITY, |i| rest[i].rotation);
        let frames = scene
            .links
            .iter()
            .map(|l| Frame {
                bodies: l.bodies,
                kind: l.kind,
                anchors: l.bodies.map(|b| b.map_or(l.anchor, |i| scene.blocks[i].local(l.anchor))),
                axes: [0, 1].map(|k| {
                    let axis = if l.kind == Kind::Universal { l.axes[k] } else { l.axes[0] };
                    turned(l.bodies[k]).conjugate() * axis.normalize()
                }),
                turn: turned(l.bodies[0]).conjugate() * turned(l.bodies[1]),
            })
            .collect();
        let lengths = scene
            .coils
            .iter()
            .map(|c| rest[c.bodies[0]].position.distance(rest[c.bodies[1]].position));
        let mut judge = Self {
            scene,
            frames,
            lengths: lengths.collect(),
            start: 0.0,
            lowest: 0.0,
            verdict: Verdict::default(),
        };
        judge.verdict.finite = true;
        judge.start = judge.energy(&rest);
        judge.lowest = judge.start;
        judge
    }

    /// Looks at the bodies after a step.
    pub fn see(&mut self, poses: &[Pose]) {
        let v = &mut self.verdict;
        v.steps += 1;
        v.finite &= poses.iter().all(|p| {
            p.position.is_finite()
                && p.rotation.is_finite()
                && p.velocity.is_finite()
                && p.spin.is_finite()
        });
        v.moved |= poses
            .iter()
            .zip(&self.scene.blocks)
            .any(|(p, b)| p.position.distance(b.position) > 1e-5);
        for f in &self.frames {
            let (gap, angle) = f.error(poses);
            v.gap = v.gap.max(gap);
            v.angle = v.angle.max(angle);
        }
        let (energy, unit) = (self.energy(poses), self.scene.energy_unit());
        let v = &mut self.verdict;
        v.drift = (energy - self.start) / unit;
        v.energy_error = v.energy_error.max(v.drift.abs());
        v.rise = v.rise.max((energy - self.lowest) / unit);
        self.lowest = self.lowest.min(energy);
    }

    /// The verdict so far.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    fn energy(&self, poses: &[Pose]) -> f64 {
        let bodies = self.scene.blocks.iter().zip(poses).map(|(b, p)| {
            let spin = p.rotation.normalize().conjugate() * p.spin;
            let kinetic =
                0.5 * (b.mass * p.velocity.length_squared() + (b.moments() * spin).dot(spin));
            kinetic - b.mass * GRAVITY.dot(p.position)
        });
        let springs = self.scene.coils.iter().zip(&self.lengths).map(|(c, rest)| {
            let stretch = poses[c.bodies[0]].position.distance(poses[c.bodies[1]].position) - rest;
            0.5 * c.stiffness * stretch * stretch
        });
        bodies.sum::<f64>() + springs.sum::<f64>()
    }
}

impl Frame {
    /// Gap (m) and misalignment (rad).
    fn error(&self, poses: &[Pose]) -> (f64, f64) {
        let pose = |k: usize| {
            self.bodies[k].map_or((DVec3::ZERO, DQuat::IDENTITY), |i| {
                (poses[i].position, poses[i].rotation.normalize())
            })
        };
        let ((x1, r1), (x2, r2)) = (pose(0), pose(1));
        let gap = x2 + r2 * self.anchors[1] - x1 - r1 * self.anchors[0];
        let (a, b) = (r1 * self.axes[0], r2 * self.axes[1]);
        match self.kind {
            Kind::Ball => (gap.length(), 0.0),
            Kind::Hinge => (gap.length(), a.cross(b).length()),
            Kind::Universal => (gap.length(), a.dot(b).abs()),
            Kind::Slider => {
                let turn = r2 * (r1 * self.turn).conjugate();
                (a.cross(gap).length(), 2.0 * turn.xyz().length())
            }
        }
    }
}

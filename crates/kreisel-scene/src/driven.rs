//! What a run does to its world besides forces: kinematic bodies are led through keyframes (W-171),
//! and emitters make bodies (W-175).

use crate::items::RunSettings;
use crate::scene::{Emitter, Motion};
use kreisel_dynamics::math::{rotation as rotation_of, rotation_vector};
use kreisel_dynamics::{Body, BodyKind, Quat, Schedule, Vec3, World};

impl Motion {
    /// Time within the keyframes.
    fn local(&self, time: f64) -> f64 {
        let (Some(first), Some(last)) = (self.times.first(), self.times.last()) else {
            return time;
        };
        if self.repeat { first + (time - first).rem_euclid(last - first) } else { time }
    }

    /// Where the body is at a time: origin and rotation, if that is led, too.
    pub fn at(&self, time: f64) -> (Vec3, Option<Quat>) {
        let t = self.local(time);
        let along = |axis: fn(&Vec3) -> f64| {
            let points = self.times.iter().copied().zip(self.positions.iter().map(axis)).collect();
            Schedule { points, interpolation: self.interpolation }.at(t)
        };
        let position = Vec3::new(along(|p| p.x), along(|p| p.y), along(|p| p.z));

        // the two keyframes around it
        let next = self.times.partition_point(|x| *x <= t).clamp(1, self.times.len() - 1);
        let (from, to) = (self.times[next - 1], self.times[next]);
        let share = ((t - from) / (to - from)).clamp(0.0, 1.0);
        let turn = |k: usize| self.rotations.get(k).map(|v| rotation_of(*v));
        let rotation = turn(next - 1).zip(turn(next)).map(|(a, b)| {
            let way = rotation_vector(b * a.conjugate());
            (rotation_of(way * share) * a).normalize()
        });
        (position, rotation)
    }
}

/// Gives led bodies the velocities that bring them to where they shall be at the end of a step.
pub(crate) fn lead(world: &mut World, run: &RunSettings) {
    let (now, h) = (world.time(), run.timing.step);
    for motion in run.motions.iter().filter(|m| m.active && m.times.len() > 1) {
        let id = motion.body;
        let Some(body) = world.body(id).filter(|b| b.kind == BodyKind::Kinematic) else { continue };
        let local = body.mass.center;
        let (Some(q0), Some(c0)) = (world.rotation(id), world.center_of_mass(id)) else { continue };
        let (position, rotation) = motion.at(now + h);
        let q1 = rotation.unwrap_or(q0);
        let velocity = (position + q1 * local - c0) / h;
        let spin = rotation_vector(q1 * q0.conjugate()) / h;
        // faster than anything may be: it stays behind
        let _ = world.set_velocity(id, velocity, spin);
    }
}

/// Most copies of one emitter before a step; what is due beyond comes with the next.
const MOST_AT_ONCE: usize = 100;

/// Makes the copies that are due.
pub(crate) fn emit(world: &mut World, run: &mut RunSettings) {
    if run.emitters.is_empty() {
        return;
    }
    let now = world.time() + 1e-9 * run.timing.step;
    for k in 0..run.emitters.len() {
        for _ in 0..MOST_AT_ONCE {
            let Some(copy) = run.emitters[k].due(world, run, now) else { break };
            let name = copy.name.clone();
            let look = run.looks.get(&run.emitters[k].body).cloned();
            run.emitters[k].emitted += 1;
            // a body that cannot be made is left out, and its turn is over
            let Ok(id) = world.add_body(copy) else { continue };
            debug_assert!(world.body_named(&name) == Some(id));
            if let Some(look) = look {
                std::sync::Arc::make_mut(&mut run.looks).insert(id, look);
            }
        }
    }
}

impl Emitter {
    /// The next copy, if its time has come.
    fn due(&self, world: &World, run: &RunSettings, now: f64) -> Option<Body> {
        let next = self.from + f64::from(self.emitted) * self.every;
        if !self.active || self.emitted >= self.most || next > now || next >= self.until {
            return None;
        }
        let body = world.body(self.body)?;
        let solid = run.looks.get(&self.body).and_then(|l| l.solid.clone());
        let shift = [0, 1, 2].map(|axis| noise(self.seed, 3 * self.emitted + axis));
        let free = |n: &String| !world.has_name(n) && run.names().all(|own| own != n);
        let first = self.emitted + 1;
        let name = (first..).map(|k: u32| format!("{} {k}", self.name)).find(free)?;
        Some(Body {
            name,
            kind: BodyKind::Dynamic,
            position: self.position + Vec3::from_array(shift) * self.spread,
            rotation: world.rotation(self.body)?,
            velocity: self.velocity,
            angular_velocity: Vec3::ZERO,
            shape: body.shape.clone().or(solid),
            ..body.clone()
        })
    }
}

/// A number from −1 to 1 that depends on the two alone (SplitMix64, Steele, Lea, Flood 2014).
fn noise(seed: u32, k: u32) -> f64 {
    let mut z = (u64::from(seed) << 32 | u64::from(k)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

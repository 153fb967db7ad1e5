//! A hand that holds a body by a point (B-107, Bender 3.2.6).
//!
//! The thesis joins the cursor and the body by a velocity joint. Here the same wish, "the point
//! shall move towards the cursor", is a force of limited size, given before each step:
//!
//! F = M (ω² (b − a) − 2 ω u) − m g,  |F| ≤ F_max,   M⁻¹ = 1/m + [r]ᵀ J⁻¹ [r]
//!
//! with the grabbed point a and its velocity u, the target b, and the point's effective mass M
//! (Bender eq. 3.9). It is critically damped, and the joints see an outer force like any other: a
//! hand can never violate them, however hard it pulls. Joints make a point heavier, never lighter,
//! so that M of the free body is on the safe side.

use kreisel_dynamics::math::{rotation_vector, skew};
use kreisel_dynamics::{BodyId, BodyKind, Mat3, Quat, Vec3, World};

/// How fast the point follows, rad/s: within a fifth of a second.
const FOLLOW: f64 = 25.0;
/// The largest product of that rate and the step at which the explicit force is still well damped
/// (it is stable up to 2·FOLLOW·h = 2).
pub(super) const STABLE: f64 = 0.4;
/// Largest pull against the weight of the chain, at strength 1.
pub(super) const WEIGHTS: f64 = 8.0;
/// Gravity that strengths are measured by, also where a world has none, m/s².
pub(super) const EARTH: f64 = 9.81;
/// Rate at which the grip takes spin away, 1/s.
const GRIP: f64 = 3.0;

/// A hand.
#[derive(Clone, Debug)]
pub struct Hand {
    /// The body it holds.
    pub body: BodyId,
    /// The point in the body's frame, m.
    pub point: Vec3,
    /// Where the point shall go, m.
    pub target: Vec3,
    /// How the body shall stand.
    pub turn: Option<Quat>,
    /// Against the usual strength.
    pub strength: f64,
    /// Mass of all bodies that hang together with this one, kg.
    pub load: f64,
    /// Force of the last step, N.
    pub force: Vec3,
}

impl Hand {
    /// Applies the force for the next step of size `h`.
    pub(super) fn pull(&mut self, world: &mut World, h: f64) {
        self.force = Vec3::ZERO;
        let Some(body) = world.body(self.body).filter(|b| b.kind == BodyKind::Dynamic) else {
            return;
        };
        let (mass, inertia) = (body.mass.mass, body.mass.inertia);
        let (Some(a), Some(x), Some(q)) = (
            world.point(self.body, self.point),
            world.center_of_mass(self.body),
            world.rotation(self.body),
        ) else {
            return;
        };
        let v = world.velocity(self.body).unwrap_or_default();
        let w = world.angular_velocity(self.body).unwrap_or_default();
        let r = a - x;
        let turn = Mat3::from_quat(q);
        let j = turn * inertia * turn.transpose();
        let extended = j.determinant() > 0.0;
        let rate = FOLLOW.min(STABLE / h);
        let most = self.strength * WEIGHTS * self.load * EARTH;
        // A handle that holds position and rotation pulls at the centre of mass and turns by a
        // torque.
        let arm = if self.turn.is_some() { Vec3::ZERO } else { r };
        let k = if extended {
            let s = skew(arm);
            Mat3::from_diagonal(Vec3::splat(1.0 / mass)) + s.transpose() * (j.inverse() * s)
        } else {
            Mat3::from_diagonal(Vec3::splat(1.0 / mass))
        };
        let wish = (self.target - a) * (rate * rate) - (v + w.cross(arm)) * (2.0 * rate);
        let force = (k.inverse() * wish - world.gravity() * mass).clamp_length_max(most);
        if !force.is_finite() {
            return;
        }
        self.force = force;
        let mut torque = Vec3::ZERO;
        if extended {
            let reach = j.to_cols_array().iter().fold(0.0, |m: f64, e| m.max(e.abs())) / mass;
            torque = match self.turn {
                Some(target) => {
                    let mut d = target * q.conjugate();
                    if d.w < 0.0 {
                        d = -d;
                    }
                    j * (rotation_vector(d) * (rate * rate) - w * (2.0 * rate))
                }
                None => j * w * -GRIP.min(STABLE / h),
            }
            .clamp_length_max(most * reach.sqrt().max(1e-3));
        }
        // The body exists and the numbers are finite: nothing can be refused.
        let _ = world.apply_force(self.body, force, x + arm);
        if torque.is_finite() {
            let _ = world.apply_torque(self.body, torque);
        }
    }
}

/// Mass of the dynamic bodies that joints and springs tie to a body, itself included.
pub(super) fn chain_mass(world: &World, body: BodyId) -> f64 {
    chain(world, body).1
}

/// These bodies and their mass.
pub(super) fn chain(world: &World, body: BodyId) -> (std::collections::BTreeSet<BodyId>, f64) {
    let joints =
        world.joints().filter_map(|j| world.joint(j)).filter(|j| j.active).map(|j| j.bodies);
    let springs = world.springs().filter_map(|s| world.spring(s)).map(|s| s.bodies);
    let links: Vec<[BodyId; 2]> = joints.chain(springs).collect();
    let dynamic = |id: BodyId| world.body(id).is_some_and(|b| b.kind == BodyKind::Dynamic);
    let mut reached = vec![body];
    let mut seen = std::collections::BTreeSet::from([body]);
    let mut by_body: std::collections::BTreeMap<BodyId, Vec<BodyId>> =
        std::collections::BTreeMap::new();
    for [a, b] in links {
        by_body.entry(a).or_default().push(b);
        by_body.entry(b).or_default().push(a);
    }
    let mut mass = 0.0;
    while let Some(id) = reached.pop() {
        mass += world.body(id).map_or(0.0, |b| b.mass.mass);
        for &next in by_body.get(&id).into_iter().flatten() {
            if dynamic(next) && seen.insert(next) {
                reached.push(next);
            }
        }
    }
    (seen, mass)
}

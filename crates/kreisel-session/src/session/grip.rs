//! A hand of virtual reality that holds a body by position and rotation.
//!
//! A hand has no mass and can be anywhere at the next moment; what it holds has mass, collides, and
//! must not jump. So it holds by a force and a torque of limited size at the grip, which are chosen
//! before each step so that the grip follows the hand as a critically damped spring:
//!
//! a = ω² (b − p) + 2ω (ḃ − ṗ),   α = ω² θ + 2ω (w_b − w)
//!
//! | symbol | meaning |
//! |---|---|
//! | p, w | grip in the world and angular velocity of the body |
//! | b, ḃ, w_b | the same of the hand, as the headset measures it |
//! | θ | rotation vector from the body's rotation to the hand's |
//!
//! Force and torque for these accelerations come from the engine ([`kreisel_dynamics::Response`]):
//! with what hangs on the body by joints, and its weight. A hand that stands still holds without a
//! gap, therefore, and one that moves evenly without a lag; one that accelerates leads by a/ω². The
//! joints see an outer force and keep their tolerance. When it opens, the hand follows for a moment
//! with its velocity alone, so that what is thrown leaves as fast as the headset says.

use super::hand::{EARTH, STABLE, WEIGHTS};
use kreisel_dynamics::math::{rotation, rotation_vector};
use kreisel_dynamics::{BodyId, BodyKind, Quat, Vec3, World};
use std::collections::BTreeSet;

/// How fast a grip follows its hand, rad/s: a sudden move of the hand is followed within a tenth of
/// a second.
const FOLLOW: f64 = 60.0;
/// How long a hand moves on by itself with its last velocity, s: three frames of a slow headset.
const COAST: f64 = 0.05;
/// How long a hand that opens still gives its velocity, s.
const THROW: f64 = 0.05;
/// Least arm of the torque, m: mass points have none.
const LEAST_REACH: f64 = 1e-3;

/// Where a hand is and how it moves, world coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    pub target: Vec3,
    pub turn: Quat,
    pub velocity: Vec3,
    pub spin: Vec3,
}

/// A hand that holds.
#[derive(Clone, Debug)]
pub struct Grip {
    /// The body it holds.
    pub body: BodyId,
    /// The grip in the body's frame, m.
    pub point: Vec3,
    pub(super) hand: Motion,
    /// Against the usual strength.
    pub(super) strength: f64,
    /// The bodies that hang together with this one, itself included, and their mass, kg.
    pub(super) chain: BTreeSet<BodyId>,
    pub(super) load: f64,
    /// Since the hand was heard of, s.
    pub(super) silent: f64,
    /// What is left of a throw, s; none while it holds.
    pub(super) open: Option<f64>,
    /// Force at the grip in the last step, N.
    pub force: Vec3,
    /// Torque about the grip in the last step, N m.
    pub torque: Vec3,
}

impl Grip {
    /// Where the hand is, m.
    pub fn target(&self) -> Vec3 {
        self.hand.target
    }

    /// Whether it still holds.
    pub fn is_closed(&self) -> bool {
        self.open.is_none()
    }

    /// Hears of the hand.
    pub(super) fn carry(&mut self, hand: Motion) {
        self.hand = hand;
        self.silent = 0.0;
    }

    /// Opens.
    pub(super) fn throw(&mut self, velocity: Vec3, spin: Vec3) {
        (self.hand.velocity, self.hand.spin) = (velocity, spin);
        (self.open, self.silent) = (Some(THROW), 0.0);
    }

    /// Applies force and torque for the next step of size `h`, one of `hands` that hold the same
    /// chain. False when the hand has let go.
    pub(super) fn pull(&mut self, world: &mut World, h: f64, hands: usize) -> bool {
        (self.force, self.torque) = (Vec3::ZERO, Vec3::ZERO);
        if world.body(self.body).is_none_or(|b| b.kind != BodyKind::Dynamic) {
            return true;
        }
        let (Some(p), Some(x), Some(q)) = (
            world.point(self.body, self.point),
            world.center_of_mass(self.body),
            world.rotation(self.body),
        ) else {
            return true;
        };
        let v = world.velocity(self.body).unwrap_or_default();
        let w = world.angular_velocity(self.body).unwrap_or_default();
        let mass = world.body(self.body).map_or(0.0, |b| b.mass.mass);

        // what the hand wants of the grip
        let (arm, rate) = (p - x, FOLLOW.min(STABLE / h));
        if self.silent >= COAST {
            (self.hand.velocity, self.hand.spin) = (Vec3::ZERO, Vec3::ZERO);
        }
        let hand = self.hand;
        let mut off = hand.turn * q.conjugate();
        if off.w < 0.0 {
            off = -off;
        }
        let spring = if self.open.is_some() { 0.0 } else { rate * rate };
        let wish = (hand.target - p) * spring + (hand.velocity - v - w.cross(arm)) * (2.0 * rate);
        let turn = rotation_vector(off) * spring + (hand.spin - w) * (2.0 * rate);

        // the body's accelerations for it, and the force at the grip for those, shared by all hands
        let Some(response) = world.response(self.body) else { return true };
        let center = wish - turn.cross(arm) - w.cross(w.cross(arm));
        let (force, torque) = response.effort(center, turn);
        let share = 1.0 / hands.max(1) as f64;
        let most = self.strength * WEIGHTS * self.load * EARTH;
        let reach =
            (response.inertia().to_cols_array().iter().fold(0.0, |m: f64, e| m.max(e.abs()))
                / mass)
                .sqrt();
        let force = (force * share).clamp_length_max(most);
        let torque = (torque * share - arm.cross(force))
            .clamp_length_max(most * (reach.max(LEAST_REACH) + arm.length()));

        // the hand moves on; one that is open is gone after a moment
        self.silent += h;
        self.hand.target += hand.velocity * h;
        self.hand.turn = (rotation(hand.spin * h) * hand.turn).normalize();
        if let Some(left) = &mut self.open {
            *left -= h;
        }
        if force.is_finite() && torque.is_finite() {
            (self.force, self.torque) = (force, torque);
            // The body exists and the numbers are finite: nothing can be refused.
            let _ = world.apply_force(self.body, force, p);
            let _ = world.apply_torque(self.body, torque);
        }
        self.open.is_none_or(|left| left > 0.5 * h)
    }
}

/// Every grip pulls; those that are open and done are dropped.
pub(super) fn pull_all<K: Ord>(
    grips: &mut std::collections::BTreeMap<K, Grip>,
    world: &mut World,
    h: f64,
) {
    let holding: Vec<BodyId> = grips.values().map(|g| g.body).collect();
    grips.retain(|_, grip| {
        let hands = holding.iter().filter(|b| grip.chain.contains(b)).count();
        grip.pull(world, h, hands)
    });
}

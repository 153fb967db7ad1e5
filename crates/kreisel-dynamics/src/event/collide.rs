//! A pair that is due: measured, and resolved if it collides (L-76, L-90).

use super::Events;
use super::flight::place;
use crate::contact::{ImpactLaw, Surface};
use crate::impact::{
    Collision, CollisionBody, Hypothesis, Parametrisation, Shell, ShellKind, respond,
};
use crate::math::Vec3;
use crate::state::BodyState;
use kreisel_geometry::impact::PairKey;
use kreisel_geometry::query::distance;

/// Bodies that overlap deeper than their shell part with this rate times the depth, 1/s, at most
/// with the push speed.
const PUSH: f64 = 10.0;
/// Cosine of the angle up to which a one-way shape counts as met from its solid side.
const SOLID_SIDE: f64 = 0.5;

impl Events<'_> {
    /// Measures a pair at a time; collides it if it is due, approaches and is in its shell; keys it
    /// anew.
    pub(super) fn look(&mut self, pair: PairKey, now: f64, due: bool) {
        let [a, b] = pair.bodies();
        let [p, q] = [a, b].map(|i| &self.colliders[i as usize]);
        let states = [a, b].map(|i| self.flight(i).at(now));
        let poses = [p.pose(&place(&states[0])), q.pose(&place(&states[1]))];
        let Some(near) = distance(&p.shape, &poses[0], &q.shape, &poses[1]) else { return };
        let arms = [near.a - states[0].position, near.b - states[1].position];
        let moving = |k: usize| states[k].velocity + states[k].angular_velocity.cross(arms[k]);
        let velocity = moving(0) - moving(1);
        let speed = velocity.dot(near.normal);
        let gap = near.distance;
        if !(gap.is_finite() && velocity.is_finite()) {
            return;
        }
        if gap > self.shell
            || !self.is_solid(pair, near.normal, [&states[0].rotation, &states[1].rotation])
        {
            self.schedule(pair, now, gap.max(self.shell.next_up()), speed);
            return;
        }
        self.penetration = self.penetration.max(-gap);
        let push = if gap < -self.shell {
            (PUSH * -gap).min(self.model.settings.contact.push_speed)
        } else {
            0.0
        };
        // contact velocities are differences: this much of an approach is rounding
        let size = |k: usize| {
            states[k].velocity.length() + states[k].angular_velocity.length() * arms[k].length()
        };
        let noise = 1e-9 * (2.0 * self.gravity * self.shell).sqrt() + 1e-14 * (size(0) + size(1));
        let approaching = speed < push - noise;
        if !due || !approaching {
            // a pair that is keyed anew after a collision of one of its bodies is due at once if it
            // approaches
            if approaching {
                self.heap.set(pair, now);
            } else {
                self.schedule(pair, now, gap, speed);
            }
            return;
        }
        let partner = |k: usize, i: u32| {
            let f = self.flight(i);
            let inverse_inertia = f.inverse_inertia(states[k].rotation);
            CollisionBody { inverse_mass: f.inverse_mass, inverse_inertia, arm: arms[k] }
        };
        let bodies = [partner(0, a), partner(1, b)];
        let surface = self.surface(pair);
        let collision = Collision {
            bodies,
            normal: near.normal,
            velocity,
            static_friction: surface.sticking,
            dynamic_friction: surface.sliding,
            restitution: surface.restitution,
            hypothesis: match self.model.settings.contact.law {
                ImpactLaw::Newton => Hypothesis::Newton,
                ImpactLaw::Poisson => Hypothesis::Poisson,
                ImpactLaw::Stronge => Hypothesis::Stronge,
            },
            parametrisation: Parametrisation::Regular,
        };
        let shell = Shell {
            rule: self.model.settings.contact.micro,
            ..Shell::new(self.shell, self.gravity, gap.max(0.0))
        };
        let impulse = if push > 0.0 {
            part(&collision, push)
        } else {
            match respond(&collision, &shell) {
                Ok(r) => {
                    match r.kind {
                        ShellKind::Impact => self.impacts += 1,
                        ShellKind::Micro | ShellKind::Reversed => self.micro += 1,
                        ShellKind::Separating => {}
                    }
                    self.lost[0] -= r.response.normal_work;
                    self.lost[1] -= r.response.friction_work;
                    r.response.impulse
                }
                // masses so unequal that K is singular to rounding: without friction there is
                // always an answer
                Err(_) => part(&collision, 0.0),
            }
        };
        if push > 0.0 {
            let change = bodies.iter().zip([1.0, -1.0]).map(|(b, s)| {
                let (v, w) = b.velocity_change(impulse * s);
                (v + w.cross(b.arm)) * s
            });
            let after: Vec3 = velocity + change.sum::<Vec3>();
            self.lost[0] -= 0.5 * (velocity + after).dot(impulse);
        }
        let twist = self.resist(&bodies, &states, impulse, near.normal, &surface);
        for (k, i) in [a, b].into_iter().enumerate() {
            let slot = self.colliders[i as usize].slot as usize;
            let f = &mut self.flights[slot];
            let sign = if k == 0 { 1.0 } else { -1.0 };
            if f.inverse_mass == 0.0 {
                // what moves by itself does work
                let at = states[k].velocity + states[k].angular_velocity.cross(arms[k]);
                self.carried -= sign * (impulse.dot(at) + twist.dot(states[k].angular_velocity));
                continue;
            }
            let (v, w) = bodies[k].velocity_change(impulse * sign);
            f.start = states[k];
            f.start.velocity += v;
            f.start.angular_velocity += w + bodies[k].inverse_inertia * (twist * sign);
            f.from = now;
        }
        let touch = self.touches.entry(pair).or_default();
        if touch.normal == Vec3::ZERO {
            (touch.speed, touch.first) = (-speed, impulse.dot(near.normal));
        }
        touch.impulse += impulse;
        (touch.normal, touch.gap, touch.point) = (near.normal, gap, 0.5 * (near.a + near.b));
        self.heap.remove(pair);
        for i in [a, b] {
            if self.colliders[i as usize].moves {
                self.rekey_body(i, now);
            }
        }
    }

    /// Angular impulse on the first body against rolling and spinning after a collision, each at
    /// most its lever times the normal impulse; what it takes is friction.
    fn resist(
        &mut self,
        bodies: &[CollisionBody; 2],
        states: &[BodyState; 2],
        impulse: Vec3,
        normal: Vec3,
        surface: &Surface,
    ) -> Vec3 {
        let load = impulse.dot(normal).max(0.0);
        if load == 0.0 || surface.rolling == 0.0 && surface.spinning == 0.0 {
            return Vec3::ZERO;
        }
        let yields = bodies[0].inverse_inertia + bodies[1].inverse_inertia;
        let after = |k: usize, sign: f64| {
            states[k].angular_velocity + bodies[k].velocity_change(impulse * sign).1
        };
        let start = after(0, 1.0) - after(1, -1.0);

        // each turns the other way until it stops
        let (mut turning, mut sum) = (start, Vec3::ZERO);
        for (lever, spins) in [(surface.rolling, false), (surface.spinning, true)] {
            let about = normal * turning.dot(normal);
            let rate = if spins { about } else { turning - about };
            let axis = rate.normalize_or_zero();
            let stops = rate.length() / axis.dot(yields * axis);
            if !(stops > 0.0) {
                continue;
            }
            let against = axis * -stops.min(lever * load);
            turning += yields * against;
            sum += against;
        }
        self.lost[1] -= 0.5 * sum.dot(start + turning);
        sum
    }

    /// One-way shapes are solid against what stands on their upper side.
    fn is_solid(&self, pair: PairKey, normal: Vec3, rotations: [&crate::math::Quat; 2]) -> bool {
        // the normal points from the second to the first
        pair.bodies().into_iter().enumerate().all(|(k, i)| {
            match self.colliders[i as usize].one_way {
                Some(up) => {
                    (*rotations[k] * up).dot(if k == 0 { -normal } else { normal }) >= SOLID_SIDE
                }
                None => true,
            }
        })
    }
}

/// The impulse along the normal after which the contact points part with the given speed.
fn part(c: &Collision, speed: f64) -> Vec3 {
    let yields: f64 = c
        .bodies
        .iter()
        .map(|b| {
            let (v, w) = b.velocity_change(c.normal);
            (v + w.cross(b.arm)).dot(c.normal)
        })
        .sum();
    c.normal * ((speed - c.velocity.dot(c.normal)).max(0.0) / yields)
}

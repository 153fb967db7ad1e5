//! One step of the world: integration with limits as events, impacts, and the impulse stabiliser.
//!
//! One-sided rows (limits, inequalities) act while they touch. When one is crossed, the step is cut
//! where it happens, an impact that respects all constraints reverses the approach, and the
//! integrator starts again (W-89, W-97).

use super::bodies::PER_BODY;
use super::element::{Hold, Owner};
use super::evaluate::{Evaluator, SUMS};
use super::integrate::{self, Flow, Work};
use super::machine::{Role, Source};
use super::project::MOST_SHIFT;
use super::settings::{Lagrange, Stabiliser};
use crate::math::Vec3;

/// A gap of this size counts as touching, m or rad.
const TOUCH: f64 = 1e-6;
/// Slower approaches than this are no impact, m/s or rad/s: the held row damps them by itself.
const SLOW: f64 = 1e-4;
/// Crossings located in one step; a ball that comes to rest has infinitely many.
const MOST_EVENTS: u32 = 20;
/// Largest error that explains a speed of settling, m or rad; largest change of a target's velocity
/// in a step, m/s.
const FAR: f64 = 3.0;

/// A limit that was hit.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub owner: Owner,
    pub time: f64,
    pub speed: f64,
}

/// What a step did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Done {
    pub work: Work,
    pub hits: Vec<Hit>,
    /// Energy that impacts and the impulse stabiliser took, J.
    pub impacts: f64,
    /// Work of kinematic bodies through impacts, J.
    pub carried: f64,
    /// Whether the budget of time ended the search for what is hit.
    pub spent: bool,
}

impl Evaluator<'_> {
    /// Carries `y` from `t` over `h`.
    pub fn run(&mut self, t: f64, h: f64, y: &mut Vec<f64>) -> Done {
        let mut done = Done::default();
        let (mut now, mut rest, mut events) = (t, h, 0);
        let mut scratch = std::mem::take(&mut self.machine.scratch);
        loop {
            let touching = self.touch(now, y, &mut done);
            self.machine.activate(&touching);
            let start = y.clone();
            let mut hint = self.machine.memory.hint;
            // what may be struck is looked for after every substep: a fast force may drive a body
            // there and back within a step
            let to_the_end = touching.is_empty() || events == MOST_EVENTS || self.budget.spent();
            let piece =
                if to_the_end { rest } else { rest / (rest / self.longest).ceil().max(1.0) };
            let work =
                integrate::advance(self, self.settings, now, piece, y, &mut hint, &mut scratch);
            done.work.steps += work.steps;
            done.work.rejected += work.rejected;
            done.work.missed += work.missed;
            self.machine.memory.hint = hint;
            done.spent |= self.budget.spent();
            if to_the_end {
                break;
            }
            let lowest = self.lowest(now + piece, y, &touching);
            if lowest >= -TOUCH {
                now += piece;
                rest -= piece;
                if rest <= 1e-9 * h {
                    break;
                }
                continue;
            }
            // narrow the substep down to where the first limit is crossed
            let (mut low, mut high) = (0.0, piece);
            y.clone_from(&start);
            let (mut above, mut below) = (self.lowest(now, y, &touching), lowest);
            for round in 0..60 {
                // where a straight line crosses, but not near the ends; now and then the middle, so
                // that it always ends
                let share =
                    if round % 3 == 2 { 0.5 } else { (above / (above - below)).clamp(0.05, 0.95) };
                let middle = low + (high - low) * if share.is_finite() { share } else { 0.5 };
                y.clone_from(&start);
                let mut hint = 0.0;
                integrate::advance(self, self.settings, now, middle, y, &mut hint, &mut scratch);
                let gap = self.lowest(now + middle, y, &touching);
                if gap < -TOUCH {
                    (high, below) = (middle, gap);
                } else {
                    (low, above) = (middle, gap);
                    if gap <= TOUCH {
                        break;
                    }
                }
                if high - low < 1e-12 * h || self.budget.spent() {
                    break;
                }
            }
            if low == 0.0 {
                // crossed at once: nothing to locate
                low = high;
                y.clone_from(&start);
                let mut hint = 0.0;
                integrate::advance(self, self.settings, now, low, y, &mut hint, &mut scratch);
            }
            now += low;
            rest -= low;
            events += 1;
            self.machine.memory.hint = 0.0;
            if rest <= 1e-12 * h {
                break;
            }
        }
        self.machine.scratch = scratch;
        if self.settings.stabiliser == Stabiliser::Impulse {
            // the multipliers of the motion are what users read, not those of the correction
            let lambda = self.machine.multipliers.lambda.clone();
            done.impacts += self.project(t + h, y);
            self.machine.multipliers.lambda = lambda;
        }
        done
    }

    /// Smallest gap of the one-sided rows that are not held.
    fn lowest(&mut self, t: f64, y: &[f64], touching: &[bool]) -> f64 {
        let gaps = self.gaps(t, y);
        self.machine.activate(touching);
        gaps.iter()
            .zip(touching)
            .filter(|(_, on)| !**on)
            .fold(f64::INFINITY, |m, (g, _)| m.min(g.0))
    }

    /// Gap and its rate of every one-sided element.
    fn gaps(&mut self, t: f64, y: &[f64]) -> Vec<(f64, f64)> {
        let m = &mut *self.machine;
        m.activate(&vec![true; m.candidates.len()]);
        m.bodies.place(t, y);
        m.evaluate_rows(self.model, self.angles, t);
        let lowest = |e: &super::element::Element| {
            // of a contact only the first row is a gap
            let count = if matches!(e.hold, Hold::Contact(_)) { 1 } else { e.rows };
            let rows = (e.row0..e.row0 + count).map(|i| (m.rows.c[i], m.rows.rate[i]));
            rows.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, 0.0))
        };
        m.elements.iter().filter(|e| e.hold.is_one_sided()).map(lowest).collect()
    }

    /// Which one-sided elements touch; those that approach bounce first.
    fn touch(&mut self, t: f64, y: &mut [f64], done: &mut Done) -> Vec<bool> {
        if self.machine.candidates.is_empty() {
            return Vec::new();
        }
        let gaps = self.gaps(t, y);
        let mut touching: Vec<bool> = gaps.iter().map(|g| g.0 <= TOUCH).collect();
        if gaps.iter().zip(&touching).any(|(g, on)| *on && g.1 < -SLOW) {
            let hits = gaps.iter().zip(&touching).zip(&self.machine.candidates);
            for ((g, _), (e, _)) in hits.filter(|((g, on), _)| **on && g.1 < -SLOW) {
                done.hits.push(Hit { owner: e.owner, time: t, speed: -g.1 });
            }
            self.machine.activate(&touching);
            let [taken, carried] = self.impact(t, y);
            done.impacts += taken + carried;
            done.carried += carried;
            self.machine.remember_impact();
        }
        // what parts is let go: held rows would keep it back
        for (on, g) in touching.iter_mut().zip(self.gaps(t, y)) {
            *on &= g.1 <= SLOW || g.0 < -10.0 * TOUCH;
        }
        touching
    }

    /// Impulses at touching one-sided rows: the approach is reversed by the restitution, the rates
    /// of all constraints stay. Returns the energy that it takes, and the work of kinematic bodies,
    /// J.
    fn impact(&mut self, t: f64, y: &mut [f64]) -> [f64; 2] {
        let m = &mut *self.machine;
        m.bodies.place(t, y);
        m.evaluate_rows(self.model, self.angles, t);
        m.demand.clear();
        m.bounds.clear();
        m.cones.clear();
        // slower than a fall through the touch distance is rest (B-75), so that a bouncing ball
        // comes to an end
        let rest = (2.0 * self.model.gravity.length() * self.model.settings.contact.touch).sqrt();
        for (e, source) in m.elements.iter().zip(&m.sources) {
            for i in e.row0..e.row0 + e.rows {
                let rate = m.rows.rate[i];
                let restitution = match (source.role(), source) {
                    (Some(Role::Limit { restitution, .. }), _) => restitution,
                    (_, Source::Contact(touch)) if -rate > rest => touch.restitution,
                    _ => 0.0,
                };
                let (demand, bounds) = match e.hold {
                    Hold::Contact(cones) if i > e.row0 => {
                        let slip = &m.rows.rate[e.row0 + 1..e.row0 + e.rows];
                        m.cones.push((i, e.row0, cones.share(i - e.row0 - 1, slip)));
                        (rate, (0.0, 0.0))
                    }
                    Hold::OneSided | Hold::Contact(_) if rate < 0.0 => {
                        ((1.0 + restitution) * rate, (0.0, f64::INFINITY))
                    }
                    Hold::OneSided | Hold::Contact(_) => (rate, (0.0, f64::INFINITY)),
                    // a motor without bound keeps its rate, too
                    Hold::Effort(effort) if effort < f64::INFINITY => (0.0, (0.0, 0.0)),
                    _ => (0.0, (f64::NEG_INFINITY, f64::INFINITY)),
                };
                m.demand.push(demand);
                m.bounds.push(bounds);
            }
        }
        // what kinematic bodies give to the rates
        let mut v = Vec::new();
        m.bodies.scaled(&mut v);
        let mut given = vec![0.0; m.rows.rate.len()];
        for e in m.elements.iter().filter(|e| matches!(e.hold, Hold::Contact(_))) {
            for i in 0..e.rows {
                given[e.row0 + i] = m.rows.rate[e.row0 + i] - m.rows.along(e, i, &v);
            }
        }
        let taken = self.kick(t, y);
        let carried =
            -given.iter().zip(&self.machine.multipliers.lambda).map(|(u, l)| u * l).sum::<f64>();
        [taken, carried]
    }

    /// Changes velocities so that the demands are met; returns the energy that this takes.
    fn kick(&mut self, t: f64, y: &mut [f64]) -> f64 {
        let settings = self.settings;
        self.kick_with(settings, t, y)
    }

    /// The same with other settings.
    pub(super) fn kick_with(&mut self, settings: &Lagrange, t: f64, y: &mut [f64]) -> f64 {
        let m = &mut *self.machine;
        let mut before = Vec::new();
        m.bodies.scaled(&mut before);
        let mut change = vec![0.0; before.len()];
        // impulses know nothing of the forces of the last step, and are none of the next
        let fed = std::mem::take(&mut m.multipliers.fed);
        let last = m.multipliers.last_contact.clone();
        m.solve(settings, &mut change);
        (m.multipliers.fed, m.multipliers.last_contact) = (fed, last);
        m.bodies.kick(y, &change);
        m.bodies.place(t, y);
        before.iter().zip(&change).map(|(v, d)| 0.5 * (v * v - (v + d) * (v + d))).sum()
    }

    /// Length of the state: bodies, integrals, sums.
    pub fn length(&self) -> usize {
        self.counted() + SUMS
    }

    /// Kinetic energy and squared size of what drives the motion, to tell a step that has lost its
    /// way. `efforts` are those of the step's start: at its end a damper may balance all of them,
    /// and what lags begins with none.
    pub fn plausible(
        &mut self,
        t: f64,
        h: f64,
        efforts: &[(Vec3, Vec3)],
        before: &[f64],
        after: &[f64],
    ) -> bool {
        if after.iter().any(|x| !x.is_finite()) {
            return false;
        }
        let m = &mut *self.machine;
        let kinetic = |m: &mut super::machine::Machine, t: f64, y: &[f64]| {
            m.bodies.place(t, y);
            let mut v = Vec::new();
            m.bodies.scaled(&mut v);
            0.5 * v.iter().map(|v| v * v).sum::<f64>()
        };
        let old = kinetic(m, t, before);
        m.evaluate_rows(self.model, self.angles, t);
        let mut moving = Vec::new();
        m.bodies.scaled(&mut moving);
        let mass: f64 = m.bodies.moving.iter().map(|b| b.mass).sum();
        let pull = m.bodies.moving.iter().zip(efforts.iter().zip(&m.efforts)).map(|(b, (e, f))| {
            let (force, torque) = (e.0.length().max(f.0.length()), e.1.length().max(f.1.length()));
            h * force / b.mass + h * torque * b.isi.max_element().powi(2)
        });
        let mut speed = pull.fold(0.0_f64, f64::max);
        // what a kinematic body strikes goes with its speed, and rebounds with twice as much
        for f in m.bodies.kinematic.iter().map(|&slot| m.bodies.frames[slot as usize]) {
            for b in &m.bodies.moving {
                let arm = m.bodies.frames[b.slot as usize].x - f.x;
                let size = (b.moments.max_element() / b.mass).sqrt();
                speed = speed.max((f.v + f.w.cross(arm)).length() + f.w.length() * size);
            }
        }
        m.demands(self.model, self.settings, t, [h, h]);
        for (e, source) in m.elements.iter().zip(&m.sources) {
            let [alpha, beta, _] = e.stabilise;
            let typed = matches!(source, Source::Points(id, ..)
                if self.model.constraints.get(id.index, id.generation).is_some_and(|c| c.desc.kind.is_typed()));
            // formulas may measure anything: an error beyond a few metres counts as a few metres,
            // and so does its rate
            let most = if typed { FAR * (alpha + beta) } else { f64::INFINITY };
            for i in e.row0..e.row0 + e.rows {
                // speeds that are there already have their energy: what drives is the motion of
                // targets
                let own = m.rows.along(e, i - e.row0, &moving);
                let wanted = match e.hold {
                    Hold::Effort(_) => h * m.demand[i].abs(),
                    // of velocity constraints `c` is a speed and `rate` an acceleration
                    Hold::Velocity => {
                        (m.rows.c[i] - own).abs().min(most) + (h * m.rows.rate[i].abs()).min(FAR)
                    }
                    _ => ((alpha + beta) * m.rows.c[i].abs().min(FAR))
                        .max((m.rows.rate[i] - own).abs().min(most)),
                };
                speed = speed.max(wanted);
            }
        }
        // no body goes further than the speeds at both ends explain, but for the shifts of the
        // impulse stabiliser
        let pairs = before
            .chunks_exact(PER_BODY)
            .zip(after.chunks_exact(PER_BODY))
            .take(m.bodies.moving.len());
        for (a, b) in pairs {
            let part = |y: &[f64], k: usize| Vec3::from_slice(&y[k..]);
            let fastest = part(a, 7).length().max(part(b, 7).length());
            if part(a, 0).distance(part(b, 0)) > 3.0 * h * fastest + 6.0 * MOST_SHIFT {
                return false;
            }
        }
        let new = kinetic(m, t + h, after);
        // a regular step needs a few times the energy of what drives it; near a singularity it is
        // thousands and more
        let counted = PER_BODY * m.bodies.moving.len();
        counted == 0 || new <= 4.0 * old + 10.0 * mass * speed * speed + 1e-9
    }
}

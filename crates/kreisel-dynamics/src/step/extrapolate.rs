//! Orders 4, 6 and 8 by extrapolation of the symmetric step (Bender 3.4; B-53, B-113), and
//! error-controlled steps.
//!
//! From the same start, k = 1..n runs of k base steps of size H/k are made and their ends combined
//! with the weights
//!
//! c_k = Π_{m≠k} k²/(k² − m²)
//!
//! (Richardson in h²). The thesis extrapolates a midpoint step with a one-sided projection, which
//! is not time-symmetric, and stays at order 3; the symmetric step has an expansion in even powers
//! and reaches 2n for all joint types. Positions, velocities and quaternions (signs aligned) are
//! combined linearly, then projected onto the joints, in a loop to the tolerance. Base steps are
//! solved far below the wanted error.
//!
//! The difference between the extrapolants of order 2n and 2n − 2 is the error estimate. A base
//! step that fails halves the macro step; a macro step that meets a limit is made with plain steps,
//! because nothing can be extrapolated across an impact.

use super::law::Phase;
use super::{Booked, Budget, Failure, Stats};
use crate::lanes::{F4, LANES};
use crate::math::{Quat, Vec3, rotation};
use crate::settings::{Order, Settings, Substeps, Tolerance};
use crate::state::BodyState;
use crate::step::advance::STATED_FOR;
use crate::system::{Bound, BoundKind, BoundState, System};

/// Base steps are solved to this accuracy in m and rad, unless coordinates are so large that
/// rounding forbids it.
const TIGHT: f64 = 1e-12;

/// With [`Substeps::Auto`] and a higher order, the local error is kept at this share of the target.
const AUTO_SHARE: f64 = 1e-2;

/// Smallest macro step as a fraction of the step.
const SMALLEST: f64 = 1e-5;

/// What a bounded row does at the start of a run, and what its law has summed up.
type Start = (BoundState, (f64, Option<f64>));

/// Ends of the runs of one macro step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    start: crate::system::motion::Saved,
    ends: Vec<Vec<BodyState>>,
    totals: Vec<Vec<f64>>,
    /// Work and losses of each run.
    booked: Vec<Booked>,
    /// States of bounded rows at the start.
    states: Vec<Start>,
    mu: Vec<f64>,
    guess: Vec<f64>,
    half: Vec<f64>,
    before: Vec<f64>,
    /// Dry friction or a bounded motor stuck, slid or turned within a run.
    turned: bool,
}

/// Weight of run `k` of `n`.
fn weight(k: usize, n: usize) -> f64 {
    let square = |x: usize| (x * x) as f64;
    (1..=n).filter(|&m| m != k).map(|m| square(k) / (square(k) - square(m))).product()
}

impl System {
    /// A step of higher order, or one with controlled error.
    pub(crate) fn advance_extrapolated(
        &mut self,
        duration: f64,
        settings: &Settings,
        budget: &Budget,
        stats: &mut Stats,
    ) {
        // order 2 with error control needs a second run to compare with
        let columns = settings.order.columns().max(2);
        let keep_plain = settings.order == Order::Two;
        let bound = match settings.substeps {
            Substeps::Fixed(_) => f64::INFINITY,
            Substeps::Auto { target } => AUTO_SHARE * target * self.size() / STATED_FOR,
            Substeps::Error(e) => e,
        };
        // where friction or a bounded motor turns, equal substeps are cut like others
        let turning = match settings.substeps {
            Substeps::Fixed(_) => AUTO_SHARE * Substeps::TARGET * self.size() / STATED_FOR,
            _ => bound,
        };
        let mut wish = match settings.substeps {
            Substeps::Fixed(n) => duration / f64::from(n),
            _ if self.memory.next_h > 0.0 => self.memory.next_h.min(duration),
            _ => 0.5 * duration,
        };
        let equal = wish;
        let mut runs = std::mem::take(&mut self.runs);
        let user = self.tolerance;
        let mut left = duration;
        while left > 1e-9 * duration {
            if budget.spent() || stats.all_substeps_spent() {
                // When the time is spent, what is left of the step is taken as it comes.
                stats.budget = true;
                self.symmetric_patient(left, budget, stats);
                break;
            }
            let pieces = (left / wish - 1e-9).ceil().max(1.0);
            let h = left / pieces;
            self.save(&mut runs.start);
            runs.before.clone_from(&self.total);
            runs.guess.clone_from(&self.memory.mu);
            runs.half.clone_from(&self.memory.half);
            self.save_states(&mut runs.states);
            let booked = stats.booked();
            let (last_h, now) = (self.memory.last_h, self.now);
            self.tolerance = self.tight();
            let made = self.macro_step(h, columns, &mut runs, budget, stats);
            self.tolerance = user;
            // what sticks or slides within the step is not smooth: the finest run stands as it is
            let keep_plain = keep_plain || runs.turned;
            let error = made.map(|()| self.combine(duration, columns, keep_plain, &mut runs));
            let bound = if runs.turned { turning } else { bound };
            // order of the estimate: it belongs to the lower of the two extrapolants
            let order = if keep_plain { 2.0 } else { 2.0 * columns as f64 - 2.0 };
            let factor = |e: f64| {
                if e > 0.0 { 0.9 * libm::pow(bound / e, 1.0 / (order + 1.0)) } else { 4.0 }
            };
            match error {
                Ok(e) if e <= bound || h <= SMALLEST * duration => {
                    left -= h;
                    self.now = now + h;
                    stats.book(booked + runs.combined_booking(columns, keep_plain));
                    self.land(h, columns, &mut runs, budget, stats);
                    stats.local_error = stats.local_error.max(e);
                    wish = h.max(0.5 * wish) * factor(e).clamp(0.2, 4.0);
                    if let Substeps::Fixed(_) = settings.substeps {
                        wish = equal.min(4.0 * h);
                    }
                }
                outcome => {
                    stats.rejected += 1;
                    self.restore(&runs.start);
                    self.restore_states(&runs.states);
                    stats.book(booked);
                    self.total.clone_from(&runs.before);
                    self.memory.mu.clone_from(&runs.guess);
                    self.memory.half.clone_from(&runs.half);
                    (self.memory.last_h, self.now) = (last_h, now);
                    let limit = matches!(outcome, Err(Failure::Limit { .. }));
                    if limit || h <= SMALLEST * duration {
                        self.symmetric_patient(h, budget, stats);
                        left -= h;
                    } else {
                        wish = h * outcome.map_or(0.5, |e| factor(e).clamp(0.1, 0.7));
                    }
                }
            }
        }
        self.runs = runs;
        if !matches!(settings.substeps, Substeps::Fixed(_)) {
            self.memory.next_h = wish.min(4.0 * duration);
        }
    }

    /// Tolerance of the base steps.
    fn tight(&self) -> Tolerance {
        let reach = self
            .groups
            .iter()
            .flat_map(|g| &g.x)
            .flat_map(|x| x.0)
            .fold(1.0_f64, |a, x| a.max(x.abs()));
        let rounding = 64.0 * f64::EPSILON * reach;
        Tolerance {
            position: TIGHT.max(rounding).min(self.tolerance.position),
            angle: TIGHT.max(64.0 * f64::EPSILON).min(self.tolerance.angle),
            ..self.tolerance
        }
    }

    /// Mean length of joints, m.
    fn size(&self) -> f64 {
        let sum: f64 = self.nodes.iter().map(|n| n.length).sum();
        if self.nodes.is_empty() { STATED_FOR } else { sum / self.nodes.len() as f64 }
    }

    /// All runs of one macro step.
    fn macro_step(
        &mut self,
        h: f64,
        columns: usize,
        runs: &mut Runs,
        budget: &Budget,
        stats: &mut Stats,
    ) -> Result<(), Failure> {
        runs.ends.resize(columns, Vec::new());
        runs.totals.resize(columns, Vec::new());
        runs.booked.resize(columns, Booked::default());
        let (last_h, now) = (self.memory.last_h, self.now);
        runs.turned = false;
        // what a base step of the tight tolerance leaves unconverged is judged after landing
        let (unconverged, substeps) = (stats.unconverged, stats.substeps);
        for k in 1..=columns {
            if k > 1 {
                self.restore(&runs.start);
                self.restore_states(&runs.states);
                self.memory.mu.clone_from(&runs.guess);
                self.memory.half.clone_from(&runs.half);
                self.memory.last_h = last_h;
            }
            // schedules of motors and forces are read at the time of each base step
            self.now = now;
            self.total.fill(0.0);
            stats.book(Booked::default());
            for _ in 0..k {
                self.symmetric_substep(h / k as f64, f64::INFINITY, false, budget, stats)?;
            }
            runs.ends[k - 1].clear();
            for i in 0..self.slots.len() {
                runs.ends[k - 1].push(self.body_state(i));
            }
            runs.totals[k - 1].clone_from(&self.total);
            runs.booked[k - 1] = stats.booked();
            runs.turned |= self.has_turned(&runs.states);
        }
        stats.unconverged = unconverged;
        stats.substeps = substeps + 1;
        runs.mu.clone_from(&self.memory.mu);
        Ok(())
    }

    /// Combines the runs into the state; returns the estimated local error in m. Where friction or
    /// a bounded motor has turned, velocities are off by more than what they have led to yet: what
    /// they lead to in a step of `duration` counts.
    fn combine(&mut self, duration: f64, columns: usize, keep_plain: bool, runs: &mut Runs) -> f64 {
        let size = self.size();
        let mut worst = 0.0_f64;
        for i in 0..self.slots.len() {
            let last = runs.ends[columns - 1][i];
            let sum = |n: usize| {
                let mut s = Sum::default();
                for k in 1..=n {
                    s.add(&runs.ends[k - 1][i], weight(k, n), last.rotation);
                }
                s
            };
            let (high, low) = (sum(columns), sum(columns - 1));
            let (state, other) = if keep_plain { (Sum::one(&last), high) } else { (high, low) };
            let distance = state.position.distance(other.position);
            let turn = 2.0 * (state.rotation - other.rotation).length();
            worst = worst.max(distance).max(turn * size);
            if runs.turned {
                let [slide, spin] = [
                    state.velocity - other.velocity,
                    state.angular_velocity - other.angular_velocity,
                ];
                worst = worst.max(duration * slide.length()).max(duration * spin.length() * size);
            }
            self.place(
                i,
                &BodyState {
                    position: state.position,
                    rotation: state.rotation.normalize(),
                    velocity: state.velocity,
                    angular_velocity: state.angular_velocity,
                },
            );
        }
        self.total.clone_from(&runs.before);
        for k in 1..=columns {
            let w = if keep_plain { f64::from(k == columns) } else { weight(k, columns) };
            for (t, x) in self.total.iter_mut().zip(&runs.totals[k - 1]) {
                *t += w * x;
            }
        }
        if worst.is_nan() { f64::INFINITY } else { worst }
    }

    /// Whether a row of dry friction or of a bounded motor does something else than at the start;
    /// the first one is named.
    fn has_turned(&mut self, states: &[Start]) -> bool {
        let bounded =
            |b: &Bound| matches!(b.kind, BoundKind::Friction { .. } | BoundKind::Drive { .. });
        let Some((b, _)) =
            self.bounds.iter().zip(states).find(|(b, s)| bounded(b) && b.state != s.0)
        else {
            return false;
        };
        self.turned = Some(self.joints[self.nodes[b.node as usize].joint as usize].name.clone());
        true
    }

    /// Keeps what bounded rows do at the start of a macro step.
    fn save_states(&self, states: &mut Vec<Start>) {
        states.clear();
        states.extend(self.bounds.iter().map(|b| (b.state, b.of_law())));
        states.extend(self.border.rows.iter().map(|r| (r.state, (0.0, None))));
    }

    /// Every run starts with the same rows held.
    fn restore_states(&mut self, states: &[Start]) {
        let (bounds, border) = states.split_at(self.bounds.len());
        let changed = self.bounds.iter().map(|b| b.state).ne(bounds.iter().map(|s| s.0))
            || self.border.rows.iter().map(|r| r.state).ne(border.iter().map(|s| s.0));
        self.bounds.iter_mut().zip(bounds).for_each(|(b, &(state, of_law))| {
            b.state = state;
            b.set_law(of_law);
        });
        self.border.rows.iter_mut().zip(border).for_each(|(r, s)| r.state = s.0);
        self.factored &= !changed;
    }

    /// Brings the combined state onto the joints.
    fn land(
        &mut self,
        h: f64,
        columns: usize,
        runs: &mut Runs,
        budget: &Budget,
        stats: &mut Stats,
    ) {
        if !self.is_tied() {
            self.refresh();
            return;
        }
        self.phase = Phase::Off;
        self.project_positions(&mut runs.start);
        self.project_velocities(h, budget, stats);
        // this projection is no load of the joints; the last base step's correction is the next
        // guess
        self.memory.mu.clone_from(&runs.mu);
        self.memory.last_h = h / columns as f64;
    }

    /// Moves bodies by the least M-weighted amount that closes the joints: δ = −M⁻¹Jᵀ A⁻¹ C,
    /// repeated to a tenth of the tolerance. Rows and factor are fresh afterwards.
    pub(crate) fn project_positions(&mut self, scratch: &mut crate::system::motion::Saved) {
        for _ in 0..8 {
            self.refresh();
            self.preview(0.0);
            let errors = self.residuals();
            if errors.ratio <= 0.1
                || !errors.ratio.is_finite()
                || self.position_nodes == 0 && self.border.is_empty()
            {
                break;
            }
            let mut z = std::mem::take(&mut self.z);
            for (z, c) in z.iter_mut().zip(&self.residual) {
                *z = -c;
            }
            for b in &self.bounds {
                z[self.nodes[b.node as usize].row0 as usize + usize::from(b.row)] = 0.0;
            }
            self.solve_positions(&mut z);
            self.save(scratch);
            for g in &mut self.groups {
                g.y = [F4::ZERO; 6];
            }
            self.apply(&z);
            for i in 0..self.slots.len() {
                let (g, l) = (&mut self.groups[i / LANES], i % LANES);
                for k in 0..3 {
                    g.x[k].0[l] += g.ism.0[l] * g.y[k].0[l];
                }
                let turn = Vec3::new(g.y[3].0[l], g.y[4].0[l], g.y[5].0[l])
                    * crate::system::vec3(&g.isi, l);
                let q = Quat::from_xyzw(g.q[0].0[l], g.q[1].0[l], g.q[2].0[l], g.q[3].0[l]);
                let q = (q * rotation(turn)).normalize();
                for (k, c) in [q.x, q.y, q.z, q.w].into_iter().enumerate() {
                    g.q[k].0[l] = c;
                }
            }
            for g in &mut self.groups {
                g.r = crate::lanes::quat_matrix(g.q);
            }
            self.restore_velocities(scratch);
            z.fill(0.0);
            self.z = z;
        }
    }
}

impl Runs {
    /// Work and losses of a macro step, combined as its states are.
    fn combined_booking(&self, columns: usize, keep_plain: bool) -> Booked {
        let share =
            |k: usize| if keep_plain { f64::from(k == columns) } else { weight(k, columns) };
        (1..=columns).fold(Booked::default(), |sum, k| sum + self.booked[k - 1] * share(k))
    }
}

/// A weighted sum of states.
struct Sum {
    position: Vec3,
    rotation: Quat,
    velocity: Vec3,
    angular_velocity: Vec3,
}

impl Default for Sum {
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }
}

impl Sum {
    fn one(s: &BodyState) -> Self {
        let mut sum = Self::default();
        sum.add(s, 1.0, s.rotation);
        sum
    }

    fn add(&mut self, s: &BodyState, weight: f64, near: Quat) {
        let sign = if s.rotation.dot(near) < 0.0 { -weight } else { weight };
        self.position += s.position * weight;
        self.rotation += s.rotation * sign;
        self.velocity += s.velocity * weight;
        self.angular_velocity += s.angular_velocity * weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_the_thesis() {
        // Bender 3.4: −1/3, 4/3 and 1/24, −16/15, 81/40
        assert!(
            (weight(1, 2) + 1.0 / 3.0).abs() < 1e-15 && (weight(2, 2) - 4.0 / 3.0).abs() < 1e-15
        );
        let six = [1.0 / 24.0, -16.0 / 15.0, 81.0 / 40.0];
        for k in 1..=3 {
            assert!((weight(k, 3) - six[k - 1]).abs() < 1e-15);
        }
    }
}

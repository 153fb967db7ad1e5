//! The right-hand side of the equations of motion: forces, rows, stabilisation, multipliers,
//! accelerations (Wagner 3.5).

use super::bodies::PER_BODY;
use super::element::{Hold, Owner, Writer};
use super::forces::Powers;
use super::integrate::Flow;
use super::machine::{Machine, Role, Source};
use super::points::{self, Place};
use super::settings::{Lagrange, Stabiliser};
use crate::connector::Placement;
use crate::constraint::MAX_PART_ROWS;
use crate::constraint::second::{Jet, MovingPair, SecondRow};
use crate::force::{Command, Control, PidMemory};
use crate::model::Model;
use crate::step::Budget;
use crate::world::Inputs;

/// Sums that are integrated for the energy ledger.
pub(crate) const SUMS: usize = 6;

/// A world at work.
pub(crate) struct Evaluator<'a> {
    pub machine: &'a mut Machine,
    pub model: &'a Model,
    pub settings: &'a Lagrange,
    pub inputs: &'a Inputs,
    /// Angles of joints at the start of the step, counted over turns, by slot.
    pub angles: &'a [f64],
    /// Step of the world, s: friction stops within it.
    pub h: f64,
    /// Longest substep of integrators of fixed steps, s.
    pub longest: f64,
    /// Time in which dry friction and velocity motors take out what they are behind, s; infinite
    /// where they do nothing.
    pub relax: f64,
    pub evaluations: u32,
    pub budget: Budget,
}

impl Flow for Evaluator<'_> {
    fn spent(&self) -> bool {
        self.budget.spent()
    }

    fn longest(&self) -> f64 {
        self.longest
    }

    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        let n = PER_BODY * self.machine.bodies.moving.len();
        let pids = 3 * self.machine.pids.len();
        self.machine.bodies.place(t, y);
        let (state, rest) = dy.split_at_mut(n);
        let (integral_rates, sums) = rest.split_at_mut(pids);
        let mut powers = self.machine.forces(
            self.model,
            self.inputs,
            self.angles,
            t,
            &y[n..n + pids],
            integral_rates,
        );
        self.accelerate(t, &mut powers);
        self.machine.bodies.rates(y, &self.machine.a, state);
        let Powers { user, motors, damping, friction, constraints, kinematic } = powers;
        sums.copy_from_slice(&[user, motors, damping, friction, constraints, kinematic]);
        self.evaluations += 1;
    }

    fn tidy(&mut self, y: &mut [f64]) {
        self.machine.bodies.normalise(y);
    }

    fn counted(&self) -> usize {
        PER_BODY * self.machine.bodies.moving.len() + 3 * self.machine.pids.len()
    }
}

impl Evaluator<'_> {
    /// Scaled accelerations at the placed frames under the summed forces.
    fn accelerate(&mut self, t: f64, powers: &mut Powers) {
        let m = &mut *self.machine;
        m.a.clear();
        for (b, (force, torque)) in m.bodies.moving.iter().zip(&m.efforts) {
            let f = &m.bodies.frames[b.slot as usize];
            let w = f.r.transpose() * f.w;
            // Euler: I ω' = N − ω × Iω
            let n = (f.r.transpose() * *torque - w.cross(b.moments * w)) * b.isi;
            let a = *force * b.ism;
            m.a.extend([a.x, a.y, a.z, n.x, n.y, n.z]);
        }
        m.evaluate_rows(self.model, self.angles, t);
        m.demands(self.model, self.settings, t, [self.h, self.relax]);
        let mut a = std::mem::take(&mut m.a);
        m.solve(self.settings, &mut a);
        if self.settings.stabiliser == Stabiliser::Spring {
            m.add_springs(&mut a);
        }
        m.a = a;
        m.book(powers);
    }
}

impl Machine {
    /// Rows of all elements at the placed frames.
    pub fn evaluate_rows(&mut self, model: &Model, angles: &[f64], t: f64) {
        self.rows.resize(&self.elements);
        let frames = &self.bodies.frames;
        for (element, source) in self.elements.iter().zip(&self.sources) {
            let mut out = Writer { element, bodies: &self.bodies, rows: &mut self.rows, at: 0 };
            match source {
                Source::Pair { slots, frames: local, parts, sense, locks, mask, velocity } => {
                    let [a, b] = slots.map(|s| &frames[s as usize]);
                    let pair = MovingPair::new(local, a, b);
                    let mut rows = [SecondRow::default(); MAX_PART_ROWS];
                    parts.second_rows(&pair, *sense, &mut rows);
                    for (k, row) in rows[..parts.rows_len()].iter().enumerate() {
                        if mask & (1 << k) != 0 {
                            let c = if *velocity {
                                Jet { x: row.c.d, d: row.c.dd, dd: 0.0 }
                            } else {
                                row.c
                            };
                            out.pair(c, &row.row, *slots, *locks);
                        }
                    }
                }
                Source::Points(id, only, drum) => {
                    let Some(record) = model.constraints.get(id.index, id.generation) else {
                        continue;
                    };
                    let Placement::Points(list) = &record.placed else { continue };
                    let memory = self.memory.paths.get(&id.index).copied().unwrap_or_default();
                    let place = Place { curves: &model.curves, frames, t };
                    let found = place.points(record, list, memory);
                    let mut sound = points::write(record, &found, t, *only, &mut out);
                    if let Some(drum) = drum {
                        // a cable has one row, which is written
                        out.at = 0;
                        sound &= out.coupled(drum, frames, angles, true);
                    }
                    if !sound && !self.failed.contains(&record.name) {
                        self.failed.push(record.name.clone());
                    }
                }
                Source::Coupled(coupled) => {
                    for coupled in coupled {
                        if !out.coupled(coupled, frames, angles, false)
                            && !self.failed.contains(&element.name)
                        {
                            self.failed.push(element.name.clone());
                        }
                    }
                }
                Source::Coordinate { joint, slots, frames: local, coordinate, role } => {
                    let [a, b] = slots.map(|s| &frames[s as usize]);
                    let mut row = MovingPair::new(local, a, b).coordinate(*coordinate);
                    let start = angles.get(joint.index as usize).copied().unwrap_or(0.0);
                    row.c.x = crate::system::rows::follow(row.c.x, start, *coordinate);
                    if let Role::Limit { sign, bound, .. } = role {
                        row.c = Jet {
                            x: sign * (row.c.x - bound),
                            d: sign * row.c.d,
                            dd: sign * row.c.dd,
                        };
                        row.row.n *= *sign;
                        row.row.a = row.row.a.map(|a| a * *sign);
                    }
                    out.pair(row.c, &row.row, *slots, [crate::Lock::None; 2]);
                }
                Source::Guide { rails, part, velocity } => {
                    rails.write(*part, *velocity, frames, &mut out)
                }
                Source::Contact(touch) => touch.write(frames, &mut out),
            }
        }
    }

    /// c of J a + c = 0 with the stabiliser's share, and the bounds of the multipliers.
    pub(super) fn demands(
        &mut self,
        model: &Model,
        settings: &Lagrange,
        t: f64,
        [h, relax]: [f64; 2],
    ) {
        self.demand.clear();
        self.bounds.clear();
        self.cones.clear();
        let baumgarte = settings.stabiliser == Stabiliser::Baumgarte;
        for (e, source) in self.elements.iter().zip(&self.sources) {
            let [alpha, beta, own] = e.stabilise;
            for i in e.row0..e.row0 + e.rows {
                let (c, rate, bias) = (self.rows.c[i], self.rows.rate[i], self.rows.bias[i]);
                let settle = bias + 2.0 * alpha * rate + beta * beta * c;
                let (demand, bounds) = match e.hold {
                    Hold::Position if baumgarte => (settle, (f64::NEG_INFINITY, f64::INFINITY)),
                    Hold::Position => (bias, (f64::NEG_INFINITY, f64::INFINITY)),
                    // of velocity constraints C is `c` and its bias is `rate`
                    Hold::Velocity if baumgarte => {
                        (rate + own * c, (f64::NEG_INFINITY, f64::INFINITY))
                    }
                    Hold::Velocity => (rate, (f64::NEG_INFINITY, f64::INFINITY)),
                    Hold::OneSided => (settle, (0.0, f64::INFINITY)),
                    Hold::Contact(_) if i == e.row0 => (settle, (0.0, f64::INFINITY)),
                    Hold::Contact(cones) => {
                        let slip = &self.rows.rate[e.row0 + 1..e.row0 + e.rows];
                        self.cones.push((i, e.row0, cones.share(i - e.row0 - 1, slip)));
                        (rate / h, (0.0, 0.0))
                    }
                    Hold::Effort(effort) => {
                        // a motor's rate changes with its schedule, and what it is behind goes soon
                        let (wanted, slope) = match source.role() {
                            Some(Role::Drive(m)) => {
                                wanted_rate(model, m, t, &self.commands, self.began)
                            }
                            _ => (0.0, 0.0),
                        };
                        let effort = match source.role() {
                            Some(Role::Drive(m)) => effort.min(own_strength(model, m, t)),
                            _ => effort,
                        };
                        let most = if relax.is_finite() { effort } else { 0.0 };
                        (bias - slope + (rate - wanted) / relax, (-most, most))
                    }
                };
                self.demand.push(demand);
                self.bounds.push(bounds);
            }
        }
    }

    /// Turns the free accelerations (or velocity changes) `a` into those that meet the demands.
    pub(super) fn solve(&mut self, settings: &Lagrange, a: &mut [f64]) {
        let limits = super::multipliers::Limits { bounds: &self.bounds, cones: &self.cones };
        self.multipliers.solve(
            &self.elements,
            self.equalities,
            &self.rows,
            settings,
            &self.demand,
            limits,
            a,
        );
    }

    /// The spring stabiliser (3.24 with the right sign): forces −Gᵀ(2αC' + β²C) on top of the
    /// multipliers'.
    fn add_springs(&mut self, a: &mut [f64]) {
        for e in &self.elements[..self.equalities] {
            let [alpha, beta, own] = e.stabilise;
            for i in 0..e.rows {
                let (c, rate) = (self.rows.c[e.row0 + i], self.rows.rate[e.row0 + i]);
                let push = match e.hold {
                    Hold::Velocity => -own * c,
                    _ => -2.0 * alpha * rate - beta * beta * c,
                };
                self.rows.push(e, i, push, a);
                self.multipliers.lambda[e.row0 + i] += push;
            }
        }
    }

    /// Power of the multipliers, by what they stand for.
    fn book(&mut self, powers: &mut Powers) {
        let mut v = Vec::new();
        self.bodies.scaled(&mut v);
        for (e, source) in self.elements.iter().zip(&self.sources) {
            let mut power = 0.0;
            for i in 0..e.rows {
                let lambda = self.multipliers.lambda[e.row0 + i];
                power += lambda
                    * if e.locked {
                        along_forces(&self.rows, e, i, &v)
                    } else {
                        self.rows.along(e, i, &v)
                    };
            }
            if let Source::Contact(_) = source {
                // what is not done against the slip of both bodies, kinematic ones have done
                let relative = |i: usize| self.multipliers.lambda[i] * self.rows.rate[i];
                let rubbed: f64 = (e.row0 + 1..e.row0 + e.rows).map(relative).sum();
                powers.friction -= rubbed;
                powers.constraints += relative(e.row0);
                powers.kinematic += power - rubbed - relative(e.row0);
                continue;
            }
            match source.role() {
                Some(Role::Friction) => powers.friction -= power,
                Some(Role::Drive(_)) => powers.motors += power,
                _ => powers.constraints += power,
            }
        }
    }

    /// Largest |λ| of an element by owner, for breaking.
    pub fn load(&self, owner: Owner) -> f64 {
        let own = self.elements.iter().filter(|e| e.owner == owner);
        own.flat_map(|e| &self.multipliers.lambda[e.row0..e.row0 + e.rows])
            .fold(0.0, |m: f64, x| m.max(x.abs()))
    }
}

fn along_forces(
    rows: &super::element::Rows,
    e: &super::element::Element,
    i: usize,
    y: &[f64],
) -> f64 {
    let mut sum = 0.0;
    for (k, &body) in e.bodies.iter().enumerate() {
        let row = &e.block(&rows.g, k)[6 * i..6 * i + 6];
        for j in 0..6 {
            sum += row[j] * y[6 * body as usize + j];
        }
    }
    sum
}

/// Rate that a velocity motor or cylinder wants at time `t` of a step from `began`, and its slope.
pub(super) fn wanted_rate(
    model: &Model,
    slot: u32,
    t: f64,
    memory: &[PidMemory],
    began: f64,
) -> (f64, f64) {
    let Some((_, _, motor)) = model.motors.iter().find(|m| m.0 == slot) else { return (0.0, 0.0) };
    let control = &motor.desc.control;
    let command = Command::new(&motor.desc, memory.get(slot as usize), began);
    let told = command.at(t);
    match control {
        Control::Velocity(_) => (told, command.slope(t)),
        Control::Hydraulic { .. } => {
            // within its bounds the rate is linear in the valve's opening
            let inside = told.abs() < 1.0;
            let unit = control.rate_of(if told < 0.0 { -1.0 } else { 1.0 }).abs();
            (control.rate_of(told), if inside { unit * command.slope(t) } else { 0.0 })
        }
        _ => (0.0, 0.0),
    }
}

/// Largest effort of a hydraulic cylinder at time `t`.
fn own_strength(model: &Model, slot: u32, t: f64) -> f64 {
    let found = model.motors.iter().find(|m| m.0 == slot).map(|m| &m.2.desc.control);
    found.map_or(f64::INFINITY, |c| c.strength_of(c.schedule().at(t)))
}

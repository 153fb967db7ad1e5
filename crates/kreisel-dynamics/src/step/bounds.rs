//! Rows that act only within bounds: limits with restitution, dry friction, velocity motors, and
//! servos (`law.rs`).
//!
//! An active set around the factorised solve: a row is *held* (it takes part in the system), *idle*
//! (no force) or *at a bound* (constant force). After the joints have converged the set is checked;
//! rows that pull where they may only push, or push harder than they may, change their state, the
//! block is factorised again and the loop goes on. Friction and drives hold the *displacement* of
//! the substep, not only the velocity, so that a sticking joint does not creep.
//!
//! The impulse bound is half the effort times h in each of the two kicks of a symmetric step, and
//! all of it in the first one where velocities are not corrected.
//!
//! Impacts: a substep that would carry a coordinate through its limit is shortened to end there;
//! velocities are corrected, and then the rate that is left is reversed by the coefficient of
//! restitution. Rebounds slower than what forces undo within the substep come to rest, so that a
//! bouncing arm ends in resting contact after finitely many impacts.

use super::border::{CLOSELY, LITTLE, NEAR, RECOVERY};
use super::law::Phase;
use super::laws::EXACT;
use super::{Failure, Hit, Stats};
use crate::constraint::Pair;
use crate::constraint::coordinate::Measure;
use crate::joint::Coordinate;
use crate::math::Vec3;
use crate::system::guide::edge;
use crate::system::rows::{Errors, follow};
use crate::system::{Bound, BoundKind, BoundState, NONE, System};

/// Share of the rate at the start of a substep that counts as rest at its end.
const AT_REST: f64 = 1e-3;

impl System {
    fn row_of(&self, b: &Bound) -> usize {
        self.nodes[b.node as usize].row0 as usize + usize::from(b.row)
    }

    /// Largest impulse of one kick; of an energy-momentum substep the whole, and what it has left
    /// for the velocity correction.
    fn cap(&self, b: &Bound, h: f64) -> f64 {
        match b.kind {
            BoundKind::Friction { effort } | BoundKind::Drive { effort, .. } if self.whole => {
                h * effort
            }
            BoundKind::Friction { effort } | BoundKind::Drive { effort, .. } if self.has_pushed => {
                (h * effort - self.lambda[self.row_of(b)].abs()).max(0.0)
            }
            BoundKind::Friction { effort } | BoundKind::Drive { effort, .. } => {
                self.kick_share * h * effort
            }
            BoundKind::Law(law) => law.cap(self.phase),
            BoundKind::Limit { .. } => f64::INFINITY,
        }
    }

    fn slack(&self, measure: Measure) -> f64 {
        if measure.turns() { self.tolerance.angle } else { self.tolerance.position }
    }

    /// Bounded rows that are not held answer to nothing.
    pub(crate) fn free_bounds(&self, z: &mut [f64]) {
        for b in self.bounds.iter().filter(|b| !self.is_held(b)) {
            z[self.row_of(b)] = 0.0;
        }
    }

    /// Puts states and coordinates of bounded rows into the memory that a snapshot keeps.
    pub(crate) fn remember_bounds(&mut self) {
        self.memory.bounds.clear();
        self.memory.bounds.extend(self.bounds.iter().map(|b| (b.state, b.end)));
        self.memory.bounds.extend(self.border.rows.iter().map(|r| (r.state, r.end)));
        self.memory.responses.clear();
        if self.lawful {
            self.memory.responses.extend(self.bounds.iter().map(Bound::response));
        }
    }

    /// Takes states and coordinates of bounded rows from the memory.
    pub(crate) fn recall_bounds(&mut self) {
        for (b, &(state, value)) in self.bounds.iter_mut().zip(&self.memory.bounds) {
            (b.state, b.start, b.end) = (state, value, value);
        }
        for (b, &response) in self.bounds.iter_mut().zip(&self.memory.responses) {
            b.set_response(response);
        }
        for (r, &(state, value)) in
            self.border.rows.iter_mut().zip(self.memory.bounds.iter().skip(self.bounds.len()))
        {
            (r.state, r.start, r.end) = (state, value, value);
        }
    }

    /// Reads the coordinates at the start of a substep.
    pub(super) fn start_bounds(&mut self, h: f64) {
        let now = self.now;
        self.start_border(h);
        for i in 0..self.bounds.len() {
            let node = &self.nodes[self.bounds[i].node as usize];
            let value = match self.guides.get(node.guide as usize) {
                Some(g) => g.guide.coordinate(&g.places(|b| self.pose(b)), edge(&self.bounds[i])),
                None => {
                    let pair = Pair::new(
                        &node.frames,
                        self.pose(node.bodies[0]),
                        self.pose(node.bodies[1]),
                    );
                    self.bounds[i].measure.value(&pair)
                }
            };
            let along = self.spring_along(i);
            let b = &mut self.bounds[i];
            let turned = b.measure == Measure::Of(Coordinate::Length) && b.end < 0.0;
            b.start = if turned { -value } else { follow(value, b.start, b.measure) };
            b.along = if turned { -along } else { along };
            b.end = b.start;
            if let BoundKind::Drive { profile, rate, mean, .. } = &mut b.kind {
                (*rate, *mean) = (profile.at(now + h), profile.mean(now, h));
            }
            Self::start_law(b, now, h, self.kick_share);
        }
        self.overcome_weaker();
    }

    /// A motor that prescribes the rate, and is stronger than the dry friction of its own
    /// coordinate or than another motor there, overcomes it: that one pushes with its largest
    /// effort. Both held would be one row twice, of which a solve drops one, and it may be the
    /// motor's.
    fn overcome_weaker(&mut self) {
        for i in 0..self.bounds.len() {
            let (weaker, wish) = match self.bounds[i].kind {
                BoundKind::Friction { effort } => (effort, 0.0),
                BoundKind::Drive { effort, mean, .. } => (effort, mean),
                _ => continue,
            };
            let (node, measure) = (self.bounds[i].node, self.bounds[i].measure);
            let drives = |b: &Bound| match b.kind {
                BoundKind::Drive { effort, mean, .. } if b.node == node && b.measure == measure => {
                    (effort > weaker && b.state == BoundState::Held).then_some(mean)
                }
                _ => None,
            };
            if let Some(mean) = self.bounds.iter().find_map(drives) {
                self.bounds[i].state = match mean - wish {
                    ahead if ahead > 0.0 => BoundState::Low,
                    ahead if ahead < 0.0 => BoundState::High,
                    _ => BoundState::Idle,
                };
            }
        }
    }

    /// From the first anchor of a spring that is a law to its second; zero for other rows.
    fn spring_along(&self, i: usize) -> Vec3 {
        let node = &self.nodes[self.bounds[i].node as usize];
        match self.springs.get(node.spring as usize) {
            Some(_) => {
                Pair::new(&node.frames, self.pose(node.bodies[0]), self.pose(node.bodies[1])).d
            }
            None => Vec3::ZERO,
        }
    }

    /// First impulses of bounded rows: none when idle, the bound when at it.
    pub(super) fn warm_bounds(&mut self, h: f64) {
        for i in 0..self.bounds.len() {
            let (row, cap) = (self.row_of(&self.bounds[i]), self.cap(&self.bounds[i], h));
            if let BoundKind::Law(law) = &self.bounds[i].kind {
                // energy-momentum substeps have springs of their own
                let own = law.is_spring() && matches!(self.phase, Phase::Whole(_));
                if !(own || self.is_held(&self.bounds[i])) {
                    self.lambda[row] = self.law_impulse(&self.bounds[i], law, law.rate);
                }
                continue;
            }
            match self.bounds[i].state {
                BoundState::Idle => self.lambda[row] = 0.0,
                BoundState::Low => self.lambda[row] = -cap,
                BoundState::High => self.lambda[row] = cap,
                BoundState::Held | BoundState::HeldAbove => {}
            }
        }
    }

    /// Residual of one bounded row for the previewed coordinate, and the way that it is off by.
    pub(super) fn bound_residual(&self, b: &Bound, impulse: f64, h: f64) -> (f64, f64) {
        if let BoundKind::Law(law) = &b.kind {
            let (c, off) = self.law_residual(b, law, impulse, h);
            return (c, off / EXACT);
        }
        let c = match (b.kind, b.state) {
            (BoundKind::Limit { min, .. }, BoundState::Held) => {
                let missing = self.missing(b, min - b.start, h);
                let c = b.end - min + missing;
                return (c, if missing > 0.0 { c.abs() / CLOSELY } else { c.abs() });
            }
            (BoundKind::Limit { max, .. }, BoundState::HeldAbove) => {
                let missing = self.missing(b, b.start - max, h);
                let c = b.end - max - missing;
                return (c, if missing > 0.0 { c.abs() / CLOSELY } else { c.abs() });
            }
            (BoundKind::Friction { .. }, BoundState::Held) => b.end - b.start,
            (BoundKind::Drive { mean, .. }, BoundState::Held) => b.end - b.start - mean * h,
            _ => 0.0,
        };
        (c, c.abs())
    }

    /// How much of what is missing at a limit stays so in a substep (`border.rs` says why).
    fn missing(&self, b: &Bound, missing: f64, h: f64) -> f64 {
        let length = if b.measure.turns() { 1.0 } else { self.nodes[b.node as usize].length };
        if missing >= LITTLE * length {
            return 0.0;
        }
        let t = &self.tolerance;
        let slow = if b.measure.turns() { t.angular_velocity } else { t.velocity };
        let near = missing <= NEAR * self.slack(b.measure);
        let speed = if near { slow } else { RECOVERY * length };
        (missing - speed * h).max(0.0)
    }

    /// Residuals of all bounded rows, counted among the errors.
    pub(super) fn bound_errors(&mut self, h: f64, impulses: &[f64], errors: &mut Errors) {
        for i in 0..self.bounds.len() {
            let b = &self.bounds[i];
            let row = self.row_of(b);
            let (c, off) = self.bound_residual(b, impulses[row], h);
            let ratio = off / self.slack(b.measure);
            if !(ratio <= errors.ratio) {
                (errors.ratio, errors.node) = (ratio, b.node);
            }
            self.residual[row] = c;
        }
    }

    /// Whether a free coordinate is carried through a limit from a distance.
    pub(super) fn reached_limit(&self) -> Result<(), Failure> {
        for (i, b) in self.bounds.iter().enumerate() {
            let (BoundKind::Limit { min, max, .. }, BoundState::Idle) = (b.kind, b.state) else {
                continue;
            };
            if self.limits_wait {
                break;
            }
            let slack = self.slack(b.measure);
            let fraction = if b.end < min - slack && b.start > min + slack {
                (b.start - min + 0.5 * slack) / (b.start - b.end)
            } else if b.end > max + slack && b.start < max - slack {
                (max - b.start + 0.5 * slack) / (b.end - b.start)
            } else {
                continue;
            };
            return Err(Failure::Limit { bound: i as u32, fraction });
        }
        self.border_reached()
    }

    /// How long ago the first of the limits that wait was passed, s; 0 for none.
    pub(crate) fn overrun(&self) -> f64 {
        let since = |b: &Bound| {
            let (BoundKind::Limit { min, max, .. }, BoundState::Idle) = (b.kind, b.state) else {
                return 0.0;
            };
            let rate = self.rate_of(b.node as usize, usize::from(b.row));
            let beyond = (min - b.end).max(b.end - max);
            let outwards = if b.end < min { -rate } else { rate };
            if beyond > 0.0 && outwards > 0.0 { beyond / outwards } else { 0.0 }
        };
        self.bounds.iter().map(since).fold(0.0, f64::max)
    }

    /// Whether a row of dry friction or of a velocity motor is at its bound.
    pub(super) fn slides(&self) -> bool {
        let bounded =
            |b: &Bound| matches!(b.kind, BoundKind::Friction { .. } | BoundKind::Drive { .. });
        self.bounds
            .iter()
            .any(|b| bounded(b) && matches!(b.state, BoundState::Low | BoundState::High))
    }

    /// What slides against its largest effort for a whole energy-momentum substep must not come to
    /// rest and turn back in it: it may stick there. The substep is to end where it comes to rest.
    /// Rates are linear in it: v₁ = 2 Δ/h − v₀.
    pub(super) fn turned_back(&self, h: f64) -> Result<(), Failure> {
        for (i, b) in self.bounds.iter().enumerate() {
            let wanted = match b.kind {
                BoundKind::Friction { .. } => [0.0; 2],
                BoundKind::Drive { ref profile, rate, .. } => [profile.at(self.now), rate],
                _ => continue,
            };
            if !matches!(b.state, BoundState::Low | BoundState::High) {
                continue;
            }
            let end = 2.0 * (b.end - b.start) / h - b.rate_before - wanted[1];
            let start = b.rate_before - wanted[0];
            let slack = if b.measure.turns() {
                self.tolerance.angular_velocity
            } else {
                self.tolerance.velocity
            };
            if start * end < 0.0 && end.abs() > slack + AT_REST * start.abs() && start.abs() > slack
            {
                return Err(Failure::Limit { bound: i as u32, fraction: start / (start - end) });
            }
        }
        Ok(())
    }

    /// Checks the active set after joint correction. True when it changed: factorise and go on.
    pub(super) fn switch_bounds(&mut self, h: f64, lambda: &mut [f64]) -> bool {
        let mut changed = false;
        for i in 0..self.bounds.len() {
            let b = &self.bounds[i];
            let (row, cap, slack) = (self.row_of(b), self.cap(b, h), self.slack(b.measure));
            let l = lambda[row];
            let moved = match b.kind {
                BoundKind::Drive { mean, .. } => b.end - b.start - mean * h,
                _ => b.end - b.start,
            };
            let next = match b.kind {
                BoundKind::Limit { min, max, .. } => match b.state {
                    BoundState::Held if l < 0.0 => BoundState::Idle,
                    BoundState::HeldAbove if l > 0.0 => BoundState::Idle,
                    same if self.limits_wait => same,
                    BoundState::Idle if b.end < min - slack => BoundState::Held,
                    BoundState::Idle if b.end > max + slack => BoundState::HeldAbove,
                    same => same,
                },
                BoundKind::Law(law) => self.next_law(b, &law, l, law.rate),
                _ => next_effort(b.state, l, cap, moved, slack),
            };
            changed |= self.change(i, row, next, cap, lambda);
        }
        self.switch_border(lambda) || changed
    }

    /// The impulse that has drawn a coordinate back from beyond its limit in this substep. The
    /// velocity that it left may be taken out again, or the limit would throw what was beyond it.
    fn drawn_back(&self, b: &Bound) -> f64 {
        let BoundKind::Limit { min, max, .. } = b.kind else { return 0.0 };
        let slack = self.slack(b.measure);
        let beyond = b.start < min - slack || b.start > max + slack;
        if beyond && b.rebound.is_none() { self.lambda[self.row_of(b)] } else { 0.0 }
    }

    /// Checks the active set after velocity correction.
    pub(super) fn switch_bounds_velocity(&mut self, h: f64, mu: &mut [f64]) -> bool {
        let mut changed = false;
        for i in 0..self.bounds.len() {
            let b = &self.bounds[i];
            let (row, cap) = (self.row_of(b), self.cap(b, h));
            let rate = self.rate_of(b.node as usize, usize::from(b.row));
            let b = &self.bounds[i];
            let next = match b.kind {
                BoundKind::Limit { .. } => {
                    // an energy-momentum substep has pushed before: what is left to correct may
                    // have either sign
                    let pushed =
                        if self.has_pushed { self.lambda[row] } else { self.drawn_back(b) };
                    match b.state {
                        BoundState::Held if mu[row] + pushed < 0.0 => BoundState::Idle,
                        BoundState::HeldAbove if mu[row] + pushed > 0.0 => BoundState::Idle,
                        same => same,
                    }
                }
                BoundKind::Drive { rate: wish, .. } => {
                    next_effort(b.state, mu[row], cap, rate - wish, self.tolerance.velocity)
                }
                BoundKind::Friction { .. } => {
                    next_effort(b.state, mu[row], cap, rate, self.tolerance.velocity)
                }
                BoundKind::Law(_) if self.phase == Phase::Off => b.state,
                BoundKind::Law(law) => self.next_law(b, &law, mu[row], rate),
            };
            let drawn =
                if self.bounds[i].state == next { 0.0 } else { self.drawn_back(&self.bounds[i]) };
            changed |= self.change(i, row, next, cap, mu);
            // what has drawn it back is taken out again, however short the substep was
            if drawn != 0.0 && next == BoundState::Idle {
                let (node, r) = (self.bounds[i].node as usize, usize::from(self.bounds[i].row));
                let mut z = [0.0; crate::solver::block::MAX_ROWS];
                z[r] = -drawn;
                mu[row] -= drawn;
                self.apply_node(node, &z[..=r]);
            }
        }
        self.release_border(mu) || changed
    }

    /// Gives bound `i` the state `next` and its row the impulse that belongs to it.
    fn change(
        &mut self,
        i: usize,
        row: usize,
        next: BoundState,
        cap: f64,
        impulses: &mut [f64],
    ) -> bool {
        let b = &mut self.bounds[i];
        if b.state == next {
            return false;
        }
        b.state = next;
        let (node, r) = (b.node as usize, usize::from(b.row));
        let b = &self.bounds[i];
        let wanted = match (&b.kind, next) {
            _ if self.is_held(b) => impulses[row],
            (BoundKind::Law(law), _) => self.law_impulse(b, law, self.rate_of(node, r)),
            (_, BoundState::Low) => -cap,
            (_, BoundState::High) => cap,
            _ => 0.0,
        };
        let mut z = [0.0; crate::solver::block::MAX_ROWS];
        z[r] = wanted - impulses[row];
        impulses[row] = wanted;
        self.apply_node(node, &z[..=r]);
        true
    }

    /// Before velocity correction: constant impulses of rows at their bounds.
    pub(super) fn push_at_bounds(&mut self, h: f64, mu: &mut [f64]) {
        for i in 0..self.bounds.len() {
            let b = &self.bounds[i];
            let (row, node, r) = (self.row_of(b), b.node as usize, usize::from(b.row));
            let push = match (&b.kind, b.state) {
                // in an energy-momentum substep a law's impulse is whole already; without damping
                // nothing depends on the rate, and the impulse is known
                (BoundKind::Law(_), _) if self.phase == Phase::Off || self.is_held(b) => continue,
                (BoundKind::Law(law), _) => self.law_impulse(b, law, self.rate_of(node, r)),
                (_, BoundState::Low) => -self.cap(b, h),
                (_, BoundState::High) => self.cap(b, h),
                _ => continue,
            };
            mu[row] = push;
            let mut z = [0.0; crate::solver::block::MAX_ROWS];
            z[r] = push;
            self.apply_node(node, &z[..=r]);
        }
    }

    /// After velocity correction: coordinates at their limits that still approach them. Their rows
    /// are held from now on, with the rate that restitution gives them; the rate of approach is the
    /// one that the joints allow, so that a rebound with restitution 1 is a reflection in the
    /// metric of the masses and keeps the kinetic energy. What reaches a limit without restitution
    /// within `ahead` counts as being there. Returns whether there is an impact.
    pub(super) fn find_impacts(&mut self, h: f64, ahead: f64) -> bool {
        let mut impact = false;
        for i in 0..self.bounds.len() {
            let b = &self.bounds[i];
            let (node, r) = (b.node as usize, usize::from(b.row));
            let (BoundKind::Limit { min, max, restitution }, BoundState::Idle) = (b.kind, b.state)
            else {
                continue;
            };
            let slack = self.slack(b.measure);
            let rate = self.rate_of(node, r);
            // what rebounds leaves a limit that it has overrun by itself
            let soon = if restitution > 0.0 { b.end } else { b.end + rate * ahead };
            let state = if soon <= min + slack && rate < 0.0 {
                BoundState::Held
            } else if soon >= max - slack && rate > 0.0 {
                BoundState::HeldAbove
            } else {
                continue;
            };
            // What forces undo within a substep or two is no rebound any more.
            let rest = 2.0 * h * self.acceleration_scale()
                / if b.measure.turns() { self.nodes[node].length } else { 1.0 };
            let back = -restitution * rate;
            let b = &mut self.bounds[i];
            b.state = state;
            b.rebound = Some(if back.abs() > rest { back } else { 0.0 });
            impact = true;
        }
        impact |= self.strike_border();
        if impact {
            self.factorize();
        }
        impact
    }

    fn acceleration_scale(&self) -> f64 {
        self.groups
            .iter()
            .flat_map(|g| (0..4).map(|l| crate::system::vec3(&g.acc, l).length()))
            .fold(0.0, f64::max)
    }

    /// Takes what bounded rows aim at off their rates; rows that are not held want nothing.
    pub(super) fn wanted_rates(&self, impulses: &[f64], rates: &mut [f64]) {
        for b in &self.bounds {
            let row = self.row_of(b);
            rates[row] = self.wanted_rate(b, rates[row], impulses[row]);
        }
        self.wanted_border_rates(rates);
    }

    /// The rate of a bounded row minus what it aims at.
    pub(super) fn wanted_rate(&self, b: &Bound, rate: f64, impulse: f64) -> f64 {
        match (b.state, b.kind) {
            (_, BoundKind::Law(law)) => self.law_rate(b, &law, rate, impulse),
            (BoundState::Held | BoundState::HeldAbove, BoundKind::Limit { .. }) => {
                rate - b.rebound.unwrap_or(0.0)
            }
            (BoundState::Held, BoundKind::Drive { rate: wish, .. }) => rate - wish,
            (BoundState::Held, _) => rate,
            _ => 0.0,
        }
    }

    /// After velocity correction: rebounding coordinates are free again. Returns whether there was
    /// an impact.
    pub(super) fn after_impacts(&mut self) -> bool {
        let mut any = false;
        for b in &mut self.bounds {
            if let Some(rate) = b.rebound.take() {
                any = true;
                if rate != 0.0 {
                    b.struck = Some(std::mem::replace(&mut b.state, BoundState::Idle));
                }
            }
        }
        any
    }

    /// Whether a limit has rebounded since the advance began.
    pub(crate) fn has_struck(&self) -> bool {
        self.bounds.iter().any(|b| b.struck.is_some())
    }

    /// Before a kick: the rates of the rows whose work is booked.
    pub(super) fn note_rates(&mut self) {
        for i in 0..self.bounds.len() {
            let b = &self.bounds[i];
            self.bounds[i].rate_before = self.rate_of(b.node as usize, usize::from(b.row));
        }
    }

    /// After a kick: books the work of friction and drives, impulse times the mean of the rates
    /// before and after.
    pub(super) fn book_kick(&mut self, impulses: &[f64], stats: &mut Stats) {
        for i in 0..self.bounds.len() {
            let b = &self.bounds[i];
            let rate = self.rate_of(b.node as usize, usize::from(b.row));
            match &b.kind {
                BoundKind::Law(_) => self.book_law(i, impulses[self.row_of(b)], rate, stats),
                _ => self.book(b, impulses[self.row_of(b)] * 0.5 * (b.rate_before + rate), stats),
            }
        }
    }

    /// After an energy-momentum substep, whose impulses act over its whole length: impulse times
    /// mean rate.
    pub(super) fn book_bounds(&mut self, h: f64, stats: &mut Stats) {
        for i in 0..self.bounds.len() {
            let b = &self.bounds[i];
            match &b.kind {
                BoundKind::Law(law) if law.is_spring() => {}
                BoundKind::Law(_) => self.book_law(i, self.lambda[self.row_of(b)], 0.0, stats),
                _ => self.book(b, self.lambda[self.row_of(b)] * (b.end - b.start) / h, stats),
            }
        }
    }

    fn book(&self, b: &Bound, work: f64, stats: &mut Stats) {
        match b.kind {
            BoundKind::Friction { .. } => stats.friction -= work,
            BoundKind::Drive { .. } => stats.drives += work,
            BoundKind::Limit { .. } | BoundKind::Law(_) => {}
        }
    }

    /// Mean effort of the velocity motor or servo `motor` over a step of `h`.
    pub(crate) fn drive_effort(&self, motor: u32, h: f64) -> Option<f64> {
        let is = |b: &&Bound| match b.kind {
            BoundKind::Drive { motor: m, .. } => m == motor,
            BoundKind::Law(law) => law.motor == motor,
            _ => false,
        };
        let sum = |b: &Bound| match b.kind {
            BoundKind::Law(law) if law.account != NONE => self.total[law.account as usize],
            _ => self.total[self.row_of(b)],
        };
        self.bounds.iter().find(is).filter(|_| h > 0.0).map(|b| sum(b) / h)
    }

    /// Notes the limits that are being hit.
    pub(super) fn note_hits(&self, time: f64, stats: &mut Stats) {
        for b in self.bounds.iter().filter(|b| b.rebound.is_some()) {
            let joint = &self.joints[self.nodes[b.node as usize].joint as usize];
            let speed = self.rate_of(b.node as usize, usize::from(b.row)).abs();
            // touching without speed is no impact
            if speed > self.tolerance.velocity {
                stats.hits.push(Hit { joint: joint.id, name: joint.name.clone(), time, speed });
            }
        }
    }
}

/// Next state of a row whose effort is bounded: saturated rows are held again when the motion goes
/// with their push.
fn next_effort(state: BoundState, impulse: f64, cap: f64, lag: f64, slack: f64) -> BoundState {
    match state {
        BoundState::Held if impulse > cap => BoundState::High,
        BoundState::Held if impulse < -cap => BoundState::Low,
        BoundState::High if lag > slack => BoundState::Held,
        BoundState::Low if lag < -slack => BoundState::Held,
        same => same,
    }
}

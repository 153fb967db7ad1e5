//! A step of a world with contacts, in the two modes of contact time (B-70, B-71).
//!
//! *Fast*: kick, drift, detect, hold. When detection finds a new overlap, because features met that
//! the start of the step did not know of, the step is made again with what its end has shown
//! (`again`). Where that does not help (corners that turn into faces within the step), it is made
//! in halves.
//!
//! *Exact*: the step is cut where bodies meet. The time comes from conservative advancement over
//! ballistic flight, corrected by Newton's rule on the true motion (joints, other contacts) when it
//! still ends in an overlap. Work is bounded: after so many cuts the rest of the step is fast.
//! Impacts slower than a fall through the touch distance are rest, so that a bouncing ball comes to
//! an end.

use super::Contacts;
use super::report::ContactReport;
use super::settings::ContactTime;
use crate::model::Model;
use crate::state::State;
use crate::step::Budget;
use crate::system::System;

/// How often a fast step is made again; never where heaps of bodies lie inside each other, which no
/// repeat mends.
const REPEATS: u32 = 3;

/// The same where many chains take part, which are predicted and projected anew.
const JOINTED_REPEATS: u32 = 1;

/// A step that was made again is cut in halves when a new overlap is still this many times deeper;
/// the smallest part of it.
const TOO_DEEP: f64 = 3.0;
const SMALLEST_PART: f64 = 0.125;

/// The smallest part where many chains take part.
const SMALLEST_JOINTED_PART: f64 = 0.5;

/// Cuts of one exact step, and corrections of one cut.
const CUTS: u32 = 200;
const CORRECTIONS: u32 = 8;

/// A limit that a touching chain strikes ends a part of the step, so that contacts and limit act at
/// the same instant: so often in a step. A part is at least this share of it: in a shorter one what
/// joints are off by would count as velocity. The limit waits for its end.
const STRIKES: u32 = 16;
const SHORTEST_STRIKE: f64 = 0.01;

/// Contacts take part in a cut step when they are closer than this many tolerances.
pub(super) const NEAR: f64 = 10.0;

/// Energies that contacts took during a step, J, and what drawing bodies apart has given.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Losses {
    pub friction: f64,
    pub impacts: f64,
    pub lifted: f64,
    /// Work of kinematic bodies through contacts.
    pub carried: f64,
}

/// What a step has to work with.
pub(crate) struct Args<'a> {
    pub systems: &'a mut [System],
    pub model: &'a Model,
    pub state: &'a State,
    pub budget: &'a Budget,
    /// Advances all systems as they are, from a time and by a duration.
    pub drift: &'a mut (dyn FnMut(&mut [System], f64, f64) + Send),
}

/// Share of a step by which a part may go on after a limit was reached.
const OVERRUN: f64 = 1e-6;

/// What has become of a part of a fast step.
enum FastPart {
    Made(Losses),
    /// Bodies met too deeply: it is to be shorter.
    TooDeep,
    /// A chain strikes a limit after so long, s: it is to end there.
    Strikes(f64),
}

/// Lets limits wait for the end of the part that is being made, or act when they are reached.
fn wait(systems: &mut [System], waiting: bool) {
    systems.iter_mut().for_each(|s| s.limits_wait = waiting);
}

/// How long the part is that ends with a strike, where a step of `h` was to go on for `part`, s.
fn until_strike(strike: f64, part: f64, h: f64) -> f64 {
    let shortest = SHORTEST_STRIKE * h;
    if strike > part - shortest { part } else { strike.max(shortest) }
}

impl Contacts {
    /// Limits of touching chains strike that waited, or that would be struck before the shortest
    /// part of a step `h` is over: in that part they would be overrun. Returns whether one does.
    fn strike_limits(&self, systems: &mut [System], time: f64, h: f64, budget: &Budget) -> bool {
        let mut struck = false;
        for &c in &self.islands.chains {
            struck |= systems[c as usize].strike_limits(time, SHORTEST_STRIKE * h, budget);
        }
        // chains that have left their contacts
        for s in systems.iter_mut().filter(|s| s.limits_wait) {
            struck |= s.strike_limits(time, 0.0, budget);
        }
        struck
    }

    /// When the first touching chain has struck a limit in the drift that began at `now`, s after
    /// it.
    fn first_strike(&self, systems: &[System], now: f64) -> Option<f64> {
        let hits =
            self.islands.chains.iter().filter_map(|&c| systems[c as usize].stats.hits.first());
        hits.map(|hit| hit.time - now).reduce(f64::min)
    }

    /// When the first limit was reached that waits for the end of a part and has been overrun in
    /// it, s after its start.
    fn overrun(&self, systems: &[System], part: f64, h: f64) -> Option<f64> {
        let over =
            self.islands.chains.iter().map(|&c| systems[c as usize].overrun()).fold(0.0, f64::max);
        (over > OVERRUN * h && part - over > SHORTEST_STRIKE * h).then_some(part - over)
    }

    /// Advances all systems by `h`, with contacts. `fresh` says that nobody has changed the state
    /// since the last step.
    pub fn step(&mut self, args: &mut Args<'_>, h: f64, fresh: bool) -> Losses {
        self.report = ContactReport::default();
        self.rebounding.clear();
        self.recovered = 1.0;
        self.spent = false;
        self.detection = std::time::Duration::ZERO;
        self.read(args.systems, args.state, 0.0);
        let sleeps = args.model.settings.contact.sleep;
        if !sleeps || !fresh || (h - self.memory.last_h).abs() > 1e-9 * h {
            self.wake_all();
        }
        // the rows at hand know nothing of bodies that slept
        self.ready &= !self.wake_pushed(args.systems);
        if !fresh || self.memory.valid_h < h * (1.0 - 1e-9) {
            self.detect(h, args.model.gravity);
        }
        let lifted = self.draw_apart(args.systems, args.model, args.state, h);
        self.ready &= !self.wake_touched(h, args.model.gravity);
        self.tuck_in(args.systems);
        if !self.ready {
            self.set_up(args.systems, &args.model.settings.contact);
        }
        self.checkpoints.resize_with(args.systems.len(), Default::default);
        args.systems.iter_mut().for_each(|s| s.shares_contact = false);
        let losses = match args.model.settings.contact.time {
            ContactTime::Fast => self.fast(args, h),
            ContactTime::Exact => self.exact(args, h),
        };
        let mut losses = Losses { lifted, ..losses };
        if sleeps {
            losses.friction += self.fall_asleep(args.systems, h);
        }
        self.sum_up(args.model.settings.contact.touch);
        losses
    }

    /// The longest part of a step that chains with laws can share with contacts, s: a whole number
    /// of them makes the step.
    fn shared_part(&self, systems: &[System], h: f64) -> f64 {
        let lawful = |c: &&u32| systems[**c as usize].lawful;
        let wish = self
            .islands
            .chains
            .iter()
            .filter(lawful)
            .map(|&c| systems[c as usize].shared_h(h))
            .fold(h, f64::min);
        h / (h / wish - 1e-9).ceil().clamp(1.0, 1.0 / SMALLEST_PART)
    }

    /// Whether time is up: what is at hand has to do, and the report says so.
    fn is_late(&mut self, budget: &Budget) -> bool {
        let late = budget.spent();
        self.spent |= late;
        late
    }

    fn save(&mut self, systems: &[System]) {
        for (c, s) in self.checkpoints.iter_mut().zip(systems) {
            c.take(s);
        }
    }

    pub(super) fn go_back(&mut self, systems: &mut [System]) {
        for (c, s) in self.checkpoints.iter().zip(systems) {
            c.go_back(s);
        }
    }

    /// A fast step: in one piece where that goes well.
    fn fast(&mut self, args: &mut Args<'_>, h: f64) -> Losses {
        let mut sums = std::mem::take(&mut self.sums);
        sums.resize_with(args.systems.len(), Default::default);
        let mut losses = Losses::default();
        let (mut done, mut longest, mut parts) = (0.0, self.shared_part(args.systems, h), 0);
        let (mut strike, mut strikes) = (None, 0);
        while h - done > 1e-9 * h {
            let part = strike.unwrap_or(longest).min(h - done);
            wait(args.systems, strike.is_some());
            self.recovered = if strike.is_some() { part / h } else { 1.0 };
            let made = self.fast_part(args, [done, part, h], strikes < STRIKES);
            wait(args.systems, false);
            let taken = match made {
                FastPart::Made(taken) => taken,
                FastPart::Strikes(after) => {
                    (strike, strikes) = (Some(after), strikes + 1);
                    continue;
                }
                FastPart::TooDeep => {
                    (strike, longest) = (None, 0.5 * part);
                    continue;
                }
            };
            strike = None;
            done += part;
            parts += 1;
            losses.friction += taken.friction;
            losses.impacts += taken.impacts;
            losses.carried += taken.carried;
            if part < h {
                for (sum, s) in sums.iter_mut().zip(&*args.systems) {
                    if parts == 1 {
                        sum.clear(s.total.len());
                    }
                    sum.add(s);
                }
                // velocities have changed: what the next part meets is judged by them
                self.read(args.systems, args.state, done);
            }
        }
        if parts > 1 {
            for (sum, s) in sums.iter_mut().zip(&mut *args.systems) {
                sum.give(s);
            }
        }
        self.sums = sums;
        losses
    }

    /// Kick, drift, detect, hold for `part` of the step `h`, of which `done` has passed. Where it
    /// is not made, all is as before.
    fn fast_part(
        &mut self,
        args: &mut Args<'_>,
        [done, part, h]: [f64; 3],
        may_strike: bool,
    ) -> FastPart {
        let (now, settings) = (args.state.time + done, &args.model.settings);
        let waits = args.systems.iter().any(|s| s.limits_wait);
        if let Some(strike) = self.predict(args.systems, now, part, settings, args.budget)
            && may_strike
            && !waits
        {
            return FastPart::Strikes(until_strike(strike, part, h));
        }
        self.passed = part;
        self.save(args.systems);
        self.gaps_now(args.systems);
        let mut kick = self.kick(args.systems, part, false, settings, args.budget);
        let mut pushed = false;
        let repeats = if self.pairs.is_crowded() { 0 } else { REPEATS };
        for round in 0..=repeats {
            self.keep_kicked(args.systems);
            (args.drift)(args.systems, now, part);
            // held by contacts, a chain strikes earlier or later than without them: the part is to
            // end there, so that the ground answers to the blow and nothing is overrun
            let strike = if waits {
                self.overrun(args.systems, part, h)
            } else {
                self.first_strike(args.systems, now)
            };
            if round == 0
                && may_strike
                && let Some(strike) = strike
            {
                self.go_back(args.systems);
                self.read(args.systems, args.state, done);
                self.set_up(args.systems, &args.model.settings.contact);
                return FastPart::Strikes(until_strike(strike, part, h));
            }
            self.read(args.systems, args.state, done + part);
            self.detect(h, args.model.gravity);
            if round == repeats || !self.meets(1.0) || self.is_late(args.budget) {
                break;
            }
            if round == 0 {
                // detection has kept the contacts of the start
                std::mem::swap(&mut self.begin, &mut self.old);
            }
            self.keep_solved();
            if let Some(taken) = self.push_apart(args.systems, part, &settings.contact, args.budget)
            {
                kick.all += taken[0];
                kick.carried += taken[1];
                pushed = true;
                self.report.repeats += 1;
                continue;
            }
            if pushed || round >= JOINTED_REPEATS && self.has_many_chains() {
                break;
            }
            self.foretell(round == 0);
            self.report.repeats += 1;
            self.go_back(args.systems);
            if self.wake_met() {
                self.tuck_in(args.systems);
            }
            self.read(args.systems, args.state, done);
            self.set_up(args.systems, &args.model.settings.contact);
            self.predict(args.systems, now, part, settings, args.budget);
            kick = self.kick(args.systems, part, true, settings, args.budget);
        }
        let smallest = if self.has_many_chains() { SMALLEST_JOINTED_PART } else { SMALLEST_PART };
        let may_cut = part > smallest * h * (1.0 + 1e-9) && !self.pairs.is_crowded();
        if may_cut && self.meets(TOO_DEEP) && !self.is_late(args.budget) {
            self.report.cuts += 1;
            self.go_back(args.systems);
            self.read(args.systems, args.state, done);
            std::mem::swap(&mut self.memory.manifolds, &mut self.begin);
            (self.surveyed, self.found_for) = (false, 0.0);
            self.set_up(args.systems, &args.model.settings.contact);
            return FastPart::TooDeep;
        }
        self.memory.struck = self.strike_limits(args.systems, now + part, h, args.budget);
        // nothing awake is held by a sleeper
        if self.wake_touched(0.0, args.model.gravity) {
            self.tuck_in(args.systems);
        }
        self.set_up(args.systems, &args.model.settings.contact);
        let hold = self.hold(args.systems, part, args.model.gravity.length(), settings);
        self.memory.last_h = part;
        let friction = kick.friction + hold.friction;
        let shared: f64 = args.systems.iter().map(|s| s.stats.shared).sum();
        let (friction, impacts) = friction.split(kick.all + hold.all - shared);
        FastPart::Made(Losses {
            friction,
            impacts,
            lifted: 0.0,
            carried: kick.carried + hold.carried,
        })
    }

    /// Cuts the step where bodies meet.
    fn exact(&mut self, args: &mut Args<'_>, h: f64) -> Losses {
        let settings = &args.model.settings;
        let tolerance = settings.contact.tolerance;
        let near = NEAR * tolerance;
        let mut sums = std::mem::take(&mut self.sums);
        sums.resize_with(args.systems.len(), Default::default);
        for (sum, s) in sums.iter_mut().zip(&*args.systems) {
            sum.clear(s.total.len());
        }
        let mut losses = Losses::default();
        let (mut done, mut cuts) = (0.0, 0);
        while h - done > 1e-9 * h {
            let left = h - done;
            let now = args.state.time + done;
            let mut part = left;
            if cuts < CUTS && !self.is_late(args.budget) {
                part = self
                    .first_meeting(left, args.model.gravity, near, tolerance)
                    .max(1e-6 * h)
                    .min(left);
                part = part.min(self.shared_part(args.systems, h));
            }
            self.save(args.systems);
            self.gaps_now(args.systems);
            self.start.clone_from(&self.memory.manifolds);
            let mut kick;
            let mut tries = 0;
            loop {
                let strike = self.predict(args.systems, now, part, settings, args.budget);
                if let Some(strike) = strike.filter(|_| cuts < CUTS) {
                    part = until_strike(strike, part, h);
                    self.recovered = part / h;
                    wait(args.systems, true);
                    self.predict(args.systems, now, part, settings, args.budget);
                }
                kick = self.kick(args.systems, part, false, settings, args.budget);
                (args.drift)(args.systems, now, part);
                self.read(args.systems, args.state, done + part);
                self.detect(h, args.model.gravity);
                let (depth, speed) = self.deepest_new(near);
                tries += 1;
                let enough =
                    depth <= tolerance || tries > CORRECTIONS || cuts >= CUTS || part <= 1e-6 * h;
                if enough || self.is_late(args.budget) {
                    self.memory.struck =
                        self.strike_limits(args.systems, now + part, h, args.budget);
                    break;
                }
                wait(args.systems, false);
                self.recovered = 1.0;
                // back to where the deepest pair met, a little before rather than after
                let back = if speed > 0.0 { (depth / speed).min(0.9 * part) } else { 0.5 * part };
                part -= back.max(1e-9 * part);
                self.report.repeats += 1;
                self.go_back(args.systems);
                self.read(args.systems, args.state, done);
                self.memory.manifolds.clone_from(&self.start);
                (self.surveyed, self.found_for) = (false, 0.0);
                self.set_up(args.systems, &args.model.settings.contact);
            }
            wait(args.systems, false);
            self.recovered = 1.0;
            if self.wake_touched(left - part, args.model.gravity) {
                self.tuck_in(args.systems);
            }
            self.set_up(args.systems, &args.model.settings.contact);
            let hold = self.hold(args.systems, part, args.model.gravity.length(), settings);
            self.memory.last_h = part;
            let friction = kick.friction + hold.friction;
            let shared: f64 = args.systems.iter().map(|s| s.stats.shared).sum();
            let (friction, impacts) = friction.split(kick.all + hold.all - shared);
            losses.friction += friction;
            losses.impacts += impacts;
            losses.carried += kick.carried + hold.carried;
            for (sum, s) in sums.iter_mut().zip(&*args.systems) {
                sum.add(s);
            }
            // velocities have changed: what the next part meets is judged by them
            self.read(args.systems, args.state, done + part);
            done += part;
            cuts += 1;
        }
        for (sum, s) in sums.iter_mut().zip(&mut *args.systems) {
            sum.give(s);
        }
        self.sums = sums;
        losses
    }
}

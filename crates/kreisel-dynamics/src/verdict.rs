//! The verdict on a step, the same under every method: joints within tolerance, the order kept,
//! numbers finite, energy explained.
//!
//! *Energy.* The ledger of a step leaves a residual r: energy that appeared (or vanished) and that
//! nothing explains. A sound step of second order lets it swing by a small share of what moves; a
//! step beyond its stability, a false contact, a push from nowhere let it grow. So gains and losses
//! are summed up from step to step,
//!
//! G ← max(0, G + r),   L ← max(0, L − r),
//!
//! and when one exceeds a share of what moves, the step that carried it there is named and the sum
//! starts anew. What moves is the largest kinetic energy of the recent past, and a fifth of all
//! that was lost in it. Velocities that were given from outside and contradict joints are taken out
//! by the first steps after it: such losses are not judged.
//!
//! *Sampled servos.* A servo holds its effort f for a whole step, so that the work it does differs
//! from that of the spring and damper it stands for. With error e and V(e) = ∫ clamp(k e) de, an
//! ideal one never does more work than V gives; the excess over the step, f Δq + ΔV, is energy that
//! sampling brings. It is summed up in the same way, less all losses, so that a servo that
//! something else damps is left in peace.

use crate::body::BodyKind;
use crate::constraint::coordinate;
use crate::contact::ContactTime;
use crate::elements::{ControllerRecord, FieldRecord};
use crate::engine::{Engine, pair};
use crate::force::{Control, ControllerKind, FieldKind, Pid, SpringMode, Target};
use crate::joint::{Coordinate, JointId};
use crate::lagrange::MOST_SUBSTEPS;
use crate::model::{JointRecord, Model, MotorRecord, SpringRecord};
use crate::report::{Event, Ledger, Status, StepReport, Unexplained, WorstJoint};
use crate::settings::{Method, Order, Substeps};
use crate::state::{BodyState, State};
use crate::system::SystemSpring;
use crate::world::kinetic;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Energy that nothing explains may reach this share of what moves; beyond it the step is not to be
/// trusted. The swing of the symmetric step over a period, at the longest substep that the
/// controller takes for springs, is a third of it.
pub const UNEXPLAINED_SHARE: f64 = 0.1;

/// The same where a pair with friction above 1 pushes: what slides tip-down may jam there, and
/// impulses then feed it some per cent (`audit/painleve`: 0.8 %).
const JAMMED_SHARE: f64 = 2e-3;

/// The same for losses: energy that damping, friction and impacts took may be wrong by this share.
const LOSS_SHARE: f64 = 0.02;

/// What moved is forgotten with this time constant, s.
const RECENT: f64 = 10.0;

/// Share of all energies that rounding may change in a step.
const ROUNDING: f64 = 1e-10;

/// Bodies may stand off by this many tolerances together: those of joints in a row add up.
const TOLERANCES: f64 = 10.0;

/// Steps after a change from outside in which losses are not judged: joints take out what
/// contradicts them.
const SETTLING: u32 = 3;

/// Step times damping over the mass that a spring moves, above which its motion within the step is
/// not resolved.
const STIFF_FOR_ORDER: f64 = 4.0;
/// Of h ω: a vibration that is not followed by an explicit step; of second order its phase is 4 %
/// off.
const UNFOLLOWED: f64 = 0.5;
/// Of h d a: a damper that stops a motion in half a step, or faster, is not followed by it.
const UNRESOLVED: f64 = 2.0;

/// Why a body that jams gains energy.
const JAMMED: &str =
    "friction above 1 may lift what it brakes (Painlevé); take less, or method \"lagrange\"";

/// Most bodies that are named.
const MOST_NAMES: usize = 3;

/// What the verdict remembers from step to step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Watch {
    /// Unexplained gains and losses since they were last judged, J.
    gained: f64,
    lost: f64,
    /// Energy that sampled servos brought beyond all losses, J.
    sampled: f64,
    /// Largest kinetic energy of the recent past, J.
    moving: f64,
    /// All losses of the recent past, J.
    losses: f64,
    /// Steps left in which losses are not judged.
    settling: u32,
}

/// A servo's part in a step.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// Slot of its motor.
    pub motor: u32,
    /// Coordinate at the start.
    pub start: f64,
    /// Targets at both ends of the step.
    pub set: [f64; 2],
    /// Proportional and derivative part of the effort, as far as the largest effort allows.
    pub effort: f64,
    pub gain: f64,
    pub max: f64,
    pub target: Target,
}

impl Sample {
    /// Energy beyond that of an ideal spring and damper, for the coordinate at the end of a step of
    /// `h`, J. A target that moves does work itself, and one that jumps does it all at once: what
    /// is left whether it moves or not is the excess.
    fn excess(&self, end: f64, h: f64) -> f64 {
        let moved = end - self.start;
        match self.target {
            Target::Position => {
                let reach = self.max / self.gain;
                let stored = |e: f64| {
                    if e.abs() <= reach {
                        0.5 * self.gain * e * e
                    } else {
                        self.max * (e.abs() - 0.5 * reach)
                    }
                };
                let [before, after] = self.set;
                let still =
                    self.effort * moved + stored(before - end) - stored(before - self.start);
                let along = self.effort * (moved - (after - before)) + stored(after - end)
                    - stored(before - self.start);
                still.min(along)
            }
            Target::Velocity => {
                let [before, after] = self.set.map(|rate| self.effort * (moved - rate * h));
                before.min(after)
            }
        }
    }
}

/// Proportional and derivative part of a controller's output.
pub(crate) fn proportional(pid: &Pid, error: f64, last: Option<f64>, h: f64, max: f64) -> f64 {
    let slope = (error - last.unwrap_or(error)) / h;
    (pid.gain * (error + pid.derivative_time * slope)).clamp(-max, max)
}

impl Watch {
    /// The state is about to be stepped for the first time after a change from outside.
    pub fn changed(&mut self) {
        self.settling = SETTLING;
    }
}

impl Engine {
    /// Judges a step whose start is `kept`.
    pub(crate) fn judge(
        &mut self,
        model: &Model,
        state: &State,
        kept: &[BodyState],
        h: f64,
        report: &mut StepReport,
    ) {
        if matches!(report.status, Status::Refused | Status::Quarantined | Status::Interrupted) {
            self.watch = Watch::default();
            return;
        }

        // joints: the tolerance is the promise, whatever method made the step
        let tolerance = model.settings.tolerance;
        self.judge_limits(model, state, report);
        if let Some(w) = &report.worst
            && !(w.position <= tolerance.position && w.angle <= tolerance.angle)
            && report.status == Status::Converged
        {
            report.status = Status::NotConverged;
        }

        // order: forces that are held over the step are of first order in it, whatever the rest of
        // the step is
        if let Some(cause) = self.order_lost(model, state, h, report) {
            report.order_lowered_by = Some(cause.into());
            if report.status == Status::Converged {
                report.status = Status::Order;
            }
        } else if model.settings.method != Method::Lagrange {
            // the report says what is of lower order than was asked for, and the step stands
            report.order_lowered_by = self.of_lower_order(model);
        }

        // numbers: energies beyond their range tell of bodies that are about to follow
        if !report.ledger.energy.total().is_finite() || !report.ledger.residual.is_finite() {
            report.status = Status::Quarantined;
            let bodies = concerned(model, state, kept);
            report
                .events
                .extend(bodies.into_iter().take(1).map(|body| Event::Quarantined { body }));
            return;
        }

        let moving = self.note_moving(model, h, report);
        self.judge_energy(model, state, kept, moving, h, report);
    }

    /// A coordinate that is further beyond its limits than the worst joint is off is the worst.
    fn judge_limits(&self, model: &Model, state: &State, report: &mut StepReport) {
        let tolerance = model.settings.tolerance;
        let off = |position: f64, angle: f64| {
            (position / tolerance.position).max(angle / tolerance.angle)
        };
        let mut worst = report.worst.as_ref().map_or(0.0, |w| off(w.position, w.angle)).max(1.0);
        for (i, g, joint) in model.joints.iter() {
            if !joint.desc.active || joint.guide.is_some() || joint.desc.limits.is_empty() {
                continue;
            }
            let (position, angle) = self.beyond_limits(joint, i, state, 0.0, 0.0);
            if off(position, angle) > worst {
                worst = off(position, angle);
                let (joint, name) = (JointId { index: i, generation: g }, joint.name.clone());
                report.worst = Some(WorstJoint { joint, name, position, angle });
            }
        }
    }

    /// A force that vibrates, or damps, faster than the multiplier method's explicit integrator
    /// follows with its shortest substeps.
    fn too_fast(&self, model: &Model, state: &State, h: f64) -> Option<Arc<str>> {
        let substeps = self.lagrange.substeps;
        if substeps < MOST_SUBSTEPS {
            return None;
        }
        let h = h / substeps;
        let fast = |m: &&MotorRecord| {
            let (stiffness, damping) = match &m.desc.control {
                Control::Servo { target: Target::Position, pid, .. } => {
                    (pid.gain, pid.gain * pid.derivative_time)
                }
                Control::Servo { target: Target::Velocity, pid, .. } => {
                    (pid.gain / pid.integral_time, pid.gain)
                }
                // behind an inductance the current is a spring, K²/L
                Control::Electric { winding, .. } if winding.inductance > 0.0 => {
                    (winding.constant * winding.constant / winding.inductance, 0.0)
                }
                Control::Electric { winding, .. } => {
                    (0.0, winding.constant * winding.constant / winding.resistance)
                }
                _ => return false,
            };
            let Some(joint) = model.joint(m.desc.joint).filter(|j| j.desc.active) else {
                return false;
            };
            let a = response(model, joint, m.desc.coordinate, state);
            h * (stiffness * a).sqrt() > UNFOLLOWED || h * damping * a > 2.0 * UNFOLLOWED
        };
        let servo = model.motors.iter().map(|m| m.2).find(fast).map(|m| m.name.clone());
        // without a servo that is, springs or dampers are
        let stiffest = model.springs.iter().map(|s| s.2).max_by(|a, b| {
            let rate = |s: &SpringRecord| s.desc.stiffness.max(s.desc.damping);
            rate(a).total_cmp(&rate(b))
        });
        servo.or_else(|| stiffest.map(|s| s.name.clone())).or_else(|| Some("a force".into()))
    }

    /// Why the step has not the order that is asked for, or not even the second.
    fn order_lost(
        &self,
        model: &Model,
        state: &State,
        h: f64,
        report: &StepReport,
    ) -> Option<String> {
        let settings = &model.settings;
        let asks_more =
            settings.order != Order::Two || matches!(settings.substeps, Substeps::Error(_));
        let jumps = report.contact.impacts > 0
            || report.events.iter().any(|e| matches!(e, Event::LimitHit { .. }));
        if settings.method != Method::Lagrange {
            let sampled = &self.lagrange.as_rows;
            if let Some(name) = held(model, sampled).filter(|_| asks_more) {
                return Some(format!("\"{name}\" holds its force for a step"));
            }
            if let Some(name) = slowing(model, sampled).filter(|_| jumps) {
                return Some(format!("\"{name}\" holds its force through an impact"));
            }
            if asks_more && report.contact.impacts > 0 && settings.contact.time == ContactTime::Fast
            {
                return Some(
                    "an impact comes at the end of its step (contact time \"fast\")".to_owned(),
                );
            }
        }
        if settings.method == Method::Lagrange {
            let name = self.too_fast(model, state, h)?;
            return Some(format!("\"{name}\" is too fast for the step"));
        }
        if let Some(name) = self.apart_from_contacts(h) {
            return Some(format!("\"{name}\" damps faster than the step, apart from contacts"));
        }
        if settings.contact.time == ContactTime::Fast
            && let Some(name) = self.stiff_through_a_rebound(h)
        {
            return Some(format!(
                "\"{name}\" damps faster than the step, through a rebound (contact time \"fast\")"
            ));
        }
        let name = self.too_stiff(h).filter(|_| asks_more)?;
        Some(format!("\"{name}\" damps faster than the step"))
    }

    /// What is of the first or second order where a higher one is asked for, in a step that stands.
    /// The sentence on elements is kept: steady steps allocate nothing.
    fn of_lower_order(&mut self, model: &Model) -> Option<Arc<str>> {
        if self.held_note.as_ref().is_none_or(|note| note.0 != model.revision) {
            let held = first_order(model)
                .map(|name| format!("\"{name}\" holds its force for a step: first order").into());
            self.held_note = Some((model.revision, held));
        }
        let turned = || {
            let name = self.systems.iter().find_map(|s| s.turned.clone())?;
            Some(format!("\"{name}\" stuck or slid within a step: second order there").into())
        };
        self.held_note.as_ref().and_then(|note| note.1.clone()).or_else(turned)
    }

    /// A spring that damps faster than the step in a chain that touches something: contacts are
    /// solved apart from it.
    fn apart_from_contacts(&self, h: f64) -> Option<Arc<str>> {
        let systems = self.contacts.touching_chains().filter_map(|c| self.systems.get(c as usize));
        let unresolved =
            |s: &&SystemSpring| s.is_force() && h * s.damping * s.response > UNRESOLVED;
        systems.flat_map(|s| &s.springs).find(unresolved).map(|s| s.name.clone())
    }

    /// A joint whose damper acts faster than the step in a chain that has just rebounded: an impact
    /// is over before a damper has moved anything, but in fast time both answer at once.
    fn stiff_through_a_rebound(&self, h: f64) -> Option<Arc<str>> {
        let systems = self.contacts.rebounding_chains();
        systems.filter_map(|c| self.systems.get(c as usize)).find_map(|s| s.fast_damper(h))
    }

    /// A spring that damps much faster than the step: it is stable and right at rest, but its
    /// motion within the step is not resolved.
    fn too_stiff(&self, h: f64) -> Option<Arc<str>> {
        let stiff = |s: &&SystemSpring| s.law && h * s.damping * s.response > STIFF_FOR_ORDER;
        self.systems.iter().flat_map(|s| &s.springs).find(stiff).map(|s| s.name.clone())
    }

    /// What moves, J, or the little that tolerances and rounding stand for.
    fn note_moving(&mut self, model: &Model, h: f64, report: &StepReport) -> f64 {
        let l = &report.ledger;
        let memory = (1.0 - h / RECENT).max(0.0);
        let w = &mut self.watch;
        w.moving = l.energy.kinetic.max(w.moving * memory);
        w.losses = w.losses * memory + losses(l);
        (w.gained, w.lost, w.sampled) = (w.gained * memory, w.lost * memory, w.sampled * memory);

        // bodies may stand off by a tolerance in the field of gravity, and move with the velocity's
        let t = &model.settings.tolerance;
        let settings = &model.settings.contact;
        let touching = if self.contacts.is_active(model) {
            settings.tolerance + settings.overlap
        } else {
            0.0
        };
        let slack = TOLERANCES * t.position + touching;
        let dynamic = model.bodies.iter().filter(|b| b.2.desc.kind == BodyKind::Dynamic);
        let mass: f64 = dynamic.map(|b| b.2.desc.mass.mass).sum();
        let still = mass * (model.gravity.length() * slack + t.velocity * t.velocity);
        let rounding =
            ROUNDING * (l.energy.kinetic + l.energy.potential.abs() + l.energy.spring.abs());
        let lost = LOSS_SHARE / UNEXPLAINED_SHARE * self.watch.losses;
        (self.watch.moving + lost).max(still.max(rounding) / UNEXPLAINED_SHARE)
    }

    /// Energy that each sampled servo brought in this step, J, with the slot of its motor.
    fn sampling(&self, model: &Model, state: &State, h: f64) -> impl Iterator<Item = (u32, f64)> {
        self.samples.iter().filter_map(move |s| {
            let (end, _) = self.motor_coordinate(model, state, s.motor)?;
            Some((s.motor, s.excess(end, h)))
        })
    }

    /// Names of the servos that brought energy in this step.
    fn sampled_too_slowly(&self, model: &Model, state: &State, h: f64) -> String {
        let slots = self
            .sampling(model, state, h)
            .filter(|&(_, excess)| excess > 0.0)
            .map(|(slot, _)| slot);
        let name =
            |slot: u32| model.motors.iter().find(|m| m.0 == slot).map(|m| m.2.name.to_string());
        slots.filter_map(name).take(MOST_NAMES).collect::<Vec<_>>().join(", ")
    }

    fn judge_energy(
        &mut self,
        model: &Model,
        state: &State,
        kept: &[BodyState],
        moving: f64,
        h: f64,
        report: &mut StepReport,
    ) {
        let l = &report.ledger;
        let excess: f64 = self.sampling(model, state, h).map(|s| s.1).sum();
        let w = &mut self.watch;
        w.gained = (w.gained + l.residual).max(0.0);
        w.lost = if w.settling > 0 { 0.0 } else { (w.lost - l.residual).max(0.0) };
        w.settling = w.settling.saturating_sub(1);
        w.sampled = (w.sampled + excess - losses(l)).max(0.0);

        let most = UNEXPLAINED_SHARE * moving;
        let jams = model.settings.method != Method::Lagrange && self.contacts.may_jam();
        let most_gained = if jams { JAMMED_SHARE * moving } else { most };
        let (energy, cause) = if self.watch.sampled > most {
            let sampled = self.watch.sampled;
            let names = self.sampled_too_slowly(model, state, h);
            (sampled, format!("sampled too slowly for their gains: {names}; take a smaller step"))
        } else if self.watch.gained > most_gained {
            let cause = if jams { JAMMED } else { "" };
            (self.watch.gained, cause.into())
        } else if self.watch.lost > most {
            (-self.watch.lost, String::new())
        } else {
            return;
        };
        let w = &mut self.watch;
        (w.gained, w.lost, w.sampled) = (0.0, 0.0, 0.0);
        let bodies = concerned(model, state, kept).into_iter().take(MOST_NAMES).collect();
        report.unexplained =
            Some(Unexplained { energy, share: energy.abs() / moving, bodies, cause });
        if matches!(report.status, Status::Converged | Status::Order) {
            report.status = Status::Energy;
        }
    }
}

/// An active element that holds a force over a step which depends on velocities.
fn slowing(model: &Model, as_rows: &[u32]) -> Option<Arc<str>> {
    let sampled = model.controllers.iter().filter(|c| !as_rows.contains(&c.0)).map(|c| c.2);
    let depends = |c: &&ControllerRecord| match &c.desc.kind {
        ControllerKind::Plugin(plugin) => {
            c.desc.active && plugin.law().is_some_and(|law| law.depends_on_velocities())
        }
        kind => c.desc.active && !kind.is_single(),
    };
    let controllers = sampled.filter(depends).map(|c| &c.name);
    let drags = |f: &&FieldRecord| f.desc.active && matches!(f.desc.kind, FieldKind::Friction(_));
    let fields = model.fields.iter().map(|f| f.2).filter(drags).map(|f| &f.name);
    controllers.chain(fields).next().cloned()
}

/// An element that holds the force of the step's start: constant springs and sampled servos.
fn first_order(model: &Model) -> Option<Arc<str>> {
    let servo = |m: &&MotorRecord| matches!(&m.desc.control, Control::Servo { pid, .. } if pid.window.is_some());
    let motors = model.motors.iter().map(|m| m.2).filter(servo).map(|m| &m.name);
    let constant = |s: &&SpringRecord| s.desc.mode == SpringMode::Constant;
    let springs = model.springs.iter().map(|s| s.2).filter(constant).map(|s| &s.name);
    motors.chain(springs).next().cloned()
}

/// An active element that holds its force over a step.
fn held(model: &Model, as_rows: &[u32]) -> Option<Arc<str>> {
    // forces that do not change need no sampling
    let varies =
        |c: &&ControllerRecord| c.desc.active && !matches!(c.desc.kind, ControllerKind::Vector(_));
    let sampled = model.controllers.iter().filter(|c| !as_rows.contains(&c.0));
    let controllers = sampled.map(|c| c.2).filter(varies).map(|c| &c.name);
    let varies = |f: &&FieldRecord| f.desc.active && !matches!(f.desc.kind, FieldKind::Gravity(_));
    let fields = model.fields.iter().map(|f| f.2).filter(varies).map(|f| &f.name);
    // the current of a winding is that of the finest run, of second order
    let winding = |m: &&MotorRecord| matches!(&m.desc.control, Control::Electric { winding, .. } if winding.inductance > 0.0);
    let windings = model.motors.iter().map(|m| m.2).filter(winding).map(|m| &m.name);
    first_order(model).or_else(|| windings.chain(controllers).chain(fields).next().cloned())
}

/// Inverse inertia of two bodies along a joint's coordinate, as if nothing else held them.
fn response(model: &Model, joint: &JointRecord, coordinate: Coordinate, state: &State) -> f64 {
    if joint.guide.is_some() {
        return 0.0;
    }
    let row = coordinate::row(&pair(joint, state), coordinate);
    let of_body = |k: usize| {
        let id = joint.desc.bodies[k];
        let Some(body) = model.body(id).filter(|b| b.desc.kind == BodyKind::Dynamic) else {
            return 0.0;
        };
        let local = state.slot(id.index).rotation.inverse() * row.a[k];
        let turn = |x: f64, moment: f64| if moment > 0.0 { x * x / moment } else { 0.0 };
        let turns: f64 = (0..3).map(|i| turn(local[i], body.moments[i])).sum();
        row.n.length_squared() / body.desc.mass.mass + turns
    };
    of_body(0) + of_body(1)
}

/// All that a step has lost for a stated reason, J.
fn losses(l: &Ledger) -> f64 {
    (l.damping + l.friction + l.impacts + l.correction).max(0.0)
}

/// Names of the bodies whose own energy changed most in the step, those first.
fn concerned(model: &Model, state: &State, kept: &[BodyState]) -> Vec<Arc<str>> {
    let mut list: Vec<(f64, Arc<str>)> = Vec::new();
    for (slot, _, body) in model.bodies.iter().filter(|b| b.2.desc.kind == BodyKind::Dynamic) {
        let (Some(a), Some(b)) = (kept.get(slot as usize), state.bodies.get(slot as usize)) else {
            continue;
        };
        let mass = body.desc.mass.mass;
        let change = kinetic(mass, body.moments, b)
            - kinetic(mass, body.moments, a)
            - mass * model.gravity.dot(b.position - a.position);
        list.push((change.abs(), body.name.clone()));
    }
    list.sort_by(|a, b| b.0.total_cmp(&a.0));
    list.into_iter().map(|(_, name)| name).take(MOST_NAMES).collect()
}

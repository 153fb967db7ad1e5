//! Runs a scene to its end, with progress, interruption and a summary.

use crate::args::Overrides;
use crate::exit::Failure;
use crate::progress::Progress;
use kreisel_dynamics::{Energy, Event, Interrupt, Status, StepReport, Unexplained, World};
use kreisel_scene::record::Changes;
use kreisel_scene::{Scene, Simulation};
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Most steps of a run: a step of nanoseconds over years is a typing error.
const MAX_STEPS: u64 = 1_000_000_000;

/// What a run was like.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Steps made.
    pub steps: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Wall time, s.
    pub wall_time: f64,
    /// Processor time of the thread that steps, s, where the system tells it: what a busy machine
    /// does not blur.
    pub processor_time: Option<f64>,
    /// Simulated time per wall time.
    pub real_time_factor: f64,
    /// Steps in which every joint was within tolerance.
    pub converged: u64,
    /// Steps that spent their budget of rounds or time.
    pub budget_spent: u64,
    /// Steps in which at least one joint was out of tolerance.
    pub not_converged: u64,
    /// Steps that put a chain back because its motion left the numbers.
    pub quarantined: u64,
    /// Steps that did not keep the order or error bound asked for.
    pub order_lowered: u64,
    /// The element that lowered it.
    pub order_lowered_by: Option<Arc<str>>,
    /// Steps in which energy appeared or vanished that nothing explains.
    pub energy_unexplained: u64,
    /// The worst of those steps.
    pub unexplained: Option<WorstEnergy>,
    /// The largest joint error of the run.
    pub worst: Option<Worst>,
    /// Energies at the start, J.
    pub energy_start: Energy,
    /// Energies at the end, J.
    pub energy_end: Energy,
    /// Work of motors and outer forces, J.
    pub work: f64,
    /// Energy taken by damping, friction, impacts and correction, J.
    pub losses: f64,
    /// Largest sum of the ledger's residuals at any time, J: the error of the energy balance.
    pub residual: f64,
    /// Joints that broke, with the time.
    pub broken: Vec<Broken>,
    /// Number of impacts at limits.
    pub limit_hits: u64,
    /// Number of times that two bodies came into touch.
    pub contacts: u64,
    /// Deepest overlap at the end of a step, m.
    pub penetration: f64,
    /// Procedures of scripts that failed; each is off from then on.
    pub script_errors: u64,
    /// Whether the user stopped the run.
    pub interrupted: bool,
    /// Hash of the last state: equal runs have equal hashes.
    pub state_hash: String,
    /// The world at the end.
    #[serde(skip)]
    pub world: World,
}

/// The worst joint of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Worst {
    /// Its name.
    pub joint: Arc<str>,
    /// Gap, m.
    pub position: f64,
    /// Misalignment, rad.
    pub angle: f64,
    /// When, s.
    pub time: f64,
}

/// The step in which most energy appeared that nothing explains.
#[derive(Clone, Debug, Serialize)]
pub struct WorstEnergy {
    /// Which step, counted from 1.
    pub step: u64,
    /// When, s.
    pub time: f64,
    /// What, and which bodies.
    #[serde(flatten)]
    pub what: Unexplained,
}

/// A joint that broke.
#[derive(Clone, Debug, Serialize)]
pub struct Broken {
    /// Its name.
    pub joint: Arc<str>,
    /// When, s.
    pub time: f64,
    /// Reaction force, N.
    pub force: f64,
    /// Reaction torque, N m.
    pub torque: f64,
}

/// Applies what the command line overrides; gives the time to stop at.
pub fn apply(overrides: &Overrides, scene: &mut Scene) -> Result<f64, Failure> {
    end(scene, overrides.until, &changes(overrides))
}

/// What the command line changes about a scene.
pub fn changes(overrides: &Overrides) -> Changes {
    Changes {
        params: overrides.params.set.clone(),
        step: overrides.step,
        method: overrides.method.clone(),
        order: overrides.order,
    }
}

/// Makes changes to a scene; gives the time to stop at.
pub fn end(scene: &mut Scene, until: Option<f64>, changes: &Changes) -> Result<f64, Failure> {
    changes.apply(scene).map_err(Failure::usage)?;
    let until = until.unwrap_or(scene.duration);
    if !(until.is_finite() && until > 0.0) {
        return Err(Failure::usage(format!("--until must be positive, it is {until}")));
    }
    if until / scene.step > MAX_STEPS as f64 {
        return Err(Failure::usage(format!("{until} s in steps of {} s are more than {MAX_STEPS} steps", scene.step)));
    }
    Ok(until)
}

/// Runs until the time, calling `each` with the world and report after every step (and once before
/// the first).
pub fn run(
    scene: &Scene,
    until: f64,
    quiet: bool,
    mut each: impl FnMut(u64, &World, &StepReport) -> Result<(), Failure>,
) -> Result<Summary, Failure> {
    let mut simulation = Simulation::new(scene);
    let steps = simulation.steps_until(until);
    // The flag that a signal sets also gives up the step that is being made.
    let stop = interruption();
    simulation.world.set_interrupt(Interrupt::from_flag(Arc::clone(&stop)));
    let energy_start = simulation.world.energy();
    let mut tally = Tally::default();
    let mut progress = Progress::new(steps, quiet);
    let (start, processor) = (Instant::now(), processor_time());
    each(0, &simulation.world, &StepReport::default())?;
    let mut interrupted = false;
    for k in 1..=steps {
        if stop.load(Ordering::Relaxed) {
            interrupted = true;
            break;
        }
        simulation.fit_step(until);
        let report = simulation.step();
        let problems = simulation.take_problems();
        tally.script_errors += problems.len() as u64;
        crate::exit::print_problems(&problems);
        for line in simulation.take_messages().iter().filter(|_| !quiet) {
            eprintln!("{line}");
        }
        if report.status == Status::Interrupted {
            interrupted = true;
            break;
        }
        tally.count(&report, simulation.world.time());
        each(k, &simulation.world, &report)?;
        progress.step(k, simulation.world.time(), &report);
    }
    progress.finish();
    let wall_time = start.elapsed().as_secs_f64();
    let processor_time = processor_time().zip(processor).map(|(end, start)| end - start);
    let world = simulation.world.clone();
    Ok(Summary {
        steps: simulation.steps(),
        time: world.time(),
        wall_time,
        processor_time,
        real_time_factor: (world.time() - scene.world.time()) / wall_time.max(1e-9),
        converged: tally.converged,
        budget_spent: tally.budget_spent,
        not_converged: tally.not_converged,
        quarantined: tally.quarantined,
        order_lowered: tally.order_lowered,
        order_lowered_by: tally.order_lowered_by,
        energy_unexplained: tally.energy_unexplained,
        unexplained: tally.unexplained,
        worst: tally.worst,
        energy_start,
        energy_end: world.energy(),
        work: tally.work,
        losses: tally.losses,
        residual: tally.residual,
        broken: tally.broken,
        limit_hits: tally.limit_hits,
        contacts: tally.contacts,
        penetration: tally.penetration,
        script_errors: tally.script_errors,
        interrupted,
        state_hash: world.state_hash().iter().map(|b| format!("{b:02x}")).collect(),
        world,
    })
}

/// Processor time of this thread so far, s (Linux: the first number of schedstat, in ns).
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? * 1e-9)
}

/// Sums over the steps of a run.
#[derive(Default)]
struct Tally {
    converged: u64,
    budget_spent: u64,
    not_converged: u64,
    quarantined: u64,
    order_lowered: u64,
    order_lowered_by: Option<Arc<str>>,
    energy_unexplained: u64,
    unexplained: Option<WorstEnergy>,
    steps: u64,
    worst: Option<Worst>,
    work: f64,
    losses: f64,
    balance: f64,
    residual: f64,
    broken: Vec<Broken>,
    limit_hits: u64,
    contacts: u64,
    penetration: f64,
    script_errors: u64,
    /// Warnings given so far: each once, and not too many.
    warned: Vec<String>,
}

impl Tally {
    fn warn(&mut self, time: f64, message: String) {
        if self.warned.len() < 20 && !self.warned.contains(&message) {
            eprintln!("warning: at {time:.3} s: {message}");
            self.warned.push(message);
        }
    }

    fn count(&mut self, report: &StepReport, time: f64) {
        self.steps += 1;
        match report.status {
            Status::Converged => self.converged += 1,
            Status::NotConverged => self.not_converged += 1,
            Status::BudgetSpent => self.budget_spent += 1,
            // A step size that is no positive number is refused before a run begins.
            Status::Quarantined | Status::Refused => self.quarantined += 1,
            Status::Energy => self.energy_unexplained += 1,
            Status::Order => {
                self.order_lowered += 1;
                self.order_lowered_by = report.order_lowered_by.clone();
            }
            // The run ends with it, before it is counted.
            Status::Interrupted => {}
        }
        if let Some(what) = &report.unexplained
            && self.unexplained.as_ref().is_none_or(|w| what.energy.abs() > w.what.energy.abs())
        {
            self.unexplained = Some(WorstEnergy { step: self.steps, time, what: what.clone() });
        }
        if let Some(w) = &report.worst
            && self.worst.as_ref().is_none_or(|old| w.position.max(w.angle) > old.position.max(old.angle))
        {
            self.worst = Some(Worst { joint: w.name.clone(), position: w.position, angle: w.angle, time });
        }
        self.penetration = self.penetration.max(report.contact.penetration);
        let l = &report.ledger;
        self.work += l.motors + l.user;
        self.losses += l.damping + l.friction + l.impacts + l.correction;
        self.balance += l.residual;
        self.residual = self.residual.max(self.balance.abs());
        for event in &report.events {
            match event {
                Event::Broken { name, force, torque, .. } => {
                    self.broken.push(Broken { joint: name.clone(), time, force: *force, torque: *torque });
                }
                Event::LimitHit { .. } => self.limit_hits += 1,
                Event::ContactBegin { .. } => self.contacts += 1,
                Event::ContactEnd { .. } => {}
                // Counted by the step's status.
                Event::Quarantined { .. } => {}
                Event::Overdetermined { constraints, switched_off, .. } => {
                    let names = constraints.join(", ");
                    let then = switched_off.as_ref().map_or(String::new(), |n| format!("; {n} is switched off"));
                    self.warn(time, format!("these contradict each other: {names}{then}"));
                }
                Event::Damped { .. } => {
                    let message = "a constraint's target is out of reach: the step was damped";
                    self.warn(time, message.to_owned());
                }
                Event::NoValue { constraint } => {
                    self.warn(time, format!("a formula of {constraint} has no value; it is left out"));
                }
                Event::ConstraintBroken { name, force, .. } => {
                    self.broken.push(Broken { joint: name.clone(), time, force: *force, torque: 0.0 });
                }
                Event::Assembled { .. } => {}
            }
        }
    }
}

/// From here on a Ctrl-C ends the program at once.
pub fn end_on_interrupt() {
    interruption().store(true, Ordering::Relaxed);
}

/// A flag that Ctrl-C and SIGTERM set; a second signal ends the program at once.
pub fn interruption() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let mut fresh = false;
    let flag = FLAG.get_or_init(|| {
        fresh = true;
        Arc::default()
    });
    if !fresh {
        return Arc::clone(flag);
    }
    let seen = Arc::clone(flag);
    let handler = move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(crate::exit::Exit::Interrupted as u8));
        }
    };
    // On a system without signals Ctrl-C simply ends the program.
    let _ = ctrlc::set_handler(handler);
    Arc::clone(flag)
}

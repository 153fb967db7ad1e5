//! Runs a scene to its end, with progress, interruption and a summary.

use crate::args::Overrides;
use crate::exit::Failure;
use crate::progress::Progress;
use kreisel_dynamics::{Energy, Interrupt, Status, StepReport, World};
use kreisel_scene::record::Changes;
use kreisel_scene::{Broken, Scene, Simulation, Tally, Worst, WorstEnergy};
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
    /// The run at its end.
    #[serde(skip)]
    pub end: Simulation,
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
        key: None,
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
        return Err(Failure::usage(format!(
            "{until} s in steps of {} s are more than {MAX_STEPS} steps",
            scene.step
        )));
    }
    Ok(until)
}

/// Runs until the time, calling `each` with the world and report after every step (and once before
/// the first).
pub fn run(
    scene: &Scene,
    until: f64,
    quiet: bool,
    each: impl FnMut(u64, &World, &StepReport) -> Result<(), Failure>,
) -> Result<Summary, Failure> {
    run_with(scene, until, quiet, |_| Ok(()), each)
}

/// The same with something that is done before every step.
pub fn run_with(
    scene: &Scene,
    until: f64,
    quiet: bool,
    mut before: impl FnMut(&mut Simulation) -> Result<(), Failure>,
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
        before(&mut simulation)?;
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
        for warning in tally.count(&report, simulation.world.time()) {
            eprintln!("warning: {warning}");
        }
        each(k, &simulation.world, &report)?;
        progress.step(k, simulation.world.time(), &report);
        if simulation.take_stop() {
            break;
        }
    }
    progress.finish();
    let wall_time = start.elapsed().as_secs_f64();
    let processor_time = processor_time().zip(processor).map(|(end, start)| end - start);
    let world = &simulation.world;
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
        end: simulation,
    })
}

/// Processor time of this thread so far, s (Linux: the first number of schedstat, in ns).
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? * 1e-9)
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

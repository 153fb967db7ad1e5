//! Running a scene: its world, stepped with the scene's outer forces.

use crate::items::RunSettings;
use crate::problem::Problem;
use crate::scene::{Force, Scene, Switch, SwitchTo};
use crate::script::{Kept, Running, Stage};
use kreisel_dynamics::{Status, StepReport, Vec3, World};

/// A running scene.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The world; may be changed between steps.
    pub world: World,
    run: RunSettings,
    scripts: Vec<Running>,
    problems: Vec<Problem>,
    /// Those still to come, in the order of time.
    switches: Vec<Switch>,
    done: u64,
}

/// What a run has besides its world at one time: scripts with their memory, switches to come, step
/// and forces. Beside a [`Snapshot`](kreisel_dynamics::Snapshot) of the world it is all of a run.
#[derive(Clone, Debug)]
pub struct Beside {
    run: RunSettings,
    scripts: Vec<Kept>,
    switches: Vec<Switch>,
    done: u64,
}

impl Simulation {
    /// What the run has besides its world.
    pub fn beside(&self) -> Beside {
        Beside {
            run: self.run.clone(),
            scripts: self.scripts.iter().map(Running::kept).collect(),
            switches: self.switches.clone(),
            done: self.done,
        }
    }

    /// Goes back to what this run had besides its world.
    pub fn restore_beside(&mut self, beside: &Beside) {
        self.run.clone_from(&beside.run);
        self.switches.clone_from(&beside.switches);
        self.done = beside.done;
        for (script, kept) in self.scripts.iter_mut().zip(&beside.scripts) {
            script.restore(kept);
        }
    }

    /// A run of the scene from its start.
    pub fn new(scene: &Scene) -> Self {
        let mut switches = scene.switches.clone();
        switches.sort_by(|a, b| a.at.total_cmp(&b.at));
        Self {
            world: scene.world.clone(),
            run: RunSettings::of(scene),
            scripts: scripts(scene),
            problems: Vec::new(),
            switches,
            done: 0,
        }
    }

    /// Goes on with a scene that was [extended](crate::extend) from one whose forces, switches and
    /// scripts this run has: what was added goes along from now on.
    pub fn follow(&mut self, old: &Scene, new: &Scene) {
        self.world = new.world.clone();
        self.run.forces.extend_from_slice(&new.forces[old.forces.len()..]);
        self.run.markers.extend_from_slice(&new.markers[old.markers.len()..]);
        self.run.motions.extend_from_slice(&new.motions[old.motions.len()..]);
        self.run.emitters.extend_from_slice(&new.emitters[old.emitters.len()..]);
        self.run.looks = RunSettings::of(new).looks;
        self.scripts.extend(new.scripts[old.scripts.len()..].iter().map(Running::new));
        self.switches.extend_from_slice(&new.switches[old.switches.len()..]);
        self.switches.sort_by(|a, b| a.at.total_cmp(&b.at));
        if new.step != old.step {
            self.run.timing.step = new.step;
        }
        self.run.timing.real_time = new.real_time;
        (self.run.timing.duration, self.run.timing.oversampling) = (new.duration, new.oversampling);
    }

    /// The step size, s.
    pub fn step_size(&self) -> f64 {
        self.run.timing.step
    }

    /// Changes the step size, s.
    pub fn set_step_size(&mut self, step: f64) {
        self.run.timing.step = step;
    }

    /// What the run has besides its world.
    pub fn run_settings(&self) -> &RunSettings {
        &self.run
    }

    /// The world, and what the run has besides it, to be changed between steps.
    pub fn parts_mut(&mut self) -> (&mut World, &mut RunSettings) {
        (&mut self.world, &mut self.run)
    }

    /// Whether a live run chooses the step size by the clock.
    pub fn real_time(&self) -> bool {
        self.run.timing.real_time
    }

    /// Switches that on or off.
    pub fn set_real_time(&mut self, on: bool) {
        self.run.timing.real_time = on;
    }

    /// The scripts that go along with the run.
    pub(crate) fn scripts(&self) -> &[Running] {
        &self.scripts
    }

    /// Number of steps made.
    pub fn steps(&self) -> u64 {
        self.done
    }

    /// Number of steps from the start until time `until`; a rest of less than a millionth of a step
    /// is rounding.
    pub fn steps_until(&self, until: f64) -> u64 {
        ((until - self.world.time()) / self.run.timing.step - 1e-6).ceil().max(0.0) as u64
    }

    /// Size of the step to make now so that the run ends at `until` to rounding: the last one is
    /// shortened.
    pub fn fit_step(&mut self, until: f64) {
        if let Some(rest) = last_step(until, self.world.time(), self.run.timing.step) {
            self.run.timing.step = rest;
        }
    }

    /// What went wrong in scripts since the last call; the procedures concerned are off, the run
    /// goes on.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.problems)
    }

    /// What scripts have printed since the last call.
    pub fn take_messages(&mut self) -> Vec<String> {
        self.scripts.iter().flat_map(Running::messages).collect()
    }

    /// Whether a script has ended the run since the last call: the step it did so in is the last.
    pub fn take_stop(&mut self) -> bool {
        // every script is asked: a flag that stays would end a later run
        self.scripts.iter().filter(|s| s.take_stop()).count() > 0
    }

    /// Makes one step, with the procedures of scripts before and after it.
    pub fn step(&mut self) -> StepReport {
        for script in &mut self.scripts {
            script.before(
                &mut Stage { world: &mut self.world, run: &mut self.run },
                &mut self.problems,
            );
        }
        crate::driven::emit(&mut self.world, &mut self.run);
        crate::driven::lead(&mut self.world, &self.run);
        let time = self.world.time();
        // A step counts for a force when its start lies in the force's time, whatever rounding did
        // to the start.
        let now = time + 1e-9 * self.run.timing.step;
        let due = self.switches.iter().take_while(|s| s.at <= now).count();
        for switch in self.switches.drain(..due) {
            throw(&mut self.world, &switch.to);
        }
        for f in self.run.forces.iter().filter(|f| (f.from..f.until).contains(&now)) {
            let Some(point) = carried(&self.world, f, 0.5 * self.run.timing.step) else { continue };
            // The scene's loader has checked that the numbers are finite and the body exists; a
            // body that was removed since feels nothing.
            let _ = self.world.apply_force(f.body, f.force, point);
            let _ = self.world.apply_torque(f.body, f.torque);
        }
        let report = self.world.step(self.run.timing.step);
        if report.status == Status::Interrupted {
            // The world stands where the step began: there was none.
            return report;
        }
        self.done += 1;
        for script in &mut self.scripts {
            script.after(
                &mut Stage { world: &mut self.world, run: &mut self.run },
                &report,
                &mut self.problems,
            );
        }
        report
    }
}

/// Where a force acts: at its point of the body as it will be turned `ahead` seconds from now. A
/// force that is held over a step is of second order where its point is in the middle of it.
fn carried(world: &World, force: &Force, ahead: f64) -> Option<Vec3> {
    let center = world.center_of_mass(force.body)?;
    let Some(local) = force.at else { return Some(center) };
    let arm = world.point(force.body, local)? - center;
    let way = world.angular_velocity(force.body)?.cross(arm) * ahead;
    // as far as a chord goes, and back onto the circle
    Some(center + (arm + way).normalize_or_zero() * arm.length())
}

/// The scripts of a scene, with what they remember of a saved run.
fn scripts(scene: &Scene) -> Vec<Running> {
    let memory = |k: usize| scene.script_memory.get(k).and_then(Option::as_ref);
    let one = |(k, script)| match (Running::new(script), memory(k)) {
        (running, Some(memory)) => running.with_memory(memory, &scene.world),
        (running, None) => running,
    };
    scene.scripts.iter().enumerate().map(one).collect()
}

/// Size of the last step of a run until `until`, where it is shorter than the others; a rest of
/// less than a millionth of a step is rounding. What writes a recording and what runs ask the same,
/// and get the same bits.
pub fn last_step(until: f64, now: f64, step: f64) -> Option<f64> {
    let rest = until - now;
    (rest > 1e-6 * step && rest < (1.0 - 1e-6) * step).then_some(rest)
}

/// Switches; an item that was removed since takes no notice.
fn throw(world: &mut World, to: &SwitchTo) {
    let _ = match to {
        SwitchTo::Kind(body, kind) => world.set_body_kind(*body, *kind),
        SwitchTo::Active(name, active) => {
            if let Some(id) = world.joint_named(name) {
                world.set_joint_active(id, *active)
            } else if let Some(id) = world.constraint_named(name) {
                world.set_constraint_active(id, *active)
            } else if let Some(id) = world.controller_named(name) {
                world.set_controller_active(id, *active)
            } else if let Some(id) = world.field_named(name) {
                let field = world.field(id).cloned();
                field.map_or(Ok(()), |f| {
                    world.set_field(id, kreisel_dynamics::Field { active: *active, ..f })
                })
            } else {
                Ok(())
            }
        }
    };
}

//! Chains with extreme mass ratios: joint error, energy and cost of the energy-momentum step.
//!
//! `mass_ratio [key=value ...]`, every key a comma-separated list that chooses a part of the matrix:
//! joint=ball,hinge,universal,slider  pattern=first,alternating,tip,graded  n=10,100,1000  ratio=1,100,10000,1000000
//! start=level,spin,upright  mode=energy,auto,symmetric  time=10  step=0.016666666666666666  target=0.00003
//!
//! Links are boxes of 0.1 × 0.05 × 0.05 m; energies are relative to M g L/2. "rise" is the largest climb of the energy above
//! its running minimum; "cost" is the time per step as a multiple of that at ratio 1 with otherwise equal settings.

use kreisel_dynamics::*;
use std::collections::BTreeMap;
use std::time::Instant;

const LINK: f64 = 0.1;

struct Case<'a> {
    joint: &'a str,
    pattern: &'a str,
    start: &'a str,
    n: usize,
    ratio: f64,
}

impl Case<'_> {
    fn mass(&self, i: usize) -> f64 {
        let last = self.n - 1;
        match self.pattern {
            "first" if i == 0 => self.ratio,
            "alternating" if i % 2 == 1 => self.ratio,
            "tip" if i == last => self.ratio,
            "graded" => self.ratio.powf(i as f64 / last as f64),
            _ => 1.0,
        }
    }

    fn world(&self) -> World {
        let mut world = World::new();
        // an upright chain falls because it does not stand quite straight
        let tilt = if self.start == "upright" { 1e-3 - std::f64::consts::FRAC_PI_2 } else { 0.0 };
        let turn = Quat::from_rotation_y(tilt);
        let (direction, across) = (turn * Vec3::X, turn * Vec3::Z);
        let mut previous = BodyId::WORLD;
        for i in 0..self.n {
            let (from, centre) = (direction * (LINK * i as f64), direction * (LINK * (i as f64 + 0.5)));
            let mut body = Body::cuboid(self.mass(i), Vec3::new(LINK, 0.05, 0.05)).at(centre).rotated(turn);
            if self.start == "spin" {
                let omega = Vec3::Z * 3.0;
                body = body.spinning(omega).moving(omega.cross(centre));
            }
            if self.joint == "slider" {
                body.velocity.y += if i % 4 < 2 { 0.02 } else { -0.02 };
            }
            let body = world.add_body(body).expect("a valid body");
            let joint = match self.joint {
                "hinge" if self.start == "spin" && i == 0 => Joint::ball(previous, body),
                "hinge" => Joint::hinge(previous, body).axis(Vec3::Y),
                // axes alternate, so that the chain bends in both planes and twists in none
                "universal" if i % 2 == 0 => Joint::universal(previous, body, Vec3::Y, across),
                "universal" => Joint::universal(previous, body, across, Vec3::Y),
                // every second joint slides across the chain
                "slider" if i % 2 == 1 => Joint::slider(previous, body).axis(Vec3::Y),
                "slider" if self.start == "spin" && i == 0 => Joint::ball(previous, body),
                "slider" => Joint::hinge(previous, body).axis(Vec3::Y),
                _ => Joint::ball(previous, body),
            };
            world.add_joint(joint.at(from)).expect("a valid joint");
            previous = body;
        }
        world
    }
}

struct Row {
    worst: f64,
    change: f64,
    rise: f64,
    substeps: f64,
    rejected: f64,
    rounds: f64,
    energy_share: f64,
    ms: f64,
    bad: u32,
}

fn run(case: &Case, mode: &str, step: f64, time: f64, target: f64) -> Row {
    let mut world = case.world();
    let mut settings = world.settings().clone();
    settings.stepping = match mode {
        "auto" => Stepping::Auto,
        "symmetric" => Stepping::Symmetric,
        _ => Stepping::Energy,
    };
    settings.substeps = Substeps::Auto { target };
    world.set_settings(settings).expect("valid settings");
    let total: f64 = (0..case.n).map(|i| case.mass(i)).sum();
    let scale = total * 9.81 * 0.5 * LINK * case.n as f64;
    let start = world.energy().total();
    let (mut low, mut energy) = (start, start);
    let steps = (time / step).round() as u32;
    let mut row = Row {
        worst: 0.0,
        change: 0.0,
        rise: 0.0,
        substeps: 0.0,
        rejected: 0.0,
        rounds: 0.0,
        energy_share: 0.0,
        ms: 0.0,
        bad: 0,
    };
    let clock = Instant::now();
    let mut done = 0;
    for _ in 0..steps {
        let report = world.step(step);
        done += 1;
        if let Some(worst) = &report.worst {
            row.worst = row.worst.max(worst.position).max(worst.angle);
        }
        row.bad += u32::from(report.status != Status::Converged);
        energy = report.ledger.energy.total();
        row.rise = row.rise.max((energy - low) / scale);
        low = low.min(energy);
        row.substeps += f64::from(report.substeps);
        row.energy_share += f64::from(report.energy_substeps);
        row.rejected += f64::from(report.rejected);
        row.rounds += f64::from(report.rounds);
        // a run that has lost its way is cut short
        if clock.elapsed().as_secs_f64() > 20.0 + 0.05 * case.n as f64 {
            row.bad += steps - done;
            break;
        }
    }
    row.ms = clock.elapsed().as_secs_f64() * 1e3 / f64::from(done);
    row.rejected /= f64::from(done);
    row.rounds /= f64::from(done);
    row.energy_share /= row.substeps;
    row.substeps /= f64::from(done);
    row.change = (energy - start) / scale;
    row
}

fn main() {
    let mut keys: BTreeMap<&str, String> = BTreeMap::from([
        ("joint", "ball,hinge,universal,slider".into()),
        ("pattern", "first,alternating,tip,graded".into()),
        ("n", "10,100,1000".into()),
        ("ratio", "1,1e2,1e4,1e6".into()),
        ("start", "level,spin,upright".into()),
        ("mode", "energy".into()),
        ("time", "10".into()),
        ("step", (1.0_f64 / 60.0).to_string()),
        ("target", "3e-5".into()),
    ]);
    for argument in std::env::args().skip(1) {
        match argument.split_once('=').and_then(|(k, v)| keys.get_mut(k).map(|old| (old, v))) {
            Some((old, value)) => *old = value.to_owned(),
            None => {
                eprintln!("cannot use {argument:?}; keys are {:?}", keys.keys().collect::<Vec<_>>());
                std::process::exit(2);
            }
        }
    }
    let list = |key: &str| keys[key].split(',').map(str::to_owned).collect::<Vec<String>>();
    let number = |text: &String| text.parse::<f64>().expect("a number");
    let (step, time, target) = (number(&keys["step"]), number(&keys["time"]), number(&keys["target"]));
    println!(
        "| mode | joint | start | pattern | n | ratio | worst joint m | dE | rise | substeps | energy | rejected | rounds | ms/step | cost | failed |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut modes = list("mode");
    modes.dedup();
    for mode in &modes {
        for joint in list("joint") {
            for start in list("start") {
                for n in list("n").iter().map(number) {
                    let mut base = None;
                    for pattern in list("pattern") {
                        for ratio in list("ratio").iter().map(number) {
                            if ratio == 1.0 && base.is_some() {
                                continue;
                            }
                            let case = Case { joint: &joint, pattern: &pattern, start: &start, n: n as usize, ratio };
                            let r = run(&case, mode, step, time, target);
                            if ratio == 1.0 {
                                base = Some(r.ms);
                            }
                            let name = if ratio == 1.0 { "equal" } else { &pattern };
                            println!(
                                "| {mode} | {joint} | {start} | {name} | {n} | {ratio:.0e} | {:.1e} | {:+.1e} | {:.1e} | {:.2} | {:.2} | {:.2} | {:.1} | {:.4} | {:.1} | {} |",
                                r.worst,
                                r.change,
                                r.rise,
                                r.substeps,
                                r.energy_share,
                                r.rejected,
                                r.rounds,
                                r.ms,
                                r.ms / base.unwrap_or(f64::NAN),
                                r.bad
                            );
                        }
                    }
                }
            }
        }
    }
}

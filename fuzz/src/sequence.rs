//! Random programs: a small world, commands of every kind between steps, and what must hold after
//! each step.
//!
//! * No number that is not finite leaves a step (P4).
//! * A step that says it converged has every joint within tolerance (P1).
//! * The same program gives the same bits, on one thread and on two (P3), unless a step spent its
//!   budget of time.
//! * A world that is saved can be read again.

use kreisel_dynamics::{Method, Status, World};
use kreisel_session::journal::Header;
use kreisel_session::protocol::{
    Command, ControlSpec, MotorSpec, PropertyValue, ScheduleSpec, ShapeSpec, SolidSpec,
};
use kreisel_session::session::Session;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Steps made by all programs since the last report.
pub static STEPS: AtomicU64 = AtomicU64::new(0);

/// Worlds to start from: a pendulum on the ground, a redundant loop, ropes and springs, a driven
/// arm with limits, a stack, constraints between connectors.
const WORLDS: [&str; 6] = [
    include_str!("../worlds/pendulum.toml"),
    include_str!("../worlds/loop.toml"),
    include_str!("../worlds/ropes.toml"),
    include_str!("../worlds/driven.toml"),
    include_str!("../worlds/stack.toml"),
    include_str!("../worlds/connectors.toml"),
];

/// Time that a step may take before the rest of it is taken as it comes.
const BUDGET: Duration = Duration::from_millis(3);

/// Most instructions of a program.
const LONGEST: usize = 24;

/// Numbers and choices drawn from bytes; zeros when they are used up.
#[derive(Clone)]
struct Draw<'a> {
    bytes: &'a [u8],
    /// Whether numbers of any size are drawn.
    wild: bool,
}

impl Draw<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        first
    }

    fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn number(&mut self) -> f64 {
        let kind = self.byte();
        let fine = f64::from(self.byte()) / 64.0 - 2.0;
        match kind {
            _ if !self.wild => fine,
            0..160 => fine,
            160..200 => fine * 1e3,
            200..220 => fine * 1e-6,
            220..235 => fine * 1e9,
            235..240 => [0.0, -0.0, 1.0, f64::MAX, f64::MIN_POSITIVE][usize::from(kind - 235)],
            240..244 => {
                [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300][usize::from(kind - 240)]
            }
            _ => {
                let mut bytes = [0; 8];
                bytes.iter_mut().for_each(|b| *b = self.byte());
                f64::from_le_bytes(bytes)
            }
        }
    }

    fn vector(&mut self) -> [f64; 3] {
        [self.number(), self.number(), self.number()]
    }

    /// Mostly a rotation.
    fn quaternion(&mut self) -> [f64; 4] {
        let q = [self.number(), self.number(), self.number(), self.number()];
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 1e-3 && length < 1e3 { q.map(|x| x / length) } else { q }
    }

    /// The name of something in the world, or of nothing.
    fn object(&mut self, world: &World) -> String {
        let mut names = vec!["world".to_owned(), "nothing".to_owned()];
        names.extend(world.bodies().filter_map(|b| world.body_name(b)).map(|n| n.to_string()));
        names.extend(world.joints().filter_map(|j| world.joint_name(j)).map(|n| n.to_string()));
        names.extend(world.springs().filter_map(|s| world.spring_name(s)).map(|n| n.to_string()));
        names.extend(world.motors().filter_map(|m| world.motor_name(m)).map(|n| n.to_string()));
        names.extend(
            world.constraints().filter_map(|c| world.constraint_name(c)).map(|n| n.to_string()),
        );
        names.extend(world.fields().filter_map(|f| world.field_name(f)).map(|n| n.to_string()));
        let k = self.below(names.len());
        names.swap_remove(k)
    }

    fn body(&mut self, world: &World) -> String {
        let mut names: Vec<String> =
            world.bodies().filter_map(|b| world.body_name(b)).map(|n| n.to_string()).collect();
        names.push("world".into());
        let k = self.below(names.len());
        names.swap_remove(k)
    }

    fn schedule(&mut self) -> ScheduleSpec {
        let mut time = 0.0;
        let points = (0..=self.below(3)).map(|_| {
            time += self.number().abs();
            (time, self.number())
        });
        let points = points.collect();
        ScheduleSpec { points, interpolation: self.pick(&["hold", "linear", "smooth"]).into() }
    }

    fn solid(&mut self) -> SolidSpec {
        match self.below(9) {
            0 => SolidSpec::Box(self.vector()),
            1 => SolidSpec::Sphere(self.number()),
            2 => SolidSpec::Cylinder([self.number(), self.number()]),
            3 => SolidSpec::Capsule([self.number(), self.number()]),
            4 => SolidSpec::Cone([self.number(), self.number()]),
            5 => SolidSpec::Ellipsoid(self.vector()),
            6 => SolidSpec::Disc([self.number(), self.number(), self.number()]),
            7 => SolidSpec::Torus([self.number(), self.number()]),
            _ => SolidSpec::Point,
        }
    }

    fn command(&mut self, world: &World) -> Command {
        const JOINTS: [&str; 10] = [
            "ball",
            "hinge",
            "slider",
            "fixed",
            "universal",
            "cylinder",
            "distance",
            "rope",
            "plane",
            "point-on-line",
        ];
        const CONSTRAINTS: [&str; 6] =
            ["point-to-point", "distance", "in-line", "ortho", "orientation", "hinge"];
        match self.below(19) {
            0 => Command::Push {
                body: self.body(world),
                impulse: self.vector(),
                point: self.vector(),
            },
            1 => Command::Force {
                body: self.body(world),
                force: self.vector(),
                torque: self.vector(),
                seconds: self.number(),
            },
            2 => Command::Grab {
                body: self.body(world),
                point: self.vector(),
                target: self.vector(),
                turn: (self.below(2) == 0).then(|| self.quaternion()),
                strength: self.number().abs(),
            },
            3 => Command::Drag { target: self.vector(), turn: None },
            4 => Command::Release,
            5 => Command::Place {
                body: self.body(world),
                position: self.vector(),
                rotation: self.quaternion(),
            },
            6 | 7 => self.set(world),
            8 => Command::AddBody {
                name: String::new(),
                shape: ShapeSpec {
                    solid: self.solid(),
                    density: 500.0 * self.number(),
                    kind: self.pick(&["dynamic", "dynamic", "static", "kinematic"]).into(),
                    position: self.vector(),
                    rotation: self.quaternion(),
                    color: None,
                },
            },
            9 | 10 => Command::AddJoint {
                name: String::new(),
                kind: self.pick(&JOINTS).into(),
                bodies: [self.body(world), self.body(world)],
                anchors: [self.vector(), self.vector()],
                axis: self.vector(),
                axis2: (self.below(3) == 0).then(|| self.vector()),
            },
            11 => Command::AddSpring {
                name: String::new(),
                bodies: [self.body(world), self.body(world)],
                anchors: [self.vector(), self.vector()],
                stiffness: 100.0 * self.number(),
                damping: self.number(),
            },
            12 => Command::AddMotor {
                name: String::new(),
                motor: MotorSpec {
                    joint: self.object(world),
                    coordinate: None,
                    control: match self.below(3) {
                        0 => ControlSpec::Effort(self.schedule()),
                        1 => ControlSpec::Velocity(self.schedule()),
                        _ => ControlSpec::Servo(self.schedule(), self.number(), self.number()),
                    },
                    max_effort: (self.below(2) == 0).then(|| self.number()),
                },
            },
            13 => Command::AddConstraint {
                name: String::new(),
                kind: self.pick(&CONSTRAINTS).into(),
                bodies: [self.body(world), self.body(world)],
                points: [self.vector(), self.vector()],
                axis: self.vector(),
            },
            14 => Command::AddField {
                name: String::new(),
                kind: self.pick(&["gravity", "friction", "radial"]).into(),
                strength: self.number(),
                vector: self.vector(),
            },
            15 => Command::Remove { objects: vec![self.object(world)] },
            16 => Command::Copy { objects: vec![self.body(world)], offset: self.vector() },
            17 => self.pick(&[Undo::Undo, Undo::Redo, Undo::Restart]).command(),
            _ => Command::Rewind { time: self.number() },
        }
    }

    fn set(&mut self, world: &World) -> Command {
        const KEYS: [&str; 30] = [
            "mass",
            "position",
            "rotation",
            "velocity",
            "angular_velocity",
            "restitution",
            "friction",
            "kind",
            "active",
            "velocity_only",
            "length",
            "limits.angle.min",
            "limits.angle.max",
            "limits.position.max",
            "limits.length.max",
            "friction.angle",
            "breaking.force",
            "stiffness",
            "damping",
            "max_effort",
            "curve",
            "gain",
            "step",
            "gravity",
            "method",
            "stepping",
            "order",
            "tolerance",
            "substeps",
            "impulse_limit",
        ];
        let key = self.pick(&KEYS);
        let value = match key {
            "position" | "rotation" | "velocity" | "angular_velocity" | "gravity" => {
                PropertyValue::Vector(self.vector())
            }
            "kind" => PropertyValue::Text(self.pick(&["dynamic", "static", "kinematic"]).into()),
            "method" => {
                PropertyValue::Text(self.pick(&["direct", "iterative", "cut", "lagrange"]).into())
            }
            "stepping" => PropertyValue::Text(self.pick(&["auto", "symmetric", "energy"]).into()),
            "order" => PropertyValue::Text(self.pick(&["2", "4", "6", "8"]).into()),
            "active" | "velocity_only" => PropertyValue::Toggle(self.below(2) == 0),
            "curve" => PropertyValue::Curve(self.schedule()),
            "step" => PropertyValue::Number(Some(0.02 * self.number().abs())),
            "tolerance" => PropertyValue::Number(Some(self.pick(&[1e-3, 1e-5, 1e-6, 1e-8]))),
            "substeps" => PropertyValue::Number(Some(f64::from(self.byte() % 5))),
            _ => PropertyValue::Number((self.below(8) > 0).then(|| self.number())),
        };
        let object = match key {
            "step" | "gravity" | "method" | "stepping" | "order" | "tolerance" | "substeps"
            | "impulse_limit" => "world".into(),
            _ => self.object(world),
        };
        Command::Set { object, key: key.into(), value }
    }
}

/// Commands without contents, to pick from.
#[derive(Clone, Copy)]
enum Undo {
    Undo,
    Redo,
    Restart,
}

impl Undo {
    fn command(self) -> Command {
        match self {
            Self::Undo => Command::Undo,
            Self::Redo => Command::Redo,
            Self::Restart => Command::Restart,
        }
    }
}

/// Panics when a world holds a number that is not finite.
pub fn finite(world: &World) {
    for id in world.bodies() {
        let vectors = [world.position(id), world.velocity(id), world.angular_velocity(id)];
        let good = vectors.into_iter().flatten().all(|v| v.is_finite());
        assert!(
            good && world.rotation(id).is_none_or(|q| q.is_finite()),
            "{:?} is not finite",
            world.body_name(id)
        );
    }
}

/// Makes a program and runs it; gives the hash of the end, if it does not depend on how fast the
/// machine is.
fn program(draw: &mut Draw<'_>, threads: usize) -> Option<String> {
    let text = draw.pick(&WORLDS);
    // Absurd speeds and forces may take any number of substeps: a budget bounds them.
    let budget = BUDGET.as_secs_f64();
    let text = text.replacen(
        "[world]",
        &format!("[world]\ntime_budget = {budget}\nthreads = {threads}"),
        1,
    );
    let mut spent = false;
    let start = Header::new("x.toml", &text, &[]).session(&Default::default());
    let mut session: Session =
        start.unwrap_or_else(|e| panic!("a world to start from is wrong: {e}"));
    for _ in 0..LONGEST {
        if draw.bytes.is_empty() {
            break;
        }
        let command = draw.command(&session.simulation().world);
        let outcome = session.apply(1, &command);
        if std::env::var_os("KREISEL_FUZZ_TRACE").is_some() {
            println!("{command:?} {outcome:?}");
        }
        for _ in 0..draw.below(6) {
            let begin = Instant::now();
            session.step();
            STEPS.fetch_add(1, Ordering::Relaxed);
            // A step that came near its budget may have been cut short by it, on another machine or
            // another day.
            spent |= begin.elapsed() > BUDGET * 9 / 10;
            let world = &session.simulation().world;
            finite(world);
            let (report, settings) = (session.report(), world.settings());
            let tolerance = settings.tolerance;
            // The multipliers of Lagrange hold joints by a stabiliser, not to a tolerance.
            if let (Status::Converged, Some(worst)) = (&report.status, &report.worst)
                && settings.method != Method::Lagrange
            {
                let rounding = 1.0 + 1e-9;
                assert!(
                    worst.position <= tolerance.position * rounding
                        && worst.angle <= tolerance.angle * rounding,
                    "converged with {} off by {:e} m, {:e} rad",
                    worst.name,
                    worst.position,
                    worst.angle
                );
            }
        }
    }
    let saved = session.save();
    if let Err(e) = kreisel_scene::parse("saved.toml", &saved) {
        let first = e.problems.first().map(|p| p.message.clone()).unwrap_or_default();
        panic!("what was saved cannot be read: {first}");
    }
    (!spent).then(|| session.hash())
}

/// One program from bytes.
pub fn run(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let mut draw = Draw { bytes: rest, wild: first % 4 == 0 };
    let again = draw.clone();
    let hash = program(&mut draw, 1);
    if first % 8 < 2
        && let (Some(one), Some(two)) = (hash, program(&mut again.clone(), 2))
    {
        assert_eq!(one, two, "two runs of one program differ");
    }
}

//! What the integration tests share: settings, reference trajectories, small models, convergence
//! orders.
#![allow(dead_code, reason = "every test binary uses its own part of this module")]

use kreisel_dynamics::{
    Body, BodyId, Joint, JointId, Method, Quat, Settings, Status, StepReport, Stepping, Substeps,
    Tolerance, Vec3, World,
};

/// A world with gravity `gravity` whose step is one symmetric substep, exact to `tolerance`.
pub fn plain_world(gravity: Vec3, tolerance: f64) -> World {
    let mut world = World::new();
    world.set_gravity(gravity).unwrap();
    change(&mut world, |s| {
        s.stepping = Stepping::Symmetric;
        s.substeps = Substeps::Fixed(1);
        s.tolerance = Tolerance::uniform(tolerance);
    });
    world
}

/// Gravity of most references: 9.81 m/s² along −y.
pub const DOWN_Y: Vec3 = Vec3::new(0.0, -9.81, 0.0);

/// Gravity of a new world.
pub const DOWN_Z: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// Changes settings in place.
pub fn change(world: &mut World, edit: impl FnOnce(&mut Settings)) {
    let mut settings = world.settings().clone();
    edit(&mut settings);
    world.set_settings(settings).unwrap();
}

/// Uses the symmetric step with the controller's own substeps.
pub fn symmetric(world: &mut World) {
    change(world, |s| s.stepping = Stepping::Symmetric);
}

/// All methods.
pub const METHODS: [Method; 3] = [Method::Direct, Method::Iterative, Method::Cut];

/// Steps over `duration` in `steps` equal steps, each of which has to converge.
pub fn run(world: &mut World, duration: f64, steps: usize) {
    for k in 0..steps {
        converged(&world.step(duration / steps as f64), k);
    }
}

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug)]
pub struct Moving {
    pub position: Vec3,
    pub rotation: Quat,
    pub velocity: Vec3,
    pub angular_velocity: Vec3,
}

/// State of a body.
pub fn moving(world: &World, id: BodyId) -> Moving {
    Moving {
        position: world.position(id).unwrap(),
        rotation: world.rotation(id).unwrap(),
        velocity: world.velocity(id).unwrap(),
        angular_velocity: world.angular_velocity(id).unwrap(),
    }
}

/// Fails with the worst joint unless the step met its tolerance.
#[track_caller]
pub fn converged(report: &StepReport, step: usize) {
    assert_eq!(
        report.status,
        Status::Converged,
        "step {step}: worst {:?}, {:?}",
        report.worst,
        report.unexplained
    );
}

/// Samples of `validation/reference/NAME.csv`.
pub struct Reference {
    columns: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Reference {
    pub fn load(name: &str) -> Self {
        let path = format!("{}/../../validation/reference/{name}.csv", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        let mut lines = text.lines().filter(|l| !l.starts_with('#'));
        let columns = lines.next().unwrap().split(',').map(str::to_owned).collect();
        let rows = lines.map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
        Self { columns, rows }
    }

    /// The values of a column.
    pub fn column(&self, name: &str) -> Vec<f64> {
        let k = self
            .columns
            .iter()
            .position(|c| c == name)
            .unwrap_or_else(|| panic!("no column {name}"));
        self.rows.iter().map(|r| r[k]).collect()
    }

    /// The value of a column at a sampled time.
    pub fn at(&self, time: f64, name: &str) -> f64 {
        let k = self
            .columns
            .iter()
            .position(|c| c == name)
            .unwrap_or_else(|| panic!("no column {name}"));
        let row = self
            .rows
            .iter()
            .find(|r| (r[0] - time).abs() < 1e-9)
            .unwrap_or_else(|| panic!("no sample at {time}"));
        row[k]
    }
}

/// Runs with the step halved `halvings` times from `h` and gives the observed orders between
/// neighbours.
///
/// `error` runs the model with the given step size and returns its error.
pub fn orders(h: f64, halvings: u32, mut error: impl FnMut(f64) -> f64) -> Vec<f64> {
    let errors: Vec<f64> = (0..=halvings).map(|k| error(h / f64::from(1u32 << k))).collect();
    errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect()
}

/// A planar chain of `n` boxes `length` x `width` x `width`, 1 kg, along +x from the origin, with
/// joints made by `joint`.
pub fn box_chain(
    world: &mut World,
    n: usize,
    length: f64,
    width: f64,
    joint: impl Fn(BodyId, BodyId) -> Joint,
) -> (Vec<BodyId>, Vec<JointId>) {
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    let mut last = BodyId::WORLD;
    for i in 0..n {
        let body = Body::cuboid(1.0, Vec3::new(length, width, width)).ghost();
        let body = world.add_body(body.at(Vec3::X * ((i as f64 + 0.5) * length))).unwrap();
        joints.push(world.add_joint(joint(last, body).at(Vec3::X * (i as f64 * length))).unwrap());
        bodies.push(body);
        last = body;
    }
    (bodies, joints)
}

/// The double pendulum of E-09(c): boxes 1 x 0.1 x 0.1 m, ball joints, gravity −y, ω_i = (i, 0.7,
/// −1.3 i) made consistent by giving every centre of mass the velocity of its place in the chain.
pub fn double_pendulum_3d(tolerance: f64) -> (World, Vec<BodyId>) {
    let mut world = plain_world(DOWN_Y, tolerance);
    let (bodies, _) = box_chain(&mut world, 2, 1.0, 0.1, Joint::ball);
    let mut joint = Vec3::ZERO;
    for (k, &body) in bodies.iter().enumerate() {
        let i = (k + 1) as f64;
        let spin = Vec3::new(i, 0.7, -1.3 * i);
        world.set_velocity(body, joint + spin.cross(Vec3::X * 0.5), spin).unwrap();
        joint += spin.cross(Vec3::X);
    }
    (world, bodies)
}

/// Largest distance between the centres of mass of two worlds' bodies.
pub fn distance(a: &World, b: &World) -> f64 {
    assert_eq!(a.bodies().count(), b.bodies().count());
    a.bodies()
        .zip(b.bodies())
        .map(|(i, j)| a.center_of_mass(i).unwrap().distance(b.center_of_mass(j).unwrap()))
        .fold(0.0, f64::max)
}

/// Angle between two rotations.
pub fn angle_between(a: Quat, b: Quat) -> f64 {
    let d = a.conjugate() * b;
    2.0 * d.xyz().length().atan2(d.w.abs())
}

/// A deterministic stream of numbers in −1..1.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    pub fn vec(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

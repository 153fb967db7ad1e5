//! Kreisel: the direct method with joints within 1e-6 m, one thread; the rest as every user gets it
//! unless a table says otherwise.

use crate::engine::{Engine, Pose, Setup, Work};
use crate::scene::{GRAVITY, Kind, Scene};
use kreisel_dynamics::{Body, BodyId, Joint, Material, Settings, Spring, Status, Stepping, World};

/// The default settings with the given stepping.
pub fn stepping(stepping: Stepping) -> Settings {
    Settings { stepping, ..Settings::default() }
}

/// Kreisel with these settings.
pub fn setup(name: impl Into<String>, settings: Settings) -> Setup {
    Setup {
        name: name.into(),
        ours: true,
        load: Box::new(move |scene| Box::new(Kreisel::load(scene, &settings))),
    }
}

/// The three kinds of step.
pub fn steppings() -> Vec<Setup> {
    [("auto", Stepping::Auto), ("symmetric", Stepping::Symmetric), ("energy", Stepping::Energy)]
        .map(|(name, kind)| setup(format!("kreisel {name}"), stepping(kind)))
        .into()
}

/// A scene in Kreisel.
pub struct Kreisel {
    world: World,
    bodies: Vec<BodyId>,
    step: f64,
    work: Work,
}

impl Kreisel {
    /// Loads a scene.
    pub fn load(scene: &Scene, settings: &Settings) -> Self {
        let mut world = World::new();
        world.set_gravity(GRAVITY).expect("gravity is finite");
        world.set_settings(settings.clone()).expect("settings are valid");
        let mut bodies = Vec::with_capacity(scene.blocks.len());
        for b in &scene.blocks {
            let mut body = match b.form {
                _ if b.fixed => Body::fixed(),
                Some(form) => {
                    Body::solid(form.clone(), b.density()).expect("the shape has a volume")
                }
                None => Body::cuboid(b.mass, b.size).ghost(),
            };
            if let Some(friction) = scene.friction {
                body = body.shape(b.shape()).material(Material::rough(friction));
            }
            let body = body.at(b.position).rotated(b.rotation);
            bodies.push(
                world
                    .add_body(body.moving(b.velocity).spinning(b.spin))
                    .expect("the body is valid"),
            );
        }
        for l in &scene.links {
            let [a, b] = l.bodies.map(|i| i.map_or(BodyId::WORLD, |i| bodies[i]));
            let joint = match l.kind {
                Kind::Ball => Joint::ball(a, b),
                Kind::Hinge => Joint::hinge(a, b).axis(l.axes[0]),
                Kind::Universal => Joint::universal(a, b, l.axes[0], l.axes[1]),
                Kind::Slider => Joint::slider(a, b).axis(l.axes[0]),
            };
            world.add_joint(joint.at(l.anchor)).expect("the joint is valid");
        }
        for c in &scene.coils {
            let [a, b] = c.bodies.map(|i| (bodies[i], scene.blocks[i].position));
            world
                .add_spring(Spring::new(a.0, b.0, a.1, b.1, c.stiffness))
                .expect("the spring is valid");
        }
        Self { world, bodies, step: scene.step, work: Work::default() }
    }
}

impl Engine for Kreisel {
    fn step(&mut self) {
        let report = self.world.step(self.step);
        self.work.substeps += u64::from(report.substeps);
        self.work.energy_substeps += u64::from(report.energy_substeps);
        self.work.rejected += u64::from(report.rejected);
        self.work.rounds += u64::from(report.rounds);
        self.work.failed += u64::from(report.status != Status::Converged);
        self.work.sweeps += u64::from(report.contact.sweeps);
        self.work.repeats += u64::from(report.contact.repeats);
        self.work.cuts += u64::from(report.contact.cuts);
    }

    fn sample(&self, out: &mut Vec<Pose>) {
        out.clear();
        out.extend(self.bodies.iter().map(|&b| Pose {
            position: self.world.center_of_mass(b).expect("the body exists"),
            rotation: self.world.rotation(b).expect("the body exists"),
            velocity: self.world.velocity(b).expect("the body exists"),
            spin: self.world.angular_velocity(b).expect("the body exists"),
        }));
    }

    fn work(&self) -> Option<Work> {
        Some(self.work)
    }
}

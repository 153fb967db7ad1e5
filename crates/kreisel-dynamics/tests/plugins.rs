//! Laws that are written outside of the engine (B-108, W-35, W-155).

use kreisel_dynamics::plugin::{
    Coefficients, ConstraintLaw, ContactLaw, Declared, ForceLaw, Plugin, PluginPoint, PluginRow,
    PluginState, SensorLaw, check_rows, register, unregister,
};
use kreisel_dynamics::*;
use std::sync::Arc;

/// F = −k (|d| − l) along d, on two connectors.
struct Spring {
    stiffness: f64,
    length: f64,
}

impl ForceLaw for Spring {
    fn connectors(&self) -> std::ops::RangeInclusive<usize> {
        2..=2
    }
    fn forces(&self, now: &PluginState<'_>, out: &mut [Vec3]) -> Result<(), String> {
        let d = now.points[1].position - now.points[0].position;
        let pull = d.normalize() * (self.stiffness * (d.length() - self.length));
        (out[0], out[1]) = (pull, -pull);
        Ok(())
    }
    fn depends_on_velocities(&self) -> bool {
        false
    }
}

/// (|d|² − l²)/2l, whose gradient has length 1 where it is met; `wrong` spoils one gradient.
struct Rod {
    length: f64,
    wrong: bool,
}

impl ConstraintLaw for Rod {
    fn connectors(&self) -> usize {
        2
    }
    fn rows(&self) -> usize {
        1
    }
    fn evaluate(&self, now: &PluginState<'_>, rows: &mut [PluginRow]) -> Result<(), String> {
        let d = now.points[1].position - now.points[0].position;
        rows[0].value = (d.length_squared() - self.length * self.length) / (2.0 * self.length);
        let g = d / self.length;
        let g1 = if self.wrong { Vec3::new(g.x, -g.y, g.z) } else { g };
        (rows[0].gradients[0], rows[0].gradients[1]) = (-g, g1);
        Ok(())
    }
}

/// Connector 1 moves along the way to connector 2 only: a skate on the x-y plane.
struct Skate;

impl ConstraintLaw for Skate {
    fn connectors(&self) -> usize {
        2
    }
    fn rows(&self) -> usize {
        1
    }
    fn is_velocity(&self) -> bool {
        true
    }
    fn evaluate(&self, now: &PluginState<'_>, rows: &mut [PluginRow]) -> Result<(), String> {
        let [a, b] = [now.points[0], now.points[1]];
        let across = Vec3::Z.cross(b.position - a.position);
        rows[0].value = across.dot(a.velocity);
        rows[0].gradients[0] = across;
        Ok(())
    }
}

/// Fails from a time on.
struct Late(f64);

impl ForceLaw for Late {
    fn forces(&self, now: &PluginState<'_>, _: &mut [Vec3]) -> Result<(), String> {
        if now.time > self.0 { Err("too late".into()) } else { Ok(()) }
    }
}

fn rod(length: f64, wrong: bool) -> ConstraintKind {
    ConstraintKind::Plugin(Plugin::of("rod", Arc::new(Rod { length, wrong })))
}

/// A mass point on a rod of 1 m, let go sideways; its angle from below after `seconds`.
fn pendulum(kind: ConstraintKind, method: Method, h: f64, seconds: f64) -> (f64, f64) {
    let mut w = World::new();
    w.set_settings(Settings { method, ..Settings::default() }).unwrap();
    let b = w.add_body(Body::point(2.0).at(Vec3::new(1.0, 0.0, 0.0))).unwrap();
    let ends = vec![Connector::fixed(Vec3::ZERO), Connector::body(b, Vec3::ZERO)];
    w.add_constraint(Constraint::new(kind, ends)).unwrap();
    let mut worst: f64 = 0.0;
    for _ in 0..(seconds / h).round() as usize {
        let report = w.step(h);
        assert!(
            matches!(report.status, Status::Converged | Status::Order),
            "{:?} {:?}",
            report.status,
            report.events
        );
        worst = worst.max((w.position(b).unwrap().length() - 1.0).abs());
    }
    let p = w.position(b).unwrap();
    (p.x.atan2(-p.z), worst)
}

#[test]
fn a_rod_that_is_written_outside_swings_as_the_engines_own() {
    for method in [Method::Direct, Method::Lagrange] {
        let (own, _) = pendulum(ConstraintKind::Distance(Some(1.0)), method, 1e-3, 1.0);
        let (other, worst) = pendulum(rod(1.0, false), method, 1e-3, 1.0);
        // both are second order: 1e-6 m of the tolerance, and errors of the step of some 1e-6 rad
        assert!((own - other).abs() < 2e-5, "{method:?}: {own} and {other}");
        assert!(worst < 2e-6, "{method:?}: {worst} m off");
    }
}

#[test]
fn a_pendulum_on_a_row_from_outside_has_its_period() {
    // from the horizontal: T = 4 √(l/g) K(sin 45°), K = 1.854 074 677 301 372
    let quarter = 1.854_074_677_301_372 * (1.0_f64 / 9.81).sqrt();
    let steps = 400.0;
    let (angle, _) = pendulum(rod(1.0, false), Method::Direct, quarter / steps, quarter);
    // speed √(2 g l) at the bottom; second order: (h/T)² of a radian
    assert!(angle.abs() < 1e-4, "{angle} rad from below after a quarter of the period");
}

#[test]
fn a_spring_from_outside_swings_in_closed_form() {
    let mut w = World::new();
    w.set_gravity(Vec3::ZERO).unwrap();
    let b = w.add_body(Body::point(2.0).at(Vec3::new(1.5, 0.0, 0.0))).unwrap();
    let law: Plugin<dyn ForceLaw> =
        Plugin::of("spring", Arc::new(Spring { stiffness: 8.0, length: 1.0 }));
    let ends = vec![Connector::fixed(Vec3::ZERO), Connector::body(b, Vec3::ZERO)];
    w.add_controller(Controller::new(ControllerKind::Plugin(law.clone()), ends.clone())).unwrap();
    let mut residual: f64 = 0.0;
    for _ in 0..1000 {
        residual += w.step(1e-3).ledger.residual;
    }
    // ω = √(k/m) = 2 1/s
    let x = w.position(b).unwrap().x;
    assert!((x - (1.0 + 0.5 * 2.0_f64.cos())).abs() < 1e-5, "{x}");
    // the work is booked as the user's
    assert!(residual.abs() < 1e-5, "{residual} J unexplained");
    // and it takes two connectors
    let one = Controller::new(ControllerKind::Plugin(law), ends[..1].to_vec());
    let refused = w.add_controller(one).unwrap_err().to_string();
    assert!(refused.contains("number of connectors"), "{refused}");
}

#[test]
fn a_skate_on_an_incline_runs_in_closed_form() {
    // Neimark and Fufaev: x = a/2ω² sin² ωt, y = a/2ω² (ωt − sin 2ωt / 2)
    let (a, omega, end) = (2.0, 1.5, 1.2);
    for method in [Method::Direct, Method::Lagrange] {
        let mut w = World::new();
        w.set_settings(Settings { method, ..Settings::default() }).unwrap();
        w.set_gravity(Vec3::new(a, 0.0, 0.0)).unwrap();
        let body = Body::cuboid(1.0, Vec3::new(0.3, 0.1, 0.1)).spinning(Vec3::Z * omega);
        let b = w.add_body(body).unwrap();
        let blade = [Vec3::ZERO, Vec3::new(0.2, 0.0, 0.0)].map(|p| Connector::body(b, p));
        let law = Plugin::<dyn ConstraintLaw>::of("skate", Arc::new(Skate));
        w.add_constraint(Constraint::new(ConstraintKind::Plugin(law), blade.to_vec())).unwrap();
        for _ in 0..1200 {
            w.step(end / 1200.0);
        }
        let (p, t) = (w.position(b).unwrap(), end);
        let k = a / (2.0 * omega * omega);
        let x = k * (omega * t).sin().powi(2);
        let y = k * (omega * t - 0.5 * (2.0 * omega * t).sin());
        // a first-order row of velocities under the impulse methods: h times the acceleration
        let off = (p - Vec3::new(x, y, 0.0)).length();
        assert!(off < 1e-3, "{method:?}: {off} m off");
    }
}

#[test]
fn a_wrong_gradient_is_refused_by_its_row_and_connector() {
    let mut w = World::new();
    let b = w.add_body(Body::point(2.0).at(Vec3::new(1.0, 0.0, 0.0))).unwrap();
    let ends = vec![Connector::fixed(Vec3::ZERO), Connector::body(b, Vec3::ZERO)];
    let wrong = w.add_constraint(Constraint::new(rod(1.0, true), ends)).unwrap_err().to_string();
    assert!(wrong.contains("row 1 by y of connector 2"), "{wrong}");
    let mut points = [PluginPoint::default(); 2];
    points[1].position = Vec3::X;
    let right = check_rows(&Rod { length: 1.0, wrong: false }, 0.0, &points);
    assert!(right.is_ok(), "{right:?}");
}

#[test]
fn a_law_that_fails_gives_up_the_step() {
    let mut w = World::new();
    let b = w.add_body(Body::point(2.0).at(Vec3::new(1.0, 0.0, 0.0))).unwrap();
    let law = Plugin::<dyn ForceLaw>::of("late", Arc::new(Late(0.05)));
    let ends = vec![Connector::body(b, Vec3::ZERO)];
    let late = Controller::new(ControllerKind::Plugin(law), ends).named("late one");
    let id = w.add_controller(late).unwrap();
    for _ in 0..5 {
        assert_eq!(w.step(0.01).status, Status::Converged);
    }
    let before = w.state_hash();
    let report = w.step(0.01);
    assert_eq!(report.status, Status::Refused);
    let said = Event::PluginFailed { name: "late one".into(), message: "too late".into() };
    assert_eq!(report.events, vec![said]);
    assert!((w.time() - 0.05).abs() < 1e-15 && w.state_hash() == before);
    // without it the world goes on
    w.remove_controller(id).unwrap();
    assert_eq!(w.step(0.01).status, Status::Converged);
}

/// How far two bodies are apart, and the time.
struct Apart([BodyId; 2]);

impl SensorLaw for Apart {
    fn channels(&self) -> Vec<(String, &'static str)> {
        vec![("distance".into(), "m"), ("time".into(), "s")]
    }
    fn measure(&self, world: &World) -> Result<Vec<f64>, String> {
        let at = |id| world.position(id).ok_or("a body is gone");
        Ok(vec![at(self.0[0])?.distance(at(self.0[1])?), world.time()])
    }
}

#[test]
fn a_sensor_from_outside_reads_the_world_after_the_step() {
    let mut w = World::new();
    let a = w.add_body(Body::point(1.0).at(Vec3::ZERO)).unwrap();
    let b = w.add_body(Body::fixed()).unwrap();
    let mut sensor = Sensor::new(SensorKind::Plugin).named("apart");
    sensor.plugin = Plugin::of("apart", Arc::new(Apart([a, b])));
    let id = w.add_sensor(sensor).unwrap();
    let names: Vec<String> = w.sensor_channels(id).unwrap().into_iter().map(|c| c.0).collect();
    assert_eq!(names, [".distance", ".time"]);
    for _ in 0..100 {
        w.step(0.01);
    }
    let value = w.sensor_value(id).unwrap().to_vec();
    // g t²/2 after a second
    assert!((value[0] - 9.81 / 2.0).abs() < 1e-9 && (value[1] - 1.0).abs() < 1e-12, "{value:?}");
    // of what is gone it says so, and the world goes on
    w.remove_body(b).unwrap();
    let events = w.step(0.01).events;
    assert!(
        events.iter().any(
            |e| matches!(e, Event::PluginFailed { message, .. } if message == "a body is gone")
        )
    );
}

/// Everything bounces by half, whatever it is made of.
struct Half;

impl ContactLaw for Half {
    fn coefficients(
        &self,
        a: &Material,
        b: &Material,
        usual: Coefficients,
    ) -> Result<Coefficients, String> {
        if a.name == "odd" || b.name == "odd" {
            return Err("no such surface".into());
        }
        Ok(Coefficients { restitution: 0.5, ..usual })
    }
}

#[test]
fn a_contact_law_from_outside_decides_the_rebound() {
    let mut w = World::new();
    let contact = ContactSettings {
        time: ContactTime::Exact,
        plugin: Plugin::of("half", Arc::new(Half)),
        ..ContactSettings::default()
    };
    w.set_settings(Settings { contact, ..Settings::default() }).unwrap();
    let ground = Shape::Box { size: Vec3::new(4.0, 4.0, 1.0) };
    w.add_body(Body::fixed().shape(ground).at(Vec3::new(0.0, 0.0, -0.5))).unwrap();
    let ball = w.add_body(Body::sphere(1.0, 0.1).at(Vec3::new(0.0, 0.0, 1.1))).unwrap();
    let (mut highest, mut struck) = (0.0_f64, false);
    for _ in 0..700 {
        w.step(1e-3);
        let up = w.velocity(ball).unwrap().z > 0.0;
        struck |= up;
        if struck && up {
            highest = highest.max(w.position(ball).unwrap().z - 0.1);
        }
    }
    // it falls 1 m and rises e² of that
    assert!((highest - 0.25).abs() < 2e-3, "{highest} m");

    // a pair that it does not know fails the step
    let odd = Material { name: "odd".into(), ..Material::default() };
    w.remove_body(ball).unwrap();
    w.add_body(Body::sphere(1.0, 0.1).material(odd)).unwrap();
    let report = w.step(1e-3);
    assert_eq!(report.status, Status::Refused);
    assert!(
        matches!(&report.events[..], [Event::PluginFailed { message, .. }] if message == "no such surface")
    );
}

#[test]
fn laws_are_found_by_name_and_refused_with_reasons() {
    let spring =
        Declared::new("test spring", "a spring").required("stiffness").parameter("length", 1.0);
    let make = |p: &[f64]| -> Result<Arc<dyn ForceLaw>, String> {
        if p[0] < 0.0 {
            return Err("stiffness must not be negative".into());
        }
        Ok(Arc::new(Spring { stiffness: p[0], length: p[1] }))
    };
    register::<dyn ForceLaw>(spring.clone(), make).unwrap();
    assert!(register::<dyn ForceLaw>(spring, make).unwrap_err().to_string().contains("already"));
    let named = |name: &str, p: &[(&str, f64)]| Plugin::<dyn ForceLaw>::named(name, p).resolved();
    assert!(named("test spring", &[("stiffness", 2.0)]).is_ok());
    for (name, p, words) in [
        ("test sprnig", &[][..], "has registered no force element \"test sprnig\""),
        ("test spring", &[], "needs the parameter \"stiffness\""),
        ("test spring", &[("stifness", 1.0)], "has no parameter \"stifness\""),
        ("test spring", &[("stiffness", f64::NAN)], "not a finite number"),
        ("test spring", &[("stiffness", -1.0)], "must not be negative"),
    ] {
        let error = named(name, p).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    // what is registered as one kind is none of another
    assert!(Plugin::<dyn SensorLaw>::named("test spring", &[]).resolved().is_err());
    assert!(unregister::<dyn ForceLaw>("test spring"));
    assert!(named("test spring", &[("stiffness", 2.0)]).is_err());
}

#[test]
fn a_copy_and_a_restored_world_go_on_with_the_same_bits() {
    let mut w = World::new();
    let b = w.add_body(Body::point(2.0).at(Vec3::new(1.5, 0.0, 0.0))).unwrap();
    let law: Plugin<dyn ForceLaw> =
        Plugin::of("spring", Arc::new(Spring { stiffness: 80.0, length: 1.0 }));
    let ends = vec![Connector::fixed(Vec3::ZERO), Connector::body(b, Vec3::ZERO)];
    w.add_controller(Controller::new(ControllerKind::Plugin(law), ends.clone())).unwrap();
    let length = 1.2_f64;
    let rod = Plugin::<dyn ConstraintLaw>::of("rod", Arc::new(Rod { length, wrong: false }));
    let mut rod = Constraint::new(ConstraintKind::Plugin(rod), ends);
    rod.active = false;
    let rod = w.add_constraint(rod).unwrap();
    let run = |w: &mut World| {
        for _ in 0..50 {
            w.step(1e-3);
        }
    };
    run(&mut w);
    w.set_constraint_active(rod, true).unwrap();
    run(&mut w);
    let mut copy = w.clone();
    run(&mut w);
    run(&mut copy);
    assert_eq!(w.state_hash(), copy.state_hash());
}

//! Elastic rods, cables and cloth of the scenes against closed forms and an independent
//! integration.

use kreisel_analysis::{Equilibrium, Search, equilibrium};
use kreisel_dynamics::{Connector, Controller, ControllerKind, Vec3, World};
use kreisel_scene::{Options, Scene};
use std::f64::consts::PI;
use std::path::Path;

fn scene(name: &str, params: &[(&str, f64)]) -> Scene {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/deformables/");
    let params = params.iter().map(|(n, x)| ((*n).to_owned(), *x)).collect();
    let options = Options { params, ..Options::default() };
    kreisel_scene::load_as(Path::new(&format!("{folder}{name}.toml")), &options).unwrap()
}

/// The world of a scene with its outer forces, which keep their direction and their point.
fn loaded(scene: &Scene) -> World {
    let mut world = scene.world.clone();
    for f in &scene.forces {
        let at = vec![Connector::body(f.body, f.at.unwrap_or(Vec3::ZERO))];
        world
            .add_controller(Controller::new(ControllerKind::Vector(f.force), at).active())
            .unwrap();
    }
    world
}

fn rest(world: &mut World) -> Equilibrium {
    equilibrium(world, &Search::default()).unwrap()
}

fn tip(world: &World) -> Vec3 {
    let last = world.bodies().last().unwrap();
    // the link's frame lies in its middle
    let links = world.bodies().count() as f64;
    world.point(last, 0.5 / links * Vec3::X).unwrap()
}

/// Deflection and way of the tip towards the clamp of an elastica of length 1 and EI = 1: θ'' = −P
/// cos θ (across), by shooting with the classic method of Runge and Kutta.
fn elastica(load: f64) -> (f64, f64) {
    let shoot = |curvature: f64| {
        let (mut z, n) = ([0.0, curvature, 0.0, 0.0], 2000);
        let h = 1.0 / f64::from(n);
        let rate = |z: [f64; 4]| [z[1], -load * z[0].cos(), z[0].cos(), z[0].sin()];
        for _ in 0..n {
            let add = |z: [f64; 4], s: f64, k: [f64; 4]| [0, 1, 2, 3].map(|i| z[i] + s * k[i]);
            let a = rate(z);
            let b = rate(add(z, 0.5 * h, a));
            let c = rate(add(z, 0.5 * h, b));
            let d = rate(add(z, h, c));
            z = [0, 1, 2, 3].map(|i| z[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        }
        z
    };
    // no moment at the tip
    let (mut low, mut high) = (0.0, load);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if shoot(middle)[1] > 0.0 { high = middle } else { low = middle }
    }
    let z = shoot(low);
    (z[3], 1.0 - z[2])
}

#[test]
fn a_cantilever_bends_as_beam_theory_and_the_elastica_say() {
    // small loads: P L³/(3 EI)
    let small = 1e-4;
    let mut errors = Vec::new();
    for n in [25.0, 50.0] {
        let mut world = loaded(&scene("cantilever", &[("n", n), ("across", small)]));
        rest(&mut world);
        errors.push(-tip(&world).z / (small / 3.0) - 1.0);
    }
    println!("cantilever: {errors:?}");
    assert!(errors[1].abs() < 1e-2 && errors[1].abs() > 0.0);
    // second order: 1/(2 n²)
    assert!((errors[1] - 0.5 / 2500.0).abs() < 1e-6 && (errors[0] / errors[1] - 4.0).abs() < 0.1);

    // large loads, also beside the tables of Bisshopp and Drucker 1945
    for (load, table) in [(1.0, 0.3017), (3.0, 0.6033), (10.0, 0.8106)] {
        let (down, back) = elastica(load);
        assert!((down - table).abs() < 2e-4, "{down} not {table}");
        let mut world = loaded(&scene("cantilever", &[("across", load)]));
        rest(&mut world);
        let end = tip(&world);
        let (d, b) = (-end.z / down - 1.0, (1.0 - end.x) / back - 1.0);
        println!("elastica at {load}: {d:.1e}, {b:.1e}");
        assert!(d.abs() < 1e-2 && b.abs() < 1e-2);
    }
}

#[test]
fn a_column_buckles_at_eulers_load() {
    let euler = PI * PI / 4.0;
    let stands = |load: f64| {
        let mut world = loaded(&scene("cantilever", &[("across", 0.0), ("along", load)]));
        let straight = Search { any: true, ..Search::default() };
        let found = equilibrium(&mut world, &straight).unwrap();
        assert!(tip(&world).z.abs() < 1e-9);
        found.unstable == 0
    };
    assert!(stands(0.99 * euler) && !stands(1.01 * euler));

    // Hencky's chain, clamped with a spring of twice the stiffness: half of a pinned one of 2n
    let (mut low, mut high) = (0.99 * euler, 1.01 * euler);
    for _ in 0..5 {
        let middle = 0.5 * (low + high);
        if stands(middle) { low = middle } else { high = middle }
    }
    let hencky = 4.0 * 2500.0 * (PI / 200.0).sin().powi(2);
    println!("buckling: {low} to {high}, Euler {euler}, Hencky {hencky}");
    assert!(low <= hencky * (1.0 + 1e-9) && hencky <= high * (1.0 + 1e-9));
}

#[test]
fn a_cable_hangs_in_a_catenary() {
    // 2 c sinh(span/(2c)) = length
    let (span, length, mass, n): (f64, f64, f64, usize) = (1.6, 2.4, 1.2, 50);
    let (mut low, mut high) = (0.1, 10.0);
    for _ in 0..100 {
        let c: f64 = 0.5 * (low + high);
        if 2.0 * c * (span / (2.0 * c)).sinh() > length { low = c } else { high = c }
    }
    let c = low;
    let mut world = scene("catenary", &[]).world;
    let found = rest(&mut world);
    let middle = world.body_named(&format!("p{}", n / 2)).unwrap();
    let sag = c * ((span / (2.0 * c)).cosh() - 1.0);
    let error = -world.position(middle).unwrap().z / sag - 1.0;
    let pull = found
        .reactions
        .iter()
        .filter(|r| r.name == "left")
        .map(|r| r.force[0].abs())
        .fold(0.0, f64::max);
    let wanted = mass * 9.81 / length * c;
    println!("catenary: sag {error:.1e}, pull {:.1e}", pull / wanted - 1.0);
    assert!(error.abs() < 1e-3 && (pull / wanted - 1.0).abs() < 1e-3);
    for k in 1..n {
        let p = world.position(world.body_named(&format!("p{k}")).unwrap()).unwrap();
        let curve = c * ((p.x / c).cosh() - (span / (2.0 * c)).cosh());
        assert!((p.z - curve).abs() < 2e-3, "p{k} at {p}, {curve}");
    }
}

/// A wire whose hinges take turns bends alike in both directions, as a rod of half the hinges.
#[test]
fn a_wire_bends_alike_in_both_directions() {
    let mut world = scene("wire", &[("EI", 5.0)]).world;
    let last = world.bodies().last().unwrap();
    world.set_gravity(Vec3::ZERO).unwrap();
    let force = 1e-3;
    let at = vec![Connector::body(last, 0.02 * Vec3::X)];
    let pull = ControllerKind::Vector(Vec3::new(0.0, force, force));
    world.add_controller(Controller::new(pull, at).active()).unwrap();
    rest(&mut world);
    let end = world.point(last, 0.02 * Vec3::X).unwrap();
    let wanted = force * 8.0 / (3.0 * 5.0);
    println!("wire: {:.1e} {:.1e}", end.y / wanted - 1.0, end.z / wanted - 1.0);
    assert!((end.y / wanted - 1.0).abs() < 1e-2 && (end.z / wanted - 1.0).abs() < 1e-2);
}

/// The cloth comes to lie on the ball: no point inside it or in the ground, nothing torn, and no
/// energy from nowhere.
#[test]
fn a_cloth_falls_over_a_ball_and_lies_there() {
    let scene = scene("cloth", &[("m", 9.0), ("n", 9.0)]);
    let mut world = scene.world.clone();
    let ball = world.body_named("ball").unwrap();
    let middle = world.position(ball).unwrap();
    let start = world.energy().total();
    let mut most = f64::NEG_INFINITY;
    for _ in 0..360 {
        world.step(1.0 / 120.0);
        most = most.max(world.energy().total());
    }
    assert!(most < start + 1e-6, "{most} from {start}");
    let (mut nearest, mut lowest) = (f64::INFINITY, f64::INFINITY);
    for b in world.bodies().filter(|b| *b != ball) {
        let p = world.position(b).unwrap();
        if world.body(b).unwrap().mass.mass > 0.0 {
            nearest = nearest.min(p.distance(middle));
            lowest = lowest.min(p.z);
        }
    }
    println!("cloth: {nearest} from the ball's middle, {lowest} low, {} J", world.energy().kinetic);
    assert!(nearest > 0.35 + 0.02 - 2e-3 && lowest > -0.8 + 0.02 - 2e-3);
    assert!(nearest < 0.38 && world.energy().kinetic < 0.05);
    for s in world.springs() {
        let name = world.spring_name(s).unwrap().to_string();
        if name.starts_with("weft") || name.starts_with("warp") {
            let l = world.spring_length(s).unwrap();
            assert!(l < 0.12 && l > 0.05, "{name}: {l}");
        }
    }
}

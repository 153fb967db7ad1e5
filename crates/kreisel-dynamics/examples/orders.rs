//! Measured order of convergence on two bodies with each joint type.
use kreisel_dynamics::*;
fn world(kind: &str) -> World {
    let mut w = World::new();
    w.set_gravity(Vec3::new(0.0, -9.81, 0.0)).unwrap();
    let size = Vec3::new(1.0, 0.1, 0.15);
    let a =
        w.add_body(Body::cuboid(1.0, size).at(Vec3::new(0.5, 0.0, 0.0)).spinning(Vec3::new(1.0, 0.7, -1.3))).unwrap();
    let b =
        w.add_body(Body::cuboid(1.0, size).at(Vec3::new(1.5, 0.0, 0.0)).spinning(Vec3::new(2.0, 0.7, -2.6))).unwrap();
    let j = |k: &str, p: BodyId, q: BodyId, at: Vec3, ax: Vec3| match k {
        "hinge" => Joint::hinge(p, q).at(at).axis(ax),
        "slider" => Joint::slider(p, q).at(at).axis(ax),
        "universal" => Joint::universal(p, q, ax, ax.any_orthonormal_vector()).at(at),
        _ => Joint::ball(p, q).at(at),
    };
    let first = if kind == "slider" { "ball" } else { kind };
    w.add_joint(j(first, BodyId::WORLD, a, Vec3::ZERO, Vec3::new(0.1, 0.3, 1.0).normalize())).unwrap();
    w.add_joint(j(kind, a, b, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.5, 1.0, -0.3).normalize())).unwrap();
    w
}
fn main() {
    let settings = |order, n| Settings {
        order,
        substeps: Substeps::Fixed(n),
        stepping: Stepping::Symmetric,
        tolerance: Tolerance::uniform(1e-13),
        ..Settings::default()
    };
    for kind in ["ball", "hinge", "slider", "universal"] {
        let run = |order, steps: u32| {
            let mut w = world(kind);
            // consistent start: a tiny step corrects the velocities
            w.set_settings(settings(Order::Six, 1)).unwrap();
            w.step(1e-9);
            w.set_settings(settings(order, 1)).unwrap();
            for _ in 0..steps {
                w.step(0.4 / f64::from(steps));
            }
            w.bodies().map(|b| w.center_of_mass(b).unwrap()).collect::<Vec<_>>()
        };
        let truth = run(Order::Eight, 320);
        for order in [Order::Two, Order::Four, Order::Six, Order::Eight] {
            let errors: Vec<f64> = [10, 20, 40, 80]
                .iter()
                .map(|&s| run(order, s).iter().zip(&truth).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max))
                .collect();
            print!("{kind:10} {order:?}: ");
            for e in &errors {
                print!("{e:.1e} ");
            }
            for p in errors.windows(2) {
                print!(" {:.2}", (p[0] / p[1]).log2());
            }
            println!();
        }
    }
}

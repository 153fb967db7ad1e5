//! Chains and nets, timed.
use kreisel_dynamics::*;
fn chain(n: usize) -> World {
    let mut w = World::new();
    let mut prev = BodyId::WORLD;
    for i in 0..n {
        let b = w
            .add_body(Body::cuboid(1.0, Vec3::new(0.1, 0.05, 0.05)).at(Vec3::new((i as f64 + 0.5) * 0.1, 0.0, 0.0)))
            .unwrap();
        w.add_joint(Joint::ball(prev, b).at(Vec3::new(i as f64 * 0.1, 0.0, 0.0))).unwrap();
        prev = b;
    }
    w
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[1].parse().unwrap();
    let steps: usize = a[2].parse().unwrap();
    let mut w = chain(n);
    let mut s = w.settings().clone();
    match a.get(3).map(|s| s.as_str()) {
        Some("sym") => s.stepping = Stepping::Symmetric,
        Some("em") => s.stepping = Stepping::Energy,
        _ => {}
    }
    if let Some(t) = a.get(4) {
        s.substeps = Substeps::Auto { target: t.parse().unwrap() };
    }
    w.set_settings(s).unwrap();
    let e0 = w.energy().total();
    let scale = n as f64 * 9.81 * n as f64 * 0.05;
    let (mut worst, mut sub, mut rej, mut rounds, mut em, mut bad, mut emax) = (0.0f64, 0, 0, 0, 0, 0, 0.0f64);
    let mut vw = 0.0f64;
    let t = std::time::Instant::now();
    let (mut tf, mut tc, mut tv) = (0.0, 0.0, 0.0);
    for i in 0..steps {
        let r = w.step(0.01);
        let g = r.worst.as_ref().unwrap().position;
        worst = worst.max(g);
        sub += r.substeps;
        rej += r.rejected;
        rounds += r.rounds;
        em += r.energy_substeps;
        vw = vw.max(r.velocity_error);
        if r.status != Status::Converged {
            bad += 1;
            if bad < 5 {
                println!("step {i}: {:?} {:?}", r.status, r.worst);
            }
        }
        emax = emax.max((r.ledger.energy.total() - e0).abs());
        tf += r.times.factor.as_secs_f64();
        tc += r.times.correction.as_secs_f64();
        tv += r.times.velocity.as_secs_f64();
    }
    let dt = t.elapsed().as_secs_f64() * 1e3 / steps as f64;
    println!(
        "n {n}: {dt:.4} ms/step (factor {:.4} correct {:.4} vel {:.4}), worst {worst:.2e} m, v {vw:.1e}, dE {:.2e} max {:.2e}, substeps {:.2}, rejected {rej}, rounds/sub {:.2}, em {em}, bad {bad}",
        tf * 1e3 / steps as f64,
        tc * 1e3 / steps as f64,
        tv * 1e3 / steps as f64,
        (w.energy().total() - e0) / scale,
        emax / scale,
        sub as f64 / steps as f64,
        rounds as f64 / sub as f64
    );
}

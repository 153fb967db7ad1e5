//! Nets.
use kreisel_dynamics::*;
fn net(k: usize) -> World {
    let l = 0.1;
    let mut w = World::new();
    let mut ends: std::collections::BTreeMap<(usize, usize), Vec<BodyId>> = Default::default();
    for i in 0..k {
        for j in 0..k {
            if j + 1 < k {
                let b = w
                    .add_body(Body::cuboid(0.1, Vec3::new(l, 0.04, 0.04)).at(Vec3::new(
                        (j as f64 + 0.5) * l,
                        i as f64 * l,
                        0.0,
                    )))
                    .unwrap();
                ends.entry((i, j)).or_default().push(b);
                ends.entry((i, j + 1)).or_default().push(b);
            }
            if i + 1 < k {
                let b = w
                    .add_body(Body::cuboid(0.1, Vec3::new(0.04, l, 0.04)).at(Vec3::new(
                        j as f64 * l,
                        (i as f64 + 0.5) * l,
                        0.0,
                    )))
                    .unwrap();
                ends.entry((i, j)).or_default().push(b);
                ends.entry((i + 1, j)).or_default().push(b);
            }
        }
    }
    for (&(i, j), list) in &ends {
        let at = Vec3::new(j as f64 * l, i as f64 * l, 0.0);
        for o in &list[1..] {
            w.add_joint(Joint::ball(list[0], *o).at(at)).unwrap();
        }
        if (i, j) == (0, 0) || (i, j) == (k - 1, k - 1) {
            w.add_joint(Joint::ball(BodyId::WORLD, list[0]).at(at)).unwrap();
        }
    }
    w
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (k, steps): (usize, usize) = (a[1].parse().unwrap(), a[2].parse().unwrap());
    let mut w = net(k);
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
    let n = w.bodies().count() as f64;
    let scale = n * 0.1 * 9.81 * 0.1 * (n / 2.0).sqrt() / 2.0;
    let e0 = w.energy().total();
    let (mut worst, mut emax, mut sub, mut rej, mut rounds, mut bad) = (0.0f64, 0.0f64, 0, 0, 0, 0);
    let t = std::time::Instant::now();
    for _ in 0..steps {
        let r = w.step(0.01);
        worst = worst.max(r.worst.as_ref().unwrap().position);
        emax = emax.max((r.ledger.energy.total() - e0).abs());
        sub += r.substeps;
        rej += r.rejected;
        rounds += r.rounds;
        bad += u32::from(r.status != Status::Converged);
    }
    println!(
        "net {k}: {:.3} ms, worst {worst:.1e}, dE {:.2e} max {:.2e}, sub {:.1} rej {rej} rounds/sub {:.2} bad {bad} joints {}",
        t.elapsed().as_secs_f64() * 1e3 / steps as f64,
        (w.energy().total() - e0) / scale,
        emax / scale,
        sub as f64 / steps as f64,
        rounds as f64 / sub as f64,
        w.joints().count()
    );
}

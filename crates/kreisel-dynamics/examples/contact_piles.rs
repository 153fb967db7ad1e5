//! Pyramids and piles of cubes: time, overlap and calmness.
//! `cargo run --release --example contact_piles -- pyramid10 300`
//!
//! The scenes are those of the comparison with other engines: cubes of 1 m and 1 kg, µ = 0.5, 1/60
//! s.

use kreisel_dynamics::{Body, Material, Quat, Shape, Vec3, World};

fn add_box(world: &mut World, position: Vec3, half: Vec3, mass: Option<f64>) {
    let shape = Shape::Box { size: half * 2.0 };
    let body = match mass {
        Some(m) => Body::cuboid(m, half * 2.0).ghost(),
        None => Body::fixed(),
    };
    world.add_body(body.shape(shape).material(Material::rough(0.5)).at(position)).unwrap();
}

fn floor(world: &mut World) {
    add_box(world, Vec3::new(0.0, -1.0, 0.0), Vec3::new(100.0, 1.0, 100.0), None);
}

fn pyramid(world: &mut World, n: usize) {
    floor(world);
    for r in 0..n {
        for c in 0..n - r {
            let x = (c as f64 - (n - r - 1) as f64 / 2.0) * 1.05;
            add_box(world, Vec3::new(x, 0.5 + r as f64, 0.0), Vec3::splat(0.5), Some(1.0));
        }
    }
}

fn pile(world: &mut World, [nx, ny, nz]: [usize; 3], side: f64) {
    let s = side / 2.0;
    add_box(world, Vec3::new(0.0, -1.0, 0.0), Vec3::new(s + 2.0, 1.0, s + 2.0), None);
    for (sx, sz) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half =
            if sx != 0.0 { Vec3::new(1.0, 15.0, s + 2.0) } else { Vec3::new(s + 2.0, 15.0, 1.0) };
        add_box(world, Vec3::new(sx * (s + 1.0), 15.0, sz * (s + 1.0)), half, None);
    }
    let mut k = 0.0;
    for y in 0..ny {
        for x in 0..nx {
            for z in 0..nz {
                k += 1.0;
                let (a, b) = ((k * 0.6180339887_f64) % 1.0, (k * 0.7548776662_f64) % 1.0);
                let (t, p) = (0.3 * (a - 0.5), std::f64::consts::TAU * b);
                let q =
                    Quat::from_xyzw(t.sin() * p.cos(), t.sin() * 0.3, t.sin() * p.sin(), t.cos())
                        .normalize();
                let fy = y as f64;
                let at = Vec3::new(
                    (x as f64 - (nx - 1) as f64 / 2.0) * 1.35 + 0.2 * (1.7 * fy).sin(),
                    1.0 + 1.5 * fy,
                    (z as f64 - (nz - 1) as f64 / 2.0) * 1.35 + 0.2 * (2.3 * fy).cos(),
                );
                let body = Body::cuboid(1.0, Vec3::ONE).shape(Shape::Box { size: Vec3::ONE });
                world.add_body(body.material(Material::rough(0.5)).at(at).rotated(q)).unwrap();
            }
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let scene = args.get(1).map_or("pyramid10", String::as_str);
    let steps: usize = args.get(2).and_then(|s| s.parse().ok()).unwrap_or(300);
    let mut world = World::new();
    world.set_gravity(Vec3::new(0.0, -9.81, 0.0)).unwrap();
    match scene {
        "pile1000" => pile(&mut world, [10, 10, 10], 15.0),
        "pile4000" => pile(&mut world, [20, 10, 20], 29.0),
        "tower" => {
            floor(&mut world);
            (0..50).for_each(|k| {
                add_box(&mut world, Vec3::Y * (0.5 + k as f64), Vec3::splat(0.5), Some(1.0))
            });
        }
        "heavy" => {
            floor(&mut world);
            add_box(&mut world, Vec3::Y * 0.5, Vec3::splat(0.5), Some(1.0));
            add_box(&mut world, Vec3::Y * 1.5, Vec3::splat(0.5), Some(1e4));
        }
        other => pyramid(&mut world, other.trim_start_matches("pyramid").parse().unwrap_or(10)),
    }
    let mut s = world.settings().clone();
    if let Some(n) = args.get(3).and_then(|s| s.parse().ok()) {
        s.contact.max_sweeps = Some(n);
    }
    s.threads = args.get(4).and_then(|s| s.parse().ok()).unwrap_or(1);
    if let Some(n) = args.get(5).and_then(|s| s.parse().ok()) {
        s.contact.velocity_sweeps = n;
    }
    if let Some(t) = args.get(6).and_then(|s| s.parse().ok()) {
        s.contact.tolerance = t;
    }
    world.set_settings(s).unwrap();
    let start: Vec<_> = world.bodies().map(|b| world.position(b).unwrap()).collect();
    let (mut sweeps, mut worst, mut repeats, mut last) = (0, 0.0_f64, 0, 0.0);
    let clock = std::time::Instant::now();
    for k in 0..steps {
        let r = world.step(1.0 / 60.0);
        let c = r.contact;
        sweeps += c.sweeps;
        repeats += c.repeats;
        worst = worst.max(c.penetration);
        last = c.penetration;
        if k % (steps / 5).max(1) == 0 {
            println!("  step {k}: {c:?}, {:?}", r.ledger);
        }
    }
    let time = clock.elapsed().as_secs_f64() / steps as f64;
    let (mut drift, mut speed) = (0.0_f64, 0.0_f64);
    for (b, p) in world.bodies().zip(&start) {
        let d = world.position(b).unwrap() - *p;
        drift = drift.max(Vec3::new(d.x, 0.0, d.z).length());
        speed = speed.max(world.velocity(b).unwrap().length());
    }
    println!(
        "{scene}: {:.3} ms/step, {:.1} sweeps, overlap at the end {:.3} mm, worst {:.1} mm, drift {drift:.4} m, speed {speed:.1e} m/s, repeats {repeats}",
        1e3 * time,
        f64::from(sweeps) / steps as f64,
        1e3 * last,
        1e3 * worst
    );
}

//! Experiments of the thesis with contacts: braking cubes (E-15), Newton's cradle (E-16), and
//! joints that meet the ground.

mod common;

use kreisel_dynamics::{
    Body, BodyId, ContactTime, Joint, Material, Method, Quat, Rule, Shape, Status, Vec3, World,
};

const G: f64 = 9.81;

/// E-15: ten cubes slide down 15 degrees without friction for 5 s, then brake.
#[test]
fn e15_ten_cubes_brake_within_15_mm() {
    // Bender 2007, E-15: coefficients of the table; the exact way from v²/(2 g (µ cos − sin))
    let coefficients = [0.535, 0.57, 0.605, 0.64, 0.675, 0.71, 0.745, 0.78, 0.815, 0.85];
    let angle = 15f64.to_radians();
    for tolerance in [1e-5, 1e-7, 1e-9] {
        let mut world = World::new();
        let turn = Quat::from_rotation_y(angle);
        let plane = Shape::HalfSpace { normal: turn * Vec3::Z, offset: 0.0 };
        world.set_ground(Some(plane), Material::rough(0.0)).unwrap();
        let mut settings = world.settings().clone();
        settings.contact.friction = Rule::Sum;
        settings.contact.tolerance = tolerance;
        world.set_settings(settings).unwrap();
        let ids: Vec<BodyId> = (0..10)
            .map(|k| {
                let at = turn * Vec3::new(0.0, 2.0 * f64::from(k), 0.5);
                let body = Body::cuboid(1.0, Vec3::ONE).shape(Shape::Box { size: Vec3::ONE });
                world.add_body(body.material(Material::rough(0.0)).at(at).rotated(turn)).unwrap()
            })
            .collect();
        let h = 1e-3;
        for _ in 0..5000 {
            world.step(h);
        }
        let start: Vec<(Vec3, f64)> = ids
            .iter()
            .map(|&id| (world.position(id).unwrap(), world.velocity(id).unwrap().length()))
            .collect();
        for (&id, mu) in ids.iter().zip(coefficients) {
            world.set_material(id, Material::rough(mu)).unwrap();
        }
        for _ in 0..6000 {
            world.step(h);
        }
        for ((&id, (p, v)), mu) in ids.iter().zip(&start).zip(coefficients) {
            assert!((v - G * angle.sin() * 5.0).abs() < 1e-6, "{v}");
            let way = (world.position(id).unwrap() - *p).length();
            let exact = v * v / (2.0 * G * (mu * angle.cos() - angle.sin()));
            assert!(
                (way - exact).abs() < 15e-3,
                "µ = {mu}, tolerance {tolerance}: {way} against {exact}"
            );
        }
    }
}

/// Five spheres of radius 1 m and 1 kg on rods of 5 m, as pendulums about the y axis, `raised` of
/// them by 45 degrees.
fn cradle(raised: usize) -> (World, Vec<BodyId>) {
    let mut world = World::new();
    let mut settings = world.settings().clone();
    settings.contact.time = ContactTime::Exact;
    settings.contact.tolerance = 1e-6;
    settings.tolerance = kreisel_dynamics::Tolerance::uniform(1e-9);
    world.set_settings(settings).unwrap();
    let length = 5.0;
    let material = Material { friction: 0.0, restitution: 1.0, ..Material::default() };
    let ids: Vec<BodyId> = (0..5)
        .map(|k| {
            let pivot = Vec3::new(2.0 * k as f64, 0.0, 0.0);
            let turn = Quat::from_rotation_y(if k < raised { 45f64.to_radians() } else { 0.0 });
            let body = Body::sphere(1.0, 1.0)
                .shape(Shape::Sphere { radius: 1.0 })
                .material(material.clone());
            let id =
                world.add_body(body.at(pivot + turn * Vec3::Z * -length).rotated(turn)).unwrap();
            world.add_joint(Joint::hinge(BodyId::WORLD, id).at(pivot).axis(Vec3::Y)).unwrap();
            id
        })
        .collect();
    (world, ids)
}

#[test]
fn e16_as_many_spheres_swing_out_as_were_raised() {
    for raised in 1..=4 {
        let (mut world, ids) = cradle(raised);
        let spin = |world: &World, k: usize| world.angular_velocity(ids[k]).unwrap().y;
        let (mut start, mut before) = (0.0, 0.0);
        let mut step = 0;
        // down to the impact and a little beyond
        while spin(&world, 4).abs() < 0.5 && step < 4000 {
            before = spin(&world, raised - 1);
            start = world.energy().total();
            assert_eq!(world.step(1e-3).status, Status::Converged);
            step += 1;
        }
        let spins: Vec<f64> = (0..5).map(|k| spin(&world, k)).collect();
        for (k, w) in spins.iter().enumerate() {
            if k < 5 - raised {
                assert!(w.abs() < 0.02, "{raised} raised: {spins:?}");
            } else {
                assert!((w - before).abs() < 0.02, "{raised} raised: {spins:?}, before {before}");
            }
        }
        // Bender 2007, E-16: energy across the impact to 1e-5 N m
        let lost = (world.energy().total() - start).abs();
        assert!(lost < 1e-5, "{raised} raised: {lost} J");
    }
}

#[test]
fn a_bouncing_ball_keeps_its_energy_with_restitution_one() {
    let mut world = World::new();
    let plane = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    world.set_ground(Some(plane), Material::default()).unwrap();
    let mut settings = world.settings().clone();
    settings.contact.time = ContactTime::Exact;
    world.set_settings(settings).unwrap();
    let ball = Body::solid(Shape::Sphere { radius: 0.1 }, 1000.0).unwrap();
    let ball =
        world.add_body(ball.material(Material::default().bouncing(1.0)).at(Vec3::Z * 1.1)).unwrap();
    let start = world.energy().total();
    let mut bounces = 0;
    for _ in 0..1000 {
        bounces += world.step(0.01).contact.impacts;
        let error = (world.energy().total() - start).abs() / start;
        assert!(error < 1e-12, "{error} after {bounces} bounces");
    }
    // a period is 2 √(2 H/g) = 0.903 s
    assert_eq!(bounces, 11);
    assert!(world.position(ball).unwrap().z > 0.1 - 1e-5);
}

#[test]
fn heights_of_bounces_fall_with_the_square_of_the_restitution_until_the_ball_rests() {
    let mut world = World::new();
    let plane = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    world.set_ground(Some(plane), Material::default()).unwrap();
    let mut settings = world.settings().clone();
    settings.contact.time = ContactTime::Exact;
    world.set_settings(settings).unwrap();
    let ball = Body::solid(Shape::Sphere { radius: 0.1 }, 1000.0).unwrap();
    let ball =
        world.add_body(ball.material(Material::default().bouncing(0.5)).at(Vec3::Z * 1.1)).unwrap();
    let (mut tops, mut top, mut last) = (Vec::new(), 0.0_f64, 0.0);
    for _ in 0..3000 {
        world.step(1e-3);
        let (z, v) = (world.position(ball).unwrap().z - 0.1, world.velocity(ball).unwrap().z);
        top = if v > 0.0 { top.max(z) } else { top };
        if last > 0.0 && v <= 0.0 {
            tops.push(top);
            top = 0.0;
        }
        last = v;
    }
    for (n, top) in tops.iter().take(3).enumerate() {
        let exact = 0.25f64.powi(n as i32 + 1);
        assert!((top - exact).abs() < 1e-3, "bounce {n}: {top} against {exact}");
    }
    assert!(world.velocity(ball).unwrap().length() < 1e-9);
    assert!((world.position(ball).unwrap().z - 0.1).abs() < 1e-4);
}

#[test]
fn a_bullet_does_not_pass_a_thin_plate_in_exact_time() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let mut settings = world.settings().clone();
    settings.contact.time = ContactTime::Exact;
    world.set_settings(settings).unwrap();
    let plate = Shape::Box { size: Vec3::new(1e-3, 1.0, 1.0) };
    world.add_body(Body::fixed().shape(plate)).unwrap();
    let bullet = Body::solid(Shape::Sphere { radius: 0.005 }, 8000.0).unwrap();
    let bullet = bullet
        .material(Material::default().bouncing(0.5))
        .at(Vec3::X * -3.0)
        .moving(Vec3::X * 900.0);
    let bullet = world.add_body(bullet).unwrap();
    world.step(0.01);
    let (x, v) = (world.position(bullet).unwrap().x, world.velocity(bullet).unwrap().x);
    assert!(x < 0.0 && (v + 450.0).abs() < 1e-6, "{x} {v}");
}

/// A chain that lies down on the ground comes to rest with both methods (B-89, B-90).
#[test]
fn a_chain_falls_on_the_ground_and_rests() {
    for method in [Method::Direct, Method::Iterative] {
        let mut world = World::new();
        let plane = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
        world.set_ground(Some(plane), Material::default()).unwrap();
        let mut settings = world.settings().clone();
        settings.method = method;
        world.set_settings(settings).unwrap();
        let mut last = None;
        let mut ids = Vec::new();
        for k in 0..8 {
            let size = Vec3::new(0.2, 0.05, 0.05);
            let at = Vec3::new(0.22 * f64::from(k), 0.0, 0.3 + 0.05 * f64::from(k));
            let id =
                world.add_body(Body::cuboid(1.0, size).shape(Shape::Box { size }).at(at)).unwrap();
            if let Some((a, p)) = last {
                world.add_joint(Joint::ball(a, id).at(0.5 * (at + p))).unwrap();
            }
            last = Some((id, at));
            ids.push(id);
        }
        for k in 0..300 {
            let report = world.step(0.01);
            assert_eq!(report.status, Status::Converged, "{method:?} step {k}: {:?}", report.worst);
            assert!(
                report.contact.penetration < 0.01,
                "{method:?} step {k}: {}",
                report.contact.penetration
            );
        }
        for &id in &ids {
            let v = world.velocity(id).unwrap().length();
            assert!(v < 1e-2, "{method:?}: {v}");
        }
        let weight: f64 = ids.iter().map(|&id| world.contact_force(id).unwrap().z).sum();
        assert!((weight - 8.0 * G).abs() < 0.05 * 8.0 * G, "{method:?}: {weight}");
    }
}

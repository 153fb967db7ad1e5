//! Contact of loose bodies against closed forms.

mod common;

use kreisel_dynamics::{Body, Event, Material, Quat, Shape, Vec3, World};

const G: f64 = 9.81;

fn ground(material: Material) -> World {
    let mut world = World::new();
    world.set_ground(Some(Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 }), material).unwrap();
    world
}

fn cube(edge: f64) -> Body {
    Body::solid(Shape::Box { size: Vec3::splat(edge) }, 1000.0).unwrap()
}

fn ball(radius: f64) -> Body {
    Body::solid(Shape::Sphere { radius }, 1000.0).unwrap()
}

/// A plane inclined by `angle` about y, rising against x, through the origin; its frame turns x
/// down the slope.
fn ramp(angle: f64, material: Material) -> (World, Quat) {
    let mut world = World::new();
    let turn = Quat::from_rotation_y(angle);
    world
        .set_ground(Some(Shape::HalfSpace { normal: turn * Vec3::Z, offset: 0.0 }), material)
        .unwrap();
    (world, turn)
}

#[test]
fn a_dropped_cube_and_a_dropped_ball_come_to_rest_and_stay_for_a_minute() {
    let mut world = ground(Material::default());
    let a = world.add_body(cube(1.0).at(Vec3::Z * 1.0)).unwrap();
    let b = world.add_body(ball(0.5).at(Vec3::new(3.0, 0.0, 1.0))).unwrap();
    let mut begins = 0;
    for _ in 0..180 {
        begins += world
            .step(1.0 / 60.0)
            .events
            .iter()
            .filter(|e| matches!(e, Event::ContactBegin { .. }))
            .count();
    }
    assert_eq!(begins, 2);
    let start = [a, b].map(|id| world.position(id).unwrap());
    for (p, x) in start.iter().zip([0.0, 3.0]) {
        assert!((*p - Vec3::new(x, 0.0, 0.5)).length() < 1e-5, "{p}");
    }
    for k in 0..3600 {
        let report = world.step(1.0 / 60.0);
        assert!(report.contact.penetration < 1e-6, "step {k}: {}", report.contact.penetration);
        assert!(report.ledger.residual.abs() < 1e-9, "step {k}: {:?}", report.ledger);
    }
    // issue 5: within 1e-6 m for 60 s, no drift
    for (id, p) in [a, b].into_iter().zip(start) {
        assert!((world.position(id).unwrap() - p).length() < 1e-6);
        assert!(world.velocity(id).unwrap().length() < 1e-9);
    }
    // weight: the ground carries what the bodies weigh
    let weight = 1000.0 * G;
    assert!((world.contact_force(a).unwrap() - Vec3::Z * weight).length() < 1e-6 * weight);
}

#[test]
fn a_book_on_a_slope_below_the_cone_does_not_creep() {
    // issue 5: 20 degrees, µ = 0.5 > tan 20° = 0.364
    let (mut world, turn) = ramp(20f64.to_radians(), Material::default());
    let shape = Shape::Box { size: Vec3::new(0.3, 0.2, 0.04) };
    let book = Body::solid(shape, 700.0).unwrap().at(turn * Vec3::Z * 0.02).rotated(turn);
    let book = world.add_body(book).unwrap();
    for _ in 0..60 {
        world.step(1.0 / 60.0);
    }
    let start = world.position(book).unwrap();
    for _ in 0..3600 {
        world.step(1.0 / 60.0);
    }
    let way = (world.position(book).unwrap() - start).length();
    assert!(way < 1e-9, "crept {way}");
}

#[test]
fn a_sliding_cube_stops_after_v2_over_2_mu_g() {
    let mut world = ground(Material::rough(0.3));
    let v = 3.0;
    let body = cube(0.2).material(Material::rough(0.3)).at(Vec3::Z * 0.1).moving(Vec3::X * v);
    let id = world.add_body(body).unwrap();
    for _ in 0..240 {
        world.step(1.0 / 120.0);
    }
    let way = world.position(id).unwrap();
    let exact = v * v / (2.0 * 0.3 * G);
    assert!((way.x - exact).abs() < 2e-3, "{} against {exact}", way.x);
    let rest = world.velocity(id).unwrap().length();
    assert!(way.y.abs() < 1e-5 && rest < 1e-9, "{way} {rest}");
}

#[test]
fn a_frictionless_cube_on_a_slope_accelerates_with_g_sin() {
    let angle = 30f64.to_radians();
    let (mut world, turn) = ramp(angle, Material::rough(0.0));
    let body = cube(0.2).material(Material::rough(0.0)).at(turn * Vec3::Z * 0.1).rotated(turn);
    let id = world.add_body(body).unwrap();
    for _ in 0..60 {
        world.step(1.0 / 60.0);
    }
    let way = turn.conjugate() * world.position(id).unwrap();
    assert!((way.x - 0.5 * G * angle.sin()).abs() < 1e-6, "{}", way.x);
}

#[test]
fn a_ball_rolls_down_with_five_sevenths_of_g_sin() {
    let angle = 10f64.to_radians();
    let (mut world, turn) = ramp(angle, Material::default());
    let id = world.add_body(ball(0.1).at(turn * Vec3::Z * 0.1)).unwrap();
    for _ in 0..120 {
        world.step(1.0 / 60.0);
    }
    let (way, v) = (
        turn.conjugate() * world.position(id).unwrap(),
        turn.conjugate() * world.velocity(id).unwrap(),
    );
    // solid ball, J = 2/5 m r²: a = 5/7 g sin
    let a = 5.0 / 7.0 * G * angle.sin();
    assert!((v.x - 2.0 * a).abs() < 1e-6 * v.x, "{} against {}", v.x, 2.0 * a);
    assert!((way.x - 2.0 * a).abs() < 1e-3, "{} against {}", way.x, 2.0 * a);
    let spin = world.angular_velocity(id).unwrap();
    assert!((spin.y - v.x / 0.1).abs() < 1e-6 * spin.y);
}

#[test]
fn a_ball_rebounds_with_its_restitution() {
    let mut world = ground(Material::default());
    let id = world
        .add_body(ball(0.1).material(Material::default().bouncing(0.8)).at(Vec3::Z * 1.1))
        .unwrap();
    let (mut top, mut rising) = (0.0_f64, false);
    for _ in 0..1200 {
        world.step(1e-3);
        rising |= world.velocity(id).unwrap().z > 0.0;
        if rising {
            top = top.max(world.position(id).unwrap().z - 0.1);
        }
        if rising && world.velocity(id).unwrap().z < -0.1 {
            break;
        }
    }
    // falls 1 m, comes back to e²
    assert!((top - 0.64).abs() < 5e-3, "{top}");
}

#[test]
fn bodies_that_start_inside_each_other_part_slowly() {
    let mut world = ground(Material::default());
    let a = world.add_body(cube(1.0).at(Vec3::Z * 0.5)).unwrap();
    let b = world.add_body(cube(1.0).at(Vec3::new(0.1, 0.0, 0.9))).unwrap();
    let mut fastest = 0.0_f64;
    for _ in 0..300 {
        world.step(1.0 / 60.0);
        for id in [a, b] {
            fastest = fastest.max(world.velocity(id).unwrap().length());
        }
    }
    // bounded by the push speed of 1 m/s
    assert!(fastest < 1.5, "{fastest}");
    let gap = world.contacts().map(|c| c.gap).fold(f64::INFINITY, f64::min);
    assert!(gap > -1e-4, "{gap}");
}

#[test]
fn materials_and_shapes_that_make_no_sense_are_refused_by_name() {
    let mut world = World::new();
    let bad = [
        cube(1.0).named("nan").material(Material::rough(f64::NAN)),
        cube(1.0).named("nan").material(Material::default().bouncing(1.5)),
        Body::sphere(1.0, 1.0).named("nan").shape(Shape::Sphere { radius: 0.0 }),
        Body::sphere(1.0, 1.0)
            .named("nan")
            .shape(Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 }),
    ];
    for body in bad {
        let error = world.add_body(body).unwrap_err().to_string();
        assert!(error.starts_with("nan: "), "{error}");
    }
    assert!(Body::solid(Shape::Box { size: Vec3::new(1.0, 0.0, 1.0) }, 1.0).is_err());
}

#[test]
fn rolling_resistance_brakes_a_ball_with_five_sevenths_of_its_share() {
    let mut world = ground(Material::default());
    let (r, lever, v) = (0.1, 0.002, 1.0);
    let material = Material { rolling: lever, ..Material::default() };
    let body =
        ball(r).material(material).at(Vec3::Z * r).moving(Vec3::X * v).spinning(Vec3::Y * (v / r));
    let id = world.add_body(body).unwrap();
    for _ in 0..600 {
        world.step(1e-3);
    }
    // torque lever·N against J = 2/5 m r², rolling kept by friction: a = −5/7 g lever/r
    let exact = v - 5.0 / 7.0 * G * lever / r * 0.6;
    let now = world.velocity(id).unwrap().x;
    assert!((now - exact).abs() < 1e-3, "{now} against {exact}");
}

#[test]
fn static_friction_holds_where_sliding_friction_would_not() {
    // tan 20° = 0.364 between µd = 0.3 and µs = 0.4: a box at rest stays, a pushed one slides on
    let material = Material { friction: 0.3, static_friction: Some(0.4), ..Material::default() };
    let angle = 20f64.to_radians();
    let (mut world, turn) = ramp(angle, material.clone());
    let still = cube(0.2).material(material.clone()).at(turn * Vec3::Z * 0.1).rotated(turn);
    let still = world.add_body(still).unwrap();
    let pushed = cube(0.2).material(material).at(turn * Vec3::new(0.0, 1.0, 0.1)).rotated(turn);
    let pushed = world.add_body(pushed.moving(turn * Vec3::X * 0.5)).unwrap();
    for _ in 0..200 {
        world.step(5e-3);
    }
    assert!((world.position(still).unwrap() - turn * Vec3::Z * 0.1).length() < 1e-3);
    // the reference runs for Lennerz 2000: a = g (sin 20° − 0.3 cos 20°) = 0.5897 m/s²
    let v = (turn.conjugate() * world.velocity(pushed).unwrap()).x;
    assert!((v - (0.5 + 0.5897)).abs() < 5e-3, "{v}");
}

//! Solids made of others in scenes: volumes are closed forms of the polyhedra.
#![cfg(feature = "booleans")]

use kreisel_scene::{Scene, parse};
use std::f64::consts::TAU;

fn scene(shape: &str) -> Result<Scene, String> {
    let text = format!("[[body]]\nname = 'a'\nshape = {shape}\ndensity = 1000\n");
    parse("a.toml", &text).map_err(|e| e.problems[0].message.clone())
}

fn mass(shape: &str) -> f64 {
    let scene = scene(shape).unwrap_or_else(|e| panic!("{shape}: {e}"));
    scene.world.body(scene.world.body_named("a").expect("it")).expect("it").mass.mass
}

/// Area of a regular polygon with its corners on a circle.
fn polygon(n: f64, r: f64) -> f64 {
    0.5 * n * r * r * (TAU / n).sin()
}

#[test]
fn drilled_plates_lenses_and_crosses_weigh_what_they_enclose() {
    // a plate with a hole: the prism over a 64-gon is missing
    let plate =
        "{ difference = [{ box = [1, 1, 0.1] }, { cylinder = { radius = 0.2, height = 1 } }] }";
    let expected = 1000.0 * (0.1 - polygon(64.0, 0.2) * 0.1);
    assert!((mass(plate) / expected - 1.0).abs() < 1e-12, "{} {expected}", mass(plate));
    // a cross of two bars: 2 - 1 thick cube in common
    let cross = "{ union = [{ box = [3, 1, 1] }, { box = [1, 3, 1] }] }";
    assert!((mass(cross) / 5000.0 - 1.0).abs() < 1e-12);
    let common = "{ intersection = [{ box = [3, 1, 1] }, { box = [1, 3, 1] }, { box = [1, 1, 1], position = [0.5, 0, 0] }] }";
    assert!((mass(common) / 500.0 - 1.0).abs() < 1e-12);
    // solids of solids
    let frame = "{ difference = [{ union = [{ box = [3, 1, 1] }, { box = [1, 3, 1] }] }, { box = [0.5, 0.5, 2] }] }";
    assert!((mass(frame) / 4750.0 - 1.0).abs() < 1e-12);
}

#[test]
fn outlines_are_drawn_out_and_turned() {
    let l = "{ extrude = { profile = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], height = 0.5 } }";
    assert!((mass(l) / 1500.0 - 1.0).abs() < 1e-12);
    // a ring of square section: by Pappus, with the polygon for the circle
    let ring = "{ revolve = { profile = [[1, 0], [1.2, 0], [1.2, 0.2], [1, 0.2]], sides = 48 } }";
    let expected = 1000.0 * 0.2 * (polygon(48.0, 1.2) - polygon(48.0, 1.0));
    assert!((mass(ring) / expected - 1.0).abs() < 1e-12);
    // turned by its axis, like other solids along z
    let lying =
        scene("{ extrude = { profile = [[0, 0], [1, 0], [0, 1]], height = 4 }, axis = 'x' }");
    let lying = lying.expect("a scene");
    let inertia =
        lying.world.body(lying.world.body_named("a").expect("it")).expect("it").mass.inertia;
    assert!(inertia.x_axis.x < inertia.y_axis.y && inertia.x_axis.x < inertia.z_axis.z);
}

/// A drilled plate slides over a pin that a solid plate would hit.
#[test]
fn a_hole_is_a_hole_for_contacts_too() {
    let text = |shape: &str| {
        format!(
            "[[body]]\nname = 'pin'\nkind = 'static'\nshape = {{ box = [0.1, 0.1, 1] }}\n\
             [[body]]\nname = 'plate'\nshape = {shape}\nposition = [0, 0, 0.8]\n"
        )
    };
    let fall = |shape: &str| {
        let scene = parse("a.toml", &text(shape)).expect("a scene");
        let mut run = kreisel_scene::Simulation::new(&scene);
        for _ in 0..40 {
            run.step();
        }
        run.world.position(run.world.body_named("plate").expect("it")).expect("a place").z
    };
    let drilled = "{ difference = [{ box = [0.6, 0.6, 0.1] }, { box = [0.3, 0.3, 1] }] }";
    let free = 0.8 - 0.5 * 9.81 * 0.4 * 0.4;
    assert!((fall(drilled) - free).abs() < 0.02, "{} {free}", fall(drilled));
    assert!(fall("{ box = [0.6, 0.6, 0.1] }") > 0.5);
}

#[test]
fn what_encloses_nothing_is_refused_by_name() {
    for (shape, words) in [
        ("{ union = [{ box = [1, 1, 1] }] }", "two shapes or more"),
        ("{ union = [{ box = [1, 1, 1] }, { half_space = [0, 0, 1] }] }", "cannot be combined"),
        (
            "{ intersection = [{ box = [1, 1, 1] }, { box = [1, 1, 1], position = [5, 0, 0] }] }",
            "nothing is left",
        ),
        (
            "{ difference = [{ mesh = { vertices = [[0,0,0],[1,0,0],[0,1,0]], triangles = [[0,1,2]] } }, { box = [1, 1, 1] }] }",
            "solid 1",
        ),
        ("{ extrude = { profile = [[0, 0], [2, 1], [2, 0], [0, 2]], height = 1 } }", "cross"),
        ("{ extrude = { profile = [[0, 0], [1, 0], [0, 1]], height = -1 } }", "height"),
        ("{ revolve = { profile = [[-1, 0], [1, 0], [0, 1]] } }", "axis"),
    ] {
        let found = scene(shape).map(|_| ()).unwrap_err();
        assert!(found.contains(words), "{shape}: {found}");
    }
}

//! The map of the Stewart platform against the lengths of its legs.

use kreisel_analysis::workspace;
use kreisel_dynamics::{Coordinate, Vec3};

#[test]
fn the_stewart_platform_reaches_what_its_legs_do_and_they_carry_it() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/");
    let path = format!("{folder}analyses/stewart-platform.toml");
    let world = kreisel_scene::load(std::path::Path::new(&path)).unwrap().world;
    let platform = world.body_named("platform").unwrap();
    let start = world.position(platform).unwrap();
    let at = |name: String| world.joint_frames(world.joint_named(&name).unwrap()).unwrap()[1].point;
    let legs: Vec<(Vec3, Vec3)> =
        (0..6).map(|k| (at(format!("foot {k}")), at(format!("head {k}")))).collect();
    let actuators: Vec<_> = (0..6)
        .map(|k| (world.joint_named(&format!("leg {k}")).unwrap(), Coordinate::Position))
        .collect();
    let line: Vec<f64> = (-4..=4).map(|k| 0.1 * f64::from(k)).collect();
    let axes = [line.clone(), line, vec![0.7, 0.85, 1.0]];
    let map = workspace(&world, platform, &axes, true, &actuators).unwrap();
    let weight: f64 = world.bodies().map(|b| world.body(b).unwrap().mass.mass).sum::<f64>() * 9.81;
    let (mut inside, mut checked) = (0, 0);
    for p in &map.places {
        let place = Vec3::from_array(p.at);
        // how much further each leg is out than its limit lets it
        let over = legs
            .iter()
            .map(|(a, b)| ((*b + place - start - *a).length() - (*b - *a).length()).abs() - 0.25)
            .fold(f64::NEG_INFINITY, f64::max);
        if over.abs() > 1e-3 {
            checked += 1;
            inside += usize::from(p.reached);
            assert_eq!(p.reached, over < 0.0, "{p:?}: {over}");
        }
        if p.reached {
            assert!(p.dexterity > 1e-3, "{p:?}");
            // legs carry platform and rods up along themselves; feet and heads carry the rest
            let up: f64 = legs
                .iter()
                .zip(&p.efforts)
                .map(|((a, b), f)| f * (*b + place - start - *a).normalize().z)
                .sum();
            assert!(up > 0.5 * weight && up < 1.1 * weight, "{up} of {weight}: {p:?}");
        }
    }
    println!("{inside} of {checked} places, {:?}", map.envelope);
    assert!(inside > 20 && inside < checked - 20 && map.share > 0.1);
    assert!(map.envelope.iter().any(|e| e.0 == "head 0" && e.1 > 0.0));
}

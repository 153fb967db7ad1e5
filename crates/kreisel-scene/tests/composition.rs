//! Scenes made of several files: meshes, includes, instances.

use kreisel_dynamics::{BodyId, Vec3};
use kreisel_geometry::Shape;
use kreisel_scene::{Code, Options, Scene, SceneError, load, load_as, parse_as};
use std::path::{Path, PathBuf};

fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn good(loaded: Result<Scene, SceneError>) -> Scene {
    loaded.unwrap_or_else(|e| panic!("{:?}", e.problems))
}

fn close(a: Vec3, b: [f64; 3], tolerance: f64) {
    assert!(a.distance(Vec3::from_array(b)) <= tolerance, "{a} instead of {b:?}");
}

#[test]
fn bodies_get_mass_and_inertia_from_closed_meshes_in_three_formats() {
    let scene = good(load(scenes().join("shapes/meshes.toml")));
    let mass = |name: &str| scene.world.body(scene.world.body_named(name).unwrap()).unwrap().mass;
    // L of 2 x 0.5 and 0.5 x 1, 0.5 thick, in units of 0.2 m: volume 0.75 * 0.2^3 m³
    let bracket = mass("bracket");
    assert!((bracket.mass - 2700.0 * 0.75 * 0.008).abs() < 1e-9, "{}", bracket.mass);
    // centroid of the two rectangles: areas 1 at (1, 0.25) and 0.5 at (0.25, 1)
    close(bracket.center, [0.2 * 1.125 / 1.5, 0.2 * 0.75 / 1.5, 0.2 * 0.25], 1e-12);
    // tetrahedron with legs 0.3, 0.3, 0.4; mirrored in z, so its centre lies below
    let corner = mass("corner");
    assert!((corner.mass - 2700.0 * 0.3 * 0.3 * 0.4 / 6.0).abs() < 1e-9);
    close(corner.center, [0.075, 0.075, -0.1], 1e-12);
    // regular octahedron of radius r: volume 4/3 r³, moment m r²/5 about each axis
    let octahedron = mass("octahedron");
    let m = 2700.0 * 4.0 / 3.0 * 0.008;
    assert!((octahedron.mass - m).abs() < 1e-6, "single precision in the file");
    assert!((octahedron.inertia.x_axis.x - m * 0.04 / 5.0).abs() < 1e-6);
    assert_eq!(scene.warnings, []);
}

#[test]
fn shapes_are_reachable_for_contacts_and_shown_geometry_is_not_among_them() {
    let scene = good(load(scenes().join("shapes/gallery.toml")));
    let shape = |name: &str| scene.shape(scene.world.body_named(name).unwrap()).unwrap().kind();
    assert_eq!(
        [shape("floor"), shape("ground"), shape("dumbbell")],
        ["height field", "half-space", "compound"]
    );
    assert_eq!(scene.shows.len(), 1);
    assert_eq!(scene.shows[0].body, scene.world.body_named("dumbbell").unwrap());
    assert_eq!(scene.shape(BodyId::WORLD), None);
    let Some(Shape::HeightField(field)) = scene.shape(scene.world.body_named("floor").unwrap())
    else {
        panic!()
    };
    // column 1, row 2: x = 0.25 m, y = 0.5 m
    let expected = 0.1 * 0.5_f64.sin() * 1.0_f64.cos();
    assert!((field.heights()[2 * 33 + 1] - expected).abs() < 1e-15);
}

#[test]
fn instances_stand_where_they_are_placed_with_their_own_parameters() {
    let scene = good(load(scenes().join("composition/spider.toml")));
    assert_eq!(scene.world.bodies().count(), 1 + 8 * 2);
    assert_eq!(scene.world.joints().count(), 1 + 8 + 8);
    assert_eq!(
        (scene.step, scene.duration),
        (1.0 / 60.0, 4.0),
        "step from the included file, duration from its own"
    );
    // leg 2 points along 112.5 degrees from the trunk's rim (0.3 m) at 1 m height, its thigh is
    // 0.34 m long
    let a = 112.5_f64.to_radians();
    let r = 0.3 + 0.34 / 2.0;
    let thigh = scene.world.body_named("leg 2/thigh").unwrap();
    close(scene.world.position(thigh).unwrap(), [r * a.cos(), r * a.sin(), 1.0], 1e-12);
    for joint in scene.world.joints() {
        let (gap, tilt) = scene.world.joint_error(joint).unwrap();
        assert!(gap < 1e-12 && tilt < 1e-7, "{:?}", scene.world.joint_name(joint));
    }
}

#[test]
fn unnamed_items_of_instances_are_named_apart() {
    let folder = scenes().join("broken");
    let text =
        "[[instance]]\nscene = \"parts/plain.toml\"\nname = \"{i == 0 ? 1 : 2}\"\nrepeat = 2\n";
    let options = Options { folder: Some(folder), ..Options::default() };
    let scene = good(parse_as("t.toml", text, &options));
    let names: Vec<String> = scene
        .world
        .bodies()
        .filter_map(|b| scene.world.body_name(b))
        .map(|n| n.to_string())
        .collect();
    assert_eq!(names, ["1/body 1", "1/body 2", "2/body 1", "2/body 2"]);
}

#[test]
fn files_outside_the_folder_are_read_only_when_that_is_allowed() {
    let path = scenes().join("broken/mesh-outside.toml");
    let refused = load(&path).unwrap_err();
    assert_eq!(refused.problems[0].code, Code::File);
    let allowed = Options { allow_outside: true, ..Options::default() };
    assert_eq!(good(load_as(&path, &allowed)).world.bodies().count(), 1);
}

#[test]
fn a_text_without_a_folder_reads_no_files() {
    let error = kreisel_scene::parse("t.toml", "include = [\"Cargo.toml\"]").unwrap_err();
    assert_eq!(error.problems[0].code, Code::File);
}

#[test]
fn nested_instances_are_bounded() {
    // 10 files, each holding the next ten times over: 10^9 items if nothing stopped it
    let folder = std::env::temp_dir().join(format!("kreisel-nested-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for k in 0..9 {
        let text =
            format!("[[instance]]\nrepeat = 10\nscene = \"{}.toml\"\nname = \"x{{i}}\"\n", k + 1);
        std::fs::write(folder.join(format!("{k}.toml")), text).unwrap();
    }
    std::fs::write(folder.join("9.toml"), "[[body]]\nshape = { sphere = 1 }\n").unwrap();
    let error = load(folder.join("0.toml")).unwrap_err();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(error.problems.iter().any(|p| p.code == Code::TooLarge), "{:?}", error.problems);
}

#[test]
fn the_models_of_the_thesis_are_there_in_under_thirty_lines() {
    for (file, bodies) in [("chain-50", 50), ("tree-127", 127), ("wall-252", 252)] {
        let path = scenes().join(format!("thesis/{file}.toml"));
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines < 30, "{file} has {lines} lines");
        assert_eq!(good(load(&path)).world.analyse().bodies, bodies);
    }
}

//! The files to start from: the scenes of the project, and a few lines for formats that it has none
//! of.

use std::path::{Path, PathBuf};

/// Largest file that is taken: small ones give more tries.
const MOST: usize = 64 << 10;

/// Contents of all files of a format.
pub fn files(root: &Path, format: &str) -> Vec<Vec<u8>> {
    let endings: &[&str] = match format {
        "toml" => &["toml"],
        "urdf" => &["urdf"],
        "mjcf" => &["xml"],
        "obj" => &["obj"],
        "stl" => &["stl"],
        "gltf" => &["gltf", "glb"],
        _ => &[],
    };
    let mut paths = Vec::new();
    collect(&root.join("scenes"), endings, &mut paths);
    paths.sort();
    let mut out: Vec<Vec<u8>> =
        paths.iter().filter_map(|p| std::fs::read(p).ok()).filter(|b| b.len() <= MOST).collect();
    out.extend(extra(format).iter().map(|t| t.as_bytes().to_vec()));
    match format {
        "recording" => out.push(recording()),
        "snapshot" => out.extend(snapshot()),
        "triangle-pairs" | "mesh-distances" | "hierarchies" | "impacts" | "step-sequence" => {
            out.extend((0..64).map(noise))
        }
        _ => {}
    }
    out
}

fn extra(format: &str) -> &'static [&'static str] {
    match format {
        "json" => &[
            r#"{ "params": { "l": 1.0 }, "body": [{ "name": "arm", "shape": { "box": ["l", 0.1, 0.1] }, "mass": 1 }],
                "joint": [{ "type": "hinge", "bodies": ["world", "arm"], "axis": [0, 1, 0] }] }"#,
            r#"{ "body": [{ "repeat": { "i": 3 }, "name": "b{i}", "shape": "point", "mass": 1 }], "script": { "build": "let a = 1;" } }"#,
        ],
        "script" => &[
            "for i in 0..3 { add_body(#{ name: `b${i}`, shape: #{ sphere: 0.1 }, position: [i, 0, 0] }); }",
            "let a = [1, 2]; while a.len() < 9 { a.push(a[0] * 2.0); } fn on_step() { body(\"b\").push([0, 0, 1]); }",
            "fn f(n) { if n < 2 { n } else { f(n - 1) + f(n - 2) } } let x = f(9); print(x); let s = \"a\"; s += s;",
        ],
        "client" => &[
            r#"{"type":"hello","version":1,"token":null,"name":"Ada"}"#,
            r#"{"type":"command","command":{"do":"grab","body":"arm","point":[0,0,0],"target":[1,0,0],"turn":null,"strength":1}}"#,
            r#"{"type":"command","command":{"do":"set","object":"arm","key":"mass","value":{"number":2.5}}}"#,
            r#"{"type":"control","control":{"do":"speed","factor":0.5}}"#,
            r#"{"type":"subscribe","layers":{"velocities":true,"reactions":false,"errors":true,"contacts":false},"quantities":["energy"]}"#,
        ],
        "journal" => &[concat!(
            r#"{"kreisel_journal":1,"program":"0.1.0","name":"x.toml","text":"[[body]]\nname = \"arm\"\nshape = { sphere = 0.1 }\n","params":[],"step":null,"method":null,"order":null}"#,
            "\n",
            r#"{"step":2,"client":1,"command":{"do":"push","body":"arm","impulse":[0,0,1],"point":[0,0,0]}}"#,
            "\n",
            r#"{"step":5,"client":1,"command":{"do":"set","object":"arm","key":"mass","value":{"number":2.5}}}"#,
            "\n",
        )],
        "csv" => &["time [s],\"a.x [m]\"\n0,1\n0.1,\n0.2,-3e5\n", "t,a,b\n1,2,3\n"],
        "expression" => &[
            "1 + 2 * 3 ^ -4 % 5",
            "sin(pi / 3) > 0.5 && !(2 <= 1) ? 30 deg : 90 deg/s",
            "min(1, 2, max(3, 4)) + hypot(3, 4) - atan2(1, 2)",
            "rand(1, 2) * floor(log2(8)) / abs(-3)",
        ],
        _ => &[],
    }
}

/// A pendulum.
pub const PENDULUM: &str = "[[body]]\nname = 'b'\nshape = { sphere = 0.1 }\nposition = [1, 0, 0]\n[[joint]]\ntype = 'ball'\nbodies = ['world', 'b']";

/// A stored state of it.
fn snapshot() -> Option<Vec<u8>> {
    let mut world = kreisel_scene::parse("x.toml", PENDULUM).ok()?.world;
    for _ in 0..3 {
        world.step(0.01);
    }
    postcard::to_stdvec(&world.snapshot()).ok()
}

/// A short recording of it.
fn recording() -> Vec<u8> {
    let file =
        std::env::temp_dir().join(format!("kreisel-fuzz-corpus-{}.kreisel", std::process::id()));
    let made = || -> Option<Vec<u8>> {
        let scene = kreisel_scene::parse("x.toml", PENDULUM).ok()?;
        let mut recorder =
            kreisel_scene::record::Recorder::create(&file, &scene, &Default::default()).ok()?;
        let mut run = kreisel_scene::Simulation::new(&scene);
        for k in 1..=40 {
            let report = run.step();
            recorder.step(k, &run.world, &report).ok()?;
        }
        recorder.finish().ok()?;
        std::fs::read(&file).ok()
    };
    let bytes = made().unwrap_or_default();
    let _ = std::fs::remove_file(&file);
    bytes
}

/// Bytes that look random, the same in every run.
fn noise(seed: u64) -> Vec<u8> {
    let mut random = crate::mutate::Random::new(seed, 0);
    (0..400).map(|_| random.below(256) as u8).collect()
}

fn collect(folder: &Path, endings: &[&str], out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, endings, out);
        } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| endings.contains(&e)) {
            out.push(path);
        }
    }
}

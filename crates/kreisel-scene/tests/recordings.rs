//! Recordings: what is written is read back to the bit; replay repeats it; damaged files are
//! refused or read as far as they go.

use kreisel_dynamics::{StepReport, Vec3};
use kreisel_scene::record::{
    Changes, Columns, End, Input, Recorder, Recording, RecordingError, replay,
};
use kreisel_scene::{Scene, Simulation};
use proptest::prelude::*;
use std::io::Write;
use std::sync::{Arc, Mutex};

const SCENE: &str = r#"
[world]
step = 0.01
[[body]]
repeat = 3
name = "link {i}"
shape = { box = [1, 0.1, 0.1] }
mass = 1
position = ["i + 0.5", 0, 0]
[[joint]]
type = "hinge"
name = "pivot"
bodies = ["world", "link 0"]
axis = [0, 1, 0]
limits = { angle = ["-30 deg", "30 deg"] }
[[joint]]
repeat = { i = "1..3" }
name = "joint {i}"
type = "ball"
bodies = ["link {i - 1}", "link {i}"]
at = ["i", 0, 0]
"#;

fn scene() -> Scene {
    kreisel_scene::parse("chain.toml", SCENE).unwrap_or_else(|e| panic!("{e}"))
}

/// A file in memory that its writer and the test share.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Records steps with inputs between them; gives the bytes and the rows as they were measured.
fn record(steps: u64, inputs: &[(u64, Input)], finish: bool) -> (Vec<u8>, Vec<Vec<f64>>) {
    let scene = scene();
    let columns = Columns::everything(&scene).unwrap();
    let file = Shared::default();
    let mut recorder =
        Recorder::new(file.clone(), &scene, &Changes::default(), columns.clone()).unwrap();
    let mut simulation = Simulation::new(&scene);
    let mut rows = Vec::new();
    let mut report = StepReport::default();
    for k in 0..=steps {
        if k > 0 {
            for (_, input) in inputs.iter().filter(|i| i.0 == k - 1) {
                recorder.input(k - 1, input.clone());
                input.apply(&mut simulation.world).unwrap();
            }
            report = simulation.step();
        }
        recorder.step(k, &simulation.world, &report).unwrap();
        rows.push(columns.row(&simulation.world, &report));
    }
    if finish {
        assert_eq!(recorder.finish().unwrap(), steps + 1);
    } else {
        drop(recorder);
    }
    let bytes = file.0.lock().unwrap().clone();
    (bytes, rows)
}

#[test]
fn a_recording_gives_back_every_bit_and_every_event() {
    let (bytes, rows) = record(300, &[], true);
    let recording = Recording::from_bytes(&bytes).unwrap();
    assert_eq!(recording.end, End::Complete);
    assert_eq!(recording.rows(), 301);
    assert_eq!(recording.header.text, SCENE);
    for (row, expected) in rows.iter().enumerate() {
        for (c, value) in expected.iter().enumerate() {
            assert_eq!(
                recording.values[c][row].to_bits(),
                value.to_bits(),
                "{} row {row}",
                recording.columns()[c].name
            );
        }
    }
    for name in [
        "link 2.rotation.w",
        "link 0.angular_velocity.y",
        "joint 2.force.x",
        "joint 1.error.gap",
        "pivot.angle",
    ] {
        assert!(recording.columns().iter().any(|c| c.name == name), "{name}");
    }
    assert!(
        recording.events.iter().any(|e| e.event.contains("LimitHit")),
        "{:?}",
        recording.events
    );
    let raw = rows.len() * rows[0].len() * 8;
    assert!(bytes.len() < raw * 8 / 10, "{} of {raw} bytes", bytes.len());
}

#[test]
fn replay_repeats_a_run_with_its_inputs_to_the_bit() {
    let push = Input::Impulse {
        body: "link 2".into(),
        impulse: Vec3::new(0.0, 1.0, 0.5),
        point: Vec3::new(2.5, 0.0, 0.0),
    };
    let pull = Input::Force {
        body: "link 1".into(),
        force: Vec3::new(0.0, 3.0, 0.0),
        point: Vec3::new(1.5, 0.0, 0.0),
    };
    let free = Input::Joint { joint: "joint 2".into(), active: false };
    let (bytes, _) = record(200, &[(20, push), (50, pull), (120, free)], true);
    let mut recording = Recording::from_bytes(&bytes).unwrap();
    let scene = recording.scene(&Default::default()).unwrap();
    let same = replay(&recording, &scene, |_| true).unwrap();
    assert_eq!((same.compared, same.differs), (201, None));
    // Without the second input the run differs in the step after it.
    recording.inputs.remove(1);
    let other = replay(&recording, &scene, |_| true).unwrap();
    let (step, _, quantities) = other.differs.unwrap();
    assert_eq!(step, 51);
    assert!(quantities.iter().any(|q| q.0 == "link 1.velocity.y"), "{quantities:?}");
}

#[test]
fn a_model_that_changes_on_the_way_is_recorded_to_the_bit() {
    // Once and then calm, and in every step.
    let switch = |k: u64, active| (k, Input::Joint { joint: "joint 2".into(), active });
    let mut inputs = vec![switch(40, false), switch(100, true)];
    inputs.extend((150..200).map(|k| switch(k, k % 2 == 0)));
    let (bytes, rows) = record(260, &inputs, true);
    let recording = Recording::from_bytes(&bytes).unwrap();
    assert_eq!(recording.rows(), rows.len());
    for (k, row) in rows.iter().enumerate() {
        for (c, value) in row.iter().enumerate() {
            let read = recording.values[c][k];
            assert_eq!(read.to_bits(), value.to_bits(), "{} row {k}", recording.columns()[c].name);
        }
    }
    let scene = recording.scene(&Default::default()).unwrap();
    assert_eq!(replay(&recording, &scene, |_| true).unwrap().differs, None);
}

#[test]
fn reactions_are_recorded_under_every_method() {
    for method in ["direct", "iterative", "lagrange"] {
        let text = format!("[world]\nmethod = \"{method}\"\n{}", SCENE.replacen("[world]", "", 1));
        let scene = kreisel_scene::parse("chain.toml", &text).unwrap_or_else(|e| panic!("{e}"));
        let columns = Columns::of_path(&scene.world, "pivot.force").unwrap();
        let mut simulation = Simulation::new(&scene);
        let report = simulation.step();
        let row = columns.row(&simulation.world, &report);
        let pivot = simulation.world.joint_named("pivot").unwrap();
        let force = simulation.world.reaction(pivot).unwrap().force;
        assert!(force.length() > 1.0, "{method}: the chain has weight, {force}");
        assert_eq!(row[1..], force.to_array(), "{method}");
    }
}

#[test]
fn a_file_that_breaks_off_is_good_up_to_its_last_whole_block() {
    let (bytes, rows) = record(300, &[], false);
    let whole = Recording::from_bytes(&bytes).unwrap();
    assert_eq!((whole.end.clone(), whole.rows()), (End::Open, 301));
    let cut = Recording::from_bytes(&bytes[..bytes.len() - 10]).unwrap();
    assert!(matches!(&cut.end, End::Damaged(d) if d.rows == cut.rows()));
    // Blocks have 128 rows.
    assert_eq!(cut.rows(), 256);
    assert_eq!(cut.values[1][255].to_bits(), rows[255][1].to_bits());
}

#[test]
fn what_is_no_recording_is_told_so() {
    assert!(matches!(Recording::from_bytes(b"time [s],x\n"), Err(RecordingError::NotARecording)));
    let (mut bytes, _) = record(2, &[], true);
    bytes[8] = 77;
    assert!(matches!(Recording::from_bytes(&bytes), Err(RecordingError::Version(77))));
    bytes[8] = kreisel_scene::record::VERSION as u8;
    bytes[60] ^= 1;
    assert!(matches!(Recording::from_bytes(&bytes), Err(RecordingError::Head(_))));
}

/// Makes the checksums of all blocks right again, so that mutations reach what lies behind them.
fn reseal(bytes: &mut [u8]) {
    let mut at = 12;
    while let Some(length) = bytes.get(at + 4..at + 8) {
        let length = u32::from_le_bytes(length.try_into().unwrap()) as usize;
        let end = at + 24 + length;
        if end > bytes.len() {
            break;
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes[at..at + 8]);
        hasher.update(&bytes[at + 24..end]);
        bytes[at + 8..at + 24].copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        at = end;
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Any bytes end in a recording with as many values as rows, or in an error; with right
    /// checksums too.
    #[test]
    fn mutated_recordings_are_read_or_refused(
        changes in prop::collection::vec((0..100_000_usize, any::<u8>()), 1..12),
        cut in 0..100_000_usize,
        seal in any::<bool>(),
    ) {
        static BYTES: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let mut bytes = BYTES.get_or_init(|| record(150, &[(3, Input::Gravity(Vec3::ZERO))], true).0).clone();
        for (at, value) in changes {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        if cut % 3 == 0 {
            bytes.truncate(cut % (bytes.len() + 1));
        }
        if seal {
            reseal(&mut bytes);
        }
        if let Ok(recording) = Recording::from_bytes(&bytes) {
            prop_assert!(recording.values.iter().all(|c| c.len() == recording.rows()));
            if let End::Damaged(damage) = &recording.end {
                prop_assert_eq!(damage.rows, recording.rows());
            }
        }
    }
}

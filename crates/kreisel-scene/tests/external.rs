//! A controller in another program: a thread that listens at a port of this machine.

use kreisel_scene::{Answered, External, ExternalError, Scene, Simulation, Terms};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread::{self, JoinHandle};
use std::time::Duration;

fn wheel() -> Scene {
    let text = r#"
        [world]
        gravity = [0, 0, 0]
        step = 0.01
        [[body]]
        name = "wheel"
        mass = 1.0
        inertia = [1, 1, 1]
        center = [0, 0, 0]
        [[joint]]
        name = "axle"
        type = "hinge"
        bodies = ["world", "wheel"]
        axis = [0, 0, 1]
        [[motor]]
        name = "drive"
        joint = "axle"
        effort = 0
    "#;
    kreisel_scene::parse("wheel.toml", text).unwrap_or_else(|e| panic!("{e:?}"))
}

/// Listens, and answers each question by `answer`; gives the questions.
fn program(
    mut answer: impl FnMut(&Value) -> Option<String> + Send + 'static,
) -> (SocketAddr, JoinHandle<Vec<Value>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let run = move || {
        let (stream, _) = listener.accept().unwrap();
        let mut out = stream.try_clone().unwrap();
        let mut all = Vec::new();
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let message: Value = serde_json::from_str(&line).unwrap();
            let end = message.get("end").is_some();
            if message.get("question").is_some()
                && let Some(text) = answer(&message)
            {
                out.write_all(text.as_bytes()).unwrap();
            }
            all.push(message);
            if end {
                break;
            }
        }
        all
    };
    (address, thread::spawn(run))
}

fn effort(question: &Value, x: f64) -> String {
    format!("{}\n", json!({ "question": question["question"], "motors": { "drive": x } }))
}

/// Every 30 ms in steps of 10 ms: three steps with each command. ω = Σ τ h/I to the bit of its sum.
#[test]
fn commands_hold_between_the_times_of_the_controller() {
    let (address, thread) = program(|q| {
        let k = q["question"].as_f64().unwrap();
        Some(effort(q, k + 1.0))
    });
    let mut run = Simulation::new(&wheel());
    let terms = Terms { period: 0.03, deadline: None };
    let mut external = External::connect(address, &terms, &run.world).unwrap();
    let mut asked = 0;
    for _ in 0..9 {
        let h = run.step_size();
        asked += u32::from(external.before_step(&mut run.world, h).unwrap() == Answered::InTime);
        run.step();
    }
    external.finish();
    assert_eq!(asked, 3);
    let axle = run.world.joint_named("axle").unwrap();
    let rate = run.world.coordinate_rate(axle, kreisel_dynamics::Coordinate::Angle).unwrap();
    assert!((rate - 0.01 * 3.0 * (1.0 + 2.0 + 3.0)).abs() < 1e-12, "{rate}");
    let messages = thread.join().unwrap();
    assert_eq!(messages[0]["motors"], json!(["drive"]));
    assert_eq!(messages.len(), 5, "greeting, three questions, end");
    assert!(messages[2]["joints"]["axle"]["angle"][1].as_f64().unwrap() > 0.0);
}

/// The second answer comes too late: it is named, the first command holds, and the late answer is
/// not taken for that of the third question.
#[test]
fn a_late_answer_is_named_and_the_last_command_holds() {
    let (address, thread) = program(|q| {
        let k = q["question"].as_u64().unwrap();
        if k == 1 {
            thread::sleep(Duration::from_millis(600));
        }
        Some(effort(q, [1.0, 100.0, 3.0][k as usize]))
    });
    let mut run = Simulation::new(&wheel());
    let terms = Terms { period: 0.0, deadline: Some(0.3) };
    let mut external = External::connect(address, &terms, &run.world).unwrap();
    let mut answers = Vec::new();
    for k in 0..3 {
        if k == 2 {
            // until the late answer lies there
            thread::sleep(Duration::from_millis(500));
        }
        let h = run.step_size();
        answers.push(external.before_step(&mut run.world, h).unwrap());
        run.step();
    }
    external.finish();
    assert_eq!(answers[0], Answered::InTime);
    assert!(
        matches!(answers[1], Answered::Late { question: 1, time } if (time - 0.01).abs() < 1e-12)
    );
    assert_eq!((&answers[2], external.late), (&Answered::InTime, 1));
    let axle = run.world.joint_named("axle").unwrap();
    let rate = run.world.coordinate_rate(axle, kreisel_dynamics::Coordinate::Angle).unwrap();
    assert!((rate - 0.01 * (1.0 + 1.0 + 3.0)).abs() < 1e-12, "{rate}");
    drop(thread.join());
}

#[test]
fn what_is_no_answer_ends_the_run_with_its_reason() {
    for (text, why) in [
        ("{\"question\": 0, \"motors\": {\"drvie\": 1}}\n", "no motor \"drvie\""),
        ("{\"question\": 0, \"motors\": {\"drive\": \"x\"}}\n", "no number"),
        ("nothing\n", "no JSON"),
        ("{\"motors\": {}}\n", "\"question\""),
    ] {
        let (address, thread) = program(move |_| Some(text.to_owned()));
        let mut run = Simulation::new(&wheel());
        let terms = Terms { period: 0.0, deadline: None };
        let mut external = External::connect(address, &terms, &run.world).unwrap();
        let error = external.before_step(&mut run.world, 0.01).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
        external.finish();
        drop(thread.join());
    }
    let far: SocketAddr = "192.0.2.1:5555".parse().unwrap();
    let terms = Terms { period: 0.0, deadline: None };
    let refused = External::connect(far, &terms, &wheel().world).unwrap_err();
    assert!(matches!(refused, ExternalError::NotLocal(_)));
}

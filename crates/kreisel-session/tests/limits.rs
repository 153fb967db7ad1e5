//! What one message of a guest may not do: copy without end, fill the world with bodies in one
//! place, set numbers that no step can carry.

use kreisel_session::journal::{self, Header, Journal};
use kreisel_session::protocol::{Command, PropertyValue};
use kreisel_session::session::Session;
use std::time::{Duration, Instant};

/// An arm on a hinge.
const ARM: &str = r#"
    [[body]]
    name = "arm"
    shape = { box = [1.0, 0.1, 0.1] }
    mass = 1.0
    position = [0.5, 0, 0]
    [[joint]]
    name = "pivot"
    type = "hinge"
    bodies = ["world", "arm"]
    axis = [0, 1, 0]
"#;

fn session(text: &str) -> Session {
    Header::new("test.toml", text, &[]).session(&Default::default()).expect("a good scene")
}

fn refusal(s: &mut Session, command: &Command) -> String {
    s.apply(2, command).expect_err("refused").0
}

fn set(object: &str, key: &str, value: PropertyValue) -> Command {
    Command::Set { object: object.into(), key: key.into(), value }
}

#[test]
fn thirty_thousand_names_copy_each_body_once_and_in_no_time() {
    let mut s = session(ARM);
    let begin = Instant::now();
    s.apply(2, &Command::Copy { objects: vec!["arm".into(); 30_000], offset: [0.0, 2.0, 0.0] })
        .unwrap();
    assert_eq!(s.simulation().world.bodies().count(), 2);
    // 2000 bodies of one stem: the count of names goes on where it was
    let many = format!(
        "{ARM}\n[[body]]\nname = \"b {{i}}\"\nshape = {{ sphere = 0.1 }}\nposition = [\"i\", 5, 0]\nrepeat = 2001\n"
    );
    let mut s = session(&many);
    let names = |n: usize| (0..n).map(|k| format!("b {k}")).collect::<Vec<_>>();
    s.apply(2, &Command::Copy { objects: names(2000), offset: [0.0, 2.0, 0.0] }).unwrap();
    assert_eq!(s.simulation().world.bodies().count(), 2002 + 2000);
    assert!(
        s.simulation().world.body_named("b 4000").is_some(),
        "the first free numbers are taken"
    );
    let said = refusal(&mut s, &Command::Copy { objects: names(2001), offset: [0.0, 4.0, 0.0] });
    assert!(said.contains("at most 2000 bodies are copied at once"), "{said}");
    // quadratic, this took minutes
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[test]
fn a_live_world_does_not_take_bodies_without_end_or_inside_each_other() {
    let mut s = session(ARM);
    let load = |text: String, merge| Command::Load { name: "many.toml".into(), text, merge };
    let spheres = |n: u32, place: &str| {
        format!("[[body]]\nshape = {{ sphere = 0.1 }}\nposition = [{place}, 0, 0]\nrepeat = {n}\n")
    };
    let begin = Instant::now();
    for merge in [false, true] {
        let said = refusal(&mut s, &load(spheres(99_999, "0"), merge));
        assert!(said.contains("many.toml:4:") && said.contains("more than 20000 items"), "{said}");
        let said = refusal(&mut s, &load(spheres(15_000, "0"), merge));
        assert!(said.contains("at most 16 pairs of overlapping bodies for each body"), "{said}");
    }
    // copies in one place are no way round
    s.apply(2, &load(spheres(150, "0"), false)).expect_err("11 175 pairs are more than 3400");
    s.apply(2, &load(spheres(40, "0"), false)).expect("780 pairs");
    let all: Vec<String> = s.describe().bodies.iter().map(|b| b.name.clone()).collect();
    s.apply(2, &Command::Copy { objects: all.clone(), offset: [0.0; 3] })
        .expect_err("3160 pairs of 80 bodies");
    s.apply(2, &Command::Copy { objects: all, offset: [0.0, 1.0, 0.0] }).expect("1560 pairs");
    assert_eq!(s.describe().bodies.len(), 80);
    // many bodies that stand apart are welcome
    s.apply(2, &load(spheres(10_000, "\"i\""), false)).unwrap();
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
}

#[test]
fn numbers_that_no_step_can_carry_are_refused_by_name_and_range() {
    let mut s = session(ARM);
    let number = |x| PropertyValue::Number(Some(x));
    for (command, words) in [
        (set("world", "step", number(1e9)), "step must be from 1e-6 s to 1 s"),
        (set("world", "tolerance", number(1e-300)), "tolerance must be from 1e-18 to 1e6"),
        (
            set("arm", "angular_velocity", PropertyValue::Vector([0.0, 1e9, 0.0])),
            "arm: angular velocity must be at most 1e6 rad/s",
        ),
        (
            set("arm", "velocity", PropertyValue::Vector([1e10, 0.0, 0.0])),
            "arm: velocity must be at most 3e8 m/s",
        ),
        (
            set("arm", "position", PropertyValue::Vector([1e308, 0.0, 0.0])),
            "position must be at most 1e12 m",
        ),
        (
            Command::Push { body: "arm".into(), impulse: [1e12, 0.0, 0.0], point: [0.0; 3] },
            "arm: velocity after the impulse",
        ),
    ] {
        let said = refusal(&mut s, &command);
        assert!(said.contains(words), "{said}");
    }
    // the same at the door of scene files, at the key
    for (line, key, words) in [
        ("position = [1e308, 0, 0]", 5, "must be at most 1e12 m from the origin"),
        ("angular_velocity = [0, 1e9, 0]", 5, "must be at most 1e6 rad/s"),
        ("density = 1e300", 5, "mass must be from 1e-60 kg to 1e60 kg"),
    ] {
        let text = format!("\n[[body]]\nname = \"b\"\nshape = {{ sphere = 0.1 }}\n{line}\n");
        let said = refusal(&mut s, &Command::Load { name: "s.toml".into(), text, merge: false });
        assert!(said.contains(&format!("s.toml:{key}:")) && said.contains(words), "{said}");
    }
    for (line, words) in [
        ("step = 1e300", "step must be from 1e-12 s to 1e6 s"),
        ("tolerance = 1e-300", "must be from 1e-18"),
    ] {
        let said = refusal(
            &mut s,
            &Command::Load {
                name: "s.toml".into(),
                text: format!("[world]\n{line}\n"),
                merge: false,
            },
        );
        assert!(said.contains("s.toml:2:") && said.contains(words), "{said}");
    }
}

/// Lines that no session writes: refused with their number before anything is run.
#[test]
fn absurd_journals_are_refused_with_their_line() {
    let header = |step: &str| {
        let text = serde_json::to_string(ARM).unwrap();
        format!(
            "{{\"kreisel_journal\":1,\"program\":\"0\",\"name\":\"a.toml\",\"text\":{text},\"params\":[],\"step\":{step},\"method\":null,\
             \"order\":null}}\n"
        )
    };
    let begin = Instant::now();
    let refused = |text: String| {
        journal::replay(&text, &Default::default(), |_| true).err().expect("an error").to_string()
    };
    let said = refused(header("null") + "{\"steps\":18446744073709551615,\"hash\":\"x\"}\n");
    assert!(
        said.contains("line 2") && said.contains("18446744073709551615 steps are more than"),
        "{said}"
    );
    for step in ["-1", "0", "1e300", "1e-300"] {
        let said = refused(header(step) + "{\"steps\":3,\"hash\":\"x\"}\n");
        assert!(said.contains("line 1") && said.contains("from 1e-12 s to 1e6 s"), "{said}");
    }
    let back = "{\"step\":5,\"client\":1,\"command\":{\"do\":\"undo\"}}\n{\"step\":4,\"client\":1,\"command\":{\"do\":\"undo\"}}\n";
    let said = refused(header("null") + back);
    assert!(said.contains("line 3") && said.contains("backwards"), "{said}");
    // whoever watches can end it
    let long = header("null") + "{\"steps\":900000000,\"hash\":\"x\"}\n";
    let mut steps = 0;
    let ended = journal::replay(&long, &Default::default(), |_| {
        steps += 1;
        steps < 10
    });
    assert!(matches!(ended.err(), Some(journal::ReplayError::Interrupted(10))));
    assert!(begin.elapsed() < Duration::from_secs(20));
}

/// Every line is in the file as soon as it is noted; what a death cuts off is its last line at
/// most.
#[test]
fn a_journal_is_in_its_file_as_it_happens() {
    let path = std::env::temp_dir().join(format!("kreisel-limits-{}.jsonl", std::process::id()));
    let header = Header::new("test.toml", ARM, &[]);
    let mut s = session(ARM);
    let mut journal = Journal::create(&path, &header).unwrap();
    assert!(Journal::create(&path, &header).is_err(), "another session has this file");
    let push =
        Command::Push { body: "arm".into(), impulse: [0.0, 0.0, 1.0], point: [1.0, 0.0, 0.0] };
    for k in 0..3 {
        assert!(journal.note(s.steps(), 1, &push));
        s.apply(1, &push).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2 + k);
        s.step();
    }
    let open = std::fs::read_to_string(&path).unwrap();
    let done = journal::replay(&open, &Default::default(), |_| true).unwrap();
    assert_eq!((done.commands, done.checked, done.torn), (3, false, false));
    let done = journal::replay(&open[..open.len() - 20], &Default::default(), |_| true).unwrap();
    assert_eq!((done.commands, done.torn), (2, true));
    journal.close(&s);
    let whole = std::fs::read_to_string(&path).unwrap();
    let done = journal::replay(&whole, &Default::default(), |_| true).unwrap();
    assert!(done.checked && done.session.hash() == s.hash());
    std::fs::remove_file(&path).unwrap();
}

//! Hands of virtual reality: they hold by position and rotation with limited force.

use kreisel_dynamics::{Quat, Vec3};
use kreisel_session::journal::{self, Header, Journal};
use kreisel_session::protocol::{Command, HandMotion};
use kreisel_session::session::Session;

/// A handle of 1 kg with a block of 1000 kg on a ball joint below it.
const CRANE: &str = r#"
    [world]
    step = 0.005
    [[body]]
    name = "handle"
    shape = { box = [0.2, 0.05, 0.05] }
    mass = 1.0
    position = [0, 0, 2]
    [[body]]
    name = "block"
    shape = { box = [0.5, 0.5, 0.5] }
    mass = 1000.0
    position = [0, 0, 1]
    [[joint]]
    name = "hook"
    type = "ball"
    bodies = ["handle", "block"]
    at = [0, 0, 2]
"#;

const BRICK: &str = r#"
    [world]
    step = 0.005
    [[body]]
    name = "brick"
    shape = { box = [0.2, 0.1, 0.06] }
    mass = 2.0
    position = [0, 0, 1]
"#;

fn session(text: &str) -> Session {
    Header::new("test.toml", text, &[]).session(&Default::default()).expect("a good scene")
}

fn motion(target: Vec3, turn: Quat, velocity: Vec3, spin: Vec3) -> HandMotion {
    HandMotion {
        target: target.to_array(),
        turn: turn.to_array(),
        velocity: velocity.to_array(),
        spin: spin.to_array(),
    }
}

fn still(target: Vec3) -> HandMotion {
    motion(target, Quat::IDENTITY, Vec3::ZERO, Vec3::ZERO)
}

fn hold(hand: u8, body: &str, point: Vec3, at: HandMotion) -> Command {
    Command::Hold { hand, body: body.into(), point: point.to_array(), strength: 1.0, motion: at }
}

fn grip_of(s: &Session, body: &str, point: Vec3) -> Vec3 {
    let world = &s.simulation().world;
    world.point(world.body_named(body).unwrap(), point).unwrap()
}

/// The promise of the issue: 1 : 1000, opened by a micrometre at most, the joint and the grip
/// alike.
#[test]
fn a_handle_that_carries_a_thousand_times_its_mass_stays_in_the_hand() {
    let mut s = session(CRANE);
    let (grip, to) = (Vec3::new(0.05, 0.0, 0.0), Vec3::new(0.35, 0.0, 2.3));
    s.apply(1, &hold(0, "handle", grip, still(Vec3::new(0.05, 0.0, 2.0)))).unwrap();
    let mut joint: f64 = 0.0;
    let mut step = |s: &mut Session| {
        s.step();
        joint = joint.max(s.report().worst.as_ref().unwrap().position);
    };
    // at rest, then along a smooth way in two seconds, then at rest again
    for _ in 0..100 {
        step(&mut s);
    }
    let sag = grip_of(&s, "handle", grip).distance(Vec3::new(0.05, 0.0, 2.0));
    assert!(sag <= 1e-6, "the grip opens by {sag} m under 1000 kg");
    for k in 0..400 {
        let t = f64::from(k) / 400.0;
        let (way, rate) = (t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t) / 2.0);
        let delta = to - Vec3::new(0.05, 0.0, 2.0);
        let at = Vec3::new(0.05, 0.0, 2.0) + delta * way;
        let m = motion(at, Quat::IDENTITY, delta * rate, Vec3::ZERO);
        s.apply(1, &Command::Carry { hand: 0, motion: m }).unwrap();
        step(&mut s);
        // the lag of an accelerated hand is a/ω²: 0.5 m · 6/4 s² against 60² 1/s², and the block
        // swings
        let gap = grip_of(&s, "handle", grip).distance(at + delta * (rate * 0.005));
        assert!(gap < 5e-3, "step {k}: {gap}");
    }
    assert!(joint <= 1e-6, "the hook opened by {joint} m");
}

/// However far and fast the hand jumps, the body never does: its speed changes by no more than the
/// hand's force allows, eight times the weight, plus gravity.
#[test]
fn a_hand_that_jumps_takes_nothing_along_at_once() {
    let mut s = session(BRICK);
    s.apply(1, &hold(0, "brick", Vec3::ZERO, still(Vec3::Z))).unwrap();
    let mut before = Vec3::ZERO;
    for k in 0..200 {
        if k == 20 {
            s.apply(1, &Command::Carry { hand: 0, motion: still(Vec3::new(30.0, 0.0, 5.0)) })
                .unwrap();
        }
        s.step();
        let world = &s.simulation().world;
        let v = world.velocity(world.body_named("brick").unwrap()).unwrap();
        let most = 9.0 * 9.81 * 0.005;
        assert!(
            (v - before).length() <= most * (1.0 + 1e-9),
            "step {k}: {}",
            (v - before).length()
        );
        before = v;
    }
}

#[test]
fn a_body_leaves_an_open_hand_with_the_hand_s_velocity_and_spin() {
    let mut s = session(BRICK);
    let grip = Vec3::new(0.08, 0.0, 0.0);
    s.apply(1, &hold(0, "brick", grip, still(Vec3::new(0.08, 0.0, 1.0)))).unwrap();
    for _ in 0..20 {
        s.step();
    }
    let (v, w) = (Vec3::new(1.5, 0.0, 2.0), Vec3::new(0.0, 0.0, 4.0));
    s.apply(1, &Command::LetGo { hand: 0, velocity: v.to_array(), spin: w.to_array() }).unwrap();
    // 50 ms: the hand is gone after them
    for _ in 0..10 {
        s.step();
    }
    let world = &s.simulation().world;
    let brick = world.body_named("brick").unwrap();
    let arm = world.point(brick, grip).unwrap() - world.position(brick).unwrap();
    let (u, spin) = (world.velocity(brick).unwrap(), world.angular_velocity(brick).unwrap());
    // it follows the velocity with a rate of 2ω: all but e⁻⁶ is there after 50 ms
    let reached = (u + spin.cross(arm) - v).length() / v.length();
    assert!(reached < 0.01 && (spin - w).length() < 0.01 * w.length(), "{reached}, {spin}");
    let before = u;
    s.step();
    let world = &s.simulation().world;
    // then nothing but gravity
    let fall = world.velocity(brick).unwrap() - before;
    assert!((fall - Vec3::new(0.0, 0.0, -9.81 * 0.005)).length() < 1e-12, "{fall}");
}

/// Two hands on one beam turn it; each carries half of the weight.
#[test]
fn two_hands_turn_a_beam_and_share_its_weight() {
    let mut s = session(BRICK);
    let ends = [Vec3::new(-0.1, 0.0, 0.0), Vec3::new(0.1, 0.0, 0.0)];
    for (k, end) in ends.into_iter().enumerate() {
        s.apply(1, &hold(k as u8, "brick", end, still(Vec3::Z + end))).unwrap();
    }
    for _ in 0..60 {
        s.step();
    }
    let weights: Vec<f64> = s.grips().map(|(_, g)| g.force.z).collect();
    assert!(weights.iter().all(|w| (w - 9.81).abs() < 1e-3), "half of 2 kg each: {weights:?}");

    // by a right angle about z in half a second, then still
    for k in 0..=200 {
        let t = (f64::from(k) / 100.0).min(1.0);
        let q = kreisel_dynamics::math::rotation(Vec3::Z * (t * std::f64::consts::FRAC_PI_2));
        let spin = if t < 1.0 { Vec3::Z * std::f64::consts::PI } else { Vec3::ZERO };
        for (hand, end) in ends.into_iter().enumerate() {
            let m = motion(Vec3::Z + q * end, q, spin.cross(q * end), spin);
            s.apply(1, &Command::Carry { hand: hand as u8, motion: m }).unwrap();
        }
        s.step();
    }
    for end in ends {
        let wanted = Vec3::Z + Vec3::new(0.0, end.x, 0.0);
        let gap = grip_of(&s, "brick", end).distance(wanted);
        assert!(gap < 1e-5, "{gap}");
    }
}

/// What is held collides: pressed into the floor from above it rests on it.
#[test]
fn a_held_body_does_not_go_through_the_floor() {
    let floor = BRICK.replace("step = 0.005", "step = 0.005\n    ground = 0");
    let mut s = session(&floor);
    s.apply(1, &hold(0, "brick", Vec3::ZERO, still(Vec3::Z))).unwrap();
    for k in 0..400 {
        let z = 1.0 - f64::from(k.min(300)) * 0.005;
        let velocity = if k < 300 { Vec3::NEG_Z } else { Vec3::ZERO };
        let m = motion(Vec3::new(0.0, 0.0, z), Quat::IDENTITY, velocity, Vec3::ZERO);
        s.apply(1, &Command::Carry { hand: 0, motion: m }).unwrap();
        s.step();
        // half of its height is 30 mm; overlaps up to 2 mm are allowed while it lands
        assert!(grip_of(&s, "brick", Vec3::ZERO).z > 0.028, "step {k}");
    }
    let z = grip_of(&s, "brick", Vec3::ZERO).z;
    assert!((z - 0.03).abs() < 1e-4, "{z}");
}

#[test]
fn holds_are_replayed_to_the_bit_and_wrong_ones_refused() {
    let header = Header::new("crane.toml", CRANE, &[]);
    let mut s = header.session(&Default::default()).unwrap();
    let mut journal = Journal::new(&header);
    let mut act = |s: &mut Session, client: u32, command: Command| {
        journal.note(s.steps(), client, &command);
        s.apply(client, &command)
    };
    let point = Vec3::new(0.05, 0.0, 0.0);
    act(&mut s, 1, hold(0, "handle", point, still(Vec3::new(0.05, 0.0, 2.0)))).unwrap();
    act(&mut s, 2, hold(1, "block", Vec3::ZERO, still(Vec3::new(0.1, 0.0, 1.0)))).unwrap();
    for k in 0..60 {
        let t = f64::from(k) / 60.0;
        let m = motion(
            Vec3::new(0.05 + 0.3 * t, 0.1 * t, 2.0),
            Quat::IDENTITY,
            Vec3::new(1.0, 1.0 / 3.0, 0.0),
            Vec3::X,
        );
        act(&mut s, 1, Command::Carry { hand: 0, motion: m }).unwrap();
        s.step();
    }
    assert_eq!(s.grips().count(), 2);
    act(&mut s, 1, Command::LetGo { hand: 0, velocity: [1.0, 0.0, 0.3], spin: [0.0; 3] }).unwrap();
    act(&mut s, 2, Command::LetGo { hand: 1, velocity: [0.0; 3], spin: [0.0; 3] }).unwrap();
    for wrong in [
        hold(2, "handle", point, still(Vec3::Z)),
        hold(0, "nobody", point, still(Vec3::Z)),
        hold(
            0,
            "handle",
            point,
            motion(Vec3::Z, Quat::IDENTITY, Vec3::splat(f64::NAN), Vec3::ZERO),
        ),
    ] {
        assert!(s.apply(1, &wrong).is_err(), "{wrong:?}");
    }
    for _ in 0..40 {
        s.step();
    }
    assert_eq!(s.grips().count(), 0);
    let again =
        journal::replay(&journal.text(&s), &Default::default(), |_| true).expect("the same end");
    assert!(again.checked && again.session.hash() == s.hash());
}

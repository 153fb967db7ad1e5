//! The gallery of machines: each runs at its own settings with every step sound, and meets a number
//! that is computed here by other means.

use kreisel_dynamics::{BodyId, Coordinate, JointId, Status, Vec3, World};
use kreisel_scene::Simulation;
use std::path::Path;

/// Steps of a run that may end with all sweeps spent: one in five hundred.
const SPENT: u32 = 2;

/// A machine under way, and its steps that were out of sweeps.
struct Machine(Simulation, u32);

impl Machine {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../scenes/machines/{name}.toml"));
        let scene = kreisel_scene::load(&path).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        Self(Simulation::new(&scene), 0)
    }

    fn world(&self) -> &World {
        &self.0.world
    }

    /// Runs until `t`; every step must be sound, and `look` is asked after each.
    fn run(&mut self, t: f64, mut look: impl FnMut(&Self)) {
        while self.world().time() < t - 1e-9 {
            let report = self.0.step();
            self.1 += u32::from(report.status == Status::BudgetSpent);
            let sound = report.status == Status::Converged || report.status == Status::BudgetSpent;
            assert!(sound, "{:?} at {} s", report.status, self.world().time());
            look(self);
        }
        // sweeps over wheels that servos steer end at their limit now and then, and say so
        assert!(self.1 <= SPENT, "{} steps were out of sweeps", self.1);
    }

    fn body(&self, name: &str) -> BodyId {
        self.world().body_named(name).unwrap_or_else(|| panic!("no body {name}"))
    }

    fn joint(&self, name: &str) -> JointId {
        self.world().joint_named(name).unwrap_or_else(|| panic!("no joint {name}"))
    }

    fn angle(&self, joint: &str) -> f64 {
        self.world().coordinate(self.joint(joint), Coordinate::Angle).unwrap()
    }

    fn way(&self, joint: &str) -> f64 {
        self.world().coordinate(self.joint(joint), Coordinate::Position).unwrap()
    }

    /// Where a joint is now, on its second body.
    fn at(&self, joint: &str) -> Vec3 {
        self.world().joint_frames(self.joint(joint)).unwrap()[1].point
    }

    fn place(&self, body: &str) -> Vec3 {
        self.world().position(self.body(body)).unwrap()
    }

    /// What a sensor of a force on a body reads, in world coordinates.
    fn sensor(&self, name: &str) -> Vec3 {
        let id = self.world().sensor_named(name).unwrap();
        let body = self.world().sensor(id).unwrap().body.unwrap();
        self.world().rotation(body).unwrap()
            * Vec3::from_slice(&self.world().sensor_value(id).unwrap())
    }
}

#[track_caller]
fn near(value: f64, expected: f64, bound: f64) {
    assert!((value - expected).abs() <= bound, "{value} for {expected}");
}

/// The lower of the two points at the distances `r` from three centres.
fn three_spheres(c: [Vec3; 3], r: f64) -> Vec3 {
    // equal radii: the point lies above the circumcentre of the triangle, along its normal
    let (u, v) = (c[1] - c[0], c[2] - c[0]);
    let n = u.cross(v);
    let center = c[0]
        + (n.cross(u) * v.length_squared() + v.cross(n) * u.length_squared())
            / (2.0 * n.length_squared());
    let high = (r * r - center.distance_squared(c[0])).sqrt();
    let n = n.normalize();
    center - n * high * n.z.signum()
}

/// Places of the platform: arms turn about the tangents of a circle of 0.2 m, the rods act like one
/// from an elbow shifted inwards by the platform's radius.
#[test]
fn a_delta_robot_stands_where_three_spheres_meet() {
    let mut m = Machine::new("delta-robot");
    m.run(4.0, |m| {
        let elbow = |k: usize| {
            let (a, q) =
                (k as f64 * std::f64::consts::TAU / 3.0, m.angle(&format!("shoulder {k}")));
            let out = 0.2 + 0.25 * q.cos() - 0.06;
            Vec3::new(out * a.cos(), out * a.sin(), -0.25 * q.sin())
        };
        let expected = three_spheres([0, 1, 2].map(elbow), 0.5);
        assert!(
            m.place("platform").distance(expected) < 1e-5,
            "{} {expected}",
            m.place("platform")
        );
    });
    // at 3.6 s all arms stand at 0.2 rad
    near(m.angle("shoulder 0"), 0.2, 1e-2);
}

/// Inverse kinematics: the lengths that were asked for belong to one pose, in which the plate
/// stands.
#[test]
fn a_stewart_platform_takes_the_pose_whose_lengths_it_was_given() {
    let mut m = Machine::new("stewart-platform");
    m.run(4.0, |_| {});
    let x = m.place("plate");
    assert!(x.distance(Vec3::new(0.05, 0.0, 0.75)) < 1e-4, "{x}");
    let turned = m.world().rotation(m.body("plate")).unwrap() * Vec3::X;
    near(turned.y.atan2(turned.x).to_degrees(), 20.0, 1e-2);
}

#[test]
fn a_planetary_gear_turns_its_carrier_by_willis() {
    let mut m = Machine::new("planetary-gear");
    m.run(4.0, |_| {});
    let sun = m.angle("sun axle");
    // a ramp of one second, then three at 90 turns a minute
    near(sun, 3.5 * 1.5 * std::f64::consts::TAU, 1e-3);
    near(m.angle("carrier axle"), sun * 20.0 / 72.0, 1e-6);
    // the planets roll inside the ring
    for k in 0..3 {
        near(m.angle(&format!("planet axle {k}")), -m.angle("carrier axle") * 52.0 / 16.0, 1e-5);
    }
}

/// Law of cosines in the triangle of boom foot, cylinder foot and eye.
#[test]
fn an_excavators_boom_stands_as_its_cylinder_is_long() {
    let mut m = Machine::new("excavator");
    let foot = Vec3::new(0.4, 0.0, 1.2);
    let other = Vec3::new(0.9, 0.0, 0.7);
    let (a, b) = (foot.distance(other), 1.5);
    let start = 42_f64.to_radians();
    let eye = foot + Vec3::new(start.cos(), 0.0, start.sin()) * b;
    let opened = |l: f64| ((a * a + b * b - l * l) / (2.0 * a * b)).acos();
    let l0 = eye.distance(other);
    let mut least = f64::INFINITY;
    m.run(8.0, |m| {
        let expected = opened(l0 + m.way("cylinder 0")) - opened(l0);
        near(m.angle("boom foot"), expected, 1e-5);
        least = least.min(expected);
    });
    assert!(least < -0.1, "the boom goes down by {least}");
}

/// Where circles of the radii `r` about `a` and `b` meet, left or right of the way from a to b.
fn circles(a: [f64; 2], ra: f64, b: [f64; 2], rb: f64, left: bool) -> [f64; 2] {
    let (x, z) = (b[0] - a[0], b[1] - a[1]);
    let d = x.hypot(z);
    let along = (ra * ra - rb * rb + d * d) / (2.0 * d);
    let across = (ra * ra - along * along).sqrt() * if left { 1.0 } else { -1.0 };
    [a[0] + (along * x - across * z) / d, a[1] + (along * z + across * x) / d]
}

/// Jansen's numbers, from the crank's angle by intersections of circles.
#[test]
fn a_walking_linkage_moves_its_foot_as_four_circles_say() {
    let mut m = Machine::new("walking-linkage");
    let foot_of = |theta: f64| {
        let (c, p) = ([1.5 * theta.cos(), 1.5 * theta.sin()], [-3.8, -0.78]);
        let u = circles(p, 4.15, c, 5.0, true);
        let w = circles(p, 3.93, c, 6.19, false);
        let v = circles(p, 4.01, u, 5.58, true);
        let x = circles(v, 3.94, w, 3.67, false);
        circles(x, 6.57, w, 4.9, false)
    };
    let start = foot_of(60_f64.to_radians());
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    m.run(4.0, |m| {
        let [x, z] = foot_of(60_f64.to_radians() + m.angle("axle"));
        let foot = m.world().point(m.body("lower"), Vec3::new(start[0], 0.0, start[1])).unwrap();
        assert!(foot.distance(Vec3::new(x, 0.0, z)) < 1e-4, "{foot} {x} {z}");
        (low, high) = (low.min(z), high.max(z));
    });
    assert!(high - low > 1.0, "the foot is lifted by {}", high - low);
}

/// L + r q is shared by four parts of cable; while only the hoist works, the two that hang are
/// equal.
#[test]
fn a_cranes_hook_rises_by_half_of_what_the_drum_winds_up() {
    let mut m = Machine::new("tower-crane");
    m.run(4.0, |_| {});
    let wound = 0.2 * m.angle("drum axle");
    assert!(wound > 2.0, "{wound}");
    near(m.place("hook").z, 0.5 * wound, 1e-4);
    let cable = m.world().constraint_named("cable").unwrap();
    let pull = m.world().constraint_force(cable).unwrap().multipliers[0];
    // the drum's smooth stop, 8 (3 s² − 2 s³) rad/s with s the time left, in the mean of the last
    // step
    let s = 0.005_f64;
    let slowing = 0.5 * 0.2 * 8.0 * (3.0 * s * s - 2.0 * s.powi(3)) / s;
    near(pull, 0.5 * 500.0 * (9.81 - slowing), 0.1);
    // the trolley travels, the hook keeps its height below it but for its swing
    let before = m.place("hook");
    m.run(12.0, |_| {});
    let travelled = m.way("rail");
    assert!(travelled > 1.0, "{travelled}");
    near(m.place("hook").z, before.z, 0.25);
}

#[test]
fn a_closed_loop_leg_carries_its_trunk_as_high_as_two_circles_say() {
    let mut m = Machine::new("closed-loop-leg");
    m.run(4.0, |m| {
        let knee = |side: f64, q: f64| {
            let a = 35_f64.to_radians() + q;
            [side * (0.08 + 0.16 * a.cos()), -0.16 * a.sin()]
        };
        let foot =
            circles(knee(-1.0, m.angle("hip 0")), 0.28, knee(1.0, m.angle("hip 1")), 0.28, false);
        near(m.at("ankle").z - m.at("hip 0").z, foot[1], 1e-5);
    });
    // at rest the ground bears trunk, thighs and shanks: 4 + 2 · 0.3 + 2 · 0.2 kg
    near(m.sensor("sole").z, 5.0 * 9.81, 0.05);
}

/// The stalled motor gives 0.1 N m; both screws together turn it into 2 F p/2π.
#[test]
fn a_gripper_squeezes_by_its_screws_and_carries_by_friction() {
    let mut m = Machine::new("gripper");
    m.run(1.4, |_| {});
    let grip = 0.1 * std::f64::consts::PI / 0.01;
    // between the pads the friction of the table can take a little
    let both = m.sensor("pad 0").x.abs() + m.sensor("pad 1").x.abs();
    near(both, 2.0 * grip, 1e-3 * grip);
    let low = m.place("cube").z;
    m.run(4.0, |_| {});
    near(m.place("cube").z - low, m.way("lift"), 1e-3);
    assert!(m.way("lift") > 0.14);
}

/// z = 2 √(b² − w²), w from the turns of the screw.
#[test]
fn a_scissor_lift_rises_as_its_screw_turns() {
    let mut m = Machine::new("scissor-lift");
    m.run(6.0, |m| {
        let wide = 0.9 + 0.02 / std::f64::consts::TAU * m.angle("spindle bearing");
        near(m.at("top").z, 2.0 * (1.0 - wide * wide).sqrt(), 1e-5);
    });
    assert!(m.at("top").z > 1.3);
}

#[test]
fn an_engine_moves_piston_camshaft_and_valves_in_time() {
    let mut m = Machine::new("engine");
    let (r, l) = (0.04_f64, 0.14_f64);
    m.run(2.0, |m| {
        let q = m.angle("main bearing");
        near(m.way("bore"), r * q.cos() + (l * l - (r * q.sin()).powi(2)).sqrt() - r - l, 2e-6);
        near(m.angle("cam bearing"), 0.5 * q, 2e-6);
        for (k, valve) in ["guide 0", "guide 1"].iter().enumerate() {
            let lobe = 2.0 * (0.5 * q - 2.0 - 1.5 * k as f64).cos() - 1.0;
            near(m.way(valve), 0.008 * lobe.max(0.0).powi(3), 2e-6);
        }
    });
}

/// Equal links with the foot below the hip: 2 l cos(knee/2); at rest the ground bears 13 kg.
#[test]
fn a_quadruped_stands_as_high_as_its_knees_say() {
    let mut m = Machine::new("quadruped");
    m.run(4.0, |_| {});
    let knee = 60_f64.to_radians() - m.angle("knee 00");
    near(m.at("hip 00").z, 0.02 + 2.0 * 0.2 * (0.5 * knee).cos(), 1e-3);
    let weight: f64 =
        ["00", "01", "10", "11"].iter().map(|k| m.sensor(&format!("sole {k}")).z).sum();
    near(weight, 13.0 * 9.81, 0.05);
}

/// It squats and stands up again; the ground bears 62 kg, and the hips stand above the ankles.
#[test]
fn a_humanoid_squats_and_rises() {
    let mut m = Machine::new("humanoid");
    let mass: f64 = m.world().bodies().filter_map(|b| m.world().body(b)).map(|b| b.mass.mass).sum();
    near(mass, 62.0, 1e-9);
    m.run(3.2, |_| {});
    let knee = m.angle("right knee");
    assert!(knee > 1.1, "{knee}");
    // shank and thigh of 0.42 m lean by half of the knee's angle each
    let leg = m.at("right hip").z - m.at("right ankle").z;
    near(leg, 0.84 * (0.5 * knee).cos(), 2e-3);
    m.run(5.0, |_| {});
    near(m.sensor("right sole").z + m.sensor("left sole").z, 62.0 * 9.81, 1.0);
    // the neck stood at 1.5 m
    near(m.at("neck").z, 1.5, 5e-3);
}

/// Rolling without slip at v = ω r, and a circle of radius L/tan δ about the rear axle.
#[test]
fn a_car_stands_on_its_springs_rolls_and_steers() {
    let mut m = Machine::new("car");
    m.run(0.4, |_| {});
    // 800 kg on four springs of 40 kN/m, which rest at the start
    for k in ["00", "01", "10", "11"] {
        near(m.way(&format!("spring {k}")), 0.0, 1e-4);
    }
    m.run(2.4, |_| {});
    let v = m.world().velocity(m.body("chassis")).unwrap().x;
    let w = m.world().coordinate_rate(m.joint("rear axle 0"), Coordinate::Angle).unwrap();
    assert!(v > 1.0, "{v}");
    near(v, 0.32 * w, 2e-3 * v);
    m.run(5.0, |_| {});
    let [chassis, v] =
        [m.world().angular_velocity(m.body("chassis")), m.world().velocity(m.body("chassis"))]
            .map(Option::unwrap);
    // the middle of the chassis runs on a circle of √(R² + (L/2)²), R = L/tan δ
    let radius = v.length() / chassis.z;
    near(radius, (2.4 / 0.25_f64.tan()).hypot(1.2), 0.02 * radius);
}

/// Saved in the middle of its run, with wheels that have turned several times, a machine goes on as
/// the same machine.
#[test]
fn machines_are_saved_with_their_phases() {
    for name in ["planetary-gear", "engine", "tower-crane", "scissor-lift"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../scenes/machines/{name}.toml"));
        let scene = kreisel_scene::load(&path).unwrap();
        let mut run = Simulation::new(&scene);
        for _ in 0..500 {
            run.step();
        }
        let text = kreisel_scene::save(&scene, &run.world);
        let again = kreisel_scene::parse("saved.toml", &text)
            .unwrap_or_else(|e| panic!("{name}: {e:?}\n{text}"));
        for id in again.world.constraints() {
            let worst = again
                .world
                .constraint_error(id)
                .unwrap()
                .iter()
                .fold(0.0_f64, |m, c| m.max(c.abs()));
            let one_sided = again.world.constraint(id).unwrap().one_sided;
            assert!(
                one_sided || worst < 1e-5,
                "{name}: {:?} is off by {worst}",
                again.world.constraint_name(id)
            );
        }
    }
}

/// A pin for each period of the pendulum, which the anchor's recoil hastens: less than the period
/// 2π √(I/(m g l)) of the free pendulum by no more than 2 %.
#[test]
fn a_clock_lets_one_pin_pass_for_each_swing() {
    let mut clock = Machine::new("clock");
    let (mut crossings, mut last) = (Vec::new(), f64::NAN);
    // the pendulum starts 5° from where it hangs
    let start = 5.0_f64.to_radians();
    clock.run(20.0, |m| {
        let now = m.angle("axle") + start;
        if last < 0.0 && now >= 0.0 {
            crossings.push((m.world().time(), m.angle("arbor")));
        }
        last = now;
    });
    let (first, end) = (crossings[2], crossings[crossings.len() - 1]);
    let swings = (crossings.len() - 3) as f64;
    assert!(swings > 15.0, "{swings} swings");
    // within the play of a pin on its pallet
    let pins = (end.1 - first.1) / (std::f64::consts::TAU / 15.0);
    near(pins, swings, 0.02);
    let period = (end.0 - first.0) / swings;
    let free = std::f64::consts::TAU * ((0.0625_f64 + 1e-4) / (9.81 * 0.25)).sqrt();
    assert!(period < free && period > 0.98 * free, "{period} s for {free} s");
    // the weight keeps it going: after 20 s it still swings by more than 4° to either side
    let mut widest = 0.0_f64;
    clock.run(22.0, |m| widest = widest.max((m.angle("axle") + start).abs()));
    assert!(widest > 4.0_f64.to_radians(), "{widest} rad");
}

/// Two parts of the cable carry the load M: it falls with g (M − 2 m)/(M + 4 m).
#[test]
fn a_block_and_tackle_halves_the_counterweight() {
    let mut tackle = Machine::new("block-and-tackle");
    let t = 0.5;
    tackle.run(t, |_| {});
    let fell = 0.5 * 9.81 * (5.0 - 4.0) / (5.0 + 8.0) * t * t;
    near(tackle.place("load").z, -2.0 - fell, 1e-5);
    near(tackle.place("counterweight").z, -2.0 + 2.0 * fell, 1e-5);
}

/// Q/A over the time that the valve is open, Q/A_rod on the way down; the weight is its force.
#[test]
fn a_hydraulic_lift_moves_by_its_flow() {
    let mut lift = Machine::new("hydraulic-lift");
    let up = 6e-4 / 2e-3;
    lift.run(5.0, |_| {});
    // the valve opens from 0 to 1 s, and closes from 4 to 4.5 s
    let reached = up * (0.5 + 3.0 + 0.25);
    near(lift.way("guide"), reached, 1e-3);
    let cylinder = lift.world().motor_named("cylinder").unwrap();
    near(lift.world().motor_effort(cylinder).unwrap(), 500.0 * 9.81, 1.0);
    let mut last = f64::NAN;
    lift.run(6.5, |m| last = m.way("guide"));
    let down = 6e-4 / 1.4e-3;
    near(last, reached - down * (0.25 + 0.5), 1e-3);
}

/// What the triceps pulls with, from the arm's angle and rate and the settled activation 0.05, by
/// the curves of the page.
#[test]
fn a_muscle_pulls_by_its_length_and_speed() {
    let mut arm = Machine::new("muscle-arm");
    arm.run(1.5, |_| {});
    let before = arm.angle("elbow");
    arm.run(1.502, |_| {});
    let (now, h) = (arm.angle("elbow"), 0.002);
    let (q, rate) = (0.5 * (before + now), (now - before) / h);
    let (l, v) = ((-0.025 * q + 0.12) / 0.12, -0.025 * rate / (0.12 * 1.5));
    let by_length = if l < 1.0 {
        1.0 - 0.5 * ((1.0 - l) / 0.25_f64).powi(2)
    } else {
        1.0 - 0.5 * ((l - 1.0) / 0.3_f64).powi(2)
    };
    let by_speed = if v < 0.0 { (1.0 + v).powi(2) } else { 1.2 - (0.2 - v).powi(2) / 0.2 };
    let passive = if l > 1.0 { 0.65 * ((l - 1.0) / 0.3_f64).powi(2) } else { 0.0 };
    let expected = 0.025 * 800.0 * (0.05 * by_length * by_speed + passive);
    assert!((0.75..1.3).contains(&l) && v.abs() < 0.2, "inside the curves: {l}, {v}");
    let triceps = arm.world().motor_named("triceps").unwrap();
    near(arm.world().motor_effort(triceps).unwrap(), expected, 0.01 * expected.abs() + 1e-3);
}

//! Limits, dry friction and contacts that act on one chain at the same instant.
//!
//! A double pendulum whose first arm comes to rest on the ground. Found by the matrix: the limit's
//! rebound was shared with the resting arm, and the contact then took it away.

use kreisel_dynamics::Status;
use kreisel_scene::Simulation;

/// Two arms of 1 kg and 1 m, level at the start; the first one's middle falls onto the ground.
fn pendulum(world: &str, second: &str) -> Simulation {
    let body = |name: &str, x: f64, collide: bool| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = 1\ninertia = [0.01, 0.085, 0.085]\ncenter = [0, 0, 0]\n\
             position = [{x}, 0, 0]\nshape = {{ sphere = 0.05, position = [0.5, 0, 0] }}\nrestitution = 0\n\
             friction = 0.5\ncollide = {collide}\n"
        )
    };
    let text = format!(
        "[world]\nground = {{ height = -0.45, restitution = 0, friction = 0.5 }}\n{world}\n{}{}\
         [[joint]]\nname = \"j1\"\nbodies = [\"world\", \"b1\"]\ntype = \"hinge\"\nat = [0, 0, 0]\naxis = [0, -1, 0]\n\
         collide = true\n\
         [[joint]]\nname = \"j2\"\nbodies = [\"b1\", \"b2\"]\ntype = \"hinge\"\nat = [1, 0, 0]\naxis = [0, -1, 0]\n{second}\n",
        body("b1", 0.5, true),
        body("b2", 1.5, false)
    );
    let scene = kreisel_scene::parse("pendulum.toml", &text).unwrap_or_else(|e| panic!("{e:?}"));
    Simulation::new(&scene)
}

fn rate(simulation: &Simulation, joint: &str) -> f64 {
    let world = &simulation.world;
    let id = world.joint_named(joint).unwrap();
    world.coordinate_rate(id, kreisel_dynamics::Coordinate::Angle).unwrap()
}

/// The first arm rests on the ground when the second strikes its limit, which gives back all: in the
/// metric of the masses under "the first arm does not go down" the rate of the second is reversed,
/// and the energy stays.
#[test]
fn a_limit_that_is_struck_while_the_chain_stands_on_the_ground_reverses_the_rate() {
    let ways = [
        "",
        "order = 4",
        "method = \"iterative\"",
        "stepping = \"energy\"",
        "substeps = 4",
        "[contact]\ntime = \"exact\"",
    ];
    for step in [0.01, 0.004, 0.002] {
        for way in ways {
            let world = format!("step = {step}\n{way}");
            let mut simulation = pendulum(&world, "limits = { angle = { min = -0.4, restitution = 1 } }");
            loop {
                let resting = rate(&simulation, "j1").abs() < 1e-3;
                let (was, energy) = (rate(&simulation, "j2"), simulation.world.energy().total());
                let report = simulation.step();
                // an impact in fast contact time is not of the fourth order, and says so
                let late = report.status == Status::Order && way == "order = 4";
                assert!(report.status == Status::Converged || late, "{step} {way}: {:?}", report.status);
                assert!(simulation.world.time() < 0.55, "{step} {way}: the limit is never struck");
                if was < -1.0 && rate(&simulation, "j2") > 0.0 {
                    assert!(resting, "{step} {way}: the first arm was at rest");
                    let now = rate(&simulation, "j2");
                    // gravity changes the rate by less than 16 rad/s² times the step
                    assert!((now + was).abs() < 16.0 * step + 1e-3, "{step} {way}: {was} became {now}");
                    assert!(rate(&simulation, "j1").abs() < 1e-3, "{step} {way}: {}", rate(&simulation, "j1"));
                    // 1 % of ½ · 0.335 kg m² · (6.2 rad/s)²
                    let change = simulation.world.energy().total() - energy;
                    assert!(change.abs() < 0.06, "{step} {way}: {change} J");
                    break;
                }
            }
        }
    }
}

/// With 1 N m of dry friction in the second joint all impulse methods agree on where the arms are:
/// the direct method let the friction answer to contacts (4.5 % of the motion off; the iterative one
/// and the multiplier method agreed).
#[test]
fn friction_in_a_joint_of_a_chain_that_lands_is_the_same_under_every_method() {
    let ends: Vec<f64> = ["", "method = \"iterative\"", "method = \"lagrange\""]
        .iter()
        .map(|way| {
            let world = format!("step = 0.002\n{way}\n[contact]\ntime = \"exact\"");
            let mut simulation = pendulum(&world, "friction = { angle = 1 }");
            while simulation.world.time() < 0.6 - 1e-9 {
                simulation.step();
            }
            let id = simulation.world.body_named("b2").unwrap();
            simulation.world.position(id).unwrap().z
        })
        .collect();
    // the range of this motion is about 1.4 m; 0.5 % of it
    for end in &ends {
        assert!((end - ends[2]).abs() < 7e-3, "{ends:?}");
    }
}

/// The second joint strikes a dead limit right at the start of a step, while the first arm lies on
/// rubbing ground: nothing gives energy, so that it stays below that of the start, 0 J. (The impulse
/// of the strike was the guess for the rest of the step: 62 J.)
#[test]
fn a_dead_limit_struck_on_rubbing_ground_gives_no_energy() {
    for way in ["", "method = \"iterative\"", "substeps = 4", "stepping = \"energy\""] {
        let world = format!("step = 0.01\n{way}");
        let mut simulation = pendulum(&world, "limits = { angle = { min = -0.4, restitution = 0 } }");
        for k in 0..60 {
            simulation.step();
            let energy = simulation.world.energy().total();
            assert!(energy < 0.01, "{way}, step {k}: {energy} J");
        }
    }
}

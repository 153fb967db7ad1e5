//! `kreisel methods`: the page of the book that compares the methods, printed as Markdown.

use super::compare;
use crate::args::{Compare, Params};
use crate::exit::{Exit, Failure};
use kreisel_analysis::methods::Method;
use kreisel_dynamics::{Settings, Substeps};
use std::path::PathBuf;

/// Arguments of `methods`.
#[derive(Debug, clap::Args)]
pub struct Methods {
    /// Folder of the scenes
    #[arg(default_value = "scenes")]
    pub scenes: PathBuf,
    /// Only so many of the scenes
    #[arg(long, value_name = "N", default_value_t = usize::MAX)]
    pub count: usize,
}

/// A scene of the comparison.
struct Case {
    file: &'static str,
    title: &'static str,
    about: &'static str,
    step: f64,
    until: f64,
}

const CASES: [Case; 5] = [
    Case {
        file: "bender/e09-double-pendulum.toml",
        title: "Double pendulum in space",
        about: "two boxes on ball joints: a tree, without a coordinate",
        step: 0.01,
        until: 1.0,
    },
    Case {
        file: "iftomm/a02-four-bar.toml",
        title: "Two four-bar linkages (A02)",
        about: "flat loops of hinges: six conditions are redundant; it passes a singular pose",
        step: 0.005,
        until: 1.0,
    },
    Case {
        file: "iftomm/a04-bricard.toml",
        title: "Bricard's mechanism (A04)",
        about: "a loop in space that moves although counting says that it cannot",
        step: 0.01,
        until: 1.0,
    },
    Case {
        file: "iftomm/a03-andrews-squeezer.toml",
        title: "Andrews' squeezing mechanism (A03)",
        about: "three loops of light bars, driven to 300 rad/s by a motor against a stiff spring",
        step: 5e-5,
        until: 0.01,
    },
    Case {
        file: "chains/chain-heavy-first.toml",
        title: "Chain of ten links, the first a hundred times as heavy",
        about: "a tree of hinges that whips",
        step: 0.005,
        until: 0.5,
    },
];

/// Prints the page.
pub fn run(args: &Methods) -> Result<Exit, Failure> {
    println!("{}", HEAD.trim());
    println!("\n| word | what it does | source | known weakness |\n|---|---|---|---|");
    for m in Method::all() {
        println!("| `{}` | {} | {} | {} |", m.word(), m.about(), m.source(), m.weakness());
    }
    for case in CASES.iter().take(args.count) {
        let compare = Compare {
            scene: args.scenes.join(case.file),
            methods: vec!["all".into()],
            orders: vec![2],
            steps: vec![case.step],
            tolerance: 1e-8,
            substeps: 1,
            reference: "order8".into(),
            until: Some(case.until),
            params: Params {
                set: Vec::new(),
                allow_outside: false,
                packages: Vec::new(),
                lenient: false,
            },
            out: None,
            size: (900, 420),
            json: false,
            quiet: true,
        };
        let mut scene = crate::scene_file::load(&compare.scene, &compare.params)?;
        let settings = Settings { substeps: Substeps::Fixed(1), ..scene.world.settings().clone() };
        scene.world.set_settings(settings).map_err(|e| Failure::usage(e.to_string()))?;
        let entries = compare::entries(&compare, &scene)?;
        println!(
            "\n## {}\n\n[`scenes/{1}`](../scenes/{1}): {2}.",
            case.title, case.file, case.about
        );
        println!("Step {} s, {} s of motion.\n", case.step, case.until);
        println!("| method | error [m] | energy [J] | joints | time [ms] |\n|---|---|---|---|---|");
        for e in &entries {
            match &e.refused {
                Some(said) => println!("| `{}` | {said} | | | |", e.method),
                None => println!(
                    "| `{}` | {:.1e} | {:.1e} | {:.1e} | {:.1} |",
                    e.method,
                    e.error,
                    e.energy_error,
                    e.joint_error,
                    1e3 * e.wall_time
                ),
            }
        }
    }
    println!("\n{}", TAIL.trim());
    Ok(Exit::Success)
}

const HEAD: &str = "
# The other methods

The theses behind Kreisel review a whole family of methods and compare them with their own. Here
they run on the same scenes, so that one can see *why* impulses: `kreisel compare SCENE --methods
all` puts them side by side, `--methods penalty,projected,direct --steps 0.01,0.005` some of them at
several steps. In Rust they are `kreisel::analysis::methods`.

All of them see the rows, forces and masses of the engine through its probe and never step its
world. They are dense, know equations only, and refuse by name what they have no answer for: limits
and contacts that are reached, friction, drives of finite effort, armatures.

This page is printed by `kreisel methods`.";

const TAIL: &str = "
## How to read the tables

*Error* is the largest distance of any body from a reference (the direct method, order 8, half the
step); *energy* the largest distance from its energy; *joints* the largest error of a joint at the
end of any step, m or rad. *Time* is that of the method alone, on one thread of the machine that
printed the page: matrices of the methods of the literature are dense and were not tuned, the first
two rows are the engine itself, so that times tell orders of magnitude only. Methods of Runge and
Kutta are of order 4, the engine's rows of order 2, Radau's choose their steps for errors of 1e-8.

What the tables show: forces alone (`penalty`) leave joints open by what the step allows.
Accelerations alone (`multipliers`, `null-space`, `radau-index1`) let them drift, stabilisers
(`baumgarte` and its kin) hold them as well as their constant fits the scene. Projection, fewer
coordinates and the implicit methods keep joints to rounding, at several solutions of the whole
system a step. The impulse step keeps them to rounding as well, conserves energy in the long run
because it is symmetric, and needs one factor a step, which grows with the number of bodies instead
of its cube (`dense-impulse` is the same step with dense matrices). Its order 2 is what it pays;
orders 4 to 8 by extrapolation take that back ([work against precision](work-precision.md)).";

//! Lagrange multipliers against the impulse method (Bender 2007, table 3.7: E-10; Wagner 2001:
//! AT-42): trees of 31 to 255 ball joints, and trees and chains up to 8191 and 10 000 for the
//! linear methods.
//!
//! One round times every method on every scene once, one after the other, so that a busy machine
//! disturbs all alike; the fastest of all rounds counts. A step is 1/30 s, which the impulse method
//! divides as it needs to keep joints within 1e-6 m; the multiplier methods make one step of RK4
//! with Baumgarte's stabiliser, as the thesis did.

use super::Options;
use crate::clock::thread_seconds;
use crate::engine::Engine;
use crate::engines::kreisel::Kreisel;
use crate::page::Section;
use crate::scene::Scene;
use crate::scenes::{chain, tree};
use crate::table::{Table, digits};
use kreisel_dynamics::{Lagrange, Method, MultiplierSolver, Settings};
use serde_json::json;

/// Heading on the page.
pub const TITLE: &str = "Lagrange multipliers";

const ABOUT: &str = "\
Time of a step of 1/30 s, released from the horizontal: the standard method (all multipliers in one dense system), Baraff's elimination along the tree, both
with RK4 and Baumgarte's stabiliser, and the direct impulse method with joints to 1e-6 m. The exponent is that of the last two sizes.";

/// Sizes up to which the dense system is solved: its cost is cubic.
const DENSE: usize = 255;

fn methods() -> [(&'static str, Settings); 3] {
    let lagrange = |solver| Settings {
        method: Method::Lagrange,
        lagrange: Lagrange { solver, ..Lagrange::default() },
        ..Settings::default()
    };
    [
        ("standard", lagrange(MultiplierSolver::Direct)),
        ("Baraff", lagrange(MultiplierSolver::Baraff)),
        ("impulse, direct", Settings::default()),
    ]
}

/// Runs the suite.
pub fn run(options: &Options) -> Section {
    let (rounds, limit) = if options.quick { (2, 600) } else { (5, usize::MAX) };
    let sizes = |list: &[usize]| list.iter().copied().filter(|&n| n <= limit).collect::<Vec<_>>();
    let families: [(&str, Vec<Scene>); 2] = [
        ("Trees", sizes(&[31, 63, 127, 255, 511, 2047, 8191]).into_iter().map(tree).collect()),
        ("Chains", sizes(&[10, 30, 100, 300, 1000, 3000, 10_000]).into_iter().map(chain).collect()),
    ];
    let (mut tables, mut data) = (Vec::new(), Vec::new());
    for (name, mut scenes) in families {
        scenes.iter_mut().for_each(|s| s.step = 1.0 / 30.0);
        let times = measure(&scenes, rounds);
        let mut table = Table::new(
            name,
            &["joints", "standard ms", "Baraff ms", "impulse ms", "impulse/Baraff"],
        );
        for (scene, t) in scenes.iter().zip(&times) {
            let cell = |k: usize| t[k].map_or("–".to_owned(), digits);
            let ratio = t[2].zip(t[1]).map_or(String::new(), |(a, b)| digits(a / b));
            table.row([scene.links.len().to_string(), cell(0), cell(1), cell(2), ratio]);
        }
        let growth: Vec<String> = methods()
            .iter()
            .enumerate()
            .filter_map(|(k, (method, _))| {
                let own: Vec<(f64, f64)> = scenes
                    .iter()
                    .zip(&times)
                    .filter_map(|(s, t)| Some((s.links.len() as f64, t[k]?)))
                    .collect();
                let [.., a, b] = own[..] else { return None };
                Some(format!("{method} {:.2}", (b.1 / a.1).ln() / (b.0 / a.0).ln()))
            })
            .collect();
        table.note(format!("Exponents: {}.", growth.join(", ")));
        data.push(
            json!({ "family": name, "joints": scenes.iter().map(|s| s.links.len()).collect::<Vec<_>>(), "ms": times }),
        );
        tables.push(table);
    }
    Section { title: TITLE, about: ABOUT, tables, pictures: Vec::new(), data: json!(data) }
}

/// Milliseconds per step by scene and method.
fn measure(scenes: &[Scene], rounds: usize) -> Vec<[Option<f64>; 3]> {
    let mut best = vec![[None::<f64>; 3]; scenes.len()];
    for round in 0..rounds {
        for (scene, best) in scenes.iter().zip(&mut best) {
            eprintln!("multipliers: {}, round {}", scene.name, round + 1);
            for (k, (_, settings)) in methods().iter().enumerate() {
                if k == 0 && scene.links.len() > DENSE {
                    continue;
                }
                let mut engine = Kreisel::load(scene, settings);
                // the first step analyses the model
                engine.step();
                let (start, mut steps) = (thread_seconds(), 0);
                while steps < 3 || (thread_seconds() - start < 0.05 && steps < 30) {
                    engine.step();
                    steps += 1;
                }
                let ms = (thread_seconds() - start) * 1e3 / f64::from(steps);
                best[k] = Some(best[k].map_or(ms, |b| b.min(ms)));
            }
        }
    }
    best
}

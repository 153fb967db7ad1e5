//! A world written down as a scene: what exists, how it stands now, and how it is shown and
//! recorded.
//!
//! Numbers are written so that they are read back to the bit. Bodies are written with the pose they
//! were added with, which the joints refer to, and, where they have moved since, with their present
//! state (`now`). What a run remembers besides stands in a block at the end ([`save_run`]).

mod item;
mod merge;
mod shape;
mod switch;
mod text;

use crate::items::{self, Kind, RunSettings};
use crate::property::kinds;
use crate::scene::{Scene, Wanted};
use crate::simulation::Simulation;
use kreisel_dynamics::{BodyId, ContactSettings, World};
pub use merge::{addition, left_out, merge};
pub(crate) use shape::shape;
use std::fmt::Write as _;
use text::{number, vector};
pub(crate) use text::{quoted, words};

/// The scene as TOML, with `world` as it stands now. What a run remembers besides (warm start, sums
/// of servos, samples of sensors) is left out: [`save_run`] writes that, too.
///
/// ```
/// let text = "[[body]]\nname = \"ball\"\nshape = { sphere = 0.1 }\nvelocity = [1, 0, 0]";
/// let scene = kreisel_scene::parse("ball.toml", text)?;
/// let mut run = kreisel_scene::Simulation::new(&scene);
/// run.step();
/// let saved = kreisel_scene::save(&scene, &run.world);
/// let again = kreisel_scene::parse("saved.toml", &saved)?;
/// assert_eq!(again.world.state_hash(), run.world.state_hash());
/// # Ok::<(), kreisel_scene::SceneError>(())
/// ```
pub fn save(scene: &Scene, world: &World) -> String {
    let mut out = String::new();
    head(&mut out, scene, world, world, &world.settings().contact);
    Part { scene, world, prefix: String::new() }.write(&mut out);
    tail(&mut out, scene, world);
    out
}

/// A run that was written down.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The scene, as TOML.
    pub text: String,
    /// What it lacks, in words: what scripts hold that cannot be written.
    pub lost: Vec<String>,
}

/// The scene as TOML with the world of its run as it stands now and all that the run remembers:
/// loaded again, it goes on with the same bits.
///
/// ```
/// let text = "[[body]]\nname = \"ball\"\nshape = { sphere = 0.1 }\nvelocity = [1, 0, 0]";
/// let scene = kreisel_scene::parse("ball.toml", text)?;
/// let mut run = kreisel_scene::Simulation::new(&scene);
/// run.step();
/// let saved = kreisel_scene::save_run(&scene, &run, &run.world);
/// let again = kreisel_scene::parse("saved.toml", &saved.text)?;
/// let mut other = kreisel_scene::Simulation::new(&again);
/// run.step();
/// other.step();
/// assert_eq!(other.world.state_hash(), run.world.state_hash());
/// # Ok::<(), kreisel_scene::SceneError>(())
/// ```
pub fn save_run(scene: &Scene, run: &Simulation, world: &World) -> Saved {
    let mut text = save(scene, world);
    let lost = crate::memory::write(&mut text, world, run.scripts());
    let words = |k: usize| {
        let place =
            scene.scripts.get(k - 1).map_or_else(String::new, |s| format!(" ({})", s.source.name));
        format!(
            "what script {k}{place} remembers: it holds functions, items that are gone, or too much"
        )
    };
    Saved { text, lost: lost.into_iter().map(words).collect() }
}

/// One of the worlds that are written, and what its names begin with.
struct Part<'a> {
    scene: &'a Scene,
    world: &'a World,
    prefix: String,
}

impl Part<'_> {
    fn write(&self, out: &mut String) {
        const KINDS: [&str; 11] = [
            "body",
            "joint",
            "spring",
            "motor",
            "force",
            "curve",
            "constraint",
            "controller",
            "field",
            "procedure",
            "sensor",
        ];
        let run = RunSettings::of(self.scene);
        for kind in KINDS.into_iter().filter_map(Kind::named) {
            self.items(out, kind, &run);
        }
        self.shows(out);
        self.switches(out);
        self.scripts(out);
        self.foreign(out);
    }

    /// The name of something, in quotes.
    fn named(&self, name: &str) -> String {
        words(&format!("{}{name}", self.prefix))
    }

    fn body_name(&self, id: BodyId) -> String {
        match self.world.body_name(id) {
            Some(name) if id != BodyId::WORLD => self.named(&name),
            _ => quoted("world"),
        }
    }

    /// Scripts with procedures; what their statements made stands among the items.
    fn scripts(&self, out: &mut String) {
        for script in &self.scene.scripts {
            out.push_str("\n[[script]]\ngenerate = false\n");
            let within = format!("{}{}", self.prefix, script.prefix);
            if let Some(within) = within.strip_suffix('/') {
                let params: Vec<String> =
                    script.params.iter().map(|(n, x)| format!("{n} = {}", number(*x))).collect();
                let _ = writeln!(
                    out,
                    "within = {}\nparams = {{ {} }}",
                    words(within),
                    params.join(", ")
                );
            }
            if !script.at.is_empty() {
                let at: Vec<String> = script.at.iter().map(|t| number(*t)).collect();
                let _ = writeln!(out, "at = [{}]", at.join(", "));
            }
            if let Some(every) = script.every {
                let _ = writeln!(out, "every = {}", number(every));
            }
            let _ = writeln!(out, "build = {}", quoted(&script.text));
        }
    }

    /// Scripts that the host runs.
    fn foreign(&self, out: &mut String) {
        for script in &self.scene.foreign {
            let language = quoted(&script.language);
            let _ = writeln!(out, "\n[[script]]\nlanguage = {language}\ngenerate = false");
            if !script.at.is_empty() {
                let at: Vec<String> = script.at.iter().map(|t| number(*t)).collect();
                let _ = writeln!(out, "at = [{}]", at.join(", "));
            }
            if let Some(every) = script.every {
                let _ = writeln!(out, "every = {}", number(every));
            }
            let _ = writeln!(out, "build = {}", quoted(&script.text));
        }
    }

    fn shows(&self, out: &mut String) {
        for show in &self.scene.shows {
            let _ = writeln!(out, "\n[[show]]\nbody = {}", self.body_name(show.body));
            let _ = writeln!(out, "shape = {}", shape(&show.shape));
            if let Some([r, g, b]) = show.color {
                let _ = writeln!(out, "color = \"#{r:02x}{g:02x}{b:02x}\"");
            }
        }
    }
}

/// Everything above the items; the floor is that of `grounded`.
fn head(
    out: &mut String,
    scene: &Scene,
    world: &World,
    grounded: &World,
    contact: &ContactSettings,
) {
    out.push_str("version = 1\n");
    for (key, text) in [("title", &scene.title), ("description", &scene.description)] {
        if let Some(text) = text {
            let _ = writeln!(out, "{key} = {}", words(text));
        }
    }
    if let Some(script) = scene.scripts.iter().find(|s| s.prefix.is_empty()) {
        out.push_str("\n[params]\n");
        for (name, value) in &script.params {
            let _ = writeln!(out, "{name} = {}", number(*value));
        }
    }
    let mut item = items::world_item(world, &scene.timing());
    item.ground = items::world_item(grounded, &scene.timing()).ground;
    item.settings.contact = contact.clone();
    out.push_str("\n[world]\n");
    item::lines(out, &kinds::WORLD, &item, world);
    // whether bodies collide at all is said above
    item.settings.contact.on = true;
    item::section(out, &kinds::CONTACT, &item.settings.contact, world);
    item::section(out, &kinds::LAGRANGE, &item.settings.lagrange, world);
}

/// Everything below the items.
fn tail(out: &mut String, scene: &Scene, world: &World) {
    let usual = (scene.oversampling > 1).then(|| f64::from(scene.oversampling) * scene.step);
    let every = scene.record.every.filter(|e| Some(*e) != usual);
    if every.is_some() || !scene.record.quantities.is_empty() {
        out.push_str("\n[record]\n");
        if let Some(every) = every {
            let _ = writeln!(out, "every = {}", number(every));
        }
        if !scene.record.quantities.is_empty() {
            let list: Vec<String> =
                scene.record.quantities.iter().map(|q| wanted(q, world)).collect();
            let _ = writeln!(out, "quantities = [{}]", list.join(", "));
        }
    }
    if let Some(camera) = &scene.camera {
        let _ = writeln!(
            out,
            "\n[camera]\neye = {}\ntarget = {}",
            vector(camera.eye),
            vector(camera.target)
        );
    }
}

fn wanted(quantity: &Wanted, world: &World) -> String {
    match quantity {
        Wanted::Path(path, _) => words(path),
        Wanted::Point { name, body, point } => {
            let body = world.body_name(*body).unwrap_or_default();
            format!(
                "{{ name = {}, body = {}, point = {} }}",
                words(name),
                words(&body),
                vector(*point)
            )
        }
    }
}

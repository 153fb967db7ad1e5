//! A world written down as a scene: what exists, how it stands now, and how it is shown and recorded.
//!
//! Numbers are written so that they are read back to the bit. Bodies are written with the pose they were added with, which
//! the joints refer to, and, where they have moved since, with their present state (`now`). Not written are the memories of
//! a run: impulses for the warm start, sums of controllers, and what scripts remember.

mod contact;
mod elements;
mod forces;
mod joint;
mod merge;
mod shape;
mod text;

use crate::scene::{Look, Scene, Wanted};
use kreisel_dynamics::{
    BodyId, BodyKind, ContactSettings, MassProperties, Method, Quat, Rotation, Settings, Stepping, Substeps, Vec3,
    World,
};
pub use merge::{left_out, merge};
use std::collections::BTreeMap;
use std::fmt::Write as _;
pub(crate) use text::quoted;
use text::{number, vector, words};

/// The scene as TOML, with `world` as it stands now.
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

/// One of the worlds that are written, and what its names begin with.
struct Part<'a> {
    scene: &'a Scene,
    world: &'a World,
    prefix: String,
}

impl Part<'_> {
    fn write(&self, out: &mut String) {
        self.bodies(out);
        self.joints(out);
        self.springs(out);
        self.motors(out);
        self.forces(out);
        self.shows(out);
        self.elements(out);
        self.scripts(out);
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

    fn bodies(&self, out: &mut String) {
        let looks: BTreeMap<BodyId, &Look> = self.scene.looks.iter().map(|l| (l.body, l)).collect();
        for id in self.world.bodies() {
            let Some(body) = self.world.body(id) else { continue };
            let _ = writeln!(out, "\n[[body]]\nname = {}", self.body_name(id));
            let present = self.world.kind_when_assembled(id).unwrap_or(body.kind);
            // What connects bodies that have all stopped moving was made while this one moved, and is read only then.
            let became = present != BodyKind::Dynamic && self.world.has_idle_link(id) && body.mass.check().is_ok();
            let kind = if became { BodyKind::Dynamic } else { present };
            if kind != BodyKind::Dynamic {
                let _ = writeln!(out, "kind = \"{}\"", kind_word(kind));
            }
            let look = looks.get(&id);
            let solid = self.scene.shape(id);
            if let Some(solid) = solid {
                let _ = writeln!(out, "shape = {}", shape::shape(solid));
            }
            mass(out, &body.mass);
            contact::surface(out, body, solid.is_some());
            let _ = writeln!(out, "position = {}", vector(body.position));
            if body.rotation != Quat::IDENTITY {
                let _ = writeln!(out, "rotation = {}", text::rotation(body.rotation));
            }
            for (key, v) in [("velocity", body.velocity), ("angular_velocity", body.angular_velocity)] {
                // A body that was made static has kept what it was described with, but has no velocity.
                if v != Vec3::ZERO && kind != BodyKind::Static {
                    let _ = writeln!(out, "{key} = {}", vector(v));
                }
            }
            let (now, then) = (self.world.exact_state(id), self.world.described_state(id));
            if let Some(s) = now.filter(|_| now != then || became) {
                let kind = if became { format!("kind = \"{}\", ", kind_word(present)) } else { String::new() };
                let _ = writeln!(
                    out,
                    "now = {{ {kind}center = {}, principal = {}, velocity = {}, angular_velocity = {} }}",
                    vector(s.center),
                    text::quaternion(s.principal),
                    vector(s.velocity),
                    vector(s.angular_velocity)
                );
            }
            if let Some(method) = self.world.method_of(id) {
                let _ = writeln!(out, "method = \"{}\"", method_word(method));
            }
            let Some(look) = look else { continue };
            if let Some([r, g, b]) = look.color {
                let _ = writeln!(out, "color = \"#{r:02x}{g:02x}{b:02x}\"");
            }
            if let Some(shown) = look.shape.as_ref().filter(|s| solid != Some(s)) {
                let _ = writeln!(out, "display = {}", shape::shape(shown));
            }
        }
    }

    /// Scripts with procedures; what their statements made stands among the items.
    fn scripts(&self, out: &mut String) {
        for script in &self.scene.scripts {
            out.push_str("\n[[script]]\ngenerate = false\n");
            let within = format!("{}{}", self.prefix, script.prefix);
            if let Some(within) = within.strip_suffix('/') {
                let params: Vec<String> = script.params.iter().map(|(n, x)| format!("{n} = {}", number(*x))).collect();
                let _ = writeln!(out, "within = {}\nparams = {{ {} }}", words(within), params.join(", "));
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

    fn shows(&self, out: &mut String) {
        for show in &self.scene.shows {
            let _ = writeln!(out, "\n[[show]]\nbody = {}", self.body_name(show.body));
            let _ = writeln!(out, "shape = {}", shape::shape(&show.shape));
            if let Some([r, g, b]) = show.color {
                let _ = writeln!(out, "color = \"#{r:02x}{g:02x}{b:02x}\"");
            }
        }
    }
}

/// Mass properties in full, so that nothing is computed anew.
fn mass(out: &mut String, mass: &MassProperties) {
    let rows = mass.inertia.transpose();
    let _ = writeln!(out, "mass = {}\ncenter = {}", number(mass.mass), vector(mass.center));
    let _ = writeln!(out, "inertia = [{}, {}, {}]", vector(rows.x_axis), vector(rows.y_axis), vector(rows.z_axis));
}

/// The word for a kind of body.
fn kind_word(kind: BodyKind) -> &'static str {
    match kind {
        BodyKind::Dynamic => "dynamic",
        BodyKind::Static => "static",
        BodyKind::Kinematic => "kinematic",
    }
}

fn method_word(method: Method) -> &'static str {
    match method {
        Method::Direct => "direct",
        Method::Iterative => "iterative",
        Method::Cut => "cut",
        Method::Lagrange => "lagrange",
    }
}

/// Everything above the items; the floor is that of `grounded`.
fn head(out: &mut String, scene: &Scene, world: &World, grounded: &World, contact: &ContactSettings) {
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
    let _ = writeln!(out, "\n[world]\ngravity = {}", vector(world.gravity()));
    let _ = writeln!(out, "step = {}\nduration = {}", number(scene.step), number(scene.duration));
    if scene.real_time {
        out.push_str("real_time = true\n");
    }
    if world.time() != 0.0 {
        let _ = writeln!(out, "time = {}", number(world.time()));
    }
    settings(out, world.settings());
    contact::ground(out, grounded);
    contact::settings(out, contact);
    elements::lagrange(out, &world.settings().lagrange);
}

fn settings(out: &mut String, s: &Settings) {
    let stepping = match s.stepping {
        Stepping::Auto => "auto",
        Stepping::Symmetric => "symmetric",
        Stepping::Energy => "energy",
        #[allow(unreachable_patterns, reason = "a stepping without a word of its own is the usual one")]
        _ => "auto",
    };
    let _ = writeln!(out, "method = \"{}\"\nstepping = \"{stepping}\"", method_word(s.method));
    let _ = writeln!(out, "order = {}", 2 * s.order.columns());
    let t = &s.tolerance;
    let _ = writeln!(
        out,
        "tolerance = {{ position = {}, angle = {}, velocity = {}, angular_velocity = {} }}",
        number(t.position),
        number(t.angle),
        number(t.velocity),
        number(t.angular_velocity)
    );
    let _ = match s.substeps {
        Substeps::Auto { target } => writeln!(out, "substeps = {{ target = {} }}", number(target)),
        Substeps::Fixed(n) => writeln!(out, "substeps = {n}"),
        Substeps::Error(e) => writeln!(out, "substeps = {{ error = {} }}", number(e)),
    };
    let _ = match s.rotation {
        Rotation::Splitting => writeln!(out, "rotation = \"splitting\""),
        Rotation::Rk4 => writeln!(out, "rotation = \"rk4\""),
        Rotation::Matrix => writeln!(out, "rotation = \"matrix\""),
        Rotation::Euler => writeln!(out, "rotation = \"euler\""),
        Rotation::Taylor(n) => writeln!(out, "rotation = {{ taylor = {n} }}"),
        Rotation::CashKarp(e) => writeln!(out, "rotation = {{ cash-karp = {} }}", number(e)),
    };
    if let Some(n) = s.max_rounds {
        let _ = writeln!(out, "max_rounds = {n}");
    }
    if let Some(budget) = s.time_budget {
        let _ = writeln!(out, "time_budget = {}", number(budget.as_secs_f64()));
    }
    let _ = writeln!(out, "velocity_correction = {}", s.velocity_correction);
    let _ = writeln!(out, "warm_start = {}\nrelaxation = {}", s.warm_start, number(s.relaxation));
    if let Some(limit) = s.impulse_limit {
        let _ = writeln!(out, "impulse_limit = {}", number(limit));
    }
    let _ = writeln!(out, "threads = {}", s.threads);
    if !s.contact.on {
        out.push_str("contacts = \"off\"\n");
    }
}

/// Everything below the items.
fn tail(out: &mut String, scene: &Scene, world: &World) {
    if scene.record.every.is_some() || !scene.record.quantities.is_empty() {
        out.push_str("\n[record]\n");
        if let Some(every) = scene.record.every {
            let _ = writeln!(out, "every = {}", number(every));
        }
        if !scene.record.quantities.is_empty() {
            let list: Vec<String> = scene.record.quantities.iter().map(|q| wanted(q, world)).collect();
            let _ = writeln!(out, "quantities = [{}]", list.join(", "));
        }
    }
    if let Some(camera) = &scene.camera {
        let _ = writeln!(out, "\n[camera]\neye = {}\ntarget = {}", vector(camera.eye), vector(camera.target));
    }
}

fn wanted(quantity: &Wanted, world: &World) -> String {
    match quantity {
        Wanted::Path(path, _) => words(path),
        Wanted::Point { name, body, point } => {
            let body = world.body_name(*body).unwrap_or_default();
            format!("{{ name = {}, body = {}, point = {} }}", words(name), words(&body), vector(*point))
        }
    }
}

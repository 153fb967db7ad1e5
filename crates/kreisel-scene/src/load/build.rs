//! From parsed files to a scene: parameters, the world, then the items, kind after kind.

use super::document::{Document, Library};
use super::names::Built;
use super::{
    body, instance, item, keyframe, points, rail, record, script, show, suspicion, switch, world,
};
use crate::expr::{Number, Unit};
use crate::grammar::{self, Keys};
use crate::items::{Kind, RunSettings};
use crate::memory;
use crate::node::{Entry, Node, Table, Value};
use crate::problem::{Code, nearest};
use crate::property::kinds;
use crate::read::{Fields, Reader};
use crate::robot::Robot;
use crate::scene::{Camera, Scene};
use crate::source::{Place, Span};
use std::path::PathBuf;
use std::rc::Rc;

/// Reads the scene that the reader stands at, or notes at least one error. With a `base` its items
/// are added to those of that scene.
pub(super) fn scene(
    reader: &mut Reader,
    path: Option<PathBuf>,
    given: &[(String, f64)],
    base: Option<&Scene>,
) -> Option<Scene> {
    let mut library = Library::default();
    let document = library.parse(reader, path)?;
    // of models that the scene includes; those of instances, read later, have other names here
    let robot = reader.robot.take();
    if document.table.entries.is_empty() {
        let help = "`kreisel new FILE` writes a first scene";
        reader.error(Code::MissingKey, &(0..0), "the scene is empty", "nothing here").help(help);
    }
    let mut files = Vec::new();
    document.order(&mut files);
    let given: Vec<(String, Number)> =
        given.iter().map(|(n, x)| (n.clone(), Number::plain(*x))).collect();
    let place = document.table.get("params").map_or(0..0, |n| n.span.clone());
    params(reader, &files, &given, &place);
    let mut built: Built = base.map(onto).unwrap_or_default();
    let mut about = base.map(About::of).unwrap_or_default();
    each_file(reader, &files, |reader, fields| {
        version(reader, fields);
        world::read(reader, fields, &mut built);
        about.read(reader, fields);
    });
    items(reader, &files, &mut built, &mut library);
    body::finish(reader, &mut built);
    name_forces(&mut built);
    let mut record = base.map(|b| b.record.clone()).unwrap_or_default();
    each_file(reader, &files, |reader, fields| {
        if fields.has("record") {
            record = record::read(reader, fields, &built);
        }
    });
    if reader.errors() > 0 {
        return None;
    }
    let timing = built.run.timing;
    if timing.oversampling > 1 && record.every.is_none() {
        record.every = Some(f64::from(timing.oversampling) * timing.step);
    }
    if let Some(robot) = &robot {
        into_limits(reader, robot, &mut built);
    }
    let mut script_memory = Vec::new();
    let mut main = true;
    for file in files.iter().rev() {
        let outer = reader.enter(&file.source, file.folder.as_ref());
        if main && base.is_none() {
            let other = !given.is_empty();
            script_memory =
                memory::read(reader, &file.table, other, &mut built.world, &built.scripts);
        } else {
            memory::unused(reader, &file.table);
        }
        main = false;
        reader.leave(outer);
    }
    // more may be added, and what looks wrong now may be right then
    if base.is_none() {
        suspicion::look(reader, &built, &timing);
    }
    let mut files = base.map(|b| b.files.clone()).unwrap_or_default();
    files.append(&mut reader.files.read);
    let mut scene = Scene {
        // what messages refer to stays the file that was opened
        source: base.map_or_else(|| document.source.main().clone(), |b| b.source.clone()),
        title: about.title,
        description: about.description,
        world: built.world,
        step: timing.step,
        duration: timing.duration,
        real_time: timing.real_time,
        oversampling: timing.oversampling,
        forces: Vec::new(),
        markers: Vec::new(),
        motions: Vec::new(),
        emitters: Vec::new(),
        switches: built.switches,
        keys: built.keys,
        looks: Vec::new(),
        finishes: Vec::new(),
        shows: built.shows,
        shapes: Vec::new(),
        record,
        camera: about.camera,
        scripts: built.scripts,
        foreign: built.foreign,
        script_memory,
        warnings: Vec::new(),
        files,
        spans: built.spans,
        robot: robot.or_else(|| base.and_then(|b| b.robot.clone())),
    };
    built.run.write_to(&mut scene);
    Some(scene)
}

/// Starts joints at their limits where the pose of a model's file lies beyond them: the limits of
/// other programs are soft, these would throw the robot.
fn into_limits(reader: &mut Reader, robot: &Robot, built: &mut Built) {
    let (coordinates, moved) = robot.start_within_limits(&built.world);
    let name = moved.first().and_then(|j| built.world.joint_name(*j));
    let Some((name, place)) = name.and_then(|n| built.spans.get(&*n).cloned().map(|p| (n, p)))
    else {
        return;
    };
    if robot.place(&mut built.world, &coordinates, &vec![0.0; robot.size().1]).is_err() {
        return;
    }
    let more = if moved.len() > 1 {
        format!(" and {} other joints", moved.len() - 1)
    } else {
        String::new()
    };
    let message = format!(
        "the pose of the file lies beyond the limits of \"{name}\"{more}: they start at them"
    );
    reader
        .warning_at(&place, message, "moved")
        .help("`--key NAME` starts in a keyframe of the file");
}

/// What has been built when a scene is added to.
fn onto(scene: &Scene) -> Built {
    // names of what was removed or renamed since are free again
    let run = RunSettings::of(scene);
    let known = |name: &String| scene.world.has_name(name) || run.names().any(|n| n == name);
    let there =
        |(name, place): (&String, &Place)| known(name).then(|| (name.clone(), place.clone()));
    Built {
        world: scene.world.clone(),
        shows: scene.shows.clone(),
        foreign: scene.foreign.clone(),
        spans: scene.spans.iter().filter_map(there).collect(),
        run,
        scripts: scene.scripts.clone(),
        switches: scene.switches.clone(),
        keys: scene.keys.clone(),
        ..Built::default()
    }
}

/// What a scene says about itself; the last file that says it counts.
#[derive(Default)]
struct About {
    title: Option<String>,
    description: Option<String>,
    camera: Option<Camera>,
}

impl About {
    fn of(scene: &Scene) -> Self {
        Self {
            title: scene.title.clone(),
            description: scene.description.clone(),
            camera: scene.camera,
        }
    }

    fn read(&mut self, reader: &mut Reader, fields: &Fields<'_>) {
        if let Some(n) = fields.get("title") {
            self.title = reader.text(n);
        }
        if let Some(n) = fields.get("description") {
            self.description = reader.text(n);
        }
        if let Some(n) = fields.get("camera") {
            self.camera = camera(reader, n);
        }
    }
}

/// Reads bodies, instances, joints and so on of all files, in this order, so that every file may
/// name the bodies of every other.
pub(super) fn items(
    reader: &mut Reader,
    files: &[&Rc<Document>],
    built: &mut Built,
    library: &mut Library,
) {
    let made: Vec<Vec<script::Made>> = files
        .iter()
        .map(|file| {
            let outer = reader.enter(&file.source, file.folder.as_ref());
            let made = script::read(reader, &file.table, built);
            reader.leave(outer);
            made
        })
        .collect();
    type Read = fn(&mut Reader, &Fields<'_>, &mut Built) -> Option<()>;
    let kinds: [(&'static str, Keys, Option<Read>); 24] = [
        ("body", (&kinds::BODY).into(), Some(body::read)),
        ("point", (&grammar::MASS_POINT).into(), Some(points::point)),
        ("instance", (&grammar::INSTANCE).into(), None),
        ("collider", (&kinds::COLLIDER).into(), None),
        ("joint", (&kinds::JOINT).into(), None),
        ("rod", (&grammar::ROD).into(), Some(points::rod)),
        ("thread", (&grammar::THREAD).into(), Some(points::thread)),
        ("rail", (&grammar::RAIL).into(), Some(rail::read)),
        ("polygon", (&grammar::POLYGON).into(), Some(rail::polygon)),
        ("spring", (&kinds::SPRING).into(), None),
        ("motor", (&kinds::MOTOR).into(), None),
        ("force", (&kinds::FORCE).into(), None),
        ("marker", (&kinds::MARKER).into(), None),
        ("motion", (&kinds::MOTION).into(), None),
        ("emitter", (&kinds::EMITTER).into(), None),
        ("show", (&grammar::SHOW).into(), Some(show::read)),
        ("curve", (&kinds::CURVE).into(), None),
        ("constraint", (&kinds::CONSTRAINT).into(), None),
        ("controller", (&kinds::CONTROLLER).into(), None),
        ("field", (&kinds::FIELD).into(), None),
        ("procedure", (&kinds::PROCEDURE).into(), None),
        ("sensor", (&kinds::SENSOR).into(), None),
        ("switch", (&grammar::SWITCH).into(), Some(switch::read)),
        ("key", (&grammar::KEY).into(), Some(keyframe::read)),
    ];
    for (key, keys, read) in kinds {
        for (file, made) in files.iter().zip(&made) {
            let outer = reader.enter(&file.source, file.folder.as_ref());
            let mut one = |reader: &mut Reader, table: &Table, span: &Span| {
                let fields = reader.fields(table, span, keys);
                reader.each(&fields, |r| {
                    match (read, Kind::named(key)) {
                        (Some(read), _) => read(r, &fields, built),
                        (None, Some(kind)) => item::add(r, &fields, built, kind),
                        (None, None) => library
                            .within(file.path.as_ref(), |l| instance::read(r, &fields, built, l)),
                    };
                });
            };
            for (table, span) in tables(reader, &file.table, key, keys.title()) {
                one(reader, table, span);
            }
            for made in made {
                let inner = reader.enter(&made.source, file.folder.as_ref());
                for node in made.items.iter().filter(|(k, _)| *k == key).map(|(_, n)| n) {
                    if let Value::Table(table) = &node.value {
                        one(reader, table, &node.span);
                    }
                }
                reader.leave(inner);
            }
            reader.leave(outer);
        }
    }
}

/// Calls `read` with the checked top level of every file, included ones first.
fn each_file(
    reader: &mut Reader,
    files: &[&Rc<Document>],
    mut read: impl FnMut(&mut Reader, &Fields<'_>),
) {
    for file in files {
        let outer = reader.enter(&file.source, file.folder.as_ref());
        let whole = 0..0;
        let fields = reader.fields(&file.table, &whole, &grammar::SCENE);
        read(reader, &fields);
        reader.leave(outer);
    }
}

fn version(reader: &mut Reader, fields: &Fields<'_>) {
    let Some(node) = fields.get("version") else { return };
    if let Some(x) = reader.plain(node)
        && x != 1.0
    {
        let message = format!("this program reads version 1 of the scene format, not {x}");
        reader.error(Code::WrongValue, &node.span, message, "unknown version");
    }
}

/// Reads the parameters of all files. A file that includes another may give its parameters other
/// values; values given from outside replace both; a name that no file has is noted at `place`.
pub(super) fn params(
    reader: &mut Reader,
    files: &[&Rc<Document>],
    given: &[(String, Number)],
    place: &Span,
) {
    let mut all: Vec<(&Document, &Entry)> = Vec::new();
    for file in files {
        let Some(node) = file.table.get("params") else { continue };
        let outer = reader.enter(&file.source, file.folder.as_ref());
        let table = reader.table(node, "a table of names and numbers");
        reader.leave(outer);
        for entry in table.iter().flat_map(|t| &t.entries) {
            match all.iter_mut().find(|(_, e)| e.key == entry.key) {
                // It keeps its place, so that the parameters after it may use it.
                Some(earlier) => *earlier = (file, entry),
                None => all.push((file, entry)),
            }
        }
    }
    for (name, _) in given {
        if !all.iter().any(|(_, e)| e.key == *name) {
            let near = nearest(name, all.iter().map(|(_, e)| e.key.as_str()));
            let message = format!("the scene has no parameter `{name}`");
            let help = near.map(|n| format!("did you mean `{n}`?"));
            reader.error(Code::UnknownName, place, message, "parameters").help_if(help);
        }
    }
    for (file, entry) in all {
        let outer = reader.enter(&file.source, file.folder.as_ref());
        match given.iter().rev().find(|(name, _)| *name == entry.key) {
            Some(&(_, value)) => reader.scope.push(&entry.key, value),
            None => {
                reader.define(&entry.key, &entry.key_span, &entry.node);
            }
        }
        reader.leave(outer);
    }
}

/// The tables of one kind of item.
fn tables<'n>(
    reader: &mut Reader,
    scene: &'n Table,
    key: &'static str,
    title: &str,
) -> Vec<(&'n Table, &'n Span)> {
    let Some(node) = scene.get(key) else { return Vec::new() };
    match &node.value {
        Value::Array(items) => {
            items.iter().filter_map(|n| Some((reader.table(n, title)?, &n.span))).collect()
        }
        _ => {
            let message = format!("expected {title}, found {}", node.kind());
            let help = format!("write `[[{key}]]` with two brackets: a scene has many of them");
            reader.error(Code::WrongType, &node.span, message, "one bracket too few").help(help);
            Vec::new()
        }
    }
}

/// Gives forces without a name of their own the first free "force 1", "force 2", ….
fn name_forces(built: &mut Built) {
    let taken = |built: &Built, name: &str| {
        built.spans.contains_key(name) || built.run.names().any(|n| n == name)
    };
    for k in 0..built.run.forces.len() {
        if built.run.forces[k].name.is_empty() {
            let free =
                (1..).map(|n: u32| format!("{}force {n}", built.prefix)).find(|n| !taken(built, n));
            built.run.forces[k].name = free.unwrap_or_default();
        }
    }
}

fn camera(reader: &mut Reader, node: &Node) -> Option<Camera> {
    let table = reader.table(node, "a table")?;
    let fields = reader.fields(table, &node.span, &grammar::CAMERA);
    let eye = reader.required(&fields, "eye").and_then(|n| reader.vec3(n, Unit::Plain));
    let target = reader.required(&fields, "target").and_then(|n| reader.vec3(n, Unit::Plain));
    Some(Camera { eye: eye?, target: target? })
}

//! Every property of every kind that has a table: written in a scene, loaded, saved and loaded
//! again; set live, read back, undone and redone; recorded; read and set by a script; documented.
//! No kind and no key is named here but in `SCENE`: a property that is added to a table is walked,
//! too.

use kreisel_dynamics::{Material, Vec3, World, plugin};
use kreisel_scene::grammar;
use kreisel_scene::items::{Item, KINDS};
use kreisel_scene::property::{Form, Property, Table, Value};
use kreisel_scene::record::Columns;
use kreisel_scene::{Scene, Simulation};
use kreisel_session::protocol::{Command, PropertyValue};
use kreisel_session::session::Session;
use std::sync::{Arc, Once};

/// A world with an item of each kind.
const SCENE: &str = r#"
    [world]
    ground = { height = -3 }
    [contact]
    pair = [{ between = ["steel", "ice"], friction = 0.1 }]
    [[body]]
    name = "arm"
    shape = { box = [1, 0.1, 0.1] }
    position = [0.5, 0, 0]
    [[body]]
    name = "other"
    shape = { sphere = 0.1 }
    position = [2, 0, 1]
    [[collider]]
    name = "foot"
    body = "arm"
    shape = { sphere = 0.1 }
    position = [0.5, 0, 0]
    [[joint]]
    name = "pivot"
    type = "hinge"
    bodies = ["world", "arm"]
    axis = [0, 1, 0]
    [[joint]]
    name = "rail"
    type = "cylindrical"
    bodies = ["world", "other"]
    at = [2, 0, 1]
    [[body]]
    name = "third"
    shape = { sphere = 0.1 }
    position = [0, 3, 0]
    [[joint]]
    name = "socket"
    type = "ball"
    bodies = ["third", "world"]
    at = [0, 3, 1]
    [[body]]
    name = "fourth"
    shape = { sphere = 0.1 }
    position = [0, -3, 0]
    [[joint]]
    name = "rod"
    type = "distance"
    bodies = ["fourth", "world"]
    at = [[0, -3, 0], [0, -3, 1]]
    [[joint]]
    name = "parts"
    type = "combined"
    parts = ["line", "free"]
    bodies = ["third", "arm"]
    [[spring]]
    name = "spring"
    bodies = ["arm", "other"]
    at = [[1, 0, 0], [2, 0, 1]]
    stiffness = 10
    [[motor]]
    name = "motor"
    joint = "rail"
    servo = { position = 0.1, gain = 3 }
    [[force]]
    name = "force"
    body = "arm"
    force = [0, 0, 1]
    [[marker]]
    name = "spot"
    body = "arm"
    at = [0.1, 0.2, 0.3]
    [[emitter]]
    name = "spout"
    body = "other"
    position = [0, 0, 30]
    from = 1000
    [[field]]
    name = "wind"
    type = "gravity"
    gravity = [1, 0, 0]
    [[field]]
    name = "pull"
    type = "radial"
    strength = -1
    [[motor]]
    name = "drive"
    joint = "pivot"
    effort = 0.1
    [[motor]]
    name = "winding"
    joint = "pivot"
    electric = { voltage = 3, constant = 0.2, resistance = 1, inductance = 0.01 }
    [[motor]]
    name = "fibre"
    joint = "pivot"
    muscle = { excitation = 0.2, force = 5, optimal = 0.1, slack = 0.2, arm = 0.05 }
    [[motor]]
    name = "ram"
    joint = "rail"
    coordinate = "position"
    hydraulic = { valve = 0.1, area = 1e-4, rod_area = 8e-5, pressure = 1e5, flow = 1e-5 }
    [[motor]]
    name = "shoe"
    joint = "pivot"
    brake = 0.1
    [[sensor]]
    name = "coordinate"
    type = "joint_position"
    joint = "rail"
    [[sensor]]
    name = "current"
    type = "motor_effort"
    motor = "motor"
    [[sensor]]
    name = "wrist"
    type = "force_torque"
    joint = "pivot"
    bias = [1, 2, 3, 4, 5, 6]
    [[sensor]]
    name = "scanner"
    type = "lidar"
    body = "arm"
    rays = 5
    fan = 1
    reach = 4
    [[sensor]]
    name = "place"
    type = "position"
    body = "arm"
    relative_to = "other"
    noise = 0.1
    drift = 0.1
    resolution = 0.01
    saturation = 9
    rate = 50
    delay = 0.02
    seed = 3
    [[curve]]
    name = "way"
    points = [[0, 0, 0], [1, 0, 0.5], [2, 1, 0]]
    [[curve]]
    name = "track"
    points = [[0, 0, 0], [1, 0, 0.5]]
    [[controller]]
    name = "push"
    type = "vector"
    force = [0, 0, 1]
    connectors = [{ body = "arm", point = [0.1, 0, 0], lock = "rotation" }]
    [[controller]]
    name = "rope"
    type = "spring"
    stiffness = 10
    connectors = [{ body = "arm" }, { fixed = [0, 0, 2], velocity = [0, 0, 0.1] }]
    [[controller]]
    name = "follow"
    type = "trajectory"
    alpha = 4
    connectors = [{ curve = "way", parameter = 0.5 }, { body = "third" }]
    [[controller]]
    name = "hold"
    type = "pid"
    position = 5
    connectors = [{ body = "third" }, { function = ["t", 0, "sin(t)"] }]
    [[controller]]
    name = "jet"
    type = "thruster"
    thrust = 2
    direction = [1, 0, 0]
    lag = 0.1
    connectors = [{ body = "third" }]
    [[controller]]
    name = "breeze"
    type = "drag"
    density = 1.2
    wind = [1, 0, 0]
    connectors = [{ body = "fourth" }]
    [[controller]]
    name = "outside"
    type = "plugin"
    plugin = "a law"
    parameters = { x = 1 }
    connectors = [{ body = "third" }]
    [[sensor]]
    name = "outer"
    type = "plugin"
    plugin = "a law"
    [[procedure]]
    name = "apart"
    bodies = ["third", "fourth"]
    threshold = 0.1
"#;

/// Constraints between connectors of every form.
const LINKED: &str = r#"
    [[body]]
    name = "arm"
    shape = { box = [1, 0.1, 0.1] }
    position = [0.5, 0, 0]
    [[body]]
    name = "other"
    shape = { sphere = 0.1 }
    position = [2, 0, 1]
    [[body]]
    name = "third"
    shape = { sphere = 0.1 }
    position = [0, 3, 0]
    [[joint]]
    name = "pivot"
    type = "hinge"
    bodies = ["world", "arm"]
    axis = [0, 1, 0]
    [[joint]]
    name = "rail"
    type = "cylindrical"
    bodies = ["world", "other"]
    at = [2, 0, 1]
    [[curve]]
    name = "way"
    points = [[0, 3, 0], [1, 3, 0.5], [2, 4, 0]]
    [[curve]]
    name = "track"
    points = [[0, 3, 0], [1, 3, 0.5]]
    [[constraint]]
    name = "gears"
    type = "coupling"
    joints = ["pivot", "rail"]
    factors = [1, [0.5, 0.1]]
    [[constraint]]
    type = "distance"
    connectors = [{ body = "arm", point = [0.5, 0, 0] }, { body = "third" }]
    [[constraint]]
    name = "run"
    type = "point-to-path"
    speed = 0.5
    active = false
    connectors = [{ body = "third" }, { nearest = "way" }]
    [[constraint]]
    name = "pinned"
    type = "point-to-point"
    active = false
    locked = [2]
    connectors = [{ body = "other", lock = "rotation" }, { curve = "way", parameter = 0.5 }]
    [[constraint]]
    name = "goal"
    type = "point-to-point"
    active = false
    connectors = [{ body = "third" }, { fixed = [0, 3, 1], velocity = [0, 0, 0.1] }]
    [[constraint]]
    name = "led"
    type = "point-to-function"
    active = false
    connectors = [{ body = "third" }, { function = ["t", 3, 0] }]
    [[constraint]]
    name = "axes"
    type = "hinge"
    active = false
    connectors = [{ body = "third" }, { body = "third", point = [0, 0, 1] }]
    [[constraint]]
    name = "outside"
    type = "plugin"
    plugin = "a law"
    active = false
    connectors = [{ body = "third" }]
    [[constraint]]
    name = "typed"
    type = "velocity-expression"
    active = false
    formulas = ["vx1 - 0.1 * t", "z1 * vz1"]
    connectors = [{ body = "third" }]
"#;

/// Machine elements of every form.
const GEARED: &str = r#"
    [world]
    contacts = "off"
    [[body]]
    repeat = 3
    name = "wheel {i}"
    shape = { cylinder = { radius = 0.1, height = 0.05 } }
    position = ["i", 0, 0]
    [[body]]
    name = "slide"
    shape = { sphere = 0.1 }
    position = [0, 3, 0]
    [[body]]
    name = "shaft"
    shape = { sphere = 0.1 }
    position = [0, 6, 0]
    [[joint]]
    repeat = 3
    name = "axle {i}"
    type = "hinge"
    bodies = ["world", "wheel {i}"]
    at = ["i", 0, 0]
    axis = [0, 0, 1]
    [[joint]]
    name = "rail"
    type = "slider"
    bodies = ["world", "slide"]
    axis = [1, 0, 0]
    at = [0, 3, 0]
    [[joint]]
    name = "knuckle"
    type = "ball"
    bodies = ["world", "shaft"]
    at = [0, 6, 0]
    axis = [1, 0, 0]
    [[constraint]]
    name = "gear"
    type = "gear"
    joints = ["axle 0", "axle 1"]
    teeth = [20, 40]
    active = false
    [[constraint]]
    name = "epicyclic"
    type = "gear"
    joints = ["axle 0", "axle 1"]
    carrier = "axle 2"
    ratio = -2
    active = false
    [[constraint]]
    name = "rack"
    type = "rack"
    joints = ["axle 0", "rail"]
    radius = 0.1
    active = false
    [[constraint]]
    name = "screw"
    type = "screw"
    joints = ["axle 0", "rail"]
    lead = 0.01
    active = false
    [[constraint]]
    name = "belt"
    type = "belt"
    joints = ["axle 0", "axle 1", "axle 2"]
    radii = [0.1, 0.1, -0.2]
    active = false
    [[constraint]]
    name = "differential"
    type = "differential"
    joints = ["axle 0", "axle 1", "axle 2"]
    active = false
    [[constraint]]
    name = "cam"
    type = "cam"
    joints = ["axle 0", "rail"]
    profile = "0.1 * sin(q)"
    active = false
    [[constraint]]
    name = "twist"
    type = "constant-velocity"
    joints = ["knuckle"]
    active = false
    [[constraint]]
    name = "hoist"
    type = "cable"
    connectors = [{ body = "slide" }, { fixed = [0, 3, 2] }]
    drum = "axle 0"
    radius = 0.1
    active = false
    [[constraint]]
    name = "tackle"
    type = "cable"
    connectors = [
        { body = "slide" }, { fixed = [0, 3, 2] }, { fixed = [1, 3, 2] },
        { body = "shaft" }, { fixed = [2, 3, 2] }, { fixed = [2, 3, 3] },
    ]
    wraps = [{ after = 1, around = 4, radius = 0.1, axis = [0, 1, 0], side = 6 }]
    weights = [1, 0.5, 1]
    active = false
"#;

/// A world in which collisions may come one at a time.
const FREE: &str = r#"
    [contact]
    time = "exact"
    [[body]]
    name = "arm"
    shape = { box = [1, 0.1, 0.1] }
    [[body]]
    name = "lift"
    kind = "kinematic"
    shape = { box = [0.2, 0.2, 0.2] }
    position = [0, 0, 20]
    [[body]]
    name = "other"
    kind = "kinematic"
    shape = { box = [0.2, 0.2, 0.2] }
    position = [0, 0, 40]
    [[motion]]
    name = "ride"
    body = "lift"
    times = [0, 1, 3]
    positions = [[0, 0, 20], [0, 0, 21], [1, 0, 21]]
    rotations = [[0, 0, 0], [0, 0, 1], [0, 0.5, 0]]
    interpolation = "smooth"
    cycle = true
    [[motion]]
    name = "rest"
    body = "arm"
    times = [0, 1]
    positions = [[0, 0, 0], [0, 0, 1]]
    active = false
"#;

/// Laws from outside, under the names that the walk tries.
struct Law;

impl plugin::ForceLaw for Law {
    fn forces(&self, _: &plugin::PluginState<'_>, _: &mut [Vec3]) -> Result<(), String> {
        Ok(())
    }
}

impl plugin::ConstraintLaw for Law {
    fn connectors(&self) -> usize {
        1
    }
    fn rows(&self) -> usize {
        1
    }
    fn evaluate(
        &self,
        now: &plugin::PluginState<'_>,
        rows: &mut [plugin::PluginRow],
    ) -> Result<(), String> {
        (rows[0].value, rows[0].gradients[0]) = (now.points[0].position.y - 3.0, Vec3::Y);
        Ok(())
    }
}

impl plugin::SensorLaw for Law {
    fn channels(&self) -> Vec<(String, &'static str)> {
        vec![(String::new(), "s")]
    }
    fn measure(&self, world: &World) -> Result<Vec<f64>, String> {
        Ok(vec![world.time()])
    }
}

impl plugin::ContactLaw for Law {
    fn coefficients(
        &self,
        _: &Material,
        _: &Material,
        usual: plugin::Coefficients,
    ) -> Result<plugin::Coefficients, String> {
        Ok(usual)
    }
}

fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for name in ["a law", "steel {1}"] {
            let declared = || plugin::Declared::new(name, "for the walk").parameter("x", 0.0);
            plugin::register::<dyn plugin::ForceLaw>(declared(), |_| Ok(Arc::new(Law))).unwrap();
            plugin::register::<dyn plugin::ConstraintLaw>(declared(), |_| Ok(Arc::new(Law)))
                .unwrap();
            plugin::register::<dyn plugin::SensorLaw>(declared(), |_| Ok(Arc::new(Law))).unwrap();
            plugin::register::<dyn plugin::ContactLaw>(declared(), |_| Ok(Arc::new(Law))).unwrap();
        }
    });
}

fn scene(text: &str) -> Scene {
    register();
    kreisel_scene::parse("walk.toml", text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Other values of a form than the present one, made from its words, range and present value.
fn others(form: &Form, p: &Property, now: &Value) -> Vec<Value> {
    match form {
        Form::Flag => vec![Value::Flag(*now != Value::Flag(true))],
        Form::Number | Form::Unlimited => {
            let x = if let Value::Number(x) = now { *x } else { 0.5 };
            // half of it stays on its side of zero; a range may begin above it
            [0.5 * x, 2.0 * x, x + 0.25]
                .into_iter()
                .filter(|y| *y != x && p.range.holds(*y))
                .map(Value::Number)
                .collect()
        }
        Form::Count => {
            let x = if let Value::Number(x) = now { *x } else { 3.0 };
            [x + 1.0, x - 1.0]
                .into_iter()
                .filter(|y| p.range.holds(*y))
                .map(Value::Number)
                .collect()
        }
        Form::OneOf(all) => {
            all.iter().map(|n| Value::Number(f64::from(*n))).filter(|v| v != now).collect()
        }
        Form::Vector => {
            vec![Value::numbers([0.25, -0.5, 0.125]), Value::numbers([0.25, 0.5, 0.375])]
        }
        Form::Quaternion => vec![Value::numbers([0.5, 0.5, -0.5, 0.5])],
        Form::Color => vec![Value::Text("#102030".into()), Value::Text("teal".into())],
        Form::Shape => [
            "{ box = [0.3, 0.2, 0.1] }",
            "[{ sphere = 0.1 }, { sphere = 0.1, position = [0.3, 0, 0] }]",
        ]
        .map(|text| Value::of_toml(text).unwrap())
        .into_iter()
        .chain([Value::Text("point".into())])
        .collect(),
        Form::Numbers => vec![Value::Table(vec![("x".into(), Value::Number(0.25))])],
        Form::Point => vec![Value::numbers([0.5, 0.25])],
        Form::Text => vec![Value::Text("steel {1}".into())],
        Form::Formula => vec![Value::Number(0.25), Value::Text("0.1 * t".into())],
        Form::Reference(kind) => {
            let names: &[&str] = match *kind {
                "joint" => &["rail", "pivot"],
                "motor" => &["motor", "drive"],
                "curve" => &["way", "track"],
                _ => &["other", "arm"],
            };
            names.iter().map(|n| Value::Text((*n).into())).filter(|v| v != now).collect()
        }
        Form::Words(words) => {
            words.iter().map(|w| Value::Text(w.word.into())).filter(|v| v != now).collect()
        }
        Form::List(inner, min, max) => {
            let items: Vec<Value> =
                if let Value::List(items) = now { items.clone() } else { Vec::new() };
            // the same in the other order, and one with other content
            let mut out = vec![items.iter().rev().cloned().collect::<Vec<_>>()];
            let first = items.first().cloned().unwrap_or(Value::None);
            out.extend(others(inner, p, &first).into_iter().map(|v| vec![v; (*min).max(1)]));
            // and with another last one
            if let Some((last, rest)) = items.split_last() {
                let other = others(inner, p, last).into_iter();
                out.extend(other.map(|v| rest.iter().cloned().chain([v]).collect()));
            }
            let fits = |l: &Vec<Value>| (*min..=*max).contains(&l.len()) && *l != items;
            out.into_iter().filter(fits).map(Value::List).collect()
        }
        Form::Table(table) => nested(table(), now),
        Form::Either(forms) => {
            forms.iter().flat_map(|f| others(f, p, now)).filter(|v| v != now).collect()
        }
        Form::Optional(inner) => {
            let mut out = others(inner, p, now);
            if *now != Value::None {
                out.push(Value::None);
            }
            out
        }
    }
}

/// The table that a form holds, also in a list.
fn inner(form: &Form) -> Option<&'static Table> {
    match form {
        Form::List(inner, ..) => inner.table(),
        form => form.table(),
    }
}

/// Tables in which one key is other than now, and such with what is required only.
fn nested(table: &'static Table, now: &Value) -> Vec<Value> {
    let (blank, world) = ((table.blank)(), World::default());
    let present: Vec<(String, Value)> =
        if let Value::Table(t) = now { t.clone() } else { Vec::new() };
    let mut out = Vec::new();
    for q in table.properties {
        let own = present.iter().find(|(k, _)| k == q.name).map(|(_, v)| v.clone());
        let own = own.unwrap_or_else(|| (q.get)(&*blank, &world));
        for other in others(&q.form, q, &own) {
            // keys that exclude this one go
            let rivals =
                table.choices.iter().filter(|c| c.keys.contains(&q.name)).flat_map(|c| c.keys);
            let mut entries = present.clone();
            entries.retain(|(k, _)| k != q.name && !rivals.clone().any(|r| r == k));
            // what it goes with comes, and what no longer goes with anything goes
            if let Some((key, [])) = q.only
                && !entries.iter().any(|(k, _)| k == key)
            {
                let partner = table.property(key).unwrap();
                let Some(first) = others(&partner.form, partner, &Value::None).into_iter().next()
                else {
                    continue;
                };
                let against: Vec<_> = table
                    .choices
                    .iter()
                    .filter(|c| c.keys.contains(&key))
                    .flat_map(|c| c.keys)
                    .collect();
                entries.retain(|(k, _)| !against.iter().any(|r| *r == k));
                entries.push((key.to_owned(), first));
            }
            let mut all: Vec<String> =
                entries.iter().map(|e| e.0.clone()).chain([q.name.to_owned()]).collect();
            let goes = |p: &Property, all: &[String]| {
                p.goes(|key| all.iter().any(|k| k == key).then(String::new))
            };
            let nested_only = |p: &&Property| p.only.is_some_and(|(_, words)| words.is_empty());
            for p in table.properties.iter().filter(nested_only) {
                if !goes(p, &all) {
                    entries.retain(|(k, _)| k != p.name);
                    all.retain(|k| k != p.name);
                }
            }
            for p in
                table.properties.iter().filter(|p| p.required && p.name != q.name && goes(p, &all))
            {
                if !entries.iter().any(|(k, _)| k == p.name) {
                    entries.extend(
                        others(&p.form, p, &Value::None)
                            .into_iter()
                            .next()
                            .map(|v| (p.name.to_owned(), v)),
                    );
                }
            }
            if other != Value::None {
                entries.push((q.name.to_owned(), other));
            }
            entries.sort_by_key(|(k, _)| table.properties.iter().position(|p| p.name == k));
            out.push(Value::Table(entries));
        }
    }
    out
}

/// An item that is walked: the text of its scene, a run of it, the property, another value of it.
struct Step<'a> {
    text: &'static str,
    run: &'a Simulation,
    item: &'a Item,
    p: &'static Property,
    value: &'a Value,
}

/// Calls `walk` with every property of every item, and every other value that it takes.
fn each(mut walk: impl FnMut(&Step<'_>)) -> usize {
    let runs = [SCENE, LINKED, GEARED, FREE].map(|text| (text, Simulation::new(&scene(text))));
    let mut walked = 0;
    for kind in KINDS {
        for p in kind.table.properties {
            // some item of the kind takes some other value
            let mut taken = 0;
            let mut keys = Vec::new();
            for (text, run) in &runs {
                for item in Item::all(kind, &run.world, run.run_settings()) {
                    let now = value_of(run, &item, p.name);
                    for value in others(&p.form, p, &now) {
                        let mut trial = run.clone();
                        let (world, settings) = trial.parts_mut();
                        if item.set(world, settings, p.name, value.clone()).is_ok() {
                            taken += 1;
                            walk(&Step { text, run, item: &item, p, value: &value });
                            written(&value, &mut keys);
                        }
                    }
                }
            }
            assert!(taken > 0, "no other value of {}.{} was taken", kind.table.name, p.name);
            walked += 1;

            // and so does every key of its nested table
            for q in inner(&p.form).iter().flat_map(|t| t.properties) {
                assert!(
                    keys.iter().any(|k| k == q.name),
                    "no value of {}.{}.{}",
                    kind.table.name,
                    p.name,
                    q.name
                );
                walked += 1;
            }
        }
    }
    walked
}

/// The keys that stand in a value.
fn written(value: &Value, keys: &mut Vec<String>) {
    match value {
        Value::Table(entries) => entries.iter().for_each(|(k, v)| {
            keys.push(k.clone());
            written(v, keys);
        }),
        Value::List(items) => items.iter().for_each(|v| written(v, keys)),
        _ => {}
    }
}

fn value_of(run: &Simulation, item: &Item, key: &str) -> Value {
    item.get(&run.world, run.run_settings(), key).unwrap()
}

/// The value as a client sends it.
fn wire(value: &Value) -> PropertyValue {
    match value {
        Value::Number(x) => PropertyValue::Number(Some(*x)),
        Value::Flag(b) => PropertyValue::Toggle(*b),
        Value::Text(t) => PropertyValue::Text(t.clone()),
        Value::None => PropertyValue::Number(None),
        other => PropertyValue::Text(other.toml()),
    }
}

#[test]
fn every_property_survives_a_scene_file() {
    let count = each(|&Step { text, run, item, p, value }| {
        // set, saved, loaded
        let mut set = run.clone();
        let (world, settings) = set.parts_mut();
        item.set(world, settings, p.name, value.clone()).unwrap();
        let item = if p.name == "name" {
            let Value::Text(name) = value else { panic!("a name is a text") };
            Item::named(&set.world, set.run_settings(), name).unwrap()
        } else {
            item.clone()
        };
        let saved = kreisel_scene::save(&with(&scene(text), &set), &set.world);
        let again = scene(&saved);
        let back = Simulation::new(&again);
        assert_eq!(
            value_of(&back, &item, p.name),
            value_of(&set, &item, p.name),
            "{}.{}\n{saved}",
            item.name,
            p.name
        );

        // a second time: the same text
        assert_eq!(kreisel_scene::save(&again, &again.world), saved, "{}.{}", item.name, p.name);
    });
    assert!(count > 90, "{count} properties");
}

/// The scene with the settings of a run.
fn with(scene: &Scene, run: &Simulation) -> Scene {
    let mut scene = Scene { world: run.world.clone(), ..scene.clone() };
    run.run_settings().write_to(&mut scene);
    scene
}

#[test]
fn every_property_is_set_live_undone_and_redone() {
    each(|&Step { text, run, item, p, value }| {
        let mut session = Session::new(scene(text));
        let (object, key) = (item.name.clone(), p.name.to_owned());
        let before = value_of(run, item, p.name);
        let mut direct = run.clone();
        let (world, settings) = direct.parts_mut();
        item.set(world, settings, p.name, value.clone()).unwrap();

        // what was set is what a panel shows
        let outcome = session.apply(1, &Command::Set { object, key, value: wire(value) });
        // a live step is narrower than that of a scene
        if let Err(e) = &outcome
            && e.0.contains("step must be")
        {
            return;
        }
        assert_eq!(outcome, Ok(()), "{}.{} = {}", item.name, p.name, value.toml());
        let renamed = if let (Value::Text(name), "name") = (value, p.name) {
            name.clone()
        } else {
            item.name.clone()
        };
        let find = |s: &Session, name: &str| {
            let sim = s.simulation();
            Item::named(&sim.world, sim.run_settings(), name).unwrap()
        };
        let after = value_of(&direct, &find_in(&direct, &renamed), p.name);
        assert_eq!(
            value_of(session.simulation(), &find(&session, &renamed), p.name),
            after,
            "{}",
            p.name
        );
        assert!(p.alias || !session.inspect(&renamed).unwrap().properties.is_empty());

        // back and forth
        session.apply(1, &Command::Undo).unwrap();
        assert_eq!(value_of(session.simulation(), item, p.name), before, "{} undone", p.name);
        session.apply(1, &Command::Redo).unwrap();
        assert_eq!(
            value_of(session.simulation(), &find(&session, &renamed), p.name),
            after,
            "{} redone",
            p.name
        );
    });
}

fn find_in(run: &Simulation, name: &str) -> Item {
    Item::named(&run.world, run.run_settings(), name).unwrap()
}

#[test]
fn every_row_of_the_panel_takes_its_own_value() {
    for mut session in [SCENE, LINKED, GEARED, FREE].map(|text| Session::new(scene(text))) {
        for name in session.items().into_iter().flat_map(|(_, names)| names) {
            for p in session.inspect(&name).unwrap().properties {
                if p.field == kreisel_session::protocol::Field::Fixed {
                    continue;
                }
                let set = Command::Set {
                    object: name.clone(),
                    key: p.key.clone(),
                    value: p.value.clone(),
                };
                let before = session.inspect(&name).unwrap();
                if p.value != PropertyValue::Text(String::new()) {
                    assert_eq!(session.apply(1, &set), Ok(()), "{name}.{} = {:?}", p.key, p.value);
                }
                // the revision counts edits, also those that change nothing
                let after = session.inspect(&name).unwrap();
                assert_eq!(after.properties, before.properties, "{name}.{}", p.key);
                assert_eq!(after.quantities, before.quantities, "{name}.{}", p.key);
            }
        }
    }
}

#[test]
fn every_property_can_be_recorded_or_says_why_not() {
    let mut recorded = 0;
    each(|&Step { run, item, p, .. }| {
        let path = format!("{}.{}", item.name, p.name);
        match (Columns::of_path(&run.world, &path), value_of(run, item, p.name)) {
            (Ok(_), _) => recorded += 1,
            // words, names, tables and what only the run knows are no numbers of the world
            (Err(e), Value::Number(_) | Value::Flag(_))
                if !run.run_settings().names().any(|n| n == item.name) =>
            {
                assert!(e.message.contains("of the run"), "{path}: {}", e.message);
            }
            // outer forces are no part of the world
            (Err(e), _)
                if ["force", "marker", "motion", "emitter"].contains(&item.table().name) =>
            {
                assert!(e.message.contains("there is no"), "{}", e.message)
            }
            (Err(e), _) => assert!(e.message.contains("no number"), "{path}: {}", e.message),
        }
    });
    assert!(recorded > 30, "{recorded}");
}

#[test]
fn every_property_is_read_and_set_by_a_script() {
    each(|&Step { text, run, item, p, value }| {
        // a name that a script changes is no longer that of the path
        if p.name == "name" {
            return;
        }
        let path = format!("{}.{}", item.name, p.name);
        let text = format!(
            "{text}\n[script]\nbuild = '''\nfn on_step() {{ if time() == 0.0 {{ set(\"{path}\", {}); set(\"{path}\", get(\"{path}\")); print(\"done\"); }} }}\n'''\n",
            rhai(value)
        );
        let mut scripted = Simulation::new(&scene(&text));
        scripted.world.set_time(0.0).unwrap();
        scripted.step();
        assert_eq!(
            scripted.take_problems().iter().map(|p| p.message.clone()).collect::<Vec<_>>(),
            [""; 0],
            "{path}"
        );
        assert_eq!(scripted.take_messages().len(), 1, "{path}");

        // as if it had been set from outside before the step
        let mut direct = run.clone();
        let (world, settings) = direct.parts_mut();
        item.set(world, settings, p.name, value.clone()).unwrap();
        direct.step();
        assert_eq!(value_of(&scripted, item, p.name), value_of(&direct, item, p.name), "{path}");
    });
}

/// A value in the script's language.
fn rhai(value: &Value) -> String {
    match value {
        Value::None => "()".into(),
        Value::Flag(b) => b.to_string(),
        Value::Number(x) => format!("{x:?}"),
        Value::Text(t) => format!("\"{t}\""),
        Value::Solid(_) => rhai(&Value::of_toml(&value.toml()).unwrap()),
        Value::List(items) => {
            format!("[{}]", items.iter().map(rhai).collect::<Vec<_>>().join(", "))
        }
        Value::Table(t) => {
            format!(
                "#{{ {} }}",
                t.iter()
                    .map(|(k, v)| format!("\"{k}\": {}", rhai(v)))
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
    }
}

#[test]
fn every_property_is_documented() {
    let (page, schema) = (grammar::reference(), kreisel_scene::schema());
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    for kind in KINDS {
        document(kind.table, &page, &schema);
    }
}

fn document(table: &'static Table, page: &str, schema: &serde_json::Value) {
    let section = page.split("### ").find(|s| s.starts_with(&format!("`{}`", table.title)));
    let section = section.unwrap_or_else(|| panic!("{} has no section", table.title));
    for p in table.properties {
        assert!(p.doc.trim().len() > 3, "{}.{} has no words", table.name, p.name);
        if !p.section {
            assert!(
                section.contains(&format!("| `{}` |", p.name)),
                "{}.{} is not on the page",
                table.name,
                p.name
            );
            let shown = &schema["$defs"][table.name]["properties"][p.name]["description"];
            assert!(shown.is_string(), "{}.{} is not in the schema", table.name, p.name);
        }
        if let Some(inner) = inner(&p.form) {
            document(inner, page, schema);
        }
    }
}

/// Tables that a reader can trust: names are unique, keys that are named elsewhere exist.
#[test]
fn tables_are_well_formed() {
    for kind in KINDS {
        well_formed(kind.table);
        // keys that every item has
        for key in ["repeat", "let", "when"] {
            assert!(kind.table.property(key).is_none(), "{}.{key}", kind.table.name);
        }
    }
}

fn well_formed(table: &'static Table) {
    for (k, p) in table.properties.iter().enumerate() {
        assert!(
            !table.properties[..k].iter().any(|q| q.name == p.name),
            "{}.{} twice",
            table.name,
            p.name
        );
        if let Some((key, words)) = p.only {
            let q = table
                .property(key)
                .unwrap_or_else(|| panic!("{}.{key} does not exist", table.name));
            assert!(words.iter().all(|w| q.form.takes_text(w)), "{}.{}", table.name, p.name);
        }
        if let Some(inner) = inner(&p.form) {
            well_formed(inner);
        }
    }
    for key in table.choices.iter().flat_map(|c| c.keys) {
        assert!(table.property(key).is_some(), "{}.{key} does not exist", table.name);
    }
}

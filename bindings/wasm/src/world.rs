//! What the npm package reads and changes by name, without the detour over frames. The package's
//! own classes stand on these.

use crate::engine::Engine;
use kreisel_dynamics::World;
use kreisel_scene::record::Columns;
use kreisel_session::protocol::Command;
use serde_json::json;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// The known word that is nearest to a wrong one.
#[wasm_bindgen]
pub fn nearest(word: &str, known: Vec<String>) -> Option<String> {
    kreisel_scene::nearest(word, known.iter().map(String::as_str)).map(str::to_owned)
}

/// What items there are, in the order in which names are looked up.
#[wasm_bindgen]
pub fn kinds() -> Vec<String> {
    World::KINDS.map(str::to_owned).to_vec()
}

impl Engine {
    fn world(&self) -> &World {
        &self.runner.session().simulation().world
    }

    /// The columns of a quantity, the time first, and the row of now.
    fn quantity(&self, path: &str) -> Result<(Columns, Vec<f64>), String> {
        let columns = Columns::of_path(self.world(), path).map_err(|e| {
            let help = e.help.map(|h| format!("; {h}")).unwrap_or_default();
            format!("{}{help}", e.message)
        })?;
        let row = columns.row(self.world(), self.runner.session().report());
        Ok((columns, row))
    }
}

#[wasm_bindgen]
impl Engine {
    /// Names of all items of a kind, in the order in which they were made.
    pub fn names(&self, kind: &str) -> Vec<String> {
        self.world().names_of(kind).iter().map(ToString::to_string).collect()
    }

    /// A quantity by its path in recordings: "crank.angle", "arm.position", "energy.total".
    pub fn measure(&self, path: &str) -> Result<Vec<f64>, JsError> {
        // a component stands in the row of the whole
        let parts = [".x", ".y", ".z", ".w", ".gap", ".misalignment"];
        let whole = || parts.iter().find_map(|p| path.strip_suffix(p)).filter(|w| *w != path);
        let (columns, row) = self
            .quantity(path)
            .or_else(|e| whole().map_or(Err(e), |w| self.quantity(w)))
            .map_err(|e| JsError::new(&e))?;
        match columns.columns().iter().position(|c| c.name == path) {
            Some(k) => Ok(vec![row[k]]),
            None => Ok(row[1..].to_vec()),
        }
    }

    /// Names and units of the numbers of a quantity (JSON).
    pub fn columns(&self, path: &str) -> Result<String, JsError> {
        let (columns, _) = self.quantity(path).map_err(|e| JsError::new(&e))?;
        let list: Vec<_> = columns.columns()[1..]
            .iter()
            .map(|c| json!({ "name": c.name, "unit": c.unit }))
            .collect();
        Ok(serde_json::to_string(&list).unwrap_or_default())
    }

    /// A body: position, quaternion, velocity, angular velocity, centre of mass and contact force,
    /// 19 numbers; nothing if there is none of this name.
    pub fn body(&self, name: &str) -> Option<Vec<f64>> {
        let world = self.world();
        let id = world.body_named(name)?;
        let mut out = world.position(id)?.to_array().to_vec();
        out.extend(world.rotation(id)?.to_array());
        for v in [
            world.velocity(id),
            world.angular_velocity(id),
            world.center_of_mass(id),
            world.contact_force(id),
        ] {
            out.extend(v.unwrap_or_default().to_array());
        }
        Some(out)
    }

    /// Position and quaternion of every body, seven numbers each, in the order of their names.
    pub fn poses(&self) -> Vec<f64> {
        let world = self.world();
        let mut out = Vec::new();
        for id in world.bodies() {
            out.extend(world.position(id).unwrap_or_default().to_array());
            out.extend(world.rotation(id).unwrap_or_default().to_array());
        }
        out
    }

    /// The report of the last step (JSON), and the energy.
    pub fn report(&self) -> String {
        let (session, world) = (self.runner.session(), self.world());
        let (r, e) = (session.report(), world.energy());
        let worst = r.worst.as_ref().map(|w| (w.name.to_string(), w.position, w.angle));
        let report = json!({
            "time": world.time(),
            "status": format!("{:?}", r.status),
            "worst": worst,
            "velocity_error": r.velocity_error,
            "substeps": r.substeps,
            "rounds": r.rounds,
            "contacts": r.contact.points,
            "penetration": r.contact.penetration,
            "unexplained": r.unexplained.as_ref().map(ToString::to_string),
            "energy": {
                "kinetic": e.kinetic,
                "potential": e.potential,
                "spring": e.spring,
                "total": e.total(),
            },
        });
        report.to_string()
    }

    /// Adds the items of a scene's text (JSON); throws where it is refused.
    pub fn extend(&mut self, text: &str) -> Result<(), JsError> {
        let command = Command::Extend { name: "World.add.json".into(), text: text.to_owned() };
        self.edit(&command).map_err(|e| JsError::new(&e))
    }

    /// How long the scene runs unless told otherwise, s.
    pub fn duration(&self) -> f64 {
        self.runner.session().scene().duration
    }

    /// What the scene shows, in one line.
    pub fn title(&self) -> Option<String> {
        self.runner.session().scene().title.clone()
    }
}

//! The world as it stands, as a scene file.

use super::Session;
use kreisel_dynamics::BodyId;
use kreisel_geometry::Shape;
use kreisel_scene::{Look, Saved, Scene};

impl Session {
    /// The world as it stands, as TOML. What the scene was loaded with (forces, scripts, switches still to come, what is
    /// shown and recorded, the camera) belongs to it, and what the run remembers; hands and pushes do not.
    pub fn save(&self) -> String {
        self.saved().text
    }

    /// The same, with what it lacks.
    pub fn saved(&self) -> Saved {
        let scene = self.as_scene();
        kreisel_scene::save_run(&scene, &self.document.sim, &scene.world)
    }

    /// The solid of a body, in the body's frame: what collides, or what it looks like. A number of a
    /// body that was removed may have been given to another: shapes are taken from what exists.
    pub fn shape(&self, id: BodyId) -> Option<Shape> {
        let own = self.document.sim.world.body(id)?.shape.clone();
        own.or_else(|| self.document.scene.shape(id).cloned()).or_else(|| self.document.looks.get(&id)?.shape.clone())
    }

    /// The world as it stands, as a scene.
    pub fn as_scene(&self) -> Scene {
        let world = &self.document.sim.world;
        let there = |id: BodyId| id == BodyId::WORLD || world.body(id).is_some();
        let mut scene = Scene::clone(&self.document.scene);
        scene.title = Some(self.document.title.clone());
        let run = self.document.sim.run_settings();
        (scene.step, scene.duration) = (run.timing.step, run.timing.duration);
        (scene.oversampling, scene.real_time) = (run.timing.oversampling, run.timing.real_time);
        scene.forces.clone_from(&run.forces);
        scene.forces.retain(|f| there(f.body));
        scene.shows.retain(|s| there(s.body));
        scene.record.quantities.retain(|q| match q {
            kreisel_scene::Wanted::Point { body, .. } => there(*body),
            kreisel_scene::Wanted::Path(path, _) => kreisel_scene::record::Columns::of_path(world, path).is_ok(),
        });
        scene.shapes = world.bodies().filter_map(|id| Some((id, self.shape(id)?))).collect();
        scene.shapes.sort_by_key(|s| s.0);
        let looks = self.document.looks.iter().filter(|(id, _)| world.body(**id).is_some());
        scene.looks = looks.map(|(id, l)| Look { body: *id, shape: l.shape.clone(), color: l.color }).collect();
        scene.world = world.clone();
        super::budget::take(&mut scene.world, self.budget);
        scene
    }
}

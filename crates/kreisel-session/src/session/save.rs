//! The world as it stands, as a scene file.

use super::Session;
use kreisel_dynamics::BodyId;
use kreisel_geometry::Shape;
use kreisel_scene::{Saved, Scene};

impl Session {
    /// The world as it stands, as TOML. What the scene was loaded with (forces, scripts, switches
    /// still to come, what is shown and recorded, the camera) belongs to it, and what the run
    /// remembers; hands and pushes do not.
    pub fn save(&self) -> String {
        self.saved().text
    }

    /// The same, with what it lacks.
    pub fn saved(&self) -> Saved {
        let scene = self.as_scene();
        kreisel_scene::save_run(&scene, &self.document.sim, &scene.world)
    }

    /// The solid of a body, in the body's frame: what collides, or what it looks like.
    pub fn shape(&self, id: BodyId) -> Option<Shape> {
        let own = self.document.sim.world.body(id)?.shape.clone();
        let look = self.document.looks().get(&id);
        own.or_else(|| look?.solid.clone()).or_else(|| look?.shown.clone())
    }

    /// The world as it stands, as a scene.
    pub fn as_scene(&self) -> Scene {
        let world = &self.document.sim.world;
        let there = |id: BodyId| id == BodyId::WORLD || world.body(id).is_some();
        let mut scene = Scene::clone(&self.document.scene);
        scene.title = Some(self.document.title.clone());
        scene.world = world.clone();
        self.document.sim.run_settings().write_to(&mut scene);
        scene.forces.retain(|f| there(f.body));
        scene.shows.retain(|s| there(s.body));
        scene.record.quantities.retain(|q| match q {
            kreisel_scene::Wanted::Point { body, .. } => there(*body),
            kreisel_scene::Wanted::Path(path, _) => {
                kreisel_scene::record::Columns::of_path(world, path).is_ok()
            }
        });
        super::budget::take(&mut scene.world, self.budget);
        scene
    }
}

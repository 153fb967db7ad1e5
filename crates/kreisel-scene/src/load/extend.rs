//! More items for a world that exists: the text of a scene, read as if its items stood in the scene
//! that the world came from. Programs build worlds by it, with the keys and messages of files.

use super::build;
use super::options::{Options, finished, reader};
use crate::problem::SceneError;
use crate::scene::Scene;

/// The scene with the items of a text added, at the poses that bodies have now; the text may change
/// `[world]`, `[contact]` and `[lagrange]`, too. `scene.world` is the world as it stands. In case
/// of an error there is no scene, and the old one is untouched. What looks wrong in the whole is
/// not looked for, since more may be to come: reading the saved scene does.
///
/// ```
/// let ball = kreisel_scene::parse("a.toml", "[[body]]\nname = \"ball\"\nshape = { sphere = 0.1 }")?;
/// let text = "[[joint]]\ntype = \"ball\"\nbodies = [\"world\", \"ball\"]";
/// let pendulum = kreisel_scene::extend(&ball, "more.toml", text, &Default::default())?;
/// assert_eq!(pendulum.world.joints().count(), 1);
/// # Ok::<(), kreisel_scene::SceneError>(())
/// ```
pub fn extend(
    scene: &Scene,
    name: &str,
    text: &str,
    options: &Options,
) -> Result<Scene, SceneError> {
    let mut reader = reader(name, text, options);
    let main = reader.source.clone();
    let more = build::scene(&mut reader, None, &[], Some(scene));
    finished(reader, &main, more)
}

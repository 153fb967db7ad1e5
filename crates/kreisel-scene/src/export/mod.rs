//! Export to modelling tools: glTF 2.0 with the bodies as meshes and their motion as animation.
//!
//! ```
//! let scene = kreisel_scene::parse("ball.toml", "[[body]]\nname = 'ball'\nshape = { sphere = 0.1 }\nmass = 1")?;
//! let mut run = kreisel_scene::Simulation::new(&scene);
//! let mut motion = kreisel_scene::export::Motion::new(&scene);
//! for _ in 0..100 {
//!     run.step();
//!     motion.push(&run.world);
//! }
//! let file = kreisel_scene::export::gltf(&scene, &motion, 1e-4);
//! assert_eq!(&file.glb()[..4], b"glTF");
//! # Ok::<(), kreisel_scene::SceneError>(())
//! ```

mod buffer;
mod elements;
mod gltf;
mod motion;
mod surface;
mod thin;

pub use elements::Extras;
pub use gltf::{Gltf, gltf, gltf_with};
pub use motion::{Motion, MotionError};
pub use surface::Surface;
pub use thin::{thin_positions, thin_rotations};

/// Colour of what is only shown and has none of its own.
pub const SCENERY: [u8; 3] = [150, 156, 164];

/// Colours of bodies that have none of their own: red, green, blue from 0 to 255.
pub const PALETTE: [[u8; 3]; 8] = [
    [84, 140, 198],
    [226, 140, 66],
    [92, 172, 116],
    [184, 110, 170],
    [208, 178, 66],
    [76, 166, 170],
    [208, 98, 92],
    [130, 122, 196],
];

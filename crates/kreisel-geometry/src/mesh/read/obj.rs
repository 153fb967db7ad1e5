//! Wavefront OBJ through `tobj`. Materials are ignored.

use super::{ReadError, Soup};
use glam::DVec3;

pub(super) fn read(bytes: &[u8]) -> Result<Soup, ReadError> {
    let options = tobj::LoadOptions { triangulate: true, single_index: true, ..Default::default() };
    let no_materials = |_: &std::path::Path| Err(tobj::LoadError::GenericFailure);
    let (models, _) = tobj::load_obj_buf(&mut std::io::Cursor::new(bytes), &options, no_materials)
        .map_err(|e| ReadError::Syntax { format: "OBJ", reason: e.to_string() })?;
    let mut soup = Soup::default();
    for model in &models {
        let mesh = &model.mesh;
        soup.append(mesh.positions.chunks_exact(3).map(DVec3::from_slice), &mesh.indices)?;
    }
    Ok(soup)
}

//! Wavefront OBJ through `tobj`. Materials, points and lines are ignored; polygons are cut into
//! triangles here, since fans would fill in concave ones.

use super::{ReadError, Soup, polygon};
use glam::DVec3;

pub(super) fn read(bytes: &[u8]) -> Result<Soup, ReadError> {
    let options = tobj::LoadOptions {
        single_index: true,
        ignore_points: true,
        ignore_lines: true,
        ..Default::default()
    };
    let no_materials = |_: &std::path::Path| Err(tobj::LoadError::GenericFailure);
    let (models, _) = tobj::load_obj_buf(&mut std::io::Cursor::new(bytes), &options, no_materials)
        .map_err(|e| syntax(e.to_string()))?;
    let mut soup = Soup::default();
    let mut faces = 0;
    for model in &models {
        let mesh = &model.mesh;
        let vertices: Vec<DVec3> = mesh.positions.chunks_exact(3).map(DVec3::from_slice).collect();

        // without a list of arities all faces are triangles
        let arities = mesh.face_arities.iter().map(|&n| n as usize);
        let all_triangles = std::iter::repeat_n(3, mesh.indices.len() / 3);
        let arities: Vec<usize> =
            if mesh.face_arities.is_empty() { all_triangles.collect() } else { arities.collect() };
        let mut indices = Vec::with_capacity(mesh.indices.len());
        let mut from = 0;
        for n in arities {
            let face = mesh.indices.get(from..from + n).unwrap_or(&[]);
            from += n;
            faces += 1;
            let corners: Option<Vec<DVec3>> =
                face.iter().map(|&v| vertices.get(v as usize).copied()).collect();
            let Some(corners) = corners.filter(|c| c.len() >= 3) else { continue };
            let triangles = polygon::triangles(&corners).map_err(|why| {
                let line =
                    line_of(bytes, faces).map_or(String::new(), |line| format!("line {line}: "));
                syntax(format!("{line}the face with {n} corners {}", why.reason()))
            })?;
            indices.extend(triangles.into_iter().flatten().map(|k| face[k]));
        }
        soup.append(vertices.into_iter(), &indices)?;
    }
    Ok(soup)
}

fn syntax(reason: String) -> ReadError {
    ReadError::Syntax { format: "OBJ", reason }
}

/// The line of a face, all counted from 1: faces come out in the order of the file.
fn line_of(bytes: &[u8], face: usize) -> Option<usize> {
    let text = String::from_utf8_lossy(bytes);
    let is_face = |line: &str| {
        let mut words = line.split_whitespace();
        // the parser takes long lines for faces, too
        matches!(words.next(), Some("f" | "l")) && words.count() >= 3
    };
    text.lines().enumerate().filter(|(_, line)| is_face(line)).nth(face - 1).map(|(k, _)| k + 1)
}

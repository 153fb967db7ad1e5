//! glTF 2.0 through `gltf`: the triangles of the default scene, each mesh under the transform of
//! its node.
//!
//! Buffers must be inside the file (GLB chunk or base64 data URI). Every accessor is checked
//! against its buffer before the crate reads it, because the crate trusts offsets and counts;
//! sparse accessors are refused. Nodes form a tree by the specification: one that is reached twice
//! is an error, so cycles end.

use super::{ReadError, Soup};
use base64::Engine;
use glam::{DMat4, DVec3};
use gltf::accessor::{DataType, Dimensions};
use gltf::mesh::Mode;

pub(super) fn read(bytes: &[u8]) -> Result<Soup, ReadError> {
    let (file, blob) = document(bytes)?;
    let buffers = buffers(&file, blob.as_deref())?;
    let scene = file
        .default_scene()
        .or_else(|| file.scenes().next())
        .ok_or_else(|| syntax("there is no scene"))?;
    let mut soup = Soup::default();
    let mut reached = vec![false; file.nodes().len()];
    let mut stack: Vec<(gltf::Node, DMat4)> = scene.nodes().map(|n| (n, DMat4::IDENTITY)).collect();
    stack.reverse();
    while let Some((node, parent)) = stack.pop() {
        if std::mem::replace(&mut reached[node.index()], true) {
            return Err(syntax(format!("node {} has two parents", node.index())));
        }
        let local = node.transform().matrix().map(|column| column.map(f64::from));
        let world = parent * DMat4::from_cols_array_2d(&local);
        if let Some(mesh) = node.mesh() {
            for primitive in mesh.primitives() {
                append(&primitive, &buffers, world, &mut soup)?;
            }
        }
        stack.extend(node.children().map(|child| (child, world)));
    }
    Ok(soup)
}

fn syntax(reason: impl Into<String>) -> ReadError {
    ReadError::Syntax { format: "glTF", reason: reason.into() }
}

/// Parses and validates. The crate's validation indexes the accessors of a primitive before it has
/// checked them and panics on a wrong number (gltf-json 1.4.1), so those are checked first.
fn document(bytes: &[u8]) -> Result<(gltf::Document, Option<Vec<u8>>), ReadError> {
    let file =
        gltf::Gltf::from_slice_without_validation(bytes).map_err(|e| syntax(e.to_string()))?;
    let json = file.document.into_json();
    for primitive in json.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let used = primitive.attributes.values().chain(&primitive.indices);
        if let Some(index) =
            used.map(|accessor| accessor.value()).find(|&i| i >= json.accessors.len())
        {
            return Err(syntax(format!("there is no accessor {index}")));
        }
    }
    let document = gltf::Document::from_json(json).map_err(|e| syntax(e.to_string()))?;
    Ok((document, file.blob))
}

fn buffers(file: &gltf::Document, blob: Option<&[u8]>) -> Result<Vec<Vec<u8>>, ReadError> {
    let decode = |buffer: gltf::Buffer| match buffer.source() {
        gltf::buffer::Source::Bin => {
            blob.map(<[u8]>::to_vec).ok_or_else(|| syntax("the binary chunk is missing"))
        }
        gltf::buffer::Source::Uri(uri) => {
            let data = uri
                .strip_prefix("data:")
                .and_then(|u| u.split_once(";base64,"))
                .map(|(_, data)| data);
            let Some(data) = data else {
                let message = format!(
                    "the glTF buffer '{uri}' is another file: use GLB or embed the buffers"
                );
                return Err(ReadError::Unsupported(message));
            };
            base64::engine::general_purpose::STANDARD
                .decode(data)
                .map_err(|e| syntax(e.to_string()))
        }
    };
    file.buffers().map(decode).collect()
}

fn append(
    primitive: &gltf::Primitive,
    buffers: &[Vec<u8>],
    world: DMat4,
    soup: &mut Soup,
) -> Result<(), ReadError> {
    if !matches!(primitive.mode(), Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
        return Ok(());
    }
    let positions = primitive
        .get(&gltf::Semantic::Positions)
        .ok_or_else(|| syntax("a mesh has no positions"))?;
    if (positions.data_type(), positions.dimensions()) != (DataType::F32, Dimensions::Vec3) {
        return Err(syntax("positions must be vectors of three floats"));
    }
    check_range(&positions, buffers)?;
    if let Some(indices) = primitive.indices() {
        let unsigned = matches!(indices.data_type(), DataType::U8 | DataType::U16 | DataType::U32);
        if !unsigned || indices.dimensions() != Dimensions::Scalar {
            return Err(syntax("indices must be unsigned integers"));
        }
        check_range(&indices, buffers)?;
    }
    let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
    let vertices = reader.read_positions().ok_or_else(|| syntax("positions cannot be read"))?;
    let order: Vec<u32> = match reader.read_indices() {
        Some(indices) => indices.into_u32().collect(),
        None => (0..vertices.len() as u32).collect(),
    };
    let place = |p: [f32; 3]| world.transform_point3(DVec3::from_array(p.map(f64::from)));
    let mirrored = world.determinant() < 0.0;
    soup.append(vertices.map(place), &triangles(primitive.mode(), &order, mirrored))
}

/// The corners of the triangles one after the other; turned round if the transform mirrors.
fn triangles(mode: Mode, order: &[u32], mirrored: bool) -> Vec<u32> {
    let mut result: Vec<u32> = match mode {
        Mode::TriangleStrip => {
            let turn = |(i, w): (usize, &[u32])| {
                if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] }
            };
            order.windows(3).enumerate().flat_map(turn).collect()
        }
        Mode::TriangleFan => {
            order.windows(2).skip(1).flat_map(|w| [order[0], w[0], w[1]]).collect()
        }
        _ => order[..order.len() - order.len() % 3].to_vec(),
    };
    if mirrored {
        result.chunks_exact_mut(3).for_each(|t| t.swap(1, 2));
    }
    result
}

/// Checks that all elements of an accessor lie inside its view and its buffer.
fn check_range(accessor: &gltf::Accessor, buffers: &[Vec<u8>]) -> Result<(), ReadError> {
    if accessor.sparse().is_some() {
        return Err(ReadError::Unsupported("sparse glTF accessors are not read".into()));
    }
    let fits = || {
        let view = accessor.view()?;
        let stride = view.stride().unwrap_or(accessor.size());
        let last = accessor.count().checked_sub(1)?.checked_mul(stride)?;
        let end = accessor.offset().checked_add(last)?.checked_add(accessor.size())?;
        let buffer = buffers.get(view.buffer().index())?;
        (stride >= accessor.size() && end <= view.length()).then_some(())?;
        (view.offset().checked_add(view.length())? <= buffer.len()).then_some(())
    };
    fits().ok_or_else(|| syntax(format!("accessor {} reaches beyond its buffer", accessor.index())))
}

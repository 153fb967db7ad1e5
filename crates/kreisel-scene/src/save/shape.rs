//! Shapes as TOML. Meshes are written out: the file then stands alone.

use super::text::{number, rotation, vector};
use kreisel_dynamics::{Quat, Vec3};
use kreisel_geometry::{Pose, Shape};

/// A shape, or an array of parts.
pub(crate) fn shape(shape: &Shape) -> String {
    match shape {
        Shape::Compound(_) => {
            let mut parts = Vec::new();
            flatten(shape, &Pose::IDENTITY, &mut parts);
            format!("[{}]", parts.join(", "))
        }
        single => format!("{{ {} }}", solid(single)),
    }
}

fn flatten(shape: &Shape, pose: &Pose, out: &mut Vec<String>) {
    if let Shape::Compound(parts) = shape {
        for part in parts {
            let inner = if *pose == Pose::IDENTITY { part.pose } else { pose.then(&part.pose) };
            flatten(&part.shape, &inner, out);
        }
        return;
    }
    let mut text = format!("{{ {}", solid(shape));
    if pose.position != Vec3::ZERO {
        text += &format!(", position = {}", vector(pose.position));
    }
    if pose.rotation != Quat::IDENTITY {
        text += &format!(", rotation = {}", rotation(pose.rotation));
    }
    out.push(text + " }");
}

fn points(list: &[Vec3]) -> String {
    let list: Vec<String> = list.iter().map(|v| vector(*v)).collect();
    format!("[{}]", list.join(", "))
}

fn solid(shape: &Shape) -> String {
    let round = |key: &str, radius: f64, height: f64| {
        format!("{key} = {{ radius = {}, height = {} }}", number(radius), number(height))
    };
    match shape {
        Shape::Sphere { radius } => format!("sphere = {}", number(*radius)),
        Shape::Box { size } => format!("box = {}", vector(*size)),
        Shape::Cylinder { radius, height } => round("cylinder", *radius, *height),
        Shape::Capsule { radius, height } => round("capsule", *radius, *height),
        Shape::Cone { radius, height } => round("cone", *radius, *height),
        Shape::Ellipsoid { radii } => format!("ellipsoid = {}", vector(*radii)),
        Shape::Disc { radius, height, rim } => {
            format!(
                "disc = {{ radius = {}, height = {}, rim = {} }}",
                number(*radius),
                number(*height),
                number(*rim)
            )
        }
        Shape::Torus { radius, tube } => {
            format!("torus = {{ radius = {}, tube = {} }}", number(*radius), number(*tube))
        }
        Shape::HalfSpace { normal, offset } => {
            format!("half_space = {{ normal = {}, offset = {} }}", vector(*normal), number(*offset))
        }
        Shape::Hull(hull) => format!("hull = {}", points(hull.vertices())),
        Shape::Mesh(mesh) => {
            let triangles: Vec<String> =
                mesh.triangles().iter().map(|[a, b, c]| format!("[{a}, {b}, {c}]")).collect();
            let vertices = points(mesh.vertices());
            format!("mesh = {{ vertices = {vertices}, triangles = [{}] }}", triangles.join(", "))
        }
        Shape::HeightField(field) => {
            let rows: Vec<String> = field
                .heights()
                .chunks(field.columns())
                .map(|row| {
                    format!("[{}]", row.iter().map(|h| number(*h)).collect::<Vec<_>>().join(", "))
                })
                .collect();
            let s = field.spacing();
            let spacing = format!("[{}, {}]", number(s.x), number(s.y));
            format!("height_field = {{ spacing = {spacing}, heights = [{}] }}", rows.join(", "))
        }
        Shape::Compound(_) => String::new(),
    }
}

//! COLLADA (`.dae`) through `roxmltree`: triangles, polylists and polygons of all geometries that
//! the visual scene shows, after the transforms of its nodes and in metres.
//!
//! As programs for robots do, `<up_axis>` is not followed: coordinates are those of the file.
//! Skins, morphs, splines, strips and fans are refused by name, lines are left out.

use super::{ReadError, Soup, polygon};
use glam::{DMat4, DQuat, DVec3};
use roxmltree::{Document, Node};

/// Deepest nesting of nodes, and most geometries that nodes may show: instances of instances grow
/// without bound.
const MAX_DEPTH: usize = 64;
const MAX_SHOWN: usize = 10_000;

pub(super) fn read(bytes: &[u8]) -> Result<Soup, ReadError> {
    let text = std::str::from_utf8(bytes).map_err(|e| syntax(e.to_string()))?;
    let document = Document::parse(text).map_err(|e| syntax(e.to_string()))?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err(syntax("its first element is not <COLLADA>"));
    }
    let meter = root
        .descendants()
        .find(|n| n.has_tag_name_local("unit"))
        .and_then(|n| n.attribute("meter"));
    let meter =
        meter.map_or(Some(1.0), |m| m.parse().ok()).filter(|m: &f64| *m > 0.0 && m.is_finite());
    let scale =
        DMat4::from_scale(DVec3::splat(meter.ok_or_else(|| syntax("the unit is no length"))?));

    let mut file = File { document: &document, soup: Soup::default(), shown: 0 };
    let scene = root.descendants().find(|n| n.has_tag_name_local("visual_scene"));
    match scene {
        Some(scene) => {
            for node in scene.children().filter(|n| n.has_tag_name_local("node")) {
                file.node(node, scale, 0)?;
            }
        }
        // without a scene all geometries are shown as they are
        None => {
            for geometry in root.descendants().filter(|n| n.has_tag_name_local("geometry")) {
                file.geometry(geometry, scale)?;
            }
        }
    }
    Ok(file.soup)
}

fn syntax(reason: impl Into<String>) -> ReadError {
    ReadError::Syntax { format: "COLLADA", reason: reason.into() }
}

/// Names without the namespace, which files write in several versions.
trait Local {
    fn has_tag_name_local(&self, name: &str) -> bool;
}
impl Local for Node<'_, '_> {
    fn has_tag_name_local(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

struct File<'a> {
    document: &'a Document<'a>,
    soup: Soup,
    shown: usize,
}

impl<'a> File<'a> {
    /// The element that a reference such as `#mesh` leads to.
    fn target(&self, node: Node<'_, '_>, key: &str) -> Result<Node<'a, 'a>, ReadError> {
        let url = node.attribute(key).unwrap_or_default();
        let id = url.strip_prefix('#').unwrap_or(url);
        let found = self.document.descendants().find(|n| n.attribute("id") == Some(id));
        found.ok_or_else(|| syntax(format!("there is no element \"{id}\"")))
    }

    /// A node with its transform, its geometries and what it carries.
    fn node(&mut self, node: Node<'a, 'a>, outer: DMat4, depth: usize) -> Result<(), ReadError> {
        if depth > MAX_DEPTH {
            return Err(syntax("its nodes are nested too deeply"));
        }
        let mut place = outer;
        for child in node.children().filter(Node::is_element) {
            let tag = child.tag_name().name();
            match (tag, tag.starts_with("instance_")) {
                ("matrix", _) => place *= DMat4::from_cols_array(&array::<16>(child)?).transpose(),
                ("translate", _) => {
                    place *= DMat4::from_translation(DVec3::from_array(array(child)?))
                }
                ("scale", _) => place *= DMat4::from_scale(DVec3::from_array(array(child)?)),
                ("rotate", _) => {
                    let [x, y, z, angle] = array(child)?;
                    let axis = DVec3::new(x, y, z)
                        .try_normalize()
                        .ok_or_else(|| syntax("an axis of length 0"))?;
                    place *= DMat4::from_quat(DQuat::from_axis_angle(axis, angle.to_radians()));
                }
                ("node", _) => self.node(child, place, depth + 1)?,
                ("instance_node", _) => self.node(self.target(child, "url")?, place, depth + 1)?,
                ("instance_geometry", _) => self.geometry(self.target(child, "url")?, place)?,
                ("instance_controller" | "lookat" | "skew", _) => {
                    return Err(ReadError::Unsupported(format!("<{tag}> of COLLADA is not read")));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn geometry(&mut self, geometry: Node<'a, 'a>, place: DMat4) -> Result<(), ReadError> {
        self.shown += 1;
        if self.shown > MAX_SHOWN {
            return Err(syntax(format!("its nodes show more than {MAX_SHOWN} geometries")));
        }
        let Some(mesh) = geometry.children().find(|n| n.has_tag_name_local("mesh")) else {
            return Err(ReadError::Unsupported(
                "only <mesh> geometries of COLLADA are read".into(),
            ));
        };
        for part in mesh.children().filter(Node::is_element) {
            match part.tag_name().name() {
                "triangles" | "polylist" | "polygons" => self.part(part, place)?,
                tag @ ("tristrips" | "trifans") => {
                    return Err(ReadError::Unsupported(format!("<{tag}> of COLLADA is not read")));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Polygons over one list of positions.
    fn part(&mut self, part: Node<'a, 'a>, place: DMat4) -> Result<(), ReadError> {
        let inputs = || part.children().filter(|n| n.has_tag_name_local("input"));
        let offset = |n: Node<'_, '_>| {
            n.attribute("offset").and_then(|o| o.parse::<usize>().ok()).unwrap_or(0)
        };
        let vertex = inputs().find(|n| n.attribute("semantic") == Some("VERTEX"));
        let vertex = vertex.ok_or_else(|| syntax("polygons without vertices"))?;
        let (own, width) =
            (offset(vertex), inputs().map(offset).max().unwrap_or(0).saturating_add(1));
        let vertices: Vec<DVec3> =
            self.positions(vertex)?.into_iter().map(|p| place.transform_point3(p)).collect();

        // the corners of each polygon: three, as many as said, or all of a list
        let lists = part.children().filter(|n| n.has_tag_name_local("p")).map(numbers::<u32>);
        let lists = lists.collect::<Result<Vec<_>, _>>()?;
        let corner = |list: &[u32]| list.chunks_exact(width).map(|c| c[own]).collect::<Vec<u32>>();
        let counts = part
            .children()
            .find(|n| n.has_tag_name_local("vcount"))
            .map(numbers::<usize>)
            .transpose()?;
        let mut faces: Vec<Vec<u32>> = Vec::new();
        for list in lists {
            let all = corner(&list);
            match (part.tag_name().name(), &counts) {
                ("polygons", _) => faces.push(all),
                ("polylist", Some(counts)) => {
                    let mut rest = &all[..];
                    for &n in counts {
                        let (face, more) = rest
                            .split_at_checked(n)
                            .ok_or_else(|| syntax("polygons without corners"))?;
                        faces.push(face.to_vec());
                        rest = more;
                    }
                }
                _ => faces.extend(all.chunks_exact(3).map(<[u32]>::to_vec)),
            }
        }

        let mut indices = Vec::new();
        let mirrored = place.determinant() < 0.0;
        for face in faces.iter().filter(|f| f.len() >= 3) {
            let corners: Option<Vec<DVec3>> =
                face.iter().map(|&v| vertices.get(v as usize).copied()).collect();
            let corners = corners.ok_or_else(|| syntax("a corner has no position"))?;
            let cut = polygon::triangles(&corners).map_err(|why| {
                syntax(format!("a polygon with {} corners {}", corners.len(), why.reason()))
            })?;
            for [a, b, c] in cut {
                let [b, c] = if mirrored { [c, b] } else { [b, c] };
                indices.extend([face[a], face[b], face[c]]);
            }
        }
        self.soup.append(vertices.into_iter(), &indices)
    }

    /// The positions behind an input: through `<vertices>` to a `<source>`.
    fn positions(&self, vertex: Node<'a, 'a>) -> Result<Vec<DVec3>, ReadError> {
        let list = self.target(vertex, "source")?;
        let input = list.children().find(|n| n.attribute("semantic") == Some("POSITION"));
        let source =
            self.target(input.ok_or_else(|| syntax("vertices without positions"))?, "source")?;
        let values = source.children().find(|n| n.has_tag_name_local("float_array"));
        let values = numbers::<f64>(values.ok_or_else(|| syntax("a source without numbers"))?)?;
        let accessor = source.descendants().find(|n| n.has_tag_name_local("accessor"));
        let stride = accessor
            .and_then(|n| n.attribute("stride"))
            .and_then(|s| s.parse::<usize>().ok())
            .unwrap_or(3);
        if stride < 3 {
            return Err(syntax("positions with fewer than three numbers"));
        }
        Ok(values.chunks_exact(stride).map(|c| DVec3::new(c[0], c[1], c[2])).collect())
    }
}

/// The numbers in an element.
fn numbers<T: std::str::FromStr>(node: Node<'_, '_>) -> Result<Vec<T>, ReadError> {
    let words = node.text().unwrap_or_default().split_whitespace();
    words.map(|w| w.parse().map_err(|_| syntax(format!("`{w}` is not a number here")))).collect()
}

/// So many numbers.
fn array<const N: usize>(node: Node<'_, '_>) -> Result<[f64; N], ReadError> {
    let all: Vec<f64> = numbers(node)?;
    let count = all.len();
    all.try_into()
        .map_err(|_| syntax(format!("<{}> takes {N} numbers, not {count}", node.tag_name().name())))
}

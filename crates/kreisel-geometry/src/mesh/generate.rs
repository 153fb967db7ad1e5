//! Closed meshes of simple solids: box, icosphere, torus, cylinder, cone.
//!
//! They are what tests, benchmarks and pictures are made of. All are closed, oriented outwards and
//! centred at the origin; axes are along z. Angles are evaluated with the pinned functions of
//! `libm`.

use super::TriMesh;
use glam::DVec3;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// A box with the full edge lengths `size`, two triangles a face.
pub fn cuboid(size: DVec3) -> TriMesh {
    let corner = |i: u32| {
        let sign = |bit: u32| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
        DVec3::new(sign(0), sign(1), sign(2)) * size
    };
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::trusted((0..8).map(corner).collect(), triangles)
}

/// An icosahedron whose triangles are split in four `levels` times and pushed onto the sphere: 20 ·
/// 4^levels triangles.
pub fn icosphere(radius: f64, levels: u32) -> TriMesh {
    let t = (1.0 + 5.0_f64.sqrt()) / 2.0;
    #[rustfmt::skip]
    let raw = [
        [-1.0, t, 0.0], [1.0, t, 0.0], [-1.0, -t, 0.0], [1.0, -t, 0.0], [0.0, -1.0, t], [0.0, 1.0, t],
        [0.0, -1.0, -t], [0.0, 1.0, -t], [t, 0.0, -1.0], [t, 0.0, 1.0], [-t, 0.0, -1.0], [-t, 0.0, 1.0],
    ];
    let mut vertices: Vec<DVec3> = raw.iter().map(|&v| DVec3::from(v).normalize()).collect();
    #[rustfmt::skip]
    let mut triangles: Vec<[u32; 3]> = vec![
        [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6],
        [7, 1, 8], [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10],
        [8, 6, 7], [9, 8, 1],
    ];
    for _ in 0..levels {
        let mut middle: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let mut split = |a: u32, b: u32, vertices: &mut Vec<DVec3>| {
            *middle.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
                vertices.len() as u32 - 1
            })
        };
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for &[a, b, c] in &triangles {
            let (x, y, z) = (
                split(a, b, &mut vertices),
                split(b, c, &mut vertices),
                split(c, a, &mut vertices),
            );
            finer.extend([[a, x, z], [b, y, x], [c, z, y], [x, y, z]]);
        }
        triangles = finer;
    }
    vertices.iter_mut().for_each(|v| *v *= radius);
    TriMesh::trusted(vertices, triangles)
}

/// A torus round z with `around` · `across` · 2 triangles; `major` is the radius of the ring,
/// `minor` of the tube.
pub fn torus(major: f64, minor: f64, around: u32, across: u32) -> TriMesh {
    let (n, m) = (around.max(3), across.max(3));
    let mut vertices = Vec::with_capacity((n * m) as usize);
    let mut triangles = Vec::with_capacity((2 * n * m) as usize);
    for i in 0..n {
        for j in 0..m {
            let (sin_j, cos_j) = libm::sincos(2.0 * PI * f64::from(j) / f64::from(m));
            let (sin_i, cos_i) = libm::sincos(2.0 * PI * f64::from(i) / f64::from(n));
            let r = major + minor * cos_j;
            vertices.push(DVec3::new(r * cos_i, r * sin_i, minor * sin_j));
            let (i1, j1) = ((i + 1) % n, (j + 1) % m);
            let (a, b, c, d) = (i * m + j, i1 * m + j, i1 * m + j1, i * m + j1);
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    TriMesh::trusted(vertices, triangles)
}

/// A cylinder along z with a rounded rim, `segments` corners around and `across` pieces over each
/// quarter of the rim: a polyhedron inside [`Shape::Disc`](crate::Shape::Disc).
pub fn disc(radius: f64, height: f64, rim: f64, segments: u32, across: u32) -> TriMesh {
    let (n, m) = (segments.max(3), across.max(1));
    // rings from the bottom to the top
    let ring = |k: u32| {
        let (sin, cos) = libm::sincos(
            PI * 0.5 * (f64::from(k.min(m) + k.saturating_sub(m + 1)) / f64::from(m) - 1.0),
        );
        let side = if k <= m { -1.0 } else { 1.0 };
        (radius - rim + rim * cos, rim * sin + side * (0.5 * height - rim))
    };
    let mut rings: Vec<(f64, f64)> = (0..2 * m + 2).map(ring).collect();
    // a disc that is all rim has one equator, and a ball no flat sides
    rings.retain(|&(r, _)| r > 1e-9 * radius);
    rings.dedup_by(|a, b| (a.1 - b.1).abs() <= 1e-9 * height && (a.0 - b.0).abs() <= 1e-9 * radius);
    let mut vertices = vec![DVec3::Z * (-0.5 * height), DVec3::Z * (0.5 * height)];
    for &(r, z) in &rings {
        let corner = |i: u32| {
            let (sin, cos) = libm::sincos(2.0 * PI * f64::from(i) / f64::from(n));
            DVec3::new(r * cos, r * sin, z)
        };
        vertices.extend((0..n).map(corner));
    }
    let at = |k: u32, i: u32| 2 + k * n + i % n;
    let last = rings.len() as u32 - 1;
    let mut triangles = Vec::new();
    for i in 0..n {
        triangles.push([0, at(0, i + 1), at(0, i)]);
        for k in 0..last {
            let [a, b, c, d] = [at(k, i), at(k, i + 1), at(k + 1, i + 1), at(k + 1, i)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
        triangles.push([1, at(last, i), at(last, i + 1)]);
    }
    TriMesh::trusted(vertices, triangles)
}

/// A prism over a regular `segments`-gon with corners on the circle of the given radius.
pub fn cylinder(radius: f64, height: f64, segments: u32) -> TriMesh {
    let n = segments.max(3);
    let mut vertices: Vec<DVec3> =
        ring(radius, -height / 2.0, n).chain(ring(radius, height / 2.0, n)).collect();
    vertices.extend([DVec3::new(0.0, 0.0, -height / 2.0), DVec3::new(0.0, 0.0, height / 2.0)]);
    let mut triangles = Vec::with_capacity(4 * n as usize);
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([
            [i, j, n + j],
            [i, n + j, n + i],
            [2 * n, j, i],
            [2 * n + 1, n + i, n + j],
        ]);
    }
    TriMesh::trusted(vertices, triangles)
}

/// A pyramid over a regular `segments`-gon: base at −height/2, tip at +height/2.
pub fn cone(radius: f64, height: f64, segments: u32) -> TriMesh {
    let n = segments.max(3);
    let mut vertices: Vec<DVec3> = ring(radius, -height / 2.0, n).collect();
    vertices.extend([DVec3::new(0.0, 0.0, -height / 2.0), DVec3::new(0.0, 0.0, height / 2.0)]);
    let triangles = (0..n).flat_map(|i| [[i, (i + 1) % n, n + 1], [n, (i + 1) % n, i]]).collect();
    TriMesh::trusted(vertices, triangles)
}

fn ring(radius: f64, z: f64, n: u32) -> impl Iterator<Item = DVec3> {
    (0..n).map(move |i| {
        let (sin, cos) = libm::sincos(2.0 * PI * f64::from(i) / f64::from(n));
        DVec3::new(radius * cos, radius * sin, z)
    })
}

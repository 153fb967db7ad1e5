//! Mass properties of meshes as MuJoCo counts them (`inertia` of `<mesh>`), at a density of 1.
//!
//! | `inertia` | what has mass |
//! |---|---|
//! | `legacy` (usual) | the cones over all triangles: from the centroid of the surface for the centre of mass, from there for the rest; parts that overlap count twice |
//! | `exact` | the solid inside the surface |
//! | `convex` | the hull |
//! | `shell` | the surface; the density is one of area |
//!
//! Of a triangle with corners a, b, c as seen from the tip of a cone of volume V the mean of xᵢxⱼ
//! is Σ/20 for the cone and Σ/12 for the triangle itself, with Σ = Σₖ 2 kᵢkⱼ + Σ_{k≠l} kᵢlⱼ over
//! the corners k, l.

use kreisel_dynamics::{MassProperties, Mat3, Vec3};
use kreisel_geometry::{ConvexHull, TriMesh};

/// How a mesh has mass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Legacy,
    Exact,
    Convex,
    Shell,
}

impl Way {
    pub fn of(word: Option<&str>) -> Self {
        match word {
            Some("exact") => Self::Exact,
            Some("convex") => Self::Convex,
            Some("shell") => Self::Shell,
            _ => Self::Legacy,
        }
    }
}

/// Mass properties of a surface; none if it has neither volume nor area.
pub(super) fn of(surface: &TriMesh, way: Way) -> Option<MassProperties> {
    match way {
        Way::Convex => ConvexHull::new(surface.vertices()).ok().map(|h| h.mass_properties(1.0)),
        Way::Shell => summed(surface, way),
        // What has no volume is a shell.
        Way::Legacy | Way::Exact => summed(surface, way).or_else(|| summed(surface, Way::Shell)),
    }
}

fn summed(surface: &TriMesh, way: Way) -> Option<MassProperties> {
    let area = |[a, b, c]: [Vec3; 3]| 0.5 * (b - a).cross(c - a).length();
    let middle = |[a, b, c]: [Vec3; 3]| (a + b + c) / 3.0;
    let total: f64 = surface.iter().map(area).sum();
    let centroid = surface.iter().map(|t| middle(t) * area(t)).sum::<Vec3>() / total;

    // volume of the cone from a tip, or the area
    let share = |t: [Vec3; 3], tip: Vec3| {
        let [a, b, c] = t.map(|x| x - tip);
        let volume = a.dot(b.cross(c)) / 6.0;
        match way {
            Way::Shell => area(t),
            Way::Legacy => volume.abs(),
            _ => volume,
        }
    };
    let mass: f64 = surface.iter().map(|t| share(t, centroid)).sum();
    // either way round
    let (mass, sign) = (mass.abs(), mass.signum());
    let (low, high) = surface.bounds();
    if !(mass > 1e-14 * (high - low).length().powi(if way == Way::Shell { 2 } else { 3 })) {
        return None;
    }
    let center = if way == Way::Shell {
        centroid
    } else {
        let moment: Vec3 = surface
            .iter()
            .map(|t| (middle(t) - centroid) * (0.75 * sign * share(t, centroid)))
            .sum();
        centroid + moment / mass
    };

    // mass and second moments, seen from the centre of mass
    let mass = sign * surface.iter().map(|t| share(t, center)).sum::<f64>();
    let mut second = [[0.0; 3]; 3];
    for t in surface.iter() {
        let v = sign * share(t, center) / if way == Way::Shell { 12.0 } else { 20.0 };
        let k = t.map(|x| (x - center).to_array());
        for (i, row) in second.iter_mut().enumerate() {
            for (j, sum) in row.iter_mut().enumerate() {
                let own: f64 = k.iter().map(|p| p[i] * p[j]).sum();
                let [x, y] = [i, j].map(|a| k.iter().map(|p| p[a]).sum::<f64>());
                *sum += v * (own + x * y);
            }
        }
    }
    let trace = second[0][0] + second[1][1] + second[2][2];
    let column = |j: usize| Vec3::new(-second[0][j], -second[1][j], -second[2][j]);
    let inertia =
        Mat3::from_cols(column(0), column(1), column(2)) + Mat3::from_diagonal(Vec3::splat(trace));
    Some(MassProperties { mass, center, inertia })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} for {b}");
    }

    /// A box of 2 m × 1 m × 1 m: volume 2 m³, moments V (b² + c²)/12; as a shell the area is 10 m².
    #[test]
    fn a_box_weighs_the_same_in_all_ways_but_as_a_shell() {
        let hull = ConvexHull::cuboid(Vec3::new(2.0, 1.0, 1.0)).unwrap();
        let surface = hull.to_mesh();
        for way in [Way::Legacy, Way::Exact, Way::Convex] {
            for surface in [&surface, &surface.flipped()] {
                let m = of(surface, way).unwrap();
                near(m.mass, 2.0);
                near(m.inertia.x_axis.x, 2.0 * 2.0 / 12.0);
                near(m.inertia.y_axis.y, 2.0 * 5.0 / 12.0);
                assert!(m.center.length() < 1e-12);
            }
        }
        // Of its sides two are 1 m × 1 m, at 1 m from the middle, and four 2 m × 1 m, at 0.5 m:
        // Σ A (b² + c²)/12 + A d² about x is 2 · 2/12 + 4 · 2 (1/12 + 1/4).
        let m = of(&surface, Way::Shell).unwrap();
        near(m.mass, 10.0);
        near(m.inertia.x_axis.x, 2.0 * 2.0 / 12.0 + 8.0 / 3.0);
    }

    /// Two cubes of 1 m, one at the origin and one 3 m away, as one surface: seen from the middle
    /// the near sides count as much as the far ones, and MuJoCo's old way gives more than 2 m³.
    #[test]
    fn the_old_way_counts_what_overlaps_twice() {
        let cube = ConvexHull::cuboid(Vec3::ONE).unwrap().to_mesh();
        let n = cube.vertices().len() as u32;
        let vertices = cube
            .vertices()
            .iter()
            .copied()
            .chain(cube.vertices().iter().map(|v| *v + Vec3::X * 3.0));
        let triangles = cube
            .triangles()
            .iter()
            .copied()
            .chain(cube.triangles().iter().map(|t| t.map(|k| k + n)));
        let both = TriMesh::new(vertices.collect(), triangles.collect()).unwrap();
        near(of(&both, Way::Exact).unwrap().mass, 2.0);
        // From the middle, 1.5 m away: cones over the sides at 2 m and 1 m, and over the four
        // others, A d/3 each: 2 (2/3 + 1/3 + 4 · 0.5/3) = 10/3.
        near(of(&both, Way::Legacy).unwrap().mass, 10.0 / 3.0);
    }
}

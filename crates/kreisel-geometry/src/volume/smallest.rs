//! The smallest oriented box round points, by volume.
//!
//! Reference: Lennerz 2000, section 3.5.4 (L-31); O'Rourke 1985: a smallest box has two adjacent
//! faces that are flush with edges of the convex hull. For each pair of edges e₁, e₂ one degree of
//! freedom s is left:
//!
//! | symbol | meaning |
//! |---|---|
//! | n₁(s) = f + s (f′ − f) | normal of the first face, between the normals f, f′ of the hull's faces at e₁ |
//! | n₂(s) = ± e₂ × n₁ | normal of the second face; it must lie between those of the hull's faces at e₂ |
//! | n₃ = n₁ × n₂ | third normal |
//! | V = N/D | N = (n₁·d₁)(n₂·d₂)(n₃·d₃) with dₖ between the extreme vertices, D = \|n₁\|² \|n₂\|²; quartics in s |
//!
//! O'Rourke follows the extreme vertices from one event to the next. Here an interval of s is cut
//! in halves instead: with the extreme vertices of its middle N is nowhere too large, so where the
//! Bernstein coefficients of N − V₀ D are all positive, the interval has nothing below the best
//! volume V₀. That is as certain, and there are no events to be missed by rounding. The volume is
//! exact to 1e-7 of it.
//!
//! O(e² m) for e edges and m vertices of the hull at worst; the first test rejects nearly all
//! pairs. Above [`MOST_EDGES`] edges the box is that of least volume among those with a face flush
//! with a face of the hull, turned about their own axes as long as that helps: an approximation
//! from above.

use super::OrientedBox;
use super::rectangle::smallest_rectangle;
use crate::ConvexHull;
use glam::{DMat3, DVec3};

/// Hulls with more edges get an approximation: there it would take a second and more.
pub const MOST_EDGES: usize = 500;
/// Above this number not every face of the hull is tried for the approximation.
const MOST_FACES: usize = 256;
/// What may be left to gain of the volume, relative. Less would cost time on symmetric hulls, where
/// many boxes are equally good.
const CLOSE: f64 = 1e-7;
/// An interval is not halved more often.
const MOST_HALVINGS: u32 = 40;

/// The box of least volume that contains the points (of least area if they lie in a plane). There
/// must be at least one point.
///
/// ```
/// use glam::DVec3;
/// use kreisel_geometry::volume::smallest_box;
/// // a regular tetrahedron of edge √8 has a cube of edge 2 round it
/// let corners = [(1., 1., 1.), (1., -1., -1.), (-1., 1., -1.), (-1., -1., 1.)].map(|(x, y, z)| DVec3::new(x, y, z));
/// assert!((8.0 * smallest_box(&corners).half.element_product() - 8.0).abs() < 1e-9);
/// ```
pub fn smallest_box(points: &[DVec3]) -> OrientedBox {
    let Ok(hull) = ConvexHull::new(points) else { return flat_box(points) };
    let vertices = hull.vertices();
    let mut best = Best { axes: DMat3::IDENTITY, volume: volume(vertices, DMat3::IDENTITY) };
    let stride = hull.faces().len().div_ceil(MOST_FACES);
    for face in hull.faces().iter().step_by(stride) {
        best.offer(vertices, smallest_rectangle(vertices, face.normal));
    }
    best.turn(vertices);
    let edges = edges(&hull);
    if edges.len() <= MOST_EDGES {
        for (i, first) in edges.iter().enumerate() {
            for second in &edges[i..] {
                pair(vertices, first, second, &mut best);
            }
        }
    }
    around(points, best.axes)
}

/// Points in a plane, on a line, or all the same.
fn flat_box(points: &[DVec3]) -> OrientedBox {
    let far = |from: DVec3| {
        points
            .iter()
            .copied()
            .fold(from, |b, p| if p.distance(from) > b.distance(from) { p } else { b })
    };
    let a = far(points[0]);
    let along = far(a) - a;
    let Some(u) = along.try_normalize() else { return around(points, DMat3::IDENTITY) };
    let off = |p: DVec3| (p - a) - u * u.dot(p - a);
    let aside = points
        .iter()
        .map(|&p| off(p))
        .fold(DVec3::ZERO, |b, o| if o.length() > b.length() { o } else { b });
    match aside.try_normalize().filter(|_| aside.length() > 1e-12 * along.length()) {
        Some(v) => around(points, smallest_rectangle(points, u.cross(v).normalize())),
        None => {
            let v = u.any_orthonormal_vector();
            around(points, DMat3::from_cols(u, v, u.cross(v)))
        }
    }
}

/// The box with the given axes, which are orthonormal up to what the cross products have cancelled.
fn around(points: &[DVec3], axes: DMat3) -> OrientedBox {
    let x = axes.x_axis.normalize();
    let y = (axes.y_axis - x * x.dot(axes.y_axis)).normalize();
    let axes = DMat3::from_cols(x, y, x.cross(y));
    let (lo, hi) = extent(points, axes);
    OrientedBox { center: axes * ((lo + hi) * 0.5), axes, half: (hi - lo) * 0.5 }
}

fn extent(points: &[DVec3], axes: DMat3) -> (DVec3, DVec3) {
    let rows = axes.transpose();
    points
        .iter()
        .fold((DVec3::MAX, DVec3::MIN), |(lo, hi), &p| (lo.min(rows * p), hi.max(rows * p)))
}

fn volume(points: &[DVec3], axes: DMat3) -> f64 {
    let (lo, hi) = extent(points, axes);
    (hi - lo).element_product()
}

/// The smallest box so far.
struct Best {
    axes: DMat3,
    volume: f64,
}

impl Best {
    fn offer(&mut self, points: &[DVec3], axes: DMat3) {
        let volume = volume(points, axes);
        if volume < self.volume {
            *self = Self { axes, volume };
        }
    }

    /// Turns the box about its axes, to the smallest rectangle across each, until it stays.
    fn turn(&mut self, points: &[DVec3]) {
        for _ in 0..20 {
            let before = self.volume;
            for k in 0..3 {
                self.offer(points, smallest_rectangle(points, self.axes.col(k)));
            }
            if self.volume > before * (1.0 - 1e-6) {
                return;
            }
        }
    }
}

/// An edge of the hull: a point on it, its direction, and the normals on both sides.
struct Edge {
    point: DVec3,
    along: DVec3,
    normals: [DVec3; 2],
}

fn edges(hull: &ConvexHull) -> Vec<Edge> {
    let all = hull.edges();
    let normal = |e: u32| hull.faces()[all[e as usize].face as usize].normal;
    let once = (0..all.len() as u32).filter(|&e| e < all[e as usize].twin);
    once.map(|e| {
        let [from, to] = hull.ends(e);
        Edge {
            point: from,
            along: (to - from).normalize(),
            normals: [normal(e), normal(all[e as usize].twin)],
        }
    })
    .collect()
}

/// Looks for smaller boxes with one face on each of two edges.
fn pair(vertices: &[DVec3], first: &Edge, second: &Edge, best: &mut Best) {
    let [f, f1] = first.normals;
    let step = f1 - f;
    for sign in [1.0, -1.0] {
        let family = Family {
            n1: [f, step],
            n2: [second.along.cross(f) * sign, second.along.cross(step) * sign],
            points: [first.point, second.point],
        };
        let Some((from, to)) = family.range(second) else { continue };
        let mut open = vec![(from, to, 0)];
        while let Some((a, b, depth)) = open.pop() {
            let middle = 0.5 * (a + b);
            if family.rules_out(vertices, [a, middle, b], best) || depth >= MOST_HALVINGS {
                continue;
            }
            open.push((middle, b, depth + 1));
            open.push((a, middle, depth + 1));
        }
    }
}

/// Boxes with two faces on two edges: normals as linear functions of s, and a point of each face.
struct Family {
    n1: [DVec3; 2],
    n2: [DVec3; 2],
    points: [DVec3; 2],
}

fn at(line: [DVec3; 2], s: f64) -> DVec3 {
    line[0] + line[1] * s
}

impl Family {
    /// The s in [0, 1] for which the second normal lies between the normals at its edge.
    fn range(&self, edge: &Edge) -> Option<(f64, f64)> {
        let [g, g1] = edge.normals;
        let turn = edge.along.dot(g.cross(g1)).signum();
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        // along·(g × n₂) and along·(n₂ × g′), both linear in s, must not be negative
        for side in [edge.along.cross(g) * turn, g1.cross(edge.along) * turn] {
            let (c, slope) = (side.dot(self.n2[0]), side.dot(self.n2[1]));
            let slack = 1e-12;
            if slope.abs() <= slack {
                if c < -slack {
                    return None;
                }
            } else if slope > 0.0 {
                from = from.max(-(c + slack) / slope);
            } else {
                to = to.min((c + slack) / -slope);
            }
        }
        (from <= to).then_some((from, to))
    }

    /// True if no s between `a` and `b` gives a smaller volume than the best, which the one in the
    /// middle may become.
    fn rules_out(&self, vertices: &[DVec3], [a, middle, b]: [f64; 3], best: &mut Best) -> bool {
        let normals = |s: f64| (at(self.n1, s), at(self.n2, s));
        let (n1, n2) = normals(middle);
        let (l1, l2) = (n1.length(), n2.length());
        // e₂ along n₁: the second normal is undetermined there; frames with such a face come from
        // the hull's faces
        if l1 <= 1e-9 || l2 <= 1e-9 {
            return b - a < 1e-6;
        }
        let n3 = n1.cross(n2);
        let [d1, d2, d3] = self.spans(vertices, [n1, n2, n3]);
        let volume = n1.dot(d1) * n2.dot(d2) * n3.dot(d3) / (l1 * l1 * l2 * l2);
        if volume < best.volume {
            *best = Best { axes: DMat3::from_cols(n1 / l1, n2 / l2, n3 / (l1 * l2)), volume };
        }
        // Bernstein coefficients over [a, b] of the linear factors, and of the quadratic one from
        // its three values
        let [(p1, p2), (q1, q2), (r1, r2)] = [a, middle, b].map(normals);
        let (first, second) = ([p1.dot(d1), r1.dot(d1)], [p2.dot(d2), r2.dot(d2)]);
        let [x, y, z] = [p1.cross(p2), q1.cross(q2), r1.cross(r2)].map(|n| n.dot(d3));
        let third = [x, 2.0 * y - 0.5 * (x + z), z];
        if first.iter().chain(&second).chain(&third).any(|&c| c < 0.0) {
            return false;
        }
        let square = |x: DVec3, y: DVec3| [x.dot(x), x.dot(y), y.dot(y)];
        let volume = quartic(quadratic(first, second), third);
        let scale = quartic(square(p1, r1), square(p2, r2));
        let limit = best.volume * (1.0 - CLOSE);
        volume.iter().zip(scale).all(|(v, d)| v - limit * d >= 0.0)
    }

    /// From the lowest to the highest point along each normal; the highest are known for the first
    /// two.
    fn spans(&self, vertices: &[DVec3], n: [DVec3; 3]) -> [DVec3; 3] {
        let mut low = [(f64::INFINITY, DVec3::ZERO); 3];
        let mut high = (f64::NEG_INFINITY, DVec3::ZERO);
        for &p in vertices {
            for k in 0..3 {
                let x = p.dot(n[k]);
                if x < low[k].0 {
                    low[k] = (x, p);
                }
                if k == 2 && x > high.0 {
                    high = (x, p);
                }
            }
        }
        [self.points[0] - low[0].1, self.points[1] - low[1].1, high.1 - low[2].1]
    }
}

/// Bernstein coefficients of the product of two linear functions.
fn quadratic(x: [f64; 2], y: [f64; 2]) -> [f64; 3] {
    [x[0] * y[0], 0.5 * (x[0] * y[1] + x[1] * y[0]), x[1] * y[1]]
}

/// Bernstein coefficients of the product of two quadratic functions.
fn quartic(x: [f64; 3], y: [f64; 3]) -> [f64; 5] {
    [
        x[0] * y[0],
        0.5 * (x[0] * y[1] + x[1] * y[0]),
        (x[0] * y[2] + 4.0 * x[1] * y[1] + x[2] * y[0]) / 6.0,
        0.5 * (x[1] * y[2] + x[2] * y[1]),
        x[2] * y[2],
    ]
}

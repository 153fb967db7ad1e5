//! Distance of convex polyhedra by a walk over their features, as in Lin–Canny and V-Clip.
//!
//! Reference: Bender 2007, sections 2.2.3.1 and 4.4.5 (B-63, B-65); Lennerz 2000, section 3.2.1
//! (L-23, L-24); Lin, Canny 1991; Mirtich 1998. The state is a pair of features (vertex, edge or
//! face of each polyhedron). If the closest point of one lies in the external Voronoi region of the
//! other and vice versa, the pair is the answer; otherwise the violated plane names the neighbour
//! to go on with. Going to a feature of higher dimension lowers the distance, going to one of lower
//! dimension keeps it, so the walk ends. Edge–face and face–face pairs are resolved at once to the
//! vertex–face or edge–edge pair that realises them.
//!
//! Near-constant time from the features of the last step, otherwise a walk across the surface. What
//! V-Clip adds to Lin–Canny, the end for overlapping bodies: a vertex below a face looks for a face
//! that it is above; if there is none, the bodies overlap and GJK with EPA measures the depth. The
//! same happens when rounding keeps the walk from going down.

use super::{Convex, ConvexCache, Core, convex_distance};
use crate::elementary::{Closest, edge_edge, point_edge};
use crate::{ConvexHull, Pose};
use glam::DVec3;

/// A feature of a polyhedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A vertex by its number.
    Vertex(u32),
    /// An edge by the smaller number of its two half-edges.
    Edge(u32),
    /// A face by its number.
    Face(u32),
}

/// The features where the next walk of the same pair starts.
pub type FeatureCache = Option<[Feature; 2]>;

/// Closest points of two polyhedra with the features they lie on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureDistance {
    /// Signed distance in m; negative is the penetration depth.
    pub distance: f64,
    /// Point of the first polyhedron.
    pub a: DVec3,
    /// Point of the second polyhedron.
    pub b: DVec3,
    /// Unit normal from the second to the first.
    pub normal: DVec3,
    /// The closest features; `None` if the polyhedra overlap.
    pub features: Option<[Feature; 2]>,
    /// Steps of the walk.
    pub steps: u32,
}

/// Signed distance of two convex polyhedra at the given poses.
///
/// ```
/// use kreisel_geometry::{ConvexHull, Pose, convex::{Feature, polyhedron_distance}};
/// let cube = ConvexHull::cuboid(glam::DVec3::ONE).unwrap();
/// let above = Pose::at(glam::DVec3::new(0.2, 0.1, 3.0));
/// let d = polyhedron_distance(&cube, &above, &cube, &Pose::IDENTITY, &mut None);
/// assert!((d.distance - 2.0).abs() < 1e-15);
/// ```
pub fn polyhedron_distance(
    a: &ConvexHull,
    pose_a: &Pose,
    b: &ConvexHull,
    pose_b: &Pose,
    cache: &mut FeatureCache,
) -> FeatureDistance {
    let walk = Walk { hulls: [a, b], relative: pose_a.seen_from(pose_b) };
    let start = cache.filter(|f| f.iter().zip([a, b]).all(|(f, hull)| exists(*f, hull)));
    let end = walk.run(start.unwrap_or([Feature::Vertex(0), Feature::Vertex(0)]));
    *cache = end.features.or(start);
    if let (Some(features), true) = (end.features, end.closest.squared > 0.0) {
        let (p, q) = (pose_b.point(end.closest.a), pose_b.point(end.closest.b));
        let distance = end.closest.distance();
        let normal = (p - q) / distance;
        return FeatureDistance {
            distance,
            a: p,
            b: q,
            normal,
            features: Some(features),
            steps: end.steps,
        };
    }
    let (p, q) = (Convex::sharp(Core::Hull(a)), Convex::sharp(Core::Hull(b)));
    let c = convex_distance(&p, pose_a, &q, pose_b, &mut ConvexCache::default());
    FeatureDistance {
        distance: c.distance,
        a: c.a,
        b: c.b,
        normal: c.normal,
        features: None,
        steps: end.steps,
    }
}

fn exists(feature: Feature, hull: &ConvexHull) -> bool {
    match feature {
        Feature::Vertex(v) => (v as usize) < hull.vertices().len(),
        Feature::Edge(e) => (e as usize) < hull.edges().len(),
        Feature::Face(f) => (f as usize) < hull.faces().len(),
    }
}

struct Walk<'a> {
    hulls: [&'a ConvexHull; 2],
    /// The first hull seen from the second; everything is computed in the second one's frame.
    relative: Pose,
}

struct End {
    /// `None` if the bodies overlap or the walk got stuck.
    features: Option<[Feature; 2]>,
    closest: Closest,
    steps: u32,
}

/// What is to be done next.
enum Next {
    Done,
    Go([Feature; 2]),
    Overlap,
}

impl Walk<'_> {
    fn run(&self, start: [Feature; 2]) -> End {
        let limit =
            64 + 2 * (self.hulls[0].vertices().len() + self.hulls[1].vertices().len()) as u32;
        let (mut pair, mut least) = self.settle(start);
        for steps in 1..=limit {
            match self.judge(pair, &least) {
                Next::Done => return End { features: Some(pair), closest: least, steps },
                Next::Overlap => return End { features: None, closest: least, steps },
                Next::Go(next) => {
                    let (next, closest) = self.settle(next);
                    // no progress is convergence, up to rounding
                    if closest.squared >= least.squared && rank(next) >= rank(pair) {
                        return End { features: Some(pair), closest: least, steps };
                    }
                    if closest.squared > least.squared * (1.0 + 1e-12) {
                        return End { features: Some(pair), closest: least, steps };
                    }
                    (pair, least) = (next, closest);
                }
            }
        }
        End { features: None, closest: least, steps: limit }
    }

    fn place(&self, side: usize, p: DVec3) -> DVec3 {
        if side == 0 { self.relative.point(p) } else { p }
    }

    fn turn(&self, side: usize, d: DVec3) -> DVec3 {
        if side == 0 { self.relative.direction(d) } else { d }
    }

    fn vertex(&self, side: usize, v: u32) -> DVec3 {
        self.place(side, self.hulls[side].vertices()[v as usize])
    }

    fn ends(&self, side: usize, e: u32) -> [DVec3; 2] {
        self.hulls[side].ends(e).map(|p| self.place(side, p))
    }

    /// Closest points of a pair; pairs with a face and no vertex are replaced by the pair that
    /// realises their distance.
    fn settle(&self, pair: [Feature; 2]) -> ([Feature; 2], Closest) {
        use Feature::{Edge, Face, Vertex};
        match pair {
            [Vertex(v), Vertex(w)] => {
                (pair, Closest::between(self.vertex(0, v), self.vertex(1, w)))
            }
            [Vertex(v), Edge(e)] => (pair, point_edge(self.vertex(0, v), self.ends(1, e))),
            [Edge(e), Vertex(v)] => {
                (pair, point_edge(self.vertex(1, v), self.ends(0, e)).swapped())
            }
            [Edge(e), Edge(f)] => (pair, edge_edge(self.ends(0, e), self.ends(1, f))),
            [Vertex(v), Face(f)] => {
                let (feature, closest) = self.over(self.vertex(0, v), 1, f);
                ([Vertex(v), feature], closest)
            }
            [Face(f), Vertex(v)] => {
                let (feature, closest) = self.over(self.vertex(1, v), 0, f);
                ([feature, Vertex(v)], closest.swapped())
            }
            [Face(f), _] => self.resolve(pair, 0, f),
            [_, Face(f)] => self.resolve(pair, 1, f),
        }
    }

    /// A point and the closest one of a face: its foot if that is inside, otherwise on the closest
    /// edge.
    fn over(&self, p: DVec3, side: usize, f: u32) -> (Feature, Closest) {
        let n = self.turn(side, self.hulls[side].faces()[f as usize].normal);
        let h = self.height(p, side, f);
        let foot = p - n * h;
        if !self.beside(foot, side, f) {
            return (Feature::Face(f), Closest { squared: h * h, a: p, b: foot });
        }
        let mut best = (Feature::Face(f), Closest::FAR);
        for e in self.hulls[side].edges_of(f) {
            let c = point_edge(p, self.ends(side, e));
            if c.squared < best.1.squared {
                best = (edge(self.hulls[side], e), c);
            }
        }
        best
    }

    /// Height of a point over the plane of a face.
    fn height(&self, p: DVec3, side: usize, f: u32) -> f64 {
        let face = self.hulls[side].faces()[f as usize];
        self.turn(side, face.normal).dot(p - self.place(side, face.normal * face.offset))
    }

    /// An edge or face against the face `f` of `side`: the best of its vertices over the face and
    /// its edges against the face's.
    fn resolve(&self, pair: [Feature; 2], side: usize, f: u32) -> ([Feature; 2], Closest) {
        let other = 1 - side;
        let edges: Vec<u32> = match pair[other] {
            Feature::Edge(e) => vec![e],
            Feature::Face(g) => self.hulls[other].edges_of(g).collect(),
            Feature::Vertex(_) => Vec::new(),
        };
        let arrange = |x: Feature, y: Feature| if other == 0 { [x, y] } else { [y, x] };
        let orient = |c: Closest| if other == 0 { c } else { c.swapped() };
        let mut best = (pair, Closest::FAR);
        let mut offer = |pair: [Feature; 2], c: Closest| {
            if c.squared < best.1.squared {
                best = (pair, c);
            }
        };
        for e in edges {
            let hull = self.hulls[other];
            let half = hull.edges()[e as usize];
            for v in [half.origin, hull.edges()[half.twin as usize].origin] {
                let (feature, c) = self.over(self.vertex(other, v), side, f);
                offer(arrange(Feature::Vertex(v), feature), orient(c));
            }
            if let Some(x) = self.pierced(self.ends(other, e), side, f) {
                offer(arrange(edge(hull, e), Feature::Face(f)), Closest::common(x));
            }
            for g in self.hulls[side].edges_of(f) {
                let c = edge_edge(self.ends(other, e), self.ends(side, g));
                offer(arrange(edge(hull, e), edge(self.hulls[side], g)), orient(c));
            }
        }
        best
    }

    /// Where an edge goes through a face.
    fn pierced(&self, [p, q]: [DVec3; 2], side: usize, f: u32) -> Option<DVec3> {
        let (a, b) = (self.height(p, side, f), self.height(q, side, f));
        if a * b > 0.0 || a == b {
            return None;
        }
        let x = p + (q - p) * (a / (a - b));
        (!self.beside(x, side, f)).then_some(x)
    }

    /// Whether a point of the plane of a face lies beyond one of its edges.
    fn beside(&self, x: DVec3, side: usize, f: u32) -> bool {
        self.hulls[side]
            .edges_of(f)
            .any(|e| self.inward(side, e).dot(x - self.ends(side, e)[0]) < 0.0)
    }

    /// The unit direction into the face of half-edge `e`, perpendicular to the edge.
    fn inward(&self, side: usize, e: u32) -> DVec3 {
        let hull = self.hulls[side];
        let n = hull.faces()[hull.edges()[e as usize].face as usize].normal;
        let [a, b] = hull.ends(e);
        self.turn(side, n.cross(b - a).normalize_or_zero())
    }

    /// Tests the Voronoi regions of a settled pair.
    fn judge(&self, pair: [Feature; 2], closest: &Closest) -> Next {
        let points = [closest.a, closest.b];
        for side in [0, 1] {
            let replace = |f: Feature| {
                let mut next = pair;
                next[side] = f;
                Next::Go(next)
            };
            let (own, away) = (points[side], points[1 - side] - points[side]);
            let slack = 1e-12 * away.length();
            let hull = self.hulls[side];
            match pair[side] {
                Feature::Vertex(v) => {
                    // the other point must not be in front of an edge; the steepest is taken
                    let mut best = (slack, None);
                    for e in hull.edges_from(v) {
                        let [p, q] = self.ends(side, e);
                        let along = (q - p).normalize_or_zero().dot(away);
                        if along > best.0 {
                            best = (along, Some(e));
                        }
                    }
                    if let Some(e) = best.1 {
                        return replace(edge(hull, e));
                    }
                }
                Feature::Edge(e) => {
                    let [p, q] = self.ends(side, e);
                    let along = (own - p).dot(q - p) / (q - p).length_squared();
                    if along <= 1e-14 {
                        return replace(Feature::Vertex(hull.edges()[e as usize].origin));
                    }
                    if along >= 1.0 - 1e-14 {
                        let twin = hull.edges()[e as usize].twin;
                        return replace(Feature::Vertex(hull.edges()[twin as usize].origin));
                    }
                    for half in [e, hull.edges()[e as usize].twin] {
                        if self.inward(side, half).dot(away) > slack {
                            return replace(Feature::Face(hull.edges()[half as usize].face));
                        }
                    }
                }
                Feature::Face(f) => {
                    if self.height(points[1 - side], side, f) < 0.0 {
                        return self.closest_face(pair, side, points[1 - side]);
                    }
                }
            }
        }
        Next::Done
    }

    /// A vertex below a face: the closest of the faces that it is above; if there is none, it is
    /// inside.
    fn closest_face(&self, pair: [Feature; 2], side: usize, p: DVec3) -> Next {
        let mut best = (pair, f64::INFINITY);
        for f in 0..self.hulls[side].faces().len() as u32 {
            if self.height(p, side, f) > 0.0 {
                let (feature, c) = self.over(p, side, f);
                if c.squared < best.1 {
                    best = (pair, c.squared);
                    best.0[side] = feature;
                }
            }
        }
        if best.1 < f64::INFINITY { Next::Go(best.0) } else { Next::Overlap }
    }
}

/// An edge by its smaller half-edge.
fn edge(hull: &ConvexHull, e: u32) -> Feature {
    Feature::Edge(e.min(hull.edges()[e as usize].twin))
}

/// Sum of the dimensions.
fn rank(pair: [Feature; 2]) -> u32 {
    pair.iter()
        .map(|f| match f {
            Feature::Vertex(_) => 0,
            Feature::Edge(_) => 1,
            Feature::Face(_) => 2,
        })
        .sum()
}

//! Quickhull in three dimensions: the hull of a point set as triangles with neighbours.
//!
//! Reference: Barber, Dobkin, Huhdanpaa, "The Quickhull algorithm for convex hulls", 1996. Each
//! face keeps the points outside its plane; the farthest one replaces all faces that it sees by a
//! cone over their horizon.
//!
//! A point counts as outside when it is more than ε = 1e-12 · (largest coordinate range) above the
//! plane, so the hull contains every point to within a few ε. If rounding breaks the horizon (it is
//! no longer one closed loop), the point is skipped when it is within 100 ε of the hull, otherwise
//! the hull is reported as degenerate.

use super::HullError;
use glam::DVec3;

struct Facet {
    corners: [u32; 3],
    /// Neighbour across the edge from corner k to corner k + 1.
    neighbours: [u32; 3],
    normal: DVec3,
    offset: f64,
    outside: Vec<u32>,
    /// Farthest point of `outside` and its height.
    farthest: (u32, f64),
    alive: bool,
    /// The round in which a new point saw it last.
    seen: u32,
}

impl Facet {
    fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(p) - self.offset
    }
}

struct Builder<'a> {
    points: &'a [DVec3],
    facets: Vec<Facet>,
    epsilon: f64,
    round: u32,
}

/// The triangles of the hull as indices into `points`, counter-clockwise seen from outside.
pub(super) fn triangles(points: &[DVec3]) -> Result<Vec<[u32; 3]>, HullError> {
    let seed = seed(points)?;
    let (lo, hi) =
        points.iter().fold((points[0], points[0]), |(lo, hi), &p| (lo.min(p), hi.max(p)));
    let mut builder =
        Builder { points, facets: Vec::new(), epsilon: 1e-12 * (hi - lo).max_element(), round: 0 };
    builder.start(seed);
    let mut at = 0;
    while at < builder.facets.len() {
        if builder.facets[at].alive && !builder.facets[at].outside.is_empty() {
            builder.add_farthest(at as u32)?;
        } else {
            at += 1;
        }
    }
    Ok(builder.facets.iter().filter(|f| f.alive).map(|f| f.corners).collect())
}

/// Four points that span a tetrahedron: two extreme in one coordinate, the farthest from their
/// line, the farthest from that plane.
fn seed(points: &[DVec3]) -> Result<[u32; 4], HullError> {
    let flat = HullError::Flat(points.len());
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        let mut best = (0, -1.0);
        for (i, &p) in points.iter().enumerate() {
            let m = measure(p);
            if m > best.1 {
                best = (i, m);
            }
        }
        best
    };
    if points.len() < 4 {
        return Err(flat);
    }
    let a = farthest(&|p| (p - points[0]).length()).0;
    let (b, size) = farthest(&|p| (p - points[a]).length());
    let line = (points[b] - points[a]).normalize_or_zero();
    let (c, width) = farthest(&|p| (p - points[a]).cross(line).length());
    let normal = (points[b] - points[a]).cross(points[c] - points[a]).normalize_or_zero();
    let (d, depth) = farthest(&|p| (p - points[a]).dot(normal).abs());
    if width <= 1e-10 * size || depth <= 1e-10 * size {
        return Err(flat);
    }
    let above = (points[d] - points[a]).dot(normal) > 0.0;
    let (b, c) = if above { (c, b) } else { (b, c) };
    Ok([a as u32, b as u32, c as u32, d as u32])
}

impl Builder<'_> {
    fn start(&mut self, [a, b, c, d]: [u32; 4]) {
        // a, b, c is counter-clockwise seen from outside; facet i + 1 lies across the base's edge i
        let corners = [[a, b, c], [b, a, d], [c, b, d], [a, c, d]];
        let neighbours = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
        for k in 0..4 {
            let facet = self.facet(corners[k], neighbours[k]);
            self.facets.push(facet);
        }
        self.distribute((0..self.points.len() as u32).collect(), 0);
    }

    fn facet(&self, corners: [u32; 3], neighbours: [u32; 3]) -> Facet {
        let [a, b, c] = corners.map(|v| self.points[v as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let offset = normal.dot((a + b + c) / 3.0);
        Facet {
            corners,
            neighbours,
            normal,
            offset,
            outside: Vec::new(),
            farthest: (0, 0.0),
            alive: true,
            seen: 0,
        }
    }

    /// Gives each point to the first facet from `first` on that sees it; points that none sees are
    /// inside.
    fn distribute(&mut self, points: Vec<u32>, first: usize) {
        for p in points {
            let position = self.points[p as usize];
            for facet in &mut self.facets[first..] {
                let height = facet.height(position);
                if height > self.epsilon && !facet.corners.contains(&p) {
                    if height > facet.farthest.1 {
                        facet.farthest = (p, height);
                    }
                    facet.outside.push(p);
                    break;
                }
            }
        }
    }

    fn add_farthest(&mut self, at: u32) -> Result<(), HullError> {
        let (p, height) = self.facets[at as usize].farthest;
        let (visible, horizon) = self.horizon(at, self.points[p as usize]);
        let Some(ring) = chain(&horizon) else {
            if height > 100.0 * self.epsilon {
                return Err(HullError::Degenerate);
            }
            self.skip(at, p);
            return Ok(());
        };
        let mut orphans = Vec::new();
        for &f in &visible {
            self.facets[f as usize].alive = false;
            orphans.append(&mut self.facets[f as usize].outside);
        }
        orphans.retain(|&q| q != p);
        orphans.sort_unstable();
        let (first, n) = (self.facets.len() as u32, ring.len() as u32);
        for (k, &(from, to, neighbour)) in ring.iter().enumerate() {
            let k = k as u32;
            let facet = self
                .facet([from, to, p], [neighbour, first + (k + 1) % n, first + (k + n - 1) % n]);
            let across = &mut self.facets[neighbour as usize];
            for e in 0..3 {
                if across.corners[e] == to && across.corners[(e + 1) % 3] == from {
                    across.neighbours[e] = first + k;
                }
            }
            self.facets.push(facet);
        }
        self.distribute(orphans, first as usize);
        Ok(())
    }

    fn skip(&mut self, at: u32, p: u32) {
        let (points, facet) = (self.points, &mut self.facets[at as usize]);
        facet.outside.retain(|&q| q != p);
        facet.farthest = (0, 0.0);
        for &q in &facet.outside {
            let height = facet.normal.dot(points[q as usize]) - facet.offset;
            if height > facet.farthest.1 {
                facet.farthest = (q, height);
            }
        }
    }

    /// The facets that `eye` sees, connected to `start`, and the directed edges of the rim with the
    /// facet beyond.
    fn horizon(&mut self, start: u32, eye: DVec3) -> (Vec<u32>, Vec<(u32, u32, u32)>) {
        self.round += 1;
        self.facets[start as usize].seen = self.round;
        let mut visible = vec![start];
        let mut at = 0;
        while at < visible.len() {
            for n in self.facets[visible[at] as usize].neighbours {
                let facet = &mut self.facets[n as usize];
                if facet.seen != self.round && facet.height(eye) > self.epsilon {
                    facet.seen = self.round;
                    visible.push(n);
                }
            }
            at += 1;
        }
        let mut rim = Vec::new();
        for facet in visible.iter().map(|&f| &self.facets[f as usize]) {
            for e in 0..3 {
                if self.facets[facet.neighbours[e] as usize].seen != self.round {
                    rim.push((facet.corners[e], facet.corners[(e + 1) % 3], facet.neighbours[e]));
                }
            }
        }
        (visible, rim)
    }
}

/// Orders the directed edges to one closed loop; `None` if they do not form one.
fn chain(rim: &[(u32, u32, u32)]) -> Option<Vec<(u32, u32, u32)>> {
    let mut sorted = rim.to_vec();
    sorted.sort_unstable();
    if sorted.len() < 3 || sorted.windows(2).any(|w| w[0].0 == w[1].0) {
        return None;
    }
    let mut ring = vec![sorted[0]];
    while ring.len() < sorted.len() {
        let to = ring[ring.len() - 1].1;
        let next = sorted[sorted.binary_search_by_key(&to, |e| e.0).ok()?];
        if next == ring[0] {
            return None;
        }
        ring.push(next);
    }
    (ring[ring.len() - 1].1 == ring[0].0).then_some(ring)
}

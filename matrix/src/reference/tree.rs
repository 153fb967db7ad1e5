//! Trees of bodies in minimal coordinates: each link turns about or slides along one axis of its
//! parent.
//!
//! All bodies stand parallel to the world at the start, where every coordinate is zero; a link's
//! motion is the product of the motions along its path to the world.

use super::jet::{self, Jet, Jet3};

/// A vector.
pub type Vector = [f64; 3];

/// How a link moves against its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// About an axis through a point, rad.
    Turn,
    /// Along an axis, m.
    Slide,
}

/// Mass of a link.
#[derive(Clone, Copy, Debug)]
pub struct Mass {
    /// kg.
    pub mass: f64,
    /// Centre of mass at the start, m.
    pub center: Vector,
    /// Moments of inertia about the axes of the world at the start, kg m².
    pub inertia: Vector,
}

/// One coordinate, and perhaps a body.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The link that carries it; the world unless there is one.
    pub parent: Option<usize>,
    /// How it moves.
    pub motion: Motion,
    /// Unit axis at the start.
    pub axis: Vector,
    /// A point of the axis at the start, m.
    pub point: Vector,
    /// Rate of the coordinate at the start.
    pub rate: f64,
    /// The body that moves with it.
    pub mass: Option<Mass>,
}

/// Where the points of a link went: x → r x + t.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// Rotation, by rows.
    pub r: [Jet3; 3],
    /// Translation.
    pub t: Jet3,
}

impl Pose {
    fn identity() -> Self {
        let unit =
            |k: usize| std::array::from_fn(|l| Jet::constant(if k == l { 1.0 } else { 0.0 }));
        Self { r: [unit(0), unit(1), unit(2)], t: jet::constant([0.0; 3]) }
    }

    /// Where a point of the start is now.
    pub fn point(&self, p: Vector) -> Jet3 {
        let p = jet::constant(p);
        std::array::from_fn(|k| jet::dot(self.r[k], p) + self.t[k])
    }

    /// Angular velocity of the rotation and its derivative.
    pub fn spin(&self) -> (Vector, Vector) {
        let at = |f: &dyn Fn(usize, usize) -> f64| {
            [f(2, 1) - f(1, 2), f(0, 2) - f(2, 0), f(1, 0) - f(0, 1)].map(|x| 0.5 * x)
        };
        let row = |k: usize, l: usize| (0..3).map(|m| self.r[k][m].d * self.r[l][m].v).sum::<f64>();
        let second = |k: usize, l: usize| {
            (0..3)
                .map(|m| self.r[k][m].dd * self.r[l][m].v + self.r[k][m].d * self.r[l][m].d)
                .sum::<f64>()
        };
        (at(&row), at(&second))
    }

    /// This motion after another one.
    fn after(&self, o: &Self) -> Self {
        let r = std::array::from_fn(|k| {
            std::array::from_fn(|l| {
                self.r[k][0] * o.r[0][l] + self.r[k][1] * o.r[1][l] + self.r[k][2] * o.r[2][l]
            })
        });
        Self { r, t: std::array::from_fn(|k| jet::dot(self.r[k], o.t) + self.t[k]) }
    }
}

/// The motion of one link by its own coordinate.
fn own(link: &Link, q: Jet) -> Pose {
    let a = link.axis;
    let mut pose = Pose::identity();
    match link.motion {
        Motion::Slide => pose.t = std::array::from_fn(|k| q * a[k]),
        Motion::Turn => {
            // Rodrigues: c E + s [a]× + (1 − c) a aᵀ
            let (s, c) = q.sin_cos();
            let cross = [[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]];
            pose.r = std::array::from_fn(|k| {
                std::array::from_fn(|l| {
                    let unit = if k == l { 1.0 } else { 0.0 };
                    c * unit + s * cross[k][l] + (Jet::constant(1.0) - c) * (a[k] * a[l])
                })
            });
            // the point of the axis stays
            let p = jet::constant(link.point);
            pose.t = std::array::from_fn(|k| p[k] - jet::dot(pose.r[k], p));
        }
    }
    pose
}

/// Poses of all links for coordinates with derivatives. Parents come before their children.
pub fn poses(links: &[Link], q: &[Jet]) -> Vec<Pose> {
    let mut all: Vec<Pose> = Vec::with_capacity(links.len());
    for (link, &q) in links.iter().zip(q) {
        let own = own(link, q);
        all.push(link.parent.map_or(own, |p| all[p].after(&own)));
    }
    all
}

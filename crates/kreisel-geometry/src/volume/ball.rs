//! The smallest ball round points, and balls as bounding volumes.
//!
//! Reference: Welzl 1991; Lennerz 2000, section 3.5.4 (L-30) and 3.7.3 (L-43). Points are taken in
//! turn; one outside the ball so far lies on the boundary of the true one, which is found for the
//! earlier points with it on the boundary, and moves to the front. Expected linear time, at most 41
//! n containment tests on average, after a shuffle with a fixed seed.
//!
//! Degenerate boundaries (equal points, points on a line or circle) use their least-squares ball;
//! in the end the radius is enlarged to contain every point, so the ball is valid in any case and
//! minimal up to 1e-12.

use super::Volume;
use crate::Pose;
use glam::{DMat3, DVec3};

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Centre.
    pub center: DVec3,
    /// Radius in m.
    pub radius: f64,
}

impl Ball {
    /// The smallest ball that contains the points (at least one).
    pub fn smallest(points: &[DVec3]) -> Self {
        let mut shuffled = points.to_vec();
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        for i in (1..shuffled.len()).rev() {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            shuffled.swap(i, (state % (i as u64 + 1)) as usize);
        }
        let n = shuffled.len();
        let ball = welzl(&mut shuffled, n, &mut Vec::with_capacity(4));
        let radius = points.iter().map(|p| p.distance(ball.center)).fold(0.0, f64::max);
        Self { center: ball.center, radius }
    }

    fn contains(&self, p: DVec3) -> bool {
        self.radius >= 0.0
            && p.distance_squared(self.center) <= self.radius * self.radius * (1.0 + 1e-12)
    }
}

fn welzl(points: &mut [DVec3], n: usize, boundary: &mut Vec<DVec3>) -> Ball {
    let mut ball = through(boundary);
    if boundary.len() == 4 {
        return ball;
    }
    for i in 0..n {
        if !ball.contains(points[i]) {
            boundary.push(points[i]);
            ball = welzl(points, i, boundary);
            boundary.pop();
            points[..=i].rotate_right(1);
        }
    }
    ball
}

/// Contains nothing.
const EMPTY: Ball = Ball { center: DVec3::ZERO, radius: -1.0 };

/// The smallest ball with all the points on its boundary.
fn through(boundary: &[DVec3]) -> Ball {
    let Some(&origin) = boundary.first() else { return EMPTY };
    // the centre is origin + Σ λᵢ vᵢ with 2 vᵢ·(Σ λⱼ vⱼ) = vᵢ²: the normal equations in the span of
    // the points
    let v: Vec<DVec3> = boundary[1..].iter().map(|p| *p - origin).collect();
    let offset = match v[..] {
        [] => DVec3::ZERO,
        [a] => 0.5 * a,
        [a, b] => {
            let n = a.cross(b);
            let n2 = n.length_squared();
            if n2 > 1e-24 * a.length_squared() * b.length_squared() {
                (b * a.length_squared() - a * b.length_squared()).cross(n) / (2.0 * n2)
            } else {
                0.5 * if a.length_squared() > b.length_squared() { a } else { b }
            }
        }
        [a, b, c, ..] => {
            let m = DMat3::from_cols(a, b, c).transpose();
            let det = m.determinant();
            if det.abs() > 1e-12 * a.length() * b.length() * c.length() {
                m.inverse()
                    * (0.5 * DVec3::new(a.length_squared(), b.length_squared(), c.length_squared()))
            } else {
                // four points of one circle, up to rounding: the largest of their circles holds
                // them all
                let circles = (0..4).map(|skip| {
                    let three: Vec<DVec3> =
                        (0..4).filter(|&i| i != skip).map(|i| boundary[i]).collect();
                    through(&three)
                });
                return circles
                    .reduce(|p, q| if q.radius > p.radius { q } else { p })
                    .unwrap_or(EMPTY);
            }
        }
    };
    Ball { center: origin + offset, radius: offset.length() }
}

impl Volume for Ball {
    type Motion = Pose;

    fn fit(triangles: &[[DVec3; 3]]) -> Self {
        Self::smallest(triangles.as_flattened())
    }

    fn motion(pose: &Pose) -> Pose {
        *pose
    }

    fn moved(&self, pose: &Pose) -> Self {
        Self { center: pose.point(self.center), radius: self.radius }
    }

    fn distance(&self, other: &Self) -> f64 {
        (self.center.distance(other.center) - self.radius - other.radius).max(0.0)
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn reach(&self, d: DVec3) -> f64 {
        self.center.dot(d) + self.radius
    }

    fn measure(&self) -> f64 {
        4.0 / 3.0 * std::f64::consts::PI * self.radius * self.radius * self.radius
    }
}

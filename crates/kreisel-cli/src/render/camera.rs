//! Where a picture is seen from.

use kreisel_dynamics::Vec3;

/// A perspective view, and the directions of the ground.
pub struct Camera {
    pub eye: Vec3,
    pub ahead: Vec3,
    right: Vec3,
    above: Vec3,
    focal: f64,
    center: (f64, f64),
    /// Against gravity.
    pub up: Vec3,
    /// Two directions of the ground.
    pub ground: [Vec3; 2],
    /// Height of the ground along `up`.
    pub level: f64,
    /// Middle of everything, and its size.
    pub middle: Vec3,
    pub size: f64,
}

impl Camera {
    /// A view of all points; or the scene's own view.
    pub fn new(
        points: &[Vec3],
        up: Vec3,
        wanted: Option<kreisel_scene::Camera>,
        size: (u32, u32),
    ) -> Self {
        let side = |axis: Vec3| (axis - up * axis.dot(up)).try_normalize();
        let e1 = if up.x.abs() < 0.9 { side(Vec3::X) } else { side(Vec3::Y) }.unwrap_or(Vec3::X);
        let e2 = up.cross(e1);
        let range = |axis: Vec3| {
            let along = points.iter().map(|p| p.dot(axis));
            let (low, high) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            if low <= high { (low, high) } else { (-1.0, 1.0) }
        };
        let ranges = [e1, e2, up].map(range);
        let spread = ranges.map(|(l, h)| h - l);
        let extent = spread.iter().fold(1e-3, |a: f64, b| a.max(*b));
        let mid = ranges.map(|(l, h)| 0.5 * (l + h));
        let middle = e1 * mid[0] + e2 * mid[1] + up * mid[2];
        let (width, height) = (f64::from(size.0), f64::from(size.1));
        let (eye, target) = match wanted {
            Some(c) => (c.eye, c.target),
            None => {
                // Flat mechanisms are seen from the side on which they are flat.
                let yaw: f64 = if spread[1] < 0.4 * spread[0] {
                    -1.25
                } else if spread[0] < 0.4 * spread[1] {
                    -0.3
                } else {
                    -0.95
                };
                let (s, c) = yaw.sin_cos();
                let direction = (e1 * c + e2 * s) * 0.955 + up * 0.296;
                (middle + direction * 2.6 * extent, middle)
            }
        };
        let ahead = (target - eye).try_normalize().unwrap_or(-e2);
        let right = ahead.cross(up).try_normalize().unwrap_or(e1);
        let mut camera = Self {
            eye,
            ahead,
            right,
            above: right.cross(ahead),
            focal: 1.0,
            center: (0.0, 0.0),
            up,
            ground: [e1, e2],
            level: ranges[2].0 - 0.02 * extent,
            middle,
            size: extent,
        };
        camera.fit(points, width, height);
        camera
    }

    /// Chooses scale and centre so that all points fill the picture, with a margin.
    fn fit(&mut self, points: &[Vec3], width: f64, height: f64) {
        let seen: Vec<(f64, f64)> =
            points.iter().filter_map(|p| self.project(*p)).map(|p| (p.0, p.1)).collect();
        let fold = |get: fn(&(f64, f64)) -> f64| {
            let (low, high) = seen
                .iter()
                .map(get)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            if low <= high { (low, high) } else { (-0.5, 0.5) }
        };
        let (x, y) = (fold(|p| p.0), fold(|p| p.1));
        self.focal =
            (0.82 * width / (x.1 - x.0).max(1e-9)).min(0.74 * height / (y.1 - y.0).max(1e-9));
        self.center = (
            width / 2.0 - self.focal * (x.0 + x.1) / 2.0,
            height * 0.48 - self.focal * (y.0 + y.1) / 2.0,
        );
    }

    /// A point in the picture, with its distance; none when it lies behind the eye.
    pub fn project(&self, p: Vec3) -> Option<(f64, f64, f64)> {
        let d = p - self.eye;
        let z = d.dot(self.ahead);
        let near = 0.02 * self.size;
        (z > near).then(|| {
            (
                self.center.0 + self.focal * d.dot(self.right) / z,
                self.center.1 - self.focal * d.dot(self.above) / z,
                z,
            )
        })
    }

    /// Length of a small thing of size `r` at distance `z`, in the picture.
    pub fn scale(&self, r: f64, z: f64) -> f64 {
        self.focal * r / z
    }
}

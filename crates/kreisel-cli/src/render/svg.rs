//! Painting: polygons sorted by distance, written as SVG.

use super::camera::Camera;
use super::polyhedron::Solid;
use kreisel_dynamics::Vec3;
use kreisel_geometry::Pose;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A picture being painted.
pub struct Svg<'c> {
    camera: &'c Camera,
    out: String,
    light: Vec3,
    /// What waits to be painted: distance and text.
    items: Vec<(f64, String)>,
    /// Width and height.
    size: (f64, f64),
}

impl<'c> Svg<'c> {
    /// An empty picture.
    pub fn new(camera: &'c Camera, (width, height): (u32, u32)) -> Self {
        let mut out = String::new();
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
             <defs><linearGradient id=\"sky\" x2=\"0\" y2=\"1\"><stop offset=\"0\" stop-color=\"#f4f7fb\"/>\
             <stop offset=\"1\" stop-color=\"#d9e1ea\"/></linearGradient></defs>\n\
             <rect width=\"{width}\" height=\"{height}\" rx=\"10\" fill=\"url(#sky)\"/>\n\
             <g stroke-linejoin=\"round\" stroke-linecap=\"round\">\n"
        );
        let light = (camera.up - camera.ground[0] * 0.35 - camera.ground[1] * 0.55).normalize();
        Self { camera, out, light, items: Vec::new(), size: (f64::from(width), f64::from(height)) }
    }

    /// Lines on the ground, fading with distance from the middle.
    pub fn grid(&mut self) {
        let c = self.camera;
        let rough = c.size / 6.0;
        let base = 10_f64.powf(rough.log10().floor());
        let cell = [1.0, 2.0, 5.0, 10.0]
            .map(|k| k * base)
            .into_iter()
            .find(|s| *s >= rough)
            .unwrap_or(rough);
        let lines: i32 = 8;
        let [e1, e2] = c.ground;
        let round = |x: f64| (x / cell).round() * cell;
        let origin = e1 * round(c.middle.dot(e1)) + e2 * round(c.middle.dot(e2)) + c.up * c.level;
        // Lines of one shade are one path.
        let mut shades: BTreeMap<u32, String> = BTreeMap::new();
        let (width, height) = self.size;
        for (along, across) in [(e1, e2), (e2, e1)] {
            for k in -lines..=lines {
                for s in -lines..lines {
                    let far = f64::from(k.abs().max(s.abs())) / f64::from(lines);
                    let at = |s: i32| {
                        c.project(
                            origin + across * (f64::from(k) * cell) + along * (f64::from(s) * cell),
                        )
                    };
                    let (Some(a), Some(b)) = (at(s), at(s + 1)) else { continue };
                    let beside = |x: f64, y: f64, end: f64| x.max(y) < 0.0 || x.min(y) > end;
                    let percent = (50.0 * (1.0 - far.powf(1.5))).round() as u32;
                    if percent == 0 || beside(a.0, b.0, width) || beside(a.1, b.1, height) {
                        continue;
                    }
                    let path = shades.entry(percent).or_default();
                    let _ = write!(path, "M{:.1} {:.1}L{:.1} {:.1}", a.0, a.1, b.0, b.1);
                }
            }
        }
        for (percent, path) in shades {
            let opacity = f64::from(percent) / 100.0;
            let _ = writeln!(
                self.out,
                "<path d=\"{path}\" stroke=\"#8c9aab\" stroke-width=\".8\" stroke-opacity=\"{opacity}\"/>"
            );
        }
    }

    /// The shadow of solids on the ground.
    pub fn shadow(&mut self, solids: &[Solid], pose: &Pose) {
        let c = self.camera;
        let down = |p: Vec3| p - self.light * ((p.dot(c.up) - c.level) / self.light.dot(c.up));
        let mut path = String::new();
        for solid in solids {
            let Solid::Faces(points, faces) = solid else { continue };
            let points: Vec<Vec3> = points.iter().map(|p| pose.point(*p)).collect();
            for face in faces {
                if normal(&points, face).dot(self.light) > 0.0 {
                    path.push_str(
                        &outline(c, face.iter().map(|k| down(points[*k]))).unwrap_or_default(),
                    );
                }
            }
        }
        if !path.is_empty() {
            let _ =
                writeln!(self.out, "<path d=\"{path}\" fill=\"#3b4a5c\" fill-opacity=\".18\"/>");
        }
    }

    /// Adds solids to what is painted next.
    pub fn add(&mut self, solids: &[Solid], pose: &Pose, color: [u8; 3], opacity: f64) {
        let c = self.camera;
        for solid in solids {
            match solid {
                Solid::Ball(center, radius) => {
                    let Some((x, y, z)) = c.project(pose.point(*center)) else { continue };
                    let r =
                        c.scale(if *radius > 0.0 { *radius } else { 0.012 * c.size }, z).max(1.5);
                    let text = format!(
                        "<g opacity=\"{opacity:.2}\"><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\" fill=\"{}\"/>\
                         <circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill=\"#fff\" fill-opacity=\".35\"/></g>",
                        shade(color, 0.85),
                        x - 0.3 * r,
                        y - 0.35 * r,
                        0.4 * r
                    );
                    self.items.push((z, text));
                }
                Solid::Faces(points, faces) => {
                    let points: Vec<Vec3> = points.iter().map(|p| pose.point(*p)).collect();
                    for face in faces {
                        self.face(&points, face, color, opacity);
                    }
                }
            }
        }
    }

    fn face(&mut self, points: &[Vec3], face: &[usize], color: [u8; 3], opacity: f64) {
        let c = self.camera;
        let n = normal(points, face);
        if n.dot(points[face[0]] - c.eye) >= 0.0 {
            return;
        }
        let Some(path) = outline(c, face.iter().map(|k| points[*k])) else { return };
        let depth =
            face.iter().map(|k| (points[*k] - c.eye).dot(c.ahead)).sum::<f64>() / face.len() as f64;
        let brightness = 0.56 + 0.5 * n.dot(self.light).max(0.0) + 0.1 * n.dot(-c.ahead).max(0.0);
        let fill = shade(color, brightness);
        let text = format!(
            "<path d=\"{path}\" fill=\"{fill}\" stroke=\"{fill}\" stroke-width=\".6\" opacity=\"{opacity:.2}\"/>"
        );
        self.items.push((depth, text));
    }

    /// Paints what was added, from far to near.
    pub fn paint(&mut self) {
        self.items.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, text) in self.items.drain(..) {
            self.out.push_str(&text);
            self.out.push('\n');
        }
    }

    /// A joint.
    pub fn dot(&mut self, p: Vec3) {
        if let Some((x, y, z)) = self.camera.project(p) {
            let r = self.camera.scale(0.008 * self.camera.size, z).clamp(1.2, 4.0);
            let _ = writeln!(
                self.out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\" fill=\"#fff\" stroke=\"#26313d\" stroke-width=\"1\"/>"
            );
        }
    }

    /// A rod or rope.
    pub fn line(&mut self, a: Vec3, b: Vec3, opacity: f64) {
        if let (Some(a), Some(b)) = (self.camera.project(a), self.camera.project(b)) {
            let _ = writeln!(
                self.out,
                "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#4a5868\" stroke-width=\"2\" opacity=\"{opacity:.2}\"/>",
                a.0, a.1, b.0, b.1
            );
        }
    }

    /// A curve.
    pub fn curve(&mut self, points: &[Vec3]) {
        let mut path = String::new();
        for pair in points.windows(2) {
            if let (Some(a), Some(b)) = (self.camera.project(pair[0]), self.camera.project(pair[1]))
            {
                let _ = write!(path, "M{:.1} {:.1}L{:.1} {:.1}", a.0, a.1, b.0, b.1);
            }
        }
        let _ = writeln!(self.out, "<path d=\"{path}\" stroke=\"#1f8f57\" stroke-width=\"1.6\"/>");
    }

    /// The shortest line between two shapes, with its ends.
    pub fn witness(&mut self, a: Vec3, b: Vec3) {
        let (Some(p), Some(q)) = (self.camera.project(a), self.camera.project(b)) else { return };
        let _ = writeln!(
            self.out,
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#c0143c\" stroke-width=\"2.4\"/>",
            p.0, p.1, q.0, q.1
        );
        for (x, y, _) in [p, q] {
            let _ = writeln!(
                self.out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\" fill=\"#fff\" stroke=\"#c0143c\" stroke-width=\"1.6\"/>"
            );
        }
    }

    /// A spring: a zigzag.
    pub fn spring(&mut self, a: Vec3, b: Vec3) {
        let (Some(p), Some(q)) = (self.camera.project(a), self.camera.project(b)) else { return };
        let (dx, dy) = (q.0 - p.0, q.1 - p.1);
        let length = dx.hypot(dy).max(1e-9);
        let width = self.camera.scale(0.02 * self.camera.size, q.2).min(9.0);
        let mut path = format!("M{:.1} {:.1}", p.0, p.1);
        for k in 0..24 {
            let s = 0.1 + 0.8 * (f64::from(k) + 0.5) / 24.0;
            let o = if k % 2 == 0 { -width } else { width };
            let _ = write!(
                path,
                "L{:.1} {:.1}",
                p.0 + dx * s - dy / length * o,
                p.1 + dy * s + dx / length * o
            );
        }
        let _ = writeln!(
            self.out,
            "<path d=\"{path}L{:.1} {:.1}\" fill=\"none\" stroke=\"#8a7a1e\" stroke-width=\"1.6\"/>",
            q.0, q.1
        );
    }

    /// The finished picture.
    pub fn finish(mut self) -> String {
        self.out.push_str("</g>\n</svg>\n");
        self.out
    }
}

fn normal(points: &[Vec3], face: &[usize]) -> Vec3 {
    let n = (points[face[1]] - points[face[0]]).cross(points[face[2]] - points[face[1]]);
    n.try_normalize().unwrap_or(Vec3::ZERO)
}

/// A closed path through points; none when one lies behind the eye.
fn outline(camera: &Camera, points: impl Iterator<Item = Vec3>) -> Option<String> {
    let mut path = String::new();
    for (k, p) in points.enumerate() {
        let (x, y, _) = camera.project(p)?;
        let _ = write!(path, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
    }
    path.push('Z');
    Some(path)
}

fn shade(color: [u8; 3], brightness: f64) -> String {
    let [r, g, b] = color.map(|x| (f64::from(x) * brightness).clamp(0.0, 255.0) as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

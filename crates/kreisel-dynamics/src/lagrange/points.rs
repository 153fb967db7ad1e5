//! Rows of constraints between points: gradients by the connectors' positions (or velocities), and
//! the bias (Wagner 5.1, 5.2; appendix G; two of the printed formulas are corrected, see
//! docs/sources.md).
//!
//! J = Σ a_l ∂P_l'/∂v: for a point at the arm r of a body the block is (aᵀ, (r × a)ᵀ).

use super::element::Writer;
use crate::arena::Arena;
use crate::connector::{
    ConstraintKind, ConstraintRecord, CurveRecord, PathEnd, PlacedPoint, Touch, Wrap, path, touch,
};
use crate::constraint::second::{Frame, Jet, Jet3, TINY};
use crate::math::Vec3;
use crate::{Lock, formula::Expression};
use serde::{Deserialize, Serialize};

/// Where a constraint is on its curve, from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PathMemory {
    /// Parameter of the nearest point at the end of the last step.
    pub u: Option<f64>,
    /// 1 or −1: reversed at an end.
    pub direction: f64,
}

impl Default for PathMemory {
    fn default() -> Self {
        Self { u: None, direction: 1.0 }
    }
}

/// A connector at a trial state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub jet: Jet3,
    /// The body it belongs to, with its arm from the centre of mass.
    pub body: Option<(u32, Vec3)>,
    pub lock: Lock,
    /// Parameter on its curve.
    pub u: f64,
    /// Directions across its curve.
    pub across: [Vec3; 2],
    /// What the way to the next point of a cable counts.
    pub weight: f64,
    /// Where that way is an arc on a surface: its length, and what the second derivative of the
    /// whole way over the surface has beyond that of its straight parts.
    pub arc: Option<(f64, f64)>,
}

impl Point {
    fn space(jet: Jet3) -> Self {
        let across = [Vec3::ZERO; 2];
        Self { jet, body: None, lock: Lock::None, u: 0.0, across, weight: 1.0, arc: None }
    }
}

/// What connectors need to know of the world.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub curves: &'a Arena<CurveRecord>,
    pub frames: &'a [Frame],
    pub t: f64,
}

impl Place<'_> {
    pub fn point(&self, p: &PlacedPoint, first: Option<&Point>, memory: PathMemory) -> Point {
        match p {
            PlacedPoint::Fixed { position, velocity, since } => {
                let x = *position + *velocity * (self.t - since);
                Point::space(Jet3 { x, d: *velocity, dd: Vec3::ZERO })
            }
            PlacedPoint::Body { slot, local, lock } => {
                let f = &self.frames[*slot as usize];
                let arm = f.r * *local;
                let turning = Jet3::turning(arm, f.w);
                let jet = Jet3 { x: f.x + arm, d: f.v + turning.d, dd: turning.dd };
                Point { body: Some((*slot, arm)), lock: *lock, ..Point::space(jet) }
            }
            PlacedPoint::Function(f) => {
                let t = Jet { x: self.t, d: 1.0, dd: 0.0 };
                let [x, y, z] = [0, 1, 2].map(|k| f[k].jet(&[t]));
                Point::space(Jet3 {
                    x: Vec3::new(x.x, y.x, z.x),
                    d: Vec3::new(x.d, y.d, z.d),
                    dd: Vec3::new(x.dd, y.dd, z.dd),
                })
            }
            PlacedPoint::Curve { curve, parameter } => {
                let found = self.curves.get(curve.index, curve.generation);
                let x = found.map_or(Vec3::ZERO, |c| c.desc.point(*parameter));
                Point { u: *parameter, ..Point::space(Jet3 { x, ..Jet3::default() }) }
            }
            PlacedPoint::Nearest { curve } => {
                let Some(found) = self.curves.get(curve.index, curve.generation) else {
                    return Point::space(Jet3::default());
                };
                let x = first.map(|f| f.jet).unwrap_or_default();
                let c = found.desc.nearest(x.x, memory.u);
                // u' from the derivative of (B − X)·B' = 0; at the ends the point stays
                let slope = c.d.length_squared() + (c.p - x.x).dot(c.dd);
                let inside = c.u > 0.0 && c.u < 1.0 && slope > TINY;
                let rate = if inside { x.d.dot(c.d) / slope } else { 0.0 };
                let jet = Jet3 { x: c.p, d: c.d * rate, dd: c.dd * (rate * rate) };
                Point { u: c.u, across: found.across(c.d), ..Point::space(jet) }
            }
        }
    }

    /// The target of a point on a path: nearest point, speed along the tangent, curvature as bias.
    fn path(
        &self,
        p: &PlacedPoint,
        first: &Point,
        memory: PathMemory,
        speed: f64,
        end: PathEnd,
    ) -> Point {
        let mut out = self.point(p, Some(first), memory);
        let PlacedPoint::Nearest { curve } = p else { return out };
        let Some(found) = self.curves.get(curve.index, curve.generation) else { return out };
        let c = found.desc.at(out.u);
        let v = speed * memory.direction;
        let arrived = (c.u >= 1.0 && v > 0.0) || (c.u <= 0.0 && v < 0.0);
        let v = if arrived && end == PathEnd::Stop { 0.0 } else { v };
        let Some(tangent) = c.d.try_normalize() else { return out };
        let curvature = (c.dd - tangent * c.dd.dot(tangent)) / c.d.length_squared();
        (out.jet.d, out.jet.dd) = (tangent * v, curvature * (v * v));
        out
    }

    /// All connectors of a constraint.
    pub fn points(
        &self,
        record: &ConstraintRecord,
        list: &[PlacedPoint],
        memory: PathMemory,
    ) -> Vec<Point> {
        let mut out: Vec<Point> = Vec::with_capacity(list.len());
        for (k, p) in list.iter().enumerate() {
            let point = match (&record.desc.kind, k) {
                (ConstraintKind::PointToPath { speed, end }, 1) => {
                    self.path(p, &out[0], memory, *speed, *end)
                }
                _ => self.point(p, out.first(), memory),
            };
            out.push(point);
        }
        match &record.desc.kind {
            ConstraintKind::Cable { weights, .. } => self.wrapped(record, list, out, weights),
            _ => out,
        }
    }

    /// The points of a cable with those in which it touches what it runs over.
    fn wrapped(
        &self,
        record: &ConstraintRecord,
        list: &[PlacedPoint],
        all: Vec<Point>,
        weights: &[f64],
    ) -> Vec<Point> {
        if record.wraps.is_empty() && weights.is_empty() {
            return all;
        }
        let wraps: Vec<Wrap> = record.wraps.iter().map(|w| w.wrap).collect();
        let own: Vec<Point> = path(all.len(), &wraps).map(|k| all[k]).collect();
        let mut out = Vec::with_capacity(own.len() + 2 * wraps.len());
        for (k, point) in own.iter().enumerate() {
            let weight = weights.get(k).copied().unwrap_or(1.0);
            out.push(Point { weight, ..*point });
            let (Some(next), Some(w)) =
                (own.get(k + 1), record.wraps.iter().find(|w| w.wrap.after == k))
            else {
                continue;
            };
            let frame = match list.get(w.wrap.around) {
                Some(PlacedPoint::Body { slot, .. }) => self.frames[*slot as usize],
                _ => Frame::ORIGIN,
            };
            let over = Over {
                center: all[w.wrap.around],
                side: w.wrap.side.map(|s| all[s].jet),
                axis: w.axis.map(|a| Jet3::turning(frame.r * a, frame.w)),
                w: frame.w,
                radius: w.wrap.radius,
            };
            out.extend(over.points(&point.jet, &next.jet, &frame, weight).into_iter().flatten());
        }
        out
    }
}

/// A surface between two points of a cable, in motion.
struct Over {
    center: Point,
    side: Option<Jet3>,
    axis: Option<Jet3>,
    /// Angular velocity of its body.
    w: Vec3,
    radius: f64,
}

/// Time over which the rate of a way is differentiated, s.
const SHORT: f64 = 1e-4;

impl Over {
    /// Where the cable touches it at a time `e` from now, if everything goes on as it does.
    fn touch(&self, p: &Jet3, q: &Jet3, e: f64) -> Option<Touch> {
        let at = |j: &Jet3| j.x + j.d * e + j.dd * (0.5 * e * e);
        let (side, axis) = (self.side.as_ref().map(at), self.axis.as_ref().map(at));
        touch((at(p), at(q)), at(&self.center.jet), self.radius, axis, side)
    }

    /// Rate of the way at that time: that of its straight parts, as their ends on the surface move
    /// with the body.
    fn rate(&self, p: &Jet3, q: &Jet3, e: f64) -> Option<f64> {
        let [a, b] = self.touch(p, q, e)?.points;
        let (at, speed) =
            (|j: &Jet3| j.x + j.d * e + j.dd * (0.5 * e * e), |j: &Jet3| j.d + j.dd * e);
        let c = &self.center.jet;
        let on = |x: Vec3| speed(c) + self.w.cross(x - at(c));
        let first = (a - at(p)).normalize_or_zero().dot(on(a) - speed(p));
        Some(first + (at(q) - b).normalize_or_zero().dot(speed(q) - on(b)))
    }

    /// The two points in which the cable touches, as points of the body.
    fn points(&self, p: &Jet3, q: &Jet3, frame: &Frame, weight: f64) -> Option<[Point; 2]> {
        let Touch { points, arc } = self.touch(p, q, 0.0)?;
        let c = &self.center.jet;
        let fast = |x: Vec3| {
            let turning = Jet3::turning(x - c.x, self.w);
            let jet = Jet3 { x, d: c.d + turning.d, dd: c.dd + turning.dd };
            let body = self.center.body.map(|(slot, _)| (slot, x - frame.x));
            Point { jet, body, weight, ..self.center }
        };
        let [a, b] = points.map(fast);
        // the points of contact move along the surface: what the fast ones do not know of
        let straight =
            Jet3::sum(a.jet, *p, -1.0).length().dd + Jet3::sum(*q, b.jet, -1.0).length().dd;
        let bend = match (self.rate(p, q, SHORT), self.rate(p, q, -SHORT)) {
            (Some(then), Some(before)) => (then - before) / (2.0 * SHORT) - straight,
            _ => 0.0,
        };
        Some([Point { arc: Some((arc, bend)), ..a }, b])
    }
}

/// One row on points: its function and its gradients.
pub(crate) struct PointRow {
    pub c: Jet,
    pub gradients: Vec<Vec3>,
}

/// Rows of a constraint between points. For velocity constraints `c.x` is C, `c.d` its bias.
pub(crate) fn rows(record: &ConstraintRecord, p: &[Point], t: f64) -> Vec<PointRow> {
    let between = |k: usize| {
        let e = Vec3::from_array(std::array::from_fn(|i| f64::from(u8::from(i == k))));
        vec![e, -e]
    };
    let d = || Jet3::sum(p[0].jet, p[1].jet, -1.0);
    match &record.desc.kind {
        ConstraintKind::PointToPoint
        | ConstraintKind::PointToPath { .. }
        | ConstraintKind::PointToFunction => {
            let d = d();
            (0..3)
                .map(|k| PointRow {
                    c: Jet { x: d.x[k], d: d.d[k], dd: d.dd[k] },
                    gradients: between(k),
                })
                .collect()
        }
        ConstraintKind::Distance(_) | ConstraintKind::UnitDistance => {
            let d = d();
            let l = d.length();
            // coinciding points are pushed apart along x
            let u = if l.x < TINY { Vec3::X } else { d.x / l.x };
            vec![PointRow { c: Jet { x: l.x - record.length, ..l }, gradients: vec![u, -u] }]
        }
        ConstraintKind::PointOnCurve => {
            // the way to the nearest point lies across the curve, and does not change along it
            let d = d();
            let row = |n: Vec3| PointRow {
                c: Jet { x: d.x.dot(n), d: d.d.dot(n), dd: d.dd.dot(n) },
                gradients: vec![n, Vec3::ZERO],
            };
            p[1].across.map(row).into()
        }
        ConstraintKind::Cable { .. } => {
            let mut c = Jet { x: record.length, d: 0.0, dd: 0.0 };
            let mut gradients = vec![Vec3::ZERO; p.len()];
            for k in 1..p.len() {
                let weight = p[k - 1].weight;
                if let Some((arc, bend)) = p[k - 1].arc {
                    c = c.plus(Jet { x: -weight * arc, d: 0.0, dd: -weight * bend });
                    continue;
                }
                let d = Jet3::sum(p[k].jet, p[k - 1].jet, -1.0);
                let l = d.length();
                // where two points coincide the cable between them pulls nowhere
                let u = if l.x < TINY { Vec3::ZERO } else { d.x * (weight / l.x) };
                c = c.plus(Jet { x: -weight * l.x, d: -weight * l.d, dd: -weight * l.dd });
                gradients[k] -= u;
                gradients[k - 1] += u;
            }
            vec![PointRow { c, gradients }]
        }
        ConstraintKind::EqualVelocity => {
            let d = d();
            (0..3)
                .map(|k| PointRow {
                    c: Jet { x: d.d[k], d: d.dd[k], dd: 0.0 },
                    gradients: between(k),
                })
                .collect()
        }
        ConstraintKind::VelocityToFunction => {
            // the function is the velocity itself: C = P' − f, bias k − f'
            let (a, f) = (&p[0].jet, &p[1].jet);
            (0..3)
                .map(|k| PointRow {
                    c: Jet { x: a.d[k] - f.x[k], d: a.dd[k] - f.d[k], dd: 0.0 },
                    gradients: between(k),
                })
                .collect()
        }
        ConstraintKind::EqualVelocityNorm => {
            // at rest the direction is undefined: a fixed one gets the point going
            let heading = |v: Vec3| if v.length() < TINY { Vec3::X } else { v.normalize() };
            let [a, b] = [&p[0].jet, &p[1].jet];
            let (ta, tb) = (heading(a.d), heading(b.d));
            let c = Jet { x: a.d.length() - b.d.length(), d: ta.dot(a.dd) - tb.dot(b.dd), dd: 0.0 };
            vec![PointRow { c, gradients: vec![ta, -tb] }]
        }
        ConstraintKind::Expression(list) => list.iter().map(|f| formula(f, p, t, false)).collect(),
        ConstraintKind::VelocityExpression(list) => {
            list.iter().map(|f| formula(f, p, t, true)).collect()
        }
        ConstraintKind::Plugin(plugin) => crate::plugin::rows(plugin, p, t),
        _ => Vec::new(),
    }
}

/// A user's formula: value, rate and bias by Taylor arithmetic along the motion, gradients by one
/// seed each (W-174).
fn formula(f: &Expression, p: &[Point], t: f64, velocity: bool) -> PointRow {
    let mut along = vec![Jet { x: t, d: 1.0, dd: 0.0 }];
    for q in p {
        along.extend((0..3).map(|k| Jet { x: q.jet.x[k], d: q.jet.d[k], dd: q.jet.dd[k] }));
    }
    if velocity {
        for q in p {
            along.extend((0..3).map(|k| Jet { x: q.jet.d[k], d: q.jet.dd[k], dd: 0.0 }));
        }
    }
    let c = f.jet(&along);
    let mut still: Vec<Jet> = along.iter().map(|j| Jet { x: j.x, d: 0.0, dd: 0.0 }).collect();
    let first = 1 + if velocity { 3 * p.len() } else { 0 };
    let gradients = (0..p.len())
        .map(|q| {
            Vec3::from_array(std::array::from_fn(|k| {
                let i = first + 3 * q + k;
                still[i].d = 1.0;
                let g = f.jet(&still).d;
                still[i].d = 0.0;
                g
            }))
        })
        .collect();
    PointRow { c, gradients }
}

/// Writes the rows of a constraint; false when a formula has no finite value, in which case its
/// rows are empty.
pub(crate) fn write(
    record: &ConstraintRecord,
    p: &[Point],
    t: f64,
    only: Option<usize>,
    out: &mut Writer<'_>,
) -> bool {
    let mut sound = true;
    let wanted = |i: usize| only.map_or_else(|| record.desc.has_row(i), |k| k == i);
    for (i, row) in rows(record, p, t).iter().enumerate().filter(|(i, _)| wanted(*i)) {
        let finite = row.c.x.is_finite() && row.c.d.is_finite() && row.c.dd.is_finite();
        if finite && row.gradients.iter().all(|g| g.is_finite()) {
            out.begin(row.c);
            for (point, g) in p.iter().zip(&row.gradients) {
                if let Some((slot, arm)) = point.body {
                    out.add(slot, *g, arm.cross(*g), point.lock);
                }
            }
        } else {
            sound = false;
        }
        out.at += 1;
        debug_assert!(i < record.desc.kind.rows());
    }
    sound
}

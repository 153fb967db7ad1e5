//! The path of a collision: sliding, sticking, compression, restitution, one after the other.
//!
//! Reference: Lennerz 2000, section 5.4 (phases) and 5.8. The contact slides until its slip
//! vanishes. Then it sticks for the rest of the impact, or it leaves along the one diverging ray;
//! both are straight lines. The end of compression only changes the goal.

use super::closed::Line;
use super::collision::{Collision, CollisionError, Parametrisation};
use super::matrix::Scaled;
use super::response::{Regime, Stick};
use super::restitution::{Goal, Stage};
use super::slip::Slip;
use super::sticking::Tangent;
use super::{clocked, regular};
use crate::math::Vec3;

/// A slip slower than this fraction of the initial speed has vanished: a thousand roundings.
pub(super) const STICK: f64 = 1e-13;
/// A straight phase is drawn with this many points in traces (its work is a parabola).
const LINE_POINTS: usize = 8;
/// Phases of one impact; there are at most four (slide, leave, compress, restitute).
const MAX_PHASES: u32 = 16;

/// A point of the path in scaled numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// Relative velocity.
    pub u: Vec3,
    /// W_z so far.
    pub work: f64,
    /// p_z so far.
    pub normal: f64,
}

impl Point {
    /// Speed of the slip.
    pub fn slip(&self) -> f64 {
        (self.u.x * self.u.x + self.u.y * self.u.y).sqrt()
    }
}

/// A recorded point with its stage and regime.
pub(super) type Record = (Point, Stage, Regime);

/// The end of a sliding phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slide {
    pub end: Point,
    /// The slip has vanished before the goal was reached.
    pub stuck: bool,
    pub steps: u32,
}

/// The end of a collision.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub point: Point,
    pub compression: Point,
    pub regime: Regime,
    pub stick: Option<Stick>,
    pub steps: u32,
}

/// Integrates the path; records its points if asked.
pub(super) fn run(
    collision: &Collision,
    scaled: &Scaled,
    mut record: Option<&mut Vec<Record>>,
) -> Result<End, CollisionError> {
    let slip = Slip::new(scaled.k, collision.dynamic_friction);
    let tangent = Tangent::new(&scaled.k);
    let mut point = Point { u: scaled.start, work: 0.0, normal: 0.0 };
    let mut compression = point;
    let (mut stage, mut goal) = (Stage::Compression, Goal::COMPRESSION);
    let (mut stick, mut line, mut regime) = (None, None, Regime::Sliding);
    let mut steps = 0;
    if let Some(r) = record.as_mut() {
        r.push((point, stage, regime));
    }
    for _ in 0..MAX_PHASES {
        if line.is_none() && point.slip() <= STICK {
            let stable = tangent.is_stable(collision.static_friction);
            let (next, direction) = if stable {
                (Line { slope: Vec3::Z / scaled.inverse.z_axis.z, rate: 1.0 }, Vec3::ZERO)
            } else {
                let ray = tangent.diverging_ray(collision.dynamic_friction);
                (Line { slope: slip.rate(ray.x, ray.y), rate: slip.cos }, ray)
            };
            (point.u.x, point.u.y) = (0.0, 0.0);
            regime = if stable { Regime::Sticking } else { Regime::Diverging };
            line = Some(next);
            stick = Some(Stick { normal_impulse: point.normal, stage, stable, direction });
        }
        let mut note = |p: &Point| {
            if let Some(r) = record.as_mut() {
                r.push((*p, stage, regime));
            }
        };
        let slide = match line {
            Some(line) => follow(&line, &point, &goal, f64::INFINITY, &mut note),
            None => {
                let s = point.slip();
                let (c, w) = (point.u.x / s, point.u.y / s);
                if slip.is_steady(c, w) {
                    let rate = slip.rate(c, w);
                    let braking = -(rate.x * c + rate.y * w);
                    let stop = if braking > 0.0 { s / braking } else { f64::INFINITY };
                    follow(&Line { slope: rate, rate: slip.cos }, &point, &goal, stop, &mut note)
                } else {
                    // an infinite friction has no p_z while it slides: only the regular path exists
                    match collision.parametrisation {
                        Parametrisation::Impulse if slip.cos > 0.0 => {
                            clocked::slide(&slip, &point, &goal, false, &mut note)
                        }
                        Parametrisation::VelocityWork if slip.cos > 0.0 => {
                            clocked::slide(&slip, &point, &goal, true, &mut note)
                        }
                        _ => regular::slide(&slip, &point, &goal, &mut note),
                    }
                }
            }
        };
        let Some(slide) = slide else { return Err(CollisionError::NoEnd(regular::MAX_STEPS)) };
        steps += slide.steps;
        point = slide.end;
        if slide.stuck {
            (point.u.x, point.u.y) = (0.0, 0.0);
            continue;
        }
        goal.settle(&mut point);
        if stage == Stage::Restitution {
            return Ok(End { point, compression, regime, stick, steps });
        }
        compression = point;
        stage = Stage::Restitution;
        goal =
            Goal::restitution(collision.hypothesis, collision.restitution, scaled.start.z, &point);
        if goal.excess(&point) >= 0.0 {
            return Ok(End { point, compression, regime, stick, steps });
        }
    }
    Err(CollisionError::NoEnd(MAX_PHASES))
}

/// Along a straight line to the goal, or to where the slip vanishes.
fn follow(
    line: &Line,
    from: &Point,
    goal: &Goal,
    stop: f64,
    note: &mut dyn FnMut(&Point),
) -> Option<Slide> {
    let way = line.way_to(from, goal).unwrap_or(f64::INFINITY);
    let stuck = stop < way;
    let length = way.min(stop);
    if !length.is_finite() {
        return None;
    }
    for i in 1..=LINE_POINTS {
        note(&line.at(from, length * i as f64 / LINE_POINTS as f64));
    }
    Some(Slide { end: line.at(from, length), stuck, steps: 1 })
}

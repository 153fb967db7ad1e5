//! What an impact does: impulse, velocities, work.
//!
//! Reference: Lennerz 2000, sections 5.6 and 5.8 (L-85, L-86). The work of the impulse is ΔE = ½
//! (u_f + u_s)ᵀ p, whatever the path: an exact check of the integration, and the loss that goes
//! into the ledger.

use super::collision::{Collision, CollisionError};
use super::matrix::Scaled;
use super::path::{self, Record};
use super::restitution::Stage;
use super::trace::{Trace, TracePoint};
use crate::math::Vec3;

/// What the contact does tangentially.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// Slips; friction opposes the slip.
    Sliding,
    /// Holds without slip to the end (stable sticking).
    Sticking,
    /// Slips along the diverging ray after unstable sticking.
    Diverging,
}

/// The slip has vanished.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stick {
    /// p_z at that moment, N s.
    pub normal_impulse: f64,
    /// In which stage.
    pub stage: Stage,
    /// Whether it holds.
    pub stable: bool,
    /// Unit direction, world axes, in which an unstable contact leaves; zero if it holds.
    pub direction: Vec3,
}

/// The result of an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// Impulse on the first body, world axes, N s; the second feels the opposite.
    pub impulse: Vec3,
    /// Relative velocity of the contact points afterwards, world axes, m/s.
    pub velocity: Vec3,
    /// Work of the normal impulse up to maximum compression, J (negative).
    pub compression_work: f64,
    /// Normal impulse up to maximum compression, N s.
    pub compression_impulse: f64,
    /// Work of the normal impulse, J.
    pub normal_work: f64,
    /// Work of the friction impulse, J (never positive).
    pub friction_work: f64,
    /// Change of the kinetic energy, J: ½ (u_f + u_s)·p.
    pub energy: f64,
    /// What the contact did last; `None` if the bodies did not approach and nothing happened.
    pub regime: Option<Regime>,
    /// When the slip vanished, if it did.
    pub stick: Option<Stick>,
    /// Steps of integration.
    pub steps: u32,
}

/// Resolves an impact.
///
/// Bodies that do not approach each other are left alone: the impulse is zero and `regime` is
/// `None`.
pub fn collide(collision: &Collision) -> Result<Response, CollisionError> {
    Ok(solve(collision, None)?.0)
}

/// Resolves an impact and keeps its path.
pub fn collide_traced(collision: &Collision) -> Result<(Response, Trace), CollisionError> {
    let mut records = Vec::new();
    let (response, scaled) = solve(collision, Some(&mut records))?;
    let Some(scaled) = scaled else { return Ok((response, Trace::default())) };
    let unit = scaled.speed / scaled.stiffness;
    let points = records.iter().map(|(p, stage, regime)| TracePoint {
        impulse: scaled.impulse(p.u - scaled.start) * unit,
        velocity: p.u * scaled.speed,
        normal_work: p.work * unit * scaled.speed,
        stage: *stage,
        regime: *regime,
    });
    Ok((response, Trace { axes: scaled.axes, points: points.collect() }))
}

fn solve(
    collision: &Collision,
    record: Option<&mut Vec<Record>>,
) -> Result<(Response, Option<Scaled>), CollisionError> {
    let Some(scaled) = Scaled::new(collision)? else {
        return Ok((nothing(collision.velocity), None));
    };
    let end = path::run(collision, &scaled, record)?;
    // units of impulse and work
    let unit = scaled.speed / scaled.stiffness;
    let joule = unit * scaled.speed;
    let p = scaled.impulse(end.point.u - scaled.start);
    let energy = 0.5 * (end.point.u + scaled.start).dot(p);
    let response = Response {
        impulse: scaled.axes * p * unit,
        velocity: scaled.axes * end.point.u * scaled.speed,
        compression_work: end.compression.work * joule,
        compression_impulse: end.compression.normal * unit,
        normal_work: end.point.work * joule,
        friction_work: (energy - end.point.work) * joule,
        energy: energy * joule,
        regime: Some(end.regime),
        stick: end.stick.map(|s| Stick {
            normal_impulse: s.normal_impulse * unit,
            direction: scaled.axes * s.direction,
            ..s
        }),
        steps: end.steps,
    };
    Ok((response, Some(scaled)))
}

/// The response of bodies that separate.
pub(super) fn nothing(velocity: Vec3) -> Response {
    Response {
        impulse: Vec3::ZERO,
        velocity,
        compression_work: 0.0,
        compression_impulse: 0.0,
        normal_work: 0.0,
        friction_work: 0.0,
        energy: 0.0,
        regime: None,
        stick: None,
        steps: 0,
    }
}

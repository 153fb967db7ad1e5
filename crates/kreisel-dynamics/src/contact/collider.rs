//! The surfaces of bodies as contact needs them: in the principal frame about the centre of mass,
//! with their boxes.

use super::material::Material;
use crate::body::BodyKind;
use crate::collider::{BodySurface, ColliderId};
use crate::math::{Mat3, Quat, Vec3};
use crate::model::{BodyRecord, Model};
use kreisel_geometry::broad::Aabb;
use kreisel_geometry::{Pose, Shape};

/// Shapes with a short cut in the narrow phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Radius.
    Sphere(f64),
    /// Half edges.
    Box(Vec3),
    /// Normal and offset in the shape's frame.
    Plane(Vec3, f64),
    Other,
}

/// A shape that takes part in contact.
#[derive(Clone, Debug)]
pub(crate) struct Collider {
    /// Slot of its body.
    pub slot: u32,
    /// Which of the body's surfaces it is; `None` is the body's own shape.
    pub own: Option<ColliderId>,
    /// Whether impulses move the body.
    pub moves: bool,
    pub kinematic: bool,
    pub sensor: bool,
    pub shape: Shape,
    pub kind: Kind,
    /// The shape's frame in the body's principal frame.
    pub offset: Vec3,
    pub turn: Quat,
    /// Box round the shape in its own frame; infinite for half-spaces.
    pub center: Vec3,
    pub half: Vec3,
    /// Radius of a ball about the centre of mass that holds the shape.
    pub radius: f64,
    /// Smallest extent: the scale of what counts as near.
    pub size: f64,
    /// Radius of a ball about the centre of the box that lies within the shape; 0 where nobody
    /// knows one.
    pub core: f64,
    pub material: Material,
    pub member: u32,
    pub with: u32,
    /// Solid from this side only, in the body's principal frame.
    pub one_way: Option<Vec3>,
}

/// Pose of a body: centre of mass, principal frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub x: Vec3,
    pub q: Quat,
    pub r: Mat3,
}

impl Collider {
    fn new(slot: u32, body: &BodyRecord, surface: &BodySurface<'_>) -> Self {
        let mut shape = surface.shape.clone();
        let (mut turn, mut offset) =
            (body.principal.conjugate(), body.principal.conjugate() * -body.center);
        if surface.collider.is_some() {
            offset += turn * surface.pose.position;
            turn = (turn * surface.pose.rotation).normalize();
        }
        // one part that is merely placed: the place is ours
        while let Shape::Compound(parts) = &shape
            && let [part] = &parts[..]
        {
            offset += turn * part.pose.position;
            turn = (turn * part.pose.rotation).normalize();
            shape = part.shape.clone();
        }
        let bounds = Aabb::of(&shape, &Pose::IDENTITY);
        let (center, half) = if bounds.lo.is_finite() && bounds.hi.is_finite() {
            (0.5 * (bounds.lo + bounds.hi), 0.5 * (bounds.hi - bounds.lo))
        } else {
            (Vec3::ZERO, Vec3::INFINITY)
        };
        let kind = match &shape {
            Shape::Sphere { radius } => Kind::Sphere(*radius),
            Shape::Box { size } => Kind::Box(*size * 0.5),
            Shape::HalfSpace { normal, offset } => Kind::Plane(*normal, *offset),
            _ => Kind::Other,
        };
        let radius = match kind {
            Kind::Sphere(r) => r + offset.length(),
            _ => (offset + turn * center).length() + half.length(),
        };
        Self {
            slot,
            own: surface.collider,
            moves: body.desc.kind == BodyKind::Dynamic,
            kinematic: body.desc.kind == BodyKind::Kinematic,
            sensor: surface.sensor,
            kind,
            offset,
            turn,
            center,
            half,
            radius,
            size: half.min_element(),
            core: core(&shape, center),
            material: surface.material.clone(),
            member: surface.groups.member,
            with: surface.groups.with,
            one_way: surface.one_way.map(|d| body.principal.conjugate() * d.normalize_or_zero()),
            shape,
        }
    }

    /// Pose of the shape's frame for a pose of the body.
    pub fn pose(&self, body: &Place) -> Pose {
        Pose { position: body.x + body.q * self.offset, rotation: (body.q * self.turn).normalize() }
    }

    /// The box round the shape, enlarged by `margin`.
    pub fn bounds(&self, body: &Place, margin: f64) -> Aabb {
        if !self.half.is_finite() {
            return Aabb { lo: Vec3::NEG_INFINITY, hi: Vec3::INFINITY };
        }
        let center = self.middle(body);
        let reach = if let Kind::Sphere(r) = self.kind {
            Vec3::splat(r)
        } else {
            let m = if self.turn == Quat::IDENTITY {
                body.r
            } else {
                body.r * Mat3::from_quat(self.turn)
            };
            m.x_axis.abs() * self.half.x
                + m.y_axis.abs() * self.half.y
                + m.z_axis.abs() * self.half.z
        };
        let reach = reach + Vec3::splat(margin);
        Aabb { lo: center - reach, hi: center + reach }
    }

    /// Distance from the centre of mass that turning moves: a ball turns in itself.
    pub fn lever(&self) -> f64 {
        if let Kind::Sphere(_) = self.kind { self.offset.length() } else { self.radius }
    }

    /// Centre of the box round the shape.
    pub fn middle(&self, body: &Place) -> Vec3 {
        body.x + body.r * (self.offset + self.turn * self.center)
    }

    /// What counts as near without any motion, in m.
    pub fn nearness(&self) -> f64 {
        if self.size.is_finite() { (0.1 * self.size).min(0.01) } else { 0.01 }
    }
}

/// Radius of a ball about `center` that lies within a shape; 0 where that is not quickly told.
fn core(shape: &Shape, center: Vec3) -> f64 {
    match shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
        Shape::Box { size } => 0.5 * size.min_element(),
        Shape::Cylinder { radius, height } => radius.min(0.5 * height),
        Shape::Ellipsoid { radii } => radii.min_element(),
        Shape::Disc { radius, height, .. } => radius.min(0.5 * height),
        Shape::Hull(hull) => {
            let depths = hull.faces().iter().map(|f| f.offset - f.normal.dot(center));
            depths.fold(f64::INFINITY, f64::min).max(0.0)
        }
        _ => 0.0,
    }
}

/// All surfaces of a model in the order of their bodies' slots.
pub(crate) fn collect(model: &Model) -> Vec<Collider> {
    model.surfaces().iter().map(|(slot, body, s)| Collider::new(*slot, body, s)).collect()
}

//! Machine elements that tie coordinates of joints to each other, by the words of their field.
//!
//! | element | what it holds | joints |
//! |---|---|---|
//! | gear | q₂ = i q₁ + c | two hinges; the ratio i is negative where wheels mesh outside |
//! | rack | x = r q + c | hinge of the pinion, slider of the rack |
//! | screw | x = p q/2π + c | angle and position of one cylindrical joint, or of two joints |
//! | belt | rₖ qₖ = r₁ q₁ + cₖ | hinges of all wheels; a negative radius on the back of the belt |
//! | differential | s q₁ + (1 − s) q₂ = q₃ + c | two shafts and the case |
//! | cam | x = f(q) + c | cam and follower; f a formula in `q` |
//! | constant-velocity | twist = c | a ball joint |
//!
//! The phase c is what the equation needs where the element is added, unless it is given. All of
//! them are sums of functions of coordinates ([`crate::constraint::coupling`]), so that every
//! method holds them alike.
//!
//! Coordinates are those of the second body of a joint against the first: two wheels mesh only
//! where both hinges start from one body (or from bodies that stand still). The wheels of a
//! planetary gear turn on a carrier: with q_c its coordinate, wheels that hang on the carrier's
//! base count as q − q_c, those on the carrier as q.

use super::constraint::{ConstraintKind, CoupledJoint};
use crate::body::{BodyId, BodyKind};
use crate::error::ModelError;
use crate::formula::Expression;
use crate::joint::{Coordinate, JointId};
use crate::model::Model;

/// What ties coordinates of joints together; the module's table has the equations.
#[derive(Clone, Debug, PartialEq)]
pub enum Transmission {
    /// Two wheels that mesh, spur, internal or bevel.
    Gear {
        /// Their hinges.
        joints: [JointId; 2],
        /// Angle of the second by angle of the first.
        ratio: f64,
        /// Hinge of the carrier that the axes turn with.
        carrier: Option<JointId>,
    },
    /// A rack that a pinion moves.
    Rack {
        /// Hinge of the pinion and slider of the rack.
        joints: [JointId; 2],
        /// Rolling radius, m.
        radius: f64,
    },
    /// A screw and its nut.
    Screw {
        /// The joint that turns and the one that moves along, which may be the same.
        joints: [JointId; 2],
        /// Way of one turn, m.
        lead: f64,
    },
    /// A belt or chain over wheels.
    Belt {
        /// Hinges of the wheels.
        joints: Vec<JointId>,
        /// Their radii, m; negative where the belt runs over its back.
        radii: Vec<f64>,
    },
    /// A differential.
    Differential {
        /// Hinges of both shafts and of the case.
        joints: [JointId; 3],
        /// Share s of the first shaft: what it takes of the torque.
        share: f64,
    },
    /// A cam with its follower.
    Cam {
        /// Joints of cam and follower.
        joints: [JointId; 2],
        /// Which of their coordinates.
        coordinates: [Coordinate; 2],
        /// Lift by the coordinate `q` of the cam.
        profile: Expression,
    },
    /// A coupling of two shafts that turns both at the same speed, whatever the angle between them.
    ConstantVelocity {
        /// A ball joint whose axis is that of both shafts.
        joint: JointId,
    },
}

/// One equation: the sum of what the coordinates contribute.
pub(crate) struct Equation {
    pub joints: Vec<CoupledJoint>,
    /// A function of the coordinate of `joints[0]`, taken away from the sum.
    pub profile: Option<Expression>,
}

impl Equation {
    fn linear(list: &[(JointId, Coordinate, f64)]) -> Self {
        let joints = list
            .iter()
            .map(|&(joint, coordinate, f)| CoupledJoint::new(joint, coordinate, f))
            .collect();
        Self { joints, profile: None }
    }
}

impl Model {
    /// Checks the transmissions that a joint takes part in.
    pub(crate) fn check_transmissions(&self, joint: JointId) -> Result<(), ModelError> {
        for (_, _, constraint) in self.constraints.iter() {
            if let ConstraintKind::Transmission { of, .. } = &constraint.desc.kind
                && of.joints().contains(&joint)
            {
                of.equations(&constraint.name, self)?;
            }
        }
        Ok(())
    }
}

impl Transmission {
    /// Number of equations.
    pub fn rows(&self) -> usize {
        if let Self::Belt { joints, .. } = self { joints.len().saturating_sub(1) } else { 1 }
    }

    /// Name as in scene files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Gear { .. } => "gear",
            Self::Rack { .. } => "rack",
            Self::Screw { .. } => "screw",
            Self::Belt { .. } => "belt",
            Self::Differential { .. } => "differential",
            Self::Cam { .. } => "cam",
            Self::ConstantVelocity { .. } => "constant-velocity",
        }
    }

    /// Its joints, the carrier last.
    pub fn joints(&self) -> Vec<JointId> {
        self.clone().joints_mut().into_iter().map(|j| *j).collect()
    }

    /// Its joints, to put others in their place.
    pub(crate) fn joints_mut(&mut self) -> Vec<&mut JointId> {
        match self {
            Self::Gear { joints, carrier, .. } => joints.iter_mut().chain(carrier).collect(),
            Self::Rack { joints, .. } | Self::Screw { joints, .. } | Self::Cam { joints, .. } => {
                joints.iter_mut().collect()
            }
            Self::Belt { joints, .. } => joints.iter_mut().collect(),
            Self::Differential { joints, .. } => joints.iter_mut().collect(),
            Self::ConstantVelocity { joint } => vec![joint],
        }
    }

    /// The number that describes it: key of scenes, unit, value.
    pub fn measure(&self) -> Option<(&'static str, &'static str, f64)> {
        match self {
            Self::Gear { ratio, .. } => Some(("ratio", "", *ratio)),
            Self::Rack { radius, .. } => Some(("radius", "m", *radius)),
            Self::Screw { lead, .. } => Some(("lead", "m", *lead)),
            Self::Differential { share, .. } => Some(("share", "", *share)),
            Self::Belt { .. } | Self::Cam { .. } | Self::ConstantVelocity { .. } => None,
        }
    }

    /// Sets that number; false where there is none.
    pub fn set_measure(&mut self, value: f64) -> bool {
        match self {
            Self::Gear { ratio: x, .. }
            | Self::Rack { radius: x, .. }
            | Self::Screw { lead: x, .. }
            | Self::Differential { share: x, .. } => *x = value,
            Self::Belt { .. } | Self::Cam { .. } | Self::ConstantVelocity { .. } => return false,
        }
        true
    }

    /// Its equations without their phases, after a check that they mean something.
    pub(crate) fn equations(&self, name: &str, model: &Model) -> Result<Vec<Equation>, ModelError> {
        use Coordinate::{Angle, Position};
        self.check(name)?;
        Ok(match self {
            Self::Gear { joints: [a, b], ratio, carrier: None } => {
                let [sa, sb] = common_base(&[*a, *b], name, model)?[..] else {
                    return Ok(Vec::new());
                };
                vec![Equation::linear(&[(*a, Angle, -ratio * sa), (*b, Angle, sb)])]
            }
            Self::Gear { joints: [a, b], ratio, carrier: Some(c) } => {
                let [ca, cb] = [on_carrier(*a, *c, name, model)?, on_carrier(*b, *c, name, model)?];
                // coordinates against the carrier, whose own falls out where both hang on it
                let of_carrier = -ratio * ca + cb;
                let wheels = [(*a, Angle, -ratio), (*b, Angle, 1.0)];
                let carrier = (of_carrier != 0.0).then_some((*c, Angle, of_carrier));
                vec![Equation::linear(&wheels.into_iter().chain(carrier).collect::<Vec<_>>())]
            }
            Self::Rack { joints: [a, b], radius } => {
                let [sa, sb] = common_base(&[*a, *b], name, model)?[..] else {
                    return Ok(Vec::new());
                };
                vec![Equation::linear(&[(*a, Angle, -radius * sa), (*b, Position, sb)])]
            }
            Self::Screw { joints: [a, b], lead } => {
                let [sa, sb] = common_base(&[*a, *b], name, model)?[..] else {
                    return Ok(Vec::new());
                };
                let pitch = lead / std::f64::consts::TAU;
                vec![Equation::linear(&[(*a, Angle, -pitch * sa), (*b, Position, sb)])]
            }
            Self::Belt { joints, radii } => {
                let signs = common_base(joints, name, model)?;
                let wheel = |k: usize, sign: f64| (joints[k], Angle, sign * signs[k] * radii[k]);
                (1..joints.len())
                    .map(|k| Equation::linear(&[wheel(0, -1.0), wheel(k, 1.0)]))
                    .collect()
            }
            Self::Differential { joints: [a, b, case], share } => {
                let signs = common_base(&[*a, *b, *case], name, model)?;
                vec![Equation::linear(&[
                    (*a, Angle, share * signs[0]),
                    (*b, Angle, (1.0 - share) * signs[1]),
                    (*case, Angle, -signs[2]),
                ])]
            }
            Self::Cam { joints: [a, b], coordinates: [qa, qb], profile } => {
                common_base(&[*a, *b], name, model)?;
                let mut equation = Equation::linear(&[(*a, *qa, 0.0), (*b, *qb, 1.0)]);
                equation.profile = Some(profile.clone());
                vec![equation]
            }
            Self::ConstantVelocity { joint } => vec![Equation::linear(&[(*joint, Angle, 1.0)])],
        })
    }

    fn check(&self, name: &str) -> Result<(), ModelError> {
        let rule = |ok: bool, field, must, value| {
            if ok {
                Ok(())
            } else {
                Err(ModelError::OutOfRange { item: name.to_owned(), field, must, value })
            }
        };
        if let Some((field, _, value)) = self.measure() {
            rule(value.is_finite() && value != 0.0, field, "finite and other than 0", value)?;
        }
        if let Self::Differential { share, .. } = self {
            rule(*share < 1.0 && *share > 0.0, "share", "between 0 and 1", *share)?;
        }
        if let Self::Belt { joints, radii } = self {
            rule(joints.len() >= 2, "number of joints", "two or more", joints.len() as f64)?;
            rule(
                joints.len() == radii.len(),
                "number of radii",
                "that of the joints",
                radii.len() as f64,
            )?;
            for r in radii {
                rule(r.is_finite() && *r != 0.0, "radii", "finite and other than 0", *r)?;
            }
        }
        let mut seen = self.joints();
        if !matches!(self, Self::Screw { .. }) {
            let given = seen.len();
            seen.sort_by_key(|j| (j.index, j.generation));
            seen.dedup();
            rule(seen.len() == given, "joints", "different from each other", given as f64)?;
        }
        Ok(())
    }
}

/// The ground where a body stands still, else the body.
fn base(body: BodyId, model: &Model) -> BodyId {
    let still = model.body(body).is_none_or(|b| b.desc.kind == BodyKind::Static);
    if still { BodyId::WORLD } else { body }
}

fn ends(joint: JointId, name: &str, model: &Model) -> Result<[BodyId; 2], ModelError> {
    let record = model.joint(joint).ok_or_else(|| ModelError::UnknownElement(name.to_owned()))?;
    Ok(record.desc.bodies.map(|b| base(b, model)))
}

/// 1 for each joint that starts from the body that all have in common, −1 for each that ends there.
fn common_base(joints: &[JointId], name: &str, model: &Model) -> Result<Vec<f64>, ModelError> {
    let of: Vec<[BodyId; 2]> =
        joints.iter().map(|j| ends(*j, name, model)).collect::<Result<_, _>>()?;
    let shared = |body: &BodyId| of.iter().all(|ends| ends.contains(body));
    let Some(common) = of.first().and_then(|ends| ends.iter().copied().find(shared)) else {
        return Err(ModelError::NoCommonBody { item: name.to_owned() });
    };
    Ok(of.iter().map(|ends| if ends[0] == common { 1.0 } else { -1.0 }).collect())
}

/// What the carrier's coordinate counts for a wheel: 0 on the carrier, −1 on the carrier's base.
fn on_carrier(
    wheel: JointId,
    carrier: JointId,
    name: &str,
    model: &Model,
) -> Result<f64, ModelError> {
    let ([from, _], [stand, arm]) = (ends(wheel, name, model)?, ends(carrier, name, model)?);
    match from {
        b if b == arm => Ok(0.0),
        b if b == stand => Ok(-1.0),
        _ => Err(ModelError::NoCommonBody { item: name.to_owned() }),
    }
}

//! Measuring a world: coordinates, joint errors, reactions, energies, and what it is made of.

use crate::body::{BodyId, BodyKind};
use crate::connector::{STAND_IN, item_of};
use crate::constraint::{Pair, Row};
use crate::engine::{self, coordinate_rate, pair};
use crate::joint::{Coordinate, JointId};
use crate::math::Vec3;
use crate::report::{Analysis, Energy, Reaction, Redundant};
use crate::solver::block::MAX_ROWS;
use crate::solver::rank;
use crate::system::rows::node_rows;
use crate::system::{NONE, Node, System};
use crate::world::World;
use crate::{JointKind, MotorId, SpringId};

impl System {
    /// The joint with the largest error relative to its tolerance, in the present poses: ratio,
    /// node, gap, misalignment.
    pub(crate) fn worst_joint(&self) -> Option<(f64, usize, f64, f64)> {
        let mut worst: Option<(f64, usize, f64, f64)> = None;
        for (k, node) in self.nodes[..self.position_nodes].iter().enumerate() {
            if node.joint == NONE {
                continue;
            }
            let (a, b) = (self.pose(node.bodies[0]), self.pose(node.bodies[1]));
            let (gap, tilt) = if let Some(g) = self.guides.get(node.guide as usize) {
                let gap = if node.hard > 0 {
                    g.guide.foot(&g.places(|b| self.pose(b))).offset.length()
                } else {
                    0.0
                };
                (gap, 0.0)
            } else if node.ball {
                (
                    (b.x + b.r * node.frames[1].origin - a.x - a.r * node.frames[0].origin)
                        .length(),
                    0.0,
                )
            } else {
                node.parts.error(&Pair::new(&node.frames, a, b))
            };
            let ratio = (gap / self.tolerance.position).max(tilt / self.tolerance.angle);
            if worst.is_none_or(|w| ratio > w.0) {
                worst = Some((ratio, k, gap, tilt));
            }
        }
        worst
    }

    /// Mean reaction of a joint over a step of `h`, from the impulses of that step.
    pub(crate) fn reaction(&self, joint: JointId, h: f64) -> Reaction {
        let mut reaction = Reaction::default();
        for node in self
            .nodes
            .iter()
            .filter(|n| n.joint != NONE && self.joints[n.joint as usize].id == joint)
        {
            self.add_reaction(node, h, &mut reaction);
        }
        reaction
    }

    /// Adds what the rows of one node contribute to its joint's reaction.
    fn add_reaction(&self, node: &Node, h: f64, reaction: &mut Reaction) {
        if let Some(g) = self.guides.get(node.guide as usize) {
            let rows = g.row_directions(node, &self.bounds, &g.places(|b| self.pose(b)));
            for (i, e) in rows[..usize::from(node.rows)].iter().enumerate() {
                reaction.force += *e * (self.total[node.row0 as usize + i] / h);
            }
            return;
        }
        if node.ball {
            // Its rows are the three axes with the arms that belong to them: no torque about the
            // anchor.
            let first = node.row0 as usize;
            reaction.force +=
                Vec3::new(self.total[first], self.total[first + 1], self.total[first + 2]) / h;
            return;
        }
        let p = Pair::new(&node.frames, self.pose(node.bodies[0]), self.pose(node.bodies[1]));
        let mut rows = [Row::default(); MAX_ROWS];
        node_rows(node, &self.bounds, &p, &mut rows);
        for (i, row) in rows[..usize::from(node.rows)].iter().enumerate() {
            let f = self.total[node.row0 as usize + i] / h;
            reaction.force += row.n * f;
            reaction.torque += (row.a[1] - p.arm[1].cross(row.n)) * f;
        }
    }
}

impl World {
    /// Value of a joint's free coordinate (rad or m); angles are counted over many turns.
    pub fn coordinate(&self, joint: JointId, coordinate: Coordinate) -> Option<f64> {
        let record = self.model.joint(joint).filter(|j| j.desc.kind.has(coordinate))?;
        Some(self.engine.coordinate(record, joint.index, coordinate, &self.state))
    }

    /// Rate of a joint's free coordinate (rad/s or m/s).
    pub fn coordinate_rate(&self, joint: JointId, coordinate: Coordinate) -> Option<f64> {
        let record = self.model.joint(joint).filter(|j| j.desc.kind.has(coordinate))?;
        Some(coordinate_rate(record, coordinate, &self.state))
    }

    /// Present error of a joint: gap of its position part (m) and misalignment of its rotation part
    /// (rad).
    pub fn joint_error(&self, joint: JointId) -> Option<(f64, f64)> {
        let record = self.model.joint(joint)?;
        if let Some(g) = &record.guide {
            return Some((
                g.guide.foot(&g.stand(|b| engine::pose(b, &self.state))).offset.length(),
                0.0,
            ));
        }
        Some(record.parts().error(&pair(record, &self.state)))
    }

    /// Reaction of a joint, averaged over the last step.
    pub fn reaction(&self, joint: JointId) -> Option<Reaction> {
        self.model.joint(joint)?;
        if self.model.settings.method == crate::Method::Lagrange {
            return self.engine.lagrange_reaction(&self.model, joint);
        }
        let (s, _) = self.engine.nodes.get(joint.index as usize).copied().flatten()?;
        (self.engine.last_h > 0.0)
            .then(|| self.engine.systems[s as usize].reaction(joint, self.engine.last_h))
    }

    /// Reactions of all joints that have one, in the order of [`World::joints`]: one pass instead
    /// of one per joint.
    pub fn reactions(&self) -> Vec<(JointId, Reaction)> {
        if self.model.settings.method == crate::Method::Lagrange {
            let one = |j| Some((j, self.engine.lagrange_reaction(&self.model, j)?));
            return self.joints().filter_map(one).collect();
        }
        let h = self.engine.last_h;
        if !(h > 0.0) {
            return Vec::new();
        }
        let mut found: Vec<Option<Reaction>> = vec![None; self.engine.nodes.len()];
        for system in &self.engine.systems {
            for node in system.nodes.iter().filter(|n| n.joint != NONE) {
                let slot = system.joints[node.joint as usize].id.index as usize;
                if let Some(entry) = found.get_mut(slot) {
                    system.add_reaction(node, h, entry.get_or_insert_default());
                }
            }
        }
        self.joints()
            .filter_map(|j| Some((j, found.get(j.index as usize).copied().flatten()?)))
            .collect()
    }

    /// Effort of a motor in the last step, N or N m.
    pub fn motor_effort(&self, motor: MotorId) -> Option<f64> {
        let record = self.model.motor(motor)?;
        if self.model.settings.method == crate::Method::Lagrange {
            return self.engine.lagrange.motor_effort(motor.index);
        }
        let row = self
            .engine
            .systems
            .iter()
            .find_map(|s| s.drive_effort(motor.index, self.engine.last_h));
        let held = !matches!(record.desc.control, crate::Control::Velocity(_));
        row.or_else(|| self.engine.efforts.get(motor.index as usize).copied().filter(|_| held))
    }

    /// Effort of the spring, damper and rotor on a joint's coordinate in the last step, N or N m.
    pub fn passive_effort(&self, joint: JointId, coordinate: Coordinate) -> Option<f64> {
        self.engine.passive_effort(&self.model, &self.state, joint, coordinate)
    }

    /// Present energies, J.
    pub fn energy(&self) -> Energy {
        engine::energy(&self.model, &self.state, &self.engine.angles)
    }

    /// Total momentum (N s) and angular momentum about the origin (N m s).
    pub fn momentum(&self) -> (Vec3, Vec3) {
        let (mut p, mut l) = (Vec3::ZERO, Vec3::ZERO);
        for (slot, _, b) in
            self.model.bodies.iter().filter(|(_, _, b)| b.desc.kind == BodyKind::Dynamic)
        {
            let s = self.state.slot(slot);
            let impulse = s.velocity * b.desc.mass.mass;
            let spin = s.rotation * (b.moments * (s.rotation.conjugate() * s.angular_velocity));
            p += impulse;
            l += s.position.cross(impulse) + spin;
        }
        (p, l)
    }

    /// Bodies, joints, degrees of freedom, loops, rank and redundant rows in the present
    /// configuration.
    ///
    /// The rank comes from a dense factorisation with full pivoting where there are loops; it is
    /// meant for build time and for questions, not for every step.
    pub fn analyse(&self) -> Analysis {
        let mut world = self.clone();
        world.engine.prepare(&world.model, &world.state);
        let mut a = Analysis::default();
        for (_, _, b) in
            self.model.bodies.iter().filter(|(_, _, b)| b.desc.kind == BodyKind::Dynamic)
        {
            a.bodies += 1;
            a.mass += b.desc.mass.mass;
            a.freedom += 3 + (0..3).filter(|&k| b.moments[k] > 0.0).count();
        }
        for system in &mut world.engine.systems {
            system.import(&self.state);
            system.refresh();
            system.refresh_rows();
            a.chains += if system.is_tied() { 1 } else { system.slots.len() };
            // Constraints of joint kinds stand in a system as joints; they are counted as what they
            // are.
            a.joints += system.joints.iter().filter(|j| j.id.index < STAND_IN).count();
            a.loops += system.loops;
            let found = rank::rank(system);
            a.rows += found.rows;
            a.rank += found.rows - found.redundant.len();
            for r in found.redundant {
                let joint = &system.joints[r.joint as usize];
                let mut names: Vec<_> =
                    r.implied_by.iter().map(|&j| system.joints[j as usize].name.clone()).collect();
                names.dedup();
                a.redundant.push(Redundant {
                    item: item_of(joint.id),
                    name: joint.name.clone(),
                    row: r.row,
                    implied_by: names,
                });
            }
        }
        // Constraints between connectors: of joint kinds or formulas, they all take freedom.
        let with = self.conditions();
        (a.constraints, a.constraint_rows) = (with.constraints, with.rows);
        if with.constraints > 0 {
            a.rank = with
                .rank
                .unwrap_or((with.joint_rows + with.rows).saturating_sub(a.redundant.len()));
            a.rows = with.joint_rows;
        }
        a.freedom = a.freedom.saturating_sub(a.rank);
        a
    }

    /// Anchors of a joint in the frames of its two bodies, m. They do not change while the joint
    /// exists.
    pub fn joint_anchors_local(&self, id: JointId) -> Option<[Vec3; 2]> {
        let record = self.model.joint(id)?;
        self.local(record.desc.bodies, record.frames.map(|f| f.origin))
    }

    /// What a rail or polygon lies on: its ends or corners in their order, each in the frame of its
    /// body, m. Empty for other joints.
    pub fn joint_supports_local(&self, id: JointId) -> Vec<(BodyId, Vec3)> {
        let guide = self.model.joint(id).and_then(|j| j.guide.as_ref());
        let place = |&(body, at): &(BodyId, Vec3)| {
            let record = self.model.body(body)?;
            Some((body, record.center + record.principal * at))
        };
        // the first place is the point itself
        guide.map_or(Vec::new(), |g| g.places[1..].iter().filter_map(place).collect())
    }

    /// Anchors of a spring in the frames of its two bodies, m.
    pub fn spring_anchors_local(&self, id: SpringId) -> Option<[Vec3; 2]> {
        let record = self.model.spring(id)?;
        self.local(record.desc.bodies, record.anchors)
    }

    /// From principal frames at the centres of mass to the bodies' own frames.
    fn local(&self, bodies: [BodyId; 2], points: [Vec3; 2]) -> Option<[Vec3; 2]> {
        let [a, b] = [self.model.body(bodies[0])?, self.model.body(bodies[1])?];
        Some([a.center + a.principal * points[0], b.center + b.principal * points[1]])
    }

    /// The kind of a joint.
    pub fn joint_kind(&self, joint: JointId) -> Option<JointKind> {
        self.model.joint(joint).map(|j| j.desc.kind)
    }
}

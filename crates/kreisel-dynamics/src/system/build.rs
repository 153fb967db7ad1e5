//! From the model to independent chains (Bender 3.3.2.3; B-44 to B-47, B-51, B-52): the connection
//! graph, its loops, the choice of what is factorised and what is iterated, and the layout of each
//! chain.
//!
//! Bodies that are joined or tied by springs belong to one chain; static and kinematic bodies
//! separate chains. Bodies without any tie share one system, because they need nothing but free
//! motion.

use super::group::Group;
use super::guide::{NO_EDGE, SystemGuide};
use super::springs::{sort_springs, spring_nodes};
use super::{
    Bound, BoundKind, BoundState, Memory, NONE, Node, Other, Profile, System, SystemJoint,
    SystemSpring, set3,
};
use crate::body::{BodyId, BodyKind};
use crate::connector::{ConstraintId, ConstraintRecord, PlacedPoint, Placement, StandIn};
use crate::constraint::coordinate::Measure;
use crate::constraint::guide::{GuideKind, MAX_PLACES};
use crate::constraint::{Parts, Pose};
use crate::force::{Control, SpringMode};
use crate::joint::{JointId, PositionPart};
use crate::lanes::LANES;
use crate::math::Vec3;
use crate::model::{BodyRecord, JointRecord, Model};
use crate::settings::Method;
use crate::solver::block::MAX_ROWS;
use crate::solver::ldlt::Factor;
use crate::step::law::Law;
use std::collections::BTreeMap;

/// Sets of connected things.
pub(super) struct Union(Vec<u32>);

impl Union {
    pub fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }
    fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] as usize != i {
            self.0[i] = self.0[self.0[i] as usize];
            i = self.0[i] as usize;
        }
        i
    }
    /// Joins two sets; false when they were one already.
    pub fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b) as u32;
        a != b
    }
}

/// Splits the model into chains.
pub(crate) fn build(model: &Model, stand_ins: &[StandIn], border: &[ConstraintId]) -> Vec<System> {
    let slots = model.bodies.slots();
    let moves = |id: BodyId| model.body(id).is_some_and(|b| b.desc.kind == BodyKind::Dynamic);
    let mut union = Union::new(slots);
    let mut tied = vec![false; slots];
    let mut tie = |bodies: &mut dyn Iterator<Item = BodyId>| {
        let mut first: Option<BodyId> = None;
        for id in bodies.filter(|&id| moves(id)) {
            tied[id.index as usize] = true;
            let first = *first.get_or_insert(id);
            union.join(first.index as usize, id.index as usize);
        }
    };
    for (_, _, j) in model.joints.iter().filter(|(_, _, j)| j.desc.active) {
        tie(&mut j.desc.all_bodies());
    }
    for s in stand_ins {
        tie(&mut s.record.desc.bodies.into_iter());
    }
    let border: Vec<(ConstraintId, &ConstraintRecord)> = border
        .iter()
        .filter_map(|c| Some((*c, model.constraints.get(c.index, c.generation)?)))
        .collect();
    for (_, c) in &border {
        tie(&mut c.bodies.iter().copied());
    }
    for (_, _, s) in model.springs.iter() {
        tie(&mut s.desc.bodies.into_iter());
    }
    // chains in the order of their first body; slot 0 is the world and stands for the free bodies
    let mut chains: BTreeMap<usize, Chain<'_>> = BTreeMap::new();
    for (i, _, body) in model.bodies.iter() {
        if body.desc.kind == BodyKind::Dynamic {
            let key = if tied[i as usize] { union.root(i as usize) } else { 0 };
            chains.entry(key).or_default().bodies.push(i);
        }
    }
    let mut key_of = |mut bodies: &mut dyn Iterator<Item = BodyId>| {
        let id = Iterator::find(&mut bodies, |&id| moves(id)).unwrap_or(BodyId::WORLD);
        union.root(id.index as usize)
    };
    for (i, g, j) in model.joints.iter().filter(|(_, _, j)| j.desc.active) {
        if let Some(chain) = chains.get_mut(&key_of(&mut j.desc.all_bodies())) {
            chain.joints.push((JointId::new((i, g)), j, &[]));
        }
    }
    for s in stand_ins {
        if let Some(chain) = chains.get_mut(&key_of(&mut s.record.desc.bodies.into_iter())) {
            chain.joints.push((s.id, &s.record, &s.laws));
        }
    }
    for (id, c) in border {
        if let Some(chain) = chains.get_mut(&key_of(&mut c.bodies.iter().copied())) {
            chain.border.push((id, c));
        }
    }
    for (i, _, s) in model.springs.iter() {
        if let Some(chain) = chains.get_mut(&key_of(&mut s.desc.bodies.into_iter())) {
            chain.springs.push(i);
        }
    }
    chains.into_values().map(|chain| chain.build(model)).collect()
}

/// What belongs to one chain.
#[derive(Default)]
struct Chain<'a> {
    bodies: Vec<u32>,
    /// Joints, and those that stand in for something with its laws.
    joints: Vec<(JointId, &'a JointRecord, &'a [(Measure, Law)])>,
    springs: Vec<u32>,
    border: Vec<(ConstraintId, &'a ConstraintRecord)>,
}

impl Chain<'_> {
    /// Bodies of a path of ball joints in the order that lets four lanes work on four quarters of
    /// it.
    fn lay_path(&mut self) {
        let place: BTreeMap<u32, usize> =
            self.bodies.iter().enumerate().map(|(k, &slot)| (slot, k)).collect();
        let mut pairs = Vec::with_capacity(self.joints.len());
        for (_, joint, _) in &self.joints {
            if joint.desc.kind.parts() != (PositionPart::Point, crate::RotationPart::Free) {
                return;
            }
            pairs.push(joint.desc.bodies.map(|b| place.get(&b.index).copied()));
        }
        if let Some(order) = super::path::interleave(self.bodies.len(), &pairs) {
            self.bodies = order.into_iter().map(|k| self.bodies[k]).collect();
        }
    }

    fn build(mut self, model: &Model) -> System {
        self.lay_path();
        let records: BTreeMap<u32, &BodyRecord> =
            model.bodies.iter().map(|(i, _, b)| (i, b)).collect();
        let mut system = empty_system(model);
        let mut local: BTreeMap<u32, u32> = BTreeMap::new();
        for (k, &slot) in self.bodies.iter().enumerate() {
            local.insert(slot, k as u32);
            system.slots.push(slot);
            if k % LANES == 0 {
                system.groups.push(idle_group());
            }
            let group = &mut system.groups[k / LANES];
            lay_body(group, k % LANES, records[&slot]);
        }
        let masses = || self.bodies.iter().map(|slot| records[slot].desc.mass.mass);
        system.mass_ratio = masses().fold(0.0, f64::max) / masses().fold(f64::INFINITY, f64::min);
        let n = self.bodies.len();
        let mut index = |id: BodyId, others: &mut Vec<Other>| {
            *local.entry(id.index).or_insert_with(|| {
                others.push(Other {
                    slot: id.index,
                    x: Vec3::ZERO,
                    q: crate::math::Quat::IDENTITY,
                    now: Pose::ORIGIN,
                    then: Pose::ORIGIN,
                    velocity: Vec3::ZERO,
                    angular_velocity: Vec3::ZERO,
                });
                (n + others.len() - 1) as u32
            })
        };
        let method = self
            .bodies
            .iter()
            .find_map(|slot| records[slot].method)
            .unwrap_or(model.settings.method);
        for &s in &self.springs {
            let Some((_, _, r)) = model.springs.iter().find(|&(i, _, _)| i == s) else { continue };
            let bodies = r.desc.bodies.map(|id| index(id, &mut system.others));
            let response: f64 = [0, 1]
                .map(|k| {
                    records.get(&r.desc.bodies[k].index).map_or(0.0, |b| response(b, r.anchors[k]))
                })
                .iter()
                .sum();
            system.springs.push(SystemSpring {
                name: r.name.clone(),
                bodies,
                anchors: r.anchors,
                stiffness: r.desc.stiffness,
                damping: r.desc.damping,
                length: r.length,
                isotropic: r.desc.isotropic,
                continuous: r.desc.mode == SpringMode::Continuous,
                law: false,
                crowd: 1.0,
                response,
                node: NONE,
            });
        }
        sort_springs(&mut system, n);
        let mut sprung = spring_nodes(&mut system, n, method, model.settings.stepping);
        let mut nodes = Vec::new();
        for &(id, joint, laws) in &self.joints {
            let bodies = joint.desc.bodies.map(|b| index(b, &mut system.others));
            let masses = joint.desc.bodies.map(|b| {
                records.get(&b.index).copied().filter(|b| b.desc.kind == BodyKind::Dynamic)
            });
            let number = system.joints.len() as u32;
            system.joints.push(SystemJoint { id, name: joint.name.clone() });
            let first = nodes.len();
            add_nodes(&mut nodes, model, id, joint, laws, number, bodies, masses, n);
            let Some(record) = &joint.guide else { continue };
            let mut on = [0; MAX_PLACES];
            let mut origins = [Vec3::ZERO; MAX_PLACES];
            for k in 0..record.guide.places() {
                let (body, origin) = record.carrier(k);
                (on[k], origins[k]) = (index(body, &mut system.others), origin);
            }
            for (node, _) in &mut nodes[first..] {
                node.guide = system.guides.len() as u32;
                node.side = [NONE; 2];
                system.guides.push(SystemGuide::new(record.guide.clone(), on, origins, n));
            }
        }
        if !self.border.is_empty() {
            system.border.set_curves(&model.curves);
        }
        for &(id, record) in &self.border {
            let length = reach(record, &records);
            let System { border, others, .. } = &mut system;
            border.add(id, &record.renewed(model), length, n, &mut |body| index(body, others));
        }
        (system.loops, system.parallel) = mark_loops(&mut nodes, &system.guides, n, method);
        system.direct = nodes.iter().all(|(node, _)| !node.iterative);
        for (node, _) in &mut sprung {
            node.iterative = method == Method::Iterative && !system.direct;
        }
        nodes.extend(sprung);
        super::layout::lay_out(system, nodes, n)
    }
}

fn empty_system(model: &Model) -> System {
    System {
        slots: Vec::new(),
        groups: Vec::new(),
        others: Vec::new(),
        nodes: Vec::new(),
        joints: Vec::new(),
        bounds: Vec::new(),
        guides: Vec::new(),
        border: super::border::Border::default(),
        springs: Vec::new(),
        actuators: Vec::new(),
        factor: Factor::default(),
        position_nodes: 0,
        direct: true,
        products: Vec::new(),
        couplings: Vec::new(),
        balls: None,
        b: Vec::new(),
        bias: Vec::new(),
        residual: Vec::new(),
        goal: Vec::new(),
        is_torn: false,
        standing: 0.0,
        turned: None,
        share: 0.0,
        lambda: Vec::new(),
        z: Vec::new(),
        switched: Vec::new(),
        total: Vec::new(),
        memory: Memory::default(),
        factored: false,
        tolerance: model.settings.tolerance,
        rotation: model.settings.rotation,
        gravity: model.gravity,
        loops: 0,
        mass_ratio: 1.0,
        spring_h: f64::INFINITY,
        loose_h: f64::INFINITY,
        sprung_h: 0.0,
        kick_share: 0.5,
        whole: false,
        has_pushed: false,
        accounts: 0,
        lawful: false,
        shares_contact: false,
        limits_wait: false,
        phase: crate::step::law::Phase::Off,
        constant: Vec::new(),
        kick_start: Vec::new(),
        mu_start: Vec::new(),
        driven: false,
        unkicked: Vec::new(),
        saved: super::motion::Saved::default(),
        step_start: super::motion::Saved::default(),
        outer: super::motion::Saved::default(),
        runs: crate::step::extrapolate::Runs::default(),
        settled: false,
        asleep: false,
        now: 0.0,
        clock: 0.0,
        ahead: 0.0,
        stats: crate::step::Stats::default(),
        check_velocities: true,
        jump: f64::INFINITY,
        parallel: false,
        work: crate::step::energy_balance::Work::default(),
    }
}

/// Four lanes without bodies.
fn idle_group() -> Group {
    let mut g = Group::default();
    g.q[3] = crate::lanes::F4::splat(1.0);
    g.q1[3] = g.q[3];
    g.r = crate::lanes::quat_matrix(g.q);
    g.r1 = g.r;
    g
}

/// Puts a body's constants into a lane.
fn lay_body(g: &mut Group, l: usize, b: &BodyRecord) {
    let i = b.moments;
    let inv = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
    g.sm.0[l] = b.desc.mass.mass.sqrt();
    g.ism.0[l] = 1.0 / g.sm.0[l];
    let roots = Vec3::new(i.x.sqrt(), i.y.sqrt(), i.z.sqrt());
    set3(&mut g.si, l, roots);
    set3(&mut g.isi, l, Vec3::new(inv(roots.x), inv(roots.y), inv(roots.z)));
    let inverse = Vec3::new(inv(i.x), inv(i.y), inv(i.z));
    g.i2.0[l] = inverse.y;
    g.k3.0[l] = if i.z > 0.0 { inverse.z - inverse.y } else { 0.0 };
    let k1 = if i.x > 0.0 { inverse.x - inverse.y } else { 0.0 };
    g.k1.0[l] = k1;
    g.asymmetric |= k1 != 0.0;
}

/// 1/m + r²/J for an arm: how a point of the body answers to a force (upper estimate over
/// directions).
fn response(b: &BodyRecord, arm: Vec3) -> f64 {
    if b.desc.kind != BodyKind::Dynamic {
        return 0.0;
    }
    let r2 = arm * arm;
    let across = Vec3::new(r2.y + r2.z, r2.x + r2.z, r2.x + r2.y);
    let turn: f64 = [0, 1, 2]
        .iter()
        .map(|&k| if b.moments[k] > 0.0 { across[k] / b.moments[k] } else { 0.0 })
        .sum();
    1.0 / b.desc.mass.mass + 0.5 * turn
}

/// Characteristic length of a constraint around the factor: arms and radii of gyration of its
/// bodies, m.
fn reach(record: &ConstraintRecord, bodies: &BTreeMap<u32, &BodyRecord>) -> f64 {
    let one = |slot: u32, arm: Vec3| {
        let body = bodies.get(&slot).filter(|b| b.desc.kind == BodyKind::Dynamic);
        body.map_or(0.0, |b| arm.length().max((b.moments.max_element() / b.desc.mass.mass).sqrt()))
    };
    let sum: f64 = match &record.placed {
        Placement::Pair { slots, frames, .. } => {
            (0..2).map(|k| one(slots[k], frames[k].origin)).sum()
        }
        Placement::Coupled(_) => {
            record.sides().flat_map(|s| [0, 1].map(|k| one(s.slots[k], s.frames[k].origin))).sum()
        }
        Placement::Points(list) => list
            .iter()
            .map(|p| {
                if let PlacedPoint::Body { slot, local, .. } = p { one(*slot, *local) } else { 0.0 }
            })
            .sum(),
    };
    // mass points have no length of their own
    if sum > 0.0 { sum } else { 1.0 }
}

/// The node of a joint, and further nodes when it has more bounded rows than fit.
fn add_nodes(
    nodes: &mut Vec<(Node, Vec<Bound>)>,
    model: &Model,
    id: JointId,
    joint: &JointRecord,
    laws: &[(Measure, Law)],
    number: u32,
    bodies: [u32; 2],
    masses: [Option<&BodyRecord>; 2],
    moving: usize,
) {
    let (position, rotation) = joint.desc.kind.parts();
    let parts = Parts { position, rotation, length: joint.length, angle: joint.angle };
    let mut length = 0.0;
    let mut stiffness = 0.0;
    for k in 0..2 {
        if let Some(b) = masses[k] {
            let arm = joint.frames[k].origin;
            let gyration = (b.moments.max_element() / b.desc.mass.mass).sqrt();
            let reach = arm.length().max(gyration).max(if position == PositionPart::Distance {
                joint.length
            } else {
                0.0
            });
            length += reach;
            if reach > 0.0 {
                stiffness += response(b, arm) / reach;
            }
        }
    }
    if let Some(record) = &joint.guide {
        length = record.guide.length;
        stiffness = masses.iter().flatten().map(|b| 1.0 / b.desc.mass.mass).sum::<f64>() / length;
    }
    if length <= 0.0 {
        length = 1.0;
    }
    let mut wanted: Vec<(Measure, u8, BoundKind)> = Vec::new();
    for l in &joint.desc.limits {
        let kind = BoundKind::Limit { min: l.min, max: l.max, restitution: l.restitution };
        match &joint.guide {
            // the nearest edge changes: each one keeps the point off by itself
            Some(g) if g.guide.kind == GuideKind::Polygon => {
                wanted
                    .extend((0..g.guide.edges.len()).map(|k| (l.coordinate.into(), k as u8, kind)));
            }
            _ => wanted.push((l.coordinate.into(), NO_EDGE, kind)),
        }
    }
    for f in &joint.desc.friction {
        wanted.push((f.coordinate.into(), NO_EDGE, BoundKind::Friction { effort: f.effort }));
    }
    for (i, _, m) in model.motors.iter().filter(|(_, _, m)| m.desc.joint == id) {
        if let Control::Servo { target, pid, .. } = &m.desc.control
            && pid.window.is_none()
            && !joint.desc.velocity_only
        {
            let law = Law::servo(i, *target, pid, m.desc.max_effort);
            wanted.push((m.desc.coordinate.into(), NO_EDGE, BoundKind::Law(law)));
        }
        if let Control::Electric { winding, .. } = m.desc.control
            && !joint.desc.velocity_only
        {
            let law = Law::electric(i, winding, m.desc.max_effort);
            wanted.push((m.desc.coordinate.into(), NO_EDGE, BoundKind::Law(law)));
        }
        if matches!(m.desc.control, Control::Velocity(_)) {
            wanted.push((
                m.desc.coordinate.into(),
                NO_EDGE,
                BoundKind::Drive {
                    motor: i,
                    profile: Profile::default(),
                    rate: 0.0,
                    mean: 0.0,
                    effort: m.desc.max_effort,
                },
            ));
        }
    }
    for p in joint.desc.passive.iter().filter(|p| p.acts() && !joint.desc.velocity_only) {
        let law = Law::passive(p);
        // one row with a servo on the same coordinate
        let on_it = wanted
            .iter_mut()
            .find(|w| w.0 == p.coordinate.into() && matches!(w.2, BoundKind::Law(_)));
        match on_it {
            Some((_, _, BoundKind::Law(servo))) => *servo = servo.with(&law),
            _ => wanted.push((p.coordinate.into(), NO_EDGE, BoundKind::Law(law))),
        }
    }
    wanted.extend(laws.iter().map(|&(measure, law)| (measure, NO_EDGE, BoundKind::Law(law))));
    let node = |parts: Parts, bounds: Vec<Bound>| {
        let hard = parts.rows_len();
        let ball = position == PositionPart::Point && hard == 3 && bounds.is_empty();
        let node = Node {
            joint: number,
            spring: NONE,
            bodies,
            parts,
            frames: joint.frames,
            guide: NONE,
            row0: 0,
            rows: (hard + bounds.len()) as u8,
            hard: hard as u8,
            side: bodies.map(|b| if (b as usize) < moving { 0 } else { NONE }),
            kept: [false; 2],
            bounds: (0, 0),
            iterative: false,
            velocity_only: joint.desc.velocity_only,
            ball,
            length,
            inverse_length2: 1.0 / (length * length),
            stiffness,
        };
        (node, bounds)
    };
    let mut first = true;
    let mut rest = wanted.as_slice();
    while first || !rest.is_empty() {
        let own = if first {
            parts
        } else {
            Parts { position: PositionPart::Free, rotation: crate::RotationPart::Free, ..parts }
        };
        let (now, later) = rest.split_at(rest.len().min(MAX_ROWS - own.rows_len()));
        let bounds = now
            .iter()
            .enumerate()
            .map(|(k, &(measure, edge, kind))| Bound {
                node: 0,
                row: (own.rows_len() + k) as u8,
                measure,
                edge,
                kind,
                state: match kind {
                    BoundKind::Limit { .. } => BoundState::Idle,
                    BoundKind::Friction { .. } | BoundKind::Drive { .. } | BoundKind::Law(_) => {
                        BoundState::Held
                    }
                },
                start: 0.0,
                end: 0.0,
                along: Vec3::ZERO,
                rebound: None,
                struck: None,
                rate_before: 0.0,
            })
            .collect();
        nodes.push(node(own, bounds));
        (rest, first) = (later, false);
    }
}

/// Finds the joints that close loops (static bodies count as one: a loop through the frame is a
/// loop), and decides which joints are iterated. Several joints between the same two bodies are one
/// connection. Returns the number of closing joints and whether there are several joints between
/// the same bodies.
fn mark_loops(
    nodes: &mut [(Node, Vec<Bound>)],
    guides: &[SystemGuide],
    moving: usize,
    method: Method,
) -> (usize, bool) {
    let (mut loops, mut parallel) = (0, false);
    let mut union = Union::new(moving + 1);
    let mut tree: BTreeMap<[usize; 2], u32> = BTreeMap::new();
    for (node, _) in nodes {
        let mut pair = node.bodies.map(|b| (b as usize).min(moving));
        pair.sort_unstable();
        let mut connected = !union.join(pair[0], pair[1]);
        // a guide ties more than two: it closes a loop where any two of them were connected
        if let Some(g) = guides.get(node.guide as usize) {
            for &b in &g.bodies[1..g.guide.places()] {
                let b = (b as usize).min(moving);
                connected |= b != pair[0] && b != pair[1] && !union.join(pair[0], b);
            }
        }
        let closes =
            node.parts.rows_len() > 0 && connected && tree.get(&pair).is_none_or(|&j| j == NONE);
        tree.entry(pair).or_insert(if connected { NONE } else { node.joint });
        loops += usize::from(closes);
        parallel |= connected && !closes && node.parts.rows_len() > 0;
        node.iterative = match method {
            Method::Iterative => true,
            Method::Cut => closes,
            Method::Direct | Method::Lagrange => false,
        };
    }
    (loops, parallel)
}

//! From the model to independent chains (Bender 3.3.2.3; B-44 to B-47, B-51, B-52): the connection graph, its loops,
//! the choice of what is factorised and what is iterated, and the layout of each chain.
//!
//! Bodies that are joined or tied by springs belong to one chain; static and kinematic bodies separate chains. Bodies
//! without any tie share one system, because they need nothing but free motion.

use super::group::Group;
use super::{
    Bound, BoundKind, BoundState, Coupling, Memory, NONE, Node, Other, Product, System, SystemJoint, SystemSpring, set3,
};
use crate::body::{BodyId, BodyKind};
use crate::constraint::{Parts, Pose};
use crate::force::{Control, SpringMode};
use crate::joint::{JointId, PositionPart};
use crate::lanes::LANES;
use crate::math::Vec3;
use crate::model::{BodyRecord, JointRecord, Model};
use crate::settings::Method;
use crate::solver::block::MAX_ROWS;
use crate::solver::ldlt::Factor;
use crate::solver::order::eliminate;
use std::collections::BTreeMap;

/// A body with at least this many factorised joints is kept as a node. Measured: below six the clique of its joints is
/// cheaper than the 6 × 6 block.
const HUB_JOINTS: usize = 6;

/// Sets of connected things.
struct Union(Vec<u32>);

impl Union {
    fn new(n: usize) -> Self {
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
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b) as u32;
        a != b
    }
}

/// Splits the model into chains.
pub(crate) fn build(model: &Model) -> Vec<System> {
    let slots = model.bodies.slots();
    let moves = |id: BodyId| model.body(id).is_some_and(|b| b.desc.kind == BodyKind::Dynamic);
    let mut union = Union::new(slots);
    let mut tied = vec![false; slots];
    let mut tie = |bodies: [BodyId; 2]| {
        for id in bodies {
            tied[id.index as usize] |= moves(id);
        }
        if moves(bodies[0]) && moves(bodies[1]) {
            union.join(bodies[0].index as usize, bodies[1].index as usize);
        }
    };
    for (_, _, j) in model.joints.iter().filter(|(_, _, j)| j.desc.active) {
        tie(j.desc.bodies);
    }
    for (_, _, s) in model.springs.iter() {
        tie(s.desc.bodies);
    }
    // chains in the order of their first body; slot 0 is the world and stands for the free bodies
    let mut chains: BTreeMap<usize, Chain> = BTreeMap::new();
    for (i, _, body) in model.bodies.iter() {
        if body.desc.kind == BodyKind::Dynamic {
            let key = if tied[i as usize] { union.root(i as usize) } else { 0 };
            chains.entry(key).or_default().bodies.push(i);
        }
    }
    let mut key_of = |bodies: [BodyId; 2]| {
        let id = if moves(bodies[0]) { bodies[0] } else { bodies[1] };
        union.root(id.index as usize)
    };
    for (i, g, j) in model.joints.iter().filter(|(_, _, j)| j.desc.active) {
        if let Some(chain) = chains.get_mut(&key_of(j.desc.bodies)) {
            chain.joints.push(JointId::new((i, g)));
        }
    }
    for (i, _, s) in model.springs.iter() {
        if let Some(chain) = chains.get_mut(&key_of(s.desc.bodies)) {
            chain.springs.push(i);
        }
    }
    chains.into_values().map(|chain| chain.build(model)).collect()
}

/// What belongs to one chain.
#[derive(Default)]
struct Chain {
    bodies: Vec<u32>,
    joints: Vec<JointId>,
    springs: Vec<u32>,
}

impl Chain {
    fn build(self, model: &Model) -> System {
        let records: BTreeMap<u32, &BodyRecord> = model.bodies.iter().map(|(i, _, b)| (i, b)).collect();
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
        for &s in &self.springs {
            let Some((_, _, r)) = model.springs.iter().find(|&(i, _, _)| i == s) else { continue };
            let bodies = r.desc.bodies.map(|id| index(id, &mut system.others));
            let compliance: f64 = [0, 1]
                .map(|k| records.get(&r.desc.bodies[k].index).map_or(0.0, |b| response(b, r.anchors[k])))
                .iter()
                .sum();
            if r.desc.mode == SpringMode::Continuous && r.desc.stiffness > 0.0 && compliance > 0.0 {
                // a quarter of the stability limit 2/ω of the kick-drift-kick step
                system.spring_h = system.spring_h.min(0.5 / (r.desc.stiffness * compliance).sqrt());
            }
            system.springs.push(SystemSpring {
                bodies,
                anchors: r.anchors,
                stiffness: r.desc.stiffness,
                damping: r.desc.damping,
                length: r.length,
                isotropic: r.desc.isotropic,
                continuous: r.desc.mode == SpringMode::Continuous,
            });
        }
        let method = self.bodies.iter().find_map(|slot| records[slot].method).unwrap_or(model.settings.method);
        let mut nodes = Vec::new();
        for &id in &self.joints {
            let Some(joint) = model.joint(id) else { continue };
            let bodies = joint.desc.bodies.map(|b| index(b, &mut system.others));
            let masses =
                joint.desc.bodies.map(|b| records.get(&b.index).copied().filter(|b| b.desc.kind == BodyKind::Dynamic));
            let number = system.joints.len() as u32;
            system.joints.push(SystemJoint { id, name: joint.name.clone() });
            add_nodes(&mut nodes, model, id, joint, number, bodies, masses, n);
        }
        (system.loops, system.parallel) = mark_loops(&mut nodes, n, method);
        system.direct = nodes.iter().all(|(node, _)| !node.iterative);
        lay_out(system, nodes, n)
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
        springs: Vec::new(),
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
        standing: 0.0,
        share: 0.0,
        lambda: Vec::new(),
        z: Vec::new(),
        total: Vec::new(),
        memory: Memory::default(),
        factored: false,
        tolerance: model.settings.tolerance,
        rotation: model.settings.rotation,
        gravity: model.gravity,
        loops: 0,
        spring_h: f64::INFINITY,
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
        now: 0.0,
        stats: crate::step::Stats::default(),
        check_velocities: true,
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

/// 1/m + r²/J for an arm: how a point of the body answers to a force (upper estimate over directions).
fn response(b: &BodyRecord, arm: Vec3) -> f64 {
    if b.desc.kind != BodyKind::Dynamic {
        return 0.0;
    }
    let r2 = arm * arm;
    let across = Vec3::new(r2.y + r2.z, r2.x + r2.z, r2.x + r2.y);
    let turn: f64 = [0, 1, 2].iter().map(|&k| if b.moments[k] > 0.0 { across[k] / b.moments[k] } else { 0.0 }).sum();
    1.0 / b.desc.mass.mass + 0.5 * turn
}

/// The node of a joint, and further nodes when it has more bounded rows than fit.
fn add_nodes(
    nodes: &mut Vec<(Node, Vec<Bound>)>,
    model: &Model,
    id: JointId,
    joint: &JointRecord,
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
            let reach =
                arm.length().max(gyration).max(if position == PositionPart::Distance { joint.length } else { 0.0 });
            length += reach;
            if reach > 0.0 {
                stiffness += response(b, arm) / reach;
            }
        }
    }
    if length <= 0.0 {
        length = 1.0;
    }
    let mut wanted: Vec<(crate::Coordinate, BoundKind)> = Vec::new();
    for l in &joint.desc.limits {
        wanted.push((l.coordinate, BoundKind::Limit { min: l.min, max: l.max, restitution: l.restitution }));
    }
    for f in &joint.desc.friction {
        wanted.push((f.coordinate, BoundKind::Friction { effort: f.effort }));
    }
    for (i, _, m) in model.motors.iter() {
        if m.desc.joint == id && matches!(m.desc.control, Control::Velocity(_)) {
            wanted.push((m.desc.coordinate, BoundKind::Drive { motor: i, rate: 0.0, effort: m.desc.max_effort }));
        }
    }
    let node = |parts: Parts, bounds: Vec<Bound>| {
        let hard = parts.rows_len();
        let ball = position == PositionPart::Point && hard == 3 && bounds.is_empty();
        let node = Node {
            joint: number,
            bodies,
            parts,
            frames: joint.frames,
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
            .map(|(k, &(coordinate, kind))| Bound {
                node: 0,
                row: (own.rows_len() + k) as u8,
                coordinate,
                kind,
                state: match kind {
                    BoundKind::Limit { .. } => BoundState::Idle,
                    BoundKind::Friction { .. } | BoundKind::Drive { .. } => BoundState::Held,
                },
                start: 0.0,
                end: 0.0,
                rebound: None,
            })
            .collect();
        nodes.push(node(own, bounds));
        (rest, first) = (later, false);
    }
}

/// Finds the joints that close loops (static bodies count as one: a loop through the frame is a loop), and decides
/// which joints are iterated. Several joints between the same two bodies are one connection. Returns the number of
/// closing joints and whether there are several joints between the same bodies.
fn mark_loops(nodes: &mut [(Node, Vec<Bound>)], moving: usize, method: Method) -> (usize, bool) {
    let (mut loops, mut parallel) = (0, false);
    let mut union = Union::new(moving + 1);
    let mut tree: BTreeMap<[usize; 2], u32> = BTreeMap::new();
    for (node, _) in nodes {
        let mut pair = node.bodies.map(|b| (b as usize).min(moving));
        pair.sort_unstable();
        let connected = !union.join(pair[0], pair[1]);
        let closes = node.parts.rows_len() > 0 && connected && tree.get(&pair).is_none_or(|&j| j == NONE);
        tree.entry(pair).or_insert(if connected { NONE } else { node.joint });
        loops += usize::from(closes);
        parallel |= connected && !closes && node.parts.rows_len() > 0;
        node.iterative = match method {
            Method::Iterative => true,
            Method::Cut => closes,
            Method::Direct => false,
        };
    }
    (loops, parallel)
}

/// Orders the nodes, and lays out rows, factor and products.
fn lay_out(mut system: System, nodes: Vec<(Node, Vec<Bound>)>, moving: usize) -> System {
    let direct = |node: &Node| !node.iterative;
    // bodies that are kept as nodes
    let mut degree = vec![0usize; moving];
    for (node, _) in nodes.iter().filter(|(n, _)| direct(n)) {
        for b in node.bodies.into_iter().filter(|&b| (b as usize) < moving) {
            degree[b as usize] += 1;
        }
    }
    let hubs: Vec<u32> = (0..moving as u32).filter(|&b| degree[b as usize] >= HUB_JOINTS).collect();
    let kept = |b: u32| hubs.binary_search(&b).is_ok();
    let joints = nodes.len();
    let mut class = vec![0u8; joints + hubs.len()];
    class[joints..].fill(1);
    // Joints that close a loop through a kept body or the frame have redundant rows as long as those are held fast; they
    // must wait until the kept bodies are eliminated, or real rows would be dropped as redundant.
    let mut union = Union::new(moving + 1);
    for (k, (node, _)) in nodes.iter().enumerate() {
        if node.velocity_only {
            class[k] = 3;
        } else if !hubs.is_empty() && direct(node) {
            let [a, b] = node.bodies.map(|b| if kept(b) { moving } else { (b as usize).min(moving) });
            if !union.join(a, b) {
                class[k] = 2;
            }
        }
    }
    // neighbours: joints on the same moving body; a kept body stands between its joints
    let mut on_body: Vec<Vec<u32>> = vec![Vec::new(); moving];
    for (k, (node, _)) in nodes.iter().enumerate().filter(|(_, (n, _))| direct(n)) {
        for b in node.bodies.into_iter().filter(|&b| (b as usize) < moving) {
            on_body[b as usize].push(k as u32);
        }
    }
    let mut adjacent: Vec<Vec<u32>> = vec![Vec::new(); joints + hubs.len()];
    for (b, list) in on_body.iter().enumerate() {
        if let Ok(h) = hubs.binary_search(&(b as u32)) {
            let hub = (joints + h) as u32;
            adjacent[hub as usize].extend(list);
            for &k in list {
                adjacent[k as usize].push(hub);
            }
        } else {
            for &i in list {
                adjacent[i as usize].extend(list.iter().filter(|&&j| j != i));
            }
        }
    }
    for list in &mut adjacent {
        list.sort_unstable();
        list.dedup();
    }
    let sizes: Vec<u8> = nodes.iter().map(|(n, _)| n.rows).chain(hubs.iter().map(|_| 6)).collect();
    let elimination = eliminate(adjacent, &class);
    system.factor = Factor::new(&elimination, &sizes);
    system.position_nodes = elimination.order.iter().filter(|&&v| class[v as usize] < 3).count();

    // nodes in the order of elimination
    let mut position = vec![0u32; elimination.order.len()];
    for (k, &v) in elimination.order.iter().enumerate() {
        position[v as usize] = k as u32;
    }
    let mut source: Vec<Option<(Node, Vec<Bound>)>> = nodes.into_iter().map(Some).collect();
    let mut offset = 0u32;
    for (k, &v) in elimination.order.iter().enumerate() {
        let row0 = system.factor.row0[k];
        let Some((mut node, bounds)) = source.get_mut(v as usize).and_then(Option::take) else {
            system.nodes.push(hub_node(hubs[v as usize - joints], row0));
            continue;
        };
        node.row0 = row0;
        for s in 0..2 {
            if node.side[s] != NONE {
                node.side[s] = offset;
                node.kept[s] = direct(&node) && kept(node.bodies[s]);
                offset += 6 * u32::from(node.rows);
            }
        }
        let first = system.bounds.len() as u32;
        system.bounds.extend(bounds.into_iter().map(|b| Bound { node: k as u32, ..b }));
        node.bounds = (first, system.bounds.len() as u32);
        system.nodes.push(node);
    }
    system.b = vec![0.0; offset as usize];
    let rows = system.factor.rows();
    for v in [
        &mut system.bias,
        &mut system.residual,
        &mut system.goal,
        &mut system.lambda,
        &mut system.z,
        &mut system.total,
        &mut system.memory.mu,
        &mut system.memory.force,
    ] {
        v.resize(rows, 0.0);
    }
    for (b, list) in on_body.iter().enumerate() {
        let hub = hubs.binary_search(&(b as u32)).ok().map(|h| position[joints + h]);
        for (n, &i) in list.iter().enumerate() {
            let i = position[i as usize];
            if let Some(hub) = hub {
                couple(&mut system, i, hub, b as u32);
                continue;
            }
            for &j in &list[..n] {
                product(&mut system, i, position[j as usize], b as u32);
            }
        }
    }
    system.balls = super::balls::Balls::new(&system).map(Box::new);
    system
}

/// A body that stays in the system as a node of six rows.
fn hub_node(body: u32, row0: u32) -> Node {
    Node {
        joint: NONE,
        bodies: [body, body],
        parts: Parts {
            position: PositionPart::Free,
            rotation: crate::RotationPart::Free,
            length: 0.0,
            angle: (0.0, 1.0),
        },
        frames: [crate::joint::LocalFrame { origin: Vec3::ZERO, axes: crate::math::Mat3::IDENTITY }; 2],
        row0,
        rows: 6,
        hard: 0,
        side: [NONE; 2],
        kept: [false; 2],
        bounds: (0, 0),
        iterative: false,
        velocity_only: false,
        ball: false,
        length: 1.0,
        inverse_length2: 1.0,
        stiffness: 0.0,
    }
}

/// The side of node `k` that lies on `body`.
fn side_on(node: &Node, body: u32) -> u32 {
    if node.bodies[0] == body { node.side[0] } else { node.side[1] }
}

fn product(system: &mut System, i: u32, j: u32, body: u32) {
    let (late, early) = (i.max(j), i.min(j));
    let (l, e) = (&system.nodes[late as usize], &system.nodes[early as usize]);
    if let Some(target) = system.factor.find(late, early) {
        system.products.push(Product {
            target,
            left: side_on(l, body),
            right: side_on(e, body),
            left_rows: l.rows,
            right_rows: e.rows,
            balls: l.ball && e.ball,
        });
    }
}

fn couple(system: &mut System, joint: u32, hub: u32, body: u32) {
    let (late, early) = (joint.max(hub), joint.min(hub));
    let node = &system.nodes[joint as usize];
    if let Some(target) = system.factor.find(late, early) {
        system.couplings.push(Coupling { target, side: side_on(node, body), rows: node.rows, transposed: hub > joint });
    }
}

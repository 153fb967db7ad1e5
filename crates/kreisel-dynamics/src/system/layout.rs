//! The layout of a chain: which bodies stay as nodes, in which order the joints are eliminated, and
//! where every block of A comes from (Bender 3.3.2; B-41, B-52).
//!
//! Joints on one body are neighbours; a body with many joints would make a clique of them and stays
//! as a node instead.

use super::build::Union;
use super::guide::SystemGuide;
use super::{Bound, BoundKind, Coupling, NONE, Node, Product, System};
use crate::constraint::Parts;
use crate::joint::PositionPart;
use crate::lanes::LANES;
use crate::math::Vec3;
use crate::solver::block::DROP_IN_TREES;
use crate::solver::ldlt::Factor;
use crate::solver::order::eliminate;
use crate::solver::panel;

/// A body with at least this many factorised joints is kept as a node. Measured: below six the
/// clique of its joints is cheaper than the 6 × 6 block.
const HUB_JOINTS: usize = 6;

/// A light body between heavy ones is kept as a node, too, where their ratio times the square of
/// the number of bodies is larger: A of a thousand hinges has lost six digits by their number, and
/// what is left must hold the ratio. With loops less is left: smaller pivots count as redundant.
const TOO_UNEQUAL: f64 = 1e11;
const TOO_UNEQUAL_IN_LOOPS: f64 = 1e8;

/// Least ratio for that: such a node doubles the cost of its joints.
const MUCH: f64 = 1e3;

/// Orders the nodes, and lays out rows, factor and products.
pub(super) fn lay_out(mut system: System, nodes: Vec<(Node, Vec<Bound>)>, moving: usize) -> System {
    let direct = |node: &Node| !node.iterative;
    // bodies that are kept as nodes
    let mut degree = vec![0usize; moving];
    for (node, _) in nodes.iter().filter(|(n, _)| direct(n)) {
        each_body(node, &system.guides, moving, |b| degree[b as usize] += 1);
    }
    let has_loops = system.loops > 0 || system.parallel;
    let light = between_heavy(&system, &nodes, moving, has_loops);
    let stays = |b: &u32| degree[*b as usize] >= HUB_JOINTS || light[*b as usize];
    let hubs: Vec<u32> = (0..moving as u32).filter(stays).collect();
    let kept = |b: u32| hubs.binary_search(&b).is_ok();
    let joints = nodes.len();
    let mut class = vec![0u8; joints + hubs.len()];
    class[joints..].fill(1);
    // Joints that close a loop through a kept body or the frame have redundant rows as long as
    // those are held fast; they must wait until the kept bodies are eliminated, or real rows would
    // be dropped as redundant.
    let mut union = Union::new(moving + 1);
    for (k, (node, _)) in nodes.iter().enumerate() {
        if node.velocity_only {
            class[k] = 3;
        } else if node.spring != NONE {
            // never redundant, and no part of a loop
            class[k] = if hubs.is_empty() { 0 } else { 2 };
        } else if !hubs.is_empty() && direct(node) {
            let place = |b: u32| if kept(b) { moving } else { (b as usize).min(moving) };
            let [a, b] = node.bodies.map(place);
            if !union.join(a, b) {
                class[k] = 2;
            }
            if let Some(g) = system.guides.get(node.guide as usize) {
                for &other in &g.bodies[1..g.guide.places()] {
                    let c = place(other);
                    if other != node.bodies[0] && !union.join(a, c) {
                        class[k] = 2;
                    }
                }
            }
        }
    }
    // neighbours: joints on the same moving body; a kept body stands between its joints
    let mut on_body: Vec<Vec<u32>> = vec![Vec::new(); moving];
    for (k, (node, _)) in nodes.iter().enumerate().filter(|(_, (n, _))| direct(n)) {
        each_body(node, &system.guides, moving, |b| on_body[b as usize].push(k as u32));
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
    let mut elimination = eliminate(adjacent, &class);
    // filled factors work in panels, which want their columns side by side; classes would be mixed
    // by that
    if class.iter().all(|&c| c == 0) && panel::pays(&sizes, elimination.below.iter().map(Vec::len))
    {
        elimination = elimination.postorder();
    }
    system.factor = Factor::new(&elimination, &sizes);
    if !has_loops {
        system.factor.drop = DROP_IN_TREES;
    }
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
        if let Some(g) = system.guides.get_mut(node.guide as usize) {
            g.node = k as u32;
            for side in &mut g.sides {
                side.start = offset;
                side.kept = direct(&node) && kept(side.body);
                offset += 6 * u32::from(node.rows);
            }
        }
        if let Some(spring) = system.springs.get_mut(node.spring as usize) {
            spring.node = k as u32;
            system.factor.mask[k] = 0;
        }
        let first = system.bounds.len() as u32;
        system.bounds.extend(bounds.into_iter().map(|b| Bound { node: k as u32, ..b }));
        node.bounds = (first, system.bounds.len() as u32);
        system.nodes.push(node);
    }
    system.b = vec![0.0; offset as usize];
    system.lawful = system.bounds.iter().any(|b| matches!(b.kind, BoundKind::Law(_)));
    let rows = system.row_count();
    for b in &mut system.bounds {
        if let BoundKind::Law(law) = &mut b.kind
            && law.is_shared()
        {
            law.account = rows as u32 + system.accounts;
            system.accounts += 1;
        }
    }
    for v in [
        &mut system.bias,
        &mut system.residual,
        &mut system.goal,
        &mut system.lambda,
        &mut system.z,
        &mut system.total,
        &mut system.memory.mu,
    ] {
        v.resize(rows, 0.0);
    }
    system.total.resize(rows + system.accounts as usize, 0.0);
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
    if system.border.is_empty() {
        system.balls = super::balls::Balls::new(&system).map(Box::new);
    }
    system
}

/// Bodies much lighter than all their neighbours with more joint rows than they have ways to move.
/// What such a body cannot answer falls to the heavy ones: in A their answers are added to its own,
/// a million times larger, and are lost below its rounding.
fn between_heavy(
    system: &System,
    nodes: &[(Node, Vec<Bound>)],
    moving: usize,
    has_loops: bool,
) -> Vec<bool> {
    let much = (if has_loops { TOO_UNEQUAL_IN_LOOPS } else { TOO_UNEQUAL }
        / (moving * moving) as f64)
        .max(MUCH);
    let inverse_mass = |b: u32| {
        let root = system.groups[b as usize / LANES].ism.0[b as usize % LANES];
        root * root
    };
    let (mut rows, mut heavier) = (vec![0u32; moving], vec![true; moving]);
    for (node, _) in nodes.iter().filter(|(n, _)| !n.iterative && n.spring == NONE) {
        each_body(node, &system.guides, moving, |b| {
            rows[b as usize] += u32::from(node.rows);
            each_body(node, &system.guides, moving, |other| {
                heavier[b as usize] &= other == b || inverse_mass(b) > much * inverse_mass(other);
            });
        });
    }
    (0..moving).map(|b| heavier[b] && rows[b] > 6).collect()
}

/// A body that stays in the system as a node of six rows.
fn hub_node(body: u32, row0: u32) -> Node {
    Node { bodies: [body, body], row0, rows: 6, ..bare_node() }
}

/// A node that is no joint.
pub(super) fn bare_node() -> Node {
    Node {
        joint: NONE,
        spring: NONE,
        bodies: [NONE; 2],
        parts: Parts {
            position: PositionPart::Free,
            rotation: crate::RotationPart::Free,
            length: 0.0,
            angle: (0.0, 1.0),
        },
        frames: [crate::joint::LocalFrame { origin: Vec3::ZERO, axes: crate::math::Mat3::IDENTITY };
            2],
        guide: NONE,
        row0: 0,
        rows: 0,
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

/// Visits the moving bodies of a joint, each once.
fn each_body(node: &Node, guides: &[SystemGuide], moving: usize, mut visit: impl FnMut(u32)) {
    match guides.get(node.guide as usize) {
        Some(g) => g.sides.iter().for_each(|s| visit(s.body)),
        None => node.bodies.into_iter().filter(|&b| (b as usize) < moving).for_each(visit),
    }
}

/// Where the rows of a node on `body` start.
fn side_on(system: &System, node: &Node, body: u32) -> u32 {
    if let Some(g) = system.guides.get(node.guide as usize) {
        return g.start_on(body);
    }
    if node.bodies[0] == body { node.side[0] } else { node.side[1] }
}

fn product(system: &mut System, i: u32, j: u32, body: u32) {
    let (late, early) = (i.max(j), i.min(j));
    let (l, e) = (&system.nodes[late as usize], &system.nodes[early as usize]);
    if let Some(target) = system.factor.find(late, early) {
        system.products.push(Product {
            target,
            left: side_on(system, l, body),
            right: side_on(system, e, body),
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
        let side = side_on(system, node, body);
        system.couplings.push(Coupling { target, side, rows: node.rows, transposed: hub > joint });
    }
}

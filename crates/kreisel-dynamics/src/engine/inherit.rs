//! What the systems of a changed model inherit from those before: warm starts, states of bounds.

use crate::system::System;

/// Carries warm start and bound states of a joint over from the systems before an edit.
pub(super) fn keep_memory(
    system: &mut System,
    k: usize,
    slot: usize,
    old: &[System],
    old_nodes: &[Option<(u32, u32)>],
) {
    let Some(&Some((s, n))) = old_nodes.get(slot) else { return };
    let (from, was) = (&old[s as usize], &old[s as usize].nodes[n as usize]);
    let node = &system.nodes[k];
    let same = from.joints[was.joint as usize].id == system.joints[node.joint as usize].id;
    if !same || was.rows != node.rows || was.hard != node.hard {
        return;
    }
    let (to_row, from_row) = (node.row0 as usize, was.row0 as usize);
    for i in 0..usize::from(node.rows) {
        system.memory.mu[to_row + i] = from.memory.mu[from_row + i];
    }
    for (i, b) in (node.bounds.0..node.bounds.1).zip(was.bounds.0..was.bounds.1) {
        let b = &from.bounds[b as usize];
        let to = &mut system.bounds[i as usize];
        (to.state, to.start, to.end) = (b.state, b.start, b.end);
        to.set_response(b.response());
    }
    let (m, f) = (&mut system.memory, &from.memory);
    (m.last_h, m.next_h, m.next_energy_h) = (f.last_h, f.next_h, f.next_energy_h);
    (m.energy_mode, m.taut) = (f.energy_mode, f.taut);
}

/// Carries the impulses and states of constraints around the factor over from the systems before an
/// edit.
pub(super) fn keep_border(system: &mut System, old: &[System]) {
    for k in 0..system.border.items.len() {
        let item = &system.border.items[k];
        let found =
            old.iter().find_map(|s| Some((s, s.border.items.iter().find(|i| i.id == item.id)?)));
        let Some((from, was)) =
            found.filter(|(_, was)| was.rows == item.rows && was.record.desc == item.record.desc)
        else {
            continue;
        };
        let (to_row, from_row) = (system.factor.rows() + item.row0, from.factor.rows() + was.row0);
        let (row0, rows) = (item.row0, item.rows);
        system.memory.half.resize(system.border.rows.len(), 0.0);
        for i in 0..rows {
            system.memory.mu[to_row + i] = from.memory.mu[from_row + i];
            system.memory.half[row0 + i] =
                from.memory.half.get(was.row0 + i).copied().unwrap_or(0.0);
            system.border.rows[row0 + i].state = from.border.rows[was.row0 + i].state;
        }
        if system.nodes.is_empty() {
            (system.memory.last_h, system.memory.next_h) = (from.memory.last_h, from.memory.next_h);
        }
    }
}

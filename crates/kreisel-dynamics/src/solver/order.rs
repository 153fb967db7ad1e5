//! Elimination order of the joint graph: minimum degree in sweeps.
//!
//! Nodes are joints (and bodies kept as nodes); two joints are neighbours when they share a moving body. In each
//! sweep all nodes of least degree that are not neighbours of each other are eliminated (multiple minimum degree,
//! Liu 1985). On a chain this takes both ends alternately, tip and root: two independent recurrences that a processor
//! runs side by side, where the usual one-ended order has one. Trees get no fill.
//!
//! Classes constrain the order: a node of a lower class goes first. Ties go to the lower index, so that the order is
//! the same in every run. The elimination graph is kept explicitly: cost O(Σ degree²) at elimination, 8 ms for a net of
//! 2600 joints, once per change of topology.

use std::collections::BTreeSet;

/// Elimination order and the structure of the factor.
pub(crate) struct Elimination {
    /// Nodes in the order of elimination.
    pub order: Vec<u32>,
    /// For each step, the neighbours left at that time (node numbers, ascending).
    pub below: Vec<Vec<u32>>,
}

/// Orders the graph given by sorted neighbour lists.
pub(crate) fn eliminate(mut adjacent: Vec<Vec<u32>>, class: &[u8]) -> Elimination {
    let n = adjacent.len();
    let mut queue: BTreeSet<(u8, usize, u32)> = (0..n).map(|i| (class[i], adjacent[i].len(), i as u32)).collect();
    let mut result = Elimination { order: Vec::with_capacity(n), below: Vec::with_capacity(n) };
    let mut touched_in = vec![0u32; n];
    let mut sweep = 0;
    let mut chosen = Vec::new();
    while let Some(&(first_class, degree, _)) = queue.first() {
        sweep += 1;
        chosen.clear();
        for &(c, d, i) in queue.range((first_class, degree, 0)..) {
            if c != first_class || d != degree {
                break;
            }
            if touched_in[i as usize] != sweep {
                chosen.push(i);
                for &u in &adjacent[i as usize] {
                    touched_in[u as usize] = sweep;
                }
            }
        }
        for &v in &chosen {
            let neighbours = std::mem::take(&mut adjacent[v as usize]);
            queue.remove(&(class[v as usize], neighbours.len(), v));
            for &u in &neighbours {
                let list = &mut adjacent[u as usize];
                queue.remove(&(class[u as usize], list.len(), u));
                *list = merge(list, &neighbours, u, v);
                queue.insert((class[u as usize], list.len(), u));
            }
            result.order.push(v);
            result.below.push(neighbours);
        }
    }
    result
}

/// Union of two sorted lists without `a` and `b`.
fn merge(x: &[u32], y: &[u32], a: u32, b: u32) -> Vec<u32> {
    let mut out = Vec::with_capacity(x.len() + y.len());
    let (mut i, mut j) = (0, 0);
    while i < x.len() || j < y.len() {
        let next = match (x.get(i), y.get(j)) {
            (Some(&p), Some(&q)) if p == q => {
                (i, j) = (i + 1, j + 1);
                p
            }
            (Some(&p), Some(&q)) if p < q => {
                i += 1;
                p
            }
            (Some(&p), None) => {
                i += 1;
                p
            }
            (_, Some(&q)) => {
                j += 1;
                q
            }
            (None, None) => break,
        };
        if next != a && next != b {
            out.push(next);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_eliminated_from_both_ends_without_fill() {
        let n = 9u32;
        let adjacent =
            (0..n).map(|i| [i.checked_sub(1), (i + 1 < n).then_some(i + 1)].into_iter().flatten().collect()).collect();
        let e = eliminate(adjacent, &[0; 9]);
        assert_eq!(e.order, [0, 8, 1, 7, 2, 6, 3, 5, 4]);
        assert!(e.below.iter().all(|b| b.len() <= 2));
        assert_eq!(e.below.iter().map(Vec::len).sum::<usize>(), 8);
    }

    #[test]
    fn classes_come_in_their_order() {
        // a star whose centre is in the first class must fill in, and does
        let e = eliminate(vec![vec![1, 2, 3], vec![0], vec![0], vec![0]], &[0, 1, 1, 1]);
        assert_eq!(e.order[0], 0);
        assert_eq!(e.below[1], [2, 3]);
    }
}

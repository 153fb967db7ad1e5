//! Elimination order of the joint graph: minimum fill in sweeps.
//!
//! Nodes are joints (and bodies kept as nodes); two joints are neighbours when they share a moving
//! body. In each sweep all nodes whose elimination adds the fewest new neighbour pairs (and among
//! those the ones of least degree) that are not neighbours of each other are eliminated. On a chain
//! this takes both ends alternately, tip and root: two independent recurrences that a processor
//! runs side by side, where the usual one-ended order has one. Trees get no fill. On a net of 30 ×
//! 30 the factor takes half the operations of the order of minimum degree, and as many as nested
//! dissection along the net's own rows and columns.
//!
//! The number of missing pairs around every node is kept up to date by three rules (Rothberg and
//! Eisenstat 1998 call it the deficiency): a node that goes takes its missing pairs with it; a new
//! pair is missed no more by all common neighbours; and its two nodes miss the pairs of their new
//! neighbour. Cost O(fill × degree), once per change of topology.
//!
//! Classes constrain the order: a node of a lower class goes first. Ties go to the lower index, so
//! that the order is the same in every run.

use std::collections::BTreeSet;

/// Elimination order and the structure of the factor.
pub(crate) struct Elimination {
    /// Nodes in the order of elimination.
    pub order: Vec<u32>,
    /// For each step, the neighbours left at that time (node numbers, ascending).
    pub below: Vec<Vec<u32>>,
    /// Whether every node follows right after the last of those that fill in to it.
    pub postordered: bool,
}

impl Elimination {
    /// The same elimination in another sequence, which gives the same fill: depth first along the
    /// elimination tree, so that columns of equal structure follow each other.
    pub fn postorder(self) -> Self {
        let n = self.order.len();
        let mut position = vec![0usize; n];
        for (k, &v) in self.order.iter().enumerate() {
            position[v as usize] = k;
        }
        let parent = |k: usize| self.below[k].iter().map(|&v| position[v as usize]).min();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut stack: Vec<(usize, bool)> = Vec::new();
        for k in 0..n {
            match parent(k) {
                Some(p) => children[p].push(k),
                None => stack.push((k, false)),
            }
        }
        stack.reverse();
        let mut sequence = Vec::with_capacity(n);
        while let Some((k, done)) = stack.pop() {
            if done {
                sequence.push(k);
                continue;
            }
            stack.push((k, true));
            // the child with most rows below comes last: it shares them with its parent
            let mut list = std::mem::take(&mut children[k]);
            list.sort_by_key(|&c| self.below[c].len());
            stack.extend(list.into_iter().rev().map(|c| (c, false)));
        }
        let order = sequence.iter().map(|&k| self.order[k]).collect();
        let mut below = self.below;
        let below = sequence.iter().map(|&k| std::mem::take(&mut below[k])).collect();
        Self { order, below, postordered: true }
    }
}

/// Class, missing pairs, degree, number: what goes first is least.
type Key = (u8, u64, usize, u32);

/// The graph that is left.
struct Graph<'a> {
    adjacent: Vec<Vec<u32>>,
    /// Pairs of neighbours that are not neighbours themselves.
    missing: Vec<u64>,
    class: &'a [u8],
    queue: BTreeSet<Key>,
    /// Keys that the queue holds.
    queued: Vec<Key>,
    /// Nodes whose keys have changed.
    touched: Vec<u32>,
}

impl<'a> Graph<'a> {
    fn new(adjacent: Vec<Vec<u32>>, class: &'a [u8]) -> Self {
        let n = adjacent.len();
        let mut mark = vec![u32::MAX; n];
        let mut missing = vec![0; n];
        for v in 0..n {
            for &u in &adjacent[v] {
                mark[u as usize] = v as u32;
            }
            let there: usize = adjacent[v]
                .iter()
                .map(|&u| {
                    adjacent[u as usize].iter().filter(|&&w| mark[w as usize] == v as u32).count()
                })
                .sum();
            let d = adjacent[v].len();
            missing[v] = ((d * d.saturating_sub(1) - there) / 2) as u64;
        }
        let mut graph = Self {
            adjacent,
            missing,
            class,
            queue: BTreeSet::new(),
            queued: Vec::new(),
            touched: Vec::new(),
        };
        graph.queued = (0..n).map(|v| graph.key(v as u32)).collect();
        graph.queue = graph.queued.iter().copied().collect();
        graph
    }

    fn key(&self, v: u32) -> Key {
        let i = v as usize;
        (self.class[i], self.missing[i], self.adjacent[i].len(), v)
    }

    /// Eliminates a node: its neighbours become neighbours of each other. Returns them.
    fn eliminate(&mut self, v: u32) -> Vec<u32> {
        let around = std::mem::take(&mut self.adjacent[v as usize]);
        self.queue.remove(&self.queued[v as usize]);
        for &u in &around {
            let list = &mut self.adjacent[u as usize];
            if let Ok(at) = list.binary_search(&v) {
                list.remove(at);
            }
            // pairs of v with what is around u but not around v go with it
            let mut common = 0;
            each_common(list, &around, |_| common += 1);
            self.missing[u as usize] -= (list.len() - common) as u64;
            self.touched.push(u);
        }
        for (i, &a) in around.iter().enumerate() {
            for &b in &around[..i] {
                self.join(a, b);
            }
        }
        for i in 0..self.touched.len() {
            let u = self.touched[i];
            let key = self.key(u);
            let old = std::mem::replace(&mut self.queued[u as usize], key);
            if old != key {
                self.queue.remove(&old);
                self.queue.insert(key);
            }
        }
        self.touched.clear();
        around
    }

    /// Makes two nodes neighbours if they are not yet.
    fn join(&mut self, a: u32, b: u32) {
        let Err(at) = self.adjacent[a as usize].binary_search(&b) else { return };
        let mut common = 0;
        each_common(&self.adjacent[a as usize], &self.adjacent[b as usize], |w| {
            common += 1;
            self.missing[w as usize] -= 1;
            self.touched.push(w);
        });
        for (x, y) in [(a, b), (b, a)] {
            self.missing[x as usize] += (self.adjacent[x as usize].len() - common) as u64;
            let at =
                if x == a { at } else { self.adjacent[x as usize].partition_point(|&w| w < y) };
            self.adjacent[x as usize].insert(at, y);
        }
    }
}

/// Visits what two sorted lists share.
fn each_common(x: &[u32], y: &[u32], mut visit: impl FnMut(u32)) {
    let (short, long) = if x.len() <= y.len() { (x, y) } else { (y, x) };
    if short.len() * 8 < long.len() {
        short.iter().filter(|w| long.binary_search(w).is_ok()).for_each(|&w| visit(w));
        return;
    }
    let mut rest = long;
    for &w in short {
        let skip = rest.iter().position(|&r| r >= w).unwrap_or(rest.len());
        rest = &rest[skip..];
        if rest.first() == Some(&w) {
            visit(w);
        }
    }
}

/// Orders the graph given by sorted neighbour lists.
pub(crate) fn eliminate(adjacent: Vec<Vec<u32>>, class: &[u8]) -> Elimination {
    let n = adjacent.len();
    let mut graph = Graph::new(adjacent, class);
    let mut result = Elimination {
        order: Vec::with_capacity(n),
        below: Vec::with_capacity(n),
        postordered: false,
    };
    let mut touched_in = vec![0u32; n];
    let mut sweep = 0;
    let mut chosen = Vec::new();
    while let Some(&(first_class, missing, degree, _)) = graph.queue.first() {
        sweep += 1;
        chosen.clear();
        for &(c, m, d, i) in &graph.queue {
            if (c, m, d) != (first_class, missing, degree) {
                break;
            }
            if touched_in[i as usize] != sweep {
                chosen.push(i);
                for &u in &graph.adjacent[i as usize] {
                    touched_in[u as usize] = sweep;
                }
            }
        }
        for &v in &chosen {
            let mut around = graph.eliminate(v);
            around.sort_unstable();
            result.order.push(v);
            result.below.push(around);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_eliminated_from_both_ends_without_fill() {
        let n = 9u32;
        let adjacent = (0..n)
            .map(|i| {
                [i.checked_sub(1), (i + 1 < n).then_some(i + 1)].into_iter().flatten().collect()
            })
            .collect();
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

    /// Neighbour lists of a grid of k × k nodes.
    fn grid(k: u32) -> Vec<Vec<u32>> {
        let near = |a: u32, b: u32| (a / k).abs_diff(b / k) + (a % k).abs_diff(b % k) == 1;
        (0..k * k).map(|a| (0..k * k).filter(|&b| near(a, b)).collect()).collect()
    }

    #[test]
    fn missing_pairs_are_counted_right_all_the_way() {
        let class = [0; 36];
        let mut graph = Graph::new(grid(6), &class);
        let mut left: Vec<usize> = (0..36).collect();
        while let Some(&(_, _, _, v)) = graph.queue.first() {
            graph.eliminate(v);
            left.retain(|&u| u != v as usize);
            for &u in &left {
                let list = &graph.adjacent[u];
                let pair =
                    |a: u32, b: u32| a < b && graph.adjacent[a as usize].binary_search(&b).is_err();
                let missing = list
                    .iter()
                    .map(|&a| list.iter().filter(|&&b| pair(a, b)).count())
                    .sum::<usize>();
                assert_eq!(graph.missing[u], missing as u64, "node {u} after {v}");
            }
        }
    }

    #[test]
    fn a_cycle_gets_the_least_fill_there_is() {
        // every order of a cycle of n nodes adds n - 3 pairs at least
        let n = 8u32;
        let adjacent = (0..n)
            .map(|i| {
                let mut list = vec![(i + n - 1) % n, (i + 1) % n];
                list.sort_unstable();
                list
            })
            .collect();
        let e = eliminate(adjacent, &[0; 8]);
        assert_eq!(e.below.iter().map(Vec::len).sum::<usize>(), (n + n - 3) as usize);
    }
}

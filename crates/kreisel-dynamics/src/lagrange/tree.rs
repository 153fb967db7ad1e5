//! Baraff's factorisation in linear time (Baraff 1996; Wagner 3.5.5, W-68 to W-70).
//!
//! Elements that join two bodies without closing a loop are *primary*: the graph of bodies and
//! primary elements is a forest, and
//!
//! ( E  −Bᵀ ) (a)   (f)
//! ( −B   0 ) (λ) = (c)
//!
//! is eliminated from the leaves to the roots without fill-in; with the right-hand side (f; c) its
//! solution is the acceleration itself. A tree with a single anchor (an element with one body) is
//! rooted there, which the thesis leaves to the slower secondary rows, any other at a body.
//! Everything else is *secondary*.
//!
//! The elimination has no pivoting: an element needs full row rank towards its child. Where it has
//! not (locks, coordinate singularities), the element is made secondary and the tree is built
//! again: the thesis takes primary constraints to be regular always.

use super::element::{Element, Rows};

const NONE: u32 = u32::MAX;

/// Most rows of a primary element.
const MOST: usize = 6;

/// Pivots below this share of their diagonal element count as zero: well above rounding, well below
/// what settles.
const WEAK: f64 = 1e-10;

#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Body(u32),
    Element(u32),
}

#[derive(Clone, Debug)]
struct Node {
    what: What,
    /// Position of the parent in the order.
    parent: u32,
    size: usize,
    /// Cholesky factor of ± the pivot block.
    pivot: [f64; 36],
    /// H towards the parent, and the pivot's inverse times it.
    coupling: [f64; 36],
    u: [f64; 36],
}

/// The forest of primary elements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// Children before parents.
    nodes: Vec<Node>,
    /// Whether each element is primary.
    pub primary: Vec<bool>,
    /// Place of every body in the order.
    place: Vec<u32>,
    x: Vec<f64>,
}

impl Tree {
    /// Builds the forest; elements marked in `barred` stay secondary.
    pub fn new(elements: &[Element], bodies: usize, barred: &[bool]) -> Self {
        let fit = |i: usize, count: usize| {
            let e = &elements[i];
            e.bodies.len() == count
                && e.rows > 0
                && e.rows <= MOST
                && !e.locked
                && !e.hold.is_bounded()
                && !barred[i]
        };
        // elements with many rows first, so that loops are cut where they are cheapest; else in the
        // order of creation
        let mut by_size: Vec<usize> = (0..elements.len()).filter(|&i| fit(i, 2)).collect();
        by_size.sort_by_key(|&i| (MOST - elements[i].rows, i));
        let mut set: Vec<u32> = (0..bodies as u32).collect();
        let root = |set: &mut Vec<u32>, mut i: u32| {
            while set[i as usize] != i {
                set[i as usize] = set[set[i as usize] as usize];
                i = set[i as usize];
            }
            i
        };
        let mut primary = vec![false; elements.len()];
        let mut neighbours: Vec<Vec<(u32, u32)>> = vec![Vec::new(); bodies];
        for i in by_size {
            let [a, b] = [elements[i].bodies[0], elements[i].bodies[1]];
            let (ra, rb) = (root(&mut set, a), root(&mut set, b));
            if ra != rb {
                set[ra.max(rb) as usize] = ra.min(rb);
                primary[i] = true;
                neighbours[a as usize].push((i as u32, b));
                neighbours[b as usize].push((i as u32, a));
            }
        }
        let mut tree = Self { place: vec![NONE; bodies], primary, ..Self::default() };
        // an anchor may root its tree if it is the only one there: several may contradict each
        // other, and none is to be preferred
        let mut anchors_of = vec![0_u32; bodies];
        for e in elements.iter().filter(|e| e.bodies.len() == 1) {
            anchors_of[root(&mut set, e.bodies[0]) as usize] += 1;
        }
        let single: Vec<usize> = (0..elements.len())
            .filter(|&i| {
                fit(i, 1) && anchors_of[root(&mut set, elements[i].bodies[0]) as usize] == 1
            })
            .collect();
        let anchors = single.into_iter().map(|i| (elements[i].bodies[0], Some(i as u32)));
        let free = (0..bodies as u32).map(|b| (b, None));
        let mut seen = vec![false; bodies];
        let mut parents_first: Vec<(What, u32)> = Vec::new();
        for (body, anchor) in anchors.chain(free) {
            if seen[body as usize] {
                continue;
            }
            let mut parent = NONE;
            if let Some(e) = anchor {
                tree.primary[e as usize] = true;
                parent = parents_first.len() as u32;
                parents_first.push((What::Element(e), NONE));
            }
            seen[body as usize] = true;
            let mut stack = vec![(body, parent)];
            while let Some((body, parent)) = stack.pop() {
                let here = parents_first.len() as u32;
                parents_first.push((What::Body(body), parent));
                for &(e, other) in &neighbours[body as usize] {
                    if !seen[other as usize] {
                        seen[other as usize] = true;
                        let link = parents_first.len() as u32;
                        parents_first.push((What::Element(e), here));
                        stack.push((other, link));
                    }
                }
            }
        }
        let last = parents_first.len() as u32;
        for &(what, parent) in parents_first.iter().rev() {
            let size = match what {
                What::Body(_) => 6,
                What::Element(e) => elements[e as usize].rows,
            };
            let parent = if parent == NONE { NONE } else { last - 1 - parent };
            if let What::Body(b) = what {
                tree.place[b as usize] = tree.nodes.len() as u32;
            }
            tree.nodes.push(Node {
                what,
                parent,
                size,
                pivot: [0.0; 36],
                coupling: [0.0; 36],
                u: [0.0; 36],
            });
        }
        tree.x = vec![0.0; 6 * tree.nodes.len()];
        tree
    }

    /// Factorises for the present rows; the first element without full rank, if there is one.
    pub fn factor(&mut self, elements: &[Element], rows: &Rows) -> Result<(), usize> {
        for node in &mut self.nodes {
            node.pivot = [0.0; 36];
            if let What::Body(_) = node.what {
                for i in 0..6 {
                    node.pivot[7 * i] = 1.0;
                }
            }
        }
        for i in 0..self.nodes.len() {
            let (done, rest) = self.nodes.split_at_mut(i + 1);
            let node = &mut done[i];
            let n = node.size;
            // bodies have positive, elements negative definite pivots
            if let What::Element(e) = node.what {
                node.pivot.iter_mut().for_each(|x| *x = -*x);
                if !cholesky(&mut node.pivot, n, n) {
                    return Err(e as usize);
                }
            } else if !cholesky(&mut node.pivot, n, 6) {
                return Err(NONE as usize);
            }
            if node.parent == NONE {
                continue;
            }
            let parent = &mut rest[node.parent as usize - i - 1];
            let m = parent.size;
            let (e, body) = match (node.what, parent.what) {
                (What::Element(e), What::Body(b)) | (What::Body(b), What::Element(e)) => {
                    (&elements[e as usize], b)
                }
                _ => return Err(NONE as usize),
            };
            let k = usize::from(e.bodies[0] != body);
            let block = e.block(&rows.b, k);
            let own_rows = matches!(node.what, What::Element(_));
            for r in 0..n {
                for c in 0..m {
                    node.coupling[6 * r + c] =
                        if own_rows { -block[6 * r + c] } else { -block[6 * c + r] };
                }
            }
            node.u = node.coupling;
            let sign = if own_rows { -1.0 } else { 1.0 };
            solve_columns(&node.pivot, n, &mut node.u, m, sign);
            for r in 0..m {
                for c in 0..m {
                    let mut sum = 0.0;
                    for k in 0..n {
                        sum += node.coupling[6 * k + r] * node.u[6 * k + c];
                    }
                    parent.pivot[6 * r + c] -= sum;
                }
            }
        }
        Ok(())
    }

    /// Solves for free accelerations `a` (replaced by the constrained ones) and the primary
    /// elements' right-hand side `c`; `lambda` gets their multipliers.
    pub fn solve(
        &mut self,
        elements: &[Element],
        c: Option<&[f64]>,
        a: &mut [f64],
        lambda: Option<&mut [f64]>,
    ) {
        let x = &mut self.x;
        for (i, node) in self.nodes.iter().enumerate() {
            let x = &mut x[6 * i..6 * i + 6];
            match node.what {
                What::Body(b) => x.copy_from_slice(&a[6 * b as usize..6 * b as usize + 6]),
                What::Element(e) => {
                    x.fill(0.0);
                    if let Some(c) = c {
                        let e = &elements[e as usize];
                        x[..e.rows].copy_from_slice(&c[e.row0..e.row0 + e.rows]);
                    }
                }
            }
        }
        for i in 0..self.nodes.len() {
            let node = &self.nodes[i];
            if node.parent == NONE {
                continue;
            }
            let p = node.parent as usize;
            let (own, parent) = x.split_at_mut(6 * p);
            let own = &own[6 * i..];
            for r in 0..self.nodes[p].size {
                for k in 0..node.size {
                    parent[r] -= node.u[6 * k + r] * own[k];
                }
            }
        }
        for i in (0..self.nodes.len()).rev() {
            let node = &self.nodes[i];
            let sign = if matches!(node.what, What::Element(_)) { -1.0 } else { 1.0 };
            solve_one(&node.pivot, node.size, &mut x[6 * i..6 * i + 6], sign);
            if node.parent == NONE {
                continue;
            }
            let p = node.parent as usize;
            let (own, parent) = x.split_at_mut(6 * p);
            let own = &mut own[6 * i..];
            for k in 0..node.size {
                for r in 0..self.nodes[p].size {
                    own[k] -= node.u[6 * k + r] * parent[r];
                }
            }
        }
        let mut lambda = lambda;
        for (i, node) in self.nodes.iter().enumerate() {
            match (node.what, &mut lambda) {
                (What::Body(b), _) => {
                    a[6 * b as usize..6 * b as usize + 6].copy_from_slice(&x[6 * i..6 * i + 6])
                }
                (What::Element(e), Some(lambda)) => {
                    let e = &elements[e as usize];
                    lambda[e.row0..e.row0 + e.rows].copy_from_slice(&x[6 * i..6 * i + e.rows]);
                }
                _ => {}
            }
        }
    }
}

/// Cholesky factor in place, rows of six; false when fewer than `needed` pivots are sound.
fn cholesky(a: &mut [f64; 36], n: usize, needed: usize) -> bool {
    let own: [f64; 6] = std::array::from_fn(|i| a[7 * i]);
    for k in 0..n {
        let mut d = a[7 * k];
        for j in 0..k {
            d -= a[6 * k + j] * a[6 * k + j];
        }
        if !(d > WEAK * own[k] && d > 0.0) {
            return k >= needed;
        }
        let d = d.sqrt();
        a[7 * k] = d;
        for i in k + 1..n {
            let mut sum = a[6 * i + k];
            for j in 0..k {
                sum -= a[6 * i + j] * a[6 * k + j];
            }
            a[6 * i + k] = sum / d;
        }
    }
    true
}

fn solve_one(l: &[f64; 36], n: usize, x: &mut [f64], sign: f64) {
    for i in 0..n {
        for j in 0..i {
            x[i] -= l[6 * i + j] * x[j];
        }
        x[i] /= l[7 * i];
    }
    for i in (0..n).rev() {
        for j in i + 1..n {
            x[i] -= l[6 * j + i] * x[j];
        }
        x[i] /= l[7 * i];
    }
    for x in &mut x[..n] {
        *x *= sign;
    }
}

fn solve_columns(l: &[f64; 36], n: usize, u: &mut [f64; 36], m: usize, sign: f64) {
    let mut x = [0.0; 6];
    for c in 0..m {
        for r in 0..n {
            x[r] = u[6 * r + c];
        }
        solve_one(l, n, &mut x, sign);
        for r in 0..n {
            u[6 * r + c] = x[r];
        }
    }
}

//! Solving with the border: the Schur complement of the factor ([`super::border`]).

use super::System;
use crate::lagrange::Lu;
use crate::lanes::F4;

/// The Schur complement for a set of rows.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    /// Rows of the border that it was made for, and the nodes.
    active: Vec<usize>,
    nodes: usize,
    /// S⁻¹ B Gᵀ by active row.
    columns: Vec<Vec<f64>>,
    /// Lengths that bring W to order one, by row and by column.
    norms: Vec<[f64; 2]>,
    lu: Lu,
}

impl System {
    /// Solves for the joint correction: without rows of velocities.
    pub(crate) fn solve_positions(&mut self, z: &mut [f64]) {
        self.border.velocities = false;
        self.solve(z, self.position_nodes);
    }

    /// Solves for the velocity correction.
    pub(crate) fn solve_velocities(&mut self, z: &mut [f64]) {
        self.border.velocities = true;
        self.solve(z, self.nodes.len());
    }

    /// Rows that the border could not hold in the last solve: dependent ones, and those without a
    /// direction.
    pub(crate) fn border_dropped(&self) -> usize {
        self.border.solved.as_ref().map_or(0, |s| s.active.len() - s.lu.rank)
    }

    fn take_velocities(&mut self) -> Vec<[F4; 6]> {
        self.groups.iter_mut().map(|g| std::mem::replace(&mut g.y, [F4::ZERO; 6])).collect()
    }

    fn give_velocities(&mut self, y: &[[F4; 6]]) {
        for (g, y) in self.groups.iter_mut().zip(y) {
            g.y = *y;
        }
    }

    /// Takes the solution `z` of the joints' rows alone to that of all rows; in the border's part
    /// of `z` stands what is wanted there.
    pub(super) fn solve_border(&mut self, z: &mut [f64], nodes: usize) {
        let first = self.factor.rows();
        let solved = self.schur(nodes);
        let kept = self.take_velocities();
        self.apply_joints(&z[..first]);
        let norms = solved.active.iter().zip(&solved.norms);
        let mut w: Vec<f64> =
            norms.map(|(&r, n)| (z[first + r] - self.border_along(r)) / n[0]).collect();
        self.give_velocities(&kept);
        solved.lu.solve(&mut w);
        z[first..].fill(0.0);
        for ((&r, column), (w, n)) in
            solved.active.iter().zip(&solved.columns).zip(w.iter().zip(&solved.norms))
        {
            let w = w / n[1];
            z[first + r] = w;
            for (z, c) in z.iter_mut().zip(column) {
                *z -= c * w;
            }
        }
        self.border.solved = Some(solved);
    }

    /// The Schur complement for the active rows.
    fn schur(&mut self, nodes: usize) -> Solved {
        let active: Vec<usize> =
            (0..self.border.rows.len()).filter(|&r| self.border.is_active(r)).collect();
        if let Some(solved) = self.border.solved.take_if(|s| s.active == active && s.nodes == nodes)
        {
            return solved;
        }
        let (n, first) = (active.len(), self.factor.rows());
        // a direction that is nothing gives a zero row, which the pivots leave out
        let norms: Vec<[f64; 2]> = active
            .iter()
            .map(|&r| self.border_norms(r).map(|x| if x > 0.0 { x } else { 1.0 }))
            .collect();
        let ends = self.nodes.get(nodes).map_or(first, |node| node.row0 as usize);
        let kept = self.take_velocities();
        let mut columns = Vec::with_capacity(n);
        let mut w = vec![0.0; n * n];
        for (j, &r) in active.iter().enumerate() {
            self.take_velocities();
            self.push_border(r, 1.0);
            let mut column = vec![0.0; self.row_count()];
            self.rates(&mut column);
            for (c, b) in column.iter_mut().zip(&self.bias) {
                *c -= b;
            }
            column.truncate(first);
            column[ends..].fill(0.0);
            self.free_bounds(&mut column);
            self.solve_joints(&mut column, nodes);
            let back: Vec<f64> = column.iter().map(|c| -c).collect();
            self.apply_joints(&back);
            for (i, &s) in active.iter().enumerate() {
                w[i * n + j] = self.border_along(s) / (norms[i][0] * norms[j][1]);
            }
            columns.push(column);
        }
        self.give_velocities(&kept);
        Solved { lu: Lu::new(&w, n), active, nodes, columns, norms }
    }

    /// Solves the block of constraint `k` by itself: `rhs` and the result by its rows.
    pub(crate) fn solve_item(&mut self, k: usize, rhs: &mut [f64]) {
        let row0 = self.border.items[k].row0;
        let active: Vec<usize> =
            (0..rhs.len()).filter(|&i| self.border.is_active(row0 + i)).collect();
        let norms: Vec<[f64; 2]> = active
            .iter()
            .map(|&i| self.border_norms(row0 + i).map(|x| if x > 0.0 { x } else { 1.0 }))
            .collect();
        let n = active.len();
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] = self.border_product(row0 + active[i], row0 + active[j])
                    / (norms[i][0] * norms[j][1]);
            }
        }
        let mut z: Vec<f64> = active.iter().zip(&norms).map(|(&i, n)| rhs[i] / n[0]).collect();
        Lu::new(&a, n).solve(&mut z);
        rhs.fill(0.0);
        for ((&i, z), n) in active.iter().zip(&z).zip(&norms) {
            rhs[i] = z / n[1];
        }
    }
}

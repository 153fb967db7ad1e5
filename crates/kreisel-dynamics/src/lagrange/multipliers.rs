//! The multipliers: (J M⁻¹ Gᵀ) λ = −(J a + c), solved in three layers (Wagner 6.3.2, 6.3.3; W-66 to
//! W-77).
//!
//! 1. Primary elements, by the forest of [`super::tree`]; none with the direct solvers.
//! 2. All other equalities, by a dense factorisation of their responses. It meets contradictions as
//!    the user wishes.
//! 3. Bounded rows (limits, contacts, friction), by complementarity on what the two layers leave.
//!
//! Every layer is linear in the free accelerations, so that the next one only needs their answer.

use super::boxed;
use super::dense::{Cholesky, Lu, Svd};
use super::element::{Element, Rows};
use super::settings::{ContactOrder, Lagrange, MultiplierSolver, OnSingular};
use super::tree::Tree;

/// A contradiction below this share of the largest demand is rounding or drift.
const CONTRADICTION: f64 = 1e-3;
/// The same in absolute terms, m/s² or rad/s²: for worlds at rest.
const CONTRADICTION_FLOOR: f64 = 1e-6;

/// Bounds of the multipliers by row; where they are a share of another row's: row, the other,
/// share.
#[derive(Clone, Copy)]
pub(crate) struct Limits<'a> {
    pub bounds: &'a [(f64, f64)],
    pub cones: &'a [(usize, usize, f64)],
}

/// Rounds for the bounds of friction: each takes the normal forces of the one before.
const FRICTION_ROUNDS: usize = 20;

/// Relative change of the normal forces at which they end.
const FRICTION_SETTLED: f64 = 1e-8;

/// What the last bounded problem leaves to the next one of the same size within a step.
#[derive(Clone, Debug, Default)]
struct Start {
    at: Vec<boxed::At>,
    found: Vec<f64>,
}

/// Bounded multipliers of w = K λ + q. `first` is the number of the first bounded row.
fn bounded(k: &[f64], q: &[f64], limits: Limits<'_>, first: usize, start: &mut Start) -> Vec<f64> {
    let n = q.len();
    let (mut lo, mut hi): (Vec<f64>, Vec<f64>) =
        limits.bounds[first..first + n].iter().copied().unzip();
    if limits.cones.is_empty() {
        return boxed::solve(k, q, &lo, &hi, &mut start.at);
    }
    // without friction, unless the last problem has an idea of the normal forces
    let mut found = if start.found.len() == n {
        start.found.clone()
    } else {
        boxed::solve(k, q, &lo, &hi, &mut start.at)
    };
    for _ in 0..FRICTION_ROUNDS {
        for &(row, normal, share) in limits.cones {
            let most = share * found[normal - first];
            (lo[row - first], hi[row - first]) = (-most, most);
        }
        let next = boxed::solve(k, q, &lo, &hi, &mut start.at);
        let size = next.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let change = next.iter().zip(&found).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        found = next;
        if change <= FRICTION_SETTLED * size {
            break;
        }
    }
    start.found.clone_from(&found);
    found
}

/// Constraints that contradict each other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Singular {
    /// Elements that take part.
    pub elements: Vec<usize>,
    /// Largest acceleration that cannot be met.
    pub contradiction: f64,
}

#[derive(Clone, Debug, Default)]
enum Dense {
    #[default]
    None,
    Cholesky(Cholesky),
    Lu(Lu),
    Svd(Svd),
}

impl Dense {
    fn solve(&self, b: &mut [f64]) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Cholesky(f) => f.solve(b),
            Self::Lu(f) => f.solve(b),
            Self::Svd(f) => f.solve(b),
        }
    }

    fn rank(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Cholesky(f) => f.rank,
            Self::Lu(f) => f.rank,
            Self::Svd(f) => f.rank,
        }
    }

    fn dependent(&self) -> Vec<usize> {
        match self {
            Self::None => Vec::new(),
            Self::Cholesky(f) => f.dependent(),
            Self::Lu(f) => f.dependent(),
            Self::Svd(f) => f.dependent(),
        }
    }
}

/// Solver with its factors and scratch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Multipliers {
    tree: Option<Tree>,
    /// Elements that may not be primary.
    barred: Vec<bool>,
    /// Whether the forest is that of a tree solver.
    treed: Option<bool>,
    dense: Dense,
    /// Rows of the second layer: element and row within it.
    second: Vec<(usize, usize)>,
    /// Matrix of the second layer, kept for damped solutions' residuals.
    matrix: Vec<f64>,
    /// Multipliers by row.
    pub lambda: Vec<f64>,
    /// Rows that the others imply.
    pub dropped: usize,
    pub singular: Option<Singular>,
    pub factorizations: u32,
    /// Contact multipliers of the last evaluation, and those of the last step that the feedback
    /// mode lets act.
    pub last_contact: Vec<f64>,
    pub fed: Vec<f64>,
    start: Start,
    scratch: Vec<f64>,
}

impl Multipliers {
    /// Forgets what belongs to another set of elements.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Forgets what bounded rows did: a step depends on nothing but the state.
    pub fn begin(&mut self) {
        self.start = Start::default();
    }

    /// Number of loop-closing and other secondary rows of equalities.
    pub fn secondary_rows(&self) -> usize {
        self.second.len()
    }

    /// Turns the free accelerations `a` into those that obey J a + c = 0. The first `equalities`
    /// elements are equalities, the rest bounded by `bounds` (by row).
    pub fn solve(
        &mut self,
        elements: &[Element],
        equalities: usize,
        rows: &Rows,
        settings: &Lagrange,
        c: &[f64],
        limits: Limits<'_>,
        a: &mut [f64],
    ) {
        self.singular = None;
        self.lambda.clear();
        self.lambda.resize(c.len(), 0.0);
        self.factor(&elements[..equalities], rows, settings, a.len() / 6);
        let bounded: Vec<(usize, usize)> = (equalities..elements.len())
            .flat_map(|e| (0..elements[e].rows).map(move |i| (e, i)))
            .collect();
        if bounded.is_empty() {
            self.constrain(elements, rows, settings, Some(c), a, true);
            return;
        }
        if settings.contacts != ContactOrder::Coupled
            && bounded.iter().all(|&(e, _)| is_contact(&elements[e]))
        {
            self.sequential(elements, rows, settings, c, limits, &bounded, a);
            return;
        }
        let free = a.to_vec();
        self.constrain(elements, rows, settings, Some(c), a, false);
        let n = bounded.len();
        let mut k = vec![0.0; n * n];
        let mut q = vec![0.0; n];
        let mut answer = vec![0.0; a.len()];
        // bodies that no equality holds answer for themselves: most contacts of a scene are theirs
        let mut held = vec![false; a.len() / 6];
        elements[..equalities]
            .iter()
            .flat_map(|e| &e.bodies)
            .for_each(|&b| held[b as usize] = true);
        for (col, &(e, i)) in bounded.iter().enumerate() {
            q[col] = rows.along(&elements[e], i, a) + c[elements[e].row0 + i];
            answer.fill(0.0);
            rows.push(&elements[e], i, 1.0, &mut answer);
            if elements[e].bodies.iter().any(|&b| held[b as usize]) {
                self.constrain(elements, rows, settings, None, &mut answer, false);
            }
            for (row, &(f, j)) in bounded.iter().enumerate() {
                k[row * n + col] = rows.along(&elements[f], j, &answer);
            }
        }
        let found = self::bounded(&k, &q, limits, elements[equalities].row0, &mut self.start);
        a.copy_from_slice(&free);
        for (&(e, i), &x) in bounded.iter().zip(&found) {
            rows.push(&elements[e], i, x, a);
        }
        self.constrain(elements, rows, settings, Some(c), a, true);
        for (&(e, i), &x) in bounded.iter().zip(&found) {
            self.lambda[elements[e].row0 + i] = x;
        }
    }

    /// Wagner's order (6.4.2.2): constraints first, contact forces on top, constraints not solved
    /// again. With feedback the contact forces of the last step act while the constraints are
    /// solved.
    fn sequential(
        &mut self,
        elements: &[Element],
        rows: &Rows,
        settings: &Lagrange,
        c: &[f64],
        limits: Limits<'_>,
        bounded: &[(usize, usize)],
        a: &mut [f64],
    ) {
        let n = bounded.len();
        let feedback = settings.contacts == ContactOrder::Feedback && self.fed.len() == n;
        let mut old = vec![0.0; a.len()];
        if feedback {
            for (&(e, i), &x) in bounded.iter().zip(&self.fed) {
                rows.push(&elements[e], i, x, &mut old);
            }
        }
        for (a, o) in a.iter_mut().zip(&old) {
            *a += o;
        }
        self.constrain(elements, rows, settings, Some(c), a, true);
        for (a, o) in a.iter_mut().zip(&old) {
            *a -= o;
        }
        let mut k = vec![0.0; n * n];
        let mut q = vec![0.0; n];
        for (col, &(e, i)) in bounded.iter().enumerate() {
            q[col] = rows.along(&elements[e], i, a) + c[elements[e].row0 + i];
            let mut answer = vec![0.0; a.len()];
            rows.push(&elements[e], i, 1.0, &mut answer);
            for (row, &(f, j)) in bounded.iter().enumerate() {
                k[row * n + col] = rows.along(&elements[f], j, &answer);
            }
        }
        let found = self::bounded(&k, &q, limits, c.len() - n, &mut self.start);
        for (&(e, i), &x) in bounded.iter().zip(&found) {
            rows.push(&elements[e], i, x, a);
            self.lambda[elements[e].row0 + i] = x;
        }
        self.last_contact = found;
    }

    /// Forest and dense factor for the present rows.
    fn factor(&mut self, elements: &[Element], rows: &Rows, settings: &Lagrange, bodies: usize) {
        let treed =
            matches!(settings.solver, MultiplierSolver::Baraff | MultiplierSolver::BaraffSvd);
        if self.treed != Some(treed) || self.barred.len() != elements.len() {
            self.treed = Some(treed);
            self.barred = vec![false; elements.len()];
            self.tree = treed.then(|| Tree::new(elements, bodies, &self.barred));
        }
        while let Some(tree) = &mut self.tree {
            match tree.factor(elements, rows) {
                Ok(()) => break,
                Err(e) if e < elements.len() => {
                    self.barred[e] = true;
                    self.tree = Some(Tree::new(elements, bodies, &self.barred));
                }
                // only reached with NaN, which the quarantine catches
                Err(_) => self.tree = None,
            }
        }
        self.factorizations += 1;
        self.second.clear();
        for (e, element) in elements.iter().enumerate() {
            if !self.tree.as_ref().is_some_and(|t| t.primary[e]) {
                self.second.extend((0..element.rows).map(|i| (e, i)));
            }
        }
        self.assemble(elements, rows, 6 * bodies);
        let (a, n) = (&mut self.matrix, self.second.len());
        let damped = settings.on_singular == OnSingular::Damped;
        if damped {
            let largest = (0..n).fold(0.0_f64, |m, i| m.max(a[i * n + i].abs()));
            for i in 0..n {
                a[i * n + i] += settings.damping * largest;
            }
        }
        let by_values =
            matches!(settings.solver, MultiplierSolver::DirectSvd | MultiplierSolver::BaraffSvd);
        self.dense = if n == 0 {
            Dense::None
        } else if by_values && !damped {
            Dense::Svd(Svd::new(a, n, settings.tolerance))
        } else if elements.iter().any(|e| e.locked) {
            Dense::Lu(Lu::new(a, n))
        } else {
            Dense::Cholesky(Cholesky::new(a, n))
        };
        self.dropped = n - self.dense.rank();
    }

    /// The matrix of the second layer: its rows' answers to each other.
    fn assemble(&mut self, elements: &[Element], rows: &Rows, length: usize) {
        let n = self.second.len();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        if n == 0 {
            return;
        }
        let Some(tree) = &mut self.tree else {
            // without a forest rows only answer to rows on the same bodies
            let mut by_body: Vec<Vec<(usize, usize)>> = vec![Vec::new(); length / 6];
            for (r, &(e, _)) in self.second.iter().enumerate() {
                for (k, &b) in elements[e].bodies.iter().enumerate() {
                    by_body[b as usize].push((r, k));
                }
            }
            for list in by_body {
                for &(r, k) in &list {
                    let (e, i) = self.second[r];
                    let left = &elements[e].block(&rows.b, k)[6 * i..6 * i + 6];
                    for &(s, l) in &list {
                        let (f, j) = self.second[s];
                        let right =
                            &elements[f].block(rows.forces(&elements[f]), l)[6 * j..6 * j + 6];
                        let mut sum = 0.0;
                        for m in 0..6 {
                            sum += left[m] * right[m];
                        }
                        self.matrix[r * n + s] += sum;
                    }
                }
            }
            return;
        };
        let mut answer = vec![0.0; length];
        for (col, &(e, i)) in self.second.iter().enumerate() {
            answer.fill(0.0);
            rows.push(&elements[e], i, 1.0, &mut answer);
            tree.solve(elements, None, &mut answer, None);
            for (row, &(f, j)) in self.second.iter().enumerate() {
                self.matrix[row * n + col] = rows.along(&elements[f], j, &answer);
            }
        }
        // symmetric but for rounding, unless forces are masked
        if !elements.iter().any(|e| e.locked) {
            for i in 0..n {
                for j in 0..i {
                    let mean = 0.5 * (self.matrix[i * n + j] + self.matrix[j * n + i]);
                    (self.matrix[i * n + j], self.matrix[j * n + i]) = (mean, mean);
                }
            }
        }
    }

    /// Accelerations under the first two layers.
    fn constrain(
        &mut self,
        elements: &[Element],
        rows: &Rows,
        settings: &Lagrange,
        c: Option<&[f64]>,
        a: &mut [f64],
        keep: bool,
    ) {
        let n = self.second.len();
        if n == 0 {
            if let Some(tree) = &mut self.tree {
                tree.solve(elements, c, a, keep.then_some(&mut self.lambda[..]));
            }
            return;
        }
        let mut first = std::mem::take(&mut self.scratch);
        first.clear();
        first.extend_from_slice(a);
        if let Some(tree) = &mut self.tree {
            tree.solve(elements, c, &mut first, None);
        }
        let demand = |&(e, i): &(usize, usize)| {
            -(rows.along(&elements[e], i, &first) + c.map_or(0.0, |c| c[elements[e].row0 + i]))
        };
        let b: Vec<f64> = self.second.iter().map(demand).collect();
        let mut mu = b.clone();
        let mut contradiction = self.dense.solve(&mut mu);
        if let (OnSingular::Damped, Some(_)) = (settings.on_singular, c) {
            // what damping leaves of the demand
            contradiction = mu.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let largest = (0..n).fold(0.0_f64, |m, i| m.max(self.matrix[i * n + i]));
            contradiction *= settings.damping / (1.0 + settings.damping) * largest;
        }
        let scale = b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if c.is_some() && contradiction > CONTRADICTION * scale + CONTRADICTION_FLOOR {
            let damped = settings.on_singular == OnSingular::Damped;
            // damping leaves a little of every demand; only what it leaves most of is a
            // contradiction
            if !damped || contradiction > 0.3 * scale {
                self.note(contradiction, damped);
            }
            let exact = matches!(self.dense, Dense::Cholesky(_) | Dense::Lu(_)) && !damped;
            if exact && settings.on_singular == OnSingular::LeastSquares {
                self.dense = Dense::Svd(Svd::new(&self.matrix, n, settings.tolerance));
                mu.copy_from_slice(&b);
                self.dense.solve(&mut mu);
            }
        }
        for (&(e, i), &x) in self.second.iter().zip(&mu) {
            rows.push(&elements[e], i, x, a);
        }
        if let Some(tree) = &mut self.tree {
            tree.solve(elements, c, a, keep.then_some(&mut self.lambda[..]));
        }
        if keep {
            for (&(e, i), &x) in self.second.iter().zip(&mu) {
                self.lambda[elements[e].row0 + i] = x;
            }
        }
        self.scratch = first;
    }

    fn note(&mut self, contradiction: f64, all: bool) {
        let mut list: Vec<usize> = if all {
            self.second.iter().map(|s| s.0).collect()
        } else {
            self.dense.dependent().into_iter().map(|r| self.second[r].0).collect()
        };
        list.sort_unstable();
        list.dedup();
        self.singular = Some(Singular { elements: list, contradiction });
    }
}

fn is_contact(e: &Element) -> bool {
    e.hold.is_one_sided()
}

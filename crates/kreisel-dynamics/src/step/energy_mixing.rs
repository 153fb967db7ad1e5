//! Anderson acceleration of the energy-momentum iteration (Anderson 1965; Walker and Ni 2011).
//!
//! The symmetric matrix leaves out how the joints' residuals change with the *end* of the arms, so
//! that the corrections of taut, fluttering bodies swing around the solution. Mixing the last few
//! corrections in the least-squares sense removes the swing at the price of a few dot products.
//!
//! | symbol | here |
//! |---|---|
//! | u, f | unknowns and their plain correction, by number: six per body (m), then one per row |
//! | Δu, Δf | `change`, `difference`: of the last rounds, in a ring |
//! | γ | weights that make f − Σ γ Δf small over the bodies |

/// Rounds that are remembered.
const DEPTH: usize = 5;

/// Memory of one substep's iteration.
#[derive(Clone, Debug, Default)]
pub(super) struct Mixing {
    /// The plain correction of this round; afterwards the mixed one.
    pub step: Vec<f64>,
    last: Vec<f64>,
    taken: Vec<f64>,
    change: [Vec<f64>; DEPTH],
    difference: [Vec<f64>; DEPTH],
    rounds: usize,
    /// Numbers that the weights are judged by.
    pub measured: usize,
}

impl Mixing {
    /// Sizes the memory.
    pub fn fit(&mut self, measured: usize, all: usize) {
        self.measured = measured;
        let lists = [&mut self.step, &mut self.last, &mut self.taken].into_iter();
        for v in lists.chain(&mut self.change).chain(&mut self.difference) {
            v.resize(all, 0.0);
        }
    }

    /// Forgets the last substep.
    pub fn restart(&mut self) {
        self.rounds = 0;
    }

    /// Replaces the plain correction by the mixed one when `mix` is set; remembers both.
    pub fn mix(&mut self, mix: bool) {
        if self.rounds > 0 {
            let k = (self.rounds - 1) % DEPTH;
            for (i, f) in self.step.iter().enumerate() {
                self.difference[k][i] = f - self.last[i];
                self.change[k][i] = self.taken[i];
            }
        }
        self.last.copy_from_slice(&self.step);
        let known = self.rounds.min(DEPTH);
        if mix && known > 0 {
            let gamma = self.weights(known);
            for k in 0..known {
                if gamma[k] != 0.0 {
                    for (i, s) in self.step.iter_mut().enumerate() {
                        *s -= gamma[k] * (self.change[k][i] + self.difference[k][i]);
                    }
                }
            }
        }
        self.taken.copy_from_slice(&self.step);
        self.rounds += 1;
    }

    /// Least squares by normal equations; directions that add nothing get no weight.
    fn weights(&self, known: usize) -> [f64; DEPTH] {
        let dot = |a: &[f64], b: &[f64]| -> f64 {
            a.iter().zip(b).take(self.measured).map(|(x, y)| x * y).sum()
        };
        let mut m = [[0.0; DEPTH + 1]; DEPTH];
        for i in 0..known {
            for j in 0..known {
                m[i][j] = dot(&self.difference[i], &self.difference[j]);
            }
            m[i][DEPTH] = dot(&self.difference[i], &self.last);
        }
        let original: [f64; DEPTH] = std::array::from_fn(|i| m[i][i]);
        let mut used = [false; DEPTH];
        for _ in 0..known {
            let ratio = |i: usize| m[i][i] / original[i].max(f64::MIN_POSITIVE);
            let Some(p) =
                (0..known).filter(|&i| !used[i]).max_by(|&a, &b| ratio(a).total_cmp(&ratio(b)))
            else {
                break;
            };
            if !(ratio(p) > 1e-8) {
                break;
            }
            used[p] = true;
            let row = m[p].map(|x| x / m[p][p]);
            for i in (0..known).filter(|&i| i != p) {
                let factor = m[i][p];
                for j in 0..=DEPTH {
                    m[i][j] -= factor * row[j];
                }
            }
            m[p] = row;
        }
        std::array::from_fn(|i| if used[i] { m[i][DEPTH] } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swinging_linear_iteration_ends_at_once() {
        // u ← u + f with f = −1.9 (u − 1), twice the right correction nearly: plain rounds swing
        let mut m = Mixing::default();
        m.fit(1, 1);
        let mut u = 5.0;
        for _ in 0..3 {
            m.step[0] = -1.9 * (u - 1.0);
            m.mix(true);
            u += m.step[0];
        }
        assert!((u - 1.0_f64).abs() < 1e-12, "{u}");
    }
}

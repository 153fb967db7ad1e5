//! The smallest value of a function within bounds: without derivatives, or with differences.
//!
//! Parameters are counted in their ranges, u = (p − low)/(high − low), so that all of them are of
//! size 1. Points are asked for in batches, which a caller may evaluate side by side.
//!
//! | search | method | good for |
//! |---|---|---|
//! | [`Search::Simplex`] | Nelder and Mead with the factors of Gao and Han 2012, clamped to the bounds, begun anew once | noise, contact, few parameters |
//! | [`Search::Gradient`] | BFGS on the free parameters (Nocedal and Wright 2006, 6.1), those at a bound held while they push against it; central differences | smooth motions |
//!
//! A point without a value (a scene that cannot be built, a run that failed) counts as infinitely
//! bad for the simplex, and is stepped back from by the gradient.

use crate::error::AnalysisError;

/// How to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// Without derivatives.
    #[default]
    Simplex,
    /// With central differences.
    Gradient,
}

/// Range of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Smallest value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
}

/// When to end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patience {
    /// Smallest step, as a share of the ranges.
    pub step: f64,
    /// Points at most.
    pub points: usize,
    /// Step of differences, as a share of the ranges.
    pub difference: f64,
}

impl Default for Patience {
    fn default() -> Self {
        Self { step: 1e-6, points: 2000, difference: 1e-4 }
    }
}

/// The best point.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Minimum {
    /// Where.
    pub point: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// Points evaluated.
    pub points: usize,
    /// Whether the search ended by its own test and not for lack of points.
    pub converged: bool,
    /// Numbers of the parameters that ended at a bound.
    pub at_bounds: Vec<usize>,
}

/// Smallest value of a function of parameters within ranges, from a start on. The function gives a
/// value for each of several points, NaN where there is none; its own error ends the search.
///
/// ```
/// use kreisel_analysis::minimise::{Patience, Range, Search, minimise};
/// let bowl = |points: &[Vec<f64>]| -> Result<Vec<f64>, kreisel_analysis::AnalysisError> {
///     Ok(points.iter().map(|p| (p[0] - 0.3).powi(2) + 2.0 * (p[1] + 1.0).powi(2)).collect())
/// };
/// let ranges = [Range { low: 0.0, high: 1.0 }, Range { low: -0.5, high: 2.0 }];
/// let patience = Patience::default();
/// let best = minimise(bowl, &[0.9, 1.0], &ranges, Search::Gradient, &patience).unwrap();
/// assert!((best.point[0] - 0.3).abs() < 1e-6 && best.point[1] == -0.5 && best.at_bounds == [1]);
/// ```
pub fn minimise<E: From<AnalysisError>>(
    mut of: impl FnMut(&[Vec<f64>]) -> Result<Vec<f64>, E>,
    start: &[f64],
    ranges: &[Range],
    search: Search,
    patience: &Patience,
) -> Result<Minimum, E> {
    let right = |r: &Range| r.low.is_finite() && r.high.is_finite() && r.low < r.high;
    if start.len() != ranges.len() || start.is_empty() || !ranges.iter().all(right) {
        let why = "every parameter needs a range from a smaller to a larger number";
        return Err(AnalysisError::refused("the search", why, "give one for each").into());
    }
    let back = |u: &[f64]| -> Vec<f64> {
        u.iter().zip(ranges).map(|(u, r)| r.low + u * (r.high - r.low)).collect()
    };
    let mut asked = 0;
    let mut ask = |points: &[Vec<f64>]| -> Result<Vec<f64>, E> {
        asked += points.len();
        let real: Vec<Vec<f64>> = points.iter().map(|u| back(u)).collect();
        let values = of(&real)?;
        Ok(values.into_iter().map(|v| if v.is_nan() { f64::INFINITY } else { v }).collect())
    };
    let first: Vec<f64> = start
        .iter()
        .zip(ranges)
        .map(|(p, r)| ((p - r.low) / (r.high - r.low)).clamp(0.0, 1.0))
        .collect();
    let (u, value, converged) = match search {
        Search::Simplex => simplex(&mut ask, &first, patience)?,
        Search::Gradient => gradient(&mut ask, &first, patience)?,
    };
    if !value.is_finite() {
        let why = "no point that was tried has a value";
        return Err(AnalysisError::refused("the search", why, "start where there is one").into());
    }
    Ok(Minimum {
        at_bounds: (0..u.len()).filter(|&k| u[k] == 0.0 || u[k] == 1.0).collect(),
        point: back(&u),
        value,
        points: asked,
        converged,
    })
}

/// A batch of points to their values.
type Ask<'a, E> = dyn FnMut(&[Vec<f64>]) -> Result<Vec<f64>, E> + 'a;

fn simplex<E>(
    ask: &mut Ask<'_, E>,
    first: &[f64],
    patience: &Patience,
) -> Result<(Vec<f64>, f64, bool), E> {
    let n = first.len();
    let size = n as f64;
    let (reflect, expand, contract, shrink) =
        (1.0, 1.0 + 2.0 / size, 0.75 - 0.5 / size, 1.0 - 1.0 / size.max(2.0));
    let (mut best, mut value) = (first.to_vec(), f64::INFINITY);
    let mut left = patience.points;
    let mut converged = false;
    for edge in [0.25, 0.03] {
        // a corner along each parameter, inwards
        let mut corners = vec![best.clone()];
        for k in 0..n {
            let mut c = best.clone();
            c[k] += if c[k] <= 0.5 { edge } else { -edge };
            corners.push(c);
        }
        let values = ask(&corners)?;
        left = left.saturating_sub(corners.len());
        let mut all: Vec<(f64, Vec<f64>)> = values.into_iter().zip(corners).collect();
        loop {
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let wide = (0..n)
                .map(|k| {
                    let of =
                        |f: fn(f64, f64) -> f64, from| all.iter().map(|c| c.1[k]).fold(from, f);
                    of(f64::max, f64::NEG_INFINITY) - of(f64::min, f64::INFINITY)
                })
                .fold(0.0, f64::max);
            converged = wide <= patience.step;
            if converged || left == 0 {
                break;
            }

            // the worst corner goes through the middle of the others
            let middle: Vec<f64> =
                (0..n).map(|k| all[..n].iter().map(|c| c.1[k]).sum::<f64>() / size).collect();
            let worst = all[n].clone();
            let at = |by: f64| -> Vec<f64> {
                let to = |k: usize| (middle[k] + by * (middle[k] - worst.1[k])).clamp(0.0, 1.0);
                (0..n).map(to).collect()
            };
            let tries = [at(reflect), at(expand), at(contract), at(-contract)];
            let reflected = ask(&tries[..1])?[0];
            left = left.saturating_sub(1);
            let (take, second) = if reflected < all[0].0 {
                (reflected, Some((1, reflected)))
            } else if reflected < all[n - 1].0 {
                (reflected, None)
            } else if reflected < worst.0 {
                (f64::INFINITY, Some((2, reflected)))
            } else {
                (f64::INFINITY, Some((3, worst.0)))
            };
            let mut new = (take, tries[0].clone());
            if let Some((k, bound)) = second {
                let found = ask(&tries[k..=k])?[0];
                left = left.saturating_sub(1);
                if found < bound {
                    new = (found, tries[k].clone());
                }
            }
            if new.0 < worst.0 {
                all[n] = new;
                continue;
            }

            // nothing helps: all corners go towards the best
            let (low, rest) = all.split_at_mut(1);
            for c in rest.iter_mut() {
                c.1.iter_mut().zip(&low[0].1).for_each(|(x, b)| *x = b + shrink * (*x - b));
            }
            let points: Vec<Vec<f64>> = rest.iter().map(|c| c.1.clone()).collect();
            left = left.saturating_sub(points.len());
            for (c, v) in rest.iter_mut().zip(ask(&points)?) {
                c.0 = v;
            }
        }
        (value, best) = (all[0].0, all[0].1.clone());
        if left == 0 {
            break;
        }
    }
    Ok((best, value, converged))
}

fn gradient<E>(
    ask: &mut Ask<'_, E>,
    first: &[f64],
    patience: &Patience,
) -> Result<(Vec<f64>, f64, bool), E> {
    let n = first.len();
    let mut u = first.to_vec();
    let mut value = ask(std::slice::from_ref(&u))?[0];
    let mut left = patience.points.saturating_sub(1);
    let mut inverse = identity(n);
    let mut before: Option<(Vec<f64>, Vec<f64>)> = None;
    while left > 2 * n {
        // central differences, one-sided beyond a bound
        let h = patience.difference;
        let mut points = Vec::with_capacity(2 * n);
        for k in 0..n {
            for side in [-h, h] {
                let mut p = u.clone();
                p[k] = (p[k] + side).clamp(0.0, 1.0);
                points.push(p);
            }
        }
        let values = ask(&points)?;
        left = left.saturating_sub(points.len());
        let slope: Vec<f64> = (0..n)
            .map(|k| {
                let [low, high] = [2 * k, 2 * k + 1];
                (values[high] - values[low]) / (points[high][k] - points[low][k])
            })
            .collect();
        if slope.iter().any(|g| !g.is_finite()) {
            break;
        }
        let held: Vec<bool> = (0..n)
            .map(|k| (u[k] <= 0.0 && slope[k] > 0.0) || (u[k] >= 1.0 && slope[k] < 0.0))
            .collect();
        if let Some((s, g)) = &before {
            let s: Vec<f64> = u.iter().zip(s).map(|(a, b)| a - b).collect();
            let y: Vec<f64> = slope.iter().zip(g).map(|(a, b)| a - b).collect();
            update(&mut inverse, &s, &y);
        }
        before = Some((u.clone(), slope.clone()));

        // downhill in the free parameters, halved until it pays
        let mut accepted = None;
        for plain in [false, true] {
            if plain {
                inverse = identity(n);
            }
            let mut way: Vec<f64> = (0..n)
                .map(|i| {
                    let of = |j: usize| if held[j] { 0.0 } else { inverse[i][j] * slope[j] };
                    if held[i] { 0.0 } else { -(0..n).map(of).sum::<f64>() }
                })
                .collect();
            let longest = way.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
            let most = if plain { 0.1 } else { 0.5 };
            let mut share = if longest > most || plain { most / longest } else { 1.0 };
            if way.iter().zip(&slope).map(|(w, g)| w * g).sum::<f64>() >= 0.0 {
                continue;
            }
            way.iter_mut().for_each(|w| *w *= share);
            share = 1.0;
            while left > 0 && share * longest.min(most) > 0.01 * patience.step {
                let p: Vec<f64> =
                    u.iter().zip(&way).map(|(x, w)| (x + share * w).clamp(0.0, 1.0)).collect();
                let found = ask(std::slice::from_ref(&p))?[0];
                left -= 1;
                let fall: f64 = p.iter().zip(&u).zip(&slope).map(|((p, u), g)| (p - u) * g).sum();
                if found <= value + 1e-4 * fall && found < value {
                    accepted = Some((p, found));
                    break;
                }
                share *= 0.4;
            }
            if accepted.is_some() {
                break;
            }
        }
        let Some((p, found)) = accepted else { return Ok((u, value, left > 0)) };
        let moved = p.iter().zip(&u).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        (u, value) = (p, found);
        if moved <= patience.step {
            return Ok((u, value, true));
        }
    }
    Ok((u, value, false))
}

fn identity(n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

/// BFGS of the inverse, left out where the curvature is not positive.
fn update(inverse: &mut [Vec<f64>], s: &[f64], y: &[f64]) {
    let n = s.len();
    let sy: f64 = s.iter().zip(y).map(|(s, y)| s * y).sum();
    let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !(sy > 1e-10 * length(s) * length(y)) {
        return;
    }
    let hy: Vec<f64> =
        inverse.iter().map(|row| row.iter().zip(y).map(|(h, y)| h * y).sum()).collect();
    let yhy: f64 = hy.iter().zip(y).map(|(a, b)| a * b).sum();
    for i in 0..n {
        for j in 0..n {
            inverse[i][j] +=
                (1.0 + yhy / sy) * s[i] * s[j] / sy - (hy[i] * s[j] + s[i] * hy[j]) / sy;
        }
    }
}

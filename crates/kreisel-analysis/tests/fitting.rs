//! Searches for the best parameters on functions whose minima are known.

use kreisel_analysis::AnalysisError;
use kreisel_analysis::fit::fit;
use kreisel_analysis::minimise::{Patience, Range, Search, minimise};

type Values = Result<Vec<f64>, AnalysisError>;

/// Rosenbrock's valley: its minimum is at (1, 1).
fn valley(points: &[Vec<f64>]) -> Values {
    Ok(points.iter().map(|p| (1.0 - p[0]).powi(2) + 100.0 * (p[1] - p[0] * p[0]).powi(2)).collect())
}

const SQUARE: [Range; 2] = [Range { low: -2.0, high: 2.0 }, Range { low: -2.0, high: 2.0 }];

#[test]
fn both_searches_follow_a_curved_valley_to_its_lowest_point() {
    for (search, within) in [(Search::Simplex, 1e-5), (Search::Gradient, 1e-4)] {
        let patience = Patience { step: 1e-8, points: 5000, difference: 1e-6 };
        let found = minimise(valley, &[-1.2, 1.0], &SQUARE, search, &patience).unwrap();
        let off = (found.point[0] - 1.0).abs().max((found.point[1] - 1.0).abs());
        println!("{search:?}: {found:?}");
        assert!(off < within && found.at_bounds.is_empty(), "{search:?}: {found:?}");
    }
}

#[test]
fn a_minimum_beyond_a_bound_ends_at_the_bound() {
    let ranges = [Range { low: -2.0, high: 0.5 }, SQUARE[1]];
    for search in [Search::Simplex, Search::Gradient] {
        let found = minimise(valley, &[-0.5, 1.0], &ranges, search, &Patience::default()).unwrap();
        // on x = 1/2 the valley is lowest at y = 1/4
        assert!((found.point[0] - 0.5).abs() < 1e-6 && (found.point[1] - 0.25).abs() < 1e-3);
        assert!(found.at_bounds == [0], "{search:?}: {found:?}");
    }
}

#[test]
fn points_without_a_value_are_stepped_back_from() {
    let half = |points: &[Vec<f64>]| -> Values {
        Ok(points.iter().map(|p| if p[0] < 0.2 { f64::NAN } else { p[0] + p[1] * p[1] }).collect())
    };
    let found =
        minimise(half, &[1.0, 1.0], &SQUARE, Search::Simplex, &Patience::default()).unwrap();
    assert!((found.point[0] - 0.2).abs() < 1e-4 && found.point[1].abs() < 1e-2, "{found:?}");
    let nothing = |points: &[Vec<f64>]| -> Values { Ok(vec![f64::NAN; points.len()]) };
    assert!(
        minimise(nothing, &[1.0, 1.0], &SQUARE, Search::Simplex, &Patience::default()).is_err()
    );
}

/// y = a exp(−b t) + noise of known size: the fit finds a and b within its own deviations, and the
/// deviations are those of the noise.
#[test]
fn a_decay_is_fitted_with_the_deviations_of_its_noise() {
    let times: Vec<f64> = (0..200).map(|k| 0.02 * f64::from(k)).collect();
    // a fixed sequence that is as good as random: mean 0, deviation σ
    let sigma = 0.01;
    let noise = |k: usize| {
        let x = (k as f64 * 0.754_877_666).fract() - 0.5;
        sigma * 12.0_f64.sqrt() * x
    };
    let data: Vec<f64> =
        times.iter().enumerate().map(|(k, t)| 2.0 * (-1.5 * t).exp() + noise(k)).collect();
    let residuals = |points: &[Vec<f64>]| -> Result<Vec<Vec<f64>>, AnalysisError> {
        let one = |p: &Vec<f64>| {
            times.iter().zip(&data).map(|(t, d)| p[0] * (-p[1] * t).exp() - d).collect()
        };
        Ok(points.iter().map(one).collect())
    };
    let ranges = [Range { low: 0.0, high: 10.0 }, Range { low: 0.0, high: 10.0 }];
    let found = fit(residuals, &[5.0, 5.0], &ranges, &Patience::default()).unwrap();
    println!("{found:?}");
    let deviation: Vec<f64> = found.deviation.iter().map(|d| d.unwrap()).collect();
    assert!((found.point[0] - 2.0).abs() < 3.0 * deviation[0]);
    assert!((found.point[1] - 1.5).abs() < 3.0 * deviation[1]);
    assert!((found.rms / sigma - 1.0).abs() < 0.05 && found.converged);
    assert!(deviation[0] > 1e-3 && deviation[0] < 1e-2);

    // a parameter that nothing depends on has no deviation
    let wide = [ranges[0], ranges[1], ranges[0]];
    let blind = fit(residuals, &[5.0, 5.0, 3.0], &wide, &Patience::default()).unwrap();
    assert!(blind.deviation[2].is_none() && blind.point[2] == 3.0, "{blind:?}");
}

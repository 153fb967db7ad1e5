//! Values over time, and the functions of expressions.

use std::sync::Arc;

/// A number, or values over time.
#[derive(Clone, Debug)]
pub enum Value {
    Number(f64),
    Series(Series),
}

/// Values over time.
#[derive(Clone, Debug)]
pub struct Series {
    pub times: Arc<[f64]>,
    pub values: Vec<f64>,
}

impl Value {
    pub fn number(&self) -> Result<f64, String> {
        match self {
            Self::Number(x) => Ok(*x),
            Self::Series(_) => {
                Err("values over time stand where one number is needed: take their max, last, …"
                    .into())
            }
        }
    }

    pub fn series(&self) -> Result<&Series, String> {
        match self {
            Self::Series(s) if s.values.is_empty() => {
                Err("there are no values at these times".into())
            }
            Self::Series(s) => Ok(s),
            Self::Number(_) => Err("one number stands where values over time are needed".into()),
        }
    }

    /// A function of each value.
    pub fn map(&self, f: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Number(x) => Self::Number(f(*x)),
            Self::Series(s) => Self::Series(Series {
                times: s.times.clone(),
                values: s.values.iter().map(|v| f(*v)).collect(),
            }),
        }
    }

    /// A function of two values; series are combined at the times that both have.
    pub fn zip(&self, other: &Self, f: impl Fn(f64, f64) -> f64) -> Result<Self, String> {
        match (self, other) {
            (_, Self::Number(y)) => Ok(self.map(|x| f(x, *y))),
            (Self::Number(x), _) => Ok(other.map(|y| f(*x, y))),
            (Self::Series(a), Self::Series(b)) => {
                if Arc::ptr_eq(&a.times, &b.times) {
                    let values = a.values.iter().zip(&b.values).map(|(x, y)| f(*x, *y)).collect();
                    return Ok(Self::Series(Series { times: a.times.clone(), values }));
                }
                let pairs = common(&a.times, &b.times);
                if pairs.is_empty() {
                    return Err("two quantities have no time in common".into());
                }
                let times: Vec<f64> = pairs.iter().map(|(i, _)| a.times[*i]).collect();
                let values = pairs.iter().map(|(i, j)| f(a.values[*i], b.values[*j])).collect();
                Ok(Self::Series(Series { times: times.into(), values }))
            }
        }
    }
}

/// Rows at the same time, up to rounding.
fn common(a: &[f64], b: &[f64]) -> Vec<(usize, usize)> {
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        // A hundred-millionth of the time itself: steps are added up, samples are written with
        // twelve digits.
        let room = 1e-8 * a[i].abs() + 1e-12;
        if (a[i] - b[j]).abs() <= room {
            out.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if a[i] < b[j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}

impl Series {
    /// A value that is not finite makes the whole sum so: nothing is passed over.
    pub fn fold(&self, from: f64, f: impl Fn(f64, f64) -> f64) -> f64 {
        self.values
            .iter()
            .fold(from, |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { f(a, *b) })
    }

    pub fn mean(&self) -> f64 {
        self.fold(0.0, |a, b| a + b) / self.values.len() as f64
    }

    pub fn median(&self) -> f64 {
        let mut sorted = self.values.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }

    /// The value at a time that was recorded.
    pub fn at(&self, time: f64) -> Result<f64, String> {
        let near = common(&[time], &self.times);
        near.first()
            .map(|(_, j)| self.values[*j])
            .ok_or_else(|| format!("nothing was recorded at {time} s"))
    }

    /// The part between two times.
    pub fn between(&self, from: f64, until: f64) -> Self {
        let keep: Vec<usize> =
            (0..self.values.len()).filter(|k| (from..=until).contains(&self.times[*k])).collect();
        let times: Vec<f64> = keep.iter().map(|k| self.times[*k]).collect();
        Self { times: times.into(), values: keep.iter().map(|k| self.values[*k]).collect() }
    }

    /// The values one row earlier, from the second row on.
    pub fn before(&self) -> Self {
        let rows = self.values.len().saturating_sub(1);
        Self {
            times: self.times[self.values.len() - rows..].into(),
            values: self.values[..rows].to_vec(),
        }
    }

    /// The value of `other` where this one is the most extreme.
    pub fn extreme(
        &self,
        other: &Self,
        beyond: impl Fn(&f64, &f64) -> bool,
    ) -> Result<f64, String> {
        let mut found: Option<(f64, f64)> = None;
        for (i, j) in common(&self.times, &other.times) {
            if found.is_none_or(|(x, _)| beyond(&self.values[i], &x)) {
                found = Some((self.values[i], other.values[j]));
            }
        }
        found.map(|f| f.1).ok_or_else(|| "two quantities have no time in common".into())
    }

    /// Mean time from one rise through zero to the next. Where the curve crosses is found from four
    /// points around.
    pub fn period(&self) -> Result<f64, String> {
        let mut rises = Vec::new();
        for k in 1..self.values.len() {
            if self.values[k - 1] < 0.0 && self.values[k] >= 0.0 {
                let from = k.saturating_sub(2);
                let to = (k + 2).min(self.values.len());
                rises.push(inverse(&self.values[from..to], &self.times[from..to]));
            }
        }
        match rises[..] {
            [first, .., last] => Ok((last - first) / (rises.len() - 1) as f64),
            _ => Err("it rises through zero less than twice".into()),
        }
    }

    /// Places between which the sign changes; a zero counts as positive.
    fn changes(&self) -> impl Iterator<Item = usize> + '_ {
        (1..self.values.len()).filter(|&k| (self.values[k - 1] < 0.0) != (self.values[k] < 0.0))
    }

    /// How often the sign changes.
    pub fn crossings(&self) -> f64 {
        self.changes().count() as f64
    }

    /// Time of the first change of sign, on the straight line between its neighbours.
    pub fn crossing(&self) -> Result<f64, String> {
        let k = self.changes().next().ok_or("it never passes zero")?;
        Ok(inverse(&self.values[k - 1..=k], &self.times[k - 1..=k]))
    }
}

/// Time at which a value is zero, by the polynomial of the time over the value (Lagrange).
fn inverse(values: &[f64], times: &[f64]) -> f64 {
    let mut out = 0.0;
    for i in 0..values.len() {
        let mut weight = 1.0;
        for j in (0..values.len()).filter(|j| *j != i) {
            weight *= values[j] / (values[j] - values[i]);
        }
        out += weight * times[i];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_period_of_a_sine_is_found() {
        let times: Vec<f64> = (0..1000).map(|k| f64::from(k) * 0.02).collect();
        let values = times.iter().map(|t| (3.0 * t - 1.0).sin()).collect();
        let series = Series { times: times.into(), values };
        let exact = std::f64::consts::TAU / 3.0;
        assert!((series.period().unwrap() - exact).abs() < 1e-8, "{}", series.period().unwrap());
    }

    #[test]
    fn a_row_earlier_and_where_it_is_greatest() {
        let series =
            |values: &[f64]| Series { times: [0.0, 1.0, 2.0, 3.0].into(), values: values.to_vec() };
        let (x, y) = (series(&[1.0, 5.0, 2.0, 0.0]), series(&[10.0, 20.0, 30.0, 40.0]));
        let earlier = x.before();
        assert_eq!(
            (&earlier.times[..], &earlier.values[..]),
            (&[1.0, 2.0, 3.0][..], &[1.0, 5.0, 2.0][..])
        );
        assert_eq!(x.extreme(&y, f64::gt), Ok(20.0));
        assert_eq!(x.extreme(&y, f64::lt), Ok(40.0));
        // only from the second row on: 5 a row earlier stands at time 2
        assert_eq!(earlier.extreme(&y, f64::gt), Ok(30.0));
    }

    #[test]
    fn changes_of_sign_are_found_and_counted() {
        let times: Vec<f64> = (0..9).map(f64::from).collect();
        let series = |f: fn(f64) -> f64| Series {
            times: times.clone().into(),
            values: times.iter().map(|t| f(*t)).collect(),
        };
        let (line, bend) = (series(|t| 2.0 * t - 5.0), series(|t| (t - 4.0) * (t - 4.0)));
        assert_eq!((line.crossings(), line.crossing()), (1.0, Ok(2.5)));
        assert!(bend.crossing().is_err());
    }

    #[test]
    fn series_meet_at_their_common_times() {
        let series =
            |times: &[f64]| Value::Series(Series { times: times.into(), values: times.to_vec() });
        let Ok(Value::Series(s)) =
            series(&[0.0, 0.1, 0.2, 0.3]).zip(&series(&[0.0, 0.2, 0.4]), |a, b| a + b)
        else {
            panic!("a series");
        };
        assert_eq!(s.values, [0.0, 0.4]);
        assert!(series(&[1.0]).zip(&series(&[2.0]), |a, _| a).is_err());
    }
}

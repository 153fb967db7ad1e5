//! Ranges of parameters, and the points at which a sweep looks at them.
//!
//! | plan | points |
//! |---|---|
//! | grid | every combination of values, the last parameter fastest |
//! | sobol | Sobol's sequence with the direction numbers of Joe and Kuo (2008), in the order of the Gray code; a seed shifts it modulo 1 |
//! | latin | a Latin hypercube: of n equal slices of every range each has one point |
//!
//! Random numbers are SplitMix64's (Steele, Lea, Flood 2014), so that a seed gives the same points
//! everywhere.

/// Values of one parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    /// These values.
    Values(Vec<f64>),
    /// Anything from the first to the second, for plans that sample.
    Span(f64, f64),
}

impl Range {
    /// `count` values from `low` to `high`, both included.
    pub fn linear(low: f64, high: f64, count: usize) -> Self {
        let last = count.saturating_sub(1).max(1) as f64;
        let value = |k: usize| {
            if k > 0 && k + 1 == count { high } else { low + (high - low) * (k as f64 / last) }
        };
        Self::Values((0..count).map(value).collect())
    }
}

/// How ranges are sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Plan {
    /// Every combination.
    Grid,
    /// Sobol's sequence.
    Sobol {
        /// Number of points.
        count: usize,
        /// Shifts it.
        seed: Option<u64>,
    },
    /// A Latin hypercube.
    Latin {
        /// Number of points.
        count: usize,
        /// Which one.
        seed: u64,
    },
}

/// Most points of a sweep.
const MAX_POINTS: usize = 100_000_000;

/// The points of a sweep in their order, or why there are none.
pub fn points(ranges: &[(String, Range)], plan: Plan) -> Result<Vec<Vec<f64>>, String> {
    let finite = |r: &Range| match r {
        Range::Values(v) => v.iter().all(|x| x.is_finite()),
        Range::Span(a, b) => a.is_finite() && b.is_finite(),
    };
    if let Some((name, _)) = ranges.iter().find(|(_, r)| !finite(r)) {
        return Err(format!("the values of \"{name}\" must be finite"));
    }
    let (count, unit) = match plan {
        Plan::Grid => return grid(ranges),
        Plan::Sobol { count, seed } => (count, sobol(count, ranges.len(), seed)?),
        Plan::Latin { count, seed } => (count, latin(count, ranges.len(), seed)),
    };
    if !(1..=MAX_POINTS).contains(&count) {
        return Err(format!("a sampled sweep has 1 to {MAX_POINTS} points, not {count}"));
    }
    let mut bounds = Vec::new();
    for (name, range) in ranges {
        let Range::Span(low, high) = range else {
            return Err(format!(
                "\"{name}\" has a list of values; a sampled sweep needs a range from low to high"
            ));
        };
        bounds.push((*low, *high));
    }
    let scale = |row: Vec<f64>| {
        row.iter().zip(&bounds).map(|(u, (low, high))| low + u * (high - low)).collect()
    };
    Ok(unit.into_iter().map(scale).collect())
}

fn grid(ranges: &[(String, Range)]) -> Result<Vec<Vec<f64>>, String> {
    let mut out: Vec<Vec<f64>> = vec![Vec::new()];
    for (name, range) in ranges {
        let Range::Values(values) = range else {
            return Err(format!(
                "a grid needs values of \"{name}\": how many from low to high, or a list"
            ));
        };
        if out.len().saturating_mul(values.len()) > MAX_POINTS {
            return Err(format!("a sweep has at most {MAX_POINTS} points"));
        }
        let longer = |point: Vec<f64>| {
            values.iter().map(move |v| point.iter().copied().chain([*v]).collect())
        };
        out = out.into_iter().flat_map(longer).collect();
    }
    Ok(out)
}

/// Random numbers from a seed.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1, 1 excluded.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// From 0 to n, n excluded, each as likely.
    fn below(&mut self, n: u64) -> u64 {
        let most = u64::MAX - u64::MAX % n;
        loop {
            let x = self.next();
            if x < most {
                return x % n;
            }
        }
    }
}

fn latin(count: usize, dimensions: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = SplitMix(seed);
    let mut out = vec![vec![0.0; dimensions]; count];
    for d in 0..dimensions {
        let mut order: Vec<usize> = (0..count).collect();
        for k in (1..count).rev() {
            order.swap(k, random.below(k as u64 + 1) as usize);
        }
        for (row, slice) in out.iter_mut().zip(order) {
            row[d] = (slice as f64 + random.unit()) / count as f64;
        }
    }
    out
}

/// Degree, coefficients and first direction numbers of Joe and Kuo (2008), dimensions 2 to 21.
const JOE_KUO: [(u32, u32, &[u32]); 20] = [
    (1, 0, &[1]),
    (2, 1, &[1, 3]),
    (3, 1, &[1, 3, 1]),
    (3, 2, &[1, 1, 1]),
    (4, 1, &[1, 1, 3, 3]),
    (4, 4, &[1, 3, 5, 13]),
    (5, 2, &[1, 1, 5, 5, 17]),
    (5, 4, &[1, 1, 5, 5, 5]),
    (5, 7, &[1, 1, 7, 11, 19]),
    (5, 11, &[1, 1, 5, 1, 1]),
    (5, 13, &[1, 1, 1, 3, 11]),
    (5, 14, &[1, 3, 5, 5, 31]),
    (6, 1, &[1, 3, 3, 9, 7, 49]),
    (6, 13, &[1, 1, 1, 15, 21, 21]),
    (6, 16, &[1, 3, 1, 13, 27, 49]),
    (6, 19, &[1, 1, 1, 15, 7, 5]),
    (6, 22, &[1, 3, 1, 15, 13, 25]),
    (6, 25, &[1, 1, 5, 5, 19, 61]),
    (7, 1, &[1, 3, 7, 11, 23, 15, 103]),
    (7, 4, &[1, 3, 7, 13, 13, 15, 69]),
];

const BITS: usize = 32;

fn directions(dimension: usize) -> [u32; BITS] {
    let mut v = [0_u32; BITS];
    let Some(&(degree, coefficients, first)) =
        dimension.checked_sub(1).and_then(|d| JOE_KUO.get(d))
    else {
        for (k, v) in v.iter_mut().enumerate() {
            *v = 1 << (BITS - 1 - k);
        }
        return v;
    };
    let degree = degree as usize;
    for (k, m) in first.iter().enumerate() {
        v[k] = m << (BITS - 1 - k);
    }
    for k in degree..BITS {
        let mut x = v[k - degree] ^ (v[k - degree] >> degree);
        for j in 1..degree {
            if (coefficients >> (degree - 1 - j)) & 1 == 1 {
                x ^= v[k - j];
            }
        }
        v[k] = x;
    }
    v
}

fn sobol(count: usize, dimensions: usize, seed: Option<u64>) -> Result<Vec<Vec<f64>>, String> {
    let most = JOE_KUO.len() + 1;
    if dimensions > most {
        return Err(format!(
            "Sobol's sequence is here for up to {most} parameters, not {dimensions}"
        ));
    }
    let mut random = seed.map(SplitMix);
    let mut out = vec![vec![0.0; dimensions]; count];
    for d in 0..dimensions {
        let v = directions(d);
        let shift = random.as_mut().map_or(0.0, SplitMix::unit);
        let mut x = 0_u32;
        for (n, row) in out.iter_mut().enumerate() {
            let value = f64::from(x) / 2.0_f64.powi(BITS as i32) + shift;
            row[d] = if value < 1.0 { value } else { value - 1.0 };
            // Gray code: the lowest zero bit of n says which direction changes
            x ^= v[((!n).trailing_zeros() as usize).min(BITS - 1)];
        }
    }
    Ok(out)
}

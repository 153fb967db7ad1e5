//! Numbers with their first two derivatives by time.

use std::ops::{Add, Mul, Neg, Sub};

/// A value with its first and second derivative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jet {
    /// The value.
    pub v: f64,
    /// Its first derivative.
    pub d: f64,
    /// Its second derivative.
    pub dd: f64,
}

/// A vector of jets.
pub type Jet3 = [Jet; 3];

impl Jet {
    /// A constant.
    pub fn constant(v: f64) -> Self {
        Self { v, d: 0.0, dd: 0.0 }
    }

    /// Sine and cosine.
    pub fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.v.sin_cos();
        let square = self.d * self.d;
        (
            Self { v: s, d: c * self.d, dd: c * self.dd - s * square },
            Self { v: c, d: -s * self.d, dd: -s * self.dd - c * square },
        )
    }

    /// Square root of a positive value.
    pub fn sqrt(self) -> Self {
        let v = self.v.sqrt();
        let d = self.d / (2.0 * v);
        Self { v, d, dd: (self.dd - 2.0 * d * d) / (2.0 * v) }
    }
}

impl Add for Jet {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { v: self.v + o.v, d: self.d + o.d, dd: self.dd + o.dd }
    }
}

impl Sub for Jet {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self { v: self.v - o.v, d: self.d - o.d, dd: self.dd - o.dd }
    }
}

impl Neg for Jet {
    type Output = Self;
    fn neg(self) -> Self {
        Self { v: -self.v, d: -self.d, dd: -self.dd }
    }
}

impl Mul for Jet {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self {
            v: self.v * o.v,
            d: self.d * o.v + self.v * o.d,
            dd: self.dd * o.v + 2.0 * self.d * o.d + self.v * o.dd,
        }
    }
}

impl Mul<f64> for Jet {
    type Output = Self;
    fn mul(self, o: f64) -> Self {
        Self { v: self.v * o, d: self.d * o, dd: self.dd * o }
    }
}

/// Difference of two vectors.
pub fn sub(a: Jet3, b: Jet3) -> Jet3 {
    std::array::from_fn(|k| a[k] - b[k])
}

/// Inner product.
pub fn dot(a: Jet3, b: Jet3) -> Jet {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A constant vector.
pub fn constant(v: [f64; 3]) -> Jet3 {
    v.map(Jet::constant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_products_roots_and_sines_are_those_of_differences() {
        let f = |t: f64| ((1.0 + t * t) * t.sin()).powi(2).sqrt() + t.cos();
        let t0 = 0.7;
        let t = Jet { v: t0, d: 1.0, dd: 0.0 };
        let (s, c) = t.sin_cos();
        let p = (Jet::constant(1.0) + t * t) * s;
        let jet = (p * p).sqrt() + c;
        let h = 1e-4;
        let (minus, zero, plus) = (f(t0 - h), f(t0), f(t0 + h));
        assert!((jet.v - zero).abs() < 1e-15);
        assert!((jet.d - (plus - minus) / (2.0 * h)).abs() < 1e-7);
        assert!((jet.dd - (plus - 2.0 * zero + minus) / (h * h)).abs() < 1e-6);
    }
}

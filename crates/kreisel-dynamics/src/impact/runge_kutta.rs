//! Dormand and Prince's embedded Runge-Kutta pair of orders 5 and 4, for the five numbers of a
//! collision's path.
//!
//! Reference: Dormand and Prince 1980, table 2 (RK5(4)7M). The tableau is checked against its order
//! conditions below.

/// u_x, u_y, u_z, W_z, p_z.
pub(super) type Vector = [f64; 5];

const A: [[f64; 6]; 7] = [
    [0.0; 6],
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
const FOURTH: [f64; 7] = [
    5179.0 / 57600.0,
    0.0,
    7571.0 / 16695.0,
    393.0 / 640.0,
    -92097.0 / 339200.0,
    187.0 / 2100.0,
    1.0 / 40.0,
];

/// One step of size `h`: the result of order 5 and the largest difference to that of order 4.
pub(super) fn step(rate: impl Fn(&Vector) -> Vector, y: &Vector, h: f64) -> (Vector, f64) {
    let mut k = [[0.0; 5]; 7];
    let mut stage = *y;
    for i in 0..7 {
        stage = *y;
        for j in 0..i {
            for n in 0..5 {
                stage[n] += h * A[i][j] * k[j][n];
            }
        }
        k[i] = rate(&stage);
    }
    // the last stage is the result of order 5
    let mut error = 0.0f64;
    for n in 0..5 {
        let mut difference = 0.0;
        for i in 0..7 {
            let fifth = if i < 6 { A[6][i] } else { 0.0 };
            difference += (fifth - FOURTH[i]) * k[i][n];
        }
        error = error.max((h * difference).abs());
    }
    (stage, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_five() {
        // y' = y, one step: the error is h⁶/6! times a constant, so halving the step divides it by
        // about 64
        let error = |h: f64| (step(|y| *y, &[1.0; 5], h).0[0] - h.exp()).abs();
        let ratio = error(0.2) / error(0.1);
        assert!((58.0..72.0).contains(&ratio), "{ratio}");
        // and a nonlinear one, y' = −y²: 1/(1 + t), whose terms of orders 6 and 7 have the same
        // sign (exact arithmetic gives 88.4)
        let error =
            |h: f64| (step(|y| y.map(|x| -x * x), &[1.0; 5], h).0[0] - 1.0 / (1.0 + h)).abs();
        let ratio = error(0.05) / error(0.025);
        assert!((87.4..89.4).contains(&ratio), "{ratio}");
    }
}

//! Exact distance of two oriented boxes by classification of edges.
//!
//! Reference: Meyer; Lennerz 2000, section 3.7.4 (Algorithms 12 to 15, L-44), with the line that
//! the thesis lacks: as printed, a box that pierces a face of the other, or lies inside it, gets a
//! positive distance, which is no lower bound.
//!
//! In the frame of one box space falls into 27 regions (8 of vertices, 12 of edges, 6 of faces, 1
//! inside), named by six bits: bit 2k if x_k < −d_k, bit 2k + 1 if x_k ≥ d_k. An edge of the other
//! box passes at most seven of them; each one names the feature whose distance to the edge is a
//! candidate. At most 24 edges are followed.

use super::OrientedBox;
use crate::elementary::{edge_edge, point_edge};
use glam::{DMat3, DVec3};

/// Distance of two boxes, 0 if they overlap.
pub fn box_distance(first: &OrientedBox, second: &OrientedBox) -> f64 {
    let mut best = f64::INFINITY;
    let corners = seen_from(first, second);
    for [i, j] in edges() {
        let (a, b) = (corners[i], corners[j]);
        let inside =
            follow(a, b, second.half, |code| best = best.min(region(code, a, b, second.half)));
        if inside {
            return 0.0;
        }
    }
    let corners = seen_from(second, first);
    for [i, j] in edges() {
        if follow(corners[i], corners[j], first.half, |_| ()) {
            return 0.0;
        }
    }
    for x in corners {
        let code = code(x, first.half);
        if code.count_ones() == 1 {
            let k = (code.trailing_zeros() / 2) as usize;
            let height = x[k].abs() - first.half[k];
            best = best.min(height * height);
        }
    }
    best.sqrt()
}

/// The eight corners of a box in the frame of another.
fn seen_from(volume: &OrientedBox, frame: &OrientedBox) -> [DVec3; 8] {
    let rows: DMat3 = frame.axes.transpose();
    let (m, p) = (rows * volume.axes, rows * (volume.center - frame.center));
    std::array::from_fn(|i| {
        let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        m * (DVec3::new(sign(0), sign(1), sign(2)) * volume.half) + p
    })
}

/// The edges of a box as pairs of corners that differ in one bit.
fn edges() -> impl Iterator<Item = [usize; 2]> {
    (0..8_usize).flat_map(|i| (0..3).filter(move |b| i >> b & 1 == 0).map(move |b| [i, i | 1 << b]))
}

fn code(x: DVec3, d: DVec3) -> u8 {
    let mut code = 0;
    for k in 0..3 {
        code |= u8::from(x[k] < -d[k]) << (2 * k) | u8::from(x[k] >= d[k]) << (2 * k + 1);
    }
    code
}

/// Visits the regions from `a` to `b`; true if one of them is the inside.
fn follow(a: DVec3, b: DVec3, d: DVec3, mut visit: impl FnMut(u8)) -> bool {
    let mut here = code(a, d);
    let crossed = here ^ code(b, d);
    let mut at = [(f64::INFINITY, 0_u8); 6];
    let mut n = 0;
    for bit in 0..6_u8 {
        if crossed >> bit & 1 == 1 {
            let k = usize::from(bit / 2);
            let plane = if bit % 2 == 0 { -d[k] } else { d[k] };
            at[n] = ((plane - a[k]) / (b[k] - a[k]), bit);
            n += 1;
        }
    }
    // a box without thickness is entered and left at the same place: what is left comes first, or
    // the inside would be passed over
    let enters = |bit: u8| here >> bit & 1 == 0;
    at[..n].sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(enters(p.1).cmp(&enters(q.1))));
    for step in 0..=n {
        if here == 0 {
            return true;
        }
        visit(here);
        if step < n {
            here ^= 1 << at[step].1;
        }
    }
    false
}

/// Squared distance of the whole edge from the feature that owns a region.
fn region(code: u8, a: DVec3, b: DVec3, d: DVec3) -> f64 {
    let corner = |code: u8| {
        let side = |k: usize| if code >> (2 * k) & 1 == 1 { -d[k] } else { d[k] };
        DVec3::new(side(0), side(1), side(2))
    };
    let free = |k: usize| code >> (2 * k) & 3 == 0;
    match code.count_ones() {
        3 => point_edge(corner(code), [a, b]).squared,
        2 => {
            let k = (0..3).find(|&k| free(k)).unwrap_or(0);
            edge_edge([a, b], [corner(code | 1 << (2 * k)), corner(code)]).squared
        }
        _ => {
            let k = (0..3).find(|&k| !free(k)).unwrap_or(0);
            let below = code >> (2 * k) & 1 == 1;
            let rising = b[k] - a[k] > 0.0;
            // the end nearer to the face; beside the face a neighbouring region has the minimum
            let x = if below == rising { b } else { a };
            let beside = (0..3).any(|m| m != k && x[m].abs() > d[m]);
            let height = x[k].abs() - d[k];
            if beside { f64::INFINITY } else { height * height }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_that_pierces_a_plate_without_thickness_is_seen_from_both_sides() {
        for thickness in [0.0, 1e-17, 1e-9] {
            for sign in [1.0, -1.0] {
                let plate = OrientedBox {
                    center: DVec3::new(0.1, 0.2, 0.3),
                    axes: DMat3::IDENTITY,
                    half: DVec3::new(1.0, 1.0, thickness),
                };
                let tall = OrientedBox { half: DVec3::new(0.1, 0.1, 2.0 * sign), ..plate };
                assert_eq!(box_distance(&tall, &plate), 0.0, "{thickness}");
                assert_eq!(box_distance(&plate, &tall), 0.0, "{thickness}");
            }
        }
    }

    #[test]
    fn the_longest_edge_passes_seven_regions_in_the_order_of_the_thesis() {
        // Lennerz 3.7.4: d = (1,1,1), from (−2,−2,−2) to (8,5,2), crossings at 1/10, 1/7, 1/4,
        // 3/10, 3/7, 3/4
        let (a, b) = (DVec3::splat(-2.0), DVec3::new(8.0, 5.0, 2.0));
        let mut codes = Vec::new();
        assert!(follow(a, b, DVec3::ONE, |c| codes.push(c)));
        assert_eq!(codes, [0b010101, 0b010100, 0b010000], "the fourth region is the inside");
        let mut back = Vec::new();
        assert!(follow(b, a, DVec3::ONE, |c| back.push(c)));
        assert_eq!(back, [0b101010, 0b001010, 0b000010]);
    }
}

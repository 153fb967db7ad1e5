//! Fewer keyframes: those are kept that straight lines between them need to pass every frame within
//! a tolerance (Ramer 1972, Douglas and Peucker 1973).

use glam::{Quat, Vec3};

/// Frames to keep so that linear interpolation in time is within `tolerance` of every frame.
pub fn thin_positions(times: &[f32], values: &[Vec3], tolerance: f32) -> Vec<usize> {
    thin(times, |a, b, t, k| values[a].lerp(values[b], t).distance(values[k]), tolerance)
}

/// Frames to keep so that spherical interpolation is within `tolerance` (rad) of every frame.
pub fn thin_rotations(times: &[f32], values: &[Quat], tolerance: f32) -> Vec<usize> {
    thin(times, |a, b, t, k| angle(values[a].slerp(values[b], t), values[k]), tolerance)
}

/// Angle between two rotations; exact for small ones, where the arc cosine is not.
fn angle(a: Quat, b: Quat) -> f32 {
    let d = a.conjugate() * b;
    2.0 * d.xyz().length().atan2(d.w.abs())
}

fn thin(
    times: &[f32],
    error: impl Fn(usize, usize, f32, usize) -> f32,
    tolerance: f32,
) -> Vec<usize> {
    let last = times.len().saturating_sub(1);
    let mut keep = vec![false; times.len()];
    let mut spans = vec![(0, last)];
    while let Some((a, b)) = spans.pop() {
        if let Some(k) = keep.get_mut(a) {
            *k = true;
        }
        if let Some(k) = keep.get_mut(b) {
            *k = true;
        }
        let part = |k: usize| (times[k] - times[a]) / (times[b] - times[a]);
        let worst =
            (a + 1..b).map(|k| (error(a, b, part(k), k), k)).max_by(|x, y| x.0.total_cmp(&y.0));
        // What is not a number counts as too far off.
        if let Some((off, k)) = worst
            && !(off <= tolerance)
        {
            spans.push((a, k));
            spans.push((k, b));
        }
    }
    let mut out: Vec<usize> = (0..times.len()).filter(|k| keep[*k]).collect();
    // A thing that does not move needs no second key.
    if let [a, b] = out[..]
        && error(a, b, 0.0, b) <= tolerance.min(1e-7)
    {
        out.truncate(1);
    }
    out
}

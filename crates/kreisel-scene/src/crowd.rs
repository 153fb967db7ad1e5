//! How crowded a world is: pairs of bodies whose boxes overlap, counted only as far as somebody
//! wants to know.
//!
//! A thousand bodies in one place are half a million pairs. What only asks whether there are too
//! many, or looks at some of them, must not pay for all.

use kreisel_dynamics::World;
use kreisel_geometry::Pose;
use kreisel_geometry::broad::Aabb;

/// Most comparisons of two boxes: a plane of bodies that share their range on one axis ends the
/// count here.
const MOST_TESTS: usize = 50_000_000;

/// Pairs of boxes that overlap, sorted; the count ends with `most` of them.
pub fn overlapping(boxes: &[Aabb], most: usize) -> Vec<[u32; 2]> {
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    order.sort_by(|&a, &b| boxes[a as usize].lo.x.total_cmp(&boxes[b as usize].lo.x));
    let (mut out, mut tests) = (Vec::new(), 0);

    // Each box meets those that begin before it ends.
    'all: for (k, &i) in order.iter().enumerate() {
        let a = &boxes[i as usize];
        for &j in order[k + 1..].iter().take_while(|&&j| boxes[j as usize].lo.x <= a.hi.x) {
            if out.len() >= most || tests >= MOST_TESTS {
                break 'all;
            }
            tests += 1;
            if a.overlaps(&boxes[j as usize]) {
                out.push([i.min(j), i.max(j)]);
            }
        }
    }
    out.sort_unstable();
    out
}

/// Number of pairs of bodies whose boxes overlap, at most `most`. The ground is no body here.
pub fn crowd(world: &World, most: usize) -> usize {
    let boxed = |id| {
        let frame = Pose::new(world.position(id)?, world.rotation(id)?);
        let boxes = world.surfaces(id).map(|s| Aabb::of(s.shape, &frame.then(&s.pose)));
        boxes.reduce(|a, b| a.union(&b))
    };
    let boxes: Vec<Aabb> = world.bodies().filter_map(boxed).collect();
    overlapping(&boxes, most).len()
}

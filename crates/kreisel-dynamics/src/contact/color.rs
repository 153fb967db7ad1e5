//! Colours: manifolds of one colour share no moving body, so that several of them go side by side
//! and a colour can be split among threads without changing a bit. Greedy over a bit mask per body,
//! made anew when other pairs touch: a few ns a manifold.

use super::manifold::POINTS;

/// Place of a number of points in the order of a colour.
fn kind(points: u32) -> usize {
    POINTS - (points as usize).clamp(1, POINTS)
}

/// Colours that a mask can hold; what does not fit goes one by one.
const COLORS: u32 = 64;

/// Scratch of the colouring.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coloring {
    masks: Vec<u64>,
    color: Vec<u32>,
    next: Vec<u32>,
}

impl Coloring {
    /// Puts manifolds (given by the cells of their two bodies, 0 for none, and their number of
    /// points) into groups of so many `lanes` with different bodies; `place` gets manifold, group
    /// and lane. Returns the number of groups. Within a colour those with most points come first: a
    /// group costs as much as its longest lane.
    pub fn group(
        &mut self,
        lanes: usize,
        cells: usize,
        pairs: &[([u32; 2], u32)],
        mut place: impl FnMut(usize, usize, usize),
    ) -> usize {
        self.masks.clear();
        self.masks.resize(cells, 0);
        self.color.clear();
        let mut counts = [[0u32; POINTS]; COLORS as usize + 1];
        for &([a, b], points) in pairs {
            let mask = |c: u32| if c == 0 { 0 } else { self.masks[c as usize] };
            let color = (!(mask(a) | mask(b))).trailing_zeros();
            if color < COLORS {
                for c in [a, b] {
                    self.masks[c as usize] |= 1 << color;
                }
            }
            self.color.push(color.min(COLORS));
            counts[color.min(COLORS) as usize][kind(points)] += 1;
        }
        // groups of a colour follow each other; the rest has one lane each
        self.next.clear();
        let mut groups = 0;
        for (color, kinds) in counts.iter().enumerate() {
            let each = if color < COLORS as usize { 1 } else { lanes as u32 };
            let mut at = groups * lanes as u32;
            for n in kinds {
                self.next.push(at);
                at += n * each;
            }
            groups = at.div_ceil(lanes as u32);
        }
        for (i, (&color, &(_, points))) in self.color.iter().zip(pairs).enumerate() {
            let at = &mut self.next[color as usize * POINTS + kind(points)];
            place(i, *at as usize / lanes, *at as usize % lanes);
            *at += if color < COLORS { 1 } else { lanes as u32 };
        }
        groups as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_body_is_twice_in_a_group() {
        // a star of 100 around body 1, which needs more colours than there are, and pairs with the
        // ground
        let mut pairs: Vec<([u32; 2], u32)> = (2..102).map(|i| ([1, i], i % 4 + 1)).collect();
        pairs.extend((2..102).map(|i| ([0, i], i % 3 + 1)));
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); 300];
        let mut placed = 0;
        let n = Coloring::default().group(4, 102, &pairs, |i, g, l| {
            assert!(l < 4);
            members[g].extend(pairs[i].0.iter().filter(|&&c| c != 0));
            placed += 1;
        });
        assert_eq!(placed, 200);
        for m in &members[..n] {
            let mut sorted = m.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), m.len(), "{m:?}");
        }
        assert!(members[n..].iter().all(Vec::is_empty));
    }
}

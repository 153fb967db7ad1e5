//! The list of all cases, in a fixed order.

use crate::base::{ARM, Base, CART, CRANK, DOUBLE, SLEEVE, SLOPED};
use crate::build;
use crate::case::Case;
use crate::element::ALL;
use crate::special;

/// All cases: pairs on the same link of one-link bases, pairs on different links of the double pendulum, and single elements (with
/// nothing on the other link) on the other two-link bases.
pub fn cases() -> Vec<Case> {
    let mut list = special::cases();
    let pair = |list: &mut Vec<Case>, base: Base, a: usize, b: usize| list.extend(build::case(base, a, b));
    let count = ALL.len();
    for a in 0..count {
        for b in a..count {
            // an element twice on one link says nothing new; with nothing it stands alone
            if a != b || a == 0 {
                pair(&mut list, ARM, a, b);
                pair(&mut list, SLOPED, a, b);
            }
        }
    }
    for a in 0..count {
        for b in 0..count {
            pair(&mut list, DOUBLE, a, b);
        }
    }
    for base in [CART, SLEEVE, CRANK] {
        for a in 1..count {
            pair(&mut list, base, a, 0);
            pair(&mut list, base, 0, a);
        }
    }
    list
}

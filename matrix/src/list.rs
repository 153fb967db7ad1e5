//! The list of all cases, in a fixed order.

use crate::base::{ARM, Base, CART, CRANK, DOUBLE, SLEEVE, SLOPED};
use crate::build;
use crate::case::Case;
use crate::element::ALL;
use crate::special;

/// All cases: pairs on the same link of one-link bases, pairs on different links of the double
/// pendulum, single elements (with nothing on the other link) on the other two-link bases, and
/// triples.
pub fn cases() -> Vec<Case> {
    let mut list = special::cases();
    let pair = |list: &mut Vec<Case>, base: Base, a: usize, b: usize| {
        list.extend(build::case(base, a, &[b]));
    };
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
    // three on one link, and one beside two: partners by strides that are prime to their number, so
    // that every element meets many others
    let mut seen = std::collections::BTreeSet::new();
    for stride in TRIPLES {
        for a in 1..count {
            let (b, c) = ((a * stride + 1) % count, (a * (stride + 4) + 2) % count);
            let mut set = [a, b, c];
            set.sort_unstable();
            let different = b > 0 && c > 0 && a != b && b != c && a != c && seen.insert(set);
            for base in [ARM, DOUBLE] {
                list.extend(different.then(|| build::case(base, a, &[b, c])).flatten());
            }
        }
    }
    list
}

/// Strides of the triples.
const TRIPLES: [usize; 8] = [5, 11, 13, 17, 19, 23, 29, 31];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::scene;
    use crate::{cell, way};

    #[test]
    fn every_element_is_in_the_list_and_its_scene_is_read() {
        let cases = cases();
        for (name, _) in ALL {
            let case = cases.iter().find(|c| c.name.ends_with(&format!("· {name}"))).expect(name);
            let text = scene(case, &way::ALL[0], 100);
            kreisel_scene::parse("cell.toml", &text)
                .unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        }
    }

    #[test]
    fn cases_of_their_own_come_first_and_names_are_unique() {
        let cases = cases();
        assert_eq!(special::cases().len(), special::COUNT);
        let mut names: Vec<&str> = cases.iter().map(|c| c.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), cases.len());
    }

    #[test]
    fn a_robot_in_space_is_the_same_in_small_steps() {
        // servos sampled 4000 times a second are close to continuous ones: the reference's spatial
        // links are put together right
        let case = special::cases().swap_remove(0);
        let way = way::Way { rate: 4000, ..way::ALL[0] };
        let outcome = cell::judge(&case, &way, &cell::expect(&case).unwrap());
        assert!(outcome.error < 0.01, "{outcome:?}");
    }

    #[test]
    fn a_pendulum_is_right_and_a_wrong_weight_is_noticed() {
        let mut case = build::case(ARM, 0, &[0]).unwrap();
        let right = cell::expect(&case).unwrap();
        let outcome = cell::judge(&case, &way::ALL[0], &right);
        assert_eq!(outcome.verdict, cell::Verdict::Right, "{outcome:?}");
        // the same scene beside a reference with a tenth more gravity
        case.system.gravity[2] *= 1.1;
        let heavier = cell::expect(&case).unwrap();
        let outcome = cell::judge(&case, &way::ALL[0], &heavier);
        assert!(outcome.silent(), "{outcome:?}");
    }
}

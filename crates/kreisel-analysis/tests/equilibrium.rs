//! Equilibria against closed forms and against loads that were made for them.

use kreisel_analysis::{Search, equilibrium};
use kreisel_dynamics::{Body, World};

/// What nothing holds is named.
#[test]
fn a_falling_body_is_named() {
    let mut world = World::new();
    world.add_body(Body::sphere(1.0, 0.1).named("stone")).unwrap();
    let told = equilibrium(&mut world, &Search::default()).unwrap_err().to_string();
    assert!(told.contains("stone") && told.contains("nothing holds it"), "{told}");
}

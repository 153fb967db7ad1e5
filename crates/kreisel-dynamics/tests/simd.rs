//! The kernels for AVX2 and for the baseline give the same bits. One test only: the switch is
//! global.

mod common;

use kreisel_dynamics::{Body, BodyId, Joint, JointKind, Vec3, World, simd};

fn hashes() -> Vec<[u8; 32]> {
    let mut world = World::new();
    common::symmetric(&mut world);
    let kinds = [
        JointKind::Ball,
        JointKind::Hinge,
        JointKind::Universal,
        JointKind::Ball,
        JointKind::Slider,
    ];
    for chain in 0..4 {
        let mut last = BodyId::WORLD;
        for i in 0..9 {
            let at = Vec3::new(0.3 * i as f64, f64::from(chain), 0.0);
            let body = Body::cuboid(1.0 + 0.1 * i as f64, Vec3::new(0.3, 0.1, 0.05))
                .ghost()
                .at(at + Vec3::X * 0.15);
            let body = world.add_body(body.spinning(Vec3::new(0.1 * i as f64, 0.2, -0.3))).unwrap();
            // the first chain of ball joints only takes the short cuts
            let kind = if chain == 0 { JointKind::Ball } else { kinds[(i + chain as usize) % 5] };
            let mut joint = Joint::new(kind, last, body).at(at).axis(Vec3::Y);
            joint.axis2 = (kind == JointKind::Universal).then_some(Vec3::Z);
            world.add_joint(joint).unwrap();
            last = body;
        }
    }
    (0..100)
        .map(|_| {
            world.step(0.01);
            world.state_hash()
        })
        .collect()
}

#[test]
fn avx2_and_baseline_kernels_give_the_same_bits() {
    simd::force_baseline(true);
    assert!(!simd::avx2());
    let baseline = hashes();
    simd::force_baseline(false);
    let best = hashes();
    assert_eq!(baseline, best, "avx2 in use: {}", simd::avx2());
}

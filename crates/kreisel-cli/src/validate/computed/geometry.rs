//! Facts about bounding volumes and bounds of time (Lennerz 2000, chapters 3 and 4).

use super::{Figures, Parameters};
use kreisel_dynamics::{Quat, Vec3};
use kreisel_geometry::Pose;
use kreisel_geometry::impact::free_time;
use kreisel_geometry::volume::{Fdh14, Volume};

/// The hull with 14 directions: the smallest bound of the distance of two points one metre apart,
/// and the direction of that minimum; dual vertices of a direction under a turn without symmetry;
/// number of bases.
pub fn hull_of_14(_: Parameters<'_>) -> Result<Figures, String> {
    // the thesis's bound, the largest separation along a direction; what `Fdh14::distance` gives is
    // tighter
    let bound = |v: Vec3| Fdh14::fit(&[[v; 3]]).supports().iter().fold(0.0_f64, |m, s| m.max(*s));
    // a grid over the directions, then a search that narrows round the best
    let toward = |a: f64, z: f64| {
        let r = (1.0 - z * z).max(0.0).sqrt();
        Vec3::new(r * a.cos(), r * a.sin(), z)
    };
    let mut best = (f64::INFINITY, 0.0, 0.0);
    const GRID: i32 = 60;
    for i in 0..GRID {
        for j in -GRID..=GRID {
            let (a, z) = (
                f64::from(i) * std::f64::consts::TAU / f64::from(GRID),
                f64::from(j) / f64::from(GRID),
            );
            let c = bound(toward(a, z));
            if c < best.0 {
                best = (c, a, z);
            }
        }
    }
    let mut width = 0.1;
    while width > 1e-12 {
        let around = [
            (-1.0, 0.0),
            (1.0, 0.0),
            (0.0, -1.0),
            (0.0, 1.0),
            (1.0, 1.0),
            (-1.0, -1.0),
            (1.0, -1.0),
            (-1.0, 1.0),
        ];
        let next = around
            .map(|(da, dz)| (best.1 + width * da, (best.2 + width * dz).clamp(-1.0, 1.0)))
            .map(|(a, z)| (bound(toward(a, z)), a, z));
        match next.into_iter().min_by(|x, y| x.0.total_cmp(&y.0)) {
            Some(n) if n.0 < best.0 => best = n,
            _ => width *= 0.5,
        }
    }
    let mut v = toward(best.1, best.2).abs().to_array();
    v.sort_by(f64::total_cmp);
    let turned =
        Pose { rotation: Quat::from_scaled_axis(Vec3::new(0.3, 0.5, 0.7)), ..Pose::IDENTITY };
    let motion = Fdh14::motion(&turned);
    let vertices = (0..14).map(|i| motion.vertices(i)).max().unwrap_or(0);
    Ok([
        ("norm", best.0),
        ("least", v[0]),
        ("ratio", v[1] / v[2]),
        ("vertices", vertices as f64),
        ("bases", Fdh14::bases() as f64),
    ]
    .into())
}

/// For how long a gap lasts.
pub fn time_bound(p: Parameters<'_>) -> Result<Figures, String> {
    Ok([("time", free_time(p.get("gap")?, p.get("speed")?, p.or("acceleration", 0.0)))].into())
}

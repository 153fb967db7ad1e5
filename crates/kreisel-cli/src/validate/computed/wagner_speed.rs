//! How the time of the multiplier solvers grows (Wagner 2001, AT-42), and trees against the impulse
//! method (Bender 2007, E-10).

use super::wagner::{Result, chain, set, text};
use super::{Figures, Parameters};
use kreisel_dynamics::*;

/// Time that this thread has worked, s: the scheduler's count where there is one (Linux), so that
/// others on the machine do not count.
fn worked(since: std::time::Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let counted = text.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    counted.map_or_else(|| since.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// Least time of one measurement, s.
const SPAN: f64 = 0.2;

/// Shortest time of a step of `h` of every world, s, over rounds that take them in turn.
fn step_times(worlds: &mut [World], h: f64, rounds: usize) -> Vec<f64> {
    let since = std::time::Instant::now();
    let mut times = vec![f64::INFINITY; worlds.len()];
    // the first step analyses the model
    worlds.iter_mut().for_each(|w| drop(w.step(h)));
    for _ in 0..rounds {
        for (world, time) in worlds.iter_mut().zip(&mut times) {
            let (start, mut steps) = (worked(since), 0);
            // the scheduler counts in ticks of some milliseconds
            while steps < 1 || (worked(since) - start < SPAN && steps < 2000) {
                world.step(h);
                steps += 1;
            }
            *time = time.min((worked(since) - start) / f64::from(steps));
        }
    }
    times
}

/// A binary tree of rods as in Bender's E-03 and E-04: lengths 0.1 m times 1.5 to the height above
/// the leaves, 600 kg/m³, ball joints at three quarters, branches at ± 10°.
fn tree(levels: u32) -> Result<World> {
    let mut world = World::new();
    let mut tips: Vec<(BodyId, Vec3, Quat)> = Vec::new();
    for k in 1..2_u32.pow(levels) {
        let length = 0.1 * 1.5_f64.powi((levels - 1 - k.ilog2()) as i32);
        let angle = if k % 2 == 0 { 10f64 } else { -10.0 };
        let root = (BodyId::WORLD, Vec3::ZERO, Quat::IDENTITY);
        let (parent, at, turn) = if k == 1 { root } else { tips[k as usize / 2 - 1] };
        let turn = if k == 1 { turn } else { turn * Quat::from_rotation_y(angle.to_radians()) };
        let (down, size) = (turn * Vec3::NEG_Z, Vec3::new(0.04, 0.04, length));
        let body = Body::cuboid(600.0 * size.x * size.y * size.z, size)
            .ghost()
            .at(at + down * (0.5 * length))
            .rotated(turn);
        let body = world.add_body(body).map_err(text)?;
        world.add_joint(Joint::ball(parent, body).at(at)).map_err(text)?;
        tips.push((body, at + down * (0.75 * length), turn));
    }
    Ok(world)
}

/// E-10: trees of 31 to 255 bodies under the standard and Baraff's multiplier method and the direct
/// impulse method. Times of a step of 1/30 s in ms, exponents, and the largest time of the impulse
/// method against Baraff's.
pub fn trees(_: Parameters<'_>) -> Result<Figures> {
    let mut worlds = Vec::new();
    for levels in 5..=8 {
        for solver in [Some(MultiplierSolver::Direct), Some(MultiplierSolver::Baraff), None] {
            let mut world = tree(levels)?;
            if let Some(solver) = solver {
                world
                    .set_settings(Settings { method: Method::Lagrange, ..Settings::default() })
                    .map_err(text)?;
                set(&mut world, |l| l.solver = solver)?;
            }
            let first = world.bodies().next().ok_or("no body")?;
            world.apply_torque(first, Vec3::new(0.0, 10.0, 0.0)).map_err(text)?;
            worlds.push(world);
        }
    }
    let t = step_times(&mut worlds, 1.0 / 30.0, 3);
    let exponent = |a: usize, b: usize, n: f64| (t[b] / t[a]).ln() / n.ln();
    let worst = (0..4).map(|k| t[3 * k + 2] / t[3 * k + 1]).fold(0.0, f64::max);
    let names = [
        "standard_31",
        "baraff_31",
        "impulse_31",
        "standard_63",
        "baraff_63",
        "impulse_63",
        "standard_127",
        "baraff_127",
        "impulse_127",
        "standard_255",
        "baraff_255",
        "impulse_255",
    ];
    let mut out: Figures = names.into_iter().zip(t.iter().map(|t| t * 1e3)).collect();
    out.insert("standard", exponent(3, 9, 255.0 / 63.0));
    out.insert("baraff", exponent(1, 10, 255.0 / 31.0));
    out.insert("worst", worst);
    Ok(out)
}

/// AT-42: how the time of an evaluation grows with the bodies of an anchored chain: the exponent
/// between the two largest sizes. `solver` is 0 for Baraff, 1 for Direct.
pub fn growth(p: Parameters<'_>) -> Result<Figures> {
    let (solver, sizes) = if p.get("solver")? == 0.0 {
        (MultiplierSolver::Baraff, [500, 2000])
    } else {
        (MultiplierSolver::Direct, [80, 160])
    };
    let mut worlds = Vec::new();
    for n in sizes {
        let mut world = chain(n, false)?;
        set(&mut world, |l| (l.solver, l.integrator) = (solver, Integrator::Rk4))?;
        worlds.push(world);
    }
    let times = step_times(&mut worlds, 1e-3, 3);
    let ratio = sizes[1] as f64 / sizes[0] as f64;
    Ok([("exponent", (times[1] / times[0]).ln() / ratio.ln())].into())
}

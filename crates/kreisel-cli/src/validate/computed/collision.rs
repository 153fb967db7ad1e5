//! Single collisions against the ground, integrated (Lennerz 2000, chapter 5).

use super::{Figures, Parameters};
use kreisel_dynamics::impact::{Collision, CollisionBody, Parametrisation, Shell, collide};
use kreisel_dynamics::{Mat3, Vec3};

/// Solid sphere of 1 kg and 1 m on its lowest point: K = diag(3.5, 3.5, 1).
fn sphere() -> CollisionBody {
    CollisionBody { inverse_mass: 1.0, inverse_inertia: Mat3::IDENTITY * 2.5, arm: -Vec3::Z }
}

/// Box with half extents (0.5, 0.05, 0.05) and 1 kg, its long axis along (cos 60°, 0, −sin 60°),
/// touching at a point of the lower end face that lies `offset` from its centre in both directions.
fn rod(offset: f64) -> CollisionBody {
    let (sin, cos) = (0.75f64.sqrt(), 0.5);
    let turn = Mat3::from_cols(Vec3::new(cos, 0.0, -sin), Vec3::Y, Vec3::new(sin, 0.0, cos));
    let moments = Vec3::new(0.01 + 0.01, 1.0 + 0.01, 1.0 + 0.01) / 12.0;
    CollisionBody {
        inverse_mass: 1.0,
        inverse_inertia: turn * Mat3::from_diagonal(moments.recip()) * turn.transpose(),
        arm: turn * Vec3::new(0.5, offset, offset),
    }
}

/// Velocity after the collision, impulse, work of compression, change of energy; `spread` is the
/// largest difference of the three parametrisations in any of them. `body` is 0 for the sphere, 1
/// for the rod, 2 for the rod on its corner.
pub fn collision(p: Parameters<'_>) -> Result<Figures, String> {
    let body = match p.get("body")? {
        0.0 => sphere(),
        1.0 => rod(0.0),
        2.0 => rod(0.05),
        other => return Err(format!("body {other}: 0 is the sphere, 1 the rod, 2 its corner")),
    };
    let velocity = Vec3::new(p.get("ux")?, p.get("uy")?, p.get("uz")?);
    let collision = Collision::new([body, CollisionBody::FIXED], Vec3::Z, velocity)
        .friction(p.get("friction")?)
        .restitution(p.get("restitution")?);
    let list = |parametrisation| -> Result<[f64; 8], String> {
        let r = collide(&collision.parametrisation(parametrisation)).map_err(|e| e.to_string())?;
        let (u, i) = (r.velocity, r.impulse);
        Ok([u.x, u.y, u.z, i.x, i.y, i.z, r.compression_work, r.energy])
    };
    let first = list(Parametrisation::Regular)?;
    let mut spread = 0.0_f64;
    for other in [Parametrisation::Impulse, Parametrisation::VelocityWork] {
        spread = list(other)?.iter().zip(&first).fold(spread, |m, (a, b)| m.max((a - b).abs()));
    }
    let names = ["ux", "uy", "uz", "px", "py", "pz", "work", "energy"];
    Ok(names.into_iter().zip(first).chain([("spread", spread)]).collect())
}

/// Speed below which a collision is a micro-collision, and its artificial restitution, in a shell
/// of the given thickness.
pub fn micro(p: Parameters<'_>) -> Result<Figures, String> {
    let shell = Shell::new(p.get("thickness")?, p.get("gravity")?, p.get("gap")?);
    Ok([("speed", shell.speed()), ("restitution", shell.restitution(p.get("restitution")?))].into())
}

//! `kreisel analyse inverse-kinematics`.

use super::{Common, Subject, print_json, triple};
use crate::exit::{Exit, Failure};
use crate::table::{Table, grid};
use kreisel_analysis::{Goal, Reach, named};
use kreisel_dynamics::{Quat, Vec3};
use std::path::PathBuf;

/// Arguments of `analyse inverse-kinematics`.
#[derive(Debug, clap::Args)]
pub struct InverseKinematics {
    #[command(flatten)]
    pub common: Common,
    /// The origin of a body's frame at a place, in m; repeatable
    #[arg(long = "point", value_name = "BODY=X,Y,Z", allow_hyphen_values = true)]
    pub points: Vec<String>,
    /// A body turned by roll, pitch and yaw (about x, then y, then z of the world), in degrees;
    /// repeatable
    #[arg(long = "rotation", value_name = "BODY=R,P,Y", allow_hyphen_values = true)]
    pub rotations: Vec<String>,
    /// A coordinate of a joint at a value, in rad or m; repeatable
    #[arg(long = "coordinate", value_name = "JOINT.angle=VALUE", value_parser = crate::args::assignment, allow_hyphen_values = true)]
    pub coordinates: Vec<(String, f64)>,
    /// Where the goal is out of reach, take the nearest pose
    #[arg(long)]
    pub nearest: bool,
    /// Write the scene with its bodies there
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Finds the pose. Without a goal: the nearest pose in which all joints are closed.
pub fn run(args: &InverseKinematics) -> Result<Exit, Failure> {
    let mut subject = Subject::load(&args.common)?;
    let mut goals = Vec::new();
    let body = |text: &str| -> Result<_, Failure> {
        let wrong = || Failure::usage(format!("\"{text}\": write it as BODY=1,2,3"));
        let (name, numbers) = text.rsplit_once('=').ok_or_else(wrong)?;
        let unknown = || Failure::usage(format!("there is no body \"{name}\""));
        Ok((
            subject.world.body_named(name).ok_or_else(unknown)?,
            triple(numbers).ok_or_else(wrong)?,
        ))
    };
    for text in &args.points {
        let (id, place) = body(text)?;
        goals.push(Goal::Point(id, Vec3::ZERO, place));
    }
    for text in &args.rotations {
        let (id, angles) = body(text)?;
        let [r, p, y] = angles.to_array().map(f64::to_radians);
        let turn = Quat::from_rotation_z(y) * Quat::from_rotation_y(p) * Quat::from_rotation_x(r);
        goals.push(Goal::Rotation(id, turn));
    }
    for (path, value) in &args.coordinates {
        let (joint, coordinate) = subject.coordinate(path)?;
        goals.push(Goal::Coordinate(joint, coordinate, *value));
    }
    let reach = Reach { nearest: args.nearest, ..Reach::default() };
    let found = kreisel_analysis::inverse_kinematics(&mut subject.world, &goals, &reach);
    let found = subject.explain(found)?;
    if let Some(path) = &args.output {
        subject.save(path)?;
    }
    let coordinates: Vec<(String, f64)> = subject
        .world
        .coordinates()
        .filter_map(|(j, c)| {
            Some((named::path_of(&subject.world, j, c), subject.world.coordinate(j, c)?))
        })
        .collect();
    if args.common.json {
        return print_json(&serde_json::json!({ "reached": found, "coordinates": coordinates }));
    }
    let mut t = Table::default();
    t.line("rounds", found.rounds);
    t.line("error of the goals", format!("{:.1e} m or rad", found.goals));
    t.line("error of the joints", format!("{:.1e} m or rad", found.joints));
    t.line("freedoms left", found.free);
    if !found.limits.is_empty() {
        t.line("at their limit", found.limits.join(", "));
    }
    print!("{t}");
    let rows: Vec<Vec<String>> = coordinates
        .iter()
        .map(|(name, value)| vec![name.clone(), format!("{:.9}", value + 0.0)])
        .collect();
    if !rows.is_empty() {
        print!("{}", grid(&["coordinate", "rad or m"], &rows));
    }
    subject.tell(&[]);
    if let Some(path) = &args.output {
        println!("wrote {}", path.display());
    }
    Ok(Exit::Success)
}

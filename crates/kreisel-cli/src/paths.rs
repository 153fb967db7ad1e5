//! Paths of recordings, with components: "arm.position.x" beside "arm.position".

use kreisel_dynamics::World;
use kreisel_scene::record::{Columns, PathError};
use kreisel_session::session::Session;

/// Endings of columns that are no quantities of their own.
const COMPONENTS: [&str; 6] = [".x", ".y", ".z", ".w", ".gap", ".misalignment"];

/// Adds the quantity of a path; that of a component is added whole.
pub fn add(columns: &mut Columns, world: &World, path: &str) -> Result<(), String> {
    let said = |e: PathError| e.help.map_or(e.message.clone(), |h| format!("{}; {h}", e.message));
    let Err(error) = columns.add_path(world, path) else { return Ok(()) };
    let Some(whole) = COMPONENTS.iter().find_map(|c| path.strip_suffix(c)) else {
        return Err(said(error));
    };
    // a component that is asked for beside another is there already
    let there = |c: &Columns| c.columns().iter().any(|c| c.name == path);
    if there(columns) {
        return Ok(());
    }
    let mut more = Columns::time();
    more.add_path(world, whole).map_err(said)?;
    if !there(&more) {
        return Err(format!("\"{whole}\" has no component \"{}\"", &path[whole.len() + 1..]));
    }
    columns.add_path(world, whole).map_err(said)
}

/// The columns of several paths, the time first.
pub fn columns(world: &World, paths: &[String]) -> Result<Columns, String> {
    let mut columns = Columns::time();
    paths.iter().try_for_each(|p| add(&mut columns, world, p)).map(|()| columns)
}

/// The values of a path now.
pub fn values(session: &Session, path: &str) -> Result<Vec<f64>, String> {
    let world = &session.simulation().world;
    let mut columns = Columns::time();
    add(&mut columns, world, path)?;
    let row = columns.row(world, session.report());
    match columns.columns().iter().position(|c| c.name == path) {
        Some(k) => Ok(vec![row[k]]),
        None => Ok(row[1..].to_vec()),
    }
}

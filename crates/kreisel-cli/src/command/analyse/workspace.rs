//! `kreisel analyse workspace`.

use super::{Common, Subject, print_json};
use crate::exit::{Exit, Failure};
use crate::table::{Table, grid};
use kreisel_analysis::Workspace as Map;
use std::path::PathBuf;

/// Arguments of `analyse workspace`.
#[derive(Debug, clap::Args)]
pub struct Workspace {
    #[command(flatten)]
    pub common: Common,
    /// Body whose frame goes through the places
    #[arg(long, value_name = "BODY")]
    pub body: String,
    /// Places along x in m: from low to high in so many, or one
    #[arg(long, value_name = "LOW:HIGH:N", allow_hyphen_values = true, value_parser = axis)]
    pub x: Axis,
    /// Places along y
    #[arg(long, value_name = "LOW:HIGH:N", allow_hyphen_values = true, value_parser = axis)]
    pub y: Axis,
    /// Places along z
    #[arg(long, value_name = "LOW:HIGH:N", allow_hyphen_values = true, value_parser = axis)]
    pub z: Axis,
    /// Leave the body's rotation free
    #[arg(long)]
    pub free: bool,
    /// A coordinate that can push; repeatable (default: those of all motors)
    #[arg(long = "actuator", value_name = "JOINT.angle")]
    pub actuators: Vec<String>,
    /// CSV table of all places
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Places along an axis.
#[derive(Clone, Debug)]
pub struct Axis(Vec<f64>);

fn axis(text: &str) -> Result<Axis, String> {
    let wrong = || "write it as -0.5:0.5:21, or as one number".to_owned();
    let number = |t: &str| t.trim().parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(wrong);
    match text.split(':').collect::<Vec<_>>()[..] {
        [one] => Ok(Axis(vec![number(one)?])),
        [low, high, count] => {
            let (low, high) = (number(low)?, number(high)?);
            let n = count.trim().parse::<usize>().ok().filter(|n| (2..=100_000).contains(n));
            let n = n.ok_or_else(wrong)?;
            let at = |k: usize| low + (high - low) * k as f64 / (n - 1) as f64;
            Ok(Axis((0..n).map(at).collect()))
        }
        _ => Err(wrong()),
    }
}

/// Draws the map.
pub fn run(args: &Workspace) -> Result<Exit, Failure> {
    let subject = Subject::load(&args.common)?;
    let unknown = || Failure::usage(format!("there is no body \"{}\"", args.body));
    let body = subject.world.body_named(&args.body).ok_or_else(unknown)?;
    let actuators = if args.actuators.is_empty() {
        let of = |id| subject.world.motor(id).map(|m| (m.joint, m.coordinate));
        let mut all: Vec<_> = subject.world.motors().filter_map(of).collect();
        all.sort();
        all.dedup();
        all
    } else {
        args.actuators.iter().map(|p| subject.coordinate(p)).collect::<Result<_, _>>()?
    };
    let axes = [&args.x, &args.y, &args.z].map(|a| a.0.clone());
    let map = kreisel_analysis::workspace(&subject.world, body, &axes, !args.free, &actuators);
    let map = subject.explain(map)?;
    if let Some(path) = &args.output {
        std::fs::write(path, table(&map)).map_err(|e| Failure::file(path, e))?;
    }
    if args.common.json {
        return print_json(&map);
    }

    // a plan of each level: # reached, + at a limit, . not reached
    for (k, z) in axes[2].iter().enumerate().filter(|_| axes[0].len() <= 120) {
        println!("z = {z:.4} m");
        for j in (0..axes[1].len()).rev() {
            let row = &map.places[(k * axes[1].len() + j) * axes[0].len()..][..axes[0].len()];
            let sign = |p: &kreisel_analysis::Place| match (p.reached, p.limits.is_empty()) {
                (true, true) => '#',
                (true, false) => '+',
                _ => '.',
            };
            println!("{}", row.iter().map(sign).collect::<String>());
        }
    }
    let mut t = Table::default();
    t.line("places", map.places.len());
    t.line("reached", format!("{:.1} %", 100.0 * map.share));
    let reached = map.places.iter().filter(|p| p.reached);
    let least = reached.clone().map(|p| p.dexterity).fold(f64::INFINITY, f64::min);
    if least.is_finite() && !map.actuators.is_empty() {
        t.line("smallest dexterity", format!("{least:.6}"));
    }
    print!("{t}");
    let rows: Vec<Vec<String>> = (0..map.actuators.len())
        .map(|i| {
            let all = reached.clone().map(|p| p.efforts[i]);
            let (low, high) =
                all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            vec![map.actuators[i].clone(), format!("{low:.6}"), format!("{high:.6}")]
        })
        .collect();
    if !rows.is_empty() {
        print!("{}", grid(&["holding effort", "lowest", "highest"], &rows));
    }
    let rows: Vec<Vec<String>> = map
        .envelope
        .iter()
        .map(|(n, f, m)| vec![n.clone(), format!("{f:.6}"), format!("{m:.6}")])
        .collect();
    print!("{}", grid(&["joint", "largest force/N", "largest torque/Nm"], &rows));
    subject.tell(&[]);
    if let Some(path) = &args.output {
        println!("wrote {}", path.display());
    }
    Ok(Exit::Success)
}

/// All places as CSV.
fn table(map: &Map) -> String {
    let head = ["x", "y", "z", "reached", "dexterity", "force", "limits"];
    let names = head.iter().map(|h| (*h).to_owned()).chain(map.actuators.iter().cloned());
    let mut text = crate::sweep::csv_line(names);
    for p in &map.places {
        let mut row: Vec<String> = p.at.iter().map(f64::to_string).collect();
        row.push(u8::from(p.reached).to_string());
        row.extend([format!("{:e}", p.dexterity), format!("{:e}", p.force), p.limits.join("; ")]);
        let none = vec![String::new(); map.actuators.len()];
        let efforts = p.efforts.iter().map(|e| format!("{e:e}")).collect::<Vec<_>>();
        row.extend(if p.reached { efforts } else { none });
        text += &crate::sweep::csv_line(row.into_iter());
    }
    text
}

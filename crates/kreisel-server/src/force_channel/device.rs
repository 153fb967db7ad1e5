//! A device: what it asked for, found in the world.

use super::wire::{Packet, ToDevice};
use kreisel_scene::record::Columns;
use kreisel_session::protocol::Column;
use kreisel_session::session::Session;
use std::net::SocketAddr;
use std::time::Instant;

/// Most values of a packet.
const MOST_VALUES: usize = 64;
/// The device's own hand, which no recording has.
const HAND: [&str; 2] = ["hand.force", "hand.torque"];

/// What a path stands for.
enum Quantity {
    /// As in recordings.
    Columns(Columns),
    /// Force or torque of the device's own hand on the body that it holds.
    Hand { torque: bool },
    /// What was there when the device said hello and is not any more: so many values, none of them
    /// a number.
    Gone(usize),
}

/// A device that is there.
pub(super) struct Device {
    pub address: SocketAddr,
    /// Its number among clients.
    pub client: u32,
    paths: Vec<String>,
    quantities: Vec<Quantity>,
    columns: Vec<Column>,
    pub begin: Instant,
    /// When it last sent anything.
    pub heard: Instant,
    /// Revision of the columns, and of the world that they were found in.
    revision: u32,
    world: u32,
}

impl Device {
    /// A device that wants these paths; refused in words.
    pub fn new(
        address: SocketAddr,
        client: u32,
        paths: Vec<String>,
        session: &Session,
    ) -> Result<Self, String> {
        let now = Instant::now();
        let mut device = Self {
            address,
            client,
            paths,
            quantities: Vec::new(),
            columns: Vec::new(),
            begin: now,
            heard: now,
            revision: 0,
            world: 0,
        };
        device.find(session)?;
        if device.columns.len() > MOST_VALUES {
            let count = device.columns.len();
            return Err(format!("{count} values are too many: a packet has {MOST_VALUES} at most"));
        }
        Ok(device)
    }

    /// Finds the paths in the world as it is now. The first that names nothing is told; it counts
    /// as gone.
    fn find(&mut self, session: &Session) -> Result<(), String> {
        let world = &session.simulation().world;
        let (mut quantities, mut columns, mut wrong) = (Vec::new(), Vec::new(), None);
        for path in &self.paths {
            let column = |name: &str, unit: &str| Column {
                path: path.clone(),
                name: name.to_owned(),
                unit: unit.to_owned(),
            };
            if let Some(k) = HAND.iter().position(|p| p == path) {
                let unit = ["N", "N m"][k];
                columns.extend(["x", "y", "z"].map(|c| column(&format!("{path}.{c}"), unit)));
                quantities.push(Quantity::Hand { torque: k == 1 });
                continue;
            }
            match Columns::of_path(world, path) {
                Ok(found) => {
                    let list = &found.columns()[1..];
                    columns.extend(list.iter().map(|c| column(&c.name, &c.unit)));
                    quantities.push(Quantity::Columns(found));
                }
                Err(e) => {
                    wrong.get_or_insert_with(|| {
                        let help = e.help.map(|h| format!("; {h}")).unwrap_or_default();
                        format!("\"{path}\": {}{help}", e.message)
                    });
                    let before = self.columns.iter().filter(|c| c.path == *path);
                    let before: Vec<Column> = before.cloned().collect();
                    quantities.push(Quantity::Gone(before.len()));
                    columns.extend(before);
                }
            }
        }
        (self.quantities, self.columns) = (quantities, columns);
        self.revision += 1;
        self.world = session.revision();
        wrong.map_or(Ok(()), Err)
    }

    /// What the values are.
    pub fn columns(&self) -> ToDevice {
        ToDevice::Columns { revision: self.revision, columns: self.columns.clone() }
    }

    /// Finds everything anew after an edit of the world; what to tell the device then.
    pub fn follow(&mut self, session: &Session) -> Vec<ToDevice> {
        if self.world == session.revision() {
            return Vec::new();
        }
        let wrong = self.find(session).err();
        wrong.map(ToDevice::Notice).into_iter().chain([self.columns()]).collect()
    }

    /// The values after a step.
    pub fn fill(&self, session: &Session, packet: &mut Packet) {
        packet.revision = self.revision;
        packet.values.clear();
        for quantity in &self.quantities {
            match quantity {
                Quantity::Columns(columns) => {
                    let row = columns.row(&session.simulation().world, session.report());
                    packet.values.extend_from_slice(&row[1..]);
                }
                Quantity::Hand { torque } => {
                    let own = session.grips().find(|(id, _)| id.0 == self.client);
                    let effort = own.map(|(_, g)| if *torque { g.torque } else { g.force });
                    packet.values.extend(effort.unwrap_or_default().to_array());
                }
                Quantity::Gone(count) => {
                    packet.values.extend(std::iter::repeat_n(f64::NAN, *count));
                }
            }
        }
    }
}

//! Who is there: names, colours, roles, and what each wants to see.

use kreisel_session::protocol::{ClientInfo, Layers, Role, ServerMessage};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Colours of clients, told apart also by those who see few colours (Okabe and Ito 2008).
const COLORS: [[u8; 3]; 7] = [
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [230, 159, 0],
    [86, 180, 233],
    [120, 94, 240],
];
/// Longest name of a client, in characters.
const LONGEST_NAME: usize = 32;
/// Most quantities that a client may plot, and that all may together; the host's come first.
const MOST_QUANTITIES: usize = 16;
const MOST_TOGETHER: usize = 64;

struct Client {
    info: ClientInfo,
    layers: Layers,
    quantities: Vec<String>,
}

/// A name that can be shown.
fn clean(name: &str, id: u32) -> String {
    let clean: String = name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    if clean.trim().is_empty() { format!("Guest {id}") } else { clean.trim().to_owned() }
}

/// All clients, in the order they came.
pub(crate) struct Clients {
    list: BTreeMap<u32, Client>,
    next: u32,
    most: usize,
    /// The host's number, for the simulation; 0 is nobody.
    host: Arc<AtomicU32>,
}

impl Clients {
    pub fn new(most: usize, host: Arc<AtomicU32>) -> Self {
        Self { list: BTreeMap::new(), next: 1, most, host }
    }

    /// Tells the simulation who is host.
    fn tell(&self) {
        let host = self.list.iter().find(|c| c.1.info.role == Role::Host).map_or(0, |c| *c.0);
        self.host.store(host, Ordering::Relaxed);
    }

    /// A new client; the first one is the host.
    pub fn join(&mut self, name: &str) -> Option<u32> {
        if self.list.len() >= self.most {
            return None;
        }
        let id = self.next;
        self.next += 1;
        let name = clean(name, id);
        let role = if self.list.is_empty() { Role::Host } else { Role::Guest };
        let info = ClientInfo { id, name, color: COLORS[(id as usize - 1) % COLORS.len()], role };
        self.list.insert(id, Client { info, layers: Layers::default(), quantities: Vec::new() });
        self.tell();
        Some(id)
    }

    /// Whether nobody is there.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Another name.
    pub fn rename(&mut self, id: u32, name: &str) {
        if let Some(client) = self.list.get_mut(&id) {
            client.info.name = clean(name, id);
        }
    }

    /// A client has gone; the oldest of the others becomes host if it was the host.
    pub fn leave(&mut self, id: u32) {
        let gone = self.list.remove(&id);
        if gone.is_some_and(|c| c.info.role == Role::Host)
            && let Some(next) = self.list.values_mut().next()
        {
            next.info.role = Role::Host;
        }
        self.tell();
    }

    pub fn is_host(&self, id: u32) -> bool {
        self.list.get(&id).is_some_and(|c| c.info.role == Role::Host)
    }

    pub fn may_change(&self, id: u32) -> bool {
        self.list.get(&id).is_some_and(|c| c.info.role != Role::Watcher)
    }

    /// The host gives another client a role; there is one host.
    pub fn appoint(&mut self, by: u32, id: u32, role: Role) -> Result<(), &'static str> {
        if self.list.get(&by).is_none_or(|c| c.info.role != Role::Host) {
            return Err("only the host decides who may only watch");
        }
        if by == id {
            return Err("the host stays host until another one is appointed");
        }
        let Some(client) = self.list.get_mut(&id) else { return Err("that client has gone") };
        client.info.role = role;
        if role == Role::Host
            && let Some(old) = self.list.get_mut(&by)
        {
            old.info.role = Role::Guest;
        }
        self.tell();
        Ok(())
    }

    pub fn subscribe(&mut self, id: u32, layers: Layers, mut quantities: Vec<String>) {
        quantities.truncate(MOST_QUANTITIES);
        quantities.retain(|q| q.len() <= 300);
        if let Some(client) = self.list.get_mut(&id) {
            (client.layers, client.quantities) = (layers, quantities);
        }
    }

    /// What at least one client wants.
    pub fn wanted(&self) -> (Layers, Vec<String>) {
        let mut all = Layers::default();
        let mut paths: Vec<String> = Vec::new();
        let (hosts, others): (Vec<_>, Vec<_>) =
            self.list.values().partition(|c| c.info.role == Role::Host);
        for c in hosts.into_iter().chain(others) {
            all.velocities |= c.layers.velocities;
            all.reactions |= c.layers.reactions;
            all.errors |= c.layers.errors;
            all.contacts |= c.layers.contacts;
            for q in &c.quantities {
                if paths.len() < MOST_TOGETHER && !paths.contains(q) {
                    paths.push(q.clone());
                }
            }
        }
        (all, paths)
    }

    pub fn message(&self) -> ServerMessage {
        ServerMessage::Clients { clients: self.list.values().map(|c| c.info.clone()).collect() }
    }
}

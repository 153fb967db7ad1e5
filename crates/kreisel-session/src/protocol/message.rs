//! Messages besides frames.

use super::{Command, Inspection, SceneView};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a client may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Everything, and decides what others may.
    Host,
    /// Everything in the world.
    Guest,
    /// Only look.
    Watcher,
}

/// A client as the others see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ClientInfo {
    /// Its number; its hand has the same.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Red, green, blue.
    pub color: [u8; 3],
    /// What it may do.
    pub role: Role,
}

/// Time: when steps are made. It does not change what a step does and is not journalled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Control {
    /// Runs.
    Run,
    /// Stops after the present step.
    Pause,
    /// Makes some steps and stops.
    Step {
        /// How many.
        count: u32,
    },
    /// Simulated seconds per second; none is as fast as it goes.
    Speed {
        /// The factor.
        factor: Option<f64>,
    },
}

/// What frames carry besides poses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Layers {
    /// Velocities of bodies.
    pub velocities: bool,
    /// Reactions of joints.
    pub reactions: bool,
    /// Errors of joints.
    pub errors: bool,
    /// Contacts and their forces.
    pub contacts: bool,
}

/// A question to the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// The properties of an object.
    Inspect {
        /// Its name.
        object: String,
    },
    /// Objects as a text, with what links them, to be pasted.
    Clip {
        /// Their names.
        objects: Vec<String>,
    },
    /// A picture beside the scene, that a body names as its texture.
    Picture {
        /// Its name.
        name: String,
    },
    /// The journal of this session.
    Journal,
    /// The world as it stands, as a scene file.
    Save {
        /// Name of a new file beside the present scene (the host's machine); none sends it to this
        /// client.
        name: Option<String>,
    },
    /// The scene files beside the present one.
    Scenes,
    /// Loads one of them.
    Open {
        /// A name from the list.
        name: String,
        /// Whether it joins what is there.
        merge: bool,
    },
}

/// From a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientMessage {
    /// The first message.
    Hello {
        /// Version of the protocol.
        version: u32,
        /// The token, where the server asks for one.
        token: Option<String>,
        /// Name of the person.
        name: String,
    },
    /// A change of the world.
    Command {
        /// What.
        command: Command,
    },
    /// Time.
    Control {
        /// What.
        control: Control,
    },
    /// A question.
    Request {
        /// What.
        request: Request,
    },
    /// What frames shall carry.
    Subscribe {
        /// Layers.
        layers: Layers,
        /// Paths of quantities to plot.
        quantities: Vec<String>,
    },
    /// Another name for this client.
    Rename {
        /// The name.
        name: String,
    },
    /// The host decides what another client may.
    Appoint {
        /// The client.
        client: u32,
        /// Its role.
        role: Role,
    },
}

/// A column of live measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Column {
    /// The path that was asked for.
    pub path: String,
    /// Name of the column.
    pub name: String,
    /// Its unit.
    pub unit: String,
}

/// What is wrong with an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Trouble {
    /// Its name.
    pub name: String,
    /// "broken", "switched off", "contradiction", "damped", "no value", "stopped", "off" (out of
    /// tolerance) or "energy".
    pub kind: String,
    /// Why, in words.
    pub text: String,
    /// Since when, s.
    pub time: f64,
}

/// To a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// Answer to the hello.
    Welcome {
        /// The client's number.
        id: u32,
        /// Version of the program.
        program: String,
    },
    /// What exists. Sent at the start and after every change of it.
    Scene {
        /// The description.
        scene: Box<SceneView>,
    },
    /// Who is there.
    Clients {
        /// All of them.
        clients: Vec<ClientInfo>,
    },
    /// Columns of the samples in frames.
    Columns {
        /// Counts changes; samples carry the same number.
        revision: u32,
        /// The columns after the time.
        columns: Vec<Column>,
    },
    /// Properties of an object.
    Properties {
        /// Them.
        inspection: Inspection,
    },
    /// Something happened in the world.
    Event {
        /// When, s.
        time: f64,
        /// What, in words.
        text: String,
    },
    /// How the last steps ended. Sent when that changes.
    Verdict {
        /// "not converged", "budget spent", "energy", "order", "quarantined", "interrupted",
        /// "refused"; empty when all is well.
        status: String,
        /// What is wrong and where, in words.
        text: String,
    },
    /// What is wrong with single items. Sent when that changes; those that are not in the list are
    /// well.
    Troubles {
        /// Them.
        troubles: Vec<Trouble>,
    },
    /// Objects as a text.
    Clip {
        /// Items of a scene, in TOML.
        text: String,
        /// How many objects were asked for.
        count: u32,
    },
    /// A picture.
    Picture {
        /// Its name.
        name: String,
        /// As a data URL; empty if there is none.
        data: String,
    },
    /// To this client: a refused command, an answer.
    Notice {
        /// "info", "warning" or "error".
        level: String,
        /// In words.
        text: String,
    },
    /// A file for this client.
    File {
        /// Suggested name.
        name: String,
        /// Its text.
        text: String,
    },
    /// Scene files that can be opened.
    Scenes {
        /// Their names.
        names: Vec<String>,
    },
    /// The world has ended; the server lives.
    Ended {
        /// Why.
        text: String,
        /// Where the journal is.
        journal: Option<String>,
    },
}

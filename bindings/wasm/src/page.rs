//! The page as the host of a session: what it is told waits until it is taken.

use kreisel_session::journal::Journal;
use kreisel_session::protocol::ServerMessage;
use kreisel_session::runner::Host;

/// What waits for the page.
#[derive(Default)]
pub(crate) struct Page {
    pub frame: Option<Vec<u8>>,
    pub messages: Vec<String>,
}

impl Page {
    /// A message as the socket would send it.
    pub fn text(message: &ServerMessage) -> String {
        serde_json::to_string(message).unwrap_or_default()
    }
}

impl Host for Page {
    fn is_watched(&self) -> bool {
        true
    }

    fn frame(&mut self, frame: Vec<u8>) {
        self.frame = Some(frame);
    }

    // A page whose engine has failed starts another one.
    fn mark_frame(&mut self) {}

    fn say(&mut self, message: ServerMessage) {
        self.messages.push(Self::text(&message));
    }

    fn keep(&mut self, _what: &str, _journal: &Journal) -> Option<String> {
        None
    }

    // The page itself lists, fetches and downloads: it can wait for the network, the engine cannot.
    fn list(&self) -> Vec<String> {
        Vec::new()
    }

    fn read(&self, name: &str) -> Result<(String, String), String> {
        Err(format!("\"{name}\" must be fetched by the page"))
    }

    fn write(&mut self, name: &str, text: &str) -> Result<(), String> {
        self.say(ServerMessage::File { name: name.to_owned(), text: text.to_owned() });
        Ok(())
    }
}

//! Answers that cost the simulation time: the world as a scene file, the journal. Whoever asks for
//! them again and again must not slow the world down for the others, nor keep them from asking.

use kreisel_dynamics::clock::Instant;
use std::collections::BTreeMap;
use std::time::Duration;

/// Answers may take this share of the time, shared among those who ask; a client's next one waits
/// until that is so.
const SHARE: f64 = 0.1;
/// What sending costs the network's thread besides, bytes per second.
const SENDING: f64 = 50e6;

/// When the next costly answer may be given, and the last scene that was written.
#[derive(Default)]
pub(super) struct Costly {
    /// By client.
    ready: BTreeMap<u32, Instant>,
    saved: Option<((u64, usize), String)>,
}

/// Time until then; none if it has passed.
pub(super) fn until(then: Instant) -> Duration {
    let now = Instant::now();
    if then > now { then - now } else { Duration::ZERO }
}

impl Costly {
    /// Whether it is too early; then how long to wait.
    pub fn early(&self, client: u32) -> Option<Duration> {
        self.ready.get(&client).copied().map(until).filter(|d| !d.is_zero())
    }

    /// The world as a scene file: the last one while nothing has happened since (`when` is then the
    /// same), else a new one.
    pub fn scene(&mut self, when: (u64, usize), save: impl FnOnce() -> String) -> String {
        if let Some((then, text)) = &self.saved
            && *then == when
        {
            return text.clone();
        }
        let text = save();
        self.saved = Some((when, text.clone()));
        text
    }

    /// An answer of so many bytes to a client was begun at `begin`.
    pub fn spent(&mut self, client: u32, begin: Instant, bytes: usize) {
        self.ready.retain(|_, then| !until(*then).is_zero());
        let askers = self.ready.len() + usize::from(!self.ready.contains_key(&client));
        let took = begin.elapsed().as_secs_f64() + bytes as f64 / SENDING;
        let wait = took * askers as f64 / SHARE;
        self.ready.insert(client, begin + Duration::from_secs_f64(wait.min(60.0)));
    }
}

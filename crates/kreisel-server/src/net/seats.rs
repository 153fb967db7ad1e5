//! Places for sockets. Those that have not said hello yet give theirs up to whoever comes later,
//! the oldest first: silent sockets keep nobody out.

use super::Shared;
use std::collections::VecDeque;
use std::sync::{Arc, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// All places.
pub(crate) struct Seats {
    free: usize,
    next: u64,
    /// Sockets that have not said hello, the oldest first, and what sends them away.
    silent: VecDeque<(u64, oneshot::Sender<()>)>,
}

/// The place of one socket, until it is dropped.
pub(super) struct Seat {
    shared: Arc<Shared>,
    id: u64,
    /// Somebody else has it now.
    lost: bool,
}

impl Seats {
    pub fn new(free: usize) -> Self {
        Self { free, next: 0, silent: VecDeque::new() }
    }
}

fn lock(shared: &Shared) -> MutexGuard<'_, Seats> {
    shared.seats.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Seat {
    /// A place, and what tells that it is wanted by someone else before the hello; none when all
    /// are taken by clients.
    pub fn take(shared: &Arc<Shared>) -> Option<(Self, oneshot::Receiver<()>)> {
        let mut seats = lock(shared);
        if seats.free > 0 {
            seats.free -= 1;
        } else {
            // its place goes to the newcomer
            let (_, oldest) = seats.silent.pop_front()?;
            let _ = oldest.send(());
        }
        seats.next += 1;
        let (id, (send, receive)) = (seats.next, oneshot::channel());
        seats.silent.push_back((id, send));
        drop(seats);
        Some((Self { shared: Arc::clone(shared), id, lost: false }, receive))
    }

    /// The socket has said hello and stays; false if its place is somebody else's already.
    pub fn keep(&mut self) -> bool {
        let mut seats = lock(&self.shared);
        let at = seats.silent.iter().position(|s| s.0 == self.id);
        if let Some(at) = at {
            seats.silent.remove(at);
        }
        self.lost = at.is_none();
        !self.lost
    }

    /// Its place was given to somebody else.
    pub fn lose(&mut self) {
        self.lost = true;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut seats = lock(&self.shared);
        let at = seats.silent.iter().position(|s| s.0 == self.id);
        if let Some(at) = at {
            seats.silent.remove(at);
        }
        if !self.lost {
            seats.free += 1;
        }
    }
}

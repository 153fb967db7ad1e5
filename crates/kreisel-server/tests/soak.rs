//! A short soak: hostile guests slow the host down by a bounded part (`cargo xtask soak` for the
//! long one, with figures).

#[path = "../examples/soak.rs"]
mod soak;

use soak::{Plan, soak};
use std::time::Duration;

/// The machine of the tests may be busy: what the host gets is compared with what it gets among
/// peaceful guests, in turns.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_guests_leave_the_host_most_of_its_frames() {
    let plan = Plan { pendulums: 20, guests: 3, hostile: 0, time: Duration::from_secs(4) };
    let peaceful = soak(plan).await;
    let attacked = soak(Plan { hostile: 3, ..plan }).await;
    assert!(attacked.messages > 50, "{attacked:?}: they hardly attacked");
    // guests together may take 15 % of the time; the rest is the machine's
    assert!(attacked.host > 0.5 * peaceful.host, "{attacked:?} against {peaceful:?}");
}

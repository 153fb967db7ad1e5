//! Connections: each has little time to say what it wants, and there are not many of them. Whoever
//! sends half a request, or reads an answer slowly, is not waited for.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// Most connections at once; sockets of clients count only until they are open.
const MOST: usize = 256;
/// Time to send the head of a request, or until the next one on the same connection.
const HEAD: Duration = Duration::from_secs(5);
/// The same while more than half of all connections are taken.
const HEAD_WHEN_CROWDED: Duration = Duration::from_secs(1);
/// Longest life of a connection that does not become a socket: the viewer's files take a second.
const LIFE: Duration = Duration::from_secs(60);

/// Answers requests until the listener fails.
pub(super) async fn serve(listener: TcpListener, router: Router) -> std::io::Result<()> {
    let room = Arc::new(Semaphore::new(MOST));
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return Ok(()) };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // too many open files, or a connection that has gone already
            Err(_) => {
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let head = if room.available_permits() > MOST / 2 { HEAD } else { HEAD_WHEN_CROWDED };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(head)
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades();
            // what goes wrong on a connection is its client's affair
            let _ = timeout(LIFE, connection).await;
            drop(place);
        });
    }
}

//! One client: hello, then frames out and messages in. Whoever sends rubbish is dropped; the world
//! goes on.

use super::Shared;
use super::limit::Bucket;
use super::roles::{not_for_guests, question_not_for_guests};
use super::seats::Seat;
use crate::runner::{Input, Reply, notice, text};
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::{SinkExt, StreamExt};
use kreisel_session::protocol::{ClientMessage, Command, Request, ServerMessage, VERSION};
use std::ops::ControlFlow;
use std::sync::mpsc::TrySendError;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{MissedTickBehavior, interval, timeout};

/// Largest message of a client, in bytes.
const LARGEST: usize = 256 * 1024;
/// Most bytes that wait to be sent to a client.
const BUFFER: usize = 32 << 20;
/// Time for the hello, and for sending one message.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time between pings, and how many may stay without any answer.
const PING: Duration = Duration::from_secs(10);
const SILENT: u32 = 6;
/// Time between two restarts of a guest for which running steps are given up.
const BETWEEN_RESTARTS: Duration = Duration::from_secs(2);
/// Where others reach the server, a client that broke a rule, or that came with too many others,
/// waits for so long before it is told.
const PENALTY: Duration = Duration::from_secs(3);
/// Answers that wait for a client.
const REPLIES: usize = 64;

pub(super) async fn upgrade(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    socket: WebSocketUpgrade,
) -> Response {
    if !shared.guard.origin(&headers) {
        return (StatusCode::FORBIDDEN, "this page may not open a socket here\n").into_response();
    }
    // Those that never say hello count, too.
    let Some((seat, wanted)) = Seat::take(&shared) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many sockets are open\n").into_response();
    };
    let known = shared.guard.knows(&headers);
    socket
        .max_message_size(LARGEST)
        .max_frame_size(LARGEST)
        .max_write_buffer_size(BUFFER)
        .on_upgrade(move |socket| async move {
            client(shared, socket, seat, wanted, known).await;
        })
}

/// The client broke a rule and need not come again (RFC 6455, 7.4.1).
const FINAL: u16 = 1008;
/// Try again later (IANA's register of close codes): a page that was too busy to say hello in time
/// may come again.
const LATER: u16 = 1013;

async fn refuse(socket: WebSocket, why: &'static str) {
    close(socket, FINAL, why).await;
}

async fn close(mut socket: WebSocket, code: u16, why: &'static str) {
    let frame = CloseFrame { code, reason: Utf8Bytes::from_static(why) };
    let _ = timeout(PATIENCE, socket.send(Message::Close(Some(frame)))).await;
}

/// The hello and what it says, or the code to close with.
async fn hello(socket: &mut WebSocket) -> Result<ClientMessage, u16> {
    let first = timeout(PATIENCE, socket.recv()).await.map_err(|_| LATER)?;
    let Some(Ok(Message::Text(text))) = first else { return Err(FINAL) };
    serde_json::from_str(&text).map_err(|_| FINAL)
}

async fn client(
    shared: Arc<Shared>,
    mut socket: WebSocket,
    mut seat: Seat,
    wanted: oneshot::Receiver<()>,
    known: bool,
) {
    let said = tokio::select! {
        said = hello(&mut socket) => said,
        Ok(()) = wanted => {
            seat.lose();
            return close(socket, LATER, "somebody else needed this place").await;
        }
    };
    let (version, token, name) = match said {
        Ok(ClientMessage::Hello { version, token, name }) => (version, token, name),
        Ok(_) => return refuse(socket, "the first message must be a hello").await,
        Err(code) => return close(socket, code, "the first message must be a hello").await,
    };
    if version != VERSION {
        return refuse(socket, "another version of the protocol: reload the page").await;
    }
    if !known && !shared.guard.token.is(token.as_deref().unwrap_or_default()) {
        return refuse(
            socket,
            "the token is missing or wrong: open the whole address that was printed",
        )
        .await;
    }
    if !seat.keep() {
        return close(socket, LATER, "somebody else needed this place").await;
    }
    // a newcomer is sent the whole world
    let calm = !shared.bounded || lock(&shared).is_empty() || shared.joins().take();
    if !calm {
        tokio::time::sleep(PENALTY).await;
        return close(socket, LATER, "too many come at once").await;
    }
    let joined = lock(&shared).join(&name);
    let Some(id) = joined else {
        return refuse(socket, "there is no room for another client").await;
    };
    announce(&shared);
    let why = talk(&shared, id, &mut socket).await;
    lock(&shared).leave(id);
    announce(&shared);
    subscribe(&shared);
    // A full queue means that the simulation is busy; a hand must not be left behind.
    let inputs = shared.inputs.clone();
    tokio::task::spawn_blocking(move || inputs.send(Input::Left(id)).ok());
    if let Some(why) = why {
        // whoever broke a rule comes back no faster than this
        if shared.bounded {
            tokio::time::sleep(PENALTY).await;
        }
        refuse(socket, why).await;
    }
}

fn lock(shared: &Shared) -> std::sync::MutexGuard<'_, super::Clients> {
    shared.clients.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn joins(&self) -> std::sync::MutexGuard<'_, Bucket> {
        self.joins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a client may do less than the host.
    fn is_bounded(&self, id: u32) -> bool {
        self.bounded && !lock(self).is_host(id)
    }
}

fn announce(shared: &Shared) {
    let message = lock(shared).message();
    shared.list.send_replace(text(&message));
}

fn subscribe(shared: &Shared) {
    let (layers, quantities) = lock(shared).wanted();
    let _ = shared.inputs.try_send(Input::Subscribe(layers, quantities));
}

/// Sends and receives until the client goes; says why it is dropped.
async fn talk(shared: &Arc<Shared>, id: u32, socket: &mut WebSocket) -> Option<&'static str> {
    let (mut out, mut incoming) = socket.split();
    let (reply, mut replies) = mpsc::channel(REPLIES);
    let mut frame = shared.frame.clone();
    let mut scene = shared.scene.clone();
    let mut columns = shared.columns.clone();
    let mut verdict = shared.verdict.clone();
    let mut troubles = shared.troubles.clone();
    let mut list = shared.list.subscribe();
    let mut events = shared.events.subscribe();
    let mut ping = interval(PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Skip);
    scene.mark_changed();
    columns.mark_changed();
    verdict.mark_changed();
    troubles.mark_changed();
    list.mark_changed();
    frame.mark_changed();
    let (mut bucket, mut bytes) = (Bucket::new(), Bucket::of_bytes());
    let mut silent = 0;
    let mut restarted = None;
    let welcome = ServerMessage::Welcome { id, program: env!("CARGO_PKG_VERSION").into() };
    let mut message = Message::Text(Utf8Bytes::from(&*text(&welcome)));
    loop {
        // Nothing is sent for "not yet": an empty text.
        let empty = matches!(&message, Message::Text(t) if t.is_empty())
            || matches!(&message, Message::Binary(b) if b.is_empty());
        if !empty && !matches!(timeout(PATIENCE, out.send(message)).await, Ok(Ok(()))) {
            return None;
        }
        message = tokio::select! {
            biased;
            received = incoming.next() => {
                silent = 0;
                match received {
                    None | Some(Err(_) | Ok(Message::Close(_))) => return None,
                    Some(Ok(Message::Text(body))) => {
                        // reading is not free: the host's own messages are its own affair
                        if !bucket.take() || (shared.is_bounded(id) && !bytes.take_some(body.len())) {
                            return Some("too many messages");
                        }
                        let Ok(parsed) = serde_json::from_str::<ClientMessage>(&body) else {
                            return Some("a message that is not one of the protocol");
                        };
                        if let ControlFlow::Break(why) = handle(shared, id, parsed, &reply, &mut restarted) {
                            return Some(why);
                        }
                        Message::Text(Utf8Bytes::default())
                    }
                    Some(Ok(Message::Binary(_))) => return Some("clients send text only"),
                    Some(Ok(_)) => {
                        if !bucket.take() {
                            return Some("too many messages");
                        }
                        Message::Text(Utf8Bytes::default())
                    }
                }
            }
            Ok(()) = scene.changed() => Message::Text(Utf8Bytes::from(&**scene.borrow_and_update())),
            Ok(()) = list.changed() => Message::Text(Utf8Bytes::from(&**list.borrow_and_update())),
            Ok(()) = columns.changed() => Message::Text(Utf8Bytes::from(&**columns.borrow_and_update())),
            Ok(()) = verdict.changed() => Message::Text(Utf8Bytes::from(&**verdict.borrow_and_update())),
            Ok(()) = troubles.changed() => Message::Text(Utf8Bytes::from(&**troubles.borrow_and_update())),
            Some(answer) = replies.recv() => Message::Text(Utf8Bytes::from(&*text(&answer))),
            event = events.recv() => match event {
                Ok(event) => Message::Text(Utf8Bytes::from(&*event)),
                // Too far behind: the oldest events are lost, the world is not.
                Err(_) => Message::Text(Utf8Bytes::default()),
            },
            _ = ping.tick() => {
                silent += 1;
                if silent > SILENT {
                    return None;
                }
                Message::Ping(Bytes::new())
            }
            changed = frame.changed() => match changed {
                Ok(()) => Message::Binary(frame.borrow_and_update().clone()),
                Err(_) => return Some("the server ends"),
            },
        };
    }
}

/// Passes a message on; breaks with the reason to drop the client.
fn handle(
    shared: &Shared,
    id: u32,
    message: ClientMessage,
    reply: &Reply,
    restarted: &mut Option<Instant>,
) -> ControlFlow<&'static str> {
    let change = |input: Input| {
        if !lock(shared).may_change(id) {
            notice(reply, "warning", "you may only watch; the host can change that");
            return ControlFlow::Continue(());
        }
        send(shared, input, reply)
    };
    match message {
        ClientMessage::Hello { .. } => ControlFlow::Break("one hello is enough"),
        ClientMessage::Command { command: Command::Restart }
            if lock(shared).may_change(id) && !shared.is_bounded(id) =>
        {
            // The step that is being made is given up for it; a guest does not do so all the time.
            let calm = restarted.is_none_or(|t| t.elapsed() > BETWEEN_RESTARTS);
            if calm || !shared.is_bounded(id) {
                *restarted = Some(Instant::now());
                shared.interrupt.set();
            }
            match shared.inputs.try_send(Input::Command(
                id,
                Box::new(Command::Restart),
                reply.clone(),
            )) {
                // where everything else waits, it does not
                Err(TrySendError::Full(_)) => {
                    *shared.restart.lock().unwrap_or_else(PoisonError::into_inner) =
                        Some((id, reply.clone()));
                }
                Err(TrySendError::Disconnected(_)) => {
                    return ControlFlow::Break("the simulation is gone");
                }
                Ok(()) => {}
            }
            ControlFlow::Continue(())
        }
        ClientMessage::Command { command }
            if shared.is_bounded(id) && not_for_guests(&command).is_some() =>
        {
            notice(reply, "warning", not_for_guests(&command).unwrap_or_default());
            ControlFlow::Continue(())
        }
        ClientMessage::Command { command } => {
            change(Input::Command(id, Box::new(command), reply.clone()))
        }
        ClientMessage::Control { .. } if shared.is_bounded(id) => {
            notice(reply, "warning", "only the host runs, pauses and steps the world");
            ControlFlow::Continue(())
        }
        ClientMessage::Control { control } => change(Input::Control(control)),
        ClientMessage::Request { request } => {
            let input = |request| Input::Request(id, request, reply.clone());
            match request {
                Request::Open { .. }
                    if shared.is_bounded(id) && question_not_for_guests(&request).is_some() =>
                {
                    notice(reply, "warning", question_not_for_guests(&request).unwrap_or_default());
                    ControlFlow::Continue(())
                }
                Request::Open { .. } => change(input(request)),
                // These take the simulation's time.
                Request::Save { .. } | Request::Journal | Request::Clip { .. }
                    if !lock(shared).may_change(id) =>
                {
                    notice(
                        reply,
                        "warning",
                        "you may only watch; those who take part can download the world",
                    );
                    ControlFlow::Continue(())
                }
                Request::Save { name: Some(_) } if !lock(shared).is_host(id) => {
                    notice(
                        reply,
                        "warning",
                        "only the host saves on the host's machine; you can download the scene",
                    );
                    ControlFlow::Continue(())
                }
                _ => send(shared, input(request), reply),
            }
        }
        ClientMessage::Subscribe { layers, quantities } => {
            lock(shared).subscribe(id, layers, quantities);
            subscribe(shared);
            ControlFlow::Continue(())
        }
        ClientMessage::Rename { name } => {
            lock(shared).rename(id, &name);
            announce(shared);
            ControlFlow::Continue(())
        }
        ClientMessage::Appoint { client, role } => {
            let done = lock(shared).appoint(id, client, role);
            match done {
                Ok(()) => announce(shared),
                Err(why) => notice(reply, "warning", why),
            }
            ControlFlow::Continue(())
        }
    }
}

fn send(shared: &Shared, input: Input, reply: &Reply) -> ControlFlow<&'static str> {
    match shared.inputs.try_send(input) {
        Ok(()) => {}
        Err(TrySendError::Full(_)) => {
            notice(reply, "warning", "the simulation is busy: that was dropped")
        }
        Err(TrySendError::Disconnected(_)) => return ControlFlow::Break("the simulation is gone"),
    }
    ControlFlow::Continue(())
}

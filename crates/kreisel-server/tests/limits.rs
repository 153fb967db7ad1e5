//! What guests may not do: keep the simulation busy with answers, or a socket without a hello.

mod common;

use common::{Client, start};
use kreisel_session::protocol::{ClientMessage, Control, Request, Role, ServerMessage};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watchers_do_not_make_the_world_write_and_nobody_does_so_all_the_time() {
    let server = start(false).await;
    let (mut host, mut other) =
        (Client::join(&server, "Ada").await, Client::join(&server, "Bea").await);
    let bea = host.text(|m| match m {
        ServerMessage::Clients { clients } if clients.len() == 2 => Some(clients[1].id),
        _ => None,
    });
    let bea = bea.await;
    let notice = |m: ServerMessage| {
        if let ServerMessage::Notice { text, .. } = m { Some(text) } else { None }
    };
    let ask = |request: Request| ClientMessage::Request { request };
    // A guest asks without pause: a few answers at most, then a word about it.
    for _ in 0..60 {
        other.send(&ask(Request::Save { name: None })).await;
        other.send(&ask(Request::Journal)).await;
    }
    let mut files = 0;
    let said = loop {
        let (file, words) = other
            .text(|m| match m {
                ServerMessage::File { .. } => Some((true, String::new())),
                ServerMessage::Notice { text, .. } => Some((false, text)),
                _ => None,
            })
            .await;
        files += usize::from(file);
        if !file {
            break words;
        }
    };
    let told = said.contains("a moment ago") || said.contains("simulation's time");
    assert!(files < 60 && told, "{files} files, then {said}");
    host.send(&ClientMessage::Appoint { client: bea, role: Role::Watcher }).await;
    other
        .text(|m| match m {
            ServerMessage::Clients { clients } => {
                clients.iter().any(|c| c.role == Role::Watcher).then_some(())
            }
            _ => None,
        })
        .await;
    for request in [Request::Save { name: None }, Request::Journal] {
        other.send(&ask(request)).await;
        let said = loop {
            let said = other.text(notice).await;
            if !said.contains("a moment ago") && !said.contains("simulation's time") {
                break said;
            }
        };
        assert!(said.contains("only watch"), "{said}");
    }
    // The world goes on for the host.
    host.send(&ClientMessage::Control { control: Control::Step { count: 3 } }).await;
    host.frame_when(|f| f.step == 3).await;
    server.end().await;
}

/// A page that is too busy to say hello may come again; whoever says something else may not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_without_a_hello_is_asked_to_come_later() {
    let server = start(true).await;
    let mut slow = Client::connect(&server, Some(&server.origin())).await.unwrap();
    let mut wrong = Client::connect(&server, Some(&server.origin())).await.unwrap();
    wrong.send(&ClientMessage::Control { control: Control::Run }).await;
    assert_eq!(wrong.close_code().await, Some(1008));
    assert_eq!(slow.close_code().await, Some(1013));
    server.end().await;
}

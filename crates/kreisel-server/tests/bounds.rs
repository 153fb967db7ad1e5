//! What is bounded: names of files that may be opened, commands that may wait, the time that a
//! stranger may take.

mod common;

use common::{Client, hello, start, start_with};
use kreisel_server::folder;
use kreisel_server::net::Options;
use kreisel_session::protocol::{ClientMessage, Command, Control, Request, ServerMessage};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::timeout;

fn notice(m: ServerMessage) -> Option<String> {
    if let ServerMessage::Notice { text, .. } = m { Some(text) } else { None }
}

/// 200 names that would lead out of a folder if anything followed them.
fn escapes() -> Vec<String> {
    let heads = ["", "./", "/", "//", "scene.toml/", "%2e/", "\\", "C:\\", "file://", "~/"];
    let ups = [
        "../",
        "..\\",
        "..%2f",
        "%2e%2e/",
        "....//",
        "..\0/",
        "..;/",
        "../ ",
        "..\u{2215}",
        "%252e%252e%252f",
    ];
    let mut out = Vec::new();
    for head in heads {
        for up in ups {
            for file in ["outside.toml", "etc/passwd"] {
                out.push(format!("{head}{}{file}", up.repeat(3)));
            }
        }
    }
    out
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_names_open_save_and_merge_nothing_outside_the_folder() {
    let outer = std::env::temp_dir().join(format!("kreisel-bounds-{}", std::process::id()));
    let folder = outer.join("a/b/c");
    std::fs::create_dir_all(&folder).unwrap();
    let secret =
        "title = \"outside\"\n[[body]]\nname = \"secret\"\nshape = { sphere = 1 }\nmass = 1\n";
    std::fs::write(outer.join("outside.toml"), secret).unwrap();
    std::fs::write(folder.join("scene.toml"), secret.replace("secret", "inside")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outer.join("outside.toml"), folder.join("link.toml")).unwrap();
    let library = folder::Library::of(Some(folder.clone()));
    assert_eq!(library.list(), ["scene.toml"], "links are not listed");
    let mut names = escapes();
    assert_eq!(names.len(), 200);
    names.push("link.toml".into());
    names.push(outer.join("outside.toml").display().to_string());
    let before = std::fs::read_dir(&outer).unwrap().count();
    for name in &names {
        assert!(library.read(name).is_err(), "{name:?} was read");
        assert!(folder::write(Some(&folder), name, "x").is_err(), "{name:?} was written");
    }
    assert_eq!(std::fs::read_dir(&outer).unwrap().count(), before);
    assert_eq!(std::fs::read_to_string(outer.join("outside.toml")).unwrap(), secret);
    // Over the socket some of them, as a client asks; the world stays the one that it was.
    let server =
        start_with(Options { running: false, folder: Some(folder.clone()), ..Options::default() })
            .await;
    let mut a = Client::join(&server, "Ada").await;
    for name in names.iter().step_by(9) {
        for merge in [false, true] {
            a.send(&ClientMessage::Request {
                request: Request::Open { name: name.clone(), merge },
            })
            .await;
            let refused = a.text(notice).await;
            assert!(refused.contains("no scene"), "{refused}");
        }
    }
    a.send(&ClientMessage::Request {
        request: Request::Open { name: "scene.toml".into(), merge: false },
    })
    .await;
    let bodies = a
        .text(|m| match m {
            ServerMessage::Scene { scene }
                if scene.title == "outside" || scene.bodies[0].name == "inside" =>
            {
                Some(scene.bodies.iter().map(|b| b.name.clone()).collect::<Vec<_>>())
            }
            _ => None,
        })
        .await;
    assert_eq!(bodies, ["inside"]);
    server.end().await;
    std::fs::remove_dir_all(&outer).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_that_find_the_queue_full_are_refused_and_the_world_goes_on() {
    // The world hangs in its first step until it is let go; more commands arrive than may wait
    // (1024).
    let hangs = Arc::new(AtomicBool::new(true));
    let held = Arc::clone(&hangs);
    let hook: kreisel_server::runner::Hook = Box::new(move |s| {
        while s.steps() == 0 && held.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    let server =
        start_with(Options { running: false, hook: Some(hook), ..Options::default() }).await;
    let mut clients = Vec::new();
    for k in 0..5 {
        let mut c = Client::join(&server, &format!("client {k}")).await;
        c.frame().await;
        clients.push(c);
    }
    clients[0].send(&ClientMessage::Control { control: Control::Step { count: 1 } }).await;
    for c in &mut clients {
        for _ in 0..250 {
            let push = Command::Push { body: "arm".into(), impulse: [0.0; 3], point: [0.0; 3] };
            c.send(&ClientMessage::Command { command: push }).await;
        }
    }
    // whoever came too late is told so
    let somebody = async {
        loop {
            for c in &mut clients {
                if let Ok(said) = timeout(Duration::from_millis(50), c.text(notice)).await {
                    return said;
                }
            }
        }
    };
    let busy = timeout(Duration::from_secs(60), somebody)
        .await
        .expect("a client is told that the queue is full");
    hangs.store(false, Ordering::Relaxed);
    assert!(busy.contains("busy"), "{busy}");
    let last = clients.last_mut().unwrap();
    last.frame_when(|f| f.step == 1).await;
    last.send(&ClientMessage::Control { control: Control::Step { count: 2 } }).await;
    last.frame_when(|f| f.step == 3).await;
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_and_those_who_repeat_themselves_are_sent_away() {
    let server = start(true).await;
    // Anything but a hello comes too early, and a hello of another version is told to reload.
    let mut early = Client::connect(&server, Some(&server.origin())).await.unwrap();
    early.send(&ClientMessage::Control { control: Control::Run }).await;
    assert!(early.is_dropped().await);
    let mut old = Client::connect(&server, Some(&server.origin())).await.unwrap();
    old.send(&ClientMessage::Hello { version: 1, token: None, name: "Old".into() }).await;
    assert!(old.is_dropped().await);
    let mut twice = Client::join(&server, "Twice").await;
    twice.frame().await;
    twice.send(&hello("Twice", server.token())).await;
    assert!(twice.is_dropped().await);
    let mut witness = Client::join(&server, "Witness").await;
    let now = witness.frame().await.step;
    witness.frame_when(|f| f.step > now + 5).await;
    server.end().await;
}

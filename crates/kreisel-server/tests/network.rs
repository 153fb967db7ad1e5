//! The server over real sockets: several clients, rubbish, traversal, tokens, a world that fails.

mod common;

use common::{Client, hello, http, start, start_with};
use kreisel_server::net::Options;
use kreisel_session::protocol::{ClientMessage, Command, Control, Role, ServerMessage};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_clients_see_one_world() {
    let server = start(true).await;
    let (mut a, mut b) = (Client::join(&server, "Ada").await, Client::join(&server, "Bea").await);
    // The list is said once; it is read before the frames.
    let clients = b.text(|m| match m {
        ServerMessage::Clients { clients } if clients.len() == 2 => Some(clients),
        _ => None,
    });
    let clients = clients.await;
    let (fa, fb) = (a.frame().await, b.frame().await);
    assert_eq!((fa.bodies, fb.bodies), (1, 1));
    a.send(&ClientMessage::Control { control: Control::Pause }).await;
    let (fa, fb) = (a.frame_when(|f| !f.running).await, b.frame_when(|f| !f.running).await);
    assert_eq!(fa.bytes, fb.bytes);
    // A step of one is seen by the other.
    a.send(&ClientMessage::Control { control: Control::Step { count: 1 } }).await;
    assert_eq!(b.frame_when(|f| f.step > fb.step).await.step, fb.step + 1);
    assert_eq!(
        clients.iter().map(|c| (&*c.name, c.role)).collect::<Vec<_>>(),
        [("Ada", Role::Host), ("Bea", Role::Guest)]
    );
    assert_ne!(clients[0].color, clients[1].color);
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_shows_within_two_steps() {
    let server = start(false).await;
    let mut a = Client::join(&server, "Ada").await;
    let before = a.frame().await;
    let push =
        Command::Push { body: "arm".into(), impulse: [0.0, 0.0, 5.0], point: [1.0, 0.0, 0.0] };
    a.send(&ClientMessage::Command { command: push }).await;
    a.send(&ClientMessage::Control { control: Control::Step { count: 2 } }).await;
    let after = a.frame_when(|f| f.step == before.step + 2).await;
    assert!(after.pose(0)[2] > before.pose(0)[2] + 1e-3, "the arm rises: {:?}", after.pose(0));
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watchers_change_nothing_and_only_the_host_appoints() {
    let server = start(false).await;
    let (mut a, mut b) = (Client::join(&server, "Ada").await, Client::join(&server, "Bea").await);
    let seen = a.text(|m| match m {
        ServerMessage::Clients { clients } if clients.len() == 2 => Some(clients[1].id),
        _ => None,
    });
    let bea = seen.await;
    b.send(&ClientMessage::Appoint { client: 1, role: Role::Watcher }).await;
    let refused = b
        .text(|m| if let ServerMessage::Notice { text, .. } = m { Some(text) } else { None })
        .await;
    assert!(refused.contains("host"), "{refused}");
    a.send(&ClientMessage::Appoint { client: bea, role: Role::Watcher }).await;
    b.text(|m| match m {
        ServerMessage::Clients { clients } => {
            clients.iter().any(|c| c.role == Role::Watcher).then_some(())
        }
        _ => None,
    })
    .await;
    // the world waits at step 0, and a world that waits sends no frames
    b.send(&ClientMessage::Control { control: Control::Step { count: 1 } }).await;
    let refused = b
        .text(|m| if let ServerMessage::Notice { text, .. } = m { Some(text) } else { None })
        .await;
    assert!(refused.contains("watch"), "{refused}");
    a.send(&ClientMessage::Control { control: Control::Step { count: 1 } }).await;
    assert_eq!(a.frame_when(|f| f.step > 0).await.step, 1);
    server.end().await;
}

/// Deterministic rubbish: broken JSON, wrong types, huge numbers, deep nesting, stray bytes,
/// binary.
fn rubbish(k: usize) -> tokio_tungstenite::tungstenite::Message {
    use tokio_tungstenite::tungstenite::Message;
    let mut seed = k as u64 + 1;
    let mut next = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize
    };
    let good = r#"{"type":"command","command":{"do":"push","body":"arm","impulse":[1,0,0],"point":[0,0,0]}}"#;
    match k % 8 {
        0 => {
            let mut bytes = good.as_bytes().to_vec();
            let at = next() % bytes.len();
            bytes[at] = b'!' + (next() % 90) as u8;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            // A changed digit or letter of a name is still a message; break its end, too.
            Message::text(text[..text.len() - 1].to_owned())
        }
        1 => Message::text(good[..next() % good.len()].to_owned()),
        2 => Message::text("[".repeat(1 + next() % 5000)),
        3 => Message::text(format!(
            "{{\"type\":\"control\",\"control\":{{\"do\":\"step\",\"count\":{}}}}}",
            -(next() as i64) - 1
        )),
        4 => Message::binary((0..next() % 2000).map(|_| next() as u8).collect::<Vec<u8>>()),
        5 => Message::text(format!("{{\"type\":\"{}\"}}", "x".repeat(next() % 3000))),
        6 => Message::text(
            (0..1 + next() % 300)
                .map(|_| char::from_u32(next() as u32 % 0x2000).unwrap_or('?'))
                .collect::<String>(),
        ),
        _ => Message::text(format!(
            "{{\"type\":\"command\",\"command\":{{\"do\":\"push\",\"body\":{},\"impulse\":[1e999,0,0]}}}}",
            next()
        )),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_malformed_messages_drop_their_senders_and_the_world_goes_on() {
    let server = start(true).await;
    let mut witness = Client::join(&server, "Witness").await;
    let first = witness.frame().await;
    for k in 0..1000 {
        let mut c = Client::join(&server, "Mallory").await;
        c.raw(rubbish(k)).await;
        assert!(c.is_dropped().await, "message {k} was taken");
    }
    let later = witness.frame_when(|f| f.step > first.step + 10).await;
    assert!(later.running);
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_and_a_giant_message_drop_their_sender() {
    let server = start(true).await;
    let mut witness = Client::join(&server, "Witness").await;
    let mut c = Client::join(&server, "Flood").await;
    for _ in 0..2000 {
        c.send(&ClientMessage::Control { control: Control::Run }).await;
    }
    assert!(c.is_dropped().await);
    let mut c = Client::join(&server, "Giant").await;
    c.raw(tokio_tungstenite::tungstenite::Message::text("x".repeat(1 << 20))).await;
    assert!(c.is_dropped().await);
    let now = witness.frame().await.step;
    witness.frame_when(|f| f.step > now + 5).await;
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_paths_lead_nowhere() {
    let server = start(false).await;
    let heads = [
        "/",
        "/assets/",
        "/./",
        "//",
        "/assets/../",
        "/%2e/",
        "/static/",
        "/socket/../",
        "/..;/",
        "/\\",
    ];
    let ups = [
        "../",
        "..%2f",
        "%2e%2e/",
        "%2e%2e%2f",
        "..%5c",
        "..\\",
        "....//",
        "%252e%252e%252f",
        "..%c0%af",
        "..%00/",
    ];
    let files = ["etc/passwd", "Cargo.toml"];
    let mut tried = 0;
    for head in heads {
        for up in ups {
            for file in files {
                let path = format!("{head}{}{file}", up.repeat(6));
                let answer = http(
                    &server,
                    &format!(
                        "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
                        server.host()
                    ),
                )
                .await;
                let status: u32 =
                    answer.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
                assert!(matches!(status, 400 | 403 | 404), "{path}: {answer}");
                assert!(!answer.contains("root:") && !answer.contains("[workspace]"), "{path}");
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 200);
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_hosts_and_origins_are_refused() {
    let server = start(false).await;
    let answer =
        http(&server, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    let answer = http(
        &server,
        &format!(
            "POST / HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            server.host()
        ),
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");
    let page = http(
        &server,
        &format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.host()),
    )
    .await;
    assert!(page.starts_with("HTTP/1.1 200"));
    assert!(page.to_lowercase().contains("content-security-policy: default-src 'none'"));
    for origin in ["http://evil.example", "null", "https://127.0.0.1:1"] {
        assert!(Client::connect(&server, Some(origin)).await.is_err(), "{origin}");
    }
    assert!(Client::connect(&server, None).await.is_err());
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_address_demands_the_token() {
    // All addresses of this machine: reached by 127.0.0.1, too.
    let server =
        start_with(Options { address: [0, 0, 0, 0].into(), running: false, ..Options::default() })
            .await;
    assert!(
        server.url.contains('#') && server.url.split('#').nth(1).is_some_and(|t| t.len() == 32)
    );
    let token = server.url.split('#').nth(1).unwrap().to_owned();
    for wrong in [None, Some(String::new()), Some("0".repeat(32)), Some(token[..31].to_owned())] {
        let mut c = Client::connect(&server, Some(&server.origin())).await.unwrap();
        c.send(&hello("Eve", wrong)).await;
        assert!(c.is_dropped().await);
    }
    let mut c = Client::connect(&server, Some(&server.origin())).await.unwrap();
    c.send(&hello("Ada", Some(token))).await;
    c.frame().await;
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_are_counted() {
    let server = start_with(Options { max_clients: 2, running: false, ..Options::default() }).await;
    let _a = Client::join(&server, "1").await;
    let b = Client::join(&server, "2").await;
    let mut c = Client::join(&server, "3").await;
    assert!(c.is_dropped().await);
    drop(b);
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let mut d = Client::join(&server, "4").await;
    d.frame().await;
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_ends_the_world_with_its_journal_and_not_the_server() {
    let path = std::env::temp_dir().join(format!("kreisel-test-{}.jsonl", std::process::id()));
    let hook: kreisel_server::runner::Hook =
        Box::new(|s| assert!(s.steps() != 25, "a test lets this world fail"));
    let options = Options {
        running: false,
        journal: Some(path.clone()),
        hook: Some(hook),
        ..Options::default()
    };
    let server = start_with(options).await;
    let mut a = Client::join(&server, "Ada").await;
    a.frame().await;
    let push =
        Command::Push { body: "arm".into(), impulse: [0.0, 0.0, 5.0], point: [1.0, 0.0, 0.0] };
    a.send(&ClientMessage::Command { command: push }).await;
    a.send(&ClientMessage::Control { control: Control::Run }).await;
    let (text, journal) = a
        .text(|m| {
            if let ServerMessage::Ended { text, journal } = m {
                Some((text, journal))
            } else {
                None
            }
        })
        .await;
    assert!(text.contains("a test lets this world fail"), "{text}");
    assert_eq!(journal, Some(path.display().to_string()));
    let saved = std::fs::read_to_string(&path).unwrap();
    let replayed = kreisel_session::journal::replay(&saved, &Default::default(), |_| true).unwrap();
    assert_eq!(replayed.commands, 1);
    // The server lives: it answers, and a restart gives a new world.
    let page = http(
        &server,
        &format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.host()),
    )
    .await;
    assert!(page.starts_with("HTTP/1.1 200"));
    a.send(&ClientMessage::Command { command: Command::Restart }).await;
    a.send(&ClientMessage::Control { control: Control::Step { count: 3 } }).await;
    a.frame_when(|f| f.step == 3).await;
    server.end().await;
    let _ = std::fs::remove_file(&path);
}

/// Two clients and 16 sockets have room. A socket that says nothing gives its place to the next
/// one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_sockets_are_counted_and_keep_nobody_out() {
    let server = start_with(Options { max_clients: 2, running: false, ..Options::default() }).await;
    let mut silent = Vec::new();
    for k in 0..40 {
        silent.push(
            Client::connect(&server, Some(&server.origin()))
                .await
                .unwrap_or_else(|e| panic!("{k}: {e}")),
        );
    }
    // newcomers get in at once, not after the silent ones' ten seconds
    let begin = std::time::Instant::now();
    Client::join(&server, "Ada").await.frame().await;
    assert!(begin.elapsed().as_secs() < 8, "{:?}", begin.elapsed());
    assert_eq!(silent[0].close_code().await, Some(1013), "the oldest is asked to come later");
    server.end().await;
}

/// Half a request, and answers that nobody reads, hold no connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_open_requests_are_closed_and_keep_nobody_out() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let server = start(false).await;
    let mut half = Vec::new();
    for _ in 0..300 {
        let mut stream = tokio::net::TcpStream::connect(server.host()).await.unwrap();
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: 127").await;
        half.push(stream);
    }
    // 256 connections have room: this one waits until the first are sent away
    let mut c = Client::join(&server, "Ada").await;
    c.frame().await;
    let closed = async {
        for stream in &mut half {
            let mut bytes = Vec::new();
            let _ = stream.read_to_end(&mut bytes).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(40), closed).await.expect("all are closed");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cookie_of_this_port_counts_as_the_token_and_no_other() {
    use tokio_tungstenite::tungstenite::client::IntoClientRequest;
    let server = start(false).await;
    let (token, port) =
        (server.token().unwrap(), server.host().split(':').nth(1).unwrap().to_owned());
    for (cookie, good) in [
        (format!("a=b; kreisel-{port}={token}"), true),
        (format!("kreisel-1={token}"), false),
        (format!("kreisel-{port}={}", "0".repeat(32)), false),
    ] {
        let mut request = format!("ws://{}/socket", server.host()).into_client_request().unwrap();
        request.headers_mut().insert("origin", server.origin().parse().unwrap());
        request.headers_mut().insert("cookie", cookie.parse().unwrap());
        let mut c = Client::of(request).await;
        c.send(&hello("Ada", None)).await;
        if good {
            c.frame().await;
        } else {
            assert_eq!(c.close_code().await, Some(1008), "{cookie}");
        }
    }
    server.end().await;
}

/// A step that takes for ever, made by a world without a budget, is given up for a restart, and a
/// queue full of commands does not hold it up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_gets_through_to_a_world_that_hangs_in_a_step() {
    let slow = r#"
        [world]
        step = 0.1
        method = "iterative"
        tolerance = 1e-12
        contacts = "off"
        [[body]]
        repeat = 4000
        name = "b{i}"
        shape = { box = [1.0, 0.1, 0.1] }
        mass = 1.0
        position = ["i + 0.5", 0, 0]
        [[joint]]
        type = "ball"
        bodies = ["world", "b0"]
        at = [0, 0, 0]
        [[joint]]
        repeat = { i = "1..4000" }
        type = "ball"
        bodies = ["b{i - 1}", "b{i}"]
        at = ["i", 0, 0]
    "#;
    let server = start_with(Options { running: false, ..Options::default() }).await;
    let mut host = Client::join(&server, "Ada").await;
    host.frame().await;
    let load = Command::Load { name: "slow.toml".into(), text: slow.into(), merge: false };
    host.send(&ClientMessage::Command { command: load }).await;
    host.frame_when(|f| f.bodies == 4000).await;
    // what the restart goes back to is the scene that was loaded; the step never ends by itself
    host.send(&ClientMessage::Control { control: Control::Step { count: 1 } }).await;
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let begin = std::time::Instant::now();
    host.send(&ClientMessage::Command { command: Command::Restart }).await;
    host.send(&ClientMessage::Control { control: Control::Pause }).await;
    let color = Command::Set {
        object: "b0".into(),
        key: "mass".into(),
        value: kreisel_session::protocol::PropertyValue::Number(Some(2.0)),
    };
    host.send(&ClientMessage::Command { command: color }).await;
    host.text(|m| match m {
        ServerMessage::Scene { scene } if scene.revision > 2 => Some(()),
        _ => None,
    })
    .await;
    assert!(begin.elapsed().as_secs() < 30, "{:?}", begin.elapsed());
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_takes_another_name_and_all_see_it() {
    let server = start(false).await;
    let (mut a, mut b) = (Client::join(&server, "Ada").await, Client::join(&server, "").await);
    let name = |wanted: &'static str| {
        move |m: ServerMessage| match m {
            ServerMessage::Clients { clients } => {
                clients.iter().any(|c| c.name == wanted).then_some(())
            }
            _ => None,
        }
    };
    a.text(name("Guest 2")).await;
    b.send(&ClientMessage::Rename { name: "  Bea\u{7}\n ".into() }).await;
    a.text(name("Bea")).await;
    // a name that is too long is cut, an empty one is ignored
    b.send(&ClientMessage::Rename { name: "x".repeat(1000) }).await;
    a.text(name("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")).await;
    b.send(&ClientMessage::Rename { name: "\u{1}".into() }).await;
    a.text(name("Guest 2")).await;
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_world_that_waits_begins_with_its_first_client() {
    let server = start_with(Options { waiting: true, ..Options::default() }).await;
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    let mut a = Client::join(&server, "Ada").await;
    let first = a.frame().await;
    // The step is 1/60 s: after 0.4 s it would be the 24th.
    assert!(first.step < 20, "{}", first.step);
    a.frame_when(|f| f.step > 10).await;
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_policy_allows_nothing_that_is_not_named() {
    let server = start(false).await;
    let request = |path: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.host())
    };
    for path in ["/", "/there-is-no-such-file", "/socket"] {
        let answer = http(&server, &request(path)).await.to_lowercase();
        let line = answer
            .lines()
            .find_map(|l| l.strip_prefix("content-security-policy: "))
            .expect("a policy");
        let rules: Vec<(&str, Vec<&str>)> = line
            .split(';')
            .map(|r| {
                let mut words = r.split_whitespace();
                (words.next().unwrap_or_default(), words.collect())
            })
            .collect();
        let rule = |name: &str| {
            rules.iter().find(|r| r.0 == name).map(|r| r.1.join(" ")).unwrap_or_default()
        };
        for (name, value) in [
            ("default-src", "'none'"),
            ("script-src", "'self'"),
            ("style-src", "'self'"),
            ("base-uri", "'none'"),
            ("form-action", "'none'"),
            ("frame-ancestors", "'none'"),
        ] {
            assert_eq!(rule(name), value, "{path}");
        }
        assert!(
            !line.contains("unsafe") && !line.contains('*') && !line.contains("http:"),
            "{line}"
        );
        for header in [
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-opener-policy: same-origin",
        ] {
            assert!(answer.contains(header), "{path}: {header}");
        }
    }
    server.end().await;
}

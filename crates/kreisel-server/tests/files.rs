//! What may be written where, and by whom.

mod common;

use common::{Client, start_with};
use kreisel_server::folder;
use kreisel_server::net::Options;
use kreisel_session::protocol::{ClientMessage, Request, ServerMessage};
use std::path::PathBuf;

/// An empty folder of its own.
fn empty(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("kreisel-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn files_are_written_into_the_folder_under_new_plain_names_only() {
    let folder = empty("write");
    folder::write(Some(&folder), "a saved-world_2.toml", "x").unwrap();
    assert_eq!(std::fs::read_to_string(folder.join("a saved-world_2.toml")).unwrap(), "x");
    let again = folder::write(Some(&folder), "a saved-world_2.toml", "y").unwrap_err();
    assert!(again.contains("exists already"), "{again}");
    assert_eq!(std::fs::read_to_string(folder.join("a saved-world_2.toml")).unwrap(), "x");
    let long = format!("{}.toml", "x".repeat(200));
    for bad in [
        "../a.toml",
        "/tmp/a.toml",
        "a/b.toml",
        "a\\b.toml",
        ".a.toml",
        "a.sh",
        "",
        ".toml",
        "a\n.toml",
        "a\0.toml",
        &long,
    ] {
        assert!(folder::write(Some(&folder), bad, "x").is_err(), "{bad:?}");
    }
    assert!(folder::write(None, "a.toml", "x").is_err());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn anyone_downloads_the_world_but_only_the_host_saves_it_beside_the_scene() {
    let folder = empty("save");
    let server =
        start_with(Options { running: false, folder: Some(folder.clone()), ..Options::default() })
            .await;
    let mut host = Client::join(&server, "Ada").await;
    host.frame().await;
    let mut guest = Client::join(&server, "Bea").await;
    guest.frame().await;
    let ask = |name: Option<&str>| ClientMessage::Request {
        request: Request::Save { name: name.map(str::to_owned) },
    };
    let file = |m: ServerMessage| {
        if let ServerMessage::File { name, text } = m { Some((name, text)) } else { None }
    };
    let notice = |m: ServerMessage| {
        if let ServerMessage::Notice { text, .. } = m { Some(text) } else { None }
    };
    guest.send(&ask(None)).await;
    let (name, text) = guest.text(file).await;
    assert_eq!(name, "scene.toml");
    assert!(kreisel_scene::parse("saved.toml", &text).is_ok());
    guest.send(&ask(Some("mine.toml"))).await;
    assert!(guest.text(notice).await.contains("only the host"));
    host.send(&ask(Some("../mine.toml"))).await;
    assert!(host.text(notice).await.contains("no name"));
    host.send(&ask(Some("mine.toml"))).await;
    assert_eq!(host.text(notice).await, "saved as mine.toml");
    assert_eq!(std::fs::read_to_string(folder.join("mine.toml")).unwrap(), text);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    server.end().await;
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Scenes by theme and those viewed before; nothing that is hidden, broken, a link, or further
/// down, and no settings of other programs.
#[cfg(unix)]
#[test]
fn the_gallery_lists_what_lies_below_its_folder_and_reads_nothing_else() {
    let folder = empty("gallery");
    for name in [
        "Cargo.toml",
        "a.toml",
        "scenes/b.toml",
        "scenes/c/d.toml",
        "scenes/broken/e.toml",
        "scenes/.f/g.toml",
        "other/h.toml",
    ] {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, name).unwrap();
    }
    std::os::unix::fs::symlink(folder.join("other"), folder.join("scenes/link")).unwrap();
    let recent = folder.join("other/h.toml");
    let plain = folder::Library::of(Some(folder.clone()));
    assert_eq!(plain.list(), ["a.toml"]);
    assert!(plain.read("scenes/b.toml").is_err());
    let library = folder::Library {
        gallery: true,
        recent: vec![recent.clone(), folder.join("gone.toml")],
        ..plain
    };
    let last = recent.display().to_string();
    assert_eq!(library.list(), ["a.toml", "scenes/b.toml", "scenes/c/d.toml", &*last]);
    assert_eq!(library.read("scenes/c/d.toml").unwrap().1, "scenes/c/d.toml");
    assert_eq!(library.read(&last).unwrap().1, "other/h.toml");
    for name in [
        "scenes/broken/e.toml",
        "scenes/link/h.toml",
        "other/h.toml",
        "scenes/../other/h.toml",
        "/etc/passwd",
    ] {
        assert!(library.read(name).is_err(), "{name}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

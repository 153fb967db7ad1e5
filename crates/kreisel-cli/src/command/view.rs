//! `kreisel view`: the live simulator in the browser.

use crate::args::View;
use crate::exit::{Exit, Failure, print_problems};
use crate::runner;
use kreisel_server::journal::Header;
use kreisel_server::net::{Options, Server};
use kreisel_server::session::Session;
use std::process::{Command, Stdio};

/// Starts the simulation and the server, until Ctrl-C.
pub fn run(args: &View) -> Result<Exit, Failure> {
    let mut scene = crate::scene_file::load(&args.scene, &args.overrides.params)?;
    runner::apply(&args.overrides, &mut scene)?;
    print_problems(&scene.warnings);
    let mut header = Header::new(&scene.source.name, &scene.source.text, &args.overrides.params.set);
    header.step = args.overrides.step;
    header.method.clone_from(&args.overrides.method);
    header.order = args.overrides.order;
    let folder = args.scene.canonicalize().ok().and_then(|p| p.parent().map(std::path::Path::to_path_buf));
    let options = Options {
        address: args.listen,
        port: args.port,
        running: !args.paused,
        waiting: true,
        journal: args.journal.clone(),
        folder: folder.clone(),
        allow_outside: args.overrides.params.allow_outside,
        ..Options::default()
    };
    let files =
        kreisel_scene::Options { folder, allow_outside: args.overrides.params.allow_outside, ..Default::default() };
    let session = Session::new(scene).with_files(&files);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| Failure::resource(e.to_string()))?;
    let busy = |e: std::io::Error| Failure::resource(format!("{}:{}: {e}", args.listen, args.port));
    runtime.block_on(async {
        let server = Server::start(options, header, session).await.map_err(busy)?;
        let address = server.url();
        // Heard from now on: who ends it as soon as it speaks gets its journal, too.
        let stop = interrupted();
        println!("listening on {address}\n(Ctrl-C ends it)");
        if server.token.is_some() {
            println!("Others reach this world with that address and its token only. The connection is not encrypted.");
        }
        if !args.no_open {
            open(&address);
        }
        server.serve(stop).await.map_err(busy)
    })?;
    Ok(Exit::Success)
}

/// Done when Ctrl-C is pressed; it listens from the call on, not only when it is waited for.
#[cfg(unix)]
fn interrupted() -> impl Future<Output = ()> + Send + 'static {
    let signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt());
    async move {
        match signal {
            Ok(mut signal) => drop(signal.recv().await),
            // Without signals only the end of the program ends the server.
            Err(_) => std::future::pending().await,
        }
    }
}

/// Done when Ctrl-C is pressed.
#[cfg(not(unix))]
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Opens the browser, if there is one; the address is printed anyway.
fn open(address: &str) {
    let (program, first) = if cfg!(target_os = "macos") {
        ("open", None)
    } else if cfg!(windows) {
        ("explorer", None)
    } else {
        // Without a display a browser would only complain.
        if std::env::var_os("DISPLAY").is_none() && std::env::var_os("WAYLAND_DISPLAY").is_none() {
            return;
        }
        ("xdg-open", None::<&str>)
    };
    let _ = Command::new(program).args(first).arg(address).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}

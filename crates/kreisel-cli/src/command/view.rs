//! `kreisel view`: the live simulator in the browser.

use crate::args::View;
use crate::exit::{Exit, Failure, print_problems};
use crate::runner;
use kreisel_server::net::{HAS_VIEWER, Options, Server};
use kreisel_session::journal::Header;
use kreisel_session::session::Session;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Starts the simulation and the server, until Ctrl-C.
pub fn run(args: &View) -> Result<Exit, Failure> {
    let (mut scene, folder) = match &args.scene {
        Some(path) => {
            let scene = crate::scene_file::load(path, &args.overrides.params)?;
            crate::recent::note(path);
            (
                scene,
                path.canonicalize().ok().and_then(|p| p.parent().map(std::path::Path::to_path_buf)),
            )
        }
        // the start page: something new, and what there is to open
        None => {
            let starter = kreisel_scene::parse("new.toml", super::new::STARTER);
            (starter?, std::env::current_dir().ok())
        }
    };
    let start = args.scene.is_none();
    runner::apply(&args.overrides, &mut scene)?;
    print_problems(&scene.warnings);
    let mut header =
        Header::new(&scene.source.name, &scene.source.text, &args.overrides.params.set);
    header.step = args.overrides.step;
    header.method.clone_from(&args.overrides.method);
    header.order = args.overrides.order;
    let options = Options {
        address: args.listen,
        port: args.port,
        running: !args.paused && !start,
        waiting: true,
        journal: args.journal.clone(),
        folder: folder.clone(),
        gallery: start,
        recent: if start { crate::recent::list() } else { Vec::new() },
        allow_outside: args.overrides.params.allow_outside,
        budget: Some(budget(scene.step)),
        force_channel: args.force_channel,
        ..Options::default()
    };
    let files = kreisel_scene::Options {
        folder,
        allow_outside: args.overrides.params.allow_outside,
        ..Default::default()
    };
    let session = Session::new(scene).with_files(&files);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| Failure::resource(e.to_string()))?;
    let busy = |e: std::io::Error| Failure::resource(format!("{}:{}: {e}", args.listen, args.port));
    let script_errors = runtime.block_on(async {
        // A journal that cannot be written says so itself.
        let journal = args.journal.is_some();
        let server = Server::start(options, header, session).await.map_err(|e| {
            let words = e.to_string();
            let own = journal && words.starts_with("the journal")
                || words.starts_with("the force channel");
            if own { Failure::resource(e.to_string()) } else { busy(e) }
        })?;
        let script_errors = Arc::clone(&server.script_errors);
        let address = if start { server.url().replace("/#", "/?start#") } else { server.url() };
        // Heard from now on: who ends it as soon as it speaks gets its journal, too.
        let stop = interrupted();
        println!("listening on {address}\n(Ctrl-C ends it)");
        if let Some(address) = server.force_channel {
            println!("force channel on {address}");
        }
        if server.open {
            println!("Others reach this world with that address and its token only. The connection is not encrypted.");
        }
        if !HAS_VIEWER {
            eprintln!(
                "warning: this program was built without its viewer, the page there only says so. In the source folder: npm ci and \
                 npm run build in web/, then cargo install --path crates/kreisel-cli again; or cargo xtask demo"
            );
        }
        if !args.no_open {
            open(&address);
        }
        server.serve(stop).await.map_err(busy)?;
        Ok::<u64, Failure>(script_errors.load(Ordering::Relaxed))
    })?;
    if script_errors > 0 {
        eprintln!("scripts  {script_errors} failed");
        return Ok(Exit::Wrong);
    }
    Ok(Exit::Success)
}

/// Wall time that a step may take where the scene says nothing: a second, or five times the step
/// where that is more.
fn budget(step: f64) -> Duration {
    Duration::from_secs_f64((5.0 * step).clamp(1.0, 1e6))
}

/// Done when Ctrl-C is pressed or the program is asked to end (SIGTERM); it listens from the call
/// on, not only when it is waited for. A second signal ends the program at once.
fn interrupted() -> impl Future<Output = ()> + Send + 'static {
    let flag = runner::interruption();
    async move {
        // A handler of signals can only set a flag: it is looked at as often as nobody notices.
        while !flag.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
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
    let _ = Command::new(program)
        .args(first)
        .arg(address)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}

//! Peers in other languages: a program that reads commands and answers with a line each
//! (bench/python/coal_distance.py says which).

#![allow(dead_code)] // each example uses some of it

use kreisel_geometry::{Pose, TriMesh};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running peer; it ends when it is dropped.
pub struct Peer {
    pub name: &'static str,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    folder: PathBuf,
}

/// The peers named on the command line: `--coal PYTHON SCRIPT` and `--fcl PROGRAM`.
pub fn from_arguments() -> Vec<Peer> {
    let words: Vec<String> = std::env::args().collect();
    let after = |name: &str, n: usize| {
        let at = words.iter().position(|w| w == name)?;
        words.get(at + 1..at + 1 + n).map(<[String]>::to_vec)
    };
    let coal = after("--coal", 2).map(|w| ("coal", w));
    let fcl = after("--fcl", 1).map(|w| ("FCL", w));
    [coal, fcl].into_iter().flatten().map(|(name, command)| Peer::start(name, &command)).collect()
}

impl Peer {
    fn start(name: &'static str, command: &[String]) -> Self {
        let mut program = Command::new(&command[0]);
        program.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child =
            program.spawn().unwrap_or_else(|e| panic!("{} does not start: {e}", command[0]));
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("piped"));
        let folder =
            std::env::temp_dir().join(format!("kreisel-bench-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        Self { name, child, input, output: BufReader::new(output), folder }
    }

    fn ask(&mut self, command: &str) -> String {
        let input = self.input.as_mut().expect("open until dropped");
        writeln!(input, "{command}").and_then(|()| input.flush()).expect("the peer reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the peer answers");
        assert!(!line.is_empty(), "{} ended at: {command}", self.name);
        line
    }

    fn numbers(&mut self, command: &str) -> [f64; 2] {
        let line = self.ask(command);
        let mut words = line.split_whitespace().map(|w| w.parse().expect("a number"));
        [words.next().expect("a time"), words.next().expect("a distance")]
    }

    /// Gives it a shape and the poses of the shape's first copy.
    pub fn load(&mut self, kind: &str, mesh: &TriMesh, poses: &[Pose]) {
        let file = self.folder.join("mesh.txt");
        let mut text = format!("{} {}\n", mesh.vertices().len(), mesh.triangles().len());
        mesh.vertices().iter().for_each(|v| text += &format!("{} {} {}\n", v.x, v.y, v.z));
        mesh.triangles().iter().for_each(|t| text += &format!("{} {} {}\n", t[0], t[1], t[2]));
        std::fs::write(&file, text).expect("a temporary file");
        self.ask(&format!("load {kind} {}", file.display()));
        let poses = self.write_poses("poses.txt", poses);
        self.ask(&format!("poses {}", poses.display()));
    }

    fn write_poses(&self, name: &str, poses: &[Pose]) -> PathBuf {
        let file = self.folder.join(name);
        let line = |p: &Pose| {
            let (t, q) = (p.position, p.rotation);
            format!("{} {} {} {} {} {} {}\n", t.x, t.y, t.z, q.w, q.x, q.y, q.z)
        };
        std::fs::write(&file, poses.iter().map(line).collect::<String>())
            .expect("a temporary file");
        file
    }

    /// Microseconds for a query, without the way through Python, and the mean distance.
    pub fn time(&mut self, seconds: f64) -> [f64; 2] {
        let [us, mean] = self.numbers(&format!("time {seconds}"));
        [us - self.overhead(), mean]
    }

    /// The same with what the query before had left, at poses close by; coal's hulls only.
    pub fn warm(&mut self, near: &[Pose], seconds: f64) -> f64 {
        let near = self.write_poses("near.txt", near);
        self.numbers(&format!("warm {} {seconds}", near.display()))[0] - self.overhead()
    }

    /// What a call costs before it does anything, in microseconds.
    pub fn overhead(&mut self) -> f64 {
        if self.name == "coal" { self.numbers("empty")[0] } else { 0.0 }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // the end of its input ends the peer
        self.input = None;
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(Path::new(&self.folder));
    }
}

/// The middle of some numbers.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Date is not told, the load is: one line for below the tables.
pub fn circumstances() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu
        .lines()
        .find_map(|l| l.strip_prefix("model name")?.split_once(": "))
        .map_or("?", |p| p.1);
    format!("{cpu}, {cores} cores, load {load} at the end")
}

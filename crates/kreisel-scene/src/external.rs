//! A controller in another program, over a socket of this machine (docs/control.md).
//!
//! Lines of JSON: a greeting with the names of all motors, joints and sensors, then at each time of
//! the controller a question with their values, to which the answer names values of motors. An
//! answer that does not come within the deadline is late: the last command holds, and the step is
//! named. Late answers are read and dropped when they come.

use crate::sampled::Rate;
use kreisel_dynamics::{Coordinate, World};
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Longest line of an answer, bytes.
const MAX_LINE: usize = 1 << 20;

/// Version of the protocol.
const VERSION: u32 = 1;

/// What went wrong with a controller.
#[derive(Debug, thiserror::Error)]
pub enum ExternalError {
    /// The address is not one of this machine.
    #[error("{0} is not an address of this machine: a controller listens on 127.0.0.1 or [::1]")]
    NotLocal(SocketAddr),
    /// The connection failed.
    #[error("the controller at {0}: {1}")]
    Connection(SocketAddr, std::io::Error),
    /// It has closed the connection.
    #[error("the controller has closed the connection at {0:.6} s")]
    Closed(f64),
    /// An answer that is none.
    #[error("the controller's answer at {time:.6} s: {why}")]
    Answer {
        /// Time of the question, s.
        time: f64,
        /// What is wrong with it.
        why: String,
    },
}

/// How a controller is asked.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Time between two questions, s of the simulation; 0 asks before every step.
    pub period: f64,
    /// How long an answer is waited for, s of the clock on the wall; none waits for ever.
    pub deadline: Option<f64>,
}

/// A connection to a controller.
#[derive(Debug)]
pub struct External {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
    rate: Rate,
    deadline: Option<Duration>,
    /// What has come of a line.
    part: Vec<u8>,
    questions: u64,
    /// Questions that were not answered in time.
    pub late: u64,
}

/// What a question has led to.
#[derive(Clone, Debug, PartialEq)]
pub enum Answered {
    /// It was not due.
    NotAsked,
    /// The answer was taken over.
    InTime,
    /// No answer came in time: the last command holds.
    Late {
        /// Number of the question, from 0.
        question: u64,
        /// Its time, s.
        time: f64,
    },
}

impl External {
    /// Connects to a controller that listens at an address of this machine, and greets it.
    pub fn connect(
        address: SocketAddr,
        terms: &Terms,
        world: &World,
    ) -> Result<Self, ExternalError> {
        if !address.ip().is_loopback() {
            return Err(ExternalError::NotLocal(address));
        }
        let failed = |e| ExternalError::Connection(address, e);
        let stream =
            TcpStream::connect_timeout(&address, Duration::from_secs(5)).map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        let mut out = Self {
            address,
            stream: BufReader::new(stream),
            rate: Rate::every(terms.period),
            deadline: terms.deadline.map(Duration::from_secs_f64),
            part: Vec::new(),
            questions: 0,
            late: 0,
        };
        out.send(&json!({
            "kreisel": VERSION,
            "period": terms.period,
            "deadline": terms.deadline,
            "motors": world.motors().filter_map(|m| name(world.motor_name(m))).collect::<Vec<_>>(),
            "joints": world.joints().filter_map(|j| name(world.joint_name(j))).collect::<Vec<_>>(),
            "sensors":
                world.sensors().filter_map(|s| name(world.sensor_name(s))).collect::<Vec<_>>(),
        }))?;
        Ok(out)
    }

    /// Asks the controller if it is due before a step of `h`, and gives its motors what it answers.
    pub fn before_step(&mut self, world: &mut World, h: f64) -> Result<Answered, ExternalError> {
        let time = world.time();
        if !self.rate.is_due(time, h) {
            return Ok(Answered::NotAsked);
        }
        let question = self.questions;
        self.questions += 1;
        self.send(&json!({
            "question": question,
            "time": time,
            "joints": joints(world),
            "sensors": sensors(world),
        }))?;
        let end = self.deadline.map(|d| Instant::now() + d);
        loop {
            let Some(line) = self.line(end, time)? else {
                self.late += 1;
                return Ok(Answered::Late { question, time });
            };
            let refuse = |why: String| ExternalError::Answer { time, why };
            let answer: Value =
                serde_json::from_slice(&line).map_err(|e| refuse(format!("no JSON: {e}")))?;
            let number = answer.get("question").and_then(Value::as_u64);
            let number = number.ok_or_else(|| refuse("it has no \"question\"".into()))?;
            // one that comes after its time is dropped
            if number == question {
                take_over(world, &answer).map_err(refuse)?;
                return Ok(Answered::InTime);
            }
        }
    }

    /// Tells the controller that the run is over.
    pub fn finish(&mut self) {
        // whoever has gone does not need to know
        let _ = self.send(&json!({ "end": true }));
    }

    fn send(&mut self, message: &Value) -> Result<(), ExternalError> {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        let failed = |e| ExternalError::Connection(self.address, e);
        self.stream.get_mut().write_all(&line).map_err(failed)
    }

    /// A line, or none if it does not come before `end`.
    fn line(&mut self, end: Option<Instant>, time: f64) -> Result<Option<Vec<u8>>, ExternalError> {
        loop {
            let left = match end.map(|e| e.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => return Ok(None),
                left => left,
            };
            let failed = |e| ExternalError::Connection(self.address, e);
            self.stream.get_ref().set_read_timeout(left).map_err(failed)?;
            let got = match self.stream.fill_buf() {
                Ok([]) => return Err(ExternalError::Closed(time)),
                Ok(bytes) => bytes,
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return Ok(None);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(failed(e)),
            };
            let whole = got.iter().position(|b| *b == b'\n');
            let used = whole.map_or(got.len(), |n| n + 1);
            self.part.extend_from_slice(&got[..used]);
            self.stream.consume(used);
            if self.part.len() > MAX_LINE {
                let why = format!("it is longer than {MAX_LINE} bytes");
                return Err(ExternalError::Answer { time, why });
            }
            if whole.is_some() {
                return Ok(Some(std::mem::take(&mut self.part)));
            }
        }
    }
}

fn name(found: Option<impl ToString>) -> Option<String> {
    found.map(|n| n.to_string())
}

/// Coordinates of all joints and their rates.
fn joints(world: &World) -> Value {
    let mut out = Map::new();
    for id in world.joints() {
        let (Some(name), Some(kind)) = (world.joint_name(id), world.joint_kind(id)) else {
            continue;
        };
        let mut one = Map::new();
        for c in Coordinate::ALL.into_iter().filter(|c| kind.has(*c)) {
            let rate = world.coordinate_rate(id, c);
            if let (Some(q), Some(rate)) = (world.coordinate(id, c), rate) {
                one.insert(c.name().to_owned(), json!([q, rate]));
            }
        }
        if !one.is_empty() {
            out.insert(name.to_string(), Value::Object(one));
        }
    }
    Value::Object(out)
}

/// Values of all sensors; null before their first.
fn sensors(world: &World) -> Value {
    let one = |id| {
        let name = world.sensor_name(id)?.to_string();
        Some((name, world.sensor_value(id).map_or(Value::Null, |v| json!(v.to_vec()))))
    };
    Value::Object(world.sensors().filter_map(one).collect())
}

/// Gives motors the values of an answer.
fn take_over(world: &mut World, answer: &Value) -> Result<(), String> {
    let Some(motors) = answer.get("motors") else { return Ok(()) };
    let motors = motors.as_object().ok_or("\"motors\" is no object of names and numbers")?;
    // all or nothing
    let mut given = Vec::new();
    for (name, value) in motors {
        let id = world.motor_named(name).ok_or_else(|| format!("there is no motor \"{name}\""))?;
        let x = value.as_f64().filter(|x| x.is_finite());
        given.push((id, x.ok_or_else(|| format!("the value of \"{name}\" is no number"))?));
    }
    for (id, x) in given {
        world.set_motor_value(id, x).map_err(|e| e.to_string())?;
    }
    Ok(())
}

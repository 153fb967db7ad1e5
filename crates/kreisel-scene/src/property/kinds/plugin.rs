//! Laws that the program has registered: their parameters, and what is said where there is no such
//! law.

use crate::property::codec::{Codec, Written};
use crate::property::{Fault, Form, Value};
use kreisel_dynamics::World;
use kreisel_dynamics::plugin::{Law, Plugin, PluginError};

/// Numbers under the names of parameters.
pub(super) struct Parameters;
impl Written for Parameters {
    const FORM: Form = Form::Numbers;
}
impl Codec<Vec<(String, f64)>> for Parameters {
    fn write(parameters: &Vec<(String, f64)>, _: &World) -> Value {
        Value::Table(parameters.iter().map(|(n, x)| (n.clone(), Value::Number(*x))).collect())
    }
    fn read(value: Value, _: &World) -> Result<Vec<(String, f64)>, Fault> {
        let Value::Table(entries) = value else {
            return Fault::expected("a table of numbers", &value);
        };
        let one = |(name, value): (String, Value)| match value {
            Value::Number(x) => Ok((name, x)),
            other => Fault::expected("a number", &other),
        };
        entries.into_iter().map(one).collect()
    }
}

/// Whether a law is registered, and takes these parameters. One without a name is none.
pub(super) fn check<L: Law + ?Sized>(plugin: &Plugin<L>) -> Result<(), Fault> {
    if plugin.name().is_empty() {
        return Ok(());
    }
    let Err(error) = plugin.resolved() else { return Ok(()) };
    let fault = Fault::new(error.to_string());
    Err(match &error {
        PluginError::Unknown { name, known, .. } => {
            let near = crate::problem::nearest(name, known.iter().map(String::as_str));
            let host = "a scene never loads code by itself: start a program that registers it \
                        (docs/plugins.md)";
            let help = near.map_or(host.to_owned(), |n| format!("did you mean \"{n}\"? {host}"));
            fault.help(help).under("plugin")
        }
        PluginError::UnknownParameter { wrong, known, .. } => {
            let near = crate::problem::nearest(wrong, known.iter().map(String::as_str));
            let fault = match near {
                Some(near) => fault.help(format!("did you mean \"{near}\"?")),
                None => fault,
            };
            fault.under(wrong).under("parameters")
        }
        _ => fault.under("plugin"),
    })
}

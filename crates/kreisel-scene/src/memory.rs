//! The memory of a run, in a block at the end of its scene: with it a saved world goes on with the
//! same bits. The block belongs to the text above it, word for word: whoever changes that text
//! changes the world, and the run begins without a past.

use crate::grammar;
use crate::node::{Node, Table};
use crate::read::Reader;
use crate::script::{Running, Script, ScriptMemory};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kreisel_dynamics::{RunMemory, World};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::sync::Arc;

/// The program whose memory a block is. Another version may step differently, and what it remembers
/// may have another form.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// Counts changes of the form within a version.
const FORM: u32 = 1;
/// How the block begins.
const HEAD: &str = "[memory]\n";

/// What a block holds.
#[derive(Serialize, Deserialize)]
struct Block {
    world: RunMemory,
    /// In the order of the scene's scripts.
    scripts: Vec<Option<ScriptMemory>>,
}

/// The name of a program and of the form of its memory.
fn program() -> String {
    format!("{PROGRAM}/{FORM}")
}

/// Hash of the text above a block and of what the block holds.
fn hash(text: &str, bytes: &[u8]) -> String {
    blake3::Hasher::new().update(text.as_bytes()).update(bytes).finalize().to_hex().to_string()
}

/// Adds the block to a scene's text. Returns the scripts whose memory cannot be written down, by
/// their number from 1.
pub(crate) fn write(out: &mut String, world: &World, scripts: &[Running]) -> Vec<usize> {
    let scripts: Vec<_> = scripts.iter().map(|s| s.memory(world)).collect();
    let lost: Vec<usize> =
        scripts.iter().enumerate().filter(|(_, m)| m.is_none()).map(|(k, _)| k + 1).collect();
    let block = Block { world: world.run_memory(), scripts };
    // plain data in memory: writing it cannot fail
    let Ok(bytes) = postcard::to_allocvec(&block) else { return lost };
    out.push('\n');
    let of = hash(out, &bytes);
    let _ = write!(
        out,
        "{HEAD}program = \"{}\"\nof = \"{of}\"\nbits = \"{}\"\n",
        program(),
        STANDARD.encode(bytes)
    );
    lost
}

/// The part of a text that its block belongs to.
fn above(text: &str) -> Option<&str> {
    let at = text.rfind(&format!("\n{HEAD}"))?;
    Some(&text[..=at])
}

/// Why a block is of no use.
enum Unusable {
    OtherText,
    OtherProgram(String),
    Damaged,
}

/// Reads the block of the main file, and gives the world its memory. Returns what the scripts
/// remember.
pub(crate) fn read(
    reader: &mut Reader,
    table: &Table,
    given: bool,
    world: &mut World,
    scripts: &[Arc<Script>],
) -> Vec<Option<ScriptMemory>> {
    let Some(node) = table.get("memory") else { return Vec::new() };
    match take(reader, node, given, world, scripts) {
        Some(Ok(scripts)) => scripts,
        Some(Err(why)) => {
            let why = match why {
                Unusable::OtherText => {
                    "it, or the scene above it, was changed since, or the scene has other parameters".to_owned()
                }
                Unusable::OtherProgram(program) => {
                    format!("version {program} wrote it, and this is {}", self::program())
                }
                Unusable::Damaged => "it is damaged".to_owned(),
            };
            let message = format!("the memory of the run cannot be used: {why}");
            let help = "the world goes on from where it stands, but impulses for the warm start, sums of controllers, and what \
                        sensors and scripts remember begin anew; take `[memory]` out to be told no more";
            reader.warning(&node.span, message, "memory of another run").help(help);
            Vec::new()
        }
        None => Vec::new(),
    }
}

/// Warns that a block counts only in a scene that is loaded by itself.
pub(crate) fn unused(reader: &mut Reader, table: &Table) {
    if let Some(node) = table.get("memory") {
        let message = "the memory of a run counts only in the scene that is opened";
        reader.warning(&node.span, message, "is not used here");
    }
}

fn take(
    reader: &mut Reader,
    node: &Node,
    given: bool,
    world: &mut World,
    scripts: &[Arc<Script>],
) -> Option<Result<Vec<Option<ScriptMemory>>, Unusable>> {
    let table = reader.table(node, "a table")?;
    let fields = reader.fields(table, &node.span, &grammar::MEMORY);
    let mut text = |key| reader.required(&fields, key).and_then(|n| reader.text(n));
    let (program, of, bits) = (text("program"), text("of"), text("bits"));
    let (program, of, bits) = (program?, of?, bits?);
    if program != self::program() {
        return Some(Err(Unusable::OtherProgram(program)));
    }
    let Ok(bytes) = STANDARD.decode(bits) else { return Some(Err(Unusable::Damaged)) };
    if given || above(&reader.source.text).is_none_or(|text| hash(text, &bytes) != of) {
        return Some(Err(Unusable::OtherText));
    }
    let block: Option<Block> = postcard::from_bytes(&bytes).ok();
    let Some(block) = block.filter(|b| b.scripts.len() == scripts.len()) else {
        return Some(Err(Unusable::Damaged));
    };
    Some(match world.recall(&block.world) {
        Ok(()) => Ok(block.scripts),
        Err(_) => Err(Unusable::Damaged),
    })
}

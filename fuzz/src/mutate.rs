//! Changes of bytes: flips, cuts, copies, words of the formats, pieces of other files.

/// SplitMix64 (Steele et al. 2014): small, fast, the same everywhere.
pub struct Random(u64);

impl Random {
    /// The numbers of one input: they follow from the seed and the input's number alone.
    pub fn new(seed: u64, input: u64) -> Self {
        let mut start = Self(seed ^ input.wrapping_mul(0xD1B5_4A32_D192_ED03));
        Self(start.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Pieces that parsers stumble over.
const WORDS: &[&str] = &[
    "[[",
    "]]",
    "{",
    "}",
    "\"",
    "\"\"\"",
    "'''",
    "=",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1",
    "0",
    "1e-320",
    "99999999999999999999",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "ü",
    "..",
    "repeat = 100000",
    "<",
    "/>",
    "<!--",
    "]]>",
    "&amp;",
    "&#0;",
    "true",
    "null",
    "[",
    "]",
    ",",
    ";",
    "f 1 2 3",
    "v 0 0 0",
    "vertex",
    "deg",
    "?",
    ":",
    "(",
    ")",
    "^",
    "world",
    "include = [\"x\"]",
];

/// A file of the corpus with one to eight changes.
pub fn mutate(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut out = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(8) {
        let at = random.below(out.len() + 1);
        let length = random.below(64).min(out.len() - at);
        match random.below(7) {
            0 if at < out.len() => out[at] ^= 1 << random.below(8),
            1 => drop(out.drain(at..at + length)),
            2 => {
                let piece = out[at..at + length].to_vec();
                let to = random.below(out.len() + 1);
                out.splice(to..to, piece);
            }
            3 => {
                let other = &corpus[random.below(corpus.len())];
                let from = random.below(other.len() + 1);
                let to = (from + random.below(200)).min(other.len());
                out.splice(at..at, other[from..to].iter().copied());
            }
            4 if at < out.len() => out[at] = random.below(256) as u8,
            5 => out.truncate(at),
            _ => {
                let word = WORDS[random.below(WORDS.len())];
                out.splice(at..at, word.bytes());
            }
        }
    }
    out
}

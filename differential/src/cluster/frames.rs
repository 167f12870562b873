//! Where messages begin and end in the bytes that timely sends from process to process.
//!
//! ```text
//!   | header: six u64, big endian; the fifth is the length | body | header | body | ... | header of length 0 |
//!                                                                                         good-bye
//! ```
//!
//! A stream that ends after the good-bye ended in order; one that ends anywhere else was cut off. And one that was cut
//! off can be ended by hand, with zeros up to the next boundary and a header of zeros: [`Frames::missing`] says how many.
//!
//! The format is timely's; its version is pinned, and a test here writes headers with timely's own function.
//!
//! Cost: a few operations a message.

/// Bytes of a header.
const HEADER: usize = 6 * size_of::<u64>();

/// Where the length stands in it.
const LENGTH: std::ops::Range<usize> = 4 * size_of::<u64>()..5 * size_of::<u64>();

/// How far a stream has come.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    header: [u8; HEADER],
    /// Bytes of the header that have come.
    held: usize,
    /// Bytes of the present body that have not.
    body: u64,
    ended: bool,
}

impl Frames {
    pub(super) fn new() -> Frames {
        Frames { header: [0; HEADER], held: 0, body: 0, ended: false }
    }

    /// Whether the good-bye has come.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// How many bytes are missing of the present header or body; from a boundary, those of a header.
    pub(super) fn missing(&self) -> usize {
        match self.body {
            0 => HEADER - self.held,
            body => usize::try_from(body).unwrap_or(usize::MAX),
        }
    }

    /// Takes note of the next bytes, and answers how many of them belong to the stream: all, but for those after the
    /// good-bye.
    pub(super) fn pass(&mut self, bytes: &[u8]) -> usize {
        let mut rest = bytes;
        while !rest.is_empty() && !self.ended {
            let (now, after) = rest.split_at(self.missing().min(rest.len()));
            rest = after;
            if self.body > 0 {
                self.body -= now.len() as u64;
                continue;
            }
            self.header[self.held..][..now.len()].copy_from_slice(now);
            self.held += now.len();
            if self.held == HEADER {
                self.held = 0;
                self.body = u64::from_be_bytes(self.header[LENGTH].try_into().expect("eight bytes"));
                self.ended = self.body == 0;
            }
        }
        bytes.len() - rest.len()
    }
}

#[cfg(test)]
mod tests {
    use timely::communication::networking::MessageHeader;

    use super::*;

    /// A stream of messages with bodies of these lengths, as timely writes it.
    fn stream(lengths: &[usize]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for &length in lengths {
            let header = MessageHeader { channel: 7, source: 1, target_lower: 2, target_upper: 3, length, seqno: 300 };
            assert_eq!(header.header_bytes(), HEADER);
            header.write_to(&mut bytes).expect("memory takes all");
            bytes.extend(std::iter::repeat_n(0, length));
        }
        bytes
    }

    #[test]
    fn a_good_bye_is_found_wherever_reads_cut() {
        let bytes = stream(&[3, 1, 60, 0]);
        for step in 1..=bytes.len() {
            let mut frames = Frames::new();
            for part in bytes.chunks(step) {
                assert!(!frames.ended());
                assert_eq!(frames.pass(part), part.len());
            }
            assert!(frames.ended(), "step {step}");
            assert_eq!(frames.pass(b"more"), 0);
        }
        let mut frames = Frames::new();
        assert_eq!(frames.pass(&[&bytes[..], b"more"].concat()), bytes.len());
    }

    #[test]
    fn zeros_end_a_stream_that_was_cut_anywhere() {
        let bytes = stream(&[3, 300, 0]);
        for length in 0..bytes.len() {
            let mut frames = Frames::new();
            frames.pass(&bytes[..length]);
            assert!(!frames.ended(), "{length}");
            let mut parts = 0;
            while !frames.ended() {
                let missing = frames.missing();
                assert_eq!(frames.pass(&vec![0; missing]), missing);
                parts += 1;
            }
            assert!(parts <= 3, "the rest of a header, its body, and a good-bye: {length}");
        }
    }
}

//! What two processes tell each other before anything else, and what must be equal.
//!
//! ```text
//!   "ddengine" | protocol | bytes that follow | from, to, processes, threads, hash, number of arguments | arguments
//!     8 bytes      4               4                          8 bytes each                  4 + text each
//! ```
//!
//! Both sides say the same things and compare them alike, so both find the same difference, each with its own value
//! first. Everything is little endian. What follows the length belongs to the protocol of that number, and is read before
//! it is judged: closing a connection with bytes unread would reset it, and the other side might lose what it was told.
//!
//! Arguments are compared by an FNV-1a hash of all of them; to say what differs they are sent too, cut where they are
//! long. Whoever doesn't begin with the magic word is a stranger: someone's browser, or a port reused.

use std::io::{self, Read};

use super::layout::Cluster;
use crate::error::StartError;

const MAGIC: [u8; 8] = *b"ddengine";

/// Changes whenever processes of two builds would not understand each other.
const PROTOCOL: u32 = 2;

/// No hello is longer; a longer one is a stranger's.
const MOST_BYTES: usize = 1 << 16;

/// As much of an argument, and as many arguments, as are sent.
const MOST_ARGUMENT_BYTES: usize = 400;
const MOST_ARGUMENTS: usize = 100;

/// What a process says of itself to another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hello {
    /// Who speaks.
    pub(super) from: u64,
    /// To whom, as the speaker thinks.
    pub(super) to: u64,
    processes: u64,
    threads: u64,
    hash: u64,
    arguments: Vec<String>,
}

/// Why no hello was read.
#[derive(Debug)]
pub(super) enum Unheard {
    /// The connection broke or timed out.
    Io(io::Error),
    /// Whoever is there speaks something else.
    Stranger,
    /// It is one of us, of another protocol.
    Protocol(u32),
}

impl Hello {
    pub(super) fn new(cluster: &Cluster, to: usize) -> Hello {
        let cut = |text: &String| text[..text.floor_char_boundary(MOST_ARGUMENT_BYTES)].to_string();
        Hello {
            from: cluster.process as u64,
            to: to as u64,
            processes: cluster.processes() as u64,
            threads: cluster.threads as u64,
            hash: hash(&cluster.arguments),
            arguments: cluster.arguments.iter().take(MOST_ARGUMENTS).map(cut).collect(),
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        let count = self.arguments.len() as u64;
        for number in [self.from, self.to, self.processes, self.threads, self.hash, count] {
            body.extend(number.to_le_bytes());
        }
        for argument in &self.arguments {
            body.extend((argument.len() as u32).to_le_bytes());
            body.extend(argument.as_bytes());
        }
        [&MAGIC[..], &PROTOCOL.to_le_bytes(), &(body.len() as u32).to_le_bytes(), &body].concat()
    }

    /// Reads exactly what [`encode`](Hello::encode) wrote.
    pub(super) fn read(from: &mut impl Read) -> Result<Hello, Unheard> {
        let mut head = [0; 16];
        from.read_exact(&mut head).map_err(Unheard::Io)?;
        let mut rest = &head[MAGIC.len()..];
        let (Some(protocol), Some(length)) = (take_u32(&mut rest), take_u32(&mut rest)) else {
            return Err(Unheard::Stranger);
        };
        if !head.starts_with(&MAGIC) || length as usize > MOST_BYTES {
            return Err(Unheard::Stranger);
        }
        let mut body = vec![0; length as usize];
        from.read_exact(&mut body).map_err(Unheard::Io)?;
        if protocol != PROTOCOL {
            return Err(Unheard::Protocol(protocol));
        }
        let mut rest = &body[..];
        Hello::decode(&mut rest).filter(|_| rest.is_empty()).ok_or(Unheard::Stranger)
    }

    fn decode(rest: &mut &[u8]) -> Option<Hello> {
        let mut number = || take(rest).map(u64::from_le_bytes);
        let (from, to, processes, threads, hash, count) =
            (number()?, number()?, number()?, number()?, number()?, number()?);
        let mut argument = || {
            let length = take_u32(rest)? as usize;
            let (text, after) = rest.split_at_checked(length)?;
            *rest = after;
            String::from_utf8(text.to_vec()).ok()
        };
        let arguments = (0..count.min(MOST_ARGUMENTS as u64)).map(|_| argument()).collect::<Option<_>>()?;
        Some(Hello { from, to, processes, threads, hash, arguments })
    }

    /// Whether these two can work together: the error names what differs, as `self` sees it.
    pub(super) fn compare(&self, other: &Hello) -> Result<(), StartError> {
        let process = usize::try_from(other.from).unwrap_or(usize::MAX);
        let unequal = |what, here: String, there: String| Err(StartError::Unequal { what, process, here, there });
        let numbers = [
            ("the number of processes", self.processes, other.processes),
            ("the number of threads", self.threads, other.threads),
            // A host file in another order sends us to somebody else.
            ("the number of this process", self.from, other.to),
            ("the number of that process", self.to, other.from),
        ];
        if let Some((what, here, there)) = numbers.into_iter().find(|(_, here, there)| here != there) {
            return unequal(what, here.to_string(), there.to_string());
        }
        if self.hash == other.hash {
            return Ok(());
        }
        let shown = |argument: Option<&String>| argument.map_or("absent".to_string(), |text| format!("`{text}`"));
        let longest = self.arguments.len().max(other.arguments.len());
        let mut pairs = (0..longest).map(|at| (self.arguments.get(at), other.arguments.get(at)));
        match pairs.find(|(here, there)| here != there) {
            Some((here, there)) => unequal("an argument", shown(here), shown(there)),
            None => {
                unequal("the hash of long arguments", format!("{:016x}", self.hash), format!("{:016x}", other.hash))
            }
        }
    }
}

/// The error of a peer that speaks another protocol.
pub(super) fn other_protocol(process: usize, there: u32) -> StartError {
    StartError::Unequal { what: "the protocol", process, here: PROTOCOL.to_string(), there: there.to_string() }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*first)
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    take(rest).map(u32::from_le_bytes)
}

/// FNV-1a over the arguments, each ended by a byte that no text holds.
fn hash(arguments: &[String]) -> u64 {
    let bytes = arguments.iter().flat_map(|text| text.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(threads: usize, process: usize, processes: usize, arguments: &str) -> Cluster {
        let addresses = vec!["here:1".to_string(); processes];
        let arguments = arguments.split_whitespace().map(str::to_string).collect();
        Cluster { process, addresses, arguments, ..Cluster::threads(threads) }
    }

    #[test]
    fn what_was_said_is_heard_and_anything_cut_short_is_not() {
        for arguments in ["", "graph file", &"ä".repeat(1_000), &"x ".repeat(1_000)] {
            let hello = Hello::new(&cluster(3, 1, 2, arguments), 0);
            let bytes = hello.encode();
            let (mut all, mut more) = (&bytes[..], &[&bytes[..], b"more"].concat()[..]);
            assert_eq!(Hello::read(&mut all).expect("ours"), hello);
            assert_eq!(Hello::read(&mut more).expect("ours"), hello);
            assert_eq!(more, b"more", "no byte of what follows is taken");
            for length in 0..bytes.len() {
                assert!(matches!(Hello::read(&mut &bytes[..length]), Err(Unheard::Io(_))), "{length}");
            }
        }
    }

    #[test]
    fn strangers_are_told_from_relatives() {
        let bytes = Hello::new(&cluster(1, 1, 2, "a bc"), 0).encode();
        let changed = |at: usize, to: u8| {
            let mut bytes = bytes.clone();
            bytes[at] = to;
            Hello::read(&mut &bytes[..])
        };
        for at in 0..MAGIC.len() {
            assert!(matches!(changed(at, 0), Err(Unheard::Stranger)));
        }
        assert!(matches!(changed(8, 9), Err(Unheard::Protocol(9))));
        assert!(matches!(changed(15, 1), Err(Unheard::Stranger)), "longer than any");
        // Whatever else is changed, something is heard or not, and nothing panics.
        for at in 0..bytes.len() {
            for to in [0, 1, 0x7f, 0xff] {
                _ = changed(at, to);
            }
        }
    }

    /// Every single difference, seen from both sides.
    #[test]
    fn differences_are_named_with_both_values() {
        let zero = cluster(2, 0, 3, "graph file --scc");
        let golden = [
            (cluster(2, 1, 3, "graph file --scc"), 0, "equal", "equal"),
            (cluster(2, 1, 4, "graph file --scc"), 0, "the number of processes is 3 here and 4 at process 1", ""),
            (cluster(4, 1, 3, "graph file --scc"), 0, "the number of threads is 2 here and 4 at process 1", ""),
            (cluster(2, 1, 3, "graph file --scc"), 2, "the number of this process is 0 here and 2 at process 1", ""),
            (cluster(2, 2, 3, "graph file --scc"), 0, "the number of that process is 1 here and 2 at process 2", ""),
            (
                cluster(2, 1, 3, "graph other --scc"),
                0,
                "an argument is `file` here and `other` at process 1",
                "an argument is `other` here and `file` at process 0",
            ),
            (cluster(2, 1, 3, "graph file"), 0, "an argument is `--scc` here and absent at process 1", ""),
            (cluster(2, 1, 3, "graph file --scc x"), 0, "an argument is absent here and `x` at process 1", ""),
        ];
        let said = |here: &Hello, there: &Hello| match here.compare(there) {
            Ok(()) => "equal".to_string(),
            Err(error) => error.to_string().replace("processes were started differently: ", ""),
        };
        for (one, to, seen_by_zero, seen_by_one) in golden {
            let (zero, one) = (Hello::new(&zero, 1), Hello::new(&one, to));
            assert_eq!(said(&zero, &one), seen_by_zero);
            let back = said(&one, &zero);
            assert!(if seen_by_one.is_empty() { back != "equal" } else { back == seen_by_one }, "{back}");
        }
    }

    #[test]
    fn long_arguments_differ_by_their_hash() {
        let long = |end: &str| Hello::new(&cluster(1, 0, 2, &("x".repeat(500) + end)), 1);
        let error = long("a").compare(&Hello { from: 1, to: 0, ..long("b") }).expect_err("they differ");
        assert!(matches!(error, StartError::Unequal { what: "the hash of long arguments", .. }), "{error}");
        // Where words are cut apart matters too.
        assert_ne!(hash(&["ab".to_string(), "c".to_string()]), hash(&["a".to_string(), "bc".to_string()]));
        assert_eq!(hash(&[]), 0xcbf2_9ce4_8422_2325);
    }
}

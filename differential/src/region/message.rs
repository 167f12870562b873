//! What workers tell each other: items in order, and the loads that some of them announce.
//!
//! ```text
//!   items   [ cargo 7 | cargo 7 | mark 7 | counts 12 | ask | ... ]      small, and told apart by kind
//!   loads   [ columns | columns ]                                       one for each cargo, in order
//! ```
//!
//! One channel for each ordered pair of workers carries everything that one region has to say, so what is said first
//! arrives first, whatever it is about. On that all of `exchange` and `counts` rests: updates come before the mark, or
//! the count, that tells of them.
//!
//! Between threads a message moves as it is. Between processes items go as text (few and small, and whoever looks at
//! the wire can read them), loads as the bytes of their columns, which the exchange that they are for reads: only it
//! knows their types.
//!
//! Why not a channel for each exchange: a worker would look at eight of them in each activation to find one with news.
//! Tested at the end of this file, and through two processes.

use std::any::Any;
use std::cell::OnceCell;
use std::collections::VecDeque;
use std::io::Write;

use serde::{Deserialize, Serialize};
use timely::bytes::arc::Bytes;
use timely::communication::Bytesable;

use super::NodeId;
use crate::time::{Frontier, Point};

/// Something that one worker tells another. Nodes are named by their number, which is the same on all workers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Item {
    /// The next load is for the exchange `node`, with so many records. Its least times, if they are counted.
    Cargo { node: NodeId, times: Frontier<Point>, records: usize },
    /// What this worker may still send to the exchange `node`, outside of loops, is in advance of this.
    Mark { node: NodeId, frontier: Frontier<Point> },
    /// How this worker's part in the counts of the loop of `first` changed, at each node. The first one starts it.
    Counts { first: NodeId, changes: Changes },
    /// A dataflow was built here.
    Plan { first: NodeId, nodes: usize, hash: u64 },
    /// A node stopped here.
    Failed { node: NodeId, error: String },
    /// Say when what depends on these sources is complete up to these frontiers, among the first `nodes` nodes.
    Ask { ticket: u64, nodes: usize, sources: Vec<(NodeId, Frontier<Point>)> },
    /// What was asked for is so.
    Reached { ticket: u64 },
    /// The program of this worker ended with an error, or can't go on.
    Broken { error: String },
    /// Nothing will come from this worker any more.
    Finished,
}

/// How a worker's part in the counts of a loop changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Changes {
    /// At each node: what it holds, what enters there, what is under way to it.
    pub(super) at: Vec<(NodeId, Point, i64)>,
    /// What enters, wherever.
    pub(super) entries: Vec<(Point, i64)>,
}

/// What goes through an exchange: containers that know their times and can be written as bytes.
pub trait Freight: Clone + Send + 'static {
    /// Lowers `times` to the least times of its updates.
    fn least_times(&self, times: &mut Frontier<Point>);
    /// How many records there are.
    fn records(&self) -> usize;
    /// How many bytes [`write_bytes`](Freight::write_bytes) appends.
    fn bytes_len(&self) -> usize;
    /// Appends it as bytes, for another process.
    fn write_bytes(&self, into: &mut Vec<u8>);
}

/// A container whose type only its exchange knows.
pub(super) trait Packed: Send {
    fn records(&self) -> usize;
    fn bytes_len(&self) -> usize;
    fn write_bytes(&self, into: &mut Vec<u8>);
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<C: Freight> Packed for C {
    fn records(&self) -> usize {
        Freight::records(self)
    }

    fn bytes_len(&self) -> usize {
        Freight::bytes_len(self)
    }

    fn write_bytes(&self, into: &mut Vec<u8>) {
        Freight::write_bytes(self, into);
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// What a cargo item announces.
pub(super) enum Load {
    /// From a thread of this process.
    Whole(Box<dyn Packed>),
    /// From another process.
    Bytes(Bytes),
}

/// All that one worker has to tell another at the end of an activation.
pub struct Message {
    pub(super) from: usize,
    pub(super) items: Vec<Item>,
    pub(super) loads: VecDeque<Load>,
    /// The items as text, once somebody asked how long it is.
    text: OnceCell<Vec<u8>>,
}

/// The bytes of a length.
const WORD: usize = size_of::<u64>();

impl Message {
    pub(super) fn new(from: usize) -> Self {
        Message { from, items: Vec::new(), loads: VecDeque::new(), text: OnceCell::new() }
    }

    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    fn text(&self) -> &[u8] {
        let encode = || serde_json::to_vec(&self.items).expect("items hold numbers, texts and lists of them");
        self.text.get_or_init(encode)
    }

    /// What `bytes` say, if they are a message.
    fn parse(mut bytes: Bytes) -> Option<Self> {
        let mut next = |length: Option<usize>| {
            let length = length.unwrap_or(WORD);
            (length <= bytes.len()).then(|| bytes.extract_to(length))
        };
        let number = |bytes: Bytes| usize::try_from(u64::from_le_bytes(bytes[..].try_into().ok()?)).ok();
        let from = number(next(None)?)?;
        let length = number(next(None)?)?;
        let items: Vec<Item> = serde_json::from_slice(&next(Some(length))?).ok()?;
        let cargo = items.iter().filter(|item| matches!(item, Item::Cargo { .. }));
        let mut loads = VecDeque::new();
        for _ in cargo {
            let length = number(next(None)?)?;
            loads.push_back(Load::Bytes(next(Some(length))?));
        }
        bytes.is_empty().then_some(Message { from, items, loads, text: OnceCell::new() })
    }
}

impl Bytesable for Message {
    fn from_bytes(bytes: Bytes) -> Self {
        // Timely expects a message whatever came. Who it is from is then unknown: worker 0 will do.
        let broken = || Item::Broken { error: "a message from another process can't be read".to_string() };
        Message::parse(bytes).unwrap_or_else(|| Message { items: vec![broken()], ..Message::new(0) })
    }

    fn length_in_bytes(&self) -> usize {
        let length = |load: &Load| match load {
            Load::Whole(container) => container.bytes_len(),
            Load::Bytes(bytes) => bytes.len(),
        };
        2 * WORD + self.text().len() + self.loads.iter().map(|load| WORD + length(load)).sum::<usize>()
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let mut put = |bytes: &[u8]| writer.write_all(bytes).expect("there is room for the length that was told");
        put(&(self.from as u64).to_le_bytes());
        put(&(self.text().len() as u64).to_le_bytes());
        put(self.text());
        let mut written = Vec::new();
        for load in &self.loads {
            let bytes = match load {
                Load::Bytes(bytes) => &bytes[..],
                Load::Whole(container) => {
                    written.clear();
                    container.write_bytes(&mut written);
                    assert_eq!(written.len(), container.bytes_len(), "a container must know its length");
                    &written[..]
                }
            };
            put(&(bytes.len() as u64).to_le_bytes());
            put(bytes);
        }
    }
}

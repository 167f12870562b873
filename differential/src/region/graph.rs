//! The nodes and edges of a region, as plain data: who reads whom, at which depth, by which rule.
//!
//! Nodes are added by building and leave by removal; their numbers are never used again, so a name that somebody kept
//! can at worst be out of date. Edges only go from what is there to what is being built, or between nodes that are
//! built together. That is what makes growing cheap: new nodes go behind all others, and the old order never changes.
//!
//! Tested through the region.

use std::rc::Rc;

use smallvec::SmallVec;

use super::NodeId;
use super::order::Place;

/// How a node's output frontier follows from its inputs' and from what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotRule {
    /// It *is* that of the inputs, which all have the same one. Such a node holds nothing, never stops for fuel, and
    /// costs no frontier work; it is not woken when the frontier moves, unless it [watches](super::Region::watch).
    Shared,
    /// The meet of the inputs' frontiers and the holds.
    Meet,
    /// As `Meet`, with `by` added at `coordinate`, counted from 0: what goes round a loop. Holds are meant as output
    /// times, and stay as they are.
    Delay {
        /// Where is added.
        coordinate: usize,
        /// How much; not zero.
        by: u64,
    },
    /// As `Meet`, with all but the first `depth` coordinates cut off: what leaves loops. Holds are meant as output times.
    Truncate {
        /// How many coordinates stay; the node's depth.
        depth: usize,
    },
    /// The holds alone: an input of the region.
    Source,
    /// What all workers may still send: the meet of their marks, or in a loop what the counts say.
    /// Made by [`Region::exchange`](super::Region::exchange) only.
    Exchange,
}

impl SlotRule {
    pub(super) fn owns_slot(self) -> bool {
        self != SlotRule::Shared
    }
}

/// Where a node is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Reserved, not yet part of the order.
    Building,
    /// Part of the order.
    Placed,
    /// Taken out, or its building was refused.
    Removed,
}

#[derive(Clone, Debug)]
pub(super) struct Vertex {
    pub(super) name: Rc<str>,
    pub(super) depth: usize,
    pub(super) rule: SlotRule,
    pub(super) inputs: SmallVec<[NodeId; 2]>,
    /// Woken when a slot that it reads moves.
    pub(super) watches: bool,
    pub(super) stage: Stage,
    /// Nobody needs it for itself any more: it stays only while others read from it.
    pub(super) unwanted: bool,
    /// How many relays in a row, this one the last, are called by who sends to them.
    pub(super) relays: u32,
}

#[derive(Default)]
pub(super) struct Graph {
    pub(super) vertices: Vec<Vertex>,
}

impl std::ops::Index<NodeId> for Graph {
    type Output = Vertex;
    fn index(&self, node: NodeId) -> &Vertex {
        &self.vertices[node.index()]
    }
}

impl std::ops::IndexMut<NodeId> for Graph {
    fn index_mut(&mut self, node: NodeId) -> &mut Vertex {
        &mut self.vertices[node.index()]
    }
}

impl Graph {
    pub(super) fn add(&mut self, name: Rc<str>, depth: usize, rule: SlotRule) -> NodeId {
        match rule {
            SlotRule::Delay { coordinate, by } => {
                assert!(by > 0, "`{name}` must delay by something");
                assert!(coordinate < depth, "`{name}` delays coordinate {coordinate} of {depth}");
            }
            SlotRule::Truncate { depth: kept } => assert_eq!(kept, depth, "`{name}` is as deep as what it keeps"),
            SlotRule::Shared | SlotRule::Meet | SlotRule::Source | SlotRule::Exchange => {}
        }
        let node = NodeId(u32::try_from(self.vertices.len()).expect("nodes are numbered by u32"));
        let watches = rule.owns_slot();
        let inputs = SmallVec::new();
        let stage = Stage::Building;
        self.vertices.push(Vertex { name, depth, rule, inputs, watches, stage, unwanted: false, relays: 0 });
        node
    }

    /// Adds an edge to a node that is being built, from one that is there or is being built too.
    pub(super) fn connect(&mut self, producer: NodeId, depth: usize, node: NodeId) {
        let vertex = &mut self[node];
        let name = &vertex.name;
        assert_eq!(vertex.stage, Stage::Building, "`{name}` can be connected only while it is built");
        match vertex.rule {
            SlotRule::Source => panic!("`{name}` is a source and can't have inputs"),
            SlotRule::Truncate { depth: kept } => assert!(kept <= depth, "`{name}` keeps {kept} of {depth}"),
            SlotRule::Shared | SlotRule::Meet | SlotRule::Delay { .. } | SlotRule::Exchange => {
                assert!(depth <= vertex.depth, "`{name}`, {} deep, reads what is {depth} deep", vertex.depth);
            }
        }
        vertex.inputs.push(producer);
    }

    /// The nodes from `first` on, as the order sees them: edges from older nodes can't be part of a cycle.
    pub(super) fn places(&self, first: usize) -> Vec<Place> {
        let place = |vertex: &Vertex| Place {
            depth: vertex.depth,
            delays_at: match vertex.rule {
                SlotRule::Delay { coordinate, .. } => Some(coordinate),
                _ => None,
            },
            inputs: vertex.inputs.iter().filter_map(|input| input.index().checked_sub(first)).collect(),
        };
        self.vertices[first..].iter().map(place).collect()
    }

    /// Which nodes are in use: wanted for themselves, or read by such a node, directly or through others.
    pub(super) fn in_use(&self) -> Vec<bool> {
        let mut used: Vec<bool> = vec![false; self.vertices.len()];
        let wanted = |(_, vertex): &(usize, &Vertex)| vertex.stage != Stage::Removed && !vertex.unwanted;
        let mut todo: Vec<usize> = self.vertices.iter().enumerate().filter(wanted).map(|(index, _)| index).collect();
        while let Some(index) = todo.pop() {
            if !std::mem::replace(&mut used[index], true) {
                todo.extend(self.vertices[index].inputs.iter().map(|input| input.index()));
            }
        }
        used
    }
}

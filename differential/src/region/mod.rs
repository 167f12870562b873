//! Where operators live: nodes, frontiers, and who is visited next.
//!
//! All operators of all programs of a worker are nodes of one *region*, inside one operator of timely. A node is told
//! what arrived, is given fuel, and answers with output and with the times that it may still speak at (its *holds*).
//! The region knows in which order to visit nodes, and works out what each may still receive.
//!
//! ```text
//!   input ---> map ---> arrange ---> join ---> leave ---> output          what is sent: containers, in queues
//!                         ^           |  ^
//!                         |           v  '--- delay <--.                  a loop: a range of the order
//!                      (slot)       reduce ------------'
//! ```
//!
//! Frontiers are kept in *slots*, one for each node that holds something back or changes times; a node that does
//! neither shares its input's, so a chain of maps costs no frontier work at all. Three promises, which operators rest on:
//!
//! 1. **A frontier only advances**, and when a node is visited, everything that is not in advance of an input's frontier
//!    is in that input's queue already.
//! 2. **A node is visited after everything that can reach it**, outside loops; in a loop, data goes round until nothing
//!    is left to do before a frontier moves.
//! 3. **An activation is bounded** by its fuel, and neither a long job nor a loop that never ends keeps others from
//!    being visited.
//!
//! Why not an operator of timely for each of ours: a commit of one record through a hundred of them costs forty times as
//! much, most of it for counting messages that one thread sends to itself.
//!
//! | file | holds |
//! |---|---|
//! | `fuel` | [`Fuel`]: what an activation may spend |
//! | `node` | [`Node`] and [`Visit`]: the contract between operators and region |
//! | `stream` | [`Stream`], [`Output`], [`Input`]: typed edges, and what travels on them |
//! | `wakes` | [`Waker`], and the bits that say who has work |
//! | `graph` | nodes and edges as plain data; [`SlotRule`] |
//! | `order` | the order of visits, the nest of loops, cycles that are refused |
//! | `slots` | how frontiers follow from each other, and the fixed point of a loop |
//! | `logging` | [what those see who watch](EngineEvent) |
//! | `message`, `post` | what workers tell each other |
//! | `exchange` | [updates go to the worker that owns them](Region::exchange); marks |
//! | `ways` | from what is held in a loop to what may come out of its exchanges |
//! | `counts` | what may still come in a loop that runs on several workers |
//! | `schedule` | the scan, rounds of loops, fuel |
//! | `settling` | what happens when a loop is quiet |
//! | `placing` | nodes come and go while the region runs |
//! | `failure` | a node that can't go on, and what depends on it |
//! | `completion` | when what was fed has had all its effects |
//! | `handle` | [`Region`]: activate, look, take out |
//! | `among` | a region among those of other workers |
//! | `building` | how a dataflow is built, whole or not at all |
//! | `relay` | [`Relay`]: nodes that work in the visit of who sends to them |
//! | `boundary_time` | times of timely as points, and back |
//! | `boundary_holds` | what may still leave, whatever comes in |
//! | `boundary_ports` | the nodes by which streams of timely enter and leave |
//! | `boundary` | [`Crossing`]: the operator of timely that they cross by |
//! | `explain` | who holds which time, in words |
//! | `host` | [`Hosted`]: the region in a timely worker |

mod fuel;
mod node;
mod stream;
mod wakes;
mod graph;
mod order;
mod slots;
mod ways;
mod logging;
mod message;
mod post;
mod exchange;
mod counts;
mod schedule;
mod settling;
mod placing;
mod failure;
mod completion;
mod handle;
mod among;
mod building;
mod relay;
mod boundary_time;
mod boundary_holds;
mod boundary_ports;
mod boundary;
mod explain;
mod host;

pub use among::Ticket;
pub use boundary::{Crossing, Mode};
pub use boundary_time::OuterTime;
pub use exchange::Parts;
pub use fuel::Fuel;
pub use graph::SlotRule;
pub use handle::Region;
pub use host::Hosted;
pub use logging::{ENGINE_LOG, EngineEvent, EngineEventBuilder};
pub use message::{Freight, Message};
pub use node::{Node, NodeId, Visit};
pub use post::Peers;
pub use relay::Relay;
pub use schedule::{Activity, Work};
pub use stream::{Input, Output, Parcel, Stream};
pub use wakes::Waker;

#[cfg(test)]
mod boundary_laws;
#[cfg(test)]
mod failure_laws;
#[cfg(test)]
mod order_laws;
#[cfg(test)]
mod placing_laws;
#[cfg(test)]
mod relay_laws;
#[cfg(test)]
mod schedule_laws;
#[cfg(test)]
mod simulation_laws;
#[cfg(test)]
mod slots_laws;
#[cfg(test)]
mod stream_laws;
#[cfg(test)]
mod small_world;
#[cfg(test)]
mod tracker_laws;

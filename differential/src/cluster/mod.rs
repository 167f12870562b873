//! Where workers come from: threads of one process, or of several that find each other over the network.
//!
//! ```text
//!   process 0: listens                      process 1: connects to 0, listens       process 2: connects to 0 and 1
//!   worker 0 ─┐                             worker 2 ─┐
//!   worker 1 ─┴─ send, receive ── socket ── worker 3 ─┴─ send, receive ── ...
//!        '── one alarm a process: whoever fails raises it, everybody who could wait looks at it ──'
//! ```
//!
//! timely gives the channels between workers. Its own way of finding peers waits for ever, writes to standard output and
//! believes whoever calls; and a peer that dies, or a worker that panics, leaves its other workers waiting or takes
//! threads down with panics of their own. So connecting, the handshake, the threads, and what happens when something
//! ends early are ours.
//!
//! What holds:
//!
//! - Workers run only if all processes agree on how many there are, on threads and on the program's arguments; otherwise
//!   both sides of an unequal pair say what differs, with both values.
//! - Nothing is waited for longer than the cluster's patience while starting, and nothing is printed.
//! - Whatever ends early (a worker by panic or error, another process, a connection) becomes *one* typed error, the same
//!   for all workers of a process; none of them waits on, as long as it comes to [`Alarm::check`] now and then.
//! - No part of a message that was cut off is ever delivered, and a process that failed never says good-bye, so its
//!   peers can't mistake its end for an orderly one.
//!
//! A program that fails in [`run`](crate::run) is a milder end: its region tells all others what it was, each hears it at
//! its next commit, and connections end in order. The alarm is for what regions can't tell: a process that is gone, and
//! programs without a region.
//!
//! What doesn't: a machine that vanishes without closing its connections (a cut cable) is noticed when the system gives
//! up sending to it, which takes minutes, and not at all while nobody sends. Processes trust each other: the handshake
//! finds mistakes, not attackers.
//!
//! | file | holds |
//! |---|---|
//! | `layout` | how many processes and threads, where, and which of them we are |
//! | `hosts` | the file that says where |
//! | `flags` | the flags that say the rest |
//! | `hello` | what two processes tell each other first, and what must be equal |
//! | `alarm` | the one flag for all that ends early |
//! | `connect` | from addresses to sockets |
//! | `frames` | where messages begin and end in a stream of bytes |
//! | `wire` | a socket as timely wants it, that knows an orderly end from a death |
//! | `start` | from sockets to workers, and to what they answer |

mod layout;
mod hosts;
mod flags;
mod hello;
mod alarm;
mod connect;
mod frames;
mod wire;
mod start;

#[cfg(test)]
mod connect_laws;
#[cfg(test)]
pub(crate) mod start_laws;

pub use alarm::Alarm;
pub use hosts::read as read_hosts;
pub use layout::Cluster;
pub use start::start;

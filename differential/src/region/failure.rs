//! What happens when a node can't go on: it stops, with all that depends on it, and everything else goes on.
//!
//! ```text
//!     a --> b --> c          b fails: b, c and d stop, their slots stay where they are;
//!      \    |               a and e go on, and what b did not take any more is not kept for it
//!       e   '---> d
//! ```
//!
//! (Where b shares the slot of a, which goes on, the slot says nothing about b any more: its frontier is the minimum.)
//!
//! A frontier that stays says that nothing beyond it is complete, so readers of a stopped query see what was complete
//! before and are never told more. A stopped node's behaviour is dropped at once: with it go its queues, and its holds
//! on traces that others keep using.
//!
//! The region answers with the first failure from every activation as long as the node that failed is in the region.
//! Not only once: a caller that waits for a frontier which can't move would wait for ever. Taking the failed nodes out
//! is how to go on without them.
//!
//! Nodes of a loop can all reach each other, so a loop goes on whole or stops whole.
//! Cost: a pass over the region for each level of nesting; only when something fails.
//! Tested in `failure_laws.rs`.

use super::NodeId;
use super::message::Item;
use super::schedule::{Schedule, TOP};
use crate::error::{Error, Fault};

impl Schedule {
    /// Keeps the failure of the node at `position` and stops what depends on it.
    pub(super) fn fail(&mut self, position: usize, fault: Fault) {
        let step = &self.steps[position];
        let Fault { time, reason } = fault;
        let error = Error::Operator { operator: step.name.to_string(), time, reason };
        if let Some(post) = &self.post {
            post.say_to_all(&Item::Failed { node: step.node, error: error.to_string() });
        }
        self.failures.push((step.node, error));
        self.stop(position);
    }

    /// Stops what another worker had to stop: what depends on that node can't be right here either.
    pub(super) fn fail_from_elsewhere(&mut self, node: NodeId, error: Error) {
        if let Some(position) = self.wakes.position(node) {
            self.failures.push((node, error));
            self.stop(position);
        }
    }

    /// Stops the node at `position` and what depends on it.
    pub(super) fn stop(&mut self, position: usize) {
        let mut stops = vec![false; self.steps.len()];
        stops[position] = true;
        let mut grows = true;
        while grows {
            grows = false;
            for reader in 0..self.steps.len() {
                let mut producers = self.steps[reader].producers.iter();
                let depends = producers.any(|&input| self.wakes.position(input).is_some_and(|input| stops[input]));
                grows |= depends && !std::mem::replace(&mut stops[reader], true);
            }
        }
        for position in (0..stops.len()).filter(|&position| stops[position]) {
            let step = &mut self.steps[position];
            step.behaviour = None;
            if let Some(log) = &self.log {
                log.shut_down(step.node);
            }
            step.resting = false;
            self.wakes.clear(position);
            if step.inner != TOP {
                self.loops[step.inner as usize].stopped = true;
            }
        }
        let (steps, wakes) = (&self.steps, &self.wakes);
        self.resting.retain(|&node| wakes.position(node).is_some_and(|position| steps[position].resting));
    }

    /// Whether `node` has stopped and shares the slot of one that may go on: the slot then says nothing about it.
    pub(super) fn has_lost(&self, node: NodeId) -> bool {
        let step = self.wakes.position(node).map(|position| &self.steps[position]);
        step.is_some_and(|step| step.behaviour.is_none() && !step.owns_slot)
    }

    /// Why `node` has stopped, if it has.
    pub(super) fn failure_before(&self, node: NodeId) -> Option<Error> {
        let position = self.wakes.position(node)?;
        self.failure().filter(|_| self.steps[position].behaviour.is_none()).cloned()
    }

    /// The failure to answer with, if there is one.
    pub(super) fn failure(&self) -> Option<&Error> {
        self.failures.first().map(|(_, error)| error)
    }
}

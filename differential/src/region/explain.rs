//! Who holds which time: what keeps a commit, or the whole region, from going on, in words.
//!
//! ```text
//!   worker 0 of 2 waits for:
//!     `numbers` up to {[1]}
//!       worker 0 has not said that it is there
//!       worker 1 has not said that it is there
//!   what is not there yet here, in the order of visits:
//!     `exchange` is at {[0]}
//!       worker 0 is at {[1]}
//!       worker 1 is at {[0]}                         <- this one has not committed
//!     `arrange for output` is at {[0]}
//! ```
//!
//! Nothing moves where a frontier does not, and a frontier is held by a node that may still speak, by what another
//! worker has not said, or by a loop that goes on. So each line names a node whose frontier has not come as far as it
//! was asked to, with the times it holds itself; exchanges come with how far each worker is, and loops that are counted
//! with what may still come by the sum of all workers.
//!
//! Without a question every node at which something may still come is listed. Cost: a text, when somebody asks.
//! Tested in `tests/tests/whole/programs/watchdog.rs`.

use std::fmt::{self, Write};

use super::completion::Asker;
use super::handle::{Region, State};
use super::schedule::{Loop, Step, TOP};

/// Nodes that are named; after that many, their number says enough.
const NAMED: usize = 60;

impl Region {
    /// Who holds which time, in words: what this worker's questions wait for, and where that is stuck.
    pub fn explain(&self) -> String {
        let mut text = String::new();
        // Writing into a string does not fail.
        _ = self.explain_into(&mut text);
        text
    }

    fn explain_into(&self, text: &mut String) -> fmt::Result {
        let (peers, depth) = (self.peers(), self.input_coordinates());
        let early = self.core.post.as_ref().map_or(0, |post| post.early.borrow().len());
        let state = &mut *self.core.state.borrow_mut();
        if let Some(error) = &state.others.broken {
            writeln!(text, "worker {} of {} can't go on: {error}", peers.index, peers.count)?;
        }
        write!(text, "worker {} of {}", peers.index, peers.count)?;
        match state.explain_questions(text, depth)? {
            Some(stuck) => {
                writeln!(text, "what is not there yet here, in the order of visits:")?;
                state.explain_nodes(text, &stuck)?;
            }
            None => {
                writeln!(text, ": where something may still come, in the order of visits:")?;
                let slots = &state.schedule.slots;
                let is_open = |step: &Step| step.behaviour.is_some() && !slots.value(step.slot).is_empty();
                let open: Vec<bool> = state.schedule.steps.iter().map(is_open).collect();
                state.explain_nodes(text, &open)?;
            }
        }
        if early > 0 {
            writeln!(text, "{early} messages came for dataflows that are not built here")?;
        }
        state.schedule.failures.iter().try_for_each(|(_, error)| writeln!(text, "stopped: {error}"))
    }
}

impl State {
    /// Tells what this worker has asked and who has not answered; by position, what keeps it from answering itself. None
    /// if it has asked nothing.
    fn explain_questions(&mut self, text: &mut String, depth: usize) -> Result<Option<Vec<bool>>, fmt::Error> {
        let State { graph, schedule, completion, others, .. } = self;
        let mut stuck: Option<Vec<bool>> = None;
        for question in &others.questions {
            let Asker::Here { answered } = &question.asker else { continue };
            if stuck.is_none() {
                writeln!(text, " waits for:")?;
            }
            for (source, frontier) in &question.sources {
                writeln!(text, "  `{}` up to {frontier:?}", graph[*source].name)?;
            }
            for worker in (0..answered.len()).filter(|&worker| !answered[worker]) {
                let ended = if others.finished[worker] { ", and has ended" } else { "" };
                writeln!(text, "    worker {worker} has not said that it is there{ended}")?;
            }
            let stuck = stuck.get_or_insert_with(|| vec![false; schedule.steps.len()]);
            let behind = completion.behind(schedule, graph, depth, &question.sources);
            behind.into_iter().for_each(|position| stuck[position] = true);
        }
        Ok(stuck)
    }

    /// Tells of the nodes at these positions how far they are.
    fn explain_nodes(&self, text: &mut String, stuck: &[bool]) -> fmt::Result {
        let schedule = &self.schedule;
        let has_work = |position: usize| schedule.wakes.next(position, position + 1).is_some();
        // A node that shares its slot says what the one before it has said.
        let told = |&position: &usize| stuck[position] && (schedule.steps[position].owns_slot || has_work(position));
        let told: Vec<usize> = (0..schedule.steps.len()).filter(told).collect();
        let mut around = TOP;
        for &position in told.iter().take(NAMED) {
            let outermost = schedule.outermost_around(position);
            if std::mem::replace(&mut around, outermost) != outermost && outermost != TOP {
                explain_loop(text, &schedule.loops[outermost as usize])?;
            }
            self.explain_node(text, position, if around == TOP { "  " } else { "    " })?;
        }
        match told.len() {
            0 => writeln!(text, "  nothing"),
            count if count > NAMED => writeln!(text, "  and {} more", count - NAMED),
            _ => Ok(()),
        }
    }

    fn explain_node(&self, text: &mut String, position: usize, indent: &str) -> fmt::Result {
        let schedule = &self.schedule;
        let step = &schedule.steps[position];
        write!(text, "{indent}`{}` is at {:?}", step.name, schedule.slots.value(step.slot))?;
        let held = schedule.slots.held(step.slot);
        // What an exchange holds is what all workers say, which follows.
        if step.owns_slot && !step.exchanges && !held.is_empty() {
            write!(text, ", holds {held:?}")?;
        }
        let has_work = schedule.wakes.next(position, position + 1).is_some();
        writeln!(text, "{}", if has_work { ", has work" } else { "" })?;
        if !step.exchanges {
            return Ok(());
        }
        let inside = (step.inner != TOP).then(|| &schedule.loops[step.inner as usize]);
        match (inside.and_then(|inside| inside.counts.as_ref()), self.doors.get(&step.node)) {
            (Some(counts), _) => {
                writeln!(text, "{indent}  under way to it, from all workers: {:?}", counts.total_of(step.node))
            }
            (None, Some(door)) => {
                let mut marks = door.marks().into_iter().enumerate();
                marks.try_for_each(|(from, mark)| writeln!(text, "{indent}  worker {from} is at {mark:?}"))
            }
            (None, None) => Ok(()),
        }
    }
}

/// Tells of a loop which workers have not begun to run it.
fn explain_loop(text: &mut String, inside: &Loop) -> fmt::Result {
    let missing = inside.counts.as_ref().map_or_else(Vec::new, |counts| counts.not_started());
    if missing.is_empty() {
        return writeln!(text, "  in a loop:");
    }
    let missing: Vec<String> = missing.iter().map(usize::to_string).collect();
    writeln!(text, "  in a loop that worker {} has not begun to run:", missing.join(", "))
}

//! Ways through a loop: what becomes of a time from a slot to the next exchange.
//!
//! ```text
//!   [delay d] --> concat --> [leave] --> [exchange x]        from d to x: cut at the leave's depth, nothing added
//!       ^------------------------------------'              from x to x: then one more round
//! ```
//!
//! What the counts of a loop ask is always the same: given what is held at each slot, what may come out of the exchanges?
//! The equations between are fixed when the loop is built, and all that they do is cut coordinates off and add to them.
//! Such steps compose: *cut at `keep`, then add `added`*, whatever was added beyond the cut being forgotten. So the least
//! ways are found once, and the question is answered by looking at the slots where something is held, which are few.
//!
//! Ways end at the first exchange that they meet; from there its own ways lead on. So there are about as many as slots,
//! and not one for each slot and exchange. Going round a cycle never makes a way that is not later than one without, so
//! the search ends, and what it finds is exact: [`Ways::solve`] answers with the least fixed point of the equations.
//!
//! Cost: an addition or two for each way from a slot with something held. Why not solve the equations of all slots, as
//! `slots` does for one worker: that was a third of what a loop among workers cost beyond one without.
//! Tested at the end of this file, against those equations, and in `simulation_laws.rs`.

use std::ops::Deref;

use smallvec::SmallVec;

use super::slots::{Change, Formula};
use crate::time::{Frontier, Point, Time};

/// What happens to a time on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Way {
    /// Coordinates at or past this index are cut off first.
    keep: usize,
    added: Point,
}

impl Way {
    /// Nothing happens.
    fn none() -> Self {
        Way { keep: usize::MAX, added: Point::default() }
    }

    /// What happens first, before this. None if no time is left that could come through.
    fn after(&self, first: Change) -> Option<Self> {
        let Way { keep, added } = self;
        Some(match first {
            Change::Keep => self.clone(),
            // What is added beyond the cut is cut off.
            Change::Add { coordinate, .. } if coordinate >= *keep => self.clone(),
            Change::Add { coordinate, by } => Way { keep: *keep, added: added.plus(coordinate, by)? },
            Change::Truncate { depth } => Way { keep: depth.min(*keep), added: added.clone() },
        })
    }

    /// Whether what comes of any time is at or before what comes of it by `other`.
    fn precedes(&self, other: &Self) -> bool {
        self.keep <= other.keep && self.added.precedes(&other.added)
    }

    /// What comes of a time; none if it can't be written, so that it can't come either.
    fn take(&self, time: &Point) -> Option<Point> {
        let mut end = if self.keep == usize::MAX { time.clone() } else { time.truncated(self.keep) };
        for (coordinate, &by) in self.added.coordinates().iter().enumerate() {
            if by > 0 {
                end = end.plus(coordinate, by)?;
            }
        }
        Some(end)
    }
}

/// The ways of a loop.
pub(super) struct Ways {
    /// The slots of exchanges.
    exchanges: Vec<u32>,
    /// By slot: to which exchanges, by their place among them, and how.
    from_slots: Vec<SmallVec<[(u32, Way); 1]>>,
    /// From an exchange's output to the next one.
    between: Vec<(u32, u32, Way)>,
    /// By exchange: what may come out of it.
    values: Vec<Frontier<Point>>,
    next: Vec<Frontier<Point>>,
    /// How many ways were gone, ever.
    pub(super) gone: u64,
}

impl Ways {
    /// The ways to these exchanges, in order, in a loop of such slots; inputs from elsewhere are left out of `formulas`.
    pub(super) fn new(formulas: &[Formula], exchanges: &[u32]) -> Self {
        let mut ways = Ways {
            exchanges: exchanges.to_vec(),
            from_slots: vec![SmallVec::new(); formulas.len()],
            between: Vec::new(),
            values: vec![Frontier::minimum(); exchanges.len()],
            next: vec![Frontier::empty(); exchanges.len()],
            gone: 0,
        };
        let mut found: Vec<SmallVec<[Way; 1]>> = vec![SmallVec::new(); formulas.len()];
        for (at, &exchange) in (0..).zip(exchanges) {
            // Backwards from the exchange, until nothing shorter is found.
            let mut reached = vec![exchange];
            let mut round = Vec::new();
            found[exchange as usize].push(Way::none());
            let mut todo = vec![(exchange, Way::none())];
            while let Some((slot, way)) = todo.pop() {
                let Formula { inputs, change } = &formulas[slot as usize];
                let Some(longer) = way.after(*change) else { continue };
                for &input in inputs {
                    if let Ok(from) = exchanges.binary_search(&input) {
                        add(&mut round, (from as u32, at, longer.clone()));
                    } else if !found[input as usize].iter().any(|known| known.precedes(&longer)) {
                        let known = &mut found[input as usize];
                        if known.is_empty() {
                            reached.push(input);
                        }
                        known.retain(|known| !longer.precedes(known));
                        known.push(longer.clone());
                        todo.push((input, longer.clone()));
                    }
                }
            }
            for slot in reached {
                let to_here = found[slot as usize].drain(..).map(|way| (at, way));
                ways.from_slots[slot as usize].extend(to_here);
            }
            ways.between.extend(round);
        }
        ways
    }

    /// Finds what may come out of the exchanges when `held` tells what is held at each slot, and lists the slots of those
    /// for which that has changed.
    pub(super) fn solve<H: Deref<Target = [Point]>>(
        &mut self,
        held: impl Fn(u32) -> H,
        changed: &mut SmallVec<[u32; 4]>,
    ) {
        for (slot, ways) in (0..).zip(&self.from_slots) {
            for time in held(slot).iter() {
                for (to, way) in ways {
                    self.gone += 1;
                    way.take(time).map(|end| self.next[*to as usize].insert(end));
                }
            }
        }
        let mut again = true;
        while std::mem::take(&mut again) {
            for (from, to, way) in &self.between {
                // As many as there are now: those that are added meanwhile come with the next round.
                for at in 0..self.next[*from as usize].elements().len() {
                    let Some(time) = self.next[*from as usize].elements().get(at) else { break };
                    self.gone += 1;
                    again |= way.take(time).is_some_and(|end| self.next[*to as usize].insert(end));
                }
            }
        }
        for (at, next) in self.next.iter_mut().enumerate() {
            if *next != self.values[at] {
                debug_assert!(self.values[at].precedes(next), "it went back from {:?} to {next:?}", self.values[at]);
                std::mem::swap(next, &mut self.values[at]);
                changed.push(self.exchanges[at]);
            }
            next.clear();
        }
    }

    /// What may come out of an exchange, by its slot.
    pub(super) fn value(&self, exchange: u32) -> &Frontier<Point> {
        &self.values[self.exchanges.binary_search(&exchange).expect("it is one of the exchanges")]
    }

    /// What may come out of any of them.
    pub(super) fn values(&self) -> &[Frontier<Point>] {
        &self.values
    }
}

/// Adds a way between two exchanges unless one that is as short is known.
fn add(known: &mut Vec<(u32, u32, Way)>, (from, to, way): (u32, u32, Way)) {
    if !known.iter().any(|(start, _, known)| *start == from && known.precedes(&way)) {
        known.retain(|(start, _, known)| *start != from || !way.precedes(known));
        known.push((from, to, way));
    }
}

#[cfg(test)]
mod tests {
    use super::super::small_world::{Program, Programs, padded};
    use super::super::{Region, SlotRule};
    use super::*;
    use crate::time::Lattice;
    use crate::time::small_world::Random;

    #[test]
    fn a_way_is_what_its_steps_do() {
        let steps = [
            Change::Keep,
            Change::Add { coordinate: 0, by: 1 },
            Change::Add { coordinate: 1, by: 2 },
            Change::Add { coordinate: 4, by: 1 },
            Change::Truncate { depth: 1 },
            Change::Truncate { depth: 2 },
        ];
        let random = &mut Random::new(7);
        for seed in 0..2_000 {
            let walk: Vec<Change> = (0..random.below(7)).map(|_| steps[random.below(steps.len())]).collect();
            let way = walk.iter().rev().try_fold(Way::none(), |way, step| way.after(*step)).expect("small");
            let time = random.point(5, 4);
            let end = walk.iter().fold(time.clone(), |time, step| match *step {
                Change::Keep => time,
                Change::Add { coordinate, by } => time.plus(coordinate, by).expect("small"),
                Change::Truncate { depth } => time.truncated(depth),
            });
            assert_eq!(way.take(&time), Some(end), "walk {seed}: {walk:?} from {time:?}");
        }
        let far = Way::none().after(Change::Add { coordinate: 0, by: u64::MAX }).expect("it can be written");
        assert_eq!(far.take(&Point::from(1)), None);
        assert_eq!(far.after(Change::Add { coordinate: 0, by: 1 }), None);
    }

    /// Random programs, any of their nodes exchanges: what comes out of these is what following every edge says.
    #[test]
    fn what_is_found_is_what_every_walk_comes_to() {
        let mut solved = 0;
        for seed in 0..1_000 {
            let random = &mut Random::new(seed);
            let plans = Programs::random(random);
            let Ok(program) = Program::build(&Region::new(1), plans.clone()) else { continue };
            let exchanges: Vec<u32> = (0..plans.len() as u32).filter(|_| random.below(3) == 0).collect();
            let change = |rule| match rule {
                SlotRule::Delay { coordinate, by } => Change::Add { coordinate, by },
                SlotRule::Truncate { depth } => Change::Truncate { depth },
                _ => Change::Keep,
            };
            let formula = |plan: &super::super::small_world::Plan| Formula {
                inputs: plan.inputs.iter().map(|&input| input as u32).collect(),
                change: change(plan.rule),
            };
            let mut ways = Ways::new(&plans.iter().map(formula).collect::<Vec<_>>(), &exchanges);
            // What is held only moves on.
            let mut held: Vec<Frontier<Point>> = vec![Frontier::minimum(); plans.len()];
            for step in 0..4 {
                ways.solve(|slot| held[slot as usize].elements(), &mut SmallVec::new());
                let all = held.iter().enumerate();
                let todo = all.flat_map(|(node, times)| times.elements().iter().map(move |time| (node, padded(time))));
                let expected = program.could_result_from(todo.collect());
                for &exchange in &exchanges {
                    let mut found: Vec<_> = ways.value(exchange).elements().iter().map(padded).collect();
                    found.sort_unstable();
                    assert_eq!(found, expected[exchange as usize], "seed {seed}, step {step}, {exchange} of {plans:?}");
                    solved += 1;
                }
                for (times, plan) in held.iter_mut().zip(&plans) {
                    let later = |_| times.elements().first().map(|time| time.join(&random.point(plan.depth, 3)));
                    *times = (0..2).filter_map(later).collect::<Vec<_>>().into_iter().skip(step % 2).collect();
                }
            }
        }
        assert!(solved > 2_000, "{solved} answers");
    }
}

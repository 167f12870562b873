//! A region lives in one operator of timely, without ports: the only file of the room that knows timely's workers.
//!
//! ```text
//!     worker.step() --> operator "Region" --> deliver what came, region.activate(fuel), send what is to be told
//!          ^                                    '-> work or upkeep left: activate again
//!          |--- alert: a session was fed, a handle was dropped
//!          '--- something came on the channel from another worker
//! ```
//!
//! Inputs and outputs of programs are nodes *inside* the region, so a commit is one activation, and timely's tracker
//! sees no frontier of ours. What timely gives is the worker: its loop, its threads, its processes, channels between
//! them, and a turn among the operators of other dataflows; that is why an activation has a bound.
//!
//! One channel for each pair of workers carries all that a region has to say. The operator ends when nobody here can
//! build any more, nothing can come from the region's inputs, or the region is broken, and every other worker has said
//! the same: until then another may still ask.
//!
//! Cost: about three thousand instructions for a step in which nothing happens; a look at one channel.
//!
//! Streams of timely enter and leave by operators of their own, beside this one: `boundary`.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use timely::dataflow::operators::generic::builder_raw::OperatorBuilder;
use timely::scheduling::Activator;
use timely::worker::Worker;

use super::logging::{Log, LogEnd};
use super::{Activity, Fuel, Message, Peers, Region};
use crate::error::Error;

/// Units of upkeep between two looks at whether there is work again.
const UPKEEP_UNITS: u64 = 10_000;

/// How long a worker sleeps at most while it waits for others. News wakes it sooner.
const PATIENCE: Duration = Duration::from_millis(100);

/// A region that a timely worker runs.
pub struct Hosted {
    region: Region,
    activator: Activator,
    /// Whether somebody waits for other workers: what is done meanwhile, for upkeep, is done at their cost.
    waits: Rc<Cell<bool>>,
}

impl Hosted {
    /// Makes a region in `worker`, whose steps will each spend about `fuel_units` there at most.
    ///
    /// All workers must make their regions in the same order.
    pub fn new(worker: &mut Worker, input_coordinates: usize, fuel_units: u64) -> Self {
        let peers = Peers { index: worker.index(), count: worker.peers() };
        let region = Region::among(input_coordinates, peers);
        let waits = Rc::new(Cell::new(false));
        region.surroundings().fuel_units.set(fuel_units);
        let (hosted, waited_for) = (region.clone(), Rc::clone(&waits));
        let activator = worker.dataflow_named::<u64, _, _>("Region", |scope| {
            let activations = scope.activations();
            let builder = OperatorBuilder::new("Region".to_string(), scope);
            let info = builder.operator_info();
            let log = Log::new(scope.worker(), &info.address, info.global_id);
            log.iter().for_each(|log| hosted.set_log(log));
            let end = LogEnd(log);
            let address = info.address;
            let mut channel = (peers.count > 1).then(|| {
                let worker = scope.worker();
                worker.allocate::<Message>(worker.new_identifier(), Rc::clone(&address))
            });
            let activator = Activator::new(address, activations);
            let again = activator.clone();
            builder.build(move |_| {
                _ = &end;
                if let Some((_, from_others)) = &mut channel {
                    while let Some(message) = from_others.recv() {
                        hosted.deliver(message);
                    }
                }
                let idle = hosted.is_quiet();
                // An error stays in the region, for `step`; others go on.
                _ = hosted.activate(Fuel::new(fuel_units));
                // Upkeep only where there was nothing else to do, so that no commit waits for it.
                let upkeep = match waited_for.get() {
                    true => false,
                    false if idle => hosted.upkeep(Fuel::new(UPKEEP_UNITS)),
                    false => hosted.awaits_upkeep(),
                };
                let more = upkeep || !hosted.is_quiet();
                if more {
                    again.activate();
                }
                let attended = !hosted.surroundings().deserted.get();
                if !attended {
                    hosted.close_building();
                }
                let ends = hosted.is_broken() || (!more && hosted.is_complete());
                let done = !attended && ends && hosted.finish();
                if let Some((to_others, _)) = &mut channel {
                    for (to, channel) in to_others.iter_mut().enumerate() {
                        if to != peers.index
                            && let Some(message) = hosted.outgoing(to)
                        {
                            channel.send(message);
                            channel.done();
                        }
                    }
                }
                !done
            });
            activator
        });
        let alert = activator.clone();
        region.set_alert(move || alert.activate());
        Hosted { region, activator, waits }
    }

    /// The region, to build in.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Lets the region and everything else in `worker` do some work, without waiting for any.
    ///
    /// # Errors
    /// The first failure of a node that is still in the region; see [`Region::activate`].
    pub fn step(&self, worker: &mut Worker) -> Result<Activity, Error> {
        self.activator.activate();
        worker.step();
        let activity = if self.region.is_quiet() { Activity::Quiet } else { Activity::More };
        self.region.failure().map_or(Ok(activity), Err)
    }

    /// As [`step`](Hosted::step), but sleeps for a while where there is nothing to do before another worker says more.
    ///
    /// # Errors
    /// As `step`.
    pub fn step_or_wait(&self, worker: &mut Worker) -> Result<Activity, Error> {
        self.waits.set(true);
        if self.region.is_quiet() {
            worker.step_or_park(Some(PATIENCE));
        } else {
            self.activator.activate();
            worker.step();
        }
        self.waits.set(false);
        self.region.failure().map_or(Ok(Activity::More), Err)
    }
}

impl Drop for Hosted {
    fn drop(&mut self) {
        self.region.surroundings().desert();
        self.activator.activate();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::super::small_world::does;
    use super::super::{SlotRule, Waker};
    use super::*;

    /// A source that counts its visits and may speak until `closed` says otherwise.
    fn build(hosted: &Hosted) -> (Waker, Rc<RefCell<(u32, bool)>>) {
        struct Open(Rc<RefCell<(u32, bool)>>);
        impl super::super::Node for Open {
            fn visit(&mut self, _: &mut super::super::Visit<'_>) -> Result<(), crate::error::Fault> {
                self.0.borrow_mut().0 += 1;
                Ok(())
            }
            fn holds(&self, holds: &mut crate::time::Frontier<crate::time::Point>) {
                if !self.0.borrow().1 {
                    holds.insert(crate::time::Point::from(0));
                }
            }
        }
        let state = Rc::<RefCell<(u32, bool)>>::default();
        let built = hosted.region().build(|region| {
            let node = region.reserve("open", 1, SlotRule::Source);
            region.install(node, Open(Rc::clone(&state)));
            region.waker(node)
        });
        (built.expect("no cycle").0, state)
    }

    #[test]
    fn a_wake_from_outside_reaches_the_worker_and_an_end_ends_the_operator() {
        timely::execute_directly(|worker| {
            let hosted = Hosted::new(worker, 1, 1_000);
            let (waker, state) = build(&hosted);
            assert_eq!(hosted.step(worker), Ok(Activity::Quiet));
            assert_eq!(state.borrow().0, 1);
            worker.step();
            assert_eq!(state.borrow().0, 1, "nothing to do");
            // Without `Hosted::step`: the wake itself activates the operator.
            waker.wake();
            worker.step();
            assert_eq!(state.borrow().0, 2);
            drop(hosted);
            state.borrow_mut().1 = true;
            waker.wake();
            for _ in 0..5 {
                worker.step();
            }
            assert_eq!(state.borrow().0, 3);
            assert!(!worker.has_dataflows(), "all is closed: the operator has ended");
        });
    }

    #[test]
    fn a_region_whose_inputs_are_closed_can_still_be_built_in() {
        timely::execute_directly(|worker| {
            let hosted = Hosted::new(worker, 1, 1_000);
            let (waker, state) = build(&hosted);
            state.borrow_mut().1 = true;
            waker.wake();
            for _ in 0..5 {
                worker.step();
            }
            let (_, state) = build(&hosted);
            // So that it ends.
            state.borrow_mut().1 = true;
            hosted.step(worker).expect("nothing fails");
            assert_eq!(state.borrow().0, 1, "the new source was visited");
        });
    }

    #[test]
    fn a_step_tells_of_a_failure_each_time() {
        timely::execute_directly(|worker| {
            let hosted = Hosted::new(worker, 1, 1_000);
            let built = hosted.region().build(|region| {
                let node = region.reserve("fails", 1, SlotRule::Source);
                region.install(node, does(|_| Err(crate::error::Overflow.into())));
            });
            built.expect("no cycle");
            assert!(hosted.step(worker).is_err());
            assert!(hosted.step(worker).is_err());
        });
    }
}

//! A region lives in one operator of timely, without ports: the only file of the room that knows timely.
//!
//! ```text
//!     worker.step() --> operator "Region" --> region.activate(fuel) --> work or upkeep left: activate again
//!          ^                                                        '-> complete: the operator ends
//!          '--- alert: a session was fed, a handle was dropped
//! ```
//!
//! Inputs and outputs of programs are nodes *inside* the region, so a commit is one activation, and timely's tracker
//! sees no frontier of ours. What timely gives is the worker: its loop, its threads, its processes, and a turn among
//! the operators of other dataflows; that is why an activation has a bound. As long as something may still come from
//! the region's inputs the operator says that it is not done, and timely keeps it.
//!
//! Cost: about three thousand instructions for a step in which nothing happens.
//!
//! Streams of timely would enter and leave by ports of this operator, with capabilities held here.

use timely::dataflow::operators::generic::builder_raw::OperatorBuilder;
use timely::scheduling::Activator;
use timely::worker::Worker;

use super::{Activity, Fuel, Region};
use crate::error::Error;

/// Units of upkeep between two looks at whether there is work again.
const UPKEEP_UNITS: u64 = 10_000;

/// A region that a timely worker runs.
pub struct Hosted {
    region: Region,
    activator: Activator,
}

impl Hosted {
    /// Makes a region in `worker`, whose steps will each spend about `fuel_units` there at most.
    ///
    /// All workers must make their regions in the same order.
    pub fn new(worker: &mut Worker, input_coordinates: usize, fuel_units: u64) -> Self {
        let region = Region::new(input_coordinates);
        let hosted = region.clone();
        let activator = worker.dataflow_named::<u64, _, _>("Region", |scope| {
            let activations = scope.activations();
            let builder = OperatorBuilder::new("Region".to_string(), scope);
            let activator = Activator::new(builder.operator_info().address, activations);
            let again = activator.clone();
            builder.build(move |_| {
                let idle = hosted.is_quiet();
                // An error stays in the region, for `step`; others go on.
                _ = hosted.activate(Fuel::new(fuel_units));
                // Upkeep only where there was nothing else to do, so that no commit waits for it.
                let upkeep = if idle { hosted.upkeep(Fuel::new(UPKEEP_UNITS)) } else { hosted.awaits_upkeep() };
                let more = upkeep || !hosted.is_quiet();
                if more {
                    again.activate();
                }
                more || !hosted.is_complete()
            });
            activator
        });
        let alert = activator.clone();
        region.set_alert(move || alert.activate());
        Hosted { region, activator }
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

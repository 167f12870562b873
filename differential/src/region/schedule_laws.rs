//! Who is visited, how often, and who waits for whom: counts, fairness, and what fuel may and may not do.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::small_world::does;
use super::{Activity, Fuel, Input, Node, NodeId, Output, Region, SlotRule, Stream, Visit, Waker, Work};
use crate::error::Fault;
use crate::time::{Frontier, Point};

/// Sends the times it is given; may speak at `open`.
struct Source {
    state: Rc<RefCell<(Vec<Point>, Frontier<Point>)>>,
    output: Output<Point>,
}

impl Node for Source {
    fn visit(&mut self, _: &mut Visit<'_>) -> Result<(), Fault> {
        self.state.borrow_mut().0.drain(..).for_each(|time| self.output.send(time));
        Ok(())
    }
    fn holds(&self, holds: &mut Frontier<Point>) {
        holds.extend(&self.state.borrow().1);
    }
}

struct Feed {
    state: Rc<RefCell<(Vec<Point>, Frontier<Point>)>>,
    waker: Waker,
}

impl Feed {
    /// Sends these times, and closes what is before `open`.
    fn move_to(&self, times: impl IntoIterator<Item = u64>, open: u64) {
        let mut state = self.state.borrow_mut();
        state.0.extend(times.into_iter().map(Point::from));
        state.1 = Frontier::from(Point::from(open));
        self.waker.wake();
    }
}

fn source(region: &Region) -> (Feed, Stream<Point>) {
    let node = region.reserve("source", 1, SlotRule::Source);
    let (output, stream) = region.output(node);
    let state = Rc::new(RefCell::new((Vec::new(), Frontier::minimum())));
    region.install(node, Source { state: Rc::clone(&state), output });
    (Feed { state, waker: region.waker(node) }, stream)
}

/// A node that sends on what a closure makes of each time.
fn map(
    region: &Region,
    node: NodeId,
    streams: &[&Stream<Point>],
    mut logic: impl FnMut(Point) -> Option<Point> + 'static,
) -> Stream<Point> {
    let inputs: Vec<Input<Point>> = streams.iter().map(|stream| region.connect(node, stream)).collect();
    let (output, stream) = region.output(node);
    region.install(
        node,
        does(move |visit| {
            for input in &inputs {
                while let Some(time) = input.next() {
                    visit.fuel.take(1);
                    logic(time).into_iter().for_each(|time| output.send(time));
                }
            }
            Ok(())
        }),
    );
    stream
}

/// Keeps times until its input has passed them, as a reduction does.
struct Wait {
    input: Input<Point>,
    output: Output<Point>,
    owed: BTreeSet<Point>,
}

impl Node for Wait {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        self.owed.extend(std::iter::from_fn(|| self.input.next()));
        let frontier = visit.frontier(0);
        let due: Vec<Point> = self.owed.iter().filter(|time| !frontier.admits(time)).cloned().collect();
        for time in due {
            self.owed.remove(&time);
            visit.fuel.take(1);
            self.output.send(time);
        }
        Ok(())
    }
    fn holds(&self, holds: &mut Frontier<Point>) {
        self.owed.iter().for_each(|time| _ = holds.insert(time.clone()));
    }
}

fn wait(region: &Region, name: &str, depth: usize, stream: &Stream<Point>) -> Stream<Point> {
    let node = region.reserve(name, depth, SlotRule::Meet);
    let input = region.connect(node, stream);
    let (output, stream) = region.output(node);
    region.install(node, Wait { input, output, owed: BTreeSet::new() });
    stream
}

/// What has arrived at the end of a stream.
fn gather(region: &Region, stream: &Stream<Point>) -> Rc<RefCell<Vec<Point>>> {
    let node = region.reserve("gather", 1, SlotRule::Shared);
    let gathered = Rc::<RefCell<Vec<Point>>>::default();
    let into = Rc::clone(&gathered);
    map(region, node, &[stream], move |time| {
        into.borrow_mut().push(time);
        None
    });
    gathered
}

fn build<R>(region: &Region, logic: impl FnOnce(&Region) -> R) -> R {
    region.build(logic).expect("all cycles advance").0
}

fn difference(after: Work, before: Work) -> (u64, u64) {
    (after.visits - before.visits, after.evaluations - before.evaluations)
}

#[test]
fn a_chain_costs_a_visit_a_node_and_one_slot() {
    let region = Region::new(1);
    let (feed, seen) = build(&region, |region| {
        let (feed, mut stream) = source(region);
        for _ in 0..100 {
            stream = map(region, region.reserve("map", 1, SlotRule::Shared), &[&stream], Some);
        }
        (feed, gather(region, &stream))
    });
    region.activate(Fuel::unlimited()).expect("nothing fails");
    let before = region.work();
    feed.move_to([1], 2);
    region.activate(Fuel::unlimited()).expect("nothing fails");
    assert_eq!((difference(region.work(), before), seen.borrow().len()), ((102, 1), 1));
    let before = region.work();
    feed.move_to([], 3);
    region.activate(Fuel::unlimited()).expect("nothing fails");
    assert_eq!(difference(region.work(), before), (1, 1), "a frontier alone wakes no node that shares its slot");
    let before = region.work();
    region.activate(Fuel::unlimited()).expect("nothing fails");
    assert_eq!(difference(region.work(), before), (0, 0));
}

#[test]
fn a_node_is_visited_once_after_everything_that_reaches_it() {
    let region = Region::new(1);
    let (feed, seen) = build(&region, |region| {
        let (feed, numbers) = source(region);
        // Built before what it reads: the order, not the building, decides.
        let last = region.reserve("last", 1, SlotRule::Meet);
        let ways: Vec<Stream<Point>> = (0..5).map(|way| wait(region, &format!("way {way}"), 1, &numbers)).collect();
        let joined = map(region, last, &ways.iter().collect::<Vec<_>>(), Some);
        (feed, gather(region, &joined))
    });
    region.activate(Fuel::unlimited()).expect("nothing fails");
    for epoch in 1..5 {
        let before = region.work();
        feed.move_to([epoch], epoch + 1);
        region.activate(Fuel::unlimited()).expect("nothing fails");
        assert_eq!(difference(region.work(), before), (1 + 5 + 1 + 1, 1 + 5 + 1));
        assert_eq!(seen.borrow().len(), 5 * epoch as usize);
    }
}

/// A loop that goes round `rounds` times for each time it gets, with or without a node that waits for each round.
fn circle(region: &Region, numbers: &Stream<Point>, rounds: u64, waits: bool) -> Stream<Point> {
    let head = region.reserve("head", 2, SlotRule::Delay { coordinate: 1, by: 1 });
    let body = region.reserve("body", 2, SlotRule::Meet);
    let (output, delayed) = region.output(head);
    let going_on = map(region, body, &[numbers, &delayed], Some);
    let round = if waits { wait(region, "wait", 2, &going_on) } else { going_on };
    let back: Input<Point> = region.connect(head, &round);
    region.install(
        head,
        does(move |visit| {
            while let Some(time) = back.next() {
                visit.fuel.take(1);
                if time.coordinate(1) < rounds {
                    output.send(time.plus(1, 1).expect("small"));
                }
            }
            Ok(())
        }),
    );
    let leave = region.reserve("leave", 1, SlotRule::Truncate { depth: 1 });
    map(region, leave, &[&round], |time| Some(time.truncated(1)))
}

#[test]
fn a_query_that_never_ends_keeps_no_other_from_ending() {
    for (waits, fuel, bound) in [(false, 50, 20), (true, 50, 20), (false, 1, 300), (true, 1, 300)] {
        for endless_first in [false, true] {
            let region = Region::new(1);
            let mut endless = None;
            let mut build_endless = || {
                endless = Some(build(&region, |region| {
                    let (feed, numbers) = source(region);
                    (feed, gather(region, &circle(region, &numbers, u64::MAX, waits)))
                }));
            };
            if endless_first {
                build_endless();
            }
            let (feed, seen) = build(&region, |region| {
                let (feed, numbers) = source(region);
                let result = circle(region, &numbers, 5, true);
                (feed, gather(region, &wait(region, "complete", 1, &result)))
            });
            if !endless_first {
                build_endless();
            }
            let (endless, _) = endless.expect("it was built");
            endless.move_to([0], 1);
            feed.move_to([0], 1);
            let done = (0..bound).position(|_| {
                assert_eq!(region.activate(Fuel::new(fuel)), Ok(Activity::More));
                *seen.borrow() == [Point::from(0)]
            });
            assert!(done.is_some(), "waits: {waits}, not done after {bound} of {fuel}, endless first: {endless_first}");
        }
    }
}

/// A node that passes on what it gets and works on for ever.
fn build_greedy(region: &Region, name: &str, depth: usize, stream: &Stream<Point>) -> Stream<Point> {
    let node = region.reserve(name, depth, SlotRule::Meet);
    let input = region.connect(node, stream);
    let (output, stream) = region.output(node);
    region.install(
        node,
        does(move |visit| {
            std::iter::from_fn(|| input.next()).for_each(|time| output.send(time));
            visit.fuel.take(10);
            visit.again();
            Ok(())
        }),
    );
    stream
}

#[test]
fn a_long_job_lets_others_in_between() {
    let region = Region::new(1);
    let (feed, seen, seen_in_loop) = build(&region, |region| {
        let (feed, numbers) = source(region);
        build_greedy(region, "long job", 1, &numbers);
        // A loop with a long job in it, and a node behind that.
        let head = region.reserve("head", 2, SlotRule::Delay { coordinate: 1, by: 1 });
        let (_, delayed) = region.output::<Point>(head);
        let body = region.reserve("body", 2, SlotRule::Meet);
        let body = map(region, body, &[&numbers, &delayed], Some);
        let worked = build_greedy(region, "long job in a loop", 2, &body);
        let behind = region.reserve("behind", 2, SlotRule::Meet);
        let seen_in_loop = Rc::<RefCell<Vec<Point>>>::default();
        let into = Rc::clone(&seen_in_loop);
        let behind = map(region, behind, &[&worked], move |time| {
            into.borrow_mut().push(time);
            None
        });
        let back = region.connect(head, &behind);
        region.install(
            head,
            does(move |_| {
                assert!(back.is_empty());
                Ok(())
            }),
        );
        (feed, gather(region, &numbers), seen_in_loop)
    });
    feed.move_to([0], 1);
    for _ in 0..20 {
        assert_eq!(region.activate(Fuel::new(5)), Ok(Activity::More));
    }
    assert_eq!((seen.borrow().len(), seen_in_loop.borrow().len()), (1, 1));
}

/// An inner loop that never ends at epoch 1 must not keep what epoch 0 has found inside the outer loop.
#[test]
fn an_inner_loop_that_never_ends_lets_earlier_results_out() {
    for fuel in [1, 50, 1_000] {
        let region = Region::new(1);
        let (feed, seen) = build(&region, |region| {
            let (feed, numbers) = source(region);
            let outer = region.reserve("outer", 2, SlotRule::Delay { coordinate: 1, by: 1 });
            let inner = region.reserve("inner", 3, SlotRule::Delay { coordinate: 2, by: 1 });
            let (outer_output, outer_stream) = region.output(outer);
            let (inner_output, inner_stream) = region.output(inner);
            let body = region.reserve("body", 3, SlotRule::Meet);
            let going_on = map(region, body, &[&numbers, &outer_stream, &inner_stream], Some);
            let round = wait(region, "inner wait", 3, &going_on);
            let inner_back: Input<Point> = region.connect(inner, &round);
            region.install(
                inner,
                does(move |visit| {
                    while let Some(time) = inner_back.next() {
                        visit.fuel.take(1);
                        if time.coordinate(0) == 1 || time.coordinate(2) < 3 {
                            inner_output.send(time.plus(2, 1).expect("small"));
                        }
                    }
                    Ok(())
                }),
            );
            let leave = region.reserve("leave inner", 2, SlotRule::Truncate { depth: 2 });
            let left = map(region, leave, &[&round], |time| Some(time.truncated(2)));
            let settled = wait(region, "outer wait", 2, &left);
            let outer_back: Input<Point> = region.connect(outer, &settled);
            region.install(
                outer,
                does(move |visit| {
                    while let Some(time) = outer_back.next() {
                        visit.fuel.take(1);
                        if time.coordinate(1) < 2 {
                            outer_output.send(time.plus(1, 1).expect("small"));
                        }
                    }
                    Ok(())
                }),
            );
            let leave = region.reserve("leave outer", 1, SlotRule::Truncate { depth: 1 });
            let result = map(region, leave, &[&settled], |time| Some(time.truncated(1)));
            (feed, gather(region, &wait(region, "complete", 1, &result)))
        });
        feed.move_to([0, 1], 2);
        while seen.borrow().is_empty() {
            assert_eq!(region.activate(Fuel::new(fuel)), Ok(Activity::More));
            assert!(region.work().visits < 20_000, "epoch 0 stays inside, fuel {fuel}");
        }
        assert!(seen.borrow().iter().all(|time| *time == Point::from(0)));
    }
}

#[test]
fn upkeep_waits_until_the_region_is_quiet_and_is_done_in_turn() {
    struct Rests {
        left: u32,
        done: Rc<RefCell<Vec<&'static str>>>,
        name: &'static str,
    }
    impl Node for Rests {
        fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
            visit.rest();
            Ok(())
        }
        fn upkeep(&mut self, fuel: &mut Fuel) -> Result<bool, Fault> {
            fuel.take(10);
            self.left -= 1;
            self.done.borrow_mut().push(self.name);
            Ok(self.left > 0)
        }
    }
    let region = Region::new(1);
    let done = Rc::<RefCell<Vec<&'static str>>>::default();
    build(&region, |region| {
        for (name, left) in [("a", 3), ("b", 2)] {
            let node = region.reserve(name, 1, SlotRule::Source);
            region.install(node, Rests { left, done: Rc::clone(&done), name });
        }
    });
    assert!(!region.upkeep(Fuel::unlimited()), "nobody was visited yet");
    assert_eq!(region.activate(Fuel::new(1)), Ok(Activity::More));
    assert!(region.upkeep(Fuel::unlimited()) && done.borrow().is_empty(), "there is work");
    assert_eq!(region.activate(Fuel::unlimited()), Ok(Activity::Quiet));
    assert!(region.upkeep(Fuel::new(1)));
    assert!(region.upkeep(Fuel::new(25)));
    assert!(!region.upkeep(Fuel::unlimited()));
    assert_eq!(*done.borrow(), ["a", "b", "a", "b", "a"]);
}

#[test]
fn a_node_that_shares_its_slot_hears_of_frontiers_only_if_it_watches() {
    let region = Region::new(1);
    let seen = Rc::<RefCell<Vec<Frontier<Point>>>>::default();
    let into = Rc::clone(&seen);
    let feed = build(&region, |region| {
        let (feed, numbers) = source(region);
        let probe = region.reserve("probe", 1, SlotRule::Shared);
        let _input = region.connect(probe, &numbers);
        region.watch(probe);
        region.install(
            probe,
            does(move |visit| {
                into.borrow_mut().push(visit.frontier(0).clone());
                Ok(())
            }),
        );
        feed
    });
    region.activate(Fuel::unlimited()).expect("nothing fails");
    feed.move_to([], 4);
    region.activate(Fuel::unlimited()).expect("nothing fails");
    assert_eq!(*seen.borrow(), [0, 4].map(|epoch| Frontier::from(Point::from(epoch))));
}

#[test]
#[should_panic(expected = "must not stop for fuel")]
fn a_node_that_shares_its_slot_must_not_stop_for_fuel() {
    let region = Region::new(1);
    build(&region, |region| {
        let (_, numbers) = source(region);
        let node = region.reserve("greedy", 1, SlotRule::Shared);
        let _input = region.connect(node, &numbers);
        region.install(
            node,
            does(|visit| {
                visit.again();
                Ok(())
            }),
        );
    });
    let _ = region.activate(Fuel::unlimited());
}

#[test]
#[should_panic(expected = "went back")]
fn holds_can_not_come_back() {
    let region = Region::new(1);
    let feed = build(&region, |region| source(region).0);
    feed.move_to([], 5);
    let _ = region.activate(Fuel::unlimited());
    feed.move_to([], 3);
    let _ = region.activate(Fuel::unlimited());
}

//! A node that fails stops what depends on it, and nothing else: by hand, and in random programs.

use std::cell::RefCell;
use std::rc::Rc;

use super::small_world::{Program, Programs, does};
use super::{Activity, Fuel, Input, NodeId, Output, Region, SlotRule, Stream, Waker};
use crate::error::{Error, Fault, Overflow, Reason};
use crate::time::small_world::Random;
use crate::time::{Frontier, Point};

/// A source of numbers, a node that a closure makes, and what arrives behind it.
struct Query {
    fed: Rc<RefCell<Vec<u64>>>,
    waker: Waker,
    seen: Rc<RefCell<Vec<u64>>>,
    stream: Stream<u64>,
    nodes: Vec<NodeId>,
}

impl Query {
    fn new(region: &Region, name: &str, mut map: impl FnMut(u64) -> Result<u64, Fault> + 'static) -> Self {
        let (fed, seen) = (Rc::<RefCell<Vec<u64>>>::default(), Rc::<RefCell<Vec<u64>>>::default());
        let (given, taken) = (Rc::clone(&fed), Rc::clone(&seen));
        let ((waker, stream), nodes) = region
            .build(|region| {
                let source = region.reserve("source", 1, SlotRule::Source);
                let (output, numbers) = region.output(source);
                region.install(source, Numbers { given, output, next: 0 });
                let node = region.reserve(name, 1, SlotRule::Shared);
                let input: Input<u64> = region.connect(node, &numbers);
                let (output, mapped) = region.output(node);
                region.install(
                    node,
                    does(move |_| {
                        while let Some(number) = input.next() {
                            output.send(map(number)?);
                        }
                        Ok(())
                    }),
                );
                let sink = region.reserve("sink", 1, SlotRule::Meet);
                let input: Input<u64> = region.connect(sink, &mapped);
                let (_, stream) = region.output(sink);
                region.install(
                    sink,
                    does(move |_| {
                        taken.borrow_mut().extend(std::iter::from_fn(|| input.next()));
                        Ok(())
                    }),
                );
                (region.waker(source), stream)
            })
            .expect("there is no cycle");
        Query { fed, waker, seen, stream, nodes }
    }

    fn feed(&self, number: u64) {
        self.fed.borrow_mut().push(number);
        self.waker.wake();
    }
}

/// Sends what it is given, and may speak past what it has sent.
struct Numbers {
    given: Rc<RefCell<Vec<u64>>>,
    output: Output<u64>,
    next: u64,
}

impl super::Node for Numbers {
    fn visit(&mut self, _: &mut super::Visit<'_>) -> Result<(), Fault> {
        for number in self.given.borrow_mut().drain(..) {
            self.output.send(number);
            self.next += 1;
        }
        Ok(())
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        holds.insert(Point::from(self.next));
    }
}

#[test]
fn a_panic_stops_its_query_and_no_other() {
    let region = Region::new(1);
    let bad = Query::new(&region, "half", |number| if number == 3 { panic!("{number} is odd") } else { Ok(number) });
    let good = Query::new(&region, "same", Ok);
    for query in [&bad, &good] {
        query.feed(2);
    }
    assert_eq!(region.activate(Fuel::unlimited()), Ok(Activity::Quiet));
    for number in 3..5 {
        bad.feed(number);
        good.feed(number);
    }
    let failure =
        Error::Operator { operator: "half".to_string(), time: None, reason: Reason::Panic("3 is odd".to_string()) };
    assert_eq!(region.activate(Fuel::unlimited()), Err(failure.clone()));
    assert!(region.is_quiet());
    assert_eq!((&*bad.seen.borrow(), &*good.seen.borrow()), (&vec![2], &vec![2, 3, 4]));
    // What was complete stays so, and nothing more is said to be.
    assert_eq!(region.frontier(&bad.stream), Frontier::from(Point::from(1)));
    assert_eq!(region.frontier(&good.stream), Frontier::from(Point::from(3)));

    // The failure is told each time, as long as the node is there, and others go on.
    bad.feed(6);
    good.feed(6);
    assert_eq!(region.activate(Fuel::unlimited()), Err(failure.clone()));
    assert_eq!((bad.seen.borrow().len(), good.seen.borrow().len()), (1, 4));
    let refused = region.build(|region| {
        let node = region.reserve("late", 1, SlotRule::Shared);
        let _input = region.connect(node, &bad.stream);
        region.install(node, does(|_| Ok(())));
    });
    assert_eq!(refused.map(|_| ()), Err(failure));

    region.remove(&bad.nodes);
    good.feed(8);
    assert_eq!(region.activate(Fuel::unlimited()), Ok(Activity::Quiet));
    assert_eq!(*good.seen.borrow(), [2, 3, 4, 6, 8]);
}

#[test]
fn the_first_failure_is_kept_and_the_next_one_told_when_it_is_gone() {
    let region = Region::new(1);
    let first = Query::new(&region, "first", |_| Err(Fault::from(Overflow).at(Point::from(7))));
    let second = Query::new(&region, "second", |_| Err(Reason::Other("no".to_string()).into()));
    second.feed(1);
    assert!(region.activate(Fuel::unlimited()).is_err());
    first.feed(1);
    let by_second = Error::Operator { operator: "second".into(), time: None, reason: Reason::Other("no".into()) };
    assert_eq!(region.activate(Fuel::unlimited()), Err(by_second));
    region.remove(&second.nodes);
    let by_first = Error::Operator { operator: "first".into(), time: Some(Point::from(7)), reason: Reason::Overflow };
    assert_eq!((region.failure(), region.activate(Fuel::new(1))), (Some(by_first.clone()), Err(by_first)));
    region.remove(&first.nodes);
    assert_eq!(region.failure(), None);
}

#[test]
fn upkeep_that_fails_takes_the_same_road() {
    struct Tired;
    impl super::Node for Tired {
        fn visit(&mut self, visit: &mut super::Visit<'_>) -> Result<(), Fault> {
            visit.rest();
            Ok(())
        }
        fn upkeep(&mut self, _: &mut Fuel) -> Result<bool, Fault> {
            panic!("tired")
        }
    }
    let region = Region::new(1);
    let built = region.build(|region| {
        let node = region.reserve("tired", 1, SlotRule::Source);
        region.install(node, Tired);
    });
    built.expect("there is no cycle");
    assert_eq!(region.activate(Fuel::unlimited()), Ok(Activity::Quiet));
    assert!(!region.upkeep(Fuel::unlimited()));
    let reason = Reason::Panic("tired".to_string());
    let failure = Error::Operator { operator: "tired".to_string(), time: None, reason };
    assert_eq!(region.activate(Fuel::unlimited()), Err(failure));
}

fn sent_at(rule: SlotRule, time: &Point) -> [u64; 6] {
    let mut later = std::array::from_fn(|index| time.coordinate(index));
    match rule {
        SlotRule::Delay { coordinate, by } => later[coordinate] += by,
        SlotRule::Truncate { depth } => later[depth..].fill(0),
        _ => {}
    }
    later
}

/// In random programs: what does not depend on the failed node has the frontiers it should have, and another program
/// sends what it sends when alone. What does depend has stopped, and is not complete at what was lost.
#[test]
fn what_does_not_depend_on_a_failure_goes_on() {
    let mut failed = 0;
    for seed in 0..1_500 {
        let random = &mut Random::new(seed);
        let (plans, others) = (Programs::random(random), Programs::random(random));
        let fuel = [1, 3, u64::MAX][random.below(3)];
        let (fails, fails_at) = (random.below(plans.len()), Point::from(random.below(3) as u64));
        let run = |with_failing: bool| {
            let random = &mut Random::new(seed + 1);
            let region = Region::new(1);
            let other = Program::build(&region, others.clone()).ok()?;
            let failing = if with_failing { Some(Program::build(&region, plans.clone()).ok()?) } else { None };
            if let Some(failing) = &failing {
                failing.shared[fails].borrow_mut().fails_at = Some(fails_at.clone());
            }
            for _ in 0..6 {
                other.feed(random);
                if let Some(failing) = &failing {
                    failing.feed(&mut Random::new(random.next()));
                } else {
                    random.next();
                }
                let bound = 20_000;
                let quiet =
                    (0..bound).any(|_| region.activate(Fuel::new(fuel)) == Ok(Activity::Quiet) || region.is_quiet());
                assert!(quiet, "seed {seed}: it does not end");
            }
            Some((region, other, failing))
        };
        let (Some((region, other, Some(failing))), Some((_, alone, _))) = (run(true), run(false)) else { continue };
        failed += usize::from(region.failure().is_some());
        assert_eq!(other.frontiers(&region), other.could_result(&region), "seed {seed}");
        for (there, here) in other.shared.iter().zip(&alone.shared) {
            assert_eq!(there.borrow().sent, here.borrow().sent, "seed {seed}");
        }
        let mut depends = vec![false; plans.len()];
        depends[fails] = region.failure().is_some();
        for _ in 0..plans.len() {
            for reader in 0..plans.len() {
                depends[reader] |= plans[reader].inputs.iter().any(|&input| depends[input]);
            }
        }
        let (found, expected) = (failing.frontiers(&region), failing.could_result(&region));
        for node in (0..plans.len()).filter(|&node| !depends[node]) {
            assert_eq!(found[node], expected[node], "seed {seed}, node {node} of {plans:?}");
        }
        // What could have come of the update that the node failed at is not said to be complete.
        let lost = failing.could_result_from(vec![(fails, sent_at(plans[fails].rule, &fails_at))]);
        for node in (0..plans.len()).filter(|&node| depends[node]) {
            let admits =
                |time: &[u64; 6]| found[node].iter().any(|open| (0..6).all(|index| open[index] <= time[index]));
            assert!(lost[node].iter().all(admits), "seed {seed}, node {node}: {found:?} {lost:?} {plans:?}");
        }
        for (node, stream) in failing.streams.iter().enumerate() {
            let reads = region.build(|region| {
                let reader = region.reserve("reader", 4, SlotRule::Meet);
                let _input = region.connect(reader, stream);
                region.install(reader, does(|_| Ok(())));
            });
            assert_eq!(reads.is_err(), depends[node], "seed {seed}: whether node {node} has stopped");
        }
    }
    assert!(failed > 300, "only {failed} failed");
}

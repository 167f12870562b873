//! Relays do what nodes with queues would: the same containers arrive, failures are told as theirs, the stack is bounded.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::relay::IN_A_ROW;
use super::{Activity, Fuel, Input, Node, NodeId, Output, Region, Relay, SlotRule, Stream, Visit};
use crate::error::{Error, Fault};

type Numbers = Vec<u32>;

/// Sends a container for each that waits in `feed`, all in one visit.
struct Source {
    feed: Rc<RefCell<Vec<Numbers>>>,
    output: Output<Numbers>,
    visits: Rc<Cell<u32>>,
}

impl Node for Source {
    fn visit(&mut self, _: &mut Visit<'_>) -> Result<(), Fault> {
        self.feed.take().into_iter().for_each(|numbers| self.output.send(numbers));
        self.visits.set(self.visits.get() + 1);
        Ok(())
    }

    fn holds(&self, holds: &mut crate::time::Frontier<crate::time::Point>) {
        holds.insert(0.into());
    }
}

struct Keep {
    input: Input<Numbers>,
    kept: Rc<RefCell<Vec<Numbers>>>,
}

impl Node for Keep {
    fn visit(&mut self, _: &mut Visit<'_>) -> Result<(), Fault> {
        self.kept.borrow_mut().extend(std::iter::from_fn(|| self.input.next()));
        Ok(())
    }
}

/// Adds one to each number; can't go on at 13, and panics at 31. Counts how many are at work at once.
struct AddOne {
    output: Output<Numbers>,
    at_work: Rc<(Cell<u32>, Cell<u32>)>,
}

impl Relay<Numbers> for AddOne {
    fn take(&mut self, numbers: &mut Numbers) -> Result<(), Fault> {
        let (now, most) = &*self.at_work;
        now.set(now.get() + 1);
        most.set(most.get().max(now.get()));
        for number in numbers.iter_mut() {
            if *number == 13 {
                now.set(now.get() - 1);
                return Err(crate::diff::OverflowAt::new(crate::time::Point::from(7)).into());
            }
            assert_ne!(*number, 31, "thirty-one");
            *number += 1;
        }
        self.output.send_from(numbers, Vec::new);
        numbers.clear();
        now.set(now.get() - 1);
        Ok(())
    }
}

#[derive(Default)]
struct World {
    feed: Rc<RefCell<Vec<Numbers>>>,
    visits: Rc<Cell<u32>>,
    at_work: Rc<(Cell<u32>, Cell<u32>)>,
    kept: Vec<Rc<RefCell<Vec<Numbers>>>>,
}

impl World {
    fn source(&self, region: &Region) -> (NodeId, Stream<Numbers>) {
        let node = region.reserve("source", 1, SlotRule::Source);
        let (output, stream) = region.output(node);
        let (feed, visits) = (Rc::clone(&self.feed), Rc::clone(&self.visits));
        region.install(node, Source { feed, output, visits });
        (node, stream)
    }

    fn relays(&self, region: &Region, name: &str, count: u32, from: &Stream<Numbers>) -> Stream<Numbers> {
        (0..count).fold(from.clone(), |stream, number| {
            let node = region.reserve(format!("{name} {number}"), 1, SlotRule::Shared);
            let (output, made) = region.output(node);
            region.install_relay(node, &[&stream], AddOne { output, at_work: Rc::clone(&self.at_work) });
            made
        })
    }

    fn keep(&mut self, region: &Region, stream: &Stream<Numbers>) {
        let node = region.reserve("keep", 1, SlotRule::Shared);
        let input = region.connect(node, stream);
        self.kept.push(Rc::default());
        region.install(node, Keep { input, kept: Rc::clone(self.kept.last().expect("one was pushed")) });
    }

    fn run(&self, region: &Region, source: NodeId, numbers: &[&[u32]]) -> Result<Activity, Error> {
        self.feed.borrow_mut().extend(numbers.iter().map(|numbers| numbers.to_vec()));
        region.waker(source).wake();
        region.activate(Fuel::unlimited())
    }

    fn kept(&self, reader: usize) -> Vec<Numbers> {
        self.kept[reader].take()
    }
}

#[test]
fn what_goes_through_many_relays_arrives_in_order_and_on_a_short_stack() {
    let (region, mut world) = (Region::new(1), World::default());
    let (source, _) = region
        .build(|region| {
            let (source, stream) = world.source(region);
            let last = world.relays(region, "long", 200, &stream);
            world.keep(region, &last);
            let first = world.relays(region, "short", 1, &stream);
            world.keep(region, &first);
            world.keep(region, &stream);
            source
        })
        .expect("a chain has no cycle");
    assert_eq!(world.run(&region, source, &[&[100], &[200, 300], &[]]), Ok(Activity::Quiet));
    assert_eq!(world.kept(0), [vec![300], vec![400, 500], vec![]]);
    assert_eq!(world.kept(1), [vec![101], vec![201, 301], vec![]]);
    assert_eq!(world.kept(2), [vec![100], vec![200, 300], vec![]]);
    assert_eq!(world.at_work.1.get(), 1 + IN_A_ROW, "one that has a queue, and as many as allowed behind it");
}

#[test]
fn a_relay_that_fails_stops_with_its_readers_and_nobody_else_notices() {
    for (bad, said) in [(13, "second 0"), (31, "thirty-one")] {
        let (region, mut world) = (Region::new(1), World::default());
        let (source, _) = region
            .build(|region| {
                let (source, stream) = world.source(region);
                let first = world.relays(region, "first", 1, &stream);
                world.keep(region, &first);
                let second = world.relays(region, "second", 2, &first);
                world.keep(region, &second);
                world.keep(region, &stream);
                source
            })
            .expect("a tree has no cycle");
        assert_eq!(world.run(&region, source, &[&[1]]), Ok(Activity::Quiet));
        // The second relay meets the bad number; what comes behind it in the same visit is lost to it alone.
        let error = world.run(&region, source, &[&[2], &[bad - 1], &[3]]).expect_err("a relay failed");
        let words = error.to_string();
        assert!(words.contains(said) && words.contains("second 0"), "{words}");
        assert_eq!(world.kept(0), [[2], [3], [bad], [4]]);
        assert_eq!(world.kept(1), [[4]], "what depends on it stops before it is told more");
        assert_eq!(world.kept(2), [[1], [2], [bad - 1], [3]]);
        world.run(&region, source, &[&[5]]).expect_err("as long as it is there");
        assert_eq!((world.kept(0), world.kept(1), world.kept(2)), (vec![vec![6]], vec![], vec![vec![5]]));
    }
}

#[test]
fn a_relay_that_is_taken_out_goes_at_once_and_one_built_later_is_called() {
    let (region, mut world) = (Region::new(1), World::default());
    let ((source, stream), _) = region.build(|region| world.source(region)).expect("a node has no cycle");
    for round in 0..3 {
        let (_, nodes) = region
            .build(|region| {
                let last = world.relays(region, "relay", 2, &stream);
                world.keep(region, &last);
            })
            .expect("a chain has no cycle");
        assert_eq!(world.run(&region, source, &[&[round]]), Ok(Activity::Quiet));
        assert_eq!(world.kept(round as usize), [[round + 2]]);
        region.remove(&nodes);
        assert_eq!(Rc::strong_count(&world.at_work), 1, "what a relay held is let go with it");
        assert_eq!(world.run(&region, source, &[&[9]]), Ok(Activity::Quiet));
        assert_eq!(world.kept(round as usize), Vec::<Numbers>::new());
    }
    assert_eq!(world.visits.get(), 6, "as often as it was woken");
}

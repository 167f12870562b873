//! Random programs of nested loops, shared by the region's law tests: their shape, and nodes that keep and pass times.
//!
//! What travels is bare times, one a container. A node passes each time on at most once, and none with a coordinate past
//! `LAST`, so everything ends.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::message::Freight;
use super::order::Place;
use super::{Input, Node, NodeId, Output, Region, SlotRule, Stream, Visit, Waker};
use crate::error::{Error, Fault, Overflow};
use crate::time::small_world::Random;
use crate::time::{Frontier, Point};

/// Times past this at any coordinate are not passed on.
pub(super) const LAST: u64 = 4;

/// A node of a program.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) depth: usize,
    pub(super) rule: SlotRule,
    pub(super) inputs: Vec<usize>,
    /// Keeps what arrives until its inputs have passed it, as a reduction does.
    pub(super) waits: bool,
    /// What it sends goes through an exchange.
    pub(super) exchanged: bool,
}

/// The worker, out of some, to which an exchange brings a time.
pub(super) fn home(time: &Point, workers: usize) -> usize {
    time.coordinates().iter().fold(0, |sum, coordinate| sum * 3 + *coordinate as usize) % workers
}

impl Freight for Point {
    fn least_times(&self, times: &mut Frontier<Point>) {
        times.insert(self.clone());
    }

    fn records(&self) -> usize {
        1
    }

    fn bytes_len(&self) -> usize {
        size_of_val(self.coordinates())
    }

    fn write_bytes(&self, into: &mut Vec<u8>) {
        self.coordinates().iter().for_each(|coordinate| into.extend(coordinate.to_le_bytes()));
    }
}

pub(super) fn read_time(bytes: &[u8]) -> Result<Point, Fault> {
    Ok(bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
}

/// Programs with loops that have a delay at their head, and delays elsewhere too. Most advance time round every cycle.
pub(super) struct Programs<'a> {
    pub(super) random: &'a mut Random,
    pub(super) deepest: usize,
    pub(super) plans: Vec<Plan>,
}

impl Programs<'_> {
    pub(super) fn random(random: &mut Random) -> Vec<Plan> {
        let deepest = 1 + random.below(4).max(random.below(4));
        let mut programs = Programs { random, deepest, plans: Vec::new() };
        let mut visible = Vec::new();
        for _ in 0..1 + programs.random.below(2) {
            visible.push(programs.add(1, SlotRule::Source, vec![]));
        }
        if programs.random.below(3) == 0 {
            programs.enclose(0, &mut visible);
        } else {
            programs.scope(1, &mut visible);
        }
        programs.plans
    }

    fn add(&mut self, depth: usize, rule: SlotRule, inputs: Vec<usize>) -> usize {
        let waits = rule == SlotRule::Meet && self.random.below(2) == 0;
        self.plans.push(Plan { depth, rule, inputs, waits, exchanged: false });
        self.plans.len() - 1
    }

    /// One of what can be read, mostly of the latest, so that loops are closed through what is in them.
    fn pick(&mut self, from: &[usize]) -> usize {
        let among = [1, 1, 2, from.len()][self.random.below(4)].min(from.len());
        from[from.len() - 1 - self.random.below(among)]
    }

    fn delay(&mut self, depth: usize, coordinate: usize, input: usize) -> usize {
        let by = 1 + self.random.below(2) as u64;
        self.add(depth, SlotRule::Delay { coordinate, by }, vec![input])
    }

    fn scope(&mut self, depth: usize, visible: &mut Vec<usize>) {
        for _ in 0..1 + self.random.below(4) {
            let input = self.pick(visible);
            let added = match self.random.below(7) {
                0 => self.add(depth, SlotRule::Shared, vec![input]),
                1 => {
                    let coordinate = self.random.below(depth);
                    self.delay(depth, coordinate, input)
                }
                2..=4 if depth < self.deepest => {
                    self.enclose(depth, visible);
                    continue;
                }
                _ => {
                    let more = (0..self.random.below(3)).map(|_| self.pick(visible)).collect::<Vec<_>>();
                    self.add(depth, SlotRule::Meet, [vec![input], more].concat())
                }
            };
            visible.push(added);
        }
    }

    /// A loop in a scope `depth` deep (0: around the whole program, going round at the inputs' coordinate).
    fn enclose(&mut self, depth: usize, visible: &mut Vec<usize>) {
        let mut inside = visible.clone();
        let mut heads = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let coordinate = if self.random.below(4) == 0 { self.random.below(depth + 1) } else { depth };
            let input = self.pick(&inside);
            let head = self.delay(depth + 1, coordinate, input);
            heads.push(head);
            inside.push(head);
        }
        self.scope(depth + 1, &mut inside);
        for head in heads {
            let body = self.pick(&inside);
            self.plans[head].inputs.push(body);
        }
        let input = self.pick(&inside);
        let deepest = depth.min(self.plans[input].depth).max(1);
        let kept = if self.random.below(4) == 0 { 1 + self.random.below(deepest) } else { deepest };
        visible.push(self.add(kept, SlotRule::Truncate { depth: kept }, vec![input]));
    }
}

/// The program as the order sees it.
pub(super) fn places(plans: &[Plan]) -> Vec<Place> {
    let delays_at = |rule| match rule {
        SlotRule::Delay { coordinate, .. } => Some(coordinate),
        _ => None,
    };
    let place = |plan: &Plan| Place { depth: plan.depth, delays_at: delays_at(plan.rule), inputs: plan.inputs.clone() };
    plans.iter().map(place).collect()
}

/// What the test and a node of the program both see.
#[derive(Default)]
pub(super) struct Shared {
    /// What a source may still speak at, set by the test.
    pub(super) open: Frontier<Point>,
    /// What a source is to send at its next visit.
    pub(super) fed: Vec<Point>,
    /// What the node holds since its last visit.
    pub(super) holds: Frontier<Point>,
    /// What was sent, ever.
    pub(super) sent: BTreeSet<Point>,
    /// What was taken, ever, by input.
    pub(super) taken: Vec<BTreeSet<Point>>,
    /// The node fails when it takes this.
    pub(super) fails_at: Option<Point>,
}

/// What a node of this rule makes of a time, if it passes it on.
fn through(rule: SlotRule, time: &Point) -> Option<Point> {
    let later = match rule {
        SlotRule::Delay { coordinate, by } => time.plus(coordinate, by)?,
        SlotRule::Truncate { depth } => time.truncated(depth),
        _ => time.clone(),
    };
    later.coordinates().iter().all(|&coordinate| coordinate <= LAST).then_some(later)
}

/// A node that passes times on.
pub(super) struct Relay {
    plan: Plan,
    inputs: Vec<Input<Point>>,
    output: Output<Point>,
    shared: Rc<RefCell<Shared>>,
    owed: BTreeSet<Point>,
    /// By input: the frontier seen last, and how many times were left in the queue then.
    seen: Vec<(Frontier<Point>, usize)>,
}

impl Relay {
    fn through(&self, time: &Point) -> Option<Point> {
        through(self.plan.rule, time)
    }

    fn send(&mut self, time: Point, visit: &Visit<'_>) {
        let promised = visit.output_frontier();
        if self.plan.rule.owns_slot() {
            assert!(promised.admits(&time), "late at the output: {time:?}, promised {promised:?}");
        }
        if self.shared.borrow_mut().sent.insert(time.clone()) {
            self.output.send(time);
        }
    }
}

impl Node for Relay {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        let fed = std::mem::take(&mut self.shared.borrow_mut().fed);
        fed.into_iter().for_each(|time| self.send(time, visit));

        let may_stop = self.plan.rule.owns_slot();
        let mut begun = false;
        let mut stopped = false;
        for index in 0..self.inputs.len() {
            while !self.inputs[index].is_empty() {
                if may_stop && begun && visit.fuel.spent() {
                    stopped = true;
                    break;
                }
                begun = true;
                visit.fuel.take(1);
                let time = self.inputs[index].next().expect("it was not empty");
                self.shared.borrow_mut().taken[index].insert(time.clone());
                let (seen, left) = &mut self.seen[index];
                match left.checked_sub(1) {
                    Some(fewer) => *left = fewer,
                    None => assert!(seen.admits(&time), "late at input {index}: {time:?}, promised {seen:?}"),
                }
                if self.shared.borrow().fails_at.as_ref() == Some(&time) {
                    return Err(Fault::from(Overflow).at(time));
                }
                match self.through(&time) {
                    Some(_) if self.plan.waits => _ = self.owed.insert(time),
                    Some(later) => self.send(later, visit),
                    None => {}
                }
            }
        }
        if stopped {
            visit.again();
        }
        let mut passed = Frontier::empty();
        for (index, input) in self.inputs.iter().enumerate() {
            let mut left = 0;
            input.for_each(|time| {
                left += 1;
                passed.insert(time.clone());
            });
            passed.extend(visit.frontier(index));
            if left > 0 {
                self.seen[index].1 = left;
            } else {
                self.seen[index] = (visit.frontier(index).clone(), 0);
            }
        }
        for time in std::mem::take(&mut self.owed) {
            if passed.admits(&time) {
                self.owed.insert(time);
            } else if let Some(later) = self.through(&time) {
                self.send(later, visit);
            }
        }
        let mut holds = Frontier::empty();
        self.holds(&mut holds);
        self.shared.borrow_mut().holds = holds;
        Ok(())
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        holds.extend(&self.shared.borrow().open);
        self.owed.iter().for_each(|time| _ = holds.insert(time.clone()));
        for input in &self.inputs {
            input.for_each(|time| {
                if let Some(later) = self.through(time) {
                    holds.insert(later);
                }
            });
        }
    }
}

/// A node that does what a closure does at each visit.
pub(super) fn does(visit: impl FnMut(&mut Visit<'_>) -> Result<(), Fault> + 'static) -> impl Node + 'static {
    struct Does<F>(F);
    impl<F: FnMut(&mut Visit<'_>) -> Result<(), Fault>> Node for Does<F> {
        fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
            (self.0)(visit)
        }
    }
    Does(visit)
}

/// A program that runs in a region.
pub(super) struct Program {
    pub(super) plans: Vec<Plan>,
    pub(super) nodes: Vec<NodeId>,
    /// By node: what it reads of another program, if it does.
    imports: Vec<Option<Stream<Point>>>,
    pub(super) streams: Vec<Stream<Point>>,
    pub(super) shared: Vec<Rc<RefCell<Shared>>>,
    pub(super) wakers: Vec<Waker>,
}

impl Program {
    /// Adds the program to `region`. Its sources may speak at any time.
    pub(super) fn build(region: &Region, plans: Vec<Plan>) -> Result<Self, Error> {
        Program::build_on(region, plans, &[])
    }

    /// Adds the program to `region`, with its first sources replaced by nodes that read these streams.
    pub(super) fn build_on(region: &Region, mut plans: Vec<Plan>, streams: &[Stream<Point>]) -> Result<Self, Error> {
        let mut imports = vec![None; plans.len()];
        let sources = (0..plans.len()).filter(|&index| plans[index].rule == SlotRule::Source);
        for (index, stream) in sources.collect::<Vec<_>>().into_iter().zip(streams) {
            imports[index] = Some(stream.clone());
            plans[index].rule = SlotRule::Truncate { depth: 1 };
        }
        let shared: Vec<Rc<RefCell<Shared>>> = plans.iter().map(|_| Rc::default()).collect();
        let (streams, nodes) = region.build(|region| {
            let named = plans.iter().enumerate();
            let nodes: Vec<NodeId> =
                named.map(|(index, plan)| region.reserve(index.to_string(), plan.depth, plan.rule)).collect();
            let (outputs, streams): (Vec<_>, Vec<_>) = nodes.iter().map(|&node| region.output::<Point>(node)).unzip();
            let workers = region.peers().count;
            let split = move |time: Point| Ok(vec![(home(&time, workers), time)]);
            let placed = streams.iter().zip(&plans).map(|(stream, plan)| match plan.exchanged {
                true => region.exchange("exchange", stream, split, read_time),
                false => stream.clone(),
            });
            let streams: Vec<Stream<Point>> = placed.collect();
            for (index, output) in outputs.into_iter().enumerate() {
                let plan = plans[index].clone();
                if plan.rule == SlotRule::Source {
                    shared[index].borrow_mut().open = Frontier::minimum();
                }
                let within = plan.inputs.iter().map(|&input| &streams[input]);
                let read = within.chain(&imports[index]);
                let inputs: Vec<_> = read.map(|stream| region.connect(nodes[index], stream)).collect();
                let seen = vec![(Frontier::minimum(), 0); inputs.len()];
                shared[index].borrow_mut().taken.resize(inputs.len(), BTreeSet::new());
                let shared = Rc::clone(&shared[index]);
                region.install(nodes[index], Relay { plan, inputs, output, shared, owed: BTreeSet::new(), seen });
            }
            streams
        })?;
        let wakers = nodes.iter().map(|&node| region.waker(node)).collect();
        Ok(Program { plans, nodes, imports, streams, shared, wakers })
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = usize> {
        (0..self.plans.len()).filter(|&index| self.plans[index].rule == SlotRule::Source)
    }

    /// What is in the queue of an input and will be passed on, if no exchange is before it: what was sent to it, each time
    /// once, and not taken.
    pub(super) fn queued(&self, node: usize, input: usize) -> Vec<Point> {
        let plan = &self.plans[node];
        let (producer, reader) = (self.shared[plan.inputs[input]].borrow(), self.shared[node].borrow());
        let queued = producer.sent.difference(&reader.taken[input]);
        queued.filter(|time| through(plan.rule, time).is_some()).cloned().collect()
    }

    /// Lets each source speak at some times at which it may, and give up some of them.
    pub(super) fn feed(&self, random: &mut Random) {
        for source in self.sources().collect::<Vec<_>>() {
            let shared = &mut *self.shared[source].borrow_mut();
            let Some(open) = shared.open.elements().first().cloned() else { continue };
            for _ in 0..random.below(3) {
                let time = open.plus(0, random.below(2) as u64).expect("small");
                shared.fed.push(time);
            }
            if random.below(3) > 0 {
                shared.open = open.plus(0, 1).into_iter().collect();
            }
            self.wakers[source].wake();
        }
    }

    /// Lets no source speak any more.
    pub(super) fn close(&self) {
        for source in self.sources().collect::<Vec<_>>() {
            self.shared[source].borrow_mut().open.clear();
            self.wakers[source].wake();
        }
    }

    /// Each stream's frontier by brute force: what could result from what is held, following every edge.
    ///
    /// What comes from other programs is taken at its word.
    pub(super) fn could_result(&self, region: &Region) -> Vec<Vec<[u64; 6]>> {
        let mut todo: Vec<(usize, [u64; 6])> = Vec::new();
        for (node, shared) in self.shared.iter().enumerate() {
            todo.extend(shared.borrow().holds.elements().iter().map(|time| (node, padded(time))));
        }
        for (node, import) in self.imports.iter().enumerate() {
            let times = import.iter().flat_map(|stream| region.frontier(stream).elements().to_vec());
            todo.extend(times.map(|time| (node, padded(&time.truncated(1)))));
        }
        self.could_result_from(todo)
    }

    /// By brute force: what could be sent, earliest, by each node if these nodes send at these times.
    pub(super) fn could_result_from(&self, mut todo: Vec<(usize, [u64; 6])>) -> Vec<Vec<[u64; 6]>> {
        let mut reached: Vec<Vec<[u64; 6]>> = vec![Vec::new(); self.plans.len()];
        let at_or_before = |a: &[u64; 6], b: &[u64; 6]| (0..6).all(|index| a[index] <= b[index]);
        while let Some((node, time)) = todo.pop() {
            if reached[node].iter().any(|earlier| at_or_before(earlier, &time)) {
                continue;
            }
            reached[node].retain(|later| !at_or_before(&time, later));
            reached[node].push(time);
            for (reader, plan) in self.plans.iter().enumerate().filter(|(_, plan)| plan.inputs.contains(&node)) {
                let mut later = time;
                match plan.rule {
                    SlotRule::Delay { coordinate, by } => later[coordinate] += by,
                    SlotRule::Truncate { depth } => later[depth..].fill(0),
                    _ => {}
                }
                todo.push((reader, later));
            }
        }
        reached.iter_mut().for_each(|times| times.sort_unstable());
        reached
    }

    /// Each stream's frontier, as the region has it.
    pub(super) fn frontiers(&self, region: &Region) -> Vec<Vec<[u64; 6]>> {
        let times = |stream| region.frontier(stream).elements().iter().map(padded).collect::<Vec<_>>();
        let mut frontiers: Vec<Vec<[u64; 6]>> = self.streams.iter().map(times).collect();
        frontiers.iter_mut().for_each(|times| times.sort_unstable());
        frontiers
    }
}

pub(super) fn padded(time: &Point) -> [u64; 6] {
    std::array::from_fn(|index| time.coordinate(index))
}

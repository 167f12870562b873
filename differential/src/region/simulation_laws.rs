//! Workers as state machines in one thread: random programs, exchanges anywhere, under thousands of schedules.
//!
//! ```text
//!   worker 0  region --outgoing--> [ queue 0 -> 1 ] --deliver--> region  worker 1      each queue in order,
//!             region <--deliver--- [ queue 1 -> 0 ] <--outgoing- region                queues as late as they like
//! ```
//!
//! A step of a schedule feeds a worker, activates one with little fuel, or delivers the first message of one queue,
//! sometimes as the bytes that another process would get. Some workers build a program long after the others.
//!
//! The nodes check on the way that nothing is late. When nothing is left to do or to deliver, each worker's frontiers
//! must be what could still result there, by brute force over all workers; and when all is closed, nothing.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use timely::bytes::arc::BytesMut;
use timely::communication::Bytesable;

use super::exchange::{Arrivals, Gate};
use super::message::{Item, Message};
use super::post::Post;
use super::small_world::{Plan, Program, Programs, does, home, read_time};
use super::{Activity, Fuel, Input, Node, NodeId, Output, Peers, Region, SlotRule, Visit};
use crate::error::Fault;
use crate::time::small_world::Random;
use crate::time::{Frontier, Point};

struct Cluster {
    regions: Vec<Region>,
    /// By worker: the programs that it has built, the same on all in the end.
    programs: Vec<Vec<Program>>,
    plans: Vec<Vec<Plan>>,
    /// By sender, then receiver.
    queues: Vec<Vec<VecDeque<Message>>>,
    fuel: u64,
}

/// What a message is after it went to another process.
fn as_bytes(message: &Message) -> Message {
    let mut bytes = Vec::new();
    message.into_bytes(&mut bytes);
    assert_eq!(bytes.len(), message.length_in_bytes());
    Message::from_bytes(BytesMut::from(bytes).freeze())
}

impl Cluster {
    fn new(workers: usize, fuel: u64, rounds: u32) -> Self {
        let region = |index| {
            let region = Region::among(1, Peers { index, count: workers });
            region.set_rounds(rounds);
            region
        };
        let queues = || (0..workers).map(|_| VecDeque::new()).collect();
        Cluster {
            regions: (0..workers).map(region).collect(),
            programs: (0..workers).map(|_| Vec::new()).collect(),
            plans: Vec::new(),
            queues: (0..workers).map(|_| queues()).collect(),
            fuel,
        }
    }

    fn workers(&self) -> usize {
        self.regions.len()
    }

    fn activate(&mut self, worker: usize) -> Activity {
        let activity = self.regions[worker].activate(Fuel::new(self.fuel)).unwrap_or_else(|error| panic!("{error}"));
        for to in (0..self.workers()).filter(|&to| to != worker) {
            self.queues[worker][to].extend(self.regions[worker].outgoing(to));
        }
        activity
    }

    /// Delivers the first message of a random queue; false if all are empty.
    fn deliver(&mut self, random: &mut Random) -> bool {
        let pairs = (0..self.workers()).flat_map(|from| (0..self.workers()).map(move |to| (from, to)));
        let full: Vec<_> = pairs.filter(|&(from, to)| !self.queues[from][to].is_empty()).collect();
        if full.is_empty() {
            return false;
        }
        let (from, to) = full[random.below(full.len())];
        let message = self.queues[from][to].pop_front().expect("it is not empty");
        let message = if random.below(4) == 0 { as_bytes(&message) } else { message };
        self.regions[to].deliver(message);
        true
    }

    /// Builds the next program that `worker` lacks; false if it lacks none.
    fn build(&mut self, worker: usize) -> bool {
        let built = self.programs[worker].len();
        let Some(plans) = self.plans.get(built) else { return false };
        let program = Program::build(&self.regions[worker], plans.clone()).expect("it was built before");
        self.programs[worker].push(program);
        true
    }

    /// Activates and delivers in random order until nothing is left to do.
    fn run(&mut self, random: &mut Random) {
        for _ in 0..200_000 {
            let busy: Vec<usize> = (0..self.workers()).filter(|&worker| !self.regions[worker].is_quiet()).collect();
            if random.below(2) == 0 && self.deliver(random) {
                continue;
            }
            if let Some(&worker) = busy.get(random.below(busy.len().max(1))) {
                self.activate(worker);
            } else if !self.deliver(random) {
                return;
            }
        }
        panic!("it does not end");
    }

    /// Compares each worker's frontiers with what could result from what all hold.
    fn compare(&self) {
        for (program, plans) in self.plans.iter().enumerate() {
            let reached = self.could_result(program, plans);
            for worker in 0..self.workers() {
                let said = self.programs[worker][program].frontiers(&self.regions[worker]);
                for (node, plan) in plans.iter().enumerate() {
                    let at = if plan.exchanged { 0..self.workers() } else { worker..worker + 1 };
                    let expected = least(at.flat_map(|worker| reached[worker][node].iter().cloned()).collect());
                    assert_eq!(said[node], expected, "worker {worker}, program {program}, node {node}");
                }
            }
        }
    }

    /// By worker and node: the earliest times that the node could send there.
    fn could_result(&self, program: usize, plans: &[Plan]) -> Vec<Vec<Vec<[u64; 6]>>> {
        let mut todo: Vec<(usize, usize, [u64; 6])> = Vec::new();
        for worker in 0..self.workers() {
            for (node, shared) in self.programs[worker][program].shared.iter().enumerate() {
                let holds = &shared.borrow().holds;
                let times = holds.elements().iter().map(|time| std::array::from_fn(|at| time.coordinate(at)));
                todo.extend(times.map(|time| (worker, node, time)));
            }
        }
        let mut reached = vec![vec![Vec::new(); plans.len()]; self.workers()];
        while let Some((worker, node, time)) = todo.pop() {
            let known: &mut Vec<[u64; 6]> = &mut reached[worker][node];
            if known.iter().any(|earlier| precedes(earlier, &time)) {
                continue;
            }
            known.push(time);
            let homes = if plans[node].exchanged { 0..self.workers() } else { worker..worker + 1 };
            for (reader, plan) in plans.iter().enumerate().filter(|(_, plan)| plan.inputs.contains(&node)) {
                let mut later = time;
                match plan.rule {
                    SlotRule::Delay { coordinate, by } => later[coordinate] += by,
                    SlotRule::Truncate { depth } => later[depth..].fill(0),
                    _ => {}
                }
                todo.extend(homes.clone().map(|worker| (worker, reader, later)));
            }
        }
        reached
    }
}

fn precedes(a: &[u64; 6], b: &[u64; 6]) -> bool {
    (0..6).all(|at| a[at] <= b[at])
}

/// Those that nothing else precedes, in order.
fn least(times: BTreeSet<[u64; 6]>) -> Vec<[u64; 6]> {
    times.iter().filter(|time| !times.iter().any(|other| other != *time && precedes(other, time))).copied().collect()
}

/// A random program, some of whose streams are exchanged. None if it is refused.
fn program(random: &mut Random) -> Option<Vec<Plan>> {
    let mut plans = Programs::random(random);
    let often = 2 + random.below(4);
    plans.iter_mut().for_each(|plan| plan.exchanged = random.below(often) == 0);
    // A node that shares its input's slot has all its inputs behind one exchange, or behind none.
    Program::build(&Region::new(1), plans.clone()).is_ok().then_some(plans)
}

fn check(random: &mut Random) -> bool {
    let (workers, fuel, rounds) =
        (2 + random.below(2), [1, 3, 50, u64::MAX][random.below(4)], [1, 2, 16][random.below(3)]);
    let Some(plans) = program(random) else { return false };
    let mut cluster = Cluster::new(workers, fuel, rounds);
    cluster.plans.push(plans);
    for step in 0..40 {
        match random.below(5) {
            0 => _ = cluster.build(random.below(workers)),
            1 => {
                let worker = random.below(workers);
                cluster.programs[worker].iter().for_each(|program| program.feed(random));
            }
            2 | 3 => _ = cluster.activate(random.below(workers)),
            _ => _ = cluster.deliver(random),
        }
        if step == 20 && random.below(3) == 0 {
            cluster.plans.extend(program(random));
        }
    }
    for worker in 0..workers {
        while cluster.build(worker) {}
    }
    for _ in 0..3 {
        cluster.run(random);
        cluster.compare();
        for worker in 0..workers {
            cluster.programs[worker].iter().for_each(|program| program.feed(random));
        }
    }
    cluster.programs.iter().flatten().for_each(Program::close);
    cluster.run(random);
    cluster.compare();
    assert!(cluster.regions.iter().all(Region::is_complete), "all is closed and nothing is left");
    true
}

#[test]
fn workers_agree_on_what_could_result_under_any_schedule() {
    let mut accepted = 0;
    for seed in 0..4_000 {
        let random = &mut Random::new(seed);
        match catch_unwind(AssertUnwindSafe(|| check(random))) {
            Ok(ran) => accepted += usize::from(ran),
            Err(payload) => panic!("seed {seed}: {:?}", Fault::from_panic(&*payload)),
        }
    }
    assert!(accepted > 3_000, "{accepted} programs were accepted");
}

/// An exchange that takes a few containers a visit and tells its input's frontier all the same.
struct Hasty {
    node: NodeId,
    input: Input<Point>,
    output: Output<Point>,
    arrivals: Rc<RefCell<Arrivals<Point>>>,
    post: Rc<Post>,
}

impl Node for Hasty {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        let arrivals = &mut *self.arrivals.borrow_mut();
        arrivals.queue.drain(..).for_each(|(_, time)| self.output.send(time));
        if let Some(time) = self.input.next() {
            match home(&time, self.post.peers.count) {
                here if here == self.post.peers.index => self.output.send(time),
                there => self.post.send(there, self.node, Frontier::empty(), Box::new(time)),
            }
        }
        let mark = &mut arrivals.marks[self.post.peers.index];
        if *mark != *visit.frontier(0) {
            mark.clone_from(visit.frontier(0));
            self.post.say_to_all(&Item::Mark { node: self.node, frontier: mark.clone() });
        }
        if !self.input.is_empty() {
            visit.again();
        }
        Ok(())
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        self.arrivals.borrow().marks.iter().for_each(|mark| holds.extend(mark));
    }
}

#[test]
fn a_mark_before_the_queue_is_empty_is_noticed() {
    // One source, the hasty exchange, and a reader that knows what it was promised.
    let run = || {
        let mut heard = Vec::new();
        let mut feeds = Vec::new();
        let regions: Vec<Region> = (0..2).map(|index| Region::among(1, Peers { index, count: 2 })).collect();
        for region in &regions {
            let times = Rc::new(RefCell::new((0..4).map(Point::from).collect::<Vec<_>>()));
            let lost = Rc::new(RefCell::new(Vec::new()));
            let built = region.build(|region| {
                let source = region.reserve("source", 1, SlotRule::Source);
                let (output, stream) = region.output(source);
                let fed = Rc::clone(&times);
                region.install(
                    source,
                    does(move |_| {
                        fed.borrow_mut().drain(..).for_each(|time| output.send(time));
                        Ok(())
                    }),
                );
                let post = Rc::clone(region.core.post.as_ref().expect("there are two"));
                let node = region.reserve("hasty", 1, SlotRule::Exchange);
                let input = region.connect(node, &stream);
                let (output, stream) = region.output(node);
                let marks = vec![Frontier::minimum(); 2];
                let arrivals = Rc::new(RefCell::new(Arrivals { queue: VecDeque::new(), marks }));
                let door = Gate { arrivals: Rc::clone(&arrivals), read: read_time };
                region.core.state.borrow_mut().doors.insert(node, Rc::new(door));
                region.install(node, Hasty { node, input, output, arrivals, post });
                let reader = region.reserve("reader", 1, SlotRule::Meet);
                let input = region.connect(reader, &stream);
                let (late, mut promised) = (Rc::clone(&lost), Frontier::minimum());
                region.install(
                    reader,
                    does(move |visit| {
                        let times = std::iter::from_fn(|| input.next());
                        late.borrow_mut().extend(times.filter(|time| !promised.admits(time)));
                        promised.clone_from(visit.frontier(0));
                        Ok(())
                    }),
                );
            });
            built.expect("no cycle");
            feeds.push(times);
            heard.push(lost);
        }
        for _ in 0..40 {
            for (worker, region) in regions.iter().enumerate() {
                region.activate(Fuel::new(1)).expect("nothing fails");
                if let Some(message) = region.outgoing(1 - worker) {
                    regions[1 - worker].deliver(message);
                }
            }
        }
        heard.iter().map(|lost| lost.borrow().len()).sum::<usize>()
    };
    assert!(run() > 0, "updates came behind the mark that said they would not");
}

#[test]
fn every_time_has_a_home() {
    let homes: BTreeSet<usize> = (0..9).map(|time| home(&Point::from(time), 3)).collect();
    assert_eq!(homes, BTreeSet::from([0, 1, 2]));
}

//! Programs come and go while others run: each behaves as if it were alone.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::graph::Stage;
use super::order::{Nest, order};
use super::small_world::{Program, Programs, does};
use super::{Activity, Fuel, NodeId, Region, SlotRule, Stream, Work};
use crate::error::Error;
use crate::time::small_world::Random;
use crate::time::{Frontier, Point};

fn quieten(region: &Region, fuel: u64, seed: u64) {
    let quiet = (0..50_000).any(|_| region.activate(Fuel::new(fuel)).expect("nothing fails") == Activity::Quiet);
    assert!(quiet, "seed {seed}: it does not end");
}

/// Several programs in one region, some reading from others, built and taken out at any time, also while loops are in
/// the middle of a round. Whenever the region is quiet, frontiers are what could result.
#[test]
fn programs_come_and_go() {
    let mut taken = 0;
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let fuel = [1, 3, u64::MAX][random.below(3)];
        let region = Region::new(1);
        let mut programs: Vec<Program> = Vec::new();
        for _ in 0..25 {
            match random.below(5) {
                0 => {
                    let streams = programs.iter().flat_map(|program| program.streams.clone());
                    let mut streams: Vec<Stream<Point>> = streams.filter(|_| random.below(5) == 0).take(1).collect();
                    streams.truncate(random.below(2));
                    // A program may be refused for a cycle; then the others go on as if it had never been tried.
                    programs.extend(Program::build_on(&region, Programs::random(random), &streams));
                }
                1 if !programs.is_empty() => {
                    let program = programs.swap_remove(random.below(programs.len()));
                    // Whoever still reads from it keeps it alive, and open: it says nothing any more.
                    program.close();
                    region.remove(&program.nodes);
                    taken += 1;
                }
                2 => _ = region.activate(Fuel::new(fuel)).expect("nothing fails"),
                _ => {
                    programs.iter().for_each(|program| program.feed(random));
                    if random.below(2) == 0 {
                        quieten(&region, fuel, seed);
                        for program in &programs {
                            assert_eq!(program.frontiers(&region), program.could_result(&region), "seed {seed}");
                        }
                    }
                }
            }
        }
        let nodes: Vec<NodeId> = programs.iter().flat_map(|program| program.nodes.clone()).collect();
        region.remove(&nodes);
        assert!(region.is_quiet() && region.is_complete(), "seed {seed}: nothing is left");
    }
    assert!(taken > 500, "only {taken} programs were taken out");
}

/// What a program sends does not depend on what else is built, refused and taken out beside it.
#[test]
fn neighbours_change_no_answer() {
    for seed in 0..300 {
        let plans = Programs::random(&mut Random::new(seed));
        let run = |neighbours: bool| -> Option<Vec<BTreeSet<Point>>> {
            let region = Region::new(1);
            let other = &mut Random::new(seed + 7);
            let before = if neighbours { Program::build(&region, Programs::random(other)).ok() } else { None };
            let program = Program::build(&region, plans.clone()).ok()?;
            let mut after = None;
            let random = &mut Random::new(seed + 1);
            for step in 0..6 {
                program.feed(random);
                if neighbours && step == 2 {
                    after = Program::build_on(&region, Programs::random(other), &program.streams[..1]).ok();
                    region.activate(Fuel::new(2)).expect("nothing fails");
                    before.iter().for_each(|before| region.remove(&before.nodes));
                }
                if step == 4 {
                    after.iter().for_each(|after| region.remove(&after.nodes));
                }
                quieten(&region, 3, seed);
            }
            Some(program.shared.iter().map(|shared| shared.borrow().sent.clone()).collect())
        };
        assert_eq!(run(true), run(false), "seed {seed}: {plans:?}");
    }
}

#[test]
fn a_refused_cycle_is_named_and_leaves_everything_as_it_was() {
    let region = Region::new(1);
    let program = Program::build(&region, Programs::random(&mut Random::new(1))).expect("it is legal");
    let random = &mut Random::new(2);
    program.feed(random);
    quieten(&region, 3, 2);
    let (frontiers, work) = (program.frontiers(&region), region.work());
    let refused = region.build(|region| {
        let [ahead, delay, leave] = [
            ("ahead", 2, SlotRule::Meet),
            ("inner delay", 2, SlotRule::Delay { coordinate: 1, by: 1 }),
            ("leave", 1, SlotRule::Truncate { depth: 1 }),
        ]
        .map(|(name, depth, rule)| region.reserve(name, depth, rule));
        let streams = [ahead, delay, leave].map(|node| region.output::<Point>(node).1);
        for (node, read) in [(ahead, &streams[2]), (delay, &streams[0]), (leave, &streams[1])] {
            let input = region.connect(node, read);
            let outside = region.connect(node, &program.streams[0]);
            region.install(
                node,
                does(move |_| {
                    assert!(input.is_empty() && outside.is_empty());
                    Ok(())
                }),
            );
        }
    });
    let operators = ["leave", "ahead", "inner delay"].map(String::from).to_vec();
    assert_eq!(refused.map(|_| ()), Err(Error::Cycle { operators }));
    assert_eq!((program.frontiers(&region), region.work()), (frontiers, work));
    assert_eq!(region.activate(Fuel::unlimited()), Ok(Activity::Quiet));
    assert_eq!(region.work(), Work { activations: work.activations + 1, ..work }, "nothing new is there to visit");
    program.feed(random);
    quieten(&region, 3, 2);
    assert_eq!(program.frontiers(&region), program.could_result(&region));
}

#[test]
fn what_is_read_stays_until_its_reader_goes() {
    let region = Region::new(1);
    let visits = Rc::new(RefCell::new(0));
    let count = Rc::clone(&visits);
    let ((waker, numbers), above) = region
        .build(|region| {
            let source = region.reserve("source", 1, SlotRule::Source);
            let (output, numbers) = region.output::<u64>(source);
            region.install(
                source,
                does(move |_| {
                    *count.borrow_mut() += 1;
                    output.send(*count.borrow());
                    Ok(())
                }),
            );
            (region.waker(source), numbers)
        })
        .expect("no cycle");
    let seen = Rc::new(RefCell::new(Vec::new()));
    let into = Rc::clone(&seen);
    let (_, below) = region
        .build(|region| {
            let sink = region.reserve("sink", 1, SlotRule::Shared);
            let input = region.connect(sink, &numbers);
            region.install(
                sink,
                does(move |_| {
                    into.borrow_mut().extend(std::iter::from_fn(|| input.next()));
                    Ok(())
                }),
            );
        })
        .expect("no cycle");
    region.activate(Fuel::unlimited()).expect("nothing fails");
    region.remove(&above);
    waker.wake();
    region.activate(Fuel::unlimited()).expect("nothing fails");
    assert_eq!((*visits.borrow(), &*seen.borrow()), (2, &vec![1, 2]), "the source is still read");

    region.remove(&below);
    waker.wake();
    assert_eq!(region.activate(Fuel::unlimited()), Ok(Activity::Quiet));
    assert_eq!((*visits.borrow(), region.frontier(&numbers)), (2, Frontier::empty()), "now it is gone");
    assert_eq!(Rc::strong_count(&visits), 1, "and so is what it held");
    let refused = region.build(|region| {
        let late = region.reserve("late", 1, SlotRule::Shared);
        let _input = region.connect(late, &numbers);
        region.install(late, does(|_| Ok(())));
    });
    let error = Error::Removed { reader: "late".to_string(), operator: "source".to_string() };
    assert_eq!(refused.map(|_| ()), Err(error));
}

/// A loop goes on where it was, in its new place, and what is behind it is left to others.
#[test]
fn a_loop_moves_while_it_runs() {
    let region = Region::new(1);
    let chain = |region: &Region| {
        let source = region.reserve("source", 1, SlotRule::Source);
        let (output, mut stream) = region.output::<u64>(source);
        region.install(
            source,
            does(move |_| {
                output.send(1);
                Ok(())
            }),
        );
        for _ in 0..9 {
            let node = region.reserve("pass", 1, SlotRule::Shared);
            let input = region.connect(node, &stream);
            let (output, next) = region.output(node);
            stream = next;
            region.install(
                node,
                does(move |_| {
                    std::iter::from_fn(|| input.next()).for_each(|number| output.send(number));
                    Ok(())
                }),
            );
        }
        region.waker(source)
    };
    let (_, before) = region.build(chain).expect("no cycle");
    let visits = Rc::new(RefCell::new(0));
    let count = Rc::clone(&visits);
    let endless = region.build(|region| {
        let nodes = [SlotRule::Delay { coordinate: 0, by: 1 }, SlotRule::Meet, SlotRule::Meet, SlotRule::Meet]
            .map(|rule| region.reserve("round", 1, rule));
        let ends = nodes.map(|node| region.output::<u64>(node));
        let streams = ends.each_ref().map(|(_, stream)| stream.clone());
        for (index, (output, _)) in ends.into_iter().enumerate() {
            let input = region.connect(nodes[index], &streams[(index + 3) % 4]);
            let (count, mut begun) = (Rc::clone(&count), index != 0);
            region.install(
                nodes[index],
                does(move |_| {
                    *count.borrow_mut() += 1;
                    let first = (!std::mem::replace(&mut begun, true)).then_some(0);
                    std::iter::from_fn(|| input.next()).chain(first).for_each(|number| output.send(number));
                    Ok(())
                }),
            );
        }
    });
    endless.expect("its cycle has a delay");
    let (waker, _) = region.build(chain).expect("no cycle");
    for _ in 0..50 {
        region.activate(Fuel::new(1)).expect("nothing fails");
    }
    region.remove(&before);
    let before = *visits.borrow();
    for _ in 0..50 {
        waker.wake();
        assert_eq!(region.activate(Fuel::new(3)), Ok(Activity::More));
    }
    assert!(*visits.borrow() > before + 20, "the loop goes on");
}

/// A node may drop handles that take out nodes, itself included: they go when the activation ends.
#[test]
fn nodes_are_taken_out_from_a_visit() {
    let region = Region::new(1);
    let own: Rc<RefCell<Vec<NodeId>>> = Rc::default();
    let (of_node, handle) = (Rc::clone(&own), region.clone());
    let (dropped, nodes) = region
        .build(|region| {
            let node = region.reserve("leaver", 1, SlotRule::Source);
            let alive = Rc::new(());
            let dropped = Rc::downgrade(&alive);
            region.install(
                node,
                does(move |_| {
                    let _alive = &alive;
                    handle.remove(&of_node.borrow());
                    Ok(())
                }),
            );
            dropped
        })
        .expect("no cycle");
    own.replace(nodes);
    assert_eq!(region.activate(Fuel::unlimited()), Ok(Activity::Quiet));
    assert!(dropped.upgrade().is_none(), "the node and what it holds are gone");
}

/// Adds up to six nodes that read each other and some of `older`, as rules and depths allow; the streams, or the cycle.
fn add_some(
    region: &Region,
    older: &[Stream<Point>],
    random: &mut Random,
) -> Result<(Vec<Stream<Point>>, Vec<NodeId>), Error> {
    region.build(|region| {
        let mut made = Vec::new();
        for at in 0..1 + random.below(6) {
            let depth = 1 + random.below(3);
            let rule = match random.below(5) {
                0 | 1 => SlotRule::Delay { coordinate: random.below(depth), by: 1 },
                2 => SlotRule::Truncate { depth },
                _ => SlotRule::Meet,
            };
            let node = region.reserve(format!("node {at}"), depth, rule);
            region.install(node, does(|_| Ok(())));
            made.push((node, rule, region.output::<Point>(node).1));
        }
        let all: Vec<&Stream<Point>> = made.iter().map(|(_, _, stream)| stream).chain(older).collect();
        for (node, rule, stream) in &made {
            for _ in 0..random.below(3) {
                let read = all[random.below(all.len())];
                let fits = match rule {
                    SlotRule::Truncate { depth } => *depth <= read.depth(),
                    _ => read.depth() <= stream.depth(),
                };
                if fits {
                    drop(region.connect(*node, read));
                }
            }
        }
        made.into_iter().map(|(_, _, stream)| stream).collect()
    })
}

/// Loops as sets of nodes: all, the delays of its own, and those of the loop around it.
type Loops = BTreeSet<(BTreeSet<usize>, BTreeSet<usize>, Option<BTreeSet<usize>>)>;

fn as_sets(placed: &[usize], loops: &[Nest]) -> Loops {
    let nodes = |nest: &Nest| placed[nest.range.clone()].iter().copied().collect::<BTreeSet<usize>>();
    let delays = |nest: &Nest| placed[nest.range.clone()].iter().copied().take(nest.delays).collect();
    loops.iter().map(|nest| (nodes(nest), delays(nest), nest.parent.map(|parent| nodes(&loops[parent])))).collect()
}

/// The order that grew by building and taking out is one that ordering the whole graph afresh would give: the same loops
/// with the same delays in each other, all other edges forwards; what was refused would be refused then.
#[test]
fn an_order_that_grew_is_the_order_of_the_whole() {
    let (mut refused, mut nested, mut removed) = (0, 0, 0);
    for seed in 0..600 {
        let random = &mut Random::new(seed);
        let region = Region::new(1);
        let mut flows: Vec<(Vec<Stream<Point>>, Vec<NodeId>)> = Vec::new();
        for _ in 0..12 {
            let first = region.core.state.borrow().graph.vertices.len();
            let mut was_refused = false;
            if !flows.is_empty() && random.below(4) == 0 {
                let (_, nodes) = flows.swap_remove(random.below(flows.len()));
                region.remove(&nodes);
                removed += 1;
            } else {
                let older: Vec<Stream<Point>> = flows.iter().flat_map(|(streams, _)| streams.clone()).collect();
                // Programs have nested loops, and what has any edges all that is odd.
                let added = match random.below(2) {
                    0 => add_some(&region, &older, random),
                    _ => Program::build_on(&region, Programs::random(random), &older[..older.len().min(1)])
                        .map(|program| (program.streams.clone(), program.nodes.clone())),
                };
                match added {
                    Ok(flow) => flows.push(flow),
                    Err(Error::Cycle { .. }) => was_refused = true,
                    Err(other) => panic!("seed {seed}: {other}"),
                }
            }
            let state = &*region.core.state.borrow();
            let (graph, schedule) = (&state.graph, &state.schedule);
            // Of what was refused before, nothing is left.
            let placed = |node: usize| graph.vertices[node].stage == Stage::Placed;
            let mut places = graph.places(0);
            (0..first).filter(|&node| !placed(node)).for_each(|node| places[node].inputs.clear());
            if was_refused {
                refused += 1;
                assert!(order(&places).is_err(), "seed {seed}: refused, although the whole can be ordered");
                places[first..].iter_mut().for_each(|place| place.inputs.clear());
            }
            let fresh = order(&places).expect("each dataflow alone was accepted");
            let grown: Vec<usize> = schedule.steps.iter().map(|step| step.node.index()).collect();
            let there: BTreeSet<usize> = (0..places.len()).filter(|&node| placed(node)).collect();
            assert_eq!(grown.iter().copied().collect::<BTreeSet<usize>>(), there, "seed {seed}");
            let loops: Vec<Nest> = schedule
                .loops
                .iter()
                .map(|inside| Nest {
                    range: inside.range.clone(),
                    delays: inside.delays,
                    parent: (inside.parent != super::schedule::TOP).then_some(inside.parent as usize),
                })
                .collect();
            assert_eq!(as_sets(&grown, &loops), as_sets(&fresh.placed, &fresh.loops), "seed {seed}");
            nested += loops.iter().filter(|nest| nest.parent.is_some()).count();

            // Backwards go only edges into a delay of a loop around both ends.
            let position = |node: usize| grown.iter().position(|&other| other == node).expect("it is there");
            for (to, from) in there.iter().flat_map(|&to| places[to].inputs.iter().map(move |&from| (to, from))) {
                let (from, to) = (position(from), position(to));
                let turns = |nest: &Nest| {
                    nest.range.contains(&from) && (nest.range.start..nest.range.start + nest.delays).contains(&to)
                };
                assert!(from < to || loops.iter().any(turns), "seed {seed}: an edge from {from} to {to}");
            }
        }
    }
    assert!(refused > 100 && nested > 100 && removed > 500, "{refused} refused, {nested} nested, {removed} removed");
}

//! What a watched worker is told adds up: operators, schedules, batches, records between workers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use timely::container::CapacityContainerBuilder;
use timely::logging::{StartStop, TimelyEvent};

use super::*;
use crate::error::Error;
use crate::region::{ENGINE_LOG, EngineEvent, EngineEventBuilder};
use crate::time::small_world::Random;

type TimelyEvents = CapacityContainerBuilder<Vec<(Duration, TimelyEvent)>>;

/// What each worker was told, in order.
#[derive(Clone, Default)]
struct Told {
    timely: Vec<TimelyEvent>,
    engine: Vec<EngineEvent>,
}

/// Runs a program on watched workers and answers with what they were told by their very end.
fn watched(
    workers: usize,
    program: impl Fn(&mut Worker<'_>) -> Result<(), Error> + Send + Sync + 'static,
) -> Vec<Told> {
    let told = Arc::new(Mutex::new(vec![Told::default(); workers]));
    let all_told = Arc::clone(&told);
    let guards = timely::execute(timely::Config::process(workers), move |timely| {
        let index = timely.index();
        let mut logs = timely.log_register().expect("these workers know the time");
        let told = Arc::clone(&all_told);
        logs.insert::<TimelyEvents, _>("timely", move |_, events| {
            let events = events.iter_mut().flat_map(std::mem::take).map(|(_, event)| event);
            told.lock().unwrap()[index].timely.extend(events);
        });
        let told = Arc::clone(&all_told);
        logs.insert::<EngineEventBuilder, _>(ENGINE_LOG, move |_, events| {
            let events = events.iter_mut().flat_map(std::mem::take).map(|(_, event)| event);
            told.lock().unwrap()[index].engine.extend(events);
        });
        drop(logs);
        program(&mut Worker::in_timely(timely, &Config::default().step_fuel([1 << 20, 5][index % 2])))
    });
    for outcome in guards.expect("threads").join() {
        outcome.expect("no panic").expect("nothing fails");
    }
    let told = told.lock().unwrap();
    told.clone()
}

/// A join, reductions and a loop, fed at random.
fn program(worker: &mut Worker<'_>, seed: u64) -> Result<(), Error> {
    let (mut edges, mut roots, reached) = worker.dataflow(|scope| {
        let (edge_session, edges) = scope.input::<(u64, u64)>("edges");
        let (root_session, roots) = scope.input::<u64>("roots");
        let by_source = edges.arrange_by_key("by source");
        let reached = roots.iterate(|near| {
            let next = near.join(&by_source, |_, _, target| target);
            next.concat(&roots).distinct()
        });
        (edge_session, root_session, reached.count().output())
    })?;
    let mut random = Random::new(seed);
    for _ in 0..30 {
        for _ in 0..random.below(20) {
            edges.update((random.below(12) as u64, random.below(12) as u64), [1, 1, -1][random.below(3)].max(1));
        }
        roots.insert(random.below(12) as u64);
        worker.commit((&mut edges, &mut roots))?;
        for _ in 0..random.below(4) {
            worker.step()?;
        }
    }
    drop(reached);
    Ok(())
}

#[test]
fn what_is_told_of_batches_and_records_balances_at_the_end() {
    for (seed, workers) in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)] {
        let told = watched(workers, move |worker| program(worker, seed * 10 + worker.index() as u64));
        let (mut merges, mut rounds, mut under_way) = (0, 0, BTreeMap::<_, i64>::new());
        for (here, told) in told.into_iter().enumerate() {
            // By trace and length: batches there are.
            let mut batches = BTreeMap::<(usize, usize), i64>::new();
            for event in told.engine {
                let mut add = |operator, updates, by| *batches.entry((operator, updates)).or_default() += by;
                match event {
                    EngineEvent::BatchAdded { operator, updates } => add(operator, updates, 1),
                    EngineEvent::BatchDropped { operator, updates } => add(operator, updates, -1),
                    EngineEvent::BatchesMerged { operator, older, newer, made } => {
                        merges += 1;
                        assert!(made <= older + newer.unwrap_or(0));
                        add(operator, older, -1);
                        newer.iter().for_each(|newer| add(operator, *newer, -1));
                        if made > 0 {
                            add(operator, made, 1);
                        }
                    }
                    EngineEvent::RecordsSent { operator, worker, records } => {
                        *under_way.entry((operator, here, worker)).or_default() += records as i64;
                    }
                    EngineEvent::RecordsReceived { operator, worker, records } => {
                        *under_way.entry((operator, worker, here)).or_default() -= records as i64;
                    }
                    EngineEvent::Round { .. } => rounds += 1,
                }
                assert!(batches.values().all(|count| *count >= 0), "a batch goes that never came: {event:?}");
            }
            assert!(!batches.is_empty(), "seed {seed}, worker {here}");
            batches.retain(|_, count| *count != 0);
            assert_eq!(batches, BTreeMap::new(), "seed {seed}, worker {here}");
        }
        assert_eq!(under_way.is_empty(), workers == 1, "seed {seed}");
        under_way.retain(|_, records| *records != 0);
        assert_eq!(under_way, BTreeMap::new(), "seed {seed}");
        assert!(merges > 0 && rounds > 30, "seed {seed}: {merges} merges, {rounds} rounds");
    }
}

/// The operators inside the region: number to name. Checks what is told of them and of channels between them.
fn operators(events: &[TimelyEvent]) -> BTreeMap<usize, String> {
    let mut all = BTreeMap::new();
    let mut region = None;
    for event in events {
        if let TimelyEvent::Operates(event) = event {
            assert!(all.insert(event.id, (event.addr.clone(), event.name.clone())).is_none(), "{} twice", event.id);
            if event.name == "Region" && event.addr.len() == 2 {
                region = Some(event.addr.clone());
            }
        }
    }
    let region = region.expect("timely tells of the region");
    let inside: BTreeMap<usize, (Vec<usize>, String)> =
        all.into_iter().filter(|(_, (addr, _))| addr.len() == 3 && addr.starts_with(&region)).collect();
    let places: BTreeSet<usize> = inside.values().map(|(addr, _)| addr[2]).collect();
    let mut channels = BTreeSet::new();
    for event in events {
        if let TimelyEvent::Channels(event) = event
            && event.scope_addr == region
        {
            assert!(channels.insert(event.id), "{event:?} twice");
            assert!(places.contains(&event.source.0) && places.contains(&event.target.0), "{event:?}");
            assert!(event.typ.contains("Updates") || event.typ.contains("Span"), "{event:?}");
        }
    }
    assert!(channels.len() >= inside.len() - 2, "all but the inputs read something");
    inside.into_iter().map(|(id, (_, name))| (id, name)).collect()
}

#[test]
fn timely_is_told_of_nodes_channels_and_schedules() {
    for workers in [1, 2] {
        for told in watched(workers, |worker| program(worker, 7)) {
            let operators = operators(&told.timely);
            for name in ["edges", "variable of iterate", "join", "distinct", "output"] {
                assert!(operators.values().any(|known| known == name), "{name} in {operators:?}");
            }
            let (mut visits, mut running, mut shut) = (0, None, BTreeSet::new());
            for event in &told.timely {
                match event {
                    TimelyEvent::Schedule(event) if operators.contains_key(&event.id) => {
                        let before = match event.start_stop {
                            StartStop::Start => running.replace(event.id),
                            StartStop::Stop => running.take().filter(|started| *started != event.id),
                        };
                        assert_eq!(before, None, "visits are one after the other");
                        assert!(!shut.contains(&event.id), "{event:?} after its end");
                        visits += 1;
                    }
                    TimelyEvent::Shutdown(event) if operators.contains_key(&event.id) => {
                        assert!(shut.insert(event.id), "{event:?} twice");
                    }
                    _ => {}
                }
            }
            assert_eq!(running, None);
            assert!(visits > 30 * operators.len());
            assert!(shut.iter().eq(operators.keys()), "all are shut down at the end");
        }
    }
}

#[test]
fn what_stops_is_shut_down_at_once() {
    let told = watched(1, |worker| {
        let mut numbers = worker.dataflow(|scope| {
            let (session, numbers) = scope.input::<u64>("numbers");
            let _ = numbers.map(|number| 10 / number).inspect(|_, _, _| {});
            session
        })?;
        numbers.insert(0);
        worker.commit(&mut numbers).expect_err("division by zero");
        Ok(())
    });
    let operators = operators(&told[0].timely);
    let shut = |event: &TimelyEvent| match event {
        TimelyEvent::Shutdown(event) => operators.get(&event.id).map(String::as_str),
        _ => None,
    };
    assert_eq!(told[0].timely.iter().filter_map(shut).collect::<Vec<_>>(), ["map", "inspect", "numbers"]);
}

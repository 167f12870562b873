//! Records whose fields are typed at run time go through a whole dataflow: input, arrangement, join, loop, reduction,
//! output, with the public surface alone.
//!
//! ```text
//!   roads: (name, name)     start: name     towns: (name, [people, region])
//!   reached  = the names that roads lead to from the start
//!   crowds   = for each region, the people of its reached towns added up
//! ```
//!
//! Every commit's answer is compared with a plain loop over the rows present.

use std::collections::{BTreeMap, BTreeSet};

use differential::bytes::{Malformed, Reader};
use differential::collection::{Collection, Config, Scope, Session, run_alone};
use differential::column::{Column, Data};
use differential::operators::Output;
use differential::operators::join::MapPairs;
use difftest::Random;

#[path = "../src/column/records.rs"]
mod records;

use records::{Cell, Kind, LentRecord, Record, Records};

/// Names of towns: some alike in their first eight bytes, and enough of them for batches that are no longer flat.
const NAMES: [&str; 13] =
    ["", "a", "a longer name", "a longer town", "b", "b\0", "b\0\0", "c", "cc", "ccc", "z", "\u{e9}", "\u{1f980}"];
const REGIONS: [&str; 3] = ["north", "northern", "south"];

/// The rows present, in plain types.
#[derive(Clone, Debug, Default)]
struct Rows {
    roads: BTreeSet<(&'static str, &'static str)>,
    starts: BTreeSet<&'static str>,
    towns: BTreeMap<&'static str, (i64, &'static str)>,
}

fn text(text: &str) -> Record {
    Record(vec![Cell::Text(text.into())])
}

fn town(people: i64, region: &str) -> Record {
    Record(vec![Cell::Int(people), Cell::Text(region.into())])
}

/// Some of a record's fields.
fn project(record: LentRecord<'_>, places: &[usize]) -> Record {
    let record = Records::owned(record);
    Record(places.iter().map(|place| record.0[*place].clone()).collect())
}

fn people(record: LentRecord<'_>) -> i64 {
    match Records::owned(record).0[0] {
        Cell::Int(people) => people,
        Cell::Text(ref text) => panic!("{text} is no number"),
    }
}

/// What the dataflow must say, by walking the roads.
fn crowds(rows: &Rows) -> Vec<((Record, Record), i64)> {
    let (mut reached, mut fresh) = (rows.starts.clone(), rows.starts.clone());
    while !fresh.is_empty() {
        let targets = rows.roads.iter().filter(|(source, _)| fresh.contains(source)).map(|(_, target)| *target);
        fresh = targets.filter(|target| !reached.contains(target)).collect();
        reached.extend(&fresh);
    }
    let mut crowds: BTreeMap<&str, i64> = BTreeMap::new();
    for (people, region) in reached.iter().filter_map(|name| rows.towns.get(name)) {
        *crowds.entry(region).or_default() += people;
    }
    crowds.into_iter().map(|(region, people)| ((text(region), Record(vec![Cell::Int(people)])), 1)).collect()
}

type Sessions = (Session<(Record, Record)>, Session<Record>, Session<(Record, Record)>);

fn dataflow(scope: &Scope) -> (Sessions, Output<(Record, Record)>) {
    let (name, number) = (vec![Kind::Text], vec![Kind::Int]);
    let (road_session, roads) = scope.input_of_shape("roads", (name.clone(), name.clone()));
    let (start_session, starts) = scope.input_of_shape("start", name.clone());
    let (town_session, towns) = scope.input_of_shape("towns", (name.clone(), vec![Kind::Int, Kind::Text]));

    let by_source = roads.arrange_by_key("roads by source");
    let reached = starts.iterate(|near: &Collection<Record>| {
        let target = MapPairs::new(|_: LentRecord<'_>, (), target: LentRecord<'_>| Records::owned(target));
        let near = near.arrange_by_self("near");
        near.join_with(&by_source, name.clone(), target).concat(&starts).distinct()
    });
    let by_region =
        MapPairs::new(|_: LentRecord<'_>, (), town: LentRecord<'_>| (project(town, &[1]), project(town, &[0])));
    let crowds = reached
        .arrange_by_self("reached")
        .join_with(&towns.arrange_by_key("towns by name"), (name.clone(), number.clone()), by_region)
        .arrange_by_key("reached towns by region")
        .reduce_to("crowds", (name, number), |_, towns, crowds| {
            let sum = towns.iter().map(|(town, count): &(LentRecord<'_>, i64)| people(*town) * count).sum();
            crowds.push((Record(vec![Cell::Int(sum)]), 1));
        })
        .pairs();
    ((road_session, start_session, town_session), crowds.output())
}

/// Inserts or removes one road, start or town.
fn change(rows: &mut Rows, (roads, starts, towns): &mut Sessions, mut pick: impl FnMut(usize) -> usize) {
    let (name, other) = (NAMES[pick(NAMES.len())], NAMES[pick(NAMES.len())]);
    match pick(8) {
        0..5 => {
            let sign = if rows.roads.remove(&(name, other)) { -1 } else { 1 };
            roads.update((text(name), text(other)), sign);
            if sign > 0 {
                rows.roads.insert((name, other));
            }
        }
        5 => {
            let sign = if rows.starts.remove(name) { -1 } else { 1 };
            starts.update(text(name), sign);
            if sign > 0 {
                rows.starts.insert(name);
            }
        }
        _ => {
            let new = (1 + pick(100) as i64, REGIONS[pick(REGIONS.len())]);
            if let Some((people, region)) = rows.towns.insert(name, new) {
                towns.remove((text(name), town(people, region)));
            }
            towns.insert((text(name), town(new.0, new.1)));
        }
    }
}

#[test]
fn records_typed_at_run_time_go_through_a_dataflow() {
    for seed in 1..=6u64 {
        run_alone(Config::default(), |worker| {
            let (mut sessions, output) = worker.dataflow(dataflow)?;
            let (mut rows, mut random) = (Rows::default(), Random::new(seed));
            for commit in 0..40 {
                // At first a load, then a few changes at a time.
                for _ in 0..if commit == 0 { 300 } else { 1 + commit % 4 } {
                    change(&mut rows, &mut sessions, |end| random.index(end));
                }
                let (roads, starts, towns) = &mut sessions;
                worker.commit((roads, starts, towns))?;
                assert_eq!(output.rows(), Ok(crowds(&rows)), "seed {seed}, commit {commit}, {rows:?}");
            }
            Ok::<_, Box<dyn std::error::Error>>(())
        })
        .unwrap();
    }
}

//! Aggregates say what plain loops over the group say: at every time of a box, and of a line, where sums keep no
//! history.
//!
//! The oracle writes each record out as often as it is there, and uses sorts and folds of the standard library.

use std::cell::Cell;
use std::cmp::Reverse;
use std::rc::Rc;

use tests::{Grid, Kept, Pair, Random, by_group, check_all, every_way, history, recompute};

use differential::collection::Collection;
use differential::column::{Data, ShapeOf};
use differential::{Config, Error, run_alone};

/// The values that are there, each as often as it is, in order.
fn listed(values: &[(u32, i64)]) -> Vec<u32> {
    values.iter().flat_map(|(value, count)| (0..*count).map(|_| *value)).collect()
}

/// What the values come to, and how many there are; counts below zero count, too.
fn total(values: &[(u32, i64)]) -> (i64, i64) {
    values.iter().fold((0, 0), |(sum, records), (value, count)| (sum + i64::from(*value) * count, records + count))
}

/// To the nearest integer, a half away from zero.
fn rounded(sum: i64, records: i64) -> i64 {
    (sum as f64 / records as f64).round() as i64
}

/// Runs a claim about groups on random histories, over a box and over a line.
#[track_caller]
fn on_groups<V: Data>(
    program: impl Fn(&Collection<Pair>) -> Collection<(u32, V)> + Clone + Send + Sync + 'static,
    made_of: impl Fn(&[(u32, i64)]) -> Vec<V>,
) where
    ShapeOf<V>: Default,
{
    let once = |values: Vec<V>| values.into_iter().map(|value| (value, 1)).collect();
    let oracle = recompute(|bags| by_group(&bags[0], |values| once(made_of(values))));
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let grid = if seed % 3 == 0 { Grid::line(8) } else { Grid::square(3) };
        let (updates, keys, values) = [(6, 2, 2), (25, 5, 3), (60, 1, 8), (80, 1, 30)][seed as usize % 4];
        let inputs = [history(&mut random, &grid, updates, keys, values)];
        let program = program.clone();
        let program = move |inputs: &[Collection<Pair>], _: &mut Kept| program(&inputs[0]);
        check_all(("seed", seed), &grid, &every_way(&grid, seed), &inputs, program, &oracle);
    }
}

#[test]
fn sum_and_avg() {
    on_groups(
        |pairs| pairs.sum(|value| i64::from(value) - 2),
        |group| {
            let (sum, records) = total(group);
            (records > 0).then_some(sum - 2 * records).into_iter().collect()
        },
    );
    on_groups(
        |pairs| pairs.avg(|value| 10 * i64::from(value)),
        |group| {
            let (sum, records) = total(group);
            (records > 0).then(|| rounded(10 * sum, records)).into_iter().collect()
        },
    );
}

#[test]
fn top_takes_the_greatest_keys_and_of_equal_ones_the_lesser_values() {
    on_groups(
        |pairs| pairs.top(3, |value| value % 4),
        |group| {
            let mut listed = listed(group);
            listed.sort_by_key(|value| (Reverse(value % 4), *value));
            listed.truncate(3);
            listed
        },
    );
    on_groups(
        |pairs| pairs.top_by(2, |a, b| (a % 3).cmp(&(b % 3))),
        |group| {
            let mut listed = listed(group);
            listed.sort_by_key(|value| (value % 3, *value));
            listed.truncate(2);
            listed
        },
    );
}

#[test]
fn huge_groups_are_reduced_bucket_by_bucket() {
    on_groups(
        |pairs| {
            // Values far apart, so that their buckets differ.
            let pairs = pairs.map(|(key, value)| (key, 1_000_003 * value)).hierarchical(3);
            pairs.min().concat(&pairs.max()).concat(&pairs.top(3, |value| value % 4))
        },
        |group| {
            let listed: Vec<u32> = listed(group).into_iter().map(|value| 1_000_003 * value).collect();
            let mut top = listed.clone();
            top.sort_by_key(|value| (Reverse(value % 4), *value));
            top.truncate(3);
            [&listed[..listed.len().min(1)], &listed[listed.len().saturating_sub(1)..], &top].concat()
        },
    );
}

/// How many values `top` looks at when the greatest of a group is taken away and put back: on the way to its answer,
/// the key of each is asked for once.
fn values_read(rows: u32, top: fn(&Collection<((), u32)>, Counting) -> Collection<((), u32)>) -> u64 {
    let read = Rc::new(Cell::new(0));
    let counting: Counting = Rc::clone(&read);
    let read = run_alone(Config::default(), |worker| {
        let (mut values, best) = worker.dataflow(|scope| {
            let (session, values) = scope.input("values");
            (session, top(&values, counting).output())
        })?;
        (0..rows).for_each(|value| values.insert(((), value)));
        worker.commit(&mut values)?;
        read.set(0);
        values.remove(((), rows - 1));
        worker.commit(&mut values)?;
        assert_eq!(best.rows()?, vec![(((), rows - 2), 1)]);
        values.insert(((), rows - 1));
        worker.commit(&mut values)?;
        assert_eq!(best.rows()?, vec![(((), rows - 1), 1)]);
        Ok::<_, Error>(read.get())
    });
    read.expect("nothing in it fails")
}

type Counting = Rc<Cell<u64>>;

#[test]
fn a_change_of_a_huge_group_reads_few_of_its_values() {
    fn key(counting: Counting) -> impl FnMut(u32) -> u32 + Clone {
        move |value| {
            counting.set(counting.get() + 1);
            value
        }
    }
    let plain: fn(&Collection<((), u32)>, Counting) -> _ = |values, counting| values.top(1, key(counting));
    let levels: fn(&Collection<((), u32)>, Counting) -> _ =
        |values, counting| values.hierarchical(3).top(1, key(counting));
    let (small, huge) = (values_read(10, plain), values_read(1 << 16, levels));
    assert!(small >= 19, "9 values and then 10, or the count is not of values: {small}");
    assert!(huge <= 50 * small, "of 65,536 values {huge} were read, of 10 values {small}");
    assert!(values_read(1000, plain) >= 1999, "one reduction reads the whole group");
}

#[test]
fn any_is_one_of_the_values_and_the_same_in_every_way() {
    on_groups(|pairs| pairs.any(), |group| listed(group).into_iter().take(1).collect());
}

#[test]
fn several_aggregates_in_one_pass() {
    on_groups(
        |pairs| {
            pairs.aggregate("several", |group| {
                let numbers = (group.count(), group.sum(i64::from)?, group.avg(i64::from)?);
                let least_last = group.top_by(2, |a, b| b.cmp(&a));
                Ok((numbers, group.min(), group.max(), (group.collect(), group.top(2, |value| value % 5), least_last)))
            })
        },
        |group| {
            let ((sum, records), listed) = (total(group), listed(group));
            if records <= 0 {
                return vec![];
            }
            let first = |mut list: Vec<u32>, key: fn(u32) -> (Reverse<u32>, u32)| {
                list.sort_by_key(|value| key(*value));
                list.truncate(2);
                list
            };
            let top = first(listed.clone(), |value| (Reverse(value % 5), value));
            let last = first(listed.clone(), |value| (Reverse(value), value));
            let (least, greatest) = (listed[0], listed[listed.len() - 1]);
            vec![((records, sum, rounded(sum, records)), least, greatest, (listed, top, last))]
        },
    );
}

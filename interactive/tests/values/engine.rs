//! Rows go through the engine: sorted, added up, joined, whatever of them their prefixes say.
//!
//! ```text
//!   [Int]            the prefix is the row, so a sort never looks at it again
//!   [Bool, Shape]    both packed into one
//!   [Int, Float, ..] a sort looks at two words of it
//!   [Text], [list]   the prefix is a beginning
//! ```

use crate::column::column_laws::Random;
use crate::random;
use differential::collection::{Config, run_alone};
use differential::operators::join::MapPairs;
use interactive::value::{Kind, Row, RowRef, Schema, Value};
use std::collections::BTreeMap;

type Pair = (Row, Row);

fn row(random: &mut Random, schema: &Schema) -> Row {
    let few = |random: &mut Random, kind: &Kind| match kind {
        // Enough of them for batches that are no longer flat, and for a sort in buckets.
        Kind::Int => Value::Int(random.below(3_000) as i64 - 1_500),
        kind => random::value(random, kind),
    };
    schema.iter().map(|kind| few(random, kind)).collect()
}

fn check(key: Schema, value: Schema, seed: u64) {
    run_alone(Config::default(), |worker| {
        let (mut left, mut right, sums, joined) = worker.dataflow(|scope| {
            let (left_session, left) = scope.input_of_shape::<Pair>("left", (key.clone(), value.clone()));
            let (right_session, right) = scope.input_of_shape::<Pair>("right", (key.clone(), value.clone()));
            let both = MapPairs::new(|_: RowRef<'_>, left: RowRef<'_>, right: RowRef<'_>| (left.row(), right.row()));
            let joined = left.arrange_by_key("left by key").join_with(
                &right.arrange_by_key("right by key"),
                (value.clone(), value.clone()),
                both,
            );
            (left_session, right_session, left.output(), joined.output())
        })?;
        let mut random = Random::seeded(seed);
        let mut bags: [BTreeMap<Pair, i64>; 2] = Default::default();
        for commit in 0..3 {
            for (side, bag) in bags.iter_mut().enumerate() {
                for _ in 0..[9_000, 40, 2][commit] {
                    let pair = (row(&mut random, &key), row(&mut random, &value));
                    let diff = if random.below(4) == 0 { -1 } else { 1 };
                    *bag.entry(pair.clone()).or_default() += diff;
                    if side == 0 { left.update(pair, diff) } else { right.update(pair, diff) }
                }
                bag.retain(|_, count| *count != 0);
            }
            worker.commit((&mut left, &mut right))?;
            let wanted: Vec<(Pair, i64)> = bags[0].iter().map(|(pair, count)| (pair.clone(), *count)).collect();
            assert!(sums.rows()? == wanted, "seed {seed}, commit {commit}: what {key:?}, {value:?} add up to");
            let mut pairs: BTreeMap<Pair, i64> = BTreeMap::new();
            for ((key, one), count) in &bags[0] {
                let others =
                    bags[1].range((key.clone(), Row::from_iter([]))..).take_while(|((other, _), _)| other == key);
                others.for_each(|((_, two), times)| {
                    *pairs.entry((one.clone(), two.clone())).or_default() += count * times;
                });
            }
            pairs.retain(|_, count| *count != 0);
            assert!(joined.rows()? == pairs.into_iter().collect::<Vec<_>>(), "seed {seed}, commit {commit}: joins");
        }
        Ok::<_, Box<dyn std::error::Error>>(())
    })
    .unwrap();
}

#[test]
fn rows_go_through_the_engine() {
    check([Kind::Int].into(), [Kind::Int].into(), 1);
    check([Kind::Int, Kind::Int].into(), [].into(), 2);
    check([Kind::Int].into(), [Kind::Text, Kind::Bool].into(), 3);
    check([Kind::Int, Kind::Float, Kind::Int].into(), [Kind::Int].into(), 7);
    let mut random = Random::seeded(4);
    let wide = random::schema(&mut random, 3, 2);
    check([Kind::Int, Kind::Text].into(), wide, 5);
    check([Kind::Int, Kind::Sum([None, None, Some(Kind::Bool)].into())].into(), [Kind::Bool].into(), 6);
}

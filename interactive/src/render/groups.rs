//! What becomes of a group: aggregates, first rows.
//!
//! ```text
//!   key (a)   values (x, y) with counts     aggregates       sum(x)  max(y)  outcome
//!             (3, "b") 2  (5, "a") 1        ----------->         11     "b"        0
//!                                                                 0      ""        2: the first aggregate overflows
//! ```
//!
//! All aggregates of a group are one reduction, and so is a top. What a reduction makes has one column more, the
//! *outcome*: so that a group that fails is a row like any other as long as it fails, and becomes an error behind the
//! reduction. A group with a row whose count is negative fails.
//!
//! Cost: a look at all values of a group when one of them changes. Sums are exact: of ints in 128 bits, of floats in
//! ascending order, so that they depend on nothing but the values.

use super::failures::{Shared, Teller, error_schema};
use super::picked::Layout;
use crate::language::files::Span;
use crate::language::functions::AggregateFunction;
use crate::language::types::Column as Named;
use crate::plan::tree::{Aggregate, Picked, Place};
use crate::value::{Kind, Kinds, Row, RowRef, Rows, Schema, Value, ValueRef, Values};
use differential::collection::Made;
use differential::column::Column;
use differential::{Arranged, Collection};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// At most so many items are collected into one list.
const COLLECTED: i64 = 1 << 24;

/// How groups come out.
mod outcome {
    pub(super) const FINE: i64 = 0;
    pub(super) const NEGATIVE: i64 = 1;

    /// The aggregate of this number overflows.
    pub(super) fn overflow(at: usize) -> i64 {
        2 + 2 * at as i64
    }

    /// The aggregate of this number collects too much.
    pub(super) fn too_long(at: usize) -> i64 {
        3 + 2 * at as i64
    }
}

/// A value of a group with its count.
type Counted<'a> = (RowRef<'a>, i64);

/// What an operator on groups needs to know of the plan.
pub(super) struct Of<'a> {
    pub(super) kinds: &'a Kinds,
    pub(super) shared: &'a Rc<Shared>,
    /// The columns of the arrangement, its key first.
    pub(super) arranged: &'a [Named],
    pub(super) key_width: usize,
    /// What is made.
    pub(super) columns: &'a [Named],
    pub(super) place: &'a Place,
}

impl Of<'_> {
    fn key(&self) -> &[Named] {
        &self.arranged[..self.key_width]
    }
}

/// A row for each group: its key, then the aggregates. And the errors.
pub(super) fn group(
    input: &Arranged<Layout>,
    aggregates: &[Aggregate],
    of: &Of<'_>,
) -> (Collection<Row>, Collection<Row>) {
    let made = of.kinds.schema(&of.columns[of.key_width..]);
    let aggregates: Vec<Aggregate> = aggregates.to_vec();
    let spans: Vec<Span> = aggregates.iter().map(|aggregate| aggregate.span).collect();
    let ends = ends(&aggregates);
    let logic = {
        let made = made.clone();
        move |_: RowRef<'_>, values: &[Counted<'_>], output: &mut Vec<(Row, i64)>| {
            output.push((group_row(values, &aggregates, &made), 1));
            Ok(())
        }
    };
    let shapes = shapes(of, &made);
    let reduced = match ends {
        Some(ends) => input.reduce_absorbing("group", shapes, move |is, new| absorbs(is, new, &ends), logic),
        None => input.try_reduce_to("group", shapes, logic),
    };
    let output: Vec<usize> = (0..of.columns.len()).collect();
    settled(&reduced, output, (&of.columns[..of.key_width], spans), of)
}

/// The first rows of each group. And the errors.
pub(super) fn top(
    input: &Arranged<Layout>,
    count: i64,
    by: &[(Picked, bool)],
    output: &[Picked],
    of: &Of<'_>,
) -> (Collection<Row>, Collection<Row>) {
    // What is kept of a value: the columns of it that are asked for.
    let kept: Vec<usize> = output.iter().filter_map(|picked| in_value(*picked)).collect();
    let made = of.kinds.schema(&kept.iter().map(|at| of.arranged[of.key_width + at].clone()).collect::<Vec<_>>());
    // The key is the same for all rows of a group.
    let by: Vec<(usize, bool)> = by.iter().filter_map(|(picked, down)| Some((in_value(*picked)?, *down))).collect();
    let mut places = 0..;
    let place = |picked: &Picked| match picked {
        Picked::Key(at) => *at,
        _ => of.key_width + places.next().expect("as many as one wants"),
    };
    let places = output.iter().map(place).collect();
    let logic = {
        let made = made.clone();
        move |_: RowRef<'_>, values: &[Counted<'_>], output: &mut Vec<(Row, i64)>| {
            first_rows(values, count, &by, &kept, &made, output);
        }
    };
    let reduced = input.reduce_to("top", shapes(of, &made), logic);
    settled(&reduced, places, (of.key(), Vec::new()), of)
}

fn in_value(picked: Picked) -> Option<usize> {
    match picked {
        Picked::Key(_) => None,
        Picked::Left(at) | Picked::Right(at) => Some(at),
    }
}

/// The key of a reduction, and its rows: these columns with an outcome behind them.
fn shapes(of: &Of<'_>, made: &Schema) -> (Schema, Schema) {
    (of.kinds.schema(of.key()), made.iter().cloned().chain([Kind::Int]).collect())
}

/// If all aggregates are ends of a group: of which column, and whether the greatest value of it.
fn ends(aggregates: &[Aggregate]) -> Option<Vec<(usize, bool)>> {
    let end = |aggregate: &Aggregate| match aggregate.function {
        AggregateFunction::Min | AggregateFunction::Any => Some((aggregate.of?, false)),
        AggregateFunction::Max => Some((aggregate.of?, true)),
        _ => None,
    };
    aggregates.iter().map(end).collect()
}

/// Whether a group with this result keeps it when it gets a value that is new: no end is passed.
fn absorbs(is: RowRef<'_>, new: RowRef<'_>, ends: &[(usize, bool)]) -> bool {
    let mut ends = ends.iter().enumerate();
    is.field(ends.len()).value() == Value::Int(outcome::FINE)
        && ends.all(|(at, (of, greatest))| {
            let order = is.field(at).cmp(&new.field(*of));
            if *greatest { order.is_ge() } else { order.is_le() }
        })
}

/// What groups make, by columns of key and value: rows, and errors of the groups that fail. Those tell of the key, and of
/// the places of aggregates.
fn settled(
    reduced: &Arranged<Layout>,
    output: Vec<usize>,
    (key, spans): (&[Named], Vec<Span>),
    of: &Of<'_>,
) -> (Collection<Row>, Collection<Row>) {
    let teller = of.shared.teller(&key.iter().cloned().collect::<Arc<[Named]>>(), &of.place.statement);
    let (schema, span) = (of.kinds.schema(of.columns), of.place.span);
    let logic = move |data: &mut (Rows, Rows), made: &mut Made<Row>, failed: &mut Made<Row>| {
        split(data, &output, &schema, made, |key, row, outcome| {
            failed.data.push_owned(told(&teller, key, outcome, &spans, span));
            failed.rows.push(row);
        });
    };
    let schema = of.kinds.schema(of.columns);
    reduced.pairs().try_map_columns::<Row, Row>("groups", schema, error_schema(), logic)
}

/// Puts rows together of what is fine, and hands out the keys of what is not.
fn split(
    (keys, values): &mut (Rows, Rows),
    output: &[usize],
    schema: &Schema,
    made: &mut Made<Row>,
    mut fails: impl FnMut(RowRef<'_>, u32, i64),
) {
    let (key_width, len) = (keys.schema().len(), keys.len());
    let outcomes = values.fields().last().expect("the outcome");
    let mut fine: Vec<u32> = Vec::new();
    for row in 0..len as u32 {
        match outcomes.int(row as usize) {
            outcome::FINE => fine.push(row),
            failed => fails(keys.get(row as usize), row, failed),
        }
    }
    let column = |at: usize| match at.checked_sub(key_width) {
        None => &keys.fields()[at],
        Some(at) => &values.fields()[at],
    };
    let fields = output.iter().zip(schema.iter()).map(|(at, kind)| {
        let mut field = Values::empty(kind);
        match fine.len() == len {
            true => field.extend_range(column(*at), 0..len),
            false => field.extend_gather(column(*at), &fine),
        }
        field
    });
    made.data = Rows::of_fields(schema.clone(), fine.len(), fields.collect());
    made.each = fine.len() == len;
    made.rows = fine;
}

fn told(teller: &Teller, key: RowRef<'_>, outcome: i64, spans: &[Span], span: Span) -> Row {
    let of = |at: i64| spans[at as usize];
    match outcome {
        outcome::NEGATIVE => teller.tell(key, span, "a row of the group is there a negative number of times"),
        other if other % 2 == 0 => teller.tell(key, of(other / 2 - 1), "an int overflows"),
        other => teller.tell(key, of(other / 2 - 1), "more items than a list may have"),
    }
}

/// The aggregates of a group, and its outcome.
fn group_row(values: &[Counted<'_>], aggregates: &[Aggregate], made: &Schema) -> Row {
    let fails = |outcome: i64| made.iter().map(blank).chain([Value::Int(outcome)]).collect();
    if values.iter().any(|(_, count)| *count < 0) {
        return fails(outcome::NEGATIVE);
    }
    let mut row = SmallVec::new();
    for (at, aggregate) in aggregates.iter().enumerate() {
        match value(values, aggregate) {
            Some(value) => row.push(value),
            None if aggregate.function == AggregateFunction::Collect => return fails(outcome::too_long(at)),
            None => return fails(outcome::overflow(at)),
        }
    }
    row.push(Value::Int(outcome::FINE));
    Row(row)
}

/// An aggregate of values, none of whose counts is negative; nothing if it does not fit.
fn value<'a>(values: &[Counted<'a>], aggregate: &Aggregate) -> Option<Value> {
    let of = |row: &RowRef<'a>| row.field(aggregate.of.expect("all but counts are of something"));
    let count = || values.iter().map(|(_, count)| i128::from(*count)).sum::<i128>();
    // Values ascend, and so does their first column.
    let ascends = aggregate.of == Some(0);
    match aggregate.function {
        AggregateFunction::Count => i64::try_from(count()).ok().map(Value::Int),
        AggregateFunction::Min | AggregateFunction::Any if ascends => values.first().map(|(row, _)| of(row).value()),
        AggregateFunction::Max if ascends => values.last().map(|(row, _)| of(row).value()),
        AggregateFunction::Min | AggregateFunction::Any => {
            values.iter().map(|(row, _)| of(row)).min().map(ValueRef::value)
        }
        AggregateFunction::Max => values.iter().map(|(row, _)| of(row)).max().map(ValueRef::value),
        AggregateFunction::Collect => {
            if count() > i128::from(COLLECTED) {
                return None;
            }
            let mut items: Vec<Value> = Vec::new();
            for (row, count) in values {
                items.extend(std::iter::repeat_n(of(row).value(), *count as usize));
            }
            items.sort_unstable();
            Some(Value::list(items))
        }
        AggregateFunction::Sum | AggregateFunction::Average => {
            let mean = aggregate.function == AggregateFunction::Average;
            match of(&values[0].0).value() {
                Value::Int(_) => {
                    let mut sum: i128 = 0;
                    for (row, count) in values {
                        let Value::Int(number) = of(row).value() else { unreachable!("a column of ints") };
                        sum = sum.checked_add(i128::from(number) * i128::from(*count))?;
                    }
                    match mean {
                        true => Some(Value::float(sum as f64 / count() as f64)),
                        false => i64::try_from(sum).ok().map(Value::Int),
                    }
                }
                _ => {
                    let sum = float_sum(values.iter().map(|(row, count)| (of(row).value(), *count)));
                    Some(Value::float(if mean { sum / count() as f64 } else { sum }))
                }
            }
        }
    }
}

/// The sum of floats with counts: equal ones first, then in ascending order.
fn float_sum(numbers: impl Iterator<Item = (Value, i64)>) -> f64 {
    let mut counts: BTreeMap<Value, i128> = BTreeMap::new();
    numbers.for_each(|(number, count)| *counts.entry(number).or_default() += i128::from(count));
    let product = |(number, count): (Value, i128)| match number {
        Value::Float(number) => number.get() * count as f64,
        other => unreachable!("{other:?} in a column of floats"),
    };
    counts.into_iter().map(product).fold(0.0, |sum, product| sum + product)
}

/// The first `wanted` rows of a group, of each as many copies as there are.
fn first_rows(
    values: &[Counted<'_>],
    wanted: i64,
    by: &[(usize, bool)],
    kept: &[usize],
    made: &Schema,
    output: &mut Vec<(Row, i64)>,
) {
    if values.iter().any(|(_, count)| *count < 0) {
        output.push((made.iter().map(blank).chain([Value::Int(outcome::NEGATIVE)]).collect(), 1));
        return;
    }
    let order = |left: &RowRef<'_>, right: &RowRef<'_>| {
        let asked = by.iter().map(|(at, down)| {
            let order = left.field(*at).cmp(&right.field(*at));
            if *down { order.reverse() } else { order }
        });
        let whole = kept.iter().map(|at| left.field(*at).cmp(&right.field(*at)));
        asked.chain(whole).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let mut rows: Vec<&Counted<'_>> = values.iter().collect();
    let most = usize::try_from(wanted).unwrap_or(usize::MAX);
    if most < rows.len() {
        // A row has one copy at least.
        rows.select_nth_unstable_by(most, |left, right| order(&left.0, &right.0));
        rows.truncate(most);
    }
    rows.sort_unstable_by(|left, right| order(&left.0, &right.0));
    let mut left = wanted;
    for (row, count) in rows {
        let taken = left.min(*count);
        let fields = kept.iter().map(|at| row.field(*at).value());
        output.push((fields.chain([Value::Int(outcome::FINE)]).collect(), taken));
        left -= taken;
        if left == 0 {
            break;
        }
    }
}

/// Some value of a kind: what stands in a group that fails.
fn blank(kind: &Kind) -> Value {
    match kind {
        Kind::Int => Value::Int(0),
        Kind::Float => Value::float(0.0),
        Kind::Bool => Value::Bool(false),
        Kind::Text => Value::text(""),
        Kind::Tuple(fields) => Value::tuple(fields.iter().map(blank)),
        Kind::List(_) => Value::list([]),
        Kind::Sum(variants) => Value::Sum(0, variants[0].as_ref().map(|held| Box::new(blank(held)))),
    }
}

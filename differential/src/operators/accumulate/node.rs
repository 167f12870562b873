//! The node that adds intervals to the sums, and says what became of a function of them.

use super::sums::Sums;
use crate::collection::{Changes, Collection};
use crate::column::{Column, Data, Lent, ShapeOf};
use crate::diff::Diff;
use crate::error::{Fault, Reason};
use crate::layout::Rows;
use crate::operators::collecting::Collecting;
use crate::region::{Input, Node, Output, SlotRule, Visit};
use crate::time::{Frontier, Point, TimeColumn};
use crate::updates::{Keyed, Updates};

/// Units of fuel for a row: a search and what it emits.
const ROW_UNITS: u64 = 16;

/// For each record whose count is not zero, what `logic` makes of that count: a value with a count, or nothing; `push`
/// makes a record of both. Only where times are totally ordered.
pub(in crate::operators) fn accumulate<D: Data, R: Diff, V: PartialEq + 'static, D2: Data, R2: Diff>(
    source: &Collection<D, R>,
    name: &str,
    shape: ShapeOf<D2>,
    logic: impl FnMut(Lent<'_, D>, &R) -> Result<Option<(V, R2)>, Reason> + 'static,
    push: impl Fn(&mut D2::Column, Lent<'_, D>, V) + 'static,
) -> Collection<D2, R2> {
    // What is added up must meet.
    let placed = source.exchange();
    let scope = placed.scope();
    assert_eq!(scope.depth(), 1, "times of several coordinates are ordered partially");
    let region = scope.region();
    let node = region.reserve(name, scope.depth(), SlotRule::Meet);
    let input = region.connect(node, &placed.stream);
    let (output, stream) = region.output(node);
    let sums = Sums::new(&placed.shape);
    let made = shape.clone();
    let account = Account { output, sums, shape: made, logic, push };
    region.install(node, Accumulate { input, collecting: Collecting::new(), account });
    Collection { stream, scope: scope.clone(), shape, settled: true, gathered: false }
}

struct Accumulate<D: Data, R: Diff, D2: Data, R2: Diff, F, P> {
    input: Input<Changes<D, R>>,
    collecting: Collecting<Rows<D, (), Point, R>>,
    account: Account<D, R, D2, R2, F, P>,
}

/// The sums, and where what becomes of them goes.
struct Account<D: Data, R: Diff, D2: Data, R2: Diff, F, P> {
    output: Output<Changes<D2, R2>>,
    sums: Sums<D, R>,
    shape: ShapeOf<D2>,
    logic: F,
    push: P,
}

impl<D: Data, R: Diff, V: PartialEq + 'static, D2: Data, R2: Diff, F, P> Node for Accumulate<D, R, D2, R2, F, P>
where
    F: FnMut(Lent<'_, D>, &R) -> Result<Option<(V, R2)>, Reason> + 'static,
    P: Fn(&mut D2::Column, Lent<'_, D>, V) + 'static,
{
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        while let Some(updates) = self.input.next() {
            self.collecting.push(Keyed::by_self(updates));
        }
        let Accumulate { collecting, account, .. } = self;
        collecting.rows(visit, |rows, _, fuel| {
            fuel.take(ROW_UNITS * rows.len() as u64);
            account.add(rows)?;
            rows.clear();
            Ok(())
        })
    }

    fn holds(&self, holds: &mut Frontier<Point>) {
        self.collecting.holds(holds);
    }
}

impl<D: Data, R: Diff, V: PartialEq + 'static, D2: Data, R2: Diff, F, P> Account<D, R, D2, R2, F, P>
where
    F: FnMut(Lent<'_, D>, &R) -> Result<Option<(V, R2)>, Reason> + 'static,
    P: Fn(&mut D2::Column, Lent<'_, D>, V) + 'static,
{
    /// Adds rows, all of which are complete, and sends what that changes.
    fn add(&mut self, rows: &Keyed<Rows<D, (), Point, R>>) -> Result<(), Fault> {
        let Account { output, sums, shape, logic, push } = self;
        let mut parcel = output.spare();
        let made = parcel.get_or_insert_with(|| Updates::empty(shape));
        let added = sums.add(&rows.keys, &rows.diffs, |row, before, after| {
            let record = rows.keys.get(row);
            let mut of = |count: &R| if count.is_zero() { Ok(None) } else { logic(record, count) };
            let (was, is) = (of(before)?, of(after)?);
            let mut emit = |value: V, diff: R2| {
                if !diff.is_zero() {
                    push(&mut made.data, record, value);
                    made.times.extend_range(&rows.times, row..row + 1);
                    made.diffs.push(diff);
                }
            };
            match (was, is) {
                (Some((was, count)), Some((is, now))) if was == is => emit(is, now.plus(&count.negate()?)?),
                (was, is) => {
                    if let Some((value, count)) = was {
                        emit(value, count.negate()?);
                    }
                    if let Some((value, count)) = is {
                        emit(value, count);
                    }
                }
            }
            Ok(())
        });
        added.map_err(|(row, fault)| fault.at(rows.times.get(row)))?;
        if !made.is_empty() {
            output.ship(parcel);
        }
        Ok(())
    }
}

//! [`Group`]: the values of one key, and what can be asked of them.

use std::cmp::Ordering;

use crate::column::{Column, Data, Lent};
use crate::error::Reason;

/// The values of one key with their counts: more than zero records in all.
///
/// `count`, `sum` and `avg` take every count as it is, negative ones too. All others see the values that are there:
/// those whose count is positive. There is always one of these.
pub struct Group<'a, 'v, V: Data> {
    /// Values in ascending order, with counts other than zero.
    values: &'a [(Lent<'v, V>, i64)],
    records: i64,
}

impl<'a, 'v, V: Data> Group<'a, 'v, V> {
    /// The group of these values, if it is there.
    pub(super) fn new(values: &'a [(Lent<'v, V>, i64)]) -> Result<Option<Self>, Reason> {
        let records: i128 = values.iter().map(|(_, count)| i128::from(*count)).sum();
        if records <= 0 {
            return Ok(None);
        }
        Ok(Some(Group { values, records: i64::try_from(records).map_err(|_| Reason::Overflow)? }))
    }

    /// How many records: the sum of all counts.
    pub fn count(&self) -> i64 {
        self.records
    }

    /// The values that are there, in ascending order, each once with its count.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = (Lent<'v, V>, i64)> {
        there::<V>(self.values)
    }

    /// The sum of what `amount` makes of each record.
    ///
    /// # Errors
    /// [`Reason::Overflow`] if it is out of the range of `i64`. Only the sum itself counts, not what comes up on the
    /// way.
    pub fn sum(&self, amount: impl FnMut(Lent<'v, V>) -> i64) -> Result<i64, Reason> {
        i64::try_from(self.total(amount)?).map_err(|_| Reason::Overflow)
    }

    /// The average of what `amount` makes of each record, rounded to the nearest integer, a half away from zero.
    ///
    /// Whoever needs more digits multiplies first: `group.avg(|metres| 1000 * metres)` is in millimetres.
    ///
    /// # Errors
    /// [`Reason::Overflow`] if it is out of the range of `i64`, which takes negative counts.
    pub fn avg(&self, amount: impl FnMut(Lent<'v, V>) -> i64) -> Result<i64, Reason> {
        average(self.total(amount)?, self.records)
    }

    fn total(&self, mut amount: impl FnMut(Lent<'v, V>) -> i64) -> Result<i128, Reason> {
        let products = self.values.iter().map(|(value, count)| i128::from(amount(*value)) * i128::from(*count));
        // Products of two halves of the range: it takes two of the greatest to leave it.
        let total = products.into_iter().try_fold(0i128, i128::checked_add);
        total.ok_or(Reason::Overflow)
    }

    /// The least value.
    pub fn min(&self) -> V {
        let (least, _) = self.values().next().expect("a group that is there has a value");
        V::Column::owned(least)
    }

    /// The greatest value.
    pub fn max(&self) -> V {
        let (greatest, _) = self.values().next_back().expect("a group that is there has a value");
        V::Column::owned(greatest)
    }

    /// One of the values. Which one is a function of the values, and nothing else to rely on.
    pub fn any(&self) -> V {
        self.min()
    }

    /// All values in ascending order, each as often as it is there.
    pub fn collect(&self) -> Vec<V> {
        listed::<V>(self.values())
    }

    /// The `count` records with the greatest keys, greatest first; of equal keys, the lesser value first.
    ///
    /// For the least keys there is [`std::cmp::Reverse`].
    pub fn top<B: Ord>(&self, count: usize, key: impl FnMut(Lent<'v, V>) -> B) -> Vec<V> {
        listed::<V>(top::<V, B>(self.values, count, key))
    }

    /// The first `count` records in the order that `compare` gives; of equal ones, the lesser value first.
    pub fn top_by(&self, count: usize, compare: impl FnMut(Lent<'v, V>, Lent<'v, V>) -> Ordering) -> Vec<V> {
        listed::<V>(top_by::<V>(self.values, count, compare))
    }
}

/// The values that are there: those whose count is positive.
pub(super) fn there<'v, V: Data>(values: &[(Lent<'v, V>, i64)]) -> impl DoubleEndedIterator<Item = (Lent<'v, V>, i64)> {
    values.iter().copied().filter(|(_, count)| *count > 0)
}

/// [`Group::top`], each value once with how many of its records are among them.
pub(super) fn top<'v, V: Data, B: Ord>(
    values: &[(Lent<'v, V>, i64)],
    count: usize,
    mut key: impl FnMut(Lent<'v, V>) -> B,
) -> impl Iterator<Item = (Lent<'v, V>, i64)> {
    let keyed: Vec<_> = there::<V>(values).map(|(value, often)| (key(value), value, often)).collect();
    first(keyed, count, |a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1))).map(|(_, value, often)| (value, often))
}

/// [`Group::top_by`], likewise.
pub(super) fn top_by<'v, V: Data>(
    values: &[(Lent<'v, V>, i64)],
    count: usize,
    mut compare: impl FnMut(Lent<'v, V>, Lent<'v, V>) -> Ordering,
) -> impl Iterator<Item = (Lent<'v, V>, i64)> {
    let ranked: Vec<_> = there::<V>(values).map(|(value, often)| ((), value, often)).collect();
    first(ranked, count, move |a, b| compare(a.1, b.1).then(a.1.cmp(&b.1))).map(|((), value, often)| (value, often))
}

/// The first `count` records of a list with counts, in order. Cost: linear in the list, and the sort of what is taken.
fn first<B, T>(
    mut list: Vec<(B, T, i64)>,
    count: usize,
    mut order: impl FnMut(&(B, T, i64), &(B, T, i64)) -> Ordering,
) -> impl Iterator<Item = (B, T, i64)> {
    // Each is there at least once, so no more than so many are needed.
    if count < list.len() {
        list.select_nth_unstable_by(count, &mut order);
        list.truncate(count);
    }
    list.sort_unstable_by(order);
    let mut left = i64::try_from(count).unwrap_or(i64::MAX);
    list.into_iter().map_while(move |(key, value, often)| {
        let often = often.min(left);
        left -= often;
        (often > 0).then_some((key, value, often))
    })
}

/// Values as often as they are there.
pub(super) fn listed<'v, V: Data>(values: impl Iterator<Item = (Lent<'v, V>, i64)>) -> Vec<V> {
    values.flat_map(|(value, count)| (0..count).map(move |_| V::Column::owned(value))).collect()
}

/// The average of `records` records, of which there is at least one, that come to `total`.
pub(super) fn average(total: i128, records: i64) -> Result<i64, Reason> {
    let records = i128::from(records);
    let (whole, rest) = (total / records, total % records);
    // The rest has the total's sign, and is less than the number of records.
    let rounded = if 2 * rest.abs() >= records { whole + rest.signum() } else { whole };
    i64::try_from(rounded).map_err(|_| Reason::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_rounded_to_the_nearest_integer() {
        let cases = [(0, 7, 0), (7, 2, 4), (-7, 2, -4), (7, 3, 2), (8, 3, 3), (-8, 3, -3), (5, 1, 5), (1, 3, 0)];
        for (total, records, average_of) in cases {
            assert_eq!(average(total, records), Ok(average_of), "{total} / {records}");
        }
        let greatest = i128::from(i64::MAX);
        assert_eq!(average(greatest * greatest, i64::MAX), Ok(i64::MAX));
        assert_eq!(average(greatest + 1, 1), Err(Reason::Overflow));
    }
}

//! Rows that meet one by one, to records, times and diffs.
//!
//! ```text
//!   rung    left rows 4 5 6  with  right rows 7 8 9         records f(4,7) f(5,8) f(6,9)
//!   times   one loop over two slices                        diffs: the same
//! ```
//!
//! The two ways in which rows meet one by one differ in where the rows are (see `blocks`): those of a zip lie in the
//! bridges as they are, pairs from here and there are gathered first. From then on they are the same.
//! Invariant: rungs, in order, list exactly the pairs behind the records. Cost: a call of the user's function a pair, and
//! a copy of a time and a product of diffs where they are not all one.
//! Tested in `join_laws.rs`.

use std::ops::Range;

use super::backend::JoinBackend;
use super::bridge::{Edits, JoinBridge};
use super::logic::JoinLogic;
use crate::column::{Column, Data};
use crate::diff::{Diff, Multiply, OverflowAt};
use crate::time::{Time, TimeColumn};
use crate::updates::Updates;

/// The product of the diffs of a join's two inputs.
pub type Product<K> = <<K as JoinBackend>::LeftDiff as Multiply<<K as JoinBackend>::RightDiff>>::Output;

/// What a join with logic `J` puts out.
pub type Joined<K, J> = Updates<<J as JoinLogic<K>>::Output, <K as JoinBackend>::Time, Product<K>>;

/// Rows that meet one by one: first left, first right, number.
pub(super) type Rung = (u32, u32, u32);

/// The two sides of a block, and who knows its keys and values: what records are made from.
pub(super) struct Sources<'a, K: JoinBackend> {
    pub(super) backend: &'a K,
    pub(super) staging: &'a K::Staging,
    pub(super) left: &'a JoinBridge<K::Time, K::LeftDiff>,
    pub(super) right: &'a JoinBridge<K::Time, K::RightDiff>,
}

impl<'a, K: JoinBackend> Sources<'a, K> {
    #[inline]
    pub(super) fn key(&self, number: u32) -> K::Key<'a> {
        self.backend.key(self.staging, number)
    }
    #[inline]
    pub(super) fn left(&self, number: u32) -> K::Left<'a> {
        self.backend.left(self.staging, number)
    }
    #[inline]
    pub(super) fn right(&self, number: u32) -> K::Right<'a> {
        self.backend.right(self.staging, number)
    }
}

/// Meets rows one by one, those with the numbers of `pairs`, up to `budget` pairs or records; where that ends, and how
/// many were met. Notes which rows are behind the records, counted from `rows` on.
pub(super) fn meet_pairs<'a, K: JoinBackend, J: JoinLogic<K>>(
    sources: &Sources<'a, K>,
    key: impl Fn(u32) -> K::Key<'a>,
    (left, right): (&[u32], &[u32]),
    (pairs, budget): (Range<u32>, usize),
    logic: &mut J,
    out: &mut Joined<K, J>,
    (rows, rungs): ((u32, u32), &mut Vec<Rung>),
) -> (u32, usize) {
    let end = pairs.end.min(pairs.start.saturating_add(budget.min(u32::MAX as usize) as u32));
    out.data.reserve((end - pairs.start) as usize);
    let mut push = |start: u32, len: u32| {
        if len > 0 {
            rungs.push((rows.0 + start, rows.1 + start, len));
        }
    };
    let (mut start, mut pair, mut met) = (pairs.start, pairs.start, 0);
    while pair < end {
        let records = logic.pair(
            key(pair),
            sources.left(left[pair as usize]),
            sources.right(right[pair as usize]),
            1,
            &mut out.data,
        );
        pair += 1;
        met += 1;
        if records != 1 {
            push(start, pair - 1 - start);
            for _ in 0..records {
                push(pair - 1, 1);
            }
            start = pair;
            met += records.saturating_sub(1);
            if met >= budget {
                break;
            }
        }
    }
    push(start, pair - start);
    (pair, met)
}

/// Forms the times and diffs of rows that met one by one.
pub(super) fn settle_rungs<D, T, R, S>(
    rungs: &mut Vec<Rung>,
    left: &Edits<T, R>,
    right: &Edits<T, S>,
    out: &mut Updates<D, T, R::Output>,
) -> Result<(), OverflowAt<T>>
where
    D: Data,
    T: Time,
    R: Multiply<S>,
    S: Diff,
{
    for (left_row, right_row, len) in rungs.drain(..) {
        let left_rows = left_row as usize..(left_row + len) as usize;
        let right_rows = right_row as usize..(right_row + len) as usize;
        out.times.extend_zip_join(&left.times, left_rows.clone(), &right.times, right_rows.clone());
        let product = out.diffs.extend_zip_product(&left.diffs, left_rows.clone(), &right.diffs, right_rows.clone());
        product.map_err(|_| first_overflow(left, right, left_rows.zip(right_rows)))?;
    }
    Ok(())
}

/// The least time at which a product of these rows overflows; some do. A second look, as kernels go on past it.
#[cold]
pub(super) fn first_overflow<T: Time, R: Diff + Multiply<S>, S: Diff>(
    left: &Edits<T, R>,
    right: &Edits<T, S>,
    pairs: impl Iterator<Item = (usize, usize)>,
) -> OverflowAt<T> {
    let overflows = pairs.filter(|&(row, other)| left.diffs.get(row).times(&right.diffs.get(other)).is_err());
    let times = overflows.map(|(row, other)| left.times.get_joined(row, &right.times.get(other)));
    OverflowAt::new(times.min().expect("a product was said to overflow"))
}

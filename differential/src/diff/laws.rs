//! The laws of diffs around zero and at both ends of their range, and columns of them against the obvious loops.

use super::{Diff, Diffs, Multiply, Overflow};
use crate::bytes::Reader;
use crate::bytes::laws::{Travel, check_travels};
use crate::time::small_world::Random;
use crate::time::{Block, Side};

/// The laws of a group for every triple of values, wherever no step leaves the range.
fn group_laws<R: Diff>(values: &[R]) {
    assert!(R::zero().is_zero());
    for a in values {
        assert_eq!(a.plus(&R::zero()).as_ref(), Ok(a));
        assert_eq!(a.is_zero(), *a == R::zero());
        if let Ok(undone) = a.negate() {
            assert_eq!(a.plus(&undone), Ok(R::zero()), "{a:?}");
            assert_eq!(undone.negate().as_ref(), Ok(a));
        }
        for b in values {
            assert_eq!(a.plus(b), b.plus(a), "{a:?}, {b:?}");
            let positive = |diff: &R| *diff > R::zero();
            let sums = positive(a) && positive(b);
            assert!(!sums || a.plus(b).as_ref().is_ok_and(positive) || a.plus(b).is_err(), "{a:?}, {b:?}");
            for c in values {
                let left = a.plus(b).and_then(|sum| sum.plus(c));
                let right = b.plus(c).and_then(|sum| a.plus(&sum));
                if let (Ok(left), Ok(right)) = (left, right) {
                    assert_eq!(left, right, "{a:?}, {b:?}, {c:?}");
                }
            }
        }
    }
}

/// `(a + b) * c` is `a * c + b * c` wherever no step leaves the range.
fn products_distribute<A: Multiply<B>, B: Diff>(left: &[A], right: &[B]) {
    for c in right {
        assert_eq!(A::zero().times(c), Ok(A::Output::zero()));
        for a in left {
            assert_eq!(a.times(&B::zero()), Ok(A::Output::zero()));
            for b in left {
                let whole = a.plus(b).and_then(|sum| sum.times(c));
                let parts = a.times(c).and_then(|first| first.plus(&b.times(c)?));
                if let (Ok(whole), Ok(parts)) = (whole, parts) {
                    assert_eq!(whole, parts, "({a:?} + {b:?}) * {c:?}");
                }
            }
        }
    }
}

macro_rules! ends_of {
    ($int:ty) => {
        [<$int>::MIN, <$int>::MIN + 1, -2, -1, 0, 1, 2, <$int>::MAX - 1, <$int>::MAX]
    };
}

#[test]
fn integers_are_a_group_up_to_their_ends() {
    group_laws(&ends_of!(i32));
    group_laws(&ends_of!(i64));
    group_laws(&ends_of!(i128));
    products_distribute(&ends_of!(i32), &ends_of!(i32));
    products_distribute(&ends_of!(i64), &ends_of!(i64));
    products_distribute(&ends_of!(i128), &ends_of!(i128));
}

#[test]
fn what_leaves_the_range_is_an_overflow() {
    assert_eq!(i32::MAX.plus(&1), Err(Overflow));
    assert_eq!(i64::MIN.plus(&-1), Err(Overflow));
    assert_eq!(i64::MIN.negate(), Err(Overflow));
    assert_eq!(i64::MIN.times(&-1), Err(Overflow));
    assert_eq!((i64::MAX / 2 + 1).times(&2), Err(Overflow));
    assert_eq!((0, i64::MAX).plus(&(0, 1)), Err(Overflow));
    assert_eq!((i64::MAX, 0).plus(&(1, 0)), Err(Overflow));
}

#[test]
fn pairs_are_a_group_part_by_part() {
    let ends = [i64::MIN, -1, 0, 1, i64::MAX];
    let pairs: Vec<(i64, i64)> = ends.iter().flat_map(|&a| ends.iter().map(move |&b| (a, b))).collect();
    group_laws(&pairs);
    products_distribute(&pairs, &ends);
    products_distribute(&ends, &pairs);
    assert!(!(0i64, 1i64).is_zero() && !(1i64, 0i64).is_zero() && (0i64, 0i64).is_zero());
}

fn range(random: &mut Random, len: usize) -> std::ops::Range<usize> {
    let start = random.below(len + 1);
    start..start + random.below(len - start + 1)
}

#[test]
fn columns_do_what_the_loops_do() {
    let values = [1, -1, 2, 0, i64::MAX, i64::MIN, 1 << 62];
    for seed in 0..6_000 {
        let random = &mut Random::new(seed);
        let different = 1 + random.below(values.len());
        let side = |random: &mut Random| -> Vec<i64> {
            let first = values[random.below(different)];
            let agree = random.below(2) == 0;
            (0..1 + random.below(4)).map(|_| if agree { first } else { values[random.below(different)] }).collect()
        };
        let (left, right) = (side(random), side(random));
        let (left_column, right_column): (Diffs<i64>, Diffs<i64>) =
            (left.iter().copied().collect(), right.iter().copied().collect());
        let what = format!("seed {seed}: {left:?}, {right:?}");

        let blocks: Vec<Block> = (0..2)
            .map(|_| {
                let (a, b) = (range(random, left.len()), range(random, right.len()));
                (a.start as u32..a.end as u32, b.start as u32..b.end as u32)
            })
            .collect();
        let mut expected = Ok(vec![7]);
        for (left_rows, right_rows) in &blocks {
            for a in left_rows.clone() {
                for b in right_rows.clone() {
                    let product = left[a as usize].checked_mul(right[b as usize]).ok_or(Overflow);
                    expected = expected.and_then(|mut all| product.map(|product| all.push(product)).map(|()| all));
                }
            }
        }
        let mut products = Diffs::repeat(7, 1);
        let result = products.extend_cross_product(&left_column, &right_column, &blocks);
        assert_eq!(result.map(|()| products.iter().collect::<Vec<_>>()), expected, "{what}, {blocks:?}");
        assert!(result.is_ok() || products.len() == 1, "{what}: rows appended in spite of an overflow");

        let zip = left.len().min(right.len());
        let expected: Option<Vec<i64>> = left.iter().zip(&right).map(|(a, b)| a.checked_mul(*b)).collect();
        let mut products = Diffs::default();
        let result = products.extend_zip_product(&left_column, 0..zip, &right_column, 0..zip);
        let result = result.ok().map(|()| products.iter().collect::<Vec<_>>());
        assert_eq!(result, expected, "{what}");

        let rows = range(random, left.len());
        let sums = left[rows.clone()].iter().try_fold(0i64, |sum, value| sum.checked_add(*value));
        assert_eq!(left_column.sum(rows.clone()).ok(), sums, "{what}, rows {rows:?}");

        let mut negated = left_column.clone();
        let expected: Option<Vec<i64>> = left.iter().map(|value| value.checked_neg()).collect();
        let result = negated.negate().ok().map(|()| negated.iter().collect::<Vec<_>>());
        assert_eq!(result, expected, "{what}");
    }
}

#[test]
fn uniform_columns_stay_uniform() {
    let (ones, twos) = (Diffs::repeat(1i64, 1_000), Diffs::repeat(-2i64, 1_000));
    let mut products = Diffs::default();
    products.extend_cross_product(&ones, &twos, &[(0..1_000, 0..1_000)]).expect("no overflow");
    products.extend_zip_product(&twos, 0..10, &ones, 5..15).expect("no overflow");
    products.negate().expect("no overflow");
    assert!(matches!(products.side(), Side::Same(2)));
    assert_eq!(products.sum(0..1_000_010), Ok(2_000_020));
    assert_eq!(Diffs::repeat(i64::MAX / 1_000, 1_000).sum(0..1_000), Ok(i64::MAX / 1_000 * 1_000));
    assert_eq!(Diffs::repeat(i64::MAX / 1_000 + 1, 1_000).sum(0..1_000), Err(Overflow));
}

fn column_travels<R: Diff>(values: &[R]) {
    let column: Diffs<R> = values.iter().cloned().collect();
    let travel = Travel {
        read: |from: &mut Reader<'_>| Diffs::read_bytes(values.len(), from),
        write: |column: &Diffs<R>| {
            let mut bytes = Vec::new();
            column.write_bytes(&mut bytes);
            assert_eq!(bytes.len(), column.bytes_len(), "{column:?}");
            bytes
        },
    };
    check_travels(&column, |back| *back == column && back.uniform() == column.uniform(), travel);
}

#[test]
fn columns_travel() {
    fn lists<R: Diff>(values: &[R]) {
        column_travels::<R>(&[]);
        column_travels(values);
        for a in values {
            column_travels(&[a.clone(), a.clone(), a.clone()]);
            values.iter().for_each(|b| column_travels(&[a.clone(), b.clone()]));
        }
    }
    lists(&ends_of!(i32));
    lists(&ends_of!(i64));
    lists(&ends_of!(i128));
    lists(&ends_of!(i64).map(|value| (value, (i32::MAX, !value))));
}

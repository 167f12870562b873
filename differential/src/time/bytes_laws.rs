//! Columns of times obey the laws of bytes: lanes, columns of lanes, and the vectors that are their reference.

use super::small_world::{Random, grid};
use super::{Lane, Lanes, Point, Side, Time, TimeColumn};
use crate::bytes::laws::{Travel, check_travels};
use crate::bytes::{Flaw, Malformed, Reader};

/// Checks the laws for a column of times that was made by hand.
fn check<T: Time, C: TimeColumn<T>>(column: &C) {
    let same = |back: &C| {
        back.len() == column.len()
            && (0..back.len()).all(|row| back.get(row) == column.get(row))
            && back.uniform() == column.uniform()
    };
    let travel = Travel {
        read: |from: &mut Reader<'_>| C::read_bytes(column.len(), from),
        write: |other: &C| {
            assert_eq!(other.len(), column.len());
            let mut bytes = Vec::new();
            other.write_bytes(&mut bytes);
            assert_eq!(bytes.len(), other.bytes_len());
            assert!(other.heap_bytes() <= 128 + 16 * bytes.len(), "{} for {} bytes", other.heap_bytes(), bytes.len());
            bytes
        },
    };
    check_travels(column, same, travel);
}

fn column<T: Time, C: TimeColumn<T>>(times: &[T]) -> C {
    let mut column = C::default();
    times.iter().for_each(|time| column.push(time));
    column
}

#[test]
fn times_travel() {
    let grid = grid(3);
    for count in 0..4 {
        check(&Lane::repeat(7u64, count));
        for first in &grid {
            let mut times = Lanes::default();
            times.push_repeat(first, count);
            check(&times);
            for second in &grid {
                times.push(second);
                check(&times);
                times.truncate(count);
            }
        }
    }
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let (rows, depth, bound) = (random.below(40), random.below(7), 1 + random.below(4));
        let points: Vec<Point> = (0..rows).map(|_| random.point(depth, bound)).collect();
        check(&column::<Point, Lanes>(&points));
        // Some of them fit in two bytes, or all do.
        let step = [1, 50_000][seed as usize % 2];
        let numbers: Vec<u64> = (0..rows).map(|_| random.below(bound) as u64 * step).collect();
        check(&column::<u64, Lane<u64>>(&numbers));
        check(&numbers);
    }
}

/// Flips are not for points one by one: a coordinate that becomes zero may be one that is never stored.
#[test]
fn points_in_a_vector_travel() {
    let points: Vec<Point> = [&[][..], &[3], &[0, 1], &[1, 2, 3, 4, 5, 6]].map(Point::new).to_vec();
    let mut bytes = Vec::new();
    points.write_bytes(&mut bytes);
    assert_eq!(bytes.len(), points.bytes_len());
    assert_eq!(Vec::<Point>::read_bytes(4, &mut Reader::new(&bytes)), Ok(points));
    for end in 0..bytes.len() {
        Vec::<Point>::read_bytes(4, &mut Reader::new(&bytes[..end])).expect_err("cut");
    }
    let garbled = [1 << 61, 7].map(u64::to_le_bytes).concat();
    let malformed = Vec::<Point>::read_bytes(1, &mut Reader::new(&garbled)).expect_err("no such depth");
    assert_eq!(malformed, Malformed { at: 8, flaw: Flaw::Cut { wanted: usize::MAX, left: 8 } });
}

#[test]
fn a_lane_travels_as_it_is_stored() {
    let mut bytes = Vec::new();
    Lane::repeat(7u64, 1_000_000).write_bytes(&mut bytes);
    assert_eq!(bytes, [1, 7, 0, 0, 0, 0, 0, 0, 0]);
    let lane = Lane::<u64>::read_bytes(1_000_000, &mut Reader::new(&bytes)).expect("a lane");
    assert!(matches!(lane.side(), Side::Same(7)));

    bytes.clear();
    Lane::from_iter([7u64, 65_535]).write_bytes(&mut bytes);
    assert_eq!(bytes, [2, 7, 0, 0xff, 0xff]);
    let lane = Lane::<u64>::read_bytes(2, &mut Reader::new(&bytes)).expect("a lane");
    assert!(matches!(lane.side(), Side::Short([7, 65_535])));
    // Pairs have no short form.
    let malformed = Lane::<(u8, u8)>::read_bytes(2, &mut Reader::new(&bytes)).expect_err("no such form");
    assert_eq!(malformed, Malformed { at: 0, flaw: Flaw::Form(2) });

    bytes[0] = 3;
    let malformed = Lane::<u64>::read_bytes(1, &mut Reader::new(&bytes)).expect_err("no such form");
    assert_eq!(malformed, Malformed { at: 0, flaw: Flaw::Form(3) });
}

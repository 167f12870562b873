//! Records typed at run time obey the laws of columns, and columns of two shapes do not mix.

use super::column_laws::{check_lists_of, check_random};
use super::hash::SEED;
use super::records::{Cell, Kind, Record, Records};
use super::{Column, Data};

#[test]
fn records_obey_the_laws_of_columns() {
    let record = |int: i64, text: &str| Record(vec![Cell::Int(int), Cell::Text(text.into())]);
    let corners = [record(0, ""), record(-1, "b"), record(0, "a\0"), record(i64::MAX, "abcdefghi"), record(0, "a")];
    check_lists_of(&vec![Kind::Int, Kind::Text], &corners);
    check_lists_of(&vec![], &[Record(vec![])]);

    let text = |text: &str| Record(vec![Cell::Text(text.into())]);
    let shape = (vec![Kind::Text], (vec![Kind::Int, Kind::Text], ()));
    for seed in 0..10 {
        check_random(&shape, seed, |random| {
            let first = text(&"ab".repeat(random.below(6)));
            let second = corners[random.below(corners.len())].clone();
            (first, (second, random.next() as i8))
        });
    }
}

#[test]
fn records_hash_as_their_fields_do() {
    let mut records = Records::empty(&vec![Kind::Int, Kind::Text]);
    records.push_owned(Record(vec![Cell::Int(7), Cell::Text("a".into())]));
    let mut pairs = <(i64, String) as Data>::Column::empty(&Default::default());
    pairs.push((7, "a"));
    assert_eq!(records.hash(0), pairs.absorb(0, SEED));
}

#[test]
#[should_panic(expected = "columns of two shapes: Int and Text")]
fn records_of_two_shapes_do_not_mix() {
    let mut ints = Records::empty(&vec![Kind::Int]);
    let mut texts = Records::empty(&vec![Kind::Text]);
    texts.push_owned(Record(vec![Cell::Text("a".into())]));
    ints.extend_range(&texts, 0..1);
}

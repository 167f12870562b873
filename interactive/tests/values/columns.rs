//! Columns of every kind obey the engine's laws of columns.

use crate::column::column_laws::{Random, check_lists_of, check_random};
use crate::column::{Column, Data, find_all};
use crate::random;
use interactive::value::{Kind, Row, Rows, Schema, Value, Values};

fn ints() -> Vec<Value> {
    [i64::MIN, -1, 0, 1, i64::MAX].map(Value::Int).into()
}

fn texts() -> Vec<Value> {
    ["", "\0", "a", "a\0", "abcdefgh", "abcdefgh\0", "abcdefgi", "\u{e9}"].map(Value::text).into()
}

fn floats() -> Vec<Value> {
    [f64::NEG_INFINITY, -1.5, -0.0, 0.0, f64::MIN_POSITIVE, f64::INFINITY, f64::NAN].map(Value::float).into()
}

#[test]
fn values_of_each_kind() {
    let bools = || [false, true].map(Value::Bool);
    check_lists_of(&Kind::Int, &ints());
    check_lists_of(&Kind::Float, &floats());
    check_lists_of(&Kind::Bool, &bools());
    check_lists_of(&Kind::Text, &texts());
    check_lists_of(&Kind::tuple([]), &[Value::tuple([])]);
    let pairs =
        bools().into_iter().flat_map(|first| ints().into_iter().map(move |int| Value::tuple([first.clone(), int])));
    check_lists_of(&Kind::tuple([Kind::Bool, Kind::Int]), &pairs.collect::<Vec<_>>());
    let lists = |of: Vec<Value>| {
        let (two, three) = (of[..2].to_vec(), vec![of[0].clone(), of[0].clone(), of[1].clone()]);
        let one = of.into_iter().map(|item| Value::list([item]));
        one.chain([Value::list([]), Value::list(two), Value::list(three)]).collect::<Vec<_>>()
    };
    check_lists_of(&Kind::list(Kind::Int), &lists(ints()));
    check_lists_of(&Kind::list(Kind::Text), &lists(texts()));
    check_lists_of(&Kind::list(Kind::Bool), &lists(bools().into()));
    let units = [0, 1, 2].map(|count| Value::list(vec![Value::tuple([]); count]));
    check_lists_of(&Kind::list(Kind::tuple([])), &units);
    let options = |of: Vec<Value>| [Value::NONE].into_iter().chain(of.into_iter().map(Value::some)).collect::<Vec<_>>();
    check_lists_of(&Kind::option(Kind::Int), &options(ints()));
    check_lists_of(&Kind::option(Kind::Text), &options(texts()));
    check_lists_of(&Kind::option(Kind::option(Kind::Bool)), &options(options(bools().into())));
    let plain = |count: u32| (0..count).map(|tag| Value::Sum(tag, None)).collect::<Vec<_>>();
    check_lists_of(&Kind::Sum(vec![None; 1].into()), &plain(1));
    check_lists_of(&Kind::Sum(vec![None; 5].into()), &plain(5));
    let one = ints().into_iter().map(|int| Value::Sum(0, Some(Box::new(int))));
    check_lists_of(&Kind::Sum([Some(Kind::Int)].into()), &one.collect::<Vec<_>>());
}

#[test]
fn rows_of_few_fields() {
    let rows = |fields: &[Vec<Value>]| {
        let none = vec![Vec::new()];
        let all = fields.iter().fold(none, |rows: Vec<Vec<Value>>, field| {
            let behind =
                |row: &Vec<Value>| field.iter().map(|value| [&row[..], std::slice::from_ref(value)].concat()).collect();
            rows.iter().flat_map::<Vec<_>, _>(behind).collect()
        });
        all.into_iter().map(|row| row.into_iter().collect::<Row>()).collect::<Vec<_>>()
    };
    let few = |values: Vec<Value>| values.into_iter().step_by(2).take(4).collect::<Vec<_>>();
    let bools = || [false, true].map(Value::Bool).to_vec();
    let tags = || (0..3).map(|tag| Value::Sum(tag, None)).collect::<Vec<_>>();
    check_lists_of::<Row>(&[].into(), &rows(&[]));
    check_lists_of(&[Kind::Int].into(), &rows(&[ints()]));
    check_lists_of(&[Kind::Int, Kind::Int].into(), &rows(&[few(ints()), few(ints())]));
    check_lists_of(&[Kind::Text, Kind::Int].into(), &rows(&[few(texts()), few(ints())]));
    check_lists_of(&[Kind::Bool, Kind::Bool, Kind::Int].into(), &rows(&[bools(), bools(), few(ints())]));
    let tag = Kind::Sum(vec![None; 3].into());
    check_lists_of(&[tag, Kind::Float, Kind::Bool].into(), &rows(&[tags(), few(floats()), bools()]));
    check_lists_of(&[Kind::Bool, Kind::Text].into(), &rows(&[bools(), texts()]));
}

#[test]
fn values_and_rows_of_random_kinds() {
    for seed in 0..8 {
        let mut random = Random::seeded(seed);
        let kind = random::kind(&mut random, 3);
        check_random(&kind, seed, |random| random::value(random, &kind));
        let width = random.below(5);
        let schema: Schema = random::schema(&mut random, width, 2);
        check_random(&schema, seed, |random| schema.iter().map(|kind| random::value(random, kind)).collect::<Row>());
    }
}

/// Of all columns that a program may make, those the engine looks up most: a lane that is its prefixes, as a key is.
#[test]
fn numbers_hash_and_lie_as_typed_ones() {
    let (mut rows, mut typed) =
        (Rows::empty(&[Kind::Int, Kind::Text].into()), <(i64, String) as Data>::Column::empty(&Default::default()));
    for (int, text) in [(-1, "a"), (7, ""), (i64::MIN, "abcdefghi")] {
        rows.push_owned([Value::Int(int), Value::text(text)].into_iter().collect());
        typed.push((int, text));
    }
    for row in 0..3 {
        assert_eq!((rows.hash(row), rows.prefix(row)), (typed.hash(row), typed.prefix(row)));
    }
    assert_eq!(rows.lane(), Some(&[(1 << 63) - 1, (1 << 63) + 7, 0][..]));
}

#[test]
#[should_panic(expected = "columns of two kinds: Int and Text")]
fn columns_of_two_kinds_do_not_mix() {
    let mut texts = Values::empty(&Kind::Text);
    texts.push_owned(Value::text("a"));
    Values::empty(&Kind::Int).extend_range(&texts, 0..1);
}

/// Rows are found in rows where counting finds them: by two words, by what is behind them, and where there is one.
#[test]
fn rows_are_found_in_rows() {
    let mut random = Random::seeded(29);
    for kinds in [
        vec![Kind::Int, Kind::Int],
        vec![Kind::Float, Kind::Int],
        vec![Kind::Int, Kind::Int, Kind::Text],
        vec![Kind::Int, Kind::Text, Kind::Int],
        vec![Kind::Text, Kind::Int],
    ] {
        let schema: Schema = kinds.clone().into();
        let mut rows = |count: usize| {
            let row = |random: &mut Random| kinds.iter().map(|kind| random::value(random, kind)).collect::<Row>();
            let mut rows: Vec<Row> = (0..count).map(|_| row(&mut random)).collect();
            rows.sort();
            let mut column = Rows::empty(&schema);
            rows.iter().for_each(|row| column.push_owned(row.clone()));
            (rows, column)
        };
        for (many, few) in [(0, 3), (1, 4), (40, 40), (300, 20), (20, 300), (900, 9)] {
            let ((there, column), (wanted, sought)) = (rows(many), rows(few));
            let expected = wanted.iter().map(|row| there.iter().filter(|stored| *stored < row).count() as u32);
            let mut found = Vec::new();
            // In two parts, the second of which begins anew.
            for part in [0..few / 2, few / 2..few] {
                find_all(&column, 0..many, None, &sought, part, &mut found);
            }
            assert_eq!(found, expected.collect::<Vec<_>>(), "{wanted:?} in {there:?} of {kinds:?}");
        }
    }
}

//! What does it cost to compute columns of a few rows, and of many?
//!
//! The yardstick is a walk over the tree for each row, which makes a boxed row. A commit of ten rows must not pay for
//! columns.

use benches::row_at_a_time;
use benches::workload::{Random, SEED};
use criterion::{Criterion, Throughput, criterion_group};
use differential::column::Column;
use interactive::kernel::Kernel;
use interactive::language::program::{DefinitionKind, Program, Scalar, StepKind};
use interactive::value::{Kinds, Row, Rows, Value};
use std::hint::black_box;

/// What is selected from rows of ints `a` and `b`, a text and an option.
const QUESTIONS: [(&str, &str); 5] = [
    ("copies", "b as to, a as from"),
    ("a sum", "b as to, a + 1 as hops"),
    ("numbers", "a * 2 + b as x, if b == 0 then 0 else a / b as y, a <= b and b <= 7 as z"),
    ("texts", "concat(s, \"!\") as loud, length(s) as letters, s == \"road\" as road"),
    ("options", "case o { Some(n) => n + a, None => 0 } as n"),
];

fn program(items: &str) -> Program {
    let text = format!("source row(a: int, b: int, s: string, o: option<int>); export it = row | select {items};");
    let checked = interactive::language::check("it.ddir".as_ref(), text, &|path| std::fs::read_to_string(path));
    checked.program.expect("the questions are right")
}

fn selected(program: &Program) -> &[Scalar] {
    let DefinitionKind::Export(bag) = &program.definitions[1].kind else { panic!("an export is asked about") };
    let StepKind::Select(scalars) = &bag.steps[0].kind else { panic!("a selection is asked about") };
    scalars
}

fn rows(count: u64) -> Vec<Row> {
    let mut random = Random::new(SEED);
    let mut row = || {
        let [a, b] = [random.below(1000), random.below(10)].map(|number| Value::Int(number as i64));
        let text = Value::text(["road", "a rather long name of a road", ""][random.below(3) as usize]);
        let option = if random.below(3) == 0 { Value::NONE } else { Value::some(a.clone()) };
        [a, b, text, option].into_iter().collect()
    };
    (0..count).map(|_| row()).collect()
}

fn kernel(c: &mut Criterion) {
    for (name, items) in QUESTIONS {
        let program = program(items);
        let kinds = Kinds::of(&program.sums);
        let kernel = Kernel::compile(selected(&program), &kinds);
        for count in [1, 10, 1_000] {
            let rows = rows(count);
            let mut columns = Rows::empty(&kinds.schema(&program.definitions[0].columns));
            rows.iter().for_each(|row| columns.push_owned(row.clone()));
            let mut group = c.benchmark_group(format!("kernel/{name}/{count}"));
            group.throughput(Throughput::Elements(count));
            let mut made = Rows::empty(kernel.schema());
            group.bench_function("columns", |b| {
                b.iter(|| {
                    made.clear();
                    black_box(kernel.apply(black_box(&columns), 0..count as usize, &mut made))
                });
            });
            let mut made: Vec<Row> = Vec::new();
            group.bench_function("row at a time", |b| {
                b.iter(|| {
                    made.clear();
                    made.extend(row_at_a_time::apply(selected(&program), black_box(&rows)));
                });
            });
        }
    }
}

criterion_group!(benches, kernel);

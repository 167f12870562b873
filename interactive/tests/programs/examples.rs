//! Every example on a small input, in `examples/NAME.txt`: changes of its sources, and what they make of its exports.
//!
//! ```text
//!   + edge(1, 2)                       a row that comes
//!   - edge(1, 2)                       a row that goes
//!   commit
//!     reached (node: 1, hops: 0)       a row that came by that
//!     - reached (node: 2, hops: 1)     a row that went; `2 x` before a row: twice
//! ```
//!
//! `DDIR_GOLDEN=rewrite cargo test -p interactive --test programs` writes what they make anew; read the difference before
//! you keep it. It is held against what the program means all the same.

use crate::meaning::Counts;
use crate::running::{Answers, History, answers, assert_same, checked, meanings};
use interactive::language::program::{DefinitionKind, Program};
use interactive::language::types::{Column, Type};
use interactive::plan::passes::improved;
use interactive::plan::plain;
use interactive::value::{Row, Shown, Value};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// A row as it is written: `name(value, ..)`.
fn row(program: &Program, written: &str) -> (String, Row) {
    let (name, values) = written.trim().strip_suffix(')').unwrap().split_once('(').unwrap();
    let source = |kind: &DefinitionKind| matches!(kind, DefinitionKind::Source);
    let source = program.definitions.iter().find(|of| of.name == name && source(&of.kind));
    let columns = &source.unwrap_or_else(|| panic!("no source {name}")).columns;
    let values = values.split(", ").zip(columns.iter()).map(|(text, column)| match &column.of {
        Type::Int => Value::Int(text.replace('_', "").parse().unwrap()),
        Type::Float => Value::float(text.parse().unwrap()),
        Type::Text => Value::text(text.strip_prefix('"').unwrap().strip_suffix('"').unwrap()),
        Type::Sum(id, _) => {
            let constructors = &program.sums[id.0].constructors;
            let at = constructors.iter().position(|constructor| constructor.name == text).unwrap();
            Value::Sum(at as u32, None)
        }
        of => panic!("no way to write {of}"),
    });
    (name.to_string(), values.collect())
}

fn shown(program: &Program, row: &Row, columns: &[Column]) -> String {
    let values =
        row.0.iter().zip(columns).map(|(value, column)| {
            format!("{}: {}", column.name, Shown { value, of: &column.of, sums: &program.sums })
        });
    format!("({})", values.collect::<Vec<_>>().join(", "))
}

/// What came and went by the commit of this number, in lines.
fn news(program: &Program, answers: &Answers, at: usize) -> String {
    let mut text = String::new();
    let exports: Vec<_> =
        program.definitions.iter().filter(|definition| matches!(definition.kind, DefinitionKind::Export(_))).collect();
    let mut tell = |name: &str, row: String, diff: i64| {
        let sign = if diff < 0 { "- " } else { "" };
        let copies = if diff.abs() == 1 { String::new() } else { format!("{} x ", diff.abs()) };
        writeln!(text, "  {sign}{copies}{name} {row}").unwrap();
    };
    for (number, export) in exports.into_iter().enumerate() {
        let mut changes: Counts = answers[at].0[number].clone();
        if let Some(before) = at.checked_sub(1) {
            answers[before].0[number].iter().for_each(|(row, count)| *changes.entry(row.clone()).or_insert(0) -= count);
        }
        changes.iter().filter(|(_, diff)| **diff != 0).for_each(|(row, diff)| {
            tell(&export.name, shown(program, row, &export.columns), *diff);
        });
    }
    let mut changes: BTreeMap<_, i64> = answers[at].1.clone();
    if let Some(before) = at.checked_sub(1) {
        answers[before].1.iter().for_each(|(told, count)| *changes.entry(told.clone()).or_insert(0) -= count);
    }
    for ((statement, line, column, reason, row), diff) in changes.into_iter().filter(|(_, diff)| *diff != 0) {
        tell("error", format!("{statement} {line}:{column} {reason} {row}"), diff);
    }
    text
}

#[test]
fn examples_come_to_what_is_expected() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<_> =
        std::fs::read_dir(home.join("tests/programs/examples")).unwrap().map(|file| file.unwrap().path()).collect();
    names.sort();
    assert!(names.len() >= 12, "where are the inputs?");
    for path in names {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(home.join(format!("examples/{name}.ddir"))).unwrap();
        let (program, files) = checked(&text);
        let session = std::fs::read_to_string(&path).unwrap();
        let (mut history, mut changes) = (History::new(), Vec::new());
        for line in session.lines() {
            match line.split_once(' ') {
                Some(("+", written)) => changes.push((written, 1)),
                Some(("-", written)) => changes.push((written, -1)),
                _ if line == "commit" => {
                    let changes = std::mem::take(&mut changes).into_iter().map(|(written, diff)| {
                        let (name, row) = row(&program, written);
                        (name, row, diff)
                    });
                    history.push(changes.collect());
                }
                _ => assert!(line.starts_with("  "), "{name}: {line}"),
            }
        }
        let plain = plain(&program).unwrap();
        let found = answers(&plain, &files, &history, 1_000, 1);
        assert_same(&found, &meanings(&program, &files, &history, 1_000), &format!("{name}\n{plain}"));
        for workers in [1, 2] {
            let better = answers(&improved(&plain), &files, &history, 1_000, workers);
            for (at, (better, found)) in better.iter().zip(&found).enumerate() {
                assert_eq!(better.0, found.0, "{name}, after commit {at}, improved, {workers} workers");
            }
        }
        let mut commits = 0;
        let mut golden = String::new();
        for line in session.lines().filter(|line| !line.starts_with("  ")) {
            writeln!(golden, "{line}").unwrap();
            if line == "commit" {
                golden.push_str(&news(&program, &found, commits));
                commits += 1;
            }
        }
        if std::env::var_os("DDIR_GOLDEN").is_some_and(|value| value == "rewrite") {
            std::fs::write(&path, golden).unwrap();
        } else {
            assert_eq!(session, golden, "{name}");
        }
    }
}

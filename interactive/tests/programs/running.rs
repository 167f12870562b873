//! A program run on workers, commit by commit, and held against what it means.

use crate::meaning::{Counts, Told, meaning};
use differential::collection::Config;
use differential::{Output, run};
use interactive::language::Checked;
use interactive::language::files::Files;
use interactive::language::program::Program;
use interactive::plan::Plan;
use interactive::render::{Options, install};
use interactive::value::{Row, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Changes of sources: a list for each commit.
pub(crate) type History = Vec<Vec<(String, Row, i64)>>;

/// Exports and errors after each commit.
pub(crate) type Answers = Vec<(Vec<Counts>, BTreeMap<Told, i64>)>;

/// A program with the texts that it comes from.
pub(crate) fn checked(text: &str) -> (Program, Files) {
    let checked =
        interactive::language::check("example.ddir".as_ref(), text.to_string(), &|path| std::fs::read_to_string(path));
    let Checked { files, program, mistakes } = checked;
    let said = || interactive::language::report::render(&files, &mistakes, false);
    (program.unwrap_or_else(|| panic!("{}\n{text}", said())), files)
}

/// What a plan comes to on so many workers. Rows are fed by all of them in turn.
pub(crate) fn answers(plan: &Plan, files: &Files, history: &History, rounds: u64, workers: usize) -> Answers {
    let config = Config::workers(workers);
    let answers = run(config, |worker| {
        let options = Options { rounds: Some(rounds), inspect: Rc::new(|_| {}) };
        let mut running = install(worker, plan, files, &options).unwrap();
        let mut answers = Answers::new();
        for changes in history {
            let own = changes.iter().enumerate().filter(|(at, _)| at % worker.peers() == worker.index());
            for (_, (name, row, diff)) in own {
                if let Some(source) = running.source(name) {
                    source.session.update(row.clone(), *diff);
                }
            }
            running.commit(worker)?;
            let rows = |output: &Output<Row>| output.rows().unwrap().into_iter().collect::<Counts>();
            let exports = running.exports.iter().map(|export| rows(&export.output)).collect();
            let errors = rows(&running.errors.output).into_iter().map(|(row, count)| (told(&row), count));
            answers.push((exports, errors.collect()));
        }
        Ok(answers)
    });
    answers.unwrap().remove(0)
}

fn told(row: &Row) -> Told {
    let [Value::Text(statement), _, Value::Int(line), Value::Int(column), Value::Text(reason), Value::Text(row)] =
        &*row.0
    else {
        panic!("{row:?} is no row of errors")
    };
    (statement.to_string(), *line as usize, *column as usize, reason.to_string(), row.to_string())
}

/// What a program means after each commit.
pub(crate) fn meanings(program: &Program, files: &Files, history: &History, rounds: u64) -> Answers {
    let mut sources: BTreeMap<String, Counts> = BTreeMap::new();
    let mut answers = Answers::new();
    for (epoch, changes) in history.iter().enumerate() {
        for (name, row, diff) in changes {
            let counts = sources.entry(name.clone()).or_default();
            *counts.entry(row.clone()).or_insert(0) += diff;
            counts.retain(|_, count| *count != 0);
        }
        answers.push(meaning(program, files, &sources, epoch as u64, rounds));
    }
    answers
}

/// Panics with the first commit at which two answers differ.
pub(crate) fn assert_same(found: &Answers, wanted: &Answers, about: &str) {
    for (at, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        for (number, (found, wanted)) in found.0.iter().zip(&wanted.0).enumerate() {
            assert_eq!(found, wanted, "export {number} after commit {at}, found and wanted\n{about}");
        }
        assert_eq!(found.1, wanted.1, "errors after commit {at}, found and wanted\n{about}");
    }
    assert_eq!(found.len(), wanted.len());
}

//! What a program has beside its rows: generated sources, a clock, `inspect`, imports, and loops that do not end.

use crate::running::{answers, assert_same, checked, meanings};
use differential::{Config, run_alone};
use interactive::plan::{Plan, plan};
use interactive::render::running::install_with;
use interactive::render::{Inspected, InstallError, Options, install};
use interactive::value::{Row, Value};
use std::cell::RefCell;
use std::rc::Rc;

fn numbers(numbers: &[i64]) -> Row {
    numbers.iter().map(|number| Value::Int(*number)).collect()
}

fn planned(text: &str) -> (Plan, interactive::language::files::Files) {
    let (program, files) = checked(text);
    (plan(&program).unwrap(), files)
}

/// Each generator alone and together with rows that come and go, on one worker and on two.
#[test]
fn generated_rows_are_there_once() {
    let text = "source s(a: int);\n\
                source all(n: int) = iota(5);\n\
                source link(from: int, to: int) = random_graph(4, 20, 7);\n\
                source now(epoch: int) = clock();\n\
                export few = all | antijoin s on n == a;\n\
                export degree = link | group from { links = count() };\n\
                export later = s | cross join now | select a + epoch as a;\n\
                export epochs = now;\n\
                export fixed = rows (a: int, b: int) { (1, 2), (1 / 0, 3), (1, 2) };\n";
    let (program, files) = checked(text);
    let row = |number, diff| ("s".to_string(), numbers(&[number]), diff);
    let history = vec![vec![row(1, 1)], vec![], vec![row(3, 1), row(1, -1)]];
    let wanted = meanings(&program, &files, &history, 50);
    for workers in [1, 2] {
        assert_same(&answers(&plan(&program).unwrap(), &files, &history, 50, workers), &wanted, text);
    }
}

/// What needs no source is there after the first commit, and stays.
#[test]
fn a_program_without_sources_runs() {
    let text = "source all(n: int) = iota(3);\n\
                loop sums { var x = (all | select n as a) + (x | where a < 9 | select a + 3 as a) | distinct; }\n\
                export e = sums.x | group { sum = sum(a) };\n";
    let (program, files) = checked(text);
    let history = vec![vec![], vec![]];
    let wanted = meanings(&program, &files, &history, 50);
    assert_eq!(wanted[1].0[0].keys().cloned().collect::<Vec<_>>(), [numbers(&[66])]);
    for workers in [1, 2] {
        assert_same(&answers(&plan(&program).unwrap(), &files, &history, 50, workers), &wanted, text);
    }
}

/// A loop without a limit of its own is given up as the options say, and told of by a few rows; mending ends it.
#[test]
fn a_loop_that_does_not_end_is_given_up() {
    let text = "source s(a: int);\n\
                loop up { var x = s + (x | select a + 1 as a) | distinct; }\n\
                export e = up.x;\n";
    let (program, files) = checked(text);
    let row = |number, diff| ("s".to_string(), numbers(&[number]), diff);
    let far = |diff| [100, 200, 300].map(|number| row(number, diff)).to_vec();
    let history = vec![[vec![row(1, 1)], far(1)].concat(), far(-1), vec![row(1, -1)]];
    let wanted = meanings(&program, &files, &history, 30);
    // Of four that would come, three are told of.
    assert_eq!(wanted.iter().map(|(_, errors)| errors.len()).collect::<Vec<_>>(), [3, 1, 0]);
    assert_same(&answers(&plan(&program).unwrap(), &files, &history, 30, 1), &wanted, text);
}

/// Changes are shown as they are at the end of a time, and once, whatever else reads the rows.
#[test]
fn inspect_shows_changes() {
    let text = "source s(a: int, b: string);\n\
                let big = s | where a > 1 | inspect \"big\";\n\
                export e = big;\nexport f = big | select b;\n";
    let (plan, files) = planned(text);
    let seen: Rc<RefCell<Vec<String>>> = Rc::default();
    let shown = seen.clone();
    let inspect = move |seen: &Inspected<'_>| {
        shown.borrow_mut().push(format!("{} {} {:?} {:+}", seen.label, seen.row, seen.time, seen.diff));
    };
    let options = Options { inspect: Rc::new(inspect), ..Options::default() };
    run_alone(Config::default(), |worker| {
        let mut running = install(worker, &plan, &files, &options).unwrap();
        let row = |a, b| [Value::Int(a), Value::text(b)].into_iter().collect::<Row>();
        let session = &mut running.source("s").unwrap().session;
        session.update(row(1, "x"), 1);
        session.update(row(2, "y"), 3);
        session.update(row(2, "y"), -1);
        running.commit(worker).unwrap();
        running.source("s").unwrap().session.update(row(2, "y"), -2);
        running.commit(worker).unwrap();
    });
    assert_eq!(*seen.borrow(), ["big (a: 2, b: \"y\") [0] +2", "big (a: 2, b: \"y\") [1] -2"]);
}

/// A program reads what another exports: what was there before, and what comes.
#[test]
fn a_program_imports_from_another() {
    let (first, files) = planned("source s(a: int);\nexport twice = s | select 2 * a as a;\n");
    let (second, other_files) =
        planned("import given(a: int) from first.twice;\nexport sums = given | group { sum = sum(a) };\n");
    run_alone(Config::default(), |worker| {
        let options = Options::default();
        let missing = install(worker, &second, &other_files, &options).map(drop);
        let (program, export) = ("first".to_string(), "twice".to_string());
        assert_eq!(missing, Err(InstallError::Import { program, export }));
        let mut running = install(worker, &first, &files, &options).unwrap();
        running.source("s").unwrap().session.insert(numbers(&[10]));
        running.commit(worker).unwrap();
        let arranged = running.export("twice").unwrap().output.arranged().clone();
        let import =
            move |program: &str, export: &str| (program == "first" && export == "twice").then(|| arranged.clone());
        let importing = install_with(worker, &second, &other_files, &options, &import).unwrap();
        running.source("s").unwrap().session.insert(numbers(&[1]));
        running.commit(worker).unwrap();
        assert_eq!(importing.exports[0].output.rows().unwrap(), [(numbers(&[22]), 1)]);
    });
}

//! What a program has beside its rows: generated sources, a clock, `inspect`, imports, and loops that do not end.

use crate::running::{answers, assert_same, checked, meanings};
use differential::{Config, run, run_alone};
use interactive::plan::{Plan, plan};
use interactive::render::{Inspected, Options, Part, install, install_all};
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

/// A program reads what others before it export, and of a source that both read there is one, with one index.
#[test]
fn programs_read_from_each_other() {
    let (first, first_files) =
        planned("source s(a: int, b: int);\nexport next = s | join s as t on b == a | select s.a as a, t.b as b;\n");
    let text = "
        source s(a: int, b: int);
        import next(a: int, b: int) from first.next;
        export triangles = next | join s on b == a | where next.a == s.b | group { corners = count() };
        export halves = s | select 10 / (a - b) as half;
    ";
    let (second, second_files) = planned(text);
    let first = Part { name: "first", plan: &first, files: &first_files };
    let second = Part { name: "", plan: &second, files: &second_files };
    for workers in [1, 2] {
        let answers = run(Config::workers(workers), |worker| {
            let mut running = install_all(worker, &[first, second], &Options::default()).unwrap();
            assert_eq!(running.sources.iter().map(|source| source.name.as_str()).collect::<Vec<_>>(), ["s"]);
            let source = running.source("s").unwrap();
            let edges = [[1, 2], [2, 3], [3, 1], [3, 4], [5, 5]].into_iter().skip(worker.index());
            edges.step_by(workers).for_each(|edge| source.session.insert(numbers(&edge)));
            running.commit(worker)?;
            let names = running.exports.iter().map(|export| export.name.clone()).collect::<Vec<_>>();
            assert_eq!(names, ["triangles", "halves"]);
            let before = (running.exports[0].output.rows()?, running.errors.output.rows()?.len());
            if worker.index() == 0 {
                running.source("s").unwrap().session.remove(numbers(&[3, 1]));
            }
            running.commit(worker)?;
            Ok([before, (running.exports[0].output.rows()?, running.errors.output.rows()?.len())])
        });
        // Three corners of a triangle and one of a loop; a division fails by the loop.
        let count = |corners| vec![(numbers(&[corners]), 1)];
        assert_eq!(answers.unwrap()[0], [(count(4), 1), (count(1), 1)]);
    }
}

//! The plan of an example is what its golden text in `plans/` says.
//!
//! `DDIR_GOLDEN=rewrite cargo test -p interactive --test programs` writes all texts anew; read the difference before you
//! keep it.

use interactive::language::check;
use interactive::language::mistake::Problem;
use interactive::language::program::Program;
use interactive::plan::dot::dot;
use interactive::plan::passes::improved;
use interactive::plan::plain;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The examples, by name.
pub(crate) fn examples() -> Vec<(String, Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_string();
    paths.iter().map(|path| (name(path), checked(&std::fs::read_to_string(path).unwrap()))).collect()
}

/// A text that is a program.
pub(crate) fn checked(text: &str) -> Program {
    let checked = check("example.ddir".as_ref(), text.to_string(), &|path| std::fs::read_to_string(path));
    checked.program.unwrap_or_else(|| panic!("{:?}\n{text}", checked.mistakes))
}

#[test]
fn plans_are_told_as_they_were() {
    let (mut failures, mut compared) = (String::new(), 0);
    for (name, program) in examples() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/programs/plans/{name}.txt"));
        // An example need not have one.
        let Ok(wanted) = std::fs::read_to_string(&golden) else { continue };
        compared += 1;
        let found = improved(&plain(&program).unwrap()).to_string();
        if std::env::var_os("DDIR_GOLDEN").is_some_and(|value| value == "rewrite") {
            std::fs::write(golden, found).unwrap();
            continue;
        }
        if wanted != found {
            writeln!(failures, "{}:\n{found}", golden.display()).unwrap();
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(compared >= 12, "where are the golden texts?");
}

/// Every operator is drawn, in its loop, and so is everything that it reads.
#[test]
fn a_drawing_has_all_operators() {
    for (name, program) in examples() {
        let plan = plain(&program).unwrap();
        let drawn = dot(&plan);
        for (at, node) in plan.nodes.iter().enumerate() {
            assert_eq!(drawn.matches(&format!(" n{at} [label=\"#{at} ")).count(), 1, "{name}: {drawn}");
            for input in node.operator.inputs() {
                assert!(drawn.contains(&format!("  n{} -> n{at};", input.0)), "{name}: {drawn}");
            }
        }
        assert_eq!(drawn.matches('{').count() - drawn.matches('}').count(), 0, "{name}");
    }
}

/// What planning says of a program that the checker takes.
fn refused(text: &str) -> Problem {
    plain(&checked(text)).expect_err(text).problem
}

#[test]
fn what_is_needed_at_once_must_have_a_value() {
    let program = |limit: &str| {
        format!(
            "source s(a: int);\ndefine up(of(a: int), most: int) {{\n    loop l limit most {{ var x = of + x | distinct; }}\n\
             return l.x;\n}}\nexport e = up(s, {limit});\n"
        )
    };
    assert!(plain(&checked(&program("2 * 3"))).unwrap().scopes.iter().any(|scope| scope.limit == Some(6)));
    assert_eq!(refused(&program("1 - 1")), Problem::TooSmall { number: 0, least: 1 });
    let reason = "division by zero".to_string();
    assert_eq!(refused(&program("1 / (1 - 1)")), Problem::ConstantFails { reason });
}

/// Each calls the one before twice: ten lines that come to a million calls.
#[test]
fn calls_that_come_to_too_many_are_told() {
    let mut text = "source s(a: int);\ndefine d0(of(a: int)) { return of + of; }\n".to_string();
    for at in 1..20 {
        let before = at - 1;
        writeln!(text, "define d{at}(of(a: int)) {{ let half = d{before}(of); return half + d{before}(of); }}")
            .unwrap();
    }
    text.push_str("export e = d19(s);\n");
    assert!(matches!(refused(&text), Problem::TooManyCalls { .. }));
}

/// Each calls the one before, a thousand deep.
#[test]
fn calls_that_are_too_deep_are_told() {
    let mut text = "source s(a: int);\ndefine d0(of(a: int)) { return of; }\n".to_string();
    for at in 1..1_000 {
        writeln!(text, "define d{at}(of(a: int)) {{ return d{}(of); }}", at - 1).unwrap();
    }
    text.push_str("export e = d999(s);\n");
    assert!(matches!(refused(&text), Problem::CallsTooDeep { .. }));
}

/// Ten thousand statements that read one another are planned in no deep recursion.
#[test]
fn long_chains_are_planned() {
    let mut text = "source d0(a: int);\n".to_string();
    for at in 1..10_000 {
        writeln!(text, "let d{at} = d{} | where a > {at};", at - 1).unwrap();
    }
    text.push_str("export e = d9999;\n");
    let plan = plain(&checked(&text)).unwrap();
    assert_eq!((plan.nodes.len(), improved(&plan).nodes.len()), (10_000, 2));
}

#[test]
fn what_never_has_more_than_one_row_is_known() {
    let text = "
        source score(team: string, points: int, tags: list<string>);
        let sum = score | group { points = sum(points) };
        loop count limit 5 { var n = (sum | enter at 0) | group { points = max(points) }; }
        export one_sum      = sum | where points > 0 | select points / 2 as half;
        export one_best     = score | top 1 by points;
        export one_pair     = sum | cross join (score | group { n = count() });
        export one_again    = sum | group points { n = count() };
        export one_set      = sum | distinct;
        export many_best    = score | top 2 by points;
        export many_teams   = score | group team { points = sum(points) };
        export many_pairs   = sum | cross join score | select team;
        export many_tags    = score | top 1 by points | unnest tags as tag | select tag;
        export many_sums    = sum + sum;
        export many_unknown = count.n;
    ";
    for plan in [plain(&checked(text)).unwrap(), improved(&plain(&checked(text)).unwrap())] {
        let singles = plan.singles();
        for export in &plan.exports {
            assert_eq!(singles[export.node.0], export.name.starts_with("one"), "{}\n{plan}", export.name);
        }
    }
}

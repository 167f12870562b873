//! Programs that read from each other: whether what one imports is what another exports.
//!
//! ```text
//!   people.ddir    export friends = ..;                                       (a: string, b: string)
//!   main.ddir      import friend(a: string, b: string) from people.friends;   the same
//! ```
//!
//! Programs are put in an order in which each comes after those that it imports from, so a cycle is a mistake. A source that
//! several of them name is one, with the same columns in all. Declared types are the same if they have one name and the same
//! constructors.

use super::mistake::{Mistake, Problem};
use super::near::near;
use super::program::{Definition, DefinitionKind, Program, Scope};
use super::types::{Column, Listed, Sum, Type};

/// A program by the name that others import from it by.
#[derive(Clone, Copy, Debug)]
pub struct NamedProgram<'p> {
    /// Its name.
    pub name: &'p str,
    /// The program.
    pub program: &'p Program,
}

/// The order in which programs are built, by their numbers: each after those that it imports from, and otherwise as they
/// are given.
///
/// # Errors
/// The first mistake in how they go together, with the number of the program that it is in: an import from no program of
/// these, in a cycle, or of what the other does not export or with other columns; a source with other columns than before.
pub fn link(programs: &[NamedProgram<'_>]) -> Result<Vec<usize>, (usize, Box<Mistake>)> {
    let mut mistakes = programs.iter().enumerate().flat_map(|(at, named)| {
        let before = &programs[..at];
        let at_top = named.program.definitions.iter().filter(|of| of.scope == Scope::Program);
        at_top.filter_map(move |definition| {
            let problem = match &definition.kind {
                DefinitionKind::Import { program, export } => {
                    imported(definition, named.program, program, export, programs)
                }
                DefinitionKind::Source => shared(definition, named.program, before),
                _ => None,
            };
            problem.map(|problem| (at, Mistake::new(definition.span, problem)))
        })
    });
    match mistakes.next() {
        Some((at, mistake)) => Err((at, Box::new(mistake))),
        None => ordered(programs),
    }
}

/// The programs of these that one imports from, each with the import.
fn imports<'p>(programs: &'p [NamedProgram<'p>], at: usize) -> impl Iterator<Item = (usize, &'p Definition)> {
    programs[at].program.definitions.iter().filter_map(move |definition| match &definition.kind {
        DefinitionKind::Import { program, .. } => {
            Some((programs.iter().position(|other| other.name == program.as_str())?, definition))
        }
        _ => None,
    })
}

/// Takes the first program that imports from none but those taken before, again and again: few, so nothing faster is needed.
fn ordered(programs: &[NamedProgram<'_>]) -> Result<Vec<usize>, (usize, Box<Mistake>)> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < programs.len() {
        let waits = |at: usize| imports(programs, at).find(|(of, _)| !order.contains(of));
        let mut left = (0..programs.len()).filter(|at| !order.contains(at));
        match left.clone().find(|at| waits(*at).is_none()) {
            Some(next) => order.push(next),
            None => {
                // All that are left wait for one of those, so going from one to the next comes back to where it was.
                let mut path = vec![left.next().expect("some are left")];
                loop {
                    let at = path[path.len() - 1];
                    let (of, import) = waits(at).expect("all of them wait");
                    if let Some(first) = path.iter().position(|before| *before == of) {
                        let cycle = path[first..].iter().chain([&of]);
                        let names = cycle.map(|at| programs[*at].name.to_string()).collect();
                        let mistake = Mistake::new(import.span, Problem::ImportCycle { programs: names });
                        return Err((at, Box::new(mistake)));
                    }
                    path.push(of);
                }
            }
        }
    }
    Ok(order)
}

fn imported(
    wanted: &Definition,
    of: &Program,
    program: &str,
    export: &str,
    programs: &[NamedProgram<'_>],
) -> Option<Problem> {
    let Some(other) = programs.iter().find(|other| other.name == program) else {
        let near = near(program, programs.iter().map(|other| other.name));
        return Some(Problem::UnknownProgram { program: program.to_string(), near });
    };
    let exports = || other.program.definitions.iter().filter(|of| matches!(of.kind, DefinitionKind::Export(_)));
    let Some(found) = exports().find(|of| of.name == export) else {
        let near = near(export, exports().map(|of| of.name.as_str()));
        return Some(Problem::UnknownExport { program: program.to_string(), export: export.to_string(), near });
    };
    (!same_columns((&wanted.columns, &of.sums), (&found.columns, &other.program.sums))).then(|| {
        Problem::ImportDiffers {
            name: format!("{program}.{export}"),
            wanted: Listed(&wanted.columns).to_string(),
            found: Listed(&found.columns).to_string(),
        }
    })
}

fn shared(source: &Definition, of: &Program, before: &[NamedProgram<'_>]) -> Option<Problem> {
    let is_same = |other: &&Definition| matches!(other.kind, DefinitionKind::Source) && other.name == source.name;
    let first = before.iter().find_map(|other| Some((other, other.program.definitions.iter().find(is_same)?)));
    let (other, first) = first?;
    (!same_columns((&source.columns, &of.sums), (&first.columns, &other.program.sums))).then(|| {
        Problem::SourceDiffers {
            name: source.name.clone(),
            program: other.name.to_string(),
            there: Listed(&first.columns).to_string(),
        }
    })
}

fn same_columns((left, left_sums): (&[Column], &[Sum]), (right, right_sums): (&[Column], &[Sum])) -> bool {
    let same = |(left, right): (&Column, &Column)| {
        left.name == right.name && same_type((&left.of, left_sums), (&right.of, right_sums))
    };
    left.len() == right.len() && left.iter().zip(right).all(same)
}

/// Whether two types of different programs have the same values. Types are not recursive, so this ends.
fn same_type((left, left_sums): (&Type, &[Sum]), (right, right_sums): (&Type, &[Sum])) -> bool {
    let same = |left: &Type, right: &Type| same_type((left, left_sums), (right, right_sums));
    match (left, right) {
        (Type::Tuple(left), Type::Tuple(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Type::List(left), Type::List(right)) | (Type::Option(left), Type::Option(right)) => same(left, right),
        (Type::Sum(left, left_name), Type::Sum(right, right_name)) => {
            let (left, right) = (&left_sums[left.0].constructors, &right_sums[right.0].constructors);
            let mut both = left.iter().zip(right);
            left_name == right_name
                && left.len() == right.len()
                && both.all(|(left, right)| {
                    let payloads = match (&left.payload, &right.payload) {
                        (Some(left), Some(right)) => same(left, right),
                        (left, right) => left.is_none() && right.is_none(),
                    };
                    left.name == right.name && payloads
                })
        }
        _ => left == right,
    }
}

//! Programs that read from each other: whether what one imports is what another exports.
//!
//! ```text
//!   people.ddir    export friends = ..;                                       (a: string, b: string)
//!   main.ddir      import friend(a: string, b: string) from people.friends;   the same
//! ```
//!
//! A program imports from those before it, so that there is no cycle. A source that several of them name is one, with the
//! same columns in all. Declared types are the same if they have one name and the same constructors.

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

/// The first mistake in how programs go together, if there is one, with the number of the program that it is in: an import
/// of what no program before it exports, or of other columns; a source with other columns than before.
pub fn link(programs: &[NamedProgram<'_>]) -> Option<(usize, Mistake)> {
    for (at, named) in programs.iter().enumerate() {
        let before = &programs[..at];
        for definition in named.program.definitions.iter().filter(|of| of.scope == Scope::Program) {
            let problem = match &definition.kind {
                DefinitionKind::Import { program, export } => {
                    imported(definition, named.program, program, export, before)
                }
                DefinitionKind::Source => shared(definition, named.program, before),
                _ => None,
            };
            if let Some(problem) = problem {
                return Some((at, Mistake::new(definition.span, problem)));
            }
        }
    }
    None
}

fn imported(
    wanted: &Definition,
    of: &Program,
    program: &str,
    export: &str,
    before: &[NamedProgram<'_>],
) -> Option<Problem> {
    let Some(other) = before.iter().find(|other| other.name == program) else {
        let near = near(program, before.iter().map(|other| other.name));
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

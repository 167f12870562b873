//! Every collection of a program with its type, as text.

use super::program::{DefinitionKind, Program, Scope};
use super::types::Listed;
use std::fmt::Write;

/// A line for each collection: what it is, its name with the loops or the subprogram around it, its columns.
pub fn listing(program: &Program) -> String {
    let mut text = String::new();
    for definition in &program.definitions {
        let kind = match definition.kind {
            DefinitionKind::Source | DefinitionKind::Generated(_) => "source",
            DefinitionKind::Import { .. } => "import",
            DefinitionKind::Parameter => "parameter",
            DefinitionKind::Let(_) => "let",
            DefinitionKind::Var(_) => "var",
            DefinitionKind::Export(_) => "export",
        };
        let (path, columns) = (path(program, definition.scope), Listed(&definition.columns));
        let _ = writeln!(text, "{kind} {path}{}{columns}", definition.name);
    }
    text
}

/// The loops and the subprogram around a scope, each followed by a point.
pub(crate) fn path(program: &Program, scope: Scope) -> String {
    match scope {
        Scope::Program => String::new(),
        Scope::Subprogram(id) => format!("{}.", program.subprograms[id.0].name),
        Scope::Loop(id) => {
            let around = &program.loops[id.0];
            format!("{}{}.", path(program, around.scope), around.name)
        }
    }
}

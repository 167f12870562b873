//! Columns while a pipeline goes on, and how they are found by name.
//!
//! ```text
//!   edge | join edge as next on dst == next.src
//!     src   dst  = next.src  next.dst       a column has a name, and the sides of joins that it may be asked from
//! ```
//!
//! Within a pipeline two columns may have one name, as above: then a name alone is ambiguous, and `next.dst` is not.
//! A collection that is given a name has columns of different names.

use crate::language::mistake::Problem;
use crate::language::near::near;
use crate::language::types::{Column, Listed, Type, unify};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct Col {
    pub(super) name: String,
    pub(super) of: Type,
    /// The sides that it belongs to.
    pub(super) sides: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) columns: Vec<Col>,
    /// There may be any other column: a mistake was told before, or something is not known yet.
    pub(super) broken: bool,
}

/// Nothing to tell if that was done before.
type Missing = Option<Problem>;

impl Row {
    pub(super) fn broken() -> Row {
        Row { columns: Vec::new(), broken: true }
    }

    pub(super) fn of(columns: &[Column], side: Option<&str>) -> Row {
        let sides: Vec<String> = side.into_iter().map(str::to_string).collect();
        let columns = columns.iter();
        let columns =
            columns.map(|Column { name, of }| Col { name: name.clone(), of: of.clone(), sides: sides.clone() });
        Row { columns: columns.collect(), broken: false }
    }

    pub(super) fn plain(&self) -> Arc<[Column]> {
        self.columns.iter().map(|Col { name, of, .. }| Column { name: name.clone(), of: of.clone() }).collect()
    }

    /// The column of this name, and its type. `helpful` if it is worth looking for one that may have been meant.
    pub(super) fn named(&self, name: &str, locals: &[String], helpful: bool) -> Result<(usize, Type), Missing> {
        let mut found = self.columns.iter().enumerate().filter(|(_, column)| column.name == name);
        match (found.next(), found.next()) {
            (Some((at, column)), None) => Ok((at, column.of.clone())),
            (Some((_, first)), Some((_, second))) => {
                let sides = first.sides.iter().chain(&second.sides);
                let mut ways: Vec<String> = sides.map(|side| format!("{side}.{name}")).collect();
                ways.dedup();
                Err(Some(Problem::AmbiguousColumn { name: name.to_string(), ways }))
            }
            _ if self.broken => Err(None),
            _ => {
                let names = self.columns.iter().map(|column| column.name.as_str());
                let near = near(name, names.chain(locals.iter().map(String::as_str)).filter(|_| helpful));
                let columns = self.list();
                Err(Some(Problem::UnknownColumn { name: name.to_string(), near, columns }))
            }
        }
    }

    /// The column of this name on this side.
    pub(super) fn qualified(&self, side: &str, name: &str, helpful: bool) -> Result<(usize, Type), Missing> {
        let on_side = |column: &&Col| column.sides.iter().any(|other| other == side);
        let mut found = self.columns.iter().enumerate().filter(|(_, column)| on_side(column) && column.name == name);
        match (found.next(), found.next()) {
            (Some((at, column)), None) => Ok((at, column.of.clone())),
            (Some(_), Some(_)) => Err(Some(Problem::AmbiguousSide { side: side.to_string(), name: name.to_string() })),
            _ if self.broken => Err(None),
            _ => {
                let names: Vec<String> =
                    self.columns.iter().filter(on_side).map(|column| column.name.clone()).collect();
                if names.is_empty() {
                    let mut sides: Vec<String> =
                        self.columns.iter().flat_map(|column| column.sides.iter().cloned()).collect();
                    sides.sort();
                    sides.dedup();
                    return Err(Some(Problem::UnknownSide { side: side.to_string(), sides }));
                }
                let near = near(name, names.iter().map(String::as_str).filter(|_| helpful));
                let columns = names.join(", ");
                Err(Some(Problem::UnknownColumn { name: name.to_string(), near, columns }))
            }
        }
    }

    /// The names of the columns, for a message.
    fn list(&self) -> String {
        const SHOWN: usize = 12;
        let names: Vec<&str> = self.columns.iter().take(SHOWN).map(|column| column.name.as_str()).collect();
        let more = if self.columns.len() > SHOWN { ", .." } else { "" };
        format!("{}{more}", names.join(", "))
    }

    pub(super) fn clear_sides(&mut self) {
        self.columns.iter_mut().for_each(|column| column.sides.clear());
    }
}

/// Why two bags are not of one kind, if so; holes don't occur in columns, broken types agree.
pub(super) fn differ(left: &Row, right: &Row, word: &'static str) -> Option<Problem> {
    if left.broken || right.broken {
        return None;
    }
    let (first, second) = (left.plain(), right.plain());
    let same = first.len() == second.len()
        && first
            .iter()
            .zip(second.iter())
            .all(|(first, second)| first.name == second.name && unify(&first.of, &second.of).is_some());
    if same {
        return None;
    }
    let sorted = |columns: &[Column]| {
        let mut names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        names.sort();
        names
    };
    let reordered = sorted(&first) == sorted(&second)
        && first.iter().zip(second.iter()).any(|(first, second)| first.name != second.name);
    let order = reordered.then(|| first.iter().map(|column| column.name.clone()).collect::<Vec<_>>().join(", "));
    let (left, right) = (Listed(&first).to_string(), Listed(&second).to_string());
    Some(Problem::ColumnsDiffer { word, left, right, order })
}

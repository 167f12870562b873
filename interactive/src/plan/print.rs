//! A plan as text: a line for each operator, loops indented.
//!
//! ```text
//!   #0 source edge                                 (src: int, dst: int)                    edge
//!   loop walk
//!     #4 arrange #3 by (node) with (hops)          (node: int, hops: int)                  walk.near
//!   export reached = #9
//! ```
//!
//! What an operator does, the columns that it makes, and the definition that it comes from. Operators stand in the order
//! of their numbers; a loop is opened again where operators of others stand between.

use super::tree::{Aggregate, Node, NodeId, Operator, Picked, Plan, RowStep, RowStepKind, ScopeId};
use super::words::InWords;
use crate::language::functions::AGGREGATES;
use crate::language::program::{Generator, Scalar};
use crate::language::types::{Column, Listed};
use std::fmt::{self, Display, Write};

/// Columns begin here, if what stands before leaves room.
const COLUMNS_AT: usize = 56;
/// The same for definitions.
const STATEMENT_AT: usize = 96;

impl Display for Plan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open: Vec<ScopeId> = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let around = self.loops_around(node.scope);
            if open != around {
                let same = open.iter().zip(&around).take_while(|(open, around)| open == around).count();
                for (depth, scope) in around.iter().enumerate().skip(same) {
                    let scope = &self.scopes[scope.0];
                    write!(out, "{:width$}loop {}", "", scope.place.statement, width = 2 * depth)?;
                    match scope.limit {
                        Some(limit) => writeln!(out, " limit {limit}")?,
                        None => writeln!(out)?,
                    }
                }
                open = around;
            }
            let mut line = format!("{:width$}#{at} ", "", width = 2 * open.len());
            write!(line, "{}", self.does(node))?;
            pad(&mut line, COLUMNS_AT);
            write!(line, "{}", Listed(&node.columns))?;
            pad(&mut line, STATEMENT_AT);
            writeln!(out, "{line}{}", node.place.statement)?;
        }
        for export in &self.exports {
            writeln!(out, "export {} = #{}", export.name, export.node.0)?;
        }
        Ok(())
    }
}

fn pad(line: &mut String, to: usize) {
    let width = line.chars().count();
    line.extend(std::iter::repeat_n(' ', to.saturating_sub(width).max(2)));
}

impl Plan {
    /// The loops around operators of this scope, outermost first.
    fn loops_around(&self, scope: ScopeId) -> Vec<ScopeId> {
        let mut around: Vec<ScopeId> =
            std::iter::successors(Some(scope), |scope| self.scopes[scope.0].parent).collect();
        around.pop();
        around.reverse();
        around
    }

    /// What an operator does, in words.
    pub(super) fn does(&self, node: &Node) -> String {
        match &node.operator {
            Operator::Source { name } => format!("source {name}"),
            Operator::Import { program, export } => format!("import {program}.{export}"),
            Operator::Generated(Generator::Iota(count)) => format!("iota({count})"),
            Operator::Generated(Generator::RandomGraph { nodes, edges, seed }) => {
                format!("random_graph({nodes}, {edges}, {seed})")
            }
            Operator::Generated(Generator::Clock) => "clock()".to_string(),
            Operator::Rows(rows) => {
                const SHOWN: usize = 4;
                let shown = rows.iter().take(SHOWN).map(|row| format!("({})", self.list(row, &[])));
                let more = if rows.len() > SHOWN { ", .." } else { "" };
                format!("rows {{ {}{more} }}", shown.collect::<Vec<_>>().join(", "))
            }
            Operator::Rowwise { input, steps } => {
                let mut columns = &self.node(*input).columns;
                let mut text = format!("#{}", input.0);
                for step in steps {
                    let _ = write!(text, " | {}", self.step(step, columns));
                    columns = &step.columns;
                }
                text
            }
            Operator::Inspect { input, label } => format!("#{} | inspect {label:?}", input.0),
            Operator::Concat { parts } => {
                let mut text = String::new();
                for (at, (part, subtracted)) in parts.iter().enumerate() {
                    let sign = match (at, subtracted) {
                        (0, false) => "",
                        (0, true) => "- ",
                        (_, false) => " + ",
                        (_, true) => " - ",
                    };
                    let _ = write!(text, "{sign}#{}", part.0);
                }
                text
            }
            Operator::Threshold { input, least: 1 } => format!("#{} | distinct", input.0),
            Operator::Threshold { input, least } => format!("#{} | threshold {least}", input.0),
            Operator::Arrange { input, key, value } => {
                let columns = &self.node(*input).columns;
                let names = |places: &[usize]| {
                    places.iter().map(|at| columns[*at].name.as_str()).collect::<Vec<_>>().join(", ")
                };
                let with = if value.is_empty() { String::new() } else { format!(" with ({})", names(value)) };
                format!("arrange #{} by ({}){with}", input.0, names(key))
            }
            Operator::Join { left, right, output } => {
                let picked = output.iter().map(|picked| self.picked(*picked, *left, Some(*right)));
                format!("join #{} #{} | select {}", left.0, right.0, picked.collect::<Vec<_>>().join(", "))
            }
            Operator::Group { input, aggregates } => {
                let aggregates = aggregates.iter().map(|aggregate| self.aggregate(aggregate, *input));
                format!("group #{} {{ {} }}", input.0, aggregates.collect::<Vec<_>>().join(", "))
            }
            Operator::Top { input, count, by, .. } => {
                let by = by.iter().map(|(picked, down)| {
                    format!("{}{}", self.picked(*picked, *input, None), if *down { " down" } else { "" })
                });
                format!("top {count} of #{} by {}", input.0, by.collect::<Vec<_>>().join(", "))
            }
            Operator::EnterAt { input, round } => {
                format!("#{} | enter at {}", input.0, self.node(*input).columns[*round].name)
            }
            Operator::Variable { definition } => format!("variable of #{}", definition.0),
            Operator::Leave { input } => format!("leave #{}", input.0),
        }
    }

    fn step(&self, step: &RowStep, columns: &[Column]) -> String {
        let words = |scalar| InWords { scalar, columns, sums: &self.sums };
        match &step.kind {
            RowStepKind::Select(values) => {
                let named = values.iter().zip(step.columns.iter()).map(|(value, column)| {
                    let value = words(value).to_string();
                    if value == column.name { value } else { format!("{value} as {}", column.name) }
                });
                format!("select {}", named.collect::<Vec<_>>().join(", "))
            }
            RowStepKind::Where(condition) => format!("where {}", words(condition)),
            RowStepKind::Require { condition, .. } => format!("require {}", words(condition)),
            RowStepKind::Unnest { list, position } => {
                let new = &step.columns[columns.len()..];
                let at = if *position { format!(" at {}", new[1].name) } else { String::new() };
                format!("unnest {} as {}{at}", words(list), new[0].name)
            }
        }
    }

    fn list(&self, values: &[Scalar], columns: &[Column]) -> String {
        let words = values.iter().map(|scalar| InWords { scalar, columns, sums: &self.sums }.to_string());
        words.collect::<Vec<_>>().join(", ")
    }

    /// A column of an arrangement, or of two that are joined, by its name.
    fn picked(&self, picked: Picked, left: NodeId, right: Option<NodeId>) -> String {
        let (node, at) = match (picked, right) {
            (Picked::Key(at), _) => (left, at),
            (Picked::Left(at), _) => (left, self.key_width(left) + at),
            (Picked::Right(at), Some(right)) => (right, self.key_width(right) + at),
            (Picked::Right(_), None) => unreachable!("there is no right side"),
        };
        let name = &self.node(node).columns[at].name;
        let is_key = matches!(picked, Picked::Key(_));
        match right {
            Some(_) if !is_key => format!("#{}.{name}", node.0),
            _ => name.clone(),
        }
    }

    fn aggregate(&self, aggregate: &Aggregate, input: NodeId) -> String {
        let (name, _) =
            AGGREGATES.iter().find(|(_, function)| *function == aggregate.function).expect("all are listed");
        let of = aggregate.of.map(|at| self.picked(Picked::Left(at), input, None));
        format!("{name}({})", of.unwrap_or_default())
    }
}

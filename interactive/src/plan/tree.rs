//! A plan: operators by number, each in a scope.
//!
//! ```text
//!   scope 0, the program        #0 source ── #1 rowwise ────────┐
//!   scope 1, loop in 0                        #2 variable ── #3 concat ── #4 arrange ── #5 group ──(defines)── #2
//!   scope 0                                       └── #6 leave ── export
//! ```
//!
//! Invariants, checked by [`Plan::check`] in debug builds:
//! 1. An operator reads operators of smaller numbers; but for a variable, whose definition may have any number.
//! 2. It stands in the scope of a variable that it is, or that a leave or an `enter at` names; any other in the innermost
//!    scope of those that it reads, which are all scopes around that one.
//! 3. A scope comes after the scope around it. The first is the program.
//! 4. Columns are numbered from 0. Joins, groups and tops read arrangements, and nothing else does.

use crate::language::files::Span;
use crate::language::functions::AggregateFunction;
use crate::language::program::{Generator, Scalar};
use crate::language::types::{Column, Sum, each_shared, shared};
use serde::Serialize;
use std::sync::Arc;

/// A program as operators.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// Declared types.
    pub sums: Vec<Sum>,
    /// The program, then its loops; one in a subprogram is there once for each call.
    pub scopes: Vec<Scope>,
    /// The operators.
    pub nodes: Vec<Node>,
    /// What is seen from outside, in the order in which it is written.
    pub exports: Vec<Export>,
}

/// The number of an operator in [`Plan::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct NodeId(pub usize);

/// The number of a scope in [`Plan::scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ScopeId(pub usize);

/// The program, or a loop in it.
#[derive(Clone, Debug, Serialize)]
pub struct Scope {
    /// The scope around it; nothing around the program.
    pub parent: Option<ScopeId>,
    /// Of a loop, its name and where that is written.
    pub place: Place,
    /// After how many rounds its author wants to give up.
    pub limit: Option<u64>,
}

/// Where something stands in the program: what a failed row is reported with.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Place {
    /// The definition, with the loops around it, and the definitions that call it.
    #[serde(serialize_with = "shared")]
    pub statement: Arc<str>,
    /// The text.
    pub span: Span,
}

/// An operator and what it makes.
#[derive(Clone, Debug, Serialize)]
pub struct Node {
    /// What it does.
    pub operator: Operator,
    /// The columns of its rows.
    #[serde(serialize_with = "shared")]
    pub columns: Arc<[Column]>,
    /// Where it runs.
    pub scope: ScopeId,
    /// Where it comes from.
    pub place: Place,
}

/// A collection that is seen from outside.
#[derive(Clone, Debug, Serialize)]
pub struct Export {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub node: NodeId,
    /// Its columns, as they are called outside.
    #[serde(serialize_with = "shared")]
    pub columns: Arc<[Column]>,
}

/// What an operator does.
#[derive(Clone, Debug, Serialize)]
pub enum Operator {
    /// Rows from outside.
    Source {
        /// By which they are fed.
        name: String,
    },
    /// Rows that another program exports.
    Import {
        /// The other program.
        program: String,
        /// Its export.
        export: String,
    },
    /// Rows that are made up.
    Generated(Generator),
    /// Rows that are written down.
    Rows(#[serde(serialize_with = "shared")] Arc<[Vec<Scalar>]>),
    /// Rows one by one: steps, in order.
    Rowwise {
        /// Of these.
        input: NodeId,
        /// What is done to each. A pass shares the steps that it leaves as they are.
        #[serde(serialize_with = "each_shared")]
        steps: Vec<Arc<RowStep>>,
    },
    /// The same rows; their changes are shown.
    Inspect {
        /// Of these.
        input: NodeId,
        /// What is shown with them.
        label: String,
    },
    /// Counts added up.
    Concat {
        /// What is added, and whether it is taken away instead.
        parts: Vec<(NodeId, bool)>,
    },
    /// Each row that is there often enough, once.
    Threshold {
        /// Of these.
        input: NodeId,
        /// How often.
        least: i64,
    },
    /// Rows with a memory, by some of their columns.
    Arrange {
        /// Of these.
        input: NodeId,
        /// The columns by which rows are found.
        key: Vec<usize>,
        /// The columns that are kept with them.
        value: Vec<usize>,
    },
    /// A row for each pair with equal keys, its count the product of theirs.
    Join {
        /// An arrangement.
        left: NodeId,
        /// Another, with a key of the same types.
        right: NodeId,
        /// The columns.
        output: Vec<Picked>,
    },
    /// A row for each key: its columns, then the aggregates.
    Group {
        /// An arrangement.
        input: NodeId,
        /// What becomes of its values.
        aggregates: Vec<Aggregate>,
    },
    /// The first rows of each key.
    Top {
        /// An arrangement.
        input: NodeId,
        /// How many.
        count: i64,
        /// The columns that order rows, and whether downwards. Rows that are equal so far are in the order of `output`.
        by: Vec<(Picked, bool)>,
        /// The columns.
        output: Vec<Picked>,
    },
    /// Rows that come into a loop later.
    EnterAt {
        /// Of these.
        input: NodeId,
        /// The column that says in which round, never negative.
        round: usize,
    },
    /// A collection as it was one round before; empty in the first.
    Variable {
        /// What it is one round later.
        definition: NodeId,
    },
    /// What a loop comes to, seen from the scope around it.
    Leave {
        /// A collection of the loop.
        input: NodeId,
    },
}

/// A column of what an operator makes, by where it is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Picked {
    /// The key's column of this number.
    Key(usize),
    /// The value's column of this number; of a join, of its left side's value.
    Left(usize),
    /// Of a join: the column of this number of its right side's value.
    Right(usize),
}

/// A value of a whole group.
#[derive(Clone, Debug, Serialize)]
pub struct Aggregate {
    /// Which.
    pub function: AggregateFunction,
    /// Of the value's column of this number, unless it counts rows.
    pub of: Option<usize>,
    /// Where it is written.
    pub span: Span,
}

/// Something that is done to rows one by one.
#[derive(Clone, Debug, Serialize)]
pub struct RowStep {
    /// What.
    pub kind: RowStepKind,
    /// The columns afterwards.
    #[serde(serialize_with = "shared")]
    pub columns: Arc<[Column]>,
    /// The definition that it comes from, as in [`Place`].
    #[serde(serialize_with = "shared")]
    pub statement: Arc<str>,
}

/// Something that is done to rows one by one.
#[derive(Clone, Debug, Serialize)]
pub enum RowStepKind {
    /// A value for each column.
    Select(Vec<Scalar>),
    /// Keep a row if this holds.
    Where(Scalar),
    /// A row fails unless this holds.
    Require {
        /// What must hold.
        condition: Scalar,
        /// What is said if it does not.
        otherwise: &'static str,
    },
    /// A row for each item of a list: the row's columns, the item, and if asked for its position from 0.
    Unnest {
        /// The list.
        list: Scalar,
        /// Whether the position is a column too.
        position: bool,
    },
}

impl RowStepKind {
    /// What is computed of each row.
    pub fn scalars(&self) -> &[Scalar] {
        match self {
            RowStepKind::Select(values) => values,
            RowStepKind::Where(value)
            | RowStepKind::Require { condition: value, .. }
            | RowStepKind::Unnest { list: value, .. } => std::slice::from_ref(value),
        }
    }

    /// The same, to be changed.
    pub fn scalars_mut(&mut self) -> &mut [Scalar] {
        match self {
            RowStepKind::Select(values) => values,
            RowStepKind::Where(value)
            | RowStepKind::Require { condition: value, .. }
            | RowStepKind::Unnest { list: value, .. } => std::slice::from_mut(value),
        }
    }
}

impl Operator {
    /// What it reads, apart from the definition of a variable.
    pub fn inputs(&self) -> Vec<NodeId> {
        match self {
            Operator::Source { .. }
            | Operator::Import { .. }
            | Operator::Generated(_)
            | Operator::Rows(_)
            | Operator::Variable { .. } => Vec::new(),
            Operator::Rowwise { input, .. }
            | Operator::Inspect { input, .. }
            | Operator::Threshold { input, .. }
            | Operator::Arrange { input, .. }
            | Operator::Group { input, .. }
            | Operator::Top { input, .. }
            | Operator::EnterAt { input, .. }
            | Operator::Leave { input } => vec![*input],
            Operator::Concat { parts } => parts.iter().map(|(part, _)| *part).collect(),
            Operator::Join { left, right, .. } => vec![*left, *right],
        }
    }

    /// Every operator that it names: those that it reads, and the definition of a variable.
    pub fn named(&self) -> Vec<NodeId> {
        match self {
            Operator::Variable { definition } => vec![*definition],
            other => other.inputs(),
        }
    }

    /// Every operator that it names, to be named otherwise.
    pub fn named_mut(&mut self) -> Vec<&mut NodeId> {
        match self {
            Operator::Source { .. } | Operator::Import { .. } | Operator::Generated(_) | Operator::Rows(_) => {
                Vec::new()
            }
            Operator::Rowwise { input, .. }
            | Operator::Inspect { input, .. }
            | Operator::Threshold { input, .. }
            | Operator::Arrange { input, .. }
            | Operator::Group { input, .. }
            | Operator::Top { input, .. }
            | Operator::EnterAt { input, .. }
            | Operator::Leave { input }
            | Operator::Variable { definition: input } => vec![input],
            Operator::Concat { parts } => parts.iter_mut().map(|(part, _)| part).collect(),
            Operator::Join { left, right, .. } => vec![left, right],
        }
    }
}

impl Plan {
    /// The operator of this number.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// Whether `outer` is this scope or one around it.
    pub fn encloses(&self, outer: ScopeId, scope: ScopeId) -> bool {
        let mut at = Some(scope);
        // Scopes around are of smaller numbers.
        while let Some(scope) = at.filter(|at| *at >= outer) {
            if scope == outer {
                return true;
            }
            at = self.scopes[scope.0].parent;
        }
        false
    }

    /// How many loops are around a scope.
    pub fn depth(&self, scope: ScopeId) -> usize {
        std::iter::successors(self.scopes[scope.0].parent, |scope| self.scopes[scope.0].parent).count()
    }

    /// Panics if the plan is not what the page above says.
    pub fn check(&self) {
        for (at, scope) in self.scopes.iter().enumerate() {
            assert!(scope.parent.map_or(at == 0, |parent| parent.0 < at), "the order of scopes: {at}");
        }
        for (at, node) in self.nodes.iter().enumerate() {
            let inputs = node.operator.inputs();
            assert!(inputs.iter().all(|input| input.0 < at), "#{at} reads what comes later");
            for input in &inputs {
                let (input, arranged) = (self.node(*input), self.is_arranged(*input));
                let wants =
                    matches!(node.operator, Operator::Join { .. } | Operator::Group { .. } | Operator::Top { .. });
                assert_eq!(wants, arranged, "#{at} and arrangements");
                match node.operator {
                    Operator::Leave { .. } => {
                        assert_eq!(self.scopes[input.scope.0].parent, Some(node.scope), "#{at} leaves its loop");
                    }
                    _ => assert!(self.encloses(input.scope, node.scope), "#{at} reads from a loop inside"),
                }
            }
            match &node.operator {
                Operator::Variable { definition } => {
                    let definition = self.node(*definition);
                    assert!(self.encloses(definition.scope, node.scope), "#{at} is defined in a loop inside");
                    assert_eq!(definition.columns, node.columns, "#{at} and its definition");
                }
                Operator::Leave { .. } | Operator::EnterAt { .. } => {}
                _ => {
                    let innermost = inputs.iter().map(|input| self.node(*input).scope);
                    let innermost = innermost.max_by_key(|scope| self.depth(*scope));
                    assert_eq!(innermost.unwrap_or(ScopeId(0)), node.scope, "#{at} stands too deep");
                }
            }
        }
        for export in &self.exports {
            assert_eq!(self.node(export.node).scope, ScopeId(0), "{} is in a loop", export.name);
        }
    }

    /// How many of an arrangement's columns are its key.
    pub fn key_width(&self, id: NodeId) -> usize {
        match &self.node(id).operator {
            Operator::Arrange { key, .. } => key.len(),
            other => panic!("{other:?} has no key"),
        }
    }

    /// Whether it is an arrangement.
    pub fn is_arranged(&self, id: NodeId) -> bool {
        matches!(self.node(id).operator, Operator::Arrange { .. })
    }
}

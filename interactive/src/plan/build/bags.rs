//! Sums and steps.

use super::{Builder, CALLS, Here};
use crate::language::mistake::{Mistake, Problem};
use crate::language::operators::Binary;
use crate::language::program::{
    Argument, Bag, Parameter, Scalar, ScalarKind, Step, StepKind, SubprogramId, Term, TermKind,
};
use crate::language::types::{Column, Type};
use crate::plan::tree::{NodeId, Operator, RowStep, RowStepKind};
use std::sync::Arc;

impl Builder<'_> {
    pub(super) fn bag(&mut self, here: &Here, bag: &Bag) -> Result<NodeId, Mistake> {
        self.nested(bag.span, |builder| {
            let mut parts = Vec::new();
            for part in &bag.parts {
                parts.push((builder.term(here, &part.term)?, part.subtracted));
            }
            let mut node = match parts[..] {
                [(node, false)] => node,
                _ => {
                    let columns = bag.parts[0].term.columns.clone();
                    builder.add(Operator::Concat { parts }, columns, &here.at(bag.span).place)
                }
            };
            for step in &bag.steps {
                node = builder.step(&here.at(step.span), node, step)?;
            }
            Ok(node)
        })
    }

    pub(super) fn term(&mut self, here: &Here, term: &Term) -> Result<NodeId, Mistake> {
        match &term.kind {
            TermKind::Read(id) => self.read(&here.at(term.span), *id),
            TermKind::Nested(bag) => self.bag(here, bag),
            TermKind::Call(id, arguments) => self.call(&here.at(term.span), *id, arguments),
            TermKind::Rows(rows) => {
                let given = |row: &Vec<Scalar>| row.iter().map(|value| self.given(here.frame, value)).collect();
                let rows = rows.iter().map(given).collect();
                Ok(self.add(Operator::Rows(rows), term.columns.clone(), &here.at(term.span).place))
            }
            TermKind::Multiway { atoms } => self.multiway(&here.at(term.span), atoms, &term.columns),
        }
    }

    fn call(&mut self, here: &Here, id: SubprogramId, arguments: &[Argument]) -> Result<NodeId, Mistake> {
        let subprogram = &self.program.subprograms[id.0];
        self.calls += 1;
        if self.calls > CALLS {
            return Err(Mistake::new(here.place.span, Problem::TooManyCalls { limit: CALLS }));
        }
        let frame = self.frame(here.scope, format!("{}: ", here.place.statement));
        for (parameter, argument) in subprogram.parameters.iter().zip(arguments) {
            let mut value = None;
            match (parameter, argument) {
                (Parameter::Bag(definition), Argument::Bag(bag)) => {
                    let node = self.bag(here, bag)?;
                    self.of(frame).built.insert(*definition, node);
                }
                (Parameter::Scalar { .. }, Argument::Scalar(scalar)) => {
                    value = Some(self.constant(here.frame, scalar)?);
                }
                _ => unreachable!("the checker matches arguments and parameters"),
            }
            self.of(frame).values.push(value);
        }
        self.nested(here.place.span, |builder| builder.definition(frame, subprogram.result))
    }

    fn step(&mut self, here: &Here, input: NodeId, step: &Step) -> Result<NodeId, Mistake> {
        let rowwise = match &step.kind {
            StepKind::Select(values) => {
                RowStepKind::Select(values.iter().map(|value| self.given(here.frame, value)).collect())
            }
            StepKind::Where(condition) => RowStepKind::Where(self.given(here.frame, condition)),
            StepKind::Unnest { list, position } => {
                RowStepKind::Unnest { list: self.given(here.frame, list), position: *position }
            }
            StepKind::Inspect(label) => {
                let operator = Operator::Inspect { input, label: label.clone() };
                return Ok(self.add(operator, step.columns.clone(), &here.place));
            }
            StepKind::Negate => {
                let operator = Operator::Concat { parts: vec![(input, true)] };
                return Ok(self.add(operator, step.columns.clone(), &here.place));
            }
            StepKind::Distinct => return Ok(self.threshold(here, input, 1)),
            StepKind::Threshold(least) => {
                let least = self.positive(here.frame, least)?;
                return Ok(self.threshold(here, input, least));
            }
            StepKind::Except(term) => {
                let other = self.term(here, term)?;
                return Ok(self.except(here, input, other));
            }
            StepKind::Intersect(term) => {
                let other = self.term(here, term)?;
                return Ok(self.intersect(here, input, other));
            }
            StepKind::Join(join) => return self.join(here, input, join, &step.columns),
            StepKind::Group { keys, aggregates } => {
                return Ok(self.group(here, input, keys, aggregates, &step.columns));
            }
            StepKind::Top { count, by, per } => {
                let count = self.positive(here.frame, count)?;
                return Ok(self.top(here, input, count, by, per));
            }
            StepKind::EnterAt(round) => return Ok(self.enter_at(here, input, round)),
        };
        Ok(self.rowwise(here, input, rowwise, step.columns.clone()))
    }

    /// Rows one by one.
    pub(super) fn rowwise(&mut self, here: &Here, input: NodeId, kind: RowStepKind, columns: Arc<[Column]>) -> NodeId {
        let statement = here.place.statement.clone();
        let steps = vec![Arc::new(RowStep { kind, columns: columns.clone(), statement })];
        self.add(Operator::Rowwise { input, steps }, columns, &here.place)
    }

    pub(super) fn threshold(&mut self, here: &Here, input: NodeId, least: i64) -> NodeId {
        let columns = self.columns(input);
        self.add(Operator::Threshold { input, least }, columns, &here.place)
    }

    /// Some columns of rows, in this order.
    pub(super) fn narrowed(&mut self, here: &Here, input: NodeId, kept: &[usize]) -> NodeId {
        let columns = self.columns(input);
        if kept.len() == columns.len() && kept.iter().enumerate().all(|(at, kept)| at == *kept) {
            return input;
        }
        let values = kept.iter().map(|at| column(here, *at, &columns[*at])).collect();
        let columns = kept.iter().map(|at| columns[*at].clone()).collect();
        self.rowwise(here, input, RowStepKind::Select(values), columns)
    }

    /// Rows with columns for these values: as they are where all of the values are columns, or else with more columns at
    /// the end. And which columns.
    pub(super) fn with_columns<'s>(
        &mut self,
        here: &Here,
        input: NodeId,
        values: impl IntoIterator<Item = &'s Scalar>,
    ) -> (NodeId, Vec<usize>) {
        let mut columns = self.columns(input).to_vec();
        let had = columns.len();
        let mut computed: Vec<Scalar> = columns.iter().enumerate().map(|(at, of)| column(here, at, of)).collect();
        let mut places = Vec::new();
        for value in values {
            places.push(match value.kind {
                ScalarKind::Column(at) => at,
                _ => {
                    columns.push(Column { name: format!("${}", columns.len() - had), of: value.of.clone() });
                    computed.push(self.given(here.frame, value));
                    columns.len() - 1
                }
            });
        }
        if columns.len() == had {
            return (input, places);
        }
        (self.rowwise(here, input, RowStepKind::Select(computed), columns.into()), places)
    }

    fn enter_at(&mut self, here: &Here, input: NodeId, round: &Scalar) -> NodeId {
        let columns = self.columns(input);
        let (with_round, places) = self.with_columns(here, input, [round]);
        let with_columns = self.columns(with_round);
        let (of, at) = (&with_columns[places[0]], places[0]);
        let zero = Scalar { kind: ScalarKind::Int(0), of: Type::Int, span: round.span };
        let at_round = Scalar { span: round.span, ..column(here, at, of) };
        let kind = ScalarKind::Binary(Binary::GreaterEqual, Box::new(at_round), Box::new(zero));
        let condition = Scalar { kind, of: Type::Bool, span: round.span };
        let required = RowStepKind::Require { condition, otherwise: "a round is negative" };
        let checked = self.rowwise(here, with_round, required, with_columns.clone());
        let operator = Operator::EnterAt { input: checked, round: at };
        let entered = self.add_in(here.scope, operator, with_columns, &here.place);
        self.narrowed(here, entered, &(0..columns.len()).collect::<Vec<_>>())
    }
}

/// A column as a value.
pub(super) fn column(here: &Here, at: usize, of: &Column) -> Scalar {
    Scalar { kind: ScalarKind::Column(at), of: of.of.clone(), span: here.place.span }
}

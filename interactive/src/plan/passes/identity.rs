//! What an operator does, as bytes: two whose bytes are the same do the same.
//!
//! ```text
//!   #7  #3 | where src > 5      rowwise 3 · 1 step · where · bool binary > · int column 0 · int 5 · columns · scope
//! ```
//!
//! The bytes can be read back in one way only: what is one of several begins with its number, what has parts with how many
//! they are. So they collide no more than the trees do, and are compared and hashed at the speed of bytes; of two
//! operators each is walked once.
//!
//! Places are among them where a row may fail, since errors name theirs; columns are, since their names are shown.

use crate::kernel::fails;
use crate::language::files::Span;
use crate::language::program::{Generator, Pattern, PatternKind, Scalar, ScalarKind};
use crate::language::types::{Column, Type};
use crate::plan::tree::{Aggregate, Node, NodeId, Operator, Picked, Place, RowStep, RowStepKind};

/// What an operator does: another with the same identity may stand for it.
pub(super) fn identity(node: &Node) -> Vec<u8> {
    let mut bytes = Bytes { bytes: Vec::with_capacity(128), places: false };
    let may_fail = bytes.operator(&node.operator);
    bytes.columns(&node.columns);
    bytes.number(node.scope.0);
    if may_fail {
        bytes.place(&node.place);
    }
    bytes.bytes
}

struct Bytes {
    bytes: Vec<u8>,
    /// Whether scalars are written with their places.
    places: bool,
}

impl Bytes {
    /// A number: small ones are frequent.
    fn number(&mut self, number: usize) {
        match u8::try_from(number) {
            Ok(small) if small < u8::MAX => self.bytes.push(small),
            _ => {
                self.bytes.push(u8::MAX);
                self.word(number as u64);
            }
        }
    }

    fn word(&mut self, word: u64) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn list<'t, T: 't>(&mut self, items: impl ExactSizeIterator<Item = &'t T>, each: impl Fn(&mut Self, &'t T)) {
        self.number(items.len());
        items.for_each(|item| each(self, item));
    }

    fn numbers(&mut self, numbers: &[usize]) {
        self.list(numbers.iter(), |bytes, number| bytes.number(*number));
    }

    fn span(&mut self, span: Span) {
        let Span { file, start, end } = span;
        self.number(file.0 as usize);
        self.number(start as usize);
        self.number(end as usize);
    }

    fn place(&mut self, place: &Place) {
        let Place { statement, span } = place;
        self.text(statement);
        self.span(*span);
    }

    fn columns(&mut self, columns: &[Column]) {
        self.list(columns.iter(), |bytes, Column { name, of }| {
            bytes.text(name);
            bytes.of(of);
        });
    }

    fn of(&mut self, of: &Type) {
        match of {
            Type::Int => self.number(0),
            Type::Float => self.number(1),
            Type::Bool => self.number(2),
            Type::Text => self.number(3),
            Type::Tuple(fields) => {
                self.number(4);
                self.list(fields.iter(), Self::of);
            }
            Type::List(of) => {
                self.number(5);
                self.of(of);
            }
            Type::Option(of) => {
                self.number(6);
                self.of(of);
            }
            Type::Sum(id, _) => {
                self.number(7);
                self.number(id.0);
            }
            Type::Hole => self.number(8),
            Type::Broken => self.number(9),
        }
    }

    /// Writes an operator; whether a row of it may fail.
    fn operator(&mut self, operator: &Operator) -> bool {
        match operator {
            Operator::Source { name } => {
                self.number(0);
                self.text(name);
            }
            Operator::Import { program, export } => {
                self.number(1);
                self.text(program);
                self.text(export);
            }
            Operator::Generated(generator) => {
                self.number(2);
                self.generator(generator);
            }
            Operator::Rows(rows) => {
                self.number(3);
                let may_fail = rows.iter().flatten().any(fails);
                self.places = may_fail;
                self.list(rows.iter(), |bytes, row| bytes.list(row.iter(), Self::scalar));
                return may_fail;
            }
            Operator::Rowwise { input, steps } => {
                self.number(4);
                self.input(*input);
                self.number(steps.len());
                let mut may_fail = false;
                steps.iter().for_each(|step| may_fail |= self.step(step));
                return may_fail;
            }
            Operator::Inspect { input, label } => {
                self.number(5);
                self.input(*input);
                self.text(label);
            }
            Operator::Concat { parts } => {
                self.number(6);
                // Counts are added in any order.
                let mut parts: Vec<_> = parts.iter().collect();
                parts.sort_unstable();
                self.list(parts.into_iter(), |bytes, (part, subtracted)| {
                    bytes.input(*part);
                    bytes.number((*subtracted).into());
                });
            }
            Operator::Threshold { input, least } => {
                self.number(7);
                self.input(*input);
                self.word(*least as u64);
            }
            Operator::Arrange { input, key, value } => {
                self.number(8);
                self.input(*input);
                self.numbers(key);
                self.numbers(value);
            }
            Operator::Join { left, right, output } => {
                self.number(9);
                self.input(*left);
                self.input(*right);
                self.list(output.iter(), Self::picked);
            }
            Operator::Group { input, aggregates } => {
                self.number(10);
                self.input(*input);
                self.list(aggregates.iter(), |bytes, Aggregate { function, of, span }| {
                    bytes.number(*function as usize);
                    bytes.numbers(of.as_slice());
                    bytes.span(*span);
                });
                return true;
            }
            Operator::Top { input, count, by, output } => {
                self.number(11);
                self.input(*input);
                self.word(*count as u64);
                self.list(by.iter(), |bytes, (picked, down)| {
                    bytes.picked(picked);
                    bytes.number((*down).into());
                });
                self.list(output.iter(), Self::picked);
                return true;
            }
            Operator::EnterAt { input, round } => {
                self.number(12);
                self.input(*input);
                self.number(*round);
            }
            Operator::Variable { definition } => {
                self.number(13);
                self.input(*definition);
            }
            Operator::Leave { input } => {
                self.number(14);
                self.input(*input);
            }
        }
        false
    }

    fn input(&mut self, input: NodeId) {
        self.number(input.0);
    }

    fn picked(&mut self, picked: &Picked) {
        let (of, at) = match picked {
            Picked::Key(at) => (0, at),
            Picked::Left(at) => (1, at),
            Picked::Right(at) => (2, at),
        };
        self.number(of);
        self.number(*at);
    }

    fn generator(&mut self, generator: &Generator) {
        match generator {
            Generator::Iota(count) => {
                self.number(0);
                self.word(*count as u64);
            }
            Generator::RandomGraph { nodes, edges, seed } => {
                self.number(1);
                [nodes, edges, seed].into_iter().for_each(|number| self.word(*number as u64));
            }
            Generator::Clock => self.number(2),
        }
    }

    /// Writes a step; whether a row may fail in it, in which case it is written with its places.
    fn step(&mut self, step: &RowStep) -> bool {
        let RowStep { kind, columns, statement } = step;
        self.places = matches!(kind, RowStepKind::Require { .. }) || kind.scalars().iter().any(fails);
        self.number(self.places.into());
        if self.places {
            self.text(statement);
        }
        match kind {
            RowStepKind::Select(values) => {
                self.number(0);
                self.list(values.iter(), Self::scalar);
            }
            RowStepKind::Where(condition) => {
                self.number(1);
                self.scalar(condition);
            }
            RowStepKind::Require { condition, otherwise } => {
                self.number(2);
                self.scalar(condition);
                self.text(otherwise);
            }
            RowStepKind::Unnest { list, position } => {
                self.number(3);
                self.scalar(list);
                self.number((*position).into());
            }
        }
        self.columns(columns);
        self.places
    }

    fn scalar(&mut self, scalar: &Scalar) {
        let Scalar { kind, of, span } = scalar;
        self.of(of);
        if self.places {
            self.span(*span);
        }
        let (sort, own) = match kind {
            ScalarKind::Int(number) => (0, *number as u64),
            ScalarKind::Float(number) => (1, number.to_bits()),
            ScalarKind::Bool(holds) => (2, (*holds).into()),
            ScalarKind::Text(text) => (3, text.len() as u64),
            ScalarKind::Column(at) => (4, *at as u64),
            ScalarKind::Local(id) => (5, id.0 as u64),
            ScalarKind::Parameter(at) => (6, *at as u64),
            ScalarKind::Tuple(parts) => (7, parts.len() as u64),
            ScalarKind::List(parts) => (8, parts.len() as u64),
            ScalarKind::Construct { constructor, payload } => {
                (9, 2 * *constructor as u64 + payload.iter().len() as u64)
            }
            ScalarKind::Field(_, at) => (10, *at as u64),
            ScalarKind::Negative(_) => (11, 0),
            ScalarKind::Not(_) => (12, 0),
            ScalarKind::Binary(operator, ..) => (13, *operator as u64),
            ScalarKind::If(..) => (14, 0),
            ScalarKind::Let(id, ..) => (15, id.0 as u64),
            ScalarKind::Case(_, arms) => (16, arms.len() as u64),
            ScalarKind::Call(function, parts) => (17, (*function as u64) << 32 | parts.len() as u64),
            ScalarKind::Lambda(names, _) => (18, names.len() as u64),
            ScalarKind::Broken => (19, 0),
        };
        self.number(sort);
        self.number(own as usize);
        match kind {
            ScalarKind::Text(text) => self.bytes.extend_from_slice(text.as_bytes()),
            ScalarKind::Lambda(names, _) => names.iter().for_each(|id| self.number(id.0)),
            ScalarKind::Case(_, arms) => arms.iter().for_each(|arm| self.pattern(&arm.pattern)),
            _ => {}
        }
        scalar.for_each_part(|part| self.scalar(part));
    }

    fn pattern(&mut self, pattern: &Pattern) {
        let Pattern { kind, span } = pattern;
        if self.places {
            self.span(*span);
        }
        match kind {
            PatternKind::Any => self.number(0),
            PatternKind::Bind(id) => {
                self.number(1);
                self.number(id.0);
            }
            PatternKind::Int(number) => {
                self.number(2);
                self.word(*number as u64);
            }
            PatternKind::Float(number) => {
                self.number(3);
                self.word(number.to_bits());
            }
            PatternKind::Bool(holds) => {
                self.number(4);
                self.number((*holds).into());
            }
            PatternKind::Text(text) => {
                self.number(5);
                self.text(text);
            }
            PatternKind::Construct(at, held) => {
                self.number(6);
                self.number(*at);
                self.list(held.iter(), |bytes, held| bytes.pattern(held));
            }
            PatternKind::Tuple(fields) => {
                self.number(7);
                self.list(fields.iter(), Self::pattern);
            }
        }
    }
}

//! Scalars of a plan as text: as the language writes them, columns by name.

use crate::language::functions::FUNCTIONS;
use crate::language::operators::Binary;
use crate::language::program::{Pattern, PatternKind, Scalar, ScalarKind};
use crate::language::types::{Column, Sum, Type};
use std::fmt::{self, Display, Write};

/// A scalar over rows of these columns.
pub(super) struct InWords<'a> {
    pub(super) scalar: &'a Scalar,
    pub(super) columns: &'a [Column],
    pub(super) sums: &'a [Sum],
}

impl Display for InWords<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.scalar(self.scalar, 0, out)
    }
}

/// How tightly an operator holds what is beside it.
fn strength(operator: Binary) -> u8 {
    match operator {
        Binary::Or => 1,
        Binary::And => 2,
        Binary::Equal | Binary::Unequal | Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => {
            4
        }
        Binary::Add | Binary::Subtract => 5,
        Binary::Multiply | Binary::Divide | Binary::Remainder => 6,
    }
}

impl InWords<'_> {
    /// Writes a scalar that stands beside something that holds it with `around`.
    fn scalar(&self, scalar: &Scalar, around: u8, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = match &scalar.kind {
            ScalarKind::Binary(operator, ..) => strength(*operator),
            ScalarKind::Not(_) => 3,
            ScalarKind::If(..) | ScalarKind::Let(..) | ScalarKind::Lambda(..) => 0,
            ScalarKind::Negative(_) => 7,
            _ => u8::MAX,
        };
        if own < around {
            out.write_char('(')?;
            self.bare(scalar, own, out)?;
            return out.write_char(')');
        }
        self.bare(scalar, own, out)
    }

    fn list(&self, parts: &[Scalar], out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in parts.iter().enumerate() {
            out.write_str(if at == 0 { "" } else { ", " })?;
            self.scalar(part, 0, out)?;
        }
        Ok(())
    }

    fn bare(&self, scalar: &Scalar, own: u8, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &scalar.kind {
            ScalarKind::Int(number) => write!(out, "{number}"),
            ScalarKind::Float(number) => write!(out, "{number:?}"),
            ScalarKind::Bool(holds) => write!(out, "{holds}"),
            ScalarKind::Text(text) => write!(out, "{text:?}"),
            ScalarKind::Column(at) => out.write_str(&self.columns[*at].name),
            ScalarKind::Local(id) => write!(out, "_{}", id.0),
            ScalarKind::Parameter(at) => write!(out, "parameter {at}"),
            ScalarKind::Tuple(parts) => {
                out.write_char('(')?;
                self.list(parts, out)?;
                out.write_str(if parts.len() == 1 { ",)" } else { ")" })
            }
            ScalarKind::List(parts) => {
                out.write_char('[')?;
                self.list(parts, out)?;
                out.write_char(']')
            }
            ScalarKind::Construct { constructor, payload } => {
                out.write_str(self.constructor(&scalar.of, *constructor))?;
                match payload.as_deref() {
                    None => Ok(()),
                    // A tuple of several fields brings its own parentheses.
                    Some(payload @ Scalar { kind: ScalarKind::Tuple(parts), of: _, span: _ })
                        if parts.len() > 1 && !matches!(scalar.of, Type::Option(_)) =>
                    {
                        self.scalar(payload, 0, out)
                    }
                    Some(payload) => {
                        out.write_char('(')?;
                        self.scalar(payload, 0, out)?;
                        out.write_char(')')
                    }
                }
            }
            ScalarKind::Field(of, at) => {
                self.scalar(of, 8, out)?;
                write!(out, ".{at}")
            }
            ScalarKind::Negative(of) => {
                out.write_char('-')?;
                self.scalar(of, own, out)
            }
            ScalarKind::Not(of) => {
                out.write_str("not ")?;
                self.scalar(of, own + 1, out)
            }
            ScalarKind::Binary(operator, left, right) => {
                // Comparisons don't chain.
                self.scalar(left, own + u8::from(own == 4), out)?;
                write!(out, " {} ", operator.symbol())?;
                self.scalar(right, own + 1, out)
            }
            ScalarKind::If(condition, then, other) => {
                out.write_str("if ")?;
                self.scalar(condition, 0, out)?;
                out.write_str(" then ")?;
                self.scalar(then, 0, out)?;
                out.write_str(" else ")?;
                self.scalar(other, 0, out)
            }
            ScalarKind::Let(id, value, inside) => {
                write!(out, "let _{} = ", id.0)?;
                self.scalar(value, 0, out)?;
                out.write_str(" in ")?;
                self.scalar(inside, 0, out)
            }
            ScalarKind::Case(of, arms) => {
                out.write_str("case ")?;
                self.scalar(of, 0, out)?;
                out.write_str(" { ")?;
                for (at, arm) in arms.iter().enumerate() {
                    out.write_str(if at == 0 { "" } else { ", " })?;
                    self.pattern(&arm.pattern, &of.of, out)?;
                    out.write_str(" => ")?;
                    self.scalar(&arm.value, 0, out)?;
                }
                out.write_str(" }")
            }
            ScalarKind::Call(function, parts) => {
                let signature = FUNCTIONS.iter().find(|signature| signature.function == *function);
                write!(out, "{}(", signature.map_or("?", |signature| signature.name))?;
                self.list(parts, out)?;
                out.write_char(')')
            }
            ScalarKind::Lambda(parameters, body) => {
                let names: Vec<String> = parameters.iter().map(|id| format!("_{}", id.0)).collect();
                match &names[..] {
                    [name] => write!(out, "{name} => ")?,
                    names => write!(out, "({}) => ", names.join(", "))?,
                }
                self.scalar(body, 0, out)
            }
            ScalarKind::Broken => out.write_char('?'),
        }
    }

    fn constructor(&self, of: &Type, at: usize) -> &str {
        match of {
            Type::Sum(id, _) => &self.sums[id.0].constructors[at].name,
            _ => ["None", "Some"][at],
        }
    }

    fn pattern(&self, pattern: &Pattern, of: &Type, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &pattern.kind {
            PatternKind::Any => out.write_char('_'),
            PatternKind::Bind(id) => write!(out, "_{}", id.0),
            PatternKind::Int(number) => write!(out, "{number}"),
            PatternKind::Float(number) => write!(out, "{number:?}"),
            PatternKind::Bool(holds) => write!(out, "{holds}"),
            PatternKind::Text(text) => write!(out, "{text:?}"),
            PatternKind::Construct(at, inside) => {
                out.write_str(self.constructor(of, *at))?;
                let Some(inside) = inside else { return Ok(()) };
                let held = match of {
                    Type::Option(held) => held,
                    Type::Sum(id, _) => {
                        self.sums[id.0].constructors[*at].payload.as_ref().expect("a pattern for what it holds")
                    }
                    _ => unreachable!("a constructor's pattern for {of}"),
                };
                out.write_char('(')?;
                self.pattern(inside, held, out)?;
                out.write_char(')')
            }
            PatternKind::Tuple(parts) => {
                let Type::Tuple(fields) = of else { unreachable!("a tuple's pattern for {of}") };
                out.write_char('(')?;
                for (at, (part, of)) in parts.iter().zip(fields).enumerate() {
                    out.write_str(if at == 0 { "" } else { ", " })?;
                    self.pattern(part, of, out)?;
                }
                out.write_str(if parts.len() == 1 { ",)" } else { ")" })
            }
        }
    }
}

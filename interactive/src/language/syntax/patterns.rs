//! Types and patterns as they are written.
//!
//! Both mirror values: `(int, string)` is the type of `(1, "one")`, and `(n, "one")` a pattern that it matches. As with
//! values, parentheses around one thing are only parentheses.

use super::cursor::{Parsed, Parser};
use super::token::Kind;
use super::tree::{Pattern, PatternKind, TypeExpr, TypeKind};
use crate::language::mistake::Problem;

impl Parser<'_> {
    pub(super) fn type_expr(&mut self) -> Parsed<TypeExpr> {
        self.nested(|parser| {
            let start = parser.span();
            let text = parser.text().to_string();
            let kind = match &parser.token().kind {
                Kind::Symbol("(") => {
                    parser.pass();
                    let (mut types, _, comma) = parser.list_and_comma(")", start, Self::type_expr)?;
                    // `(int)` is `int`, and `(int,)` is not.
                    if types.len() == 1 && !comma { types.remove(0).kind } else { TypeKind::Tuple(types) }
                }
                Kind::Word if *parser.ahead(1) == Kind::Symbol("<") && (text == "list" || text == "option") => {
                    parser.pass();
                    let opened = parser.pass();
                    let of = Box::new(parser.type_expr()?);
                    parser.close(">", opened)?;
                    if text == "list" { TypeKind::List(of) } else { TypeKind::Option(of) }
                }
                Kind::Word | Kind::Capital => {
                    parser.pass();
                    TypeKind::Named(text)
                }
                _ => return parser.wanted("a type"),
            };
            Ok(TypeExpr { kind, span: start.to(parser.passed()) })
        })
    }

    pub(super) fn pattern(&mut self) -> Parsed<Pattern> {
        self.nested(|parser| {
            let start = parser.span();
            let kind = match parser.token().kind.clone() {
                Kind::Symbol("_") => {
                    parser.pass();
                    PatternKind::Any
                }
                Kind::Symbol("-") => {
                    parser.pass();
                    match parser.token().kind {
                        Kind::Int(number) => {
                            parser.pass();
                            PatternKind::Int((number as i64).wrapping_neg())
                        }
                        Kind::Float(number) => {
                            parser.pass();
                            PatternKind::Float(-number)
                        }
                        _ => return parser.wanted("a number after `-`"),
                    }
                }
                Kind::Int(number) => {
                    let span = parser.pass();
                    let Ok(number) = i64::try_from(number) else {
                        let text = number.to_string();
                        return Err(parser.tell(span, Problem::NumberTooLarge { text }));
                    };
                    PatternKind::Int(number)
                }
                Kind::Float(number) => {
                    parser.pass();
                    PatternKind::Float(number)
                }
                Kind::Text(text) => {
                    parser.pass();
                    PatternKind::Text(text)
                }
                Kind::Reserved(word @ ("true" | "false")) => {
                    parser.pass();
                    PatternKind::Bool(word == "true")
                }
                Kind::Word => PatternKind::Name(parser.name("a name")?.text),
                Kind::Capital => {
                    let name = parser.capital("a constructor")?;
                    let mut fields = Vec::new();
                    if parser.is("(") {
                        let opened = parser.pass();
                        fields = parser.list(")", opened, Self::pattern)?.0;
                    }
                    PatternKind::Construct(name, fields)
                }
                Kind::Symbol("(") => {
                    let opened = parser.pass();
                    let (mut fields, _, comma) = parser.list_and_comma(")", opened, Self::pattern)?;
                    if fields.len() == 1 && !comma { fields.remove(0).kind } else { PatternKind::Tuple(fields) }
                }
                _ => return parser.wanted("a pattern"),
            };
            Ok(Pattern { kind, span: start.to(parser.passed()) })
        })
    }
}

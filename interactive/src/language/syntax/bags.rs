//! Terms, stages and the bags they make.
//!
//! ```text
//!   root + (far | where hops < 9) | group node { hops = min(hops) }
//!   term   term                     stage
//!   └───── sum ─────────────────┘
//! ```
//!
//! `|` binds loosest: a stage is done to the whole sum before it.

use super::cursor::{Parsed, Parser};
use super::token::Kind;
use super::tree::{
    AggregateExpr, Argument, Atom, Bag, ColumnExpr, Columns, Expr, Item, Name, Slot, Stage, StageKind, Term, TermKind,
};
use crate::language::files::Span;
use crate::language::mistake::Problem;
use crate::language::near::near;
use crate::language::operators::JoinKind;

/// The words that begin a stage.
const STAGES: [&str; 17] = [
    "select",
    "where",
    "unnest",
    "inspect",
    "distinct",
    "negate",
    "threshold",
    "except",
    "intersect",
    "join",
    "left",
    "semijoin",
    "antijoin",
    "cross",
    "group",
    "top",
    "enter",
];

/// The stage for what other languages call otherwise.
fn synonym(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "filter" => "where",
        "map" | "project" | "extend" | "with" | "rename" => "select",
        "order" | "sort" | "limit" | "take" => "top",
        "flatten" | "explode" | "flat_map" => "unnest",
        "reduce" | "aggregate" | "summarize" => "group",
        "unique" | "dedup" => "distinct",
        "minus" => "except",
        lower => return STAGES.into_iter().find(|stage| *stage == lower),
    })
}

impl Parser<'_> {
    pub(super) fn bag(&mut self) -> Parsed<Bag> {
        self.nested(|parser| {
            let start = parser.span();
            let first = parser.term()?;
            let mut others = Vec::new();
            while parser.is("+") || parser.is("-") {
                let subtracted = parser.is("-");
                parser.pass();
                others.push((subtracted, parser.term()?));
            }
            let mut stages = Vec::new();
            while parser.eat("|") {
                stages.push(parser.stage()?);
            }
            Ok(Bag { first, others, stages, span: start.to(parser.passed()) })
        })
    }

    pub(super) fn term(&mut self) -> Parsed<Term> {
        let start = self.span();
        let kind = match self.token().kind {
            Kind::Symbol("(") => {
                let opened = self.pass();
                let bag = self.bag()?;
                self.close(")", opened)?;
                TermKind::Nested(Box::new(bag))
            }
            Kind::Word if self.is_word("join") && *self.ahead(1) == Kind::Symbol("{") => {
                self.pass();
                let opened = self.pass();
                TermKind::Multiway(self.list("}", opened, Self::atom)?.0)
            }
            Kind::Word if self.is_word("rows") && *self.ahead(1) == Kind::Symbol("(") => {
                self.pass();
                self.rows()?
            }
            Kind::Word if *self.ahead(1) == Kind::Symbol("(") => {
                let name = self.name("a subprogram")?;
                let opened = self.pass();
                TermKind::Call { name, arguments: self.list(")", opened, Self::given)?.0 }
            }
            Kind::Word | Kind::Capital | Kind::Reserved(_) => TermKind::Path(self.path()?),
            _ => return self.wanted("a collection"),
        };
        Ok(Term { kind, span: start.to(self.passed()) })
    }

    fn path(&mut self) -> Parsed<Vec<Name>> {
        let mut path = vec![self.name("a collection")?];
        while self.eat(".") {
            path.push(self.name("a collection of the loop")?);
        }
        Ok(path)
    }

    /// An argument of a subprogram: a value if it begins as only values do, otherwise a bag.
    fn given(&mut self) -> Parsed<Argument> {
        match self.token().kind {
            Kind::Int(_) | Kind::Float(_) | Kind::Text(_) | Kind::Reserved(_) | Kind::Capital => {
                Ok(Argument::Scalar(self.expr()?))
            }
            Kind::Symbol("-" | "[") => Ok(Argument::Scalar(self.expr()?)),
            _ => Ok(Argument::Bag(self.bag()?)),
        }
    }

    fn rows(&mut self) -> Parsed<TermKind> {
        let columns = self.columns()?;
        let opened = self.want("{", "`{` with the rows")?;
        let (rows, _) = self.list("}", opened, |parser| {
            let opened = parser.want("(", "a row, as in `(1, 2)`")?;
            parser.list(")", opened, Self::expr)
        })?;
        Ok(TermKind::Rows { columns, rows })
    }

    /// `(src: int, dst: int)`.
    pub(super) fn columns(&mut self) -> Parsed<Columns> {
        let opened = self.want("(", "`(` with the columns, as in `(src: int, dst: int)`")?;
        let (columns, span) = self.list(")", opened, |parser| {
            let name = parser.name("the name of a column")?;
            parser.want(":", "`:` and the type of the column")?;
            Ok(ColumnExpr { name, of: parser.type_expr()? })
        })?;
        Ok(Columns { columns, span })
    }

    fn atom(&mut self) -> Parsed<Atom> {
        let start = self.span();
        let path = self.path()?;
        let opened = self.want("(", "`(` with a name for each column")?;
        let (slots, _) = self.list(")", opened, |parser| {
            let start = parser.span();
            let slot = match parser.token().kind {
                Kind::Symbol("_") => {
                    parser.pass();
                    Slot::Any
                }
                Kind::Word if matches!(parser.ahead(1), Kind::Symbol("," | ")")) => {
                    Slot::Variable(parser.name("a name")?.text)
                }
                _ => Slot::Constant(parser.expr()?),
            };
            Ok((slot, start.to(parser.passed())))
        })?;
        Ok(Atom { path, slots, span: start.to(self.passed()) })
    }

    /// Whether a word stands here that begins a stage.
    pub(super) fn at_stage(&self) -> bool {
        self.token().kind == Kind::Word && STAGES.contains(&self.text())
    }

    fn stage(&mut self) -> Parsed<Stage> {
        let start = self.span();
        if !matches!(self.token().kind, Kind::Word | Kind::Capital) {
            return match self.is("|") {
                true => Err(self.tell(start, Problem::BarsForOr)),
                false => self.wanted("a stage after `|`, such as `select` or `where`"),
            };
        }
        let word = self.text();
        if !STAGES.contains(&word) {
            let near = synonym(word).map(str::to_string).or_else(|| near(word, STAGES));
            return Err(self.tell(start, Problem::UnknownStage { name: word.to_string(), near }));
        }
        self.pass();
        let kind = match word {
            "select" => StageKind::Select(self.items()?),
            "where" => StageKind::Where(self.expr()?),
            "unnest" => self.unnest()?,
            "inspect" => match self.token().kind.clone() {
                Kind::Text(label) => {
                    self.pass();
                    StageKind::Inspect(label)
                }
                _ => return self.wanted("a string by which to tell the rows"),
            },
            "distinct" => StageKind::Distinct,
            "negate" => StageKind::Negate,
            "threshold" => StageKind::Threshold(self.expr()?),
            "except" => StageKind::Except(self.term()?),
            "intersect" => StageKind::Intersect(self.term()?),
            "join" => self.join(JoinKind::Inner)?,
            "semijoin" => self.join(JoinKind::Semi)?,
            "antijoin" => self.join(JoinKind::Anti)?,
            "left" | "cross" => {
                if !self.eat_word("join") {
                    return self.wanted("`join`");
                }
                self.join(if word == "left" { JoinKind::Left } else { JoinKind::Cross })?
            }
            "group" => self.group()?,
            "top" => self.top()?,
            _ => {
                if !self.eat_word("at") {
                    return self.wanted("`at` and the round");
                }
                StageKind::EnterAt(self.expr()?)
            }
        };
        Ok(Stage { kind, span: start.to(self.passed()) })
    }

    /// Items separated by `,`: at least one.
    fn items(&mut self) -> Parsed<Vec<Item>> {
        let mut items = vec![self.item()?];
        while self.eat(",") {
            items.push(self.item()?);
        }
        Ok(items)
    }

    fn item(&mut self) -> Parsed<Item> {
        if self.is("*") {
            let start = self.pass();
            let mut without = Vec::new();
            if self.eat_word("without") {
                let opened = self.want("(", "`(` with the columns to leave out")?;
                without = self.list(")", opened, |parser| parser.name("a column"))?.0;
            }
            return Ok(Item::All { without, span: start.to(self.passed()) });
        }
        let value = self.expr()?;
        let name = match self.eat_word("as") {
            true => Some(self.name("the name of a column after `as`")?),
            false => None,
        };
        Ok(Item::One { value, name })
    }

    fn unnest(&mut self) -> Parsed<StageKind> {
        let list = self.expr()?;
        if !self.eat_word("as") {
            return self.wanted("`as` and the column for the items");
        }
        let item = self.name("the column for the items")?;
        let position = match self.eat_word("at") {
            true => Some(self.name("the column for the positions")?),
            false => None,
        };
        Ok(StageKind::Unnest { list, item, position })
    }

    fn join(&mut self, kind: JoinKind) -> Parsed<StageKind> {
        let other = self.term()?;
        let alias = match self.eat_word("as") {
            true => Some(self.name("a name for the other side")?),
            false => None,
        };
        let mut on = Vec::new();
        if kind != JoinKind::Cross {
            if !self.eat_word("on") {
                return self.wanted("`on` and an equality");
            }
            on.push(self.equality()?);
            while self.is_reserved("and") {
                self.pass();
                on.push(self.equality()?);
            }
        } else if self.is_word("on") {
            return Err(self.tell(self.span(), Problem::CrossJoinOn));
        }
        Ok(StageKind::Join { kind, other, alias, on })
    }

    fn equality(&mut self) -> Parsed<(Expr, Expr)> {
        let left = self.sum()?;
        if self.is("=") {
            return Err(self.tell(self.span(), Problem::SingleEquals));
        }
        self.want("==", "`==`: a join matches rows by equalities")?;
        Ok((left, self.sum()?))
    }

    fn group(&mut self) -> Parsed<StageKind> {
        if self.is_word("by") && matches!(self.ahead(1), Kind::Word) {
            return Err(self.tell(self.span(), Problem::GroupBy));
        }
        let keys = if self.is("{") { Vec::new() } else { self.items()? };
        let opened = self.want("{", "`{` with the aggregates")?;
        let (aggregates, _) = self.list("}", opened, |parser| {
            if *parser.ahead(1) == Kind::Symbol("(") {
                return parser.wanted("a name for the column, as in `n = count()`");
            }
            let name = parser.assigned("the name of a column for an aggregate")?;
            let function = parser.name("an aggregate")?;
            let opened = parser.want("(", "`(` after the aggregate")?;
            let (arguments, span) = parser.list(")", opened, Self::expr)?;
            Ok(AggregateExpr { span: function.span.to(span), name, function, arguments })
        })?;
        Ok(StageKind::Group { keys, aggregates })
    }

    fn top(&mut self) -> Parsed<StageKind> {
        let count = self.expr()?;
        if !self.eat_word("by") {
            return self.wanted("`by` and what to order the rows by");
        }
        let mut by = vec![self.order()?];
        while self.eat(",") {
            by.push(self.order()?);
        }
        let per = if self.eat_word("per") { self.items()? } else { Vec::new() };
        Ok(StageKind::Top { count, by, per })
    }

    /// A value, and whether the largest come first.
    fn order(&mut self) -> Parsed<(Expr, bool)> {
        let value = self.expr()?;
        let down = self.eat_word("down");
        if !down {
            self.eat_word("up");
        }
        Ok((value, down))
    }

    /// The span from `start` to what was just passed.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.passed())
    }
}

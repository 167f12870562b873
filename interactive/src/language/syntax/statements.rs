//! Statements and blocks, and going on after a mistake.

use super::cursor::{Parsed, Parser, Told};
use super::token::{Kind, STATEMENTS};
use super::tree::{Bag, Generator, Parameter, ParameterKind, Statement, StatementKind};
use crate::language::files::Span;
use crate::language::mistake::Problem;
use crate::language::near::near;

/// What stands between the braces of a block.
struct Block {
    statements: Vec<Statement>,
    /// What it returns, if it is a subprogram's.
    result: Option<Bag>,
}

impl Parser<'_> {
    /// All statements up to the end of the file, and the names of those that could not be understood.
    pub(super) fn program(mut self) -> (Vec<Statement>, Vec<String>) {
        let mut block = Block { statements: Vec::new(), result: None };
        while !self.at_end() {
            if self.is("}") {
                let span = self.pass();
                self.tell(span, Problem::StrayBrace);
                continue;
            }
            self.step(&mut block, false);
        }
        let spoiled = self.take_spoiled();
        (block.statements, spoiled)
    }

    /// One statement, or what is skipped after a mistake: at least one token.
    fn step(&mut self, block: &mut Block, returns: bool) {
        let from = self.at();
        let done = match returns && self.is_word("return") {
            true => self.result(block),
            false => self.statement().map(|statement| block.statements.push(statement)),
        };
        if let Err(Told) = done {
            self.recover(from);
        }
    }

    fn result(&mut self, block: &mut Block) -> Parsed<()> {
        let start = self.pass();
        let bag = self.bag()?;
        self.semicolon();
        match &block.result {
            Some(first) => {
                let first = first.span;
                self.tell(start, Problem::SecondReturn { first });
            }
            None => block.result = Some(bag),
        }
        Ok(())
    }

    fn block(&mut self, wanted: &'static str, returns: bool) -> Parsed<Block> {
        let opened = self.want("{", wanted)?;
        self.nested(|parser| {
            let mut block = Block { statements: Vec::new(), result: None };
            while !parser.is("}") && !parser.at_end() {
                parser.step(&mut block, returns);
            }
            parser.close("}", opened)?;
            Ok(block)
        })
    }

    /// The end of a statement. If it is forgotten and the next statement follows, nothing is lost.
    fn semicolon(&mut self) {
        if self.eat(";") {
            return;
        }
        let (found, span) = (self.found(), self.missing());
        let perhaps = match self.text() {
            _ if self.token().begins_line => None,
            "desc" | "descending" => Some("the largest come first with `down`"),
            "asc" | "ascending" => Some("the smallest come first with `up`, or if nothing is said"),
            _ if self.at_stage() => Some("a stage begins with `|`"),
            _ if self.token().kind == Kind::Word => Some("things that are listed are separated by `,`"),
            _ => None,
        };
        self.tell(span, Problem::MissingSemicolon { found, perhaps });
        if !self.at_statement() && !self.is("}") && !self.at_end() {
            // From before this token: it may be what ends the statement's neighbour.
            self.recover(self.at().saturating_sub(1));
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.span();
        let word = match self.token().kind {
            Kind::Word | Kind::Capital | Kind::Reserved("let") => self.text(),
            _ => {
                let problem = Problem::Wanted { wanted: "a statement, such as `let` or `source`", found: self.found() };
                return Err(self.tell(start, problem));
            }
        };
        if !STATEMENTS.contains(&word) {
            if word == "return" {
                return Err(self.tell(start, Problem::ReturnOutside));
            }
            let near = near(word, STATEMENTS);
            return Err(self.tell(start, Problem::UnknownStatement { name: word.to_string(), near }));
        }
        self.pass();
        let kind = match word {
            "source" => self.source()?,
            "import" => self.import()?,
            "include" => match self.token().kind.clone() {
                Kind::Text(path) => StatementKind::Include { path, path_span: self.pass() },
                _ => return self.wanted("the name of a file, as a string"),
            },
            "type" => self.type_statement()?,
            "define" => self.define(start)?,
            "let" => StatementKind::Let { name: self.assigned("a name after `let`")?, bag: self.bag()? },
            "export" => StatementKind::Export { name: self.assigned("a name after `export`")?, bag: self.bag()? },
            "var" => {
                let name = self.name("a name after `var`")?;
                let columns = if self.is("(") { Some(self.columns()?) } else { None };
                self.want("=", "`=` after the name")?;
                StatementKind::Var { name, columns, bag: self.bag()? }
            }
            _ => self.loop_statement()?,
        };
        let span = self.since(start);
        let block = matches!(kind, StatementKind::Loop { .. } | StatementKind::Define { .. });
        if !block {
            self.semicolon();
        }
        Ok(Statement { kind, span })
    }

    fn source(&mut self) -> Parsed<StatementKind> {
        let name = self.name("a name after `source`")?;
        let columns = self.columns()?;
        let mut generator = None;
        if self.eat("=") {
            let name = self.name("a generator, such as `iota`")?;
            let opened = self.want("(", "`(` after the generator")?;
            let (arguments, span) = self.list(")", opened, Self::expr)?;
            generator = Some(Generator { span: name.span.to(span), name, arguments });
        }
        Ok(StatementKind::Source { name, columns, generator })
    }

    fn import(&mut self) -> Parsed<StatementKind> {
        let name = self.name("a name after `import`")?;
        let columns = self.columns()?;
        if !self.eat_word("from") {
            return self.wanted("`from` and the export, as in `from people.friends`");
        }
        let program = self.name("the name of a program")?;
        self.want(".", "`.` and the name of an export")?;
        let export = self.name("the name of an export")?;
        Ok(StatementKind::Import { name, columns, program, export })
    }

    fn type_statement(&mut self) -> Parsed<StatementKind> {
        let name = self.capital("the name of a type")?;
        self.want("=", "`=` and the constructors")?;
        let mut constructors = Vec::new();
        // A bar before the first is welcome too: then all lines look alike.
        self.eat("|");
        loop {
            let constructor = self.capital("a constructor")?;
            let payload = if self.is(";") || self.is("|") { None } else { Some(self.type_expr()?) };
            constructors.push((constructor, payload));
            if !self.eat("|") {
                break;
            }
        }
        Ok(StatementKind::Type { name, constructors })
    }

    fn define(&mut self, start: Span) -> Parsed<StatementKind> {
        let name = self.name("a name after `define`")?;
        let opened = self.want("(", "`(` with the parameters")?;
        let (parameters, _) = self.list(")", opened, |parser| {
            let name = parser.name("a parameter")?;
            let kind = match parser.is("(") {
                true => ParameterKind::Bag(parser.columns()?),
                false => {
                    parser.want(":", "the columns or the type of the parameter")?;
                    ParameterKind::Scalar(parser.type_expr()?)
                }
            };
            Ok(Parameter { name, kind })
        })?;
        let head = self.since(start);
        let block = self.block("`{` with the statements of the subprogram", true)?;
        if block.result.is_none() {
            self.tell(head, Problem::NoReturn { name: name.text.clone() });
        }
        Ok(StatementKind::Define { name, parameters, body: block.statements, result: block.result })
    }

    fn loop_statement(&mut self) -> Parsed<StatementKind> {
        let name = self.name("a name after `loop`")?;
        let by_rounds = self.eat_word("by");
        if by_rounds && !self.eat_word("rounds") {
            return self.wanted("`rounds` after `by`");
        }
        let limit = if self.eat_word("limit") { Some(self.expr()?) } else { None };
        let block = self.block("`{` with the statements of the loop", false)?;
        Ok(StatementKind::Loop { name, limit, by_rounds, body: block.statements })
    }
}

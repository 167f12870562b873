//! Where the parser stands: looking ahead, wanting, nesting, and going on after a mistake.
//!
//! A function of the parser answers with what it understood, or with [`Told`]: a mistake was added to the list, and
//! whoever can go on does. Only statements can (`statements.rs`): they [`Parser::recover`] to the next.

use super::LIMIT;
use super::token::{Kind, STATEMENTS, Token};
use super::tree::Name;
use crate::language::files::{Files, Span};
use crate::language::mistake::{Mistake, Problem};

/// A mistake was told; nothing came of what was being parsed.
#[derive(Debug)]
pub(super) struct Told;

pub(super) type Parsed<T> = Result<T, Told>;

pub(super) struct Parser<'a> {
    files: &'a Files,
    tokens: Vec<Token>,
    at: usize,
    depth: u16,
    mistakes: &'a mut Vec<Mistake>,
    /// Names that were to be defined by what could not be understood.
    spoiled: Vec<String>,
}

impl<'a> Parser<'a> {
    /// The tokens must end with [`Kind::End`].
    pub(super) fn new(files: &'a Files, tokens: Vec<Token>, mistakes: &'a mut Vec<Mistake>) -> Self {
        Parser { files, tokens, at: 0, depth: 0, mistakes, spoiled: Vec::new() }
    }

    // Looking.

    pub(super) fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    /// The kind of the token so many further on; behind the end there are only ends.
    pub(super) fn ahead(&self, by: usize) -> &Kind {
        &self.tokens[(self.at + by).min(self.tokens.len() - 1)].kind
    }

    pub(super) fn span(&self) -> Span {
        self.token().span
    }

    /// The span of the token just passed.
    pub(super) fn passed(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// Whether the token just passed is this, with nothing between it and the present one.
    pub(super) fn touches(&self, passed: &str) -> bool {
        self.files.text(self.passed()) == passed && self.passed().end == self.span().start
    }

    pub(super) fn text(&self) -> &'a str {
        self.files.text(self.span())
    }

    pub(super) fn is(&self, symbol: &str) -> bool {
        matches!(self.token().kind, Kind::Symbol(found) if found == symbol)
    }

    pub(super) fn is_reserved(&self, word: &str) -> bool {
        matches!(self.token().kind, Kind::Reserved(found) if found == word)
    }

    /// Whether a word that is not a name elsewhere, such as `as` or `by`, stands here.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.token().kind == Kind::Word && self.text() == word
    }

    pub(super) fn at_end(&self) -> bool {
        self.token().kind == Kind::End
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    // Going on.

    /// Goes past a token, and gives its span. The end is never passed.
    pub(super) fn pass(&mut self) -> Span {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        span
    }

    pub(super) fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.pass();
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.pass();
        }
        found
    }

    // Wanting.

    pub(super) fn tell(&mut self, span: Span, problem: Problem) -> Told {
        self.mistakes.push(Mistake::new(span, problem));
        Told
    }

    /// How a message names the token that stands here.
    pub(super) fn found(&self) -> String {
        match &self.token().kind {
            Kind::End => "the end of the file".to_string(),
            Kind::Text(_) => "a string".to_string(),
            Kind::Int(_) | Kind::Float(_) => format!("the number `{}`", self.text()),
            Kind::Reserved(word) => format!("the reserved word `{word}`"),
            Kind::Word | Kind::Capital | Kind::Symbol(_) => format!("`{}`", self.text()),
        }
    }

    /// Where to point for something that is missing: here, or behind the last token if here is another line.
    pub(super) fn missing(&self) -> Span {
        let elsewhere = self.token().begins_line || self.at_end();
        if elsewhere && self.at > 0 { self.passed().after() } else { self.span() }
    }

    pub(super) fn wanted<T>(&mut self, wanted: &'static str) -> Parsed<T> {
        let found = self.found();
        Err(self.tell(self.missing(), Problem::Wanted { wanted, found }))
    }

    pub(super) fn want(&mut self, symbol: &'static str, wanted: &'static str) -> Parsed<Span> {
        if self.is(symbol) { Ok(self.pass()) } else { self.wanted(wanted) }
    }

    pub(super) fn want_reserved(&mut self, word: &'static str, wanted: &'static str) -> Parsed<Span> {
        if self.is_reserved(word) { Ok(self.pass()) } else { self.wanted(wanted) }
    }

    /// The bracket that closes the one at `opened`.
    pub(super) fn close(&mut self, symbol: &'static str, opened: Span) -> Parsed<Span> {
        self.close_list(symbol, opened, false)
    }

    fn close_list(&mut self, symbol: &'static str, opened: Span, comma: bool) -> Parsed<Span> {
        if self.is(symbol) {
            return Ok(self.pass());
        }
        let found = self.found();
        Err(self.tell(self.missing(), Problem::Unclosed { opened, wanted: symbol, comma, found }))
    }

    /// A name that begins with a small letter.
    pub(super) fn name(&mut self, wanted: &'static str) -> Parsed<Name> {
        let text = self.text().to_string();
        match self.token().kind {
            // Something was forgotten at the end of the line before.
            Kind::Word if self.at_statement() => self.wanted(wanted),
            Kind::Word => Ok(Name { text, span: self.pass() }),
            Kind::Capital => Err(self.tell(self.span(), Problem::CapitalName { name: text, wanted })),
            Kind::Reserved(_) => Err(self.tell(self.span(), Problem::ReservedName { name: text, wanted })),
            _ => self.wanted(wanted),
        }
    }

    /// A name that begins with a capital.
    pub(super) fn capital(&mut self, wanted: &'static str) -> Parsed<Name> {
        let text = self.text().to_string();
        match self.token().kind {
            Kind::Capital => Ok(Name { text, span: self.pass() }),
            Kind::Word => Err(self.tell(self.span(), Problem::SmallName { name: text, wanted })),
            _ => self.wanted(wanted),
        }
    }

    /// Items separated by `,` up to the closing symbol, which is passed; a last comma is allowed. Gives the span from
    /// `opened` to the end.
    pub(super) fn list<T>(
        &mut self,
        close: &'static str,
        opened: Span,
        item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<(Vec<T>, Span)> {
        self.list_and_comma(close, opened, item).map(|(items, span, _)| (items, span))
    }

    /// As [`list`](Self::list); also whether there was a last comma, which tells `(x,)` from `(x)`.
    pub(super) fn list_and_comma<T>(
        &mut self,
        close: &'static str,
        opened: Span,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<(Vec<T>, Span, bool)> {
        let (mut items, mut comma) = (Vec::new(), false);
        while !self.is(close) {
            items.push(item(self)?);
            comma = self.eat(",");
            if !comma {
                break;
            }
        }
        let end = self.close_list(close, opened, !items.is_empty())?;
        Ok((items, opened.to(end), comma))
    }

    // Nesting.

    /// Parses something a level deeper, if that is allowed.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= LIMIT {
            return Err(self.tell(self.span(), Problem::TooDeep { limit: LIMIT }));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    // Recovering.

    /// The names that nobody should miss, as their definitions are told to be wrong.
    pub(super) fn take_spoiled(&mut self) -> Vec<String> {
        std::mem::take(&mut self.spoiled)
    }

    /// Whether what stands here looks like the beginning of a statement: first on its line, and as each goes on. A column
    /// that is called `source` may begin a line as well.
    pub(super) fn at_statement(&self) -> bool {
        let word = self.text();
        if !self.token().begins_line || !matches!(self.token().kind, Kind::Word | Kind::Reserved(_)) {
            return false;
        }
        let (first, second) = (self.ahead(1), self.ahead(2));
        match word {
            "return" => matches!(first, Kind::Word | Kind::Symbol("(")),
            "include" => matches!(first, Kind::Text(_)),
            "loop" => *first == Kind::Word && matches!(second, Kind::Symbol("{") | Kind::Word),
            _ => {
                let named = matches!(first, Kind::Word | Kind::Capital);
                STATEMENTS.contains(&word) && named && matches!(second, Kind::Symbol("=" | "("))
            }
        }
    }

    /// Goes on behind the statement that went wrong, or at what looks like the next. `from` is where it began: at least
    /// one token is passed.
    pub(super) fn recover(&mut self, from: usize) {
        if let [word, name, ..] = &self.tokens[from..]
            && STATEMENTS.contains(&self.files.text(word.span))
            && matches!(name.kind, Kind::Word | Kind::Capital)
        {
            self.spoiled.push(self.files.text(name.span).to_string());
        }
        let is_block = ["loop", "define"].contains(&self.files.text(self.tokens[from].span));
        // Braces that were opened since; parentheses don't count, since no `;` stands in any.
        let mut depth = 0_usize;
        for token in &self.tokens[from..self.at] {
            match token.kind {
                Kind::Symbol("{") => depth += 1,
                Kind::Symbol("}") => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        while !self.at_end() {
            let in_block = is_block && depth > 0;
            let moved = self.at > from;
            if moved && !in_block && self.at_statement() {
                return;
            }
            if self.is(";") && !in_block {
                self.pass();
                return;
            }
            if self.is("{") {
                depth += 1;
            } else if self.is("}") {
                if depth == 0 && moved {
                    return;
                }
                depth = depth.saturating_sub(1);
                if is_block && depth == 0 {
                    self.pass();
                    return;
                }
            }
            self.pass();
        }
    }
}

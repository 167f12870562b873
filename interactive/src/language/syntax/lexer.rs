//! From text to tokens.
//!
//! ```text
//!   let far = near | where hops <= 1_0.5e3;   -- a comment ends with its line
//!   ^   ^   ^ ^    ^ ^     ^    ^  ^      ^
//!   reserved  names and symbols    float  symbol
//! ```
//!
//! What is no token is told and left out, so that the parser goes on. Right after a `.`, digits are a field's number
//! and nothing else: `pair.0.1` is field 1 of field 0. A string ends on its line, so that a forgotten quote spoils one
//! line and not the rest of the file. One pass, each byte looked at a bounded number of times.

use super::token::{Kind, RESERVED, SYMBOLS, Token};
use crate::language::files::{FileId, Files, Span};
use crate::language::mistake::{Mistake, Problem};

/// The tokens of a file, the last of which is [`Kind::End`].
pub(crate) fn lex(files: &Files, file: FileId, mistakes: &mut Vec<Mistake>) -> Vec<Token> {
    let mut lexer = Lexer { text: &files.get(file).text, file, at: 0, begins_line: true, tokens: Vec::new(), mistakes };
    while lexer.at < lexer.text.len() {
        lexer.step();
    }
    lexer.push(lexer.at, Kind::End);
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    file: FileId,
    at: usize,
    begins_line: bool,
    tokens: Vec<Token>,
    mistakes: &'a mut Vec<Mistake>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        // A file of four gigabytes or more is refused before it comes here.
        Span { file: self.file, start: start as u32, end: self.at as u32 }
    }

    fn push(&mut self, start: usize, kind: Kind) {
        let span = self.span(start);
        self.tokens.push(Token { kind, span, begins_line: self.begins_line });
        self.begins_line = false;
    }

    fn tell(&mut self, start: usize, problem: Problem) {
        let span = self.span(start);
        self.mistakes.push(Mistake::new(span, problem));
    }

    /// Goes past the characters for which `keep` holds.
    fn skip(&mut self, keep: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|character| !keep(character)).unwrap_or(rest.len());
    }

    fn step(&mut self) {
        let start = self.at;
        let first = self.rest().chars().next().expect("before the end");
        match first {
            '\n' => {
                self.at += 1;
                self.begins_line = true;
            }
            _ if first.is_whitespace() || first == '\u{feff}' => self.at += first.len_utf8(),
            '-' if self.rest().starts_with("--") => self.skip(|character| character != '\n'),
            '"' => self.string(),
            '0'..='9' => self.number(),
            '_' => self.name(),
            _ if first.is_alphabetic() => self.name(),
            _ => match SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol)) {
                Some(symbol) => {
                    self.at += symbol.len();
                    self.push(start, Kind::Symbol(symbol));
                }
                None => self.strange(first),
            },
        }
    }

    /// What begins no word. Where it is plain what was meant, that is put in its place, so that it is one mistake.
    fn strange(&mut self, first: char) {
        let start = self.at;
        match first {
            '&' => self.skip(|character| character == '&'),
            // A run of them is one mistake.
            _ if !first.is_ascii() => self.skip(|character| !character.is_ascii() && !character.is_whitespace()),
            _ => self.at += 1,
        }
        let text = self.text[start..self.at].to_string();
        self.tell(start, Problem::StrangeCharacter { text });
        match first {
            '&' => self.push(start, Kind::Reserved("and")),
            '#' => self.skip(|character| character != '\n'),
            '\'' => {
                self.skip(|character| character != '\'' && character != '\n');
                let text = self.text[start + 1..self.at].to_string();
                self.at += usize::from(self.rest().starts_with('\''));
                self.push(start, Kind::Text(text));
            }
            _ => {}
        }
    }

    fn name(&mut self) {
        let start = self.at;
        self.skip(|character| character.is_alphanumeric() || character == '_');
        let word = &self.text[start..self.at];
        if !word.is_ascii() {
            let text = word.to_string();
            self.tell(start, Problem::StrangeCharacter { text });
            return self.push(start, Kind::Word);
        }
        let kind = match RESERVED.iter().find(|reserved| **reserved == word) {
            Some(reserved) => Kind::Reserved(reserved),
            None if word == "_" => Kind::Symbol("_"),
            None if word.trim_start_matches('_').starts_with(|first: char| first.is_ascii_uppercase()) => Kind::Capital,
            None => Kind::Word,
        };
        self.push(start, kind);
    }

    fn number(&mut self) {
        let start = self.at;
        let digits = |character: char| character.is_ascii_digit() || character == '_';
        self.skip(digits);
        let field = matches!(self.tokens.last(), Some(Token { kind: Kind::Symbol("."), .. }));
        let mut float = false;
        if !field {
            if self.fraction_follows() {
                float = true;
                self.at += 1;
                self.skip(digits);
            }
            if self.exponent_follows() {
                float = true;
                self.at += 1;
                self.skip(|character| character == '+' || character == '-' || digits(character));
            }
        }
        if self.rest().starts_with(|next: char| next.is_ascii_alphabetic()) {
            self.skip(|character| character.is_ascii_alphanumeric() || character == '_');
            let text = self.text[start..self.at].to_string();
            self.tell(start, Problem::MalformedNumber { text });
            return self.push(start, Kind::Int(0));
        }
        let text = self.text[start..self.at].replace('_', "");
        match (float, text.parse::<u64>(), text.parse::<f64>()) {
            (false, Ok(number), _) if number <= 1 << 63 => self.push(start, Kind::Int(number)),
            (false, ..) => {
                self.tell(start, Problem::NumberTooLarge { text });
                self.push(start, Kind::Int(0));
            }
            (true, _, Ok(number)) if number.is_finite() => self.push(start, Kind::Float(number)),
            (true, _, Ok(_)) => {
                self.tell(start, Problem::NumberTooLarge { text });
                self.push(start, Kind::Float(0.0));
            }
            (true, _, Err(_)) => {
                self.tell(start, Problem::MalformedNumber { text });
                self.push(start, Kind::Float(0.0));
            }
        }
    }

    fn fraction_follows(&self) -> bool {
        matches!(self.rest().as_bytes(), [b'.', b'0'..=b'9', ..])
    }

    fn exponent_follows(&self) -> bool {
        matches!(self.rest().as_bytes(), [b'e' | b'E', b'0'..=b'9', ..] | [b'e' | b'E', b'+' | b'-', b'0'..=b'9', ..])
    }

    fn string(&mut self) {
        let start = self.at;
        let mut text = String::new();
        self.at += 1;
        loop {
            let from = self.at;
            let Some(next) = self.rest().chars().next() else { break self.unclosed(start, text) };
            match next {
                '\n' => break self.unclosed(start, text),
                '"' => {
                    self.at += 1;
                    break self.push(start, Kind::Text(text));
                }
                '\\' => match self.escape() {
                    Some(character) => text.push(character),
                    None => {
                        let escape = self.text[from..self.at].to_string();
                        self.tell(from, Problem::UnknownEscape { escape });
                    }
                },
                other => {
                    text.push(other);
                    self.at += other.len_utf8();
                }
            }
        }
    }

    fn unclosed(&mut self, start: usize, text: String) {
        self.tell(start, Problem::UnclosedString);
        self.push(start, Kind::Text(text));
    }

    /// What a `\` and the following stand for; in any case goes past them.
    fn escape(&mut self) -> Option<char> {
        self.at += 1;
        let next = self.rest().chars().next().filter(|next| *next != '\n')?;
        self.at += next.len_utf8();
        match next {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            '0' => Some('\0'),
            '"' | '\\' => Some(next),
            'u' if self.rest().starts_with('{') => {
                let begin = self.at + 1;
                self.at = begin;
                self.skip(|character| character.is_ascii_hexdigit());
                let code = u32::from_str_radix(&self.text[begin..self.at], 16).ok();
                let closed = self.rest().starts_with('}');
                self.at += usize::from(closed);
                code.filter(|_| closed).and_then(char::from_u32)
            }
            _ => None,
        }
    }
}

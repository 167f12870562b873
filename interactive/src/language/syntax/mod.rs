//! From text to tree: which words stand where. Nothing here knows what a name means.
//!
//! ```text
//!   text ── lexer ── tokens ── parser ── statements
//!              └───── mistakes ────┘
//! ```
//!
//! A hand-written recursive descent, since it says best what was wanted where, and can go on after a mistake. Each
//! mistake spoils its statement and no more: the parser goes on behind the statement's `;`, or at what looks like the
//! next one. Nothing nests deeper than [`LIMIT`], so that no input overflows the stack.
//!
//! | file | one sentence |
//! |---|---|
//! | `token` | The words of the language. |
//! | `lexer` | From text to tokens. |
//! | `tree` | What was written, spans kept. |
//! | `cursor` | Where the parser stands: looking ahead, wanting, nesting, recovering. |
//! | `patterns` | Types and patterns. |
//! | `scalars` | Expressions. |
//! | `bags` | Terms, stages and the bags they make. |
//! | `statements` | Statements and blocks. |

mod token;
mod lexer;
pub(crate) mod tree;
mod cursor;
mod patterns;
mod scalars;
mod bags;
mod statements;

use super::files::{FileId, Files};
use super::mistake::Mistake;
use cursor::Parser;

/// How deep parentheses, blocks, types, patterns and expressions may nest.
pub(crate) const LIMIT: u16 = 200;

/// The statements of a file. What could not be understood is told, and left out; the names that it would have defined
/// are the second result.
pub(crate) fn parse(files: &Files, file: FileId, mistakes: &mut Vec<Mistake>) -> (Vec<tree::Statement>, Vec<String>) {
    let tokens = lexer::lex(files, file, mistakes);
    Parser::new(files, tokens, mistakes).program()
}

/// Whether a text is a name that begins with a small letter, or with `_`, and nothing else.
pub(crate) fn is_name(text: &str) -> bool {
    let (mut files, mut mistakes) = (Files::default(), Vec::new());
    let file = files.add("", text);
    let tokens = lexer::lex(&files, file, &mut mistakes);
    let is_all = |token: &token::Token| (token.span.start, token.span.end as usize) == (0, text.len());
    mistakes.is_empty() && matches!(&tokens[..], [word, _] if word.kind == token::Kind::Word && is_all(word))
}

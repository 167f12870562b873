//! The language: programs that are fine, programs that are not, and inputs of any kind.
//!
//! | file | claim |
//! |---|---|
//! | `programs` | Every file of `interactive/examples` is checked without a word. |
//! | `manual` | docs/LANGUAGE.md is true: its programs check, and those it refuses are refused with its words. |
//! | `mistakes` | Each mistake has a golden text. |
//! | `sound` | What the page of the checked program promises. |
//! | `trees` | What the checked program says: types, resolved names, kept columns. |
//! | `recursion` | Which steps may stand on a way from a `var` to itself. |
//! | `anything` | No input makes lexer, parser, checker or report panic, loop or overflow the stack. |
//! | `typed` | The command, as a person types it. |

mod programs;
mod manual;
mod mistakes;
mod sound;
mod trees;
mod recursion;
mod anything;
mod typed;

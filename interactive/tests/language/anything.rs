//! No input makes lexer, parser, checker or report panic, loop or overflow the stack.
//!
//! Bytes at random, words of the language at random, and good programs with pieces taken out, doubled and exchanged: the
//! first reach the lexer, the second the parser, the third the checker. A failing case is printed with its seed. Then
//! inputs that are built to be deep or long.

use crate::programs::{check_text, examples};
use crate::sound::assert_sound;
use difftest::Random;
use interactive::language::listing::listing;
use interactive::language::report::render;
use std::fmt::Write;
use std::panic::catch_unwind;

/// Everything that is done to a text, and whether a program came of it.
fn all(text: &str) -> bool {
    let checked = check_text(text);
    let shown = render(&checked.files, &checked.mistakes, false);
    assert_eq!(checked.program.is_none(), checked.mistakes.iter().any(|mistake| mistake.is_error()), "{shown}");
    assert_eq!(shown.is_empty(), checked.mistakes.is_empty());
    for mistake in &checked.mistakes {
        // Every span is a piece of its file.
        let _ = checked.files.text(mistake.at);
    }
    if let Some(program) = &checked.program {
        assert_eq!(listing(program).lines().count(), program.definitions.len());
        assert_sound(program);
    }
    checked.program.is_some()
}

fn survives(kind: &str, seed: u64, text: &str) -> bool {
    let owned = text.to_string();
    catch_unwind(move || all(&owned)).unwrap_or_else(|_| panic!("{kind} with seed {seed} panics:\n{text}"))
}

#[test]
fn bytes_at_random() {
    for seed in 0..1_000 {
        let mut random = Random::new(seed);
        let length = random.index(200);
        let bytes: Vec<u8> = (0..length).map(|_| random.index(256) as u8).collect();
        survives("bytes", seed, &String::from_utf8_lossy(&bytes));
        // Characters that mean something, and some that are wide.
        let letters: Vec<char> = "aZ_09.\"\\{}()[]|;=<>!+-*/%&'#\n é漢🦀\u{301}\t\r".chars().collect();
        let text: String = (0..length).map(|_| *random.pick(&letters)).collect();
        survives("letters", seed, &text);
    }
}

/// A text cut into words, symbols and blanks, which together are the text.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for character in text.chars() {
        let word = character.is_alphanumeric() || character == '_';
        match pieces.last_mut() {
            Some(last) if word && last.ends_with(|end: char| end.is_alphanumeric() || end == '_') => {
                last.push(character);
            }
            _ => pieces.push(character.to_string()),
        }
    }
    pieces
}

#[test]
fn words_at_random() {
    let words: Vec<String> = examples().iter().flat_map(|(_, text)| pieces(text)).collect();
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let length = random.index(120);
        let mut text =
            if seed % 2 == 0 { String::new() } else { "source s(a: int, b: string);\nlet x = s | ".to_string() };
        for _ in 0..length {
            text.push_str(random.pick::<String>(&words));
            text.push(' ');
        }
        survives("words", seed, &text);
    }
}

#[test]
fn programs_with_pieces_exchanged() {
    let programs: Vec<Vec<String>> = examples().iter().map(|(_, text)| pieces(text)).collect();
    let mut fine = 0;
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let mut text = random.pick(&programs).clone();
        for _ in 0..1 + random.index(3) {
            let from = random.index(text.len());
            let to = (from + 1 + random.index(8)).min(text.len());
            match random.index(4) {
                0 => drop(text.drain(from..to)),
                1 => {
                    let copy = text[from..to].to_vec();
                    let at = random.index(text.len());
                    text.splice(at..at, copy);
                }
                2 => {
                    let other = random.pick(&programs);
                    let at = random.index(other.len());
                    text.splice(from..to, other[at..(at + 6).min(other.len())].to_vec());
                }
                _ => {
                    let at = random.index(text.len());
                    text.swap(from, at);
                }
            }
            if text.is_empty() {
                break;
            }
        }
        fine += usize::from(survives("pieces", seed, &text.concat()));
    }
    // Exchanges that leave a program fine are few, but some reach the end of the checker.
    assert!(fine > 10, "{fine}");
}

#[test]
fn what_is_nested_deeply_is_refused() {
    const DEEP: usize = 100_000;
    let source = "source s(a: int);\nexport e = s | ";
    let around =
        |before: &str, inside: &str, after: &str| format!("{}{inside}{}", before.repeat(DEEP), after.repeat(DEEP));
    let deep = [
        ("parentheses of bags", format!("export e = {};", around("(", "s", ")"))),
        ("parentheses", format!("{source}where {};", around("(", "true", ")"))),
        ("not", format!("{source}where {};", around("not ", "true", ""))),
        ("minus", format!("{source}select {} as x;", around("- ", "a", ""))),
        ("sum", format!("{source}select {} as x;", around("a + ", "a", ""))),
        ("comparison", format!("{source}where {};", around("a < ", "a", ""))),
        ("fields", format!("{source}select {} as x;", around("", "a", ".0"))),
        ("if", format!("{source}select {} as x;", around("if true then 1 else ", "a", ""))),
        ("let", format!("{source}select {} as x;", around("let x = a in ", "a", ""))),
        ("case", format!("{source}select {} as x;", around("case a { _ => ", "a", " }"))),
        ("lists", format!("{source}select {} as x;", around("[", "a", "]"))),
        ("calls", format!("{source}select {} as x;", around("abs(", "a", ")"))),
        ("constructors", format!("{source}select {} as x;", around("Some(", "a", ")"))),
        ("functions", format!("{source}select {} as x;", around("map([a], x => ", "a", ")"))),
        ("patterns", format!("{source}select case a {{ {} => 1 }} as x;", around("Some(", "a", ")"))),
        ("types", format!("source t(a: {});", around("list<", "int", ">"))),
        ("tuples of types", format!("source t(a: {});", around("(int, ", "int", ")"))),
        ("loops", around("loop l { ", "", "}")),
        ("unclosed", "(".repeat(DEEP)),
        ("unclosed joins", format!("export e = {}", "join { a(".repeat(DEEP))),
        ("calls of subprograms", format!("export e = {};", around("f(", "s", ")"))),
        ("except", format!("export e = {};", around("s | except (", "s", ")"))),
    ];
    for (name, text) in deep {
        assert!(!survives(name, 0, &text), "{name} should be refused");
    }
}

#[test]
fn what_is_long_is_fine() {
    const LONG: usize = 20_000;
    let source = "source s(a: int);\nexport e = s";
    let long = [
        ("or", format!("{source} | where {}true;", "a == 1 or ".repeat(LONG))),
        ("and", format!("{source} | where {}true;", "not a == 1 and ".repeat(LONG))),
        ("stages", format!("{source} {};", "| distinct ".repeat(LONG))),
        ("sum", format!("{source} {};", "+ s ".repeat(LONG))),
        ("items", format!("{source} | select length([{}]) as n;", "a, ".repeat(LONG))),
        ("comments", format!("{source};{}", "-- no\n".repeat(LONG))),
    ];
    for (name, text) in long {
        assert!(survives(name, 0, &text), "{name} should be fine");
    }
    let mut chain = source.to_string() + ";\n";
    let mut circle = String::new();
    for at in 0..LONG {
        let next = if at + 1 == LONG { "s".to_string() } else { format!("l{}", at + 1) };
        writeln!(chain, "let l{at} = {next} | distinct;").unwrap();
        writeln!(circle, "let l{at} = l{} | distinct;", (at + 1) % LONG).unwrap();
    }
    assert!(survives("chain", 0, &chain));
    assert!(!survives("circle", 0, &circle));
}

/// What would double at each step is bounded instead.
#[test]
fn what_would_explode_is_refused() {
    let pairs: String = (1..100).map(|at| format!("let x{at} = (x{0}, x{0}) in ", at - 1)).collect();
    let nested = format!("source s(x0: int);\nexport e = s | select {pairs} x99 as x;");
    assert!(!survives("pairs of pairs in one value", 0, &nested));
    let mut doubled = "source s(a: int);\nlet d0 = s | select (a, a) as a;\n".to_string();
    for at in 1..100 {
        writeln!(doubled, "let d{at} = d{} | select (a, a) as a;", at - 1).unwrap();
    }
    doubled.push_str("export e = d99;\n");
    assert!(!survives("pairs of pairs", 0, &doubled));
    let mut calls = "define f0(x(a: int)) { return x + x; }\n".to_string();
    for at in 1..100 {
        writeln!(calls, "define f{at}(x(a: int)) {{ return f{0}(f{0}(x)); }}", at - 1).unwrap();
    }
    calls.push_str("source s(a: int);\nexport e = f99(s);\n");
    assert!(survives("calls of calls", 0, &calls));
    let mut loops = "source s(a: int);\n".to_string();
    for at in 0..60 {
        writeln!(loops, "loop l{at} {{ var v{at} = w{at} + s | distinct; let w{at} = v{at};").unwrap();
    }
    loops.push_str(&"}".repeat(60));
    loops.push_str("export e = l0.v0;\n");
    assert!(survives("loops in loops", 0, &loops));
}

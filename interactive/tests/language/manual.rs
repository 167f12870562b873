//! docs/LANGUAGE.md is true: its programs check, and those it calls refused are refused with the words shown.
//!
//! A block of `ddir` must check without a word. A block of `ddir refused` is followed by a block of `text` with exactly
//! what a person sees; `DDIR_GOLDEN=rewrite cargo test -p interactive --test language` writes these anew.

use crate::mistakes::{difference, rewriting};
use crate::programs::{check_text, messages};
use crate::sound::assert_sound;
use std::path::Path;

/// A block of code: what stands behind the opening fence, its text, and where that is.
struct Block<'m> {
    kind: &'m str,
    text: &'m str,
    start: usize,
}

fn blocks(manual: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while let Some(opened) = manual[at..].find("```") {
        let kind_start = at + opened + 3;
        let start = kind_start + manual[kind_start..].find('\n').expect("a fence ends its line") + 1;
        let end = start + manual[start..].find("```").expect("every block is closed");
        blocks.push(Block { kind: manual[kind_start..start].trim(), text: &manual[start..end], start });
        at = end + 3;
    }
    blocks
}

#[test]
fn the_manual_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/LANGUAGE.md");
    let manual = std::fs::read_to_string(&path).unwrap();
    let blocks = blocks(&manual);
    let mut rewritten = String::new();
    let mut copied = 0;
    let (mut fine, mut refused) = (0, 0);
    for (at, block) in blocks.iter().enumerate() {
        match block.kind {
            "ddir" => {
                assert_eq!(messages(block.text), "", "this should be fine:\n{}", block.text);
                assert_sound(&check_text(block.text).program.unwrap());
                fine += 1;
            }
            "ddir refused" => {
                let shown = blocks.get(at + 1).filter(|next| next.kind == "text").expect("a message follows");
                let seen = messages(block.text);
                assert!(check_text(block.text).program.is_none(), "this should be refused:\n{}", block.text);
                if rewriting() {
                    rewritten.push_str(&manual[copied..shown.start]);
                    rewritten.push_str(&seen);
                    copied = shown.start + shown.text.len();
                } else {
                    assert!(seen == shown.text, "{}\n{}", block.text, difference(shown.text, &seen));
                }
                refused += 1;
            }
            _ => {}
        }
    }
    assert!(fine >= 18 && refused >= 4, "where are the examples? {fine}, {refused}");
    if rewriting() {
        rewritten.push_str(&manual[copied..]);
        std::fs::write(path, rewritten).unwrap();
    }
}

/// What the table of functions in the manual says is there, is.
#[test]
fn every_function_of_the_manual_is_known() {
    let manual = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/LANGUAGE.md")).unwrap();
    let table = manual.split("### Functions").nth(1).unwrap().split("## Warnings").next().unwrap();
    let mut count = 0;
    for call in table.split('`').skip(1).step_by(2) {
        let Some((name, _)) = call.split_once('(') else { continue };
        let text = format!("source s(a: int); export e = s | select {name}() as b;");
        assert!(!messages(&text).contains("there is no function"), "{name}");
        count += 1;
    }
    assert!(count >= 38, "{count}");
}

//! Every file of `interactive/examples` is checked without a word, and large programs are, too.

use crate::sound::assert_sound;
use interactive::language::report::render;
use interactive::language::{Checked, check};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The examples, in order of their names.
pub(crate) fn examples() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "ddir")).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// Checks a text that includes nothing.
pub(crate) fn check_text(text: &str) -> Checked {
    check("example.ddir".as_ref(), text.to_string(), &|path| {
        Err(std::io::Error::other(format!("nothing to read at {}", path.display())))
    })
}

/// What a person sees of a text.
pub(crate) fn messages(text: &str) -> String {
    let Checked { files, mistakes, .. } = check_text(text);
    render(&files, &mistakes, false)
}

#[test]
fn examples_are_fine() {
    let examples = examples();
    assert!(examples.len() >= 12, "where are the examples?");
    for (path, text) in examples {
        let Checked { files, program, mistakes } = check(&path, text, &|path| std::fs::read_to_string(path));
        assert!(mistakes.is_empty(), "{}", render(&files, &mistakes, false));
        assert_sound(&program.unwrap());
    }
}

/// A thousand definitions, each reading the one after it; and as many that all read each other.
#[test]
fn programs_of_a_thousand_statements_check() {
    let mut chain = "source last(n: int, m: int);\nexport all = d0;\n".to_string();
    let mut ring = "source edge(n: int, m: int);\nloop ring {\n".to_string();
    for at in 0..1_000 {
        let next = if at == 999 { "last".to_string() } else { format!("d{}", at + 1) };
        writeln!(
            chain,
            "let d{at} = {next} | where n > {at} | join last as l on m == l.n | select l.n as n, l.m as m;"
        )
        .unwrap();
        let (next, keyword) = ((at + 1) % 1_000, if at % 2 == 0 { "var" } else { "let" });
        writeln!(ring, "{keyword} d{at} = edge + (d{next} | join edge as e on m == e.n | select e.n as n, e.m as m);")
            .unwrap();
    }
    ring.push_str("}\nexport all = ring.d0;\n");
    for text in [chain, ring] {
        assert_eq!(messages(&text), "");
    }
}

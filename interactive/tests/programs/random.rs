//! Random programs over random changes come to what they mean, after every commit, on one worker and on two.

use crate::meaning::Counts;
use crate::running::{History, answers, assert_same, checked, meanings};
use difftest::Random;
use interactive::plan::{plain, plan};
use interactive::value::{Row, Value};
use std::fmt::Write;

/// A program in the making: every collection has the columns `a` and `b`, which are ints.
struct Writer {
    random: Random,
    /// What may be read.
    known: Vec<String>,
    in_loop: bool,
}

impl Writer {
    fn term(&mut self) -> String {
        self.known[self.random.index(self.known.len())].clone()
    }

    /// A collection from outside of the loop.
    fn outer(&mut self) -> String {
        self.random.pick(&["s", "t"]).to_string()
    }

    fn number(&mut self) -> String {
        let text = self.random.pick(&[
            "a",
            "b",
            "2",
            "a + b",
            "a - b",
            "a * 2 - b",
            "(a * 7 + b) % 5",
            "a / b",
            "least(a, b)",
        ]);
        text.to_string()
    }

    fn condition(&mut self) -> String {
        let text = self.random.pick(&[
            "a < b",
            "a != b",
            "a % 2 == 0",
            "b > 1",
            "a / (b - 2) < 2",
            "true",
            "a == 3 or b == 1",
        ]);
        text.to_string()
    }

    fn stage(&mut self) -> String {
        let other = self.term();
        match self.random.index(22) {
            0 | 1 => format!("select {} as a, {} as b", self.number(), self.number()),
            2 | 3 => format!("where {}", self.condition()),
            4 => "distinct".into(),
            5 => "negate".into(),
            6 => format!("threshold {}", 1 + self.random.index(2)),
            7 => format!("except {other}"),
            8 => format!("intersect {other}"),
            9 | 10 => {
                let key = self.random.pick(&["b", "a", "a / b"]);
                format!("join {other} as o on {key} == o.a | select o.b as a, o.a as b")
            }
            11 => format!("left join {other} as o on a == o.b | select or_else(o.a, 0 - 1) as a, or_else(o.b, 4) as b"),
            12 => format!("semijoin {other} on b == {}", self.random.pick(&["a", "b", "a % b"])),
            13 => format!("antijoin {other} on a == a and b == {}", self.random.pick(&["b", "b + 1"])),
            14 => {
                let (function, of) = (self.random.pick(&["min", "max", "any", "sum"]), self.number());
                format!("group {} as a {{ b = {function}({of}) }}", self.number())
            }
            15 => "group a { n = count(), all = collect(b), m = avg(a) } | select n % 5 as a, length(all) + to_int(m) as b"
                .into(),
            16 => {
                let per = self.random.pick(&["", " per a", " per a % 2"]);
                format!("top {} by {} down, b{per}", 1 + self.random.index(2), self.number())
            }
            17 => "unnest range(0, a % 3) as c at d | select c as a, b + d as b".into(),
            18 => {
                let rest = self.random.pick(&["", " | where c == o.a and d > 0", " | where o.b == d and c < o.a and o.a > 0"]);
                format!(
                    "distinct | select a as c, b as d | cross join ({other} | distinct | where b < 2) as o{rest} | select o.a as a, d as b"
                )
            }
            19 => format!("distinct | select * | where {}", self.condition()),
            20 => format!("group {{ a = min({}), b = max(b) }}", self.number()),
            _ => "select b as a, a as b".into(),
        }
    }

    fn bag(&mut self) -> String {
        let mut text = self.term();
        if self.in_loop && self.random.index(8) == 0 {
            text = format!("({} | enter at {})", self.outer(), self.random.pick(&["a", "b % 3", "a - 1"]));
        } else if self.random.index(6) == 0 {
            let (r, s) = (self.term(), self.term());
            text = match self.random.index(3) {
                0 => format!("(join {{ {r}(a, x), {s}(x, b) }} | distinct | select a, b)"),
                1 => format!("(join {{ {r}(a, 1), {s}(a, b), {}(b, _) }} | distinct)", self.term()),
                _ => format!("(join {{ {r}(a, a), {s}(a, b) }} | select b as a, a as b)"),
            };
        } else if !self.in_loop && self.random.index(7) == 0 {
            text = format!("twice({text}, {})", self.random.index(4));
        }
        if self.random.index(3) == 0 {
            let (sign, other) = (self.random.pick(&["+", "-"]), self.term());
            write!(text, " {sign} {other}").unwrap();
        }
        for _ in 0..self.random.index(4) {
            write!(text, " | {}", self.stage()).unwrap();
        }
        text
    }

    fn program(&mut self) -> String {
        let mut text = "source s(a: int, b: int);\nsource t(a: int, b: int);\n\
                        define twice(of(a: int, b: int), n: int) {\n    let more = of | select a + n as a, b;\n    return more + of | where a != n + n;\n}\n"
            .to_string();
        for at in 0..1 + self.random.index(3) {
            writeln!(text, "let d{at} = {};", self.bag()).unwrap();
            self.known.push(format!("d{at}"));
        }
        for at in 0..self.random.index(3) {
            text.push_str(&self.a_loop(&format!("l{at}"), 0));
            self.known.extend([format!("l{at}.x"), format!("l{at}.z")]);
        }
        for at in 0..2 {
            writeln!(text, "export e{at} = {};", self.bag()).unwrap();
        }
        text
    }

    /// A loop that says no limit, and needs none: it goes through pairs of what is there. (Such a loop may be turned.)
    fn a_closure(&mut self, name: &str, depth: usize) -> String {
        let indent = "    ".repeat(depth);
        let from = self.random.pick(&["s | distinct", "t | distinct", "s + t | distinct"]);
        let more = self.random.pick(&[
            "",
            " | where a != b",
            " + (SECOND | select b as a, a as b)",
            " | join SECOND as other on b == a | select SECOND.a as a, other.b as b",
        ]);
        let [x, y, z] = [["x", "y", "z"], ["u", "v", "w"]][depth];
        let ends = self.random.pick(&["FROM.a as a, second.b as b", "second.b as a, FROM.a as b"]);
        let step = |from: &str| {
            let ends = ends.replace("FROM", from);
            format!("{from} | join {name}_base as second on b == a | select {ends}")
        };
        // The second may be a variable that does not go through itself, and the first may go through it.
        let (through, second) = match self.random.index(3) {
            0 => (x, format!("let {y} = {x}")),
            1 => (x, format!("var {y} = {x} | where a != b | distinct")),
            _ => (y, format!("var {y} = {} | distinct", step(x))),
        };
        let (first, more) = (step(through), more.replace("SECOND", y));
        format!(
            "{indent}let {name}_base = {from};\n{indent}loop {name} {{\n\
             {indent}    var {x}(a: int, b: int) = {name}_base + ({first}) | distinct;\n\
             {indent}    {second};\n{indent}    let {z} = {y}{more};\n{indent}}}\n"
        )
    }

    fn a_loop(&mut self, name: &str, depth: usize) -> String {
        if self.random.index(4) == 0 {
            return self.a_closure(name, depth);
        }
        let indent = "    ".repeat(depth);
        let outside = self.known.clone();
        let mut text = format!("{indent}loop {name} by rounds limit {} {{\n", 2 + self.random.index(6));
        let was = std::mem::replace(&mut self.in_loop, true);
        let names: Vec<String> =
            [["x", "y", "z"], ["u", "v", "w"]][depth].iter().map(|name| name.to_string()).collect();
        let variables = 1 + self.random.index(2);
        self.known.extend(names[..variables].iter().cloned());
        if depth == 0 && self.random.index(3) == 0 {
            text.push_str(&self.a_loop("inner", 1));
            self.known.extend(["inner.u".into(), "inner.w".into()]);
        }
        for name in &names[..variables] {
            let end =
                self.random.pick(&["distinct", "distinct", "group a { b = min(b) }", "top 2 by b per a | distinct"]);
            writeln!(text, "{indent}    var {name}(a: int, b: int) = ({}) + ({}) | where a < 9 and a > -9 and b < 9 and b > -9 | {end};", self.bag(), self.bag()).unwrap();
        }
        if variables < 2 {
            writeln!(text, "{indent}    let {} = {};", names[1], self.bag()).unwrap();
        }
        writeln!(text, "{indent}    let {} = {};", names[2], self.bag()).unwrap();
        writeln!(text, "{indent}}}").unwrap();
        self.known = outside;
        self.in_loop = was;
        text
    }
}

/// A random program's text.
pub(crate) fn program(seed: u64) -> String {
    let mut writer = Writer { random: Random::new(seed), known: vec!["s".into(), "t".into()], in_loop: false };
    writer.program()
}

/// Random changes of its sources, rows that are not there removed among them.
pub(crate) fn history(seed: u64) -> History {
    let mut random = Random::new(seed ^ 0xABCD);
    let commits = 1 + random.index(4);
    (0..commits)
        .map(|_| {
            (0..random.index(7))
                .map(|_| {
                    let row = [random.index(5), random.index(5)].map(|number| Value::Int(number as i64));
                    let diff = [1, 1, 1, 2, -1][random.index(5)];
                    (random.pick(&["s", "t"]).to_string(), row.into_iter().collect::<Row>(), diff)
                })
                .collect()
        })
        .collect()
}

/// After so many rounds loops are given up that say nothing themselves; random ones do.
const ROUNDS: u64 = 50;

#[test]
fn random_programs_come_to_what_they_mean() {
    let first = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let count = std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(100);
    let mut shown_singly = 0;
    for seed in first..first + count {
        let (text, history) = (program(seed), history(seed));
        let (program, files) = checked(&text);
        let plan = plain(&program).unwrap();
        let about = format!("seed {seed}\n{text}\n{history:?}\n{plan}");
        let wanted = meanings(&program, &files, &history, ROUNDS);
        let workers = 1 + (seed % 8 == 0) as usize;
        let found = answers(&plan, &files, &history, ROUNDS, workers);
        assert_same(&found, &wanted, &about);
        let singles = plan.singles();
        for (at, export) in plan.exports.iter().enumerate().filter(|(_, export)| singles[export.node.0]) {
            let one_at_most = |(rows, _): &(Vec<Counts>, _)| rows[at].values().sum::<i64>() <= 1;
            assert!(found.iter().all(one_at_most), "{} has more than one row\n{about}", export.name);
            shown_singly += 1;
        }
    }
    assert!(shown_singly * 50 > count, "no test of what never has more than one row: {shown_singly}");
}

/// The statements of a random program.
fn statements(text: &str) -> Vec<String> {
    let (mut statements, mut depth) = (vec![String::new()], 0);
    for line in text.lines() {
        let last = statements.last_mut().expect("there is one");
        last.push_str(line);
        last.push('\n');
        depth += line.matches('{').count();
        depth -= line.matches('}').count();
        if depth == 0 {
            statements.push(String::new());
        }
    }
    statements
}

/// In another order; exports keep theirs.
fn shuffled(text: &str, random: &mut Random) -> String {
    let (exports, mut others): (Vec<String>, Vec<String>) =
        statements(text).into_iter().partition(|statement| statement.starts_with("export"));
    random.shuffle(&mut others);
    exports.concat() + &others.concat()
}

/// With a part that never has a row in every collection.
fn with_what_never_fires(text: &str) -> String {
    let line = |line: &str| match line.strip_suffix(';').and_then(|line| line.split_once(" = ")) {
        Some((head, bag)) if !line.trim_start().starts_with("return") => {
            format!("{head} = ({bag}) + (s | where a != a);\n")
        }
        _ => format!("{line}\n"),
    };
    // A subprogram sees no source.
    let of = |statement: String| match statement.starts_with("define") {
        true => statement,
        false => statement.lines().map(line).collect(),
    };
    statements(text).into_iter().map(of).collect()
}

/// With other names of what it defines.
fn renamed(text: &str) -> String {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = |text: &str| -> Vec<String> {
        let is_end = |pair: &[char]| !(is_part(pair[0]) && is_part(pair[1]));
        let letters: Vec<char> = text.chars().collect();
        letters.chunk_by(|one, other| !is_end(&[*one, *other])).map(|word| word.iter().collect()).collect()
    };
    let all = words(text);
    let defined = |word: &&[String]| matches!(&*word[0], "let" | "var" | "loop" | "define");
    let names: Vec<&String> = all.windows(3).filter(defined).map(|word| &word[2]).collect();
    all.iter().map(|word| if names.contains(&word) { format!("{word}_too") } else { word.clone() }).collect()
}

/// Other texts of the same meaning have the same exports.
#[test]
fn what_changes_no_meaning_changes_no_answer() {
    for seed in 1_000..1_025 {
        let (text, history) = (program(seed), history(seed));
        let exports = |text: &str| {
            let (program, files) = checked(text);
            let answers = answers(&plan(&program).unwrap(), &files, &history, ROUNDS, 1);
            answers.into_iter().map(|(exports, _)| exports).collect::<Vec<_>>()
        };
        let wanted = exports(&text);
        let others = [shuffled(&text, &mut Random::new(seed)), with_what_never_fires(&text), renamed(&text)];
        for other in others {
            assert_ne!(other, text, "seed {seed}");
            assert_eq!(exports(&other), wanted, "seed {seed}\n{text}\n{other}\n{history:?}");
        }
    }
}

//! What the checked program says: types without annotations, resolved names, columns that are kept.

use crate::programs::{check_text, messages};
use crate::sound::assert_sound;
use interactive::language::listing::listing;
use interactive::language::operators::JoinKind;
use interactive::language::program::{DefinitionKind, Program, ScalarKind, Scope, StepKind, TermKind};
use interactive::language::types::Type;

fn program(text: &str) -> Program {
    let program = check_text(text).program.unwrap_or_else(|| panic!("{}", messages(text)));
    assert_sound(&program);
    program
}

/// The types of the columns of `select`ed values over a row `(i: int, f: float, s: string, l: list<int>, o: option<int>)`.
fn types(items: &str) -> String {
    let text = format!(
        "type Shape = Dot | Box (float, float);\n\
         source row(i: int, f: float, s: string, l: list<int>, o: option<int>, h: Shape);\n\
         export e = row | select {items};"
    );
    let listing = listing(&program(&text));
    let line = listing.lines().find(|line| line.starts_with("export")).unwrap();
    line["export e(".len()..line.len() - 1].to_string()
}

#[test]
fn values_have_the_types_they_should() {
    for (value, of) in [
        ("1 + i * 2 - i / 3 % 4", "int"),
        ("-9223372036854775808", "int"),
        ("-f + 1.5e3", "float"),
        ("i < 3 and not f >= 1.0 or s != \"x\"", "bool"),
        ("(i, s)", "(int, string)"),
        ("()", "()"),
        ("(i,)", "(int,)"),
        ("((i, s), f).0.1", "string"),
        ("if i > 1 then o else None", "option<int>"),
        ("if i > 1 then [] else [None, Some(s)]", "list<option<string>>"),
        ("case o { Some(n) => n, None => 0 }", "int"),
        ("case (o, h) { (Some(1), Dot) => 1.0, (_, Box(a, b)) => a + b, (_, other) => 0.0 }", "float"),
        ("case h { Box(size) => size.0, Dot => 0.0 }", "float"),
        ("case s { \"a\" => true, _ => false }", "bool"),
        ("case f { 0.0 => 1, -1.5 => 2, _ => 3 }", "int"),
        ("let x = i + 1 in let y = x in (x, y)", "(int, int)"),
        ("Box(1.0, 2.0)", "Shape"),
        ("[Dot, Box((f, f))]", "list<Shape>"),
        ("([] : list<(int, string)>)", "list<(int, string)>"),
        ("concat(s, \"-\", s)", "string"),
        ("concat(l, [1], [])", "list<int>"),
        ("concat([], [], l)", "list<int>"),
        ("or_else(None, i)", "int"),
        ("contains([], s)", "bool"),
        ("if i > 1 then (None, []) else (o, [s])", "(option<int>, list<string>)"),
        ("case o { None => [], Some(n) => [Some(n), None] }", "list<option<int>>"),
        ("let x = [None, o] in index(x, 0)", "option<int>"),
        ("length(s) + length(l)", "int"),
        ("contains(s, \"x\") == contains(l, 1)", "bool"),
        ("substring(trim(lower(upper(s))), 0, 3)", "string"),
        ("starts_with(s, \"a\") or ends_with(s, \"b\")", "bool"),
        ("split(s, \",\")", "list<string>"),
        ("parse_int(s) + or_else(try_int(s), 0)", "int"),
        ("parse_float(s) + unwrap(try_float(s))", "float"),
        ("to_string(i)", "string"),
        ("to_int(round(f)) + to_int(floor(sqrt(to_float(i)) + ceiling(f)))", "int"),
        ("hash(10, i, i)", "int"),
        ("index(sort(reverse(l)), 0)", "int"),
        ("map(l, x => (x, s))", "list<(int, string)>"),
        ("filter(l, x => x > i)", "list<int>"),
        ("fold(l, \"\", (text, x) => concat(text, to_string(x)))", "string"),
        ("range(0, i)", "list<int>"),
        ("is_some(o) and is_none(o)", "bool"),
        ("abs(i) + abs(least(i, 1, 2)) + greatest(i, 4)", "int"),
        ("least(s, \"x\")", "string"),
        ("(o == None, [] == l)", "(bool, bool)"),
    ] {
        assert_eq!(types(&format!("{value} as x")), format!("x: {of}"), "{value}");
    }
}

#[test]
fn stages_have_the_columns_they_should() {
    let sources = "source a(x: int, y: string);\nsource b(x: int, z: float);\nsource c(l: list<string>);\n";
    for (bag, columns) in [
        ("a", "(x: int, y: string)"),
        ("a | select *", "(x: int, y: string)"),
        ("a | select * without (x), x as w, a.x + 1 as x", "(y: string, w: int, x: int)"),
        ("a | join b on x == x", "(x: int, y: string, z: float)"),
        ("a | join b on x == x | select a.x as p, b.x as q, x, z", "(p: int, q: int, x: int, z: float)"),
        ("a | left join b on x == x", "(x: int, y: string, z: option<float>)"),
        ("a | join b as o on x + 1 == x - 1 and y == \"u\" | select a.x, o.x as other", "(x: int, other: int)"),
        ("a | semijoin b on x == x", "(x: int, y: string)"),
        ("a | antijoin b on x == x", "(x: int, y: string)"),
        ("a | cross join c", "(x: int, y: string, l: list<string>)"),
        ("join { a(n, _), b(n, z), c(l) }", "(n: int, z: float, l: list<string>)"),
        ("c | unnest l as item at place", "(l: list<string>, item: string, place: int)"),
        (
            "a | group y { n = count(), s = sum(x), m = avg(x), c = collect(x) }",
            "(y: string, n: int, s: int, m: float, c: list<int>)",
        ),
        (
            "b | group { low = min(z), high = max((z, x)), one = any(x), s = sum(z) }",
            "(low: float, high: (float, int), one: int, s: float)",
        ),
        ("a | group x / 2 as half, y { n = count() }", "(half: int, y: string, n: int)"),
        ("a | top 2 by x down, y per length(y)", "(x: int, y: string)"),
        ("a + a - a | distinct | negate | threshold 2 | except a | intersect a | inspect \"a\"", "(x: int, y: string)"),
        ("rows (n: option<int>) { (None), (Some(1 + 2)), }", "(n: option<int>)"),
        ("(a | where x > 1) | join b as o on a.x == o.x | select z", "(z: float)"),
    ] {
        let text = format!("{sources}export e = {bag};");
        let listing = listing(&program(&text));
        let line = listing.lines().find(|line| line.starts_with("export")).unwrap();
        assert_eq!(&line["export e".len()..], columns, "{bag}");
    }
}

#[test]
fn joins_say_which_columns_they_keep() {
    let program = program(
        "source a(x: int, y: int);\nsource b(w: int, x: int);\nexport e = a | join b on y + 1 == w and x == x;",
    );
    let DefinitionKind::Export(bag) = &program.definitions[2].kind else { panic!("an export") };
    let StepKind::Join(join) = &bag.steps[0].kind else { panic!("a join") };
    assert_eq!((join.kind, join.kept.as_slice()), (JoinKind::Inner, [0].as_slice()));
    assert!(matches!(join.on[0].1.kind, ScalarKind::Column(0)) && matches!(join.on[1].0.kind, ScalarKind::Column(0)));
    assert!(matches!(join.other.kind, TermKind::Read(id) if program.definitions[id.0].name == "b"));
}

#[test]
fn loops_and_subprograms_are_scopes() {
    let program = program(
        "source edge(src: int, dst: int);\n\
         define twice(x(src: int, dst: int), most: int) { return x + x | where src < most; }\n\
         loop outer limit 10 { loop inner { var a = edge + b + a | distinct; } var b = twice(inner.a, 7) | distinct; }\n\
         export e = outer.b;",
    );
    assert_eq!(
        listing(&program),
        "source edge(src: int, dst: int)\n\
         parameter twice.x(src: int, dst: int)\n\
         let twice.return(src: int, dst: int)\n\
         var outer.inner.a(src: int, dst: int)\n\
         var outer.b(src: int, dst: int)\n\
         export e(src: int, dst: int)\n"
    );
    let inner = &program.loops[1];
    assert!(matches!(inner.scope, Scope::Loop(id) if program.loops[id.0].name == "outer"));
    assert!(matches!(program.loops[0].limit.as_ref().map(|limit| &limit.kind), Some(ScalarKind::Int(10))));
    assert_eq!(program.subprograms[0].result.0, 2);
}

/// A `var` gets its columns from a part that isn't recursive, wherever that stands and however far away.
#[test]
fn columns_come_from_what_is_not_recursive() {
    let mut text = "source s(n: int, m: (int, string));\nloop l {\n".to_string();
    for at in 0..50 {
        text.push_str(&format!("var v{at} = v{} | where n > {at};\n", at + 1));
    }
    text.push_str("let v50 = (v0 | select n, m) + s | distinct;\n}\nexport e = l.v0;");
    let program = program(&text);
    let pair = Type::Tuple(vec![Type::Int, Type::Text]);
    assert!(program.definitions.iter().all(|definition| definition.columns[1].of == pair));
}

/// Words that mean something elsewhere are names too.
#[test]
fn few_words_are_reserved() {
    let text = "source source(from: int, by: int, at: int, as: int, on: int, per: int, limit: int, select: int);\n\
                let loop = source | select from, by as up, at as down, on + per as where;\n\
                let export = loop | group from { group = count() } | top 3 by group down per from;\n\
                export var = export;";
    let listing = listing(&program(text));
    assert!(listing.ends_with("export var(from: int, group: int)\n"), "{listing}");
}

//! Which steps may stand on a way from a `var` to itself: each, on each of its sides, alone and hidden.

use crate::programs::messages;

/// What is said of a loop whose `x` is defined like this, over sources `s` and `t` of the same column.
fn said(definition: &str, by_rounds: bool) -> String {
    let by = if by_rounds { "by rounds " } else { "" };
    messages(&format!(
        "source s(n: int);\nsource t(n: int);\n\
         define same(b(n: int)) {{ return b; }}\n\
         define less(b(n: int), without(n: int)) {{ let left = b | except without; return left + without; }}\n\
         loop l {by}{{ var x(n: int) = {definition} | distinct; let also = x; }}\n\
         export e = l.x + same(s) + less(s, t) + l.also;\n"
    ))
}

#[test]
fn steps_that_only_grow_are_allowed() {
    for definition in [
        "s + x",
        "x | where n > 1",
        "s + (x | select n + 1 as n | where n < 9)",
        "x | intersect s",
        "s | intersect x",
        "x | except s",
        "x | join s on n == n",
        "s | join x on n == n",
        "x | semijoin s on n == n",
        "s | semijoin x on n == n",
        "x | antijoin s on n == n",
        "x | left join s on n == n",
        "s | cross join x as o | select o.n",
        "x | unnest range(0, n) as m | select m as n",
        "x | threshold 2",
        "x | group { n = min(n) }",
        "x | group n / 2 as half { n = max(n) } | select n",
        "x | group n / 2 as half { m = any(n) } | select m as n",
        "x | top 3 by n down",
        "join { x(n), s(n) }",
        "s - t + x",
        "same(x)",
        "less(x, s)",
        "also + s",
    ] {
        assert_eq!(said(definition, false), "", "{definition}");
    }
}

#[test]
fn steps_that_may_take_away_are_refused() {
    for (word, definition) in [
        ("-", "s - x"),
        ("-", "s + (t - (x | where n > 1))"),
        ("-", "s - also"),
        ("negate", "s + (x | negate)"),
        ("except", "s | except x"),
        ("except", "s | except (x | where n > 1)"),
        ("antijoin", "s | antijoin x on n == n"),
        ("left join", "s | left join x as o on n == o.n | select s.n"),
        ("count", "x | group n { m = count() } | where m > 1 | select n"),
        ("sum", "x | group { n = sum(n) }"),
        ("avg", "x | group { m = avg(n) } | select to_int(m) as n"),
        ("collect", "x | group { m = collect(n) } | select length(m) as n"),
        ("except", "less(s, x)"),
        ("except", "same(less(s, same(x)))"),
    ] {
        let said_of_it = said(definition, false);
        assert!(said_of_it.starts_with(&format!("Error: `l` recurs through `{word}`: ")), "{definition}\n{said_of_it}");
        assert_eq!(said(definition, true), "", "{definition}");
    }
}

/// What a loop reads from outside it may take away as it likes.
#[test]
fn what_is_not_recursive_is_free() {
    let text = "source s(n: int);\n\
                loop first { var x = s + x | distinct; }\n\
                loop second { let rest = s | except first.x | group n { m = count() } | select n; var y = rest + y | distinct; }\n\
                export e = second.y - first.x;\n";
    assert_eq!(messages(text), "");
}

/// Each loop answers for the ways through its own `var`s.
#[test]
fn a_loop_within_a_loop_answers_for_itself() {
    let nested = |outer: &str, inner: &str, of_inner: &str, of_outer: &str| {
        messages(&format!(
            "source s(n: int);\nloop outer {outer}{{ loop inner {inner}{{ var x(n: int) = {of_inner} | distinct; }}\n\
             var y(n: int) = {of_outer} | distinct; }}\nexport e = outer.y;\n"
        ))
    };
    let refused = |name: &str| format!("Error: `{name}` recurs through `except`");
    assert!(nested("", "", "s | except x", "inner.x").starts_with(&refused("inner")));
    assert_eq!(nested("", "by rounds ", "s | except x", "inner.x"), "");
    // Through `y`, it is the outer loop's affair, wherever the step stands.
    assert!(nested("", "by rounds ", "s | except y", "inner.x").starts_with(&refused("outer")));
    assert!(nested("", "", "s + y", "s | except inner.x").starts_with(&refused("outer")));
    assert_eq!(nested("by rounds ", "", "s | except y", "inner.x"), "");
    assert!(nested("by rounds ", "", "s | except x", "inner.x").starts_with(&refused("inner")));
}

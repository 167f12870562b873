//! A plan as a drawing, in the language of Graphviz: operators as boxes, loops around theirs, what goes round dashed.

use super::tree::{NodeId, Operator, Plan, ScopeId};
use std::fmt::Write;

/// The drawing, for `dot -Tsvg`.
pub fn dot(plan: &Plan) -> String {
    let mut text = "digraph plan {\n  node [shape=box, fontname=monospace];\n".to_string();
    scope(plan, ScopeId(0), 1, &mut text);
    for (at, node) in plan.nodes.iter().enumerate() {
        for input in node.operator.inputs() {
            let _ = writeln!(text, "  n{} -> n{at};", input.0);
        }
        if let Operator::Variable { definition: NodeId(definition) } = node.operator {
            let _ = writeln!(text, "  n{definition} -> n{at} [style=dashed, constraint=false];");
        }
    }
    for (at, export) in plan.exports.iter().enumerate() {
        let _ = writeln!(text, "  e{at} [shape=ellipse, label={}];", quoted(&export.name));
        let _ = writeln!(text, "  n{} -> e{at};", export.node.0);
    }
    text.push_str("}\n");
    text
}

/// The operators of a scope, and of the loops in it.
fn scope(plan: &Plan, id: ScopeId, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    for (at, node) in plan.nodes.iter().enumerate().filter(|(_, node)| node.scope == id) {
        let label = format!("#{at} {}\n{}", plan.does(node), node.place.statement);
        let _ = writeln!(text, "{indent}n{at} [label={}];", quoted(&label));
    }
    for (at, inner) in plan.scopes.iter().enumerate().filter(|(_, inner)| inner.parent == Some(id)) {
        let _ = writeln!(text, "{indent}subgraph cluster_{at} {{");
        let _ = writeln!(text, "{indent}  label={};", quoted(&inner.place.statement));
        scope(plan, ScopeId(at), depth + 1, text);
        let _ = writeln!(text, "{indent}}}");
    }
}

fn quoted(label: &str) -> String {
    format!("\"{}\"", label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

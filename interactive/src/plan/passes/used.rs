//! Who reads whom; what nobody needs is left out.

use crate::plan::tree::{Node, NodeId, Operator, Plan};

/// The plan without operators that no export and no `inspect` depends on.
pub(super) fn used(mut plan: Plan) -> Plan {
    let mut wanted = vec![false; plan.nodes.len()];
    let mut waiting: Vec<NodeId> = plan.exports.iter().map(|export| export.node).collect();
    let inspects = plan.nodes.iter().enumerate().filter(|(_, node)| matches!(node.operator, Operator::Inspect { .. }));
    waiting.extend(inspects.map(|(at, _)| NodeId(at)));
    while let Some(id) = waiting.pop() {
        if !std::mem::replace(&mut wanted[id.0], true) {
            waiting.extend(plan.node(id).operator.named());
        }
    }
    let mut now = Vec::with_capacity(wanted.len());
    let mut next = 0;
    for wanted in &wanted {
        now.push(NodeId(next));
        next += usize::from(*wanted);
    }
    if next == wanted.len() {
        return plan;
    }
    let mut wanted = wanted.into_iter();
    plan.nodes.retain_mut(|node| {
        let wanted = wanted.next().expect("one for each");
        if wanted {
            node.operator.named_mut().into_iter().for_each(|named| *named = now[named.0]);
        }
        wanted
    });
    plan.exports.iter_mut().for_each(|export| export.node = now[export.node.0]);
    if cfg!(debug_assertions) {
        plan.check();
    }
    plan
}

/// How many operators and exports read each operator; the variable that it defines is one of them.
pub(super) fn readers(plan: &Plan) -> Vec<usize> {
    let mut readers = vec![0; plan.nodes.len()];
    for node in &plan.nodes {
        node.operator.named().into_iter().for_each(|named| readers[named.0] += 1);
    }
    plan.exports.iter().for_each(|export| readers[export.node.0] += 1);
    readers
}

/// Operators of a plan in the making.
#[derive(Default)]
pub(super) struct Made {
    pub(super) nodes: Vec<Node>,
}

impl Made {
    pub(super) fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() - 1)
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }
}

/// A plan made anew, operator by operator: `each` gets one that reads the new operators, with its old number, and says
/// which new one stands for it; nothing, if nobody reads it.
pub(super) fn rebuilt(plan: &Plan, mut each: impl FnMut(&mut Made, NodeId, Node) -> Option<NodeId>) -> Plan {
    let mut made = Made::default();
    let mut now: Vec<Option<NodeId>> = Vec::new();
    let mut variables = Vec::new();
    for (at, node) in plan.nodes.iter().enumerate() {
        let mut node = node.clone();
        let mut missing = false;
        if !matches!(node.operator, Operator::Variable { .. }) {
            for named in node.operator.named_mut() {
                match now[named.0] {
                    Some(new) => *named = new,
                    None => missing = true,
                }
            }
        }
        let new = if missing { None } else { each(&mut made, NodeId(at), node) };
        now.push(new);
        if let (Operator::Variable { definition }, Some(new)) = (&plan.nodes[at].operator, new) {
            variables.push((new, *definition));
        }
    }
    let new = |old: NodeId| now[old.0].expect("what is read is there");
    for (variable, definition) in variables {
        made.nodes[variable.0].operator = Operator::Variable { definition: new(definition) };
    }
    let mut exports = plan.exports.clone();
    exports.iter_mut().for_each(|export| export.node = new(export.node));
    let rebuilt = Plan { sums: plan.sums.clone(), scopes: plan.scopes.clone(), nodes: made.nodes, exports };
    if cfg!(debug_assertions) {
        rebuilt.check();
    }
    rebuilt
}

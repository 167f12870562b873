//! Questions about graphs: those that the engine's library answers, and those that a user would write.

use differential::algorithms;
use differential::collection::{Collection, Scope};
use differential::operators::Variable;

/// A node.
type Node = u32;
/// An edge.
type Edge = (Node, Node);

/// Node 0, as a collection.
fn root(scope: &Scope) -> Collection<Node> {
    let (mut session, roots) = scope.input("roots");
    session.insert(0);
    roots
}

pub(super) fn reach(scope: &Scope, edges: &Collection<Edge>) -> Collection<Node> {
    algorithms::reach(edges, &root(scope))
}

pub(super) fn bfs(scope: &Scope, edges: &Collection<Edge>) -> Collection<(Node, u32)> {
    algorithms::bfs(edges, &root(scope))
}

pub(super) fn components(_: &Scope, edges: &Collection<Edge>) -> Collection<(Node, Node)> {
    algorithms::components(edges)
}

pub(super) fn strong_edges(_: &Scope, edges: &Collection<Edge>) -> Collection<Edge> {
    algorithms::strong_edges(edges)
}

/// Pairs joined by a path of one or more edges.
pub(super) fn paths(_: &Scope, edges: &Collection<Edge>) -> Collection<Edge> {
    let by_source = edges.arrange_by_key("edges by source");
    let longer = Variable::new(&edges.scope().inner("paths"));
    let found = longer.current().concat(&edges.map(|(start, end)| (end, start))).arrange_by_key("found by end");
    let by_end = found.distinct("paths by end");
    longer.set(&by_end.join(&by_source, |_, start, target| (target, start)));
    by_end.pairs().map(|(end, start)| (start, end)).leave()
}

/// Pairs that differ and are children of one node, and what follows: children of a pair are one.
pub(super) fn same_generation(_: &Scope, edges: &Collection<Edge>) -> Collection<Edge> {
    let by_parent = edges.arrange_by_key("children by parent");
    let siblings = by_parent.join_flat(&by_parent, |_, one, other| (one != other).then_some((one, other))).distinct();
    let lower = Variable::new(&edges.scope().inner("same generation"));
    let same = lower.current().concat(&siblings).arrange_by_key("found").distinct("same generation");
    let half = same.join(&by_parent, |_, other, child| (other, child));
    lower.set(&half.join_map(&by_parent, |_, child, other_child| (child, other_child)));
    same.pairs().leave()
}

/// Three nodes in falling order, each with an edge to those after it.
pub(super) fn triangles(_: &Scope, edges: &Collection<Edge>) -> Collection<(Node, Node, Node)> {
    let by_source = edges.arrange_by_key("edges by source");
    let open = by_source.join_flat(&by_source, |a, b, c| (b > c).then_some(((b, c), a)));
    open.join_map(&edges.arrange_by_self("edges"), |(b, c), a, ()| (a, b, c))
}

/// What each variable may point to, from facts (kind, a, b).
///
/// ```text
///   0 alloc(v, o):      points(v, o)
///   1 assign(to, from): points(from, o)                   -> points(to, o)
///   2 load(to, p):      points(p, q) and points(q, o)     -> points(to, o)
///   3 store(p, from):   points(p, q) and points(from, o)  -> points(q, o)
/// ```
pub(super) fn points_to(scope: &Scope, facts: &Collection<(u32, u32, u32)>) -> Collection<(u32, u32)> {
    let of_kind = |wanted: u32| facts.filter(move |(kind, _, _)| kind == wanted).map(|(_, a, b)| (a, b));
    let turned = |(a, b)| (b, a);
    let (allocs, stores) = (of_kind(0), of_kind(3).arrange_by_key("stores by pointer"));
    let assigns = of_kind(1).map(turned).arrange_by_key("assignments by source");
    let loads = of_kind(2).map(turned).arrange_by_key("loads by pointer");
    let inner = scope.inner("points to");
    let derived = Variable::new(&inner);
    let by_thing = derived.current().concat(&allocs).arrange_by_key("found").distinct("points to, by pointer");
    let assigned = by_thing.join(&assigns, |_, object, to| (to, object));
    let loaded =
        by_thing.join(&loads, |_, pointee, to| (pointee, to)).join_map(&by_thing, |_, to, object| (to, object));
    let stored = by_thing.join(&stores, |_, pointee, from| (from, pointee));
    let stored = stored.join_map(&by_thing, |_, pointee, object| (pointee, object));
    derived.set(&assigned.concat_all([&loaded, &stored]));
    by_thing.pairs().leave()
}

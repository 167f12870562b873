//! Joins of many: `join { r(a, b), s(b, c), t(a, c) }`.
//!
//! ```text
//!   r(a, b) ─┐
//!   s(b, c) ─┴─ on b ─ (b, a, c) ─┐
//!   t(a, c) ──────────────────────┴─ on a, c
//! ```
//!
//! Joins of two, one atom after another. [`order`] decides in which order, and nothing else here does: it takes next what
//! has the most variables bound, so that there is no cross product unless two groups of atoms share none.

use super::bags::column;
use super::{Builder, Here};
use crate::language::mistake::Mistake;
use crate::language::operators::Binary;
use crate::language::program::{Atom, Scalar, ScalarKind, Slot};
use crate::language::types::{Column, Type};
use crate::plan::tree::{NodeId, Operator, Picked, RowStepKind};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Rows, and which of their columns are which variables.
struct Bound {
    node: NodeId,
    /// The variable, and its column.
    variables: Vec<(usize, usize)>,
}

impl Bound {
    fn column(&self, variable: usize) -> usize {
        self.variables.iter().find(|(of, _)| *of == variable).expect("a bound variable").1
    }
}

impl Builder<'_> {
    pub(super) fn multiway(&mut self, here: &Here, atoms: &[Atom], columns: &Arc<[Column]>) -> Result<NodeId, Mistake> {
        let mut bound = Vec::new();
        for atom in atoms {
            bound.push(self.atom(&here.at(atom.span), atom)?);
        }
        let variables = |bound: &Bound| bound.variables.iter().map(|(variable, _)| *variable).collect();
        let order = order(&bound.iter().map(variables).collect::<Vec<BTreeSet<usize>>>());
        let mut order = order.into_iter();
        let mut bound: Vec<Option<Bound>> = bound.into_iter().map(Some).collect();
        let mut take = |at: Option<usize>| at.and_then(|at: usize| bound[at].take());
        let mut so_far = take(order.next()).expect("a join of one atom at least");
        while let Some(next) = take(order.next()) {
            so_far = self.bound(here, so_far, next, columns);
        }
        let kept: Vec<usize> = (0..columns.len()).map(|variable| so_far.column(variable)).collect();
        Ok(self.narrowed(here, so_far.node, &kept))
    }

    /// An atom's rows that are as its slots say.
    fn atom(&mut self, here: &Here, atom: &Atom) -> Result<Bound, Mistake> {
        let mut node = self.read(here, atom.collection)?;
        let columns = self.columns(node);
        let mut variables: Vec<(usize, usize)> = Vec::new();
        for (at, slot) in atom.slots.iter().enumerate() {
            let equal = match slot {
                Slot::Any => continue,
                Slot::Constant(value) => self.given(here.frame, value),
                Slot::Variable(variable) => match variables.iter().find(|(other, _)| other == variable) {
                    Some((_, first)) => column(here, *first, &columns[*first]),
                    None => {
                        variables.push((*variable, at));
                        continue;
                    }
                },
            };
            let (span, this) = (equal.span, column(here, at, &columns[at]));
            let kind = ScalarKind::Binary(Binary::Equal, Box::new(this), Box::new(equal));
            let condition = RowStepKind::Where(Scalar { kind, of: Type::Bool, span });
            node = self.rowwise(here, node, condition, columns.clone());
        }
        Ok(Bound { node, variables })
    }

    /// The join of two on the variables that they share.
    fn bound(&mut self, here: &Here, left: Bound, right: Bound, columns: &Arc<[Column]>) -> Bound {
        let is_shared = |variable: &usize| right.variables.iter().any(|(other, _)| other == variable);
        let shared = left.variables.iter().map(|(variable, _)| *variable).filter(is_shared);
        let shared: Vec<usize> = shared.collect();
        let key = |bound: &Bound| shared.iter().map(|variable| bound.column(*variable)).collect();
        let kept = |bound: &Bound| bound.variables.iter().map(|(_, at)| *at).collect::<Vec<_>>();
        let by_left = self.keyed(here, left.node, key(&left), kept(&left));
        let by_right = self.keyed(here, right.node, key(&right), kept(&right));
        let mut output: Vec<(usize, Picked)> =
            left.variables.iter().map(|(variable, at)| (*variable, by_left.picked(*at, Picked::Left))).collect();
        let new = right.variables.iter().filter(|(variable, _)| !shared.contains(variable));
        output.extend(new.map(|(variable, at)| (*variable, by_right.picked(*at, Picked::Right))));
        let made = output.iter().map(|(variable, _)| columns[*variable].clone()).collect();
        let variables = output.iter().enumerate().map(|(at, (variable, _))| (*variable, at)).collect();
        let output = output.into_iter().map(|(_, picked)| picked).collect();
        let operator = Operator::Join { left: by_left.arranged, right: by_right.arranged, output };
        Bound { node: self.add(operator, made, &here.place), variables }
    }
}

/// In which order to join atoms, given the variables of each: as written, but always one next of which the most variables
/// are known, and of those one that adds the fewest.
fn order(atoms: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..atoms.len()).collect();
    let mut known = BTreeSet::new();
    let mut order = Vec::new();
    while !left.is_empty() {
        let shared = |at: usize| atoms[at].intersection(&known).count();
        let best = (0..left.len()).min_by_key(|at| {
            let (shared, all) = (shared(left[*at]), atoms[left[*at]].len());
            // The first of all is the first that is written.
            let adds = if known.is_empty() { 0 } else { all - shared };
            (usize::MAX - shared, adds, *at)
        });
        let next = left.remove(best.expect("some are left"));
        known.extend(&atoms[next]);
        order.push(next);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::order;
    use std::collections::BTreeSet;

    fn ordered(atoms: &[&[usize]]) -> Vec<usize> {
        order(&atoms.iter().map(|atom| atom.iter().copied().collect::<BTreeSet<_>>()).collect::<Vec<_>>())
    }

    #[test]
    fn atoms_follow_those_that_they_share_variables_with() {
        assert_eq!(ordered(&[&[0, 1], &[1, 2], &[0, 2]]), [0, 1, 2]);
        assert_eq!(ordered(&[&[0, 1], &[2, 3], &[1, 2]]), [0, 2, 1]);
        assert_eq!(ordered(&[&[0, 1], &[1, 2], &[0, 1]]), [0, 2, 1]);
        assert_eq!(ordered(&[&[0], &[1], &[0]]), [0, 2, 1]);
        assert_eq!(ordered(&[&[], &[0]]), [0, 1]);
    }

    /// There is a cross product only between groups that share nothing: all graphs of four variables, five atoms of two.
    #[test]
    fn products_are_taken_only_between_strangers() {
        let pairs: Vec<[usize; 2]> = (0..4).flat_map(|a| (a + 1..4).map(move |b| [a, b])).collect();
        for choice in 0..pairs.len().pow(4) {
            let atoms: Vec<&[usize]> =
                (0..4).map(|at| pairs[choice / pairs.len().pow(at) % pairs.len()].as_slice()).collect();
            let order = ordered(&atoms);
            let mut known: BTreeSet<usize> = atoms[order[0]].iter().copied().collect();
            for (at, next) in order.iter().enumerate().skip(1) {
                let touches = |atom: &[usize]| atom.iter().any(|variable| known.contains(variable));
                let could = order[at..].iter().any(|later| touches(atoms[*later]));
                assert_eq!(touches(atoms[*next]), could, "{atoms:?}: {order:?}");
                known.extend(atoms[*next]);
            }
        }
    }
}

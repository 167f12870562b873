//! A record through a chain of maps, or round a loop of them: what a node costs that has next to nothing to do.

use differential::collection::{Collection, Scope};
use differential::operators::Variable;

use crate::plan::Rounds;

/// Records are `(x, circuits)`: each map adds one to `x`, and the last of a loop to the circuits too. A record leaves the
/// loop when it went round often enough.
pub(super) fn build(scope: &Scope, rows: &Collection<(u64, u32)>, plan: &Rounds) -> Collection<(u64, u32)> {
    let at = |rows: Collection<(u64, u32)>, map: usize| if plan.exchange == Some(map) { rows.exchange() } else { rows };
    let chain = |rows: Collection<(u64, u32)>, maps: usize| {
        (0..maps).fold(rows, |rows, map| at(rows, map).map(|(x, circuits)| (x + 1, circuits)))
    };
    if !plan.looped {
        return chain(rows.clone(), plan.maps);
    }
    let wanted = plan.circuits;
    let again = Variable::new(&scope.inner("circuits"));
    let last = chain(again.current().concat(rows), plan.maps - 1);
    let last = at(last, plan.maps - 1).map(|(x, circuits)| (x + 1, circuits + 1));
    again.set(&last.filter(move |(_, circuits)| circuits < wanted));
    last.filter(move |(_, circuits)| circuits == wanted).leave()
}

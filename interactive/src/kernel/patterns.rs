//! Patterns of `case` over columns: which rows match, and what is bound in them.

use super::expression::Pattern;
use crate::value::Values;
use differential::column::Column;

/// Marks those that don't match: row `at[i]` of the column is what `alive[i]` is about, as long as it is true.
pub(super) fn matches(pattern: &Pattern, values: &Values, at: &[u32], alive: &mut [bool]) {
    let each = |alive: &mut [bool], holds: &dyn Fn(usize) -> bool| {
        alive.iter_mut().zip(at).for_each(|(alive, at)| *alive = *alive && holds(*at as usize));
    };
    match (pattern, values) {
        (Pattern::Any | Pattern::Bind(_), _) => {}
        (Pattern::Equal(wanted), values) => each(alive, &|at| values.compare_value(at, wanted).is_eq()),
        (Pattern::Construct(wanted, inner), Values::Sums(sums)) => {
            each(alive, &|at| sums.tag(at) == *wanted);
            if let (Some(inner), Some(held)) = (inner, sums.variant(*wanted as usize)) {
                let place = |(alive, at): (&bool, &u32)| if *alive { sums.at()[*at as usize] } else { 0 };
                let at: Vec<u32> = alive.iter().zip(at).map(place).collect();
                matches(inner, held, &at, alive);
            }
        }
        (Pattern::Tuple(patterns), Values::Tuple(rows)) => {
            patterns.iter().zip(rows.fields()).for_each(|(pattern, field)| matches(pattern, field, at, alive));
        }
        (pattern, values) => unreachable!("{pattern:?} of {:?}", values.kind()),
    }
}

/// What a pattern binds, in these rows of a column, all of which match.
pub(super) fn bind(pattern: &Pattern, values: &Values, at: &[u32], into: &mut Vec<(usize, Values)>) {
    match (pattern, values) {
        (Pattern::Bind(slot), values) => {
            let mut bound = Values::empty(&values.kind());
            bound.extend_gather(values, at);
            into.push((*slot, bound));
        }
        (Pattern::Construct(wanted, Some(inner)), Values::Sums(sums)) => {
            if let Some(held) = sums.variant(*wanted as usize) {
                let at: Vec<u32> = at.iter().map(|at| sums.at()[*at as usize]).collect();
                bind(inner, held, &at, into);
            }
        }
        (Pattern::Tuple(patterns), Values::Tuple(rows)) => {
            patterns.iter().zip(rows.fields()).for_each(|(pattern, field)| bind(pattern, field, at, into));
        }
        _ => {}
    }
}

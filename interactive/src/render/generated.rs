//! Rows that are made up: what the generators of docs/LANGUAGE.md stand for.

use crate::language::program::Generator;
use crate::value::{Row, Value};

/// The rows of a generator at an epoch, one after the other; of [`Generator::Clock`], the epoch.
///
/// A random graph is, for its seed, a sequence of numbers mixed from a counter; the two ends of each edge are two of
/// them, each scaled to the nodes. It is the same in every run and release.
pub fn rows(generator: &Generator, epoch: u64) -> Box<dyn Iterator<Item = Row>> {
    let row = |numbers: &[i64]| numbers.iter().map(|number| Value::Int(*number)).collect::<Row>();
    match *generator {
        Generator::Iota(count) => Box::new((0..count).map(move |number| row(&[number]))),
        Generator::RandomGraph { nodes, edges, seed } => {
            let mut state = seed as u64;
            let mut node = move || {
                state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
                let scaled = u128::from(mixed(state)) * nodes.max(0) as u128;
                (scaled >> 64) as i64
            };
            Box::new((0..edges).map(move |_| row(&[node(), node()])))
        }
        Generator::Clock => Box::new(std::iter::once(row(&[i64::try_from(epoch).unwrap_or(i64::MAX)]))),
    }
}

/// A number all of whose bits depend on all of the other's.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::rows;
    use crate::language::program::Generator;
    use crate::value::Value;

    #[test]
    fn a_random_graph_is_the_same_for_the_same_seed_and_within_its_nodes() {
        let graph = |seed| rows(&Generator::RandomGraph { nodes: 10, edges: 1_000, seed }, 0).collect::<Vec<_>>();
        assert_eq!(graph(7), graph(7));
        assert_ne!(graph(7), graph(8));
        let mut seen = [0; 10];
        for row in graph(7) {
            for value in row.0 {
                let Value::Int(node) = value else { panic!() };
                seen[node as usize] += 1;
            }
        }
        assert!(seen.iter().all(|count| (150..250).contains(count)), "{seen:?}");
    }
}

//! Outlooks against what could result, by brute force: random programs of nested loops, with any sources as entries.

use super::boundary_holds::Outlook;
use super::small_world::{Program, Programs, padded};
use super::{Activity, Fuel, NodeId, Region};
use crate::time::small_world::Random;
use crate::time::{Frontier, Point};

fn shown(frontier: &Frontier<Point>) -> Vec<[u64; 6]> {
    let mut times: Vec<_> = frontier.elements().iter().map(padded).collect();
    times.sort_unstable();
    times
}

#[test]
fn an_outlook_is_what_could_result_without_what_enters() {
    let (mut loops, mut apart) = (0, 0);
    for seed in 0..1_500 {
        let random = &mut Random::new(seed);
        let region = Region::new(1);
        let Ok(program) = Program::build(&region, Programs::random(random)) else { continue };
        let entries: Vec<usize> = program.sources().filter(|_| random.below(3) > 0).collect();
        let entry_nodes: Vec<NodeId> = entries.iter().map(|&entry| program.nodes[entry]).collect();
        for _ in 0..4 {
            program.feed(random);
            // Quiet now and then, and otherwise known not to be.
            let fuel = [1, 5, u64::MAX][random.below(3)];
            let activity = region.activate(Fuel::new(fuel)).expect("nothing fails");
            let state = region.core.state.borrow();
            let held = (0..program.plans.len()).filter(|node| !entries.contains(node)).flat_map(|node| {
                let holds = program.shared[node].borrow().holds.elements().to_vec();
                holds.into_iter().map(move |time| (node, padded(&time)))
            });
            let expected = program.could_result_from(held.collect());
            for (index, &exit) in program.nodes.iter().enumerate() {
                let context = || format!("seed {seed}, exit {index}, entries {entries:?}, {:?}", program.plans);
                let mut outlook = Outlook::new(&state.schedule, exit, &entry_nodes).expect("it has a place");
                if !outlook.is_quiet(&state.schedule) {
                    assert_eq!(activity, Activity::More, "{}", context());
                    continue;
                }
                let holds = shown(&outlook.holds(&state.schedule));
                assert_eq!(holds, expected[index], "{}", context());
                apart += usize::from(holds != shown(state.schedule.slots.value(state.schedule.slot_of(exit).unwrap())));
                for &entry in &entries {
                    let least = program.could_result_from(vec![(entry, [0; 6])]);
                    assert_eq!(shown(&outlook.paths(program.nodes[entry])), least[index], "{}", context());
                }
            }
            loops += usize::from(!state.schedule.loops.is_empty());
        }
    }
    assert!(loops > 1_000 && apart > 1_000, "{loops} with loops, {apart} that differ from the slot");
}

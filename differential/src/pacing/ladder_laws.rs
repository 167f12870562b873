//! The promise of the ladder, held against millions of insertions of adversarial sizes; no batch is harmed.

use super::{Ladder, Step};
use crate::time::small_world::Random;

/// What owns a ladder's batches, if batches were numbers: for each rung its batches, oldest first, and what is left to
/// do if they merge. Beside each batch the insertions it covers.
#[derive(Default)]
struct Owner {
    ladder: Ladder,
    rungs: Vec<(Vec<usize>, usize)>,
    /// Work done altogether, and within the present call.
    moved: usize,
    moved_now: usize,
    /// How many updates out of a hundred a merge cancels.
    cancels: usize,
}

impl Owner {
    fn follow(&mut self, step: Step) -> usize {
        match step {
            Step::Start { older } => {
                let (newer, _) = self.rungs.remove(older + 1);
                let (batches, left) = &mut self.rungs[older];
                batches.extend(newer);
                *left = batches.iter().sum();
                0
            }
            Step::Work { rung, effort } => {
                let (batches, left) = &mut self.rungs[rung];
                assert!(*left > 0, "work on what does not merge");
                let work = effort.min(*left);
                *left -= work;
                self.moved += work;
                self.moved_now += work;
                if *left == 0 {
                    let total: usize = batches.iter().sum();
                    let kept = total - total * self.cancels / 100;
                    *batches = vec![kept];
                    self.ladder.finished(rung, kept);
                    if kept == 0 {
                        self.rungs.remove(rung);
                    }
                }
                work
            }
        }
    }

    fn insert(&mut self, updates: usize, cut: impl Fn(usize) -> bool) {
        self.moved_now = 0;
        self.rungs.push((vec![updates], 0));
        self.ladder.insert(updates);
        while let Some(step) = self.ladder.due(&cut) {
            self.follow(step);
        }
        assert_eq!(self.ladder.len(), self.rungs.len());
    }

    fn idle(&mut self, effort: usize, cut: impl Fn(usize) -> bool) {
        self.ladder.offer(effort);
        let mut left = effort;
        while let Some(step) = self.ladder.idle(left, &cut) {
            left -= self.follow(step);
        }
    }

    fn batches(&self) -> impl Iterator<Item = usize> + '_ {
        self.rungs.iter().flat_map(|(batches, _)| batches.iter().copied())
    }

    /// Asserts line 1 of the promise.
    fn check_levels(&self, context: &str) {
        let level = |updates: usize| (updates as f64 / 16.0).max(1.0).log(4.0 - 1e-12).floor() as usize;
        let mut at_level = [0; 40];
        self.batches().for_each(|updates| at_level[level(updates)] += 1);
        assert!(at_level.iter().all(|&count| count <= 3), "{context}: {:?}", self.rungs);
    }
}

/// Sizes that an adversary might insert.
fn sizes(kind: usize, random: &mut Random, step: usize) -> usize {
    match kind {
        0 => 1,
        1 => 2000,
        2 => 1 + random.below(100),
        3 => 1 << random.below(20),
        // Mostly small, at times huge.
        4 => [1, 1, 1, 1, 50, 1000, 100_000][random.below(7)],
        // Descending, then ascending, over and over.
        5 => 1 << (17 - step % 18),
        6 => 1 << (step % 18),
        // Always just below or just at the next level.
        7 => (16 << (2 * random.below(8))) - step % 2,
        // As large as all before, again and again.
        _ => {
            if step % 1000 == 999 {
                300_000
            } else {
                1 + step % 3
            }
        }
    }
}

#[test]
fn three_batches_at_a_level_and_bounded_work_whatever_is_inserted() {
    for kind in 0..9 {
        for seed in 0..4 {
            let (mut random, mut owner) = (Random::new(seed), Owner::default());
            let mut inserted = 0;
            for step in 0..60_000 {
                let updates = sizes(kind, &mut random, step);
                owner.insert(updates, |_| false);
                inserted += updates;
                let context = format!("kind {kind}, seed {seed}, step {step}");
                owner.check_levels(&context);
                assert_eq!(owner.batches().sum::<usize>(), inserted, "{context}");

                let levels = 1 + (1 + inserted / 16).ilog2() as usize / 2;
                let bound = 3 * 2048 + 64 * updates + 16 * updates * levels;
                assert!(owner.moved_now <= bound, "{context}: {} moved, bound {bound}", owner.moved_now);
                let moves = 64 + 4 * levels;
                assert!(owner.moved <= moves * inserted, "{context}: {} moved for {inserted}", owner.moved);
            }
        }
    }
}

#[test]
fn a_long_life_in_small_steps() {
    let mut owner = Owner::default();
    for step in 0..3_000_000 {
        owner.insert(1 + step % 2, |_| false);
        if step % 64 == 0 {
            owner.check_levels(&format!("step {step}"));
        }
    }
    // Some twenty moves on its way to 64 updates, and two at each of nine levels.
    assert!(owner.moved / 4_500_000 < 42, "{} moves an update", owner.moved / 4_500_000);
}

#[test]
fn what_cancels_keeps_the_promise() {
    for cancels in [1, 10, 50, 90, 100] {
        for kind in 0..9 {
            let (mut random, mut owner) = (Random::new(cancels as u64), Owner { cancels, ..Owner::default() });
            for step in 0..20_000 {
                owner.insert(sizes(kind, &mut random, step), |_| false);
                let total: usize = owner.batches().sum();
                let levels = 1 + (1 + total / 16).ilog2() as usize / 2;
                let count = owner.batches().count();
                assert!(count <= 3 * levels, "cancels {cancels}, kind {kind}, step {step}: {:?}", owner.rungs);
            }
        }
    }
}

#[test]
fn nothing_merges_across_a_cut_and_the_ladder_recovers_when_it_is_lifted() {
    for seed in 0..20 {
        let (mut random, mut owner) = (Random::new(seed), Owner::default());
        for _ in 0..500 {
            owner.insert(sizes(3, &mut random, 0), |_| false);
        }
        // Everything so far stays behind the cut: whatever merges there merges among itself.
        let held: usize = owner.batches().sum();
        let boundary = |owner: &Owner| {
            let mut sum = 0;
            owner.rungs.iter().position(|(batches, _)| {
                sum += batches.iter().sum::<usize>();
                sum == held
            })
        };
        for _ in 0..2000 {
            let cut = boundary(&owner).expect("the cut is still a boundary");
            // The rung's number changes as rungs behind it join: look for it at each step, as a trace does.
            owner.moved_now = 0;
            let updates = 1 + random.below(3000);
            owner.rungs.push((vec![updates], 0));
            owner.ladder.insert(updates);
            let mut at = cut;
            while let Some(step) = owner.ladder.due(|older| older == at) {
                owner.follow(step);
                at = boundary(&owner).expect("the cut is still a boundary");
            }
        }
        let count = owner.batches().count();
        for _ in 0..100_000 {
            owner.insert(100, |_| false);
        }
        owner.check_levels(&format!("seed {seed}, {count} batches before"));
    }
}

#[test]
fn idle_effort_ends_with_one_batch_and_begins_nothing_that_pauses_are_too_short_for() {
    let mut owner = Owner::default();
    owner.insert(1_000_000, |_| false);
    // A trickle with pauses: the pauses never add up to a merge of a million.
    for _ in 0..100_000 {
        owner.insert(2, |_| false);
        owner.idle(1000, |_| false);
    }
    assert_eq!(owner.rungs[0], (vec![1_000_000], 0), "the large batch was left alone");
    assert!(owner.moved < 10_000_000, "{} moved for two hundred thousand", owner.moved);
    let mut pauses = 0;
    while !owner.ladder.is_settled(|_| false) {
        owner.idle(1000, |_| false);
        pauses += 1;
    }
    assert_eq!(owner.batches().collect::<Vec<_>>(), [1_200_000]);
    assert!(pauses < 4 * 1200, "{pauses} pauses of a thousand");
}

#[test]
fn a_failed_merge_leaves_its_inputs() {
    let mut ladder = Ladder::default();
    ladder.insert(10_000);
    assert_eq!(ladder.due(|_| false), None);
    ladder.insert(10_000);
    assert_eq!(ladder.due(|_| false), Some(Step::Start { older: 0 }));
    assert_eq!(ladder.due(|_| false), Some(Step::Work { rung: 0, effort: 160_000 }));
    assert_eq!(ladder.due(|_| false), None, "each insertion pays a merge once");
    ladder.failed(0, [10_000, 10_000]);
    assert_eq!(ladder.len(), 2);
    assert_eq!(ladder.due(|_| false), Some(Step::Start { older: 0 }));
}

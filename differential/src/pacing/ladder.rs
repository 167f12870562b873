//! The sizes of a trace's batches, oldest first, and what to do next about them.
//!
//! ```text
//!   updates   40,000  9,000   700   30  | 12         |: a boundary that a reader holds, a cut
//!   level          6      5     3    1    0           level of n updates: how often 16 times 4 goes into n
//! ```
//!
//! **The rule.** A batch counts at its own level or at that of a newer one, whichever is higher. Of the batches at one
//! level the two neighbours merge that are smallest together, one pair at a time. An insertion of `m` updates pays
//! `16 m` units of work to every merge under way, those included that it sets off; a unit moves one update. Merges of at
//! most 2,048 updates are done at once. Between two cuts is a ladder of its own: nothing merges across a cut.
//!
//! **The promise.** With `S(l) = 16 * 4^l`, a batch at level `l` has `S(l)` updates or more (at level 0, any number) and
//! fewer than `S(l + 1)`. Where no cut was lifted and merging cancels nothing, after any sequence of insertions of any
//! sizes:
//!
//! 1. **at most three batches at each level** (a pair that merges counts as two), so at most
//!    `3 (1 + log4(n / 16))` batches for `n` updates between two cuts;
//! 2. an insertion of `m` updates works at most `16 m` at each level above its own and `64 m` at and below it, not counted
//!    some thousands for merges that are done at once;
//! 3. an update is moved at most 64 times at level 0 and four times at each other level.
//!
//! *Sweep.* After an insertion of a batch at level `k` there is one batch at levels up to `k`. For each merge there has
//! inputs below `S(k + 1)`, and `m` is at least `S(k)`, so it costs below `8 m`: it ends within the insertion, and the
//! next one begins. So levels ascend with age, and nothing counts above its own level once an insertion is over. The
//! smallest merge first, so that the three batches of a level are moved three times at most before they meet the next
//! level: in all, below level `k`, by the next claim less than `3 * 2.5 * (S(k) + S(k - 1) + ...) < 10 m`, and at level
//! `k` in at most four merges of less than `13 m` together.
//!
//! *Weight.* Let `W(l)` be the updates at levels up to `l`. Claim: `W(l) < 2.5 S(l + 1)` after each insertion. Levels
//! whose merges are done at once hold one batch each. For another level `l`, go back to the last moment when it held
//! one batch at most, and let `u S(l)` be the updates inserted since. A batch that arrived at `l` since then is made of
//! at least `S(l)` updates which were below `l` then, or were inserted since: at most `2.5 + u` arrived. A merge at
//! level `l` costs below `8 S(l)`, so it takes at most `S(l) / 2` inserted updates, and leaves one batch less: at least
//! `floor(2 u)` ended. The level holds at most `1 + floor(2.5 + u) - floor(2 u)` batches. That is at most three, and at
//! most one when `u` comes to 3. So `W(l)` is below the one batch then, what was below it and what came since:
//! `S(l + 1) + (2.5 + 3) S(l)`, which is less than `2.5 S(l + 1)`.
//!
//! *Moves.* A batch that stays at its level grew by at least `S(l)` in the merge, or by one update at level 0: three
//! such, or 63, and it has left.
//!
//! What cancels makes batches smaller and the bounds no worse in the tests, which cancel at random. Where a cut is
//! lifted, two ladders become one: at most twice as many batches, until the insertions of one more level have passed.
//!
//! **Idle effort.** A trace that got no insertions for long should be one batch, however little its last ones weighed.
//! But merging four updates into ten million at each pause would be waste. So an idle merge begins when effort was
//! offered eight times since the last insertion, and as much as it costs: a trickle with short pauses begins none, and
//! what is wasted is never more than what was idle.
//!
//! **Absorbing.** A trace may take a few rows into the batch before them without a merge, and says so: two rungs become one
//! that is no larger than both. That is what a merge done at once would have left, so the promise stands, and nobody paid.
//!
//! Why not batches of a fixed fan-out, merged when full: the last insertion of a level would pay for all of it.
//! Why not a ratio between neighbours without levels: nothing is then known about how many neighbours wait for one
//! merge. Why a factor of four: against two, a third fewer batches to look into, for an eighth more moves.
//! Tested in `ladder_laws.rs`: the promise, over millions of insertions of adversarial sizes.

/// The updates below which a batch is at level 0 is four times this.
const UNIT_UPDATES: usize = 16;
/// What an insertion pays to each merge under way, for each update inserted.
const PAY: usize = 16;
/// An idle merge begins after this many offers without an insertion.
const OFFERS: usize = 8;
/// Merges of at most this many updates are done at once.
const EAGER_UPDATES: usize = 2048;

/// The sizes of a trace's batches, and of the merges under way between them.
///
/// Whoever owns the batches keeps them in a list of the same length, in the same order, and does what [`due`] and
/// [`idle`] say until they say nothing more.
///
/// [`due`]: Ladder::due
/// [`idle`]: Ladder::idle
#[derive(Clone, Debug, Default)]
pub struct Ladder {
    /// Oldest first.
    rungs: Vec<Rung>,
    /// Counts insertions, so that each pays each merge once.
    insertion: u64,
    /// What the present insertion pays to a merge.
    payment: usize,
    /// The idle effort offered since the last insertion, and how often.
    offered: usize,
    offers: usize,
}

/// A batch, or two that are being merged.
#[derive(Clone, Copy, Debug)]
struct Rung {
    /// The updates of the batch, or of both: what the merge costs.
    updates: usize,
    /// The updates of the larger of the two.
    larger: usize,
    merging: bool,
    /// The last insertion that paid.
    paid: u64,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Put rungs `older` and `older + 1` together: they begin to merge.
    Start {
        /// The older of the two.
        older: usize,
    },
    /// Work on the merge at `rung`, at most as much as `effort` says, and tell [`finished`](Ladder::finished) if it
    /// ended.
    Work {
        /// The merge.
        rung: usize,
        /// Units of work, an update each.
        effort: usize,
    },
}

impl Ladder {
    /// The number of rungs: batches, and pairs that merge.
    pub fn len(&self) -> usize {
        self.rungs.len()
    }

    /// Whether there are no rungs.
    pub fn is_empty(&self) -> bool {
        self.rungs.is_empty()
    }

    /// Adds the batch of an insertion as the newest rung.
    pub fn insert(&mut self, updates: usize) {
        self.rungs.push(Rung::batch(updates));
        self.insertion += 1;
        self.payment = PAY.saturating_mul(updates);
        (self.offered, self.offers) = (0, 0);
    }

    /// Forgets all rungs.
    pub fn clear(&mut self) {
        self.rungs.clear();
    }

    /// What the last insertion still has to do; nothing once it has paid all merges.
    ///
    /// `cut(older)` says whether the boundary between rungs `older` and `older + 1` has to stay. The rungs are changed
    /// as the answer says. Cost: linear in the number of rungs.
    pub fn due(&mut self, cut: impl Fn(usize) -> bool) -> Option<Step> {
        if let Some(step) = self.next_at_levels(cut) {
            return Some(step);
        }
        let (insertion, effort) = (self.insertion, self.payment);
        let rung = self.rungs.iter().rposition(|rung| rung.merging && rung.paid < insertion)?;
        self.rungs[rung].paid = insertion;
        Some(Step::Work { rung, effort })
    }

    /// The next merge that the rule asks for, or the next small one to end; newest first.
    fn next_at_levels(&mut self, cut: impl Fn(usize) -> bool) -> Option<Step> {
        let mut end = self.rungs.len();
        while end > 0 {
            // The rungs that count at one level: the newest that is there by itself, and older ones up to the next
            // that is above it.
            let mut start = end - 1;
            let level = level_of(self.rungs[start].larger);
            while start > 0 && level_of(self.rungs[start - 1].larger) <= level && !cut(start - 1) {
                start -= 1;
            }
            match (start..end).find(|&rung| self.rungs[rung].merging) {
                Some(rung) if self.rungs[rung].updates <= EAGER_UPDATES => {
                    return Some(Step::Work { rung, effort: usize::MAX });
                }
                None if start + 1 < end => {
                    let cheapest = (start..end - 1).min_by_key(|&older| self.cost(older)).expect("there are two");
                    return Some(self.start(cheapest));
                }
                _ => end = start,
            }
        }
        None
    }

    /// Notes that idle effort is on offer: enough of it makes a merge worth beginning.
    pub fn offer(&mut self, effort: usize) {
        self.offered = self.offered.saturating_add(effort);
        self.offers += usize::from(effort > 0);
    }

    /// Whether so much was idle that so much more work is worth beginning.
    fn is_worth(&self, cost: usize) -> bool {
        self.offers >= OFFERS && self.offered >= cost
    }

    /// What to do with idle effort; nothing if nothing is worth it yet. The rungs are changed as the answer says.
    ///
    /// First what is under way, newest first, then the cheapest pair of neighbours that no cut divides.
    pub fn idle(&mut self, effort: usize, cut: impl Fn(usize) -> bool) -> Option<Step> {
        if effort == 0 {
            return None;
        }
        if let Some(rung) = self.rungs.iter().rposition(|rung| rung.merging) {
            return Some(Step::Work { rung, effort });
        }
        let pairs = (1..self.rungs.len()).map(|newer| newer - 1).filter(|&older| !cut(older));
        let cheapest = pairs.min_by_key(|&older| self.cost(older))?;
        self.is_worth(self.cost(cheapest)).then(|| self.start(cheapest))
    }

    /// Whether nothing is under way and no two neighbours could still merge.
    pub fn is_settled(&self, cut: impl Fn(usize) -> bool) -> bool {
        self.rungs.iter().all(|rung| !rung.merging) && (1..self.rungs.len()).all(|newer| cut(newer - 1))
    }

    /// Begins to rewrite the batch at `rung`, if the idle effort offered so far makes that worth it: whether it did.
    pub fn rewrite(&mut self, rung: usize) -> bool {
        let worth = self.is_worth(self.rungs[rung].updates);
        self.rungs[rung].merging |= worth;
        worth
    }

    /// The merge at `rung` has ended and left a batch of `updates` updates. None at all, and the rung goes.
    pub fn finished(&mut self, rung: usize, updates: usize) {
        if updates == 0 {
            self.rungs.remove(rung);
        } else {
            self.rungs[rung] = Rung::batch(updates);
        }
    }

    /// The batch of rung `older + 1` was taken into that of rung `older`, which neither merges, and has `updates` now.
    pub fn absorbed(&mut self, older: usize, updates: usize) {
        let newer = self.rungs.remove(older + 1);
        debug_assert!(!newer.merging && !self.rungs[older].merging, "a rung that merges was absorbed");
        self.finished(older, updates);
    }

    /// The merge at `rung` failed and left the batches that went in, of these numbers of updates.
    pub fn failed(&mut self, rung: usize, batches: impl IntoIterator<Item = usize>) {
        self.rungs.splice(rung..=rung, batches.into_iter().map(Rung::batch));
    }

    /// What merging a rung with the next newer one costs.
    fn cost(&self, older: usize) -> usize {
        self.rungs[older].updates.saturating_add(self.rungs[older + 1].updates)
    }

    fn start(&mut self, older: usize) -> Step {
        let newer = self.rungs.remove(older + 1);
        let rung = &mut self.rungs[older];
        debug_assert!(!rung.merging && !newer.merging, "{rung:?} and {newer:?} can't merge while merging");
        *rung = Rung {
            updates: rung.updates + newer.updates,
            larger: rung.updates.max(newer.updates),
            merging: true,
            paid: 0,
        };
        Step::Start { older }
    }
}

impl Rung {
    fn batch(updates: usize) -> Self {
        Rung { updates, larger: updates, merging: false, paid: 0 }
    }
}

/// The level of a batch.
fn level_of(updates: usize) -> u32 {
    (updates / UNIT_UPDATES).max(1).ilog2() / 2
}

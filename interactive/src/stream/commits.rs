//! When a commit closes, and when a report is due: counting, and nothing else.
//!
//! A commit closes after so many *insertions*; removals ride along with the commit that is open. A `commit` line and
//! the end of the file close it as well, unless nothing was fed since the last one closed: there is no empty commit.
//!
//! A report is due at the first commit at or after each multiple of its step. A commit that passes several multiples
//! at once makes one report.
//!
//! Tested at the end of this file.

use std::num::NonZeroU64;

/// Closes a commit after so many insertions.
pub struct Commits {
    rows_each: NonZeroU64,
    insertions_open: u64,
    open: bool,
    closed: u64,
}

impl Commits {
    /// Nothing is open; commits take `rows_each` insertions.
    pub fn new(rows_each: NonZeroU64) -> Commits {
        Commits { rows_each, insertions_open: 0, open: false, closed: 0 }
    }

    /// A row was inserted. Says whether the commit is full.
    pub fn insert(&mut self) -> bool {
        self.open = true;
        self.insertions_open += 1;
        self.insertions_open == self.rows_each.get()
    }

    /// A row was removed.
    pub fn remove(&mut self) {
        self.open = true;
    }

    /// Whether anything was fed since the last commit closed.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The commit is closed; the next one begins. Returns how many are closed now.
    pub fn close(&mut self) -> u64 {
        self.open = false;
        self.insertions_open = 0;
        self.closed += 1;
        self.closed
    }

    /// How many commits are closed.
    pub fn closed(&self) -> u64 {
        self.closed
    }
}

/// How far apart reports are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// So many rows inserted.
    Rows(NonZeroU64),
    /// So many commits closed.
    Commits(NonZeroU64),
}

/// Knows the multiple of a step at which the next report is due.
pub struct Due {
    step: Option<Step>,
    multiples_passed: u64,
}

impl Due {
    /// Without a step no report is ever due, except the one at the end, which is not asked for here.
    pub fn new(step: Option<Step>) -> Due {
        Due { step, multiples_passed: 0 }
    }

    /// Whether the commit that closed just now, after so many rows and commits, is to be reported.
    pub fn at(&mut self, rows: u64, commits: u64) -> bool {
        let multiples = match self.step {
            None => return false,
            Some(Step::Rows(step)) => rows / step,
            Some(Step::Commits(step)) => commits / step,
        };
        let due = multiples > self.multiples_passed;
        self.multiples_passed = multiples;
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positive(number: u64) -> NonZeroU64 {
        NonZeroU64::new(number).unwrap()
    }

    /// `+` inserts, `-` removes, `c` is a commit line; the answer is how many insertions each commit took.
    fn insertions_by_commit(rows_each: u64, events: &str) -> Vec<usize> {
        let mut commits = Commits::new(positive(rows_each));
        let (mut sizes, mut insertions) = (Vec::new(), 0);
        for event in events.chars().chain(['c']) {
            let close = match event {
                '+' => {
                    insertions += 1;
                    commits.insert()
                }
                '-' => {
                    commits.remove();
                    false
                }
                _ => commits.is_open(),
            };
            if close {
                sizes.push(std::mem::take(&mut insertions));
                assert_eq!(commits.close(), sizes.len() as u64);
            }
        }
        sizes
    }

    #[test]
    fn a_commit_closes_when_full_when_asked_and_at_the_end() {
        assert_eq!(insertions_by_commit(2, "+++++"), [2, 2, 1]);
        assert_eq!(insertions_by_commit(2, "++++"), [2, 2]);
        assert_eq!(insertions_by_commit(3, "+c++++"), [1, 3, 1]);
        assert_eq!(insertions_by_commit(9, ""), [0; 0]);
    }

    #[test]
    fn removals_do_not_fill_a_commit_and_do_open_one() {
        assert_eq!(insertions_by_commit(2, "+---+-"), [2, 0]);
        assert_eq!(insertions_by_commit(1, "-c-+"), [0, 1]);
    }

    #[test]
    fn there_is_no_empty_commit() {
        assert_eq!(insertions_by_commit(2, "cc++cc+cc"), [2, 1]);
    }

    #[test]
    fn a_report_is_due_at_the_first_commit_at_or_after_each_multiple() {
        let reported = |step: Option<Step>, rows_each: u64| -> Vec<u64> {
            let mut due = Due::new(step);
            (1..=12).filter(|&commit| due.at(commit * rows_each, commit)).collect()
        };
        assert_eq!(reported(Some(Step::Rows(positive(5))), 1), [5, 10]);
        assert_eq!(reported(Some(Step::Rows(positive(5))), 2), [3, 5, 8, 10]);
        assert_eq!(reported(Some(Step::Rows(positive(5))), 7), (1..=12).collect::<Vec<_>>());
        assert_eq!(reported(Some(Step::Commits(positive(4))), 7), [4, 8, 12]);
        assert_eq!(reported(None, 7), [0; 0]);
    }
}

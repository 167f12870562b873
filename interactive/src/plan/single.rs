//! Which operators never have more than one row.
//!
//! ```text
//!   score | group { points = sum(points) }          one group at most
//!         | where points > 0 | select points / 2    what is made of it row by row
//!   total cross join best                           a pair of two such rows
//! ```
//!
//! A report shows such a row's values, where of other collections it can only say how many rows there are. The answer is
//! on the safe side: an operator of which it is not said may have one row all the same.
//!
//! Cost: O(1) an operator and one that it reads.

use super::tree::{Operator, Plan, RowStepKind};

impl Plan {
    /// For each operator, whether it never has more than one row, that row once.
    pub fn singles(&self) -> Vec<bool> {
        let mut singles: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            // What is read comes before, but for the definition of a variable.
            let single = match &node.operator {
                Operator::Group { input, .. } => self.key_width(*input) == 0 || singles[input.0],
                Operator::Top { input, count, .. } => (self.key_width(*input) == 0 && *count <= 1) || singles[input.0],
                Operator::Rowwise { input, steps } => {
                    let many = steps.iter().any(|step| matches!(step.kind, RowStepKind::Unnest { .. }));
                    !many && singles[input.0]
                }
                Operator::Join { left, right, .. } => singles[left.0] && singles[right.0],
                Operator::Arrange { input, .. }
                | Operator::Threshold { input, .. }
                | Operator::Inspect { input, .. }
                | Operator::EnterAt { input, .. }
                | Operator::Leave { input } => singles[input.0],
                Operator::Source { .. }
                | Operator::Import { .. }
                | Operator::Generated(_)
                | Operator::Rows(_)
                | Operator::Concat { .. }
                | Operator::Variable { .. } => false,
            };
            singles.push(single);
        }
        singles
    }
}

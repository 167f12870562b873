//! Output values of one key as ranks.
//!
//! The values of the key's output history come first, in order; values that the user's logic makes and that are not
//! among them follow as they come. Few new values are compared one by one; many go through a map, so that a group with
//! a large output costs a logarithm a value and not the square.

use std::collections::BTreeMap;

use crate::column::{Column, Data};

/// Output values of one key by rank: those of its history first, then those newly made.
pub(super) struct Interned<V: Data> {
    made: Vec<V>,
    ranks: BTreeMap<V, u32>,
}

impl<V: Data> Default for Interned<V> {
    fn default() -> Self {
        Interned { made: Vec::new(), ranks: BTreeMap::new() }
    }
}

impl<V: Data> Interned<V> {
    /// Forgets the values of the last key.
    pub(super) fn clear(&mut self) {
        self.made.clear();
        if !self.ranks.is_empty() {
            self.ranks.clear();
        }
    }

    /// The rank of a value; `known` are those of the history, in order.
    pub(super) fn rank(&mut self, value: V, known: &[<V::Column as Column>::Ref<'_>]) -> u32 {
        let lent = V::Column::lend(&value);
        if let Ok(rank) = known.binary_search_by(|known| V::Column::reborrow(*known).cmp(&V::Column::reborrow(lent))) {
            return rank as u32;
        }
        // Few values are searched faster than a map.
        const FEW: usize = 8;
        let (base, next) = (known.len(), (known.len() + self.made.len()) as u32);
        if self.made.len() < FEW {
            if let Some(at) = self.made.iter().position(|made| *made == value) {
                return (base + at) as u32;
            }
        } else {
            if self.ranks.is_empty() {
                self.ranks = self.made.iter().cloned().zip(base as u32..).collect();
            }
            if let Some(&rank) = self.ranks.get(&value) {
                return rank;
            }
            self.ranks.insert(value.clone(), next);
        }
        self.made.push(value);
        next
    }

    /// The value of a rank.
    pub(super) fn value<'a, 'k: 'a>(
        &'a self,
        rank: u32,
        known: &[<V::Column as Column>::Ref<'k>],
    ) -> <V::Column as Column>::Ref<'a> {
        match (rank as usize).checked_sub(known.len()) {
            None => V::Column::reborrow(known[rank as usize]),
            Some(at) => V::Column::lend(&self.made[at]),
        }
    }
}

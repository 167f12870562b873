//! The column of sums: which variant each row is, and a column of what the rows of each variant hold.
//!
//! ```text
//!   Circle 0.5   Dot   Circle 2.0   Box (1.0, 3.0)
//!   tags   1      0     1            2
//!   at     0      0     1            0          the row in the column of the variant
//!   variants      -  │  Lane 0.5 2.0  │  Tuple │ Lane 1.0 │ Lane 3.0
//! ```
//!
//! Invariant: the rows of a variant stand in its column in their order, without gaps, so `at` is how many rows of the
//! variant come before. A range of rows is then a range of each variant's column, and bytes need no `at`.
//!
//! Why not a column of full length for each variant: a sum of twenty constructors would be twenty columns long.

use super::values::Prefix;
use super::{Kind, Value, Values};
use differential::bytes::{Flaw, Malformed, Portable, Reader};
use differential::column::{Column, hash};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// A list of options, or of values of a declared type.
#[derive(Clone, Debug)]
pub struct Sums {
    tags: Vec<u32>,
    at: Vec<u32>,
    variants: Vec<Variant>,
}

/// What the rows of one variant hold.
#[derive(Clone, Debug)]
struct Variant {
    count: u32,
    held: Option<Values>,
}

impl Variant {
    /// Makes room in the numbers for more rows.
    fn grow(&mut self, by: usize) {
        let by = u32::try_from(by).ok();
        self.count = by.and_then(|by| self.count.checked_add(by)).expect("a column of sums has fewer than 2^32 rows");
    }
}

impl Sums {
    /// No values, of these variants.
    pub fn empty(variants: &[Option<Kind>]) -> Sums {
        let variant = |kind: &Option<Kind>| Variant { count: 0, held: kind.as_ref().map(Values::empty) };
        Sums { tags: Vec::new(), at: Vec::new(), variants: variants.iter().map(variant).collect() }
    }

    /// Of these variants: row by row the tag, and each variant's column, in the order of the rows.
    ///
    /// # Panics
    /// If a tag is none of a variant, or a variant's column has more or fewer rows than there are tags of it.
    pub fn of_parts(tags: Vec<u32>, held: Vec<Option<Values>>) -> Sums {
        let variants = held.into_iter().map(|held| Variant { count: 0, held }).collect();
        let mut sums = Sums { tags, at: Vec::new(), variants };
        sums.recount();
        let mut variants = sums.variants.iter();
        let whole =
            variants.all(|variant| variant.held.as_ref().is_none_or(|held| held.len() == variant.count as usize));
        assert!(whole, "a variant's column has a row for each tag of it");
        sums
    }

    /// The kinds of the variants.
    pub fn kinds(&self) -> Arc<[Option<Kind>]> {
        self.variants.iter().map(|variant| variant.held.as_ref().map(Values::kind)).collect()
    }

    /// The number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// Which variant each row is.
    pub fn tags(&self) -> &[u32] {
        &self.tags
    }

    /// The row of each row's value in the column of its variant.
    pub fn at(&self) -> &[u32] {
        &self.at
    }

    /// Which variant a row is.
    #[inline]
    pub fn tag(&self, row: usize) -> u32 {
        self.tags[row]
    }

    /// What the rows of a variant hold, in their order, if it is one that holds something.
    pub fn variant(&self, tag: usize) -> Option<&Values> {
        self.variants[tag].held.as_ref()
    }

    /// Where a row's value is: a column and a row of it.
    #[inline]
    pub fn held(&self, row: usize) -> Option<(&Values, usize)> {
        let held = self.variants[self.tags[row] as usize].held.as_ref();
        held.map(|held| (held, self.at[row] as usize))
    }

    /// Appends a value.
    pub fn push_value(&mut self, tag: u32, value: Option<&Value>) {
        let variant = &mut self.variants[tag as usize];
        self.tags.push(tag);
        self.at.push(variant.count);
        variant.grow(1);
        match (&mut variant.held, value) {
            (Some(held), Some(value)) => held.push_value(value),
            (None, None) => {}
            (_, value) => panic!("variant {tag} with {value:?}"),
        }
    }

    /// Numbers the rows of each variant anew.
    fn recount(&mut self) {
        self.variants.iter_mut().for_each(|variant| variant.count = 0);
        self.at.clear();
        self.number(0);
    }

    /// Numbers the rows from this one on.
    fn number(&mut self, from: usize) {
        for &tag in &self.tags[from..] {
            let variant = &mut self.variants[tag as usize];
            self.at.push(variant.count);
            variant.grow(1);
        }
    }

    /// For each variant, the rows of these that are one.
    fn parted(&self, rows: impl Iterator<Item = usize>) -> Vec<Vec<u32>> {
        let mut parted = vec![Vec::new(); self.variants.len()];
        rows.for_each(|row| parted[self.tags[row] as usize].push(self.at[row]));
        parted
    }

    pub(super) fn clear(&mut self) {
        self.tags.clear();
        self.at.clear();
        for variant in &mut self.variants {
            variant.count = 0;
            variant.held.iter_mut().for_each(Column::clear);
        }
    }
    pub(super) fn reserve(&mut self, additional: usize) {
        self.tags.reserve(additional);
        self.at.reserve(additional);
    }
    pub(super) fn fit(&mut self) {
        self.tags.shrink_to_fit();
        self.at.shrink_to_fit();
        self.variants.iter_mut().flat_map(|variant| &mut variant.held).for_each(Column::fit);
    }

    pub(super) fn extend_range(&mut self, other: &Sums, rows: Range<usize>) {
        let before = self.len();
        self.tags.extend_from_slice(&other.tags[rows.clone()]);
        let counts: Vec<u32> = self.variants.iter().map(|variant| variant.count).collect();
        self.number(before);
        for (tag, (variant, before)) in self.variants.iter_mut().zip(counts).enumerate() {
            let (Some(held), Some(others)) = (&mut variant.held, other.variant(tag)) else { continue };
            let added = (variant.count - before) as usize;
            if added > 0 {
                let mut range = rows.clone();
                let first = range.find(|&row| other.tags[row] as usize == tag).expect("one was counted");
                let first = other.at[first] as usize;
                held.extend_range(others, first..first + added);
            }
        }
    }
    pub(super) fn extend_gather(&mut self, other: &Sums, rows: &[u32]) {
        let before = self.len();
        self.tags.extend(rows.iter().map(|&row| other.tags[row as usize]));
        self.number(before);
        let parted = other.parted(rows.iter().map(|&row| row as usize));
        for (tag, (variant, rows)) in self.variants.iter_mut().zip(parted).enumerate() {
            if let (Some(held), Some(others)) = (&mut variant.held, other.variant(tag)) {
                held.extend_gather(others, &rows);
            }
        }
    }
    pub(super) fn extend_repeat(&mut self, other: &Sums, row: usize, count: usize) {
        let (before, tag) = (self.len(), other.tags[row]);
        self.tags.resize(before + count, tag);
        self.number(before);
        if let (Some(held), Some((others, at))) = (&mut self.variants[tag as usize].held, other.held(row)) {
            held.extend_repeat(others, at, count);
        }
    }
    pub(super) fn insert_rows(&mut self, other: &Sums, places: &[(u32, u32)]) {
        // Of each variant: before which of its rows, and which row of the other's column.
        let mut parted = vec![Vec::new(); self.variants.len()];
        for &(at, row) in places {
            let tag = other.tags[row as usize] as usize;
            let mut later = at as usize..self.len();
            let next = later.find(|&later| self.tags[later] as usize == tag);
            let next = next.map_or(self.variants[tag].count, |next| self.at[next]);
            parted[tag].push((next, other.at[row as usize]));
        }
        for (tag, (variant, places)) in self.variants.iter_mut().zip(parted).enumerate() {
            if let (Some(held), Some(others), false) = (&mut variant.held, other.variant(tag), places.is_empty()) {
                held.insert_rows(others, &places);
            }
        }
        self.tags.insert_rows(&other.tags, places);
        self.recount();
    }
    pub(super) fn remove_rows(&mut self, rows: &[u32]) {
        let parted = self.parted(rows.iter().map(|&row| row as usize));
        for (variant, rows) in self.variants.iter_mut().zip(parted) {
            if let (Some(held), false) = (&mut variant.held, rows.is_empty()) {
                held.remove_rows(&rows);
            }
        }
        self.tags.remove_rows(rows);
        self.recount();
    }

    pub(super) fn compare(&self, row: usize, other: &Sums, other_row: usize) -> Ordering {
        self.tags[row].cmp(&other.tags[other_row]).then_with(|| match (self.held(row), other.held(other_row)) {
            (Some((held, at)), Some((others, other_at))) => held.compare(at, others, other_at),
            _ => Ordering::Equal,
        })
    }

    /// How many bits say which variant, and how many the longest prefix of one has.
    fn bits(&self) -> (u32, u32) {
        let last = self.variants.len().saturating_sub(1) as u64;
        let held = self.variants.iter().flat_map(|variant| &variant.held).map(|held| held.prefix_of().bits);
        (u64::BITS - last.leading_zeros(), held.max().unwrap_or(0))
    }
    pub(super) fn prefix_of(&self) -> Prefix {
        let (tag, held) = self.bits();
        let exact = |held: &Values| held.prefix_of().exact;
        let exact = tag + held <= u64::BITS && self.variants.iter().flat_map(|variant| &variant.held).all(exact);
        Prefix { bits: u64::BITS.min(tag + held), exact }
    }
    pub(super) fn prefix(&self, row: usize) -> u64 {
        let (bits, held_bits) = self.bits();
        let room = held_bits.min(u64::BITS - bits);
        let held = self.held(row).map_or(0, |(held, at)| match held.prefix_of().bits {
            0 => 0,
            bits => held.prefix(at) >> bits.saturating_sub(room),
        });
        // A shift by all 64 bits is the one that a word does not do: then there is no tag.
        if room == u64::BITS { held } else { (u64::from(self.tags[row]) << room) | held }
    }
    pub(super) fn prefixes(&self, rows: Range<usize>, into: &mut Vec<u64>) {
        into.extend(rows.map(|row| self.prefix(row)));
    }
    pub(super) fn lane(&self) -> Option<&[u64]> {
        None
    }
    /// What a row holds, all of it: the tags agree when this is asked for, or the prefix has no room for more.
    pub(super) fn deeper(&self, row: usize, depth: u32) -> u64 {
        self.held(row).map_or(0, |(held, at)| match depth - 1 {
            0 => held.prefix(at),
            depth => held.deeper(at, depth),
        })
    }

    pub(super) fn extend_from_prefixes(&mut self, prefixes: &[u64]) {
        assert!(self.prefix_of().exact, "a prefix that has no room for what a variant holds does not say what that is");
        let before = self.len();
        let held_bits = self.bits().1;
        let tag = |prefix: &u64| (prefix.checked_shr(held_bits).unwrap_or(0)) as u32;
        self.tags.extend(prefixes.iter().map(tag));
        self.number(before);
        for (of, variant) in self.variants.iter_mut().enumerate() {
            if let Some(held) = &mut variant.held {
                let own = held.prefix_of().bits;
                let its = prefixes.iter().filter(|prefix| tag(prefix) as usize == of);
                let held_prefixes: Vec<u64> = its.map(|prefix| Prefix::unpack(*prefix, 0, own)).collect();
                held.extend_from_prefixes(&held_prefixes);
            }
        }
    }

    /// The tag, and then what the row holds.
    pub(super) fn absorb(&self, row: usize, state: u64) -> u64 {
        let state = hash::absorb(state, u64::from(self.tags[row]));
        self.held(row).map_or(state, |(held, at)| held.absorb(at, state))
    }
    pub(super) fn absorb_rows(&self, rows: Range<usize>, states: &mut [u64]) {
        states.iter_mut().zip(rows).for_each(|(state, row)| *state = self.absorb(row, *state));
    }

    pub(super) fn bytes_len(&self) -> usize {
        let held = self.variants.iter().flat_map(|variant| &variant.held);
        u32::values_len(self.tags.iter()) + held.map(Column::bytes_len).sum::<usize>()
    }
    pub(super) fn write_bytes(&self, into: &mut Vec<u8>) {
        u32::write_values(&self.tags, into);
        self.variants.iter().flat_map(|variant| &variant.held).for_each(|held| held.write_bytes(into));
    }
    pub(super) fn read(variants: &[Option<Kind>], rows: usize, from: &mut Reader<'_>) -> Result<Sums, Malformed> {
        let at = from.at();
        let tags = u32::read_values(rows, from)?;
        if let Some(row) = tags.iter().position(|tag| *tag as usize >= variants.len()) {
            return Err(Malformed { at: at + row * size_of::<u32>(), flaw: Flaw::Value { row } });
        }
        let mut sums = Sums { tags, ..Sums::empty(variants) };
        sums.recount();
        for (variant, kind) in sums.variants.iter_mut().zip(variants) {
            if let Some(kind) = kind {
                variant.held = Some(Values::read_bytes(kind, variant.count as usize, from)?);
            }
        }
        Ok(sums)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let held = self.variants.iter().flat_map(|variant| &variant.held).map(Column::heap_bytes);
        (self.tags.capacity() + self.at.capacity()) * size_of::<u32>()
            + self.variants.capacity() * size_of::<Variant>()
            + held.sum::<usize>()
    }
}

//! Lower bounds of what may still come.
//!
//! A frontier is a set of mutually incomparable times. A time is *in advance of* it if some element precedes the time:
//! updates there may still come. All other times are complete. The empty frontier says that nothing will come any more.
//!
//! Invariant: elements are mutually incomparable and sorted by the total order, so equal frontiers are equal values.
//! Tested in `laws.rs`, on all frontiers of a 4 x 4 grid.
//! Cost: linear in the number of elements, which is one in most programs and rarely more than ten.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::SmallVec;

use super::Time;

/// A set of mutually incomparable times: what may still come is in advance of one of them.
///
/// ```
/// use differential::time::{Frontier, Point};
/// let frontier = Frontier::from_iter([Point::from([1, 2]), Point::from([2, 0]), Point::from([2, 2])]);
/// assert_eq!(frontier.elements().len(), 2);
/// assert!(frontier.admits(&Point::from([1, 3])));
/// assert!(!frontier.admits(&Point::from([1, 1])));
/// ```
#[derive(PartialEq, Eq, Hash)]
pub struct Frontier<T> {
    elements: SmallVec<[T; 1]>,
}

impl<T: Clone> Clone for Frontier<T> {
    // One element is what most frontiers have; the derived clone would go through a growing vector.
    #[inline]
    fn clone(&self) -> Self {
        let elements = match &self.elements[..] {
            [] => SmallVec::new(),
            [one] => SmallVec::from_buf([one.clone()]),
            several => several.iter().cloned().collect(),
        };
        Frontier { elements }
    }

    /// Into the buffer that is there.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        self.elements.truncate(source.elements.len());
        let there = self.elements.len();
        self.elements.iter_mut().zip(&source.elements).for_each(|(to, from)| to.clone_from(from));
        source.elements[there..].iter().for_each(|from| self.elements.push(from.clone()));
    }
}

impl<T> Default for Frontier<T> {
    fn default() -> Self {
        Frontier { elements: SmallVec::new() }
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Frontier<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.elements.iter()).finish()
    }
}

impl<T: Serialize> Serialize for Frontier<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.elements)
    }
}

impl<'de, T: Time> Deserialize<'de> for Frontier<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // What another process says may be in any order.
        Ok(Vec::<T>::deserialize(deserializer)?.into_iter().collect())
    }
}

impl<T: Time> FromIterator<T> for Frontier<T> {
    fn from_iter<I: IntoIterator<Item = T>>(times: I) -> Self {
        let mut frontier = Frontier::default();
        for time in times {
            frontier.insert(time);
        }
        frontier
    }
}

impl<T: Time> From<T> for Frontier<T> {
    fn from(time: T) -> Self {
        Frontier { elements: SmallVec::from_buf([time]) }
    }
}

impl<T: Time> Frontier<T> {
    /// The frontier at which nothing may come any more.
    pub fn empty() -> Self {
        Frontier::default()
    }

    /// The frontier at which everything may still come.
    pub fn minimum() -> Self {
        Frontier::from(T::minimum())
    }

    /// The elements, in the total order.
    pub fn elements(&self) -> &[T] {
        &self.elements
    }

    /// Whether nothing may come any more.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Forgets all elements.
    pub fn clear(&mut self) {
        self.elements.clear();
    }

    /// Whether `time` is in advance of the frontier, so that an update there may still come.
    pub fn admits(&self, time: &T) -> bool {
        self.elements.iter().any(|element| element.precedes(time))
    }

    /// Whether every time in advance of `other` is in advance of `self`: `other` has advanced at least as far.
    pub fn precedes(&self, other: &Self) -> bool {
        other.elements.iter().all(|time| self.admits(time))
    }

    /// Lowers the frontier so that `time` is in advance of it; whether that changed it.
    pub fn insert(&mut self, time: T) -> bool {
        // None or one is what most frontiers have.
        match &mut self.elements[..] {
            [] => self.elements.push(time),
            [only] if only.precedes(&time) => return false,
            [only] if time.precedes(only) => *only = time,
            elements => {
                if elements.iter().any(|element| element.precedes(&time)) {
                    return false;
                }
                self.elements.retain(|element| !time.precedes(element));
                let at = self.elements.partition_point(|element| *element < time);
                self.elements.insert(at, time);
            }
        }
        true
    }

    /// Lowers the frontier to its meet with `other`: what is in advance of either is in advance of the result.
    pub fn extend(&mut self, other: &Self) {
        if self.is_empty() {
            return self.clone_from(other);
        }
        for time in &other.elements {
            if !self.admits(time) {
                self.insert(time.clone());
            }
        }
    }

    /// The join of two frontiers: what is in advance of both is in advance of the result.
    pub fn join(&self, other: &Self) -> Self {
        let pairs = self.elements.iter().flat_map(|a| other.elements.iter().map(move |b| a.join(b)));
        pairs.collect()
    }

    /// Removes the first element in the total order.
    pub fn take_first(&mut self) -> Option<T> {
        (!self.elements.is_empty()).then(|| self.elements.remove(0))
    }

    /// The greatest time at or before all elements; `None` if there are none.
    pub fn meet(&self) -> Option<T> {
        let (first, rest) = self.elements.split_first()?;
        let mut meet = first.clone();
        rest.iter().for_each(|element| meet.meet_assign(element));
        Some(meet)
    }

    /// Replaces `time` by the latest time that no reader at or past the frontier can tell from it.
    ///
    /// That is the meet, over the elements, of its joins with them. At the empty frontier nobody reads any more, and
    /// the time is left alone.
    ///
    /// ```
    /// use differential::time::{Frontier, Point};
    /// let since = Frontier::from(Point::from([5, 0]));
    /// let mut time = Point::from([2, 7]);
    /// since.advance(&mut time);
    /// assert_eq!(time, Point::from([5, 7]));
    /// ```
    pub fn advance(&self, time: &mut T) {
        match &self.elements[..] {
            [] => {}
            [only] => time.join_assign(only),
            [first, rest @ ..] => {
                *time = rest.iter().fold(time.join(first), |advanced, element| advanced.meet(&time.join(element)));
            }
        }
    }
}

//! Lower bounds of what may still come.
//!
//! A frontier is a set of mutually incomparable times. A time is *in advance of* it if some element precedes the time:
//! updates there may still come. All other times are complete. The empty frontier says that nothing will come any more.
//!
//! Invariant: elements are mutually incomparable and sorted by the total order, so equal frontiers have equal elements.
//! Tested in `laws.rs`, on all frontiers of a 4 x 4 grid.
//! Cost: linear in the number of elements, which is one in most programs and rarely more than ten. None and one are
//! variants of their own, as long as one element (a small vector would add two words, and a look at its capacity to each
//! step); a list of several keeps its buffer when it becomes shorter.

use std::hash::{Hash, Hasher};

use super::Time;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A set of mutually incomparable times: what may still come is in advance of one of them.
///
/// ```
/// use differential::time::{Frontier, Point};
/// let frontier = Frontier::from_iter([Point::from([1, 2]), Point::from([2, 0]), Point::from([2, 2])]);
/// assert_eq!(frontier.elements().len(), 2);
/// assert!(frontier.admits(&Point::from([1, 3])));
/// assert!(!frontier.admits(&Point::from([1, 1])));
/// ```
pub struct Frontier<T>(Elements<T>);

enum Elements<T> {
    None,
    One(T),
    /// Any number of them; mostly two or more.
    List(Vec<T>),
}

use Elements::{List, One};

impl<T: PartialEq> PartialEq for Frontier<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (One(a), One(b)) => a == b,
            _ => self.as_slice() == other.as_slice(),
        }
    }
}

impl<T: Eq> Eq for Frontier<T> {}

impl<T: Hash> Hash for Frontier<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl<T: Clone> Clone for Frontier<T> {
    #[inline]
    fn clone(&self) -> Self {
        Frontier(match &self.0 {
            Elements::None => Elements::None,
            One(one) => One(one.clone()),
            List(list) => match &list[..] {
                [] => Elements::None,
                [one] => One(one.clone()),
                several => List(several.to_vec()),
            },
        })
    }

    /// Into the buffer that is there.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        match (&mut self.0, &source.0) {
            (One(to), One(from)) => to.clone_from(from),
            (List(list), _) => {
                list.clear();
                list.extend_from_slice(source.as_slice());
            }
            _ => *self = source.clone(),
        }
    }
}

impl<T> Default for Frontier<T> {
    #[inline]
    fn default() -> Self {
        Frontier(Elements::None)
    }
}

impl<T> Frontier<T> {
    #[inline]
    fn as_slice(&self) -> &[T] {
        match &self.0 {
            Elements::None => &[],
            One(one) => std::slice::from_ref(one),
            List(list) => list,
        }
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Frontier<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.as_slice()).finish()
    }
}

impl<T: Serialize> Serialize for Frontier<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.as_slice())
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
        Frontier(One(time))
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
    #[inline]
    pub fn elements(&self) -> &[T] {
        self.as_slice()
    }

    /// Whether nothing may come any more.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    /// Forgets all elements.
    pub fn clear(&mut self) {
        match &mut self.0 {
            List(list) => list.clear(),
            few => *few = Elements::None,
        }
    }

    /// Whether `time` is in advance of the frontier, so that an update there may still come.
    #[inline]
    pub fn admits(&self, time: &T) -> bool {
        self.as_slice().iter().any(|element| element.precedes(time))
    }

    /// Whether every time in advance of `other` is in advance of `self`: `other` has advanced at least as far.
    pub fn precedes(&self, other: &Self) -> bool {
        other.as_slice().iter().all(|time| self.admits(time))
    }

    /// Lowers the frontier so that `time` is in advance of it; whether that changed it.
    pub fn insert(&mut self, time: T) -> bool {
        match &mut self.0 {
            Elements::None => self.0 = One(time),
            One(only) if only.precedes(&time) => return false,
            One(only) if time.precedes(only) => *only = time,
            One(only) if *only < time => self.0 = List(vec![only.clone(), time]),
            One(only) => self.0 = List(vec![time, only.clone()]),
            List(list) => {
                if list.iter().any(|element| element.precedes(&time)) {
                    return false;
                }
                list.retain(|element| !time.precedes(element));
                let at = list.partition_point(|element| *element < time);
                list.insert(at, time);
            }
        }
        true
    }

    /// Lowers the frontier to its meet with `other`: what is in advance of either is in advance of the result.
    pub fn extend(&mut self, other: &Self) {
        if self.is_empty() {
            return self.clone_from(other);
        }
        for time in other.as_slice() {
            if !self.admits(time) {
                self.insert(time.clone());
            }
        }
    }

    /// The join of two frontiers: what is in advance of both is in advance of the result.
    pub fn join(&self, other: &Self) -> Self {
        let pairs = self.as_slice().iter().flat_map(|a| other.as_slice().iter().map(move |b| a.join(b)));
        pairs.collect()
    }

    /// Removes the first element in the total order.
    pub fn take_first(&mut self) -> Option<T> {
        match &mut self.0 {
            List(list) => (!list.is_empty()).then(|| list.remove(0)),
            few => match std::mem::replace(few, Elements::None) {
                One(only) => Some(only),
                _ => None,
            },
        }
    }

    /// The greatest time at or before all elements; `None` if there are none.
    #[inline]
    pub fn meet(&self) -> Option<T> {
        match self.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            several => several.iter().cloned().reduce(|meet, element| meet.meet(&element)),
        }
    }

    /// Replaces `time` by the latest time that no reader at or past the frontier can tell from it.
    ///
    /// That is the meet, over the elements, of its joins with them: its join with their meet, as one distributes over the
    /// other. At the empty frontier nobody reads any more, and the time is left alone.
    ///
    /// ```
    /// use differential::time::{Frontier, Point};
    /// let since = Frontier::from(Point::from([5, 0]));
    /// let mut time = Point::from([2, 7]);
    /// since.advance(&mut time);
    /// assert_eq!(time, Point::from([5, 7]));
    /// ```
    pub fn advance(&self, time: &mut T) {
        match self.as_slice() {
            [only] => time.join_assign(only),
            _ => self.meet().iter().for_each(|floor| time.join_assign(floor)),
        }
    }
}

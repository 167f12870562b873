//! A trace that merges at once: it stands in until the spine does.
use crate::batch::{Batch, Merge, Progress, Span};
use crate::diff::Overflow;
use crate::layout::{KeyShape, Layout, ValShape};
use crate::time::{Frontier, Time};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
/// p
pub type Position = u64;
/// e
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError<T> {
    /// c
    Compacted {
        /// a
        asked: Frontier<T>,
        /// s
        since: Frontier<T>,
    },
    /// n
    NotYet {
        /// a
        asked: Frontier<T>,
        /// u
        upper: Frontier<T>,
    },
    /// o
    Overflow,
}
struct Inner<L: Layout> {
    batches: Vec<(Arc<Batch<L>>, u64, u64)>,
    newest: u64,
    upper: Frontier<L::Time>,
    holds: BTreeMap<u64, (Option<Frontier<L::Time>>, Option<u64>)>,
    next: u64,
}
impl<L: Layout> Inner<L> {
    fn since(&self) -> Frontier<L::Time> {
        let mut f = Frontier::empty();
        for (t, _) in self.holds.values() {
            if let Some(t) = t {
                f.extend(t);
            }
        }
        f
    }
    fn cut(&self) -> u64 {
        self.holds.values().filter_map(|h| h.1).min().unwrap_or(u64::MAX)
    }
}
/// w
pub struct TraceWriter<L: Layout> {
    inner: Rc<RefCell<Inner<L>>>,
}
/// h
pub struct TraceHandle<L: Layout> {
    inner: Rc<RefCell<Inner<L>>>,
    id: u64,
}
impl<L: Layout> TraceWriter<L> {
    /// n
    pub fn new(_: &KeyShape<L>, _: &ValShape<L>) -> Self {
        TraceWriter {
            inner: Rc::new(RefCell::new(Inner {
                batches: vec![],
                newest: 0,
                upper: Frontier::minimum(),
                holds: BTreeMap::new(),
                next: 0,
            })),
        }
    }
    /// a
    pub fn append(&mut self, span: Span<L>) -> Result<Position, Overflow> {
        let mut i = self.inner.borrow_mut();
        i.newest += 1;
        i.upper = span.upper;
        let n = i.newest;
        if let Some(b) = span.batch {
            i.batches.push((b, n - 1, n));
        }
        Ok(n)
    }
    /// m
    pub fn maintain(&mut self, _: usize) -> Result<bool, Overflow> {
        let mut i = self.inner.borrow_mut();
        let since = i.since();
        let cut = i.cut();
        loop {
            let n = i.batches.len();
            if n < 2 {
                break;
            }
            let mut at = None;
            for j in (1..n).rev() {
                if i.batches[j].2 <= cut && i.batches[j - 1].0.len() <= 2 * i.batches[j].0.len() {
                    at = Some(j);
                    break;
                }
            }
            let Some(j) = at else { break };
            let (b, _, hi) = i.batches.remove(j);
            let (a, lo, _) = i.batches[j - 1].clone();
            let mut m = Merge::new(a, b, since.clone());
            let r = loop {
                match m.advance(&mut usize::MAX.clone())? {
                    Progress::Done(b) => break b,
                    Progress::More(x) => m = x,
                }
            };
            match r {
                Some(b) => i.batches[j - 1] = (Arc::new(b), lo, hi),
                None => {
                    i.batches.remove(j - 1);
                }
            }
        }
        Ok(false)
    }
    /// h
    pub fn handle(&self) -> TraceHandle<L> {
        let mut i = self.inner.borrow_mut();
        let id = i.next;
        i.next += 1;
        let newest = i.newest;
        i.holds.insert(id, (Some(Frontier::minimum()), Some(newest)));
        TraceHandle { inner: self.inner.clone(), id }
    }
}
impl<L: Layout> TraceHandle<L> {
    /// s
    pub fn since(&self) -> Frontier<L::Time> {
        self.inner.borrow().since()
    }
    /// u
    pub fn upper(&self) -> Frontier<L::Time> {
        self.inner.borrow().upper.clone()
    }
    /// n
    pub fn newest(&self) -> Position {
        self.inner.borrow().newest
    }
    /// r
    pub fn read(&self, through: Position) -> Result<Vec<Arc<Batch<L>>>, ReadError<L::Time>> {
        let i = self.inner.borrow();
        Ok(i.batches
            .iter()
            .take_while(|b| b.1 < through)
            .map(|b| {
                assert!(b.2 <= through, "cut");
                b.0.clone()
            })
            .collect())
    }
    /// t
    pub fn hold_times(&self, f: &Frontier<L::Time>) {
        let mut i = self.inner.borrow_mut();
        let h = i.holds.get_mut(&self.id).unwrap();
        if let Some(t) = &mut h.0 {
            *t = t.join(f);
        }
    }
    /// p
    pub fn hold_position(&self, p: Position) {
        let mut i = self.inner.borrow_mut();
        let h = i.holds.get_mut(&self.id).unwrap();
        if let Some(t) = &mut h.1 {
            *t = (*t).max(p);
        }
    }
    /// rt
    pub fn release_times(&self) {
        self.inner.borrow_mut().holds.get_mut(&self.id).unwrap().0 = None;
    }
    /// rp
    pub fn release_position(&self) {
        self.inner.borrow_mut().holds.get_mut(&self.id).unwrap().1 = None;
    }
    /// check
    pub fn check(&self, t: &L::Time) -> Result<(), ReadError<L::Time>> {
        let (since, upper) = (self.since(), self.upper());
        let asked = Frontier::from(t.clone());
        if !since.admits(t) && !since.is_empty() {
            return Err(ReadError::Compacted { asked, since });
        }
        if upper.admits(t) {
            return Err(ReadError::NotYet { asked, upper });
        }
        let _ = t.precedes(t);
        Ok(())
    }
}
impl<L: Layout> Clone for TraceHandle<L> {
    fn clone(&self) -> Self {
        let mut i = self.inner.borrow_mut();
        let id = i.next;
        i.next += 1;
        let h = i.holds[&self.id].clone();
        i.holds.insert(id, h);
        drop(i);
        TraceHandle { inner: self.inner.clone(), id }
    }
}
impl<L: Layout> Drop for TraceHandle<L> {
    fn drop(&mut self) {
        self.inner.borrow_mut().holds.remove(&self.id);
    }
}

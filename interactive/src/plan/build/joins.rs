//! Joins of two, groups and tops: what needs rows by key.
//!
//! ```text
//!   left row   (a, b, c)  on b          arranged:  key (b)   value (a, c)    ─┐
//!   right row  (d, e)     on d                     key (d)   value (e)       ─┴─ join: (Left 0, Key 0, Left 1, Right 0)
//! ```
//!
//! Keys are columns: what is computed for a join gets a column first, so that a row whose key fails fails there, and is
//! missing from all that the join makes. A value leaves out the columns that are in the key.

use super::bags::column;
use super::{Builder, Here};
use crate::language::mistake::Mistake;
use crate::language::operators::JoinKind;
use crate::language::program::{self, Join, Scalar, ScalarKind};
use crate::language::types::{Column, Type};
use crate::plan::tree::{Aggregate, NodeId, Operator, Picked, RowStepKind};
use std::sync::Arc;

/// Rows that are to be joined.
struct Side {
    rows: NodeId,
    /// The columns of their key.
    key: Vec<usize>,
    /// How many columns are their own; those behind are there for the key alone.
    width: usize,
}

/// Rows by key, and where their columns are.
pub(super) struct Keyed {
    pub(super) arranged: NodeId,
    key: Vec<usize>,
    value: Vec<usize>,
}

impl Keyed {
    /// Where a column is; `side` says where one of the value is.
    pub(super) fn picked(&self, column: usize, side: fn(usize) -> Picked) -> Picked {
        let place = |columns: &[usize]| columns.iter().position(|at| *at == column);
        let in_value = || side(place(&self.value).expect("a column is in the key or in the value"));
        place(&self.key).map_or_else(in_value, Picked::Key)
    }
}

impl Builder<'_> {
    /// Rows by some of their columns, with some that are kept beside those.
    pub(super) fn keyed(
        &mut self,
        here: &Here,
        input: NodeId,
        key: Vec<usize>,
        kept: impl IntoIterator<Item = usize>,
    ) -> Keyed {
        let value: Vec<usize> = kept.into_iter().filter(|at| !key.contains(at)).collect();
        let columns = self.columns(input);
        let columns = key.iter().chain(&value).map(|at| columns[*at].clone()).collect();
        let operator = Operator::Arrange { input, key: key.clone(), value: value.clone() };
        Keyed { arranged: self.add(operator, columns, &here.place), key, value }
    }

    /// A side by its key.
    fn keyed_side(&mut self, here: &Here, side: &Side) -> Keyed {
        self.keyed(here, side.rows, side.key.clone(), 0..side.width)
    }

    /// The distinct keys of a side, by themselves.
    fn distinct_keys(&mut self, here: &Here, side: &Side) -> Keyed {
        let keys = self.narrowed(here, side.rows, &side.key);
        let distinct = self.threshold(here, keys, 1);
        self.keyed(here, distinct, (0..side.key.len()).collect(), [])
    }

    /// Rows with columns for the values by which they are joined.
    fn side<'s>(&mut self, here: &Here, rows: NodeId, values: impl Iterator<Item = &'s Scalar>) -> Side {
        let width = self.columns(rows).len();
        let (rows, key) = self.with_columns(here, rows, values);
        Side { rows, key, width }
    }

    /// Rows that are their own key.
    fn whole(&self, rows: NodeId) -> Side {
        let width = self.columns(rows).len();
        Side { rows, key: (0..width).collect(), width }
    }

    pub(super) fn join(
        &mut self,
        here: &Here,
        left: NodeId,
        join: &Join,
        columns: &Arc<[Column]>,
    ) -> Result<NodeId, Mistake> {
        let right = self.term(here, &join.other)?;
        let left = self.side(here, left, join.on.iter().map(|(value, _)| value));
        let right = self.side(here, right, join.on.iter().map(|(_, value)| value));
        Ok(match join.kind {
            JoinKind::Inner | JoinKind::Cross => self.pairs(here, &left, &right, &join.kept, columns.clone()),
            JoinKind::Semi => self.semijoin(here, &left, &right),
            JoinKind::Anti => self.antijoin(here, &left, &right),
            JoinKind::Left => {
                let missing = self.antijoin(here, &left, &right);
                let (of_left, plain) = (left.width, self.columns(right.rows));
                let plain = columns[..of_left].iter().cloned().chain(join.kept.iter().map(|at| plain[*at].clone()));
                let pairs = self.pairs(here, &left, &right, &join.kept, plain.collect());
                let option = |at: usize, payload: Option<Scalar>| {
                    let kind = ScalarKind::Construct {
                        constructor: usize::from(payload.is_some()),
                        payload: payload.map(Box::new),
                    };
                    Scalar { kind, of: columns[at].of.clone(), span: here.place.span }
                };
                let payload = |at: usize| match &columns[at].of {
                    Type::Option(of) => Column { of: of.as_ref().clone(), name: String::new() },
                    of => unreachable!("{of:?} in the place of an option"),
                };
                let same = || (0..of_left).map(|at| column(here, at, &columns[at]));
                let wrapped = (of_left..columns.len()).map(|at| option(at, Some(column(here, at, &payload(at)))));
                let values = RowStepKind::Select(same().chain(wrapped).collect());
                let matched = self.rowwise(here, pairs, values, columns.clone());
                let nothing = (of_left..columns.len()).map(|at| option(at, None));
                let values = RowStepKind::Select(same().chain(nothing).collect());
                let alone = self.rowwise(here, missing, values, columns.clone());
                let parts = vec![(matched, false), (alone, false)];
                self.add(Operator::Concat { parts }, columns.clone(), &here.place)
            }
        })
    }

    /// A row for each pair: all columns of the left side, then some of the right.
    fn pairs(&mut self, here: &Here, left: &Side, right: &Side, kept: &[usize], columns: Arc<[Column]>) -> NodeId {
        let (by_left, by_right) = (self.keyed_side(here, left), self.keyed_side(here, right));
        let of_left = (0..left.width).map(|at| by_left.picked(at, Picked::Left));
        let output = of_left.chain(kept.iter().map(|at| by_right.picked(*at, Picked::Right))).collect();
        self.add(Operator::Join { left: by_left.arranged, right: by_right.arranged, output }, columns, &here.place)
    }

    /// The left rows that have a match, as often as they are there.
    fn semijoin(&mut self, here: &Here, left: &Side, right: &Side) -> NodeId {
        let columns = self.columns(left.rows)[..left.width].into();
        let (by_left, by_right) = (self.keyed_side(here, left), self.distinct_keys(here, right));
        let output = (0..left.width).map(|at| by_left.picked(at, Picked::Left)).collect();
        self.add(Operator::Join { left: by_left.arranged, right: by_right.arranged, output }, columns, &here.place)
    }

    /// The left rows that have none.
    fn antijoin(&mut self, here: &Here, left: &Side, right: &Side) -> NodeId {
        let matched = self.semijoin(here, left, right);
        let all = self.narrowed(here, left.rows, &(0..left.width).collect::<Vec<_>>());
        let columns = self.columns(all);
        self.add(Operator::Concat { parts: vec![(all, false), (matched, true)] }, columns, &here.place)
    }

    pub(super) fn except(&mut self, here: &Here, left: NodeId, right: NodeId) -> NodeId {
        let (left, right) = (self.whole(left), self.whole(right));
        self.antijoin(here, &left, &right)
    }

    pub(super) fn intersect(&mut self, here: &Here, left: NodeId, right: NodeId) -> NodeId {
        let (left, right) = (self.whole(left), self.whole(right));
        self.semijoin(here, &left, &right)
    }

    pub(super) fn group(
        &mut self,
        here: &Here,
        input: NodeId,
        keys: &[Scalar],
        aggregates: &[program::Aggregate],
        columns: &Arc<[Column]>,
    ) -> NodeId {
        let values = aggregates.iter().filter_map(|aggregate| aggregate.of.as_ref());
        let (input, places) = self.with_columns(here, input, keys.iter().chain(values));
        let (key, values) = places.split_at(keys.len());
        let mut value: Vec<usize> = values.to_vec();
        value.sort_unstable();
        value.dedup();
        let mut values = values.iter();
        let aggregates = aggregates.iter().map(|aggregate| {
            let of = aggregate.of.as_ref().and_then(|_| values.next());
            let of = of.map(|at| value.iter().position(|other| other == at).expect("each is among them"));
            Aggregate { function: aggregate.function, of, span: aggregate.span }
        });
        let aggregates = aggregates.collect();
        let kept = self.columns(input);
        let kept = key.iter().chain(&value).map(|at| kept[*at].clone()).collect();
        let arrange = Operator::Arrange { input, key: key.to_vec(), value };
        let arranged = self.add(arrange, kept, &here.place);
        self.add(Operator::Group { input: arranged, aggregates }, columns.clone(), &here.place)
    }

    pub(super) fn top(
        &mut self,
        here: &Here,
        input: NodeId,
        count: i64,
        by: &[(Scalar, bool)],
        per: &[Scalar],
    ) -> NodeId {
        let columns = self.columns(input);
        let (input, places) = self.with_columns(here, input, per.iter().chain(by.iter().map(|(value, _)| value)));
        let (per, order) = places.split_at(per.len());
        let kept = 0..self.columns(input).len();
        let keyed = self.keyed(here, input, per.to_vec(), kept);
        let by = order.iter().zip(by).map(|(at, (_, down))| (keyed.picked(*at, Picked::Left), *down)).collect();
        let output = (0..columns.len()).map(|at| keyed.picked(at, Picked::Left)).collect();
        self.add(Operator::Top { input: keyed.arranged, count, by, output }, columns, &here.place)
    }
}

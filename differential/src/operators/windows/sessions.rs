//! Session windows: rows of a key that follow each other closely.
//!
//! ```text
//!   gap 4      event times   1 2   6         13  15                  of one key
//!              sessions     [1 ... 6]       [13 .. 15]               6 is at most 4 after 2; 13 is not
//!              buckets      |1 2 . . .|6 . . . .|. . . 13 .|15 ...   of gap + 1: rows of one are of one session
//!              their ends    1 2        6              13    15      the first and the last row of each
//! ```
//!
//! Rows of one bucket are at most `gap` apart, so whatever comes or goes between a bucket's first and last row changes
//! no session: nobody beyond the bucket hears of it. Sessions are made of the buckets' ends, a group a key; each bucket is
//! told where its session starts, and its rows take that as a label. So a row behind the others of its session labels
//! itself alone; one that joins two sessions labels the later one anew, and so does one that is removed between them.
//!
//! A session is closed when the watermark is more than `gap` past its last row: no row that is on time could join it, and
//! no removal that is on time could be of one of its rows. Its rows leave the answer then, and one commit later all that
//! is kept here, by way of a variable:
//!
//! ```text
//!   on time ──(- gone)── present, by bucket ──┬── ends ── sessions ── until last + gap is passed ──┬── open
//!                ^                            └── rows with the label of their session ────────────┴── closing
//!                └────────────── variable: one commit later ─────────────────── rows of closed sessions ──┘
//! ```
//!
//! Cost: of a row, a search in its bucket and the two rows of its label; of one that moves an end of its bucket, the
//! buckets of its key that are open: as many as the open time of the key is gaps long. Why not a group of rows a key: each
//! change would read all of them. Why not the sessions' ends as labels: every row would label its whole session anew.

use std::rc::Rc;

use super::Events;
use crate::collection::Collection;
use crate::column::{Column, Data, Lent, ShapeOf};
use crate::operators::iterate::Variable;

/// Session windows: made by [`Events::sessions`].
pub struct Sessions<K: Data, D: Data> {
    spans: Collection<(K, (u64, u64))>,
    open: Collection<((K, u64), D)>,
    closing: Collection<((K, u64), D)>,
}

impl<K: Data, D: Data> Sessions<K, D> {
    /// The sessions that are open: key, and the event times of their first and last rows.
    pub fn spans(&self) -> &Collection<(K, (u64, u64))> {
        &self.spans
    }

    /// The rows of the sessions that are open: `((key, start), row)`, where a session starts with its first row.
    pub fn open(&self) -> &Collection<((K, u64), D)> {
        &self.open
    }

    /// The rows of the sessions that close, as they are to the last, told for one commit: see
    /// [`Windows::closing`](super::Windows::closing).
    pub fn closing(&self) -> &Collection<((K, u64), D)> {
        &self.closing
    }
}

impl<D: Data> Events<D> {
    /// The rows in sessions: two rows of one key are of one session if their event times are at most `gap` apart, or if
    /// rows between them lead from one to the other in steps of at most `gap`.
    ///
    /// Rows whose count is not positive are absent, as for [`distinct`](Collection::distinct).
    ///
    /// A session that never ends is never retracted. One whose last row is less than `gap` before the greatest number never
    /// closes.
    ///
    /// ```
    /// use differential::prelude::*;
    ///
    /// let (before, after) = run_alone(Config::default(), |worker| {
    ///     let (mut clicks, visits) = worker.dataflow(|scope| {
    ///         let (session, clicks) = scope.input::<(String, u64)>("who and when");
    ///         let sessions = clicks.event_time("clicks", 60, |(_who, when)| when);
    ///         let sessions = sessions.sessions(30, |(who, _when)| who.to_string());
    ///         let visits = sessions.open().map(|((who, start), _click)| (who.to_string(), start));
    ///         (session, visits.count().output())
    ///     })?;
    ///     for when in [100, 120, 160] {
    ///         clicks.insert(("Ada".to_string(), when));
    ///     }
    ///     worker.commit(&mut clicks)?;
    ///     let before = visits.rows()?;
    ///     // Came late, and joins the two.
    ///     clicks.insert(("Ada".to_string(), 140));
    ///     worker.commit(&mut clicks)?;
    ///     Ok::<_, Error>((before, visits.rows()?))
    /// }).unwrap();
    /// let visit = |start: u64, clicks: i64| ((("Ada".to_string(), start), clicks), 1);
    /// assert_eq!(before, [visit(100, 2), visit(160, 1)]);
    /// assert_eq!(after, [visit(100, 4)]);
    /// ```
    pub fn sessions<K: Data>(&self, gap: u64, key: impl Fn(Lent<'_, D>) -> K + 'static) -> Sessions<K, D>
    where
        ShapeOf<K>: Default,
        ShapeOf<D>: Default,
    {
        let gone = Variable::<D>::new(self.on_time.scope());
        let present = self.on_time.concat(&gone.current().negate()).threshold(|count| (*count).max(0));
        let time = Rc::clone(&self.time);
        let placed = present.map(move |row| {
            let at = time(row);
            ((key(row), bucket(at, gap)), (at, D::Column::owned(row)))
        });
        let times = placed.map(|((key, bucket), (at, _))| ((K::Column::owned(key), bucket), at));
        let rows = placed.arrange_by_key("rows by bucket");
        let ends = times.min().concat(&times.max()).map(|((key, _), at)| (K::Column::owned(key), at));
        let ends = ends.distinct().arrange_by_key("ends of buckets");
        let spans = ends.reduce("sessions", move |_, ends: &[(u64, i64)], spans| {
            spans.extend(sessions_of(ends, gap).map(|(session, _)| (session, 1i64)));
        });
        let labels = ends.reduce("sessions of buckets", move |_, ends: &[(u64, i64)], labels| {
            for ((start, _), ends) in sessions_of(ends, gap) {
                let mut buckets: Vec<u64> = ends.iter().map(|(at, _)| bucket(*at, gap)).collect();
                buckets.dedup();
                labels.extend(buckets.into_iter().map(|bucket| ((start, bucket), 1i64)));
            }
        });

        let spans = self.watermark.expire("sessions until they close", &spans.pairs(), move |(_, (_, last))| {
            last.checked_add(gap)?.checked_add(1)
        });
        let spans = spans.passed.concat(&spans.expired).consolidate();

        let labels = labels.as_collection(|key, (start, bucket)| ((K::Column::owned(key), start), bucket));
        let open = spans.map(|(key, (start, _))| (K::Column::owned(key), start)).distinct();
        let open = labels.semijoin(&open);
        let closed = labels.concat(&open.negate());
        let labelled = |labels: &Collection<((K, u64), u64)>| {
            let by_bucket = labels.map(|((key, start), bucket)| ((K::Column::owned(key), bucket), start));
            rows.join(&by_bucket.arrange_by_key("sessions by bucket"), |(key, _), (_, row), start| {
                ((K::Column::owned(key), start), D::Column::owned(row))
            })
        };
        let (open, closing) = (labelled(&open), labelled(&closed));
        let all_gone = gone.current().concat(&closing.map(|(_, row)| D::Column::owned(row)));
        gone.set(&all_gone);
        Sessions { spans, open, closing }
    }
}

/// The bucket of a time: rows of one bucket are at most `gap` apart.
fn bucket(at: u64, gap: u64) -> u64 {
    gap.checked_add(1).map_or(0, |width| at / width)
}

/// The sessions of ascending times: first and last time of each, and its times.
fn sessions_of(times: &[(u64, i64)], gap: u64) -> impl Iterator<Item = ((u64, u64), &[(u64, i64)])> {
    let sessions = times.chunk_by(move |(before, _), (after, _)| after - before <= gap);
    sessions.map(|times| ((times[0].0, times[times.len() - 1].0), times))
}

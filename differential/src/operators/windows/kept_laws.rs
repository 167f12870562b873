//! What has expired is kept nowhere: of a long stream, traces hold at rest what its open windows do.

use std::cell::Cell;
use std::rc::Rc;

use crate::collection::{Collection, Config, ENGINE_LOG, EngineEvent, EngineEventBuilder, Worker};
use crate::error::Error;

use super::Events;

type Row = (u64, u64);

/// Asserts that there are as many updates in all traces each time that a hundred commits have passed. Ten keys are fed a row
/// each in every commit of the first half of each twenty.
fn no_more_is_kept(build: fn(&Events<Row>) -> Collection<(u64, Row)>) {
    timely::execute_directly(move |timely| {
        let kept = Rc::new(Cell::new(0));
        let told = Rc::clone(&kept);
        let mut logs = timely.log_register().expect("this worker knows the time");
        logs.insert::<EngineEventBuilder, _>(ENGINE_LOG, move |_, events| {
            for (_, event) in events.iter().flatten() {
                let (added, gone) = match *event {
                    EngineEvent::BatchAdded { updates, .. } => (updates, 0),
                    EngineEvent::BatchesMerged { older, newer, made, .. } => (made, older + newer.unwrap_or(0)),
                    EngineEvent::BatchDropped { updates, .. } => (0, updates),
                    _ => (0, 0),
                };
                told.set(told.get() + added - gone);
            }
        });
        drop(logs);
        let mut worker = Worker::in_timely(timely, &Config::default());
        let (mut rows, _output) = worker.dataflow(|scope| {
            let (session, rows) = scope.input::<Row>("key and time");
            (session, build(&rows.event_time("rows", 3, |(_, at)| at)).output())
        })?;
        let mut counts = Vec::new();
        for at in 0..400 {
            if at % 20 < 10 {
                (0..10).for_each(|key| rows.insert((key, at)));
            }
            worker.commit(&mut rows)?;
            if at % 100 == 99 {
                while worker.step()? {}
                timely.log_register().expect("as before").flush();
                counts.push(kept.get());
            }
        }
        // Here, as a window that feeds rows back for ever would not come to the end of the dataflow.
        assert!(counts.iter().all(|count| *count == counts[0]), "updates in traces: {counts:?}");
        Ok::<_, Error>(())
    })
    .expect("nothing fails");
}

#[test]
fn at_rest_traces_hold_no_more_after_a_long_while_than_after_a_short_one() {
    no_more_is_kept(|events| events.sliding(8, 4).open());
    no_more_is_kept(|events| events.last(30).closing().map(|row| (0, row)));
    no_more_is_kept(|events| {
        let sessions = events.sessions(4, |(key, _)| key);
        sessions.open().concat(sessions.closing()).map(|((_, start), row)| (start, row))
    });
}

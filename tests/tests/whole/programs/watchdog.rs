//! Where a program hangs, the watchdog says who holds which time.

use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::Duration;

use differential::prelude::*;

/// Runs two workers of which the second waits until the first one's watchdog has spoken; what it said.
fn told(build_first: bool, build: impl Fn(&Collection<u32>) -> Output<u32> + Sync) -> String {
    let (tell, heard) = channel();
    let heard = Mutex::new(heard);
    let config = Config::workers(2).watchdog(Duration::ZERO, move |text| _ = tell.send(text.to_string()));
    let texts = run(config, |worker| {
        let mut text = String::new();
        let mut wait = || text = heard.lock().unwrap().recv_timeout(Duration::from_secs(60)).expect("it is stuck");
        if worker.index() == 1 && !build_first {
            wait();
        }
        let (mut session, _output) = worker.dataflow(|scope| {
            let (session, numbers) = scope.input::<u32>("numbers");
            (session, build(&numbers))
        })?;
        session.insert(1);
        if worker.index() == 1 && build_first {
            wait();
        }
        worker.commit(&mut session)?;
        Ok(text)
    });
    texts.expect("nothing fails").swap_remove(1)
}

#[test]
fn a_worker_that_does_not_commit_is_named() {
    let text = told(true, |numbers| numbers.distinct().output());
    let expected = "\
worker 0 of 2 waits for:
  `numbers` up to {[1]}
    worker 0 has not said that it is there
    worker 1 has not said that it is there
what is not there yet here, in the order of visits:
";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("    worker 0 is at {[1]}\n    worker 1 is at {[0]}\n"), "{text}");
    assert!(text.contains("  `threshold` is at {[0]}\n"), "{text}");
}

#[test]
fn a_worker_that_has_not_begun_a_loop_is_named() {
    let text = told(false, |numbers| numbers.iterate(|numbers| numbers.map(|number| number / 2).distinct()).output());
    assert!(text.contains("in a loop that worker 1 has not begun to run"), "{text}");
    assert!(text.contains("under way to it, from all workers: "), "{text}");
}

#[test]
fn what_is_open_can_be_asked_for_at_any_time() {
    let texts = run_alone(Config::default(), |worker| {
        let nothing = worker.explain();
        let (mut session, _output) = worker.dataflow(|scope| {
            let (session, numbers) = scope.input::<u32>("numbers");
            (session, numbers.distinct().output())
        })?;
        worker.commit_to(7, &mut session)?;
        let open = worker.explain();
        drop(session);
        worker.run()?;
        Ok::<_, Error>([nothing, open, worker.explain()])
    });
    let [nothing, open, closed] = texts.expect("nothing fails");
    let header = "worker 0 of 1: where something may still come, in the order of visits:\n";
    assert_eq!(nothing, format!("{header}  nothing\n"));
    assert!(open.starts_with(&format!("{header}  `numbers` is at {{[7]}}, holds {{[7]}}\n")), "{open}");
    assert_eq!(closed, nothing);
}

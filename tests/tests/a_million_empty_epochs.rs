//! F2: a dataflow without data grew with every epoch, until data came.
//!
//! Time that passes is a frontier that moves, not a batch. So a million empty epochs leave what one leaves, and the query
//! answers as on the first day. (In a file of its own, since what grows is seen in the memory of the process.)

use std::fs::read_to_string;

use differential::{Config, Error, algorithms, run_alone};

const EPOCHS: u64 = 1_000_000;

/// The memory of this process that is resident, in pages; zero where the system does not say.
fn resident_pages() -> u64 {
    let line = read_to_string("/proc/self/statm").unwrap_or_default();
    line.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0)
}

#[test]
fn f2_a_million_empty_epochs_cost_no_memory() {
    let answer = run_alone(Config::default(), |worker| {
        let (mut edges, mut roots, output) = worker.dataflow(|scope| {
            let (edge_session, edges) = scope.input::<(u32, u32)>("edges");
            let (root_session, roots) = scope.input::<u32>("roots");
            (edge_session, root_session, algorithms::bfs(&edges, &roots).output())
        })?;
        let mut early = 0;
        for epoch in 0..EPOCHS {
            assert_eq!(worker.commit((&mut edges, &mut roots))?, epoch);
            if epoch == EPOCHS / 100 {
                early = resident_pages();
            }
        }
        let grown = resident_pages().saturating_sub(early);
        assert!(grown < 500, "{grown} pages more than after a hundredth of the epochs");
        roots.insert(1);
        edges.insert((1, 2));
        worker.commit((&mut edges, &mut roots))?;
        Ok::<_, Error>(output.rows().expect("complete"))
    });
    assert_eq!(answer, Ok(vec![((1, 0), 1), ((2, 1), 1)]));
}

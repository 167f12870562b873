//! What a node holds while it collects follows what that adds up to, however much comes and however little fuel it has.

use std::cell::Cell;
use std::rc::Rc;

use super::collecting::Collecting;
use crate::error::Fault;
use crate::layout::Rows;
use crate::region::{Activity, Fuel, Node, Region, SlotRule, Visit};
use crate::time::{Frontier, Point};
use crate::updates::Keyed;

/// A node that may speak at any time.
struct Open;

impl Node for Open {
    fn visit(&mut self, _: &mut Visit<'_>) -> Result<(), Fault> {
        Ok(())
    }
    fn holds(&self, holds: &mut Frontier<Point>) {
        holds.extend(&Frontier::minimum());
    }
}

/// Makes some rows a visit, as a join before it would, and collects them.
struct Collects {
    collecting: Collecting<Rows<u64, (), Point, i64>>,
    /// The numbers are below this, the visits to come so many.
    numbers: u64,
    visits: usize,
    state: u64,
    /// The most rows held after a visit.
    most: Rc<Cell<usize>>,
}

/// Rows a visit.
const ROWS: usize = 1_000;

impl Node for Collects {
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<(), Fault> {
        if self.visits == 0 {
            return Ok(());
        }
        self.visits -= 1;
        let mut rows = Keyed::empty(&(), &());
        for _ in 0..ROWS {
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            rows.push((self.state >> 33) % self.numbers, (), &Point::from(0), 1);
        }
        self.collecting.push(rows);
        while self.collecting.next(visit)?.is_some() {}
        self.most.set(self.most.get().max(self.collecting.rows_left()));
        visit.again();
        Ok(())
    }
    fn holds(&self, holds: &mut Frontier<Point>) {
        self.collecting.holds(holds);
    }
}

/// The most rows that are held while some hundred thousand come, of so many different ones.
fn most_held(fuel: u64, numbers: u64) -> usize {
    let region = Region::new(1);
    let most = Rc::<Cell<usize>>::default();
    let told = Rc::clone(&most);
    let waker = region.build(|region| {
        let open = region.reserve("open", 1, SlotRule::Source);
        let (_, stream) = region.output::<Point>(open);
        region.install(open, Open);
        let node = region.reserve("collects", 1, SlotRule::Meet);
        _ = region.connect(node, &stream);
        let collecting = Collecting::new();
        region.install(node, Collects { collecting, numbers, visits: 200, state: 1, most: told });
        region.waker(node)
    });
    waker.expect("there is no cycle").0.wake();
    while region.activate(Fuel::new(fuel)).expect("nothing fails") == Activity::More {}
    most.get()
}

/// Whoever makes rows has fuel for that in each activation; that the node behind adds them up with what is left would
/// let it fall behind by nearly all of them.
#[test]
fn what_is_held_follows_what_it_adds_up_to_whatever_the_fuel() {
    for fuel in [1, 100, 10_000, 1 << 18] {
        for numbers in [1, 100, 5_000, 20_000] {
            let most = most_held(fuel, numbers);
            // Twice what is kept and half of that while they are sorted; what there is before anything is looked at.
            let bound = 5 * numbers as usize / 2 + 8 * ROWS;
            assert!(most <= bound, "{most} rows of {numbers} numbers, with {fuel} units of fuel an activation");
        }
    }
}

//! How much work an activation may do: a number that goes down.
//!
//! One unit stands for about one record moved or one node visited. Fuel is not time: it makes a run repeatable, so a
//! failure that needs a pause at the wrong moment is found again by the same numbers.
//!
//! Whoever works takes what the work costed, afterwards, and asks whether it is spent before it begins more. So the
//! last piece may overdraw by its own size, and a piece is never cut in the middle.

/// What is left to spend, in units of about a record.
///
/// ```
/// use differential::region::Fuel;
/// let mut fuel = Fuel::new(3);
/// fuel.take(2);
/// assert!(!fuel.spent());
/// fuel.take(9);
/// assert!(fuel.spent());
/// ```
#[derive(Clone, Debug)]
pub struct Fuel {
    /// Negative after an overdraft.
    left: i64,
}

impl Fuel {
    /// This many units; more than `i64::MAX` counts as that.
    pub fn new(units: u64) -> Self {
        Fuel { left: i64::try_from(units).unwrap_or(i64::MAX) }
    }

    /// More than can be spent.
    pub fn unlimited() -> Self {
        Fuel { left: i64::MAX }
    }

    /// Takes `units` away for work that was done.
    pub fn take(&mut self, units: u64) {
        self.left = self.left.saturating_sub_unsigned(units);
    }

    /// Whether nothing is left, so that no further work may begin.
    pub fn spent(&self) -> bool {
        self.left <= 0
    }

    /// The units left; zero when spent. For work that is cut to measure beforehand.
    pub fn left(&self) -> u64 {
        u64::try_from(self.left).unwrap_or(0)
    }
}

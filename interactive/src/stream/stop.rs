//! Whether a person wants a run to end early.
//!
//! The first Ctrl-C says so; what runs looks now and then, tells what it knows, and ends. The second ends the program at
//! once. A process that only works for another one has nothing to tell, and ends at the first.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The status of a program that was interrupted: what a shell says of others then.
pub const INTERRUPTED: u8 = 130;

/// Told, or not yet.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Told by Ctrl-C from now on.
    ///
    /// # Errors
    /// Those of the system.
    pub fn on_interrupt() -> io::Result<Stop> {
        let stop = Stop::default();
        let interrupt = signal_hook::consts::SIGINT;
        // In this order: the second finds what the first has set.
        signal_hook::flag::register_conditional_shutdown(interrupt, INTERRUPTED.into(), stop.0.clone())?;
        signal_hook::flag::register(interrupt, stop.0.clone())?;
        Ok(stop)
    }

    /// Whether the run should end.
    pub fn is_told(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Tells it.
    pub fn tell(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Lets the next Ctrl-C end the program at once. Nothing is told by it any more.
    pub fn at_once(&mut self) {
        self.tell();
        *self = Stop::default();
    }

    /// For the engine, which looks by itself.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

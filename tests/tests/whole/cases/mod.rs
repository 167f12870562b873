//! Cases from the field: what has gone wrong elsewhere, as programs, with the answers worked out by hand or recomputed.

mod joins;
mod lifecycle;
mod loops;
mod reductions;
mod rounds;
mod upserts;

//! Operators and loops say what recomputing says, at every time of a box or a line, in every way of running them.
//!
//! Small worlds in full come first, then random ones; a seed is in each message.

mod aggregate_box;
mod algorithms_line;
mod delta_box;
mod iterate_loop;
mod join_box;
mod linear_box;
mod reduce_box;
mod the_check_notices;
mod totals_line;
mod windows_line;

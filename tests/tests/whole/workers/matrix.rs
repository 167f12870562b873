//! Every operator and every algorithm at points of the matrix of `tests::cells`: a sample, or all of it.

use tests::cells;

use super::suite::{self, Program};

/// How many cells each program gets of a sample.
const SAMPLE: usize = 5;

fn at_cells(programs: Vec<Program>) {
    for program in programs {
        cells(program.name, SAMPLE).iter().for_each(|cell| (program.check)(cell));
    }
}

#[test]
fn row_by_row() {
    at_cells(suite::row_by_row());
}

#[test]
fn joins() {
    at_cells(suite::joins());
}

#[test]
fn reductions() {
    at_cells(suite::reductions());
}

#[test]
fn loops() {
    at_cells(suite::loops());
}

#[test]
fn algorithms() {
    at_cells(suite::algorithms());
}

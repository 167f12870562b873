//! Whole programs, as users write them: commits and late readers, errors, fuel and fairness, growth while the region runs.

mod commits;
mod data;
mod errors;
mod fairness;
mod fuel;
mod growth;
mod newcomer;
mod watchdog;

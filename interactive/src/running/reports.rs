//! What a replay tells of its commits: how many rows each export has, as a line of a table or of JSON.
//!
//! ```text
//!               rows   rows of     total          of an export that never has more than one row: its values
//!  commits       fed    shops     cents    errors
//!        2         2         2     3,001         0
//! ```
//!
//! ```text
//! {"report":{"commits":2,"rows":2,"exports":{"shops":2,"total":1},"values":{"total":{"cents":3001}},"errors":0}}
//! ```
//!
//! Counts are added up from changes, so that a report costs as much as there are exports, however many rows they have.

use super::answers::Exports;
use super::shown::Shown;
use crate::sources::moment::Moment;
use crate::stream::form::{Form, Heading, exact, grouped, grouped_signed, heading, headings, json, line};
use crate::value::Row;
use serde_json::{Map, Value, json};

/// What the last commit that closed left behind.
#[derive(Clone, Copy, Debug)]
pub struct State<'m> {
    /// How many commits have closed.
    pub commits: u64,
    /// How many rows were fed by then.
    pub rows: u64,
    /// How many of them are present; nothing if all are.
    pub present: Option<u64>,
    /// The value of the commit's column, if commits close by one.
    pub moment: Option<&'m Moment>,
    /// How many rows fail.
    pub errors: i128,
}

/// What is reported of exports.
pub struct Reports<'p> {
    form: Form,
    exports: &'p Exports<'p>,
    /// How many rows each has.
    totals: Vec<i128>,
    /// Of each that never has more than one row, that row.
    only: Vec<Vec<(Row, i64)>>,
    /// How many commits the last report covered, if there was one.
    told: Option<u64>,
}

impl<'p> Reports<'p> {
    /// None yet, of exports without rows.
    pub fn new(form: Form, exports: &'p Exports<'p>) -> Reports<'p> {
        let (totals, only) = (vec![0; exports.all.len()], vec![Vec::new(); exports.all.len()]);
        Reports { form, exports, totals, only, told: None }
    }

    /// Adds what a commit changed of an export, by its number.
    pub fn add(&mut self, export: usize, changes: &[(Row, i64)]) {
        self.totals[export] += changes.iter().map(|(_, diff)| i128::from(*diff)).sum::<i128>();
        if self.exports.all[export].single {
            keep(&mut self.only[export], changes);
        }
    }

    /// Whether the last report was of a state after so many commits.
    pub fn have_told(&self, commits: u64) -> bool {
        self.told == Some(commits)
    }

    /// The report of a state, with headings if it is the first.
    pub fn tell(&mut self, state: State<'_>) -> String {
        let is_first = self.told.replace(state.commits).is_none();
        match self.form {
            Form::Json => json(&json!({ "report": self.object(state) })),
            Form::Table => {
                let columns = self.columns(state.present.is_some());
                let heading = if is_first { headings(&columns) } else { String::new() };
                heading + &line(&columns, &self.cells(state))
            }
        }
    }

    fn columns(&self, with_present: bool) -> Vec<Heading> {
        let mut columns = vec![heading("", "commits"), heading("rows", "fed")];
        columns.extend(with_present.then(|| heading("rows", "present")));
        for export in &self.exports.all {
            match export.single {
                true => columns.extend(export.columns.iter().map(|column| heading(export.name, &column.name))),
                false => columns.push(heading("rows of", export.name)),
            }
        }
        columns.push(heading("", "errors"));
        columns
    }

    fn cells(&self, state: State<'_>) -> Vec<String> {
        let mut cells: Vec<String> =
            [state.commits, state.rows].into_iter().chain(state.present).map(grouped).collect();
        for (at, export) in self.exports.all.iter().enumerate() {
            match (export.single, self.only[at].first()) {
                (false, _) => cells.push(grouped_signed(self.totals[at])),
                (true, Some((row, _))) => cells.extend(self.shown(at).figures(row)),
                (true, None) => cells.extend(export.columns.iter().map(|_| "-".to_string())),
            }
        }
        cells.push(grouped_signed(state.errors));
        cells
    }

    fn object(&self, state: State<'_>) -> Map<String, Value> {
        let named = |at: usize, value| (self.exports.all[at].name.to_string(), value);
        let mut object = Map::new();
        let mut put = |name: &str, value: Value| object.insert(name.to_string(), value);
        put("commits", json!(state.commits));
        put("rows", json!(state.rows));
        state.present.map(|present| put("rows_present", json!(present)));
        state.moment.map(|moment| put("at", json!(moment.to_string())));
        let totals = self.totals.iter().enumerate().map(|(at, total)| named(at, exact(*total)));
        put("exports", totals.collect::<Map<_, _>>().into());
        let singles = (0..self.exports.all.len()).filter(|at| self.exports.all[*at].single);
        let values = singles.map(|at| {
            let row = self.only[at].first().map(|(row, _)| self.shown(at).values(row));
            named(at, row.map_or(Value::Null, Value::Object))
        });
        let values: Map<_, _> = values.collect();
        if !values.is_empty() {
            put("values", values.into());
        }
        put("errors", exact(state.errors));
        object
    }

    fn shown(&self, export: usize) -> Shown<'p> {
        let Exports { all, sums } = self.exports;
        Shown { name: all[export].name, columns: all[export].columns, sums }
    }
}

/// Adds changes to the few rows that are there.
fn keep(rows: &mut Vec<(Row, i64)>, changes: &[(Row, i64)]) {
    for (row, diff) in changes {
        match rows.iter_mut().find(|(kept, _)| kept == row) {
            Some((_, count)) => *count += diff,
            None => rows.push((row.clone(), *diff)),
        }
    }
    rows.retain(|(_, count)| *count != 0);
}

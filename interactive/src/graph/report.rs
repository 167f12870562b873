//! Reports, as JSON lines for machines or as a table for people.
//!
//! Both forms say the same; a field that was not asked for is absent from both. The JSON is the contract:
//!
//! ```text
//! {"report":{"rows":5000,"rows_present":5000,"nodes":524,"distinct_directed_edges":2088,"reached":{"9":410},
//!            "wcc_count":3,"wcc_largest":519,"scc_count":223,"scc_largest":297}}
//! ```
//!
//! (one line). Tested at the end of this file.

use super::answers::{Answer, Questions};
use super::rows::Node;
use crate::stream::form::{Form, Heading, grouped, heading, headings, json, line};
use serde::Serialize;
use std::collections::BTreeMap;

/// The state of the graph after a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Rows inserted so far.
    pub rows: u64,
    /// Rows present: neither removed nor dropped by the window.
    pub rows_present: u64,
    /// What follows from the rows present.
    pub answer: Answer,
}

/// The lines of JSON.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum JsonLine<'a> {
    Report {
        rows: u64,
        rows_present: u64,
        nodes: u64,
        distinct_directed_edges: u64,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        reached: &'a BTreeMap<Node, u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        wcc_count: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        wcc_largest: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        scc_count: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        scc_largest: Option<u64>,
    },
}

impl Form {
    /// What is written before the first report.
    pub fn heading(self, questions: &Questions) -> String {
        match self {
            Form::Json => String::new(),
            Form::Table => headings(&columns(questions)),
        }
    }

    /// The line, or lines, of a report.
    pub fn report(self, questions: &Questions, report: &Report) -> String {
        let Report { rows, rows_present, answer } = report;
        let Answer { nodes, distinct_directed_edges, reached, weak, strong } = answer;
        match self {
            Form::Json => json(&JsonLine::Report {
                rows: *rows,
                rows_present: *rows_present,
                nodes: *nodes,
                distinct_directed_edges: *distinct_directed_edges,
                reached,
                wcc_count: weak.map(|weak| weak.count),
                wcc_largest: weak.map(|weak| weak.largest),
                scc_count: strong.map(|strong| strong.count),
                scc_largest: strong.map(|strong| strong.largest),
            }),
            Form::Table => {
                let mut cells = vec![*rows, *rows_present, *nodes, *distinct_directed_edges];
                cells.extend(reached.values());
                for components in [weak, strong].into_iter().flatten() {
                    cells.extend([components.count, components.largest]);
                }
                line(&columns(questions), &cells.into_iter().map(grouped).collect::<Vec<_>>())
            }
        }
    }
}

/// The columns of a report's table, in the order of the JSON's fields.
fn columns(questions: &Questions) -> Vec<Heading> {
    let mut columns =
        vec![heading("rows", "fed"), heading("rows", "present"), heading("", "nodes"), heading("distinct", "edges")];
    columns.extend(questions.roots.iter().map(|root| heading("reached", &format!("from {root}"))));
    for (asked, kind) in [(questions.components, "weak"), (questions.scc, "strong")] {
        if asked {
            columns.extend([heading(kind, "components"), heading("nodes in", "largest")]);
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::answers::Components;

    fn everything() -> (Questions, Report) {
        let questions = Questions { roots: [9, 10].into(), components: true, scc: true };
        let answer = Answer {
            nodes: 524,
            distinct_directed_edges: 2088,
            reached: [(9, 410), (10, 0)].into(),
            weak: Some(Components { count: 3, largest: 519 }),
            strong: Some(Components { count: 223, largest: 297 }),
        };
        (questions, Report { rows: 11967, rows_present: 5000, answer })
    }

    #[test]
    fn json_has_the_fields_in_order() {
        let (questions, report) = everything();
        let wanted = concat!(
            r#"{"report":{"rows":11967,"rows_present":5000,"nodes":524,"distinct_directed_edges":2088,"#,
            r#""reached":{"9":410,"10":0},"wcc_count":3,"wcc_largest":519,"scc_count":223,"scc_largest":297}}"#,
            "\n"
        );
        assert_eq!(Form::Json.heading(&questions), "");
        assert_eq!(Form::Json.report(&questions, &report), wanted);
    }

    #[test]
    fn what_was_not_asked_does_not_appear() {
        let report = Report { rows: 1, rows_present: 1, answer: Answer::default() };
        assert_eq!(
            Form::Json.report(&Questions::default(), &report),
            "{\"report\":{\"rows\":1,\"rows_present\":1,\"nodes\":0,\"distinct_directed_edges\":0}}\n"
        );
        assert_eq!(
            Form::Table.heading(&Questions::default()) + &Form::Table.report(&Questions::default(), &report),
            "    rows      rows            distinct\n     fed   present     nodes     edges\n       1         1         0         0\n"
        );
    }

    #[test]
    fn the_table_lines_up() {
        let (questions, report) = everything();
        let text = Form::Table.heading(&questions) + &Form::Table.report(&questions, &report);
        let wanted = "
    rows      rows            distinct   reached   reached        weak  nodes in      strong  nodes in
     fed   present     nodes     edges    from 9   from 10  components   largest  components   largest
  11,967     5,000       524     2,088       410         0           3       519         223       297
";
        assert_eq!(text, wanted[1..]);
    }
}

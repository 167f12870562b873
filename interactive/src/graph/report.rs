//! Reports and the summary at the end, as JSON lines for machines or as a table for people.
//!
//! Both forms say the same; a field that was not asked for is absent from both. The JSON is the contract:
//!
//! ```text
//! {"report":{"rows":5000,"rows_present":5000,"nodes":524,"distinct_directed_edges":2088,"reached":{"9":410},
//!            "wcc_count":3,"wcc_largest":519,"scc_count":223,"scc_largest":297}}
//! {"summary":{"commits":5000,"seconds":1.5,"commits_per_second":3333.3,"p50_us":..,"p90_us":..,"p99_us":..,
//!             "max_us":..,"peak_memory_bytes":..}}
//! ```
//!
//! (one line each). The table is written as the run goes, so its widths are set by the headings and not by numbers
//! still to come. Tested at the end of this file.

use super::answers::{Answer, Questions};
use super::latency::Summary;
use super::rows::Node;
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

/// How reports are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One JSON object a line.
    Json,
    /// Aligned columns under a heading.
    Table,
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
    Summary {
        commits: u64,
        seconds: f64,
        commits_per_second: f64,
        p50_us: f64,
        p90_us: f64,
        p99_us: f64,
        max_us: f64,
        peak_memory_bytes: Option<u64>,
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

    /// The line, or lines, of the summary.
    pub fn summary(self, summary: &Summary) -> String {
        let Summary { commits, seconds, p50_us, p90_us, p99_us, max_us, peak_memory_bytes } = *summary;
        let commits_per_second = summary.commits_per_second();
        match self {
            Form::Json => json(&JsonLine::Summary {
                commits,
                seconds: rounded(seconds, 1e6),
                commits_per_second: rounded(commits_per_second, 10.0),
                p50_us,
                p90_us,
                p99_us,
                max_us,
                peak_memory_bytes,
            }),
            Form::Table => {
                let columns = SUMMARY.map(|(above, below)| (above, below.to_string()));
                let mut cells = vec![grouped(commits), format!("{seconds:.2}"), grouped(commits_per_second as u64)];
                cells.extend([p50_us, p90_us, p99_us, max_us].map(|latency| grouped(latency.round() as u64)));
                cells.push(match peak_memory_bytes {
                    Some(bytes) => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
                    None => "unknown".to_string(),
                });
                format!("\n{}{}", headings(&columns), line(&columns, &cells))
            }
        }
    }
}

/// A column's heading, in two lines.
type Heading = (&'static str, String);

const SUMMARY: [(&str, &str); 8] = [
    ("", "commits"),
    ("", "seconds"),
    ("commits", "a second"),
    ("half", "within us"),
    ("90 %", "within us"),
    ("99 %", "within us"),
    ("all", "within us"),
    ("peak", "memory"),
];

/// The columns of a report's table, in the order of the JSON's fields.
fn columns(questions: &Questions) -> Vec<Heading> {
    let mut columns = vec![("rows", "fed"), ("rows", "present"), ("", "nodes"), ("distinct", "edges")]
        .into_iter()
        .map(|(above, below)| (above, below.to_string()))
        .collect::<Vec<_>>();
    columns.extend(questions.roots.iter().map(|root| ("reached", format!("from {root}"))));
    for (asked, kind) in [(questions.components, "weak"), (questions.scc, "strong")] {
        if asked {
            columns.extend([(kind, "components".to_string()), ("nodes in", "largest".to_string())]);
        }
    }
    columns
}

fn width((above, below): &Heading) -> usize {
    const CHARACTERS_MIN: usize = 8;
    above.len().max(below.len()).max(CHARACTERS_MIN)
}

fn headings(columns: &[Heading]) -> String {
    let above: Vec<_> = columns.iter().map(|(above, _)| above.to_string()).collect();
    let below: Vec<_> = columns.iter().map(|(_, below)| below.clone()).collect();
    line(columns, &above) + &line(columns, &below)
}

/// Right-aligned cells, two blanks apart.
fn line(columns: &[Heading], cells: &[String]) -> String {
    let cells = columns.iter().zip(cells).map(|(column, cell)| format!("{cell:>width$}", width = width(column)));
    cells.collect::<Vec<_>>().join("  ") + "\n"
}

fn json(line: &JsonLine<'_>) -> String {
    serde_json::to_string(line).expect("numbers and texts are always JSON") + "\n"
}

fn rounded(number: f64, steps_of_one: f64) -> f64 {
    (number * steps_of_one).round() / steps_of_one
}

/// Digits in groups of three: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
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

    fn summary() -> Summary {
        Summary {
            commits: 4_000,
            seconds: 2.0,
            p50_us: 95.4,
            p90_us: 140.0,
            p99_us: 321.5,
            max_us: 8_100.0,
            peak_memory_bytes: Some(34 << 20),
        }
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
        let wanted = concat!(
            r#"{"summary":{"commits":4000,"seconds":2.0,"commits_per_second":2000.0,"p50_us":95.4,"p90_us":140.0,"#,
            r#""p99_us":321.5,"max_us":8100.0,"peak_memory_bytes":35651584}}"#,
            "\n"
        );
        assert_eq!(Form::Json.summary(&summary()), wanted);
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
        let wanted = "
                     commits       half       90 %       99 %        all      peak
 commits   seconds  a second  within us  within us  within us  within us    memory
   4,000      2.00     2,000         95        140        322      8,100  34.0 MiB
";
        assert_eq!(Form::Table.summary(&summary()), wanted);
    }

    #[test]
    fn digits_are_grouped_by_three() {
        let texts = [0, 12, 123, 1_234, 12_345, 123_456, 1_234_567, u64::MAX].map(grouped);
        let wanted = ["0", "12", "123", "1,234", "12,345", "123,456", "1,234,567", "18,446,744,073,709,551,615"]
            .map(String::from);
        assert_eq!(texts, wanted);
    }
}

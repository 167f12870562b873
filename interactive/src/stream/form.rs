//! How reports are written: as JSON lines for machines, or as a table for people; and the summary at the end in both.
//!
//! ```text
//! {"summary":{"commits":5000,"seconds":1.5,"commits_per_second":3333.3,"p50_us":..,"p90_us":..,"p99_us":..,
//!             "max_us":..,"peak_memory_bytes":..}}
//! ```
//!
//! (one line). The table is written as the run goes, so its widths are set by the headings and not by numbers still to
//! come. Tested at the end of this file.

use super::latency::Summary;
use serde::Serialize;
use serde_json::Value;

/// How reports are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One JSON object a line.
    Json,
    /// Aligned columns under a heading.
    Table,
}

/// A column's heading, in two lines.
pub type Heading = (String, String);

/// A heading of these two lines.
pub fn heading(above: &str, below: &str) -> Heading {
    (above.to_string(), below.to_string())
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum JsonLine {
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
    /// JSON if asked for.
    pub fn json_if(json: bool) -> Form {
        if json { Form::Json } else { Form::Table }
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
                let columns = SUMMARY.map(|(above, below)| heading(above, below));
                let mut cells = vec![grouped(commits), format!("{seconds:.2}"), grouped(commits_per_second as u64)];
                cells.extend([p50_us, p90_us, p99_us, max_us].map(|latency| grouped(latency.round() as u64)));
                cells.push(mebibytes(peak_memory_bytes));
                format!("\n{}{}", headings(&columns), line(&columns, &cells))
            }
        }
    }
}

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

fn width((above, below): &Heading) -> usize {
    const CHARACTERS_MIN: usize = 8;
    above.chars().count().max(below.chars().count()).max(CHARACTERS_MIN)
}

/// The two lines of headings.
pub fn headings(columns: &[Heading]) -> String {
    let above: Vec<_> = columns.iter().map(|(above, _)| above.clone()).collect();
    let below: Vec<_> = columns.iter().map(|(_, below)| below.clone()).collect();
    line(columns, &above) + &line(columns, &below)
}

/// Right-aligned cells, two blanks apart.
pub fn line(columns: &[Heading], cells: &[String]) -> String {
    let cells = columns.iter().zip(cells).map(|(column, cell)| format!("{cell:>width$}", width = width(column)));
    cells.collect::<Vec<_>>().join("  ") + "\n"
}

/// An object on a line of its own.
pub fn json(line: &impl Serialize) -> String {
    serde_json::to_string(line).expect("numbers and texts are always JSON") + "\n"
}

/// An amount of memory.
pub fn mebibytes(bytes: Option<u64>) -> String {
    match bytes {
        Some(bytes) => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
        None => "unknown".to_string(),
    }
}

/// To so many steps of one.
pub fn rounded(number: f64, steps_of_one: f64) -> f64 {
    (number * steps_of_one).round() / steps_of_one
}

/// A count that may be negative, with its digits in groups of three.
pub fn grouped_signed(count: i128) -> String {
    let digits = grouped(count.unsigned_abs());
    if count < 0 { format!("-{digits}") } else { digits }
}

/// A count for a machine: a number, or its digits as a text where most readers would take a number for another one.
pub fn exact(count: i128) -> Value {
    i64::try_from(count).map_or_else(|_| count.to_string().into(), Value::from)
}

/// Digits in groups of three: `1,234,567`.
pub fn grouped(number: impl Into<u128>) -> String {
    let digits = number.into().to_string();
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

    const SUMMARY: Summary = Summary {
        commits: 4_000,
        seconds: 2.0,
        p50_us: 95.4,
        p90_us: 140.0,
        p99_us: 321.5,
        max_us: 8_100.0,
        peak_memory_bytes: Some(34 << 20),
    };

    #[test]
    fn the_summary_has_its_fields_in_order() {
        let wanted = concat!(
            r#"{"summary":{"commits":4000,"seconds":2.0,"commits_per_second":2000.0,"p50_us":95.4,"p90_us":140.0,"#,
            r#""p99_us":321.5,"max_us":8100.0,"peak_memory_bytes":35651584}}"#,
            "\n"
        );
        assert_eq!(Form::Json.summary(&SUMMARY), wanted);
        let wanted = "
                     commits       half       90 %       99 %        all      peak
 commits   seconds  a second  within us  within us  within us  within us    memory
   4,000      2.00     2,000         95        140        322      8,100  34.0 MiB
";
        assert_eq!(Form::Table.summary(&SUMMARY), wanted);
    }

    #[test]
    fn digits_are_grouped_by_three() {
        let texts = [0, 12, 123, 1_234, 12_345, 123_456, 1_234_567, u64::MAX].map(grouped);
        let wanted = ["0", "12", "123", "1,234", "12,345", "123,456", "1,234,567", "18,446,744,073,709,551,615"]
            .map(String::from);
        assert_eq!(texts, wanted);
    }
}

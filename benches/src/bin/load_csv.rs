//! The yardstick of loading: a plain program that parses a CSV file and sorts its rows.
//!
//!     load_csv FILE ints|texts
//!
//! The file has a heading, and two columns: two whole numbers, or a whole number and a text. Written as one writes it who
//! wants it quick and does without an engine: fields borrowed from a record that is used again, rows in a vector, an
//! unstable sort, and equal rows counted. Prints rows, distinct rows and seconds; `ddir run` of a program that exports the
//! distinct rows of such a file is to take at most twice as long.

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use csv::{ByteRecord, Reader};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [file, "ints"] => load(file, |record| Some((int(record, 0)?, int(record, 1)?))),
        [file, "texts"] => load(file, |record| Some((int(record, 0)?, text(record, 1)?.to_string()))),
        _ => Err("usage: load_csv FILE ints|texts".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn load<R: Ord>(file: &str, row: impl Fn(&ByteRecord) -> Option<R>) -> Result<(), Box<dyn Error>> {
    let started = Instant::now();
    let (mut reader, mut record, mut rows) = (Reader::from_path(file)?, ByteRecord::new(), Vec::new());
    while reader.read_byte_record(&mut record)? {
        rows.push(row(&record).ok_or_else(|| format!("row {}: no such columns", rows.len() + 1))?);
    }
    let read = started.elapsed();
    rows.sort_unstable();
    let distinct = rows.chunk_by(|one, other| one == other).count();
    println!(
        "rows={} distinct={distinct} parse={:.3} all={:.3}",
        rows.len(),
        read.as_secs_f64(),
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

fn text(record: &ByteRecord, at: usize) -> Option<&str> {
    std::str::from_utf8(record.get(at)?).ok()
}

fn int(record: &ByteRecord, at: usize) -> Option<i64> {
    text(record, at)?.parse().ok()
}

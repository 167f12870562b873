//! A file's rows, typed: one change of one source after the other.
//!
//! ```text
//!   7,abc,-1  ──  7 │ abc  to the columns of the source's rows    -1  is told
//! ```
//!
//! A field is read to the end of its column, with no value in between; a row that is wrong is taken off again.
//!
//! The heading is dealt with when the file is opened, so that what lacks is told before anything is read. A row that is
//! wrong is an error of its line, after which the next can be asked for.
//!
//! Cost: one pass; a value of each field that a source wants, nothing of the others. Tested at the end of this file.

use super::errors::{HeadingError, RowError, SourceError, ValueError};
use super::format::{Heading, Said};
use super::layout::{DIFF, Layout, Rule, Wanted};
use super::moment::Moment;
use super::records::{Record, Records};
use super::{json, written};
use crate::language::types::{Column, Sum};
use crate::value::{Rows, Values};
use csv::ByteRecord;
use serde_json::Value as Json;
use std::path::Path;

/// What is to become of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fed {
    /// The target that it is for, by number.
    pub target: usize,
    /// By how much its count changes.
    pub diff: i64,
    /// The moments that were asked for.
    pub marks: Vec<Moment>,
}

/// A file that is being read.
pub struct Reader<'p> {
    records: Records,
    wanted: Wanted<'p>,
    sums: &'p [Sum],
    layout: Layout,
    /// The names of an array's items; those of the target otherwise.
    names: Option<Vec<String>>,
    /// A first line that turned out to be no heading.
    held: Option<ByteRecord>,
    /// Whether nothing has been read that may be a heading after all.
    first: bool,
    tags: Tags<'p>,
    /// Where the fields of each rule of those are.
    places: Vec<Option<Vec<usize>>>,
}

/// Which tag is whose: by a rule, then by name, then by name whatever the case. A tag may be nobody's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tags<'p>(pub &'p [Rule]);

/// Where a row goes.
#[derive(Clone, Copy)]
struct Destination<'a> {
    target: usize,
    /// Where its columns are; nothing if they follow the tag in order.
    places: Option<&'a [usize]>,
    /// By which names an object has its columns, if not by those of the target.
    fields: Option<&'a [String]>,
}

impl<'p> Reader<'p> {
    /// Opens a file, and reads its heading if it has one.
    ///
    /// # Errors
    /// [`SourceError::Open`], [`SourceError::Read`], or [`SourceError::Heading`] if a column that is wanted lacks.
    pub fn open(
        path: &Path,
        said: &Said,
        wanted: Wanted<'p>,
        tags: Tags<'p>,
        sums: &'p [Sum],
    ) -> Result<Reader<'p>, SourceError> {
        let fields = said.columns.as_ref().map_or(wanted.fields(), Vec::len);
        let mut records = Records::open(path, said, fields)?;
        let failed = |error| SourceError::Heading { file: path.to_path_buf(), error };
        let default = if said.columns.is_some() { Heading::None } else { Heading::Detected };
        let heading = said.heading.unwrap_or(default);
        let (mut names, mut held) = (said.columns.clone(), None);
        if !records.is_json() && heading != Heading::None && records.read()?.is_some() {
            let line = records.fields();
            let texts = line.iter().map(|field| std::str::from_utf8(field).map(|name| name.trim().to_string()));
            match (heading, texts.collect::<Result<Vec<String>, _>>()) {
                (Heading::Skip, _) => {}
                (Heading::Names, Err(_)) => return Err(failed(HeadingError::NotText)),
                (Heading::Names, Ok(found)) => names = Some(found),
                (_, Ok(found)) if wanted.is_heading(&found) => names = Some(found),
                _ => held = Some(line.clone()),
            }
        }
        let layout = wanted.layout(names.as_deref()).map_err(failed);
        let layout = match records.is_json() {
            // Objects have their columns by name, so only arrays need to know where they are.
            true => layout.unwrap_or_else(|_| Layout {
                columns: vec![None; wanted.targets.len()],
                marks: vec![usize::MAX; wanted.marks.len()],
                diff: None,
                tag: wanted.tag.map(|_| usize::MAX),
                width: None,
            }),
            false => layout?,
        };
        // Rules with fields come from who knows the file.
        if !records.is_json() && names.is_none() && tags.0.iter().all(|rule| rule.fields.is_none()) {
            wanted.all_said(&layout).map_err(failed)?;
        }
        let mut places = Vec::with_capacity(tags.0.len());
        for Rule { fields, .. } in tags.0 {
            let place = |field: &String| match (wanted.find(field, names.as_deref()), records.is_json()) {
                (Err(_), true) => Ok(usize::MAX),
                (found, _) => found,
            };
            let found = fields.as_ref().map(|fields| fields.iter().map(place).collect::<Result<_, _>>());
            places.push(found.transpose().map_err(failed)?);
        }
        Ok(Reader { records, wanted, sums, layout, first: held.is_some(), held, names, tags, places })
    }

    /// Appends the next row to `rows` of its target; `None` at the end. Rows of tags that are nobody's are left out.
    ///
    /// # Errors
    /// [`SourceError::Read`]; or [`SourceError::Line`], after which the next row can be asked for. No row is appended then.
    ///
    /// # Panics
    /// If `rows` are not of the targets' schemas.
    pub fn read(&mut self, rows: &mut [Rows]) -> Result<Option<Fed>, SourceError> {
        loop {
            let first = self.held.take();
            let may_be_heading = std::mem::take(&mut self.first);
            let row = match &first {
                Some(held) => Fields { reader: self, fields: held, may_be_heading }.fed(rows),
                None => match self.records.read()? {
                    None => return Ok(None),
                    Some(Record::Json(json)) => self.of_json(&json, rows),
                    Some(Record::Fields) => {
                        Fields { reader: self, fields: self.records.fields(), may_be_heading }.fed(rows)
                    }
                },
            };
            match row.map_err(|error| self.records.refuse(error))? {
                Some(fed) => return Ok(Some(fed)),
                None => continue,
            }
        }
    }

    /// How many bytes have been read, after decompression.
    pub fn bytes_read(&self) -> u64 {
        self.records.bytes_read()
    }

    /// How many bytes there are, after decompression, as far as known.
    pub fn bytes_total(&self) -> Option<u64> {
        self.records.bytes_total()
    }

    /// The name of the file, as given.
    pub fn name(&self) -> &Path {
        self.records.name()
    }

    /// The error that says `error` of the row read last.
    pub fn refuse(&self, error: RowError) -> SourceError {
        self.records.refuse(error)
    }

    /// Whose a tag is; `None` if nobody's.
    fn target(&self, tag: &str) -> Result<Option<Destination<'_>>, RowError> {
        let tag = tag.trim();
        if let Some(at) = self.tags.0.iter().position(|rule| rule.tag == tag) {
            let Rule { target, fields, .. } = &self.tags.0[at];
            return Ok(target.map(|target| match (&self.places[at], fields) {
                (Some(places), Some(fields)) => Destination { target, places: Some(places), fields: Some(fields) },
                _ => self.plain(target),
            }));
        }
        let targets = self.wanted.targets;
        let same = targets.iter().position(|target| target.name == tag);
        let same = same.or_else(|| targets.iter().position(|target| target.name.eq_ignore_ascii_case(tag)));
        same.map(|target| Some(self.plain(target))).ok_or_else(|| RowError::Tag {
            found: tag.to_string(),
            known: targets.iter().map(|target| target.name.to_string()).collect(),
        })
    }

    /// A target without a rule.
    fn plain(&self, target: usize) -> Destination<'_> {
        Destination { target, places: self.layout.columns[target].as_deref(), fields: None }
    }

    fn of_json(&self, json: &Json, rows: &mut [Rows]) -> Result<Option<Fed>, RowError> {
        let at = |name: &str, place: usize| match json {
            Json::Object(object) => object.get(name),
            Json::Array(items) => items.get(place),
            _ => None,
        };
        let text = |json: &Json| json.as_str().map_or_else(|| json.to_string(), str::to_string);
        if !json.is_object() && !json.is_array() {
            return Err(RowError::NoRow { found: json.to_string() });
        }
        let Destination { target, places, fields: names } = match (self.wanted.tag, self.layout.tag) {
            (Some(name), Some(place)) => {
                let tag = at(name, place).ok_or_else(|| RowError::Lacks { column: name.to_string() })?;
                match self.target(&text(tag))? {
                    Some(destination) => destination,
                    None => return Ok(None),
                }
            }
            _ => self.plain(0),
        };
        let columns = self.wanted.targets[target].columns;
        if let (Json::Array(items), None) = (json, names) {
            let wanted = match &self.names {
                Some(names) if self.layout.tag.is_none() => names.len(),
                _ => self.behind() + columns.len(),
            };
            self.count(items.len(), wanted, columns, false)?;
        }
        let value = |position: usize, column: &Column| {
            let place = places.map_or(self.behind() + position, |places| places[position]);
            let name = names.map_or(&column.name, |names| &names[position]);
            let json = at(name, place).unwrap_or(&Json::Null);
            json::parse(json, &column.of, self.sums).map_err(|reason| match json {
                Json::Null => RowError::Lacks { column: column.name.clone() },
                json => refused(column, json.to_string(), reason, false),
            })
        };
        let diff = || match at(DIFF, self.layout.diff.unwrap_or(usize::MAX)) {
            Some(found) if !self.has_column(DIFF) => {
                found.as_i64().ok_or_else(|| RowError::Diff { found: found.to_string() })
            }
            _ => Ok(1),
        };
        let mark = |(name, place): (&String, &usize)| {
            let found = at(name, *place).ok_or_else(|| RowError::Lacks { column: name.clone() })?;
            Ok(Moment::parse(&text(found)))
        };
        let mut fed = Fed { target, diff: 1, marks: Vec::new() };
        rows[target].try_push_with(|fields| {
            for ((at, column), field) in columns.iter().enumerate().zip(fields) {
                field.push_value(&value(at, column)?);
            }
            fed.diff = diff()?;
            fed.marks = self.wanted.marks.iter().zip(&self.layout.marks).map(mark).collect::<Result<_, _>>()?;
            Ok(())
        })?;
        Ok(Some(fed))
    }

    /// How many fields stand before the columns of a tag's source.
    fn behind(&self) -> usize {
        self.layout.tag.filter(|tag| *tag != usize::MAX).map_or(0, |tag| tag + 1)
    }

    fn has_column(&self, name: &str) -> bool {
        self.wanted.targets.iter().any(|target| target.columns.iter().any(|column| column.name == name))
    }

    fn count(&self, found: usize, wanted: usize, columns: &[Column], first: bool) -> Result<(), RowError> {
        if found == wanted {
            return Ok(());
        }
        let names = match &self.names {
            Some(names) if self.layout.tag.is_none() => names.join(", "),
            _ => columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", "),
        };
        Err(RowError::Fields { found, wanted, columns: names, first })
    }
}

/// A record of fields, on its way to be a row.
struct Fields<'a, 'p> {
    reader: &'a Reader<'p>,
    fields: &'a ByteRecord,
    may_be_heading: bool,
}

impl Fields<'_, '_> {
    fn fed(&self, rows: &mut [Rows]) -> Result<Option<Fed>, RowError> {
        let Reader { layout, wanted, sums, .. } = self.reader;
        let Destination { target, places, .. } = match (layout.tag, wanted.tag) {
            (Some(at), Some(name)) => match self.reader.target(self.text(at, name)?)? {
                Some(destination) => destination,
                None => return Ok(None),
            },
            _ => self.reader.plain(0),
        };
        let columns = wanted.targets[target].columns;
        match (layout.width, places) {
            (Some(width), _) => self.reader.count(self.fields.len(), width, columns, self.may_be_heading)?,
            (None, Some(_)) => {}
            (None, None) => {
                // Rows of one width end with empty fields where a source has fewer columns.
                let found = self.fields.len().saturating_sub(self.reader.behind());
                let beyond = self.fields.iter().skip(self.reader.behind() + columns.len());
                let found = if beyond.clone().all(<[u8]>::is_empty) { found.min(columns.len()) } else { found };
                self.reader.count(found, columns.len(), columns, self.may_be_heading)?;
            }
        }
        let mark = |(name, at): (&String, &usize)| self.text(*at, name).map(Moment::parse);
        let mut fed = Fed { target, diff: 1, marks: Vec::new() };
        rows[target].try_push_with(|fields| {
            for ((position, column), field) in columns.iter().enumerate().zip(fields) {
                let place = places.map_or(self.reader.behind() + position, |places| places[position]);
                self.value(place, column, sums, field)?;
            }
            if let Some(at) = layout.diff {
                let text = self.text(at, DIFF)?.trim();
                fed.diff = text.parse().map_err(|_| RowError::Diff { found: text.to_string() })?;
            }
            if !wanted.marks.is_empty() {
                fed.marks = wanted.marks.iter().zip(&layout.marks).map(mark).collect::<Result<_, _>>()?;
            }
            Ok(())
        })?;
        Ok(Some(fed))
    }

    fn text(&self, at: usize, name: &str) -> Result<&str, RowError> {
        let field = self.fields.get(at).ok_or_else(|| RowError::Lacks { column: name.to_string() })?;
        std::str::from_utf8(field).map_err(|_| RowError::NotText)
    }

    fn value(&self, at: usize, column: &Column, sums: &[Sum], field: &mut Values) -> Result<(), RowError> {
        let bytes = self.fields.get(at).ok_or_else(|| RowError::Lacks { column: column.name.clone() })?;
        written::parse_to(bytes, &column.of, sums, field).map_err(|reason| match std::str::from_utf8(bytes) {
            Ok(text) => refused(column, text.to_string(), reason, self.may_be_heading),
            Err(_) => RowError::NotText,
        })
    }
}

fn refused(column: &Column, found: String, reason: ValueError, first: bool) -> RowError {
    RowError::Value { column: column.name.clone(), of: column.of.to_string(), found, reason, first }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Target;
    use super::*;
    use crate::language::types::Type;
    use crate::value::{Kinds, Value};
    use differential::column::Column as _;
    use std::fs;

    fn columns() -> Vec<Column> {
        let column = |name: &str, of| Column { name: name.to_string(), of };
        vec![column("id", Type::Int), column("name", Type::Text)]
    }

    fn nodes() -> Vec<Column> {
        vec![Column { name: "node".to_string(), of: Type::Int }]
    }

    /// The rows of a file for `person(id: int, name: string)`, or with a tag also for `seen(node: int)`.
    fn read(name: &str, bytes: &[u8], said: &Said, tag: Option<&str>, marks: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let tidy = |error: SourceError| error.to_string().replace(&format!("{}/", folder.path().display()), "");
        let (person, seen) = (columns(), nodes());
        let targets = [Target { name: "person", columns: &person }, Target { name: "seen", columns: &seen }];
        let targets = if tag.is_some() { &targets[..] } else { &targets[..1] };
        let marks: Vec<String> = marks.iter().map(|mark| mark.to_string()).collect();
        let wanted = Wanted { targets, marks: &marks, tag };
        let rule = |tag: &str, target| Rule { tag: tag.to_string(), target, fields: None };
        let tags = [rule("P", Some(0)), rule("nobody", None)];
        let mut reader = match Reader::open(&path, said, wanted, Tags(&tags), &[]) {
            Ok(reader) => reader,
            Err(error) => return vec![tidy(error)],
        };
        let mut all = Vec::new();
        let mut rows: Vec<Rows> =
            targets.iter().map(|target| Rows::empty(&Kinds::of(&[]).schema(target.columns))).collect();
        loop {
            match reader.read(&mut rows) {
                Ok(None) => return all,
                Ok(Some(Fed { target, diff, marks })) => {
                    let row = rows[target].row(rows[target].len() - 1);
                    let values: Vec<String> = row
                        .0
                        .iter()
                        .map(|value| match value {
                            Value::Int(number) => number.to_string(),
                            Value::Text(text) => text.to_string(),
                            other => format!("{other:?}"),
                        })
                        .collect();
                    let marks: String = marks.iter().map(|mark| format!(" at {mark}")).collect();
                    all.push(format!("{}({}) {diff:+}{marks}", targets[target].name, values.join(", ")));
                }
                Err(error) => {
                    let last = !error.is_of_one_line();
                    all.push(tidy(error));
                    if last {
                        return all;
                    }
                }
            }
        }
    }

    fn rows(name: &str, text: &str) -> Vec<String> {
        read(name, text.as_bytes(), &Said::default(), None, &[])
    }

    #[test]
    fn files_of_every_format_give_the_same_rows() {
        let wanted = ["person(1, Ann) +1", "person(2, Bo) +1"];
        for (name, text) in [
            ("a.csv", "1,Ann\n2,Bo\n"),
            ("a.csv", "id,name\n1,Ann\n2,Bo"),
            ("a.csv", "name;id;more\r\nAnn;1;x\r\nBo;2;y\r\n"),
            ("a.tsv", "1\tAnn\n2\tBo\n"),
            ("a.txt", "# people\n1 Ann\n2   Bo # or so\n"),
            ("a.txt", "id name\n1 Ann\n2 Bo\n"),
            ("a.jsonl", "{\"id\":1,\"name\":\"Ann\"}\n[2,\"Bo\"]\n"),
            ("a.jsonl", "{\"name\":\"Ann\",\"id\":1,\"more\":[]}\n{\"id\":2,\"name\":\"Bo\"}\n"),
        ] {
            assert_eq!(rows(name, text), wanted, "{name}: {text}");
        }
    }

    #[test]
    fn changes_have_a_diff_and_a_time() {
        let wanted = ["person(1, Ann) +1 at 5", "person(1, Ann) -1 at 2010-02-09 03:05:20"];
        let none = Said::default();
        let text = "time,diff,id,name\n5,1,1,Ann\n2010-02-09 03:05:20,-1,1,Ann\n";
        assert_eq!(read("a.csv", text.as_bytes(), &none, None, &["time"]), wanted);
        assert_eq!(read("a.csv", text.as_bytes(), &none, None, &["1"]), wanted);
        let said = Said { columns: Some(["time", "diff", "id", "name"].map(String::from).to_vec()), ..none.clone() };
        let text = text.split_once('\n').unwrap().1;
        assert_eq!(read("a.csv", text.as_bytes(), &said, None, &["time"]), wanted);
        let text = "{\"id\":1,\"name\":\"Ann\",\"time\":5}\n{\"diff\":-1,\"time\":\"2010-02-09 03:05:20\",\"id\":1,\"name\":\"Ann\"}\n";
        assert_eq!(read("a.json", text.as_bytes(), &none, None, &["time"]), wanted);
        let arrays = "[5,1,1,\"Ann\"]\n[\"2010-02-09 03:05:20\",-1,1,\"Ann\"]\n";
        assert_eq!(read("a.json", arrays.as_bytes(), &said, None, &["time"]), wanted);
    }

    #[test]
    fn a_tag_says_whose_a_row_is() {
        let wanted = ["person(1, Ann) +1 at 7", "seen(5) +1 at 8", "seen(6) +1 at 9"];
        let none = Said::default();
        for (name, text, tag, mark) in [
            ("a.csv", "7,P,1,Ann\n8,seen,5\n8,nobody,x,y,z\n9,SEEN,6\n", "2", "1"),
            ("a.csv", "7,P,1,Ann\n8,seen,5,\n9,Seen,6,\n", "2", "1"),
            ("a.csv", "at,kind,id,name,node\n7,P,1,Ann,\n8,seen,,,5\n9,seen,,,6\n", "kind", "at"),
            (
                "a.json",
                "{\"at\":7,\"kind\":\"person\",\"id\":1,\"name\":\"Ann\"}\n[8,\"seen\",5]\n[9,\"seen\",6]\n",
                "2",
                "1",
            ),
        ] {
            let said = if name == "a.json" {
                Said { columns: Some(["at", "kind"].map(String::from).to_vec()), ..none.clone() }
            } else {
                none.clone()
            };
            let (tag, mark) = if name == "a.json" { ("kind", "at") } else { (tag, mark) };
            assert_eq!(read(name, text.as_bytes(), &said, Some(tag), &[mark]), wanted, "{name}: {text}");
        }
        let said = read("a.csv", b"P,1\nQ,1,Ann\nseen,1,2\n", &none, Some("1"), &[]);
        assert_eq!(
            said,
            [
                "a.csv, line 1: 1 field where 2 are wanted: id, name (if this is a heading, say --header skip, or --header names if it names the columns)",
                "a.csv, line 2: no source for the tag \"Q\": there are person, seen",
                "a.csv, line 3: 2 fields where 1 are wanted: node",
            ]
        );
    }

    #[test]
    fn a_bad_line_is_told_and_the_next_is_read() {
        let hint = " (if this is a heading, say --header skip, or --header names if it names the columns)";
        let said =
            read("a.csv", b"x,Ann\n1\n1,a,b\n,a\n1,\xff\n9223372036854775808,a\n2,Bo\n", &Said::default(), None, &[]);
        assert_eq!(
            said,
            [
                &format!("a.csv, line 1: id: \"x\" is no int: wanted a whole number{hint}"),
                "a.csv, line 2: 1 field where 2 are wanted: id, name",
                "a.csv, line 3: 3 fields where 2 are wanted: id, name",
                "a.csv, line 4: id: \"\" is no int: wanted a whole number",
                "a.csv, line 5: not UTF-8 text",
                "a.csv, line 6: id: \"9223372036854775808\" is no int: out of range: from -9223372036854775808 to 9223372036854775807",
                "person(2, Bo) +1",
            ]
        );
        let said = rows(
            "a.json",
            "{\"id\":1}\n{\"id\":\"1\",\"name\":\"a\"}\n7\n[1]\n{\"id\":1,\"name\":\"a\",\"diff\":0.5}\n[2,\"Bo\"]\n",
        );
        assert_eq!(
            said,
            [
                "a.json, line 1: no name",
                "a.json, line 2: id: \"\\\"1\\\"\" is no int: wanted a whole number",
                "a.json, line 3: 7 is no row: wanted an object, or an array of all columns in order",
                "a.json, line 4: 1 field where 2 are wanted: id, name",
                "a.json, line 5: diff: \"0.5\" is no change of a count: wanted a whole number such as 1 or -1",
                "person(2, Bo) +1",
            ]
        );
    }

    #[test]
    fn headings_are_as_said() {
        let said = |heading| Said { heading: Some(heading), ..Said::default() };
        let text = b"key,label\n1,Ann\n";
        let read = |bytes: &[u8], heading| read("a.csv", bytes, &said(heading), None, &[]);
        assert_eq!(read(text, Heading::Skip), ["person(1, Ann) +1"]);
        assert_eq!(read(text, Heading::Names), ["a.csv: no column \"id\": the heading has \"key\", \"label\""]);
        assert_eq!(read(b"id,name\n", Heading::None).len(), 1);
        assert_eq!(read(b"id,\xff\n", Heading::Names), ["a.csv: the heading is not UTF-8 text"]);
        assert_eq!(read(b"", Heading::Names), [""; 0]);
    }

    #[test]
    fn texts_keep_what_is_in_them() {
        assert_eq!(
            rows("a.csv", "1,\"a\nb\0 \"\"c\"\"\"\n2, d \n"),
            ["person(1, a\nb\0 \"c\") +1", "person(2,  d ) +1"]
        );
    }
}

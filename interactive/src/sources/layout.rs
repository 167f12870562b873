//! Which field of a row is which column.
//!
//! ```text
//!   heading   time  diff  src  dst            a file of one source: by name, in any order
//!   heading   time  tag   ..                  a feed: fields behind the tag are the columns of the tag's source, in order
//!   no heading                                 a file of one source: its columns, in order
//! ```
//!
//! A tag may have a rule of its own: which target, and which fields are its columns.
//!
//! A column is asked for by name, or by its number from 1. `diff` is the change of a count wherever no source has a column
//! of that name. Columns that nobody asked for are left alone.
//!
//! Tested at the end of this file.

use super::errors::HeadingError;
use crate::language::types::Column;

/// A source that rows are for.
#[derive(Clone, Debug)]
pub struct Target<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its columns.
    pub columns: &'p [Column],
}

/// What is to become of rows with a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The tag.
    pub tag: String,
    /// The target that they are for, by number; none: they are left out.
    pub target: Option<usize>,
    /// The fields that are the target's columns, in order, by name or number; if it is not said, as the layout has them.
    pub fields: Option<Vec<String>>,
}

/// What a file is to give.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'p> {
    /// For which sources; several only with a tag.
    pub targets: &'p [Target<'p>],
    /// Further columns whose moments are asked for.
    pub marks: &'p [String],
    /// By which column rows are told apart.
    pub tag: Option<&'p str>,
}

/// Where the columns are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// For each target, where its columns are; nothing if they follow the tag in order.
    pub columns: Vec<Option<Vec<usize>>>,
    /// Where the marks are.
    pub marks: Vec<usize>,
    /// Where the change of the count is, if it is not 1.
    pub diff: Option<usize>,
    /// Where the tag is.
    pub tag: Option<usize>,
    /// How many fields a row has, if it is always so many.
    pub width: Option<usize>,
}

/// The column of a count's change.
pub const DIFF: &str = "diff";

impl Wanted<'_> {
    /// Whether a first line names all columns of all targets; and the tag.
    pub fn is_heading(&self, names: &[String]) -> bool {
        let has = |name: &str| names.iter().any(|found| found == name);
        match self.tag {
            // A number is a place, whatever stands there.
            Some(tag) => tag.parse::<usize>().is_err() && has(tag),
            None => self.targets.iter().all(|target| target.columns.iter().all(|column| has(&column.name))),
        }
    }

    /// How many fields a row has that is nothing but a row; several targets want no number.
    pub fn fields(&self) -> usize {
        match self.tag {
            Some(_) => 0,
            None => self.targets.first().map_or(0, |target| target.columns.len()),
        }
    }

    /// The columns, for a message.
    pub fn described(&self) -> String {
        let names = self.targets.first().into_iter().flat_map(|target| target.columns);
        names.map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Finds the columns in a file with these names of fields, or without names.
    ///
    /// # Errors
    /// Which is not there, or there twice.
    pub fn layout(&self, names: Option<&[String]>) -> Result<Layout, HeadingError> {
        if let Some(names) = names {
            let twice = names.iter().enumerate().find(|(at, name)| *name != "_" && names[..*at].contains(name));
            if let Some((_, column)) = twice {
                return Err(HeadingError::Twice { column: column.clone() });
            }
        }
        let is_column =
            |name: &str| self.targets.iter().any(|target| target.columns.iter().any(|column| column.name == name));
        let tag = self.tag.map(|tag| self.find(tag, names)).transpose()?;
        let marks = self.marks.iter().map(|mark| self.find(mark, names)).collect::<Result<_, _>>()?;
        let diff = names.filter(|_| !is_column(DIFF)).and_then(|names| names.iter().position(|name| name == DIFF));
        let columns = self.targets.iter().map(|target| {
            let by_name = |names: &[String]| {
                let at = |column: &Column| {
                    let found = names.iter().position(|name| *name == column.name);
                    found.ok_or_else(|| HeadingError::Missing { column: column.name.clone(), found: names.to_vec() })
                };
                target.columns.iter().map(at).collect::<Result<Vec<_>, _>>()
            };
            match (names, tag) {
                // A heading of all columns may be that of a feed, too.
                (Some(names), Some(_)) => Ok(by_name(names).ok()),
                (Some(names), None) => by_name(names).map(Some),
                (None, Some(_)) => Ok(None),
                (None, None) => Ok(Some((0..target.columns.len()).collect())),
            }
        });
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        if let (Some(asked), Some(tag), Some(diff)) = (self.tag, tag, diff)
            && diff > tag
            && columns.contains(&None)
        {
            return Err(HeadingError::BehindTag { tag: asked.to_string() });
        }
        let width = match (names, tag) {
            (_, Some(_)) => None,
            (Some(names), None) => Some(names.len()),
            (None, None) => Some(self.fields()),
        };
        Ok(Layout { columns, marks, diff, tag, width })
    }

    /// Refuses fields before the tag of which nothing says what they are, in a file without heading. (One of them may well
    /// be a change of counts, and without it removals would be insertions.)
    ///
    /// # Errors
    /// Which field it is.
    pub fn all_said(&self, layout: &Layout) -> Result<(), HeadingError> {
        let tag = layout.tag.unwrap_or(0);
        match (0..tag).find(|at| !layout.marks.contains(at)) {
            Some(at) => Err(HeadingError::Unsaid { number: at + 1, tag: tag + 1 }),
            None => Ok(()),
        }
    }

    /// Where a column is that a flag or a rule asks for.
    ///
    /// # Errors
    /// That it is not there.
    pub fn find(&self, asked: &str, names: Option<&[String]>) -> Result<usize, HeadingError> {
        if let Some(at) = names.and_then(|names| names.iter().position(|name| name == asked)) {
            return Ok(at);
        }
        match (asked.parse::<usize>(), names) {
            (Ok(number @ 1..), _) => Ok(number - 1),
            (_, Some(names)) => Err(HeadingError::Missing { column: asked.to_string(), found: names.to_vec() }),
            (_, None) => {
                let columns = match self.tag {
                    Some(_) => &[],
                    None => self.targets.first().map_or(&[][..], |target| target.columns),
                };
                let at = columns.iter().position(|column| column.name == asked);
                at.ok_or_else(|| HeadingError::NoHeading { column: asked.to_string() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::types::Type;

    fn columns(names: &str) -> Vec<Column> {
        names.split_whitespace().map(|name| Column { name: name.to_string(), of: Type::Int }).collect()
    }

    fn layout(source: &str, tag: Option<&str>, marks: &[&str], names: Option<&str>) -> Result<Layout, String> {
        let columns = columns(source);
        let marks: Vec<String> = marks.iter().map(|mark| mark.to_string()).collect();
        let names: Option<Vec<String>> = names.map(|names| names.split_whitespace().map(String::from).collect());
        let wanted = Wanted { targets: &[Target { name: "edge", columns: &columns }], marks: &marks, tag };
        wanted.layout(names.as_deref()).map_err(|error| error.to_string())
    }

    #[test]
    fn columns_are_found_by_name_or_in_order() {
        let found = layout("src dst", None, &["time"], Some("time dst x diff src")).unwrap();
        let wanted =
            Layout { columns: vec![Some(vec![4, 1])], marks: vec![0], diff: Some(3), tag: None, width: Some(5) };
        assert_eq!(found, wanted);
        let found = layout("src dst", None, &["dst", "1"], None).unwrap();
        let wanted =
            Layout { columns: vec![Some(vec![0, 1])], marks: vec![1, 0], diff: None, tag: None, width: Some(2) };
        assert_eq!(found, wanted);
        assert_eq!(layout("src diff", None, &[], Some("diff src")).unwrap().diff, None);
        assert_eq!(layout("src dst", None, &[], Some("src _ _ dst")).unwrap().columns, [Some(vec![0, 3])]);
    }

    #[test]
    fn behind_a_tag_columns_are_in_order_unless_all_are_named() {
        let found = layout("src dst", Some("2"), &["1"], None).unwrap();
        assert_eq!((found.columns, found.tag, found.width), (vec![None], Some(1), None));
        assert_eq!(layout("src dst", Some("kind"), &[], Some("kind dst src")).unwrap().columns, [Some(vec![2, 1])]);
        assert_eq!(layout("src dst", Some("kind"), &[], Some("time kind")).unwrap().columns, [None]);
    }

    #[test]
    fn what_is_not_there_is_told() {
        let said = |tag, marks, names| layout("src dst", tag, marks, names).unwrap_err();
        assert_eq!(said(None, &[], Some("src to")), r#"no column "dst": the heading has "src", "to""#);
        assert_eq!(said(None, &[], Some("src dst src")), r#"two columns are named "src""#);
        assert_eq!(said(None, &["at"], Some("src dst")), r#"no column "at": the heading has "src", "dst""#);
        let hint = "no heading has it; say --columns, or give the column's number";
        assert_eq!(said(None, &["at"], None), format!(r#"no column "at": {hint}"#));
        assert_eq!(said(Some("kind"), &[], None), format!(r#"no column "kind": {hint}"#));
    }

    /// What would be taken for something else is refused.
    #[test]
    fn a_diff_is_before_the_tag_or_all_columns_are_named() {
        let behind = layout("src dst", Some("kind"), &[], Some("kind diff")).unwrap_err();
        assert!(behind.starts_with(r#""diff" stands behind the tag "kind""#), "{behind}");
        assert_eq!(layout("src dst", Some("kind"), &[], Some("kind diff src dst")).unwrap().diff, Some(1));
        assert_eq!(layout("src dst", Some("kind"), &[], Some("diff kind")).unwrap().diff, Some(0));

        let columns = columns("src dst");
        let (targets, marks) = ([Target { name: "edge", columns: &columns }], ["1".to_string()]);
        let all_said = |tag| {
            let wanted = Wanted { targets: &targets, marks: &marks, tag: Some(tag) };
            wanted.all_said(&wanted.layout(None).unwrap())
        };
        assert_eq!((all_said("1"), all_said("2")), (Ok(()), Ok(())));
        assert_eq!(all_said("3"), Err(HeadingError::Unsaid { number: 2, tag: 3 }));
    }
}

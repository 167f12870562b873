//! Whether the arms of a `case` leave something out, and which arm can never be taken.
//!
//! The question behind both: is there a value that some pattern matches and none of the rows above does? Row by row is
//! too coarse, as patterns nest; so look at the first column of a table of patterns, and split by what may stand there:
//!
//! ```text
//!   (Some(x), _)             Some: (x, _)     None: (_)        _ in a column stands for every constructor
//!   (None,    1)      ==>                           (1)
//! ```
//!
//! The worst case is exponential, as it must be; after [`STEPS`] rows looked at, or [`DEPTH`] columns, the answer is
//! that it is too much, and the program is refused for that.

use crate::language::program::{Pattern, PatternKind};
use crate::language::types::{Sum, Type};

/// How many rows of tables may be looked at for one question.
const STEPS: usize = 100_000;
/// How many columns may be looked at one after the other.
const DEPTH: usize = 1_000;

/// The question was too large.
#[derive(Debug)]
pub(super) struct TooMuch;

/// A value of the type that matches `asked` and none of `rows`, as it would be written as a pattern.
pub(super) fn left_over(
    sums: &[Sum],
    of: &Type,
    rows: &[&Pattern],
    asked: Option<&Pattern>,
) -> Result<Option<String>, TooMuch> {
    let mut search = Search { sums, steps: 0 };
    let rows: Vec<Vec<Seen<'_>>> = rows.iter().map(|row| vec![Some(*row)]).collect();
    Ok(search.value(std::slice::from_ref(of), rows, vec![asked], 0)?.map(|mut value| value.remove(0)))
}

/// A pattern that matches some values only, or nothing for one that matches all.
type Seen<'p> = Option<&'p Pattern>;

/// What a pattern asks of a value at its head.
#[derive(Clone, PartialEq)]
enum Head {
    Constructor(usize),
    Tuple,
    Int(i64),
    Float(u64),
    Text(String),
}

fn head(pattern: Seen<'_>) -> Option<Head> {
    Some(match &pattern?.kind {
        PatternKind::Any | PatternKind::Bind(_) => return None,
        PatternKind::Int(number) => Head::Int(*number),
        PatternKind::Float(number) => Head::Float(number.to_bits()),
        PatternKind::Bool(value) => Head::Constructor(usize::from(*value)),
        PatternKind::Text(text) => Head::Text(text.clone()),
        PatternKind::Construct(at, _) => Head::Constructor(*at),
        PatternKind::Tuple(_) => Head::Tuple,
    })
}

/// What stands under the head, one for each of `width` fields.
fn fields(pattern: Seen<'_>, width: usize) -> Vec<Seen<'_>> {
    match pattern.map(|pattern| &pattern.kind) {
        Some(PatternKind::Construct(_, Some(payload))) => vec![Some(payload)],
        Some(PatternKind::Tuple(fields)) => fields.iter().map(Some).collect(),
        _ => vec![None; width],
    }
}

struct Search<'s> {
    sums: &'s [Sum],
    steps: usize,
}

impl Search<'_> {
    /// The types under a head, and how the head is written.
    fn shape(&self, of: &Type, head: &Head) -> (Vec<Type>, String) {
        match (of, head) {
            (Type::Bool, Head::Constructor(at)) => (Vec::new(), (*at == 1).to_string()),
            (Type::Option(_), Head::Constructor(0)) => (Vec::new(), "None".to_string()),
            (Type::Option(of), _) => (vec![of.as_ref().clone()], "Some".to_string()),
            (Type::Sum(id, _), Head::Constructor(at)) => {
                let constructor = &self.sums[id.0].constructors[*at];
                (constructor.payload.iter().cloned().collect(), constructor.name.clone())
            }
            (Type::Tuple(fields), _) => (fields.clone(), String::new()),
            (_, Head::Int(number)) => (Vec::new(), number.to_string()),
            (_, Head::Text(text)) => (Vec::new(), format!("{text:?}")),
            _ => (Vec::new(), "_".to_string()),
        }
    }

    /// All heads of a type, if they can be counted.
    fn all(&self, of: &Type) -> Option<Vec<Head>> {
        let count = match of {
            Type::Bool | Type::Option(_) => 2,
            Type::Sum(id, _) => self.sums[id.0].constructors.len(),
            Type::Tuple(_) => return Some(vec![Head::Tuple]),
            _ => return None,
        };
        Some((0..count).map(Head::Constructor).collect())
    }

    fn value(
        &mut self,
        types: &[Type],
        rows: Vec<Vec<Seen<'_>>>,
        asked: Vec<Seen<'_>>,
        depth: usize,
    ) -> Result<Option<Vec<String>>, TooMuch> {
        let Some((of, rest)) = types.split_first() else { return Ok(rows.is_empty().then(Vec::new)) };
        self.steps += 1 + rows.len();
        if self.steps > STEPS || depth > DEPTH {
            return Err(TooMuch);
        }
        if let Some(head) = head(asked[0]) {
            return self.under(of, rest, &head, &rows, &asked, depth);
        }
        let used: Vec<Option<Head>> = rows.iter().map(|row| head(row[0])).collect();
        let missing = match self.all(of) {
            Some(all) => {
                let missing = all.iter().find(|head| !used.iter().any(|used| used.as_ref() == Some(head)));
                let Some(missing) = missing else {
                    for head in all {
                        if let Some(value) = self.under(of, rest, &head, &rows, &asked, depth)? {
                            return Ok(Some(value));
                        }
                    }
                    return Ok(None);
                };
                Some(missing.clone()).filter(|_| used.iter().any(Option::is_some))
            }
            None => None,
        };
        // Some head is not among the rows': only rows that match all are left for it.
        let left = rows.iter().zip(&used).filter(|(_, used)| used.is_none()).map(|(row, _)| row[1..].to_vec());
        let Some(mut value) = self.value(rest, left.collect(), asked[1..].to_vec(), depth + 1)? else {
            return Ok(None);
        };
        let text = missing.map_or("_".to_string(), |missing| {
            let (under, name) = self.shape(of, &missing);
            let any = under.iter().map(|of| match of {
                Type::Tuple(fields) => written("", vec!["_".to_string(); fields.len()], true),
                _ => "_".to_string(),
            });
            written(&name, any.collect(), matches!(of, Type::Tuple(_)))
        });
        value.insert(0, text);
        Ok(Some(value))
    }

    /// A value with this head.
    fn under(
        &mut self,
        of: &Type,
        rest: &[Type],
        wanted: &Head,
        rows: &[Vec<Seen<'_>>],
        asked: &[Seen<'_>],
        depth: usize,
    ) -> Result<Option<Vec<String>>, TooMuch> {
        let (under, name) = self.shape(of, wanted);
        let width = under.len();
        let split = |row: &[Seen<'_>]| -> bool { head(row[0]).is_none_or(|head| head == *wanted) };
        let below = rows.iter().filter(|row| split(row)).map(|row| {
            let mut below = fields(row[0], width);
            below.extend_from_slice(&row[1..]);
            below
        });
        let below: Vec<Vec<Seen<'_>>> = below.collect();
        let mut below_asked = fields(asked[0], width);
        below_asked.extend_from_slice(&asked[1..]);
        let types: Vec<Type> = under.into_iter().chain(rest.iter().cloned()).collect();
        let Some(mut value) = self.value(&types, below, below_asked, depth + 1)? else { return Ok(None) };
        let after = value.split_off(width);
        let mut whole = vec![written(&name, value, matches!(of, Type::Tuple(_)))];
        whole.extend(after);
        Ok(Some(whole))
    }
}

fn written(name: &str, fields: Vec<String>, tuple: bool) -> String {
    match fields.is_empty() && !tuple {
        true => name.to_string(),
        // A payload that is a tuple brings its own parentheses.
        false if !tuple && fields.len() == 1 && fields[0].starts_with('(') => format!("{name}{}", fields[0]),
        false => format!("{name}({})", fields.join(", ")),
    }
}

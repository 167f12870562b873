//! How each mistake is said: what is wrong, what stands there, what else plays a part, and what may mend it.
//!
//! A title says what is wrong without looking at the line; a label is read on the line, under the mark. Help is given
//! where the fix is likely. One `match`, so that all messages can be read in one go and sound alike.

use super::files::Span;
use super::mistake::{Mistake, Problem};
use super::types::Type;

/// A mistake in words.
#[derive(Clone, Debug, Default)]
pub struct Wording {
    /// What is wrong.
    pub title: String,
    /// What is to be seen at the place.
    pub label: String,
    /// Other places that play a part.
    pub also: Vec<(Span, String)>,
    /// What may mend it.
    pub help: Option<String>,
}

fn said(title: impl Into<String>, label: impl Into<String>) -> Wording {
    Wording { title: title.into(), label: label.into(), also: Vec::new(), help: None }
}

impl Wording {
    fn help(self, help: impl Into<String>) -> Wording {
        Wording { help: Some(help.into()), ..self }
    }

    fn perhaps(self, near: &Option<String>) -> Wording {
        match near {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self,
        }
    }

    fn also(mut self, span: Span, label: impl Into<String>) -> Wording {
        self.also.push((span, label.into()));
        self
    }
}

fn count(number: usize, noun: &str) -> String {
    match number {
        0 => format!("no {noun}"),
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

fn arrows(cycle: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<&str> = match cycle.len() > SHOWN {
        true => {
            let (first, last) = (&cycle[..SHOWN - 2], &cycle[cycle.len() - 1]);
            first.iter().map(String::as_str).chain(["..", last]).collect()
        }
        false => cycle.iter().map(String::as_str).collect(),
    };
    shown.join(" -> ")
}

fn or(ways: &[String]) -> String {
    ways.iter().map(|way| format!("`{way}`")).collect::<Vec<_>>().join(" or ")
}

/// What turns a value of one type into one of another.
fn conversion(found: &Type, wanted: &Type) -> Option<&'static str> {
    Some(match (found, wanted) {
        (Type::Int, Type::Float) => "write `to_float(..)` around the int; a literal may be written `2.0`",
        (Type::Float, Type::Int) => "write `to_int(round(..))`, or `floor` or `ceiling`, around the float",
        (Type::Text, Type::Int) => "write `parse_int(..)` around the string",
        (Type::Text, Type::Float) => "write `parse_float(..)` around the string",
        (Type::Int | Type::Float | Type::Bool, Type::Text) => "write `to_string(..)` around the value",
        (Type::Option(_), _) => "an option is taken apart by `case`, `or_else(.., default)` or `unwrap(..)`",
        (_, Type::Option(_)) => "write `Some(..)` around the value",
        _ => return None,
    })
}

impl Mistake {
    /// The mistake in words.
    pub fn wording(&self) -> Wording {
        match &self.problem {
            Problem::CannotInclude { path, reason } => said(format!("cannot include `{path}`"), reason),
            Problem::FileTooLarge { bytes, limit } => {
                said(format!("the file has {bytes} bytes"), format!("at most {limit} are read"))
            }
            Problem::UnknownProgram { program, near } => {
                let wording = said(format!("there is no program `{program}` to import from"), "imported here");
                match near {
                    Some(near) => wording.help(format!("did you mean `{near}`?")),
                    None => wording.help(format!("say `--import {program}=FILE`, with the program's file")),
                }
            }
            Problem::ImportCycle { programs } => {
                let path: Vec<String> = programs.iter().map(|name| format!("`{name}`")).collect();
                said(format!("programs import from each other in a cycle: {}", path.join(" from ")), "imported here")
                    .help("nothing would be there first: put what they share in a program that both import from")
            }
            Problem::UnknownExport { program, export, near } => {
                said(format!("the program `{program}` exports no `{export}`"), "imported here").perhaps(near)
            }
            Problem::ImportDiffers { name, wanted, found } => {
                let wording = said(format!("`{name}` has other columns"), format!("imported as {wanted}"));
                wording.help(match wanted == found {
                    true => "a type of that name is declared otherwise there".to_string(),
                    false => format!("it is exported as {found}"),
                })
            }
            Problem::SourceDiffers { name, program, there } => {
                said(format!("the source `{name}` has other columns than in another program"), "declared here")
                    .help(format!("in `{program}` they are {there}; one source fills both"))
            }

            Problem::StrangeCharacter { text } => {
                let wording = said(format!("`{text}` is not part of the language"), "not understood");
                match text.as_str() {
                    "&" | "&&" => wording.help("write `and`"),
                    "\'" => wording.help("strings are written in double quotes: \"so\""),
                    "#" => wording.help("a comment begins with `--`"),
                    _ if !text.is_ascii() => {
                        wording.help("names are of ASCII letters, digits and `_`; anything may stand in a string")
                    }
                    _ => wording,
                }
            }
            Problem::MalformedNumber { text } => said(format!("`{text}` is no number"), "not a number")
                .help("numbers are written 12, 1_000, 0.5 or 2.5e-3; names do not begin with a digit"),
            Problem::NumberTooLarge { text } => {
                let shown: String = text.chars().take(40).collect();
                let more = if shown.len() < text.len() { ".." } else { "" };
                said(format!("the number {shown}{more} is too large"), "does not fit")
                    .help("an int is at most 9223372036854775807, a float at most 1.7976931348623157e308")
            }
            Problem::UnclosedString => said("a string does not end on its line", "wanted a closing `\"`")
                .help("a line break in a string is written \\n"),
            Problem::UnknownEscape { escape } => said(format!("`{escape}` is no escape"), "not understood")
                .help("after a backslash: n, t, r, 0, \", \\ or u{1F600}"),

            Problem::Wanted { wanted, found } => {
                said(format!("wanted {wanted}, found {found}"), format!("wanted {wanted}"))
            }
            Problem::Unclosed { opened, wanted, comma, found } => {
                let or = if *comma { " or `,`" } else { "" };
                said(format!("wanted `{wanted}`{or}, found {found}"), format!("wanted `{wanted}`{or} before this"))
                    .also(*opened, "opened here")
            }
            Problem::MissingSemicolon { found, perhaps } => {
                let wording = said(format!("wanted `;` after the statement, found {found}"), "wanted `;`");
                Wording { help: perhaps.map(str::to_string), ..wording }
            }
            Problem::StrayBrace => said("`}` closes nothing", "no block is open here"),
            Problem::TooDeep { limit } => {
                said("nested too deeply", format!("this is level {}; {limit} are allowed", u32::from(*limit) + 1))
                    .help("give a part of it a name with `let`")
            }
            Problem::ReservedName { name, wanted } => {
                said(format!("wanted {wanted}, found the reserved word `{name}`"), "no name")
                    .help(format!("`{name}_` is not reserved"))
            }
            Problem::CapitalName { name, wanted } => said(
                format!("wanted {wanted}, found `{name}`"),
                "begins with a capital",
            )
            .help(format!("only types and constructors begin with capitals; write `{}`", name.to_ascii_lowercase())),
            Problem::SmallName { name, wanted } => {
                let mut capital = name.trim_start_matches('_').to_string();
                capital[..1].make_ascii_uppercase();
                said(format!("wanted {wanted}, found `{name}`"), "begins with a small letter")
                    .help(format!("types and constructors begin with capitals; write `{capital}`"))
            }
            Problem::UnknownStatement { name, near } => {
                said(format!("no statement begins with `{name}`"), "wanted a statement").perhaps(near)
            }
            Problem::UnknownStage { name, near } => {
                said(format!("there is no stage `{name}`"), "wanted a stage, such as `select`").perhaps(near)
            }
            Problem::ChainedComparison => said("comparisons do not chain", "a second comparison")
                .help("write `a < b and b < c`, or parentheses if the first result is to be compared"),
            Problem::SingleEquals => said("`=` does not compare", "wanted `==`").help("write `==`"),
            Problem::BangForNot => said("`!` is not part of the language", "wanted `not`").help("write `not`"),
            Problem::BarsForOr => said("`||` is not part of the language", "wanted `or`, or one `|` and a stage"),
            Problem::AnglesForUnequal => said("`<>` is not part of the language", "wanted `!=`").help("write `!=`"),
            Problem::GroupBy => said("wanted the keys right after `group`, found `by`", "not part of the stage")
                .help("leave `by` out: `group a, b { n = count() }`"),
            Problem::CrossJoinOn => said("a cross join has no condition", "wanted the end of the stage")
                .help("`join .. on ..` pairs rows that match"),
            Problem::ReturnOutside => said("`return` outside of a subprogram", "belongs into `define .. { .. }`"),
            Problem::SecondReturn { first } => {
                said("a subprogram returns once", "a second time").also(*first, "returned here")
            }
            Problem::NoReturn { name } => said(format!("`{name}` returns nothing"), "wanted `return` in its block"),

            Problem::DuplicateName { name, first } => {
                said(format!("`{name}` is defined twice"), "again").also(*first, "first defined here")
            }
            Problem::DuplicateType { name, first } => {
                said(format!("the type `{name}` is declared twice"), "again").also(*first, "first declared here")
            }
            Problem::DuplicateConstructor { name, first } => {
                said(format!("the constructor `{name}` is declared twice"), "again")
                    .also(*first, "first declared here")
                    .help("a constructor alone tells its type, so its name is used once")
            }
            Problem::ConstructorOfOption { name } => {
                said(format!("`{name}` is a constructor of options"), "the name is taken")
            }
            Problem::DuplicateColumn { name, first } => {
                let wording = said(format!("two columns are called `{name}`"), "again");
                let wording = if *first == self.at { wording } else { wording.also(*first, "the first") };
                wording.help("give one of them another name with `as`, or leave it out with `* without (..)`")
            }
            Problem::NoColumns => said("a collection has at least one column", "no column"),
            Problem::OnlyOutside { word } => {
                said(format!("`{word}` inside of a block"), "belongs to the program, outside of blocks")
            }
            Problem::VarOutside { name } => said(format!("the `var` `{name}` is in no loop"), "belongs into a loop")
                .help("a `let` names a collection; a `var` becomes its definition once a round"),
            Problem::UnknownType { name, near } => {
                said(format!("there is no type `{name}`"), "not a type").perhaps(near)
            }
            Problem::RecursiveType { cycle } => {
                said(format!("a type contains itself: {}", arrows(cycle)), "would be of unbounded size")
                    .help("values are stored in columns of bounded depth; refer to parts by an id")
            }
            Problem::TypeTooLarge { limit } => {
                said("the type is too large", format!("of more than {limit} parts")).help("use more columns")
            }
            Problem::UnknownGenerator { name, near } => {
                let wording = said(format!("there is no generator `{name}`"), "not a generator");
                match near {
                    Some(_) => wording.perhaps(near),
                    None => wording.help("there are `iota(n)`, `random_graph(nodes, edges, seed)` and `clock()`"),
                }
            }
            Problem::GeneratorArguments { name, parameters, found } => said(
                format!("`{name}` takes {}, found {found}", count(parameters.len(), "argument")),
                format!("wanted `{name}({})`", parameters.join(", ")),
            ),
            Problem::GeneratorColumns { name, wanted } => {
                said(format!("`{name}` makes {} of type int", count(*wanted, "column")), "other columns than that")
            }
            Problem::NotWrittenOut => said("wanted a number that is written out", "not a whole number"),
            Problem::TooSmall { number, least } => {
                said(format!("{number} is too small"), format!("wanted a number of at least {least}"))
            }

            Problem::UnknownCollection { name, near } => {
                said(format!("there is no collection `{name}`"), "not defined here").perhaps(near)
            }
            Problem::OutsideSubprogram { name, subprogram, declared } => {
                said(format!("`{subprogram}` does not see `{name}`"), "not a parameter")
                    .also(*declared, "outside of the subprogram")
                    .help("a subprogram sees its parameters only; add one and pass the collection")
            }
            Problem::NotInLoop { name, loop_name, near } => {
                said(format!("the loop `{loop_name}` has no collection `{name}`"), "not in the loop").perhaps(near)
            }
            Problem::NotALoop { name, declared } => {
                said(format!("`{name}` is not a loop"), "only loops have collections inside")
                    .also(*declared, "declared here")
            }
            Problem::LoopAsCollection { name, declared, example } => {
                let wording = said(format!("`{name}` is a loop"), "wanted one of its collections")
                    .also(*declared, "declared here");
                match example {
                    Some(example) => wording.help(format!("write `{name}.{example}`, for instance")),
                    None => wording,
                }
            }
            Problem::OwnLoopFromInside { name, loop_name } => {
                said(format!("`{loop_name}` is not finished inside of itself"), "read within the loop")
                    .help(format!("inside, write `{name}`: of a `var`, that is its value of the round before"))
            }
            Problem::LoopInLoopFromOutside { outer, inner } => {
                said(format!("`{inner}` is a loop within `{outer}`"), "not to be seen from outside")
                    .help(format!("define a `let` in `{outer}` that reads it, and read that"))
            }
            Problem::SubprogramAsCollection { name, declared } => {
                said(format!("`{name}` is a subprogram"), "wanted a collection")
                    .also(*declared, "defined here")
                    .help(format!("call it: `{name}(..)`"))
            }
            Problem::ValueAsCollection { name, declared } => {
                said(format!("`{name}` is a value"), "wanted a collection").also(*declared, "declared here")
            }
            Problem::UnknownSubprogram { name, near } => {
                said(format!("there is no subprogram `{name}`"), "not defined").perhaps(near)
            }
            Problem::NotASubprogram { name, declared } => {
                said(format!("`{name}` is not a subprogram"), "cannot be called").also(*declared, "defined here")
            }
            Problem::SubprogramArguments { name, wanted, found, declared, taken_by } => {
                let title = format!("`{name}` takes {}, found {found}", count(*wanted, "argument"));
                let wording = said(title, "called here").also(*declared, "defined here");
                match taken_by {
                    Some(stage) => wording.help(format!(
                        "what follows a comma after `{stage}` belongs to it: put the argument in parentheses"
                    )),
                    None => wording,
                }
            }
            Problem::WantedBagArgument { declared } => {
                said("wanted a collection, found a value", "a value").also(*declared, "the parameter is a collection")
            }
            Problem::WantedValueArgument { of } => {
                said(format!("wanted a value of type {of}, found a collection"), "not a value")
                    .help("a value is a literal, or the name of a parameter that is a value")
            }

            Problem::CircularDefinition { cycle, through_loop } => {
                let wording = said(format!("a definition depends on itself: {}", arrows(cycle)), "read here");
                wording.help(match through_loop {
                    true => {
                        "a loop depends on all that it reads, and whoever reads from outside on the whole loop; \
                             move the definition into the loop"
                    }
                    false => "recursion goes through a `var` in a loop",
                })
            }
            Problem::RecursiveSubprogram { cycle } => {
                said(format!("a subprogram calls itself: {}", arrows(cycle)), "called here")
                    .help("recursion goes through a `var` in a loop")
            }
            Problem::ReversedRecursion { word, cycle, loop_name, read } => {
                let (from, to) = (&cycle[0], &cycle[1]);
                let wording = said(
                    format!("`{loop_name}` recurs through `{word}`: {}", arrows(cycle)),
                    format!("more rows of `{to}` may take rows from `{from}` here"),
                );
                let wording = if *read == self.at { wording } else { wording.also(*read, format!("`{to}` is read")) };
                wording.help(format!(
                    "move `{word}` out of the loop; or, if what its rounds come to is what you mean, write \
                     `loop {loop_name} by rounds limit 1000`: with a limit in case they come to nothing"
                ))
            }
            Problem::ColumnsUnknown { name } => {
                said(format!("the columns of `{name}` follow from nothing"), "defined by itself alone")
                    .help(format!("write them: `var {name}(column: type, ..) = ..`"))
            }
            Problem::EnterFromInside { name, loop_name } => {
                said(format!("`{name}` is in the loop already"), "rows of the loop itself do not enter it")
                    .help(format!("`enter at` is for collections from outside of `{loop_name}`"))
            }
            Problem::EnterOutside => said("`enter at` outside of a loop", "no loop to enter"),

            Problem::UnknownColumn { name, near, columns } => {
                let label = match columns.is_empty() {
                    true => "there is no row here: only literals and parameters".to_string(),
                    false => format!("there are {columns}"),
                };
                said(format!("there is no column `{name}`"), label).perhaps(near)
            }
            Problem::AmbiguousColumn { name, ways } => {
                let wording = said(format!("two columns are called `{name}`"), "which of them?");
                match &ways[..] {
                    [] => wording.help("give the other side of the join a name: `join .. as other on ..`"),
                    [way] => wording.help(format!(
                        "write `{way}`; of a side that went through a stage columns have no other name: give the other one its \
                         own before the join, with `select .. as ..`"
                    )),
                    _ => wording.help(format!("write {}", or(ways))),
                }
            }
            Problem::AmbiguousSide { side, name } => {
                said(format!("both sides of the join are called `{side}`"), format!("which `{name}`?"))
                    .help("give the other side a name: `join .. as other on ..`")
            }
            Problem::UnknownSide { side, sides } => {
                let wording = said(format!("no side of a join is called `{side}`"), "not known here");
                match &sides[..] {
                    [] => wording.help("after a `select` or `group`, columns are known by their names alone"),
                    [side] => wording.help(format!(
                        "there is `{side}`; of a side that went through a stage, columns are known by their names alone"
                    )),
                    _ => wording.help(format!("there are {}", or(sides))),
                }
            }
            Problem::ColumnsNamedAlike { name, ways } => {
                let wording = said(format!("the collection would have two columns `{name}`"), "named here");
                match ways.len() > 1 && ways[0] != ways[1] {
                    true => wording.help(format!("end with `| select ..` and say {}", or(ways))),
                    false => wording.help("end with `| select ..`; the other side of a join gets a name with `as`"),
                }
            }
            Problem::ColumnExists { name } => {
                said(format!("there is a column `{name}` already"), "wanted another name")
            }
            Problem::NamelessColumn => {
                said("a computed column needs a name", "no name").help("write `.. as name` after it")
            }
            Problem::ColumnsDiffer { word, left, right, order } => {
                let wording = said(
                    format!("the columns of the two sides of `{word}` differ").replace("sides of `the", "sides of the"),
                    format!("these are {right}"),
                );
                let wording = match *word {
                    "the `var`" => said("a `var` changes its columns", format!("from the second round on {right}")),
                    "the parameter" => said("the parameter has other columns", format!("these are {right}")),
                    _ => wording,
                };
                let wanted = format!("wanted {left}");
                match order {
                    Some(order) => wording.help(format!("{wanted}: append `| select {order}`")),
                    None => wording.help(wanted),
                }
            }
            Problem::RowWidth { wanted, found } => said(
                format!("a row of {} for {}", count(*found, "value"), count(*wanted, "column")),
                format!("wanted {}", count(*wanted, "value")),
            ),
            Problem::AtomWidth { name, columns, found } => said(
                format!("`{name}` has other columns than these {found}"),
                format!("wanted a name, a value or `_` for each of {columns}"),
            ),
            Problem::EmptyMultiway => said("a join of nothing", "wanted collections, as in `edge(a, b)`"),
            Problem::NoVariables => said("a join without variables", "the result would have no column"),
            Problem::VariableTypes { name, first, second } => {
                said(format!("`{name}` stands for two types"), format!("{second} here, {first} before"))
            }
            Problem::JoinSidesSwapped => said("the sides of the equality are swapped", "the left side comes first")
                .help("in `a | join b on x == y`, `x` is a column of `a` and `y` one of `b`"),
            Problem::UnnestOfNoList { found } => {
                said("only a list can be unnested", format!("this is of type {found}"))
            }
            Problem::EmptyGroup => said("a group without aggregates", "nothing is computed")
                .help("to have each key once, write `| select .. | distinct`"),
            Problem::UnknownAggregate { name, near } => {
                let wording = said(format!("there is no aggregate `{name}`"), "not an aggregate");
                match near {
                    Some(_) => wording.perhaps(near),
                    None => wording.help("there are count, sum, min, max, avg, collect and any"),
                }
            }
            Problem::AggregateArguments { name, wanted, found } => {
                let wording =
                    said(format!("`{name}` takes {}, found {found}", count(*wanted, "argument")), "another number");
                match *name == "count" {
                    true => wording.help("rows are counted; to count different values, count `| select .. | distinct`"),
                    false => wording,
                }
            }
            Problem::AggregateOfNoNumber { name, found } => {
                let wording = said(format!("`{name}` is of int or float"), format!("this is of type {found}"));
                match found {
                    Type::Option(_) => wording.help("an option is taken apart by `case` or `or_else(.., default)`"),
                    _ => wording,
                }
            }

            Problem::WrongType { found, wanted, wanted_by } => {
                let wording =
                    said(format!("{wanted_by} wants {wanted}, found {found}"), format!("this is of type {found}"));
                Wording { help: conversion(found, wanted).map(str::to_string), ..wording }
            }
            Problem::Disagree { what, left, left_span, right } => {
                let wording = said(format!("{what} are of different types"), format!("this is of type {right}"))
                    .also(*left_span, format!("this is of type {left}"));
                // Which of two sides is the wrong one, nobody can say of others.
                let help = match (left, right) {
                    (Type::Int, Type::Float) | (Type::Float, Type::Int) => conversion(&Type::Int, &Type::Float),
                    (Type::Option(_), other) | (other, Type::Option(_)) => {
                        conversion(&Type::Option(Box::new(Type::Hole)), other)
                    }
                    _ => None,
                };
                Wording { help: help.map(str::to_string), ..wording }
            }
            Problem::NotANumber { operator, found } => {
                let wording = said(format!("`{operator}` is for int and float"), format!("this is of type {found}"));
                match (operator, found) {
                    (&"+", Type::Text | Type::List(_)) => wording.help("write `concat(.., ..)`"),
                    (_, Type::Option(_)) => {
                        wording.help("an option is taken apart by `case` or `or_else(.., default)`")
                    }
                    _ => wording,
                }
            }
            Problem::RemainderOfFloats => said("`%` is for int", "of type float"),
            Problem::TooManyCalls { limit } => said("the program calls subprograms too often", "one call too many")
                .help(format!(
                    "a call in a subprogram counts once for each call of that; all in all, {limit} calls are made"
                )),
            Problem::CallsTooDeep { limit } => said("calls are too deep in one another", "too deep")
                .help(format!("calls in calls, with the parentheses around them, may be {limit} deep")),
            Problem::ConstantFails { reason } => said("a value that is needed at once cannot be computed", reason),
            Problem::DivisionByZero => said("division by zero", "every row fails here, and becomes an error"),
            Problem::UnknownItemType => said("the type follows from nothing", "of what?")
                .help("write it: `([] : list<int>)`, `(None : option<int>)`"),
            Problem::NoSuchField { field, of } => {
                let label = format!("this is of type {of}");
                said(format!("there is no field {field}"), label).help("fields are numbered from 0")
            }
            Problem::FieldOfNoTuple { of } => said("only tuples have fields", format!("this is of type {of}")),
            Problem::UnknownFunction { name, near } => {
                said(format!("there is no function `{name}`"), "not a function").perhaps(near)
            }
            Problem::AggregateAsFunction { name } => {
                let wording = said(format!("`{name}` is an aggregate"), "belongs into `group .. { .. }`");
                match name.as_str() {
                    "min" => wording.help("the smaller of two values is `least(a, b)`"),
                    "max" => wording.help("the larger of two values is `greatest(a, b)`"),
                    "count" => wording.help("the number of items of a list is `length(list)`"),
                    _ => wording,
                }
            }
            Problem::ArgumentCount { name, wanted, more, found } => {
                let least = if *more { "at least " } else { "" };
                let wanted = format!("{least}{}", count(*wanted, "argument"));
                said(format!("`{name}` takes {wanted}, found {found}"), format!("wanted {wanted}"))
            }
            Problem::ArgumentType { name, position, wanted, found } => {
                let wording = said(
                    format!("argument {position} of `{name}` should be of type {wanted}"),
                    format!("this is of type {found}"),
                );
                Wording { help: conversion(found, wanted).map(str::to_string), ..wording }
            }
            Problem::ArgumentKind { name, wanted, found } => {
                said(format!("`{name}` is of {wanted}"), format!("this is of {found}"))
            }
            Problem::NoSuchOverload { name, found } => {
                said(format!("`{name}` is of strings or lists"), format!("this is of type {found}"))
            }
            Problem::WantedFunction { name, wanted } => {
                let example = if *wanted == 2 { "(total, item) => total + item" } else { "item => item + 1" };
                said(format!("`{name}` takes a function here"), "not a function")
                    .help(format!("write one: `{example}`"))
            }
            Problem::FunctionParameters { name, wanted, found } => said(
                format!("`{name}` takes a function of {}", count(*wanted, "parameter")),
                format!("this has {found}"),
            ),
            Problem::FunctionAsValue => said("a function is no value", "only an argument of a function may be one"),
            Problem::UnknownConstructor { name, near } => {
                said(format!("there is no constructor `{name}`"), "not declared").perhaps(near)
            }
            Problem::ConstructorArguments { name, payload, found } => match payload {
                None => said(format!("`{name}` holds nothing"), format!("found {}", count(*found, "argument"))),
                Some(of) => said(format!("`{name}` holds {of}"), format!("found {}", count(*found, "argument"))),
            },
            Problem::PatternType { found, wanted } => {
                said(format!("the pattern is of type {found}"), format!("what is taken apart is of type {wanted}"))
            }
            Problem::DuplicateInPattern { name, first } => {
                said(format!("`{name}` stands for two parts of the pattern"), "again").also(*first, "the first")
            }
            Problem::CaseLeavesOut { missing } if missing == "_" => {
                said("`case` leaves out all other values", "may be another")
                    .help("every value needs an arm; `_ => ..` takes what is left")
            }
            Problem::CaseLeavesOut { missing } => {
                said(format!("`case` leaves out `{missing}`"), format!("may be `{missing}`"))
                    .help("every value needs an arm; `_ => ..` takes what is left")
            }
            Problem::CaseTooLarge => said("the patterns are too many to be gone through", "this `case`")
                .help("take the value apart in steps, a `case` in an arm of a `case`"),

            Problem::UnreachableArm => said("no value comes as far as this arm", "taken by the arms above"),
            Problem::Shadows { name, hidden } => {
                said(format!("`{name}` hides a name outside"), "from here on this is meant").also(*hidden, "hidden")
            }
            Problem::LoopWithoutVar { name } => {
                said(format!("nothing in the loop `{name}` is repeated"), "has no `var`")
            }
            Problem::Unused { name } => {
                said(format!("`{name}` is not used"), "nothing reads it").help(format!("`_{name}` may be left unused"))
            }
            Problem::NoExport => said("the program exports nothing", "nobody will see what it computes")
                .help("write `export name = ..;`"),
        }
    }
}

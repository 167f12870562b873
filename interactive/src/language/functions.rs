//! The functions on values, and the aggregates: names, and what they take and give.
//!
//! A signature is written with types, where the letters of `Shape` stand for any type. What one name does for strings and
//! for lists (`length`, `concat`, `contains`) is several rows with one name, told apart by the first argument.
//!
//! Why a table: the page docs/LANGUAGE.md, messages and the checker must say the same.

use super::types::Type;
use serde::Serialize;

/// The type of an argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Int,
    Float,
    Bool,
    Text,
    /// Any type, the same wherever it stands.
    A,
    /// Any type, the same wherever it stands, as the result of a function.
    B,
    ListOfA,
    ListOfB,
    ListOfText,
    OptionOfA,
    OptionOfInt,
    OptionOfFloat,
    ListOfInt,
    /// A function of an item.
    OfItemToB,
    /// A function of an item that says yes or no.
    OfItemToBool,
    /// A function of what there is so far (a `B`) and an item, to a `B`.
    OfBothToB,
}

/// A function on values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)] // Each is documented in docs/LANGUAGE.md, by its name in `FUNCTIONS`.
pub enum Function {
    Absolute,
    Bits,
    Ceiling,
    Concat,
    ConcatLists,
    Contains,
    ContainsItem,
    EndsWith,
    Filter,
    Floor,
    Fold,
    Greatest,
    Hash,
    Index,
    IsNone,
    IsSome,
    Least,
    Length,
    LengthOfList,
    Lower,
    Map,
    OrElse,
    ParseFloat,
    ParseInt,
    Range,
    Reverse,
    Round,
    Sort,
    Split,
    SquareRoot,
    StartsWith,
    Substring,
    ToFloat,
    ToInt,
    ToText,
    Trim,
    TryFloat,
    TryInt,
    Unwrap,
    Upper,
}

/// A row of the table.
pub(crate) struct Signature {
    pub(crate) name: &'static str,
    pub(crate) function: Function,
    pub(crate) takes: &'static [Shape],
    /// Whether the last argument may come again any number of times.
    pub(crate) repeats: bool,
    pub(crate) gives: Shape,
    /// What an `A` must be, if not everything.
    pub(crate) only: Only,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Only {
    Anything,
    Numbers,
    Plain,
}

impl Only {
    pub(crate) fn allows(self, of: &Type) -> bool {
        match self {
            Only::Anything => true,
            Only::Numbers => matches!(of, Type::Int | Type::Float | Type::Broken),
            Only::Plain => matches!(of, Type::Int | Type::Float | Type::Bool | Type::Text | Type::Broken),
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Only::Anything => "any type",
            Only::Numbers => "int or float",
            Only::Plain => "int, float, bool or string",
        }
    }
}

const fn row(
    name: &'static str,
    function: Function,
    takes: &'static [Shape],
    gives: Shape,
    repeats: bool,
    only: Only,
) -> Signature {
    Signature { name, function, takes, repeats, gives, only }
}

use Function as F;
use Only::{Anything, Numbers, Plain};
use Shape::{
    A, B, Bool, Float, Int, ListOfA, ListOfB, ListOfInt, ListOfText, OfBothToB, OfItemToB, OfItemToBool, OptionOfA,
    OptionOfFloat, OptionOfInt, Text,
};

/// All functions, by name.
pub(crate) const FUNCTIONS: [Signature; 40] = [
    row("abs", F::Absolute, &[A], A, false, Numbers),
    row("bits", F::Bits, &[Int], Int, false, Anything),
    row("ceiling", F::Ceiling, &[Float], Float, false, Anything),
    row("concat", F::Concat, &[Text, Text], Text, true, Anything),
    row("concat", F::ConcatLists, &[ListOfA, ListOfA], ListOfA, true, Anything),
    row("contains", F::Contains, &[Text, Text], Bool, false, Anything),
    row("contains", F::ContainsItem, &[ListOfA, A], Bool, false, Anything),
    row("ends_with", F::EndsWith, &[Text, Text], Bool, false, Anything),
    row("filter", F::Filter, &[ListOfA, OfItemToBool], ListOfA, false, Anything),
    row("floor", F::Floor, &[Float], Float, false, Anything),
    row("fold", F::Fold, &[ListOfA, B, OfBothToB], B, false, Anything),
    row("greatest", F::Greatest, &[A, A], A, true, Anything),
    row("hash", F::Hash, &[Int, A], Int, true, Anything),
    row("index", F::Index, &[ListOfA, Int], A, false, Anything),
    row("is_none", F::IsNone, &[OptionOfA], Bool, false, Anything),
    row("is_some", F::IsSome, &[OptionOfA], Bool, false, Anything),
    row("least", F::Least, &[A, A], A, true, Anything),
    row("length", F::Length, &[Text], Int, false, Anything),
    row("length", F::LengthOfList, &[ListOfA], Int, false, Anything),
    row("lower", F::Lower, &[Text], Text, false, Anything),
    row("map", F::Map, &[ListOfA, OfItemToB], ListOfB, false, Anything),
    row("or_else", F::OrElse, &[OptionOfA, A], A, false, Anything),
    row("parse_float", F::ParseFloat, &[Text], Float, false, Anything),
    row("parse_int", F::ParseInt, &[Text], Int, false, Anything),
    row("range", F::Range, &[Int, Int], ListOfInt, false, Anything),
    row("reverse", F::Reverse, &[ListOfA], ListOfA, false, Anything),
    row("round", F::Round, &[Float], Float, false, Anything),
    row("sort", F::Sort, &[ListOfA], ListOfA, false, Anything),
    row("split", F::Split, &[Text, Text], ListOfText, false, Anything),
    row("sqrt", F::SquareRoot, &[Float], Float, false, Anything),
    row("starts_with", F::StartsWith, &[Text, Text], Bool, false, Anything),
    row("substring", F::Substring, &[Text, Int, Int], Text, false, Anything),
    row("to_float", F::ToFloat, &[Int], Float, false, Anything),
    row("to_int", F::ToInt, &[Float], Int, false, Anything),
    row("to_string", F::ToText, &[A], Text, false, Plain),
    row("trim", F::Trim, &[Text], Text, false, Anything),
    row("try_float", F::TryFloat, &[Text], OptionOfFloat, false, Anything),
    row("try_int", F::TryInt, &[Text], OptionOfInt, false, Anything),
    row("unwrap", F::Unwrap, &[OptionOfA], A, false, Anything),
    row("upper", F::Upper, &[Text], Text, false, Anything),
];

/// What a group is made into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum AggregateFunction {
    /// How many rows there are.
    Count,
    /// The sum of `int`s or `float`s.
    Sum,
    /// The least value.
    Min,
    /// The greatest value.
    Max,
    /// The mean of `int`s or `float`s, a `float`.
    Average,
    /// All values, as often as they occur, as a sorted list.
    Collect,
    /// One of the values, the same until it goes away.
    Any,
}

/// All aggregates, by name.
pub(crate) const AGGREGATES: [(&str, AggregateFunction); 7] = [
    ("any", AggregateFunction::Any),
    ("avg", AggregateFunction::Average),
    ("collect", AggregateFunction::Collect),
    ("count", AggregateFunction::Count),
    ("max", AggregateFunction::Max),
    ("min", AggregateFunction::Min),
    ("sum", AggregateFunction::Sum),
];

/// The generators of sources: name, types of the arguments with their names, types of the columns.
pub(crate) const GENERATORS: [(&str, &[&str], usize); 3] =
    [("clock", &[], 1), ("iota", &["how many"], 1), ("random_graph", &["nodes", "edges", "seed"], 2)];

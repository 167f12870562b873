//! What can be wrong with a program: one list, each with the facts that a person needs to mend it.
//!
//! A mistake is where, and what. How it is said is in `wording.rs`, and how it looks in `report.rs`; who wants to react
//! to one (an editor, a test) reads the facts here.

use super::files::Span;
use super::types::Type;
use std::collections::BTreeSet;

/// Something that is wrong, or looks it.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake {
    /// Where.
    pub at: Span,
    /// What.
    pub problem: Problem,
}

impl Mistake {
    /// A mistake at this place.
    pub fn new(at: Span, problem: Problem) -> Mistake {
        Mistake { at, problem }
    }

    /// Whether all that is missing is the definition of one of these names.
    pub(crate) fn misses(&self, names: &BTreeSet<String>) -> bool {
        match &self.problem {
            Problem::UnknownCollection { name, .. }
            | Problem::UnknownSubprogram { name, .. }
            | Problem::UnknownType { name, .. }
            | Problem::NotInLoop { name, .. } => names.contains(name),
            // It may be one of a type of which no more is known than its name.
            Problem::UnknownConstructor { .. } => {
                names.iter().any(|name| name.starts_with(|first: char| first.is_ascii_uppercase()))
            }
            _ => false,
        }
    }

    /// Whether it is worth saying only of a program without errors.
    pub(crate) fn is_of_whole_programs(&self) -> bool {
        matches!(self.problem, Problem::Unused { .. } | Problem::NoExport | Problem::LoopWithoutVar { .. })
    }

    /// Whether the program is refused for it. Otherwise it is a warning.
    pub fn is_error(&self) -> bool {
        !matches!(
            self.problem,
            Problem::Shadows { .. }
                | Problem::LoopWithoutVar { .. }
                | Problem::Unused { .. }
                | Problem::NoExport
                | Problem::UnreachableArm
                | Problem::DivisionByZero
        )
    }
}

/// What is wrong. `near` is a name that may have been meant; `first` and `declared` are where something stands already.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // Of the facts: their names say it, with the line above each variant.
#[non_exhaustive]
pub enum Problem {
    // Files.
    /// An included file cannot be read.
    CannotInclude { path: String, reason: String },
    /// A file has more bytes than a span can count.
    FileTooLarge { bytes: usize, limit: usize },

    // Several programs.
    /// No program is called so.
    UnknownProgram { program: String, near: Option<String> },
    /// Programs import from each other; the last of these names is the first.
    ImportCycle { programs: Vec<String> },
    /// A program has no such export.
    UnknownExport { program: String, export: String, near: Option<String> },
    /// An export has other columns than its import says.
    ImportDiffers { name: String, wanted: String, found: String },
    /// A source has other columns in a program before.
    SourceDiffers { name: String, program: String, there: String },

    // Characters and words.
    /// These characters begin no word.
    StrangeCharacter { text: String },
    /// A number with letters in it, or an exponent without digits.
    MalformedNumber { text: String },
    /// A number that no `int` or `float` can hold.
    NumberTooLarge { text: String },
    /// The quote is missing.
    UnclosedString,
    /// A backslash before something that it does not go with.
    UnknownEscape { escape: String },

    // Grammar.
    /// Something else should stand here.
    Wanted { wanted: &'static str, found: String },
    /// The bracket at `opened` is not closed; or, where things are listed, a comma is missing.
    Unclosed { opened: Span, wanted: &'static str, comma: bool, found: String },
    /// A statement ends without `;`; what follows may tell what else is missing.
    MissingSemicolon { found: String, perhaps: Option<&'static str> },
    /// A `}` that closes nothing.
    StrayBrace,
    /// Nested deeper than allowed.
    TooDeep { limit: u16 },
    /// A reserved word where a name should be.
    ReservedName { name: String, wanted: &'static str },
    /// A capital where a name should begin with a small letter.
    CapitalName { name: String, wanted: &'static str },
    /// A small letter where a name should begin with a capital.
    SmallName { name: String, wanted: &'static str },
    /// No statement begins so.
    UnknownStatement { name: String, near: Option<String> },
    /// No stage begins so.
    UnknownStage { name: String, near: Option<String> },
    /// `a < b < c`.
    ChainedComparison,
    /// `=` where `==` is meant.
    SingleEquals,
    /// `!` where `not` is meant.
    BangForNot,
    /// `||` where `or` is meant.
    BarsForOr,
    /// `<>` where `!=` is meant.
    AnglesForUnequal,
    /// `group by`.
    GroupBy,
    /// A cross join has no condition.
    CrossJoinOn,
    /// `return` belongs into `define`.
    ReturnOutside,
    /// A subprogram returns once.
    SecondReturn { first: Span },
    /// A subprogram returns something.
    NoReturn { name: String },

    // Declarations.
    /// The name is taken in this scope.
    DuplicateName { name: String, first: Span },
    /// The type is declared twice.
    DuplicateType { name: String, first: Span },
    /// The constructor is declared twice.
    DuplicateConstructor { name: String, first: Span },
    /// `Some` and `None` are taken.
    ConstructorOfOption { name: String },
    /// Two columns of one name.
    DuplicateColumn { name: String, first: Span },
    /// A collection has at least one column.
    NoColumns,
    /// This statement stands outside of blocks only.
    OnlyOutside { word: &'static str },
    /// A `var` stands in a loop only.
    VarOutside { name: String },
    /// No type is called so.
    UnknownType { name: String, near: Option<String> },
    /// A type that contains itself.
    RecursiveType { cycle: Vec<String> },
    /// A type of too many parts.
    TypeTooLarge { limit: usize },
    /// No generator is called so.
    UnknownGenerator { name: String, near: Option<String> },
    /// A generator takes other arguments.
    GeneratorArguments { name: String, parameters: Vec<&'static str>, found: usize },
    /// A generator makes other columns.
    GeneratorColumns { name: String, wanted: usize },
    /// A number that must be written out.
    NotWrittenOut,
    /// A number that is too small.
    TooSmall { number: i64, least: i64 },

    // Names.
    /// No collection is called so.
    UnknownCollection { name: String, near: Option<String> },
    /// A subprogram sees its parameters only.
    OutsideSubprogram { name: String, subprogram: String, declared: Span },
    /// A loop has no such collection.
    NotInLoop { name: String, loop_name: String, near: Option<String> },
    /// A path through something that is no loop.
    NotALoop { name: String, declared: Span },
    /// A loop alone is no collection.
    LoopAsCollection { name: String, declared: Span, example: Option<String> },
    /// A loop's own name, from inside.
    OwnLoopFromInside { name: String, loop_name: String },
    /// A loop of a loop, from outside.
    LoopInLoopFromOutside { outer: String, inner: String },
    /// A subprogram without arguments is no collection.
    SubprogramAsCollection { name: String, declared: Span },
    /// A value is no collection.
    ValueAsCollection { name: String, declared: Span },
    /// No subprogram is called so.
    UnknownSubprogram { name: String, near: Option<String> },
    /// Something else is called so.
    NotASubprogram { name: String, declared: Span },
    /// A subprogram takes another number of arguments; perhaps a stage took one that was meant to come next.
    SubprogramArguments { name: String, wanted: usize, found: usize, declared: Span, taken_by: Option<&'static str> },
    /// A collection is wanted and a value given.
    WantedBagArgument { declared: Span },
    /// A value is wanted and a collection given.
    WantedValueArgument { of: Type },

    // Cycles.
    /// Definitions that depend on themselves.
    CircularDefinition { cycle: Vec<String>, through_loop: bool },
    /// Subprograms that call themselves.
    RecursiveSubprogram { cycle: Vec<String> },
    /// Recursion through a step that takes rows away.
    ReversedRecursion { word: &'static str, cycle: Vec<String>, loop_name: String, read: Span },
    /// The columns of a recursive collection follow from nothing.
    ColumnsUnknown { name: String },
    /// Rows of the loop itself cannot enter it.
    EnterFromInside { name: String, loop_name: String },
    /// Rows enter a loop only from within one.
    EnterOutside,

    // Rows.
    /// No column is called so.
    UnknownColumn { name: String, near: Option<String>, columns: String },
    /// Two columns are called so.
    AmbiguousColumn { name: String, ways: Vec<String> },
    /// Both sides are called so.
    AmbiguousSide { side: String, name: String },
    /// No side of a join is called so.
    UnknownSide { side: String, sides: Vec<String> },
    /// Two columns of a collection have one name.
    ColumnsNamedAlike { name: String, ways: Vec<String> },
    /// The name of a new column is taken.
    ColumnExists { name: String },
    /// A computed column without a name.
    NamelessColumn,
    /// Two bags have different columns; `order` if only that differs.
    ColumnsDiffer { word: &'static str, left: String, right: String, order: Option<String> },
    /// A row of another width than the columns.
    RowWidth { wanted: usize, found: usize },
    /// An atom of another width than its collection.
    AtomWidth { name: String, columns: String, found: usize },
    /// A join of nothing.
    EmptyMultiway,
    /// A join whose result would have no column.
    NoVariables,
    /// A variable stands for two types.
    VariableTypes { name: String, first: Type, second: Type },
    /// The sides of an equality are swapped.
    JoinSidesSwapped,
    /// Only lists can be unnested.
    UnnestOfNoList { found: Type },
    /// A group without aggregates.
    EmptyGroup,
    /// No aggregate is called so.
    UnknownAggregate { name: String, near: Option<String> },
    /// An aggregate takes another number of arguments.
    AggregateArguments { name: String, wanted: usize, found: usize },
    /// An aggregate of numbers, of something else.
    AggregateOfNoNumber { name: String, found: Type },

    // Values.
    /// Another type is wanted.
    WrongType { found: Type, wanted: Type, wanted_by: &'static str },
    /// Two things should have one type.
    Disagree { what: &'static str, left: Type, left_span: Span, right: Type },
    /// An operator of numbers, on something else.
    NotANumber { operator: &'static str, found: Type },
    /// `%` is for whole numbers.
    RemainderOfFloats,
    /// `/ 0`.
    DivisionByZero,
    /// The type of an empty list or of `None` follows from nothing.
    UnknownItemType,
    /// A tuple has fewer fields.
    NoSuchField { field: u64, of: Type },
    /// A field of something that is no tuple.
    FieldOfNoTuple { of: Type },
    /// No function is called so.
    UnknownFunction { name: String, near: Option<String> },
    /// An aggregate outside of `group`.
    AggregateAsFunction { name: String },
    /// A function takes another number of arguments.
    ArgumentCount { name: String, wanted: usize, more: bool, found: usize },
    /// A function takes another type.
    ArgumentType { name: String, position: usize, wanted: Type, found: Type },
    /// A function takes some types only.
    ArgumentKind { name: String, wanted: &'static str, found: Type },
    /// A function is for strings or lists.
    NoSuchOverload { name: String, found: Type },
    /// An argument should be a function.
    WantedFunction { name: String, wanted: usize },
    /// A function of another number of parameters is wanted.
    FunctionParameters { name: String, wanted: usize, found: usize },
    /// A function is no value.
    FunctionAsValue,
    /// No constructor is called so.
    UnknownConstructor { name: String, near: Option<String> },
    /// A constructor holds something else.
    ConstructorArguments { name: String, payload: Option<Type>, found: usize },
    /// A pattern of another type.
    PatternType { found: Type, wanted: Type },
    /// A name twice in one pattern.
    DuplicateInPattern { name: String, first: Span },
    /// No arm for some value.
    CaseLeavesOut { missing: String },
    /// Too many ways to go through.
    CaseTooLarge,

    // Of plans.
    /// Calls of calls come to too many.
    TooManyCalls { limit: usize },
    /// Calls in calls, and bags in bags.
    CallsTooDeep { limit: usize },
    /// A value that is needed before anything runs cannot be computed.
    ConstantFails { reason: String },

    // Warnings.
    /// No value comes so far.
    UnreachableArm,
    /// A name hides one of an outer scope.
    Shadows { name: String, hidden: Span },
    /// Nothing in the loop is repeated.
    LoopWithoutVar { name: String },
    /// Nobody reads it.
    Unused { name: String },
    /// Nobody will see anything of the program.
    NoExport,
}

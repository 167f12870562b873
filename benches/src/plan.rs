//! What to feed and when: `plan.txt`, line by line.
//!
//! ```text
//!   workload reach
//!   input 0 u32 u32          an input and the types of its columns
//!   phase first              a separately measured run of ticks
//!   tick 1 4000000           1 logical time, and the next 4000000 rows of 0.bin (a third number: of 1.bin)
//! ```
//!
//! After each tick the result must be up to date before the next is fed. A progress workload has no inputs, and one
//! line `progress rounds=R maps=M loop=0|1 circuits=C exchange=none|MAP` in place of phases.

use std::str::FromStr;

use crate::trouble::Trouble;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A `u32`.
    U32,
    /// A `u64`.
    U64,
    /// A string.
    Str,
}

/// Rows that are fed together, and brought up to date before anything else is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// How many logical times it spans.
    pub span: u64,
    /// The number of rows of each input.
    pub rows: [usize; 2],
}

/// A separately measured run of ticks.
#[derive(Debug, PartialEq, Eq)]
pub struct Phase {
    /// What it is called in the report.
    pub name: String,
    /// Its ticks, in order.
    pub ticks: Vec<Tick>,
}

/// Rounds of one record each, through a chain or a loop of maps.
#[derive(Debug, PartialEq, Eq)]
pub struct Rounds {
    /// How many rounds.
    pub rounds: usize,
    /// How many maps, one after the other.
    pub maps: usize,
    /// Whether they are in a loop.
    pub looped: bool,
    /// How often a record goes round the loop.
    pub circuits: u32,
    /// Before which map they go to the worker that their hash names.
    pub exchange: Option<usize>,
}

/// What a workload consists of.
#[derive(Debug, PartialEq, Eq)]
pub enum Work {
    /// Ticks of rows.
    Ticks(Vec<Phase>),
    /// Rounds of one record.
    Rounds(Rounds),
}

/// A workload: its name, its inputs' columns, and its work.
#[derive(Debug, PartialEq, Eq)]
pub struct Plan {
    /// Names the program.
    pub workload: String,
    /// The columns of each input.
    pub inputs: Vec<Vec<Kind>>,
    /// What to do.
    pub work: Work,
}

impl Plan {
    /// The phases; a workload of rounds has none.
    pub fn phases(&self) -> &[Phase] {
        match &self.work {
            Work::Ticks(phases) => phases,
            Work::Rounds(_) => &[],
        }
    }
}

impl FromStr for Plan {
    type Err = Trouble;

    fn from_str(text: &str) -> Result<Self, Trouble> {
        let (mut workload, mut inputs, mut phases, mut rounds) = (None, Vec::new(), Vec::<Phase>::new(), None);
        for (number, line) in (1..).zip(text.lines()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let expected = |what| Trouble::Line(number, what);
            match words[..] {
                [] => {}
                ["workload", name] => workload = Some(name.to_string()),
                ["input", index, ref columns @ ..] if index.parse() == Ok(inputs.len()) => {
                    let kinds = columns.iter().map(|column| kind(column)).collect::<Option<_>>();
                    inputs.push(kinds.ok_or_else(|| expected("columns u32, u64 or str"))?);
                }
                ["phase", name] => phases.push(Phase { name: name.to_string(), ticks: Vec::new() }),
                ["tick", span, first] => phases
                    .last_mut()
                    .ok_or_else(|| expected("a phase before"))?
                    .ticks
                    .push(tick(span, first, "0").ok_or_else(|| expected("a span and a number of rows"))?),
                ["tick", span, first, second] => phases
                    .last_mut()
                    .ok_or_else(|| expected("a phase before"))?
                    .ticks
                    .push(tick(span, first, second).ok_or_else(|| expected("a span and two numbers of rows"))?),
                ["progress", ref settings @ ..] => {
                    rounds =
                        Some(rounds_of(settings).ok_or_else(|| expected("rounds, maps, loop, circuits, exchange"))?);
                }
                _ => return Err(expected("workload, input, phase, tick or progress")),
            }
        }
        let workload = workload.ok_or(Trouble::Plan("no workload is named"))?;
        let work = rounds.map_or(Work::Ticks(phases), Work::Rounds);
        Ok(Plan { workload, inputs, work })
    }
}

fn kind(word: &str) -> Option<Kind> {
    match word {
        "u32" => Some(Kind::U32),
        "u64" => Some(Kind::U64),
        "str" => Some(Kind::Str),
        _ => None,
    }
}

fn tick(span: &str, first: &str, second: &str) -> Option<Tick> {
    Some(Tick { span: span.parse().ok()?, rows: [first.parse().ok()?, second.parse().ok()?] })
}

/// The settings of a progress line; `None` where one is missing or no number.
fn rounds_of(settings: &[&str]) -> Option<Rounds> {
    let setting = |name: &str| settings.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    let exchange = match setting("exchange")? {
        "none" => None,
        map => Some(map.parse().ok()?),
    };
    Some(Rounds {
        exchange,
        rounds: setting("rounds")?.parse().ok()?,
        maps: setting("maps")?.parse().ok()?,
        looped: setting("loop")? == "1",
        circuits: setting("circuits")?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_line_by_line() {
        let text = "workload join\ninput 0 u64 str\ninput 1 u32\nphase first\ntick 1 10 4\nphase later\ntick 3 1 0\n";
        let plan: Plan = text.parse().unwrap();
        assert_eq!(plan.workload, "join");
        assert_eq!(plan.inputs, [vec![Kind::U64, Kind::Str], vec![Kind::U32]]);
        let [first, later] = plan.phases() else { panic!("two phases: {plan:?}") };
        assert_eq!((first.name.as_str(), &first.ticks[..]), ("first", &[Tick { span: 1, rows: [10, 4] }][..]));
        assert_eq!((later.name.as_str(), &later.ticks[..]), ("later", &[Tick { span: 3, rows: [1, 0] }][..]));
    }

    #[test]
    fn a_plan_of_rounds_has_no_ticks() {
        let line = "workload progress_loop20\nprogress rounds=7 maps=20 loop=1 circuits=3 exchange=4\n";
        let plan: Plan = line.parse().unwrap();
        assert_eq!(
            plan.work,
            Work::Rounds(Rounds { rounds: 7, maps: 20, looped: true, circuits: 3, exchange: Some(4) })
        );
    }

    #[test]
    fn a_bad_line_is_named() {
        for (text, line) in [
            ("workload a\ntick 1 2\n", 2),
            ("workload a\nphase p\ntick one 2\n", 3),
            ("input 1 u32\n", 1),
            ("input 0 f32\n", 1),
            ("progress rounds=1 maps=1 loop=0 circuits=1 exchange=x\n", 1),
            ("workload a\n\nhello\n", 3),
        ] {
            match text.parse::<Plan>() {
                Err(Trouble::Line(found, _)) => assert_eq!(found, line, "{text:?}"),
                other => panic!("{text:?} was read as {other:?}"),
            }
        }
        assert!(matches!("phase p\n".parse::<Plan>(), Err(Trouble::Plan(_))));
    }
}

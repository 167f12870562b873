//! What programs mean: an evaluator that computes everything anew, over plain maps.
//!
//! It reads checked programs and knows nothing of plans. Scalars are evaluated a row at a time by the kernels, which are
//! held against an evaluator of their own; all else is as docs/LANGUAGE.md says it, in the most obvious way.
//!
//! A *state* is a scope with values: the program, a call, or a round of a loop. A definition has a value in each state of
//! its scope. A loop is solved by going from state to state until nothing changes.

use interactive::kernel::{Failure, Kernel};
use interactive::language::files::{Files, Span};
use interactive::language::functions::AggregateFunction;
use interactive::language::operators::JoinKind;
use interactive::language::program::{
    Aggregate, Argument, Arm, Bag, DefinitionId, DefinitionKind, Join, LoopId, Parameter, Program, Scalar, ScalarKind,
    Scope, Slot, Step, StepKind, Term, TermKind,
};
use interactive::language::types::Column;
use interactive::render::generated;
use interactive::value::{Kinds, Row, Rows, Shown, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Rows with their counts, none of them zero.
pub(crate) type Counts = BTreeMap<Row, i64>;

/// Statement, line, column, reason, row.
pub(crate) type Told = (String, usize, usize, String, String);

/// What exports and errors are, for what sources are.
pub(crate) fn meaning(
    program: &Program,
    files: &Files,
    sources: &BTreeMap<String, Counts>,
    epoch: u64,
    rounds: u64,
) -> (Vec<Counts>, BTreeMap<Told, i64>) {
    let kinds = Kinds::of(&program.sums);
    let mut world = World {
        program,
        files,
        kinds,
        sources,
        epoch,
        rounds,
        states: Vec::new(),
        values: BTreeMap::new(),
        solved: BTreeMap::new(),
    };
    world.states.push(State { around: None, of: Of::Program, callers: String::new() });
    let ids = || program.definitions.iter().enumerate();
    let exports: Vec<DefinitionId> = ids()
        .filter(|(_, definition)| matches!(definition.kind, DefinitionKind::Export(_)))
        .map(|(at, _)| DefinitionId(at))
        .collect();
    let rows = exports.iter().map(|id| world.body(0, *id).0).collect();
    // Everything that the exports depend on, in its last state.
    let (mut errors, mut seen) = (BTreeMap::new(), BTreeSet::new());
    let mut waiting: Vec<(usize, DefinitionId)> = exports.into_iter().map(|id| (0, id)).collect();
    while let Some((state, id)) = waiting.pop() {
        if seen.insert((state, id)) {
            let (_, notes) = world.body(state, id);
            notes.errors.into_iter().for_each(|(told, count)| *errors.entry(told).or_insert(0) += count);
            waiting.extend(notes.reads);
        }
    }
    for (end, about) in world.solved.into_values() {
        // A variable counts if something read it.
        let about = about.into_iter().filter(|(variable, _)| seen.contains(&(end, *variable)));
        about.for_each(|(_, told)| *errors.entry(told).or_insert(0) += 1);
    }
    errors.retain(|_, count| *count != 0);
    (rows, errors)
}

/// What came to be known beside a value.
#[derive(Clone, Default)]
struct Notes {
    errors: BTreeMap<Told, i64>,
    reads: Vec<(usize, DefinitionId)>,
    /// Whether rows wait for a later round.
    pending: bool,
}

struct State<'p> {
    around: Option<usize>,
    of: Of<'p>,
    callers: String,
}

enum Of<'p> {
    Program,
    Call {
        caller: usize,
        parameters: &'p [Parameter],
        arguments: &'p [Argument],
    },
    /// The values of variables, and the round, unless it is the end.
    Round {
        id: LoopId,
        variables: BTreeMap<DefinitionId, Counts>,
        round: Option<u64>,
    },
}

struct World<'p> {
    program: &'p Program,
    files: &'p Files,
    kinds: Kinds,
    sources: &'p BTreeMap<String, Counts>,
    epoch: u64,
    rounds: u64,
    states: Vec<State<'p>>,
    values: BTreeMap<(usize, DefinitionId), (Counts, Notes)>,
    /// By state and loop: the state in the end, and what is told if it was given up.
    solved: BTreeMap<(usize, usize), (usize, Vec<(DefinitionId, Told)>)>,
}

fn add(to: &mut Counts, row: Row, count: i64) {
    let sum = to.get(&row).copied().unwrap_or(0) + count;
    match sum {
        0 => to.remove(&row),
        sum => to.insert(row, sum),
    };
}

fn joined(left: &Row, right: impl IntoIterator<Item = Value>) -> Row {
    left.0.iter().cloned().chain(right).collect()
}

/// What is being evaluated: where, and what it has noted.
struct Here<'n> {
    state: usize,
    statement: String,
    notes: &'n mut Notes,
}

impl<'p> World<'p> {
    /// Whether a state is one of this scope.
    fn is_of(&self, state: usize, scope: Scope) -> bool {
        match (&self.states[state].of, scope) {
            (Of::Round { id, .. }, Scope::Loop(other)) => *id == other,
            (Of::Program, Scope::Program) | (Of::Call { .. }, Scope::Subprogram(_)) => true,
            _ => false,
        }
    }

    /// A definition's value, read in some state.
    fn read(&mut self, here: &mut Here<'_>, id: DefinitionId) -> Counts {
        let scope = self.program.definitions[id.0].scope;
        let is_var = matches!(self.program.definitions[id.0].kind, DefinitionKind::Var(_));
        let mut at = Some(here.state);
        while let Some(state) = at {
            if self.is_of(state, scope) {
                here.notes.reads.push((state, id));
                if let (true, Of::Round { variables, .. }) = (is_var, &self.states[state].of) {
                    return variables[&id].clone();
                }
                let (value, notes) = self.body(state, id);
                here.notes.pending |= notes.pending;
                return value;
            }
            at = self.states[state].around;
        }
        // It is in a loop within some scope around.
        let Scope::Loop(inner) = scope else { panic!("a definition of nowhere") };
        let outer = self.program.loops[inner.0].scope;
        let mut state = here.state;
        while !self.is_of(state, outer) {
            state = self.states[state].around.unwrap();
        }
        let end = self.solve(state, inner);
        here.notes.reads.push((end, id));
        match &self.states[end].of {
            Of::Round { variables, .. } if is_var => variables[&id].clone(),
            _ => self.body(end, id).0,
        }
    }

    /// The last state of a loop.
    fn solve(&mut self, around: usize, id: LoopId) -> usize {
        if let Some((end, _)) = self.solved.get(&(around, id.0)) {
            return *end;
        }
        let of_loop = |kind: &DefinitionKind| matches!(kind, DefinitionKind::Var(_));
        let ids = self.program.definitions.iter().enumerate();
        let all: Vec<DefinitionId> = ids
            .filter(|(_, definition)| definition.scope == Scope::Loop(id) && of_loop(&definition.kind))
            .map(|(at, _)| DefinitionId(at))
            .collect();
        let limit = match &self.program.loops[id.0].limit {
            Some(limit) => int(&self.constant(around, limit)) as u64,
            None => self.rounds,
        };
        let mut variables: BTreeMap<DefinitionId, Counts> = all.iter().map(|id| (*id, Counts::new())).collect();
        let callers = self.states[around].callers.clone();
        let mut about = Vec::new();
        let mut round = 0;
        loop {
            let shown = if round == limit { None } else { Some(round) };
            let of = Of::Round { id, variables: variables.clone(), round: shown };
            self.states.push(State { around: Some(around), of, callers: callers.clone() });
            let state = self.states.len() - 1;
            let (mut next, mut pending) = (BTreeMap::new(), false);
            for variable in &all {
                let (value, notes) = self.body(state, *variable);
                pending |= notes.pending;
                next.insert(*variable, value);
            }
            if next == variables && !pending {
                break;
            }
            if round == limit {
                for variable in &all {
                    let told = self.given_up(state, id, *variable, limit, &variables[variable], &next[variable]);
                    about.extend(told.into_iter().map(|told| (*variable, told)));
                }
                break;
            }
            variables = next;
            round += 1;
        }
        let of = Of::Round { id, variables, round: None };
        self.states.push(State { around: Some(around), of, callers });
        let end = self.states.len() - 1;
        self.solved.insert((around, id.0), (end, about));
        end
    }

    fn given_up(
        &self,
        state: usize,
        id: LoopId,
        variable: DefinitionId,
        limit: u64,
        is: &Counts,
        next: &Counts,
    ) -> Vec<Told> {
        let rows: BTreeSet<&Row> = is.keys().chain(next.keys()).filter(|row| is.get(row) != next.get(row)).collect();
        let columns = &self.program.definitions[variable.0].columns;
        let mut texts: Vec<String> = rows.into_iter().map(|row| self.text(row, columns)).collect();
        texts.sort();
        let (line, column) = self.files.line_and_column(self.program.loops[id.0].span);
        let reason = format!("the loop still changes after {limit} rounds");
        let statement = self.statement(state, variable);
        texts.into_iter().take(3).map(|text| (statement.clone(), line, column, reason.clone(), text)).collect()
    }

    fn statement(&self, state: usize, id: DefinitionId) -> String {
        let definition = &self.program.definitions[id.0];
        let (mut path, mut scope) = (definition.name.clone(), definition.scope);
        loop {
            let name = match scope {
                Scope::Program => return format!("{}{path}", self.states[state].callers),
                Scope::Loop(id) => {
                    scope = self.program.loops[id.0].scope;
                    &self.program.loops[id.0].name
                }
                Scope::Subprogram(id) => {
                    scope = Scope::Program;
                    &self.program.subprograms[id.0].name
                }
            };
            path = format!("{name}.{path}");
        }
    }

    fn text(&self, row: &Row, columns: &[Column]) -> String {
        let shown = row.0.iter().zip(columns).map(|(value, column)| {
            format!("{}: {}", column.name, Shown { value, of: &column.of, sums: &self.program.sums })
        });
        format!("({})", shown.collect::<Vec<_>>().join(", "))
    }

    /// What a definition says in a state of its scope.
    fn body(&mut self, state: usize, id: DefinitionId) -> (Counts, Notes) {
        if let Some(known) = self.values.get(&(state, id)) {
            return known.clone();
        }
        let definition = &self.program.definitions[id.0];
        let mut notes = Notes::default();
        let mut here = Here { state, statement: self.statement(state, id), notes: &mut notes };
        let value = match &definition.kind {
            DefinitionKind::Source => self.sources.get(&definition.name).cloned().unwrap_or_default(),
            DefinitionKind::Generated(generator) => {
                let mut made = Counts::new();
                generated::rows(generator, self.epoch).for_each(|row| add(&mut made, row, 1));
                made
            }
            DefinitionKind::Import { .. } => panic!("nothing to import from"),
            DefinitionKind::Parameter => {
                let Of::Call { caller, parameters, arguments } = &self.states[state].of else { panic!("no call") };
                let is_it = |parameter: &Parameter| matches!(parameter, Parameter::Bag(other) if *other == id);
                let Argument::Bag(bag) = &arguments[parameters.iter().position(is_it).unwrap()] else { panic!() };
                // The statement is the caller's.
                let statement = self.states[state].callers.strip_suffix(": ").unwrap().to_string();
                let caller = *caller;
                self.bag(&mut Here { state: caller, statement, notes: here.notes }, bag)
            }
            DefinitionKind::Let(bag) | DefinitionKind::Var(bag) | DefinitionKind::Export(bag) => {
                self.bag(&mut here, bag)
            }
        };
        self.values.insert((state, id), (value.clone(), notes.clone()));
        (value, notes)
    }

    fn bag(&mut self, here: &mut Here<'_>, bag: &'p Bag) -> Counts {
        let mut sum = Counts::new();
        for part in &bag.parts {
            let sign = if part.subtracted { -1 } else { 1 };
            self.term(here, &part.term).into_iter().for_each(|(row, count)| add(&mut sum, row, sign * count));
        }
        let mut columns = &bag.parts[0].term.columns;
        for step in &bag.steps {
            sum = self.step(here, sum, columns, step);
            columns = &step.columns;
        }
        sum
    }

    fn term(&mut self, here: &mut Here<'_>, term: &'p Term) -> Counts {
        match &term.kind {
            TermKind::Read(id) => self.read(here, *id),
            TermKind::Nested(bag) => self.bag(here, bag),
            TermKind::Rows(rows) => {
                let mut made = Counts::new();
                for row in rows {
                    let all: Vec<&Scalar> = row.iter().collect();
                    match self.scalars(here.state, &all, &[], &Row::from_iter([])) {
                        Ok(row) => add(&mut made, row, 1),
                        Err(failure) => self.fail(here, failure, &Row::from_iter([]), &[], 1),
                    }
                }
                made
            }
            TermKind::Call(id, arguments) => {
                let subprogram = &self.program.subprograms[id.0];
                let of = Of::Call { caller: here.state, parameters: &subprogram.parameters, arguments };
                let callers = format!("{}: ", here.statement);
                self.states.push(State { around: None, of, callers });
                let state = self.states.len() - 1;
                here.notes.reads.push((state, subprogram.result));
                let (value, notes) = self.body(state, subprogram.result);
                here.notes.pending |= notes.pending;
                value
            }
            TermKind::Multiway { atoms } => {
                let mut bindings: Vec<(Vec<Option<Value>>, i64)> = vec![(vec![None; term.columns.len()], 1)];
                for atom in atoms {
                    let rows = self.read(here, atom.collection);
                    let mut next = Vec::new();
                    for (binding, count) in &bindings {
                        'rows: for (row, times) in &rows {
                            let mut binding = binding.clone();
                            for (slot, value) in atom.slots.iter().zip(&row.0) {
                                match slot {
                                    Slot::Any => {}
                                    Slot::Constant(constant) if self.constant(here.state, constant) == *value => {}
                                    Slot::Constant(_) => continue 'rows,
                                    Slot::Variable(at) => match &binding[*at] {
                                        Some(bound) if bound != value => continue 'rows,
                                        _ => binding[*at] = Some(value.clone()),
                                    },
                                }
                            }
                            next.push((binding, count * times));
                        }
                    }
                    bindings = next;
                }
                let mut made = Counts::new();
                for (binding, count) in bindings {
                    add(&mut made, binding.into_iter().map(Option::unwrap).collect(), count);
                }
                made
            }
        }
    }

    /// Scalars of a row; parameters are more columns behind its own.
    fn scalars(&mut self, state: usize, scalars: &[&Scalar], columns: &[Column], row: &Row) -> Result<Row, Failure> {
        let values = self.parameters(state);
        let scalars: Vec<Scalar> = scalars.iter().map(|scalar| behind(scalar, columns.len())).collect();
        let kernel = Kernel::compile(&scalars, &self.kinds);
        let kinds =
            self.kinds.schema(columns).iter().cloned().chain(values.iter().map(|(kind, _)| kind.clone())).collect();
        let mut input: Rows = differential::column::Column::empty(&kinds);
        input.push_values(&joined(row, values.into_iter().map(|(_, value)| value)).0);
        let mut made: Rows = differential::column::Column::empty(kernel.schema());
        match kernel.apply(&input, 0..1, &mut made).failed.first() {
            Some((_, failure)) => Err(*failure),
            None => Ok(made.row(0)),
        }
    }

    fn parameters(&mut self, mut state: usize) -> Vec<(interactive::value::Kind, Value)> {
        loop {
            match &self.states[state].of {
                Of::Round { .. } => state = self.states[state].around.unwrap(),
                Of::Program => return Vec::new(),
                Of::Call { caller, arguments, .. } => {
                    let (caller, arguments): (usize, &'p [Argument]) = (*caller, arguments);
                    let value = |argument: &'p Argument| match argument {
                        // Stands there for its number only.
                        Argument::Bag(_) => (interactive::value::Kind::Int, Value::Int(0)),
                        Argument::Scalar(scalar) => (self.kinds.kind(&scalar.of), self.constant(caller, scalar)),
                    };
                    return arguments.iter().map(value).collect();
                }
            }
        }
    }

    fn constant(&mut self, state: usize, scalar: &Scalar) -> Value {
        self.scalars(state, &[scalar], &[], &Row::from_iter([])).unwrap().0[0].clone()
    }

    fn fail(&mut self, here: &mut Here<'_>, failure: Failure, row: &Row, columns: &[Column], count: i64) {
        self.tell(here, failure.span, &failure.reason.to_string(), row, columns, count);
    }

    fn tell(&mut self, here: &mut Here<'_>, span: Span, reason: &str, row: &Row, columns: &[Column], count: i64) {
        let (line, column) = self.files.line_and_column(span);
        let told = (here.statement.clone(), line, column, reason.to_string(), self.text(row, columns));
        *here.notes.errors.entry(told).or_insert(0) += count;
    }

    /// Rows with the values of some scalars; those that fail are told of.
    fn with(
        &mut self,
        here: &mut Here<'_>,
        rows: Counts,
        columns: &[Column],
        scalars: &[&Scalar],
    ) -> Vec<(Row, Row, i64)> {
        let mut made = Vec::new();
        for (row, count) in rows {
            match self.scalars(here.state, scalars, columns, &row) {
                Ok(values) => made.push((row, values, count)),
                Err(failure) => self.fail(here, failure, &row, columns, count),
            }
        }
        made
    }

    fn step(&mut self, here: &mut Here<'_>, rows: Counts, columns: &[Column], step: &'p Step) -> Counts {
        let mut made = Counts::new();
        match &step.kind {
            StepKind::Select(values) => {
                for (_, values, count) in self.with(here, rows, columns, &values.iter().collect::<Vec<_>>()) {
                    add(&mut made, values, count);
                }
            }
            StepKind::Where(condition) => {
                for (row, holds, count) in self.with(here, rows, columns, &[condition]) {
                    if holds.0[0] == Value::Bool(true) {
                        add(&mut made, row, count);
                    }
                }
            }
            StepKind::Unnest { list, position } => {
                for (row, values, count) in self.with(here, rows, columns, &[list]) {
                    let Value::List(items) = &values.0[0] else { panic!("no list") };
                    for (at, item) in items.iter().enumerate() {
                        let at = position.then_some(Value::Int(at as i64));
                        add(&mut made, joined(&row, [item.clone()].into_iter().chain(at)), count);
                    }
                }
            }
            StepKind::Inspect(_) => return rows,
            StepKind::Negate => made.extend(rows.into_iter().map(|(row, count)| (row, -count))),
            StepKind::Distinct => {
                made.extend(rows.into_iter().filter(|(_, count)| *count > 0).map(|(row, _)| (row, 1)))
            }
            StepKind::Threshold(least) => {
                let least = int(&self.constant(here.state, least));
                made.extend(rows.into_iter().filter(|(_, count)| *count >= least).map(|(row, _)| (row, 1)));
            }
            StepKind::Except(term) | StepKind::Intersect(term) => {
                let other = self.term(here, term);
                let wanted = matches!(step.kind, StepKind::Intersect(_));
                let is_in = |row: &Row| other.get(row).is_some_and(|count| *count > 0);
                made.extend(rows.into_iter().filter(|(row, _)| is_in(row) == wanted));
            }
            StepKind::Join(join) => return self.join(here, rows, columns, join),
            StepKind::Group { keys, aggregates } => {
                let of = aggregates.iter().filter_map(|aggregate| aggregate.of.as_ref());
                let scalars: Vec<&Scalar> = keys.iter().chain(of).collect();
                let mut groups: BTreeMap<Row, Counts> = BTreeMap::new();
                for (_, values, count) in self.with(here, rows, columns, &scalars) {
                    let (key, of) = values.0.split_at(keys.len());
                    add(groups.entry(Row(key.into())).or_default(), Row(of.into()), count);
                }
                for (key, rows) in groups.into_iter().filter(|(_, rows)| !rows.is_empty()) {
                    if rows.values().any(|count| *count < 0) {
                        let reason = "a row of the group is there a negative number of times";
                        self.tell(here, step.span, reason, &key, &step.columns[..keys.len()], 1);
                        continue;
                    }
                    match aggregated(&rows, aggregates) {
                        Ok(values) => add(&mut made, joined(&key, values), 1),
                        Err(span) => self.tell(here, span, "an int overflows", &key, &step.columns[..keys.len()], 1),
                    }
                }
            }
            StepKind::Top { count, by, per } => {
                let wanted = int(&self.constant(here.state, count));
                let scalars: Vec<&Scalar> = per.iter().chain(by.iter().map(|(value, _)| value)).collect();
                let mut groups: BTreeMap<Row, Vec<(Row, Row, i64)>> = BTreeMap::new();
                for (row, values, count) in self.with(here, rows, columns, &scalars) {
                    let (key, order) = values.0.split_at(per.len());
                    groups.entry(Row(key.into())).or_default().push((Row(order.into()), row, count));
                }
                for (key, mut rows) in groups {
                    if rows.iter().any(|(_, _, count)| *count < 0) {
                        let reason = "a row of the group is there a negative number of times";
                        let named = |(at, scalar): (usize, &Scalar)| match scalar.kind {
                            ScalarKind::Column(at) => columns[at].clone(),
                            _ => Column { name: format!("${at}"), of: scalar.of.clone() },
                        };
                        let names: Vec<Column> = per.iter().enumerate().map(named).collect();
                        let shown = |(column, _): &(&Column, &Value)| !column.name.starts_with('$');
                        let (names, key): (Vec<Column>, Vec<Value>) = names
                            .iter()
                            .zip(&key.0)
                            .filter(shown)
                            .map(|(column, value)| (column.clone(), value.clone()))
                            .unzip();
                        self.tell(here, step.span, reason, &key.into_iter().collect(), &names, 1);
                        continue;
                    }
                    rows.sort_by(|left, right| {
                        let orders = left.0.0.iter().zip(&right.0.0).zip(by);
                        let orders = orders.map(
                            |((left, right), (_, down))| {
                                if *down { right.cmp(left) } else { left.cmp(right) }
                            },
                        );
                        orders
                            .fold(std::cmp::Ordering::Equal, |so_far, order| so_far.then(order))
                            .then(left.1.cmp(&right.1))
                    });
                    let copies = rows.into_iter().flat_map(|(_, row, count)| std::iter::repeat_n(row, count as usize));
                    copies.take(wanted as usize).for_each(|row| add(&mut made, row, 1));
                }
            }
            StepKind::EnterAt(entry) => {
                let Of::Round { round, .. } = &self.states[here.state].of else { panic!("not in a loop") };
                let round = *round;
                for (row, at, count) in self.with(here, rows, columns, &[entry]) {
                    match int(&at.0[0]) {
                        at if at < 0 => self.tell(here, entry.span, "a round is negative", &row, columns, count),
                        at if round.is_none_or(|round| at as u64 <= round) => add(&mut made, row, count),
                        _ => here.notes.pending = true,
                    }
                }
            }
        }
        made
    }

    fn join(&mut self, here: &mut Here<'_>, rows: Counts, columns: &[Column], join: &'p Join) -> Counts {
        let other = self.term(here, &join.other);
        let left = self.with(here, rows, columns, &join.on.iter().map(|(left, _)| left).collect::<Vec<_>>());
        let right_columns = &join.other.columns;
        let right = self.with(here, other, right_columns, &join.on.iter().map(|(_, right)| right).collect::<Vec<_>>());
        let kept = |row: &Row| join.kept.iter().map(|at| row.0[*at].clone()).collect::<Vec<_>>();
        let mut made = Counts::new();
        for (row, key, count) in left {
            let mut keys = BTreeMap::new();
            right
                .iter()
                .filter(|(_, other, _)| *other == key)
                .for_each(|(_, key, times)| *keys.entry(key).or_insert(0) += times);
            let is_matched = keys.values().any(|count| *count > 0);
            if matches!(join.kind, JoinKind::Inner | JoinKind::Cross | JoinKind::Left) {
                for (other, _, times) in right.iter().filter(|(_, other, _)| *other == key) {
                    let wrap = |value| if join.kind == JoinKind::Left { Value::some(value) } else { value };
                    add(&mut made, joined(&row, kept(other).into_iter().map(wrap)), count * times);
                }
            }
            match join.kind {
                JoinKind::Left if !is_matched => {
                    add(&mut made, joined(&row, join.kept.iter().map(|_| Value::NONE)), count);
                }
                JoinKind::Semi if is_matched => add(&mut made, row, count),
                JoinKind::Anti if !is_matched => add(&mut made, row, count),
                _ => {}
            }
        }
        made
    }
}

/// Aggregates of a group without negative counts, or the place of the first that overflows.
fn aggregated(rows: &Counts, aggregates: &[Aggregate]) -> Result<Vec<Value>, Span> {
    let mut of = 0;
    let mut values = Vec::new();
    for aggregate in aggregates {
        let all: Vec<(Value, i64)> = match aggregate.of {
            Some(_) => {
                of += 1;
                rows.iter().map(|(row, count)| (row.0[of - 1].clone(), *count)).collect()
            }
            None => rows.values().map(|count| (Value::Int(0), *count)).collect(),
        };
        let mut copies: Vec<Value> =
            all.iter().flat_map(|(value, count)| std::iter::repeat_n(value.clone(), *count as usize)).collect();
        copies.sort();
        let floats = || {
            let mut sums: BTreeMap<&Value, i64> = BTreeMap::new();
            all.iter().for_each(|(value, count)| *sums.entry(value).or_insert(0) += count);
            sums.into_iter().fold(0.0, |sum, (value, count)| match value {
                Value::Float(number) => sum + number.get() * count as f64,
                _ => panic!("no float"),
            })
        };
        let ints = || copies.iter().map(|value| i128::from(int(value))).sum::<i128>();
        let is_int = matches!(copies[0], Value::Int(_));
        values.push(match aggregate.function {
            AggregateFunction::Count => Value::Int(copies.len() as i64),
            AggregateFunction::Sum if is_int => Value::Int(i64::try_from(ints()).map_err(|_| aggregate.span)?),
            AggregateFunction::Sum => Value::float(floats()),
            AggregateFunction::Average if is_int => Value::float(ints() as f64 / copies.len() as f64),
            AggregateFunction::Average => Value::float(floats() / copies.len() as f64),
            AggregateFunction::Min | AggregateFunction::Any => copies[0].clone(),
            AggregateFunction::Max => copies[copies.len() - 1].clone(),
            AggregateFunction::Collect => Value::list(copies),
        });
    }
    Ok(values)
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Int(number) => *number,
        other => panic!("{other:?} is no int"),
    }
}

/// A scalar whose parameters are columns behind so many others.
fn behind(scalar: &Scalar, width: usize) -> Scalar {
    let one = |scalar: &Scalar| behind(scalar, width);
    let boxed = |scalar: &Scalar| Box::new(behind(scalar, width));
    let all = |scalars: &[Scalar]| scalars.iter().map(one).collect();
    let kind = match &scalar.kind {
        ScalarKind::Parameter(at) => ScalarKind::Column(width + at),
        ScalarKind::Tuple(parts) => ScalarKind::Tuple(all(parts)),
        ScalarKind::List(parts) => ScalarKind::List(all(parts)),
        ScalarKind::Call(function, parts) => ScalarKind::Call(*function, all(parts)),
        ScalarKind::Construct { constructor, payload } => {
            ScalarKind::Construct { constructor: *constructor, payload: payload.as_deref().map(boxed) }
        }
        ScalarKind::Field(of, at) => ScalarKind::Field(boxed(of), *at),
        ScalarKind::Negative(of) => ScalarKind::Negative(boxed(of)),
        ScalarKind::Not(of) => ScalarKind::Not(boxed(of)),
        ScalarKind::Lambda(names, of) => ScalarKind::Lambda(names.clone(), boxed(of)),
        ScalarKind::Binary(operator, left, right) => ScalarKind::Binary(*operator, boxed(left), boxed(right)),
        ScalarKind::Let(name, value, of) => ScalarKind::Let(*name, boxed(value), boxed(of)),
        ScalarKind::If(condition, then, other) => ScalarKind::If(boxed(condition), boxed(then), boxed(other)),
        ScalarKind::Case(of, arms) => {
            let arm = |arm: &Arm| Arm { pattern: arm.pattern.clone(), value: one(&arm.value) };
            ScalarKind::Case(boxed(of), arms.iter().map(arm).collect())
        }
        other => other.clone(),
    };
    Scalar { kind, ..scalar.clone() }
}

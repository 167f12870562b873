//! What the page of `program.rs` promises a planner, checked by walking all of a program.

use interactive::language::program::{
    Argument, Bag, DefinitionKind, Pattern, PatternKind, Program, Scalar, ScalarKind, Scope, Slot, StepKind, Term,
    TermKind,
};
use interactive::language::types::{Column, Type};

/// Panics if a number is out of range, a type has a hole, or a column is not of the type that is said of it.
pub(crate) fn assert_sound(program: &Program) {
    for definition in &program.definitions {
        whole(definition.columns.iter().map(|column| &column.of));
        let mut names: Vec<&str> = definition.columns.iter().map(|column| column.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), definition.columns.len(), "columns of one name");
        let values = match subprogram(program, definition.scope) {
            Some(id) => program.subprograms[id].parameters.len(),
            None => 0,
        };
        let walk = Walk { program, values };
        match &definition.kind {
            DefinitionKind::Let(bag) | DefinitionKind::Var(bag) | DefinitionKind::Export(bag) => {
                walk.bag(bag);
                assert!(bag.columns == definition.columns, "{}", definition.name);
            }
            _ => {}
        }
    }
    for sum in &program.sums {
        whole(sum.constructors.iter().filter_map(|constructor| constructor.payload.as_ref()));
    }
}

fn subprogram(program: &Program, scope: Scope) -> Option<usize> {
    match scope {
        Scope::Program => None,
        Scope::Subprogram(id) => Some(id.0),
        Scope::Loop(id) => subprogram(program, program.loops[id.0].scope),
    }
}

fn whole<'t>(types: impl Iterator<Item = &'t Type>) {
    types.for_each(|of| assert!(!of.has(&Type::Hole) && !of.has(&Type::Broken), "{of:?}"));
}

struct Walk<'p> {
    program: &'p Program,
    values: usize,
}

impl Walk<'_> {
    fn bag(&self, bag: &Bag) {
        bag.parts.iter().for_each(|part| self.term(&part.term));
        let mut row = &bag.parts[0].term.columns;
        for part in &bag.parts {
            assert_eq!(&part.term.columns, row, "a sum of unlike parts");
        }
        for step in &bag.steps {
            self.step(&step.kind, row, &step.columns);
            row = &step.columns;
        }
        assert_eq!(row, &bag.columns);
    }

    fn term(&self, term: &Term) {
        match &term.kind {
            TermKind::Read(id) => assert_eq!(self.program.definitions[id.0].columns, term.columns),
            TermKind::Nested(bag) => self.bag(bag),
            TermKind::Rows(rows) => rows.iter().for_each(|row| self.select(row, &[], &term.columns)),
            TermKind::Call(id, arguments) => {
                let subprogram = &self.program.subprograms[id.0];
                assert_eq!(arguments.len(), subprogram.parameters.len());
                assert_eq!(self.program.definitions[subprogram.result.0].columns, term.columns);
                for argument in arguments {
                    match argument {
                        Argument::Bag(bag) => self.bag(bag),
                        Argument::Scalar(value) => self.scalar(value, &[]),
                    }
                }
            }
            TermKind::Multiway { atoms } => {
                for atom in atoms {
                    let columns = &self.program.definitions[atom.collection.0].columns;
                    assert_eq!(columns.len(), atom.slots.len());
                    for (slot, column) in atom.slots.iter().zip(columns.iter()) {
                        match slot {
                            Slot::Variable(at) => assert_eq!(term.columns[*at].of, column.of),
                            Slot::Constant(value) => {
                                self.scalar(value, &[]);
                                assert_eq!(value.of, column.of);
                            }
                            Slot::Any => {}
                        }
                    }
                }
            }
        }
    }

    fn select(&self, values: &[Scalar], row: &[Column], after: &[Column]) {
        assert_eq!(values.len(), after.len());
        for (value, column) in values.iter().zip(after) {
            self.scalar(value, row);
            assert_eq!(value.of, column.of, "{value:?}");
        }
    }

    fn step(&self, kind: &StepKind, row: &[Column], after: &[Column]) {
        let same = match kind {
            StepKind::Select(values) => {
                self.select(values, row, after);
                false
            }
            StepKind::Where(condition) => {
                self.scalar(condition, row);
                condition.of == Type::Bool
            }
            StepKind::Unnest { list, position } => {
                self.scalar(list, row);
                assert_eq!(after.len(), row.len() + 1 + usize::from(*position));
                assert_eq!(list.of, Type::List(Box::new(after[row.len()].of.clone())));
                false
            }
            StepKind::Except(term) | StepKind::Intersect(term) => {
                self.term(term);
                *term.columns == *row
            }
            StepKind::Join(join) => {
                self.term(&join.other);
                for (left, right) in &join.on {
                    self.scalar(left, row);
                    self.scalar(right, &join.other.columns);
                    assert_eq!(left.of, right.of);
                }
                let kept = join.kept.iter().map(|at| &join.other.columns[*at].name);
                let names: Vec<&String> = row.iter().map(|column| &column.name).chain(kept).collect();
                assert_eq!(names, after.iter().map(|column| &column.name).collect::<Vec<_>>());
                false
            }
            StepKind::Group { keys, aggregates } => {
                self.select(keys, row, &after[..keys.len()]);
                assert_eq!(after.len(), keys.len() + aggregates.len());
                aggregates.iter().filter_map(|aggregate| aggregate.of.as_ref()).for_each(|of| self.scalar(of, row));
                false
            }
            StepKind::Top { count, by, per } => {
                self.scalar(count, &[]);
                by.iter().map(|(value, _)| value).chain(per).for_each(|value| self.scalar(value, row));
                true
            }
            StepKind::EnterAt(round) => {
                self.scalar(round, row);
                round.of == Type::Int
            }
            StepKind::Threshold(count) => {
                self.scalar(count, &[]);
                count.of == Type::Int
            }
            StepKind::Inspect(_) | StepKind::Distinct | StepKind::Negate => true,
        };
        assert!(!same || row == after, "{kind:?}");
    }

    fn scalar(&self, value: &Scalar, row: &[Column]) {
        whole([&value.of].into_iter());
        let all = |parts: &[Scalar]| parts.iter().for_each(|part| self.scalar(part, row));
        match &value.kind {
            ScalarKind::Column(at) => assert_eq!(row[*at].of, value.of),
            ScalarKind::Parameter(at) => assert!(*at < self.values),
            ScalarKind::Tuple(parts) | ScalarKind::List(parts) | ScalarKind::Call(_, parts) => all(parts),
            ScalarKind::Construct { constructor, payload } => {
                match &value.of {
                    Type::Option(_) => assert_eq!(*constructor, usize::from(payload.is_some())),
                    Type::Sum(id, _) => {
                        let wanted = &self.program.sums[id.0].constructors[*constructor].payload;
                        assert_eq!(wanted.as_ref(), payload.as_ref().map(|payload| &payload.of));
                    }
                    other => panic!("constructed {other:?}"),
                }
                payload.iter().for_each(|payload| self.scalar(payload, row));
            }
            ScalarKind::Field(of, at) => {
                self.scalar(of, row);
                let Type::Tuple(fields) = &of.of else { panic!("a field of {:?}", of.of) };
                assert_eq!(fields[*at], value.of);
            }
            ScalarKind::Negative(of) | ScalarKind::Not(of) | ScalarKind::Lambda(_, of) => self.scalar(of, row),
            ScalarKind::Binary(_, left, right) => {
                self.scalar(left, row);
                self.scalar(right, row);
                assert_eq!(left.of, right.of, "{value:?}");
            }
            ScalarKind::Let(_, left, right) => {
                self.scalar(left, row);
                self.scalar(right, row);
            }
            ScalarKind::If(condition, then, other) => {
                [condition, then, other].into_iter().for_each(|part| self.scalar(part, row));
                assert!(then.of == value.of && other.of == value.of, "{value:?}");
            }
            ScalarKind::Case(of, arms) => {
                self.scalar(of, row);
                for arm in arms {
                    self.pattern(&arm.pattern, &of.of);
                    self.scalar(&arm.value, row);
                    assert_eq!(arm.value.of, value.of);
                }
            }
            ScalarKind::Int(_) | ScalarKind::Float(_) | ScalarKind::Bool(_) | ScalarKind::Text(_) => {}
            ScalarKind::Local(_) => {}
            ScalarKind::Broken => panic!("a broken value in a program that is fine"),
        }
    }

    fn pattern(&self, pattern: &Pattern, of: &Type) {
        match (&pattern.kind, of) {
            (PatternKind::Any | PatternKind::Bind(_), _)
            | (PatternKind::Int(_), Type::Int)
            | (PatternKind::Float(_), Type::Float)
            | (PatternKind::Bool(_), Type::Bool)
            | (PatternKind::Text(_), Type::Text)
            | (PatternKind::Construct(0, None), Type::Option(_)) => {}
            (PatternKind::Construct(1, Some(inside)), Type::Option(of)) => self.pattern(inside, of),
            (PatternKind::Construct(at, inside), Type::Sum(id, _)) => {
                match (inside, &self.program.sums[id.0].constructors[*at].payload) {
                    (None, None) => {}
                    (Some(inside), Some(of)) => self.pattern(inside, of),
                    (inside, payload) => panic!("{inside:?} for {payload:?}"),
                }
            }
            (PatternKind::Tuple(parts), Type::Tuple(types)) => {
                assert_eq!(parts.len(), types.len());
                parts.iter().zip(types).for_each(|(part, of)| self.pattern(part, of));
            }
            (kind, of) => panic!("{kind:?} for {of:?}"),
        }
    }
}

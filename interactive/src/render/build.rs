//! From operators of the plan to those of the engine, one after the other.
//!
//! | of the plan | of the engine |
//! |---|---|
//! | rows one by one, and what groups make | columns of a container to columns of another, failures to a second output |
//! | an arrangement | the same with a key and a value, then `arrange_by_key` |
//! | a join | `join_with`, by columns |
//! | a group, a top | `reduce_to`: whole rows of aggregates |
//! | distinct, threshold | `threshold`: where there are no rounds, without a history; or `Arranged::distinct` (`turned`) |
//! | a variable | a variable, cut off at its loop's limit |
//!
//! Operators whose inputs are of an outer scope run there; the engine enters by itself where the two are combined.

use super::failures::{Shared, Teller, error_schema};
use super::groups::{Of, group, top};
use super::picked::{Layout, Parts, PickPairs};
use super::rowwise::rowwise;
use super::turned::Turned;
use super::{Inspected, Options};
use crate::kernel::{Failure, fails};
use crate::language::program::{Generator, Scalar};
use crate::language::types::Column as Named;
use crate::plan::tree::{Node, NodeId, Operator, ScopeId};
use crate::plan::{Plan, constant};
use crate::value::{Kinds, Row, RowRef, Rows, Schema, Value};
use differential::collection::Made;
use differential::column::Column;
use differential::{Arranged, Collection, Scope, Session, Variable};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// What programs that are installed together share.
#[derive(Default)]
pub(super) struct Common {
    /// Sources, in the order in which they are written.
    pub(super) sources: Vec<SharedSource>,
    /// Arrangements of sources: by the source, the columns of the key and those of the value.
    indexes: BTreeMap<Index, Arranged<Layout>>,
    /// Rows that are there from the beginning: of the first commit.
    pub(super) fixed: Vec<Session<Row>>,
    /// What programs export, by program and name.
    pub(super) exports: BTreeMap<(String, String), Collection<Row>>,
}

/// A source, and the columns of the key and of the value of an arrangement of it.
type Index = (String, Vec<usize>, Vec<usize>);

/// A source that several programs may read.
pub(super) struct SharedSource {
    pub(super) name: String,
    pub(super) columns: Arc<[Named]>,
    pub(super) schema: Schema,
    pub(super) session: Session<Row>,
    collection: Collection<Row>,
}

/// What a plan is made into.
pub(super) struct Built {
    pub(super) clocks: Vec<Session<Row>>,
    pub(super) exports: Vec<Collection<Row>>,
    pub(super) errors: Collection<Row>,
}

/// Some of what is still changing when a loop is given up is shown: so many rows of each variable.
const SHOWN: usize = 3;

/// What an operator is made into.
enum Rendered {
    Rows(Collection<Row>),
    Arranged(Arranged<Layout>),
}

pub(super) struct Builder<'a> {
    pub(super) plan: &'a Plan,
    pub(super) options: &'a Options,
    pub(super) shared: Rc<Shared>,
    pub(super) kinds: Kinds,
    /// Whether this worker makes up rows.
    pub(super) is_first: bool,
}

impl Common {
    /// The rows of a source, which is made when the first program asks for it.
    fn source(&mut self, root: &Scope, name: &str, columns: &Arc<[Named]>, schema: Schema) -> Collection<Row> {
        if let Some(source) = self.sources.iter().find(|source| source.name == name) {
            return source.collection.clone();
        }
        let (session, collection) = root.input_of_shape(name, schema.clone());
        let (name, columns) = (name.to_string(), columns.clone());
        self.sources.push(SharedSource { name, columns, schema, session, collection: collection.clone() });
        collection
    }
}

impl Builder<'_> {
    /// Adds the plan's operators to a scope.
    ///
    /// # Panics
    /// If an import is missing.
    pub(super) fn build(&self, root: &Scope, common: &mut Common) -> Built {
        let scopes = self.scopes(root);
        let mut rendered: Vec<Rendered> = Vec::new();
        let mut variables = Vec::new();
        let turned = Turned::of(self.plan);
        // Arrangements that sets are kept as.
        let mut kept: BTreeMap<NodeId, Arranged<Layout>> = BTreeMap::new();
        let (mut clocks, mut errors, mut late) = (Vec::new(), Vec::new(), Vec::new());
        for (at, node) in self.plan.nodes.iter().enumerate() {
            let at = NodeId(at);
            let rows = |id: NodeId| match &rendered[id.0] {
                Rendered::Rows(rows) => rows,
                Rendered::Arranged(_) => unreachable!("#{} is arranged", id.0),
            };
            let arranged = |id: NodeId| match &rendered[id.0] {
                Rendered::Arranged(arranged) => arranged,
                Rendered::Rows(_) => unreachable!("#{} is not arranged", id.0),
            };
            let schema = self.kinds.schema(&node.columns);
            let made = match &node.operator {
                Operator::Source { name } => common.source(root, name, &node.columns, schema),
                Operator::Import { program, export } => common.exports[&(program.clone(), export.clone())].clone(),
                Operator::Generated(Generator::Clock) => {
                    let (session, collection) = root.input_of_shape("clock", schema);
                    clocks.push(session);
                    collection
                }
                Operator::Generated(generator) => {
                    self.fixed(root, node, super::generated::rows(generator, 0).map(Ok), (common, &mut errors))
                }
                Operator::Rows(written) => {
                    self.fixed(root, node, written.iter().map(|row| self.written(node, row)), (common, &mut errors))
                }
                Operator::Rowwise { input, steps } => {
                    let columns = &self.plan.node(*input).columns;
                    let (made, failed) = rowwise(rows(*input), (columns, steps), (&self.kinds, &self.shared));
                    errors.extend(failed);
                    made
                }
                Operator::Inspect { input, label } => self.inspect(rows(*input), node, label),
                Operator::Concat { parts } => {
                    let signed = |(part, subtracted): &(NodeId, bool)| match subtracted {
                        true => rows(*part).negate(),
                        false => rows(*part).clone(),
                    };
                    let parts: Vec<Collection<Row>> = parts.iter().map(signed).collect();
                    match &parts[..] {
                        [only] => only.clone(),
                        [first, others @ ..] => first.concat_all(others),
                        [] => unreachable!("a sum of nothing"),
                    }
                }
                Operator::Threshold { input, least } => {
                    if let Some(variable) = turned.variables.get(&at) {
                        rows(*variable).clone()
                    } else if let Some(arrange) = turned.kept_as.get(&at) {
                        self.set(rows(*input), *arrange, &mut kept)
                    } else {
                        let least = *least;
                        rows(*input).threshold(move |count| i64::from(*count >= least))
                    }
                }
                Operator::Arrange { input, key, value } => {
                    let arrange = || self.arrange(rows(*input), *input, key, value);
                    rendered.push(Rendered::Arranged(match &self.plan.node(*input).operator {
                        _ if kept.contains_key(&at) => kept[&at].clone(),
                        Operator::Source { name } => {
                            let index = (name.clone(), key.clone(), value.clone());
                            common.indexes.entry(index).or_insert_with(arrange).clone()
                        }
                        _ => arrange(),
                    }));
                    continue;
                }
                Operator::Join { left, right, output } => {
                    let logic = PickPairs { output: output.clone() };
                    arranged(*left).join_with(arranged(*right), schema, logic)
                }
                Operator::Group { input, aggregates } => {
                    let (made, failed) = group(arranged(*input), aggregates, &self.of(node, *input));
                    errors.push(failed);
                    made
                }
                Operator::Top { input, count, by, output } => {
                    let (made, failed) = top(arranged(*input), *count, by, output, &self.of(node, *input));
                    errors.push(failed);
                    made
                }
                Operator::EnterAt { input, round } => {
                    let round = *round;
                    let round_of = move |row: RowRef<'_>| match row.field(round).value() {
                        Value::Int(round) => u64::try_from(round).expect("a round that is negative has failed"),
                        other => unreachable!("a round is an int: {other:?}"),
                    };
                    rows(*input).enter_at(&scopes[node.scope.0], round_of)
                }
                Operator::Variable { definition } => {
                    let variable = Variable::of_shape(&scopes[node.scope.0], schema);
                    let current = variable.current().clone();
                    let operator = &self.plan.node(*definition).operator;
                    match (turned.kept_as.get(&at), operator) {
                        (Some(arrange), Operator::Threshold { input, .. }) => {
                            variables.push((node, *input, variable, true));
                            self.set(&current, *arrange, &mut kept)
                        }
                        _ => {
                            variables.push((node, *definition, variable, false));
                            current
                        }
                    }
                }
                Operator::Leave { input } => rows(*input).leave(),
            };
            rendered.push(Rendered::Rows(made));
        }
        let rows = |id: NodeId| match &rendered[id.0] {
            Rendered::Rows(rows) => rows,
            Rendered::Arranged(_) => unreachable!("#{} is arranged", id.0),
        };
        for (node, definition, variable, is_turned) in variables {
            let scope = &self.plan.scopes[node.scope.0];
            let result = rows(definition).enter(&scopes[node.scope.0]);
            // What a set is made of is added up where the set is.
            let result = if is_turned { result } else { result.consolidate() };
            match scope.limit.or(self.options.rounds) {
                None => variable.set(&result),
                Some(limit) => {
                    // What makes a set settles a round after the set.
                    let (kept, cut) = result.split_at_round(limit.saturating_add(u64::from(is_turned)));
                    variable.set(&kept);
                    late.push(self.late(outside(cut), node, limit));
                }
            }
        }
        if let [first, others @ ..] = &late[..] {
            errors.push(told_of_some(&first.concat_all(others)));
        }
        let errors: Vec<Collection<Row>> = errors.into_iter().map(outside).collect();
        let errors = match &errors[..] {
            [first, others @ ..] => first.concat_all(others),
            // Nothing can go wrong.
            [] => root.input_of_shape("errors", error_schema()).1,
        };
        let exports = self.plan.exports.iter().map(|export| rows(export.node).clone()).collect();
        Built { clocks, exports, errors }
    }

    fn scopes(&self, root: &Scope) -> Vec<Scope> {
        let mut scopes: Vec<Scope> = Vec::new();
        for scope in &self.plan.scopes {
            let made = match scope.parent {
                Some(ScopeId(parent)) => scopes[parent].inner(&scope.place.statement),
                None => root.clone(),
            };
            scopes.push(made);
        }
        scopes
    }

    fn of<'b>(&'b self, node: &'b Node, input: NodeId) -> Of<'b> {
        Of {
            kinds: &self.kinds,
            shared: &self.shared,
            arranged: &self.plan.node(input).columns,
            key_width: self.plan.key_width(input),
            columns: &node.columns,
            place: &node.place,
        }
    }

    fn arrange(&self, rows: &Collection<Row>, input: NodeId, key: &[usize], value: &[usize]) -> Arranged<Layout> {
        let columns = &self.plan.node(input).columns;
        let schema =
            |places: &[usize]| self.kinds.schema(&places.iter().map(|at| columns[*at].clone()).collect::<Vec<_>>());
        let (keys, values) = (schema(key), schema(value));
        let shapes = (keys.clone(), values.clone());
        let (key, value) = (key.to_vec(), value.to_vec());
        let logic = move |rows: &mut Rows, made: &mut Made<(Row, Row)>| {
            let mut parts = Parts::of(rows, key.iter().chain(&value));
            made.data = (parts.take(&keys, &key), parts.take(&values, &value));
            made.each = true;
        };
        rows.map_columns::<(Row, Row)>("key and value", shapes, logic).arrange_by_key("arrange")
    }

    /// The rows that are there, each once: kept as an arrangement of the plan.
    fn set(
        &self,
        rows: &Collection<Row>,
        arrange: NodeId,
        kept: &mut BTreeMap<NodeId, Arranged<Layout>>,
    ) -> Collection<Row> {
        let Operator::Arrange { input, key, value } = &self.plan.node(arrange).operator else {
            unreachable!("#{} is no arrangement", arrange.0)
        };
        let arranged = self.arrange(rows, *input, key, value).distinct("distinct");
        let schema = self.kinds.schema(&self.plan.node(*input).columns);
        let mut places = vec![0; schema.len()];
        key.iter().chain(value).enumerate().for_each(|(place, column)| places[*column] = place);
        let logic = {
            let schema = schema.clone();
            move |data: &mut (Rows, Rows), made: &mut Made<Row>| {
                let parts: Vec<_> = [&data.0, &data.1].into_iter().flat_map(|rows| rows.fields()).collect();
                let fields = places.iter().map(|place| parts[*place].clone()).collect();
                made.data = Rows::of_fields(schema.clone(), data.0.len(), fields);
                made.each = true;
            }
        };
        let set = arranged.pairs().map_columns("rows", schema, logic);
        kept.insert(arrange, arranged);
        set
    }

    /// Rows that are there from the beginning, and stay.
    fn fixed(
        &self,
        root: &Scope,
        node: &Node,
        rows: impl Iterator<Item = Result<Row, Row>>,
        (common, errors): (&mut Common, &mut Vec<Collection<Row>>),
    ) -> Collection<Row> {
        let (mut session, collection) = root.input_of_shape("rows", self.kinds.schema(&node.columns));
        let mut failed = Vec::new();
        for row in rows.take(if self.is_first { usize::MAX } else { 0 }) {
            match row {
                Ok(row) => session.insert(row),
                Err(error) => failed.push(error),
            }
        }
        if matches!(&node.operator, Operator::Rows(written) if self.may_fail(written)) {
            let (mut session, collection) = root.input_of_shape("errors of rows", error_schema());
            failed.into_iter().for_each(|error| session.insert(error));
            common.fixed.push(session);
            errors.push(collection);
        }
        common.fixed.push(session);
        collection
    }

    fn may_fail(&self, written: &[Vec<Scalar>]) -> bool {
        written.iter().flatten().any(fails)
    }

    /// A row that is written down, or the error that it is.
    fn written(&self, node: &Node, row: &[Scalar]) -> Result<Row, Row> {
        let values = row.iter().map(|value| constant(value, &self.kinds));
        values.collect::<Result<Row, Failure>>().map_err(|failure| {
            let nameless: Arc<[Named]> = Arc::new([]);
            let teller = self.shared.teller(&nameless, &node.place.statement);
            teller.failed(RowRef::Owned(&[]), &failure)
        })
    }

    fn inspect(&self, rows: &Collection<Row>, node: &Node, label: &str) -> Collection<Row> {
        let (teller, label, show) = (self.teller(node), label.to_string(), self.options.inspect.clone());
        // What is shown is what is left once the changes of a time are added up.
        rows.consolidate().inspect(move |row, time, diff| {
            show(&Inspected { label: &label, row: &teller.text(row), time, diff: *diff });
        })
    }

    fn teller(&self, node: &Node) -> Teller {
        self.shared.teller(&node.columns, &node.place.statement)
    }

    /// What would still change in a variable when its loop is given up, as errors.
    fn late(&self, changes: Collection<Row>, node: &Node, limit: u64) -> Collection<Row> {
        let place = &self.plan.scopes[node.scope.0].place;
        let teller = self.teller(node);
        let (span, reason) = (place.span, format!("the loop still changes after {limit} rounds"));
        changes.map_columns("still changing", error_schema(), move |rows: &mut Rows, made: &mut Made<Row>| {
            for row in 0..rows.len() {
                made.data.push_owned(teller.tell(rows.get(row), span, &reason));
            }
            made.each = true;
        })
    }
}

/// A collection as it is seen from outside of all loops.
fn outside(mut rows: Collection<Row>) -> Collection<Row> {
    while rows.scope().parent().is_some() {
        rows = rows.leave();
    }
    rows
}

/// Of the rows by which loops still change, a few of each variable, once; whether they come or go.
fn told_of_some(errors: &Collection<Row>) -> Collection<Row> {
    // All but the row itself: statement, place, reason.
    let width = error_schema().len() - 1;
    let (key, value): (Vec<_>, Vec<_>) = (error_schema()[..width].to_vec(), error_schema()[width..].to_vec());
    let shapes: (Arc<[_]>, Arc<[_]>) = (key.into(), value.into());
    let split = {
        let (key, value) = shapes.clone();
        move |rows: &mut Rows, made: &mut Made<(Row, Row)>| {
            let places: Vec<usize> = (0..=width).collect();
            let mut parts = Parts::of(rows, &places);
            made.data = (parts.take(&key, &places[..width]), parts.take(&value, &places[width..]));
            made.each = true;
        }
    };
    let by_loop = errors.map_columns::<(Row, Row)>("by loop", shapes.clone(), split).arrange_by_key("arrange");
    let some = by_loop.reduce_to("some", shapes, |_, rows, output| {
        output.extend(rows.iter().take(SHOWN).map(|(row, _)| (row.row(), 1)));
    });
    let whole = |data: &mut (Rows, Rows), made: &mut Made<Row>| {
        let fields = [&data.0, &data.1].into_iter().flat_map(|rows| rows.fields().iter().cloned());
        made.data = Rows::of_fields(error_schema(), data.0.len(), fields.collect());
        made.each = true;
    };
    some.pairs().map_columns("errors", error_schema(), whole)
}

//! Every operator and every algorithm as a small program of two inputs, each with its oracle.
//!
//! A [`Program`] forgets the type of its records, so that a suite is a list: what can be done with it is to check it at a
//! point of the matrix, and to ask what each worker has of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;

use tests::{
    Bag, Cell, History, Kept, Pair, Random, accumulate, antijoin, bag, bfs, by_group, check, components, edge_history,
    history, join, keys, reach, recompute, semijoin, strong_components, strong_edges, sum,
};

use differential::algorithms;
use differential::collection::Collection;
use differential::column::{Data, ShapeOf};
use differential::operators::Variable;
use differential::time::Point;

use super::shares;

/// What the two inputs of a program hold.
#[derive(Clone, Copy)]
pub(crate) enum Inputs {
    /// Pairs of few keys and values, with counts below zero.
    Pairs,
    /// A graph that changes, and pairs whose keys are roots in it.
    Graph,
}

impl Inputs {
    /// Histories over the epochs of a cell.
    pub(crate) fn histories(self, cell: &Cell) -> Vec<History<Pair>> {
        let mut random = Random::new(cell.seed);
        let size = random.below(3) as usize;
        let epochs = cell.grid().times().len() as u64;
        match self {
            Inputs::Pairs => {
                let (updates, keys, values) = [(12, 3, 2), (60, 8, 3), (120, 2, 12)][size];
                [0, 1].map(|_| history(&mut random, &cell.grid(), updates, keys, values)).to_vec()
            }
            Inputs::Graph => {
                let (nodes, edges, changes) = [(4, 4, 1), (8, 9, 2), (12, 20, 1)][size];
                let graph = edge_history(&mut random, epochs, nodes, edges, changes);
                vec![graph, edge_history(&mut random, epochs.min(9), nodes, 1, 1)]
            }
        }
    }
}

/// A program and its oracle, whatever its records are.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) check: Box<dyn Fn(&Cell)>,
    pub(crate) shares: Box<dyn Fn(&Cell)>,
}

fn program<D: Data + Debug>(
    name: &'static str,
    inputs: Inputs,
    build: impl Fn(&[Collection<Pair>], &mut Kept) -> Collection<D> + Send + Sync + 'static,
    oracle: impl Fn(&[History<Pair>], &Point) -> Bag<D> + 'static,
) -> Program
where
    ShapeOf<D>: Default,
{
    let build = Arc::new(build);
    let shared = Arc::clone(&build);
    let check = move |cell: &Cell| {
        let build = Arc::clone(&build);
        let program = move |inputs: &[Collection<Pair>], kept: &mut Kept| build(inputs, kept);
        check((name, cell), &cell.grid(), &cell.way(), &inputs.histories(cell), program, &oracle);
    };
    let shares = move |cell: &Cell| shares::add_up(name, cell, &inputs.histories(cell), &*shared);
    Program { name, check: Box::new(check), shares: Box::new(shares) }
}

fn pairs<D: Data + Debug>(
    name: &'static str,
    build: impl Fn(&[Collection<Pair>], &mut Kept) -> Collection<D> + Send + Sync + 'static,
    oracle: impl Fn(&[Bag<Pair>]) -> Bag<D> + 'static,
) -> Program
where
    ShapeOf<D>: Default,
{
    program(name, Inputs::Pairs, build, recompute(oracle))
}

fn graph<D: Data + Debug>(
    name: &'static str,
    build: impl Fn(&[Collection<Pair>], &mut Kept) -> Collection<D> + Send + Sync + 'static,
    oracle: impl Fn(&[Bag<Pair>]) -> Bag<D> + 'static,
) -> Program
where
    ShapeOf<D>: Default,
{
    program(name, Inputs::Graph, build, recompute(oracle))
}

/// A bag with each record replaced.
fn mapped<D: Ord>(records: &Bag<Pair>, logic: impl Fn(Pair) -> D) -> Bag<D> {
    bag(records.iter().map(|(pair, count)| (logic(*pair), *count)))
}

/// Each item once.
fn each<D: Ord>(items: impl IntoIterator<Item = D>) -> Bag<D> {
    bag(items.into_iter().map(|item| (item, 1)))
}

/// The keys with a positive count: roots.
fn roots(pairs: &Bag<Pair>) -> BTreeSet<u32> {
    keys(pairs).into_iter().filter(|(_, count)| *count > 0).map(|(key, _)| key).collect()
}

/// The first value with a positive count, in the order given.
fn first<'a>(values: impl IntoIterator<Item = &'a (u32, i64)>) -> Vec<(u32, i64)> {
    values.into_iter().find(|(_, count)| *count > 0).map(|(value, _)| (*value, 1)).into_iter().collect()
}

/// Operators that work on a record at a time, or bring records elsewhere.
pub(crate) fn row_by_row() -> Vec<Program> {
    vec![
        pairs(
            "map",
            |c, _| c[0].map(|(key, value)| format!("{key}.{value}")),
            |b| mapped(&b[0], |(key, value)| format!("{key}.{value}")),
        ),
        pairs(
            "filter",
            |c, _| c[0].filter(|(key, value)| key < value),
            |b| bag(b[0].iter().filter(|((key, value), _)| key < value).map(|(pair, count)| (*pair, *count))),
        ),
        pairs(
            "flat_map",
            |c, _| c[0].flat_map(|(key, value)| (0..value).map(move |at| (key, at))),
            |b| bag(b[0].iter().flat_map(|((key, value), n)| (0..*value).map(move |at| ((*key, at), *n)))),
        ),
        pairs(
            "explode",
            |c, _| c[0].explode(|(key, value)| [(key, i64::from(value)), (key + 1, -2)]),
            |b| {
                let each = b[0].iter();
                bag(each.flat_map(|((key, value), n)| [(*key, i64::from(*value) * n), (*key + 1, -2 * n)]))
            },
        ),
        pairs(
            "concat and negate",
            |c, _| c[0].concat(&c[1].negate()),
            |b| sum(&b[0], &bag(b[1].iter().map(|(pair, count)| (*pair, -count)))),
        ),
        pairs("consolidate", |c, _| c[0].concat(&c[1]).consolidate(), |b| sum(&b[0], &b[1])),
        pairs("inspect", |c, _| c[0].inspect(|_, _, _| ()), |b| b[0].clone()),
        pairs("exchange", |c, _| c[0].exchange().map(|(key, _)| key).exchange(), |b| keys(&b[0])),
        pairs("gather", |c, _| c[0].gather().concat(&c[1]), |b| sum(&b[0], &b[1])),
        // What was gathered once is not for ever: an exchange that left it marked so let its records stay apart.
        pairs(
            "gather, and spread again",
            |c, _| c[0].gather().exchange().map(|(key, _)| key).consolidate(),
            |b| keys(&b[0]),
        ),
        pairs("gather and go on", |c, _| c[0].gather().map(|(key, _)| key).count(), |b| each(keys(&b[0]))),
        pairs(
            "arranged by key and by itself, and back",
            |c, kept| {
                let (by_key, by_self) = (c[0].arrange_by_key("by key"), c[1].arrange_by_self("by self"));
                kept.keep((by_key.clone(), by_self.clone()));
                by_key.pairs().concat(&by_self.keys()).concat(&by_key.as_collection(|key, value| (value, key)))
            },
            |b| sum(&sum(&b[0], &b[1]), &mapped(&b[0], |(key, value)| (value, key))),
        ),
        program(
            "delay",
            Inputs::Pairs,
            |c, _| c[0].delay(2).concat(&c[1]),
            |histories, at| {
                let then = at.coordinate(0).checked_sub(2);
                let delayed = then.map_or(Bag::new(), |then| accumulate(&histories[0], &Point::from(then)));
                sum(&delayed, &accumulate(&histories[1], at))
            },
        ),
    ]
}

/// Joins of all kinds.
pub(crate) fn joins() -> Vec<Program> {
    vec![
        pairs("join_map", |c, _| c[0].join_map(&c[1], |key, one, other| (key, one, other)), |b| join(&b[0], &b[1])),
        pairs(
            "join of arrangements",
            |c, kept| {
                let arranged = [0, 1].map(|input: usize| c[input].arrange_by_key("by key"));
                kept.keep(arranged.clone());
                arranged[0].join(&arranged[1], |key, one, other| (key, one, other))
            },
            |b| join(&b[0], &b[1]),
        ),
        pairs(
            "join_flat",
            |c, _| {
                let right = c[1].arrange_by_key("right");
                c[0].arrange_by_key("left").join_flat(&right, |key, one, other| (one < other).then_some((key, one)))
            },
            |b| {
                let kept = join(&b[0], &b[1]).into_iter().filter(|((_, one, other), _)| one < other);
                bag(kept.map(|((key, one, _), count)| ((key, one), count)))
            },
        ),
        pairs(
            "join looks up",
            |c, _| c[0].map(|(key, _)| key).join(&c[1].arrange_by_key("right"), |key, (), value| (key, value)),
            |b| {
                let left = bag(b[0].iter().map(|((key, _), count)| ((*key, 0), *count)));
                bag(join(&left, &b[1]).into_iter().map(|((key, _, value), count)| ((key, value), count)))
            },
        ),
        pairs(
            "join with itself",
            |c, _| {
                let by_key = c[0].arrange_by_key("by key");
                by_key.join(&by_key, |key, one, other| (key, one, other))
            },
            |b| join(&b[0], &b[0]),
        ),
        pairs(
            "join of a join by another key",
            |c, _| {
                let both = c[0].join_map(&c[1], |key, one, other| (other, (key, one)));
                both.join_map(&c[0], |other, (key, one), third| (key, one, other, third))
            },
            |b| {
                let both = join(&b[0], &b[1]);
                let all = both.iter().flat_map(|left| b[0].iter().map(move |right| (left, right)));
                let same = all.filter(|(((_, _, other), _), ((key, _), _))| other == key);
                bag(same.map(|(((key, one, other), l), ((_, third), r))| ((*key, *one, *other, *third), l * r)))
            },
        ),
        pairs("semijoin", |c, _| c[0].semijoin(&c[1].map(|(key, _)| key)), |b| semijoin(&b[0], &keys(&b[1]))),
        pairs("antijoin", |c, _| c[0].antijoin(&c[1].map(|(key, _)| key)), |b| antijoin(&b[0], &keys(&b[1]))),
    ]
}

/// Reductions of all kinds.
pub(crate) fn reductions() -> Vec<Program> {
    let thrice = |count: i64| if count % 2 == 0 { 0 } else { 3 * count };
    vec![
        pairs("min", |c, _| c[0].min(), |b| by_group(&b[0], |values| first(values))),
        pairs("max", |c, _| c[0].max(), |b| by_group(&b[0], |values| first(values.iter().rev()))),
        pairs("count", |c, _| c[0].map(|(key, _)| key).count(), |b| each(keys(&b[0]))),
        pairs(
            "distinct",
            |c, _| c[0].distinct(),
            |b| bag(b[0].iter().map(|(pair, count)| (*pair, i64::from(*count > 0)))),
        ),
        pairs(
            "threshold",
            move |c, _| c[0].map(|(key, _)| key).threshold(move |count| thrice(*count)),
            move |b| bag(keys(&b[0]).into_iter().map(|(key, count)| (key, thrice(count)))),
        ),
        pairs(
            "reduce to several",
            |c, _| {
                c[0].reduce("several", |_, values, made| {
                    made.extend(values.iter().map(|(value, count)| (2 * value, *count)));
                    made.push((1000 + values.len() as u32, 1i64));
                })
            },
            |b| {
                by_group(&b[0], |values| {
                    let doubled = values.iter().map(|(value, count)| (2 * value, *count));
                    doubled.chain([(1000 + values.len() as u32, 1)]).collect()
                })
            },
        ),
        pairs(
            "count of counts",
            |c, _| c[0].map(|(key, _)| key).count().map(|(_, count)| count).count(),
            |b| each(bag(keys(&b[0]).into_values().map(|count| (count, 1)))),
        ),
        pairs(
            "reduced, joined with what it came from",
            |c, kept| {
                let by_key = c[0].arrange_by_key("by key");
                let least = by_key.reduce("least", |_, values, made| {
                    made.extend(values.iter().find(|(_, count)| *count > 0).map(|(value, _)| (*value, 1i64)));
                });
                kept.keep((by_key.clone(), least.clone()));
                by_key.join(&least, |key, value, least| (key, value, least))
            },
            |b| join(&b[0], &by_group(&b[0], |values| first(values))),
        ),
        pairs(
            "expect_counts",
            |c, _| c[0].distinct().expect_counts("distinct pairs"),
            |b| bag(b[0].iter().map(|(pair, count)| (*pair, i64::from(*count > 0)))),
        ),
    ]
}

/// Loops of all kinds.
pub(crate) fn loops() -> Vec<Program> {
    let halve = |number: u32| if number.is_multiple_of(2) { number / 2 } else { number };
    vec![
        pairs(
            "iterate",
            move |c, _| c[0].map(|(key, value)| 8 * key + value).iterate(move |numbers| numbers.map(halve)),
            move |b| mapped(&b[0], |(key, value)| (0..40).fold(8 * key + value, |number, _| halve(number))),
        ),
        pairs(
            "exchange, gather and delay in a loop",
            move |c, _| {
                c[0].map(|(key, value)| 8 * key + value).iterate(move |numbers| {
                    let (even, odd) = (numbers.filter(|n| n % 4 == 0), numbers.filter(|n| n % 4 != 0));
                    even.gather().map(halve).exchange().concat(&odd.map(halve).exchange().gather()).consolidate()
                })
            },
            move |b| mapped(&b[0], |(key, value)| (0..40).fold(8 * key + value, |number, _| halve(number))),
        ),
        program(
            "a variable that is its definition of an epoch before",
            Inputs::Pairs,
            |c, _| {
                let older = Variable::new(c[0].scope());
                let all = c[0].concat(older.current()).consolidate();
                older.set(&all.flat_map(|(key, value)| (value < 15).then_some((key, value + 1))));
                all
            },
            |histories, at| {
                let mut all = Bag::new();
                for epoch in 0..=at.coordinate(0) {
                    let older = all.iter().filter(|((_, value), _)| *value < 15);
                    let older = bag(older.map(|((key, value), count): (&Pair, &i64)| ((*key, value + 1), *count)));
                    all = sum(&older, &accumulate(&histories[0], &Point::from(epoch)));
                }
                all
            },
        ),
        graph(
            "two variables through each other",
            |c, _| {
                let roots = c[1].map(|(root, _)| root).distinct();
                let by_source = c[0].arrange_by_key("edges by source");
                let scope = roots.scope().inner("even and odd");
                let (even, odd) = (Variable::from(&scope, &roots), Variable::new(&scope));
                let step = |nodes: &Collection<u32>| nodes.join(&by_source, |_, (), target| target);
                let next_even = step(odd.current()).concat(&roots).distinct();
                let next_odd = step(even.current()).distinct();
                even.set(&next_even);
                odd.set(&next_odd);
                next_even.leave().map(|node| (node, 0)).concat(&next_odd.leave().map(|node| (node, 1)))
            },
            |b| {
                // Over pairs of node and parity, reached as in any graph.
                let doubled = b[0]
                    .iter()
                    .flat_map(|((from, to), n)| [((2 * from, 2 * to + 1), *n), ((2 * from + 1, 2 * to), *n)]);
                let found = reach(&bag(doubled), &roots(&b[1]).into_iter().map(|root| 2 * root).collect());
                each(found.into_iter().map(|node| (node / 2, node % 2)))
            },
        ),
        graph(
            "a loop in a loop",
            |c, _| {
                let edges = c[0].distinct();
                edges.iterate(|edges| {
                    let closure = edges.iterate(|paths| {
                        let onward = paths.map(|(source, target)| (target, source));
                        onward.join_map(edges, |_, source, target| (source, target)).concat(edges).distinct()
                    });
                    let back = closure.map(|(source, target)| (target, source));
                    edges.map(|edge| (edge, ())).semijoin(&back).map(|(edge, ())| edge)
                })
            },
            |b| each(strong_edges(&b[0])),
        ),
        graph(
            "enter_at: labels by priority",
            |c, _| {
                let both_ways = c[0].concat(&c[0].map(|(source, target)| (target, source)));
                let labels = both_ways.map(|(node, _)| (node, node));
                let by_node = both_ways.arrange_by_key("edges");
                algorithms::propagate(&labels, &by_node, |label| label % 5)
            },
            |b| each(components(&b[0])),
        ),
    ]
}

/// Every algorithm.
pub(crate) fn algorithms() -> Vec<Program> {
    vec![
        graph(
            "reach",
            |c, _| algorithms::reach(&c[0], &c[1].map(|(root, _)| root)),
            |b| each(reach(&b[0], &roots(&b[1]))),
        ),
        graph("bfs", |c, _| algorithms::bfs(&c[0], &c[1].map(|(root, _)| root)), |b| each(bfs(&b[0], &roots(&b[1])))),
        graph("components", |c, _| algorithms::components(&c[0]), |b| each(components(&b[0]))),
        graph("strong_components", |c, _| algorithms::strong_components(&c[0]), |b| each(strong_components(&b[0]))),
        graph(
            "strong_edges",
            |c, _| algorithms::strong_edges(&c[0]),
            |b| {
                let strong = strong_edges(&b[0]);
                let counts: BTreeMap<_, _> = b[0].iter().filter(|(edge, _)| strong.contains(edge)).collect();
                bag(counts.into_iter().map(|(edge, count)| (*edge, *count)))
            },
        ),
    ]
}

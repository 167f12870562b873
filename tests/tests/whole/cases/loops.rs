//! Faults of loops that other engines met, each restated as a small history with its answer.

use std::collections::BTreeMap;

use tests::Pair;

use differential::collection::Collection;
use differential::operators::Variable;
use differential::{Config, Error, algorithms, run_alone};

/// Runs a program of one input and answers the changes that each step makes.
fn changes_of(
    program: impl FnOnce(&Collection<Pair>) -> Collection<Pair>,
    steps: &[&[(Pair, i64)]],
) -> Result<Vec<Vec<(Pair, i64)>>, Error> {
    run_alone(Config::default(), |worker| {
        let (mut session, mut output) = worker.dataflow(|scope| {
            let (session, pairs) = scope.input::<Pair>("pairs");
            (session, program(&pairs).output())
        })?;
        let mut changes = Vec::new();
        for step in steps {
            step.iter().for_each(|(pair, diff)| session.update(*pair, *diff));
            worker.commit(&mut session)?;
            changes.push(output.changes().into_iter().map(|(pair, _, diff)| (pair, diff)).collect());
        }
        Ok(changes)
    })
}

/// `paths(x, z)` of `edges(x, y)` and `paths(y, z)`.
fn linear_closure(edges: &Collection<Pair>) -> Collection<Pair> {
    let by_target = edges.map(|(source, target)| (target, source)).arrange_by_key("edges by target");
    edges.iterate(|paths| paths.join_map(&by_target, |_, target, source| (source, target)).concat(edges).distinct())
}

/// `paths(x, z)` of `paths(x, y)` and `paths(y, z)`.
fn doubling_closure(edges: &Collection<Pair>) -> Collection<Pair> {
    edges.iterate(|paths| {
        let by_target = paths.map(|(source, target)| (target, source));
        by_target.join_map(paths, |_, source, target| (source, target)).concat(edges).distinct()
    })
}

fn chain(edges: u32) -> Vec<(Pair, i64)> {
    (1..=edges).map(|node| ((node, node + 1), 1)).collect()
}

/// D1: records that became equal were taken away and added again for ever, as nothing added them up on their way round.
#[test]
fn d1_halving_ends() {
    let numbers: Vec<(Pair, i64)> = (0..5).map(|number| ((number, 0), 1)).collect();
    let halve = |number: u32| if number.is_multiple_of(2) { number / 2 } else { number };
    let changes = changes_of(|pairs| pairs.iterate(|numbers| numbers.map(move |(n, _)| (halve(n), 0))), &[&numbers]);
    assert_eq!(changes, Ok(vec![vec![((0, 0), 1), ((1, 0), 3), ((3, 0), 1)]]));
}

/// D2: a closure said more, or less, than what a change of an edge changes.
#[test]
fn d2_a_closure_says_exactly_what_changed() {
    let all = [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let through_the_gap = [(1, 3), (1, 4), (2, 3), (2, 4)];
    let counted = |pairs: &[Pair], diff| pairs.iter().map(|pair| (*pair, diff)).collect::<Vec<_>>();
    let steps: [&[(Pair, i64)]; 4] = [&chain(3), &[((2, 3), -1)], &[((2, 3), 1)], &[((1, 3), 1)]];
    let expected = vec![counted(&all, 1), counted(&through_the_gap, -1), counted(&through_the_gap, 1), vec![]];
    assert_eq!(changes_of(linear_closure, &steps), Ok(expected.clone()));
    assert_eq!(changes_of(doubling_closure, &steps), Ok(expected));
}

/// D3: a recursive view over a view that retracts gave another result when it was stepped after each row.
#[test]
fn d3_any_split_into_steps_gives_the_same_ancestors() {
    // parent(word): its longest proper prefix that is a word. ancestor: the closure of parent.
    let inserted = [("a", 1), ("abcd", 1), ("abc", 1), ("ab", 1), ("abc", -1)];
    let expected: [&[(&str, &str)]; 4] = [
        &[("abcd", "a")],
        &[("abc", "a"), ("abcd", "a"), ("abcd", "abc")],
        &[("ab", "a"), ("abc", "a"), ("abc", "ab"), ("abcd", "a"), ("abcd", "ab"), ("abcd", "abc")],
        &[("ab", "a"), ("abcd", "a"), ("abcd", "ab")],
    ];
    // After which of the first four insertions a step ends; one always ends after the last.
    for ends in 0..16u32 {
        let ancestors = run_alone(Config::default(), |worker| {
            let (mut words, output) = worker.dataflow(|scope| {
                let (session, words) = scope.input::<String>("words");
                let prefixes = words.flat_map(|word| {
                    let word = word.to_string();
                    (1..word.len()).map(|end| (word[..end].to_string(), word.clone())).collect::<Vec<_>>()
                });
                // A longer prefix of the same word is the greater one in the order of strings, too.
                let found = prefixes.semijoin(&words).map(|(prefix, word)| (word.to_string(), prefix.to_string()));
                let parent = found.max();
                let ancestors = parent.iterate(|ancestors| {
                    let farther = ancestors.map(|(word, above)| (above.to_string(), word.to_string()));
                    let farther = farther.join_map(&parent, |_, word, above| (word.to_string(), above.to_string()));
                    farther.concat(&parent).distinct()
                });
                (session, ancestors.output())
            })?;
            let mut ancestors = BTreeMap::new();
            for (at, (word, diff)) in inserted.iter().enumerate() {
                words.update(word.to_string(), *diff);
                if at == 4 || ends & (1 << at) != 0 {
                    worker.commit(&mut words)?;
                    let rows = output.rows().expect("complete");
                    assert!(rows.iter().all(|(_, count)| *count == 1), "{rows:?}");
                    ancestors.insert(at, rows.into_iter().map(|(pair, _)| pair).collect::<Vec<_>>());
                }
            }
            Ok::<_, Error>(ancestors)
        });
        let strings = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(word, above)| (word.to_string(), above.to_string())).collect()
        };
        for (at, ancestors) in ancestors.expect("nothing in it fails") {
            let expected = if at == 0 { vec![] } else { strings(expected[at - 1]) };
            assert_eq!(ancestors, expected, "after insertion {at}, steps end at {ends:05b}");
        }
    }
}

/// D4: a round counter of 16 bits went round, and most of the answer was silently missing.
#[test]
fn d4_more_than_65536_rounds() {
    let rows = run_alone(Config::default(), |worker| {
        let (mut start, output) = worker.dataflow(|scope| {
            let (session, start) = scope.input::<u32>("start");
            let numbers = start.iterate(|numbers| {
                numbers.filter(|number| number < 65_599).map(|number| number + 1).concat(&start).distinct()
            });
            (session, numbers.filter(|number| number > 65_530).output())
        })?;
        start.insert(0);
        worker.commit(&mut start)?;
        Ok::<_, Error>(output.rows().expect("complete"))
    });
    assert_eq!(rows, Ok((65_531..=65_599).map(|number| (number, 1)).collect::<Vec<_>>()));
}

/// D5: the closure of a chain lost pairs when both of its atoms were recursive.
#[test]
fn d5_a_closure_that_doubles() {
    for edges in [7, 96] {
        let changes = changes_of(doubling_closure, &[&chain(edges)]).expect("nothing in it fails");
        let pairs = (1..=edges + 1).flat_map(|from| (from + 1..=edges + 1).map(move |to| ((from, to), 1)));
        assert_eq!(changes[0], pairs.collect::<Vec<_>>());
    }
}

/// D5: a chain longer than a cap on iterations failed. (The case has 1,024 edges; the number of rounds is what matters,
/// so only the paths to the last nodes are kept.)
#[test]
fn d5_a_closure_of_more_than_a_thousand_rounds() {
    let last = 1_025;
    let ending_late = move |edges: &Collection<Pair>| {
        let by_target = edges.map(|(source, target)| (target, source)).arrange_by_key("edges by target");
        let late = edges.filter(move |(_, target)| target > last - 8);
        late.iterate(|paths| paths.join_map(&by_target, |_, target, source| (source, target)).concat(&late).distinct())
    };
    let changes = changes_of(ending_late, &[&chain(last - 1)]).expect("nothing in it fails");
    let pairs = (1..last).flat_map(|from| ((last - 7).max(from + 1)..=last).map(move |to| ((from, to), 1)));
    assert_eq!(changes[0], pairs.collect::<Vec<_>>());
}

/// D6: strong components while edges go and come; with labels that enter in order of priority, and with none.
#[test]
fn d6_edges_within_strong_components_go_and_come() {
    let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3)].map(|edge| (edge, 1));
    let steps: [&[(Pair, i64)]; 3] = [&edges, &[((2, 0), -1)], &[((4, 2), 1)]];
    let expected = vec![
        [(0, 1), (1, 2), (2, 0), (3, 4), (4, 3)].map(|edge| (edge, 1)).to_vec(),
        [(0, 1), (1, 2), (2, 0)].map(|edge| (edge, -1)).to_vec(),
        [(2, 3), (4, 2)].map(|edge| (edge, 1)).to_vec(),
    ];
    assert_eq!(changes_of(algorithms::strong_edges, &steps), Ok(expected.clone()));
    let plain = |edges: &Collection<Pair>| {
        edges.iterate(|edges| {
            let backward = agreeing_at_once(edges).map(|(source, target)| (target, source));
            agreeing_at_once(&backward).map(|(source, target)| (target, source))
        })
    };
    assert_eq!(changes_of(plain, &steps), Ok(expected));
}

/// Found by use: on a path that is longer than labels enter apart, all later labels travelled at once. Their number was the
/// square of the path's length, and this test did not end.
#[test]
fn a_long_path_is_strong_only_while_it_is_closed() {
    let (path, closing) = (chain(6_000), ((6_001, 1), 1));
    let closed = [&path[..], &[closing]].concat();
    let opened = closed.iter().map(|(edge, _)| (*edge, -1)).collect();
    let changes = changes_of(algorithms::strong_edges, &[&path, &[closing], &[((6_001, 1), -1)]]);
    assert_eq!(changes, Ok(vec![vec![], closed, opened]));
}

/// The edges whose ends are reached by the same least label, where all labels start at once.
fn agreeing_at_once(edges: &Collection<Pair>) -> Collection<Pair> {
    let labels = edges.map(|(_, target)| (target, target));
    let labels = algorithms::propagate(&labels, &edges.arrange_by_key("edges by source"), |_| 0);
    let half = edges.join_map(&labels, |source, target, label| (target, (source, label)));
    let both = half.join_map(&labels, |target, (source, one), other| ((source, target), one == other));
    both.filter(|(_, agree)| agree).map(|(edge, _)| edge)
}

/// D7: a feedback that advanced the messages' time and not the records' crashed, far from its cause.
///
/// Here a variable always advances its records. What can be built is a cycle that leaves the loop and comes back, where
/// rounds are forgotten; that is refused, by name, and the worker goes on.
#[test]
fn d7_a_feedback_that_does_not_advance_is_refused() {
    let outcome = run_alone(Config::default(), |worker| {
        let refused = worker.dataflow(|scope| {
            let (session, numbers) = scope.input::<u32>("numbers");
            let variable = Variable::from(&scope.inner("halving"), &numbers);
            let halved = variable.current().map(|number| number / 2).leave();
            variable.set(&halved.enter(numbers.scope()));
            session
        });
        let Err(Error::Cycle { operators }) = refused.map(|_| ()) else { return Err("it was built".to_string()) };
        let (mut numbers, output) = worker
            .dataflow(|scope| {
                let (session, numbers) = scope.input::<u32>("numbers");
                (session, numbers.map(|number| number + 1).output())
            })
            .map_err(|error| error.to_string())?;
        numbers.insert(1);
        worker.commit(&mut numbers).map_err(|error| error.to_string())?;
        Ok((operators, output.rows().expect("complete")))
    });
    let (operators, rows) = outcome.expect("the second dataflow works");
    assert!(operators.iter().any(|operator| operator == "variable of halving"), "{operators:?}");
    assert!(operators.iter().any(|operator| operator == "leave"), "{operators:?}");
    assert_eq!(rows, vec![(2, 1)]);
}

/// D8: a trace imported inside of a loop made its frontier go down for ever.
#[test]
fn d8_an_arrangement_of_another_dataflow_is_used_inside_of_a_loop() {
    let rows = run_alone(Config::default(), |worker| {
        let (mut edges, by_source) = worker.dataflow(|scope| {
            let (session, edges) = scope.input::<Pair>("edges");
            (session, edges.arrange_by_key("edges by source"))
        })?;
        edges.insert((1, 2));
        edges.insert((2, 3));
        worker.commit(&mut edges)?;
        let (mut roots, output, probe) = worker.dataflow(|scope| {
            let (session, roots) = scope.input::<u32>("roots");
            let near = roots.iterate(|near| near.join(&by_source, |_, (), target| target).concat(&roots).distinct());
            (session, near.output(), near.probe())
        })?;
        roots.insert(1);
        let mut seen = Vec::new();
        for edge in [(9, 9), (3, 4)] {
            edges.insert(edge);
            let epoch = worker.commit((&mut edges, &mut roots))?;
            assert!(probe.is_complete(epoch));
            seen.push(output.rows()?.into_iter().map(|(node, _)| node).collect::<Vec<_>>());
        }
        Ok::<_, Error>(seen)
    });
    assert_eq!(rows, Ok(vec![vec![1, 2, 3], vec![1, 2, 3, 4]]));
}

/// D9: a plain rule found nothing once a recursive one read the same source.
#[test]
fn d9_a_plain_rule_beside_a_recursive_one() {
    let (ann, has_private, doc) = (1, 7, 2);
    let rows = run_alone(Config::default(), |worker| {
        let (mut facts, review, twice, paths) = worker.dataflow(|scope| {
            let (session, facts) = scope.input::<(u32, u32, u32)>("facts");
            let paths = algorithms::transitive_closure(&facts.map(|(subject, _, object)| (object, subject)));
            let private =
                facts.filter(move |(_, relation, _)| relation == has_private).map(|(subject, ..)| (subject, ()));
            let review = private.map(|(subject, ())| subject).distinct();
            let twice = private.semijoin(&review).map(|(subject, ())| subject).distinct();
            (session, review.output(), twice.output(), paths.output())
        })?;
        facts.insert((ann, has_private, doc));
        worker.commit(&mut facts)?;
        Ok::<_, Error>((review.rows()?, twice.rows()?, paths.rows()?))
    });
    assert_eq!(rows, Ok((vec![(ann, 1)], vec![(ann, 1)], vec![((doc, ann), 1)])));
}

/// D13: a least value inside of a loop was that of the first round. Labels, and then weighted paths.
#[test]
fn d13_a_least_value_inside_of_a_loop() {
    let least_labels = |edges: &Collection<Pair>| {
        let ends = edges.flat_map(|(source, target)| [(source, source), (target, target)]);
        ends.iterate(|labels| labels.join_map(edges, |_, label, target| (target, label)).concat(&ends).min())
    };
    let edges = [(1, 2), (2, 3), (3, 4)].map(|edge| (edge, 1));
    let labels = |of: [(u32, u32); 3], diff| of.map(|label| (label, diff));
    let first = [(1, 1), (2, 1), (3, 1), (4, 1)].map(|label| (label, 1)).to_vec();
    let gone =
        [&[((1, 1), -1)], &labels([(2, 1), (3, 1), (4, 1)], -1)[..], &labels([(2, 2), (3, 2), (4, 2)], 1)].concat();
    assert_eq!(changes_of(least_labels, &[&edges, &[((1, 2), -1)]]), Ok(vec![first, gone]));

    let weight = |(source, target): Pair| if (source, target) == (1, 3) { 10 } else { 7 - 2 * source };
    let shortest = move |edges: &Collection<Pair>| {
        let weighted = edges.map(move |edge| (edge.0, (edge.1, weight(edge))));
        let roots = edges.map(|_| 1).distinct();
        algorithms::shortest_paths(&weighted, &roots).map(|(node, sum)| (node, sum as u32))
    };
    let edges = [(1, 2), (2, 3), (1, 3)].map(|edge| (edge, 1));
    let first = [(1, 0), (2, 5), (3, 8)].map(|sum| (sum, 1)).to_vec();
    let longer = vec![((3, 8), -1), ((3, 10), 1)];
    assert_eq!(changes_of(shortest, &[&edges, &[((2, 3), -1)]]), Ok(vec![first, longer]));
}

/// D10: a rule with two heads found the second cell of a list in some orders of its rules only.
#[test]
fn d10_the_cells_of_a_list_in_either_order_of_rules() {
    const FIRST: u32 = 1;
    const REST: u32 = 2;
    const OF: u32 = 3;
    let (cells, elements, nil, concept) = ([11, 12], [21, 22], 10, 30);
    let facts = [
        (cells[0], FIRST, elements[0]),
        (cells[0], REST, cells[1]),
        (cells[1], FIRST, elements[1]),
        (cells[1], REST, nil),
        (concept, OF, cells[0]),
    ];
    for turned in [false, true] {
        let rows = run_alone(Config::default(), |worker| {
            let (mut session, output) = worker.dataflow(|scope| {
                let (session, facts) = scope.input::<(u32, u32, u32)>("facts");
                let of = |wanted| facts.filter(move |(_, kind, _)| kind == wanted).map(|(one, _, other)| (one, other));
                // next(L, M) where L goes on with M, and M has an element.
                let next = of(REST).map(|(cell, rest)| (rest, cell)).semijoin(&of(FIRST).map(|(cell, _)| cell));
                let next = next.map(|(rest, cell)| (cell, rest));
                let heads = of(OF).map(|(_, cell)| cell).distinct();
                let lists = heads.iterate(|lists| {
                    let onward = lists.map(|cell| (cell, ())).join_map(&next, |_, (), rest| rest);
                    if turned { heads.concat(&onward) } else { onward.concat(&heads) }.distinct()
                });
                (session, lists.output())
            })?;
            facts.into_iter().for_each(|fact| session.insert(fact));
            worker.commit(&mut session)?;
            Ok::<_, Error>(output.rows()?)
        });
        assert_eq!(rows, Ok(cells.map(|cell| (cell, 1)).to_vec()), "turned round: {turned}");
    }
}

/// D14: an aggregate that its own cycle looks at. The least labels are what they are without the rule that looks at
/// them.
#[test]
fn d14_an_aggregate_that_its_own_cycle_looks_at() {
    let labels = |edges: &Collection<Pair>| {
        let own = edges.flat_map(|(source, target)| [(source, source), (target, target)]);
        own.iterate(|labels| {
            let sent = labels.join_map(edges, |_, label, target| (target, label));
            let big = labels.filter(|(_, label)| label > 2).map(|(node, _)| (node, 9));
            own.concat_all([&sent, &big]).min()
        })
    };
    let edges = [(1, 2), (2, 3), (3, 4)].map(|edge| (edge, 1));
    let expected = [1, 2, 3, 4].map(|node| ((node, 1), 1)).to_vec();
    assert_eq!(changes_of(labels, &[&edges]), Ok(vec![expected]));
}

/// D15: of the edges that were to tell why an edge is in a component, some were missing, and the component was none.
///
/// The edges asked for are told by a program: the edge and a shortest walk back. They are edges of a component again, and of
/// the dead ends none is among them.
#[test]
fn d15_the_edges_that_explain_a_component_make_it_again() {
    let asked = (0, 1);
    let explained = move |edges: &Collection<Pair>| {
        let edge = edges.filter(move |edge| edge == asked);
        let by_source = edges.arrange_by_key("edges by source");
        let head = edge.map(|(_, head)| (head, 0));
        let far =
            head.iterate(|far| far.join_map(&by_source, |_, steps, target| (target, steps + 1)).concat(&head).min());
        // For each node, an edge from one that is a step nearer to the head.
        let ends = edges.join_map(&far, |source, target, steps| (target, (source, steps + 1)));
        let ends = ends.join_map(&far, |target, (source, steps), least| ((target, source), steps == least));
        let nearer = ends.filter(|(_, is_least)| is_least).map(|(edge, _)| edge).min();
        let by_target = nearer.arrange_by_key("steps by target");
        let tail = edge.map(|(tail, _)| (tail, ()));
        let nodes =
            tail.iterate(|nodes| nodes.join_map(&by_target, |_, (), source| (source, ())).concat(&tail).distinct());
        nodes.join_map(&by_target, |target, (), source| (source, target)).concat(&edge)
    };
    let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (0, 5), (5, 6), (7, 2), (1, 8)].map(|edge| (edge, 1));
    // Then the walk back is longer, then there is none, then the first one is there again.
    let steps: [&[(Pair, i64)]; 4] = [&edges, &[((2, 0), -1), ((4, 0), 1)], &[((3, 4), -1)], &[((2, 0), 1)]];
    let expected = vec![
        [(0, 1), (1, 2), (2, 0)].map(|edge| (edge, 1)).to_vec(),
        vec![((2, 0), -1), ((2, 3), 1), ((3, 4), 1), ((4, 0), 1)],
        [(1, 2), (2, 3), (3, 4), (4, 0)].map(|edge| (edge, -1)).to_vec(),
        [(1, 2), (2, 0)].map(|edge| (edge, 1)).to_vec(),
    ];
    assert_eq!(changes_of(explained, &steps), Ok(expected.clone()));
    // What the edges that are left say of themselves, and where one is left there is no component.
    let mut again = expected;
    again[2].insert(0, (asked, -1));
    again[3].insert(0, (asked, 1));
    assert_eq!(changes_of(move |edges| algorithms::strong_edges(&explained(edges)), &steps), Ok(again));
}
